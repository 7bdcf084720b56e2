//! A repeatable source, for tests and demonstrations only.

use std::marker::PhantomData;

use super::keystream::{Key, Stream, Table};
use super::{BitSource, Word};
use crate::Error;

/// A source that gives the same words for the same seed. **Not for releases**: who knows the seed can subtract
/// the noise.
///
/// ```
/// use lastbit::{BitSource, InsecureSeededSource};
/// let mut a = InsecureSeededSource::<u64>::from_seed(7);
/// let mut b = InsecureSeededSource::<u64>::from_seed(7);
/// assert_eq!(a.next_word(), b.next_word());
/// ```
pub struct InsecureSeededSource<W = u64> {
    stream: Stream,
    table: Table,
    next_batch: u64,
    word: PhantomData<W>,
}

impl<W: Word> InsecureSeededSource<W> {
    /// The source of this seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut key = Key([0; 32]);
        key.0[..8].copy_from_slice(&seed.to_le_bytes());
        InsecureSeededSource {
            stream: Stream::chacha20(key.derive(0)),
            table: Table::new(key.derive(1)),
            next_batch: 0,
            word: PhantomData,
        }
    }
}

impl<W: Word> BitSource for InsecureSeededSource<W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        let batch = self.next_batch;
        self.next_batch += 1;
        Ok(batch)
    }

    #[inline]
    fn next_word(&mut self) -> W {
        W::from_top_of(self.stream.next_word())
    }

    #[inline]
    fn fill_words(&mut self, words: &mut [W]) {
        let mut buffer = [0; 64];
        for words in words.chunks_mut(64) {
            let mut done = 0;
            while done < words.len() {
                done += self.stream.take(&mut buffer[done..words.len()]);
            }
            for (word, bits) in words.iter_mut().zip(&buffer) {
                *word = W::from_top_of(*bits);
            }
        }
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> W {
        W::from_top_of(self.table.word(batch, index, round))
    }
}

impl<W> std::fmt::Debug for InsecureSeededSource<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InsecureSeededSource { .. }")
    }
}
