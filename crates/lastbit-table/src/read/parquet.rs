//! Parquet files: the needed columns only, a few thousand rows at a time.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::look::ColumnType;
use super::shared::SharedFile;
use super::{Piece, TableSource};
use crate::batch::{Batch, Column};
use crate::error::TableError;
use crate::number::wide_single;
use crate::plan::places;

/// Rows of a batch.
const ROWS: usize = 1 << 13;

/// A Parquet file.
pub(super) struct Parquet {
    shared: Arc<Shared>,
    next: usize,
}

/// What all row groups of a file share.
struct Shared {
    path: PathBuf,
    reader: SerializedFileReader<SharedFile>,
    /// For each needed column its place in the file, and what its values mean.
    columns: Vec<(usize, Meaning)>,
}

/// How the values of a column become cells.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Boolean,
    Integer,
    /// Unsigned integers, in the bits of signed ones.
    Unsigned32,
    Unsigned64,
    Decimal(u32),
    Date,
    /// Ticks a second since 1970.
    Timestamp(i64),
    Float,
    Text,
}

/// The columns of a Parquet file that cells can be read from, with their types.
pub(super) fn columns_of(path: PathBuf) -> Result<Vec<(String, ColumnType)>, TableError> {
    let file = File::open(&path).map_err(|source| TableError::Open { path: path.clone(), source })?;
    let file = SharedFile::new(file).map_err(|source| TableError::Read { path: path.clone(), source })?;
    let reader = SerializedFileReader::new(file);
    let reader = reader.map_err(|_| TableError::Parquet { path, row_group: None })?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let column = |column: &Arc<ColumnDescriptor>| {
        let [name] = column.path().parts() else { return None };
        let found = match meaning(column)? {
            Meaning::Boolean => ColumnType::Boolean,
            Meaning::Date | Meaning::Timestamp(_) => ColumnType::Date,
            Meaning::Text => ColumnType::Text,
            _ => ColumnType::Number,
        };
        (column.max_rep_level() == 0).then(|| (name.clone(), found))
    };
    Ok(schema.columns().iter().filter_map(column).collect())
}

impl Parquet {
    pub(super) fn new(path: PathBuf, needed: &[String]) -> Result<Parquet, TableError> {
        let file = File::open(&path).map_err(|source| TableError::Open { path: path.clone(), source })?;
        let file = SharedFile::new(file).map_err(|source| TableError::Read { path: path.clone(), source })?;
        let reader = SerializedFileReader::new(file);
        let reader = reader.map_err(|_| TableError::Parquet { path: path.clone(), row_group: None })?;
        let schema = reader.metadata().file_metadata().schema_descr();
        // Columns inside lists and structs have longer paths; they have no cells.
        let names: Vec<&str> = schema
            .columns()
            .iter()
            .map(|column| match column.path().parts() {
                [name] if column.max_rep_level() == 0 => name.as_str(),
                _ => "",
            })
            .collect();
        let found =
            places(needed, &names).map_err(|fault| TableError::Header { path: path.clone(), fault })?;
        let columns =
            found.into_iter().zip(needed).map(|(place, name)| match meaning(&schema.column(place)) {
                Some(meaning) => Ok((place, meaning)),
                None => Err(TableError::ParquetType { path: path.clone(), column: name.clone() }),
            });
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Parquet { shared: Arc::new(Shared { path, reader, columns }), next: 0 })
    }
}

impl TableSource for Parquet {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        let index = self.next;
        self.next += 1;
        let shared = Arc::clone(&self.shared);
        Ok((index < shared.reader.num_row_groups())
            .then(|| Box::new(RowGroup { shared, index }) as Box<dyn Piece>))
    }
}

struct RowGroup {
    shared: Arc<Shared>,
    index: usize,
}

impl Piece for RowGroup {
    fn bytes(&self) -> u64 {
        let group = self.shared.reader.metadata().row_group(self.index);
        self.shared.columns.iter().map(|column| group.column(column.0).compressed_size().max(0) as u64).sum()
    }

