//! Rows of tables that Python has: streams of Arrow's record batches, or columns in slices, which `lastbit/_rows.py` prepares.
//!
//! Nothing that a library says of a failure is passed on but its class, since its words may quote a cell.

use std::sync::{Mutex, PoisonError};

use lastbit_table::{Batch, Column, Piece, Plan, TableError, TableSource};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

use super::objects;
use crate::arrow::table::{self, StreamRows};
use crate::errors::{ParameterError, SystemFailure, UnsupportedType};

pyo3::import_exception!(lastbit.errors, Error);

/// Rows that Python has: an object with `names()`, the names of its columns if they are known, and `open(places)`, where it gives the columns
/// at these places, or all if the names are not known: as a stream, or as an iterator of streams and lists of columns, the first without rows.
pub(super) struct PythonRows {
    rows: Py<PyAny>,
    /// What was refused before anything was charged, as the exception for it.
    refused: Mutex<Option<PyErr>>,
}

impl PythonRows {
    pub(super) fn new(rows: Py<PyAny>) -> PythonRows {
        PythonRows { rows, refused: Mutex::default() }
    }

    /// Opens the rows for a plan. Their columns and types are looked at, and no rows are read.
    pub(super) fn open(&self, plan: &Plan) -> Result<Box<dyn TableSource>, TableError> {
        Python::attach(|py| {
            opened(self.rows.bind(py), plan).map_err(|error| {
                let error = explained(py, error);
                let reason = error.value(py).to_string();
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                TableError::Rows { reason }
            })
        })
    }

    /// The exception of what was refused while the rows were opened, else that of the answer.
    pub(super) fn exception(&self, otherwise: PyErr) -> PyErr {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(otherwise)
    }
}

/// An exception of this package as it is, and of others their class.
fn explained(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<Error>(py) || error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py)
    {
        return error;
    }
    let class = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    SystemFailure::new_err(format!("the rows cannot be read: their source raised {class}"))
}

fn opened(rows: &Bound<'_, PyAny>, plan: &Plan) -> PyResult<Box<dyn TableSource>> {
    let names: Option<Vec<String>> = rows.call_method0("names")?.extract()?;
    let places = names.map(|names| plan.check_header(&names)).transpose();
    let places = places.map_err(|fault| ParameterError::new_err(format!("the table: {fault}")))?;
    let opened = rows.call_method1("open", (places,))?;
    if table::is_stream(&opened)? {
        return Ok(Box::new(stream(&opened, plan.columns())?));
    }
    let mut iterator = opened.cast_into::<PyIterator>()?;
    // Without rows: types that are refused are refused before the charge.
    if let Some(first) = iterator.next() {
        let first = first?;
        if table::is_stream(&first)? {
            drop(stream(&first, plan.columns())?);
        } else {
            batch(&first, plan.columns())?;
        }
    }
    Ok(Box::new(Slices { iterator: iterator.unbind(), columns: plan.columns().to_vec(), current: None }))
}

fn stream(x: &Bound<'_, PyAny>, columns: &[String]) -> PyResult<StreamRows> {
    StreamRows::open(x, columns, &|names| lastbit_table::places(columns, names))
}

/// Rows of an iterator.
struct Slices {
    iterator: Py<PyIterator>,
    columns: Vec<String>,
    /// The stream that the iterator gave last.
    current: Option<StreamRows>,
}

impl TableSource for Slices {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        loop {
            if let Some(current) = &mut self.current {
                if let Some(piece) = current.next_piece()? {
                    return Ok(Some(piece));
                }
                self.current = None;
            }
            match Python::attach(|py| {
                let failed = |error| TableError::Rows { reason: explained(py, error).value(py).to_string() };
                self.next(py).map_err(failed)
            })? {
                None => return Ok(None),
                Some(Next::Batch(batch)) => return Ok(Some(Box::new(batch))),
                Some(Next::Stream(stream)) => self.current = Some(stream),
            }
        }
    }
}

enum Next {
    Batch(Batch),
    Stream(StreamRows),
}

impl Slices {
    fn next(&self, py: Python<'_>) -> PyResult<Option<Next>> {
        let Some(next) = self.iterator.bind(py).clone().next() else { return Ok(None) };
        let next = next?;
        Ok(Some(match table::is_stream(&next)? {
            true => Next::Stream(stream(&next, &self.columns)?),
            false => Next::Batch(batch(&next, &self.columns)?),
        }))
    }
}

