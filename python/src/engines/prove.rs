//! `lastbit.prove` of errors, and `lastbit.check`.

use std::fmt::Display;
use std::time::Duration;

use lastbit::Rounding;
use lastbit_lang::ast::File;
use lastbit_lang::fpcore::{self, FpcoreError};
use lastbit_lang::watch::Limits;
use lastbit_lang::{Bindings, Diagnostic, NodeId, StraightLine, lower};
use lastbit_prove::boxes::whole_box;
use lastbit_prove::certificate as of_error;
use lastbit_prove::check::check;
use lastbit_prove::derivation::{self, Derivation};
use lastbit_prove::endpoint::certificate::{self as loss, LossCertificate, LossError};
use lastbit_prove::logic::certificate::{self, Certificate};
use lastbit_prove::logic::refute::Neighbours;
use lastbit_prove::search::{Effort, Goal, analyse_goal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Fields, TEXT, declarations, dyadic, program_error, prove_mechanism};
use crate::errors::{CertificateError, ParameterError};

/// Nothing deeper in a derivation is shown.
pub(super) const DEPTH: usize = 6;
/// More boxes take too long.
const MOST_BOXES: usize = 1 << 20;

/// What is to be proved of a text, and how hard to look.
pub(super) struct Session<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) text: &'a str,
    pub(super) effort: Effort,
    pub(super) parameters: &'a Bound<'py, PyDict>,
    /// What a proof by the relational logic may cost.
    pub(super) limits: Limits,
}

/// Everything in a text, or one program of it.
#[pyfunction]
#[pyo3(signature = (text, *, program, effort, timeout, memory, parameters))]
pub(crate) fn _prove<'py>(
    py: Python<'py>,
    text: &str,
    program: Option<&str>,
    effort: &Bound<'py, PyAny>,
    timeout: Option<f64>,
    memory: Option<u64>,
    parameters: &Bound<'py, PyDict>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let limits = Limits { time: timeout.map(seconds).transpose()?, memory, pulse: None };
    let session = Session { py, text, effort: self::effort(effort)?, parameters, limits };
    let is_wanted = |name: &str| program.is_none_or(|wanted| wanted == name);
    let mut proofs = Vec::new();
    if is_fpcore(text) {
        if !parameters.is_empty() {
            return Err(ParameterError::new_err("FPCore has no parameters: ranges are in its :pre"));
        }
        for read in fpcore::read(text) {
            match read {
                Ok(program) if is_wanted(&program.name) => proofs.push(session.error(&program, None)?),
                Err(FpcoreError { program, diagnostics }) if program.as_deref().is_none_or(is_wanted) => {
                    return Err(program_error(text, &diagnostics));
                }
                _ => {}
            }
        }
    } else {
        let file = declarations(text)?;
        let wanted = file.declarations.iter().filter(|declaration| is_wanted(&declaration.name.text));
        for declaration in wanted {
            proofs.push(prove_mechanism::proof(&session, &file, declaration)?);
        }
    }
    match (program, proofs.is_empty()) {
        (Some(program), true) => Err(ParameterError::new_err(format!("there is no program {program:?}"))),
        _ => Ok(proofs),
    }
}

fn seconds(timeout: f64) -> PyResult<Duration> {
    let wrong =
        |_| ParameterError::new_err("timeout must be a number of seconds that is not negative, or None");
    Duration::try_from_secs_f64(timeout).map_err(wrong)
}

/// Whether the first line of code begins as an s-expression does.
fn is_fpcore(text: &str) -> bool {
    let code = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(';'));
    code.is_some_and(|line| line.starts_with('('))
}

fn effort(effort: &Bound<'_, PyAny>) -> PyResult<Effort> {
    let word: Option<String> = effort.extract().ok();
    match word.as_deref() {
        Some("fast") => return Ok(Effort::FAST),
        Some("normal") => return Ok(Effort::NORMAL),
        Some("high") => return Ok(Effort::HIGH),
        _ => {}
    }
    let boxes = effort.extract().ok().filter(|boxes| (1..=MOST_BOXES).contains(boxes));
    boxes.map(Effort::of_boxes).ok_or_else(|| {
        ParameterError::new_err(
            "effort must be \"fast\", \"normal\", \"high\", or a number of boxes up to 2^20",
        )
    })
}

