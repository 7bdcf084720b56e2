//! Roundings onto `f32` and `f64` against MPFR's.

use std::cmp::Ordering;

use lastbit_mpfr_tests::{Arguments, ROUNDINGS, gmp_integer, gmp_rational, mpfr_round, mpfr_to_f32};
use lastbit_real::{Dyadic, Float as _, IBig, Rational, Rounding};
use rug::Float;

/// MPFR's `f64`: rounded to 53 bits, then to fewer where the result is subnormal, which MPFR does in the
/// knowledge of the first rounding.
fn mpfr_f64(x: &rug::Rational, rounding: Rounding) -> f64 {
    if let Some(units) = units_of_the_smallest(x, f64::MIN_EXPONENT, rounding) {
        return units * f64::from_bits(1);
    }
    let round = mpfr_round(rounding);
    let (mut rounded, ordering) = Float::with_val_round(53, x, round);
    rounded.subnormalize_ieee_round(ordering, round);
    rounded.to_f64_round(round)
}

fn mpfr_f32(x: &rug::Rational, rounding: Rounding) -> f32 {
    if let Some(units) = units_of_the_smallest(x, f32::MIN_EXPONENT, rounding) {
        return units as f32 * f32::from_bits(1);
    }
    let round = mpfr_round(rounding);
    let (mut rounded, ordering) = Float::with_val_round(24, x, round);
    rounded.subnormalize_ieee_round(ordering, round);
    mpfr_to_f32(&rounded, rounding)
}

/// What subnormalisation leaves out: below the smallest subnormal number the choice is 0 or that number. -1, 0 or 1
/// times it, or `None` if `x` is not that small.
fn units_of_the_smallest(x: &rug::Rational, exponent: i32, rounding: Rounding) -> Option<f64> {
    let units = rug::Rational::from(x >> exponent);
    if units.clone().abs() >= 1 {
        return None;
    }
    let is_above_half = units.clone().abs() > (1, 2);
    let magnitude = match (rounding, units.cmp0()) {
        (Rounding::Nearest, _) => is_above_half,
        (Rounding::Down, sign) => sign == Ordering::Less,
        (Rounding::Up, sign) => sign == Ordering::Greater,
    };
    let sign = if units < 0 { -1.0 } else { 1.0 };
    Some(sign * f64::from(u8::from(magnitude)))
}

#[track_caller]
fn check(x: &Rational) {
    let exact = gmp_rational(x);
    let dyadic = Dyadic::try_from(x).ok();
    for rounding in ROUNDINGS {
        let expected = mpfr_f64(&exact, rounding);
        assert_eq!(f64::from_rational(x, rounding), expected, "{x} {rounding:?}");
        let expected_f32 = mpfr_f32(&exact, rounding);
        assert_eq!(f32::from_rational(x, rounding), expected_f32, "{x} {rounding:?}");
        if let Some(dyadic) = &dyadic {
            assert_eq!(f64::from_dyadic(dyadic, rounding), expected, "{x} {rounding:?}");
            assert_eq!(f32::from_dyadic(dyadic, rounding), expected_f32, "{x} {rounding:?}");
        }
    }
}

#[test]
fn fractions_of_all_sizes() {
    let mut arguments = Arguments::new(11);
    for _ in 0..5000 {
        check(&arguments.rational(-10..10));
        check(&arguments.rational(-1100..1030));
        // The subnormal numbers of the two formats, and the largest ones.
        check(&arguments.rational(-1078..-1018));
        check(&arguments.rational(-153..-120));
        check(&arguments.rational(1022..1025));
        check(&arguments.rational(126..129));
    }
}

#[test]
fn dyadics_of_all_sizes() {
    let mut arguments = Arguments::new(12);
    for _ in 0..5000 {
        for range in [-10..10, -1100..1030, -1078..-1018, -153..-120, 1022..1025, 126..129] {
            check(&Rational::from(arguments.dyadic(range)));
        }
    }
}

#[test]
fn ties_and_their_neighbourhood() {
    let mut arguments = Arguments::new(13);
    let nudges = [Rational::ZERO, Rational::pow2(-1300), -Rational::pow2(-1300)];
    for i in 0..3000 {
        // All bits, and the subnormal numbers of all lengths down to 0.
        let x =
            if i % 2 == 0 { arguments.double() } else { f64::from_bits(arguments.bits() >> (12 + i % 52)) };
        let y = f32::from_bits(arguments.bits() as u32 >> (i % 32));
        let middles = [x.midpoint_above(), if y.is_finite() { y.midpoint_above() } else { None }];
        for middle in middles.into_iter().flatten() {
            for nudge in &nudges {
                check(&(Rational::from(&middle) + nudge));
                check(&(-Rational::from(&middle) + nudge));
            }
        }
    }
}

#[test]
fn integers_with_an_exponent() {
    let mut arguments = Arguments::new(14);
    for i in 0..50_000u32 {
        let value = (i128::from(arguments.bits() as i64) << 64 | i128::from(arguments.bits())) >> (i % 127);
        let exponent = arguments.integer(-1250, 1100) as i32;
        let exact = rug::Rational::from(gmp_integer(&IBig::from(value))) << exponent;
        assert_eq!(
            f64::from_i128(value, exponent),
            mpfr_f64(&exact, Rounding::Nearest),
            "{value}*2^{exponent}"
        );
        let exponent = arguments.integer(-300, 150) as i32;
        let exact = rug::Rational::from(gmp_integer(&IBig::from(value))) << exponent;
        assert_eq!(
            f32::from_i128(value, exponent),
            mpfr_f32(&exact, Rounding::Nearest),
            "{value}*2^{exponent}"
        );
    }
}

/// Fractions are arithmetic of big integers and greatest common divisors, compared here with GMP's.
#[test]
fn arithmetic_of_fractions() {
    let mut arguments = Arguments::new(15);
    for i in 0..20_000 {
        let words = 1 + i % 12;
        let mut draw = || loop {
            if let Some(x) = Rational::new(arguments.big_integer(words), arguments.big_integer(words)) {
                return x;
            }
        };
        let (a, b) = (draw(), draw());
        let (x, y) = (gmp_rational(&a), gmp_rational(&b));
        let same = |ours: Rational, theirs: rug::Rational| assert_eq!(ours.to_string(), theirs.to_string());
        same(&a + &b, rug::Rational::from(&x + &y));
        same(&a - &b, rug::Rational::from(&x - &y));
        same(&a * &b, rug::Rational::from(&x * &y));
        if y.cmp0() != Ordering::Equal {
            same(&a / &b, rug::Rational::from(&x / &y));
        }
        assert_eq!(a.cmp(&b), x.cmp(&y));
        assert_eq!(gmp_integer(&a.floor()), x.clone().floor().numer().clone());
        assert_eq!(gmp_integer(&a.ceil()), x.ceil().numer().clone());
    }
}
