//! Floats: `RN(x + σ·b·E)`.

use std::marker::PhantomData;

use lastbit_real::Float;

use super::wide::{Exponentials, Unknown, exponentials};
use super::{pow2_neg, with_sign};
use crate::bits::Word;
use crate::sampler::arith::{Arith, Kernel};

/// `RN(x + σ·b·E)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundParams {
    /// `b = b_hi + b_lo` up to `2⁻¹⁰⁵·b`, and `2⁻⁹⁰⁰ <= b <= 2⁹⁰⁰`, so that no product under- or overflows.
    pub(crate) b_hi: f64,
    pub(crate) b_lo: f64,
    /// How far, at most, the wanted real number lies from `x + σ·b·E`: 0, or the width of a fine grid.
    pub(crate) slack: f64,
}

/// What a kernel that rounds can give.
pub(crate) trait Rounded: Float {
    /// `RN(h + l)`, without double rounding; zero is `+0`, where `h` is not `-0`.
    fn round_sum(h: f64, l: f64) -> Self;
    /// A double that is a value of this type.
    fn from_exact(x: f64) -> Self;
    /// True if both are the same finite number.
    fn decided(a: Self, b: Self) -> bool;
}

impl Rounded for f64 {
    #[inline(always)]
    fn round_sum(h: f64, l: f64) -> f64 {
        h + l
    }
    #[inline(always)]
    fn from_exact(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn decided(a: f64, b: f64) -> bool {
        (a == b) & (a.abs() <= f64::MAX)
    }
}

impl Rounded for f32 {
    /// Rounds to odd first (Boldo and Melquiond 2008): the 53 bits then remember on which side of a tie of `f32` the
    /// sum lies.
    #[inline(always)]
    fn round_sum(h: f64, l: f64) -> f32 {
        let s = h + l;
        let back = s - h;
        let error = (h - (s - back)) + (l - back); // TwoSum: exact
        let bits = s.to_bits();
        // One step toward the error changes an even significand to an odd one: away from zero if the error has the
        // sign of `s`, else toward zero.
        let step = if (error < 0.0) == (s < 0.0) { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        let inexact_and_even = (error != 0.0) & (bits & 1 == 0);
        // Small negative numbers round to -0; the sum makes that +0.
        f64::from_bits(if inexact_and_even { step } else { bits }) as f32 + 0.0
    }
    #[inline(always)]
    fn from_exact(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn decided(a: f32, b: f32) -> bool {
        (a == b) & (a.abs() <= f32::MAX)
    }
}

/// A value that noise is added to, as doubles.
pub(crate) trait Summand: Copy {
    /// The value, or the double nearest to it.
    fn hi(self) -> f64;
    /// `y` plus what [`hi`](Self::hi) leaves of the value.
    fn plus_lo(self, y: f64) -> f64;
    /// A radius that covers what both leave, too.
    fn widen<A: Arith>(self, d: f64) -> f64;
}

impl<T: Rounded> Summand for T {
    #[inline(always)]
    fn hi(self) -> f64 {
        self.to_f64()
    }
    #[inline(always)]
    fn plus_lo(self, y: f64) -> f64 {
        y
    }
    #[inline(always)]
    fn widen<A: Arith>(self, d: f64) -> f64 {
        d
    }
}

/// A real number `x` as two doubles: `hi` is the nearest to it, or infinite; and
/// `|x - hi - lo| <= 2⁻¹⁰⁵·|hi| + 2⁻¹⁰⁷⁴`.
///
/// Two roundings after `x - hi`, which is at most `η·|hi|` or half of the least subnormal, leave no more than that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

/// What it adds to the error of [`Round`], beside what that says of `x = hi`: the sum `y_lo + lo` rounds by `η·(|y_lo| + |lo|)`; `l` is
/// larger by `|lo|`, and so are its rounding and that of the ends by `η·|lo|` each; and `2⁻¹⁰⁵·|hi| + 2⁻¹⁰⁷⁴` is left. With `|lo| <= η·|hi|`
/// that is `η·|y_lo| + 5·2⁻¹⁰⁶·|hi| + 2⁻¹⁰⁷³` at most. The first is one more `η·b·|lo_E|`, where `lo_E` is the `lo` of `E`, and the last below
/// `2⁻¹⁷³·b`, since `b >= 2⁻⁹⁰⁰`: the radius has room for both. So `d` grows by `2⁻¹⁰³·|hi|`, 8 of these units in place of 5.
impl Summand for Split {
    #[inline(always)]
    fn hi(self) -> f64 {
        self.hi
    }
    #[inline(always)]
    fn plus_lo(self, y: f64) -> f64 {
        y + self.lo
    }
    #[inline(always)]
    fn widen<A: Arith>(self, d: f64) -> f64 {
        // Not with a subnormal number, which would take longer: a larger radius is one, too.
        A::mul_add(self.hi.abs().max(pow2_neg(900)), pow2_neg(103), d)
    }
}

/// Noisy values, as doubles, in the place of `hi` of `E`; NaN where undecided. The result tells whether there is any.
///
/// Error of `h + l` against `x + σ·b·E`: `y + y_lo` is `b·(hi + lo)` up to the product of the low parts and the rounding of the last
/// sum, `2η·b·|lo|`, and up to `2⁻¹⁰³·b·E` for the other roundings and for `b` itself: both are in the radius of `E`. TwoSum is exact; `l`
/// rounds by `η·|l|`, the ends `l ∓ d` by `η·(|l| + d)`, and `|l| <= η·|h| + b·(|lo| + 2⁻⁵¹·E)`: another `2η·b·|lo|`, which the radius has room
/// for, and `2⁻¹⁰⁵·|h|`. So `d = b·radius + slack + 2⁻¹⁰⁴·|h|`, with `2⁻⁴⁰` of itself for its own roundings.
///
/// Share of values that are left: `2d` over the distance of two neighbours of the result. Far from 0 that is below `2⁻⁵⁰` for doubles. Results near 0,
/// smaller than `b·E` by a factor of `2^j`, come with a probability of at most `2^-j`, and their neighbours are as much closer, so that each of the
/// binades below `b` adds at most `2⁻³³`; there are 33 of them before results are closer to 0 than `d`. In all below `2⁻²⁷`, whatever `x` is, and
/// where a `slack` of up to `2⁻⁸⁷·b` is added, too. For singles it is less.
pub(crate) struct Round<'a, W, X, T, const N: usize> {
    pub(crate) params: RoundParams,
    pub(crate) words: &'a [W; N],
    pub(crate) lows: &'a [u64; N],
    pub(crate) e: &'a mut Exponentials<N>,
    pub(crate) x: &'a [X; N],
    pub(crate) rounds_to: PhantomData<T>,
}

impl<W: Word, X: Summand, T: Rounded, const N: usize> Kernel for Round<'_, W, X, T, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let Round { params, words, lows, e, x, .. } = self;
        exponentials::<A, W, N>(words, lows, e);
        let unknown = Unknown::new::<W>();
        let columns = e.hi.iter_mut().zip(&e.lo).zip(&e.place);
        round_sums::<A, W, X, T, _, N>(params, words, x, columns, move |hi, place| {
            unknown.relative::<A>(hi, *place)
        })
    }
}

