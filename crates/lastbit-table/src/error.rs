//! Why a table could not be aggregated.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::batch::ShapeError;
use crate::plan::HeaderError;

/// Why a table could not be aggregated. Messages have places and names of columns, and never the content of a cell.
///
/// These depend on the form of the files only, and on the machine; a cell that cannot be used is null instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file that cannot be opened.
    #[error("{}: cannot be opened: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file that cannot be read to its end.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A pattern that is none.
    #[error("{pattern}: is no pattern for files: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The reason.
        reason: &'static str,
    },
    /// A pattern without files.
    #[error("{pattern}: there is no such file")]
    NoFile {
        /// The path or pattern.
        pattern: String,
    },
    /// A file that is named twice, so that its rows would count twice.
    #[error("{}: is named twice", path.display())]
    FileTwice {
        /// The file.
        path: PathBuf,
    },
    /// A file without the needed columns.
    #[error("{}: {fault}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: HeaderError,
    },
    /// A CSV file whose header is one cell with the delimiter of other files in it.
    #[error("{}: the header is a single column with {found:?} in its name: is that the delimiter?", path.display())]
    Delimiter {
        /// The file.
        path: PathBuf,
        /// The sign.
        found: char,
    },
    /// A pipe or a folder: a file is looked into before it is read, and a pipe has its content only once.
    #[error("{}: is no file that can be read twice", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A CSV file whose first line is no header.
    #[error("{}: the first line must be a header of column names in UTF-8, and lines must end with a line feed", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// A row with another number of cells than the header.
    #[error("{}, line {line}: the row has {found} cells, and the header has {expected}; check delimiter and quotes", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// The line on which the row begins, from 1.
        line: u64,
        /// The cells of the row.
        found: usize,
        /// The columns of the header.
        expected: usize,
    },
    /// A quoted cell without an end.
    #[error("{}, line {line}: a quote that opens in this row is never closed", path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// The line on which the row begins, from 1.
        line: u64,
    },
    /// A row that is too long to be one.
    #[error("{}, line {line}: the row is longer than {limit} bytes; perhaps a quote is never closed", path.display())]
    LongRow {
        /// The file.
        path: PathBuf,
        /// The line on which the row begins, from 1.
        line: u64,
        /// The bytes that a row may have.
        limit: usize,
    },
    /// A Parquet file that is damaged or truncated.
    #[error("{}: is no Parquet file, or is damaged or truncated{}", path.display(), row_group.map(|group| format!(" in row group {group}")).unwrap_or_default())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The part of the file, from 0.
        row_group: Option<usize>,
    },
    /// A Parquet column of a type that cells do not have.
    #[error("{}: column {column:?} has a type that is not supported: use numbers, text, dates, timestamps or truth values", path.display())]
    ParquetType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A Parquet file in a build without the feature.
    #[error("{}: this build reads no Parquet files; it lacks the feature `parquet`", path.display())]
    NoParquet {
        /// The file.
        path: PathBuf,
    },
    /// A Parquet file from a pipe; its end must be read first.
    #[error("standard input cannot be Parquet: give the name of the file")]
    ParquetPipe,
    /// Rows from elsewhere than files that their source does not give, or that are no cells.
    #[error("{reason}")]
    Rows {
        /// What is wrong, without the content of a cell.
        reason: String,
    },
    /// A batch with the wrong columns.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A batch with the wrong number of columns.
    #[error("a batch has {found} columns, and the plan needs {expected}")]
    Columns {
        /// The columns of the batch.
        found: usize,
        /// The columns of the plan.
        expected: usize,
    },
    /// A temporary file that cannot be written or read.
    #[error("the temporary file for rows beyond the memory limit: {source}")]
    Spill {
        /// The reason.
        source: io::Error,
    },
    /// More pairs of a unit and a group in one partition than the kernel numbers.
    #[error("a 1024th of the table has more than 2^32 - 1 pairs of a unit and a group, which is too many")]
    TooManyPairs,
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}
