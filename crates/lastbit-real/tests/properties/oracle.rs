//! Bounds of the exponential that share nothing with the library's way of computing it: partial sums
//! of the Taylor series in exact fractions, and integer powers of them. Slow, and plainly right.

use lastbit_real::{Dyadic, Rational, Rounding};

/// Bounds of `e^x`, `bits` bits apart or closer.
pub(crate) fn exp_bounds(x: &Rational, bits: u32) -> (Rational, Rational) {
    if x.is_negative() {
        let (lo, hi) = exp_bounds(&-x, bits);
        return (hi.recip().expect("positive"), lo.recip().expect("positive"));
    }
    // e^x = (e^(x/n))^n with x/n <= 1/2.
    let n = u32::try_from((x.floor() + 1) * 2).expect("a moderate argument");
    let z = x / Rational::from(n);
    let tiny = Rational::pow2(-i64::from(bits) - 40);
    let mut term = Rational::ONE;
    let mut sum = Rational::ONE;
    let mut i = 0;
    while term > tiny {
        i += 1;
        term = term * &z / Rational::from(i);
        sum = sum + &term;
    }
    // With z <= 1/2 the remaining terms are at most as much as the last one.
    let below = coarser(&sum, bits + 50, Rounding::Down).pow(n);
    let above = coarser(&(sum + term), bits + 50, Rounding::Up).pow(n);
    (below, above)
}

/// `x` on the multiples of `2^-bits`, so that powers of it stay small.
fn coarser(x: &Rational, bits: u32, rounding: Rounding) -> Rational {
    let scaled = x * Rational::pow2(i64::from(bits));
    let integer = if rounding == Rounding::Down { scaled.floor() } else { scaled.ceil() };
    Rational::from(&Dyadic::new(integer, -i64::from(bits)))
}
