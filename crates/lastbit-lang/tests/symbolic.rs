//! Runs on symbols: what they say of a point is what happens there.

use std::collections::BTreeMap;

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Constraint, Fresh, Path, Polynomial, Program, Relation, Symbol, Value, paths};
use lastbit_lang::{File, parse};
use lastbit_real::Rational;
use proptest::prelude::*;

fn file(text: &str) -> File {
    let (file, messages) = parse(text);
    assert!(messages.is_empty(), "{messages:?}");
    let messages = lastbit_lang::check(&file);
    assert!(messages.is_empty(), "{messages:?}");
    file
}

fn all_paths(text: &str) -> Vec<Path> {
    let file = file(text);
    let program = Program::new(&file, &file.declarations[0], &BTreeMap::new()).expect("a program");
    paths(&program, Side::One, &Fresh).expect("paths")
}

fn message(text: &str) -> String {
    let file = file(text);
    let program = Program::new(&file, &file.declarations[0], &BTreeMap::new());
    program.and_then(|program| paths(&program, Side::One, &Fresh)).expect_err("no paths").message
}

const NOISY_MAX: &str = "mechanism noisy_max(q: real[4]) -> int
  param eps: real > 0
{
  var z: real[4];
  best := 0;
  top := 0;
  for i in 0..4 {
    z[i] <$ lap(2 / eps);
    if i = 0 | q[i] + z[i] > top { best := i;  top := q[i] + z[i]; }
  }
  return best;
}";

/// The values of `q[i]<1>` and `z[i]`.
fn at(q: &[i64], z: &[i64]) -> BTreeMap<Symbol, Polynomial> {
    let named = |name: String, value: i64| (Symbol::from(name), Polynomial::constant(value));
    let inputs = q.iter().enumerate().map(|(i, value)| named(format!("q[{i}]<1>"), *value));
    inputs.chain(z.iter().enumerate().map(|(i, value)| named(format!("z[{i}]"), *value))).collect()
}

fn holds(constraint: &Constraint, values: &BTreeMap<Symbol, Polynomial>) -> bool {
    let value = constraint.polynomial.substitute(values).and_then(|p| p.as_constant());
    constraint.relation.holds(&value.expect("a number"))
}

proptest! {
    #[test]
    fn one_path_is_taken_and_returns_what_the_program_does(
        q in prop::collection::vec(-3i64..=3, 4),
        z in prop::collection::vec(-3i64..=3, 4),
    ) {
        let values = at(&q, &z);
        let taken: Vec<Path> =
            all_paths(NOISY_MAX).into_iter().filter(|path| path.guards.iter().all(|g| holds(g, &values))).collect();
        prop_assert_eq!(taken.len(), 1);
        let noisy: Vec<i64> = q.iter().zip(&z).map(|(q, z)| q + z).collect();
        let top = noisy.iter().max().expect("four");
        let best = noisy.iter().position(|value| value == top).expect("it is one of them") as i64;
        prop_assert_eq!(&taken[0].result, &[Value::Number(Polynomial::constant(best))]);
    }

    #[test]
    fn arithmetic_of_polynomials_is_that_of_their_values(
        coefficients in prop::collection::vec((-4i64..=4, -2i32..=2, -2i32..=2), 1..5),
        others in prop::collection::vec((-4i64..=4, -2i32..=2, -2i32..=2), 1..5),
        x in 1i64..=5,
        y in 1i64..=5,
    ) {
        let power = |name: &str, power: i32| {
            let base = Polynomial::variable(name);
            let base = if power < 0 { base.inverse().expect("one term") } else { base };
            (0..power.abs()).fold(Polynomial::constant(1), |product, _| &product * &base)
        };
        let polynomial = |terms: &[(i64, i32, i32)]| {
            terms.iter().fold(Polynomial::zero(), |sum, (c, i, j)| {
                &sum + &(&power("x", *i) * &power("y", *j)).scale(&Rational::from(*c))
            })
        };
        let values: BTreeMap<Symbol, Polynomial> =
            [("x".into(), Polynomial::constant(x)), ("y".into(), Polynomial::constant(y))].into();
        let value = |p: &Polynomial| p.substitute(&values).and_then(|p| p.as_constant()).expect("a number");
        let (p, q) = (polynomial(&coefficients), polynomial(&others));
        prop_assert_eq!(value(&(&p + &q)), value(&p) + value(&q));
        prop_assert_eq!(value(&(&p - &q)), value(&p) - value(&q));
        prop_assert_eq!(value(&(&p * &q)), value(&p) * value(&q));
        prop_assert!((&p - &p).is_zero());
        if let Some((rest, factor)) = p.split("x") {
            prop_assert_eq!(&rest + &(&factor * &Polynomial::variable("x")), p);
        }
    }
}

