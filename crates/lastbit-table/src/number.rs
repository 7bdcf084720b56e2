//! Numbers of cells and expressions, exactly.
//!
//! A cell with decimal text is that decimal. A float is the shortest decimal that rounds to it, which is what programs write into CSV files:
//! a table has the same numbers in CSV and in Parquet. NaN and infinities are no numbers, so they are null.

use std::borrow::Cow;
use std::cmp::Ordering;

use lastbit_real::{IBig, Rational};

/// Digits that always fit in the mantissa of a [`Number::Decimal`].
const MANTISSA_DIGITS: usize = 38;
/// Cells that are longer are no numbers: the time that a row takes is bounded.
const LONGEST_CELL: usize = 1000;
/// Cells with larger exponents are no numbers either; those of doubles end at 324.
const LARGEST_EXPONENT: i32 = 400;
/// Results of expressions are null beyond this, so that repeated squares cannot fill the memory.
const LARGEST_BITS: i64 = 4096;

/// An exact number.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    /// `mantissa / 10^scale` with a scale of at most 38.
    Decimal { mantissa: i128, scale: u32 },
    /// Anything else.
    Exact(Box<Rational>),
}

impl Number {
    /// The number that a cell's text says: an optional sign, digits with or without a point, and an optional exponent, between blanks.
    pub(crate) fn parse(text: &[u8]) -> Option<Number> {
        if let Some((mantissa, scale)) = short_decimal(text) {
            return Some(Number::Decimal { mantissa: i128::from(mantissa), scale });
        }
        let text = text.trim_ascii();
        if text.len() > LONGEST_CELL {
            return None;
        }
        let (significand, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&text[..at], parse_exponent(&text[at + 1..])?),
            None => (text, 0),
        };
        let (negative, digits) = match significand {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let (whole, fraction) = match digits.iter().position(|&byte| byte == b'.') {
            Some(at) => (&digits[..at], &digits[at + 1..]),
            None => (digits, &[][..]),
        };
        let count = whole.len() + fraction.len();
        if count == 0 || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return None;
        }
        let scale = fraction.len() as i32 - exponent;
        if count <= MANTISSA_DIGITS {
            let digit = |value: i128, &byte: &u8| value * 10 + i128::from(byte - b'0');
            let magnitude = whole.iter().chain(fraction).fold(0, digit);
            return Some(Number::scaled(if negative { -magnitude } else { magnitude }, scale));
        }
        // Checked above: ASCII, and of the form that `Rational` reads.
        std::str::from_utf8(text).ok()?.parse().ok().map(|exact| Number::Exact(Box::new(exact)))
    }

    /// `mantissa / 10^scale`, for a scale of any sign.
    fn scaled(mantissa: i128, scale: i32) -> Number {
        if (0..=MANTISSA_DIGITS as i32).contains(&scale) {
            return Number::Decimal { mantissa, scale: scale as u32 };
        }
        let power = Rational::from(10).pow(scale.unsigned_abs());
        let mantissa = Rational::from(mantissa);
        Number::Exact(Box::new(if scale < 0 {
            mantissa * power
        } else {
            mantissa.checked_div(&power).unwrap_or_default()
        }))
    }

    /// The shortest decimal that rounds to this double, `None` for NaN and infinities.
    pub(crate) fn from_f64(value: f64) -> Option<Number> {
        /// Decimals of at most 15 digits differ as doubles, so the first one found is the shortest.
        const FIFTEEN_DIGITS: f64 = 1e15;
        if !value.is_finite() {
            return None;
        }
        for (scale, power) in [(0, 1.0), (2, 1e2), (6, 1e6)] {
            let mantissa = (value * power).round();
            // One correctly rounded division of two exact doubles.
            if mantissa.abs() < FIFTEEN_DIGITS && mantissa / power == value {
                return Some(Number::Decimal { mantissa: mantissa as i128, scale });
            }
        }
        Number::parse(format!("{value:e}").as_bytes())
    }

    pub(crate) fn to_rational(&self) -> Rational {
        match self {
            Number::Decimal { mantissa, scale } => {
                Rational::new(*mantissa, 10u128.pow(*scale)).unwrap_or_default()
            }
            Number::Exact(exact) => (**exact).clone(),
        }
    }

    fn exact(value: Rational) -> Option<Number> {
        let limit = IBig::from(1) << LARGEST_BITS as usize;
        let small = value.abs().numerator() < limit && IBig::from(value.denominator()) < limit;
        small.then(|| Number::Exact(Box::new(value)))
    }

    /// Both mantissas at the larger of the two scales, if they fit.
    fn aligned(&self, other: &Number) -> Option<(i128, i128, u32)> {
        let (Number::Decimal { mantissa: a, scale: s }, Number::Decimal { mantissa: b, scale: t }) =
            (self, other)
        else {
            return None;
        };
        let scale = *s.max(t);
        let raise = |mantissa: i128, from: u32| mantissa.checked_mul(10i128.pow(scale - from));
        Some((raise(*a, *s)?, raise(*b, *t)?, scale))
    }

    pub(crate) fn negate(&self) -> Number {
        match self {
            Number::Decimal { mantissa, scale } if *mantissa != i128::MIN => {
                Number::Decimal { mantissa: -mantissa, scale: *scale }
            }
            _ => Number::Exact(Box::new(-self.to_rational())),
        }
    }

    pub(crate) fn add(&self, other: &Number) -> Option<Number> {
        if let Some((a, b, scale)) = self.aligned(other)
            && let Some(mantissa) = a.checked_add(b)
        {
            return Some(Number::Decimal { mantissa, scale });
        }
        Number::exact(self.to_rational() + other.to_rational())
    }

    pub(crate) fn subtract(&self, other: &Number) -> Option<Number> {
        if let Some((a, b, scale)) = self.aligned(other)
            && let Some(mantissa) = a.checked_sub(b)
        {
            return Some(Number::Decimal { mantissa, scale });
        }
        Number::exact(self.to_rational() - other.to_rational())
    }

    pub(crate) fn multiply(&self, other: &Number) -> Option<Number> {
        if let (Number::Decimal { mantissa: a, scale: s }, Number::Decimal { mantissa: b, scale: t }) =
            (self, other)
            && s + t <= MANTISSA_DIGITS as u32
            && let Some(mantissa) = a.checked_mul(*b)
        {
            return Some(Number::Decimal { mantissa, scale: s + t });
        }
        Number::exact(self.to_rational() * other.to_rational())
    }

    /// The quotient, `None` if the divisor is 0.
    pub(crate) fn divide(&self, other: &Number) -> Option<Number> {
        Number::exact(self.to_rational().checked_div(&other.to_rational())?)
    }

    /// The nearest multiple of `step`; halves go up.
    pub(crate) fn round(&self, step: &Number) -> Option<Number> {
        let step = step.to_rational();
        let steps = self.to_rational().checked_div(&step)?.round_half_up();
        Number::exact(Rational::from(steps) * step)
    }

    pub(crate) fn compare(&self, other: &Number) -> Ordering {
        match self.aligned(other) {
            Some((a, b, _)) => a.cmp(&b),
            None => self.to_rational().cmp(&other.to_rational()),
        }
    }

    /// The canonical text: a decimal without needless zeros if there is one of at most 38 places, else a fraction. Equal numbers have the same text,
    /// however they were computed.
    pub(crate) fn text(&self) -> String {
        match self {
            Number::Decimal { mantissa, scale } => {
                let sign = if *mantissa < 0 { "-" } else { "" };
                decimal_text(sign, &mantissa.unsigned_abs().to_string(), *scale as usize)
            }
            Number::Exact(exact) => rational_text(exact),
        }
    }
}

