//! Noise for the values that are not null.
//!
//! The values that are not null are moved together, get noise, and are moved apart again, all in the memory of the result. What lies under
//! a null is never looked at, and no noise is drawn for it.

use std::ffi::{CStr, c_void};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::errors::{DomainError, python};
use crate::noise::{Number, Stopped, moved, release_in_place};
use crate::values::Task;

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
}

macro_rules! primitive {
    ($type:ty, $format:literal) => {
        impl Primitive for $type {
            const FORMAT: &CStr = $format;
        }
    };
}
primitive!(f64, c"g");
primitive!(f32, c"f");
primitive!(i64, c"l");
primitive!(i32, c"i");

/// A type that values lie in memory as, and the type that they are read as: integers of other widths as `i64`.
pub(super) trait Stored {
    type Value: Primitive;
    /// Its bytes.
    const SIZE: usize;

    /// The value with these bytes in memory, as many as the type has; `None` if the value's type does not have it.
    fn read(bytes: &[u8]) -> Option<Self::Value>;
}

macro_rules! stored {
    ($($type:ty as $value:ty;)*) => {$(
        impl Stored for $type {
            type Value = $value;
            const SIZE: usize = size_of::<$type>();

            fn read(bytes: &[u8]) -> Option<$value> {
                let stored = Self::from_ne_bytes(bytes.try_into().expect("cut to the size of the type"));
                stored.try_into().ok()
            }
        }
    )*};
}
stored! {
    f64 as f64; f32 as f32; i64 as i64; i32 as i32;
    i8 as i64; i16 as i64; u8 as i64; u16 as i64; u32 as i64; u64 as i64;
}

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
        T::TYPE.name()
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
pub(super) fn release<S: Stored>(
    py: Python<'_>,
    task: &Task<'_, '_>,
    chunks: &[Chunk<'_>],
) -> PyResult<Column> {
    task.mechanism.check_type(S::Value::TYPE)?;
    let too_much = || PyMemoryError::new_err("not enough memory for the noisy values");
    let length = chunks.iter().try_fold(0_usize, |sum, chunk| sum.checked_add(chunk.length));
    let length = length.ok_or_else(too_much)?;
    let mut values: Vec<S::Value> = Vec::new();
    values.try_reserve_exact(length).map_err(|_| too_much())?;
    // Read once, so that all that follows agrees on what is null.
    let validity = bitmap(chunks, length);
    if let Err(index) = gather::<S>(&mut values, chunks, validity.as_deref()) {
        // It depends on a value, so it is paid.
        task.begin::<S::Value>()?;
        let message = format!("value {index} is too large for {}", S::Value::TYPE);
        return Err(DomainError::new_err((message, index)));
    }
    let position = |index| match &validity {
        None => index,
        Some(bytes) => (0..length).filter(|&i| bit(bytes, i)).nth(index).expect("a value that got noise"),
    };
    task.begin::<S::Value>()?;
    let released =
        task.check(&values).and_then(|()| release_in_place(py, task.noise(), &mut values, task.threads));
    released.map_err(|stopped| match stopped {
        Stopped::Refused(error) => python(moved(error, position)),
        interrupted => interrupted.into(),
    })?;
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

/// Appends the values that are not null; fails with the index of one that does not fit.
fn gather<S: Stored>(
    values: &mut Vec<S::Value>,
    chunks: &[Chunk<'_>],
    validity: Option<&[u8]>,
) -> Result<(), usize> {
    let all = chunks.iter().flat_map(|chunk| chunk.values.chunks_exact(S::SIZE));
    for (index, stored) in all.enumerate() {
        if validity.is_none_or(|bytes| bit(bytes, index)) {
            values.push(S::read(stored).ok_or(index)?);
        }
    }
    Ok(())
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