    fn decode(self: Box<Self>, each: &mut dyn FnMut(&Batch)) -> Result<(), TableError> {
        // The messages of the library might quote what they stumbled over.
        let damaged = || TableError::Parquet { path: self.shared.path.clone(), row_group: Some(self.index) };
        let group = self.shared.reader.get_row_group(self.index).map_err(|_| damaged())?;
        let mut left = usize::try_from(group.metadata().num_rows()).map_err(|_| damaged())?;
        let readers = self.shared.columns.iter().map(|(place, meaning)| {
            let nullable = group.metadata().column(*place).column_descr().max_def_level();
            group.get_column_reader(*place).map(|reader| (reader, *meaning, nullable))
        });
        let mut readers = readers.collect::<Result<Vec<_>, _>>().map_err(|_| damaged())?;
        while left > 0 {
            let rows = left.min(ROWS);
            let mut batch = Batch::new(rows);
            for (reader, meaning, max_level) in &mut readers {
                add_column(&mut batch, reader, *meaning, *max_level, rows).ok_or_else(damaged)?;
            }
            each(&batch);
            left -= rows;
        }
        Ok(())
    }
}

/// What the values of a column mean; `None` for types that are no cells.
fn meaning(column: &ColumnDescriptor) -> Option<Meaning> {
    let decimal = || {
        u32::try_from(column.type_scale())
            .ok()
            .filter(|&scale| scale <= 38 && column.type_precision() <= 38)
            .map(Meaning::Decimal)
    };
    let is_decimal = matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)))
        || column.converted_type() == ConvertedType::DECIMAL;
    if is_decimal {
        return decimal();
    }
    let is_unsigned =
        matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
    match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
        (Physical::BOOLEAN, ..) => Some(Meaning::Boolean),
        (Physical::INT32, Some(LogicalType::Date), _) | (Physical::INT32, _, ConvertedType::DATE) => {
            Some(Meaning::Date)
        }
        (Physical::INT32, _, ConvertedType::UINT_32) => Some(Meaning::Unsigned32),
        (Physical::INT64, _, ConvertedType::UINT_64) => Some(Meaning::Unsigned64),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MILLIS) => Some(Meaning::Timestamp(1_000)),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MICROS) => Some(Meaning::Timestamp(1_000_000)),
        (Physical::INT64, Some(LogicalType::Timestamp(timestamp)), _) => {
            Some(Meaning::Timestamp(match timestamp.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }))
        }
        (Physical::INT32 | Physical::INT64, Some(LogicalType::Time(_)), _) => None,
        (Physical::INT32, ..) if is_unsigned => Some(Meaning::Unsigned32),
        (Physical::INT64, ..) if is_unsigned => Some(Meaning::Unsigned64),
        (Physical::INT32 | Physical::INT64, ..) => Some(Meaning::Integer),
        (Physical::FLOAT | Physical::DOUBLE, ..) => Some(Meaning::Float),
        (Physical::BYTE_ARRAY, ..) => Some(Meaning::Text),
        _ => None,
    }
}

