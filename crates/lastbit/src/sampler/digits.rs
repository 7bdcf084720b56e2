//! The discrete Laplace variable digit by digit: integer comparisons alone, for [`DiscreteLaplace::constant_time`](crate::DiscreteLaplace::constant_time).
//!
//! # The law
//!
//! Let `q = e^(-1/s)`. `G` is geometric, `P(G = g) = (1 - q)·q^g`, and `neg` is true with probability `q/(1 + q)`, independently of `G`.
//! Then `Z = G`, or `-1 - G` if `neg`, is the discrete Laplace variable: for `z >= 0` its probability is `(1 - q)·q^z/(1 + q)`, and for `z < 0`,
//! with `g = -1 - z`, it is `q/(1 + q)·(1 - q)·q^(-1-z) = (1 - q)/(1 + q)·q^|z|`.
//!
//! Let `G = Σ d_i·2^i + 2^D·R` with digits `d_0, …, d_(D-1)`. Then `q^G` is the product of all `q^(2^i·d_i)` and of `q^(2^D·R)`, so the digits and the
//! rest `R` are independent. Digit `i` is 1 with probability `q^(2^i)/(1 + q^(2^i)) = 1/(1 + e^(2^i/s))`, and `neg` is distributed as digit 0 is.
//! `R` is geometric with `q^(2^D)`: it is `floor((s/2^D)·E)` with `E = -ln U`, since `P((s/2^D)·E >= r) = e^(-r·2^D/s)`.
//!
//! # From words
//!
//! Each of `neg`, the digits and `R` has a uniform number `U` of its own, of which one word is drawn. A digit is `U < p`, and the word decides that unless it
//! is equal to the first bits of `p`. `R = 0` unless the word is zero: `D` is such that `(s/2^D)·E < 1` for `E <= 64·ln 2`. So all `D + 2` words are compared with a
//! threshold each, that of `R` being zero, and a value is undecided if one of them is equal to it: its probability is at most
//! `(D + 2)·2⁻⁶⁴`. Those are decided exactly, from refinement words of that word.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, exp_rational};

use super::arith::{Arith, Kernel, run_loop};
use super::batch::{Cursor, Words};
use super::integers::{Integer, add_all, add_big, least};
use super::law::{FloorLaw, Offset};
use super::scale::Scale;
use super::tier2::Prefix;
use super::tier3::LongPrefix;
use super::{Address, resolve};
use crate::bits::{BitSource, Word};

#[cfg(test)]
mod tests;

/// A bound on `E` where the first word of `U` is not zero: `64·ln 2 < 44.4`.
const MOST_E: u32 = 45;

/// Thresholds for the words of a value.
///
/// The words of a chunk are drawn in rows, one word for each value: row 0 decides `neg`, row `1 + i` digit `i`, and the last one the rest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Digits {
    s: Rational,
    /// For each row the first 64 bits of the probability of a one; 0 for the rest.
    thresholds: Vec<u64>,
    /// `s/2^D`, the scale of the rest.
    rest: Scale,
}

/// What the words of a chunk decide.
struct Drawn<const N: usize> {
    /// The ones of each value, by rows.
    ones: [u64; N],
    /// The rows of each value whose word is equal to the threshold; these are no ones.
    undecided: [u64; N],
    /// The address of the first word.
    first: Address,
}

impl<const N: usize> Drawn<N> {
    fn address(&self, row: usize, i: usize) -> Address {
        self.first.plus(row * N + i)
    }

    #[inline(always)]
    fn is_decided(&self) -> bool {
        self.undecided.iter().fold(0, |any, rows| any | rows) == 0
    }
}

/// `1/(1 + e^x)` for `x > 0`, up to `2^-bits`.
fn chance(x: &Rational, bits: u32) -> Enclosure {
    if x > &Rational::from(bits) {
        // Below e^-x < 2^-bits. Its own digits would not fit into memory if x is very large.
        return Enclosure::new(Dyadic::ZERO, Dyadic::pow2(-i64::from(bits))).expect("0 < 2^-bits");
    }
    let q = exp_rational(&-x.clone(), bits + 4).expect("x < 2^32");
    q.div(&(&Enclosure::exact(Dyadic::ONE) + &q), bits + 4).expect("1 + q > 0")
}

/// The first 64 bits of `1/(1 + e^x)`. That is no dyadic number, `e^x` being transcendental: so some precision tells them.
fn first_bits(x: &Rational) -> u64 {
    let mut bits = 128;
    loop {
        let p = chance(x, bits);
        let [low, high] = [p.lo(), p.hi()].map(|end| end.shl(64).floor());
        if low == high {
            return u64::try_from(low).expect("a probability below 1");
        }
        bits *= 2;
    }
}

/// The integer of the ones: row 0 is `neg`, the others are the digits of `G`; `-1 - G` is the complement of `G`.
#[inline(always)]
fn integer(ones: u64) -> i64 {
    (ones >> 1) as i64 ^ -((ones & 1) as i64)
}

impl Digits {
    /// The largest scale, `2⁵⁶`, is the one where a value has 64 rows: one bit of a `u64` each.
    pub(crate) const MOST_LOG2_SCALE: i64 = 56;

