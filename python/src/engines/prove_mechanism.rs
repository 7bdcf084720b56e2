//! `lastbit.prove` of declarations of the language.

use std::collections::BTreeMap;
use std::sync::Arc;

use lastbit::{Rational, Rounding};
use lastbit_audit::program::{self, OneSided};
use lastbit_lang::ast::{ClauseKind, Declaration, DeclarationKind, File};
use lastbit_lang::values::{Claimed, claimed, default_grid, default_ranges, distance_of_neighbours};
use lastbit_lang::watch::Limits;
use lastbit_lang::{Bindings, Diagnostic, Format, Lowered, lower};
use lastbit_prove::endpoint::{
    EndpointError, EndpointReport, Request, Sampler, Search, Shape, Total, analyse, noise_error, recognise,
};
use lastbit_prove::logic::answer::{Answer, Shown, Task};
use lastbit_prove::logic::kernel::KernelError;
use lastbit_prove::logic::prove::Options;
use lastbit_prove::logic::refute::{Outcome, Probability, Witness};
use lastbit_real::Float;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::audit_text::{ProgramAudit, bindings, check_parameters};
use super::interrupt::Interrupt;
use super::prove::{DEPTH, Session};
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
    default_ranges(declaration, &mut bindings);
    if is_private {
        check_parameters(session.text, declaration, &bindings)?;
    }
    let name = declaration.name.text.as_str();
    let lowered = lower(file, Some(name), &bindings, None);
    let mut lowered = lowered.map_err(|diagnostics| program_error(session.text, &diagnostics))?;
    if !is_private {
        lowered.program.notes.extend(notes);
        return session.error(&lowered.program, lowered.error_claim);
    }
    let statement = || {
        let found = Statement::of(file, declaration, &bindings);
        found.map_err(|diagnostic| program_error(session.text, &[diagnostic]))
    };
    let fields = match recognise(&lowered.program) {
        Ok(shape) => in_floats(session, &statement()?, declaration, &lowered, &shape)?,
        Err(error) => {
            let two_inputs = by_two_inputs(session.py, &statement()?, file, declaration, &bindings)?;
            match two_inputs {
                Some(fields) => fields,
                None => {
                    let fields = empty(session.py, name, "undecided")?;
                    let advice = "lastbit.audit computes the exact loss of two inputs";
                    fields.set_item("derivation", format!("{name}: UNDECIDED: {error}\n{advice}\n"))?;
                    fields
                }
            }
        }
    };
    fields.set_item("notes", notes)?;
    Ok(fields)
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
    if let Some(Ok(Outcome::Refuted(witness))) = &answer.found.refutation {
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

/// What a mechanism over floats says of itself.
struct Statement {
    /// How far apart neighbours are.
    distance: Rational,
    claimed: Claimed,
}

impl Statement {
    fn of(file: &File, declaration: &Declaration, bindings: &Bindings) -> Result<Statement, Diagnostic> {
        let claimed = claimed(file, declaration, bindings)?;
        Ok(Statement {
            distance: distance_of_neighbours(file, declaration, bindings)?,
            claimed: claimed.unwrap_or_default(),
        })
    }

    /// Shows the claim, if it is in numbers.
    fn show(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let Claimed { epsilon, delta } = &self.claimed;
        fields.set_item("claim", epsilon.as_ref().map(Rational::to_string))?;
        fields.set_item("delta", (!delta.is_zero()).then(|| delta.to_string()))
    }
}

/// The snapping mechanism in floats, through its thresholds.
fn in_floats<'py>(
    session: &Session<'_, 'py>,
    statement: &Statement,
    declaration: &Declaration,
    lowered: &Lowered,
    shape: &Shape,
) -> Fields<'py> {
    let uniform = declaration.clauses.iter().find_map(|clause| match clause.kind {
        ClauseKind::Sampler(sampler) => Some(sampler),
        _ => None,
    });
    let sampler = Sampler::declared(uniform.unwrap_or_default(), Format::Binary64);
    let sensitivity = statement.distance.clone();
    let analysed = || {
        analyse(&Request {
            mechanism: shape.mechanism(sampler)?,
            error: noise_error(&lowered.program, shape)?,
            search: Search { sensitivity, ..Search::default() },
            example: None,
        })
    };
    let name = &declaration.name.text;
    let report: Result<EndpointReport, EndpointError> = session.py.detach(analysed);
    let report = report.map_err(|error| ParameterError::new_err(format!("{name}: {error}")))?;
    let verdict = match report.decides(&statement.claimed) {
        Some(true) => "proved",
        Some(false) => "refuted",
        None => "undecided",
    };
    let cost = match &report.certified.total {
        Total::Pure { loss } => Some(loss.to_decimal(20, Rounding::Up)),
        Total::Approximate { .. } => None,
    };
    let fields = empty(session.py, name, verdict)?;
    statement.show(&fields)?;
    fields.set_item("cost", cost)?;
    fields.set_item("derivation", format!("{name}: {report}"))?;
    Ok(fields)
}

/// Perhaps two inputs show that a float mechanism is not private at all: an output that only one of them can give.
fn by_two_inputs<'py>(
    py: Python<'py>,
    statement: &Statement,
    file: &File,
    declaration: &Declaration,
    bindings: &Bindings,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let [argument] = declaration.arguments.as_slice() else { return Ok(None) };
    let (name, argument) = (declaration.name.text.as_str(), argument.name.text.as_str());
    let values = [Rational::ZERO, statement.distance.clone().min(Rational::ONE)];
    let [first, second] = values.each_ref().map(|x| BTreeMap::from([(argument.to_owned(), x.clone())]));
    // Ranges are for proofs; here are numbers.
    let bindings = Bindings { ranges: BTreeMap::new(), ..bindings.clone() };
    let audit = ProgramAudit { delta_at: None, library: None };
    let report = py.detach(|| {
        audit.run(|options| program::audit(file, Some(name), &bindings, [&first, &second], options))
    })?;
    // A finite loss of these two says nothing of the others.
    let found = report.ok().and_then(|report| report.one_sided(&statement.claimed.delta));
    let Some(OneSided { output, input: favoured, probability }) = found else { return Ok(None) };
    // The run that can return it is the first.
    let event = format!("r = {}", output.to_hex());
    let [x, y] = [&values[favoured], &values[1 - favoured]].map(Rational::to_string);

    let witness = PyDict::new(py);
    let parameters: BTreeMap<&String, String> =
        bindings.values.iter().map(|(name, value)| (name, value.to_string())).collect();
    witness.set_item("parameters", parameters)?;
    witness.set_item("inputs", (BTreeMap::from([(argument, &x)]), BTreeMap::from([(argument, &y)])))?;
    witness.set_item("event", &event)?;
    let exact = |p: &Rational| Ok::<_, PyErr>((fraction(py, p)?, fraction(py, p)?, p.to_string()));
    witness.set_item("probabilities", (exact(&probability)?, exact(&Rational::ZERO)?))?;
    witness.set_item("loss_lower_bound", infinity(py)?)?;
    let claimed = statement.claimed.epsilon.clone().unwrap_or(Rational::ZERO);
    witness.set_item("claimed", fraction(py, &claimed)?)?;
    let fields = empty(py, name, "refuted")?;
    statement.show(&fields)?;
    fields.set_item("witness", witness)?;
    let text = format!(
        "{name}: NOT eps-DP for any eps\n  inputs {argument}<1> = {x}, {argument}<2> = {y}\n  event  {event}\n  \
         Pr1 = {probability}, Pr2 = 0: an exact audit of these two inputs\n"
    );
    fields.set_item("derivation", text)?;
    Ok(Some(fields))
}
