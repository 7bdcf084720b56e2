//! The command `lastbit`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with arguments, the first of which is its name, and returns its exit code.
#[pyfunction]
pub(crate) fn _command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| lastbit_cli::run(arguments))
}
