//! `E` from one word in plain doubles: integers of small scale, cells of the snapping mechanism, acceptances.
//!
//! # The logarithm
//!
//! `a = 2^e·Z` with `Z` in about [√½, √2); then `E₀ = -ln(a/2⁶⁴) = n·ln 2 - 2·atanh t`, where `n = 64 - e`,
//! `t = (Z-1)/(Z+1)` and `|t| < 0.17158 =: τ`, `t² < 0.02944`. And `|E - E₀| <= -ln(1 - H/a)`, since `U` is that
//! close to its centre. With `q >= H/a` and `q <= 1/2` this is at most `q + 2q²`. We take
//! `q = H·2^-e·(2.1214 - z) >= H·2^-e/Z`: `1/Z` is convex and so below its chord `3/√2 - Z` between √½ and √2.
//! If `u >= 1` then `H/a <= 1/3`, and `z·(2.1214 - z) < 1.1252` gives `q < 0.376`. If `u = 0`, then `U` may be
//! as small as it likes, nothing bounds `E`, and the value is left to tier 2.

use super::{TWO52, TWO84, centre, pow2_neg, with_sign};
use crate::bits::Word;
use crate::sampler::arith::{Arith, Kernel};

/// The constants of the logarithm.
#[derive(Clone, Copy)]
pub(in crate::sampler) struct Constants {
    /// `1/(2i + 1)`.
    odd: [f64; 11],
    /// ln 2, nearest.
    ln2: f64,
    one: f64,
    minus_two: f64,
    chord: f64,
    two52: f64,
    two84: f64,
    two52_bits: u64,
    two84_bits: u64,
    /// The bits of the double next to √½.
    sqrt_half_bits: u64,
}

pub(super) const CONSTANTS: Constants = Constants {
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
    ],
    ln2: std::f64::consts::LN_2,
    one: 1.0,
    minus_two: -2.0,
    chord: 2.1214, // 3/√2 = 2.12132…, and room for z ≠ Z and three roundings
    two52: TWO52,
    two84: TWO84,
    two52_bits: 0x4330_0000_0000_0000,
    two84_bits: 0x4530_0000_0000_0000,
    sqrt_half_bits: 0x3fe6_a09e_667f_3bcd,
};

impl Constants {
    /// The constants for a loop over up to `n` values. A long loop gets them as variables that the compiler cannot see
    /// through: it then keeps them ready in vectors, where it would spread each constant anew for every four values, a
    /// fifth of all instructions.
    #[inline(always)]
    pub(in crate::sampler) fn for_loop_over(n: usize) -> Constants {
        if n >= 16 { std::hint::black_box(CONSTANTS) } else { CONSTANTS }
    }
}

/// True if all known bits of `U` are zero.
#[inline(always)]
pub(in crate::sampler) fn is_unbounded(word: u64) -> bool {
    word << 1 == 0
}

/// `(z, e, 2^-e)` with `f = z·2^e` and `z` in [√½, √2), for a double in [1, 2⁶⁴]. All on the bits, without error.
#[inline(always)]
pub(super) fn normalise(k: &Constants, f: f64) -> (f64, u64, f64) {
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

/// Above this `s` this kernel would leave too many values undecided.
pub(crate) const PLAIN_LIMIT: f64 = (1u64 << 20) as f64;

/// Makes integers `floor(α_σ + σ·s·E)`, as doubles below 2⁵¹ in magnitude. `offset(i, word)` is `α`, in [0, 2) up to an error of
/// `3η`, and `finish(i, integer)` makes the output of an integer, and of NaN, which stands for undecided, something that is not
/// finite. The result tells whether there is any output that is not finite.
///
/// With `y = RN(s·e)`, `s·E` is `y` up to `s·(2⁻⁵¹·(e + 1) + radius)` for `E` and `2η·y` for `s` itself, the double next to the
/// scale, and the product; `v = RN(α ± y)` adds `η·(y + 2)`, `α` itself `3η`, and `v - floor(v)` at most `η`. Sum:
/// `2⁻⁵¹·(1.75·y + s + 1.5) + s·radius`, and we take `2⁻⁵⁰·(y + s + 1) + s·radius·(1 + 2⁻⁴⁰)`. Where `y >= 2⁵⁰`, this is
/// above 1 and nothing is decided.
///
/// Share of values that are left: those whose `v` is that close to an integer. As `v` is spread evenly over a cell up to a factor of
/// `e^(1/s)`, and the mean of `E` is 1, it is about `2⁻⁴⁹·(2s + 1)`, plus `s·2⁻⁶²·ln(2⁶²/s)` for the unknown bits: `2⁻²⁸` at the
/// [limit](PLAIN_LIMIT), whatever the values are.
pub(crate) struct Floor<'a, W, const N: usize, Offset, Finish> {
    /// The double next to the scale, at least `2⁻⁹⁰⁰`.
    pub(crate) s: f64,
    pub(crate) words: &'a [W; N],
    pub(crate) out: &'a mut [f64; N],
    /// The number of values.
    pub(crate) n: usize,
    pub(crate) offset: Offset,
    pub(crate) finish: Finish,
}

impl<W: Word, const N: usize, Offset, Finish> Kernel for Floor<'_, W, N, Offset, Finish>
where
    Offset: Fn(usize, u64) -> f64,
    Finish: Fn(usize, f64) -> f64,
{
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let s = self.s;
        let s_up = s * (1.0 + pow2_neg(40));
        let k = &Constants::for_loop_over(N);
        let mut any = 0u64;
        for (i, (word, out)) in self.words[..self.n].iter().zip(&mut self.out[..self.n]).enumerate() {
            let word = word.left_aligned();
            let (e, radius) = exponential::<A, W>(k, word);
            let y = s * e;
            let v = (self.offset)(i, word) + with_sign(y, word);
            let whole = A::floor(v);
            let fraction = v - whole;
            let d = A::mul_add(s_up, radius, (y + (s + 1.0)) * pow2_neg(50));
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
    /// Both are rounded to nearest. They are normal where it matters: beyond `t = 2⁶²` tier 1 makes no proposals, so that `y`
    /// is NaN and with it everything here.
    pub(crate) mode: f64,
    pub(crate) half_precision: f64,
}

/// Writes 1 for accepted, 0 for rejected, NaN where undecided, also where `y` is NaN. `y` is the double next to an integer below 2⁷⁰.
///
/// Errors, to first order: `y` is off by `η·|y| <= η·(mode + |g|)`, and `g = |y| - mode` by as much again, so `γ` by `4·|g|·half·η·(mode + |g|)` and `3η·γ` for
/// the constant and two products: `η·(7γ + 4·half·|g|·mode)`; what is of second order is below `half·(3η·mode)² < η`. `E` is off by
/// `2⁻⁵¹·(e + 1) + radius`. We take `2⁻⁵⁰·(e + γ + half·|g|·mode + 1) + radius`.
pub(crate) struct Accept<'a, W, const N: usize> {
    pub(crate) params: AcceptParams,
    pub(crate) words: &'a [W; N],
    pub(crate) y: &'a [f64; N],
    pub(crate) out: &'a mut [f64; N],
    /// The number of values.
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
