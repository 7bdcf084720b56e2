//! Numbers as they are read: exactly what the text says, or not at all.

use lastbit::{Rational, Real};
use lastbit_real::{Float, ParseNumberError};

use crate::value::is_hexadecimal;

/// A type of number that can be read from a line, to get noise with results of type `T`.
pub(crate) trait Entry<T>: Clone {
    /// What a line is expected to be.
    const EXPECTED: &'static str;

    /// The number that the text says.
    fn parse(text: &str) -> Result<Self, Unreadable>;

    /// Whether this is a multiple of `2^exponent`.
    fn is_multiple_of_pow2(&self, exponent: i32) -> bool;

    /// The bytes that it takes beside itself.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Why a text is not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// What it is instead. Says nothing of the text but that.
    pub(crate) problem: String,
    /// More of it, with parts of the text.
    pub(crate) detail: Option<String>,
    /// What to do, if it is not to write what is expected.
    pub(crate) hint: Option<&'static str>,
}

impl Unreadable {
    fn new(problem: impl Into<String>) -> Unreadable {
        Unreadable { problem: problem.into(), detail: None, hint: None }
    }

    fn not_a_number() -> Unreadable {
        Unreadable::new("not a number")
    }

    fn beyond<T: Float>() -> Unreadable {
        Unreadable::new(format!("beyond the largest {}", T::NAME))
    }
}

/// A float in hexadecimal, which is exact or refused.
fn hexadecimal<T: Float>(text: &str) -> Result<T, Unreadable> {
    T::parse_hex(text).map_err(|error| match error {
        ParseNumberError::Inexact { type_name } => {
            Unreadable::new(format!("not exactly representable as {type_name}"))
        }
        other => Unreadable { detail: Some(other.to_string()), ..Unreadable::not_a_number() },
    })
}

/// No number needs a larger exponent, and some tests of magnitude are cheaper with a limit.
const LARGE_EXPONENT: i64 = 1000;

/// The decimal `[sign] digits [. digits] [e [sign] digits]`, with a digit before or behind the point.
fn decimal<T: Float>(text: &str) -> Result<Real, Unreadable> {
    let Some(written) = Written::parse(text) else {
        let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
        return Err(match magnitude.as_str() {
            "nan" | "inf" | "infinity" => Unreadable::new("not a finite number"),
            _ => Unreadable::not_a_number(),
        });
    };
    let real = match written.short() {
        Some((digits, places)) => Real::from_decimal(digits, places),
        None if written.is_zero => Real::from(0),
        None if written.exponent > LARGE_EXPONENT + text.len() as i64 => {
            return Err(Unreadable::beyond::<T>());
        }
        None => Real::from(text.parse::<Rational>().map_err(|error| match error {
            ParseNumberError::ExponentTooLarge { .. } => Unreadable {
                hint: Some("round it: an exponent below -100000 is not read"),
                ..Unreadable::new("closer to 0 than any number that is read")
            },
            other => Unreadable { detail: Some(other.to_string()), ..Unreadable::not_a_number() },
        })?),
    };
    if real.exceeds::<T>() { Err(Unreadable::beyond::<T>()) } else { Ok(real) }
}

/// A decimal as it stands there.
struct Written {
    /// All digits as one integer, if they are few.
    digits: Option<i64>,
    is_zero: bool,
    /// The number of them behind the point.
    places: i64,
    exponent: i64,
}

impl Written {
    /// `None` if it is no decimal.
    fn parse(text: &str) -> Option<Written> {
        let bytes = text.as_bytes();
        let (negative, bytes) = match bytes {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, bytes),
        };
        let (mut digits, mut significant) = (0u64, 0u32);
        let (mut any, mut point) = (false, None);
        let mut rest = bytes;
        while let [byte, tail @ ..] = rest {
            match byte {
                b'0'..=b'9' => {
                    // Beyond 18 digits it is not looked at.
                    digits = digits.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                    significant += u32::from(significant > 0 || *byte != b'0');
                    any = true;
                }
                b'.' if point.is_none() => point = Some(tail.len()),
                b'e' | b'E' if any => break,
                _ => return None,
            }
            rest = tail;
        }
        let places = point.map_or(0, |after| after - rest.len());
        let exponent = match rest {
            [] => 0,
            [_, exponent @ ..] => Written::exponent(exponent)?,
        };
        let digits = (significant <= 18).then_some(if negative {
            (digits as i64).wrapping_neg()
        } else {
            digits as i64
        });
        any.then_some(Written { digits, is_zero: significant == 0, places: places as i64, exponent })
    }

    /// A signed integer; one that is too large is as good as the largest.
    fn exponent(text: &[u8]) -> Option<i64> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let magnitude = digits
            .iter()
            .fold(0i64, |all, digit| all.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
        Some(if negative { -magnitude } else { magnitude })
    }

    /// The number as `digits/10^places`, if both are small.
    fn short(&self) -> Option<(i64, u8)> {
        let mut digits = self.digits?;
        let mut places = self.places.saturating_sub(self.exponent);
        if digits == 0 {
            return Some((0, 0));
        }
        while places > 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places - 1);
        }
        while places < 0 {
            (digits, places) = (digits.checked_mul(10)?, places + 1);
        }
        Some((digits, u8::try_from(places).ok()?))
    }
}

