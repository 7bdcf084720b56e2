//! Columns that are lists of Python's own values.

use lastbit_table::{Batch, Column};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyType};

use super::rows::shape;
use crate::arrow::table::unsupported;
use crate::errors::UnsupportedType;

/// A value, with what a column of it is.
enum Value {
    Null,
    /// A float that is no number; null among texts, as pandas has it.
    NotANumber,
    Boolean(bool),
    Integer(i64),
    /// An integer beyond 64 bits, or a decimal: in digits.
    Digits(String),
    Float(f64),
    Text(Vec<u8>),
    Date(i32),
    /// In microseconds since 1970.
    Moment(i64),
}

/// What a column is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sort {
    Truth,
    Number,
    Text,
    Date,
    Moment,
}

impl Value {
    fn sort(&self) -> Option<(Sort, &'static str)> {
        Some(match self {
            Value::Null | Value::NotANumber => return None,
            Value::Boolean(_) => (Sort::Truth, "bool"),
            Value::Integer(_) | Value::Digits(_) | Value::Float(_) => (Sort::Number, "numbers"),
            Value::Text(_) => (Sort::Text, "text"),
            Value::Date(_) => (Sort::Date, "dates"),
            Value::Moment(_) => (Sort::Moment, "moments in time"),
        })
    }
}

/// Adds a list to the batch. All its values must be of one sort, or null.
pub(super) fn push(batch: &mut Batch, name: &str, list: &Bound<'_, PyList>) -> PyResult<()> {
    let values = list.iter().map(|x| value(name, &x)).collect::<PyResult<Vec<Value>>>()?;
    let mut sorts = values.iter().filter_map(Value::sort);
    let sort = sorts.next();
    if let Some((sort, first)) = sort
        && let Some((_, other)) = sorts.find(|(other, _)| *other != sort)
    {
        return Err(UnsupportedType::new_err(unsupported(name, &format!("{first} mixed with {other}"))));
    }
    let pushed = match sort.map(|(sort, _)| sort) {
        None => batch.push_text(values.iter().map(|_| None)),
        Some(Sort::Truth) => batch.push(Column::Boolean(
            values
                .iter()
                .map(|value| if let Value::Boolean(truth) = value { Some(*truth) } else { None })
                .collect(),
        )),
        Some(Sort::Number) => return numbers(batch, name, &values),
        Some(Sort::Text) => batch.push_text(
            values
                .iter()
                .map(|value| if let Value::Text(text) = value { Some(text.as_slice()) } else { None }),
        ),
        Some(Sort::Date) => batch.push(Column::Date(
            values.iter().map(|value| if let Value::Date(day) = value { Some(*day) } else { None }).collect(),
        )),
        Some(Sort::Moment) => batch.push_timestamps(
            values.iter().map(|value| if let Value::Moment(moment) = value { Some(*moment) } else { None }),
            MICROSECONDS,
        ),
    };
    pushed.map_err(|_| shape(name))
}

/// Microseconds of a second.
const MICROSECONDS: i64 = 1_000_000;

/// Integers, or floats, or decimals in digits; floats are not mixed with what they may round.
fn numbers(batch: &mut Batch, name: &str, values: &[Value]) -> PyResult<()> {
    /// Integers up to here are floats, too.
    const EXACT: u64 = 1 << 53;
    let has = |is: fn(&Value) -> bool| values.iter().any(is);
    let pushed = if has(|value| matches!(value, Value::Float(_))) {
        let float = |value: &Value| match value {
            Value::Float(float) => Ok(Some(*float)),
            Value::Integer(integer) if integer.unsigned_abs() <= EXACT => Ok(Some(*integer as f64)),
            Value::Integer(_) | Value::Digits(_) => Err(UnsupportedType::new_err(unsupported(
                name,
                "floats mixed with decimals or large integers",
            ))),
            _ => Ok(None),
        };
        batch.push(Column::Float(values.iter().map(float).collect::<PyResult<_>>()?))
    } else if has(|value| matches!(value, Value::Digits(_))) {
        let digits = |value: &Value| match value {
            Value::Digits(digits) => Some(digits.clone()),
            Value::Integer(integer) => Some(integer.to_string()),
            _ => None,
        };
        let texts: Vec<Option<String>> = values.iter().map(digits).collect();
        batch.push_text(texts.iter().map(|text| text.as_ref().map(String::as_bytes)))
    } else {
        batch.push(Column::Integer(
            values
                .iter()
                .map(|value| if let Value::Integer(integer) = value { Some(*integer) } else { None })
                .collect(),
        ))
    };
    pushed.map_err(|_| shape(name))
}

