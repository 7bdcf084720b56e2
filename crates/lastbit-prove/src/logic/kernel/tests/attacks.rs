//! Mechanisms that are not private as claimed: a search must not prove any of them.

use lastbit_lang::symbolic::Program;

use super::{mechanism, parsed, program};
use crate::logic::refute::{Options, RefutationOutcome, refute};
use crate::logic::search::search;

/// Bodies of mechanisms on a real number that claim `eps`. A witness against each of them is found.
const REFUTED: &[&str] = &[
    // Too little noise.
    "z <$ lap(1 / (2 * eps));  return x + z",
    "z <$ lap(1 / eps);  return 2 * x + z",
    "z <$ lap(1 / eps);  return x + z / 2",
    "z <$ lap(1 / eps);  return 3 * x - z",
    // No noise, or noise that cancels.
    "z <$ lap(1 / eps);  return x + z - z",
    "z <$ lap(1 / eps);  y := x + z;  return y - z",
    "z <$ lap(1 / eps);  return x + 0 * z",
    // The same noise twice tells the input.
    "z <$ lap(1 / eps);  y := x + z;  return 2 * y - z",
    "z <$ lap(1 / eps);  y := 2 * x + z;  w := x + z;  return y + w",
    // Noise that the input scales.
    "z <$ lap(1 / eps);  return x * z",
    "z <$ lap(1 / eps);  return (1 + x) * z",
    "z <$ lap(1 / eps);  return x + x * z",
    // Returns that leak.
    "z <$ lap(1 / eps);  if x >= 1 { return 7 }  return x + z",
    "z <$ lap(1 / eps);  if x >= 1 { return x }  return x + z",
    "z <$ lap(1 / eps);  if z >= 3 { return x }  return x + z",
    "z <$ lap(1 / eps);  if x + z >= 1 { return x }  return 0",
    "z <$ lap(1 / eps);  if x >= 0 { return x + z }  return x - 1 + z",
    // Bounds that depend on the input.
    "z <$ lap(1 / eps);  return min(z, x)",
    "z <$ lap(1 / eps);  return max(x + z, 2 * x)",
    "z <$ lap(1 / eps);  r := if z >= x { 1 } else { 0 };  t := if z >= 3 * x { 1 } else { 0 };  return r + t",
    // One-sided noise.
    "z <$ expo(1 / eps);  return x + z",
    "z <$ expo(1 / eps);  return x - z",
    "z <$ expo(1 / eps);  y <$ expo(1 / eps);  return max(x + z, x - y)",
    "u <$ unif(0,1];  return x + ln(u) / eps",
    // Comparisons.
    "z <$ lap(1 / eps);  y <$ lap(1 / eps);  r := if x + z >= y & x + z >= 2 { 1 } else { 0 };  t := if 2 * x >= y { 1 } else { 0 };  return r + 2 * t",
    "z <$ lap(1 / eps);  r := if x + z >= 0 { 1 } else { 0 };  t := if x - z >= 0 { 1 } else { 0 };  return r + 2 * t",
    "z <$ lap(1 / eps);  r := if 2 * x + z >= 0 { 1 } else { 0 };  return r",
    "z <$ lap(1 / eps);  r := if |x + z| <= x { 1 } else { 0 };  return r",
    // Noise under a sign that depends on the input, with another scale on the other side.
    "z <$ lap(1 / eps);  r := if x >= 0 { x + z } else { x + z / 4 };  return r",
    // A sign and a uniform sample that are not taken together.
    "u <$ unif(0,1];  s <$ sign;  w := x + s * ln(u) / eps;  return w + s",
    "u <$ unif(0,1];  s <$ sign;  w := 2 * x + s * ln(u) / eps;  return w",
    "u <$ unif(0,1];  s <$ sign;  w := x + s * (ln(u) / eps - x);  return w",
    // Loops.
    "var t: real;  t := x;  for i in 0..3 { z <$ lap(1 / eps);  t := t + x + z; }  return t",
    "var t: real;  t := 0;  for i in 0..3 { z <$ lap(1 / eps);  if x + z >= i { t := t + 1; } }  return t",
];

