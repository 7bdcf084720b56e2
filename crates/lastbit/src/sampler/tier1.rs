//! Tier 1: a straight line of float arithmetic with a proved error radius, four values at a time.
//!
//! Each kernel reads a word (one bit of sign, the rest the first bits of `U`), encloses `E = -ln U`, and
//! keeps the answer if every real number of the enclosure gives it (Ziv's test). What it can not decide it
//! marks with NaN and leaves to tier 2. There is no branch on the noise or on the data.
//!
//! # Notation
//!
//! `η = 2⁻⁵³`, the unit roundoff; `RN` is rounding to nearest even. Words are left-aligned in 64 bits. A word of
//! `BITS` bits, with `u` the integer of its bits below the sign, says `u < U·2^(BITS-1) < u + 1`. With
//! `H = 2^(64-BITS)` and `a = (2u + 1)·H` that is `a - H < U·2⁶⁴ < a + H`.
//!
//! # The logarithm
//!
//! `a = 2^e·Z` with `Z` in about [√½, √2); then `E₀ = -ln(a/2⁶⁴) = n·ln 2 - 2·atanh t`, where `n = 64 - e`,
//! `t = (Z-1)/(Z+1)` and `|t| < 0.17158 =: τ`, `t² < 0.02944`. And `|E - E₀| <= -ln(1 - H/a)`, since `U` is that
//! close to its centre. With `q >= H/a` and `q <= 1/2` this is at most `q + 2q²`. We take
//! `q = H·2^-e·(2.1214 - z) >= H·2^-e/Z`: `1/Z` is convex and so below its chord `3/√2 - Z` between √½ and √2.
//! If `u >= 1` then `H/a <= 1/3`, and `z·(2.1214 - z) < 1.1252` gives `q < 0.376`. If `u = 0`, then `U` may be
//! as small as it likes, nothing bounds `E`, and the value is left to tier 2.

use lastbit_real::Float;

use super::arith::{Arith, Kernel};
use crate::bits::Word;

/// The constants of the logarithm.
#[derive(Clone, Copy)]
pub(in crate::sampler) struct Constants {
    /// `1/(2i + 1)`.
    odd: [f64; 12],
    /// What `odd[1]` leaves of 1/3.
    third_lo: f64,
    /// ln 2, nearest.
    ln2: f64,
    /// ln 2 in 42 bits, so that its products with integers up to 64 are exact; and the rest, nearest.
    ln2_hi: f64,
    ln2_lo: f64,
    one: f64,
    half: f64,
    minus_two: f64,
    chord: f64,
    arithmetic: f64,
    two52: f64,
    two84: f64,
    two52_bits: u64,
    two84_bits: u64,
    /// The bits of the double next to √½.
    sqrt_half_bits: u64,
}

const CONSTANTS: Constants = Constants {
    odd: [
        1.0,
        1.0 / 3.0,
        1.0 / 5.0,
        1.0 / 7.0,
        1.0 / 9.0,
        1.0 / 11.0,
        1.0 / 13.0,
        1.0 / 15.0,
        1.0 / 17.0,
        1.0 / 19.0,
        1.0 / 21.0,
        1.0 / 23.0,
    ],
    third_lo: f64::from_bits(0x3c75_5555_5555_5555),
    ln2: std::f64::consts::LN_2,
    ln2_hi: f64::from_bits(0x3fe6_2e42_fefa_3800),
    ln2_lo: f64::from_bits(0x3d2e_f357_93c7_6730),
    one: 1.0,
    half: 0.5,
    minus_two: -2.0,
    chord: 2.1214, // 3/√2 = 2.12132…, and room for z ≠ Z and three roundings
    arithmetic: 52.0 * pow2_neg(53),
    two52: TWO52,
    two84: TWO84,
    two52_bits: 0x4330_0000_0000_0000,
    two84_bits: 0x4530_0000_0000_0000,
    sqrt_half_bits: 0x3fe6_a09e_667f_3bcd,
};

impl Constants {
    /// The constants for a loop over up to `n` values. A long loop gets them as variables that the compiler can not see
    /// through: it then keeps them ready in vectors, where it would spread each constant anew for every four values, a
    /// fifth of all instructions.
    #[inline(always)]
    pub(in crate::sampler) fn for_loop_over(n: usize) -> Constants {
        if n >= 16 { std::hint::black_box(CONSTANTS) } else { CONSTANTS }
    }
}

