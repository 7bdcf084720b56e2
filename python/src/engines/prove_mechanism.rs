//! `lastbit.prove` of declarations of the language.

use std::collections::BTreeMap;
use std::sync::Arc;

use lastbit::{Rational, Rounding};
use lastbit_audit::ExactLoss;
use lastbit_engine::Source;
use lastbit_engine::audit::program;
use lastbit_lang::ast::{Declaration, DeclarationKind, File};
use lastbit_lang::values::{Claimed, default_grid, default_ranges};
use lastbit_lang::watch::Limits;
use lastbit_lang::{Bindings, lower};
use lastbit_prove::endpoint::answer::FloatAnswer;
use lastbit_prove::endpoint::{self, Point, Refutation, Total};
use lastbit_prove::logic::answer::{Answer, Shown, Task};
use lastbit_prove::logic::kernel::KernelError;
use lastbit_prove::logic::prove::Options;
use lastbit_prove::logic::refute::{Probability, RefutationOutcome, Witness};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::interrupt::Interrupt;
use super::prove::{DEPTH, Session};
use super::refused::exception;
use super::{Fields, TEXT, dyadic, infinity, program_error};
use crate::errors::ParameterError;
use crate::number::fraction;

/// Bits of a probability.
const BITS: u32 = 128;

/// What is proved of a declaration: privacy, if it claims that, else a bound on its error.
pub(super) fn proof<'py>(session: &Session<'_, 'py>, file: &File, declaration: &Declaration) -> Fields<'py> {
    let is_private = declaration.kind == DeclarationKind::Mechanism && declaration.claims_privacy();
    if is_private && !declaration.is_over_floats() {
        return over_the_reals(session, file, declaration);
    }
    let (mut bindings, notes) = bindings(declaration, session.parameters)?;
    default_grid(declaration, &mut bindings);
    if is_private {
        check_parameters(session.text, declaration, &bindings)?;
        return over_floats(session, file, declaration, bindings.values, notes);
    }
    default_ranges(declaration, &mut bindings);
    let lowered = lower(file, Some(&declaration.name.text), &bindings, None);
    let mut lowered = lowered.map_err(|diagnostics| program_error(session.text, &diagnostics))?;
    lowered.program.notes.extend(notes);
    session.error(&lowered.program, lowered.error_claim)
}

/// The fields of a privacy claim of which nothing is known.
fn empty<'py>(py: Python<'py>, name: &str, verdict: &str) -> Fields<'py> {
    let fields = PyDict::new(py);
    fields.set_item("kind", "privacy")?;
    fields.set_item("name", name)?;
    fields.set_item("verdict", verdict)?;
    for none in ["claim", "delta", "cost", "witness"] {
        fields.set_item(none, py.None())?;
    }
    fields.set_item("certificates", Vec::<String>::new())?;
    fields.set_item("derivation", "")?;
    fields.set_item("notes", Vec::<String>::new())?;
    Ok(fields)
}

/// By the relational logic.
fn over_the_reals<'py>(session: &Session<'_, 'py>, file: &File, declaration: &Declaration) -> Fields<'py> {
    let py = session.py;
    let (given, _) = bindings(declaration, session.parameters)?;
    let task = Task { file, declaration, file_name: TEXT, text: session.text };
    let interrupt = Arc::new(Interrupt::new());
    let asked = interrupt.clone();
    let limits = Limits { pulse: Some(Arc::new(move |_, _| !asked.is_set())), ..session.limits.clone() };
    let options = Options { limits, ..Options::default() };
    let answer = py.detach(|| Answer::find(task, given.values, &options, &mut |_| {}));
    interrupt.raised()?;
    let answer = answer.map_err(|error| match error {
        KernelError::Program(diagnostic) => program_error(session.text, &[diagnostic]),
        other => ParameterError::new_err(format!("{}: {other}", declaration.name.text)),
    })?;
    let fields = empty(py, &declaration.name.text, answer.found.conclusion.text())?;
    if let Some((epsilon, delta)) = &answer.claim {
        fields.set_item("claim", epsilon.to_string())?;
        fields.set_item("delta", delta.as_ref().map(ToString::to_string))?;
    }
    fields.set_item("cost", answer.proofs.first().map(|proved| proved.theorem.cost.to_string()))?;
    let certificates = answer.certificates().into_iter().map(|(_, certificate)| certificate.to_string());
    fields.set_item("certificates", certificates.collect::<Vec<_>>())?;
    fields.set_item("derivation", answer.in_words(Shown { all: false, depth: DEPTH, time: false }))?;
    if let Some(Ok(RefutationOutcome::Refuted(witness))) = &answer.found.refutation {
        fields.set_item("witness", of_witness(py, witness)?)?;
    }
    Ok(fields)
}