/// Whole texts, with the reason where no witness is looked for.
const OTHERS: &[(&str, &str)] = &[
    (
        "x + u lies in (x, x + 1]",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
         { u <$ unif(0,1];  return x + u }",
    ),
    (
        "the loss is 2 at eps = 2, and 1 is claimed",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure min(eps, 1)
         { z <$ lap(1 / eps);  return x + z }",
    ),
    (
        "the second input may be the larger one, too",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent x<1> = x<2> + 1 claim pure eps
         { z <$ expo(1 / eps);  return x + z }",
    ),
    (
        "what is assumed of two inputs is assumed in an order",
        "mechanism m(x: real) -> real param eps: real > 0 assume x<1> >= x<2> adjacent |x<1> - x<2>| <= 1
         claim pure eps { z <$ expo(1 / eps);  return x + z }",
    ),
    (
        "the order hides in a function",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent round(x<1>, 1, up) = round(x<2>, 1, up) + 1
         claim pure eps { z <$ expo(1 / eps);  return round(x, 1, up) + z }",
    ),
    (
        "a scale that may be negative is no scale",
        "mechanism m(x: real) -> real param c: real adjacent |x<1> - x<2>| <= 1 claim pure 1
         { z <$ lap(c);  return x + c * z }",
    ),
    (
        "c may be zero",
        "mechanism m(x: real) -> real param eps: real > 0, c: real adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ lap(1 / eps);  return x + z + 1 / c + 2 / c }",
    ),
    (
        "x may be zero, and then there is no result",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ lap(1 / eps);  return x + z + 0 * (1 / x) }",
    ),
    (
        "the logarithm of an input need not exist",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ lap(1 / eps);  return x + z + 0 * ln(x) }",
    ),
    (
        "a probability above 1",
        "mechanism m(x: bool) -> bool param p: real > 1 claim pure 4 { b <$ bernoulli(p);  r := if x { b } else { !b };  return r }",
    ),
    (
        "a weight that is zero for one input",
        "mechanism m(x: real in [0, 1]) -> int claim pure 1 { c <$ choose(x, 1);  return c }",
    ),
    (
        "inputs are not bound to be close",
        "mechanism m(x: real) -> real param eps: real > 0 claim pure eps { z <$ lap(1 / eps);  return x + z }",
    ),
    (
        "nothing is said of the second argument",
        "mechanism m(x: real, y: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ lap(1 / eps);  return x + y + z }",
    ),
    (
        "eps is 2, and the noise is for 1",
        "mechanism m(x: real) -> real param eps: real = 2 adjacent |x<1> - x<2>| <= eps claim pure 1
         { z <$ lap(1);  return x + z }",
    ),
    (
        "eps may be negative",
        "mechanism m(x: real) -> real param eps: real adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ lap(1);  return x + z }",
    ),
    (
        "0 and 1/2 are neighbours, and the noise is whole",
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
         { z <$ dlap(1 / eps, 0);  return x + z }",
    ),
    (
        "an answer and a lie are 3 to 1",
        "mechanism m(x: bool) -> bool claim pure 1 { b <$ bernoulli(1 / 4);  r := if b { !x } else { x };  return r }",
    ),
    (
        "two answers cost twice as much",
        "mechanism m(x: bool) -> int claim pure 11/10 { b <$ bernoulli(1 / 4);  c <$ bernoulli(1 / 4);
         r := if b = x { 1 } else { 0 };  t := if c = x { 2 } else { 0 };  return r + t }",
    ),
    (
        "the coin depends on the input",
        "mechanism m(x: bool) -> bool claim pure 1/2
         { if x { b <$ bernoulli(1 / 4); } else { b <$ bernoulli(1 / 2); }  return b }",
    ),
    (
        "all of two queries may move, and both are answered with noise for one",
        "mechanism m(q: real[2]) -> real[2] param eps: real > 0 adjacent forall i: |q[i]<1> - q[i]<2>| <= 1 claim pure eps
         { var r: real[2];  for i in 0..2 { z <$ lap(1 / eps);  r[i] := q[i] + z; }  return r }",
    ),
    (
        "the value of the largest query with noise for its index",
        "mechanism m(q: real[2]) -> real param eps: real > 0 adjacent forall i: |q[i]<1> - q[i]<2>| <= 1 claim pure eps
         { y <$ lap(1 / eps);  z <$ lap(1 / eps);  return max(q[0] + y, q[1] + z) + q[0] }",
    ),
];

#[test]
fn what_is_refuted_is_not_proved() {
    let options = Options { evaluations: 4000, ..Options::default() };
    let mut open: Vec<&str> = Vec::new();
    for body in REFUTED {
        let file = parsed(&mechanism(body));
        if let Ok(found) = search(&program(&file)) {
            assert!(found.proved.is_none(), "proved: {body}");
        }
        let outcome = refute(&file, &file.declarations[0], &Default::default(), &options);
        open.extend((!matches!(outcome, Ok(RefutationOutcome::Refuted(_)))).then_some(*body));
    }
    assert!(open.is_empty(), "no witness against {open:#?}");
}

#[test]
fn what_is_false_for_a_reason_is_not_proved() {
    for (reason, text) in OTHERS {
        let file = parsed(text);
        if let Ok(found) = search(&program(&file)) {
            assert!(found.proved.is_none(), "proved, although {reason}");
        }
    }
}

/// What is returned is the input, before it gets its noise: a rule that takes `x` for the noisy value would be wrong.
#[test]
fn what_the_language_forbids_is_no_theorem() {
    let body = "u <$ unif(0,1];  s <$ sign;  r := x;  x := x + s * ln(u) / eps;  return r";
    let (file, messages) = lastbit_lang::parse(&mechanism(body));
    assert!(messages.is_empty());
    let refusal = Program::new(&file, &file.declarations[0], &Default::default()).unwrap_err();
    assert_eq!(refusal.message, "`x` is an argument and keeps its value");
}

/// Floats are not real numbers, wherever they are declared.
#[test]
fn no_float_is_taken_for_a_real_number() {
    let body = "adjacent |x<1> - x<2>| <= 1 claim pure eps { z <$ lap(1 / eps);  return x + z }";
    for head in [
        "mechanism m(x: f64) -> f64 param eps: f64 > 0",
        "mechanism m(x: real) -> f64 param eps: real > 0",
        "mechanism m(x: real) -> real param eps: f64 > 0",
    ] {
        let (file, messages) = lastbit_lang::parse(&format!("{head} {body}"));
        assert!(messages.is_empty());
        let values = Default::default();
        let declaration = &file.declarations[0];
        let found = lastbit_lang::symbolic::Program::new(&file, declaration, &values).map(|p| search(&p));
        let is_refused = !lastbit_lang::check(&file).is_empty()
            || !matches!(found, Ok(Ok(found)) if found.proved.is_some());
        assert!(is_refused, "{head}");
    }
}
