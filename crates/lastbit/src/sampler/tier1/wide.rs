//! `E` from a word and a half, as an unevaluated sum of two doubles.
//!
//! # What is known
//!
//! A word gives the sign and `BITS - 1` bits of `U`, half a word (`low`, left-aligned as words are) the next `BITS/2`: 95 bits in
//! production. With `g` in (-1, 1) the number whose bits are `low` and a half, `A = a + H·g` is the centre of what is known, and
//! `|U·2⁶⁴ - A| < H·h` with `h = 2^-(BITS/2)`. `A = f + f_lo` without error: `f = RN(a)`, what it leaves of `a` is an integer below
//! `2¹¹`, and `g` has 33 bits after the point (with narrow words, `f = a` and `f_lo = H·g`).
//!
//! # The logarithm
//!
//! `A = 2^e·Z` with `Z = z + z_lo` and `z = 2^-e·f` in [23/32, 23/16). `c` is the nearest of 12/16, …, 15/16, 8/8, …, 11/8, so that for
//! `t = (Z - c)/(Z + c)`
//!
//! `E₀ = -ln(A/2⁶⁴) = n·ln 2 - ln c - 2·atanh t`, `n = 64 - e`, `|t| <= 1/33 =: τ`.
//!
//! Around 1, `c` is 1, so that near `U = 1` the error is relative to `E`, up to `2⁻¹⁰⁰`: there `n = 0` and `Z < 1`, hence `|t| <= 1/63`.
//!
//! # Error
//!
//! Ensures, if `q = H·2^-e <= 1/16`, as it is unless the first four known bits of `U` are zeros:
//! `|E - (hi + lo)|` is at most `q·(1.25·q + 1.5·h + 2⁻³⁸)` plus
//!
//! - `2⁻⁸⁶·E + 2⁻¹⁰⁰` ([`relative`](Unknown::relative)), and plus
//! - `3·2⁻⁸⁹ + 2⁻⁹²·E` ([`absolute`](Unknown::absolute)), whichever one wants.
//!
//! In both there is room for who multiplies: another `6η·|lo| + 2⁻¹⁰³·E` is included.
//!
//! `lastbit prove mechanisms/kernels/wide.lb` derives the size of `t_lo` (step 2), the error of `p` (step 4) and the size of `lo` (step 5) from the text of these functions.
//!
//! What each step leaves, in `E`; the numbers are for `|t| = τ` unless something else is said:
//!
//! 1. *Unknown bits*: `-ln(1 - x) <= 1.01·x` with `x = H·h/A = h·q/Z`, and `1/Z <= 1.48` as `|z_lo| <= q <= 1/16`: `1.5·h·q`.
//! 2. *The quotient.* `z - c` is exact (Sterbenz). `den = RN(z + c)`, and `z - (den - c)` is what it leaves, exactly: `c` has five
//!    bits. The true `t` differs from the double `t` by `rem/(Z + c)`, where `rem = (num - t·den) + (z_lo - t·den_lo)`. Each part of `rem` and
//!    the product with `r` has a relative error of a few `η`, in all below `8η·|t_lo|`; and `r` is `1/(Z + c)` but for `z_lo`: a relative
//!    error of `q/(Z + c)`, so that `t_lo` is off by `(1 + τ)·q²/((Z+c)·(z+c)) <= 0.5·q²`, and `E` by `1.01·q²`. `|t_lo| <= 0.71·q + 2⁻⁵³`.
//!    (From `a = 2⁵³` on, `q` is not what bounds `z_lo`, but `|z_lo| <= 1.01·η` and its square is below 2⁻¹⁰⁵.)
//! 3. *Its effect.* `atanh(t + t_lo) = atanh t + t_lo/(1 - t²) + …`: what comes next makes `2·(|t|·t_lo² + t_lo³/3) <= 0.05·q²`, and
//!    `1/(1 - t²) = 1 + w + w² + w³` up to `1.01·w⁴ = 2⁻⁴⁰·³`: `2⁻³⁹·⁸·q + 2⁻⁹²·³`. With the roundings of `t_lo` and of the sums that it goes
//!    into, `30·η·|t_lo|`, steps 2 and 3 leave `1.25·q² + 2⁻³⁸·q + 2⁻⁹²·³`.
//! 4. *The series* `atanh t = t + t·w·(1/3 + w·(1/5 + w·p))`, `w + w_lo = t²` exactly. `p = 1/7 + … + w⁴/15` in doubles: three roundings of
//!    numbers below 1/4, `3·2⁻⁵⁶`, times `2t⁷`: 2⁻⁸⁸·⁷. The terms from `2t¹⁷/17` on: 2⁻⁸⁸·⁸. `w_lo·p`, left out beside 1/5, times
//!    `2t⁵`: 2⁻⁹¹. All else of the series is rounded at 2⁻¹⁰⁵ and below, times `2t³`.
//! 5. *The sum* `n·ln 2 - ln c - 2t - …`: the two large constants have 42 bits after the point, so that `m = n·ln2_hi + l_hi` is exact;
//!    it is 0 or above `|2t|` (Fast2Sum). The small ones are good to 2⁻⁹⁷, in all `(n + 1)·2⁻⁹⁷`. `lo` is below `(n + 1)·2⁻⁴³ + 2⁻⁴⁷`
//!    beside `2·t_lo`; four sums round there, and with what who multiplies may lose there that is `10η`. As `n <= 1.45·E + 1`, it makes `2⁻⁹²·E + 2⁻⁹¹·⁶`.
//!
//! Steps 3 to 5 leave `1.43·2⁻⁸⁸ + 2⁻⁹²·E` beside the terms in `q`: that is the absolute radius. For the relative one:
//!
//! - `n >= 1`: `|t|` is at most 1/33, 1/35, 1/39, 1/43 for `c = 1`, 9/8, 10/8, 11/8, where `E` is at least 0.63, 0.52, 0.42, 0.33, and at most 1/47 for the
//!   others, where it is at least 0.69. At `c = 1` the sum is `0.57·2⁻⁸⁶·E`; elsewhere less, since step 4 falls with the seventh power of `t`.
//! - `n = 0`, `c < 1`: `|t|` is at most 1/47, 1/51, 1/55, 1/59 for `c = 12/16`, …, 15/16, where `E` is at least 0.246, 0.169, 0.098, 0.0317. Step 4 leaves at most
//!   2⁻⁹²·³, …, 2⁻⁹⁴·⁶, step 5 2⁻⁹²·⁴, together below `0.5·2⁻⁸⁶·E`.
//! - `n = 0`, `c = 1`: then `Z < 1`, and `|t| <= 1/63`. Step 4 leaves `t⁶·2⁻⁵⁴·E < 2⁻⁸⁹·E`. In step 5 there are no constants, and the parts are `2t` and `2·t_lo <= 2⁻⁵³`:
//!   below `2⁻¹⁰²·E + 2⁻¹⁰²`. In step 3, `w⁴·t_lo` is below `2⁻⁹⁵·E`.

