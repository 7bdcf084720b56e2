//! `cos φ` and `sin φ` for `φ = (π/4)·V`, as unevaluated sums of two doubles.
//!
//! # What is known
//!
//! A word gives two bits that are none of `V`'s (a sign, and which side is which), then `BITS - 2` bits of `V`; half a word (`low`) gives the
//! next `BITS/2`: 94 bits in production. The first three are the cell `j`. The others, and a half for what is not known, make the number
//! `v + v_lo + ½` in (0, 1), exactly: `v` has 52 bits after the point, and `v_lo`, below `2⁻⁵²`, has at most 40 bits. So
//!
//! `φ = (π/32)·(j + ½ + v + v_lo)` up to `(π/32)·2^-(3·BITS/2 - 4)`, and `|v + v_lo| < ½`.
//!
//! # The functions
//!
//! With `r = (π/32)·(v + v_lo)`, `|r| < π/64`, and `C`, `S` the cosine and the sine of `(2j + 1)·π/64`, from tables of eight:
//!
//! `cos φ = C - S·sin r - C·(1 - cos r)` and `sin φ = S + C·sin r - S·(1 - cos r)`.
//!
//! `sin r = v·(K1 + w·(K3 + w·(K5 + w·p)))` and `1 - cos r = w·(C2 + w·(C4 + w·p))` with `w = (v + v_lo)² < ¼`, where the `p` are in plain doubles.
//!
//! # Error
//!
//! Ensures: both sides are right up to `2⁻⁸⁷·⁵` for the middle of what is known; the low parts are at most `2⁻⁵²`.
//! `lastbit prove mechanisms/kernels/normal.lb` derives the errors of both `p` (steps 2 and 3) and the size of the low parts from the text of these functions.
//!
//! 1. *`w + w_lo`*: `v_lo²` is left out, `2⁻¹⁰⁴`, and two roundings of numbers below `2⁻⁵²` make as much: `w` is right up to `2⁻¹⁰³`. Multiplied by less
//!    than 2⁻⁷ everywhere.
//! 2. *`sin r`*: the terms from `v·w⁶·K13` on, `2⁻¹³·2⁻⁷⁶`: 2⁻⁸⁹. `p` is near `K7 = 2⁻³⁵·⁷`: its constant and one sum round by half of `2⁻⁸⁸` each, times
//!    `v·w³`: 2⁻⁹⁵. `w_lo·p`, left out beside `K5`, times `v·w²`: 2⁻⁹²·⁵. All else is rounded at `2⁻¹⁰⁶` of `sin r`, which is below 2⁻⁴. In all 2⁻⁸⁸·⁸.
//! 3. *`1 - cos r`*: the terms from `w⁷·C14` on: 2⁻⁹⁷. `p` is near `C6 = 2⁻²⁹·⁶`: its constant and one sum round by half of `2⁻⁸²` each, times `w³`: 2⁻⁸⁸. (The
//!    sum of the smaller terms rounds far below that. So `p` is Horner's; with Estrin's scheme there would be one more rounding of that size.)
//!    `w_lo·p` counts here and is added as `w_lo·C6`, which leaves `w_lo·w·C8`: 2⁻¹⁰⁰. All else is below `2⁻¹¹⁰`. In all `2⁻⁸⁷·⁹`.
//! 4. *The turn*: the errors of 2 and 3 are multiplied by `S` and `C`, or the other way round, and `S² + C² = 1`: together at most
//!    `√(2⁻¹⁷⁷·⁶ + 2⁻¹⁷⁵·⁸) < 2⁻⁸⁷·⁶`. The first sum is exact (Fast2Sum): `C > 0.7 > S·sin r`, and `S >= S₀·|sin r|/sin(π/64) > C·|sin r|`. So is the second, where
//!    the sum is at least the last product, or, since `sin φ > 0` but for errors, at least half of it (Sterbenz). Products of low
//!    parts are left out, below `2⁻¹⁰⁶`, and eight roundings of numbers below `2⁻⁵³` leave less than `2⁻¹⁰²`.

use super::pow2_neg;
use crate::bits::Word;
use crate::sampler::arith::{Arith, Table8};

/// The constants of the series: `K_n = ±(π/32)^n/n!` for odd `n`, `C_n` for even.
#[derive(Clone, Copy)]
pub(super) struct Constants {
    k1: (f64, f64),
    k3: (f64, f64),
    k5: (f64, f64),
    /// `K7`, `K9`, `K11`.
    k: [f64; 3],
    c2: (f64, f64),
    c4: (f64, f64),
    /// `C6`, `C8`, `C10`, `C12`.
    c: [f64; 4],
    one_and_a_half: f64,
    one: f64,
    unit: f64,
    one_bits: u64,
}

