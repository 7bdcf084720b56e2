//! Exact numbers, in and out.

use std::str::FromStr;

use lastbit::{IBig, Rational};
use lastbit_real::Float;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};

use crate::errors::{ParameterError, UnsupportedType};

/// The number a parameter stands for, exactly: a string is read as a decimal or a fraction, and a float is the decimal that Python prints
/// for it: 0.1 is 1/10, which is what was written.
pub(crate) fn exact(name: &str, x: &Bound<'_, PyAny>) -> PyResult<Rational> {
    if let Ok(x) = x.cast::<PyFloat>() {
        let value = x.value();
        let finite = || ParameterError::new_err(format!("{name} must be a finite number, but is {value}"));
        // Like Python's, the fewest digits that stand for this double and no other.
        return if value.is_finite() { parsed(name, &value.to_short()) } else { Err(finite()) };
    }
    if let Ok(text) = x.cast::<PyString>() {
        return parsed(name, text.to_str()?);
    }
    if !x.is_instance_of::<PyBool>() {
        // Integers, numpy's too.
        if let Ok(index) = x.call_method0("__index__") {
            return Ok(Rational::from(integer(&index)?));
        }
        if x.is_instance(decimal(x.py())?)? {
            return parsed(name, x.str()?.to_str()?);
        }
        // The floats of numpy: the digits that it prints, whatever its options for printing are.
        if x.hasattr("dtype")? && x.hasattr("is_integer")? {
            let digits = x.py().import("numpy")?.call_method1("format_float_scientific", (x,))?;
            return parsed(name, &digits.extract::<String>()?.replace(".e", "e"));
        }
        // Fractions.
        if let Ok(ratio) = x.call_method0("as_integer_ratio") {
            let (numerator, denominator): (Bound<'_, PyAny>, Bound<'_, PyAny>) = ratio.extract()?;
            if let Some(value) = Rational::new(integer(&numerator)?, integer(&denominator)?) {
                return Ok(value);
            }
        }
    }
    let kind = x.get_type().name()?;
    Err(UnsupportedType::new_err(format!(
        "{name} must be a str, int, float, Fraction or Decimal, but is a {kind}"
    )))
}

/// The number a value stands for, exactly: a float is the double that it is.
pub(crate) fn value(name: &str, x: &Bound<'_, PyAny>) -> PyResult<Rational> {
    match x.cast::<PyFloat>() {
        Ok(x) => Rational::try_from(x.value()).map_err(|_| {
            ParameterError::new_err(format!("{name} must be a finite number, but is {}", x.value()))
        }),
        Err(_) => exact(name, x),
    }
}

fn parsed(name: &str, text: &str) -> PyResult<Rational> {
    Rational::from_str(text).map_err(|error| ParameterError::new_err(format!("{name} = {text:?}: {error}")))
}

/// A Python integer of any size.
pub(crate) fn integer(x: &Bound<'_, PyAny>) -> PyResult<IBig> {
    if let Ok(small) = x.extract::<i64>() {
        return Ok(IBig::from(small));
    }
    // Hexadecimal, since Python refuses long decimals.
    let digits: String = x.call_method1("__format__", ("x",))?.extract()?;
    IBig::from_str_radix(&digits, 16).map_err(|error| ParameterError::new_err(format!("{digits}: {error}")))
}

/// The same number as a Python integer.
pub(crate) fn python_integer<'py>(py: Python<'py>, x: &IBig) -> PyResult<Bound<'py, PyAny>> {
    match i64::try_from(x) {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        Err(_) => py.get_type::<PyInt>().call1((x.in_radix(16).to_string(), 16)),
    }
}

/// The same number as a `Fraction`.
pub(crate) fn fraction<'py>(py: Python<'py>, x: &Rational) -> PyResult<Bound<'py, PyAny>> {
    static FRACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = FRACTION.import(py, "fractions", "Fraction")?;
    class.call1((python_integer(py, &x.numerator())?, python_integer(py, &IBig::from(x.denominator()))?))
}

fn decimal(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DECIMAL.import(py, "decimal", "Decimal")
}
