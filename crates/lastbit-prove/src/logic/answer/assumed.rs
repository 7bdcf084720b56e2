//! What a proof assumes, as people write it.

use lastbit_lang::ast::Scalar;
use lastbit_lang::symbolic::{Constraint, Monomial, Relation};
use lastbit_real::Rational;

use super::text::SHOWN;
use super::{Answer, Proved};
use crate::logic::prove::assumptions;

/// Declared facts and adjacency: what the proof uses, and what it does not. That a truth value is one of the two is no assumption.
pub(super) fn assumed(answer: &Answer<'_>, proved: &Proved<'_>) -> Option<[Vec<Constraint>; 2]> {
    let truths = answer.declaration.arguments.iter().filter(|binder| binder.ty.scalar == Scalar::Bool);
    let truths: Vec<&str> = truths.map(|binder| binder.name.text.as_str()).collect();
    let is_truth = |symbol: &str| truths.contains(&symbol.split(['<', '[']).next().unwrap_or_default());
    let is_choice = |constraint: &Constraint| {
        let variables = constraint.polynomial.variables();
        constraint.relation == Relation::Zero && variables.len() == 1 && variables.iter().all(|v| is_truth(v))
    };
    // A trace that was not finished says too little.
    if proved.trace.refused.is_some() {
        return None;
    }
    let mut all = assumptions(&answer.program, &proved.proof, &proved.trace).ok()?;
    all.iter_mut().for_each(|list| list.retain(|constraint| !is_choice(constraint)));
    Some(all)
}

pub(super) fn listed(constraints: &[Constraint]) -> String {
    let all = written(constraints);
    match all.len() {
        0 => "none".into(),
        n if n > SHOWN => format!("{}, and {} more", all[..SHOWN].join(", "), n - SHOWN),
        _ => all.join(", "),
    }
}

/// Constraints as people write them: `c - d >= 0` and `c + d >= 0` together are `|d| <= c`.
pub(super) fn written(constraints: &[Constraint]) -> Vec<String> {
    let mut rest: Vec<&Constraint> = constraints.iter().collect();
    let mut all = Vec::new();
    let half = Rational::pow2(-1);
    while !rest.is_empty() {
        let one = rest.remove(0);
        let pair = |other: &&Constraint| {
            let mean = (&one.polynomial + &other.polynomial).scale(&half);
            let both = [one, other].iter().all(|c| c.relation == Relation::NonNegative);
            let constants = [one, other].map(|c| c.polynomial.coefficient(&Monomial::default()));
            both && constants[0] == constants[1] && mean.as_constant().is_some_and(|mean| mean.is_positive())
        };
        match rest.iter().position(pair) {
            Some(place) => {
                let other = rest.remove(place);
                let bound = (&one.polynomial + &other.polynomial).scale(&half);
                let d = (&other.polynomial - &one.polynomial).scale(&half);
                let leads = d.terms().next().is_some_and(|(_, coefficient)| coefficient.is_negative());
                all.push(format!("|{}| <= {bound}", if leads { -&d } else { d }));
            }
            None => all.push(one.to_string()),
        }
    }
    all
}
