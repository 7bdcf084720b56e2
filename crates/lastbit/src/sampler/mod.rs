//! Exact sampling: one uniform real number, revealed as far as the answer needs.
//!
//! # The law
//!
//! `U` is uniform on (0, 1), `σ` is a fair sign, `E = -ln U`. Every continuous or geometric noise of this crate is one
//! of two functions of them, both monotone in `U`:
//!
//! - [`RoundLaw`]: `RN(x + σ·b·E)`, the real Laplace variable added to `x` and rounded once;
//! - [`FloorLaw`]: `floor(α_σ + σ·s·E)`, an integer. With `α₊ = c`, `α₋ = 1 - c` it is the discrete Laplace variable
//!   ([`Centre`]), with `α = ½` the rounded real one, with `α` the fraction of `x/Λ + ½` the snapping mechanism.
//!
//! The discrete Laplace variable can also be made digit by digit, from a word each, in [`digits`].
//! The normal variable has a law of its own, of two uniform numbers, in [`normal`]; its magnitude then takes the place of `E` in the same
//! functions.
//!
//! One word of the source, or one and a half where many digits are asked for, gives `σ` and the first bits of `U`. Tier 1 ([`tier1`]) answers from
//! those alone, but for a share of the values below 2⁻²⁴. What is left goes to [`resolve`]: refinement
//! words are asked for, and tiers 2 and 3, until the bits decide, which they do with probability 1. The output is a function of `U` and `σ` only: the tiers save
//! work and never change it.

pub(crate) mod arith;
pub(crate) mod batch;
pub(crate) mod contest;
pub(crate) mod digits;
pub(crate) mod integers;
pub(crate) mod law;
pub(crate) mod normal;
mod parallel;
pub(crate) mod scale;
pub(crate) mod tier1;
pub(crate) mod tier2;
pub(crate) mod tier3;

#[cfg(test)]
mod tests;

use crate::bits::{BitSource, Word};
use lastbit_real::Enclosure;
use tier2::{FixedVariable, Prefix};
use tier3::LongPrefix;

/// A value's address among the refinement words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) batch: u64,
    pub(crate) index: u64,
}

/// A monotone, piecewise constant function of a positive random variable, for each sign: of `E`, or of the magnitude of a normal
/// variable ([`normal`]).
pub(crate) trait Law {
    type Output;

    /// The output, if every number of the enclosure has the same.
    fn tier2(&self, negative: bool, e: FixedVariable) -> Option<Self::Output>;

    /// The output, if every number of the enclosure has the same; other numbers are to be enclosed to `bits`.
    fn tier3(&self, negative: bool, e: &Enclosure, bits: u32) -> Option<Self::Output>;
}

/// Decides what tier 1 did not.
#[cold]
#[inline(never)]
pub(crate) fn resolve<S: BitSource, L: Law>(
    law: &L,
    prefix: Prefix,
    source: &mut S,
    at: Address,
) -> L::Output {
    let width = S::Word::BITS;
    let mut known = LongPrefix::from(prefix);
    for round in 0..=u32::MAX {
        // Fixed point as long as it has not seen all bits that it reads.
        let fixed_point = known.len() < u64::from(Prefix::MAX_LEN);
        known.push(source.refinement_word(at.batch, at.index, round).left_aligned(), width);
        let output = if fixed_point { try_tier2(law, known.first_bits()) } else { try_tier3(law, &known) };
        if let Some(output) = output {
            return output;
        }
    }
    panic!("2^32 words that decide nothing: the source is broken")
}

/// The output, if the bits of `prefix` decide it in fixed point.
#[inline]
pub(crate) fn try_tier2<L: Law>(law: &L, prefix: Prefix) -> Option<L::Output> {
    FixedVariable::enclose(prefix).and_then(|e| law.tier2(prefix.negative, e))
}

/// The output, if the bits of `prefix` decide it at all.
pub(crate) fn try_tier3<L: Law>(law: &L, prefix: &LongPrefix) -> Option<L::Output> {
    law.tier3(prefix.negative, &prefix.exponential()?, prefix.precision())
}
