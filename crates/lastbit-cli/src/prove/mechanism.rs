//! Declarations of the language of mechanisms: the error of a variable, or the privacy of the snapping mechanism through its
//! thresholds.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_lang::ast::{
    Arithmetic, ClauseKind, CompareOp, Declaration, DeclarationKind, ExprId, ExprKind, File, Function,
    Quantifier, Sampler as Uniform, Scalar,
};
use lastbit_lang::{Bindings, Diagnostic, Lowered, lower};
use lastbit_prove::endpoint::{
    self, EndpointError, EndpointReport, Request, Sampler, Search, Shape, THEOREM_A, Total,
    compare_with_theorem_a, noise_error, recognise,
};
use serde_json::json;

use super::args::Prove;
use super::program::{Outcome, Report, Source, prove, unreadable};
use crate::error::Error;

/// Proves what there is to prove of a declaration.
pub(crate) fn report(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    args: &Prove,
) -> Result<Report, Error> {
    let (bindings, notes) = bindings(declaration, args);
    let name = declaration.name.text.as_str();
    let is_mechanism = declaration.kind == DeclarationKind::Mechanism;
    let asks_for_error = args.of.is_some() || args.fpcore;
    if is_mechanism && !asks_for_error && is_symbolic(declaration, &bindings) {
        return symbolic(file, declaration, source, args);
    }
    let mut lowered = match lower(file, Some(name), &bindings, args.of.as_deref()) {
        Ok(lowered) => lowered,
        Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
    };
    set_library(&mut lowered, args);
    if is_mechanism && !asks_for_error {
        match recognise(&lowered.program) {
            Ok(shape) => {
                return Ok(match privacy(file, declaration, &lowered, &shape, args) {
                    Ok(report) => private(name, &report, &lowered, &shape, &notes, args)?,
                    Err(error) => out_of_range(name, &error, &notes),
                });
            }
            Err(error) => {
                let note = format!(
                    "the privacy claim is undecided, this is the error of the result: {error} (node {})",
                    error.node
                );
                lowered.program.notes.push(note);
            }
        }
    }
    lowered.program.notes.extend(notes);
    let mut report = prove(&lowered.program, lowered.error_claim, source, args)?;
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

/// The values that the command line gives, rounded to doubles where the file says that they are doubles.
fn bindings(declaration: &Declaration, args: &Prove) -> (Bindings, Vec<String>) {
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    let given = &args.values;
    let named = [("eps", &given.epsilon), ("B", &given.bound), ("L", &given.lambda)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let listed = given.param.iter().map(|assignment| (assignment.name.as_str(), &assignment.value));
    for (name, value) in named.chain(listed) {
        let value = match scalar(declaration, name) {
            Some(Scalar::F64) => {
                let double = value.to_f64(Rounding::Nearest);
                let rounded = Rational::try_from(double).unwrap_or_else(|_| value.clone());
                if rounded != *value {
                    notes.push(format!(
                        "{name} = {} is the double next to what was given",
                        lastbit_real::Float::to_hex(double)
                    ));
                }
                rounded
            }
            _ => value.clone(),
        };
        bindings.values.insert(name.to_owned(), value);
    }
    for range in &given.range {
        bindings.ranges.insert(range.name.clone(), (range.lo.clone(), range.hi.clone()));
    }
    default_lambda(declaration, &mut bindings);
    default_ranges(declaration, &mut bindings);
    (bindings, notes)
}

fn scalar(declaration: &Declaration, name: &str) -> Option<Scalar> {
    let mut binders = declaration.parameters().chain(&declaration.arguments);
    binders.find(|binder| binder.name.text == name).map(|binder| binder.ty.scalar)
}

fn is_open(declaration: &Declaration, bindings: &Bindings, name: &str) -> bool {
    let declared = declaration.parameters().find(|binder| binder.name.text == name);
    let has_value = |binder: &&lastbit_lang::ast::Binder| {
        matches!(binder.constraint, Some(lastbit_lang::ast::Constraint::Compare(CompareOp::Equal, _)))
    };
    declared.is_some_and(|binder| !has_value(&binder)) && !bindings.values.contains_key(name)
}

/// `Λ`, where it is left open: the smallest power of two that is at least `1/ε`, or `λ`.
fn default_lambda(declaration: &Declaration, bindings: &mut Bindings) {
    if !is_open(declaration, bindings, "L") || bindings.ranges.contains_key("L") {
        return;
    }
    let value = |name: &str| bindings.values.get(name).filter(|value| value.is_positive());
    let at_least = value("lambda").cloned().or_else(|| value("eps").and_then(Rational::recip));
    if let Some(scale) = at_least {
        let floor = scale.floor_log2().expect("positive");
        let exponent = if scale == Rational::pow2(floor) { floor } else { floor + 1 };
        bindings.values.insert("L".into(), Rational::pow2(exponent));
    }
}

/// Arguments of a mechanism over floats that it clamps itself may be any doubles; what is large enough stands for all.
fn default_ranges(declaration: &Declaration, bindings: &mut Bindings) {
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

/// Whether the mechanism is the floating-point one and its parameters are left open.
fn is_symbolic(declaration: &Declaration, bindings: &Bindings) -> bool {
    let over_floats = declaration.parameters().any(|binder| binder.ty.scalar == Scalar::F64);
    over_floats && ["eps", "lambda", "B"].iter().any(|name| is_open(declaration, bindings, name))
}

fn set_library(lowered: &mut Lowered, args: &Prove) {
    for given in &args.values.libm {
        let libm = &mut lowered.program.libm;
        let function = if given.is_exp { &mut libm.exp } else { &mut libm.ln };
        *function = given.accuracy.clone();
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

fn sampler(declaration: &Declaration) -> Result<Sampler, EndpointError> {
    let uniform = declaration.clauses.iter().find_map(|clause| match clause.kind {
        ClauseKind::Sampler(sampler) => Some(sampler),
        _ => None,
    });
    match uniform.unwrap_or_default() {
        Uniform::Ulp => Ok(Sampler::Ulp),
        Uniform::Grid53 => Ok(Sampler::Grid53),
        Uniform::Grid24 => Err(EndpointError::OutOfRange {
            name: "sampler",
            value: "grid24".into(),
            reason: "the thresholds of doubles are found for ulp and grid53",
        }),
    }
}

fn sensitivity(file: &File, declaration: &Declaration, args: &Prove) -> Rational {
    let given = args.values.sensitivity.clone();
    given.or_else(|| adjacency(file, declaration)).unwrap_or(Rational::ONE)
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
        mechanism: shape.mechanism(sampler(declaration)?)?,
        error: noise_error(&lowered.program, shape)?,
        sensitivity: sensitivity(file, declaration, args),
        search: Search::default(),
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
    let mut shown = Report { text, json: value, outcome };
    if args.show.is_asked() {
        super::program::show(&lowered.program, &args.show, shape.y, &mut shown)?;
    }
    Ok(shown)
}

fn out_of_range(name: &str, error: &EndpointError, notes: &[String]) -> Report {
    Report {
        text: format!("{name}: no bound on the privacy loss: {error}\n"),
        json: json!({ "name": name, "error": error.to_string(), "notes": notes }),
        outcome: Outcome::Bad,
    }
}

/// Parameters at which the closed form is compared with the numeric bound.
const EPSILONS: [&str; 7] = ["0.01", "0.1", "1/3", "1", "2", "3.7", "10"];
const RANGES: [&str; 4] = ["1", "10", "100", "340"];

/// Theorem A, with its conditions, and the numeric bound of this very program beside it.
fn symbolic(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    args: &Prove,
) -> Result<Report, Error> {
    let name = &declaration.name.text;
    let sensitivity = sensitivity(file, declaration, args);
    let is_scale = scalar(declaration, "lambda").is_some();
    let mut text = format!("{name}, for all parameters:\n{THEOREM_A}\n");
    let _ = writeln!(
        text,
        "the numeric bound of this program, ε·Δ taken off, in units of η = 2^-53 (Δ = {sensitivity}):"
    );
    let _ = writeln!(text, "  {:>10} {:>8} {:>14} {:>14}", "ε", "B·ε", "certified", "Theorem A");
    let mut rows = Vec::new();
    let mut agree = true;
    for epsilon in EPSILONS {
        for range in RANGES {
            let (epsilon, range): (Rational, Rational) =
                (epsilon.parse().expect("a number"), range.parse().expect("a number"));
            let mut bindings = Bindings::default();
            let double = |x: &Rational| Rational::try_from(x.to_f64(Rounding::Nearest)).expect("finite");
            let scale = epsilon.recip().expect("positive");
            let (parameter, value) =
                if is_scale { ("lambda", double(&scale)) } else { ("eps", double(&epsilon)) };
            bindings.values.insert(parameter.into(), value);
            bindings.values.insert("B".into(), double(&(&range * &scale)));
            default_lambda(declaration, &mut bindings);
            default_ranges(declaration, &mut bindings);
            let mut lowered = match lower(file, Some(name), &bindings, None) {
                Ok(lowered) => lowered,
                Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
            };
            set_library(&mut lowered, args);
            let point = recognise(&lowered.program).map_err(|error| error.to_string()).and_then(|shape| {
                compare(declaration, &lowered, &shape, &sensitivity).map_err(|e| e.to_string())
            });
            let point = match point {
                Ok(point) => point,
                Err(reason) => {
                    let diagnostic = Diagnostic::new(declaration.name.span, reason)
                        .with_hint("give values: --epsilon E --bound B");
                    return Ok(unreadable(name, source, &[diagnostic]));
                }
            };
            let ideal = &sensitivity * point.mechanism.rate();
            let eta = |loss: &Rational| ((loss - &ideal) * Rational::pow2(53)).to_decimal(6, Rounding::Up);
            let (certified, closed) = (eta(&point.certified), eta(&point.closed_form));
            let _ = writeln!(
                text,
                "  {:>10} {:>8} {certified:>14} {closed:>14}",
                epsilon.to_string(),
                range.to_string()
            );
            rows.push(json!({
                "epsilon": epsilon.to_string(), "bound_epsilon": range.to_string(),
                "certified_excess_eta": certified, "theorem_a_excess_eta": closed, "agrees": point.agrees(),
            }));
            agree &= point.agrees();
        }
    }
    text += if agree {
        "the closed form is at least the numeric bound at every point\n"
    } else {
        "the closed form is BELOW the numeric bound at some point\n"
    };
    let outcome = if agree { Outcome::Proved } else { Outcome::Refuted };
    let json = json!({ "name": name, "theorem_a": THEOREM_A, "points": rows, "agrees": agree });
    Ok(Report { text, json, outcome })
}

fn compare(
    declaration: &Declaration,
    lowered: &Lowered,
    shape: &Shape,
    sensitivity: &Rational,
) -> Result<endpoint::GridPoint, EndpointError> {
    let mechanism = shape.mechanism(sampler(declaration)?)?;
    let error = noise_error(&lowered.program, shape)?;
    let points = compare_with_theorem_a([mechanism], &error, sensitivity)?;
    Ok(points.into_iter().next().expect("one mechanism, one point"))
}
