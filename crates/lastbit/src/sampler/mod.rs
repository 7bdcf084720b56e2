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
//! A word of the source gives `σ` and the first bits of `U`. Tier 1 ([`tier1`]) answers from that word alone, nearly
//! always. If it can not, [`resolve`] asks for refinement words and goes through tier 2 and tier 3 until the bits decide,
//! which they do with probability 1. The output is a function of `U` and `σ` only: the tiers save work and never change it.

pub(crate) mod arith;
pub(crate) mod batch;
pub(crate) mod contest;
pub(crate) mod integers;
pub(crate) mod law;
pub(crate) mod scale;
pub(crate) mod tier1;
pub(crate) mod tier2;
pub(crate) mod tier3;

#[cfg(test)]
mod tests;

use crate::bits::{BitSource, Word};
use tier2::{FixedExponential, Prefix};
use tier3::LongPrefix;

/// A value's address among the refinement words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) batch: u64,
    pub(crate) index: u64,
}

/// A monotone, piecewise constant function of `E`, for each sign.
pub(crate) trait Law {
    type Output;

    /// The output, if every `E` of the enclosure has the same.
    fn tier2(&self, negative: bool, e: FixedExponential) -> Option<Self::Output>;

    /// The output, if every `E` of the enclosure has the same; other numbers are to be enclosed to `bits`.
    fn tier3(&self, prefix: &LongPrefix) -> Option<Self::Output>;
}

/// Decides what tier 1 did not: from a prefix that tier 2 could not decide or has not seen, after `rounds` refinement words.
#[cold]
#[inline(never)]
pub(crate) fn resolve<S: BitSource, L: Law>(
    law: &L,
    mut prefix: Prefix,
    rounds: u32,
    source: &mut S,
    at: Address,
) -> L::Output {
    let width = S::Word::BITS;
    let mut rounds = rounds..=u32::MAX;
    let mut next = || {
        let round = rounds.next().expect("2^32 words that decide nothing: the source is broken");
        source.refinement_word(at.batch, at.index, round).left_aligned()
    };
    while prefix.len + width <= Prefix::MAX_LEN {
        prefix = prefix.then(next(), width);
        if let Some(output) = try_tier2(law, prefix) {
            return output;
        }
    }
    let mut prefix = LongPrefix::from(prefix);
    loop {
        if let Some(output) = law.tier3(&prefix) {
            return output;
        }
        prefix.push(next(), width);
    }
}

/// The output, if the bits of `prefix` decide it in fixed point.
#[inline]
pub(crate) fn try_tier2<L: Law>(law: &L, prefix: Prefix) -> Option<L::Output> {
    FixedExponential::enclose(prefix).and_then(|e| law.tier2(prefix.negative, e))
}