const TWO52: f64 = (1u64 << 52) as f64;
const TWO84: f64 = 19_342_813_113_834_066_795_298_816.0;
const SIGN: u64 = 1 << 63;

/// 2^-k as a double.
pub(in crate::sampler) const fn pow2_neg(k: u64) -> f64 {
    f64::from_bits((1023 - k) << 52)
}

/// `σ·x`: the top bit of a word is set for a negative `σ`.
#[inline(always)]
pub(crate) fn with_sign(magnitude: f64, word: u64) -> f64 {
    f64::from_bits(magnitude.to_bits() ^ (word & SIGN))
}

/// `a` of a word: the centre of what it says about `U`, times 2⁶⁴.
#[inline(always)]
fn centre<W: Word>(word: u64) -> u64 {
    (word << 1) | (1 << (64 - W::BITS))
}

/// True if all known bits of `U` are zero.
#[inline(always)]
pub(in crate::sampler) fn is_unbounded(word: u64) -> bool {
    word << 1 == 0
}

/// `(z, e, 2^-e)` with `f = z·2^e` and `z` in [√½, √2), for a double in [1, 2⁶⁴]. All on the bits, without error.
#[inline(always)]
fn normalise(k: &Constants, f: f64) -> (f64, u64, f64) {
    let above = f.to_bits().wrapping_sub(k.sqrt_half_bits);
    let e = above >> 52;
    let z = f64::from_bits((above & ((1 << 52) - 1)) + k.sqrt_half_bits);
    (z, e, f64::from_bits(1023u64.wrapping_sub(e) << 52))
}

/// `64 - e` as a double, exact.
#[inline(always)]
fn sixty_four_minus(k: &Constants, e: u64) -> f64 {
    (k.two52 + 64.0) - f64::from_bits(e | k.two52_bits)
}

/// How far `E` may lie from `E₀` because only some bits of `U` are known.
#[inline(always)]
fn unknown_bits<A: Arith, W: Word>(k: &Constants, z: f64, scale: f64) -> f64 {
    let half = (1u128 << (64 - W::BITS)) as f64;
    let q = (scale * half) * (k.chord - z);
    A::mul_add(q + q, q, q)
}

/// `E₀` in one double, and the radius that the unknown bits of `U` ask for.
///
/// Ensures: `|E - e| <= 2⁻⁵¹·(e + 1) + radius`, if `u >= 1`. `lastbit prove mechanisms/kernels/exponential.lb` derives `2⁻⁵¹·(e + 1)` from this
/// function's text; by hand:
///
/// Error of `e` against `E₀`, in units of `η`, to first order (what is of second order is below 2⁻⁴⁰ of it):
/// - `f = RN(a)`: 1, since `E₀` moves by the relative error of `a`.
/// - `z - 1` is exact (Sterbenz); `z + 1` and the quotient round: `t` has relative error 2.
/// - `p = Σ t²ⁱ/(2i+1)`, `i <= 10`: `c0`, `low` and `p` round by 1 each; what is inside counts `t² < 0.03` times; the rest
///   of the series is below 2⁻⁶⁰: 3.1 in all.
/// - `2t·p` rounds by 1. Together 6.1 on `|2tp| < 0.3466`: 2.12.
/// - `n·ln 2`: the constant is off by 0.3 relative, the sum (and the product, unfused) rounds by 1 (2): `2.31·e`, but the
///   unfused product may be larger than `e` by `0.3466`: another 0.45.
///
/// Sum: `3.57 + 2.31·e < 4·(e + 1)` units of 2⁻⁵³.
#[inline(always)]
pub(in crate::sampler) fn exponential<A: Arith, W: Word>(k: &Constants, word: u64) -> (f64, f64) {
    let a = centre::<W>(word);
    let high = f64::from_bits((a >> 32) | k.two84_bits) - (k.two84 + k.two52);
    let f = high + f64::from_bits((a & 0xffff_ffff) | k.two52_bits);
    let (z, e, scale) = normalise(k, f);
    let t = (z - k.one) / (z + k.one);
    let w = t * t;
    let w2 = w * w;
    let w4 = w2 * w2;
    // Estrin's scheme: short chains of dependent operations.
    let c0 = A::mul_add(w, k.odd[1], k.one);
    let c1 = A::mul_add(w, k.odd[3], k.odd[2]);
    let c2 = A::mul_add(w, k.odd[5], k.odd[4]);
    let c3 = A::mul_add(w, k.odd[7], k.odd[6]);
    let c4 = A::mul_add(w, k.odd[9], k.odd[8]);
    let low = A::mul_add(w2, c1, c0);
    let mid = A::mul_add(w2, c3, c2);
    let top = A::mul_add(w2, k.odd[10], c4);
    let p = A::mul_add(w4, A::mul_add(w4, top, mid), low);
    let value = A::mul_add(sixty_four_minus(k, e), k.ln2, (t * k.minus_two) * p);
    (value, unknown_bits::<A, W>(k, z, scale))
}

