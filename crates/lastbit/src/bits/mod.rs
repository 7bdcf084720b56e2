//! Random bits: the trait [`BitSource`] and its implementations.
//!
//! Every sampler of this crate takes its bits from a [`BitSource`] and from nowhere else. In production
//! that is [`SecureSource`]; an audit replays chosen words through [`ReplaySource`], and so runs the code
//! that ships; tests that want repeatable noise use [`InsecureSeededSource`], whose name says what it is.
//!
//! # How a sampler reads
//!
//! A sampler thinks of one uniform real number `U` per value, of which it reveals as many bits as the answer
//! needs. The first word of each value comes from the main stream, in order. The few values that need more
//! bits ask for *refinement words*, addressed by (batch, value index, round): what a value gets does not depend
//! on which of its neighbours needed more. Which words of the main stream a value gets depends on its index and on the number of values alone.
//!
//! On several threads each of them draws from a [`Part`] of a [`SplitSource`].

mod cipher;
mod environment;
mod erasure;
mod fork;
mod generator;
mod insecure;
mod keystream;
mod pages;
mod parts;
mod replay;
mod scrub;
mod secure;
mod self_test;
mod table;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub use insecure::{InsecurePart, InsecureSeededSource};
pub use parts::{Part, SplitSource};
pub use replay::ReplaySource;
pub use secure::SecureSource;

use crate::Error;

/// A machine word of a [`BitSource`]: `u64` in production, narrower in audits so that trees of words stay small.
pub trait Word: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// The number of bits.
    const BITS: u32;

    /// The word moved to the top of a `u64`; the low `64 - BITS` bits are zero.
    fn left_aligned(self) -> u64;

    /// The word made of the top bits of `bits`.
    fn from_top_of(bits: u64) -> Self;
}

macro_rules! word {
    ($($t:ty),*) => {$(
        impl Word for $t {
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn left_aligned(self) -> u64 {
                (self as u64) << (64 - <$t>::BITS)
            }
            #[inline(always)]
            fn from_top_of(bits: u64) -> Self {
                (bits >> (64 - <$t>::BITS)) as $t
            }
        }
    )*};
}
word!(u8, u16, u32, u64);

/// A source of independent uniform bits.
///
/// There are two kinds of words: the next word of the main stream, and the refinement word of a batch, a value
/// index and a round. All are independent of each other.
///
/// # Contract
///
/// - A batch number is opened with [`open_batch`](Self::open_batch) before its words are drawn, and never comes
///   twice under one key.
/// - Opening a batch closes the one before. A source may refuse to give refinement words of a closed batch, and [`SecureSource`] does, by a
///   panic: it no longer has the key.
/// - A sampler asks for each (batch, index, round) at most once.
pub trait BitSource {
    /// The width of a word.
    type Word: Word;

    /// Opens a batch: its number addresses the refinement words. The place where a source checks that it is
    /// fit for use (not a copy made by `fork`, not due for a new key).
    fn open_batch(&mut self) -> Result<u64, Error>;

    /// The next word of the main stream.
    fn next_word(&mut self) -> Self::Word;

    /// The refinement word of value `index` of `batch`, at `round` 0, 1, 2, …
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> Self::Word;

    /// The next words of the main stream, as if by [`next_word`](Self::next_word).
    #[inline]
    fn fill_words(&mut self, words: &mut [Self::Word]) {
        words.fill_with(|| self.next_word());
    }

    /// The refinement words of consecutive values, as if by [`refinement_word`](Self::refinement_word).
    #[inline]
    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [Self::Word]) {
        for (index, word) in (first..).zip(words) {
            *word = self.refinement_word(batch, index, round);
        }
    }
}

impl<S: BitSource + ?Sized> BitSource for &mut S {
    type Word = S::Word;
    fn open_batch(&mut self) -> Result<u64, Error> {
        (**self).open_batch()
    }
    fn next_word(&mut self) -> S::Word {
        (**self).next_word()
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        (**self).refinement_word(batch, index, round)
    }
    fn fill_words(&mut self, words: &mut [S::Word]) {
        (**self).fill_words(words);
    }
    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [S::Word]) {
        (**self).fill_refinement_words(batch, first, round, words);
    }
}
