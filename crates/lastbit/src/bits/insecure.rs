//! A repeatable source, for tests and demonstrations only.

use std::marker::PhantomData;

use aes::Aes256Enc;
use aes::cipher::KeyInit;

use super::cipher::Key;
use super::keystream::{Stream, derive};
use super::table::Table;
use super::{BitSource, Part, SplitSource, Word};
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
    /// Of which the keys of parts are derived.
    parts: Key,
    word: PhantomData<W>,
}

impl<W: Word> InsecureSeededSource<W> {
    /// The source of this seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self::from_key(&key)
    }

    fn from_key(key: &Key) -> Self {
        InsecureSeededSource {
            stream: Stream::new(derive(key, 0)),
            table: Box::new(Aes256Enc::new(&derive(key, 1).into())),
            next_batch: 0,
            parts: derive(key, 2),
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

/// The words of a block depend on the seed, the batch and the number of the block.
impl<W: Word> SplitSource for InsecureSeededSource<W> {
    type Part = InsecurePart<W>;

    fn split(&mut self, parts: usize) -> Result<Vec<InsecurePart<W>>, Error> {
        let batch = self.open_batch()?;
        let key = derive(&self.parts, batch);
        // No block has this number.
        let part = |_| InsecurePart { key, source: Self::from_key(&derive(&key, u64::MAX)) };
        Ok((0..parts).map(part).collect())
    }
}

/// A part of an [`InsecureSeededSource`].
pub struct InsecurePart<W = u64> {
    /// Of the batch; those of blocks are derived of it.
    key: Key,
    /// Of the block.
    source: InsecureSeededSource<W>,
}

impl<W: Word> Part for InsecurePart<W> {
    fn open_block(&mut self, block: u64) -> u64 {
        self.source = InsecureSeededSource::from_key(&derive(&self.key, block));
        0
    }
}

impl<W: Word> BitSource for InsecurePart<W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        self.source.open_batch()
    }

    #[inline]
    fn next_word(&mut self) -> W {
        self.source.next_word()
    }

    #[inline]
    fn fill_words(&mut self, words: &mut [W]) {
        self.source.fill_words(words);
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> W {
        self.source.refinement_word(batch, index, round)
    }
}

impl<W> std::fmt::Debug for InsecurePart<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InsecurePart { .. }")
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

    /// Of seeds, batches, blocks and the source itself, no two have words in common.
    #[test]
    fn blocks_share_no_words() {
        fn draw(source: &mut impl BitSource<Word = u64>, batch: u64) -> [u64; 4] {
            let mut words = [0; 3];
            source.fill_words(&mut words);
            [words[0], words[1], words[2], source.refinement_word(batch, 0, 0)]
        }
        let mut seen = std::collections::HashSet::new();
        let mut keys = std::collections::HashSet::new();
        for seed in 0..3 {
            let mut source = InsecureSeededSource::<u64>::from_seed(seed);
            for batch in 0..3 {
                assert!(draw(&mut source, batch).iter().all(|word| seen.insert(*word)));
                for part in &mut source.split(2).unwrap() {
                    // Both serve the same blocks here, which they never do in a release.
                    let mut words = Vec::new();
                    for block in [0, 1, 2, 255, 256, 1 << 32] {
                        let number = part.open_block(block);
                        keys.insert(part.source.parts);
                        words.extend(draw(part, number));
                    }
                    let new = words.iter().filter(|word| seen.insert(**word)).count();
                    assert!(new == words.len() || new == 0, "the same for both parts, and new for the first");
                }
            }
        }
        assert_eq!((seen.len(), keys.len()), (9 * 4 + 9 * 6 * 4, 9 * 6));
    }

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
        let mut part = InsecureSeededSource::<u64>::from_seed(7).split(1).unwrap().remove(0);
        let batch = part.open_block(1);
        assert_eq!(
            [part.next_word(), part.refinement_word(batch, 2, 3)],
            [0x11b8_1daf_2ea6_11f6, 0x84ec_8716_8be5_1ab0]
        );
    }
}
