//! Integers: `floor(α_σ + σ·s·E)` where the scale is large, and sums on a grid.

use super::round::Rounded;
use super::wide::{Exponentials, Unknown, exponentials};
use super::{pow2_neg, with_sign};
use crate::bits::Word;
use crate::sampler::arith::{Arith, Kernel};

/// The noise of integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WholeParams {
    /// `s = s_hi + s_lo` up to `2⁻¹⁰⁵·s`; `2⁻¹⁰ <= s <= 2⁹⁰`.
    pub(crate) s_hi: f64,
    pub(crate) s_lo: f64,
    /// `α_σ = ½ + σ·skew` up to `2⁻⁵³`, between 0 and 1.
    pub(crate) skew: f64,
}

/// `α + σ·s·E`: the integer `above + below`, and a fraction in [0, 1).
///
/// Ensures: right up to `s·(6η·|lo| + 2⁻¹⁰³·E) + 2⁻⁵⁰`, where the first is in the radius of `E`. The parts are integers, `|above| <= s·E` and
/// `|below| <= 2⁻⁵⁰·s·E + 3`.
///
/// `hi + lo` becomes a true sum of a double and its rest (Fast2Sum: `|hi| >= |lo|`, or `hi = 0`), so that `|y_lo| <= 3η·y`. What is lost is the product of the
/// low parts and three roundings of parts below that. `y - floor(y)` is exact, or within `η/2` where `y` is in (-1, 0), and so for `y_lo`; the sums of
/// fractions, below 2 and 3, round by `η` and `2η`; `α` is off by `η`, and rounded by `η/2`. That makes `5.5η`.
#[inline(always)]
fn split<A: Arith>(p: &WholeParams, (hi, lo): (f64, f64), word: u64) -> (f64, f64, f64) {
    let e = hi + lo;
    let e_lo = lo - (e - hi);
    let (y, y_lo) = A::product((p.s_hi, p.s_lo), (e, e_lo));
    let (y, y_lo) = (with_sign(y, word), with_sign(y_lo, word));
    let alpha = 0.5 + with_sign(p.skew, word);
    let (above, below) = (A::floor(y), A::floor(y_lo));
    let fraction = (y - above) + ((y_lo - below) + alpha);
    let carry = A::floor(fraction);
    (above, below + carry, fraction - carry)
}

/// `2⁻⁵⁰`, for [`split`], and for `d` and `fraction ∓ d` another that covers their roundings.
pub(super) const FRACTION_ERROR: f64 = pow2_neg(49);

/// Makes integers `above + below`; `above` is NaN where undecided. The result tells whether there is any.
///
/// Decided is what is further than `d = s·radius + 2⁻⁴⁹` from an integer. The share that is left is `2d` on average over `E`, whose mean is 1, that is
/// `s·2⁻⁸⁶·⁴ + 2⁻⁴⁸`, and `s·2⁻⁹⁴·ln(2⁹⁴/s)` for the unknown bits: below `2⁻²⁴` up to `s = 2⁶²`, whatever the values are, which are not looked at.
pub(crate) struct Whole<'a, W, const N: usize> {
    pub(crate) params: WholeParams,
    pub(crate) words: &'a [W; N],
    pub(crate) lows: &'a [u64; N],
    /// Where the integers go: `hi` is `above`, `lo` is `below`.
    pub(crate) e: &'a mut Exponentials<N>,
}

impl<W: Word, const N: usize> Kernel for Whole<'_, W, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let Whole { params, words, lows, e } = self;
        exponentials::<A, W, N>(words, lows, e);
        let unknown = Unknown::new::<W>();
        let Exponentials { hi, lo, place, .. } = e;
        let columns = hi.iter_mut().zip(lo).zip(place);
        whole_sums::<A, W, _, N>(params, words, columns, move |hi, &mut place| {
            unknown.absolute::<A>(hi, place)
        })
    }
}

/// The last phase of a kernel that makes integers of magnitudes `hi + lo`: `above` goes to `hi`, `below` to `lo`. What is beside them tells the
/// radius, and whether it is one.
#[inline(always)]
pub(super) fn whole_sums<'a, A: Arith, W: Word, R, const N: usize>(
    params: WholeParams,
    words: &[W; N],
    magnitudes: impl Iterator<Item = ((&'a mut f64, &'a mut f64), R)>,
    radius: impl Fn(f64, R) -> (f64, bool),
) -> bool {
    let s_up = params.s_hi * (1.0 + pow2_neg(40));
    let mut any = 0u64;
    for (word, ((hi, lo), beside)) in words.iter().zip(magnitudes) {
        let (above, below, fraction) = split::<A>(&params, (*hi, *lo), word.left_aligned());
        let (radius, bounded) = radius(*hi, beside);
        let d = A::mul_add(s_up, radius, FRACTION_ERROR);
        let decided = (fraction > d) & (fraction < 1.0 - d) & bounded;
        *hi = if decided { above } else { f64::NAN };
        *lo = below;
        any |= if decided { 0 } else { 1 };
    }
    any != 0
}

