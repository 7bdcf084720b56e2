//! Noise for numpy arrays.
//!
//! The interpreter's lock is released while noise is added. As with numpy's own functions, an array that another thread changes meanwhile gives
//! results that make no sense.

use std::num::NonZeroUsize;

use lastbit::Threads;
use numpy::{BorrowError, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::errors::{DomainError, ParameterError, UnsupportedType, python};
use crate::mechanism::Mechanism;
use crate::noise::{Number, Stopped, moved, refused, release_in_place, release_to, threads_of};
use crate::payment::Payment;
use crate::values::Task;

/// Noisy values of a numpy array, for `lastbit/_tables.py`.
#[pyfunction]
#[pyo3(name = "_release_numpy", signature = (mechanism, x, payment=None, threads=None, /))]
pub(crate) fn release_numpy<'py>(
    mechanism: &Bound<'py, Mechanism>,
    x: &Bound<'py, PyUntypedArray>,
    payment: Option<&Bound<'py, Payment>>,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads.map_or(Threads::ALL, Threads::new);
    any_array(&Task { mechanism: mechanism.get(), payment, threads }, x, None)
}

/// An array of any of the types.
pub(crate) fn any_array<'py>(
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyUntypedArray>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if x.hasattr("mask")? {
        return Err(UnsupportedType::new_err(
            "masked arrays are not accepted, since the mask would be lost: use x.compressed(), or Arrow with nulls",
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
        array(task, &widened(task, x)?, out)
    }
}

/// Integers of other widths as `int64`, which has them all but the largest of `uint64`: noise can make them negative.
fn widened<'py>(
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
    let name: String = x.dtype().getattr("name")?.extract()?;
    match name.as_str() {
        "int8" | "int16" | "uint8" | "uint16" | "uint32" => {}
        "uint64" => {
            let too_large = x.call_method1("__gt__", (i64::MAX,))?;
            if too_large.call_method0("any")?.extract()? {
                let index: usize = too_large.call_method0("argmax")?.extract()?;
                // It depends on a value, so it is paid.
                task.begin::<i64>()?;
                let message = format!("value {index} is too large for int64");
                return Err(DomainError::new_err((message, index)));
            }
        }
        _ if !x.dtype().getattr("isnative")?.extract::<bool>()? => {
            return Err(UnsupportedType::new_err(format!(
                "these values are {name} in another byte order than this machine's; convert them first, as in x.astype({name:?})"
            )));
        }
        _ => return Err(refused(task.noise(), &name, "astype")),
    }
    Ok(x.call_method1("astype", ("int64",))?.cast_into::<PyArrayDyn<i64>>()?)
}

fn array<'py, T: Number>(
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        let noisy = noisy_copy(task, x)?;
        // As numpy's functions do: no array without dimensions is returned.
        return if x.ndim() == 0 { noisy.get_item(PyTuple::empty(x.py())) } else { Ok(noisy.into_any()) };
    };
    let target = out.cast::<PyArrayDyn<T>>().map_err(|_| {
        UnsupportedType::new_err(format!("out must be a numpy array of {} like the values", T::TYPE))
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
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyArrayDyn<T>>,
    out: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<()> {
    let (py, noise, threads) = (x.py(), task.noise(), task.threads);
    let written = |error: BorrowError| ParameterError::new_err(format!("out: {error}"));
    if x.is(out) && x.is_contiguous() && x.is_aligned() {
        let mut values = out.try_readwrite().map_err(written)?;
        let values = values.as_slice_mut()?;
        task.begin::<T>()?;
        // In one piece: an interrupt must not leave half of the values noisy.
        checked(x, task.check(values))?;
        return checked(
            x,
            py.detach(|| T::release_in_place(noise, values, threads)).map_err(Stopped::Refused),
        );
    }
    let mut target = out.try_readwrite().map_err(written)?;
    if are_alike_and_apart(x, out) {
        let values = x.try_readonly().map_err(read)?;
        let (values, target) = (values.as_slice()?, target.as_slice_mut()?);
        task.begin::<T>()?;
        checked(x, task.check(values))?;
        return checked(
            x,
            py.detach(|| T::release_to(noise, values, target, threads)).map_err(Stopped::Refused),
        );
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
    task: &Task<'_, 'py>,
    x: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let (py, noise, threads) = (x.py(), task.noise(), task.threads);
    let noisy = new_array(x)?;
    if !(x.is_contiguous() && x.is_aligned()) {
        // numpy knows every way in which values can lie in memory.
        x.copy_to(&noisy)?;
        let mut values = noisy.readwrite();
        let values = values.as_slice_mut()?;
        task.begin::<T>()?;
        checked(&noisy, task.check(values).and_then(|()| release_in_place(py, noise, values, threads)))?;
    } else {
        let values = x.try_readonly().map_err(read)?;
        let mut out = noisy.readwrite();
        let (values, out) = (values.as_slice()?, out.as_slice_mut()?);
        task.begin::<T>()?;
        checked(x, task.check(values).and_then(|()| release_to(py, noise, values, out, threads)))?;
    }
    Ok(noisy)
}

/// A new array of the same type, shape and order. numpy is asked through Python, which raises where memory is short.
pub(crate) fn new_array<'py, T: Number>(
    x: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
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
fn checked<T: Number>(x: &Bound<'_, PyArrayDyn<T>>, result: Result<(), Stopped>) -> PyResult<()> {
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
    result.map_err(|stopped| match stopped {
        Stopped::Refused(error) => python(moved(error, row_major)),
        interrupted => interrupted.into(),
    })
}
