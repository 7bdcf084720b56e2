//! What a claim says, in words: what is claimed, for which parameters, between which inputs.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Binder, ClauseKind, Constraint, Declaration, File, Quantifier};
use lastbit_lang::{Reading, expression_text};
use lastbit_prove::endpoint::answer::{Conclusion, FloatAnswer};
use lastbit_prove::logic::answer::Answer;
use lastbit_real::Rational;

use super::loss::LossFound;
use super::words::{DIGITS, certified, short};
use crate::check::factor;

/// `eps-DP (pure), for all eps > 0 and all |x<1> - x<2>| <= 1`
pub(super) fn of_privacy(file: &File, answer: &Answer<'_>) -> String {
    let declaration = answer.declaration;
    let what = match (&answer.claim, answer.proofs.first()) {
        (Some((epsilon, None)), _) => format!("{}-DP (pure)", factor(&epsilon.to_string())),
        (Some((epsilon, Some(delta))), _) => format!("({epsilon}, {delta})-DP"),
        (None, Some(proved)) => {
            format!("{}-DP (pure), a cost that was found", factor(&proved.theorem.cost.to_string()))
        }
        (None, None) => "pure DP".to_owned(),
    };
    let values: Vec<String> = answer.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = if values.is_empty() { String::new() } else { format!(", at {}", values.join(", ")) };
    format!("{what}{at}{}", scope(file, declaration, &answer.values))
}

/// `, for all eps > 0 and all |x<1> - x<2>| <= 1, if x in [0, 1] and eps <= 2`: the parameters without a value, the neighbours, and all that
/// the text assumes. A statement without its assumptions may be false.
pub(crate) fn scope(file: &File, declaration: &Declaration, values: &BTreeMap<String, Rational>) -> String {
    let open = declaration.parameters().filter(|binder| !values.contains_key(&binder.name.text));
    let open: Vec<String> = open.map(|binder| parameter(file, binder)).collect();
    let inputs = neighbours(file, declaration);
    let all: Vec<String> = [open.join(", "), inputs].into_iter().filter(|part| !part.is_empty()).collect();
    let all = if all.is_empty() { String::new() } else { format!(", for all {}", all.join(" and all ")) };
    format!("{all}{}", assumptions(file, declaration))
}

/// `, if x in [0, 1] and eps <= 2`: the ranges of arguments and queries, and the `assume` clauses.
pub(crate) fn assumptions(file: &File, declaration: &Declaration) -> String {
    let ranges = declaration.arguments.iter().filter(|binder| binder.constraint.is_some());
    let ranges = ranges.map(|binder| parameter(file, binder));
    let assumed = declaration.clauses.iter().filter_map(|clause| match clause.kind {
        ClauseKind::Assume(condition) => Some(expression_text(file, condition, Reading::Real)),
        ClauseKind::Query(ref binder) if binder.constraint.is_some() => Some(parameter(file, binder)),
        _ => None,
    });
    let all: Vec<String> = ranges.chain(assumed).collect();
    if all.is_empty() { String::new() } else { format!(", if {}", all.join(" and ")) }
}

/// `eps > 0`, `n`, `x in (0, 1]`
fn parameter(file: &File, binder: &Binder) -> String {
    let words = |id| expression_text(file, id, Reading::Real);
    let name = &binder.name.text;
    match &binder.constraint {
        None => name.clone(),
        Some(Constraint::Compare(op, end)) => format!("{name} {} {}", op.text(), words(*end)),
        Some(Constraint::In(interval)) => {
            let open = if interval.lo_closed { '[' } else { '(' };
            let close = if interval.hi_closed { ']' } else { ')' };
            format!("{name} in {open}{}, {}{close}", words(interval.lo), words(interval.hi))
        }
    }
}

/// The `adjacent` clause, in words.
pub(super) fn neighbours(file: &File, declaration: &Declaration) -> String {
    let clauses = declaration.clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Adjacent(quantifier, condition) => {
            let condition = expression_text(file, *condition, Reading::Real);
            Some(match quantifier {
                Quantifier::None => condition,
                Quantifier::ForAll(index) => format!("{condition} (every {})", index.text),
                Quantifier::AtMostOne(index) => {
                    format!("{condition} (at one {}, equal elsewhere)", index.text)
                }
            })
        }
        _ => None,
    });
    clauses.collect::<Vec<_>>().join(" and ")
}

/// `eps-DP (pure) with eps <= 1 + 1.1e-13, for all |x<1> - x<2>| <= 1, at B = 100, L = 1, eps = 1`
pub(super) fn of_loss(found: &FloatAnswer<'_>, data: &LossFound) -> String {
    let statement = &found.statement;
    let claim = &statement.claim;
    let claimed = match (&claim.epsilon, claim.delta.is_zero()) {
        (Some(epsilon), true) => format!("eps-DP (pure) with eps = {epsilon}"),
        (Some(epsilon), false) => format!("({epsilon}, {})-DP", claim.delta),
        (None, true) if found.conclusion == Conclusion::Refuted => "eps-DP (pure) for any eps".to_owned(),
        (None, true) => "eps-DP (pure) for some eps".to_owned(),
        (None, false) => format!("(eps, {})-DP for some eps", claim.delta),
    };
    let what = match (&data.certified, found.conclusion) {
        (Some(certified_loss), Conclusion::Proved) => certified(certified_loss, DIGITS),
        _ => claimed,
    };
    let neighbours = match (&statement.given.distance, &data.argument) {
        (Some(distance), Some(argument)) => {
            format!("|{argument}<1> - {argument}<2>| <= {distance}, as given")
        }
        (Some(distance), None) => format!("inputs at most {distance} apart, as given"),
        (None, _) => neighbours(statement.file, statement.declaration),
    };
    let parameters = statement.parameters();
    let at: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name} = {}", short(value))).collect();
    let at = if at.is_empty() { String::new() } else { format!(", at {}", at.join(", ")) };
    let assumed = assumptions(statement.file, statement.declaration);
    format!("{what}, for all {neighbours}{assumed}{at}")
}