    /// `None` if the scale is too large.
    pub(crate) fn new(s: &Rational) -> Option<Digits> {
        if s > &Rational::pow2(Self::MOST_LOG2_SCALE) {
            return None;
        }
        // 2^(D-1) <= 45·s < 2^D, or D = 0.
        let beyond = (s * Rational::from(MOST_E)).floor_log2().expect("a scale is positive") + 1;
        let digits = beyond.max(0);
        let digit = |i: i64| first_bits(&(Rational::pow2(i) / s));
        let thresholds = std::iter::once(digit(0)).chain((0..digits).map(digit)).chain([0]).collect();
        Some(Digits { s: s.clone(), thresholds, rest: Scale::new(s * Rational::pow2(-digits)) })
    }

    /// Words that a value takes, `D + 2`.
    pub(crate) fn rows(&self) -> usize {
        self.thresholds.len()
    }

    /// Draws all words of a chunk.
    #[inline]
    fn draw<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        words: &mut Words<S::Word, N>,
    ) -> Drawn<N> {
        let first = cursor.advance(0);
        let mut drawn = Drawn { ones: [0; N], undecided: [0; N], first };
        for (row, threshold) in self.thresholds.iter().enumerate() {
            words.draw(source, cursor);
            let threshold = S::Word::from_top_of(*threshold).left_aligned();
            let Drawn { ones, undecided, .. } = &mut drawn;
            run_loop(N, Compare { words: words.words(), threshold, row, ones, undecided });
        }
        drawn
    }

    /// Adds noise in place; fails with the least index of a sum that overflows.
    #[inline]
    pub(crate) fn chunk<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        words: &mut Words<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        let drawn = self.draw(source, cursor, words);
        let mut noise = drawn.ones.map(integer);
        let settled =
            if drawn.is_decided() { Ok(()) } else { self.settle(source, &drawn, values, &mut noise) };
        least(settled, add_all(values, &noise, |z| z))
    }

    /// The noise alone.
    pub(crate) fn sample<S: BitSource>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        words: &mut Words<S::Word, 1>,
    ) -> IBig {
        let drawn = self.draw(source, cursor, words);
        self.decide(&drawn, 0, source)
    }

    /// Adds the noise that the words leave undecided, and makes it 0. As for [`IntegerNoise`](super::integers::IntegerNoise), the first sum that overflows here
    /// need not be the first of all.
    #[cold]
    #[inline(never)]
    fn settle<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        drawn: &Drawn<N>,
        values: &mut [T; N],
        noise: &mut [i64; N],
    ) -> Result<(), usize> {
        let mut settled = Ok(());
        for i in (0..N).filter(|i| drawn.undecided[*i] != 0) {
            match add_big(values[i], self.decide(drawn, i, source)) {
                Some(sum) => values[i] = sum,
                None => settled = settled.and(Err(i)),
            }
            noise[i] = 0;
        }
        settled
    }

    /// The noise of value `i`, from refinement words where its words do not decide it.
    fn decide<S: BitSource, const N: usize>(&self, drawn: &Drawn<N>, i: usize, source: &mut S) -> IBig {
        let digits = self.rows() - 2;
        let (mut ones, mut rest) = (drawn.ones[i], IBig::ZERO);
        for row in (0..self.rows()).filter(|row| drawn.undecided[i] >> row & 1 == 1) {
            let at = drawn.address(row, i);
            if row == digits + 1 {
                rest = self.rest(source, at);
            } else {
                ones |= u64::from(self.is_one(row, source, at)) << row;
            }
        }
        let geometric = (rest << digits) + IBig::from(ones >> 1);
        if ones & 1 == 1 { -geometric - IBig::ONE } else { geometric }
    }

    /// `U < p`, where the first word of `U` is that of `p`.
    fn is_one<S: BitSource>(&self, row: usize, source: &mut S, at: Address) -> bool {
        let width = S::Word::BITS;
        let x = Rational::pow2(row.saturating_sub(1) as i64) / &self.s;
        let bits = u128::from(self.thresholds[row] >> (64 - width));
        let mut known = LongPrefix::from(Prefix { negative: false, bits, len: width });
        for round in 0..=u32::MAX {
            known.push(source.refinement_word(at.batch, at.index, round).left_aligned(), width);
            let (u, p) = (known.uniform(), chance(&x, known.precision()));
            if u.hi() <= p.lo() {
                return true;
            }
            if p.hi() <= u.lo() {
                return false;
            }
        }
        panic!("2^32 words that decide nothing: the source is broken")
    }

    /// `R`, where the first word of its `U` is zero.
    fn rest<S: BitSource>(&self, source: &mut S, at: Address) -> IBig {
        let law = FloorLaw { s: &self.rest, offset: Offset::Zero };
        resolve(&law, Prefix { negative: false, bits: 0, len: S::Word::BITS }, source, at)
    }
}

/// Compares a row of words with its threshold: no branch, and no address that depends on a word.
struct Compare<'a, W, const N: usize> {
    words: &'a [W; N],
    /// Left-aligned, of as many bits as a word has.
    threshold: u64,
    row: usize,
    ones: &'a mut [u64; N],
    undecided: &'a mut [u64; N],
}

impl<W: Word, const N: usize> Kernel for Compare<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arith>(self) {
        for i in 0..N {
            let word = self.words[i].left_aligned();
            self.ones[i] |= u64::from(word < self.threshold) << self.row;
            self.undecided[i] |= u64::from(word == self.threshold) << self.row;
        }
    }
}
