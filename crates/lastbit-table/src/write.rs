//! Results as Parquet files.

/// The cells of a column that is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Out {
    /// Text.
    Text(Vec<String>),
    /// Integers.
    Integer(Vec<i64>),
    /// Doubles.
    Float(Vec<f64>),
}

/// Why a result is not written as Parquet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A build without the feature.
    #[error("this build writes no Parquet files; it lacks the feature `parquet`")]
    NoParquet,
    /// What the library refuses, such as two columns of one name.
    #[error("the result cannot be written as Parquet: {0}")]
    Refused(String),
}

/// A Parquet file with these columns, as bytes.
///
/// # Errors
///
/// If columns have the same name or different lengths.
#[cfg(feature = "parquet")]
pub fn parquet_bytes(columns: &[(String, Out)]) -> Result<Vec<u8>, WriteError> {
    parquet_file::bytes(columns).map_err(|error| WriteError::Refused(error.to_string()))
}

/// Without the feature there is no Parquet.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "parquet"))]
pub fn parquet_bytes(_: &[(String, Out)]) -> Result<Vec<u8>, WriteError> {
    Err(WriteError::NoParquet)
}

#[cfg(feature = "parquet")]
mod parquet_file {
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;

    use super::Out;

    pub(super) fn bytes(columns: &[(String, Out)]) -> Result<Vec<u8>, ParquetError> {
        let fields = columns.iter().map(|(name, cells)| {
            let (physical, logical) = match cells {
                Out::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Out::Integer(_) => (Physical::INT64, None),
                Out::Float(_) => (Physical::DOUBLE, None),
            };
            let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
            Ok(Arc::new(field.with_logical_type(logical).build()?))
        });
        let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
        let schema = Arc::new(Type::group_type_builder("release").with_fields(fields).build()?);
        let mut bytes = Vec::new();
        let mut file =
            SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::builder().build()))?;
        let mut group = file.next_row_group()?;
        for (_, cells) in columns {
            let Some(mut column) = group.next_column()? else { break };
            match cells {
                Out::Text(cells) => {
                    let cells: Vec<ByteArray> = cells.iter().map(|cell| cell.as_str().into()).collect();
                    column.typed::<ByteArrayType>().write_batch(&cells, None, None)?;
                }
                Out::Integer(cells) => {
                    column.typed::<Int64Type>().write_batch(cells, None, None)?;
                }
                Out::Float(cells) => {
                    column.typed::<DoubleType>().write_batch(cells, None, None)?;
                }
            }
            column.close()?;
        }
        group.close()?;
        file.close()?;
        Ok(bytes)
    }
}
