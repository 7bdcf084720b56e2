//! Declarations of the language of mechanisms: the error of a variable, or the privacy of the snapping mechanism through its
//! thresholds.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_lang::ast::{
    Arithmetic, ClauseKind, CompareOp, Declaration, DeclarationKind, ExprId, ExprKind, File, Function,
    ProofStepKind, Quantifier, Scalar,
};
use lastbit_lang::{Bindings, Format, Lowered, lower};
use lastbit_prove::endpoint::{
    self, EndpointError, EndpointReport, OutOfRange, Request, Sampler, Search, Shape, Total, noise_error,
    recognise,
};
use lastbit_real::Float;
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
        && !is_over_the_reals(declaration)
        && exact::has_step(declaration, by_audit)
    {
        no_certificate(name, args)?;
        return Ok(exact::report(file, declaration, bindings, source, args));
    }
    if is_mechanism && !asks_for_error && is_symbolic(declaration, &bindings) {
        no_certificate(name, args)?;
        return symbolic(file, declaration, source, args);
    }
    if is_mechanism && !asks_for_error && claims_privacy(declaration) && is_over_the_reals(declaration) {
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
                no_certificate(name, args)?;
                notes.extend(far_apart(file, declaration, args));
                return Ok(match privacy(file, declaration, &lowered, &shape, args) {
                    Ok(report) => {
                        let by_error = |kind: &ProofStepKind| matches!(kind, ProofStepKind::Endpoint(_));
                        let mut shown = private(name, &report, &lowered, &shape, &notes, args)?;
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
                if claims_privacy(declaration) {
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
    if is_mechanism && !asks_for_error && claims_privacy(declaration) {
        // What was asked for is privacy, and an error bound is not an answer.
        report.outcome = report.outcome.max(Outcome::Undecided);
        report.json["privacy"] = json!("undecided");
    }
    Ok(report)
}

fn claims_privacy(declaration: &Declaration) -> bool {
    let is_claim = |kind: &ClauseKind| matches!(kind, ClauseKind::ClaimPure(_) | ClauseKind::ClaimApprox(..));
    declaration.clauses.iter().any(|clause| is_claim(&clause.kind))
}

fn is_over_the_reals(declaration: &Declaration) -> bool {
    let binders = declaration.arguments.iter().chain(declaration.parameters());
    let mut scalars = binders.map(|binder| binder.ty.scalar).chain([declaration.result.scalar]);
    !scalars.any(|scalar| matches!(scalar, Scalar::F64 | Scalar::F32))
}

/// The values and ranges that the command line gives.
fn bindings(declaration: &Declaration, args: &Prove) -> (Bindings, Vec<String>) {
    let given = &args.values;
    let (mut bindings, notes) =
        values(declaration, [&given.epsilon, &given.bound, &given.lambda], &given.param);
    for range in &given.range {
        bindings.ranges.insert(range.name.clone(), (range.lo.clone(), range.hi.clone()));
    }
    default_lambda(declaration, &mut bindings);
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

/// The float that a value of this type stands for, and a note if it is another number.
pub(crate) fn rounded(scalar: Option<Scalar>, name: &str, value: &Rational) -> (Rational, Option<String>) {
    let float = match scalar {
        Some(Scalar::F64) => f64::from_rational(value, Rounding::Nearest),
        Some(Scalar::F32) => f32::from_rational(value, Rounding::Nearest).into(),
        _ => return (value.clone(), None),
    };
    match Rational::try_from(float) {
        Ok(rounded) if rounded != *value => {
            let of_type = if scalar == Some(Scalar::F32) { "float" } else { "double" };
            (rounded, Some(format!("{name} = {} is the {of_type} next to what was given", float.to_hex())))
        }
        _ => (value.clone(), None),
    }
}

pub(crate) fn scalar(declaration: &Declaration, name: &str) -> Option<Scalar> {
    let mut binders = declaration.parameters().chain(&declaration.arguments);
    binders.find(|binder| binder.name.text == name).map(|binder| binder.ty.scalar)
}

pub(crate) fn is_open(declaration: &Declaration, bindings: &Bindings, name: &str) -> bool {
    let declared = declaration.parameters().find(|binder| binder.name.text == name);
    let has_value = |binder: &&lastbit_lang::ast::Binder| {
        matches!(binder.constraint, Some(lastbit_lang::ast::Constraint::Compare(CompareOp::Equal, _)))
    };
    declared.is_some_and(|binder| !has_value(&binder)) && !bindings.values.contains_key(name)
}

/// `Λ`, where it is left open: the smallest power of two that is at least `1/ε`, or `λ`.
pub(crate) fn default_lambda(declaration: &Declaration, bindings: &mut Bindings) {
    if !is_open(declaration, bindings, "L") || bindings.ranges.contains_key("L") {
        return;
    }
    let value = |name: &str| bindings.values.get(name);
    let at_least = value("lambda").cloned().or_else(|| value("eps").and_then(Rational::recip));
    if let Some(scale) = at_least {
        // A scale that is not positive is refused for what it is, and any grid will do until then.
        let scale = if scale.is_positive() { scale } else { Rational::ONE };
        let floor = scale.floor_log2().expect("positive");
        let exponent = if scale == Rational::pow2(floor) { floor } else { floor + 1 };
        bindings.values.insert("L".into(), Rational::pow2(exponent));
    }
}

/// Arguments of a mechanism over floats that it clamps itself may be any doubles; what is large enough stands for all.
pub(super) fn default_ranges(declaration: &Declaration, bindings: &mut Bindings) {
    if declaration.kind != DeclarationKind::Mechanism {
        return;
    }
    for argument in &declaration.arguments {
        let name = &argument.name.text;
        let known = bindings.values.contains_key(name) || bindings.ranges.contains_key(name);
        if argument.ty.scalar == Scalar::F64 && argument.constraint.is_none() && !known {
            let most = Rational::pow2(1000);
            bindings.ranges.insert(name.clone(), (-&most, most));
        }
    }
}

/// Certificates are about errors; that of the noise is what a privacy claim rests on.
fn no_certificate(name: &str, args: &Prove) -> Result<(), Error> {
    match args.certificate {
        None => Ok(()),
        Some(_) => Err(Error::usage(
            format!("certificates are about errors, and of {name} it is privacy that is proved"),
            "--of NAME proves and certifies the error of a variable, such as --of y",
        )),
    }
}

/// The bound of `adjacent |x<1> - x<2>| <= bound`.
fn adjacency(file: &File, declaration: &Declaration) -> Option<Rational> {
    declaration.clauses.iter().find_map(|clause| {
        let ClauseKind::Adjacent(Quantifier::None, condition) = &clause.kind else { return None };
        let ExprKind::Compare(CompareOp::LessOrEqual, distance, bound) = &file.expr(*condition).kind else {
            return None;
        };
        let ExprKind::Call(Function::Abs, arguments) = &file.expr(*distance).kind else { return None };
        let ExprKind::Arithmetic(Arithmetic::Sub, a, b) = &file.expr(*arguments.first()?).kind else {
            return None;
        };
        let is_copy = |id: ExprId| matches!(file.expr(id).kind, ExprKind::Copy(..));
        let ExprKind::Number { value, .. } = &file.expr(*bound).kind else { return None };
        (is_copy(*a) && is_copy(*b)).then(|| value.clone())
    })
}

pub(super) fn sampler(declaration: &Declaration) -> Sampler {
    let uniform = declaration.clauses.iter().find_map(|clause| match clause.kind {
        ClauseKind::Sampler(sampler) => Some(sampler),
        _ => None,
    });
    Sampler::declared(uniform.unwrap_or_default(), Format::Binary64)
}

pub(super) fn sensitivity(file: &File, declaration: &Declaration, args: &Prove) -> Rational {
    let given = args.values.sensitivity.clone();
    given.or_else(|| adjacency(file, declaration)).unwrap_or(Rational::ONE)
}

/// Two inputs to look at that are no neighbours.
fn far_apart(file: &File, declaration: &Declaration, args: &Prove) -> Option<String> {
    let [f, f2] = args.values.inputs.as_deref()? else { return None };
    let (distance, most) = ((f - f2).abs(), sensitivity(file, declaration, args));
    (distance > most)
        .then(|| format!("the two inputs are {distance} apart, and what is certified is for at most {most}"))
}

fn privacy(
    file: &File,
    declaration: &Declaration,
    lowered: &Lowered,
    shape: &Shape,
    args: &Prove,
) -> Result<EndpointReport, EndpointError> {
    let example = args.values.inputs.as_ref().and_then(|inputs| match inputs.as_slice() {
        [f, f2] => Some([f.to_f64(Rounding::Nearest), f2.to_f64(Rounding::Nearest)]),
        _ => None,
    });
    endpoint::analyse(&Request {
        mechanism: shape.mechanism(sampler(declaration))?,
        error: noise_error(&lowered.program, shape)?,
        search: Search { sensitivity: sensitivity(file, declaration, args), ..Search::default() },
        example,
    })
}

fn private(
    name: &str,
    report: &EndpointReport,
    lowered: &Lowered,
    shape: &Shape,
    notes: &[String],
    args: &Prove,
) -> Result<Report, Error> {
    let outcome = match (&report.certified.total, &report.infinite_loss) {
        (Total::Pure { .. }, _) => Outcome::Proved,
        (Total::Approximate { .. }, Some(_)) => Outcome::Refuted,
        (Total::Approximate { .. }, None) => Outcome::Undecided,
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