/// `E₀` as an unevaluated sum of two doubles, and the radius.
///
/// Ensures: `|E - (hi + lo)| <= radius + 2⁻⁸⁰` and `|lo| <= 2⁻¹³`, if `u >= 1`. `lo` is not a true low part: it holds
/// `rest`, whose rounding errors the radius allows for 10 times over.
///
/// The parts, with their absolute error:
/// - `a = f + f_lo` and `Z = z + z_lo` are exact, `|z_lo| <= η`.
/// - `den + den_lo = Z + 1` up to 2⁻¹⁰⁴: `den - 1` and `z - (den - 1)` are exact, one sum rounds below `2⁻⁵²·1.5`.
/// - `t + t_lo` against the true `t`: the quotient is off by less than `3η·τ`, so `rem` is below 2⁻⁵²; it is made of a
///   residual (error `η·|rem|`), a product (2⁻¹⁰⁵) and their sum (2⁻¹⁰⁵); and `1/(Z+1) = (1-t)/2` is good to `3η`. In
///   all below 2⁻¹⁰³, and `|t_lo| < 2⁻⁵²`.
/// - `w + w_lo` is the square of the double `t`, exactly; `c + c_lo` is its `t³/3` up to 2⁻¹⁰⁶ (roundings of parts below
///   2⁻⁵⁷, and what `odd[1] + third_lo` leaves of 1/3).
/// - `rest = t⁵/5 + t⁷/7 + …` in plain doubles, relative error in units of `η`: `w²` 3, `t·w²` 1, the polynomial 6
///   (4 roundings, constants, the dropped tail `5·w¹⁰/25 < 1`, the error of `w` times `5w/7`), the last product 1,
///   and 1.1 for the double `t` in place of the true one, beyond the derivative `t_lo·(1 + w + w²)` that is added: 13.
/// - `small = t_lo·(1 + w + w²) + c_lo + rest` rounds four (unfused five) times, on parts that are `rest` or below
///   2⁻⁵¹: 4 more. `E₀` has `2·small`: 34 units of `η·|small|`, and 2⁻¹⁰⁰ for the parts that are not `rest`.
/// - `n·LN2_HI`, `e₀ + s_lo`, `hi + s₂` are exact (Fast2Sum: `n·LN2_HI` is 0 or above `2τ`, and `|e₀| >= 2c`).
/// - `n·LN2_LO <= 2⁻³⁸`: the constant is good to 2⁻⁹⁷, roundings to 2⁻⁹⁰; the sums of `lo` round parts below
///   2⁻³⁸ and `2·small`: another `2η·|small|` and 2⁻⁹¹.
///
/// Sum: `36·η·|small| + 2⁻⁸⁹`. We take 52, which leaves `16·η·|small|` for the users of `lo`, and 2⁻⁸⁰.
#[inline(always)]
fn exponential_dd<A: Arith, W: Word>(k: &Constants, word: u64) -> (f64, f64, f64) {
    let a = centre::<W>(word);
    let high = f64::from_bits((a >> 32) | k.two84_bits) - k.two84;
    let low = f64::from_bits((a & 0xffff_ffff) | k.two52_bits) - k.two52;
    let f = high + low;
    let f_lo = low - (f - high);
    let (z, e, scale) = normalise(k, f);
    let z_lo = f_lo * scale;

    let num = z - k.one;
    let den = z + k.one;
    let den_lo = (z - (den - k.one)) + z_lo;
    let t = num / den;
    let rem = A::residual(num, t, den) + A::mul_add(-t, den_lo, z_lo);
    let t_lo = rem * A::mul_add(k.half, -t, k.half);

    let w = t * t;
    let w_lo = A::product_error(t, t, w);
    let third = w * k.odd[1];
    let third_lo =
        A::mul_add(w, k.third_lo, A::mul_add(w_lo, k.odd[1], A::product_error(w, k.odd[1], third)));
    let c = third * t;
    let c_lo = A::mul_add(third_lo, t, A::product_error(third, t, c));

    let w2 = w * w;
    let w4 = w2 * w2;
    let c0 = A::mul_add(w, k.odd[3], k.odd[2]);
    let c1 = A::mul_add(w, k.odd[5], k.odd[4]);
    let c2 = A::mul_add(w, k.odd[7], k.odd[6]);
    let c3 = A::mul_add(w, k.odd[9], k.odd[8]);
    let c4 = A::mul_add(w, k.odd[11], k.odd[10]);
    let p = A::mul_add(w4, A::mul_add(w4, c4, A::mul_add(w2, c3, c2)), A::mul_add(w2, c1, c0));
    let rest = (t * w2) * p;

    let n = sixty_four_minus(k, e);
    let n_ln2 = n * k.ln2_hi;
    let t2 = t + t;
    let e0 = n_ln2 - t2;
    let s_lo = (n_ln2 - e0) - t2;
    let two_c = c + c;
    let e1 = e0 - two_c;
    let s2 = (e0 - e1) - two_c;
    let small = A::mul_add(t_lo, w + w2, t_lo + (c_lo + rest));
    let e2 = A::mul_add(k.minus_two, small, A::mul_add(n, k.ln2_lo, s_lo + s2));

    let radius = A::mul_add(k.arithmetic, small.abs(), unknown_bits::<A, W>(k, z, scale));
    (e1, e2, radius)
}

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
    /// `RN(h + l)`, without double rounding.
    fn round_sum(h: f64, l: f64) -> Self;
    /// A double that is a value of this type.
    fn from_exact(x: f64) -> Self;
    /// True if both are the same finite number, and not a zero, whose sign `==` does not see.
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
        // Zero does not come: the ends are 2d apart, at least 2⁻⁹⁸⁰, and can not both round to it.
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
        f64::from_bits(if inexact_and_even { step } else { bits }) as f32
    }
    #[inline(always)]
    fn from_exact(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn decided(a: f32, b: f32) -> bool {
        (a == b) & (a.abs() <= f32::MAX) & (a != 0.0)
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
/// that is `η·|y_lo| + 5·2⁻¹⁰⁶·|hi| + 2⁻¹⁰⁷³` at most. As `|y_lo| <= b·|lo_E| + 2⁻⁴⁶·b`, where `lo_E` is the `lo` of `E`, the
/// first makes 14 of the `12·η·b·|small|`, of 16 that there is room for, and `b·2⁻⁹⁰` that `2⁻⁸⁷·b` has room for; the last is below `2⁻¹⁷³·b`, since `b >= 2⁻⁹⁰⁰`, and
/// `2⁻⁷⁹·b` has room for it. So `d` grows by `2⁻¹⁰³·|hi|`, 8 of these units in place of 5.
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
        A::mul_add(self.hi.abs(), pow2_neg(103), d)
    }
}

