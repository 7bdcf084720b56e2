//! The kernels of the circular functions: `π`, `sin` and `cos` in fixed point, with their error bounds.
//!
//! Integers stand for reals as in [`crate::series`]: `X` at precision `p` is `X · 2^-p`, one unit is `2^-p`.
//! The series here alternate, so the bounds have two sides except where a function says otherwise.

use std::sync::OnceLock;

use dashu_base::BitTest;
use dashu_int::UBig;

/// How many units `π` can lie above [`pi_fixed`].
pub(crate) const PI_UNITS: u32 = 2;

/// `π` at precision `p`.
///
/// Ensures: `P <= π · 2^p <= P + PI_UNITS`.
pub(crate) fn pi_fixed(p: usize) -> UBig {
    /// Serves enclosures of a thousand bits from one computation.
    const CACHED_PRECISION: usize = 1100;
    static CACHED: OnceLock<UBig> = OnceLock::new();
    if p >= CACHED_PRECISION {
        return pi_series(p);
    }
    // From P <= x <= P + 1 + c (c = 2^-6, see pi_series) follows, for a shift by k bits,
    // floor(P / 2^k) <= x / 2^k <= floor(P / 2^k) + (2^k - 1) / 2^k + (1 + c) / 2^k.
    CACHED.get_or_init(|| pi_series(CACHED_PRECISION)) >> (CACHED_PRECISION - p)
}

/// `π = 24 atan(1/8) + 8 atan(1/57) + 4 atan(1/239)` at precision `p`.
///
/// The formula holds because `atan(1/n)` is the argument of the complex number `n + i`, and
/// `(8 + i)^6 (57 + i)^2 (239 + i)` has equal real and imaginary parts: its argument is `π/4` (and no other multiple, since
/// the sum of the angles is below 1). A test multiplies that out.
///
/// Ensures: `P <= π · 2^p <= P + 1 + 2^-6`.
fn pi_series(p: usize) -> UBig {
    let guard = 15 + p.bit_len();
    let q = p + guard;
    let (a, a_units) = atan_of_reciprocal(8, q);
    let (b, b_units) = atan_of_reciprocal(57, q);
    let (c, c_units) = atan_of_reciprocal(239, q);
    // The number of terms is at most q / log2(n²) + 1, so the sum is at most
    // 48 (q/6 + 2) + 16 (q/11.6 + 2) + 8 (q/15.8 + 2) < 10 q + 144 <= 2^(guard - 6) units too low.
    let units = 24 * a_units + 8 * b_units + 4 * c_units;
    debug_assert!(units < 1 << (guard - 6));
    (a * 24u8 + b * 8u8 + c * 4u8) >> guard
}

/// A lower bound of `atan(1/n) = 1/n - 1/(3n³) + 1/(5n⁵) - …` at precision `q`, and by how many units it can be too low.
fn atan_of_reciprocal(n: u64, q: usize) -> (UBig, usize) {
    let mut power = (UBig::ONE << q) / n;
    let (mut added, mut subtracted) = (UBig::ZERO, UBig::ZERO);
    let mut terms = 0;
    // A floor of a floor is one floor: the power is floor(2^q / n^(2i+1)) and each summand less than 1 unit too low.
    // When the power is 0 the first term left out is less than 1 unit, and with it all that follow, as they alternate.
    // So the difference is less than `terms + 1` units off, to either side.
    while !power.is_zero() {
        let term = &power / (2 * terms + 1);
        if terms % 2 == 0 {
            added += term
        } else {
            subtracted += term
        }
        power /= n * n;
        terms += 1;
    }
    (added - subtracted - UBig::from(terms + 1), 2 * (terms + 1))
}

/// How many units [`sin_reduced`] and [`cos_reduced`] can be off, to either side.
pub(crate) const CIRCULAR_UNITS: u32 = 4;

/// `sin r` at precision `p`, for the number `r = R · 2^-p` in `[0, 0.786]`, `p >= 16`.
///
/// Ensures: within `CIRCULAR_UNITS` of `sin r · 2^p`.
pub(crate) fn sin_reduced(r: &UBig, p: usize) -> UBig {
    // The series is 1.31 units off and cut by 1 (see below); times r <= 0.786, and 1 for the shift: less than 3.
    (alternating_series(&(r.sqr() >> p), p, 1) * r) >> p
}

/// `cos r` at precision `p`, for the number `r = R · 2^-p` in `[0, 0.786]`, `p >= 16`.
///
/// Ensures: within `CIRCULAR_UNITS` of `cos r · 2^p`.
pub(crate) fn cos_reduced(r: &UBig, p: usize) -> UBig {
    // 2.18 units off, cut by 1: less than 4.
    alternating_series(&(r.sqr() >> p), p, 0)
}

