//! `lastbit.Ledger`.

use std::path::PathBuf;

use lastbit_engine::Refusal;
use lastbit_engine::budget::{self, Amount};
use pyo3::prelude::*;

use super::refused;
use super::release::json;
use crate::errors::ParameterError;
use crate::number;

/// Declares a dataset: the budgets as JSON, and as text.
#[pyfunction]
#[pyo3(signature = (path, *, dataset, unit, epsilon, rho, delta, force_network))]
#[expect(clippy::too_many_arguments, reason = "the options of the command")]
pub(crate) fn _ledger_declare(
    py: Python<'_>,
    path: PathBuf,
    dataset: &str,
    unit: Option<&str>,
    epsilon: Option<&Bound<'_, PyAny>>,
    rho: Option<&Bound<'_, PyAny>>,
    delta: Option<&Bound<'_, PyAny>>,
    force_network: bool,
) -> PyResult<String> {
    let amount = amount(epsilon, rho, delta)?;
    json(&asked(py, || budget::create(&path, dataset, unit, &amount, force_network))?)
}

/// Sets another limit: the budgets as JSON.
#[pyfunction]
#[pyo3(signature = (path, *, dataset, analyst, epsilon, rho, delta, force_network))]
#[expect(clippy::too_many_arguments, reason = "the options of the command")]
pub(crate) fn _ledger_limit(
    py: Python<'_>,
    path: PathBuf,
    dataset: &str,
    analyst: Option<&str>,
    epsilon: Option<&Bound<'_, PyAny>>,
    rho: Option<&Bound<'_, PyAny>>,
    delta: Option<&Bound<'_, PyAny>>,
    force_network: bool,
) -> PyResult<String> {
    let amount = amount(epsilon, rho, delta)?;
    json(&asked(py, || budget::limit(&path, dataset, analyst, &amount, force_network))?)
}

/// The budgets as JSON, and the text for people.
#[pyfunction]
pub(crate) fn _ledger_show(py: Python<'_>, path: PathBuf, force_network: bool) -> PyResult<(String, String)> {
    let shown = asked(py, || budget::show(&path, force_network))?;
    Ok((json(&shown)?, shown.text()))
}

/// All entries as JSON.
#[pyfunction]
pub(crate) fn _ledger_history(py: Python<'_>, path: PathBuf, force_network: bool) -> PyResult<String> {
    json(&asked(py, || budget::history(&path, force_network))?)
}

/// The whole ledger as JSON, verified.
#[pyfunction]
pub(crate) fn _ledger_export(py: Python<'_>, path: PathBuf, force_network: bool) -> PyResult<String> {
    json(&asked(py, || budget::export(&path, force_network))?)
}

/// What a check of everything found: as JSON, whether all holds, and the text for people.
#[pyfunction]
pub(crate) fn _ledger_verify(
    py: Python<'_>,
    path: PathBuf,
    head: Option<&str>,
    force_network: bool,
) -> PyResult<(String, bool, String)> {
    let found = asked(py, || budget::verify(&path, head, force_network))?;
    Ok((json(&found)?, found.holds(), found.text()))
}

/// Waits for other processes without the interpreter's lock.
fn asked<T: Send>(py: Python<'_>, ask: impl FnOnce() -> Result<T, Refusal> + Send) -> PyResult<T> {
    py.detach(ask).map_err(refused::exception)
}

fn amount(
    epsilon: Option<&Bound<'_, PyAny>>,
    rho: Option<&Bound<'_, PyAny>>,
    delta: Option<&Bound<'_, PyAny>>,
) -> PyResult<Amount> {
    match (epsilon, rho, delta) {
        (Some(epsilon), None, None) => Ok(Amount::Pure { epsilon: number::exact("epsilon", epsilon)? }),
        (None, Some(rho), None) => Ok(Amount::ZeroConcentrated { rho: number::exact("rho", rho)? }),
        (Some(epsilon), None, Some(delta)) => Ok(Amount::Approximate {
            epsilon: number::exact("epsilon", epsilon)?,
            delta: number::exact("delta", delta)?,
        }),
        _ => Err(ParameterError::new_err("a limit is an epsilon, an epsilon with a delta, or a rho")),
    }
}