impl<'py> Session<'_, 'py> {
    /// A bound on the error of a program, and a claimed one if there is one.
    pub(super) fn error(&self, program: &StraightLine, claim: Option<NodeId>) -> Fields<'py> {
        let py = self.py;
        let (goal, effort) = (Goal { program, claim }, self.effort);
        let analysis = py.detach(|| analyse_goal(goal, effort, |_| {})).map_err(|no_bound| {
            let span = program.nodes.get(no_bound.refusal.node).and_then(|node| node.span);
            let message = format!("{}: no bound: {}", program.name, derivation::no_bound(program, &no_bound));
            let diagnostic = Diagnostic::new(span.unwrap_or_default(), message);
            program_error(self.text, &[diagnostic.with_hint("narrow the ranges of the inputs")])
        })?;
        // What has been analysed has a box.
        let derivation = whole_box(program).map_or(String::new(), |inputs| {
            derivation::tree(&Derivation::new(program, inputs), program.result, DEPTH)
        });
        let fields = PyDict::new(py);
        fields.set_item("kind", "error")?;
        fields.set_item("name", &program.name)?;
        fields.set_item("error", dyadic(py, &analysis.error)?)?;
        fields.set_item("range", (dyadic(py, analysis.range.lo())?, dyadic(py, analysis.range.hi())?))?;
        fields.set_item("claim_proved", claim.map(|_| analysis.meets_claim()))?;
        fields.set_item("format", program.format.to_string())?;
        fields.set_item("method", analysis.method())?;
        fields.set_item("derivation", derivation)?;
        fields.set_item("certificate", of_error::to_json(program, &analysis).to_string())?;
        fields.set_item("notes", program.notes.clone())?;
        Ok(fields)
    }
}

/// What a certificate proves of a program: its name and the statement. If there is a text, it must be about a program of it.
#[pyfunction]
#[pyo3(signature = (certificate, text))]
pub(crate) fn _check(py: Python<'_>, certificate: &str, text: Option<&str>) -> PyResult<(String, String)> {
    match certificate::read(certificate) {
        Ok(privacy) => {
            let meant = text.map(declarations).transpose()?;
            py.detach(|| of_privacy(&privacy, meant.as_ref())).map_err(|error| refused(&error))
        }
        Err(error) if error.is_of_another_kind() => {
            match loss::read(certificate) {
                Ok(loss) => {
                    let meant = text.map(declarations).transpose()?;
                    return py.detach(|| of_loss(&loss, meant.as_ref())).map_err(|error| refused(&error));
                }
                Err(error) if error.is_of_another_kind() => {}
                Err(error) => return Err(refused(&error)),
            }
            let programs = text.map(programs).transpose()?;
            let checked = py.detach(|| check(certificate)).map_err(|error| refused(&error))?;
            if let Some(programs) = programs {
                checked.is_about(&programs).map_err(|reason| refused(&reason))?;
            }
            let [lo, hi] = derivation::ends(checked.range.lo(), checked.range.hi());
            let error = derivation::error(&checked.error);
            Ok((checked.program.name, format!("|float - real| <= {error} for values in [{lo}, {hi}]")))
        }
        Err(error) => Err(refused(&error)),
    }
}

fn refused(error: &dyn Display) -> PyErr {
    CertificateError::new_err(error.to_string())
}

fn of_privacy(
    privacy: &Certificate,
    meant: Option<&File>,
) -> Result<(String, String), certificate::CertificateError> {
    let theorem = privacy.check()?;
    if let Some(meant) = meant {
        privacy.is_about(meant, TEXT)?;
    }
    let vacuous = match privacy.neighbours()? {
        Neighbours::Exist(_) => "",
        Neighbours::None => "VACUOUS, no two inputs satisfy what is declared of them: ",
        Neighbours::Unknown => {
            "POSSIBLY VACUOUS, no two inputs were found that satisfy what is declared of them: "
        }
    };
    let given: Vec<String> = privacy.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let given = if given.is_empty() { String::new() } else { format!(" for {}", given.join(", ")) };
    let loss = theorem.claim.as_ref().unwrap_or(&theorem.cost);
    Ok((privacy.declaration.clone(), format!("{vacuous}({loss})-DP (pure, cost {}){given}", theorem.cost)))
}

fn of_loss(loss: &LossCertificate, meant: Option<&File>) -> Result<(String, String), LossError> {
    loss.check()?;
    if let Some(meant) = meant {
        loss.is_about(meant, TEXT)?;
    }
    let (most, delta) = loss.total();
    let failing = delta.map_or(String::new(), |delta| {
        format!(", but for a probability of {}", delta.to_decimal(4, Rounding::Up))
    });
    let vacuous = if loss.has_neighbours { "" } else { "; VACUOUS? no two such inputs were found" };
    let statement = format!(
        "loss <= {}{failing} for inputs at most {} apart{vacuous}",
        most.to_decimal(20, Rounding::Up),
        loss.sensitivity
    );
    Ok((loss.subject.declaration.clone(), statement))
}

/// The programs of a text, as far as they can be read and need no values.
fn programs(text: &str) -> PyResult<Vec<StraightLine>> {
    if is_fpcore(text) {
        return Ok(fpcore::read(text).into_iter().flatten().collect());
    }
    let file = declarations(text)?;
    let names = file.declarations.iter().map(|declaration| declaration.name.text.as_str());
    let lowered = names.filter_map(|name| lower(&file, Some(name), &Bindings::default(), None).ok());
    Ok(lowered.map(|lowered| lowered.program).collect())
}