use super::{TWO52, TWO84, centre, pow2_neg};
use crate::bits::Word;
use crate::sampler::arith::{Arith, Table8};

/// The constants of the logarithm.
#[derive(Clone, Copy)]
struct Constants {
    /// 1/3 and 1/5 as sums of two doubles.
    third: f64,
    third_lo: f64,
    fifth: f64,
    fifth_lo: f64,
    /// 1/7, 1/9, …, 1/15.
    odd: [f64; 5],
    /// ln 2 to 42 bits after the point, and the rest.
    ln2_hi: f64,
    ln2_lo: f64,
    one: f64,
    three: f64,
    minus_two: f64,
    two52: f64,
    two84: f64,
    two52_bits: u64,
    two84_bits: u64,
    two_bits: u64,
    one_bits: u64,
    mantissa: u64,
    /// The bits of 23/32.
    base: u64,
    /// The first three bits above `base`: the index of `c`.
    index: u64,
    /// The bits of 3/4, the first `c`.
    first: u64,
}

const CONSTANTS: Constants = Constants {
    third: 1.0 / 3.0,
    third_lo: f64::from_bits(0x3c75_5555_5555_5555),
    fifth: 1.0 / 5.0,
    fifth_lo: f64::from_bits(0xbc69_9999_9999_999a),
    odd: [1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0],
    ln2_hi: f64::from_bits(0x3fe6_2e42_fefa_3800),
    ln2_lo: f64::from_bits(0x3d2e_f357_93c7_6730),
    one: 1.0,
    three: 3.0,
    minus_two: -2.0,
    two52: TWO52,
    two84: TWO84,
    two52_bits: 0x4330_0000_0000_0000,
    two84_bits: 0x4530_0000_0000_0000,
    two_bits: 0x4000_0000_0000_0000,
    one_bits: 0x3ff0_0000_0000_0000,
    mantissa: (1 << 52) - 1,
    base: 0x3fe7_0000_0000_0000,
    index: 7 << 49,
    first: 0x3fe8_0000_0000_0000,
};

