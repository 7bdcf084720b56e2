//! Numbers as text: what is read and what is printed.

use std::fmt::Write;

use lastbit_real::Float;

/// A type of number that can be read from a line and printed.
pub(crate) trait Value: Copy {
    /// What a line is expected to be.
    const EXPECTED: &'static str;

    /// The number nearest to the text (ties to even), or what is wrong with it. Ensures: finite.
    fn parse(text: &str) -> Result<Self, String>;

    /// Appends the fewest digits that read back as the same number.
    fn print(self, out: &mut String);

    /// The number in hexadecimal; `None` for types that are not floats.
    fn to_hex(self) -> Option<String>;

    /// Whether this is a multiple of `2^exponent`.
    fn is_multiple_of_pow2(self, exponent: i32) -> bool;

    /// Different for different numbers.
    fn bits(self) -> u64;
}

fn is_hexadecimal(text: &str) -> bool {
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text);
    magnitude.starts_with("0x") || magnitude.starts_with("0X")
}

macro_rules! float {
    ($($t:ident, $expected:literal;)*) => {$(
        impl Value for $t {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Result<$t, String> {
                if is_hexadecimal(text) {
                    return Float::parse_hex(text).map_err(|e| e.to_string());
                }
                let value: $t = text.parse().map_err(|_| "not a number".to_owned())?;
                if value.is_finite() {
                    Ok(value)
                } else if text.contains(|c: char| c.is_ascii_digit()) {
                    Err(format!("beyond the largest {}", Self::NAME))
                } else {
                    Err("not a finite number".to_owned())
                }
            }

            fn print(self, out: &mut String) {
                out.push_str(&self.to_short());
            }

            fn to_hex(self) -> Option<String> {
                Some(Float::to_hex(self))
            }

            fn is_multiple_of_pow2(self, exponent: i32) -> bool {
                // The mantissa of a dyadic number is odd, or the number is 0.
                self.to_dyadic().is_ok_and(|x| x.is_zero() || x.exponent() >= i64::from(exponent))
            }

            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
        }
    )*};
}
float! {
    f64, "expected a finite number such as 1.5, -2e-3 or 0x1.8p3";
    f32, "expected a finite number of type f32 such as 1.5, -2e-3 or 0x1.8p3";
}

impl Value for i64 {
    const EXPECTED: &'static str = "expected a whole number of 64 bits such as 42 or -7";

    fn parse(text: &str) -> Result<i64, String> {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        text.parse().map_err(|e: std::num::ParseIntError| match e.kind() {
            PosOverflow | NegOverflow => "beyond the range of i64".to_owned(),
            _ if text.parse::<f64>().is_ok_and(f64::is_finite) => {
                "not a whole number in plain digits".to_owned()
            }
            _ => "not a number".to_owned(),
        })
    }

    fn print(self, out: &mut String) {
        write!(out, "{self}").expect("a string takes any text");
    }

    fn to_hex(self) -> Option<String> {
        None
    }

    fn is_multiple_of_pow2(self, exponent: i32) -> bool {
        self == 0 || i64::from(self.trailing_zeros()) >= i64::from(exponent)
    }

    fn bits(self) -> u64 {
        self as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed<T: Value>(value: T) -> String {
        let mut text = String::new();
        value.print(&mut text);
        text
    }

    #[test]
    fn shortest_and_short() {
        let cases =
            [(0.0, "0"), (-0.0, "-0"), (1000.0, "1000"), (0.1, "0.1"), (1e300, "1e300"), (1.5e-7, "1.5e-7")];
        for (value, text) in cases {
            assert_eq!(printed(value), text);
        }
        assert_eq!(printed(0.1f32), "0.1");
        assert_eq!(printed(f64::MIN_POSITIVE), "2.2250738585072014e-308");
        assert_eq!(printed(i64::MIN), "-9223372036854775808");
    }

    #[test]
    fn reads_back() {
        let mut bits = 1u64;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (double, single) = (f64::from_bits(bits), f32::from_bits((bits >> 32) as u32));
            if double.is_finite() {
                assert_eq!(f64::parse(&printed(double)).map(f64::to_bits), Ok(bits));
                assert!(printed(double).len() <= 24);
            }
            if single.is_finite() {
                assert_eq!(f32::parse(&printed(single)).map(f32::to_bits), Ok(single.to_bits()));
            }
        }
    }

    #[test]
    fn reads_the_nearest() {
        // 2^53 + 1 is a tie; a digit far behind it breaks it.
        assert_eq!(f64::parse("9007199254740993"), Ok(9007199254740992.0));
        let above = format!("9007199254740993.{}1", "0".repeat(400));
        assert_eq!(f64::parse(&above), Ok(9007199254740994.0));
        assert_eq!(f64::parse("0x1.8p3"), Ok(12.0));
        assert_eq!(f64::parse("1e-400"), Ok(0.0));
    }

    #[test]
    fn refuses() {
        for text in ["", "abc", "1,5", "nan", "-inf", "1e999", "0x", "0x1p99999", "1/3", "１"] {
            assert!(f64::parse(text).is_err(), "{text}");
            assert!(f32::parse(text).is_err(), "{text}");
            assert!(i64::parse(text).is_err(), "{text}");
        }
        assert!(f32::parse("1e39").is_err());
        assert!(i64::parse("1.0").is_err());
        assert!(i64::parse("9223372036854775808").is_err());
    }

    #[test]
    fn multiples() {
        assert!(
            0.0.is_multiple_of_pow2(2000) && 6.0.is_multiple_of_pow2(1) && 0.75f32.is_multiple_of_pow2(-2)
        );
        assert!(!6.0.is_multiple_of_pow2(2) && !0.1.is_multiple_of_pow2(-50));
        assert!((-8i64).is_multiple_of_pow2(3) && !12i64.is_multiple_of_pow2(3));
    }
}
