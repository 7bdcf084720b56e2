//! Calls of the engines: audits, proofs, attacks. Results cross as dictionaries of plain values and Fractions, of which
//! `lastbit/_audit.py`, `_prove.py` and `_attack.py` make dataclasses.
//!
//! | module | what it calls |
//! |---|---|
//! | `attack` | `lastbit_audit::black_box` |
//! | `audit`, `audit_snapping`, `audit_text` | `lastbit_audit`: mechanisms by name, and texts of the language |
//! | `prove` | `lastbit_engine`: errors, privacy, certificates |
//! | `text_inputs` | inputs of texts |
//! | `compared` | two distributions, as every audit has them |
//! | `interrupt` | Ctrl-C while an engine runs |

pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod audit_snapping;
pub(crate) mod audit_text;
mod compared;
mod interrupt;
pub(crate) mod prove;
mod text_inputs;

use lastbit::Rational;
use lastbit_lang::ast::File;
use lastbit_lang::{Diagnostic, check, parse, render};
use lastbit_real::Dyadic;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{ParameterError, ProgramError};
use crate::number;

/// A result with its fields by name.
type Fields<'py> = PyResult<Bound<'py, PyDict>>;

/// What a text is called in messages.
const TEXT: &str = "text";

/// A mistake in a text: all messages as the command line shows them, and the place of the first.
fn program_error(text: &str, diagnostics: &[Diagnostic]) -> PyErr {
    let mut diagnostics = diagnostics.to_vec();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let Some(first) = diagnostics.first() else { return ProgramError::new_err("the text cannot be read") };
    let (line, column) = first.span.line_column(text);
    let shown = render(TEXT, text, &diagnostics).trim_end().to_owned();
    ProgramError::new_err((shown, first.message.clone(), line, column, first.hint.clone()))
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

/// A number between two others: a Fraction if it is known, else the pair of both.
fn between<'py>(py: Python<'py>, lo: &Rational, hi: &Rational) -> PyResult<Bound<'py, PyAny>> {
    let lower = number::fraction(py, lo)?;
    if lo == hi {
        return Ok(lower);
    }
    Ok((lower, number::fraction(py, hi)?).into_pyobject(py)?.into_any())
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
