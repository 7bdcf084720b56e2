//! The distribution of the shipped code, by enumeration of its random bits.
//!
//! A mechanism reads words of 8 bits. Every script of words that is long enough to decide the output gives it the weight
//! `256^-length`; a script that runs out is continued with all 256 words, down to a limit. What is left there is the remainder.
//! Between the weight of an event and that weight with the remainder lies its probability, exactly, and the true
//! probability must lie there too. Most scripts are decided at once, so that such a tree of `2⁶⁴` leaves takes a second.
//!
//! Larger cases are tested with a fixed seed and χ², at a level of one in a million. Both tests must reject copies with a
//! small bias.

mod chi_square;
mod trees;
mod truth;

use lastbit::{BitSource, Error, Word};

/// A source whose second bit of a word (the first of `U`) is one a little too often: also where four later bits are.
struct Biased<S>(S);

impl<S: BitSource> BitSource for Biased<S> {
    type Word = S::Word;
    fn open_batch(&mut self) -> Result<u64, Error> {
        self.0.open_batch()
    }
    fn next_word(&mut self) -> S::Word {
        let word = self.0.next_word().left_aligned();
        S::Word::from_top_of(if word >> 56 & 15 == 15 { word | 1 << 62 } else { word })
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        self.0.refinement_word(batch, index, round)
    }
}

/// What mechanisms release, as a number.
trait Value: Copy {
    fn real(self) -> f64;
}

impl Value for f64 {
    fn real(self) -> f64 {
        self
    }
}

impl Value for f32 {
    fn real(self) -> f64 {
        self.into()
    }
}

impl Value for i64 {
    fn real(self) -> f64 {
        self as f64
    }
}
