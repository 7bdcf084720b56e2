//! The snapping mechanism in floating point whose parameters are left open: Theorem A in the text's own names.

use std::fmt::Write;

use lastbit_lang::ast::{ClauseKind, Declaration, File};
use lastbit_prove::endpoint::{OpenPoint, OpenTheorem};
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use super::answer::{Found, LOSS_DIGITS, ProofAnswer, Verdict};
use super::{Session, statement};
use crate::Number;

/// Theorem A for all values of the open parameters.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Theorem {
    /// The rule.
    pub rule: &'static str,
    /// The theorem with its conditions.
    pub theorem_a: String,
    /// The names of its numbers in the text.
    pub stands_for: StandsFor,
    /// The open parameters.
    pub for_all: Vec<String>,
    /// The largest distance between neighbours.
    pub sensitivity: Number,
    /// The numeric bound of this text at some values, beside the theorem's.
    pub points: Vec<TheoremPoint>,
    /// Whether the theorem is at least the numeric bound at every point, as it must be.
    pub agrees: bool,
    /// Whether the theorem applies.
    pub applies: bool,
}

/// ε, B and Λ in the text's names.
#[derive(Clone, Debug, Serialize)]
pub struct StandsFor {
    /// ε.
    pub epsilon: String,
    /// B.
    pub bound: String,
    /// Λ.
    pub grid: String,
}

/// Both bounds at some values.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TheoremPoint {
    /// ε.
    pub epsilon: Number,
    /// B.
    pub bound: Number,
    /// The numeric bound less `ε·Δ`, in units of η.
    pub certified_excess_eta: String,
    /// The theorem's, if it applies there.
    pub theorem_a_excess_eta: Option<String>,
}

pub(super) fn answer(
    session: &Session<'_>,
    file: &File,
    declaration: &Declaration,
    found: &OpenTheorem,
) -> ProofAnswer {
    let name = &declaration.name.text;
    let points: Vec<TheoremPoint> =
        found.points.iter().map(|point| numbers(point, &found.distance)).collect();
    let [epsilon, bound, grid] = found.stands_for.clone();
    let data = Theorem {
        rule: "ENDPT",
        theorem_a: found.theorem.clone(),
        stands_for: StandsFor { epsilon, bound, grid },
        for_all: found.open.clone(),
        sensitivity: Number::exact(&found.distance, LOSS_DIGITS),
        points,
        agrees: found.agrees(),
        applies: found.applies(),
    };
    let (verdict, reason) = verdict(declaration, found);
    // Only if all three of the theorem's numbers are the text's own is it for all parameters.
    let scope = match found.open.as_slice() {
        [] => "for the constants of the text".to_owned(),
        [_, _, _] if found.unused.is_empty() => "for all parameters".to_owned(),
        some => format!("for all {}", some.join(", ")),
    };
    let assumed = statement::assumptions(file, declaration);
    let statement = match found.applies() {
        true => format!("by ENDPT, {scope} that satisfy the conditions of Theorem A{assumed}"),
        false => format!("by ENDPT, {scope}{assumed}"),
    };
    let details = details(&data, &reason);
    let mut answer = ProofAnswer::new(name, verdict, statement, Found::Theorem(Box::new(data)));
    answer.details = details;
    answer.notes = found.unused.iter().map(|name| format!("the mechanism does not use {name}")).collect();
    // The grid has a default.
    let needed = found.open.iter().filter(|name| **name != found.stands_for[2]);
    let values: Vec<String> = needed.map(|name| format!("--param {name}=…")).collect();
    let give = format!("for a bound with numbers give the values of all parameters: {}", values.join(" "));
    match verdict {
        Verdict::Undecided => {
            answer.tried.push(reason);
            answer.next.push(give);
        }
        _ if is_left_aside(session) => answer.notes.push(give),
        _ => {}
    }
    answer
}

fn numbers(point: &OpenPoint, distance: &Rational) -> TheoremPoint {
    let mechanism = &point.bounds.mechanism;
    let closed = point.error.is_within_theorem_a().then(|| point.excess(&point.bounds.closed_form, distance));
    TheoremPoint {
        epsilon: Number::exact(mechanism.rate(), LOSS_DIGITS),
        bound: Number::exact(mechanism.exact_bound(), LOSS_DIGITS),
        certified_excess_eta: point.excess(&point.bounds.certified, distance),
        theorem_a_excess_eta: closed,
    }
}

/// The theorem with its conditions, and the numeric bound beside it.
fn details(theorem: &Theorem, reason: &str) -> String {
    let mut text = format!("{}\n", theorem.theorem_a);
    if !theorem.points.is_empty() {
        let (epsilon, distance) = (&theorem.stands_for.epsilon, &theorem.sensitivity);
        let _ = writeln!(
            text,
            "the numeric bound of this text at some values, {epsilon}·Δ taken off, in units of η (Δ = {distance}):",
        );
        let _ = writeln!(text, "  {:>10} {:>8} {:>14} {:>14}", "ε", "B·ε", "certified", "Theorem A");
    }
    for point in &theorem.points {
        let decimal = |x: &Rational| x.to_decimal(4, Rounding::Nearest);
        let (epsilon, bound) = (point.epsilon.lower(), point.bound.lower());
        let _ = writeln!(
            text,
            "  {:>10} {:>8} {:>14} {:>14}",
            decimal(epsilon),
            decimal(&(bound * epsilon)),
            point.certified_excess_eta,
            point.theorem_a_excess_eta.as_deref().unwrap_or("-"),
        );
    }
    let _ = writeln!(text, "{reason}");
    text
}

fn verdict(declaration: &Declaration, theorem: &OpenTheorem) -> (Verdict, String) {
    let states_a_loss = declaration
        .clauses
        .iter()
        .any(|clause| matches!(clause.kind, ClauseKind::ClaimPure(Some(_)) | ClauseKind::ClaimApprox(..)));
    match &theorem.refusal {
        Some(reason) => (Verdict::Undecided, format!("Theorem A does not apply: {reason}")),
        // A numeric bound is an upper bound: that it is the larger one refutes nothing.
        None if !theorem.agrees() => {
            (Verdict::Undecided, "the closed form is BELOW the numeric bound at some point".into())
        }
        None if states_a_loss => {
            (Verdict::Undecided, "whether the loss is within the claim depends on the parameters".into())
        }
        None if theorem.points.is_empty() => (Verdict::Proved, "the theorem applies".into()),
        None => (Verdict::Proved, "the closed form is at least the numeric bound at every point".into()),
    }
}

/// Whether something was asked for that a theorem for all parameters does not look at.
fn is_left_aside(session: &Session<'_>) -> bool {
    let given = &session.question.given;
    !given.values.is_empty()
        || !given.ranges.is_empty()
        || given.inputs.is_some()
        || session.question.derivation.is_some_and(|wish| wish.form != super::Form::Tree)
}
