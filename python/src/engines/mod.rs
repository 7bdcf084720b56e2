//! Calls of the engines: audits, proofs, attacks. Results cross as dictionaries of plain values and Fractions, of which
//! `lastbit/_audit.py`, `_prove.py` and `_attack.py` make dataclasses.
//!
//! | module | what it asks |
//! |---|---|
//! | `audit` | `lastbit_engine::audit`; the answer crosses as JSON |
//! | `attack` | `lastbit_engine::attack`; the answer crosses as JSON |
//! | `prove`, `prove_mechanism` | `lastbit_prove`: errors, privacy, certificates |
//! | `refused` | what is refused, as exceptions |
//! | `interrupt` | Ctrl-C while an engine runs |

pub(crate) mod attack;
pub(crate) mod audit;
mod interrupt;
pub(crate) mod prove;
mod prove_mechanism;
mod refused;

use lastbit::Rational;
use lastbit_lang::ast::File;
use lastbit_lang::{Diagnostic, check, parse};
use lastbit_real::Dyadic;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::ParameterError;
use crate::number;

/// A result with its fields by name.
type Fields<'py> = PyResult<Bound<'py, PyDict>>;

/// What a text is called in messages.
const TEXT: &str = "text";

/// A mistake in a text.
fn program_error(text: &str, diagnostics: &[Diagnostic]) -> PyErr {
    refused::program_error(TEXT, text, diagnostics)
}

/// The declarations of a text of the language.
fn declarations(text: &str) -> PyResult<File> {
    let (file, mut diagnostics) = parse(text);
    if diagnostics.is_empty() {
        diagnostics = check(&file);
    }
    if diagnostics.is_empty() && file.declarations.is_empty() {
        diagnostics.push(Diagnostic::new(Default::default(), "the text declares nothing"));
    }
    if diagnostics.is_empty() { Ok(file) } else { Err(program_error(text, &diagnostics)) }
}

fn dyadic<'py>(py: Python<'py>, x: &Dyadic) -> PyResult<Bound<'py, PyAny>> {
    number::fraction(py, &Rational::from(x))
}

fn infinity(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(f64::INFINITY.into_pyobject(py)?.into_any())
}

/// One of several words.
fn choice<T: Copy>(name: &str, word: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let all: Vec<String> = words.iter().map(|(known, _)| format!("{known:?}")).collect();
        ParameterError::new_err(format!("{name} must be {}, but is {word:?}", all.join(" or ")))
    })
}