/// Reads the next rows of a column into the batch; `None` if the file is damaged.
fn add_column(
    batch: &mut Batch,
    reader: &mut ColumnReader,
    meaning: Meaning,
    max_level: i16,
    rows: usize,
) -> Option<()> {
    let column = match (reader, meaning) {
        (ColumnReader::BoolColumnReader(reader), Meaning::Boolean) => {
            Column::Boolean(cells(reader, max_level, rows)?)
        }
        (ColumnReader::Int32ColumnReader(reader), Meaning::Date) => {
            Column::Date(cells(reader, max_level, rows)?)
        }
        (ColumnReader::Int32ColumnReader(reader), Meaning::Decimal(scale)) => {
            Column::Decimal { mantissas: mapped(cells(reader, max_level, rows)?, i128::from), scale }
        }
        (ColumnReader::Int32ColumnReader(reader), Meaning::Unsigned32) => {
            Column::Integer(mapped(cells(reader, max_level, rows)?, |value| i64::from(value as u32)))
        }
        (ColumnReader::Int32ColumnReader(reader), _) => {
            Column::Integer(mapped(cells(reader, max_level, rows)?, i64::from))
        }
        (ColumnReader::Int64ColumnReader(reader), Meaning::Decimal(scale)) => {
            Column::Decimal { mantissas: mapped(cells(reader, max_level, rows)?, i128::from), scale }
        }
        (ColumnReader::Int64ColumnReader(reader), Meaning::Unsigned64) => Column::Decimal {
            mantissas: mapped(cells(reader, max_level, rows)?, |value| i128::from(value as u64)),
            scale: 0,
        },
        (ColumnReader::Int64ColumnReader(reader), Meaning::Timestamp(ticks)) => {
            return batch.push_timestamps(cells(reader, max_level, rows)?, ticks).ok();
        }
        (ColumnReader::Int64ColumnReader(reader), _) => Column::Integer(cells(reader, max_level, rows)?),
        (ColumnReader::FloatColumnReader(reader), _) => {
            Column::Float(mapped(cells(reader, max_level, rows)?, wide_single))
        }
        (ColumnReader::DoubleColumnReader(reader), _) => Column::Float(cells(reader, max_level, rows)?),
        (ColumnReader::ByteArrayColumnReader(reader), Meaning::Decimal(scale)) => {
            let bytes: Vec<Option<ByteArray>> = cells(reader, max_level, rows)?;
            Column::Decimal {
                mantissas: bytes
                    .iter()
                    .map(|bytes| bytes.as_ref().and_then(|bytes| big_endian(bytes.data())))
                    .collect(),
                scale,
            }
        }
        (ColumnReader::FixedLenByteArrayColumnReader(reader), Meaning::Decimal(scale)) => {
            let bytes = cells(reader, max_level, rows)?;
            Column::Decimal {
                mantissas: bytes
                    .iter()
                    .map(|bytes| bytes.as_ref().and_then(|bytes| big_endian(bytes.data())))
                    .collect(),
                scale,
            }
        }
        (ColumnReader::ByteArrayColumnReader(reader), Meaning::Text) => {
            let texts: Vec<Option<ByteArray>> = cells(reader, max_level, rows)?;
            return batch.push_text(texts.iter().map(|text| text.as_ref().map(ByteArray::data))).ok();
        }
        _ => return None,
    };
    batch.push(column).ok()
}

/// The next rows of a column, with nulls where they belong.
fn cells<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    max_level: i16,
    rows: usize,
) -> Option<Vec<Option<T::T>>> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut read = 0;
    while read < rows {
        let (records, ..) = reader.read_records(rows - read, Some(&mut levels), None, &mut values).ok()?;
        if records == 0 {
            return None;
        }
        read += records;
    }
    if max_level == 0 {
        return (values.len() == rows).then(|| values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    let cells =
        levels.iter().map(|level| if *level == max_level { values.next() } else { None }).collect::<Vec<_>>();
    (cells.len() == rows && values.next().is_none()).then_some(cells)
}

fn mapped<A, B>(cells: Vec<Option<A>>, with: impl Fn(A) -> B) -> Vec<Option<B>> {
    cells.into_iter().map(|cell| cell.map(&with)).collect()
}

/// A two's complement number, the highest byte first; `None` beyond 128 bits.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    let skipped = bytes.len().saturating_sub(16);
    if bytes[..skipped].iter().any(|byte| *byte != wide[0]) {
        return None;
    }
    let bytes = &bytes[skipped..];
    wide[16 - bytes.len()..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_bytes() {
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&[0x80]), Some(-128));
        assert_eq!(big_endian(&[0, 0x80]), Some(128));
        assert_eq!(big_endian(&[0xff; 20]), Some(-1));
        assert_eq!(big_endian(&[1; 20]), None);
    }
}
