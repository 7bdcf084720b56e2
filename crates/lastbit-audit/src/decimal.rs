//! Numbers as text, rounded to nearest at a given number of digits.

use lastbit_real::{Enclosure, Rational, Rounding};

/// Bits of the first try.
const FIRST_BITS: u32 = 160;
/// What is not decided with so many bits is taken to lie half-way.
const MOST_BITS: u32 = 1 << 14;

/// A rational in scientific notation, `d.ddde±dd`; `0` for zero.
///
/// ```
/// use lastbit_audit::decimal::scientific;
/// use lastbit_real::Rational;
/// assert_eq!(scientific(&Rational::new(1, 8).unwrap(), 4), "1.250e-01");
/// assert_eq!(scientific(&Rational::from(-9996), 3), "-1.00e+04");
/// ```
pub fn scientific(value: &Rational, digits: usize) -> String {
    let text = value.to_decimal(digits, Rounding::Nearest);
    if value.is_zero() {
        return text;
    }
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let leading_zeros = all.len() - significant.len();
    let exponent = exponent.parse::<i64>().expect("a number") + whole.len() as i64 - 1 - leading_zeros as i64;
    let (first, rest) = significant.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.unsigned_abs())
}

/// The number that `enclose` encloses, with as many bits as asked, in the notation of `write`.
///
/// More bits are asked for until both ends are written alike. A number that lies half-way between two of so many digits
/// would never be; it is written as the middle of its last enclosure.
pub fn settled(mut enclose: impl FnMut(u32) -> Enclosure, write: impl Fn(&Rational) -> String) -> String {
    let mut bits = FIRST_BITS;
    loop {
        let enclosure = enclose(bits);
        let [lo, hi] = [enclosure.lo(), enclosure.hi()].map(|end| write(&Rational::from(end)));
        if lo == hi {
            return lo;
        }
        if bits >= MOST_BITS {
            let sum = Rational::from(enclosure.lo()) + Rational::from(enclosure.hi());
            return write(&(sum / Rational::from(2)));
        }
        bits *= 2;
    }
}

/// [`settled`] in [`scientific`] notation.
pub fn scientific_of(digits: usize, enclose: impl FnMut(u32) -> Enclosure) -> String {
    settled(enclose, |value| scientific(value, digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_real::exp_rational;

    #[test]
    fn notation() {
        for (value, digits, text) in [
            ("1", 3, "1.00e+00"),
            ("12345", 2, "1.2e+04"),
            ("0.000123", 3, "1.23e-04"),
            ("1e-324", 1, "1e-324"),
            ("-0.5", 2, "-5.0e-01"),
            ("0", 9, "0"),
        ] {
            assert_eq!(scientific(&value.parse().unwrap(), digits), text);
        }
    }

    #[test]
    fn enough_bits() {
        let e = |bits| exp_rational(&Rational::ONE, bits).unwrap();
        assert_eq!(scientific_of(30, e), "2.71828182845904523536028747135e+00");
        // More digits than the first bits give.
        let long = scientific_of(100, e);
        assert!(long.starts_with("2.718281828459045235360287471352662497757247093699959574966967"), "{long}");
    }
}
