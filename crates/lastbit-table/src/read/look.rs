//! The names and types of a table's columns, for whoever writes a spec.

use std::collections::BTreeSet;
use std::path::Path;

use super::TableSource;
use super::csv;
use super::files::{Files, extension, input, is_parquet, refuse_pipes};
use crate::batch::{Batch, Cell};
use crate::date;
use crate::error::TableError;
use crate::number::Number;
use crate::spec::TableSpec;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Numbers.
    Number,
    /// Dates, with or without a time.
    Date,
    /// Truth values.
    Boolean,
    /// Text.
    Text,
}

impl ColumnType {
    /// The type in a word.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Number => "number",
            ColumnType::Date => "date",
            ColumnType::Boolean => "true or false",
            ColumnType::Text => "text",
        }
    }
}

/// The sign between the cells of a CSV file, as its header looks; a comma if the file is no CSV.
///
/// # Errors
///
/// If the file cannot be read.
pub fn delimiter_of(path: &Path) -> Result<u8, TableError> {
    let spec = TableSpec::default();
    refuse_pipes(path)?;
    if extension(path) == "tsv" {
        return Ok(b'\t');
    }
    if is_parquet(path)? {
        return Ok(spec.delimiter);
    }
    let names = csv::names(path.to_owned(), input(path)?, &spec)?;
    Ok(csv::other_delimiter(&names).and_then(|sign| u8::try_from(sign).ok()).unwrap_or(spec.delimiter))
}

/// The columns of a table, with their types: as the schema of a Parquet file says, or as the first rows of a CSV file look.
///
/// # Errors
///
/// If the file cannot be read.
pub fn columns_of(path: &Path) -> Result<Vec<(String, ColumnType)>, TableError> {
    refuse_pipes(path)?;
    if is_parquet(path)? {
        #[cfg(feature = "parquet")]
        return super::parquet::columns_of(path.to_owned());
        #[cfg(not(feature = "parquet"))]
        return Err(TableError::NoParquet { path: path.to_owned() });
    }
    let spec = TableSpec { delimiter: delimiter_of(path)?, ..TableSpec::default() };
    let names = csv::names(path.to_owned(), input(path)?, &spec)?;
    if !look_like_names(&names) {
        return Err(TableError::NoHeader { path: path.to_owned() });
    }
    let mut types = vec![None; names.len()];
    let mut table = Files::one(path.to_owned(), names.clone(), spec);
    if let Some(piece) = table.next_piece()? {
        piece.decode(&mut |batch| {
            for (column, found) in types.iter_mut().enumerate() {
                *found = found.or_else(|| guess(batch, column));
            }
        })?;
    }
    Ok(names.into_iter().zip(types.into_iter().map(|found| found.unwrap_or(ColumnType::Text))).collect())
}

/// Whether these may be names of columns: a first line with empty cells, numbers, dates, line breaks or one text twice is one of data, which nobody
/// may see.
fn look_like_names(names: &[String]) -> bool {
    let is_name = |name: &String| {
        !name.trim().is_empty()
            && !name.contains(char::is_control)
            && Number::parse(name.as_bytes()).is_none()
            && date::parse(name.as_bytes()).is_none()
    };
    names.iter().all(is_name) && names.iter().collect::<BTreeSet<_>>().len() == names.len()
}

/// The type that all cells have which are not null; `None` if all are.
fn guess(batch: &Batch, column: usize) -> Option<ColumnType> {
    let mut common = None;
    for row in 0..batch.rows() {
        let Cell::Text(text) = batch.cell(column, row) else { continue };
        let found = if Number::parse(text).is_some() {
            ColumnType::Number
        } else if date::parse(text).is_some() {
            ColumnType::Date
        } else {
            ColumnType::Text
        };
        if common.is_some_and(|common| common != found) {
            return Some(ColumnType::Text);
        }
        common = Some(found);
    }
    common
}