/// The text of a rational as a decimal without needless zeros if it is a decimal with at most 38 places, else as a fraction.
fn rational_text(exact: &Rational) -> String {
    let scaled = exact.abs() * Rational::from(10).pow(MANTISSA_DIGITS as u32);
    if !scaled.is_integer() {
        return exact.to_string();
    }
    let sign = if exact.is_negative() { "-" } else { "" };
    decimal_text(sign, &scaled.numerator().to_string(), MANTISSA_DIGITS)
}

/// Digits of which the last `scale` are behind the point.
fn decimal_text(sign: &str, digits: &str, scale: usize) -> String {
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let exponent: i32 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (exponent.abs() <= LARGEST_EXPONENT).then_some(exponent)
}

/// The mantissa and the scale of a plain decimal of at most 18 digits: nearly every cell, in one pass.
#[inline]
pub(crate) fn short_decimal(text: &[u8]) -> Option<(i64, u32)> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let (mut mantissa, mut scale, mut point) = (0i64, 0u32, false);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + i64::from(byte - b'0');
                scale += u32::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if digits.len() == 1 && point {
        return None;
    }
    Some((if negative { -mantissa } else { mantissa }, scale))
}

/// The text of a float that is a unit or a key: that of its number, so that -0.0 is 0. NaN is null, and so are infinities.
pub(crate) fn float_text(value: f64) -> Option<Cow<'static, str>> {
    Number::from_f64(value).map(|number| Cow::Owned(number.text()))
}

