//! What the engine refuses, as exceptions.

use lastbit_engine::Refusal;
use lastbit_lang::{Diagnostic, render};
use pyo3::prelude::*;

use crate::errors::{ParameterError, ProgramError, SystemFailure, python};

/// The exception of a refusal, in the words of the package.
pub(crate) fn exception(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Usage { message, hint } => ParameterError::new_err(format!("{message}: {hint}")),
        Refusal::Text { source_name, text, diagnostics } => program_error(&source_name, &text, &diagnostics),
        Refusal::NoValue { source_name, text, name, diagnostic } => {
            let diagnostic = diagnostic.with_hint(format!("give it: {name}=…"));
            program_error(&source_name, &text, &[diagnostic])
        }
        Refusal::NoInputs { .. } => {
            ParameterError::new_err("an audit compares two inputs: give inputs=(f, f')")
        }
        Refusal::Noise(error) => python(error),
        other => SystemFailure::new_err(other.to_string()),
    }
}

/// A mistake in a text: all messages as the command line shows them, and the place of the first.
pub(super) fn program_error(name: &str, text: &str, diagnostics: &[Diagnostic]) -> PyErr {
    let mut diagnostics = diagnostics.to_vec();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let Some(first) = diagnostics.first() else { return ProgramError::new_err("the text cannot be read") };
    let (line, column) = first.span.line_column(text);
    let shown = render(name, text, &diagnostics).trim_end().to_owned();
    ProgramError::new_err((shown, first.message.clone(), line, column, first.hint.clone()))
}
