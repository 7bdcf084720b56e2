//! Random programs with discrete noise: what a search proves of them, an exact audit must confirm.

use lastbit_audit::discrete::{Argument, ClaimVerdict, Inputs, Options, audit};

use super::{parsed, program};
use crate::logic::search::search;
use crate::soundness::xorshift::Xorshift;

/// How many programs are tried.
const PROGRAMS: u64 = 200;
/// Inputs from 0 up to this.
const LARGEST: i64 = 3;

/// A program whose result is a whole number, and which claims some loss.
fn text(random: &mut Xorshift) -> String {
    let claim = random.pick(&["1/4", "1/2", "1", "3/2", "2", "3"]);
    let mut body = String::new();
    let mut numbers = vec!["x".to_owned()];
    let mut conditions = vec!["x >= 1".to_owned(), "x >= 2".to_owned()];
    for i in 0..1 + random.below(3) {
        let law = match random.below(8) {
            0 => "sign".to_owned(),
            1 => format!("bernoulli({}/8)", 1 + random.below(7)),
            2 => format!("bernoulli((1 + x) / {})", 5 + random.below(6)),
            3 => format!("choose(1, {}, 2)", 1 + random.below(3)),
            4 => "choose(1 + x, 3)".to_owned(),
            _ => format!("dlap({}, 0)", random.pick(&["1", "2", "1/2", "1/3"])),
        };
        body += &format!("v{i} <$ {law};  ");
        match law.starts_with("bernoulli") {
            true => conditions.push(format!("v{i}")),
            false => numbers.push(format!("v{i}")),
        }
    }
    for i in 0..random.below(3) {
        let condition = condition(random, &numbers, &conditions);
        let (a, b) = (sum(random, &numbers), sum(random, &numbers));
        body += &match random.below(4) {
            0 => format!("if {condition} {{ return {a} }}  "),
            1 => format!("w{i} := {a};  "),
            _ => format!("w{i} := if {condition} {{ {a} }} else {{ {b} }};  "),
        };
        if body.contains(&format!("w{i} :=")) {
            numbers.push(format!("w{i}"));
        }
    }
    let condition = condition(random, &numbers, &conditions);
    body += &match random.below(3) {
        0 => format!("return {}", sum(random, &numbers)),
        _ => format!("r := if {condition} {{ 1 }} else {{ 0 }};  return r"),
    };
    format!(
        "mechanism m(x: int in [0, {LARGEST}]) -> grid\n  adjacent |x<1> - x<2>| <= 1\n  claim pure {claim}\n{{ {body} }}"
    )
}

fn sum(random: &mut Xorshift, numbers: &[String]) -> String {
    let (a, b) = (random.pick(numbers), random.pick(numbers));
    match random.below(6) {
        0 => a,
        1 => format!("{a} - {b}"),
        2 => format!("2 * {a}"),
        3 => format!("{}", random.below(3)),
        _ => format!("{a} + {b}"),
    }
}

fn condition(random: &mut Xorshift, numbers: &[String], conditions: &[String]) -> String {
    match random.below(3) {
        0 => random.pick(conditions),
        1 => format!("{} >= {}", sum(random, numbers), random.pick(numbers)),
        _ => format!("{} >= {}", sum(random, numbers), random.between(-1, 2)),
    }
}

#[test]
fn what_is_proved_is_true() {
    let mut random = Xorshift::new(20);
    let (mut proved, mut audited, mut false_claims) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let text = text(&mut random);
        let file = parsed(&text);
        let is_proved = matches!(search(&program(&file)), Ok(found) if found.proved.is_some());
        proved += u32::from(is_proved);
        let input = |x: i64| Inputs::from([("x".to_owned(), Argument::Number(x.into()))]);
        for x in 0..LARGEST {
            let options = Options { precision: 32, budget: 1 << 12, ..Options::default() };
            let pair = [&input(x), &input(x + 1)];
            let Ok(report) = audit(&file, &file.declarations[0], &Default::default(), pair, &options) else {
                continue;
            };
            audited += u32::from(is_proved);
            let is_false = report.claim.as_ref().is_some_and(|claim| claim.verdict == ClaimVerdict::Violated);
            false_claims += u32::from(is_false);
            assert!(!(is_proved && is_false), "proved, with a loss of {:?}:\n{text}", report.loss());
        }
    }
    // The test means something only if there is enough of both.
    assert!(proved >= 30 && audited >= 90 && false_claims >= 100, "{proved}, {audited}, {false_claims}");
}