/// For mechanisms that take any real number.
macro_rules! reals {
    ($($t:ident, $expected:literal;)*) => {$(
        impl Entry<$t> for Real {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Result<Real, Unreadable> {
                if is_hexadecimal(text) {
                    let float: $t = hexadecimal(text)?;
                    return Real::try_from(float).map_err(|_| Unreadable::beyond::<$t>());
                }
                decimal::<$t>(text)
            }

            fn is_multiple_of_pow2(&self, exponent: i32) -> bool {
                self.to_exact::<f64>().is_some_and(|x| Entry::<f64>::is_multiple_of_pow2(&x, exponent))
            }

            fn heap_bytes(&self) -> usize {
                Real::heap_bytes(self)
            }
        }
    )*};
}
reals! {
    f64, "expected a finite number such as 1.5, -2e-3 or 0x1.8p3";
    f32, "expected a finite number up to the largest f32, such as 1.5, -2e-3 or 0x1.8p3";
}

/// What to do about a decimal where only floats will do.
const ONLY_FLOATS: &str = "this mechanism takes only numbers of its own type, and its claim is about those: round it yourself, and write it \
                           in hexadecimal (0x1.8p3); or use laplace, which takes any decimal";

/// For mechanisms that take floats.
macro_rules! floats {
    ($($t:ident, $expected:literal;)*) => {$(
        impl Entry<$t> for $t {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Result<$t, Unreadable> {
                if is_hexadecimal(text) {
                    return hexadecimal(text);
                }
                decimal::<$t>(text)?.to_exact().ok_or_else(|| Unreadable {
                    hint: Some(ONLY_FLOATS),
                    ..Unreadable::new(concat!("a decimal that cannot be represented exactly as ", stringify!($t)))
                })
            }

            fn is_multiple_of_pow2(&self, exponent: i32) -> bool {
                // The mantissa of a dyadic number is odd, or the number is 0.
                self.to_dyadic().is_ok_and(|x| x.is_zero() || x.exponent() >= i64::from(exponent))
            }
        }
    )*};
}
floats! {
    f64, "expected a finite number of type f64 such as 1.5, -2e3 or 0x1.8p3";
    f32, "expected a finite number of type f32 such as 1.5, -2e3 or 0x1.8p3";
}

impl Entry<i64> for i64 {
    const EXPECTED: &'static str = "expected a whole number of 64 bits such as 42 or -7";

    fn parse(text: &str) -> Result<i64, Unreadable> {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        text.parse().map_err(|e: std::num::ParseIntError| match e.kind() {
            PosOverflow | NegOverflow => Unreadable::new("beyond the range of i64"),
            _ if text.parse::<f64>().is_ok_and(f64::is_finite) => {
                Unreadable::new("not a whole number in plain digits")
            }
            _ => Unreadable::not_a_number(),
        })
    }

    fn is_multiple_of_pow2(&self, exponent: i32) -> bool {
        *self == 0 || i64::from(self.trailing_zeros()) >= i64::from(exponent)
    }
}

/// The name of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) String);

impl Entry<Label> for Label {
    const EXPECTED: &'static str = "expected a label";

    fn parse(text: &str) -> Result<Label, Unreadable> {
        if text.is_empty() { Err(Unreadable::new("empty")) } else { Ok(Label(text.to_owned())) }
    }

    /// Labels are no numbers, and nothing is declared of them.
    fn is_multiple_of_pow2(&self, _: i32) -> bool {
        true
    }

