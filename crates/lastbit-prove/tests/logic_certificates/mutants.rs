//! Certificates with one thing changed. Each must be refused.
//!
//! Changes that may be harmless are not made: a lemma is dropped only if some premise has no other, and a sum is changed only if what
//! comes out is not a number.

use std::collections::HashSet;

use lastbit_lang::parse;
use lastbit_lang::symbolic::{Constraint, Polynomial, Program, Relation};
use lastbit_prove::logic::certificate::Certificate;
use lastbit_prove::logic::kernel::{Alignment, Judge, Leaf, Lemma, Map, Proof, Theorem, check_leaves};
use lastbit_real::Rational;

use super::proved::{Random, certificate, certificates, prove};

/// Asserts that a mutant is refused.
fn refused(mutant: &Certificate, what: &str) {
    if let Ok(Theorem { cost, premises, .. }) = mutant.check() {
        panic!("{}: accepted with {what}: cost {cost}, {premises} premises", mutant.declaration);
    }
}

fn with(certificate: &Certificate, change: impl FnOnce(&mut Proof)) -> Certificate {
    let mut mutant = certificate.clone();
    change(&mut mutant.proof);
    mutant
}

/// The sum of a lemma, if its places are there.
fn sum(lemma: &Lemma) -> Option<Polynomial> {
    let get = |place: &usize| lemma.constraints.get(*place).map(|constraint| &constraint.polynomial);
    let mut sum = Polynomial::zero();
    for (coefficient, factors) in &lemma.refutation.products {
        let mut product = Polynomial::constant(coefficient.clone());
        for factor in factors {
            product = &product * get(factor)?;
        }
        sum = &sum + &product;
    }
    for (multiplier, place) in &lemma.refutation.multiples {
        sum = &sum + &(multiplier * get(place)?);
    }
    Some(sum)
}

fn is_absurd(lemma: &Lemma) -> bool {
    sum(lemma).is_some_and(|sum| sum.as_constant().is_some())
}

/// Which lemmas apply to each premise, and what all premises speak of.
#[derive(Default)]
struct Premises<'p> {
    lemmas: &'p [Lemma],
    applying: Vec<Vec<usize>>,
    constraints: HashSet<Constraint>,
}

impl Judge for Premises<'_> {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        if constraints.iter().any(|constraint| constraint.decided() == Some(false)) {
            return true;
        }
        let known: HashSet<&Constraint> = constraints.iter().copied().collect();
        let applies = |place: &usize| self.lemmas[*place].constraints.iter().all(|c| known.contains(c));
        let applying: Vec<usize> = (0..self.lemmas.len()).filter(applies).collect();
        self.constraints.extend(constraints.iter().map(|constraint| (*constraint).clone()));
        self.applying.push(applying.clone());
        !applying.is_empty()
    }
}

fn premises(certificate: &Certificate) -> Premises<'_> {
    let (file, _) = parse(&certificate.text);
    let program = Program::new(&file, &file.declarations[0], &certificate.values).expect("it runs");
    let Proof { cost, leaves, lemmas } = &certificate.proof;
    let mut premises = Premises { lemmas, ..Premises::default() };
    check_leaves(&program, cost, leaves, &mut premises).expect("it holds");
    premises
}

/// The lemmas without which a premise has none.
fn necessary(premises: &Premises<'_>) -> Vec<usize> {
    let only = premises.applying.iter().filter_map(|lemmas| match lemmas.as_slice() {
        [only] => Some(*only),
        _ => None,
    });
    let only: HashSet<usize> = only.collect();
    (0..premises.lemmas.len()).filter(|place| only.contains(place)).collect()
}

/// Those that are checked fast enough for many mutants.
fn small() -> impl Iterator<Item = &'static Certificate> {
    certificates().iter().filter(|certificate| !certificate.declaration.ends_with("_twice"))
}

fn some<T: Copy>(random: &mut Random, list: &[T], count: usize) -> Vec<T> {
    (0..count.min(list.len())).map(|_| list[random.below(list.len())]).collect()
}