/// `-ln c` of the eight `c`, to 42 bits after the point.
static MINUS_LN_C_HI: Table8 = Table8::from_bits([
    0x3fd2_6962_1134_e000,
    0x3fca_93ed_3c8a_e000,
    0x3fc1_178e_8227_e000,
    0x3fb0_8598_b59e_4000,
    0,
    0xbfbe_2707_6e2b_0000,
    0xbfcc_8ff7_c79a_a000,
    0xbfd4_618b_c21c_6000,
]);

/// The rest that the high parts leave.
static MINUS_LN_C_LO: Table8 = Table8::from_bits([
    0xbd31_b61f_1052_2625,
    0xbd28_7243_5056_2169,
    0x3d21_ef78_ce2d_07f2,
    0xbd17_e5dd_7009_902c,
    0,
    0x3d2a_342c_2af0_003c,
    0x3d27_794f_689f_8434,
    0x3d13_d82f_484c_84cc,
]);

/// `E` of some values: `hi + lo`, up to what [`Unknown`] says of its `place`, which is `8e` plus the index of `c`.
///
/// A release keeps one of these for all its chunks: to zero it for each chunk would cost as much as a phase.
pub(crate) struct Exponentials<const N: usize> {
    pub(crate) hi: [f64; N],
    pub(crate) lo: [f64; N],
    pub(crate) place: [u64; N],
    /// `-ln c`, for the second phase.
    minus_ln_c: [[f64; N]; 2],
}

impl<const N: usize> Exponentials<N> {
    /// To be [filled](exponentials).
    pub(crate) const fn new() -> Exponentials<N> {
        Exponentials { hi: [0.0; N], lo: [0.0; N], place: [0; N], minus_ln_c: [[0.0; N]; 2] }
    }
}

/// Fills in as many as there are words.
///
/// The kernel runs in phases, one loop each, with what goes between them in the first cache: in one loop the chain of
/// dependent operations is too long for a processor to work on the next values meanwhile.
#[inline(always)]
pub(crate) fn exponentials<A: Arith, W: Word, const N: usize>(
    words: &[W],
    lows: &[u64],
    out: &mut Exponentials<N>,
) {
    let n = words.len();
    let Exponentials { hi, lo, place, minus_ln_c } = out;
    let [l_hi, l_lo] = minus_ln_c;
    let [hi, lo, l_hi, l_lo] = [hi, lo, l_hi, l_lo].map(|column| &mut column[..n]);
    let place = &mut place[..n];
    // A long loop gets its constants as variables that the compiler cannot see through: it then keeps them ready in
    // vectors, where it would spread each constant anew for every four values.
    let k = &if N >= 16 { std::hint::black_box(CONSTANTS) } else { CONSTANTS };
    for i in 0..n {
        (hi[i], lo[i], place[i]) = quotient::<A, W>(k, words[i].left_aligned(), lows[i]);
    }
    A::look_up(&MINUS_LN_C_HI, place, l_hi);
    A::look_up(&MINUS_LN_C_LO, place, l_lo);
    for i in 0..n {
        (hi[i], lo[i]) = minus_ln::<A>(k, (hi[i], lo[i]), (l_hi[i], l_lo[i]), place[i]);
    }
}

/// `t + t_lo`, and where `c` is found.
#[inline(always)]
fn quotient<A: Arith, W: Word>(k: &Constants, word: u64, low: u64) -> (f64, f64, u64) {
    let a = centre::<W>(word);
    let high = f64::from_bits((a >> 32) | k.two84_bits) - k.two84;
    let bottom = f64::from_bits((a & 0xffff_ffff) | k.two52_bits) - k.two52;
    let f = high + bottom;
    let half = 1u64 << (51 - W::BITS / 2);
    let g = f64::from_bits((low >> 12) | k.two_bits | half) - k.three;
    let f_lo = (bottom - (f - high)) + if W::BITS == 64 { g } else { g * unit::<W>() };

    let above = f.to_bits().wrapping_sub(k.base);
    let z = f64::from_bits((above & k.mantissa) + k.base);
    let c = f64::from_bits((above & k.index) + k.first);
    let scale = f64::from_bits(k.one_bits.wrapping_sub(above & !k.mantissa));
    let z_lo = f_lo * scale;

    let num = z - c;
    let den = z + c;
    let den_lo = (z - (den - c)) + z_lo;
    let r = k.one / den;
    let t = num * r;
    let rem = A::residual(num, t, den) + A::mul_add(-t, den_lo, z_lo);
    (t, rem * r, above >> 49)
}