fn of_witness<'py>(py: Python<'py>, witness: &Witness) -> Fields<'py> {
    let fields = PyDict::new(py);
    let parameters = PyDict::new(py);
    for (name, value) in &witness.parameters {
        parameters.set_item(name, value.to_string())?;
    }
    let inputs = witness.inputs.each_ref().map(|inputs| {
        let values = PyDict::new(py);
        inputs.iter().try_for_each(|(name, value)| values.set_item(name, value.to_string()))?;
        Ok::<_, PyErr>(values)
    });
    let [first, second] = inputs;
    fields.set_item("parameters", parameters)?;
    fields.set_item("inputs", (first?, second?))?;
    fields.set_item("event", witness.observation.to_string())?;
    let [p, p2] = witness.probabilities.each_ref().map(|p| {
        let exact = match p {
            Probability::Exact(exact) => Some(exact.to_string()),
            Probability::Enclosed(_) => None,
        };
        let enclosure = p.enclose(BITS);
        Ok::<_, PyErr>((dyadic(py, enclosure.lo())?, dyadic(py, enclosure.hi())?, exact))
    });
    fields.set_item("probabilities", (p?, p2?))?;
    let loss = witness.loss().map_or_else(|| infinity(py), |loss| dyadic(py, &loss))?;
    fields.set_item("loss_lower_bound", loss)?;
    fields.set_item("claimed", fraction(py, &witness.epsilon)?)?;
    Ok(fields)
}

/// In floats: by the thresholds of the snapping mechanism, or refuted by two inputs.
fn over_floats<'py>(
    session: &Session<'_, 'py>,
    file: &File,
    declaration: &Declaration,
    values: BTreeMap<String, Rational>,
    notes: Vec<String>,
) -> Fields<'py> {
    let py = session.py;
    let given = endpoint::Given { values, ..endpoint::Given::default() };
    let options = endpoint::answer::Options::default();
    let answer = py.detach(|| FloatAnswer::find(file, declaration, given, &options));
    let mut answer = answer.map_err(|diagnostics| program_error(session.text, &diagnostics))?;
    answer.notes.splice(0..0, notes);
    let fields = empty(py, &declaration.name.text, answer.conclusion.text())?;
    let Claimed { epsilon, delta } = &answer.statement.claim;
    fields.set_item("claim", epsilon.as_ref().map(Rational::to_string))?;
    fields.set_item("delta", (!delta.is_zero()).then(|| delta.to_string()))?;
    if let Ok((_, report)) = &answer.bound {
        let cost = match &report.certified.total {
            Total::Pure { loss } => Some(loss.to_decimal(20, Rounding::Up)),
            Total::Approximate { .. } => None,
        };
        fields.set_item("cost", cost)?;
    }
    let certificates = answer.certificate(session.text).into_iter().map(|found| found.to_json().to_string());
    fields.set_item("certificates", certificates.collect::<Vec<_>>())?;
    if let Some(refutation) = &answer.refutation {
        fields.set_item("witness", of_refutation(py, &answer, refutation)?)?;
    }
    fields.set_item("derivation", answer.in_words(session.text))?;
    fields.set_item("notes", answer.notes)?;
    Ok(fields)
}

fn of_refutation<'py>(py: Python<'py>, answer: &FloatAnswer<'_>, refutation: &Refutation) -> Fields<'py> {
    let fields = PyDict::new(py);
    let text = |point: &Point| -> BTreeMap<String, String> {
        point.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
    };
    let [first, second] = &refutation.inputs;
    fields.set_item("parameters", text(&answer.statement.bindings.values))?;
    fields.set_item("inputs", (text(first), text(second)))?;
    fields.set_item("event", refutation.event.in_words())?;
    let exact = |p: &Rational| Ok::<_, PyErr>((fraction(py, p)?, fraction(py, p)?, p.to_string()));
    let [p, q] = &refutation.probabilities;
    fields.set_item("probabilities", (exact(p)?, exact(q)?))?;
    let loss = match &refutation.loss {
        ExactLoss::Infinite => infinity(py)?,
        ExactLoss::Finite(loss) => dyadic(py, loss.lo())?,
        ExactLoss::AtLeast(least) => dyadic(py, least)?,
    };
    fields.set_item("loss_lower_bound", loss)?;
    let claimed = answer.statement.claim.epsilon.clone().unwrap_or(Rational::ZERO);
    fields.set_item("claimed", fraction(py, &claimed)?)?;
    Ok(fields)
}

/// Values by name, rounded to floats where the declaration says that they are floats.
fn bindings(declaration: &Declaration, parameters: &Bound<'_, PyDict>) -> PyResult<(Bindings, Vec<String>)> {
    let mut values = Vec::new();
    for (name, value) in parameters {
        let name: String = name.extract()?;
        let value = crate::number::exact(&name, &value)?;
        values.push((name, value));
    }
    program::bindings(declaration, &values).map_err(exception)
}

/// Every parameter has a value.
fn check_parameters(text: &str, declaration: &Declaration, bindings: &Bindings) -> PyResult<()> {
    program::all_have_values(Source { name: TEXT, text }, declaration, bindings).map_err(exception)
}
