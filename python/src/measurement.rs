//! Mechanisms in OpenDP's form: domain, metric, measure, function and privacy map in one value.

use lastbit::{Contract, L1Distance, Loss, Metric, Neighbours, Rational, ValueType, VectorDomain};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::build::grid_type;
use crate::errors::{DomainError, ParameterError, python};
use crate::mechanism::Mechanism;
use crate::noise::{dtypes, with_source};
use crate::{number, values};

/// A randomized function with its promise: whenever two inputs of the domain are d_in-close in the metric, their outputs are
/// map(d_in)-close in the measure.
///
/// >>> import lastbit
/// >>> m = lastbit.Laplace(scale=2).measurement(size=3)
/// >>> m.input_domain, m.input_metric, m.output_measure
/// ({'dtypes': ('float64', 'float32', 'int64', 'int32'), 'size': 3}, 'L1Distance', 'max-divergence')
/// >>> m.map(1)
/// Fraction(1, 2)
/// >>> len(m([1.0, 2.0, 3.0]))
/// 3
/// >>> both = lastbit.compose([m, m])
/// >>> both.map(1), len(both([1.0, 2.0, 3.0]))
/// (Fraction(1, 1), 2)
#[pyclass(frozen, module = "lastbit", from_py_object)]
#[derive(Clone)]
pub(crate) struct Measurement {
    size: Option<usize>,
    function: Function,
}

#[derive(Clone)]
enum Function {
    Mechanism(Mechanism),
    VectorF64(lastbit::Measurement<f64>),
    VectorF32(lastbit::Measurement<f32>),
    Composition(Vec<Measurement>),
}

impl Measurement {
    pub(crate) fn of(mechanism: Mechanism, size: Option<usize>) -> Measurement {
        Measurement { size, function: Function::Mechanism(mechanism) }
    }

    fn dtypes(&self) -> Vec<&'static str> {
        match &self.function {
            Function::Mechanism(m) => m.dtype.map_or_else(|| dtypes(&m.noise), |dtype| vec![dtype.name()]),
            Function::VectorF64(_) => vec!["float64"],
            Function::VectorF32(_) => vec!["float32"],
            Function::Composition(parts) => parts[0].dtypes(),
        }
    }

    fn loss(&self, d_in: &Bound<'_, PyAny>) -> PyResult<Loss> {
        let exact = || number::exact("d_in", d_in);
        match &self.function {
            Function::Mechanism(m) => {
                // The metric is all that is known of two inputs: not how many values differ.
                let neighbours = Neighbours::at(exact()?);
                let neighbours = match self.size {
                    Some(size) => neighbours.of_length(size as u64),
                    None => neighbours,
                };
                m.noise.loss(&neighbours).map(Loss::Finite).map_err(python)
            }
            Function::VectorF64(m) => m.map(&exact()?).map_err(python),
            Function::VectorF32(m) => m.map(&exact()?).map_err(python),
            Function::Composition(parts) => parts.iter().map(|part| part.loss(d_in)).sum(),
        }
    }
}

#[pymethods]
impl Measurement {
    /// The types of numbers, and the size of vectors if it is known.
    #[getter]
    fn input_domain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let domain = pyo3::types::PyDict::new(py);
        domain.set_item("dtypes", pyo3::types::PyTuple::new(py, self.dtypes())?)?;
        domain.set_item("size", self.size)?;
        Ok(domain)
    }

    /// The metric by which inputs are compared.
    #[getter]
    fn input_metric(&self) -> &'static str {
        match &self.function {
            Function::Mechanism(m) if m.noise.metric() == Metric::L2 => "L2Distance",
            Function::Composition(parts) => parts[0].input_metric(),
            _ => "L1Distance",
        }
    }

    /// The measure by which outputs are compared.
    #[getter]
    fn output_measure(&self) -> String {
        match &self.function {
            Function::Mechanism(m) => m.measure(),
            Function::Composition(parts) => parts[0].output_measure(),
            _ => "max-divergence".into(),
        }
    }

    /// The privacy map: a Fraction, or infinity (a float).
    #[pyo3(signature = (d_in, /))]
    fn map<'py>(&self, d_in: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.loss(d_in)? {
            Loss::Finite(loss) => number::fraction(d_in.py(), &loss),
            Loss::Infinite => Ok(f64::INFINITY.into_pyobject(d_in.py())?.into_any()),
        }
    }

    /// The function; of a composition, a list with one output for each part.
    #[pyo3(signature = (x, /))]
    fn __call__<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(size) = self.size {
            let values = values::count(x)?;
            if values != size {
                return Err(DomainError::new_err(format!(
                    "there are {values} values where {size} were expected"
                )));
            }
        }
        let py = x.py();
        match &self.function {
            Function::Mechanism(m) => m.release(x, None, None, None),
            Function::VectorF64(m) => {
                let values = values::vector::<f64>(x)?;
                let noisy = with_source(|source| m.invoke(source, &values)).map_err(python)?;
                alike(x, PyArray1::from_vec(py, noisy).into_any())
            }
            Function::VectorF32(m) => {
                let values = values::vector::<f32>(x)?;
                let noisy = with_source(|source| m.invoke(source, &values)).map_err(python)?;
                alike(x, PyArray1::from_vec(py, noisy).into_any())
            }
            Function::Composition(parts) => {
                let outputs = parts.iter().map(|part| part.__call__(x)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, outputs)?.into_any())
            }
        }
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Measurement>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "measurement_html", (slf, slf.repr()?))
    }

    fn __repr__(&self) -> String {
        let dtypes = self.dtypes().join("|");
        let size = self.size.map_or("any size".into(), |size| format!("size {size}"));
        format!("<Measurement of {dtypes}, {size}, {} -> {}>", self.input_metric(), self.output_measure())
    }
}

