//! Two normal variables from one point of the plane (Box and Muller 1958), revealed as far as the answers need.
//!
//! # The law
//!
//! `U` and `V` are uniform on (0, 1), `R = √(-2·ln U)`, `φ = (π/4)·V`; two signs `s0`, `s1` and a bit `swap` are fair. The pair is
//! `(G0, G1) = (s0·R·cos φ, s1·R·sin φ)`, with sine and cosine exchanged if `swap` is set. The signs and the exchange take the eighth
//! of a turn that `φ` runs through to the whole circle, so that the angle is uniform, and `G0` and `G1` are two independent standard normal
//! variables.
//!
//! # The bits
//!
//! A pair has three words of `W` bits.
//!
//! | word | bits, from the top |
//! |---|---|
//! | `w1` | `s0` (set: negative), then `W - 1` bits of `U` |
//! | `w3` | `s1`, `swap`, then `W - 2` bits of `V` |
//! | `w2` | the next `W/2` bits of `U`, then the next `W/2` of `V` |
//!
//! A chunk reads `w1` of all its pairs, then `w3`, then `w2`. Each round of refinement adds one word to `U` and one to `V`.
//!
//! The magnitudes `|G0|` and `|G1|` take the place of `E` in a [`Law`]; the scale is a [`Deviation`](super::scale::Deviation).

use std::marker::PhantomData;

use lastbit_real::{Enclosure, IBig, pi};

use super::arith::Path;
use super::batch::{Cursor, Scratch, Words};
use super::integers::{Integer, add_all_wide, add_big, least};
use super::tier1::normal::{Normals, RoundNormal, WholeNormal};
use super::tier1::round::{RoundParams, Rounded, Summand};
use super::tier1::whole::WholeParams;
use super::tier2::{FixedVariable, Prefix, mul_high};
use super::tier3::LongPrefix;
use super::{Address, Law};
use crate::bits::{BitSource, Word};

/// What is known of a pair: of `U` with the sign `s0`, of `V` with the sign `s1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairPrefix {
    pub(crate) u: Prefix,
    pub(crate) v: Prefix,
    pub(crate) swap: bool,
}

impl PairPrefix {
    /// From `w1` and the half that goes with it, and from `w3` and its half, all left-aligned, of words of `width` bits.
    pub(crate) fn new([w1, u_low]: [u64; 2], [w3, v_low]: [u64; 2], width: u32) -> PairPrefix {
        let half = width / 2;
        // A word of two bits has none of V's: shifted by 64, nothing is left.
        let v = Prefix { negative: w3 >> 63 == 1, bits: u128::from(w3 << 2) >> (66 - width), len: width - 2 };
        PairPrefix {
            u: Prefix::new(w1, width).then(u_low, half),
            v: v.then(v_low, half),
            swap: w3 >> 62 & 1 == 1,
        }
    }

    /// The prefix with one more round: a left-aligned word of `U` and one of `V`.
    fn then(self, [u, v]: [u64; 2], width: u32) -> PairPrefix {
        PairPrefix { u: self.u.then(u, width), v: self.v.then(v, width), ..self }
    }

    /// The signs of the two variables.
    fn negative(&self) -> [bool; 2] {
        [self.u.negative, self.v.negative]
    }

    /// The magnitudes of the two variables; `None` if no bit of `U` is one, as nothing bounds them then.
    pub(crate) fn magnitudes(&self) -> Option<[FixedVariable; 2]> {
        let r = radius(FixedVariable::enclose(self.u)?);
        let [cos, sin] = circle(self.v, TERMS).map(|side| side.times(r));
        Some(if self.swap { [sin, cos] } else { [cos, sin] })
    }
}

/// A number between `low` and `high`, in units that the context tells.
#[derive(Clone, Copy, Debug)]
struct Ends {
    low: u128,
    high: u128,
}

impl Ends {
    /// A side of the triangle, in units of 2⁻¹²⁷ and at most 1, times the radius in units of 2⁻¹²⁰. Since `R < 2⁴`, doubling it does not overflow,
    /// and makes the high half of the product one in units of 2⁻¹²⁰.
    fn times(self, r: Ends) -> FixedVariable {
        let low = mul_high(r.low << 1, self.low);
        let high = mul_high(r.high << 1, self.high) + 1;
        let value = low + (high - low) / 2;
        FixedVariable { value, radius: high - value }
    }
}

/// `R = √(2E)` in units of 2⁻¹²⁰. `E < 88.1`, `2·E·2¹²⁰ < 2¹²⁸` with its radius of at most `½` too.
fn radius(e: FixedVariable) -> Ends {
    Ends {
        low: root(2 * e.value.saturating_sub(e.radius)).saturating_sub(1),
        high: root(2 * (e.value + e.radius)) + 2,
    }
}