const fn pair(hi: u64, lo: u64) -> (f64, f64) {
    (f64::from_bits(hi), f64::from_bits(lo))
}

pub(super) const CONSTANTS: Constants = Constants {
    k1: pair(0x3fb9_21fb_5444_2d18, 0x3c51_a626_3314_5c07),
    k3: pair(0xbf24_abbc_e625_be53, 0x3bc0_5511_c684_76a8),
    k5: pair(0x3e74_66bc_6775_aae2, 0xbb06_dc0c_bddb_0fc3),
    k: [
        f64::from_bits(0xbdb3_2d2c_ce62_bd86),
        f64::from_bits(0x3ce5_0783_487e_e782),
        f64::from_bits(0xbc0e_3074_fde8_871f),
    ],
    c2: pair(0x3f73_bd3c_c9be_45de, 0x3c16_92b7_1366_cc04),
    c4: pair(0xbed0_3c1f_081b_5ac4, 0x3b73_2b33_f87f_c145),
    c: [
        f64::from_bits(0x3e15_5d3c_7e3c_bffa),
        f64::from_bits(0xbd4e_1f50_6891_babb),
        f64::from_bits(0x3c7a_6d1f_2a20_4a8c),
        f64::from_bits(0xbb9f_9d38_a376_3cc3),
    ],
    one_and_a_half: 1.5,
    one: 1.0,
    unit: pow2_neg(52),
    one_bits: 0x3ff0_0000_0000_0000,
};

/// `C` and `S` of the eight cells, each as two doubles.
pub(in crate::sampler) static CENTRES: [Table8; 4] = [
    Table8::from_bits([
        0x3fef_f621_e379_6d7e,
        0x3fef_a755_7f08_a517,
        0x3fef_0a7e_fb92_30d7,
        0x3fee_2121_04f6_86e5,
        0x3fec_ed7a_f43c_c773,
        0x3feb_7283_4519_6e3e,
        0x3fe9_b3e0_47f3_8741,
        0x3fe7_b5df_226a_afaf,
    ]),
    Table8::from_bits([
        0xbc6c_57bc_2e24_aa15,
        0xbc87_a0a8_ca13_571f,
        0x3c75_2c7a_dc6b_4989,
        0xbc80_14c7_6c12_6527,
        0xbc5e_7b6b_b5ab_58ae,
        0xbc8b_c69f_324e_6d61,
        0xbc83_0ee2_8671_2474,
        0xbc70_f537_acdf_0ad7,
    ]),
    Table8::from_bits([
        0x3fa9_1f65_f10d_d814,
        0x3fc2_c810_6e8e_613a,
        0x3fcf_19f9_7b21_5f1b,
        0x3fd5_8f9a_75ab_1fdd,
        0x3fdb_5d10_09e1_5cc0,
        0x3fe0_7387_9922_ffee,
        0x3fe3_0ff7_fce1_7035,
        0x3fe5_7d69_348c_eca0,
    ]),
    Table8::from_bits([
        0xbc29_12bd_0d56_9a90,
        0x3c51_3000_a89a_11e0,
        0xbc64_2dee_f11d_a2c4,
        0xbc1e_fdc0_d58c_f620,
        0x3c65_b362_cb97_4183,
        0xbc8a_5a01_4347_406c,
        0xbc6e_fcc6_26f7_4a6f,
        0xbc87_5720_992b_fbb2,
    ]),
];

/// The word that has all bits of `V` down to the 59th of its cell, and those after them; the next bit is set, which makes it the middle of what is known.
#[inline(always)]
fn middle<W: Word>(word: u64, low: u64) -> (u64, u64) {
    if W::BITS == 64 {
        (word, low | 1 << 31)
    } else {
        (word | low >> W::BITS | 1 << (63 - W::BITS - W::BITS / 2), 0)
    }
}

/// `j`, in its last three bits; words of less than five bits have some of it in the half.
#[inline(always)]
pub(super) fn cell<W: Word>(word: u64, low: u64) -> u64 {
    middle::<W>(word, low).0 >> 59
}

/// How far the sides may be from what is computed for the middle: `2⁻⁸⁷·⁵`, and `π/32 < 0.1` of the bits that are not known.
pub(in crate::sampler) const fn radius<W: Word>() -> f64 {
    0.7072 * pow2_neg(87) + 0.1 * 16.0 * pow2_neg(3 * W::BITS as u64 / 2)
}

