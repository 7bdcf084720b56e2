//! What a release promises, and a release that carries it.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::number;

/// What a release promises: mechanism, parameters, which inputs count as neighbours, and the loss between them.
///
/// >>> import lastbit
/// >>> claim = lastbit.claim("laplace", epsilon="0.1", sensitivity=1)
/// >>> claim.loss
/// Fraction(1, 10)
/// >>> print(claim)
/// laplace scale=10: max-divergence loss <= 1/10 (<= 0.1) for columns at L1 distance <= 1
#[pyclass(frozen, eq, module = "lastbit", from_py_object)]
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim(pub(crate) lastbit::Claim);

#[pymethods]
impl Claim {
    /// The mechanism's name.
    #[getter]
    fn mechanism(&self) -> &str {
        self.0.mechanism
    }

    /// Its parameters, exact, as text.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        self.0.parameters.iter().try_for_each(|(name, value)| parameters.set_item(name, value))?;
        Ok(parameters)
    }

    /// Which inputs the loss is about.
    #[getter]
    fn adjacency(&self) -> &str {
        &self.0.adjacency
    }

    /// What the loss measures: 'max-divergence' (pure differential privacy) or 'zero-concentrated-divergence'.
    #[getter]
    fn measure(&self) -> String {
        self.0.measure.to_string()
    }

    /// The loss, a Fraction; never less than the true one.
    #[getter]
    pub(crate) fn loss<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.0.loss)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Claim {}>", self.0)
    }
}

/// Noisy values and what their release promises.
///
/// >>> import lastbit
/// >>> release = lastbit.laplace(31_000.0, epsilon="0.1", sensitivity=1, claim=True)
/// >>> type(release.value), release.loss
/// (<class 'float'>, Fraction(1, 10))
#[pyclass(frozen, module = "lastbit")]
pub(crate) struct Release {
    /// The noisy values.
    #[pyo3(get)]
    value: Py<PyAny>,
    /// What the release promises.
    #[pyo3(get)]
    claim: Py<Claim>,
}

impl Release {
    /// A release with its claim.
    pub(crate) fn of<'py>(value: Bound<'py, PyAny>, claim: Claim) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let claim = Py::new(py, claim)?;
        Ok(Bound::new(py, Release { value: value.unbind(), claim })?.into_any())
    }
}

#[pymethods]
impl Release {
    /// The loss, a Fraction.
    #[getter]
    fn loss<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.claim.get().loss(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Release(value={}, claim={:?})",
            self.value.bind(py).repr()?,
            self.claim.get().0.to_string()
        ))
    }
}
