//! Values in, noisy values out: plain numbers and lists here, numpy arrays in `arrays`; everything else goes to `lastbit/_tables.py`.
//!
//! The type of a result never depends on a value: numbers and lists have the type that the mechanism was built for, or float64 where that
//! is taken; arrays have their own.

use lastbit::{AnyMechanism, Threads, ValueType};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple};

use crate::arrays::{any_array, new_array};
use crate::arrow;
use crate::errors::{DomainError, UnsupportedType, python};
use crate::mechanism::Mechanism;
use crate::noise::{Number, Stopped, class, release_in_place};
use crate::payment::Payment;

/// A release that is to be made.
pub(crate) struct Task<'a, 'py> {
    pub(crate) mechanism: &'a Mechanism,
    /// What is due when nothing is left to refuse but values, and before noise is drawn: what does not depend on the data costs nothing.
    pub(crate) payment: Option<&'a Bound<'py, Payment>>,
    /// On how many threads many values are made noisy.
    pub(crate) threads: Threads,
}

impl Task<'_, '_> {
    pub(crate) fn noise(&self) -> &AnyMechanism {
        &self.mechanism.noise
    }

    /// Refuses a type that the mechanism does not take, or pays.
    pub(crate) fn begin<T: Number>(&self) -> PyResult<()> {
        self.mechanism.check_type(T::TYPE)?;
        self.payment.map_or(Ok(()), |payment| payment.get().begin(T::TYPE))
    }

    /// Refuses values that are not what was declared of them. What depends on values comes after paying.
    pub(crate) fn check<T: Number>(&self, values: &[T]) -> Result<(), Stopped> {
        match self.mechanism.inputs {
            Some(inputs) => T::check(inputs, values).map_err(Stopped::Refused),
            None => Ok(()),
        }
    }
}

/// Noisy values, in the form that the values have; `None` if they are neither numbers nor lists nor numpy's.
pub(crate) fn release<'py>(
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_list = x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>();
    let is_number = x.is_instance_of::<PyFloat>() || x.is_instance_of::<PyInt>();
    if out.is_some() && (is_list || is_number) {
        return Err(UnsupportedType::new_err("out is for numpy arrays; numbers and lists are returned"));
    }
    // A number of numpy's is a number: whether it is one of Python's or of numpy's can depend on the data, as in sum(x[x > 3]).
    if !is_list && !is_number && is_numpy_number(x)? {
        let number = x.call_method0("item")?;
        // All but the longest float, which stays what it is.
        if number.is_instance_of::<PyFloat>() || number.is_instance_of::<PyInt>() {
            return release(task, &number, out);
        }
    }
    if is_list || is_number {
        let noisy = match task.mechanism.plain_type() {
            ValueType::F32 => plain::<f32>(task, x, is_list),
            ValueType::I64 => plain::<i64>(task, x, is_list),
            ValueType::I32 => plain::<i32>(task, x, is_list),
            _ => plain::<f64>(task, x, is_list),
        };
        return noisy.map(Some);
    }
    // Not before here: this looks for numpy, and imports it.
    if let Ok(array) = x.cast::<PyUntypedArray>() {
        return any_array(task, array, out).map(Some);
    }
    Ok(None)
}

/// How many values there are.
pub(crate) fn count(x: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Ok(array) = x.cast::<PyUntypedArray>() {
        Ok(array.len())
    } else if let Some(length) = arrow::length(x)? {
        Ok(length)
    } else if x.hasattr("__len__")? {
        x.len()
    } else if arrow::is_stream(x)? {
        // One would be too few, and to count them can be to use them up.
        Err(UnsupportedType::new_err(
            "the values are a stream, and how many there are must be known first: make one array of them",
        ))
    } else {
        Ok(1)
    }
}

/// A list of numbers or an array of this type, without rounding: the distance of two vectors must stay what it is.
pub(crate) fn vector<T: Plain>(x: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    if let Ok(array) = x.cast::<PyUntypedArray>() {
        let array = array.cast::<PyArrayDyn<T>>().map_err(|_| {
            let message = format!("the values must be {}, but are {}", T::TYPE, array.dtype());
            UnsupportedType::new_err(message)
        })?;
        // Contiguous, whatever the array is.
        let values = new_array(array)?;
        array.copy_to(&values)?;
        return Ok(values.to_vec()?);
    }
    if !(x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>()) {
        return Err(UnsupportedType::new_err("the values must be a list or a numpy array"));
    }
    Ok(list("the measurement", x)?)
}

/// Whether this is an integer or a float of numpy's. Its dates are integers inside, and are none here.
fn is_numpy_number(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    if x.hasattr("__len__")? || !x.hasattr("item")? {
        return Ok(false);
    }
    let kind = x.getattr_opt("dtype")?.map(|dtype| dtype.getattr_opt("kind")).transpose()?.flatten();
    Ok(kind.is_some_and(|kind| kind.extract::<String>().is_ok_and(|kind| matches!(&*kind, "i" | "u" | "f"))))
}

/// Whether arrays are of single precision, be they numpy's, Arrow's or of a library of tables. A number is not, whatever its type.
pub(crate) fn is_single(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_numpy_number(x)? {
        return Ok(false);
    }
    for name in ["dtype", "type"] {
        if let Some(dtype) = x.getattr_opt(name)? {
            return Ok(matches!(dtype.str()?.to_str()?, "float32" | "Float32" | "float" | "float[pyarrow]"));
        }
    }
    arrow::is_single(x)
}

