//! Exact numbers as they are stored and shown.

use lastbit_real::{Rational, Rounding};
use serde::{Serialize, Serializer};

use crate::Error;

/// The most digits of a number, so that sums stay short and nobody fills the file with one loss.
const MOST_DIGITS: usize = 1000;

/// Digits of a decimal beside an exact number.
const DECIMALS: usize = 6;

/// A number for people and programs: the exact fraction and a decimal that errs to the safe side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Number {
    /// A fraction in lowest terms such as `1/10`, or an integer.
    pub exact: String,
    /// Six digits: rounded up where it is spent, down where it is left or a limit.
    pub decimal: String,
}

impl Number {
    pub(crate) fn up(value: &Rational) -> Number {
        Number { exact: value.to_string(), decimal: value.to_decimal(DECIMALS, Rounding::Up) }
    }

    pub(crate) fn down(value: &Rational) -> Number {
        Number { exact: value.to_string(), decimal: value.to_decimal(DECIMALS, Rounding::Down) }
    }
}

pub(crate) fn up<S: Serializer>(value: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    Number::up(value).serialize(serializer)
}

pub(crate) fn down<S: Serializer>(value: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    Number::down(value).serialize(serializer)
}

/// Refuses a number that is too long to be stored.
pub(crate) fn checked_digits(what: &'static str, value: &Rational) -> Result<(), Error> {
    let digits = value.to_string().len();
    if digits > MOST_DIGITS { Err(Error::TooLong { what, digits, most: MOST_DIGITS }) } else { Ok(()) }
}

/// The number of a text that [`Rational`] wrote; others are refused, so that each number has one text.
pub(crate) fn stored(text: &str) -> Option<Rational> {
    text.parse::<Rational>().ok().filter(|value| value.to_string() == text)
}
