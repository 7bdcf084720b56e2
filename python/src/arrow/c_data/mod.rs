//! The structs of the Arrow C data and C stream interfaces: who owns them, and what they point to.
//!
//! The one module of this package with `unsafe` code: these structs are how libraries hand each other memory. What is trusted is what the
//! interfaces ask of a producer, that pointers point to as much as the lengths say and stay valid until `release`; lengths, missing
//! pointers and types are checked.
//!
//! Ownership: a struct that is moved out of its capsule leaves a released one behind, and dropping a struct releases it. So `release` is
//! called exactly once, by us or by whoever moved the struct from us.
#![allow(unsafe_code)]

mod export;
mod layout;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::column::{Bits, Chunk};
use crate::errors::{SystemFailure, UnsupportedType};
pub(super) use export::{array_capsule, schema_capsule};

/// Defines structs of C whose last callback is `release`.
macro_rules! c_struct {
    ($($(#[$doc:meta])* $name:ident as $capsule:literal { $($field:ident: $type:ty = $empty:expr,)* })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        pub(super) struct $name {
            $($field: $type,)*
            release: Option<unsafe extern "C" fn(*mut $name)>,
            private_data: *mut c_void,
        }

        impl CStruct for $name {
            const CAPSULE: &CStr = $capsule;
            const RELEASED: Self = Self { $($field: $empty,)* release: None, private_data: null_mut() };

            fn is_released(&self) -> bool {
                self.release.is_none()
            }

            unsafe fn take_from(place: *mut Self) -> Self {
                // SAFETY: the caller's pointer is valid and aligned; a callback that may be missing is as large as a pointer, and null if
                // it is missing.
                let release = unsafe { AtomicPtr::from_ptr((&raw mut (*place).release).cast::<*mut c_void>()) };
                let release = release.swap(null_mut(), Ordering::AcqRel);
                if release.is_null() {
                    return Self::RELEASED;
                }
                // SAFETY: whoever took the callback has the rest of the struct to himself. What is read is not dropped where it was.
                unsafe {
                    let mut taken = ManuallyDrop::new(place.read());
                    (&raw mut taken.release).cast::<*mut c_void>().write(release);
                    ManuallyDrop::into_inner(taken)
                }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the struct is ours and not released; its callback takes a pointer to it.
                    unsafe { release(self) }
                }
            }
        }

        // SAFETY: the interface lets a struct move between threads; one thread at a time uses it.
        unsafe impl Send for $name {}
    )* };
}

trait CStruct: Sized + Send + 'static {
    /// The name of its capsules.
    const CAPSULE: &CStr;
    /// What a struct is after its release, and what it is before a callback fills it.
    const RELEASED: Self;

    fn is_released(&self) -> bool;

    /// Moves the struct out of its place, of which a released one is left. Of several threads that try, one gets it: what says that a
    /// struct is not released, its callback, is swapped atomically.
    ///
    /// # Safety
    /// `place` is valid for reads and writes and aligned, and other threads, if any, use it by this function alone.
    unsafe fn take_from(place: *mut Self) -> Self;

    /// Moves the struct out of a capsule.
    fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule
            .pointer_checked(Some(Self::CAPSULE))
            .map_err(|_| UnsupportedType::new_err(format!("the capsule is not an {:?}", Self::CAPSULE)))?;
        let pointer = pointer.cast::<Self>();
        if !pointer.is_aligned() {
            return Err(UnsupportedType::new_err(format!("the {:?} is not aligned", Self::CAPSULE)));
        }
        // SAFETY: a capsule of this name holds such a struct as long as it lives, and `capsule` keeps it alive. Other threads come this
        // way, too; there may be some at a time where the interpreter has no lock.
        let taken = unsafe { Self::take_from(pointer.as_ptr()) };
        if taken.is_released() {
            return Err(UnsupportedType::new_err(format!("the {:?} was released before", Self::CAPSULE)));
        }
        Ok(taken)
    }

    fn capsule(self, py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
        PyCapsule::new_with_value(py, self, Self::CAPSULE)
    }
}