/// `√x`, both in units of 2⁻¹²⁰.
///
/// Ensures: the true root lies between the result minus 1 and the result plus 2.
///
/// With `m = x·2^s` in `[2¹²⁶, 2¹²⁸)`, `s` even, and `q = floor(√m)`: `√m = q + d` and `d = rest/(2q + d)`, `0 <= d < 1`. The quotient
/// `rest/(2q)` exceeds `d` by `d²/(2q) < 2⁻⁶⁴`, and is cut by less than `2⁻⁶²`. So `q·2⁶²` and the cut quotient make a number that lies in
/// `[√m·2⁶² - 1, √m·2⁶² + ¼]`; the shift, by at least 2 bits, makes ¼ of these bounds or less and drops less than 1.
fn root(x: u128) -> u128 {
    if x == 0 {
        return 0;
    }
    let s = x.leading_zeros() & !1;
    let m = x << s;
    let q = m.isqrt();
    let rest = m - q * q; // at most 2q < 2⁶⁵
    let long = (q << 62) + (rest << 62) / (2 * q);
    long >> (2 + s / 2)
}

/// `π/4` in units of 2⁻¹²⁸, rounded down.
const EIGHTH_TURN: u128 = 0xc90f_daa2_2168_c234_c4c6_628b_80dc_1cd1;

/// Terms of the series of sine and cosine after the first. With `w = φ² < 0.62`, the first one left out is below `0.62¹⁶/32! < 2⁻¹²⁸`; so is what is
/// left out, for the terms alternate and fall.
const TERMS: u128 = 15;

/// How far off sine and cosine are for the angle in the middle of what is known, in units of 2⁻¹²⁷.
///
/// The angle is rounded down twice, so too low by less than 2 units of 2⁻¹²⁸, or 1 of 2⁻¹²⁷. Then `w = φ²` is too low by less than
/// `2·2·0.79 + 1 < 4.2` units of 2⁻¹²⁸. A step of Horner's scheme, `1 - w·s/d` with `0 < s <= 1`, drops less than 1 unit and takes on
/// `(0.62·error + 2.1)/d`. For the cosine `d >= 2` keeps the error below 3, for the sine `d >= 6` below 1.6; what is cut
/// off the series adds less than ½. The sine is multiplied by `φ <= 0.79`, which drops less than 1, and the error of `φ` adds 1.
/// All in all less than 3.5 for the cosine and `0.79·2.1 + 2 < 3.7` for the sine.
const CIRCLE_ERROR: u128 = 4;

/// `cos φ` and `sin φ` in units of 2⁻¹²⁷, for `φ = (π/4)·V`.
fn circle(v: Prefix, terms: u128) -> [Ends; 2] {
    const ONE: u128 = 1 << 127;
    let middle = (v.bits << 1 | 1) << (Prefix::MAX_LEN - v.len); // of V, in units of 2⁻¹²⁸
    let angle = mul_high(middle, EIGHTH_TURN);
    let w = mul_high(angle, angle);
    let series = |odd: u128| {
        (1..=terms).rev().fold(ONE, |s, i| ONE - mul_high(w, s) / ((2 * i - 1 + odd) * (2 * i + odd)))
    };
    // V is at most 2^-(len + 1) from the middle, and the functions move less than that.
    let error = CIRCLE_ERROR + (1 << (126 - v.len.min(126)));
    [series(0), mul_high(angle, series(1))]
        .map(|side| Ends { low: side.saturating_sub(error), high: (side + error).min(ONE) })
}

/// What is known of a pair, at any length.
#[derive(Clone, Debug)]
pub(crate) struct LongPairPrefix {
    u: LongPrefix,
    v: LongPrefix,
    swap: bool,
}

impl From<PairPrefix> for LongPairPrefix {
    fn from(PairPrefix { u, v, swap }: PairPrefix) -> LongPairPrefix {
        LongPairPrefix { u: u.into(), v: v.into(), swap }
    }
}

impl LongPairPrefix {
    /// Appends a round.
    pub(crate) fn push(&mut self, [u, v]: [u64; 2], width: u32) {
        self.u.push(u, width);
        self.v.push(v, width);
    }

    fn negative(&self) -> [bool; 2] {
        [self.u.negative, self.v.negative]
    }

    /// The precision that what is known deserves.
    pub(crate) fn precision(&self) -> u32 {
        self.u.precision()
    }

