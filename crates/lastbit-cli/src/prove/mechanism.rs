//! Declarations of the language of mechanisms: the error of a variable, or the privacy of the snapping mechanism through its
//! thresholds.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_lang::ast::{ClauseKind, Declaration, DeclarationKind, File, ProofStepKind};
use lastbit_lang::values::{
    Claimed, claimed, default_grid, default_ranges, distance_of_neighbours, rounded, scalar,
};
use lastbit_lang::{Bindings, Diagnostic, Format, Lowered, lower};
use lastbit_prove::endpoint::{
    self, EndpointError, EndpointReport, OutOfRange, Request, Sampler, Search, Shape, Total, noise_error,
    recognise,
};
use serde_json::json;

use super::Session;
use super::args::{Assignment, Prove, RuleSet};
use super::program::{prove, show};
use super::report::{Outcome, Report, Source, unreadable};
use super::symbolic::{is_symbolic, symbolic};
use super::{cases, exact, privacy};
use crate::error::{Error, cut};

/// Proves what there is to prove of a declaration.
pub(crate) fn report(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let (bindings, mut notes) = bindings(declaration, args);
    let name = declaration.name.text.as_str();
    let is_mechanism = declaration.kind == DeclarationKind::Mechanism;
    let asks_for_error = args.of.is_some() || args.fpcore || args.rules == RuleSet::Paper;
    if args.cases {
        return Ok(cases::report(file, declaration, source, args));
    }
    let by_audit = |kind: &ProofStepKind| matches!(kind, ProofStepKind::AuditExact);
    if is_mechanism
        && !asks_for_error
        && declaration.is_over_floats()
        && exact::has_step(declaration, by_audit)
    {
        no_certificate(name, args)?;
        return Ok(exact::report(file, declaration, bindings, source, args));
    }
    if is_mechanism && !asks_for_error && is_symbolic(declaration, &bindings) {
        no_certificate(name, args)?;
        return symbolic(file, declaration, source, args);
    }
    if is_mechanism && !asks_for_error && declaration.claims_privacy() && !declaration.is_over_floats() {
        return privacy::report(file, declaration, source, session);
    }
    let mut lowered = match lower(file, Some(name), &bindings, args.of.as_deref()) {
        Ok(lowered) => lowered,
        Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
    };
    args.values.set_library(&mut lowered.program);
    if is_mechanism && !asks_for_error {
        match recognise(&lowered.program) {
            Ok(shape) => {
                let claim = claimed(file, declaration, &bindings);
                let sensitivity = sensitivity(file, declaration, &bindings, args);
                let (sensitivity, claim) = match sensitivity.and_then(|s| Ok((s, claim?))) {
                    Ok(known) => known,
                    Err(diagnostic) => return Ok(unreadable(name, source, &[diagnostic])),
                };
                let claim = claim.unwrap_or_default();
                notes.extend(far_apart(&sensitivity, args));
                return Ok(match privacy(declaration, &lowered, &shape, sensitivity, args) {
                    Ok(report) => {
                        if let Some(certificates) = &mut session.certificates {
                            let certificate = report.certificate(&lowered.program, sampler(declaration));
                            certificates.write_value(name, &certificate.to_json())?;
                        }
                        let by_error = |kind: &ProofStepKind| matches!(kind, ProofStepKind::Endpoint(_));
                        notes.extend(not_enough(&report, &claim));
                        let mut shown = private(name, &report, &claim, &lowered, &shape, &notes, args)?;
                        if exact::has_step(declaration, by_error) {
                            by_endpoints(name, &report, &mut shown);
                        }
                        shown
                    }
                    Err(error) => out_of_range(name, &error, &notes),
                });
            }
            Err(error) => {
                // Perhaps two inputs show that the claim is false.
                if declaration.claims_privacy() {
                    let tried = exact::report(file, declaration, bindings.clone(), source, args);
                    if tried.outcome == Outcome::Refuted {
                        return Ok(tried);
                    }
                }
                let note = format!(
                    "the privacy claim is undecided, this is the error of the result: {error} (node {})",
                    error.node
                );
                lowered.program.notes.push(note);
            }
        }
    }
    lowered.program.notes.extend(notes);
    let mut report = prove(&lowered.program, lowered.error_claim, source, session)?;
    if is_mechanism && !asks_for_error && declaration.claims_privacy() {
        // What was asked for is privacy, and an error bound is not an answer.
        report.outcome = report.outcome.max(Outcome::Undecided);
        report.json["privacy"] = json!("undecided");
    }
    Ok(report)
}

/// The values and ranges that the command line gives.
fn bindings(declaration: &Declaration, args: &Prove) -> (Bindings, Vec<String>) {
    let given = &args.values;
    let (mut bindings, notes) =
        values(declaration, [&given.epsilon, &given.bound, &given.lambda], &given.param);
    for range in &given.range {
        bindings.ranges.insert(range.name.clone(), (range.lo.clone(), range.hi.clone()));
    }
    default_grid(declaration, &mut bindings);
    default_ranges(declaration, &mut bindings);
    (bindings, notes)
}

/// Values of `eps`, `B` and `L`, and of others by name, rounded to floats where the declaration says that they are floats.
pub(crate) fn values(
    declaration: &Declaration,
    named: [&Option<Rational>; 3],
    listed: &[Assignment],
) -> (Bindings, Vec<String>) {
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    let named = ["eps", "B", "L"].into_iter().zip(named);
    let named = named.filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let listed = listed.iter().map(|assignment| (assignment.name.as_str(), &assignment.value));
    for (name, value) in named.chain(listed) {
        let (rounded, note) = rounded(scalar(declaration, name), name, value);
        notes.extend(note);
        bindings.values.insert(name.to_owned(), rounded);
    }
    (bindings, notes)
}

