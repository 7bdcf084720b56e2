//! `lastbit.check` and `lastbit.certify`: certificates, gone through again, and written for other judges.

use std::sync::Arc;

use lastbit_engine::certify::Export;
use lastbit_engine::check::{CheckVerdict, Question, check};
use lastbit_engine::{Refusal, Source};
use pyo3::prelude::*;

use super::choice;
use super::interrupt::Interrupt;
use super::prove::{limits, refused, spelled};
use crate::errors::{CertificateError, ParameterError};

/// Digits of the bounds that are told.
const DIGITS: usize = 6;

/// A text and its name, as Python has them.
type Named = (String, String);

fn source((name, text): &Named) -> Source<'_> {
    Source { name, text }
}

/// What a certificate proves, in words and as JSON. If there is a text, it must be about a program of it.
#[pyfunction]
#[pyo3(signature = (certificate, text, *, timeout, memory))]
pub(crate) fn _check(
    py: Python<'_>,
    certificate: Named,
    text: Option<Named>,
    timeout: Option<f64>,
    memory: Option<u64>,
) -> PyResult<(String, String)> {
    let interrupt = Arc::new(Interrupt::new());
    let asked = interrupt.clone();
    let limits = limits(timeout, memory, move || !asked.is_set())?;
    let program = text.as_ref().map(source);
    let question = Question { certificate: source(&certificate), program };
    let answer = py.detach(|| check(&question, &limits));
    interrupt.raised()?;
    let answer = answer.map_err(|refusal| match (&refusal, program) {
        (Refusal::Text { .. }, Some(program)) => refused(program, None, &refusal),
        _ => CertificateError::new_err(spelled(&refusal.to_string())),
    })?;
    match (answer.verdict, answer.statement(DIGITS)) {
        (CheckVerdict::Accepted, Some((name, statement))) => {
            let vacuous = answer
                .vacuity()
                .map_or(String::new(), |vacuous| format!("{}: ", vacuous.replace(": ", ", ")));
            let json =
                serde_json::to_string(&answer).map_err(|error| ParameterError::new_err(error.to_string()))?;
            Ok((format!("{name}: {vacuous}{statement}"), json))
        }
        _ => Err(CertificateError::new_err(answer.reason.unwrap_or_default())),
    }
}

/// A certificate as a file for another judge. It is not checked.
#[pyfunction]
#[pyo3(signature = (certificate, *, to))]
pub(crate) fn _certify(py: Python<'_>, certificate: Named, to: &str) -> PyResult<String> {
    let for_gappa = choice("to", to, &[("coq", false), ("gappa", true)])?;
    let written = py.detach(|| {
        let export = Export::of(source(&certificate))?;
        if for_gappa { export.to_gappa() } else { export.to_coq() }
    });
    written.map_err(|refusal| CertificateError::new_err(refusal.to_string()))
}