/// Adds noise to `x`; NaN where undecided. The result tells whether there is any.
///
/// Error of `h + l` against `x + σ·b·E`: `y + y_lo` is `b·(hi + lo)` up to the product of the low parts and three
/// roundings, `4·η·b·|lo|`, and up to `2⁻¹⁰²·b·E` for roundings of the other parts and `b` itself, with `E < 45` below
/// `2⁻⁹⁶·b`. TwoSum is exact; `l` rounds by `η·|l|`, the ends `l ∓ d` by `η·(|l| + d)`, and `|l| <= η·|h| + b·|lo| + 2⁻⁴⁶·b`. As
/// `|lo| <= 2·|small| + 2⁻³⁷`, this is `12·η·b·|small|`, which the radius allows for, and below `2⁻⁸⁷·b + 2⁻¹⁰⁵·|h|`. So
/// `d = b·(radius + 2⁻⁷⁹) + slack + 2⁻¹⁰⁴·|h|`, with `2⁻⁴⁰` of itself for its own roundings.
pub(crate) struct Round<'a, W, X, T, const N: usize> {
    pub(crate) params: RoundParams,
    pub(crate) words: &'a [W; N],
    pub(crate) x: &'a [X; N],
    pub(crate) out: &'a mut [T; N],
}

impl<W: Word, X: Summand, T: Rounded, const N: usize> Kernel for Round<'_, W, X, T, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let RoundParams { b_hi, b_lo, slack } = self.params;
        let b_up = b_hi * (1.0 + pow2_neg(40));
        let constant = A::mul_add(b_up, pow2_neg(79), slack * (1.0 + pow2_neg(40)));
        let k = &Constants::for_loop_over(N);
        let mut any = 0u64;
        for ((word, x), out) in self.words.iter().zip(self.x).zip(self.out) {
            let word = word.left_aligned();
            let (hi, lo, radius) = exponential_dd::<A, W>(k, word);
            let y = b_hi * hi;
            let y_lo = A::mul_add(b_hi, lo, A::mul_add(b_lo, hi, A::product_error(b_hi, hi, y)));
            let y = with_sign(y, word);
            let y_lo = with_sign(y_lo, word);
            let (value, x) = (*x, x.hi());
            let h = x + y;
            let back = h - x;
            let l = ((x - (h - back)) + (y - back)) + value.plus_lo(y_lo);
            let d = A::mul_add(b_up, radius, A::mul_add(h.abs(), pow2_neg(104), constant));
            let d = value.widen::<A>(d);
            let below = T::round_sum(h, l - d);
            let above = T::round_sum(h, l + d);
            let decided = T::decided(below, above) & !is_unbounded(word);
            *out = if decided { below } else { T::NAN };
            any |= if decided { 0 } else { 1 };
        }
        any != 0
    }
}