#[test]
fn sums_of_lemmas() {
    let mut random = Random(1);
    let (mut coefficients, mut factors, mut terms, mut exchanged) = (0, 0, 0, 0);
    for certificate in certificates() {
        let all: Vec<usize> = (0..certificate.proof.lemmas.len()).collect();
        for place in some(&mut random, &all, 6) {
            let lemma = &certificate.proof.lemmas[place];
            let try_lemma = |what: &str, count: &mut usize, change: &dyn Fn(&mut Lemma)| {
                let mut changed = lemma.clone();
                change(&mut changed);
                if !is_absurd(&changed) {
                    refused(&with(certificate, |proof| proof.lemmas[place] = changed), what);
                    *count += 1;
                }
            };
            let products = lemma.refutation.products.len();
            if products > 0 {
                let at = random.below(products);
                try_lemma("another coefficient", &mut coefficients, &|lemma| {
                    let coefficient = &mut lemma.refutation.products[at].0;
                    *coefficient = &*coefficient * &Rational::from(2);
                });
                let other = random.below(lemma.constraints.len() + 1);
                try_lemma("another factor", &mut factors, &|lemma| {
                    if let Some(factor) = lemma.refutation.products[at].1.first_mut() {
                        *factor = other;
                    }
                });
            }
            let at = random.below(lemma.constraints.len());
            try_lemma("another term in a constraint", &mut terms, &|lemma| {
                let polynomial = &mut lemma.constraints[at].polynomial;
                *polynomial = &*polynomial + &Polynomial::variable("eps").scale(&Rational::from(3));
            });
            let other = &certificate.proof.lemmas[random.below(all.len())];
            try_lemma("the sum of another lemma", &mut exchanged, &|lemma| {
                lemma.refutation = other.refutation.clone();
            });
        }
    }
    println!("{coefficients} coefficients, {factors} factors, {terms} terms, {exchanged} sums");
    assert!(coefficients >= 80 && factors >= 60 && terms >= 80 && exchanged >= 40);
}

#[test]
fn lemmas_that_are_needed() {
    let mut random = Random(2);
    let (mut dropped, mut relations) = (0, 0);
    for certificate in small() {
        let premises = premises(certificate);
        let necessary = necessary(&premises);
        for place in some(&mut random, &necessary, 4) {
            refused(&with(certificate, |proof| drop(proof.lemmas.remove(place))), "a lemma less");
            dropped += 1;
            let at = random.below(certificate.proof.lemmas[place].constraints.len());
            for relation in [Relation::NonNegative, Relation::Positive, Relation::Zero] {
                let mut constraint = certificate.proof.lemmas[place].constraints[at].clone();
                constraint.relation = relation;
                if !premises.constraints.contains(&constraint) {
                    let change = |proof: &mut Proof| proof.lemmas[place].constraints[at] = constraint;
                    refused(&with(certificate, change), "another relation");
                    relations += 1;
                }
            }
        }
    }
    println!("{dropped} lemmas, {relations} relations");
    assert!(dropped >= 40 && relations >= 60);
}

/// The alignments of a certificate, by their leaves.
fn alignments(certificate: &Certificate) -> Vec<(usize, &Alignment)> {
    let leaves = certificate.proof.leaves.iter().enumerate();
    leaves
        .filter_map(|(place, leaf)| match leaf {
            Leaf::Align(alignment) => Some((place, alignment)),
            _ => None,
        })
        .collect()
}

fn realigned(certificate: &Certificate, leaf: usize, change: impl FnOnce(&mut Alignment)) -> Certificate {
    with(certificate, |proof| {
        if let Leaf::Align(alignment) = &mut proof.leaves[leaf] {
            change(alignment);
        }
    })
}

