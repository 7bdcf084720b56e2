//! The floating-point snapping mechanism whose parameters are left open: Theorem A.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_lang::ast::{ClauseKind, Declaration, File, Scalar};
use lastbit_lang::values::{default_grid, default_ranges, is_open, scalar};
use lastbit_lang::{Bindings, Diagnostic, Lowered, lower};
use lastbit_prove::endpoint::{
    EndpointError, GridPoint, NoiseError, THEOREM_A, compare_with_theorem_a, noise_error, recognise,
};
use serde_json::json;

use super::args::Prove;
use super::mechanism::{sampler, sensitivity};
use super::report::{Outcome, Report, Source, unreadable};
use crate::error::Error;

/// Whether the mechanism has the parameters of the floating-point snapping mechanism, and one is left open.
pub(crate) fn is_symbolic(declaration: &Declaration, bindings: &Bindings) -> bool {
    let is_double = |name: &&str| scalar(declaration, name) == Some(Scalar::F64);
    let scale = ["eps", "lambda"].into_iter().find(is_double);
    let Some(scale) = scale.filter(|_| is_double(&"B") && is_double(&"L")) else { return false };
    [scale, "B"].into_iter().any(|name| is_open(declaration, bindings, name))
}

/// Parameters at which the closed form is compared with the numeric bound.
const EPSILONS: [&str; 7] = ["0.01", "0.1", "1/3", "1", "2", "3.7", "10"];
const RANGES: [&str; 4] = ["1", "10", "100", "340"];

/// Theorem A, with its conditions, and the numeric bound of this very program beside it.
pub(crate) fn symbolic(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    args: &Prove,
) -> Result<Report, Error> {
    let name = &declaration.name.text;
    let sensitivity = match sensitivity(file, declaration, &Bindings::default(), args) {
        Ok(sensitivity) => sensitivity,
        Err(diagnostic) => return Ok(unreadable(name, source, &[diagnostic])),
    };
    let mut text = format!("{THEOREM_A}\n");
    let _ = writeln!(
        text,
        "the numeric bound of this program, ε·Δ taken off, in units of η = 2^-53 (Δ = {sensitivity}):"
    );
    let _ = writeln!(text, "  {:>10} {:>8} {:>14} {:>14}", "ε", "B·ε", "certified", "Theorem A");
    let mut rows = Vec::new();
    let (mut agree, mut applies) = (true, true);
    for (epsilon, range) in EPSILONS.iter().flat_map(|epsilon| RANGES.map(|range| (*epsilon, range))) {
        let (epsilon, range): (Rational, Rational) =
            (epsilon.parse().expect("a number"), range.parse().expect("a number"));
        let bindings = bindings(declaration, &epsilon, &range);
        let mut lowered = match lower(file, Some(name), &bindings, None) {
            Ok(lowered) => lowered,
            Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
        };
        args.values.set_library(&mut lowered.program);
        let point = match compare(declaration, &lowered, &sensitivity) {
            Ok(point) => point,
            Err(reason) => {
                let diagnostic = Diagnostic::new(declaration.name.span, reason).with_hint(GIVE_BOTH);
                return Ok(unreadable(name, source, &[diagnostic]));
            }
        };
        let Point { bounds, error } = &point;
        let ideal = &sensitivity * bounds.mechanism.rate();
        let eta = |loss: &Rational| ((loss - &ideal) * Rational::pow2(53)).to_decimal(6, Rounding::Up);
        let certified = eta(&bounds.certified);
        let closed = error.is_within_theorem_a().then(|| eta(&bounds.closed_form));
        let _ = writeln!(
            text,
            "  {:>10} {:>8} {certified:>14} {:>14}",
            epsilon.to_string(),
            range.to_string(),
            closed.as_deref().unwrap_or("-"),
        );
        agree &= closed.is_none() || bounds.agrees();
        applies &= closed.is_some();
        rows.push(json!({
            "epsilon": epsilon.to_string(), "bound_epsilon": range.to_string(),
            "certified_excess_eta": certified, "theorem_a_excess_eta": closed,
        }));
    }
    let states_a_loss = declaration
        .clauses
        .iter()
        .any(|clause| matches!(clause.kind, ClauseKind::ClaimPure(Some(_)) | ClauseKind::ClaimApprox(..)));
    let (verdict, outcome) = match (agree, applies) {
        // A numeric bound is an upper bound: that it is the larger one refutes nothing.
        (false, _) => ("the closed form is BELOW the numeric bound at some point", Outcome::Undecided),
        (true, false) => (
            "the theorem does NOT apply where there is no number: |y_F - y| <= 2η·|y| is not known there",
            Outcome::Undecided,
        ),
        (true, true) if states_a_loss => (
            "whether that is within the claim depends on the parameters: give their values",
            Outcome::Undecided,
        ),
        (true, true) => ("the closed form is at least the numeric bound at every point", Outcome::Proved),
    };
    let _ = writeln!(text, "{verdict}");
    let found = if outcome == Outcome::Proved { "PROVED" } else { "UNDECIDED" };
    text.insert_str(0, &format!("{name}: {found} by ENDPT, for all parameters:\n"));
    let notes: Vec<&str> = left_aside(args).then_some(GIVE_BOTH).into_iter().collect();
    for note in &notes {
        let _ = writeln!(text, "note: {note}");
    }
    let json = json!({
        "name": name, "theorem_a": THEOREM_A, "points": rows, "agrees": agree, "applies": applies, "notes": notes,
    });
    Ok(Report::new(text, json, outcome))
}

const GIVE_BOTH: &str =
    "for a bound with numbers give the values of all parameters, such as --epsilon 1 --bound 100";

/// Whether something was asked for that a theorem for all parameters does not look at.
fn left_aside(args: &Prove) -> bool {
    let values = &args.values;
    let named = [&values.epsilon, &values.bound, &values.lambda];
    named.iter().any(|value| value.is_some())
        || !values.param.is_empty()
        || !values.range.is_empty()
        || values.inputs.is_some()
        || args.show.is_asked()
}

fn bindings(declaration: &Declaration, epsilon: &Rational, range: &Rational) -> Bindings {
    let double = |x: &Rational| Rational::try_from(x.to_f64(Rounding::Nearest)).expect("finite");
    let scale = epsilon.recip().expect("positive");
    let is_scale = scalar(declaration, "lambda").is_some();
    let (parameter, value) = if is_scale { ("lambda", double(&scale)) } else { ("eps", double(epsilon)) };
    let mut bindings = Bindings::default();
    bindings.values.insert(parameter.into(), value);
    bindings.values.insert("B".into(), double(&(range * &scale)));
    default_grid(declaration, &mut bindings);
    default_ranges(declaration, &mut bindings);
    bindings
}

/// Both bounds for some parameters, and the error of the noise there.
struct Point {
    bounds: GridPoint,
    error: NoiseError,
}

fn compare(declaration: &Declaration, lowered: &Lowered, sensitivity: &Rational) -> Result<Point, String> {
    let shape = recognise(&lowered.program).map_err(|error| error.to_string())?;
    let compare = || {
        let mechanism = shape.mechanism(sampler(declaration))?;
        let error = noise_error(&lowered.program, &shape)?;
        let bounds = compare_with_theorem_a([mechanism], &error, sensitivity)?.remove(0);
        Ok(Point { bounds, error })
    };
    compare().map_err(|error: EndpointError| error.to_string())
}
