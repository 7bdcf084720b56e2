//! Values in, noisy values out: plain numbers and lists here, numpy arrays in `arrays`; everything else goes to `lastbit/_tables.py`.

use lastbit::{Error, Rational, Rounding};
use lastbit_real::Float;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple};

use crate::arrays::{any_array, new_array};
use crate::arrow;
use crate::errors::{DomainError, UnsupportedType, python};
use crate::kind::{Kind, Number};

/// The largest integer up to which doubles have them all.
const EXACT_INTEGERS: i64 = 1 << 53;

/// A release that is to be made.
pub(crate) struct Task<'a> {
    pub(crate) kind: &'a Kind,
    /// Called when nothing is left to refuse but values, and before noise is drawn: what does not depend on the data costs nothing.
    pub(crate) pay: &'a dyn Fn() -> PyResult<()>,
}

impl Task<'_> {
    /// Refuses a type that the mechanism does not take, or pays.
    pub(crate) fn begin<T: Number>(&self) -> PyResult<()> {
        self.kind.check::<T>()?;
        (self.pay)()
    }
}

/// Noisy values, in the form that the values have; `None` if they are neither numbers nor lists nor numpy's.
pub(crate) fn release<'py>(
    task: &Task<'_>,
    x: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let is_list = x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>();
    if out.is_some() && (is_list || x.is_instance_of::<PyFloat>() || x.is_instance_of::<PyInt>()) {
        return Err(UnsupportedType::new_err("out is for numpy arrays; numbers and lists are returned"));
    }
    if let Ok(x) = x.cast::<PyFloat>() {
        return Ok(Some(one(task, x.value())?.into_pyobject(py)?.into_any()));
    }
    if is_integer(x) {
        let noisy = match integer_or_double(task.kind, x, None)? {
            Plain::Integer(x) => one(task, x)?.into_pyobject(py)?.into_any(),
            Plain::Double(x) => one(task, x)?.into_pyobject(py)?.into_any(),
        };
        return Ok(Some(noisy));
    }
    if is_list {
        return list(task, x).map(Some);
    }
    // Not before here: this looks for numpy, and imports it.
    if let Ok(array) = x.cast::<PyUntypedArray>() {
        return any_array(task, array, out).map(Some);
    }
    if out.is_none() && x.hasattr("dtype")? && x.hasattr("item")? && !x.hasattr("__len__")? {
        // A scalar of numpy's.
        let array = py.import("numpy")?.call_method1("asarray", (x,))?;
        return any_array(task, array.cast::<PyUntypedArray>()?, None).map(Some);
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
pub(crate) fn vector<T: Number + Float>(x: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    if let Ok(array) = x.cast::<PyUntypedArray>() {
        let array = array.cast::<PyArrayDyn<T>>().map_err(|_| {
            let message = format!("the values must be {}, but are {}", T::DTYPE, array.dtype());
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
    let number = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        if item.cast::<PyFloat>().is_ok_and(|item| !item.value().is_finite()) {
            return Err(python(Error::NotFinite { index }));
        }
        let exact = crate::number::exact("a value", &item)?;
        let rounded = T::from_rational(&exact, Rounding::Nearest);
        match Rational::try_from(rounded.to_f64()) {
            Ok(back) if back == exact => Ok(rounded),
            _ => Err(DomainError::new_err(format!("a value is no {}, and would be rounded", T::DTYPE))),
        }
    };
    x.try_iter()?.enumerate().map(number).collect()
}

/// Whether values are of single precision, be they numpy's, Arrow's or of a library of tables.
pub(crate) fn is_single(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    for name in ["dtype", "type"] {
        if let Some(dtype) = x.getattr_opt(name)? {
            return Ok(matches!(dtype.str()?.to_str()?, "float32" | "Float32" | "float" | "float[pyarrow]"));
        }
    }
    arrow::is_single(x)
}

fn is_integer(x: &Bound<'_, PyAny>) -> bool {
    x.is_instance_of::<PyInt>() && !x.is_instance_of::<PyBool>()
}

/// A number of Python's as a number of ours.
enum Plain {
    Integer(i64),
    Double(f64),
}

/// Integers stay integers where the mechanism has them, and else are the double that they are.
fn integer_or_double(kind: &Kind, x: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<Plain> {
    // The value itself is not for the message.
    let too_large = |what| {
        let which = index.map_or("the value".to_owned(), |index| format!("value {index}"));
        DomainError::new_err((format!("{which} is too large for {what}"), index))
    };
    let integer: i64 = x.extract().map_err(|_| too_large("int64"))?;
    if kind.takes_integers() {
        return Ok(Plain::Integer(integer));
    }
    if (-EXACT_INTEGERS..=EXACT_INTEGERS).contains(&integer) {
        return Ok(Plain::Double(integer as f64));
    }
    Err(too_large("float64, which would round it"))
}

fn one<T: Number>(task: &Task<'_>, x: T) -> PyResult<T> {
    task.begin::<T>()?;
    x.release(task.kind).map_err(python)
}

/// Integers if all are integers, else doubles.
fn list<'py>(task: &Task<'_>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mut integers = Vec::new();
    let mut doubles = Vec::new();
    for (index, item) in x.try_iter()?.enumerate() {
        let item = item?;
        if let Ok(item) = item.cast::<PyFloat>() {
            doubles.push(item.value());
            continue;
        }
        // Integers, numpy's too.
        let integer =
            if item.is_instance_of::<PyBool>() { None } else { item.call_method0("__index__").ok() };
        let Some(integer) = integer else {
            let kind = item.get_type().name()?;
            return Err(UnsupportedType::new_err(format!(
                "value {index} of the list is a {kind}: lists are of ints and floats; make a numpy array of others"
            )));
        };
        match integer_or_double(task.kind, &integer, Some(index))? {
            Plain::Integer(item) => integers.push(item),
            Plain::Double(item) => doubles.push(item),
        }
    }
    if doubles.is_empty() && task.kind.takes_integers() {
        return slice(x.py(), task, integers);
    }
    if !integers.is_empty() {
        return Err(UnsupportedType::new_err(
            "the list has integers and floats: make all of them floats, or all integers",
        ));
    }
    slice(x.py(), task, doubles)
}

fn slice<'py, T: Number + IntoPyObject<'py>>(
    py: Python<'py>,
    task: &Task<'_>,
    mut values: Vec<T>,
) -> PyResult<Bound<'py, PyAny>> {
    task.begin::<T>()?;
    let kind = task.kind;
    py.detach(|| T::release_in_place(kind, &mut values)).map_err(python)?;
    Ok(PyList::new(py, values)?.into_any())
}
