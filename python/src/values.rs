//! Values in, noisy values out: plain numbers, lists, numpy arrays; everything else goes to `lastbit/_tables.py`.
//!
//! The interpreter's lock is released while noise is added to more than one value. As with numpy's own functions, an array that another
//! thread changes meanwhile gives results that make no sense.

use lastbit::Error;
use numpy::{BorrowError, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple};

use crate::arrow;
use crate::errors::{DomainError, ParameterError, UnsupportedType, python};
use crate::kind::{Kind, Number};

/// The largest integer up to which doubles have them all.
const EXACT_INTEGERS: i64 = 1 << 53;

/// Noisy values, in the form that the values have; `None` if they are neither numbers nor lists nor numpy's.
pub(crate) fn release<'py>(
    kind: &Kind,
    x: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let noisy = if let Ok(x) = x.cast::<PyFloat>() {
        one(kind, x.value())?.into_pyobject(py)?.into_any()
    } else if is_integer(x) {
        match integer_or_double(kind, x)? {
            Plain::Integer(x) => one(kind, x)?.into_pyobject(py)?.into_any(),
            Plain::Double(x) => one(kind, x)?.into_pyobject(py)?.into_any(),
        }
    } else if x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>() {
        list(kind, x)?
    } else if let Ok(array) = x.cast::<PyUntypedArray>() {
        return any_array(kind, array, out).map(Some);
    } else if x.hasattr("dtype")? && x.hasattr("item")? && !x.hasattr("__len__")? {
        // A scalar of numpy's.
        let array = py.import("numpy")?.call_method1("asarray", (x,))?;
        any_array(kind, array.cast::<PyUntypedArray>()?, None)?
    } else {
        return Ok(None);
    };
    match out {
        None => Ok(Some(noisy)),
        Some(_) => Err(UnsupportedType::new_err("out is for numpy arrays; numbers and lists are returned")),
    }
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
fn integer_or_double(kind: &Kind, x: &Bound<'_, PyAny>) -> PyResult<Plain> {
    let too_large = |what| DomainError::new_err(format!("{x} is too large for {what}"));
    let integer: i64 = x.extract().map_err(|_| too_large("int64"))?;
    if kind.takes_integers() {
        return Ok(Plain::Integer(integer));
    }
    if (-EXACT_INTEGERS..=EXACT_INTEGERS).contains(&integer) {
        return Ok(Plain::Double(integer as f64));
    }
    Err(too_large("float64, which would round it"))
}

fn one<T: Number>(kind: &Kind, x: T) -> PyResult<T> {
    match x.release(kind) {
        Some(result) => result.map_err(python),
        None => Err(kind.refused(T::DTYPE)),
    }
}

/// Integers if all are integers, else doubles.
fn list<'py>(kind: &Kind, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let items: Vec<Bound<'py, PyAny>> = x.try_iter()?.collect::<PyResult<_>>()?;
    let mut integers = Vec::new();
    let mut doubles = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Ok(item) = item.cast::<PyFloat>() {
            doubles.push(item.value());
        } else if is_integer(item) {
            match integer_or_double(kind, item)? {
                Plain::Integer(item) => integers.push(item),
                Plain::Double(item) => doubles.push(item),
            }
        } else {
            let kind = item.get_type().name()?;
            return Err(UnsupportedType::new_err(format!(
                "value {index} of the list is a {kind}: lists are of numbers; make a numpy array of anything else"
            )));
        }
    }
    if doubles.is_empty() && kind.takes_integers() {
        return slice(x.py(), kind, integers);
    }
    if !integers.is_empty() {
        return Err(UnsupportedType::new_err(
            "the list has integers and floats: make all of them floats, or all integers",
        ));
    }
    slice(x.py(), kind, doubles)
}

fn slice<'py, T: Number + IntoPyObject<'py>>(
    py: Python<'py>,
    kind: &Kind,
    mut values: Vec<T>,
) -> PyResult<Bound<'py, PyAny>> {
    match py.detach(|| T::release_in_place(kind, &mut values)) {
        Some(result) => result.map_err(python)?,
        None => return Err(kind.refused(T::DTYPE)),
    }
    Ok(PyList::new(py, values)?.into_any())
}