/// A type that numbers of Python can be read as.
pub(crate) trait Plain: Number + for<'py> IntoPyObject<'py> {
    /// The same number, or what is wrong with it: that it is of the wrong kind, or that it has no place in the type.
    fn of_float(x: f64) -> Result<Self, Misfit>;
    fn of_integer(x: i64) -> Result<Self, Misfit>;
}

/// Why a number cannot be a value.
pub(crate) enum Misfit {
    /// A float where integers are wanted. That is no matter of its value.
    Kind,
    /// It would be rounded, or overflow.
    Range,
}

macro_rules! plain {
    ($($type:ty: $float:expr, $integer:expr;)*) => {$(
        impl Plain for $type {
            fn of_float(x: f64) -> Result<$type, Misfit> {
                $float(x)
            }

            fn of_integer(x: i64) -> Result<$type, Misfit> {
                $integer(x)
            }
        }
    )*};
}
plain! {
    f64: Ok, |x: i64| {
        if (x as f64) as i128 == i128::from(x) { Ok(x as f64) } else { Err(Misfit::Range) }
    };
    f32: |x: f64| {
        // NaN and infinities are refused with the others that are not finite.
        if f64::from(x as f32) == x || !x.is_finite() { Ok(x as f32) } else { Err(Misfit::Range) }
    }, |x: i64| {
        if (x as f32) as i128 == i128::from(x) { Ok(x as f32) } else { Err(Misfit::Range) }
    };
    i64: |_| Err(Misfit::Kind), Ok;
    i32: |_| Err(Misfit::Kind), |x: i64| i32::try_from(x).map_err(|_| Misfit::Range);
}

/// A number or a list of numbers, as values of one type.
fn plain<'py, T: Plain>(
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyAny>,
    is_list: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    if !is_list {
        let value = number::<T>(class(task.noise()), x, None).map_err(|misfit| misfit.paid::<T>(task))?;
        task.begin::<T>()?;
        task.check(&[value])?;
        let noisy = value.release(task.noise()).map_err(python)?;
        return noisy.into_bound_py_any(py);
    }
    let mut values: Vec<T> = list(class(task.noise()), x).map_err(|misfit| misfit.paid::<T>(task))?;
    task.begin::<T>()?;
    task.check(&values)?;
    release_in_place(py, task.noise(), &mut values, task.threads)?;
    Ok(PyList::new(py, values)?.into_any())
}

/// Why something is no value.
pub(crate) enum NoValue {
    /// That is no matter of its value.
    Kind(PyErr),
    /// It would be rounded, or overflow.
    Range(PyErr),
}

impl From<PyErr> for NoValue {
    fn from(error: PyErr) -> NoValue {
        NoValue::Kind(error)
    }
}

impl NoValue {
    /// The error. What depends on a value stays paid.
    fn paid<T: Number>(self, task: &Task<'_, '_>) -> PyErr {
        match self {
            NoValue::Kind(error) => error,
            NoValue::Range(error) => task.begin::<T>().err().unwrap_or(error),
        }
    }
}

impl From<NoValue> for PyErr {
    fn from(error: NoValue) -> PyErr {
        match error {
            NoValue::Kind(error) | NoValue::Range(error) => error,
        }
    }
}

/// The values that a list of numbers is.
fn list<T: Plain>(class: &str, x: &Bound<'_, PyAny>) -> Result<Vec<T>, NoValue> {
    x.try_iter()?.enumerate().map(|(index, item)| number(class, &item?, Some(index))).collect()
}

/// The value that a number of Python's is. The number itself is not for messages.
fn number<T: Plain>(class: &str, x: &Bound<'_, PyAny>, index: Option<usize>) -> Result<T, NoValue> {
    let which = || index.map_or("the value".to_owned(), |index| format!("value {index}"));
    let misfit = |misfit| match misfit {
        Misfit::Kind => NoValue::Kind(UnsupportedType::new_err(format!(
            "{class} takes ints here (as {}), and {} is a float; give ints, or use a mechanism and a dtype for floats",
            T::TYPE,
            which()
        ))),
        Misfit::Range => {
            let message = format!("{} does not fit {}: it would be rounded, or overflow", which(), T::TYPE);
            NoValue::Range(DomainError::new_err((message, index)))
        }
    };
    if let Ok(x) = x.cast::<PyFloat>() {
        return T::of_float(x.value()).map_err(misfit);
    }
    // Integers, numpy's too; truth values are none.
    let integer = if x.is_instance_of::<PyBool>() { None } else { x.call_method0("__index__").ok() };
    if let Some(integer) = integer {
        return integer.extract().map_err(|_| Misfit::Range).and_then(T::of_integer).map_err(misfit);
    }
    // The other floats of numpy.
    if is_numpy_number(x)? {
        let item = x.call_method0("item")?;
        // All but the longest: that one stays what it is.
        if item.is_instance_of::<PyFloat>() {
            return number(class, &item, index);
        }
    }
    let kind = x.get_type().name()?;
    let fix = if x.is_instance_of::<PyBool>() { "as in int(x)" } else { "or make a numpy array of them" };
    let message = format!("{} is a {kind}: values are ints and floats; convert it first, {fix}", which());
    Err(NoValue::Kind(UnsupportedType::new_err(message)))
}
