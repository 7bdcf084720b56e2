//! The buffers of columns, as their types lay them out.
//!
//! The lengths come from the array and from the type that the caller read in its schema: a producer promises buffers that are so long.

use std::ffi::CStr;
use std::ptr::null;

use super::{Array, Malformed, Schema};

// SAFETY: with a shared reference an array is only read, and its producer does not change it before it is released.
unsafe impl Sync for Array {}

impl Schema {
    /// The format string, which says the type but for a dictionary or an extension.
    pub(in crate::arrow) fn format(&self) -> Result<&str, Malformed> {
        if self.format.is_null() {
            return Err("it has no type");
        }
        // SAFETY: a format string that is not null ends with a zero, and stays until the schema is released.
        unsafe { CStr::from_ptr(self.format) }.to_str().map_err(|_| "its type is no text")
    }

    /// The name of a column; an empty text if it has none.
    pub(in crate::arrow) fn name(&self) -> Result<&str, Malformed> {
        if self.name.is_null() {
            return Ok("");
        }
        // SAFETY: as for the format.
        unsafe { CStr::from_ptr(self.name) }.to_str().map_err(|_| "a name is not in UTF-8")
    }

    /// The columns of a table.
    pub(in crate::arrow) fn children(&self) -> Result<Vec<&Schema>, Malformed> {
        // SAFETY: there are so many pointers, which stay until the schema is released.
        unsafe { children(self.children, self.n_children) }
    }

    /// The type of the values of categories.
    pub(in crate::arrow) fn dictionary(&self) -> Option<&Schema> {
        // SAFETY: a dictionary that is there stays until the schema is released.
        unsafe { self.dictionary.as_ref() }
    }
}

/// What an array of pointers points to.
///
/// # Safety
/// If the number is positive, there are so many pointers, and what they point to lives as long as the result.
unsafe fn children<'a, T>(pointers: *mut *mut T, number: i64) -> Result<Vec<&'a T>, Malformed> {
    let number = usize::try_from(number).map_err(|_| "its number of children is negative")?;
    if number > 0 && pointers.is_null() {
        return Err("its children are missing");
    }
    // SAFETY: by the caller's promise.
    let child = |i| unsafe { (*pointers.add(i)).as_ref() }.ok_or("a child is missing");
    (0..number).map(child).collect()
}

impl Array {
    /// The columns of a record batch.
    pub(in crate::arrow) fn children(&self) -> Result<Vec<&Array>, Malformed> {
        // SAFETY: there are so many pointers, which stay until the array is released.
        unsafe { children(self.children, self.n_children) }
    }

    /// The values of categories.
    pub(in crate::arrow) fn dictionary(&self) -> Option<&Array> {
        // SAFETY: a dictionary that is there stays until the array is released.
        unsafe { self.dictionary.as_ref() }
    }

    /// The values that come before the first one.
    pub(in crate::arrow) fn offset(&self) -> Result<usize, Malformed> {
        usize::try_from(self.offset).map_err(|_| "its offset is negative")
    }

    /// The values up to the last one, those before the first included.
    fn end(&self) -> Result<usize, Malformed> {
        self.offset()?.checked_add(self.length()?).ok_or("its offset is too large")
    }

    /// Which values are not null, a bit each, from the one before all others; `None` if none is.
    pub(in crate::arrow) fn validity(&self) -> Result<Option<&[u8]>, Malformed> {
        if self.length()? == 0 || self.n_buffers == 0 || self.null_count == 0 {
            return Ok(None);
        }
        match self.pointer(0)? {
            pointer if pointer.is_null() && self.null_count > 0 => Err("its buffer of nulls is missing"),
            pointer if pointer.is_null() => Ok(None),
            _ => self.buffer(0, self.end()?.div_ceil(8)).map(Some),
        }
    }

    /// The bits of truth values, from the one before all others.
    pub(in crate::arrow) fn bits(&self) -> Result<&[u8], Malformed> {
        self.buffer(1, if self.length()? == 0 { 0 } else { self.end()?.div_ceil(8) })
    }

    /// The values, of so many bytes each.
    pub(in crate::arrow) fn words<const N: usize>(&self) -> Result<&[[u8; N]], Malformed> {
        if self.length()? == 0 {
            return Ok(&[]);
        }
        let bytes = self.end()?.checked_mul(N).ok_or("its length is too large")?;
        Ok(&self.buffer(1, bytes)?.as_chunks().0[self.offset()?..])
    }

