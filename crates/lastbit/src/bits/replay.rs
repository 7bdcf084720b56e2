//! A source that replays chosen words: what an audit puts in place of the generator.

use super::{BitSource, Word};
use crate::Error;

/// Replays a script of words, in the order in which a sampler asks for them, main stream and refinements alike.
///
/// Running a sampler on every script of some length gives the exact probability of each of its outputs: the code
/// that is enumerated is the code that ships. When the script ends before the sampler has decided, the source
/// goes on with fixed arbitrary words, so that the sampler returns, and [`ran_out`](Self::ran_out) tells that the
/// result means nothing.
///
/// ```
/// use lastbit::{BitSource, ReplaySource};
/// let mut source = ReplaySource::new(&[3u8, 200]);
/// assert_eq!((source.next_word(), source.next_word(), source.ran_out()), (3, 200, false));
/// source.next_word();
/// assert!(source.ran_out());
/// ```
#[derive(Debug, Clone)]
pub struct ReplaySource<'a, W> {
    script: &'a [W],
    asked: usize,
}

impl<'a, W: Word> ReplaySource<'a, W> {
    /// A source of these words.
    pub fn new(script: &'a [W]) -> Self {
        ReplaySource { script, asked: 0 }
    }

    /// The number of words that have been requested so far.
    pub fn words_asked(&self) -> usize {
        self.asked
    }

    /// True if more words were asked for than the script holds.
    pub fn ran_out(&self) -> bool {
        self.asked > self.script.len()
    }
}

impl<W: Word> BitSource for ReplaySource<'_, W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn next_word(&mut self) -> W {
        let word = self.script.get(self.asked).copied();
        self.asked += 1;
        // Arbitrary but varied, so that a sampler that rejects does not do so for ever: the top bits of the
        // multiples of the golden ratio.
        word.unwrap_or_else(|| W::from_top_of((self.asked as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn refinement_word(&mut self, _batch: u64, _index: u64, _round: u32) -> W {
        self.next_word()
    }
}
