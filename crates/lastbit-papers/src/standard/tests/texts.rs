//! Variants as texts.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{Arithmetic, Distribution, ExprId, ExprKind, Statement, StatementKind};
use lastbit_lang::{File, format};
use lastbit_real::Rational;

use super::super::variants::{self, extract};
use super::super::{ALL, reorder};

fn only(text: &str) -> File {
    let (file, messages) = lastbit_lang::parse(text);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    let messages = lastbit_lang::check(&file);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    assert_eq!(format(&file), text);
    file
}

/// Words, and everything between them letter by letter.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in text.chars() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        match tokens.last_mut() {
            Some(last) if in_word && is_word => last.push(letter),
            _ => tokens.push(letter.to_string()),
        }
        in_word = is_word;
    }
    tokens
}

/// All statements, also those in blocks; of `if` and `for` the first line only.
fn statements<'a>(block: &'a [Statement], found: &mut Vec<&'a Statement>) {
    for statement in block {
        found.push(statement);
        statement.blocks().into_iter().for_each(|block| statements(block, found));
    }
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn renamed_is_the_same_text_with_no_name_kept() {
    // Words of the language that the programs use.
    let language: BTreeSet<&str> =
        "mechanism param adjacent forall at most one claim pure sampler unif grid53 libm ln correctly_rounded \
         real grid int bool f64 var for in if else return true false lap expo dlap choose bernoulli sign exp"
            .split(' ')
            .collect();
    for standard in ALL {
        let original = standard.text().unwrap();
        let renamed = variants::renamed(standard.file, standard.name).unwrap();
        only(&renamed);
        let (before, after) = (tokens(&original), tokens(&renamed));
        assert_eq!(before.len(), after.len(), "{}", standard.name);
        let mut map = BTreeMap::new();
        for (old, new) in before.iter().zip(&after) {
            let is_name =
                old.starts_with(|c: char| c.is_alphabetic() || c == '_') && !language.contains(old.as_str());
            if !is_name {
                assert_eq!(old, new, "{}", standard.name);
                continue;
            }
            assert_eq!(map.entry(old).or_insert(new), &new, "{}: `{old}` has two names", standard.name);
        }
        let new: BTreeSet<_> = map.values().collect();
        assert_eq!(new.len(), map.len(), "{}: two names have become one", standard.name);
        assert!(map.keys().all(|old| !after.contains(old)), "{}", standard.name);
    }
}

#[test]
fn reordered_has_the_same_statements_in_another_order() {
    let mut moved = 0;
    for standard in ALL {
        let original = standard.text().unwrap();
        let mut file = extract(standard.file, standard.name).unwrap();
        reorder::swap_statements(&mut file);
        let swapped = format(&file);
        only(&swapped);
        assert_eq!(sorted_lines(&original), sorted_lines(&swapped), "{}", standard.name);
        moved += usize::from(original != swapped);

        let reordered = variants::reordered(standard.file, standard.name).unwrap();
        only(&reordered);
        assert_ne!(original, reordered, "{}", standard.name);
        // Operands change places once more, and are where they were.
        reorder::swap_operands(&mut file);
        assert_eq!(format(&file), reordered);
        reorder::swap_operands(&mut file);
        assert_eq!(format(&file), swapped);
    }
    assert!(4 * moved >= 3 * ALL.len(), "{moved} of {}", ALL.len());
}

#[test]
fn dependent_statements_stay() {
    let text = "\
mechanism m(q: real[5]) -> real
  param eps: real > 0
{
  a := q[0];
  z <$ lap(a);
  b := z;
  b := b + 1;
  if a > 0 {
    return b;
  }
  c := 2;
  return c;
}
";
    let mut file = extract(text, "m").unwrap();
    reorder::swap_statements(&mut file);
    assert_eq!(format(&file), text);
}

/// The exact value of a scale at `eps`.
fn value(file: &File, id: ExprId, eps: &Rational) -> Rational {
    match &file.expr(id).kind {
        ExprKind::Number { value, .. } => value.clone(),
        ExprKind::Name(name) if name == "eps" => eps.clone(),
        ExprKind::Arithmetic(op, a, b) => {
            let (a, b) = (value(file, *a, eps), value(file, *b, eps));
            match op {
                Arithmetic::Add => &a + &b,
                Arithmetic::Sub => &a - &b,
                Arithmetic::Mul => &a * &b,
                Arithmetic::Div => a.checked_div(&b).unwrap(),
            }
        }
        other => panic!("{other:?} in a scale"),
    }
}

fn scales(file: &File, eps: &Rational) -> Vec<Rational> {
    let mut found = Vec::new();
    statements(&file.declarations[0].body, &mut found);
    let scale = |statement: &Statement| match statement.kind {
        StatementKind::Sample(
            _,
            Distribution::Lap(scale) | Distribution::Expo(scale) | Distribution::Dlap(scale, _),
        ) => Some(value(file, scale, eps)),
        _ => None,
    };
    found.into_iter().filter_map(scale).collect()
}

#[test]
fn halved_halves_every_scale_and_nothing_else() {
    let eps: Rational = "3/7".parse().unwrap();
    for standard in ALL {
        let original = standard.text().unwrap();
        let halved = variants::halved(standard.file, standard.name).unwrap();
        let (before, after) = (scales(&only(&original), &eps), scales(&only(&halved), &eps));
        let doubled: Vec<Rational> = after.iter().map(|scale| scale * &2.into()).collect();
        assert_eq!(before, doubled, "{}", standard.name);

        let changed = original.lines().zip(halved.lines()).filter(|(old, new)| old != new).count();
        assert_eq!(original.lines().count(), halved.lines().count());
        assert_eq!(changed, before.len().max(1), "{}", standard.name);
    }
}

#[test]
fn without_a_scale_what_the_claim_names_is_doubled() {
    let halved = |name: &str| {
        let standard = super::super::Standard::named(name).unwrap();
        variants::halved(standard.file, name).unwrap()
    };
    assert!(halved("randomized_response").contains("lie <$ bernoulli(1 / (exp(2 * eps) + 1));"));
    assert!(halved("randomized_response").contains("claim pure eps\n"));
    assert!(halved("exponential").contains("choose(exp(2 * eps * score[0] / 2), "));
    assert!(halved("laplace_inversion_f64").contains("y := ln(u) / (2 * eps);"));
}