    /// As [`PairPrefix::magnitudes`].
    pub(crate) fn magnitudes(&self) -> Option<[Enclosure; 2]> {
        let bits = self.precision();
        let r = self.u.exponential()?.shl(1).sqrt(bits).expect("E >= 0");
        let angle = (&self.v.uniform() * &pi(bits)).shl(-2);
        let [cos, sin] = [angle.cos(bits), angle.sin(bits)].map(|side| &side.expect("below 1") * &r);
        Some(if self.swap { [sin, cos] } else { [cos, sin] })
    }
}

/// What is wanted of a pair, and the answers so far.
struct Answers<'a, L: Law> {
    laws: [Option<&'a L>; 2],
    outputs: [Option<L::Output>; 2],
}

impl<L: Law> Answers<'_, L> {
    /// Asks each law that has no output yet.
    fn ask<G>(
        &mut self,
        negative: [bool; 2],
        g: &[G; 2],
        answer: impl Fn(&L, bool, &G) -> Option<L::Output>,
    ) {
        for i in 0..2 {
            if let (Some(law), None) = (self.laws[i], &self.outputs[i]) {
                self.outputs[i] = answer(law, negative[i], &g[i]);
            }
        }
    }

    fn ask_tier2(&mut self, prefix: &PairPrefix) {
        if let Some(g) = prefix.magnitudes() {
            self.ask(prefix.negative(), &g, |law, negative, g| law.tier2(negative, *g));
        }
    }

    fn ask_tier3(&mut self, prefix: &LongPairPrefix) {
        if let Some(g) = prefix.magnitudes() {
            let bits = prefix.precision();
            self.ask(prefix.negative(), &g, |law, negative, g| law.tier3(negative, g, bits));
        }
    }

    fn are_complete(&self) -> bool {
        self.laws.iter().zip(&self.outputs).all(|(law, output)| law.is_none() || output.is_some())
    }
}

/// The addresses of `w1` and `w3`, under which `U` and `V` are refined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairAddress {
    pub(crate) u: Address,
    pub(crate) v: Address,
}

/// Decides what tier 1 did not: the outputs of those of the two laws that are given, from the bits at hand and then from as many
/// refinement words as it takes. No word is asked for twice.
#[cold]
#[inline(never)]
pub(crate) fn resolve<S: BitSource, L: Law>(
    laws: [Option<&L>; 2],
    mut prefix: PairPrefix,
    source: &mut S,
    at: PairAddress,
) -> [Option<L::Output>; 2] {
    let width = S::Word::BITS;
    let mut rounds = 0..=u32::MAX;
    let mut next = || {
        let round = rounds.next().expect("2^32 words that decide nothing: the source is broken");
        [at.u, at.v].map(|at| source.refinement_word(at.batch, at.index, round).left_aligned())
    };
    let mut answers = Answers { laws, outputs: [None, None] };
    answers.ask_tier2(&prefix);
    while !answers.are_complete() && prefix.u.len + width <= Prefix::MAX_LEN {
        prefix = prefix.then(next(), width);
        answers.ask_tier2(&prefix);
    }
    if !answers.are_complete() {
        let mut prefix = LongPairPrefix::from(prefix);
        answers.ask_tier3(&prefix);
        while !answers.are_complete() {
            prefix.push(next(), width);
            answers.ask_tier3(&prefix);
        }
    }
    answers.outputs
}

/// Decides what tier 1 has `left` of a chunk, pair by pair, and gives the outputs to their index.
///
/// The first half of the values and the second are pairs.
#[cold]
#[inline(never)]
fn settle<S: BitSource, L: Law, const N: usize>(
    source: &mut S,
    words: &Words<S::Word, N>,
    left: [bool; N],
    law: impl Fn(usize) -> L,
    mut give: impl FnMut(usize, L::Output),
) {
    let pairs = N / 2;
    for i in 0..pairs {
        let both = [i, pairs + i];
        let laws = both.map(|j| left[j].then(|| law(j)));
        if laws.iter().all(Option::is_none) {
            continue;
        }
        let [(u, u_low), (v, v_low)] = both.map(|j| (words.words()[j].left_aligned(), words.lows()[j]));
        let prefix = PairPrefix::new([u, u_low], [v, v_low], S::Word::BITS);
        let at = PairAddress { u: words.address(i), v: words.address(pairs + i) };
        let outputs = resolve(laws.each_ref().map(Option::as_ref), prefix, source, at);
        for (j, output) in both.into_iter().zip(outputs) {
            if let Some(output) = output {
                give(j, output);
            }
        }
    }
}