/// The last phase of a kernel that rounds: `x + σ·b·m` in the place of each magnitude `m = hi + lo`. What is beside it tells its radius, and whether it is one.
///
/// The results go where the magnitudes were, and not to the values: of these the compiler would not know that they lie elsewhere, and not
/// vectorise.
#[inline(always)]
pub(in crate::sampler) fn round_sums<'a, A: Arith, W: Word, X: Summand, T: Rounded, R, const N: usize>(
    RoundParams { b_hi, b_lo, slack }: RoundParams,
    words: &[W; N],
    values: &[X; N],
    magnitudes: impl Iterator<Item = ((&'a mut f64, &'a f64), R)>,
    radius: impl Fn(f64, R) -> (f64, bool),
) -> bool {
    let b_up = b_hi * (1.0 + pow2_neg(40));
    let slack = slack * (1.0 + pow2_neg(40));
    let mut any = 0u64;
    for ((word, value), ((hi, lo), beside)) in words.iter().zip(values).zip(magnitudes) {
        let word = word.left_aligned();
        let (y, y_lo) = A::product((b_hi, b_lo), (*hi, *lo));
        let (y, y_lo) = (with_sign(y, word), with_sign(y_lo, word));
        let (value, x) = (*value, value.hi());
        let h = x + y;
        let back = h - x;
        let l = ((x - (h - back)) + (y - back)) + value.plus_lo(y_lo);
        let (radius, bounded) = radius(*hi, beside);
        let d = A::mul_add(b_up, radius, A::mul_add(h.abs(), pow2_neg(104), slack));
        let d = value.widen::<A>(d);
        let below = T::round_sum(h, l - d);
        let above = T::round_sum(h, l + d);
        let decided = T::decided(below, above) & bounded;
        *hi = if decided { below.to_f64() } else { f64::NAN };
        any |= if decided { 0 } else { 1 };
    }
    any != 0
}

/// Results that are values of this type, from doubles.
#[inline]
pub(crate) fn take<T: Rounded, const N: usize>(results: &[f64; N], out: &mut [T; N]) {
    for (out, result) in out.iter_mut().zip(results) {
        *out = T::from_exact(*result);
    }
}