/// `floor(α_σ + σ·s·E)`, where `α` may depend on the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloorParams {
    /// `s = s_hi + s_lo` up to `2⁻¹⁰⁵·s`; `0 < s <= 2⁴⁴`, `s_hi` is normal.
    pub(crate) s_hi: f64,
    pub(crate) s_lo: f64,
}

/// Above this `s` the plain kernel leaves too many values undecided, about one in `2⁴⁸/s`.
pub(crate) const PLAIN_LIMIT: f64 = (1u64 << 20) as f64;

/// Makes integers, as doubles below 2⁵¹ in magnitude. `offset(i, word)` is `α`, in [0, 2) up to an error of `3η`, and
/// `finish(i, integer)` makes the output of an integer, and of NaN, which stands for undecided, something that is not
/// finite. The result tells whether there is any output that is not finite.
///
/// Plain (`DD = false`): with `y = RN(s_hi·e)`, `s·E` is `y` up to `s·(2⁻⁵¹·(e + 1) + radius)` for `E` and `2η·y`
/// for `s_hi` and the product; `v = RN(α ± y)` adds `η·(y + 2)`, `α` itself `3η`, and `v - floor(v)` at most `η`. Sum:
/// `2⁻⁵¹·(1.75·y + s + 1.5) + s·radius`, and we take `2⁻⁵⁰·(y + s + 1) + s·radius·(1 + 2⁻⁴⁰)`. Where `y >= 2⁵⁰`, this is
/// above 1 and nothing is decided.
///
/// Double-double: `y + y_lo` is `s·(hi + lo)` up to `2⁻¹⁰²·s·E < 2⁻⁵¹` (`s·E < 2⁵⁰`); `y - floor(y)` is exact or within
/// `η`; `α + y_lo` and the sum round parts below 4: `2⁻⁵⁰` at most. Sum: `2⁻⁴⁹ + s·(radius + 2⁻⁸⁰)`, and
/// we take `2⁻⁴⁸`.
pub(crate) struct Floor<'a, W, const N: usize, const DD: bool, Offset, Finish> {
    pub(crate) params: FloorParams,
    pub(crate) words: &'a [W; N],
    pub(crate) out: &'a mut [f64; N],
    /// How many of them.
    pub(crate) n: usize,
    pub(crate) offset: Offset,
    pub(crate) finish: Finish,
}

