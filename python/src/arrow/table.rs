//! Tables: from Arrow's columns to cells.
//!
//! A record batch is not copied: pieces of it are made into cells when their turn comes, some thousand rows at a time.

use std::ops::Range;
use std::sync::Arc;

use lastbit_table::{Batch, Column, HeaderError, Piece, ShapeError, TableError, TableSource};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::c_data::{self, Array, Imported, Malformed, Schema, Stream};
use super::kind::Kind;
use super::{ARRAY_METHOD, STREAM_METHOD, import, malformed};
use crate::errors::{ParameterError, UnsupportedType};

/// Rows that a thread takes at once.
const PIECE: usize = 1 << 16;

/// Rows that are cells at once.
const ROWS: usize = 1 << 13;

/// A column that is needed.
#[derive(Debug)]
struct Needed {
    name: String,
    /// Its place in the record batches.
    place: usize,
    kind: Kind,
}

/// Finds the needed columns in a table.
pub(crate) type Find<'a> = &'a dyn Fn(&[&str]) -> Result<Vec<usize>, HeaderError>;

/// The rows of a stream of record batches.
pub(crate) struct StreamRows {
    stream: Stream,
    needed: Arc<[Needed]>,
    current: Option<(Arc<Array>, Range<usize>)>,
}

/// Whether an object is a stream of record batches.
pub(crate) fn is_stream(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    x.hasattr(STREAM_METHOD)
}

/// Whether an object is a column, or a stream of columns.
pub(crate) fn is_column(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr(ARRAY_METHOD)? || x.hasattr(STREAM_METHOD)?)
}

impl StreamRows {
    /// Begins a stream: its columns are looked at, and no rows are read.
    pub(crate) fn open(x: &Bound<'_, PyAny>, columns: &[String], find: Find<'_>) -> PyResult<StreamRows> {
        let capsule = x.call_method0(STREAM_METHOD)?;
        let capsule = capsule.cast::<PyCapsule>();
        let capsule = capsule.map_err(|_| {
            UnsupportedType::new_err(format!("{STREAM_METHOD} did not return Arrow's capsule"))
        })?;
        let (schema, stream) = c_data::open_stream(capsule)?;
        let needed = needed(&schema, columns, find)?;
        Ok(StreamRows { stream, needed: needed.into(), current: None })
    }
}

fn needed(schema: &Schema, columns: &[String], find: Find<'_>) -> PyResult<Vec<Needed>> {
    if schema.format() != Ok("+s") || schema.dictionary().is_some() {
        return Err(UnsupportedType::new_err("a table has columns, and this stream has none: give a table"));
    }
    let fields = schema.children().map_err(malformed)?;
    let names =
        fields.iter().map(|field| field.name()).collect::<Result<Vec<&str>, _>>().map_err(malformed)?;
    let places = find(&names).map_err(|fault| ParameterError::new_err(format!("the table: {fault}")))?;
    let kind = |(name, place): (&String, usize)| {
        let kind =
            Kind::of(fields[place]).map_err(|found| UnsupportedType::new_err(unsupported(name, &found)))?;
        Ok(Needed { name: name.clone(), place, kind })
    };
    columns.iter().zip(places).map(kind).collect()
}

/// A column of a type that cells do not have.
pub(crate) fn unsupported(name: &str, found: &str) -> String {
    format!(
        "column {name:?} has a type that is not supported, {found}: use numbers, text, dates, timestamps or truth values"
    )
}

impl TableSource for StreamRows {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        loop {
            if let Some((batch, rows)) = &mut self.current
                && rows.start < rows.end
            {
                let end = rows.end.min(rows.start + PIECE);
                let (batch, rows) = (Arc::clone(batch), std::mem::replace(&mut rows.start, end)..end);
                return Ok(Some(Box::new(Rows { batch, rows, needed: Arc::clone(&self.needed) })));
            }
            // Released before the next one is asked for.
            self.current = None;
            let Some(batch) = self.stream.next().map_err(|reason| TableError::Rows { reason })? else {
                return Ok(None);
            };
            let length = batch.length().map_err(|fault| damaged("a batch of rows", fault))?;
            self.current = Some((Arc::new(batch), 0..length));
        }
    }
}

fn damaged(what: &str, fault: Malformed) -> TableError {
    TableError::Rows { reason: format!("{what} is no well-formed Arrow array: {fault}") }
}

/// Some rows of a record batch.
struct Rows {
    batch: Arc<Array>,
    rows: Range<usize>,
    needed: Arc<[Needed]>,
}

impl Piece for Rows {
    fn bytes(&self) -> u64 {
        0
    }