#[test]
fn maps_of_samples() {
    let mut random = Random(3);
    let (mut shifts, mut costs, mut mirrors) = (0, 0, 0);
    for certificate in small() {
        for (leaf, alignment) in alignments(certificate).into_iter().take(2) {
            let piece = random.below(alignment.pieces.len());
            for name in alignment.pieces[piece].maps.keys().take(3) {
                let mutant = |change: &dyn Fn(&mut (Map, Polynomial))| {
                    realigned(certificate, leaf, |alignment| {
                        change(alignment.pieces[piece].maps.get_mut(name).expect("it is there"));
                    })
                };
                let third = Polynomial::constant(Rational::new(1, 3).expect("not zero"));
                let further = |(map, _): &mut (Map, Polynomial)| {
                    if let Map::Affine { shift, .. } = map {
                        *shift = &*shift + &third;
                    }
                };
                refused(&mutant(&further), "another shift");
                shifts += 1;
                let mirrored = |(map, _): &mut (Map, Polynomial)| {
                    if let Map::Affine { negate, .. } = map {
                        *negate = !*negate;
                    }
                };
                refused(&mutant(&mirrored), "a mirrored sample");
                mirrors += 1;
                if !alignment.pieces[piece].maps[name].1.is_zero() {
                    let cheaper = |(_, cost): &mut (Map, Polynomial)| {
                        *cost = cost.scale(&Rational::new(2, 3).expect("not zero"));
                    };
                    refused(&mutant(&cheaper), "a smaller cost");
                    costs += 1;
                }
            }
        }
    }
    println!("{shifts} shifts, {costs} costs, {mirrors} mirrors");
    assert!(shifts >= 30 && costs >= 30 && mirrors >= 30);
}

#[test]
fn pieces_and_leaves() {
    let (mut dropped, mut doubled, mut labels, mut swapped) = (0, 0, 0, 0);
    for certificate in small() {
        for (leaf, alignment) in alignments(certificate).into_iter().take(3) {
            for piece in 0..alignment.pieces.len().min(3) {
                let less = |alignment: &mut Alignment| drop(alignment.pieces.remove(piece));
                refused(&realigned(certificate, leaf, less), "a piece less");
                dropped += 1;
                let twice = |alignment: &mut Alignment| {
                    alignment.pieces.push(alignment.pieces[piece].clone());
                };
                refused(&realigned(certificate, leaf, twice), "a piece twice");
                doubled += 1;
                if let Some(label) = &alignment.pieces[piece].label {
                    let label = Some(format!("{label}, 1"));
                    let change = |alignment: &mut Alignment| alignment.pieces[piece].label = label;
                    refused(&realigned(certificate, leaf, change), "another label");
                    labels += 1;
                }
            }
        }
        let leaves = &certificate.proof.leaves;
        for one in 0..leaves.len() {
            let two = (one + 1) % leaves.len();
            if leaves[one] != leaves[two] {
                refused(&with(certificate, |proof| proof.leaves.swap(one, two)), "two leaves exchanged");
                swapped += 1;
            }
        }
        refused(&with(certificate, |proof| drop(proof.leaves.pop())), "a leaf less");
        let twice = |proof: &mut Proof| proof.leaves.push(proof.leaves[0].clone());
        refused(&with(certificate, twice), "a leaf more");
    }
    println!("{dropped} dropped, {doubled} doubled, {labels} labels, {swapped} swapped");
    assert!(dropped >= 40 && doubled >= 40 && labels >= 20 && swapped >= 10);
}

#[test]
fn totals() {
    let mut count = 0;
    for certificate in certificates() {
        for (n, d) in [(0, 1), (1, 2), (99, 100), (-1, 1)] {
            let factor = Rational::new(n, d).expect("not zero");
            let less = |proof: &mut Proof| proof.cost = proof.cost.scale(&factor);
            refused(&with(certificate, less), "a smaller total");
            count += 1;
        }
    }
    assert!(count >= 100);
}

