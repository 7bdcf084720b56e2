//! Doubles as outputs: what one can tell apart when one sees them, and the bits that they end in.

use std::fmt;

use lastbit_real::Float;

/// A double as somebody sees it: `-0` is not `0`, and every NaN is the same.
///
/// The order is that of the numbers, with `-0` before `0` and NaN last.
///
/// ```
/// use lastbit_audit::black_box::Value;
///
/// assert_ne!(Value::from(-0.0), Value::from(0.0));
/// assert_eq!(Value::from(f64::NAN), Value::from(-f64::NAN));
/// assert!(Value::from(f64::INFINITY) < Value::from(f64::NAN));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u64);

/// The bit of a double that holds its sign.
const SIGN: u64 = 1 << 63;

impl From<f64> for Value {
    fn from(y: f64) -> Value {
        let bits = if y.is_nan() { f64::NAN } else { y }.to_bits();
        // Bits of negative numbers grow with the magnitude: all of them are turned around, and put first.
        Value(if bits & SIGN == 0 { bits | SIGN } else { !bits })
    }
}

impl From<Value> for f64 {
    fn from(Value(key): Value) -> f64 {
        f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&f64::from(*self).to_short())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a finite double ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The number 0: a multiple of everything.
    Zero,
    /// The lowest bit that is set.
    Bit {
        /// Its exponent: the number is an odd multiple of `2^exponent`.
        exponent: i32,
        /// The number of bits of the significand below it.
        zeros: u32,
    },
}

impl Ending {
    /// How `y` ends, or `None` if it is not finite.
    pub(super) fn of(y: f64) -> Option<Ending> {
        if y == 0.0 {
            return Some(Ending::Zero);
        }
        // The exponent field begins with the leading bit of the significand of a normal number, and a subnormal one has a
        // bit below it: either way, no more than 52 zeros.
        let zeros = y.to_bits().trailing_zeros().min(f64::MANTISSA_DIGITS - 1);
        y.is_finite().then(|| Ending::Bit { exponent: y.exponent_of_ulp() + zeros as i32, zeros })
    }

    /// Whether the number is a multiple of `2^exponent`.
    pub(super) fn is_multiple(self, of: i32) -> bool {
        match self {
            Ending::Zero => true,
            Ending::Bit { exponent, .. } => exponent >= of,
        }
    }

    /// Whether at least so many of the last bits of the significand are zero.
    pub(super) fn has_zeros(self, least: u32) -> bool {
        match self {
            Ending::Zero => true,
            Ending::Bit { zeros, .. } => zeros >= least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn endings() {
        let bit = |exponent, zeros| Some(Ending::Bit { exponent, zeros });
        assert_eq!(Ending::of(1.0), bit(0, 52));
        assert_eq!(Ending::of(-0.75), bit(-2, 51));
        assert_eq!(Ending::of(1.0f64.next_up()), bit(-52, 0));
        assert_eq!(Ending::of(f64::from_bits(1)), bit(-1074, 0));
        assert_eq!(Ending::of(f64::MAX), bit(971, 0));
        assert_eq!(Ending::of(2.0f64.powi(1023)), bit(1023, 52));
        assert_eq!(Ending::of(-0.0), Some(Ending::Zero));
        assert_eq!([f64::NAN, f64::INFINITY].map(Ending::of), [None, None]);
    }

    proptest! {
        #[test]
        fn an_ending_is_that_of_the_exact_value(y in any::<f64>()) {
            let exact = y.to_dyadic().ok().filter(|y| !y.is_zero()).map(|y| y.exponent());
            let found = match Ending::of(y) {
                Some(Ending::Bit { exponent, .. }) => Some(i64::from(exponent)),
                _ => None,
            };
            prop_assert_eq!(found, exact);
        }

        #[test]
        fn values_come_back_and_keep_their_order(a in any::<f64>(), b in any::<f64>()) {
            prop_assert!(a.is_nan() || f64::from(Value::from(a)).to_bits() == a.to_bits());
            if !a.is_nan() && !b.is_nan() {
                prop_assert_eq!(Value::from(a).cmp(&Value::from(b)), a.total_cmp(&b));
            }
        }
    }
}
