//! Values at which a premise fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lastbit_lang::symbolic::{Constraint, Polynomial, Symbol};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use crate::logic::oracle::{Answer, Z3};
use crate::logic::search::simplex::{Feasibility, Row, feasible};

/// Values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counterexample {
    /// By name; those of the two runs are `x<1>` and `x<2>`.
    pub values: BTreeMap<String, Rational>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&list.join(" "))
    }
}

/// Numbers that are tried, the simplest first.
const SIMPLE: [&str; 9] = ["0", "1", "-1", "1/2", "2", "-2", "1/4", "-1/4", "4"];
/// Most points that are tried.
const MOST_POINTS: usize = 60_000;

pub(super) fn simple() -> Vec<Rational> {
    SIMPLE.iter().map(|text| text.parse().expect("a number")).collect()
}

/// Points with simple coordinates, those of fewer different numbers first; `visit` says whether one is what is looked for.
pub(super) fn points(dimension: usize, mut visit: impl FnMut(&[Rational]) -> bool) -> Option<Vec<Rational>> {
    let numbers = simple();
    let mut tried = 0;
    for count in [3, 5, numbers.len()] {
        let mut digits = vec![0; dimension];
        loop {
            tried += 1;
            if tried > MOST_POINTS {
                return None;
            }
            let point: Vec<Rational> = digits.iter().map(|digit| numbers[*digit].clone()).collect();
            if visit(&point) {
                return Some(point);
            }
            // The next point, as an odometer counts; the last coordinate turns fastest.
            let Some(place) = digits.iter().rposition(|digit| digit + 1 < count) else { break };
            digits[place] += 1;
            digits[place + 1..].fill(0);
        }
    }
    None
}

/// A point that satisfies constraints on variables: those in products get simple values, the others follow by linear programming. None is
/// found when the watch is over.
pub(super) fn model(constraints: &[Constraint], watch: &Watch) -> Option<Counterexample> {
    let all: BTreeSet<Symbol> = constraints.iter().flat_map(|c| c.polynomial.variables()).collect();
    // The value of a function cannot be chosen, but for the logarithm of a sample.
    let is_sample = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_'[]<>#".contains(c));
    let is_log =
        |symbol: &Symbol| symbol.strip_prefix("ln(").and_then(|s| s.strip_suffix(')')).is_some_and(is_sample);
    if all.iter().any(|symbol| symbol.ends_with(')') && !is_log(symbol)) {
        return None;
    }
    let mut in_products = BTreeSet::new();
    for (monomial, _) in constraints.iter().flat_map(|c| c.polynomial.terms()) {
        let is_linear = matches!(monomial.powers(), [] | [(_, 1)]);
        if !is_linear {
            in_products.extend(monomial.powers().iter().map(|(symbol, _)| symbol.clone()));
        }
    }
    let chosen: Vec<Symbol> = in_products.into_iter().collect();
    let rest: Vec<Symbol> = all.iter().filter(|symbol| !chosen.contains(symbol)).cloned().collect();
    let mut found = None;
    points(chosen.len(), |point| {
        if watch.is_over() {
            return true;
        }
        let values: BTreeMap<Symbol, Polynomial> =
            chosen.iter().cloned().zip(point.iter().cloned().map(Polynomial::constant)).collect();
        let rows: Option<Vec<Row>> =
            constraints.iter().map(|constraint| row(constraint, &values, &rest)).collect();
        let Some(Feasibility::Feasible(others)) = rows.and_then(|rows| feasible(rest.len(), &rows, watch))
        else {
            return false;
        };
        let named = chosen.iter().cloned().zip(point.iter().cloned()).chain(rest.iter().cloned().zip(others));
        found =
            Some(Counterexample { values: named.map(|(name, value)| (name.to_string(), value)).collect() });
        true
    });
    if found.is_none() && watch.is_over() {
        return None;
    }
    found.or_else(|| by_oracle(constraints))
}

/// A point that an oracle knows, if there is one. Its values have been checked.
fn by_oracle(constraints: &[Constraint]) -> Option<Counterexample> {
    let Answer::Model(values) = Z3::find()?.ask(constraints) else { return None };
    Some(Counterexample {
        values: values.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
    })
}

fn row(constraint: &Constraint, values: &BTreeMap<Symbol, Polynomial>, rest: &[Symbol]) -> Option<Row> {
    let p = constraint.polynomial.substitute(values)?;
    let mut row = Row { coefficients: Vec::new(), constant: Rational::ZERO, relation: constraint.relation };
    for (monomial, coefficient) in p.terms() {
        match monomial.powers() {
            [] => row.constant = coefficient.clone(),
            [(symbol, 1)] => {
                row.coefficients.push((rest.iter().position(|name| name == symbol)?, coefficient.clone()));
            }
            _ => return None,
        }
    }
    Some(row)
}
