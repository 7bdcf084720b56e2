//! What all mechanisms can do, whatever their parameters are.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lastbit::{AnyMechanism, Contract, HalfWidth, Inputs, Neighbours, Rational, Threads, ValueType};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::build::{dtype_name, with_inputs};
use crate::claim::Claim;
use crate::errors::{DomainError, ParameterError, UnsupportedType, python};
use crate::measurement::Measurement;
use crate::noise::{class, dtypes, threads_of};
use crate::number;
use crate::payment::Payment;
use crate::renamed::{Others, required};
use crate::values::{self, Task};

/// An argument that may be missing.
pub(crate) type Object<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// What all mechanisms can do: call one with values to release them.
#[pyclass(frozen, subclass, module = "lastbit")]
#[derive(Clone)]
pub(crate) struct Mechanism {
    pub(crate) noise: Arc<AnyMechanism>,
    /// The type that values are declared to have.
    pub(crate) dtype: Option<ValueType>,
    /// The distance that it was calibrated for, if it was.
    pub(crate) sensitivity: Option<Rational>,
    /// What is known of the inputs, for losses that depend on it.
    pub(crate) inputs: Option<Inputs>,
    /// What it was built with.
    pub(crate) arguments: Vec<(&'static str, Argument)>,
}

/// An argument as it is shown, and as it is given to the class to build the mechanism again.
#[derive(Clone, IntoPyObjectRef)]
pub(crate) enum Argument {
    /// An exact number or a name, as text.
    Text(String),
    Integer(i128),
    Flag(bool),
}

impl Mechanism {
    pub(crate) fn distance(&self, d_in: Object<'_, '_>) -> PyResult<Rational> {
        match (d_in, &self.sensitivity) {
            (Some(d_in), _) => number::exact("d_in", d_in),
            (None, Some(sensitivity)) => Ok(sensitivity.clone()),
            (None, None) => Err(ParameterError::new_err(
                "the loss depends on how far apart neighbouring inputs are: give d_in, or build the mechanism with sensitivity",
            )),
        }
    }

    /// Who the neighbours of so many values are.
    pub(crate) fn neighbours(&self, d_in: Object<'_, '_>, size: Option<usize>) -> PyResult<Neighbours> {
        let neighbours = Neighbours::at(self.distance(d_in)?);
        let depends_on_size = matches!(*self.noise, AnyMechanism::GridF64(_) | AnyMechanism::GridF32(_));
        match (self.inputs, size) {
            (Some(inputs), _) => with_inputs(neighbours, inputs),
            (None, Some(size)) if depends_on_size => Ok(neighbours.of_length(size as u64)),
            _ => Ok(neighbours),
        }
    }

    /// The type of Python's numbers and lists, and of claims without values: the declared one, or doubles where they are taken.
    pub(crate) fn plain_type(&self) -> ValueType {
        self.dtype.unwrap_or(self.noise.value_types()[0])
    }

    /// Refuses values of another type than was declared, and of a type that is not taken.
    pub(crate) fn check_type(&self, values: ValueType) -> PyResult<()> {
        match self.dtype {
            Some(declared) if declared != values => Err(UnsupportedType::new_err(format!(
                "the values are {values}, and dtype says {declared}: convert them, as in x.astype({:?})",
                declared.name()
            ))),
            _ if self.noise.check_type(values).is_err() => {
                Err(crate::noise::refused(&self.noise, values.name(), "astype"))
            }
            _ => Ok(()),
        }
    }

    /// Noisy values. What is due is paid when nothing is left to refuse but values.
    pub(crate) fn release<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        out: Object<'_, 'py>,
        payment: Option<&Bound<'py, Payment>>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let task = Task { mechanism: self, payment, threads: threads.map_or(Threads::ALL, Threads::new) };
        if let Some(noisy) = values::release(&task, x, out)? {
            return Ok(noisy);
        }
        static TABLES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let release = TABLES.import(x.py(), "lastbit._tables", "release")?;
        release.call1((self.clone(), x, out, payment, threads))
    }

    /// The same for so many values, which the claim may rest on.
    pub(crate) fn release_counted<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        size: usize,
        out: Object<'_, 'py>,
        payment: &Bound<'py, Payment>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let noisy = self.release(x, out, Some(payment), threads)?;
        let found = values::count(&noisy)?;
        if found == size {
            return Ok(noisy);
        }
        Err(DomainError::new_err(format!("there are {found} values where {size} were declared")))
    }

    /// What builds the mechanism again.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arguments = PyDict::new(py);
        self.arguments.iter().try_for_each(|(name, argument)| arguments.set_item(name, argument))?;
        Ok(arguments)
    }
}

