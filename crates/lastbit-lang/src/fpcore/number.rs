//! Numbers and named constants.

use lastbit_real::{Dyadic, Rational, Rounding};

use crate::{Diagnostic, NodeId, Op, Span};

/// Larger exponents are refused: the number is kept exactly, and a short text must not fill the memory.
const MAX_EXPONENT: u32 = 2_000;

/// Reads a decimal, a fraction or a hexadecimal float.
pub(super) fn read(text: &str, span: Span) -> Result<Rational, Diagnostic> {
    let exponent_mark = if text.contains(['x', 'X']) { ['p', 'P'] } else { ['e', 'E'] };
    if let Some((_, exponent)) = text.split_once(exponent_mark) {
        let digits = exponent.trim_start_matches(['+', '-']);
        let is_large = digits.parse::<u32>().map_or(digits.len() > 1, |exponent| exponent > MAX_EXPONENT);
        if is_large && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("the exponent of {text} is beyond ±{MAX_EXPONENT}");
            return Err(Diagnostic::new(span, message));
        }
    }
    text.parse().map_err(|error| Diagnostic::new(span, format!("{text} is not a number: {error}")))
}

/// An operation on one node.
type Function = fn(NodeId) -> Op;

/// The number that a constant is the image of, and the function: with a correctly rounded library its float is the rounded
/// constant, with another one it errs as the library does.
pub(super) fn constant(name: &str) -> Option<(Rational, Function)> {
    Some(match name {
        "E" => (Rational::ONE, Op::Exp),
        "LN2" => (Rational::from(2), Op::Ln),
        "LN10" => (Rational::from(10), Op::Ln),
        "SQRT2" => (Rational::from(2), Op::Sqrt),
        "SQRT1_2" => (Rational::pow2(-1), Op::Sqrt),
        _ => return None,
    })
}

/// Whether FPCore gives the name a meaning of its own.
pub(super) fn is_reserved(name: &str) -> bool {
    constant(name).is_some() || is_unsupported_constant(name) || matches!(name, "TRUE" | "FALSE")
}

/// The constants of FPCore that one correctly rounded operation does not give.
pub(super) fn is_unsupported_constant(name: &str) -> bool {
    matches!(
        name,
        "LOG2E" | "LOG10E" | "PI" | "PI_2" | "PI_4" | "M_1_PI" | "M_2_PI" | "M_2_SQRTPI" | "INFINITY" | "NAN"
    )
}

/// Writes a number exactly: a short decimal, else a fraction, else (a float with a far exponent) in hexadecimal.
pub(super) fn write(value: &Rational) -> String {
    /// Longer integers are written with an exponent where that is shorter.
    const INTEGER_LENGTH: usize = 8;
    /// Enough for the decimals that people write.
    const DECIMAL_DIGITS: usize = 17;
    /// A fraction longer than this is not read by people.
    const FRACTION_LENGTH: usize = 40;

    let full = value.to_string();
    if value.is_integer() && full.len() <= INTEGER_LENGTH {
        return full;
    }
    let is_value = |text: &String| text.parse::<Rational>().is_ok_and(|number| number == *value);
    if is_value(&value.to_decimal(DECIMAL_DIGITS, Rounding::Nearest)) {
        let mut decimals = (1..=DECIMAL_DIGITS).map(|digits| value.to_decimal(digits, Rounding::Nearest));
        return decimals.find(is_value).unwrap_or(full);
    }
    match Dyadic::try_from(value) {
        Ok(dyadic) if full.len() > FRACTION_LENGTH => {
            let sign = if dyadic.is_negative() { "-" } else { "" };
            format!("{sign}0x{}p{}", dyadic.abs().mantissa().in_radix(16), dyadic.exponent())
        }
        _ => full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_exactly() {
        let cases = [
            ("0", "0"),
            ("-3", "-3"),
            ("0.1", "0.1"),
            ("1/3", "1/3"),
            ("-25/10", "-2.5"),
            ("1000000", "1000000"),
            ("1e30", "1e30"),
            ("0x1p-1074", "0x1p-1074"),
            ("-0x1.fffffffffffffp1023", "-0x1fffffffffffffp971"),
            ("1.3806503e-23", "1.3806503e-23"),
        ];
        for (text, expected) in cases {
            let value: Rational = text.parse().expect("a number");
            assert_eq!(write(&value), expected);
            assert_eq!(read(expected, Span::default()).expect("it is written as a number"), value);
        }
    }

    #[test]
    fn far_exponents_are_refused() {
        for text in ["1e2001", "1e-99999999999", "0x1p5000"] {
            assert!(read(text, Span::default()).expect_err(text).message.contains("beyond"));
        }
        for text in ["1e", "1e+", "2/0", "1.2.3", "0x"] {
            assert!(read(text, Span::default()).expect_err(text).message.contains("not a number"));
        }
        assert!(read("1e2000", Span::default()).is_ok());
    }
}
