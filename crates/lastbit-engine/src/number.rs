//! Numbers in answers: one form for all of them, and one for losses.
//!
//! ```
//! use lastbit_engine::{Loss, Number};
//! use lastbit_real::Rational;
//!
//! let third = Number::exact(&Rational::new(1, 3).unwrap(), 4);
//! assert_eq!(serde_json::to_string(&third)?, r#"{"exact":"1/3","decimal":"0.3333"}"#);
//! assert_eq!(serde_json::to_string(&Loss::Finite(third))?, r#"{"kind":"finite","exact":"1/3","decimal":"0.3333"}"#);
//! assert_eq!(serde_json::to_string(&Loss::Infinite)?, r#"{"kind":"infinite"}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::fmt;

use lastbit_real::{Enclosure, Rational, Rounding};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Digits of the ends of a number of which not a single digit is known.
const ENDS: usize = 6;

/// A number: exact, or between two exact ends; and its decimal digits.
///
/// In JSON: `{"exact": "1/3", "decimal": "0.3333"}`, or `{"between": ["1/4", "1/2"], "decimal": "0.25..0.5"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    lower: Rational,
    upper: Rational,
    decimal: String,
}

impl Number {
    /// An exact number, its decimal rounded to nearest.
    pub fn exact(value: &Rational, digits: usize) -> Number {
        Number::rounded(value, digits, Rounding::Nearest)
    }

    /// An upper bound, its decimal rounded up.
    pub fn at_most(value: &Rational, digits: usize) -> Number {
        Number::rounded(value, digits, Rounding::Up)
    }

    /// A lower bound, its decimal rounded down.
    pub fn at_least(value: &Rational, digits: usize) -> Number {
        Number::rounded(value, digits, Rounding::Down)
    }

    /// An exact number, its decimal rounded in this way.
    pub fn rounded(value: &Rational, digits: usize, rounding: Rounding) -> Number {
        Number { lower: value.clone(), upper: value.clone(), decimal: decimal(value, digits, rounding) }
    }

    /// A number between two others. Its decimal has as many of so many digits as are known; if none is, it has both ends.
    pub fn between(lower: &Rational, upper: &Rational, digits: usize) -> Number {
        let agreed = (1..=digits).rev().find_map(|n| {
            let [lo, hi] = [lower, upper].map(|end| decimal(end, n, Rounding::Nearest));
            (lo == hi).then_some(lo)
        });
        let ends = || {
            let ends = [(lower, Rounding::Down), (upper, Rounding::Up)];
            ends.map(|(end, rounding)| decimal(end, ENDS.min(digits), rounding)).join("..")
        };
        Number { lower: lower.clone(), upper: upper.clone(), decimal: agreed.unwrap_or_else(ends) }
    }

    /// [`Number::between`] the ends of an enclosure.
    pub fn enclosed(value: &Enclosure, digits: usize) -> Number {
        Number::between(&Rational::from(value.lo()), &Rational::from(value.hi()), digits)
    }

    /// The same number with its digits as given, for callers that know more of them than the ends tell.
    pub fn with_decimal(self, decimal: String) -> Number {
        Number { decimal, ..self }
    }

    /// The number, if it is known exactly.
    pub fn value(&self) -> Option<&Rational> {
        (self.lower == self.upper).then_some(&self.lower)
    }

    /// The lower end.
    pub fn lower(&self) -> &Rational {
        &self.lower
    }

    /// The upper end.
    pub fn upper(&self) -> &Rational {
        &self.upper
    }

    /// The decimal digits.
    pub fn decimal(&self) -> &str {
        &self.decimal
    }

    /// Whether it is known to be 0.
    pub fn is_zero(&self) -> bool {
        self.upper.is_zero() && self.lower.is_zero()
    }
}

/// A number in writing: a decimal, a fraction, a hexadecimal float, or a power such as `2^-3`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<Rational, String> {
    let text = text.trim();
    if let Some(exponent) = text.strip_prefix("2^") {
        let exponent: i64 = exponent.parse().map_err(|_| format!("`{exponent}` is not a whole number"))?;
        if exponent.abs() > 5000 {
            return Err(format!("2^{exponent} is beyond all floats"));
        }
        return Ok(Rational::pow2(exponent));
    }
    text.parse().map_err(|e: lastbit_real::ParseNumberError| e.to_string())
}

/// The number as a decimal with at most this many digits; trailing zeros are left out.
pub fn decimal(value: &Rational, digits: usize, rounding: Rounding) -> String {
    let text = value.to_decimal(digits, rounding);
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    match mantissa.contains('.') && text.parse::<Rational>().as_ref() == Ok(value) {
        true => format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.')),
        false => text,
    }
}

/// The decimal digits.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.decimal)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match self.value() {
            Some(value) => map.serialize_entry("exact", &value.to_string())?,
            None => map.serialize_entry("between", &[self.lower.to_string(), self.upper.to_string()])?,
        }
        map.serialize_entry("decimal", &self.decimal)?;
        map.end()
    }
}

/// A privacy loss.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Loss {
    /// This number.
    Finite(Number),
    /// Known from below only.
    AtLeast(Number),
    /// An output that one input alone can produce.
    Infinite,
}

impl Loss {
    /// The largest number that it is known to be at least; `None` if it is infinite.
    pub fn lower(&self) -> Option<&Rational> {
        match self {
            Loss::Finite(value) | Loss::AtLeast(value) => Some(value.lower()),
            Loss::Infinite => None,
        }
    }

    /// The least number that it is known to be at most, if there is one.
    pub fn upper(&self) -> Option<&Rational> {
        match self {
            Loss::Finite(value) => Some(value.upper()),
            Loss::AtLeast(_) | Loss::Infinite => None,
        }
    }
}

/// `1.0986`, `at least 1.0986` or `infinite`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Finite(value) => f.pad(value.decimal()),
            Loss::AtLeast(value) => f.pad(&format!("at least {value}")),
            Loss::Infinite => f.pad("infinite"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i64, d: i64) -> Rational {
        Rational::new(n, d).expect("a denominator that is not 0")
    }

    #[test]
    fn bounds_are_rounded_outward() {
        assert_eq!(Number::at_most(&ratio(1, 3), 3).decimal(), "0.334");
        assert_eq!(Number::at_least(&ratio(2, 3), 3).decimal(), "0.666");
    }

    #[test]
    fn an_enclosure_shows_what_is_known() {
        assert_eq!(Number::between(&ratio(3333, 10000), &ratio(3334, 10000), 10).decimal(), "0.333");
        assert_eq!(Number::between(&ratio(1, 4), &ratio(1, 2), 10).decimal(), "0.25..0.5");
        let json = serde_json::to_value(Number::between(&ratio(1, 4), &ratio(1, 2), 10)).expect("JSON");
        assert_eq!(json["between"], serde_json::json!(["1/4", "1/2"]));
    }
}
