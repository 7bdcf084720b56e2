//! Keyword arguments that have another name now, and those that nobody has.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::ParameterError;
use crate::mechanism::Object;

/// The keyword arguments that a function does not name itself.
pub(crate) type Others<'a, 'py> = &'a Bound<'py, PyDict>;

/// What to write in place of an old name.
const RENAMED: [(&str, &str); 3] = [
    ("alpha", "alpha is now confidence, which is 1 - alpha: confidence=\"0.95\" is what alpha=\"0.05\" was"),
    ("sigma", "sigma is now scale"),
    ("multiples_of_pow2", "multiples_of_pow2 is now granularity"),
];

/// Refuses keyword arguments that a function does not have.
pub(crate) fn refuse(others: Option<Others<'_, '_>>) -> PyResult<()> {
    let Some((name, _)) = others.and_then(|others| others.iter().next()) else { return Ok(()) };
    let name: String = name.extract()?;
    Err(match RENAMED.iter().find(|(old, _)| *old == name) {
        Some((_, instead)) => ParameterError::new_err(*instead),
        None => PyTypeError::new_err(format!("got an unexpected keyword argument '{name}'")),
    })
}

/// An argument that must be there, next to keyword arguments that a function does not have.
pub(crate) fn required<'a, 'py>(
    name: &str,
    given: Object<'a, 'py>,
    others: Option<Others<'_, '_>>,
) -> PyResult<&'a Bound<'py, PyAny>> {
    refuse(others)?;
    given.ok_or_else(|| PyTypeError::new_err(format!("missing a required keyword argument: '{name}'")))
}
