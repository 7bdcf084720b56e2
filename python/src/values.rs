//! Values in, noisy values out: plain numbers, lists, numpy arrays; everything else goes to `lastbit/_tables.py`.
//!
//! The interpreter's lock is released while noise is added to more than one value. As with numpy's own functions, an array that another
//! thread changes meanwhile gives results that make no sense.

use lastbit::{Error, Rational, Rounding};
use lastbit_real::Float;
use numpy::{BorrowError, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple};

use crate::arrow;
use crate::errors::{DomainError, ParameterError, UnsupportedType, python};
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
    fn begin<T: Number>(&self) -> PyResult<()> {
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

/// An array of any of the types.
fn any_array<'py>(
    task: &Task<'_>,
    x: &Bound<'py, PyUntypedArray>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if x.hasattr("mask")? {
        return Err(UnsupportedType::new_err(
            "masked arrays are not taken, since the mask would be lost: use x.compressed(), or Arrow with nulls",
        ));
    }
    if let Ok(x) = x.cast::<PyArrayDyn<f64>>() {
        array(task, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<f32>>() {
        array(task, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<i64>>() {
        array(task, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<i32>>() {
        array(task, x, out)
    } else {
        Err(task.kind.refused(&x.dtype().to_string()))
    }
}

fn array<'py, T: Number>(
    task: &Task<'_>,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        let noisy = noisy_copy(task, x)?;
        // As numpy's functions do: no array without dimensions is returned.
        return if x.ndim() == 0 { noisy.get_item(PyTuple::empty(x.py())) } else { Ok(noisy.into_any()) };
    };
    let target = out.cast::<PyArrayDyn<T>>().map_err(|_| {
        UnsupportedType::new_err(format!("out must be a numpy array of {} like the values", T::DTYPE))
    })?;
    if target.shape() != x.shape() {
        let (shape, expected) = (target.shape(), x.shape());
        return Err(ParameterError::new_err(format!(
            "out has shape {shape:?} where {expected:?} was expected"
        )));
    }
    into(task, x, target)?;
    Ok(out.clone())
}

/// Writes noisy values to `out`, which has the same type and shape.
fn into<'py, T: Number>(
    task: &Task<'_>,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<()> {
    let (py, kind) = (x.py(), task.kind);
    let written = |error: BorrowError| ParameterError::new_err(format!("out: {error}"));
    if x.is(out) && x.is_contiguous() && x.is_aligned() {
        let mut values = out.try_readwrite().map_err(written)?;
        let values = values.as_slice_mut()?;
        task.begin::<T>()?;
        return checked(x, py.detach(|| T::release_in_place(kind, values)));
    }
    let mut target = out.try_readwrite().map_err(written)?;
    if are_alike_and_apart(x, out) {
        let values = x.try_readonly().map_err(read)?;
        let (values, target) = (values.as_slice()?, target.as_slice_mut()?);
        task.begin::<T>()?;
        return checked(x, py.detach(|| T::release_to(kind, values, target)));
    }
    drop(target);
    // Noise goes to an array of its own, and all of it is copied.
    noisy_copy(task, x)?.copy_to(out)
}

/// Whether two arrays have the same order in memory, without gaps, and no value in common.
fn are_alike_and_apart<T: Number>(x: &Bound<'_, PyArrayDyn<T>>, out: &Bound<'_, PyArrayDyn<T>>) -> bool {
    let is_plain = |array: &Bound<'_, PyArrayDyn<T>>| array.is_contiguous() && array.is_aligned();
    let range = |array: &Bound<'_, PyArrayDyn<T>>| {
        let start = array.data().addr();
        start..start + array.len() * size_of::<T>()
    };
    let (a, b) = (range(x), range(out));
    is_plain(x) && is_plain(out) && is_fortran(x) == is_fortran(out) && (a.end <= b.start || b.end <= a.start)
}

fn read(error: BorrowError) -> PyErr {
    ParameterError::new_err(format!("the values: {error}"))
}

/// A new array with noisy values. Of the values there is no copy beside it.
fn noisy_copy<'py, T: Number>(
    task: &Task<'_>,
    x: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let (py, kind) = (x.py(), task.kind);
    let noisy = new_array(x)?;
    if !(x.is_contiguous() && x.is_aligned()) {
        // numpy knows every way in which values can lie in memory.
        x.copy_to(&noisy)?;
        let mut values = noisy.readwrite();
        let values = values.as_slice_mut()?;
        task.begin::<T>()?;
        checked(&noisy, py.detach(|| T::release_in_place(kind, values)))?;
    } else {
        let values = x.try_readonly().map_err(read)?;
        let mut out = noisy.readwrite();
        let (values, out) = (values.as_slice()?, out.as_slice_mut()?);
        task.begin::<T>()?;
        checked(x, py.detach(|| T::release_to(kind, values, out)))?;
    }
    Ok(noisy)
}

/// A new array of the same type, shape and order. numpy is asked through Python, which raises where memory is short.
fn new_array<'py, T: Number>(x: &Bound<'py, PyArrayDyn<T>>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    static ZEROS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = x.py();
    let shape = PyTuple::new(py, x.shape())?;
    let order = if is_fortran(x) { "F" } else { "C" };
    let array = ZEROS.import(py, "numpy", "zeros")?.call1((shape, x.dtype(), order))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

/// Whether the values lie column by column, and not also row by row.
fn is_fortran<T: Number>(x: &Bound<'_, PyArrayDyn<T>>) -> bool {
    x.is_fortran_contiguous() && !x.is_c_contiguous()
}

/// The exception, if there is one; positions in it count row by row, whatever the order in memory is.
fn checked<T: Number>(x: &Bound<'_, PyArrayDyn<T>>, result: Result<(), Error>) -> PyResult<()> {
    let row_major = |index: usize| {
        if !is_fortran(x) {
            return index;
        }
        let mut rest = index;
        let mut stride = x.len();
        x.shape().iter().fold(0, |sum, &size| {
            let coordinate = rest % size;
            rest /= size;
            stride /= size;
            sum + coordinate * stride
        })
    };
    match result {
        Err(Error::NotFinite { index }) => Err(python(Error::NotFinite { index: row_major(index) })),
        Err(Error::Overflow { index }) => Err(python(Error::Overflow { index: row_major(index) })),
        result => result.map_err(python),
    }
}