    fn decode(self: Box<Self>, each: &mut dyn FnMut(&Batch)) -> Result<(), TableError> {
        let fail = |fault| damaged("a batch of rows", fault);
        let columns = self.batch.children().map_err(fail)?;
        let offset = self.batch.offset().map_err(fail)?;
        if let Some(bits) = self.batch.validity().map_err(fail)?
            && !self.rows.clone().all(|row| bit(bits, row + offset))
        {
            return Err(fail("whole rows are null"));
        }
        let mut start = self.rows.start;
        while start < self.rows.end {
            let end = self.rows.end.min(start + ROWS);
            let mut batch = Batch::new(end - start);
            for needed in &*self.needed {
                let fail = |fault| damaged(&format!("column {:?}", needed.name), fault);
                let column = columns.get(needed.place).ok_or("it is missing").map_err(fail)?;
                push(&mut batch, &needed.kind, column, start + offset..end + offset).map_err(fail)?;
            }
            each(&batch);
            start = end;
        }
        Ok(())
    }
}

/// Adds a column that is an object of its own; else what is wrong with it.
pub(crate) fn push_object(batch: &mut Batch, name: &str, x: &Bound<'_, PyAny>) -> PyResult<()> {
    let Imported { schema, arrays } = import(x, |schema| Kind::of(schema).is_ok())?;
    let kind = Kind::of(&schema).map_err(|found| UnsupportedType::new_err(unsupported(name, &found)))?;
    let pushed = match arrays.as_slice() {
        [] => batch.push_text([]).map_err(|_| "it has no rows"),
        [array] => array.length().and_then(|length| push(batch, &kind, array, 0..length)),
        _ => Err("it has more than one chunk"),
    };
    pushed.map_err(malformed)
}

/// Adds some rows of an array to the batch.
fn push(batch: &mut Batch, kind: &Kind, array: &Array, rows: Range<usize>) -> Result<(), Malformed> {
    if rows.end > array.length()? {
        return Err("it is shorter than its table");
    }
    if *kind == Kind::Null {
        // It has no buffers, not even one that says so.
        return batch.push_text(rows.map(|_| None)).map_err(|_| "it does not fit into a batch");
    }
    let Kind::Dictionary { index, value } = kind else {
        let found: Vec<Option<usize>> = present(array, rows.map(Some))?.collect();
        return push_at(batch, kind, array, &found);
    };
    let values = array.dictionary().ok_or("its categories are missing")?;
    let indices = integers(index, array, present(array, rows.map(Some))?)?;
    let length = values.length()?;
    let index = |index: Option<i128>| match index {
        None => Ok(None),
        Some(index) => usize::try_from(index)
            .ok()
            .filter(|index| *index < length)
            .map(Some)
            .ok_or("it has more categories than there are"),
    };
    let indices = indices.into_iter().map(index).collect::<Result<Vec<_>, _>>()?;
    let found: Vec<Option<usize>> = present(values, indices.into_iter())?.collect();
    push_at(batch, value, values, &found)
}

/// The places without those of nulls.
fn present<'a>(
    array: &'a Array,
    places: impl Iterator<Item = Option<usize>> + 'a,
) -> Result<impl Iterator<Item = Option<usize>> + 'a, Malformed> {
    let (validity, offset) = (array.validity()?, array.offset()?);
    Ok(places.map(move |place| place.filter(|&place| validity.is_none_or(|bits| bit(bits, place + offset)))))
}

fn bit(bytes: &[u8], i: usize) -> bool {
    bytes[i / 8] >> (i % 8) & 1 == 1
}

/// The values at these places, which are within the array.
fn cells<const N: usize, T>(
    array: &Array,
    places: &[Option<usize>],
    read: impl Fn([u8; N]) -> T,
) -> Result<Vec<Option<T>>, Malformed> {
    let words = array.words::<N>()?;
    Ok(places.iter().map(|place| place.map(|place| read(words[place]))).collect())
}

/// Numbers of categories.
fn integers(
    kind: &Kind,
    array: &Array,
    places: impl Iterator<Item = Option<usize>>,
) -> Result<Vec<Option<i128>>, Malformed> {
    let places: Vec<Option<usize>> = places.collect();
    macro_rules! read {
        ($type:ty) => {
            cells(array, &places, |word| i128::from(<$type>::from_ne_bytes(word)))
        };
    }
    match kind {
        Kind::Signed8 => read!(i8),
        Kind::Signed16 => read!(i16),
        Kind::Signed32 => read!(i32),
        Kind::Signed64 => read!(i64),
        Kind::Unsigned8 => read!(u8),
        Kind::Unsigned16 => read!(u16),
        Kind::Unsigned32 => read!(u32),
        Kind::Unsigned64 => read!(u64),
        _ => Err("its categories have no numbers"),
    }
}

