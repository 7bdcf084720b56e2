//! Reading numbers exactly: decimals, fractions of integers, C99 hexadecimal floats.

use dashu_int::{IBig, UBig};
use thiserror::Error;

use crate::Rational;

/// Largest magnitude of a written exponent. `1e100000` takes 40 kB; a larger one in a short string
/// would be a way to exhaust memory.
const MAX_EXPONENT: i64 = 100_000;

/// The reason that a string is not a number that can be read exactly.
///
/// Positions are byte offsets into the string.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseNumberError {
    /// The string is empty.
    #[error("empty string; expected a number such as 0.1, 1/10, 1e-3 or 0x1.8p-3")]
    Empty,
    /// The string spells a NaN or an infinity.
    #[error("not a finite number; NaN and infinities have no exact value")]
    NotFinite,
    /// A character that cannot stand where it stands.
    #[error("unexpected {found:?} at byte {position}; expected {expected}")]
    Unexpected {
        /// The character.
        found: char,
        /// The byte position in the string.
        position: usize,
        /// The characters that could have been there.
        expected: &'static str,
    },
    /// The string stops too early.
    #[error("the number is not complete at byte {position}; expected {expected}")]
    Incomplete {
        /// The length of the string.
        position: usize,
        /// A description of what is missing.
        expected: &'static str,
    },
    /// A fraction `n/0`.
    #[error("the denominator at byte {position} is zero")]
    ZeroDenominator {
        /// The byte position of the denominator.
        position: usize,
    },
    /// The exponent is out of the range that is safe to expand.
    #[error("the exponent at byte {position} is beyond the limit of ±100000")]
    ExponentTooLarge {
        /// The byte position of the exponent.
        position: usize,
    },
    /// A well-formed number that the float type cannot hold exactly.
    #[error("not exactly representable as {type_name}; it would have to be rounded")]
    Inexact {
        /// `"f32"` or `"f64"`.
        type_name: &'static str,
    },
}

/// A number as written: the sign is kept apart so that a float can be a negative zero.
pub(crate) struct Literal {
    pub(crate) negative: bool,
    pub(crate) magnitude: Rational,
}

impl From<Literal> for Rational {
    fn from(literal: Literal) -> Rational {
        if literal.negative { -literal.magnitude } else { literal.magnitude }
    }
}

/// Reads `[sign] (decimal | integer "/" integer | hexadecimal float)`; nothing else may surround it.
pub(crate) fn number(text: &str) -> Result<Literal, ParseNumberError> {
    let mut cursor = Cursor { text, position: 0 };
    let negative = cursor.start()?;
    let magnitude = if cursor.skip_prefix("0x") || cursor.skip_prefix("0X") {
        cursor.hexadecimal()?
    } else {
        cursor.decimal_or_fraction()?
    };
    cursor.end()?;
    Ok(Literal { negative, magnitude })
}

/// Reads `[sign] hexadecimal float`; nothing else may surround it.
pub(crate) fn hex_float(text: &str) -> Result<Literal, ParseNumberError> {
    let mut cursor = Cursor { text, position: 0 };
    let negative = cursor.start()?;
    if !cursor.skip_prefix("0x") && !cursor.skip_prefix("0X") {
        return Err(cursor.expected("0x"));
    }
    let magnitude = cursor.hexadecimal()?;
    cursor.end()?;
    Ok(Literal { negative, magnitude })
}

/// `digits · radix^-fraction_digits`, as written.
struct Digits {
    value: UBig,
    fraction_digits: usize,
    has_point: bool,
}

struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl Cursor<'_> {
    /// Reads the sign; refuses the empty string and the spellings of non-finite numbers.
    ///
    /// Ensures: true iff there was a minus sign.
    fn start(&mut self) -> Result<bool, ParseNumberError> {
        if self.text.is_empty() {
            return Err(ParseNumberError::Empty);
        }
        let negative = self.skip_prefix("-");
        if !negative {
            self.skip_prefix("+");
        }
        let word = self.rest().to_ascii_lowercase();
        match word.as_str() {
            "nan" | "inf" | "infinity" => Err(ParseNumberError::NotFinite),
            _ => Ok(negative),
        }
    }

    fn decimal_or_fraction(&mut self) -> Result<Rational, ParseNumberError> {
        let digits = self.digits(10, "a digit")?;
        if !digits.has_point && self.skip_prefix("/") {
            return self.fraction_of(digits.value);
        }
        let exponent = if self.skip_prefix("e") || self.skip_prefix("E") { self.exponent()? } else { 0 };
        Ok(scale(digits.value, &UBig::from(10u8), exponent, digits.fraction_digits))
    }

    fn fraction_of(&mut self, numerator: UBig) -> Result<Rational, ParseNumberError> {
        let position = self.position;
        let denominator = self.integer("the digits of the denominator")?;
        Rational::new(numerator, denominator).ok_or(ParseNumberError::ZeroDenominator { position })
    }

    fn hexadecimal(&mut self) -> Result<Rational, ParseNumberError> {
        let digits = self.digits(16, "a hexadecimal digit")?;
        let exponent = if self.skip_prefix("p") || self.skip_prefix("P") { self.exponent()? } else { 0 };
        Ok(scale(digits.value, &UBig::from(2u8), exponent, 4 * digits.fraction_digits))
    }

    /// Reads digits with at most one point among them and at least one digit.
    fn digits(&mut self, radix: u32, expected: &'static str) -> Result<Digits, ParseNumberError> {
        let mut written = self.take_digits(radix).to_owned();
        let has_point = self.skip_prefix(".");
        let mut fraction_digits = 0;
        if has_point {
            let fraction = self.take_digits(radix);
            fraction_digits = fraction.len();
            written.push_str(fraction);
        }
        let value = UBig::from_str_radix(&written, radix).map_err(|_| self.expected(expected))?;
        Ok(Digits { value, fraction_digits, has_point })
    }

    fn integer(&mut self, expected: &'static str) -> Result<UBig, ParseNumberError> {
        UBig::from_str_radix(self.take_digits(10), 10).map_err(|_| self.expected(expected))
    }

    /// Reads a signed decimal exponent.
    ///
    /// Ensures: its magnitude is at most [`MAX_EXPONENT`].
    fn exponent(&mut self) -> Result<i64, ParseNumberError> {
        let position = self.position;
        let negative = self.skip_prefix("-");
        if !negative {
            self.skip_prefix("+");
        }
        let magnitude = self.integer("the digits of the exponent")?;
        match i64::try_from(magnitude) {
            Ok(magnitude) if magnitude <= MAX_EXPONENT => Ok(if negative { -magnitude } else { magnitude }),
            _ => Err(ParseNumberError::ExponentTooLarge { position }),
        }
    }

    fn end(&self) -> Result<(), ParseNumberError> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the number")) }
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn skip_prefix(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    fn take_digits(&mut self, radix: u32) -> &str {
        let start = self.position;
        self.position += self.rest().chars().take_while(|c| c.is_digit(radix)).count();
        &self.text[start..self.position]
    }

    fn expected(&self, expected: &'static str) -> ParseNumberError {
        let position = self.position;
        match self.rest().chars().next() {
            Some(found) => ParseNumberError::Unexpected { found, position, expected },
            None => ParseNumberError::Incomplete { position, expected },
        }
    }
}

/// Ensures: `value · base^(exponent - fraction_digits)`.
fn scale(value: UBig, base: &UBig, exponent: i64, fraction_digits: usize) -> Rational {
    let up = usize::try_from(exponent).unwrap_or(0);
    let down = usize::try_from(-exponent).unwrap_or(0) + fraction_digits;
    let common = up.min(down);
    Rational::from_parts(IBig::from(value * base.pow(up - common)), base.pow(down - common))
}