#[test]
fn equal_arguments_give_equal_values() {
    let paths = all_paths(
        "mechanism r(x: real) -> [grid] { u <$ unif(0,1];  a := x + ln(u);  b := ln(u) + x;  return [round(a, 1, up), round(b, 1, up)] }",
    );
    assert_eq!(paths[0].result[0], paths[0].result[1]);
}

#[test]
fn a_divisor_must_not_be_zero_and_a_scale_must_be_positive() {
    let paths = all_paths("mechanism d(x: real) -> real param b: real { z <$ lap(b);  return x / b + z }");
    let forbidden: Vec<String> = paths[0].obligations.iter().map(|o| o.forbidden.to_string()).collect();
    assert_eq!(forbidden, ["0 >= b", "b = 0"]);
}

#[test]
fn an_absolute_value_below_a_bound_needs_no_cases() {
    let file = file(
        "mechanism l(q: real[2]) -> real adjacent forall i: |q[i]<1> - q[i]<2>| <= 1 claim pure 1 { z <$ lap(1);  return q[0] + z }",
    );
    let program = Program::new(&file, &file.declarations[0], &BTreeMap::new()).expect("a program");
    let ways = program.adjacency().expect("neighbours");
    assert_eq!(ways.len(), 1);
    assert_eq!(ways[0].constraints.len(), 4);
    assert!(ways[0].constraints.iter().all(|c| c.relation == Relation::NonNegative));
}

#[test]
fn at_most_one_input_differs() {
    let file = file(
        "mechanism l(q: real[3]) -> real adjacent at most one i: |q[i]<1> - q[i]<2>| <= 1 claim pure 1 { z <$ lap(1);  return q[0] + z }",
    );
    let program = Program::new(&file, &file.declarations[0], &BTreeMap::new()).expect("a program");
    let ways = program.adjacency().expect("neighbours");
    let names: Vec<&str> = ways.iter().map(|way| way.name.as_str()).collect();
    assert_eq!(names, ["only i = 0 differs", "only i = 1 differs", "only i = 2 differs"]);
    let equations =
        |way: usize| ways[way].constraints.iter().filter(|c| c.relation == Relation::Zero).count();
    assert_eq!([equations(0), equations(1), equations(2)], [2, 2, 2]);
}

#[test]
fn what_can_not_be_run_is_said_with_its_reason() {
    let long = "mechanism m(x: real) -> real { s := 0; for i in 0..1000000000 { s := s + 1 } return s }";
    assert!(message(long).contains("too long to unroll"));
    let wide =
        "mechanism m(q: real[13]) -> int { n := 0; for i in 0..13 { if q[i] > 0 { n := n + 1 } } return n }";
    assert!(message(wide).contains("ways through the program"));
    let open = "mechanism m(q: real[n]) -> real param n: int { return q[0] }";
    assert!(message(open).contains("`n` is not known"));
    let unset = "mechanism m(x: real) -> [real] { var a: real[2]; a[0] := x; return a }";
    assert!(message(unset).contains("is not set"));
    assert!(message("mechanism m(x: f64) -> f64 { return x }").contains("float"));
}
