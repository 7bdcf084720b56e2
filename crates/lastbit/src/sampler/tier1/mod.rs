//! Tier 1: a straight line of float arithmetic with a proved error radius, four values at a time.
//!
//! Each kernel reads random bits (one for the sign, the rest the first bits of `U`), encloses `E = -ln U`, and keeps the
//! answer if every real number of the enclosure gives it (Ziv's test). What it cannot decide it marks with NaN and leaves to
//! tier 2. There is no branch on the noise or on the data, and no address that depends on them beyond a line of the cache.
//!
//! - [`plain`] knows one word and computes in doubles: for integers, where the scale is small;
//! - [`wide`] knows a word and a half and computes in double-doubles, for everything else: [`round`] makes floats of its `E`, and
//!   [`whole`] integers.
//!
//! The share of values that a kernel leaves is part of what a release tells by its time: each derives it.
//!
//! # Notation
//!
//! `η = 2⁻⁵³`, the unit roundoff; `RN` is rounding to nearest even. Words are left-aligned in 64 bits. A word of
//! `BITS` bits, with `u` the integer of its bits below the sign, says `u < U·2^(BITS-1) < u + 1`. With
//! `H = 2^(64-BITS)` and `a = (2u + 1)·H` that is `a - H < U·2⁶⁴ < a + H`.

pub(in crate::sampler) mod circle;
pub(crate) mod normal;
pub(crate) mod plain;
pub(crate) mod round;
pub(crate) mod whole;
pub(crate) mod wide;

use crate::bits::Word;

pub(in crate::sampler) const TWO52: f64 = (1u64 << 52) as f64;
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

#[cfg(test)]
#[path = "../tests/enclosures.rs"]
pub(in crate::sampler) mod enclosures;

#[cfg(test)]
#[path = "../tests/text.rs"]
mod text;
