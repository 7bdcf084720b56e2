//! Rows as the kernel takes them: the needed columns of some rows, whichever file or library they come from.

use std::borrow::Cow;
use std::fmt;

use crate::date;
use crate::number::{Number, float_text, wide_half, wide_single};

/// The columns of a plan for some rows, in the order of [`Plan::columns`](crate::Plan::columns).
///
/// Its text form has numbers of rows and columns only, so that no cell ends up in a log.
#[derive(Default)]
pub struct Batch {
    rows: usize,
    bytes: Vec<u8>,
    columns: Vec<Column>,
}

/// The cells of one column of a [`Batch`]. Its text form has no cells.
#[non_exhaustive]
pub enum Column {
    /// Text, as places in the batch's bytes. Empty text is null, in every format, since CSV cannot tell them apart.
    Text(Vec<Place>),
    /// Integers.
    Integer(Vec<Option<i64>>),
    /// Floats, each read as the shortest decimal that rounds to it. NaN and infinities are null.
    Float(Vec<Option<f64>>),
    /// Decimals: `mantissa / 10^scale`, with a scale of at most 38.
    Decimal {
        /// The mantissas.
        mantissas: Vec<Option<i128>>,
        /// The number of digits after the point.
        scale: u32,
    },
    /// Days since 1970-01-01.
    Date(Vec<Option<i32>>),
    /// Truth values.
    Boolean(Vec<Option<bool>>),
}

/// A place in the bytes of a [`Batch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub(crate) start: u32,
    pub(crate) length: u32,
}

/// A batch whose columns do not have its number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a column has {found} rows and its batch has {expected}, or it refers to bytes that the batch does not have"
)]
pub struct ShapeError {
    /// The rows of the batch.
    pub expected: usize,
    /// The rows of the column.
    pub found: usize,
}

