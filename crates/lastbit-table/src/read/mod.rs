//! Tables in files, and the interface by which other libraries give theirs.

mod csv;
mod files;
mod look;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod shared;
mod split;

use std::path::Path;

pub use files::{files, open};
pub(crate) use files::{is_among, is_table, whole_file};
pub use look::{ColumnType, columns_of, delimiter_of};

use crate::batch::Batch;
use crate::error::TableError;
use crate::spec::TableSpec;

/// A table that is read once, piece by piece.
///
/// Pieces are taken by one thread at a time and decoded by many. The rows may come in any order and in pieces of any size: the result is the same.
pub trait TableSource: Send {
    /// The next piece, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the table cannot be read.
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError>;
}

/// A part of a table that can be decoded on its own.
pub trait Piece: Send {
    /// Bytes of the source that this piece stands for, for progress.
    fn bytes(&self) -> u64;

    /// Gives the rows, in one batch or several, with the columns of the plan in its order.
    ///
    /// # Errors
    ///
    /// If the piece is malformed.
    fn decode(self: Box<Self>, each: &mut dyn FnMut(&Batch)) -> Result<(), TableError>;
}

impl Piece for Batch {
    fn bytes(&self) -> u64 {
        0
    }

    fn decode(self: Box<Self>, each: &mut dyn FnMut(&Batch)) -> Result<(), TableError> {
        each(&self);
        Ok(())
    }
}

/// Batches that are made elsewhere, such as from a stream of Arrow data.
impl<I: Iterator<Item = Result<Batch, TableError>> + Send> TableSource for I {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        Ok(self.next().transpose()?.map(|batch| Box::new(batch) as Box<dyn Piece>))
    }
}

/// Calls `each` with all batches of a public file.
pub(crate) fn each_batch(
    path: &Path,
    columns: &[String],
    mut each: impl FnMut(&Batch),
) -> Result<(), TableError> {
    let mut source = files::Files::one(path.to_owned(), columns.to_vec(), TableSpec::default());
    while let Some(piece) = source.next_piece()? {
        piece.decode(&mut each)?;
    }
    Ok(())
}
