//! Numbers that become floats.

use std::str::FromStr;

use lastbit::{Rational, Rounding};
use lastbit_real::Float;

use super::args::FloatType;
use crate::error::{Error, cut};
use crate::prove::args::number;

/// A number as it was given.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) exact: Rational,
    text: String,
}

impl FromStr for Given {
    type Err = String;
    fn from_str(text: &str) -> Result<Given, String> {
        Ok(Given { exact: number(text)?, text: text.trim().to_owned() })
    }
}

impl Given {
    fn is_hexadecimal(&self) -> bool {
        self.text.contains(['x', 'X'])
    }

    /// The float of this type nearest to it, as a double. Hexadecimal numbers say which float they mean, and must be one.
    pub(crate) fn to_float(&self, name: &str, float_type: FloatType) -> Result<f64, Error> {
        let nearest = match float_type {
            FloatType::F64 => f64::from_rational(&self.exact, Rounding::Nearest),
            FloatType::F32 => f32::from_rational(&self.exact, Rounding::Nearest).into(),
        };
        let of_type = match float_type {
            FloatType::F64 => "a double",
            FloatType::F32 => "a single-precision float",
        };
        if !nearest.is_finite() {
            return Err(Error::usage(
                format!("{name} = {} is too large for {of_type}", cut(&self.text)),
                "give a number below the largest one",
            ));
        }
        if self.is_hexadecimal() && Rational::try_from(nearest).as_ref() != Ok(&self.exact) {
            return Err(Error::usage(
                format!("{name} = {} is not {of_type}", cut(&self.text)),
                format!("hexadecimal numbers are taken as they are; the nearest one is {}", nearest.to_hex()),
            ));
        }
        Ok(nearest + 0.0) // no negative zero
    }
}

/// A double for people, and bit by bit where its digits are not its exact value.
pub(crate) fn shown(x: f64) -> String {
    let short = x.to_short();
    let is_exact = short.parse::<Rational>().is_ok_and(|short| Ok(short) == Rational::try_from(x));
    if is_exact { short } else { used(x) }
}

/// A double that was given, and bit by bit what is computed with.
pub(crate) fn used(x: f64) -> String {
    format!("{} ({})", x.to_short(), x.to_hex())
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
}
