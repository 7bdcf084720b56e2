//! Noise for the values that are not null.
//!
//! The values that are not null are moved together, get noise, and are moved apart again, all in the memory of the result. What lies under
//! a null is never looked at, and no noise is drawn for it.

use std::ffi::{CStr, c_void};

use lastbit::Error;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::errors::python;
use crate::kind::{Kind, Number};

/// A part of an array that was imported.
pub(super) struct Chunk<'a> {
    /// The bytes of the values, which need not be aligned.
    pub(super) values: &'a [u8],
    /// How many values these are.
    pub(super) length: usize,
    /// Which values are not null, if this is known one by one; else all are.
    pub(super) validity: Option<Bits<'a>>,
}

/// Bits in Arrow's order, the lowest of a byte first.
pub(super) struct Bits<'a> {
    pub(super) bytes: &'a [u8],
    /// How many bits come before the first.
    pub(super) offset: usize,
}

fn bit(bytes: &[u8], i: usize) -> bool {
    bytes[i / 8] >> (i % 8) & 1 == 1
}

/// A type of values that Arrow has too.
pub(super) trait Primitive: Number + for<'py> IntoPyObject<'py> + 'static {
    /// Its format string.
    const FORMAT: &CStr;

    /// The value with these bytes in memory, as many as the type has.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! primitive {
    ($type:ty, $format:literal) => {
        impl Primitive for $type {
            const FORMAT: &CStr = $format;

            fn read(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes.try_into().expect("cut to the size of the type"))
            }
        }
    };
}
primitive!(f64, c"g");
primitive!(f32, c"f");
primitive!(i64, c"l");
primitive!(i32, c"i");

/// Values of one of the types.
pub(super) trait Values: Send + Sync {
    fn format(&self) -> &'static CStr;
    fn dtype(&self) -> &'static str;
    fn len(&self) -> usize;
    /// Where they lie in memory.
    fn address(&self) -> *const c_void;
    fn item<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyAny>>;
}

impl<T: Primitive> Values for Vec<T> {
    fn format(&self) -> &'static CStr {
        T::FORMAT
    }

    fn dtype(&self) -> &'static str {
        T::DTYPE
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn address(&self) -> *const c_void {
        self.as_ptr().cast()
    }

    fn item<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyAny>> {
        self[i].into_bound_py_any(py)
    }
}

/// Values, some of them null.
pub(super) struct Column {
    /// Zeros where a value is null.
    values: Box<dyn Values>,
    /// Arrow's bitmap of what is not null; without it nothing is null.
    validity: Option<Vec<u8>>,
    null_count: usize,
}

impl Column {
    pub(super) fn values(&self) -> &dyn Values {
        &*self.values
    }

    pub(super) fn validity(&self) -> Option<&[u8]> {
        self.validity.as_deref()
    }

    pub(super) fn null_count(&self) -> usize {
        self.null_count
    }

    pub(super) fn is_valid(&self, i: usize) -> bool {
        self.validity().is_none_or(|bytes| bit(bytes, i))
    }
}

/// All chunks as one column, with noise; positions in errors are positions in it.
pub(super) fn release<T: Primitive>(kind: &Kind, chunks: &[Chunk<'_>]) -> PyResult<Column> {
    kind.check::<T>()?;
    let too_much = || PyMemoryError::new_err("there is no memory for the noisy values");
    let length = chunks.iter().try_fold(0_usize, |sum, chunk| sum.checked_add(chunk.length));
    let length = length.ok_or_else(too_much)?;
    let mut values: Vec<T> = Vec::new();
    values.try_reserve_exact(length).map_err(|_| too_much())?;
    // Read once, so that all that follows agrees on what is null.
    let validity = bitmap(chunks, length);
    gather(&mut values, chunks, validity.as_deref());
    let position = |index| match &validity {
        None => index,
        Some(bytes) => (0..length).filter(|&i| bit(bytes, i)).nth(index).expect("a value that got noise"),
    };
    match T::release_in_place(kind, &mut values) {
        Err(Error::NotFinite { index }) => {
            return Err(python(Error::NotFinite { index: position(index) }));
        }
        Err(Error::Overflow { index }) => {
            return Err(python(Error::Overflow { index: position(index) }));
        }
        result => result.map_err(python)?,
    }
    let null_count = length - values.len();
    if let Some(bytes) = &validity {
        spread(&mut values, bytes, length);
    }
    Ok(Column { values: Box::new(values), validity, null_count })
}

/// What is not null in all chunks, if one of them knows it.
fn bitmap(chunks: &[Chunk<'_>], length: usize) -> Option<Vec<u8>> {
    chunks.iter().find(|chunk| chunk.validity.is_some())?;
    let mut bytes = vec![0; length.div_ceil(8)];
    let all = chunks.iter().flat_map(|chunk| {
        let is_valid = |i| chunk.validity.as_ref().is_none_or(|bits| bit(bits.bytes, bits.offset + i));
        (0..chunk.length).map(is_valid)
    });
    for (i, is_valid) in all.enumerate() {
        bytes[i / 8] |= u8::from(is_valid) << (i % 8);
    }
    Some(bytes)
}

/// Appends the values that are not null.
fn gather<T: Primitive>(values: &mut Vec<T>, chunks: &[Chunk<'_>], validity: Option<&[u8]>) {
    let mut start = 0;
    for chunk in chunks {
        let all = chunk.values.chunks_exact(size_of::<T>()).map(T::read);
        match validity {
            None => values.extend(all),
            Some(bytes) => {
                values.extend((start..).zip(all).filter(|(i, _)| bit(bytes, *i)).map(|(_, value)| value));
            }
        }
        start += chunk.length;
    }
}

/// Moves values from the front to the places that are not null, and writes zeros to the others.
fn spread<T: Number>(values: &mut Vec<T>, validity: &[u8], length: usize) {
    let mut left = values.len();
    values.resize(length, T::default());
    // From the end: no value moves towards the front, so what is still to be moved is not written over.
    for i in (0..length).rev() {
        values[i] = if bit(validity, i) {
            left -= 1;
            values[left]
        } else {
            T::default()
        };
    }
}