    fn heap_bytes(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(text: &str) -> Result<Rational, Unreadable> {
        <Real as Entry<f64>>::parse(text).map(|real| real.to_rational())
    }

    #[test]
    fn a_decimal_is_what_it_says() {
        let long = format!("9007199254740993.{}1", "0".repeat(400));
        let texts = [
            "0",
            "-0",
            "+7",
            "0.1",
            "-0.10",
            "1.",
            ".5",
            "1e5",
            "1E-5",
            "1.5e+3",
            "-2e-3",
            "9007199254740993",
            "123456789012345678",
            "-9223372036854775808",
            "9223372036854775808",
            "1e-400",
            "1e300",
            "1e18",
            "1e19",
            "0.000000000000000001",
            "1e-19",
            "0.12345678901234567890123",
            "12345678901234567890e-30",
            "100e-2",
            "000000000000000000000001",
            "1.7976931348623157e308",
            "0.0000000000000000000000000000000000000001",
            "179e306",
            "0e0",
            &long,
        ];
        for text in texts {
            let expected: Rational = text.parse().expect("a number");
            assert_eq!(real(text), Ok(expected), "{text}");
        }
        assert_eq!(real("0e999999999999999999999"), Ok(Rational::ZERO));
        assert_eq!(real("0x1.8p3"), Ok(Rational::from(12)));
    }

    #[test]
    fn random_decimals() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        for _ in 0..20_000 {
            let digits = format!("{:0width$}", next() >> (next() % 50), width = (next() % 25) as usize);
            let (whole, fraction) = digits.split_at((next() as usize) % (digits.len() + 1));
            let sign = ["", "-", "+"][(next() % 3) as usize];
            let mut text = format!("{sign}{whole}.{fraction}");
            if next() % 3 == 0 {
                text += &format!("e{}", next() as i64 % 60 - 30);
            }
            assert_eq!(real(&text), Ok(text.parse().expect("a number")), "{text}");
            // Rust's own idea of what a number is, and of which double is nearest.
            let nearest = real(&text).unwrap().to_f64(lastbit::Rounding::Nearest);
            assert_eq!(nearest, text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn refuses() {
        let texts = [
            "",
            "abc",
            "1,5",
            "nan",
            "-inf",
            "1e999",
            "0x",
            "0x1p99999",
            "1/3",
            "１",
            ".",
            "e5",
            "1e",
            "1e+",
            "1e5.0",
            "--1",
            "1_000",
            "1.2.3",
            "+",
            "1e99999999999999999999",
            "-1.8e308",
            "0x1.00000000000001p0",
            " 1",
            "1e-100001",
            "infinity",
            "0b1",
        ];
        for text in texts {
            assert!(real(text).is_err(), "{text}");
            assert!(<Real as Entry<f32>>::parse(text).is_err(), "{text}");
            assert!(
                <f64 as Entry<f64>>::parse(text).is_err() && <f32 as Entry<f32>>::parse(text).is_err(),
                "{text}"
            );
            assert!(<i64 as Entry<i64>>::parse(text).is_err(), "{text}");
        }
        assert!(<Real as Entry<f32>>::parse("1e39").is_err() && real("1e39").is_ok());
        assert!(<i64 as Entry<i64>>::parse("1.0").is_err());
        assert!(<i64 as Entry<i64>>::parse("9223372036854775808").is_err());
    }

    #[test]
    fn floats_take_only_floats() {
        for text in ["0.1", "9007199254740993", "1e-400", "1e23"] {
            let refused = <f64 as Entry<f64>>::parse(text).unwrap_err();
            assert_eq!(refused.hint, Some(ONLY_FLOATS), "{text}");
        }
        assert_eq!(<f64 as Entry<f64>>::parse("0.5"), Ok(0.5));
        assert_eq!(<f64 as Entry<f64>>::parse("16777217"), Ok(16_777_217.0));
        assert!(<f32 as Entry<f32>>::parse("16777217").is_err());
        assert_eq!(<f32 as Entry<f32>>::parse("-2.5e1"), Ok(-25.0));
    }

    #[test]
    fn problems_do_not_repeat_the_text() {
        for text in ["12x34", "0x1.8q3", "0x7ffz", "731.5.2", "1e999", "0x1.00000000000007p0"] {
            for refused in [
                real(text).unwrap_err(),
                <f64 as Entry<f64>>::parse(text).unwrap_err(),
                <i64 as Entry<i64>>::parse(text).unwrap_err(),
            ] {
                let told = format!("{}{}", refused.problem, refused.hint.unwrap_or_default());
                for piece in ["12", "34", "x1", "q", "z", "731", "7p", "999"] {
                    assert!(!told.replace("0x1.8p3", "").contains(piece), "{text}: {told}");
                }
            }
        }
    }

    #[test]
    fn multiples() {
        let of_float = |x: f64, j| Entry::<f64>::is_multiple_of_pow2(&x, j);
        assert!(of_float(0.0, 2000) && of_float(6.0, 1));
        assert!(Entry::<f32>::is_multiple_of_pow2(&0.75f32, -2));
        assert!(!of_float(6.0, 2) && !of_float(0.1, -50));
        assert!((-8i64).is_multiple_of_pow2(3) && !12i64.is_multiple_of_pow2(3));
    }
}
