//! Numbers as they were given, which become floats.

use lastbit_real::{Float, Rational, Rounding};

use crate::Refusal;
use crate::refusal::cut;

/// A number as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The exact value.
    pub exact: Rational,
    text: String,
    /// Whether it says bit by bit which float it means.
    names_a_float: bool,
}

/// A type of floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FloatType {
    /// Double precision.
    #[default]
    F64,
    /// Single precision.
    F32,
}

impl FloatType {
    /// The name, as it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            FloatType::F64 => "f64",
            FloatType::F32 => "f32",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            FloatType::F64 => "a double",
            FloatType::F32 => "a single-precision float",
        }
    }
}

impl Given {
    /// A number that is rounded to the nearest float where a float is needed.
    pub fn of(exact: &Rational) -> Given {
        Given { exact: exact.clone(), text: exact.to_string(), names_a_float: false }
    }

    /// A number as it was written. A hexadecimal one says which float it means, and must be one.
    pub fn written(exact: Rational, text: &str) -> Given {
        let text = text.trim().to_owned();
        Given { exact, names_a_float: text.contains(['x', 'X']), text }
    }

    /// The float of this type nearest to it, as a double.
    ///
    /// # Errors
    /// If it is too large, or is hexadecimal and no float of this type.
    pub fn to_float(&self, name: &str, float_type: FloatType) -> Result<f64, Refusal> {
        let nearest = match float_type {
            FloatType::F64 => f64::from_rational(&self.exact, Rounding::Nearest),
            FloatType::F32 => f32::from_rational(&self.exact, Rounding::Nearest).into(),
        };
        let of_type = float_type.in_words();
        if !nearest.is_finite() {
            return Err(Refusal::usage(
                format!("{name} = {} is too large for {of_type}", cut(&self.text)),
                "give a number below the largest one",
            ));
        }
        if self.names_a_float && Rational::try_from(nearest).as_ref() != Ok(&self.exact) {
            return Err(Refusal::usage(
                format!("{name} = {} is not {of_type}", cut(&self.text)),
                format!("hexadecimal numbers are taken as they are; the nearest one is {}", nearest.to_hex()),
            ));
        }
        Ok(nearest + 0.0) // no negative zero
    }

    /// [`to_float`](Given::to_float), for what must be positive.
    ///
    /// # Errors
    /// As that, and if it is 0 or less.
    pub fn to_positive(&self, name: &str, float_type: FloatType) -> Result<f64, Refusal> {
        match self.to_float(name, float_type)? {
            positive if positive > 0.0 => Ok(positive),
            other => Err(Refusal::usage(
                format!("{name} must be positive, but is {other}"),
                "give a number such as 0.1 or 1",
            )),
        }
    }
}

/// What a finite double is.
pub(crate) fn exactly(x: f64) -> Rational {
    Rational::try_from(x).unwrap_or_default()
}

/// A double for people, and bit by bit where its digits are not its exact value.
pub(crate) fn shown(x: f64) -> String {
    let short = x.to_short();
    let is_exact = short.parse::<Rational>().is_ok_and(|short| Ok(short) == Rational::try_from(x));
    if is_exact { short } else { format!("{short} ({})", x.to_hex()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_for_people() {
        for (x, text) in [
            (372.0, "372"),
            (-0.25, "-0.25"),
            (0.1, "0.1 (0x1.999999999999ap-4)"),
            (1e300, "1e300 (0x1.7e43c8800759cp+996)"),
        ] {
            assert_eq!(shown(x), text);
        }
    }

    #[test]
    fn hexadecimal_numbers_are_floats() {
        let not_one = Given::written(Rational::ONE + Rational::pow2(-60), "0x1.0000000000000010p0");
        assert!(not_one.to_float("input", FloatType::F64).is_err());
        assert_eq!(Given::of(&not_one.exact).to_float("input", FloatType::F64).ok(), Some(1.0));
    }
}