/// A float of 32 bits as the double of its own shortest decimal, which is what programs write: 0.1, not 0.10000000149011612.
pub(crate) fn wide_single(value: f32) -> f64 {
    format!("{value:e}").parse().unwrap_or(f64::NAN)
}

/// A float of 16 bits as the double of its own shortest decimal.
pub(crate) fn wide_half(bits: u16) -> f64 {
    /// Digits that tell all floats of 16 bits apart.
    const DIGITS: usize = 5;
    let magnitude = bits & 0x7fff;
    let (value, above) = (half_value(magnitude), half_value(magnitude + 1));
    let shortest = if !value.is_finite() || magnitude == 0 {
        value
    } else {
        // What lies nearer to it than to its neighbours rounds to it; the largest has none above, and what would be there is as far as the one below.
        let below = half_value(magnitude - 1);
        let above = if above.is_finite() { above } else { value + (value - below) };
        let rounds_back = |x: &f64| (below + value) / 2.0 < *x && *x < (value + above) / 2.0;
        let with_digits = |digits: usize| format!("{value:.digits$e}").parse().ok();
        (0..DIGITS).filter_map(with_digits).find(rounds_back).unwrap_or(value)
    };
    if bits & 0x8000 == 0 { shortest } else { -shortest }
}

/// The double that 16 bits without a sign are.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
    match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Option<Rational> {
        Number::parse(text.as_bytes()).map(|number| number.to_rational())
    }

    #[test]
    fn numbers_are_read_as_written() {
        let same = [
            "0",
            "-0",
            "12.50",
            "+3",
            "1e3",
            "-2.5E-7",
            "0.1000000000000000055511151231257827021181583404541015625",
            "1e300",
            ".5",
            "5.",
        ];
        for text in same {
            assert_eq!(parsed(text), text.parse().ok(), "{text}");
        }
        assert_eq!(parsed("  7 "), Some(Rational::from(7)));
        for text in [
            "", "-", ".", "1e", "e5", "1.2.3", "nan", "inf", "-inf", "1/2", "0x10", "1 2", "1e401", "1,5",
            "٣",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
        assert_eq!(parsed(&"1".repeat(LONGEST_CELL + 1)), None);
    }

    #[test]
    fn texts_are_canonical() {
        for (text, canonical) in [
            ("1.50", "1.5"),
            ("-0.0", "0"),
            ("10", "10"),
            ("1e2", "100"),
            ("-0.25", "-0.25"),
            ("0.005", "0.005"),
        ] {
            assert_eq!(
                Number::parse(text.as_bytes()).map(|number| number.text()).as_deref(),
                Some(canonical)
            );
        }
        // Whatever fits in a mantissa: 5/2 of 38 places does not.
        let half = |number: &str| {
            Number::parse(number.as_bytes()).unwrap().divide(&Number::parse(b"2").unwrap()).unwrap()
        };
        for (twice, canonical) in
            [("5", "2.5"), ("-5", "-2.5"), ("4", "2"), ("1e300", &format!("5{}", "0".repeat(299)))]
        {
            assert_eq!(half(twice).text(), canonical);
        }
        let third = Number::divide(&Number::parse(b"1").unwrap(), &Number::parse(b"3").unwrap()).unwrap();
        assert_eq!(third.text(), "1/3");
        assert_eq!(float_text(-0.0).as_deref(), Some("0"));
        assert_eq!(float_text(1e22).as_deref(), Some("10000000000000000000000"));
        assert_eq!(float_text(f64::NAN), None);
    }

    #[test]
    fn narrow_floats_are_their_own_shortest_decimals() {
        for (value, expected) in [(0.1f32, 0.1), (16_777_216.0, 16_777_216.0), (-2.5e-8, -2.5e-8)] {
            assert_eq!(wide_single(value), expected);
        }
        assert!(wide_single(f32::NAN).is_nan() && wide_single(f32::INFINITY).is_infinite());
        for (bits, expected) in [
            (0x2e66, 0.1),
            (0xae66, -0.1),
            (0x3c00, 1.0),
            (0x7bff, 65500.0),
            (0x0001, 6e-8),
            (0x3555, 0.3333),
            (0x8000, 0.0),
            (0x3c01, 1.001),
        ] {
            assert_eq!(wide_half(bits), expected, "{bits:x}");
        }
        assert!(wide_half(0x7c00).is_infinite() && wide_half(0x7e00).is_nan());
        // Each is told from the next.
        assert!((0..0x7bff).all(|bits| wide_half(bits) < wide_half(bits + 1)));
    }

    #[test]
    fn growth_is_bounded() {
        let mut number = Number::parse(b"1e300").unwrap();
        let grows = (0..20).all(|_| match number.multiply(&number) {
            Some(square) => {
                number = square;
                true
            }
            None => false,
        });
        assert!(!grows);
    }

    proptest! {
        #[test]
        fn a_double_is_its_shortest_decimal(bits: u64, cents in -1_000_000_000i64..1_000_000_000) {
            for value in [f64::from_bits(bits), cents as f64 / 100.0, cents as f64 / 8.0] {
                let expected = value.is_finite().then(|| format!("{value:e}").parse::<Rational>().unwrap());
                prop_assert_eq!(Number::from_f64(value).map(|number| number.to_rational()), expected);
            }
        }

        #[test]
        fn arithmetic_is_that_of_rationals(a: i128, s in 0u32..39, b: i64, t in 0u32..39) {
            let (x, y) = (Number::Decimal { mantissa: a, scale: s }, Number::Decimal { mantissa: b.into(), scale: t });
            let (p, q) = (x.to_rational(), y.to_rational());
            prop_assert_eq!(x.add(&y).unwrap().to_rational(), &p + &q);
            prop_assert_eq!(x.subtract(&y).unwrap().to_rational(), &p - &q);
            prop_assert_eq!(x.multiply(&y).unwrap().to_rational(), &p * &q);
            prop_assert_eq!(x.divide(&y).map(|z| z.to_rational()), p.checked_div(&q));
            prop_assert_eq!(x.compare(&y), p.cmp(&q));
        }

        #[test]
        fn equal_numbers_have_the_same_text(mantissa: i128, scale in 0u32..39, shift in 0u32..127) {
            let number = Number::Decimal { mantissa: mantissa >> shift, scale };
            let exact = Number::Exact(Box::new(number.to_rational()));
            prop_assert_eq!(number.text(), exact.text());
            prop_assert_eq!(Number::parse(number.text().as_bytes()).map(|read| read.to_rational()), Some(number.to_rational()));
        }
    }
}
