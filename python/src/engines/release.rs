//! `lastbit.release`.

use std::path::{Path, PathBuf};

use lastbit::{InsecureSeededSource, SecureSource};
use lastbit_engine::Refusal;
use lastbit_engine::ledger::Book;
use lastbit_engine::release::{Processing, Question};
use lastbit_table::Spec;
use pyo3::prelude::*;

use super::{refused, watched};
use crate::errors::{ParameterError, SystemFailure};
use crate::number;

/// A released table, or what it would cost: the answer as JSON, the text for people, and the table as CSV, which a dry run has not.
#[pyfunction]
#[pyo3(signature = (name, text, *, ledger, id, analyst, force_network, confidence, non_negative, digits, dry_run, insecure_seed))]
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
) -> PyResult<(String, String, String)> {
    let spec = Spec::parse(text, Path::new(name))
        .map_err(|error| ParameterError::new_err(format!("{name}, {error}")))?;
    if digits.is_some_and(|digits| digits > MOST_DIGITS) {
        return Err(ParameterError::new_err(format!("digits must be 0 to {MOST_DIGITS}")));
    }
    if ledger.is_none() && (id.is_some() || analyst.is_some()) {
        return Err(ParameterError::new_err("id and analyst are for a ledger, and there is none"));
    }
    let mut question = Question::new(spec);
    question.book = ledger.map(|path| {
        let mut book = Book::at(path);
        (book.id, book.analyst, book.force_network) = (id, analyst, force_network);
        book
    });
    let confidence = number::exact("confidence", confidence)?;
    question.processing = Processing { confidence, non_negative, places: digits };
    question.insecure = insecure_seed.is_some();
    if dry_run {
        let answer = py.detach(|| question.dry_run()).map_err(refused::exception)?;
        return Ok((json(&answer)?, answer.text(), String::new()));
    }
    let answer = watched(py, |watcher| match insecure_seed {
        None => question.answer(&mut SecureSource::new().map_err(Refusal::from)?, watcher),
        Some(seed) => {
            let mut source: InsecureSeededSource = InsecureSeededSource::from_seed(seed);
            question.answer(&mut source, watcher)
        }
    })?;
    Ok((json(&answer)?, answer.text(false), answer.csv()))
}

/// The most digits after the point.
const MOST_DIGITS: u32 = 30;

/// An answer as JSON.
pub(super) fn json(answer: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| SystemFailure::new_err(error.to_string()))
}