/// An array, or a list if the values were one.
fn alike<'py>(x: &Bound<'py, PyAny>, noisy: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if x.is_instance_of::<PyList>() { noisy.call_method0("tolist") } else { Ok(noisy) }
}

/// Several measurements of the same input as one: its map is the exact sum of theirs.
///
/// All have the same domain, metric and measure.
///
/// >>> import lastbit
/// >>> two, three = (lastbit.DiscreteLaplace(scale=scale).measurement() for scale in (2, 3))
/// >>> lastbit.compose([two, three]).map(1)
/// Fraction(5, 6)
#[pyfunction]
#[pyo3(signature = (measurements, /))]
pub(crate) fn compose(measurements: Vec<Measurement>) -> PyResult<Measurement> {
    let first = measurements.first().ok_or_else(|| python(lastbit::Error::EmptyComposition))?;
    for (part, other) in measurements.iter().enumerate() {
        if (other.size, other.dtypes()) != (first.size, first.dtypes()) {
            return Err(python(lastbit::Error::DomainMismatch { part }));
        }
        let (ours, theirs) =
            ((first.input_metric(), first.output_measure()), (other.input_metric(), other.output_measure()));
        if ours != theirs {
            return Err(ParameterError::new_err(format!(
                "part {part} of the composition is from {} to {}, and part 0 from {} to {}",
                theirs.0, theirs.1, ours.0, ours.1
            )));
        }
    }
    Ok(Measurement { size: first.size, function: Function::Composition(measurements) })
}

/// The vector Laplace mechanism on the grid Z·2^k as OpenDP's proof document of that name has it, with its relaxation; without k, on the
/// finest grid there is. A scale of 0 is the identity, with an infinite loss.
///
/// >>> import lastbit
/// >>> m = lastbit.make_vector_float_laplace_cks20(size=3, scale=2, k=-20)
/// >>> m.map(1) > 0.5
/// True
/// >>> lastbit.make_vector_float_laplace_cks20(scale=2, k=-20)
/// Traceback (most recent call last):
/// lastbit.errors.ParameterError: the domain's size must be known if the discretization is not exact
#[pyfunction]
#[pyo3(signature = (*, scale, size=None, k=None, dtype="float64"))]
pub(crate) fn make_vector_float_laplace_cks20(
    scale: &Bound<'_, PyAny>,
    size: Option<usize>,
    k: Option<i32>,
    dtype: &str,
) -> PyResult<Measurement> {
    let scale = number::exact("scale", scale)?;
    let function = match grid_type(dtype)? {
        ValueType::F32 => Function::VectorF32(make(scale, size, k)?),
        _ => Function::VectorF64(make(scale, size, k)?),
    };
    Ok(Measurement { size, function })
}

fn make<T: lastbit_real::Float>(
    scale: Rational,
    size: Option<usize>,
    k: Option<i32>,
) -> PyResult<lastbit::Measurement<T>> {
    let domain = size.map_or(VectorDomain::new(), |size| VectorDomain::new().with_size(size));
    lastbit::make_vector_float_laplace_cks20(domain, L1Distance, scale, k).map_err(python)
}