#[pymethods]
impl Mechanism {
    /// Noisy values, in the form that the values have.
    ///
    /// `x` is a number, a list, a numpy array of any shape and stride, an Arrow array, or a series of pandas or polars. A numpy array
    /// `out` of the same type and shape takes the result; `out=x` works in place. Large arrays are worked on by so many `threads`, one for each
    /// core if it is not given.
    #[pyo3(signature = (x, /, *, out=None, threads=None))]
    fn __call__<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        out: Object<'_, 'py>,
        #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.release(x, out, None, threads)
    }

    /// The loss between inputs at distance `d_in`, a Fraction.
    #[pyo3(signature = (d_in=None))]
    fn loss<'py>(&self, py: Python<'py>, d_in: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let loss = self.noise.loss(&self.neighbours(d_in, None)?).map_err(python)?;
        number::fraction(py, &loss)
    }

    /// What a release promises for inputs at distance `d_in`.
    ///
    /// dtype: the type of the values (the one that the mechanism was built for, or float64 where it is taken, else int64). unit: whose
    /// data neighbours differ in, such as "person".
    #[pyo3(signature = (d_in=None, *, dtype=None, unit=None))]
    fn claim(
        &self,
        d_in: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        unit: Option<&str>,
    ) -> PyResult<Claim> {
        let values = match dtype {
            None => self.plain_type(),
            Some(name) => ValueType::named(&name)
                .ok_or_else(|| ParameterError::new_err(format!("there is no dtype {name:?}")))?,
        };
        self.check_type(values)?;
        let claim = self.noise.claim(values, &self.neighbours(d_in, None)?);
        unit.map_or(claim.clone(), |unit| claim?.for_unit(unit)).map(Claim).map_err(python)
    }

    /// How large the noise is at most, with probability `confidence`.
    ///
    /// This is the noise itself: to round a result to a float adds half a unit of its last place at most, and what a bound clamps is not
    /// counted.
    #[pyo3(signature = (*, confidence=None, **others), text_signature = "($self, *, confidence)")]
    fn accuracy<'py>(
        &self,
        py: Python<'py>,
        confidence: Object<'_, 'py>,
        others: Option<Others<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let confidence = self::confidence(required("confidence", confidence, others)?)?;
        match self.noise.half_width(self.plain_type(), &confidence).map_err(python)? {
            HalfWidth::Float(width) => Ok(width.into_pyobject(py)?.into_any()),
            HalfWidth::Integer(width) => number::python_integer(py, &width),
        }
    }

    /// The same as a Measurement, for vectors of a size or of any.
    #[pyo3(signature = (*, size=None))]
    fn measurement(&self, size: Option<usize>) -> Measurement {
        Measurement::of(self.clone(), size)
    }

    /// The types of values that it takes, as numpy calls them.
    #[getter]
    fn dtypes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, dtypes(&self.noise))
    }

    /// The measure of the loss, such as max-divergence.
    #[getter]
    pub(crate) fn measure(&self) -> String {
        self.noise.measure().to_string()
    }

    /// The distance of neighbouring inputs that it was built for, a Fraction, or None.
    #[getter]
    fn sensitivity<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.sensitivity.as_ref().map(|sensitivity| number::fraction(py, sensitivity)).transpose()
    }

    /// What it adds to values, as a formula.
    #[getter]
    fn formula(&self) -> String {
        self.noise.formula(self.plain_type())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Mechanism>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "mechanism_html", (slf, slf.repr()?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let arguments: Vec<String> = self
            .arguments(py)?
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)))
            .collect::<PyResult<_>>()?;
        Ok(format!("{}({})", class(&self.noise), arguments.join(", ")))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Mechanism>() else { return Ok(false) };
        Ok(self.__repr__(py)? == other.get().__repr__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__repr__(py)?.into_pyobject(py)?.hash()
    }

    // For pickle and copy.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.arguments(py)?))
    }
}

/// A confidence, between 0 and 1.
pub(crate) fn confidence(given: &Bound<'_, PyAny>) -> PyResult<Rational> {
    let confidence = number::exact("confidence", given)?;
    if !confidence.is_positive() || confidence >= Rational::ONE {
        let message = format!("confidence must lie between 0 and 1, but is {confidence}");
        return Err(ParameterError::new_err(message));
    }
    Ok(confidence)
}
