//! `lastbit.release` and `lastbit.table`.

use std::path::{Path, PathBuf};

use lastbit::{InsecureSeededSource, SecureSource};
use lastbit_engine::Refusal;
use lastbit_engine::ledger::Book;
use lastbit_engine::release::{Processing, Question, ReleaseAnswer};
use lastbit_table::Spec;
use pyo3::prelude::*;

use super::rows::PythonRows;
use super::{refused, watched};
use crate::errors::{ParameterError, SystemFailure};
use crate::number;

/// A released table, for other forms of its values.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub(crate) struct _Released(ReleaseAnswer);

/// The answer as JSON, the text for people, and the table as CSV, which a dry run has not.
type Forms = (String, String, String);

#[pymethods]
impl _Released {
    /// The same release with another confidence or form.
    fn processed(
        &self,
        confidence: &Bound<'_, PyAny>,
        non_negative: bool,
        digits: Option<u32>,
    ) -> PyResult<Forms> {
        let processing = processing(confidence, non_negative, digits)?;
        forms(&self.0.processed(&processing).map_err(refused::exception)?)
    }
}

/// A released table, or what it would cost. `rows` are those of a table that is not in the files of the spec; then the spec was made by
/// `lastbit.table`, as `built` says.
#[pyfunction]
#[pyo3(signature = (name, text, *, ledger, id, analyst, force_network, confidence, non_negative, digits, dry_run, insecure_seed, built=false, rows=None))]
#[expect(clippy::too_many_arguments, reason = "the members of a question")]
pub(crate) fn _release(
    py: Python<'_>,
    name: &str,
    text: &str,
    ledger: Option<PathBuf>,
    id: Option<String>,
    analyst: Option<String>,
    force_network: bool,
    confidence: &Bound<'_, PyAny>,
    non_negative: bool,
    digits: Option<u32>,
    dry_run: bool,
    insecure_seed: Option<u64>,
    built: bool,
    rows: Option<Py<PyAny>>,
) -> PyResult<(Forms, Option<_Released>)> {
    let spec = spec(name, text, built)?;
    if ledger.is_none() && (id.is_some() || analyst.is_some()) {
        return Err(ParameterError::new_err("id and analyst are for a ledger, and there is none"));
    }
    let mut question = Question::new(spec);
    question.book = ledger.map(|path| {
        let mut book = Book::at(path);
        (book.id, book.analyst, book.force_network) = (id, analyst, force_network);
        book
    });
    question.processing = processing(confidence, non_negative, digits)?;
    question.insecure = insecure_seed.is_some();
    if dry_run {
        let answer = py.detach(|| question.dry_run()).map_err(refused::exception)?;
        return Ok(((json(&answer)?, answer.text(), String::new()), None));
    }
    let rows = rows.map(PythonRows::new);
    let answer = watched(py, |watcher| match insecure_seed {
        None => {
            let mut source = SecureSource::new().map_err(Refusal::from)?;
            match &rows {
                None => question.answer(&mut source, watcher),
                Some(rows) => question.answer_rows(|plan| rows.open(plan), &mut source, watcher).map(first),
            }
        }
        Some(seed) => {
            let mut source: InsecureSeededSource = InsecureSeededSource::from_seed(seed);
            match &rows {
                None => question.answer(&mut source, watcher),
                Some(rows) => question.answer_rows(|plan| rows.open(plan), &mut source, watcher).map(first),
            }
        }
    });
    let answer = answer.map_err(|error| match &rows {
        None => error,
        Some(rows) => rows.exception(error),
    })?;
    Ok((forms(&answer)?, Some(_Released(answer))))
}

fn first<A, B>((first, _): (A, B)) -> A {
    first
}

/// For tests and auditors: SHA-256 of the exact aggregates, which is not private.
#[pyfunction]
#[pyo3(signature = (text, rows=None))]
pub(crate) fn _digest(py: Python<'_>, text: &str, rows: Option<Py<PyAny>>) -> PyResult<String> {
    let plan = spec("the spec", text, false)?.plan();
    let plan = plan.map_err(|error| ParameterError::new_err(error.to_string()))?;
    let rows = rows.map(PythonRows::new);
    let digest = py.detach(|| {
        let mut table = match &rows {
            None => lastbit_table::open(&plan)?,
            Some(rows) => rows.open(&plan)?,
        };
        let outcome = lastbit_table::aggregate(&plan, &mut *table, &lastbit_table::Options::default())?;
        Ok(outcome.aggregates.digest())
    });
    digest.map_err(|error: lastbit_table::TableError| {
        let error = ParameterError::new_err(error.to_string());
        rows.map_or_else(|| error.clone_ref(py), |rows| rows.exception(error.clone_ref(py)))
    })
}

/// A number as the text that specs have for it, exactly.
#[pyfunction]
pub(crate) fn _exact(name: &str, x: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(number::exact(name, x)?.to_short())
}

/// The spec in a text. One that was built has no lines to name, and what is wrong with its plan is said in the words of `lastbit.table`.
fn spec(name: &str, text: &str, built: bool) -> PyResult<Spec> {
    let spec = Spec::parse(text, Path::new(name))
        .map_err(|error| ParameterError::new_err(format!("{name}, {error}")))?;
    if built && let Err(error) = spec.plan() {
        return Err(ParameterError::new_err(format!("{}: {}", argument(&error.key), error.fault)));
    }
    Ok(spec)
}

/// The argument of `lastbit.table` and its methods that a key of a spec was.
fn argument(key: &str) -> String {
    let argument = match key {
        "bounds.groups" => "max_groups",
        "bounds.rows" => "max_rows",
        "filter" => "where",
        "query" => "nothing is asked: call count, sum or another query",
        _ => {
            let parts = ["table.", "by.", "privacy.", "bounds."];
            return parts
                .iter()
                .find_map(|part| key.strip_prefix(part))
                .unwrap_or(key)
                .replace("derive.", "derive ");
        }
    };
    argument.to_owned()
}

fn processing(
    confidence: &Bound<'_, PyAny>,
    non_negative: bool,
    digits: Option<u32>,
) -> PyResult<Processing> {
    if digits.is_some_and(|digits| digits > MOST_DIGITS) {
        return Err(ParameterError::new_err(format!("digits must be 0 to {MOST_DIGITS}")));
    }
    let confidence = number::exact("confidence", confidence)?;
    Ok(Processing { confidence, non_negative, places: digits })
}

fn forms(answer: &ReleaseAnswer) -> PyResult<Forms> {
    Ok((json(answer)?, answer.text(false), answer.csv()))
}

/// The most digits after the point.
const MOST_DIGITS: u32 = 30;

/// An answer as JSON.
pub(super) fn json(answer: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| SystemFailure::new_err(error.to_string()))
}