/// A list of columns as cells.
fn batch(columns: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Batch> {
    let columns: Vec<Bound<'_, PyAny>> = columns.extract()?;
    let rows = match columns.first() {
        Some(column) if column.is_instance_of::<PyTuple>() => column.get_item(1)?.len()?,
        Some(column) => column.len()?,
        None => 0,
    };
    let mut batch = Batch::new(rows);
    for (column, name) in columns.iter().zip(names) {
        if let Ok((unit, column)) = column.extract::<(String, Bound<'_, PyAny>)>() {
            of_unit(&mut batch, name, &unit, &column)?;
        } else if let Ok(list) = column.cast::<PyList>() {
            objects::push(&mut batch, name, list)?;
        } else if table::is_column(column)? {
            table::push_object(&mut batch, name, column)?;
        } else {
            numbers(&mut batch, name, column)?;
        }
    }
    Ok(batch)
}

pub(super) fn shape(name: &str) -> PyErr {
    ParameterError::new_err(format!(
        "column {name:?} has another number of rows than the others, or too much text"
    ))
}

/// The values of a numpy array of this type, and of one dimension.
fn values<T: Element + Copy>(array: &Bound<'_, PyAny>) -> Option<Vec<T>> {
    let array = array.cast::<PyArray1<T>>().ok()?;
    // An empty one may lie anywhere; of others `plain` in `lastbit/_rows.py` makes aligned ones.
    if array.len().ok()? == 0 {
        return Some(Vec::new());
    }
    let is_aligned: bool = array.getattr("flags").ok()?.getattr("aligned").ok()?.extract().ok()?;
    let array = array.try_readonly().ok().filter(|_| is_aligned)?;
    Some(array.as_array().iter().copied().collect())
}

/// A numpy array of a basic type.
fn numbers(batch: &mut Batch, name: &str, array: &Bound<'_, PyAny>) -> PyResult<()> {
    macro_rules! integers {
        ($($type:ty)*) => {
            $(if let Some(values) = values::<$type>(array) {
                let cells = values.into_iter().map(|value| Some(value.into())).collect();
                return batch.push(Column::Integer(cells)).map_err(|_| shape(name));
            })*
        };
    }
    integers!(i64 i32 i16 i8 u32 u16 u8);
    let pushed = if let Some(values) = values::<f64>(array) {
        batch.push(Column::Float(values.into_iter().map(Some).collect()))
    } else if let Some(values) = values::<f32>(array) {
        batch.push_singles(values.into_iter().map(Some))
    } else if let Some(values) = values::<u64>(array) {
        let mantissas = values.into_iter().map(|value| Some(value.into())).collect();
        batch.push(Column::Decimal { mantissas, scale: 0 })
    } else if let Some(values) = values::<bool>(array) {
        batch.push(Column::Boolean(values.into_iter().map(Some).collect()))
    } else {
        return Err(unknown(name, array)?);
    };
    pushed.map_err(|_| shape(name))
}

fn unknown(name: &str, array: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let found = array.getattr("dtype").and_then(|dtype| dtype.str()).map(|dtype| dtype.to_string());
    let found = found.or_else(|_| array.get_type().name().map(|name| name.to_string()))?;
    Ok(UnsupportedType::new_err(table::unsupported(name, &found)))
}

/// A numpy array of a type that is an integer in a unit: `half`, `days`, or the ticks a second of moments.
fn of_unit(batch: &mut Batch, name: &str, unit: &str, array: &Bound<'_, PyAny>) -> PyResult<()> {
    let pushed = if unit == "half" {
        let Some(values) = values::<u16>(array) else { return Err(unknown(name, array)?) };
        batch.push_halves(values.into_iter().map(Some))
    } else {
        let Some(values) = values::<i64>(array) else { return Err(unknown(name, array)?) };
        // numpy has no other null than this one.
        let cells = values.into_iter().map(|value| Some(value).filter(|value| *value != i64::MIN));
        match unit.parse() {
            Ok(ticks) => batch.push_timestamps(cells, ticks),
            Err(_) => batch.push(Column::Date(cells.map(|cell| cell?.try_into().ok()).collect())),
        }
    };
    pushed.map_err(|_| shape(name))
}