c_struct! {
    /// The type of an array.
    Schema as c"arrow_schema" {
        format: *const c_char = null(),
        name: *const c_char = null(),
        metadata: *const c_char = null(),
        flags: i64 = 0,
        n_children: i64 = 0,
        children: *mut *mut Schema = null_mut(),
        dictionary: *mut Schema = null_mut(),
    }
    /// The values of an array.
    Array as c"arrow_array" {
        length: i64 = 0,
        null_count: i64 = 0,
        offset: i64 = 0,
        n_buffers: i64 = 0,
        n_children: i64 = 0,
        buffers: *mut *const c_void = null_mut(),
        children: *mut *mut Array = null_mut(),
        dictionary: *mut Array = null_mut(),
    }
    /// Arrays of one type, one after another.
    Stream as c"arrow_array_stream" {
        get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int> = None,
        get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int> = None,
        get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char> = None,
    }
}

/// An array that was imported, in one piece or in more.
pub(super) struct Imported {
    pub(super) schema: Schema,
    pub(super) arrays: Vec<Array>,
}

pub(super) fn import_array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<Imported> {
    Ok(Imported { schema: Schema::take(schema)?, arrays: vec![Array::take(array)?] })
}

/// Reads a stream to its end, if its type is wanted: what is going to be refused is not read.
pub(super) fn import_stream(
    stream: &Bound<'_, PyCapsule>,
    is_wanted: impl Fn(&Schema) -> bool + Sync,
) -> PyResult<Imported> {
    let py = stream.py();
    let mut stream = Stream::take(stream)?;
    // Without the interpreter's lock: a producer may wait for a thread that wants it.
    py.detach(|| {
        let schema = stream.filled("schema", stream.get_schema)?;
        let mut arrays = Vec::new();
        while is_wanted(&schema) {
            let array = stream.filled("next array", stream.get_next)?;
            if array.is_released() {
                break;
            }
            arrays.push(array);
        }
        Ok(Imported { schema, arrays })
    })
}

/// A stream of which nothing was read but its type.
pub(super) fn open_stream(stream: &Bound<'_, PyCapsule>) -> PyResult<(Schema, Stream)> {
    let mut taken = Stream::take(stream)?;
    stream.py().detach(|| {
        // What the producer says of a failure may quote a value of a table, and is not passed on.
        let schema = taken.fill(taken.get_schema).map_err(|code| {
            SystemFailure::new_err(format!("the stream of rows did not tell its columns{}", number(code)))
        })?;
        Ok((schema, taken))
    })
}

/// The number of an error, if the producer gave one.
fn number(code: Option<c_int>) -> String {
    code.map_or(String::new(), |code| format!(" (error {code})"))
}

impl Stream {
    /// The next array, `None` after the last one; else what is wrong, without the words of the producer, which may quote a value.
    pub(super) fn next(&mut self) -> Result<Option<Array>, String> {
        let next = self.fill(self.get_next);
        let next = next.map_err(|code| format!("the stream of rows failed{}", number(code)))?;
        Ok((!next.is_released()).then_some(next))
    }

    /// The struct that a callback fills; the number of the error if it fails, and `None` if there is no callback.
    fn fill<T: CStruct>(
        &mut self,
        callback: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
    ) -> Result<T, Option<c_int>> {
        let callback = callback.ok_or(None)?;
        let mut filled = T::RELEASED;
        // SAFETY: the stream is ours and not released, and `filled` is a struct of the type that the callback fills.
        match unsafe { callback(self, &mut filled) } {
            0 => Ok(filled),
            code => Err(Some(code)),
        }
    }

    /// The struct that a callback fills.
    fn filled<T: CStruct>(
        &mut self,
        what: &str,
        callback: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
    ) -> PyResult<T> {
        self.fill(callback).map_err(|code| match code {
            None => UnsupportedType::new_err(format!("the stream has no callback for its {what}")),
            Some(code) => {
                let reason = self.last_error();
                SystemFailure::new_err(format!("the stream did not give its {what}: {reason} (error {code})"))
            }
        })
    }