fn value(name: &str, x: &Bound<'_, PyAny>) -> PyResult<Value> {
    if x.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = x.cast::<PyString>() {
        // Half of a surrogate pair is no text, which is null as in files.
        return Ok(text.to_str().map_or(Value::Null, |text| Value::Text(text.as_bytes().to_vec())));
    }
    if let Ok(float) = x.cast::<PyFloat>() {
        return Ok(float_of(float.value()));
    }
    if let Ok(truth) = x.cast::<PyBool>() {
        return Ok(Value::Boolean(truth.is_true()));
    }
    if x.is_instance_of::<PyInt>() {
        return integer(x);
    }
    if let Ok(bytes) = x.cast::<PyBytes>() {
        return Ok(Value::Text(bytes.as_bytes().to_vec()));
    }
    let class = x.get_type().name()?.to_string();
    match class.as_str() {
        "NAType" | "NaTType" => return Ok(Value::Null),
        "Decimal" => return decimal(x),
        "bool" | "bool_" => return Ok(Value::Boolean(x.is_truthy()?)),
        _ => {}
    }
    static MOMENT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if x.is_instance(MOMENT.import(x.py(), "datetime", "datetime")?)? {
        return moment(x);
    }
    if x.is_instance(DATE.import(x.py(), "datetime", "date")?)? {
        return Ok(Value::Date(day(x)?));
    }
    // The numbers of numpy.
    if x.hasattr("dtype")? {
        if let Ok(index) = x.call_method0("__index__") {
            return integer(&index);
        }
        if class == "float32" {
            let float: f32 = x.extract()?;
            return Ok(float_of(format!("{float:e}").parse().unwrap_or(f64::NAN)));
        }
    }
    Err(UnsupportedType::new_err(unsupported(name, &class)))
}

fn float_of(value: f64) -> Value {
    if value.is_nan() { Value::NotANumber } else { Value::Float(value) }
}

/// Digits of numbers that are read; longer ones are null in files, too.
const MOST_DIGITS: usize = 1000;

fn integer(x: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(integer) = x.extract::<i64>() {
        return Ok(Value::Integer(integer));
    }
    let bits: usize = x.call_method0("bit_length")?.extract()?;
    // More bits than so many digits have.
    if bits > MOST_DIGITS * 4 {
        return Ok(Value::Null);
    }
    Ok(Value::Digits(x.str()?.to_string()))
}

/// A decimal in digits, without needless zeros.
fn decimal(x: &Bound<'_, PyAny>) -> PyResult<Value> {
    let is_finite: bool = x.call_method0("is_finite")?.extract()?;
    let exponent: i64 = if is_finite { x.call_method0("adjusted")?.extract()? } else { 0 };
    if !is_finite || exponent.unsigned_abs() as usize > MOST_DIGITS {
        return Ok(Value::Null);
    }
    let mut digits: String = x.call_method1("__format__", ("f",))?.extract()?;
    if digits.contains('.') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    Ok(Value::Digits(if digits == "-0" { "0".to_owned() } else { digits }))
}

/// The days since 1970.
fn day(x: &Bound<'_, PyAny>) -> PyResult<i32> {
    /// From the first day of Python.
    const DAYS_BEFORE_1970: i32 = 719_163;
    Ok(x.call_method0("toordinal")?.extract::<i32>()? - DAYS_BEFORE_1970)
}

/// A day with its time, in UTC if it says its zone.
fn moment(x: &Bound<'_, PyAny>) -> PyResult<Value> {
    let mut x = x.clone();
    if !x.getattr("tzinfo")?.is_none() {
        let zone = x.py().import("datetime")?.getattr("timezone")?.getattr("utc")?;
        x = x.call_method1("astimezone", (zone,))?;
    }
    let part = |name: &str| x.getattr(name)?.extract::<i64>();
    let seconds = part("hour")? * 3600 + part("minute")? * 60 + part("second")?;
    Ok(Value::Moment((i64::from(day(&x)?) * 86_400 + seconds) * MICROSECONDS + part("microsecond")?))
}