impl Batch {
    /// A batch of so many rows that has no columns yet.
    pub fn new(rows: usize) -> Batch {
        Batch { rows, ..Batch::default() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the next column.
    ///
    /// # Errors
    ///
    /// If the column has another number of rows, a scale above 38, or refers to text of another batch.
    pub fn push(&mut self, column: Column) -> Result<(), ShapeError> {
        let found = column.shape().1;
        let inside = match &column {
            Column::Text(places) => {
                places.iter().all(|place| place.start as usize + place.length as usize <= self.bytes.len())
            }
            Column::Decimal { scale, .. } => *scale <= 38,
            _ => true,
        };
        if found != self.rows || !inside {
            return Err(ShapeError { expected: self.rows, found });
        }
        self.columns.push(column);
        Ok(())
    }

    /// Adds a text column; `None` is null, and so is empty text.
    ///
    /// # Errors
    ///
    /// If the column has another number of rows, or the batch more than 4 GB of text.
    pub fn push_text<'a>(
        &mut self,
        cells: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> Result<(), ShapeError> {
        let mut places = Vec::with_capacity(self.rows);
        for cell in cells {
            let cell = cell.unwrap_or_default();
            let too_long = ShapeError { expected: self.rows, found: places.len() };
            let start = u32::try_from(self.bytes.len()).map_err(|_| too_long)?;
            let length = u32::try_from(cell.len()).map_err(|_| too_long)?;
            self.bytes.extend_from_slice(cell);
            places.push(Place { start, length });
        }
        self.push(Column::Text(places))
    }

    /// Adds a column of moments in time, counted from 1970 in ticks of which a second has so many: they are read as text, a day with its time.
    ///
    /// # Errors
    ///
    /// As [`push_text`](Batch::push_text).
    pub fn push_timestamps(
        &mut self,
        cells: impl IntoIterator<Item = Option<i64>>,
        ticks: i64,
    ) -> Result<(), ShapeError> {
        let text = |cell: Option<i64>| cell.map(|cell| date::timestamp(cell, ticks.max(1)));
        let texts: Vec<Option<String>> = cells.into_iter().map(text).collect();
        self.push_text(texts.iter().map(|text| text.as_ref().map(String::as_bytes)))
    }

    /// Adds a column of floats of 32 bits, each read as the shortest decimal that rounds to it there.
    ///
    /// # Errors
    ///
    /// As [`push`](Batch::push).
    pub fn push_singles(&mut self, cells: impl IntoIterator<Item = Option<f32>>) -> Result<(), ShapeError> {
        self.push(Column::Float(cells.into_iter().map(|cell| cell.map(wide_single)).collect()))
    }

    /// Adds a column of floats of 16 bits, given as their bits, each read as the shortest decimal that rounds to it there.
    ///
    /// # Errors
    ///
    /// As [`push`](Batch::push).
    pub fn push_halves(&mut self, cells: impl IntoIterator<Item = Option<u16>>) -> Result<(), ShapeError> {
        self.push(Column::Float(cells.into_iter().map(|cell| cell.map(wide_half)).collect()))
    }

    /// A batch of text columns over shared bytes; the caller vouches for the shape.
    pub(crate) fn of_text(bytes: Vec<u8>, rows: usize, columns: Vec<Vec<Place>>) -> Batch {
        Batch { rows, bytes, columns: columns.into_iter().map(Column::Text).collect() }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    pub(crate) fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        match &self.columns[column] {
            Column::Text(places) => {
                let Place { start, length } = places[row];
                match length {
                    0 => Cell::Null,
                    _ => Cell::Text(&self.bytes[start as usize..start as usize + length as usize]),
                }
            }
            Column::Integer(cells) => cells[row].map_or(Cell::Null, Cell::Integer),
            Column::Float(cells) => {
                cells[row].filter(|cell| cell.is_finite()).map_or(Cell::Null, Cell::Float)
            }
            Column::Decimal { mantissas, scale } => {
                mantissas[row].map_or(Cell::Null, |mantissa| Cell::Decimal(mantissa, *scale))
            }
            Column::Date(cells) => cells[row].map_or(Cell::Null, Cell::Date),
            Column::Boolean(cells) => cells[row].map_or(Cell::Null, Cell::Boolean),
        }
    }
}

impl Column {
    /// The type of the cells in a word, and their number.
    fn shape(&self) -> (&'static str, usize) {
        match self {
            Column::Text(places) => ("text", places.len()),
            Column::Integer(cells) => ("integer", cells.len()),
            Column::Float(cells) => ("float", cells.len()),
            Column::Decimal { mantissas, .. } => ("decimal", mantissas.len()),
            Column::Date(cells) => ("date", cells.len()),
            Column::Boolean(cells) => ("boolean", cells.len()),
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch {{ {} rows of {:?} }}", self.rows, self.columns)
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, cells) = self.shape();
        write!(f, "{cells} {name} cells")
    }
}

/// One cell.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    Null,
    /// Text that is not empty; it may be invalid UTF-8.
    Text(&'a [u8]),
    Integer(i64),
    /// A finite float.
    Float(f64),
    Decimal(i128, u32),
    Date(i32),
    Boolean(bool),
}

impl<'a> Cell<'a> {
    /// The number in the cell; `None` if there is none.
    pub(crate) fn number(self) -> Option<Number> {
        match self {
            Cell::Text(text) => Number::parse(text),
            Cell::Integer(value) => Some(Number::Decimal { mantissa: value.into(), scale: 0 }),
            Cell::Float(value) => Number::from_f64(value),
            Cell::Decimal(mantissa, scale) => Some(Number::Decimal { mantissa, scale }),
            Cell::Null | Cell::Date(_) | Cell::Boolean(_) => None,
        }
    }

    /// The cell as canonical text: text as it is, numbers without needless zeros; `None` if it is null or invalid UTF-8.
    #[inline]
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Cell::Null => None,
            Cell::Text(text) => std::str::from_utf8(text).ok().map(Cow::Borrowed),
            Cell::Integer(value) => Some(Cow::Owned(value.to_string())),
            Cell::Float(value) => float_text(value),
            Cell::Decimal(mantissa, scale) => Some(Cow::Owned(Number::Decimal { mantissa, scale }.text())),
            Cell::Date(days) => Some(Cow::Owned(date::text(days))),
            Cell::Boolean(value) => Some(Cow::Borrowed(if value { "true" } else { "false" })),
        }
    }

    /// The day in the cell; `None` if there is none.
    pub(crate) fn date(self) -> Option<i32> {
        match self {
            Cell::Text(text) => date::parse(text),
            Cell::Date(days) => Some(days),
            _ => None,
        }
    }

    /// The truth value in the cell; `None` unless it says true or false.
    pub(crate) fn boolean(self) -> Option<bool> {
        match self {
            Cell::Boolean(value) => Some(value),
            Cell::Text(text) if text.eq_ignore_ascii_case(b"true") => Some(true),
            Cell::Text(text) if text.eq_ignore_ascii_case(b"false") => Some(false),
            _ => None,
        }
    }

    pub(crate) fn is_null(self) -> bool {
        matches!(self, Cell::Null)
    }
}