impl<W: Word, const N: usize, const DD: bool, Offset, Finish> Kernel for Floor<'_, W, N, DD, Offset, Finish>
where
    Offset: Fn(usize, u64) -> f64,
    Finish: Fn(usize, f64) -> f64,
{
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let FloorParams { s_hi, s_lo } = self.params;
        let s_up = s_hi * (1.0 + pow2_neg(40));
        let dd_constant = A::mul_add(s_up, pow2_neg(80), pow2_neg(48));
        let k = &Constants::for_loop_over(N);
        let mut any = 0u64;
        for (i, (word, out)) in self.words[..self.n].iter().zip(&mut self.out[..self.n]).enumerate() {
            let word = word.left_aligned();
            let alpha = (self.offset)(i, word);
            let (whole, fraction, d) = if DD {
                let (e1, e2, radius) = exponential_dd::<A, W>(k, word);
                // A true low part, without error: |e1| >= |e2|, or e1 = 0.
                let hi = e1 + e2;
                let lo = e2 - (hi - e1);
                let y = s_hi * hi;
                let y_lo = A::mul_add(s_hi, lo, A::mul_add(s_lo, hi, A::product_error(s_hi, hi, y)));
                let y = with_sign(y, word);
                let whole = y.floor();
                let fraction = (y - whole) + (with_sign(y_lo, word) + alpha);
                let carry = fraction.floor();
                (whole + carry, fraction - carry, A::mul_add(s_up, radius, dd_constant))
            } else {
                let (e, radius) = exponential::<A, W>(k, word);
                let y = s_hi * e;
                let v = alpha + with_sign(y, word);
                let whole = v.floor();
                let d = A::mul_add(s_up, radius, (y + (s_hi + 1.0)) * pow2_neg(50));
                (whole, v - whole, d)
            };
            let decided = (fraction > d) & (fraction < 1.0 - d) & !is_unbounded(word);
            let output = (self.finish)(i, if decided { whole } else { f64::NAN });
            *out = output;
            any |= if output.abs() <= f64::MAX { 0 } else { 1 };
        }
        any != 0
    }
}

/// `E > γ(y)` with `γ(y) = (|y| - mode)²·half_precision`: the acceptance of a discrete Gaussian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AcceptParams {
    /// Both are rounded to nearest. They are normal where it matters: from `t = 2⁴⁴` on tier 1 makes no proposals, so that `y`
    /// is NaN and with it everything here.
    pub(crate) mode: f64,
    pub(crate) half_precision: f64,
}

/// Writes 1 for accepted, 0 for rejected, NaN where undecided, also where `y` is NaN. `|y|` is an integer below 2⁵¹.
///
/// Errors, to first order: `g = |y| - mode` is off by `η·(mode + |g|)`, so `γ` by `2·|g|·half·η·(mode + |g|)` and `3η·γ` for
/// the constant and two products: `η·(5γ + 2·half·|g|·mode)`; what is of second order is below `half·(2η·mode)² < η`. `E` is off by
/// `2⁻⁵¹·(e + 1) + radius`. We take `2⁻⁵⁰·(e + γ + half·|g|·mode + 1) + radius`.
pub(crate) struct Accept<'a, W, const N: usize> {
    pub(crate) params: AcceptParams,
    pub(crate) words: &'a [W; N],
    pub(crate) y: &'a [f64; N],
    pub(crate) out: &'a mut [f64; N],
    /// How many of them.
    pub(crate) n: usize,
}

impl<W: Word, const N: usize> Kernel for Accept<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arith>(self) {
        let AcceptParams { mode, half_precision } = self.params;
        let k = &Constants::for_loop_over(N);
        let n = self.n;
        for ((word, y), out) in self.words[..n].iter().zip(&self.y[..n]).zip(&mut self.out[..n]) {
            let word = word.left_aligned();
            let (e, radius) = exponential::<A, W>(k, word);
            let g = y.abs() - mode;
            let slope = g * half_precision;
            let gamma = g * slope;
            let d = A::mul_add(A::mul_add(slope.abs(), mode, e + gamma) + 1.0, pow2_neg(50), radius);
            let difference = e - gamma;
            let decided = (difference.abs() > d) & !is_unbounded(word);
            let answer = if difference > 0.0 { 1.0 } else { 0.0 };
            *out = if decided { answer } else { f64::NAN };
        }
    }
}

#[cfg(test)]
#[path = "tests/enclosures.rs"]
pub(in crate::sampler) mod enclosures;

#[cfg(test)]
#[path = "tests/text.rs"]
mod text;
