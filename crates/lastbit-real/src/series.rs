//! The kernels: fixed-point series on non-negative integers, with their error bounds.
//!
//! A real number `x >= 0` is held as an integer `X` *at precision p*: `X` stands for `X · 2^-p`, and
//! one *unit* is `2^-p`. Divisions and shifts round down, so every integer here is a lower bound of
//! what it stands for, and each function has one thing to state: how many units the true value can
//! lie above it. The bounds are proved in the comments; callers add them to get enclosures.

use std::sync::OnceLock;

use dashu_base::BitTest;
use dashu_int::UBig;

/// How many units `atanh(t) / t` can lie above [`atanh_over_t`].
pub(crate) const ATANH_UNITS: u32 = 4;

/// `1 + w/3 + w²/5 + w³/7 + …`, which is `atanh(t) / t` for `w = t²`, at precision `p`.
///
/// Requires: the true `w` satisfies `W <= w · 2^p < W + 2` and `w < 1/32`.
///
/// Ensures: `S <= (atanh(t) / t) · 2^p <= S + ATANH_UNITS`.
pub(crate) fn atanh_over_t(w: &UBig, p: usize) -> UBig {
    // Cut after the term of index n. What is cut off is
    //     sum over i > n of w^i / (2i + 1)  <=  w^(n+1) / ((2n + 3)(1 - w))  <=  w^(n+1),
    // and w < 2^-gain with gain = p - len(W + 1), because W + 2 <= 2^len(W + 1).
    // So gain · (n + 1) >= p makes the cut at most 1 unit.
    let gain = p.saturating_sub((w + UBig::ONE).bit_len()).max(1);
    let n = p.div_ceil(gain);

    // Horner: s_n = 1/(2n+1), s_i = 1/(2i+1) + w · s_(i+1). The computed s_i is e_i units too low:
    //     e_n <= 1                                  a division
    //     e_i <= 2 + w · e_(i+1) + 2 · s_(i+1)      a division, a shift, and W in the place of w
    // With w < 1/32 and s_(i+1) <= (1/3) / (1 - w) < 0.35, e_(i+1) <= 2.8 gives
    // e_i <= 2 + 0.09 + 0.7 < 2.8: that is the bound for all i. With the cut, less than 4 units.
    let one = UBig::ONE << p;
    let mut sum = &one / (2 * n + 1);
    for i in (0..n).rev() {
        sum = ((sum * w) >> p) + &one / (2 * i + 1);
    }
    sum
}

/// `e^r · 2^q` can lie `2^(j + EXP_UNITS_LOG2)` units above [`exp_reduced`].
pub(crate) const EXP_UNITS_LOG2: usize = 3;

/// `e^r` at precision `q = p + j`, for the number `r = R · 2^-p` in `[0, ln 2]`, by `j >= 1` halvings of
/// the argument and as many squarings of the result.
///
/// Ensures: `Y <= e^r · 2^q <= Y + 2^(j + EXP_UNITS_LOG2)`.
pub(crate) fn exp_reduced(r: &UBig, p: usize, j: usize) -> UBig {
    let q = p + j;
    let one = UBig::ONE << q;

    // z = r / 2^j is the same integer R, read at precision q: nothing is rounded. z < 2^-j <= 1/2.
    // Taylor by Horner: y_n = 1, y_(i-1) = 1 + z · y_i / i. The shift and the division lose less than
    // 1 unit together (a floor of a floor is one floor), so the error obeys
    //     e_n = 0,   e_(i-1) <= 1 + z · e_i / i <= 1 + e_i / 2   and stays below 2.
    // The series is cut by less than 1 unit (see taylor_terms). Together: e <= 3 units.
    let mut y = one.clone();
    for i in (1..=taylor_terms(q, j)).rev() {
        y = &one + ((y * r) >> q) / i;
    }

    // The squaring number m = 0, …, j - 1 takes y_m = exp(r · 2^(m-j)), known e_m units too low, to its
    // square, e_(m+1) <= 2 · y_m · e_m + 1 units too low: (y - e)² >= y² - 2ye, and the shift.
    //   - The factors 2 · y_m multiply to 2^j · exp(r · (1 - 2^-j)) < 2^(j+1).
    //   - The unit lost in step m meets the factors after m only, and they multiply to less than
    //     2^(j-1-m) · 2. Summed over m that is less than 2^(j+1).
    // So the result is less than 2^(j+1) · (e + 1) = 2^(j+3) units too low.
    for _ in 0..j {
        y = y.sqr() >> q;
    }
    y
}