/// An array of any of the types.
fn any_array<'py>(
    kind: &Kind,
    x: &Bound<'py, PyUntypedArray>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if x.hasattr("mask")? {
        return Err(UnsupportedType::new_err(
            "masked arrays are not taken, since the mask would be lost: use x.compressed(), or Arrow with nulls",
        ));
    }
    if let Ok(x) = x.cast::<PyArrayDyn<f64>>() {
        array(kind, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<f32>>() {
        array(kind, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<i64>>() {
        array(kind, x, out)
    } else if let Ok(x) = x.cast::<PyArrayDyn<i32>>() {
        array(kind, x, out)
    } else {
        Err(kind.refused(&x.dtype().to_string()))
    }
}

fn array<'py, T: Number>(
    kind: &Kind,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        let noisy = noisy_copy(kind, x)?;
        // As numpy's functions do: no array without dimensions is returned.
        return if x.ndim() == 0 { noisy.get_item(PyTuple::empty(x.py())) } else { Ok(noisy.into_any()) };
    };
    let target = out.cast::<PyArrayDyn<T>>().map_err(|_| {
        UnsupportedType::new_err(format!("out must be a numpy array of {} like the values", T::DTYPE))
    })?;
    if target.shape() != x.shape() {
        let (shape, expected) = (target.shape(), x.shape());
        return Err(DomainError::new_err(format!("out has shape {shape:?} where {expected:?} was expected")));
    }
    into(kind, x, target)?;
    Ok(out.clone())
}

/// Writes noisy values to `out`, which has the same type and shape.
fn into<'py, T: Number>(
    kind: &Kind,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<()> {
    let py = x.py();
    let written = |error: BorrowError| ParameterError::new_err(format!("out: {error}"));
    if x.is(out) && x.is_contiguous() && x.is_aligned() {
        let mut values = out.try_readwrite().map_err(written)?;
        let values = values.as_slice_mut()?;
        return checked(kind, x, py.detach(|| T::release_in_place(kind, values)));
    }
    out.try_readwrite().map_err(written)?; // Refused before noise is drawn.
    // They may overlap: noise goes to an array of its own, and all of it is copied.
    noisy_copy(kind, x)?.copy_to(out)
}

/// A new array with noisy values. Of the values there is no copy beside it.
fn noisy_copy<'py, T: Number>(
    kind: &Kind,
    x: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = x.py();
    let noisy = PyArrayDyn::<T>::zeros(py, x.dims(), is_fortran(x));
    if !(x.is_contiguous() && x.is_aligned()) {
        // numpy knows every way in which values can lie in memory.
        x.copy_to(&noisy)?;
        let mut values = noisy.readwrite();
        let values = values.as_slice_mut()?;
        checked(kind, &noisy, py.detach(|| T::release_in_place(kind, values)))?;
    } else {
        let values =
            x.try_readonly().map_err(|error| ParameterError::new_err(format!("the values: {error}")))?;
        let mut out = noisy.readwrite();
        let (values, out) = (values.as_slice()?, out.as_slice_mut()?);
        checked(kind, x, py.detach(|| T::release_to(kind, values, out)))?;
    }
    Ok(noisy)
}

/// Whether the values lie column by column, and not also row by row.
fn is_fortran<T: Number>(x: &Bound<'_, PyArrayDyn<T>>) -> bool {
    x.is_fortran_contiguous() && !x.is_c_contiguous()
}

/// The exception, if there is one; positions in it count row by row, whatever the order in memory is.
fn checked<T: Number>(
    kind: &Kind,
    x: &Bound<'_, PyArrayDyn<T>>,
    result: Option<Result<(), Error>>,
) -> PyResult<()> {
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
        None => Err(kind.refused(T::DTYPE)),
        Some(Err(Error::NotFinite { index })) => Err(python(Error::NotFinite { index: row_major(index) })),
        Some(Err(Error::Overflow { index })) => Err(python(Error::Overflow { index: row_major(index) })),
        Some(result) => result.map_err(python),
    }
}