/// Sums on the grid `Z·2^k`: `RN((⌊x/2^k⌉ + Z)·2^k)`, `Z` an integer as above, as doubles in the place of `hi` of `E`; NaN where undecided. The result tells whether there is any.
///
/// With `d` as for [`Whole`], `Z` is between the floors of `fraction - d` and `fraction + d`, plus `above + below`. Where both give the same sum after
/// rounding, that is the answer, even if they differ: large sums do not have all digits. `I = ⌊x/2^k⌉` is exact. `h + e = I + above` without error
/// (TwoSum), and so is `l = e + below`, or what it leaves is not 0 and is covered by `2⁻⁵¹·|l|`.
///
/// Where `|x| >= 2^(k+200)`, `I` may be beyond the doubles; but the noise is below `2^(k+100)`, and the sum is `x`.
///
/// Share of values that are left: as for [`Whole`] while sums are below `2⁵³`, that is `2d` with probability `2⁵³/s`, at most `2⁻³²`; for each binade of sums beyond that
/// as much again: in all below `2⁻²⁶`, whatever `x` is, for `s` up to `2⁸⁸`.
pub(crate) struct Grid<'a, W, T, const N: usize> {
    pub(crate) params: WholeParams,
    /// The exponent of the grid, -1000 to 1023.
    pub(crate) k: i32,
    pub(crate) words: &'a [W; N],
    pub(crate) lows: &'a [u64; N],
    pub(crate) e: &'a mut Exponentials<N>,
    pub(crate) x: &'a [T; N],
}

/// `2^k`, or infinity beyond the doubles.
pub(crate) fn pow2(k: i32) -> f64 {
    if k > 1023 { f64::INFINITY } else { <f64 as lastbit_real::Float>::from_i128(1, k) }
}

/// `x`, or 0 if it is smaller than `least`, which is not subnormal.
///
/// Many processors take longer for products with subnormal numbers, some by a hundred cycles: who can time a release would see them among the
/// values.
#[inline(always)]
pub(crate) fn unless_tiny(x: f64, least: f64) -> f64 {
    if x.abs() < least { 0.0 } else { x }
}

/// `x/2^k` rounded half up, where `cell = 2^k`, not subnormal, and `per_cell = 2^-k`: a product with a power of two, `floor`, and a comparison of a fraction, all
/// exact. What is below a quarter of a cell rounds to 0.
#[inline(always)]
pub(crate) fn cell_of<A: Arith>(x: f64, cell: f64, per_cell: f64) -> f64 {
    let v = unless_tiny(x, 0.25 * cell) * per_cell;
    let below = A::floor(v);
    below + if v - below >= 0.5 { 1.0 } else { 0.0 }
}

/// `e + below` and what rounding may have taken.
#[inline(always)]
fn low_part(e: f64, below: f64) -> (f64, f64) {
    let l = e + below;
    let back = l - e;
    let left = (e - (l - back)) + (below - back);
    (l, if left == 0.0 { 0.0 } else { l.abs() * pow2_neg(51) })
}

impl<W: Word, T: Rounded, const N: usize> Kernel for Grid<'_, W, T, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let Grid { params: p, k, words, lows, e, x: values } = self;
        exponentials::<A, W, N>(words, lows, e);
        let s_up = p.s_hi * (1.0 + pow2_neg(40));
        let (cell, per_cell, far) = (pow2(k), pow2(-k), pow2(k + 200));
        let unknown = Unknown::new::<W>();
        let mut any = 0u64;
        let noise = e.hi.iter_mut().zip(&e.lo).zip(&e.place);
        for ((word, value), ((hi, lo), place)) in words.iter().zip(values).zip(noise) {
            let (above, below, fraction) = split::<A>(&p, (*hi, *lo), word.left_aligned());
            let (radius, bounded) = unknown.absolute::<A>(*hi, *place);
            let d = A::mul_add(s_up, radius, FRACTION_ERROR);

            let x = value.to_f64();
            let index = cell_of::<A>(x, cell, per_cell);
            let h = index + above;
            let back = h - index;
            let rest = (index - (h - back)) + (above - back);
            let (low, low_slack) = low_part(rest, below + A::floor(fraction - d));
            let (high, high_slack) = low_part(rest, below + A::floor(fraction + d));
            let least = T::round_sum(h * cell, (low - low_slack) * cell);
            let most = T::round_sum(h * cell, (high + high_slack) * cell);
            let is_far = x.abs() >= far;
            let decided = (T::decided(least, most) | is_far) & bounded;
            let sum = if is_far { x } else { least.to_f64() };
            *hi = if decided { sum } else { f64::NAN };
            any |= if decided { 0 } else { 1 };
        }
        any != 0
    }
}