/// The index of the last term to keep of the Taylor series of `e^z`, for `0 <= z < 2^-j <= 1/2`.
///
/// Ensures: the sum over `i > n` of `z^i / i!` is less than `2^-q`.
fn taylor_terms(q: usize, j: usize) -> usize {
    // The sum is at most 2 · z^(n+1) / (n+1)!. `gained` is at most the binary logarithm of
    // (n+1)! / z^(n+1), every factor of it counted by the floor of its logarithm.
    let mut n: usize = 0;
    let mut gained = j;
    while gained <= q + 1 {
        n += 1;
        gained += j + (n + 1).ilog2() as usize;
    }
    n
}

/// How many units `ln 2` can lie above [`ln2_fixed`].
pub(crate) const LN2_UNITS: u32 = 2;

/// `ln 2` at precision `p`.
///
/// Ensures: `L <= ln 2 · 2^p <= L + LN2_UNITS`.
pub(crate) fn ln2_fixed(p: usize) -> UBig {
    /// Serves enclosures of a thousand bits from one computation.
    const CACHED_PRECISION: usize = 1100;
    static CACHED: OnceLock<UBig> = OnceLock::new();
    if p >= CACHED_PRECISION {
        return ln2_series(p);
    }
    // From L <= x <= L + 1 + c (c = 2^-6, see ln2_series) follows, for a shift by k bits,
    // floor(L / 2^k) <= x / 2^k <= floor(L / 2^k) + (2^k - 1) / 2^k + (1 + c) / 2^k.
    CACHED.get_or_init(|| ln2_series(CACHED_PRECISION)) >> (CACHED_PRECISION - p)
}

/// `ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)` at precision `p`.
///
/// The formula holds because `atanh(1/n)` is half the logarithm of `(n+1)/(n-1)` and
/// `(27/25)^9 · (4802/4800)^-1 · (8750/8748)^4 = 2`; a test multiplies that out.
///
/// Ensures: `L <= ln 2 · 2^p <= L + 1 + 2^-6`.
fn ln2_series(p: usize) -> UBig {
    let guard = 13 + p.bit_len();
    let q = p + guard;
    let (a, a_units) = atanh_of_reciprocal(26, q);
    let (b, b_units) = atanh_of_reciprocal(4801, q);
    let (c, c_units) = atanh_of_reciprocal(8749, q);
    // The sum below is a lower bound (b enters by its upper bound) and less than this many units of
    // precision q too low. The number of terms is at most q / log2(n²) + 1, so that is at most
    // 18 (q/9.4 + 2) + 2 (q/24.4 + 2) + 8 (q/26.1 + 2) < 2.4 q + 56 <= 2^(guard - 6).
    let units = 18 * a_units + 2 * b_units + 8 * c_units;
    debug_assert!(units < 1 << (guard - 6));
    (a * 18u8 + c * 8u8 - (b + b_units) * 2u8) >> guard
}

/// `atanh(1/n) = 1/n + 1/(3n³) + 1/(5n⁵) + …` at precision `q`, and by how many units it can be too low.
fn atanh_of_reciprocal(n: u64, q: usize) -> (UBig, usize) {
    let mut power = (UBig::ONE << q) / n;
    let mut sum = UBig::ZERO;
    let mut terms = 0;
    // A floor of a floor is one floor: the power is floor(2^q / n^(2i+1)) and each summand less than
    // 1 unit too low. When the power is 0 the remaining terms are less than 1 unit together.
    while !power.is_zero() {
        sum += &power / (2 * terms + 1);
        power /= n * n;
        terms += 1;
    }
    (sum, terms + 1)
}