/// `sin r` and `1 - cos r`.
#[inline(always)]
pub(super) fn small_angle<A: Arith, W: Word>(k: &Constants, word: u64, low: u64) -> ((f64, f64), (f64, f64)) {
    let (word, low) = middle::<W>(word, low);
    let v = f64::from_bits(((word << 5) >> 12) | k.one_bits) - k.one_and_a_half;
    let rest = f64::from_bits(((word << 57) >> 12) | (low >> 19) | k.one_bits) - k.one;
    let v_lo = rest * k.unit;
    let w = v * v;
    let w_lo = A::mul_add(v + v, v_lo, A::product_error(v, v, w));

    let p = A::mul_add(w, A::mul_add(w, k.k[2], k.k[1]), k.k[0]);
    let (p5, p5_lo) = A::mul_add_exact(w, p, k.k5.0);
    let p5_lo = p5_lo + k.k5.1;
    let (p3, p3_lo) = A::mul_add_exact(w, p5, k.k3.0);
    let p3_lo = p3_lo + A::mul_add(w_lo, p5, A::mul_add(w, p5_lo, k.k3.1));
    let (q, q_lo) = A::product((w, w_lo), (p3, p3_lo));
    let p1 = k.k1.0 + q;
    let p1_lo = ((k.k1.0 - p1) + q) + (q_lo + k.k1.1);
    let sine = A::product((v, v_lo), (p1, p1_lo));

    let p = A::mul_add(w, A::mul_add(w, A::mul_add(w, k.c[3], k.c[2]), k.c[1]), k.c[0]);
    let (p4, p4_lo) = A::mul_add_exact(w, p, k.c4.0);
    let p4_lo = p4_lo + A::mul_add(w_lo, k.c[0], k.c4.1);
    let (p2, p2_lo) = A::mul_add_exact(w, p4, k.c2.0);
    let p2_lo = p2_lo + A::mul_add(w_lo, p4, A::mul_add(w, p4_lo, k.c2.1));
    (sine, A::product((w, w_lo), (p2, p2_lo)))
}

/// `cos φ` and `sin φ` from the sine and `1 - cos` of the small angle and the cosine and the sine of the cell.
#[inline(always)]
pub(super) fn turn<A: Arith>(
    sine: (f64, f64),
    versine: (f64, f64),
    c: (f64, f64),
    s: (f64, f64),
) -> [(f64, f64); 2] {
    let minus_sine = (-sine.0, -sine.1);
    [
        sum(c, A::product(s, minus_sine), A::product(c, versine)),
        sum(s, A::product(c, sine), A::product(s, versine)),
    ]
}

/// `a + b - c`, for numbers as they are in [`turn`].
#[inline(always)]
fn sum(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> (f64, f64) {
    let first = a.0 + b.0;
    let first_lo = (a.0 - first) + b.0;
    let both = first - c.0;
    let both_lo = (first - both) - c.0;
    (both, (first_lo + both_lo) + ((a.1 + b.1) - c.1))
}

/// The constants by their `n`, those without a low part with 0, for tests.
#[cfg(test)]
pub(in crate::sampler) fn constants() -> Vec<(u32, f64, f64)> {
    let k = CONSTANTS;
    let sums = [(1, k.k1), (3, k.k3), (5, k.k5), (2, k.c2), (4, k.c4)].map(|(n, (hi, lo))| (n, hi, lo));
    let plain = [7, 9, 11].into_iter().zip(k.k).chain([6, 8, 10, 12].into_iter().zip(k.c));
    sums.into_iter().chain(plain.map(|(n, constant)| (n, constant, 0.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word of `N` bits, as audits have them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Narrow<const N: u32>(u64);

    impl<const N: u32> Word for Narrow<N> {
        const BITS: u32 = N;
        fn left_aligned(self) -> u64 {
            self.0
        }
        fn from_top_of(bits: u64) -> Self {
            Narrow(bits & u64::MAX << (64 - N))
        }
    }

    /// Words of four bits have two of `V`, and two in the half; words of two bits have one in the half, and a half for what is not known.
    #[test]
    fn cells_of_narrow_words() {
        for v in 0..16 {
            let (word, low) = (0b11 << 62 | (v >> 2) << 60, v << 62);
            assert_eq!(cell::<Narrow<4>>(word, low) & 7, v >> 1);
        }
        for v in 0..2 {
            assert_eq!(cell::<Narrow<2>>(0b11 << 62, v << 63) & 7, v << 2 | 2);
        }
        // V is known up to ¼, and the angle up to π/16.
        assert!((0.196..0.21).contains(&radius::<Narrow<2>>()));
    }
}