    fn last_error(&mut self) -> String {
        // SAFETY: the stream is ours and not released, and its last callback failed.
        let text = self.get_last_error.map_or(null(), |callback| unsafe { callback(self) });
        if text.is_null() {
            return "no reason given".to_owned();
        }
        // SAFETY: a text that is not null ends with a zero, and stays until the next callback.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// Why a type or an array cannot be read.
pub(super) type Malformed = &'static str;

impl Schema {
    /// The format string of a type that is no more than its format string says.
    pub(super) fn primitive_format(&self) -> Result<&[u8], Malformed> {
        if self.is_released() || self.format.is_null() {
            return Err("of no type");
        }
        if !self.dictionary.is_null() {
            return Err("dictionary-encoded or categories");
        }
        if self.is_extension() {
            return Err("of an extension type");
        }
        // SAFETY: a format string that is not null ends with a zero, and stays until the schema is released.
        Ok(unsafe { CStr::from_ptr(self.format) }.to_bytes())
    }

    pub(super) fn is_extension(&self) -> bool {
        if self.metadata.is_null() {
            return false;
        }
        let mut metadata = Metadata { rest: self.metadata.cast() };
        let mut is_extension = || {
            for _ in 0..metadata.number()? {
                if metadata.bytes()? == b"ARROW:extension:name" {
                    return Some(true);
                }
                metadata.bytes()?;
            }
            Some(false)
        };
        // Metadata that cannot be read belongs to no type that is known.
        is_extension().unwrap_or(true)
    }
}

/// What is not yet read of metadata: the number of pairs, then keys and values in turn, each as its length and its bytes.
struct Metadata {
    rest: *const u8,
}

impl Metadata {
    /// The next number, 32 bits that need not be aligned; `None` if it is negative.
    fn number(&mut self) -> Option<usize> {
        // SAFETY: the metadata goes on with a number.
        let number = unsafe { self.rest.cast::<i32>().read_unaligned() };
        self.rest = self.rest.wrapping_add(size_of::<i32>());
        usize::try_from(number).ok()
    }

    fn bytes(&mut self) -> Option<&[u8]> {
        let length = self.number()?;
        // SAFETY: the metadata goes on with so many bytes, and stays until the schema is released.
        let bytes = unsafe { std::slice::from_raw_parts(self.rest, length) };
        self.rest = self.rest.wrapping_add(length);
        Some(bytes)
    }
}

impl Array {
    /// How many values there are.
    pub(super) fn length(&self) -> Result<usize, Malformed> {
        usize::try_from(self.length).map_err(|_| "its length is negative")
    }

    /// The values, each of so many bytes, and which are null.
    pub(super) fn chunk(&self, size: usize) -> Result<Chunk<'_>, Malformed> {
        let length = self.length()?;
        let offset = usize::try_from(self.offset).map_err(|_| "its offset is negative")?;
        let end = offset.checked_add(length).ok_or("its offset is too large")?;
        let bytes = end.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or("its length is too large")?;
        if length == 0 {
            return Ok(Chunk { values: &[], length, validity: None });
        }
        if self.n_buffers != 2 || self.buffers.is_null() {
            return Err("it does not have two buffers");
        }
        if self.n_children != 0 || !self.dictionary.is_null() {
            return Err("it has children or a dictionary, and its type has none");
        }
        // SAFETY: there are two buffers, which stay until the array is released.
        let [validity, values] = unsafe { *self.buffers.cast::<[*const u8; 2]>() };
        if values.is_null() {
            return Err("its buffer of values is missing");
        }
        if validity.is_null() && self.null_count > 0 {
            return Err("its buffer of nulls is missing");
        }
        // SAFETY: the buffer is not null and holds all values up to the end, the first `offset` of which are not the array's. It stays
        // until the array is released, and `self` is borrowed as long.
        let values = unsafe { std::slice::from_raw_parts(values, bytes) };
        let bits = |validity: *const u8| {
            // SAFETY: as for the values; one bit for each.
            let bytes = unsafe { std::slice::from_raw_parts(validity, end.div_ceil(8)) };
            Bits { bytes, offset }
        };
        let validity = (!validity.is_null()).then(|| bits(validity));
        Ok(Chunk { values: &values[offset * size..], length, validity })
    }
}