#[cfg(test)]
mod tests {
    //! Each kernel is compared with itself at a much higher precision, where its own error is far
    //! below one unit. That shows that the bound holds and, as the largest error seen is above 0, that
    //! an enclosure without the bound would be wrong: the bound is no decoration.

    use super::*;
    use crate::Rational;

    /// More bits for the reference value.
    const FINER: usize = 100;

    /// `fine` (at a precision `FINER` bits higher) minus `coarse`, in units of `coarse`, rounded up.
    fn units_above(fine: &UBig, coarse: &UBig) -> u64 {
        let difference = fine.clone() - (coarse << FINER);
        u64::try_from((difference >> FINER) + UBig::ONE).expect("small")
    }

    #[test]
    fn the_formula_for_ln2_multiplies_out() {
        let ratio = |n: i64| Rational::new(n + 1, n - 1).expect("n > 1");
        let product = ratio(26).pow(9) / ratio(4801) * ratio(8749).pow(4);
        assert_eq!(product, Rational::from(2));
    }

    #[test]
    fn ln2_is_within_its_units() {
        let mut largest = 0;
        for p in (1..400).chain([1098, 1099, 1100, 1101, 5000]) {
            let units = units_above(&ln2_fixed(p + FINER), &ln2_fixed(p));
            assert!(units <= u64::from(LN2_UNITS), "{units} units at precision {p}");
            largest = largest.max(units);
        }
        assert!(largest >= 1);
    }

    #[test]
    fn ln2_starts_with_the_known_digits() {
        // OEIS A002162.
        let digits = (ln2_fixed(200) * UBig::from(10u8).pow(50)) >> 200;
        assert_eq!(digits.to_string(), "69314718055994530941723212145817656807550013436025");
    }

    #[test]
    fn atanh_is_within_its_units() {
        for p in [23, 64, 128, 229] {
            let mut largest = 0;
            for step in 1..500u32 {
                // w in steps up to 9/289, the largest that occurs, given as far off as allowed.
                let fine_w = ((UBig::ONE << (p + FINER)) * step * 9u8) / (500u32 * 289);
                let coarse_w = &fine_w >> FINER;
                for too_low in [0u8, 1] {
                    let w = coarse_w.clone() - UBig::from(too_low);
                    let units = units_above(&atanh_over_t(&fine_w, p + FINER), &atanh_over_t(&w, p));
                    assert!(units <= u64::from(ATANH_UNITS), "{units} units at precision {p}, step {step}");
                    largest = largest.max(units);
                }
            }
            assert!(largest >= 2, "at precision {p} nothing was lost; is the reference the same value?");
        }
    }

    #[test]
    fn atanh_of_the_smallest_arguments_is_one() {
        assert_eq!(atanh_over_t(&UBig::ZERO, 100), UBig::ONE << 100);
        assert_eq!(atanh_over_t(&UBig::ONE, 100), UBig::ONE << 100);
    }

    #[test]
    fn exp_is_within_its_units() {
        for (p, j) in [(23, 1), (23, 2), (64, 4), (135, 6), (207, 8), (207, 1)] {
            let ln2 = ln2_fixed(p);
            let mut largest = 0;
            for step in 0..=500u32 {
                let r = &ln2 * step / 500u32;
                let fine = exp_reduced(&(&r << FINER), p + FINER, j);
                let units = units_above(&fine, &exp_reduced(&r, p, j));
                assert!(units <= 1 << (j + EXP_UNITS_LOG2), "{units} units at precision {p}, {j} halvings");
                largest = largest.max(units);
            }
            // More than the units of the series: the squarings amplify them.
            assert!(largest >= 1 << (j - 1), "{largest} units at precision {p}, {j} halvings");
        }
    }

    #[test]
    fn the_taylor_cut_is_below_one_unit() {
        for (q, j) in [(24, 1), (68, 4), (215, 8), (1000, 18)] {
            let n = taylor_terms(q, j);
            // 2 · z^(n+1) / (n+1)! for the largest z, 2^-j.
            let factorial: UBig = (1..=n + 1).map(UBig::from).product();
            assert!(factorial << (j * (n + 1)) > UBig::ONE << (q + 1), "q = {q}, j = {j}");
        }
    }
}
