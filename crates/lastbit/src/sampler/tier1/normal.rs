//! The magnitudes of two normal variables from three words: `R·cos φ` and `R·sin φ` ([`crate::sampler::normal`] has the law).
//!
//! A chunk of `N` values has `N/2` pairs. The words and halves are those of [`wide`]: the first half of the values have `U`, the second `V`.
//!
//! # Error
//!
//! `E = hi + lo` up to `r_E` ([`Unknown::relative`](wide::Unknown::relative)), and both sides of the triangle up to `r_S` ([`circle::radius`]).
//! Ensures: each magnitude is right up to `R·(r_S + 2⁻⁸⁸) + 2·r_E/R`, with room for who multiplies: another `6η·|lo| + 2⁻¹⁰³·R` is included.
//! `lastbit prove mechanisms/kernels/normal.lb` derives the sizes of `R_lo` (step 1) and of the rounding of the product (step 3) from the text of these functions.
//!
//! 1. *The root.* `E = e + e_lo` is a true sum of a double and its rest (Fast2Sum), `e > 0`. `R = √(2e)` is rounded by `η·R` at most, `2e - R²` is exact, and
//!    `δ = (2e - R² + 2·e_lo)/R²` is below `3.1η`. So `√(2(e + e_lo)) = R·(1 + δ/2)` up to `R·δ²/8`, and `R_lo = R·δ/2` up to four roundings:
//!    together below `2⁻¹⁰³·R`.
//! 2. *Unknown bits, and the error of `E`*: `|√(2E) - √(2E')| = 2·|E - E'|/(√(2E) + √(2E')) <= 2·r_E/R`, however small `E` is.
//! 3. *The product.* With the true `R'` and side `c'`, `R'·c' - R·c = (R' - R)·c' + R·(c' - c)`, so that the radii above are all that is needed. The product of the
//!    low parts and three roundings of numbers below `5η·R` make `2⁻¹⁰¹·⁵·R`, and `6η·|lo|` is below `2⁻¹⁰¹·R`: `|lo| <= 5η·R`, of which `η·R` is what the rounding of the product
//!    leaves, `2η·R` from the side and `1.6η·R` from `R_lo`.
//!
//! The products do not underflow, or by less than `2⁻¹⁰⁷⁰`: `R >= 2⁻⁴⁹`, where a side may be anything down to 0. With `σ >= 2⁻⁹⁰⁰` the radius is above
//! `2⁻¹⁰³⁷`.
//!
//! Share of values that are left, as for [`Round`](super::round::Round): the radius is `2⁻⁸⁵·⁴·R` or so, the mean of `R` is 1.25, and for results near 0 each of 32 binades adds
//! `2·2⁻⁸⁵·⁴·1.25·2⁵³` times the density of `G`, which is below 0.4: in all below `2⁻²⁷`. Small `R` have larger radii, `2⁻⁹⁵/R`, but come with
//! probability `R²/2`: they add less than `2⁻³⁵`. For integers it is `2d` with `d = σ·2⁻⁸⁵·⁴·R + 2⁻⁴⁹`: below `2⁻²⁴` up to `σ = 2⁵⁹`.

use std::marker::PhantomData;

use super::round::{RoundParams, Rounded, Summand, round_sums};
use super::whole::{WholeParams, whole_sums};
use super::wide::{Exponentials, Unknown, exponentials};
use super::{circle, pow2_neg};
use crate::bits::Word;
use crate::sampler::arith::{Arith, Kernel};

/// The magnitudes of normal variables, `hi + lo` up to `radius`, or up to infinity.
///
/// A release keeps one of these for all its chunks, as of [`Exponentials`].
pub(crate) struct Normals<const N: usize> {
    pub(crate) hi: [f64; N],
    pub(crate) lo: [f64; N],
    pub(crate) radius: [f64; N],
    /// The cell of the angle, for the tables; and what goes from phase to phase, for the first half only.
    cell: [u64; N],
    sine: [[f64; N]; 2],
    versine: [[f64; N]; 2],
    centre: [[f64; N]; 4],
}

impl<const N: usize> Normals<N> {
    /// To be [filled](normals).
    pub(crate) const fn new() -> Normals<N> {
        let [sine, versine] = [[[0.0; N]; 2]; 2];
        let (hi, lo, radius) = ([0.0; N], [0.0; N], [0.0; N]);
        Normals { hi, lo, radius, cell: [0; N], sine, versine, centre: [[0.0; N]; 4] }
    }
}

/// `√(2E)`, and a radius for it.
#[inline(always)]
fn root<A: Arith>((hi, lo): (f64, f64), (radius, bounded): (f64, bool)) -> ((f64, f64), f64) {
    let e = hi + lo;
    let e_lo = lo - (e - hi);
    let e2 = e + e;
    let r = e2.sqrt();
    let half = 0.5 / r;
    let r_lo = (A::residual(e2, r, r) + (e_lo + e_lo)) * half;
    ((r, r_lo), if bounded { 4.0 * half * radius } else { f64::INFINITY })
}