#[test]
fn texts() {
    let edits = [
        ("eps: real > 0", "eps: real"),
        ("eps: real > 0", "eps: real >= 0"),
        ("| <= 1", "| <= 2"),
        ("+ 1\n", "+ 2\n"),
        ("lap(1 / eps)", "lap(1 / (2 * eps))"),
        ("lap(1 / eps", "lap(9 / (10 * eps)"),
        ("lap(2 / eps)", "lap(1 / eps)"),
        ("lap(4 / eps)", "lap(2 / eps)"),
        ("lap(3 / eps)", "lap(2 / eps)"),
        ("expo(2 / eps)", "expo(1 / eps)"),
        ("ln(u) / eps", "ln(u) / (2 * eps)"),
        ("claim pure", "claim pure 99/100 *"),
        ("  adjacent forall i: |q[i]<1> - q[i]<2>| <= 1\n", ""),
        ("  adjacent T<1> = T<2>\n", ""),
        ("  adjacent |x<1> - x<2>| <= 1\n", ""),
        ("at most one i", "forall i"),
        ("exp(eps) + 1", "exp(2 * eps) + 1"),
        ("(x: grid)", "(x: real)"),
    ];
    let mut count = 0;
    for certificate in certificates() {
        for (old, new) in edits.iter().filter(|(old, _)| certificate.text.contains(old)) {
            let text = certificate.text.replace(old, new);
            refused(&Certificate { text, ..certificate.clone() }, &format!("`{new}` for `{old}`"));
            count += 1;
        }
    }
    println!("{count} texts");
    assert!(count >= 80);
}

#[test]
fn events() {
    let snap = certificate("snap");
    let event = |certificate: &Certificate, change: &dyn Fn(&mut String, &mut usize, &mut bool)| {
        with(certificate, |proof| {
            let Leaf::Event(event) = &mut proof.leaves[0] else { panic!("not by an event") };
            change(&mut event.variable, &mut event.positive, &mut event.pointwise);
        })
    };
    refused(&event(snap, &|_, positive, _| *positive = 1 - *positive), "the other sign");
    refused(&event(snap, &|_, positive, _| *positive = 2), "a sign that is none");
    for name in ["r", "u", "s", "x", "e", ""] {
        refused(&event(snap, &|variable, _, _| *variable = name.into()), "another variable");
    }
    let text = "mechanism real(x: real) -> real
      param eps: real > 0  adjacent |x<1> - x<2>| <= 1  claim pure eps
    { u <$ unif(0,1];  s <$ sign;  w := x + s * ln(u) / eps;  return w }";
    let real = prove(text, "real");
    refused(&event(&real, &|_, _, pointwise| *pointwise = true), "points in the place of intervals");
}

/// The second run's sign is the other one where the inputs have different signs.
#[test]
fn permutations() {
    let text = "mechanism turned(x: real) -> int
      param eps: real > 0  claim pure eps
    { s <$ sign;  if x >= 0 { return s; }  return -s }";
    let turn = |images: &[usize]| {
        let maps = [("s".into(), (Map::Permute(images.to_vec()), Polynomial::zero()))].into();
        let piece = lastbit_prove::logic::kernel::Piece { maps, ..Default::default() };
        Leaf::Align(Alignment { pieces: vec![piece], ..Alignment::default() })
    };
    let leaf = |same: &[usize], other: &[usize]| {
        let positive = |name: &str| Constraint::non_negative(Polynomial::variable(name));
        let inner = |a, b| Leaf::Split(positive("x<2>"), vec![turn(a), turn(b)]);
        vec![Leaf::Split(positive("x<1>"), vec![inner(same, other), inner(other, same)])]
    };
    let verdict = |same: &[usize], other: &[usize]| {
        super::forged::verdict(text, Polynomial::variable("eps"), leaf(same, other), &[])
    };
    verdict(&[0, 1], &[1, 0]).expect("a proof");
    for (same, other) in [
        ([0, 1], [0, 1]),
        ([1, 0], [1, 0]),
        ([1, 0], [0, 1]),
        ([0, 1], [1, 1]),
        ([0, 0], [1, 0]),
        ([0, 1], [1, 2]),
    ] {
        assert!(verdict(&same, &other).is_err(), "{same:?} {other:?}");
    }
    assert!(verdict(&[0, 1], &[1]).is_err() && verdict(&[0, 1], &[1, 0, 2]).is_err());
}