/// Adds the values at these places, which are within the array and not null, to the batch.
fn push_at(batch: &mut Batch, kind: &Kind, array: &Array, places: &[Option<usize>]) -> Result<(), Malformed> {
    let shape = |_: ShapeError| "it does not fit into a batch";
    let column = match kind {
        Kind::Null => return batch.push_text(places.iter().map(|_| None)).map_err(shape),
        Kind::Boolean => {
            let (bits, offset) = (array.bits()?, array.offset()?);
            let cells = places.iter().map(|place| place.map(|place| bit(bits, place + offset)));
            Column::Boolean(cells.collect())
        }
        Kind::Signed8 => Column::Integer(cells(array, places, |word| i8::from_ne_bytes(word).into())?),
        Kind::Signed16 => Column::Integer(cells(array, places, |word| i16::from_ne_bytes(word).into())?),
        Kind::Signed32 => Column::Integer(cells(array, places, |word| i32::from_ne_bytes(word).into())?),
        Kind::Signed64 => Column::Integer(cells(array, places, i64::from_ne_bytes)?),
        Kind::Unsigned8 => Column::Integer(cells(array, places, |word| u8::from_ne_bytes(word).into())?),
        Kind::Unsigned16 => Column::Integer(cells(array, places, |word| u16::from_ne_bytes(word).into())?),
        Kind::Unsigned32 => Column::Integer(cells(array, places, |word| u32::from_ne_bytes(word).into())?),
        Kind::Unsigned64 => {
            let mantissas = cells(array, places, |word| u64::from_ne_bytes(word).into())?;
            Column::Decimal { mantissas, scale: 0 }
        }
        Kind::Half => return batch.push_halves(cells(array, places, u16::from_ne_bytes)?).map_err(shape),
        Kind::Single => return batch.push_singles(cells(array, places, f32::from_ne_bytes)?).map_err(shape),
        Kind::Double => Column::Float(cells(array, places, f64::from_ne_bytes)?),
        Kind::Decimal { bytes, scale } => {
            Column::Decimal { mantissas: mantissas(array, places, *bytes)?, scale: *scale }
        }
        Kind::Days => Column::Date(cells(array, places, i32::from_ne_bytes)?),
        Kind::Milliseconds => {
            let days = |word| i32::try_from(i64::from_ne_bytes(word).div_euclid(MILLISECONDS)).ok();
            Column::Date(cells(array, places, days)?.into_iter().map(Option::flatten).collect())
        }
        Kind::Timestamp(ticks) => {
            return batch.push_timestamps(cells(array, places, i64::from_ne_bytes)?, *ticks).map_err(shape);
        }
        Kind::Texts { is_wide } => {
            let texts = array.texts(*is_wide)?;
            let found = places.iter().map(|place| place.map(|place| texts.get(place)).transpose());
            return batch.push_text(found.collect::<Result<Vec<_>, _>>()?).map_err(shape);
        }
        Kind::Views => {
            let texts = array.views()?;
            let found = places.iter().map(|place| place.map(|place| texts.get(place)).transpose());
            return batch.push_text(found.collect::<Result<Vec<_>, _>>()?).map_err(shape);
        }
        Kind::Dictionary { .. } => return Err("it has categories of categories"),
    };
    batch.push(column).map_err(shape)
}

/// Milliseconds of a day.
const MILLISECONDS: i64 = 86_400_000;

/// The integers of decimals.
fn mantissas(array: &Array, places: &[Option<usize>], bytes: usize) -> Result<Vec<Option<i128>>, Malformed> {
    match bytes {
        4 => cells(array, places, |word| i32::from_ne_bytes(word).into()),
        8 => cells(array, places, |word| i64::from_ne_bytes(word).into()),
        16 => cells(array, places, i128::from_ne_bytes),
        // Decimals of 38 digits: beyond 128 bits there are only those that break the promise of their type.
        _ => Ok(cells(array, places, wide)?.into_iter().map(Option::flatten).collect()),
    }
}

/// A number of 256 bits, if it fits into 128.
fn wide(word: [u8; 32]) -> Option<i128> {
    let halves = word.as_chunks::<16>().0;
    let [low, high] = [halves[0], halves[1]];
    let (low, high) = if cfg!(target_endian = "little") { (low, high) } else { (high, low) };
    let (low, high) = (i128::from_ne_bytes(low), i128::from_ne_bytes(high));
    (high == if low < 0 { -1 } else { 0 }).then_some(low)
}