/// Both, in the other order if `swap` is set. On the bits: the compiler would make a branch of the choice.
#[inline(always)]
fn exchanged_if(swap: bool, a: f64, b: f64) -> (f64, f64) {
    let difference = (a.to_bits() ^ b.to_bits()) & u64::from(swap).wrapping_neg();
    (f64::from_bits(a.to_bits() ^ difference), f64::from_bits(b.to_bits() ^ difference))
}

/// Fills them in, pair by pair; `e` is for the way there. `N` is even.
#[inline(always)]
pub(crate) fn normals<A: Arith, W: Word, const N: usize>(
    words: &[W; N],
    lows: &[u64; N],
    e: &mut Exponentials<N>,
    out: &mut Normals<N>,
) {
    assert!(N.is_multiple_of(2));
    let pairs = N / 2;
    let (u_words, v_words) = words.split_at(pairs);
    let (u_lows, v_lows) = lows.split_at(pairs);
    exponentials::<A, W, N>(u_words, u_lows, e);

    let Normals { hi, lo, radius, cell, sine, versine, centre } = out;
    let (radius, radius_of_second) = radius.split_at_mut(pairs);
    let unknown = Unknown::new::<W>();
    for (((hi, lo), place), radius) in e.hi.iter_mut().zip(&mut e.lo).zip(&e.place).zip(&mut *radius) {
        let of_e = unknown.relative::<A>(*hi, *place);
        ((*hi, *lo), *radius) = root::<A>((*hi, *lo), of_e);
    }

    let k = &if N >= 16 { std::hint::black_box(circle::CONSTANTS) } else { circle::CONSTANTS };
    let [[sine, sine_lo], [versine, versine_lo]] = [sine, versine];
    for i in 0..pairs {
        let word = v_words[i].left_aligned();
        let (sine_of, versine_of) = circle::small_angle::<A, W>(k, word, v_lows[i]);
        (sine[i], sine_lo[i]) = sine_of;
        (versine[i], versine_lo[i]) = versine_of;
        cell[i] = circle::cell::<W>(word, v_lows[i]);
    }
    for (table, out) in circle::CENTRES.iter().zip(&mut *centre) {
        A::look_up(table, &cell[..pairs], &mut out[..pairs]);
    }

    let [c, c_lo, s, s_lo] = centre;
    let (hi, hi_of_second) = hi.split_at_mut(pairs);
    let (lo, lo_of_second) = lo.split_at_mut(pairs);
    // 2⁻⁸⁸ of R, beside what the sides are off.
    let slope = circle::radius::<W>() + pow2_neg(88);
    for i in 0..pairs {
        let small = ((sine[i], sine_lo[i]), (versine[i], versine_lo[i]));
        let [cos, sin] = circle::turn::<A>(small.0, small.1, (c[i], c_lo[i]), (s[i], s_lo[i]));
        let swap = v_words[i].left_aligned() & 1 << 62 != 0;
        let r = (e.hi[i], e.lo[i]);
        let (of_cos, of_sin) = (A::product(r, cos), A::product(r, sin));
        (hi[i], hi_of_second[i]) = exchanged_if(swap, of_cos.0, of_sin.0);
        (lo[i], lo_of_second[i]) = exchanged_if(swap, of_cos.1, of_sin.1);
        radius[i] = A::mul_add(r.0, slope, radius[i]);
        radius_of_second[i] = radius[i];
    }
}

/// `RN(x + s·σ·|G|)`, as [`Round`](super::round::Round), in the place of `hi`.
pub(crate) struct RoundNormal<'a, W, X, T, const N: usize> {
    pub(crate) params: RoundParams,
    pub(crate) words: &'a [W; N],
    pub(crate) lows: &'a [u64; N],
    pub(crate) e: &'a mut Exponentials<N>,
    pub(crate) g: &'a mut Normals<N>,
    pub(crate) x: &'a [X; N],
    pub(crate) rounds_to: PhantomData<T>,
}

impl<W: Word, X: Summand, T: Rounded, const N: usize> Kernel for RoundNormal<'_, W, X, T, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let RoundNormal { params, words, lows, e, g, x, .. } = self;
        normals::<A, W, N>(words, lows, e, g);
        let columns = g.hi.iter_mut().zip(&g.lo).zip(&g.radius);
        round_sums::<A, W, X, T, _, N>(params, words, x, columns, |_, radius| (*radius, true))
    }
}

/// `floor(½ + s·σ·|G|)`, as [`Whole`](super::whole::Whole): `hi` is `above`, `lo` is `below`.
pub(crate) struct WholeNormal<'a, W, const N: usize> {
    pub(crate) params: WholeParams,
    pub(crate) words: &'a [W; N],
    pub(crate) lows: &'a [u64; N],
    pub(crate) e: &'a mut Exponentials<N>,
    pub(crate) g: &'a mut Normals<N>,
}

impl<W: Word, const N: usize> Kernel for WholeNormal<'_, W, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let WholeNormal { params, words, lows, e, g } = self;
        normals::<A, W, N>(words, lows, e, g);
        let Normals { hi, lo, radius, .. } = g;
        whole_sums::<A, W, _, N>(params, words, hi.iter_mut().zip(lo).zip(radius), |_, &mut radius| {
            (radius, true)
        })
    }
}