/// `E₀ = n·ln 2 - ln c - 2·atanh(t + t_lo)`.
#[inline(always)]
fn minus_ln<A: Arith>(
    k: &Constants,
    (t, t_lo): (f64, f64),
    (l_hi, l_lo): (f64, f64),
    place: u64,
) -> (f64, f64) {
    // n = 64 - e, exactly.
    let n = (k.two52 + 64.0) - f64::from_bits((place >> 3) | k.two52_bits);
    let m = A::mul_add(n, k.ln2_hi, l_hi);
    let m_lo = A::mul_add(n, k.ln2_lo, l_lo);

    let w = t * t;
    let w_lo = A::product_error(t, t, w);
    let w2 = w * w;
    let top = A::mul_add(w2, k.odd[4], A::mul_add(w, k.odd[3], k.odd[2]));
    let p = A::mul_add(w2, top, A::mul_add(w, k.odd[1], k.odd[0]));
    let (p5, p5_lo) = A::mul_add_exact(w, p, k.fifth);
    let p5_lo = p5_lo + k.fifth_lo;
    let (p3, p3_lo) = A::mul_add_exact(w, p5, k.third);
    let p3_lo = p3_lo + A::mul_add(w_lo, p5, A::mul_add(w, p5_lo, k.third_lo));
    let (s, s_lo) = A::product((w, w_lo), (p3, p3_lo));
    let t2 = t + t;
    let series = t2 * s;
    let series_lo = A::mul_add(t2, s_lo, A::product_error(t2, s, series));

    let e0 = m - t2;
    let r0 = (m - e0) - t2;
    let e1 = e0 - series;
    let r1 = (e0 - e1) - series;
    let slope = A::mul_add(t_lo, A::mul_add(w2, w, w + w2), t_lo);
    (e1, m_lo + A::mul_add(k.minus_two, slope, (r0 + r1) - series_lo))
}

/// `H` of a word.
const fn unit<W: Word>() -> f64 {
    (1u128 << (64 - W::BITS)) as f64
}

/// How far `E` may lie from what [`exponentials`] says.
#[derive(Clone, Copy)]
pub(crate) struct Unknown {
    /// `H`.
    unit: f64,
    /// The factor of `q`, beside itself.
    slope: f64,
}

impl Unknown {
    pub(crate) const fn new<W: Word>() -> Unknown {
        // h = 2^-(BITS/2).
        Unknown { unit: unit::<W>(), slope: 1.5 * pow2_neg(W::BITS as u64 / 2) + pow2_neg(38) }
    }

    /// A radius that is small where `E` is small, and whether it is one.
    #[inline(always)]
    pub(crate) fn relative<A: Arith>(self, hi: f64, place: u64) -> (f64, bool) {
        self.radius::<A>(hi, place, pow2_neg(86), pow2_neg(100))
    }

    /// A radius that grows little with `E`, and whether it is one.
    #[inline(always)]
    pub(crate) fn absolute<A: Arith>(self, hi: f64, place: u64) -> (f64, bool) {
        self.radius::<A>(hi, place, pow2_neg(92), 3.0 * pow2_neg(89))
    }

    #[inline(always)]
    fn radius<A: Arith>(self, hi: f64, place: u64, slope: f64, constant: f64) -> (f64, bool) {
        // H·2^-e
        let q = f64::from_bits(self.unit.to_bits().wrapping_sub((place >> 3) << 52));
        let unknown = A::mul_add(q, A::mul_add(q, 1.25, self.slope), constant);
        (A::mul_add(hi, slope, unknown), q <= 0.0625)
    }
}

/// ln 2, 1/3 and 1/5 as they are used, and the tables, for tests.
#[cfg(test)]
pub(super) fn constants() -> ([(f64, f64); 3], [[f64; 8]; 2]) {
    let k = CONSTANTS;
    let sums = [(k.ln2_hi, k.ln2_lo), (k.third, k.third_lo), (k.fifth, k.fifth_lo)];
    (sums, [MINUS_LN_C_HI.entries(), MINUS_LN_C_LO.entries()])
}
