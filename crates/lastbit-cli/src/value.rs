//! Numbers as text: what is printed, and the one place where a number is rounded when it is read.

use std::fmt::Write;
use std::str::FromStr;

use lastbit_real::Float;

/// A type of number that results have.
pub(crate) trait Value: Copy + Default + FromStr {
    /// Appends the fewest digits that read back as the same number.
    fn print(self, out: &mut String);

    /// The number in hexadecimal; `None` for types that are not floats.
    fn to_hex(self) -> Option<String>;
}

pub(crate) fn is_hexadecimal(text: &str) -> bool {
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text);
    magnitude.starts_with("0x") || magnitude.starts_with("0X")
}

/// The double nearest to the text (ties to even), or what is wrong with it. Ensures: finite.
///
/// For samples of others' noise, which is made of doubles. Values that get noise are read exactly: see [`entry`](crate::entry).
pub(crate) fn nearest(text: &str) -> Result<f64, String> {
    if is_hexadecimal(text) {
        return Float::parse_hex(text).map_err(|e| e.to_string());
    }
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() {
        Ok(value)
    } else if text.contains(|c: char| c.is_ascii_digit()) {
        Err("beyond the largest f64".to_owned())
    } else {
        Err("not a finite number".to_owned())
    }
}

macro_rules! float {
    ($($t:ident),*) => {$(
        impl Value for $t {
            fn print(self, out: &mut String) {
                out.push_str(&self.to_short());
            }

            fn to_hex(self) -> Option<String> {
                Some(Float::to_hex(self))
            }
        }
    )*};
}
float!(f64, f32);

impl Value for i64 {
    fn print(self, out: &mut String) {
        write!(out, "{self}").expect("a string takes any text");
    }

    fn to_hex(self) -> Option<String> {
        None
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
                assert_eq!(nearest(&printed(double)).map(f64::to_bits), Ok(bits));
                assert!(printed(double).len() <= 24);
            }
            if single.is_finite() {
                assert_eq!(printed(single).parse::<f32>().map(f32::to_bits), Ok(single.to_bits()));
            }
        }
    }

    #[test]
    fn reads_the_nearest() {
        // 2^53 + 1 is a tie; a digit far behind it breaks it.
        assert_eq!(nearest("9007199254740993"), Ok(9007199254740992.0));
        let above = format!("9007199254740993.{}1", "0".repeat(400));
        assert_eq!(nearest(&above), Ok(9007199254740994.0));
        assert_eq!(nearest("0x1.8p3"), Ok(12.0));
        assert_eq!(nearest("1e-400"), Ok(0.0));
        for text in ["", "abc", "1,5", "nan", "-inf", "1e999", "0x", "0x1p99999", "1/3", "１"] {
            assert!(nearest(text).is_err(), "{text}");
        }
    }
}
