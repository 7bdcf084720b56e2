//! A repeatable source, for tests and demonstrations only.

use std::marker::PhantomData;

use aes::Aes256Enc;
use aes::cipher::KeyInit;

use super::keystream::{Stream, derive};
use super::table::Table;
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
    table: Box<Aes256Enc>,
    next_batch: u64,
    word: PhantomData<W>,
}

impl<W: Word> InsecureSeededSource<W> {
    /// The source of this seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        InsecureSeededSource {
            stream: Stream::new(derive(&key, 0)),
            table: Box::new(Aes256Enc::new(&derive(&key, 1).into())),
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
        W::from_top_of(Table(&self.table).word(batch, index, round))
    }
}

impl<W> std::fmt::Debug for InsecureSeededSource<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InsecureSeededSource { .. }")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Demonstrations and recorded outputs depend on them.
    #[test]
    fn the_words_of_a_seed_stay_what_they_are() {
        let mut source = InsecureSeededSource::<u64>::from_seed(7);
        let mut words = [0; 600];
        source.fill_words(&mut words);
        assert_eq!(
            [words[0], words[1], words[599]],
            [0x463e_6657_dfae_6d6f, 0x7dd4_952c_c1db_a91f, 0x4bbd_665a_30f3_e53a]
        );
        let refinements = [source.refinement_word(0, 0, 0), source.refinement_word(1, 2, 3)];
        assert_eq!(refinements, [0xad36_50d9_295f_03a7, 0x00a1_f010_d040_5e04]);
    }
}
