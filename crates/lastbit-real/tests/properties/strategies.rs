//! What the properties are checked on.

use lastbit_real::{Dyadic, IBig, Rational};
use proptest::prelude::*;

/// Integers of up to 127 bits, all lengths alike, not mostly the longest.
pub(crate) fn integer() -> impl Strategy<Value = i128> {
    (any::<i128>(), 0..127u32).prop_map(|(bits, shift)| bits >> shift)
}

/// Fractions with numerators and denominators of all lengths; one in five an integer or dyadic.
pub(crate) fn rational() -> impl Strategy<Value = Rational> {
    prop_oneof![
        3 => (integer(), integer()).prop_filter_map("denominator 0", |(n, d)| Rational::new(n, d)),
        1 => dyadic_near(40).prop_map(|x| Rational::from(&x)),
        1 => (-20i64..20, 1i64..20).prop_filter_map("denominator 0", |(n, d)| Rational::new(n, d)),
    ]
}

/// Dyadics with exponents up to `range` in magnitude.
pub(crate) fn dyadic_near(range: i64) -> impl Strategy<Value = Dyadic> {
    (integer(), -range..=range).prop_map(|(mantissa, exponent)| Dyadic::new(mantissa, exponent))
}

pub(crate) fn dyadic() -> impl Strategy<Value = Dyadic> {
    dyadic_near(200)
}

/// Finite doubles: all bit patterns, and the places where something special happens.
pub(crate) fn finite_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => any::<u64>().prop_map(f64::from_bits),
        1 => any::<u64>().prop_map(|bits| f64::from_bits(bits & (u64::MAX >> 11))),
        1 => prop::sample::select(vec![
            0.0, -0.0, 1.0, 5e-324, -5e-324, f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down(),
            f64::MAX, f64::MIN, 1f64.next_down(), 1f64.next_up(),
        ]),
    ]
    .prop_filter("finite", |x| x.is_finite())
}

pub(crate) fn finite_f32() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => any::<u32>().prop_map(f32::from_bits),
        1 => any::<u32>().prop_map(|bits| f32::from_bits(bits & (u32::MAX >> 8))),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN]),
    ]
    .prop_filter("finite", |x| x.is_finite())
}

pub(crate) fn big(value: i128) -> IBig {
    IBig::from(value)
}