/// What is proved of all parameters at once, or by an exact audit, has no certificate.
fn no_certificate(name: &str, args: &Prove) -> Result<(), Error> {
    match args.certificate {
        None => Ok(()),
        Some(_) => Err(Error::usage(
            format!("there are no certificates of the kind of proof that {name} has"),
            "with numbers for all parameters (--epsilon, --bound) the loss is certified; --of NAME certifies the error of a variable",
        )),
    }
}

pub(super) fn sampler(declaration: &Declaration) -> Sampler {
    let uniform = declaration.clauses.iter().find_map(|clause| match clause.kind {
        ClauseKind::Sampler(sampler) => Some(sampler),
        _ => None,
    });
    Sampler::declared(uniform.unwrap_or_default(), Format::Binary64)
}

/// How far apart neighbours are: what the command line says, or else the declaration.
pub(super) fn sensitivity(
    file: &File,
    declaration: &Declaration,
    bindings: &Bindings,
    args: &Prove,
) -> Result<Rational, Diagnostic> {
    match &args.values.sensitivity {
        Some(given) => Ok(given.clone()),
        None => distance_of_neighbours(file, declaration, bindings),
    }
}

/// Two inputs to look at that are no neighbours.
fn far_apart(most: &Rational, args: &Prove) -> Option<String> {
    let [f, f2] = args.values.inputs.as_deref()? else { return None };
    let distance = (f - f2).abs();
    (distance > *most)
        .then(|| format!("the two inputs are {distance} apart, and what is certified is for at most {most}"))
}

/// Why a claim is not proved, though there is a bound.
fn not_enough(report: &EndpointReport, claim: &Claimed) -> Option<String> {
    let epsilon = claim.epsilon.as_ref().filter(|_| report.decides(claim) != Some(true))?;
    let certified = match &report.certified.total {
        Total::Pure { loss } => format!("a loss of {}", loss.to_decimal(20, Rounding::Up)),
        Total::Approximate { loss, delta } => format!(
            "a loss of {} but for a probability of {}",
            loss.to_decimal(20, Rounding::Up),
            delta.to_decimal(3, Rounding::Up)
        ),
    };
    let delta = if claim.delta.is_zero() { String::new() } else { format!(" and delta = {}", claim.delta) };
    Some(format!("the claim is epsilon = {epsilon}{delta}, and certified is {certified}"))
}

fn privacy(
    declaration: &Declaration,
    lowered: &Lowered,
    shape: &Shape,
    sensitivity: Rational,
    args: &Prove,
) -> Result<EndpointReport, EndpointError> {
    let example = args.values.inputs.as_ref().and_then(|inputs| match inputs.as_slice() {
        [f, f2] => Some([f.to_f64(Rounding::Nearest), f2.to_f64(Rounding::Nearest)]),
        _ => None,
    });
    endpoint::analyse(&Request {
        mechanism: shape.mechanism(sampler(declaration))?,
        error: noise_error(&lowered.program, shape)?,
        search: Search { sensitivity, ..Search::default() },
        example,
    })
}

fn private(
    name: &str,
    report: &EndpointReport,
    claim: &Claimed,
    lowered: &Lowered,
    shape: &Shape,
    notes: &[String],
    args: &Prove,
) -> Result<Report, Error> {
    let outcome = match report.decides(claim) {
        Some(true) => Outcome::Proved,
        Some(false) => Outcome::Refuted,
        None => Outcome::Undecided,
    };
    let mut text = format!("{name}: {report}");
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    let mut value = report.to_json();
    value["loss"] = json!(match (&report.certified.total, &report.infinite_loss) {
        (Total::Pure { loss }, _) => Some(loss.to_decimal(20, Rounding::Up)),
        (_, Some(_)) => Some("inf".into()),
        (_, None) => None,
    });
    value["name"] = json!(name);
    value["notes"] = json!(notes);
    let mut shown = Report::new(text, value, outcome);
    if args.show.is_asked() {
        show(&lowered.program, &args.show, shape.y, &mut shown)?;
    }
    Ok(shown)
}

/// The first line, for a proof that ends in `endpoint … by error`.
fn by_endpoints(name: &str, report: &EndpointReport, shown: &mut Report) {
    let verdict = match (shown.outcome, &report.certified.total) {
        (Outcome::Proved, Total::Pure { loss }) => {
            format!("PROVED (pure, cost <= {})", loss.to_decimal(20, Rounding::Up))
        }
        (Outcome::Proved, Total::Approximate { loss, delta }) => format!(
            "PROVED (cost <= {}, delta <= {})",
            loss.to_decimal(20, Rounding::Up),
            delta.to_decimal(3, Rounding::Up)
        ),
        (Outcome::Refuted, _) => "NOT eps-DP for any eps".into(),
        _ => "UNDECIDED".into(),
    };
    let head = format!("{name}: {verdict}    ENDPT, the certified bound of the error semantics\n");
    shown.text.insert_str(0, &head);
    shown.json["rule"] = json!("ENDPT");
}

fn out_of_range(name: &str, error: &EndpointError, notes: &[String]) -> Report {
    let message = match error {
        // Exact fractions can be longer than anyone wants to read.
        EndpointError::OutOfRange(OutOfRange { name, value, reason }) => {
            format!("{name} = {}: {reason}", cut(value))
        }
        other => other.to_string(),
    };
    let json = json!({ "name": name, "error": message, "notes": notes });
    let problem = format!("error: {message}\nhint: change --epsilon, --bound, --lambda or --sensitivity");
    Report::bad(name, "no bound on the privacy loss", problem, json)
}