/// The sum of `(-w)^i / (2i + odd)!`: `cos r` for `odd = 0` and `sin(r) / r` for `odd = 1`, with `w = r²`.
///
/// Requires: the true `w` satisfies `W <= w · 2^p < W + 1` and `w < 0.62`.
fn alternating_series(w: &UBig, p: usize, odd: usize) -> UBig {
    // Horner: s_n = 1, s_(i-1) = 1 - w · s_i / d_i with d_i = (2i - 1 + odd)(2i + odd). All s_i lie in [0.69, 1], the computed
    // ones too. The shift and the division lose less than 1 unit together, W in the place of w less than s_i / d_i <= 1/d_i:
    //     e_n = 0,   e_(i-1) <= 1 + (0.62 · e_i + 1) / d_i.
    // With d_i >= 2 (cos) that stays below 2.18, with d_i >= 6 (sin) below 1.31.
    let one = UBig::ONE << p;
    let mut sum = one.clone();
    for i in (1..=circular_terms(w, p, odd)).rev() {
        sum = &one - ((sum * w) >> p) / ((2 * i - 1 + odd) * (2 * i + odd));
    }
    sum
}

/// The index of the last term to keep.
///
/// Ensures: the first term left out, `w^(n+1) / (2n + 2 + odd)!`, is less than `2^-p`; so is what is left out, since the terms
/// alternate and fall.
fn circular_terms(w: &UBig, p: usize, odd: usize) -> usize {
    // w < 2^-gain. `gained` is at most the binary logarithm of (2i + odd)! / w^i, every factor counted by the floor of its logarithm.
    let gain = p.saturating_sub((w + UBig::ONE).bit_len());
    let (mut i, mut gained) = (0, 0);
    while gained <= p {
        i += 1;
        gained += gain + (2 * i - 1 + odd).ilog2() as usize + (2 * i + odd).ilog2() as usize;
    }
    i - 1
}

#[cfg(test)]
mod tests {
    //! Each kernel against itself at a much higher precision, as in [`crate::series`].

    use super::*;
    use dashu_base::{Abs, UnsignedAbs};
    use dashu_int::IBig;

    /// More bits for the reference value.
    const FINER: usize = 100;

    /// The distance of `fine` (at a precision `FINER` bits higher) and `coarse`, in eighths of a unit of `coarse`, rounded up.
    fn eighths_apart(fine: &UBig, coarse: &UBig) -> u64 {
        let difference = (IBig::from(fine.clone()) - IBig::from(coarse << FINER)).abs();
        u64::try_from((difference.unsigned_abs() >> (FINER - 3)) + UBig::ONE).expect("small")
    }

    #[test]
    fn the_formula_for_pi_multiplies_out() {
        let times = |(a, b): (i128, i128), (c, d): (i128, i128)| (a * c - b * d, a * d + b * c);
        let mut product = (1, 0);
        let mut angle = 0.0; // from above: atan(1/n) < 1/n
        for (n, count) in [(8, 6), (57, 2), (239, 1)] {
            for _ in 0..count {
                product = times(product, (n, 1));
                angle += 1.0 / n as f64;
            }
        }
        assert!(product.0 == product.1 && product.0 > 0, "{product:?}");
        assert!(angle < 1.0);
    }

    #[test]
    fn pi_is_within_its_units() {
        let mut largest = 0;
        for p in (1..400).chain([1098, 1099, 1100, 1101, 5000]) {
            let (fine, coarse) = (pi_fixed(p + FINER), pi_fixed(p));
            assert!(coarse.clone() << FINER <= fine, "not a lower bound at precision {p}");
            let eighths = eighths_apart(&fine, &coarse);
            assert!(eighths <= 8 * u64::from(PI_UNITS), "{eighths}/8 units at precision {p}");
            largest = largest.max(eighths);
        }
        assert!(largest >= 8);
    }

    #[test]
    fn pi_starts_with_the_known_digits() {
        // OEIS A000796.
        let digits = (pi_fixed(200) * UBig::from(10u8).pow(50)) >> 200;
        assert_eq!(digits.to_string(), "314159265358979323846264338327950288419716939937510");
    }

    #[test]
    fn sin_and_cos_are_within_their_units() {
        for kernel in [sin_reduced, cos_reduced] {
            let mut largest = 0;
            for p in [16, 23, 64, 135, 229] {
                for step in 0..=500u32 {
                    let r = (UBig::ONE << p) * 786u32 * step / 500_000u32;
                    let fine = kernel(&(&r << FINER), p + FINER);
                    let eighths = eighths_apart(&fine, &kernel(&r, p));
                    let most = 8 * u64::from(CIRCULAR_UNITS);
                    assert!(eighths <= most, "{eighths}/8 units at precision {p}, step {step}");
                    largest = largest.max(eighths);
                }
            }
            assert!(largest >= 6, "nothing was lost; is the reference the same value?");
        }
    }

    #[test]
    fn the_cut_of_the_series_is_below_one_unit() {
        for p in [16, 64, 215, 1000] {
            for shift in [1, 2, 5, 40] {
                let w = (UBig::ONE << p >> shift) + (UBig::ONE << p >> (shift + 3));
                for odd in [0, 1] {
                    let n = circular_terms(&w, p, odd);
                    // w^(n+1) / (2n + 2 + odd)! < 2^-p, for the largest w that the integer stands for.
                    let factorial: UBig = (1..=2 * n + 2 + odd).map(UBig::from).product();
                    let power = (w.clone() + UBig::ONE).pow(n + 1);
                    assert!(power << p < factorial << (p * (n + 1)), "p = {p}, shift = {shift}");
                }
            }
        }
    }
}
