//! Columns as structs that other libraries take.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::{Array, CStruct, Schema};
use crate::arrow::column::Column;

pub(in crate::arrow) fn schema_capsule<'py>(
    py: Python<'py>,
    column: &Column,
) -> PyResult<Bound<'py, PyCapsule>> {
    /// Everything in it is static.
    unsafe extern "C" fn release(schema: *mut Schema) {
        // SAFETY: the interface calls this with the struct that it belongs to.
        unsafe { (*schema).release = None }
    }
    const NULLABLE: i64 = 2;
    let mut schema = Schema::RELEASED;
    schema.format = column.values().format().as_ptr();
    schema.name = c"".as_ptr();
    schema.flags = NULLABLE;
    schema.release = Some(release);
    schema.capsule(py)
}

/// What an array that we export owns.
struct Exported {
    buffers: [*const c_void; 2],
    /// Keeps the memory that the buffers point to.
    _column: Arc<Column>,
}

pub(in crate::arrow) fn array_capsule<'py>(
    py: Python<'py>,
    column: &Arc<Column>,
) -> PyResult<Bound<'py, PyCapsule>> {
    unsafe extern "C" fn release(array: *mut Array) {
        // SAFETY: the interface calls this once, with the struct that it belongs to, whose private data is the box made below. What the
        // box owns may be dropped by any thread.
        unsafe {
            drop(Box::from_raw((*array).private_data.cast::<Exported>()));
            (*array).release = None;
        }
    }
    let validity = column.validity().map_or(null(), |bytes| bytes.as_ptr().cast());
    let buffers = [validity, column.values().address()];
    let exported = Box::into_raw(Box::new(Exported { buffers, _column: Arc::clone(column) }));
    let mut array = Array::RELEASED;
    // Neither can be larger than memory.
    array.length = column.values().len() as i64;
    array.null_count = column.null_count() as i64;
    array.n_buffers = 2;
    // SAFETY: the box was just made; this takes the address of a part of it.
    array.buffers = unsafe { (&raw mut (*exported).buffers).cast() };
    array.private_data = exported.cast();
    array.release = Some(release);
    array.capsule(py)
}
