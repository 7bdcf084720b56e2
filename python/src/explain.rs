//! `lastbit.explain`.

use lastbit_engine::explain::{find, nearest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::ParameterError;

/// The fields of a word.
#[pyfunction]
pub(crate) fn _explain<'py>(py: Python<'py>, word: &str) -> PyResult<Bound<'py, PyDict>> {
    let Some(entry) = find(word) else {
        let near = nearest(word).join(", ");
        return Err(ParameterError::new_err(format!("there is no word '{word}': the nearest are {near}")));
    };
    let fields = PyDict::new(py);
    fields.set_item("group", entry.group.name())?;
    fields.set_item("word", entry.word)?;
    fields.set_item("aliases", entry.aliases)?;
    fields.set_item("statement", entry.statement)?;
    fields.set_item("reason", entry.reason)?;
    fields.set_item("example", entry.example)?;
    fields.set_item("see", entry.see)?;
    fields.set_item("text", entry.in_words())?;
    Ok(fields)
}
