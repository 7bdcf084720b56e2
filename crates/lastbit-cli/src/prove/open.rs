//! The floating-point snapping mechanism whose parameters are left open: Theorem A in the text's own names.

use std::fmt::Write;

use lastbit_lang::ast::{ClauseKind, Declaration};
use lastbit_prove::endpoint::OpenTheorem;
use serde_json::json;

use super::args::Prove;
use super::report::{Outcome, Report};

const GIVE_ALL: &str =
    "for a bound with numbers give the values of all parameters, such as --epsilon 1 --bound 100";

/// The theorem with its conditions, and the numeric bound of this very text beside it.
pub(super) fn report(declaration: &Declaration, theorem: &OpenTheorem, args: &Prove) -> Report {
    let name = &declaration.name.text;
    let OpenTheorem { distance, points, .. } = theorem;
    let mut text = format!("{}\n", theorem.theorem);
    if !points.is_empty() {
        let _ = writeln!(
            text,
            "the numeric bound of this text at some values, {}·Δ taken off, in units of η (Δ = {distance}):",
            theorem.stands_for[0]
        );
        let _ = writeln!(text, "  {:>10} {:>8} {:>14} {:>14}", "ε", "B·ε", "certified", "Theorem A");
    }
    let mut rows = Vec::new();
    for point in points {
        let mechanism = &point.bounds.mechanism;
        let decimal = |x: &lastbit::Rational| x.to_decimal(4, lastbit::Rounding::Nearest);
        let epsilon = decimal(mechanism.rate());
        let range = decimal(&(mechanism.exact_bound() * mechanism.rate()));
        let certified = point.excess(&point.bounds.certified, distance);
        let closed =
            point.error.is_within_theorem_a().then(|| point.excess(&point.bounds.closed_form, distance));
        let shown = closed.as_deref().unwrap_or("-");
        let _ = writeln!(text, "  {epsilon:>10} {range:>8} {certified:>14} {shown:>14}");
        rows.push(json!({
            "epsilon": mechanism.rate().to_string(), "bound": mechanism.exact_bound().to_string(),
            "certified_excess_eta": certified, "theorem_a_excess_eta": closed,
        }));
    }
    let (verdict, outcome) = verdict(declaration, theorem);
    let _ = writeln!(text, "{verdict}");
    let found = if outcome == Outcome::Proved { "PROVED" } else { "UNDECIDED" };
    // Only if all three of the theorem's numbers are the text's own is it for all parameters.
    let scope = match theorem.open.as_slice() {
        [] => "for the constants of the text".to_owned(),
        [_, _, _] if theorem.unused.is_empty() => "for all parameters".to_owned(),
        some => format!("for all {}", some.join(", ")),
    };
    text.insert_str(0, &format!("{name}: {found} by ENDPT, {scope}:\n"));
    let mut notes: Vec<String> =
        theorem.unused.iter().map(|name| format!("the mechanism does not use {name}")).collect();
    notes.extend(left_aside(args).then(|| GIVE_ALL.to_owned()));
    for note in &notes {
        let _ = writeln!(text, "note: {note}");
    }
    let [epsilon, bound, grid] = &theorem.stands_for;
    let json = json!({
        "name": name, "kind": "privacy", "rule": "ENDPT", "theorem_a": theorem.theorem,
        "conclusion": if outcome == Outcome::Proved { "proved" } else { "undecided" },
        "stands_for": { "epsilon": epsilon, "bound": bound, "grid": grid },
        "for_all": theorem.open, "sensitivity": distance.to_string(),
        "points": rows, "agrees": theorem.agrees(), "applies": theorem.applies(), "notes": notes,
    });
    Report::new(text, json, outcome)
}

fn verdict(declaration: &Declaration, theorem: &OpenTheorem) -> (String, Outcome) {
    let states_a_loss = declaration
        .clauses
        .iter()
        .any(|clause| matches!(clause.kind, ClauseKind::ClaimPure(Some(_)) | ClauseKind::ClaimApprox(..)));
    match &theorem.refusal {
        Some(reason) => (format!("the theorem does NOT apply: {reason}"), Outcome::Undecided),
        // A numeric bound is an upper bound: that it is the larger one refutes nothing.
        None if !theorem.agrees() => {
            ("the closed form is BELOW the numeric bound at some point".into(), Outcome::Undecided)
        }
        None if states_a_loss => (
            "whether that is within the claim depends on the parameters: give their values".into(),
            Outcome::Undecided,
        ),
        None if theorem.points.is_empty() => ("the theorem applies".into(), Outcome::Proved),
        None => ("the closed form is at least the numeric bound at every point".into(), Outcome::Proved),
    }
}

/// Whether something was asked for that a theorem for all parameters does not look at.
fn left_aside(args: &Prove) -> bool {
    let values = &args.values;
    let named = [&values.epsilon, &values.bound, &values.grid];
    named.iter().any(|value| value.is_some())
        || !values.param.is_empty()
        || !values.range.is_empty()
        || values.inputs.is_some()
        || args.show.is_asked()
}
