//! Positive numbers of 64 bits whose arithmetic rounds up.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Rational};

/// The number `mantissa · 2^exponent`, with the highest bit of the mantissa set.
///
/// Every operation ensures: at least the exact result for these operands, above it by at most one part in `2^63`. All numbers
/// are positive, so a bound that is computed from upper bounds is an upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Up {
    mantissa: u64,
    exponent: i64,
}

impl Up {
    pub(super) const ONE: Up = Up { mantissa: 1 << 63, exponent: -63 };

    /// At least `value · 2^exponent`, or more than that if something below one unit of `value` was `cut` off.
    fn new(value: u128, cut: bool, exponent: i64) -> Up {
        debug_assert!(value != 0);
        let shift = value.leading_zeros();
        let normal = value << shift;
        let exponent = exponent + 64 - i64::from(shift);
        let mantissa = (normal >> 64) as u64;
        if normal as u64 == 0 && !cut {
            return Up { mantissa, exponent };
        }
        match mantissa.checked_add(1) {
            Some(mantissa) => Up { mantissa, exponent },
            None => Up { mantissa: 1 << 63, exponent: exponent + 1 },
        }
    }

    /// At least `value`, which is positive.
    pub(super) fn of(value: &Rational) -> Up {
        let above = Enclosure::of_rational(value, 64).hi().round_up(64);
        let mantissa = u64::try_from(above.mantissa()).expect("a positive number of 64 bits");
        Up::new(u128::from(mantissa), false, above.exponent())
    }

    pub(super) fn times(self, other: Up) -> Up {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Up::new(product, false, self.exponent + other.exponent)
    }

    /// Times `factor/divisor`, which are positive.
    pub(super) fn scaled(self, factor: u64, divisor: u64) -> Up {
        let product = u128::from(self.mantissa) * u128::from(factor);
        // With the highest of 128 bits set, the quotient has 64 bits at least.
        let shift = product.leading_zeros();
        let (dividend, divisor) = (product << shift, u128::from(divisor));
        Up::new(dividend / divisor, dividend % divisor != 0, self.exponent - i64::from(shift))
    }

    pub(super) fn plus(self, other: Up) -> Up {
        let (large, small) = if self < other { (other, self) } else { (self, other) };
        let wide = u128::from(large.mantissa) << 63;
        let shift = (large.exponent - small.exponent).unsigned_abs();
        let aligned = u128::from(small.mantissa) << 63;
        let (added, cut) = match shift {
            0..=127 => (aligned >> shift, aligned.trailing_zeros() < shift as u32),
            _ => (0, true),
        };
        Up::new(wide + added, cut, large.exponent - 63)
    }

    pub(super) fn pow(self, mut n: u64) -> Up {
        let (mut power, mut square) = (Up::ONE, self);
        while n > 0 {
            if n & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            n >>= 1;
        }
        power
    }

    /// Times `2^k`, exactly.
    pub(super) fn shl(self, k: i64) -> Up {
        Up { exponent: self.exponent + k, ..self }
    }

    /// The number itself.
    pub(super) fn to_dyadic(self) -> Dyadic {
        Dyadic::new(self.mantissa, self.exponent)
    }
}

impl Ord for Up {
    fn cmp(&self, other: &Up) -> Ordering {
        (self.exponent, self.mantissa).cmp(&(other.exponent, other.mantissa))
    }
}

impl PartialOrd for Up {
    fn partial_cmp(&self, other: &Up) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(up: Up) -> Rational {
        Rational::from(&up.to_dyadic())
    }

    /// At least the exact result, and hardly more.
    fn is_just_above(up: Up, result: &Rational, roundings: u64) -> bool {
        let slack = Rational::from(roundings) * Rational::pow2(-63);
        exact(up) >= *result && exact(up) <= result * (Rational::ONE + slack)
    }

    fn number() -> impl Strategy<Value = Up> {
        (prop_oneof![Just(1u64), Just(u64::MAX), any::<u64>()], -200i64..200)
            .prop_map(|(mantissa, exponent)| Up::new(u128::from(mantissa.max(1)), false, exponent))
    }

    proptest! {
        #[test]
        fn rounds_up_and_only_just(a in number(), b in number(), f in 1u64.., d in 1u64.., n in 1u32..40) {
            prop_assert!(is_just_above(a.times(b), &(exact(a) * exact(b)), 1));
            prop_assert!(is_just_above(a.plus(b), &(exact(a) + exact(b)), 1));
            let quotient = Rational::new(f, d).unwrap();
            prop_assert!(is_just_above(a.scaled(f, d), &(exact(a) * &quotient), 1));
            prop_assert!(is_just_above(Up::of(&quotient), &quotient, 2));
            prop_assert!(is_just_above(a.pow(u64::from(n)), &exact(a).pow(n), 4 * u64::from(n)));
            prop_assert_eq!(a.cmp(&b), exact(a).cmp(&exact(b)));
        }
    }

    #[test]
    fn carries_into_a_new_bit() {
        let all_ones = Up::new(u128::from(u64::MAX), false, 0);
        let tiny = Up::ONE.shl(-1000);
        assert_eq!(exact(all_ones.plus(tiny)), Rational::pow2(64));
        assert_eq!(exact(Up::ONE.plus(Up::ONE)), Rational::from(2));
    }
}
