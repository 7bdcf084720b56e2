//! What a release promises, and a release that carries it.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::python;
use crate::number;

/// What a release promises: mechanism, parameters, which inputs count as neighbours, and the loss between them.
///
/// >>> import lastbit
/// >>> claim = lastbit.claim("laplace", epsilon=0.1, sensitivity=1)
/// >>> claim.loss
/// Fraction(1, 10)
/// >>> print(claim)
/// laplace scale=10: ε = 0.1 (pure), max-divergence, for columns of float64 at L1 distance <= 1; values are read exactly
///
/// It pickles, and reads back from its JSON; then its mechanism is built again, and must claim the same.
///
/// >>> lastbit.Claim.from_json(claim.to_json()) == claim
/// True
#[pyclass(frozen, eq, module = "lastbit", from_py_object)]
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim(pub(crate) lastbit::Claim);

impl Claim {
    /// The member of the claim's JSON, in Python's words.
    fn member<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item(name)
    }
}

#[pymethods]
impl Claim {
    /// The claim of a text that `to_json` wrote.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(text: &str) -> PyResult<Claim> {
        lastbit::Claim::from_json(text).map(Claim).map_err(python)
    }

    /// The claim as a JSON object.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The same as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.0.to_json(),))
    }

    /// The same claim about data that differ in one unit, such as "person": the distance is how far one of them can move the column.
    #[pyo3(signature = (unit, /))]
    fn for_unit(&self, unit: &str) -> PyResult<Claim> {
        self.0.clone().for_unit(unit).map(Claim).map_err(python)
    }

    /// An ε, a Fraction, such that the release is (ε, delta)-differentially private.
    ///
    /// >>> import lastbit
    /// >>> claim = lastbit.claim("discrete_gaussian", rho="1/8", sensitivity=1)
    /// >>> round(float(claim.approximate(delta="1e-6")), 3)
    /// 2.753
    #[pyo3(signature = (*, delta))]
    fn approximate<'py>(&self, py: Python<'py>, delta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.0.approximate(&number::exact("delta", delta)?).map_err(python)?)
    }

    /// The mechanism's name.
    #[getter]
    fn mechanism(&self) -> &str {
        self.0.mechanism()
    }

    /// Its parameters, exact, as text.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        self.0.parameters().iter().try_for_each(|(name, value)| parameters.set_item(name, value))?;
        Ok(parameters)
    }

    /// The type of the values, and their number where that matters; None for a composition of different columns.
    #[getter]
    fn domain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "domain")
    }

    /// The operation on values before noise is added.
    #[getter]
    fn input<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "input")
    }

    /// Metric and distance of neighbouring inputs, and what else is known of them; None for a composition of different columns.
    #[getter]
    fn neighbours<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "neighbours")
    }

    /// The unit in which neighbouring data differ, such as "person", or None.
    #[getter]
    fn unit(&self) -> Option<&str> {
        self.0.about().unit()
    }

    /// The inputs that the loss is about, in words.
    #[getter]
    fn adjacency(&self) -> String {
        self.0.about().to_string()
    }

    /// The measure of the loss: 'max-divergence' (pure differential privacy) or 'zero-concentrated-divergence'.
    #[getter]
    fn measure(&self) -> String {
        self.0.measure().to_string()
    }

    /// The loss, a Fraction; never less than the true one.
    #[getter]
    pub(crate) fn loss<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, self.0.loss())
    }

    /// The claims that a composition is made of.
    #[getter]
    fn parts(&self) -> Vec<Claim> {
        self.0.parts().iter().cloned().map(Claim).collect()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Claim {}>", self.0)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Claim>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "claim_html", (slf,))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.0.to_json().hash(&mut hasher);
        hasher.finish()
    }

    // For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Claim>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(),)))
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
    /// The claim of the release.
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

    fn _repr_html_<'py>(slf: &Bound<'py, Release>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "release_html", (slf,))
    }

    /// A few values, and how many there are.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = py.import("lastbit._shown")?.call_method1("excerpt", (&self.value,))?;
        Ok(format!(
            "Release(value={}, claim={:?})",
            value.extract::<String>()?,
            self.claim.get().0.to_string()
        ))
    }
}