    /// Texts one after another, with places of 4 or 8 bytes.
    pub(in crate::arrow) fn texts(&self, is_wide: bool) -> Result<Texts<'_>, Malformed> {
        if self.length()? == 0 {
            return Ok(Texts { places: &[], is_wide, bytes: &[] });
        }
        let (size, offset) = (if is_wide { 8 } else { 4 }, self.offset()?);
        let bytes = self.end()?.checked_add(1).and_then(|places| places.checked_mul(size));
        let places = &self.buffer(1, bytes.ok_or("its length is too large")?)?[offset * size..];
        let texts = Texts { places, is_wide, bytes: &[] };
        let end = texts.place(self.length()?)?;
        Ok(Texts { bytes: self.buffer(2, end)?, ..texts })
    }

    /// Texts that are short, or lie in one of several buffers.
    pub(in crate::arrow) fn views(&self) -> Result<Views<'_>, Malformed> {
        let views = self.words()?;
        // Beside the nulls, the views and the lengths of all others.
        let others = usize::try_from(self.n_buffers).ok().and_then(|buffers| buffers.checked_sub(3));
        let (false, Some(others)) = (views.is_empty(), others) else {
            return Ok(Views { views, buffers: Vec::new() });
        };
        let lengths = self.buffer(others + 2, others * 8)?.as_chunks().0;
        let buffer = |(i, length): (usize, &[u8; 8])| {
            let length = usize::try_from(i64::from_ne_bytes(*length))
                .map_err(|_| "the length of a buffer is negative")?;
            self.buffer(i + 2, length)
        };
        Ok(Views { views, buffers: lengths.iter().enumerate().map(buffer).collect::<Result<_, _>>()? })
    }

    fn pointer(&self, index: usize) -> Result<*const u8, Malformed> {
        if self.buffers.is_null() || usize::try_from(self.n_buffers).is_ok_and(|buffers| index >= buffers) {
            return Err("a buffer is missing");
        }
        // SAFETY: there are so many pointers, which stay until the array is released.
        Ok(unsafe { *self.buffers.add(index) }.cast())
    }

    /// The first bytes of a buffer, as many as the type and the length of the array ask for.
    fn buffer(&self, index: usize, bytes: usize) -> Result<&[u8], Malformed> {
        let pointer = if bytes == 0 { null() } else { self.pointer(index)? };
        match (bytes, pointer.is_null()) {
            (0, _) => Ok(&[]),
            (_, true) => Err("a buffer is missing"),
            (bytes, _) if isize::try_from(bytes).is_err() => Err("its length is too large"),
            // SAFETY: the buffer is not null, has so many bytes by the promise above, and stays until the array is released.
            _ => Ok(unsafe { std::slice::from_raw_parts(pointer, bytes) }),
        }
    }
}

/// Texts one after another.
pub(in crate::arrow) struct Texts<'a> {
    /// Where each begins, and where the last one ends.
    places: &'a [u8],
    is_wide: bool,
    bytes: &'a [u8],
}

impl<'a> Texts<'a> {
    fn place(&self, i: usize) -> Result<usize, Malformed> {
        let place = match self.is_wide {
            true => self.places.as_chunks().0.get(i).map(|word| i64::from_ne_bytes(*word)),
            false => self.places.as_chunks().0.get(i).map(|word| i64::from(i32::from_ne_bytes(*word))),
        };
        place.and_then(|place| usize::try_from(place).ok()).ok_or("the place of a text is not there")
    }

    pub(in crate::arrow) fn get(&self, i: usize) -> Result<&'a [u8], Malformed> {
        self.bytes.get(self.place(i)?..self.place(i + 1)?).ok_or("the place of a text is not there")
    }
}

/// Texts that are short, or lie in one of several buffers.
pub(in crate::arrow) struct Views<'a> {
    /// The length, then the text itself, or its beginning, the number of its buffer and its place there.
    views: &'a [[u8; 16]],
    buffers: Vec<&'a [u8]>,
}

impl<'a> Views<'a> {
    pub(in crate::arrow) fn get(&self, i: usize) -> Result<&'a [u8], Malformed> {
        const SHORT: usize = 12;
        let missing = "the place of a text is not there";
        let view = self.views.get(i).ok_or(missing)?;
        let number = |word: usize| {
            let bytes = view.as_chunks().0[word];
            usize::try_from(i32::from_ne_bytes(bytes)).map_err(|_| missing)
        };
        let length = number(0)?;
        if length <= SHORT {
            return view.get(4..4 + length).ok_or(missing);
        }
        let (buffer, place) = (self.buffers.get(number(2)?).ok_or(missing)?, number(3)?);
        buffer.get(place..place + length).ok_or(missing)
    }
}