/// Rounded sums in the place of `G`, as [`batch::round_chunk`](super::batch::round_chunk) has them in that of `E`, of `N` values, an even number, or of a single one, which is the first of a pair.
#[inline]
pub(crate) fn round_chunk<S, X, T, L, const N: usize>(
    params: Option<RoundParams>,
    source: &mut S,
    cursor: &mut Cursor,
    scratch: &mut Scratch<S::Word, N>,
    x: &[X; N],
    law: impl Fn(usize) -> L,
) -> Result<(), usize>
where
    S: BitSource,
    X: Summand,
    T: Rounded,
    L: Law<Output = T>,
{
    if N == 1 {
        let (pair, x) = (&mut Scratch::new(), &[x[0]; 2]);
        round_pairs(params, source, cursor, pair, x, 1, law)?;
        scratch.g.hi[0] = pair.g.hi[0];
        Ok(())
    } else {
        round_pairs(params, source, cursor, scratch, x, N, law)
    }
}

/// The same for an even `N`, of which the first `wanted` values count.
#[inline]
fn round_pairs<S, X, T, L, const N: usize>(
    params: Option<RoundParams>,
    source: &mut S,
    cursor: &mut Cursor,
    scratch: &mut Scratch<S::Word, N>,
    x: &[X; N],
    wanted: usize,
    law: impl Fn(usize) -> L,
) -> Result<(), usize>
where
    S: BitSource,
    X: Summand,
    T: Rounded,
    L: Law<Output = T>,
{
    let Scratch { words, e, g } = scratch;
    words.draw_wide(source, cursor);
    let undecided = match params {
        Some(params) => {
            let (words, lows) = (words.words(), words.lows());
            Path::detect().run(RoundNormal { params, words, lows, e, g, x, rounds_to: PhantomData::<T> })
        }
        None => {
            g.hi.fill(f64::NAN);
            true
        }
    };
    if !undecided {
        return Ok(());
    }
    let results = &mut g.hi;
    let left = std::array::from_fn(|i| i < wanted && results[i].is_nan());
    settle(source, words, left, law, |i, y| results[i] = y.to_f64());
    results[..wanted].iter().position(|y| !y.is_finite()).map_or(Ok(()), Err)
}

/// Integers, as [`IntegerNoise::chunk`](super::integers::IntegerNoise::chunk), of `N` values, an even number, or of a single one, which is the first of a pair.
#[inline]
pub(crate) fn whole_chunk<S: BitSource, T: Integer, L: Law<Output = IBig>, const N: usize>(
    params: Option<WholeParams>,
    source: &mut S,
    cursor: &mut Cursor,
    scratch: &mut Scratch<S::Word, N>,
    law: impl Fn(usize) -> L,
    values: &mut [T; N],
) -> Result<(), usize> {
    if N == 1 {
        let mut both = [values[0]; 2];
        whole_pairs(params, source, cursor, &mut Scratch::new(), 1, law, &mut both)?;
        values[0] = both[0];
        Ok(())
    } else {
        whole_pairs(params, source, cursor, scratch, N, law, values)
    }
}

/// The same for an even `N`, of which the first `wanted` values count.
#[inline]
fn whole_pairs<S: BitSource, T: Integer, L: Law<Output = IBig>, const N: usize>(
    params: Option<WholeParams>,
    source: &mut S,
    cursor: &mut Cursor,
    scratch: &mut Scratch<S::Word, N>,
    wanted: usize,
    law: impl Fn(usize) -> L,
    values: &mut [T; N],
) -> Result<(), usize> {
    let Scratch { words, e, g } = scratch;
    words.draw_wide(source, cursor);
    let undecided = match params {
        Some(params) => {
            Path::detect().run(WholeNormal { params, words: words.words(), lows: words.lows(), e, g })
        }
        None => {
            g.hi.fill(f64::NAN);
            true
        }
    };
    let Normals { hi: above, lo: below, .. } = g;
    let mut settled = Ok(());
    if undecided {
        let left = std::array::from_fn(|i| i < wanted && above[i].is_nan());
        for i in 0..N {
            if above[i].is_nan() {
                (above[i], below[i]) = (0.0, 0.0);
            }
        }
        settle(source, words, left, law, |i, z| match add_big(values[i], z) {
            Some(sum) => values[i] = sum,
            None => settled = least(settled, Err(i)),
        });
    }
    // Nothing is added to what does not count, so that it does not overflow.
    above[wanted..].fill(0.0);
    below[wanted..].fill(0.0);
    least(settled, add_all_wide(values, above, below))
}

#[cfg(test)]
mod tests;
