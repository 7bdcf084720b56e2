//! The production source.

use super::cipher::Cipher;
use super::environment::System;
use super::generator::Generator;
use super::{BitSource, Part, SplitSource};
use crate::Error;

/// A generator that is keyed by the operating system and forgets what it gave: the source for releases.
///
/// - *Fast key erasure*: each 4096 bytes are made under a key of their own, of AES-256 in counter mode where the processor has instructions for it, else
///   of ChaCha20. They hold the next key; the old one is overwritten before the first word is read, and each word as it is read. Refinement words
///   have another key for each batch. So memory that is read later does not give back noise.
/// - Keys and words are in pages of their own, which are kept from swap and core dumps where the system allows it, and wiped
///   when the source is dropped.
/// - Safe after `fork`, `_Fork` and `clone`: a child process finds zeros there, and takes new keys before it draws a word.
/// - Fresh bytes from the operating system are mixed in after each MiB, and for the first batch or buffer of each second, so that
///   copies of a stored machine part. If the system has no bytes then, the key stays as good as it was.
/// - The ciphers are tested with known answers before the first key, and seeds are looked at.
///
/// What all that does not cover is on the page `docs/randomness.md` of the repository.
///
/// ```
/// use lastbit::{BitSource, SecureSource};
/// let mut source = SecureSource::new()?;
/// assert_ne!(source.next_word(), source.next_word()); // fails once in 2^64 runs
/// # Ok::<(), lastbit::Error>(())
/// ```
///
/// # Panics
/// A child process that gets no random bytes from the operating system stops rather than repeat its parent's noise: [`open_batch`](BitSource::open_batch)
/// has an error for that, and the others panic. [Refinement words](BitSource::refinement_word) of a batch that is not the last opened one are gone.
pub struct SecureSource(Generator<System>);

impl SecureSource {
    /// A source with keys fresh from the operating system.
    ///
    /// # Errors
    /// - [`Error::NoEntropy`] if the operating system has no random bytes to give.
    /// - [`Error::SeedRefused`] if those that it gave cannot be random.
    /// - [`Error::SelfTestFailed`] if a cipher is broken.
    /// - [`Error::NoKeyMemory`] if there is no memory for keys.
    pub fn new() -> Result<Self, Error> {
        Generator::new(Cipher::fastest(), System).map(SecureSource)
    }
}

impl BitSource for SecureSource {
    type Word = u64;

    #[inline]
    fn open_batch(&mut self) -> Result<u64, Error> {
        self.0.open_batch()
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        self.0.next_word()
    }

    #[inline]
    fn fill_words(&mut self, words: &mut [u64]) {
        self.0.fill_words(words);
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
        self.0.refinement_word(batch, index, round)
    }

    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        self.0.fill_refinement_words(batch, first, round, words);
    }
}

/// A part is a source of its own, with keys of its own from the operating system. Nothing of it is left when it is dropped, at the end of the release.
impl SplitSource for SecureSource {
    type Part = SecureSource;

    fn split(&mut self, parts: usize) -> Result<Vec<SecureSource>, Error> {
        (0..parts).map(|_| SecureSource::new()).collect()
    }
}

impl Part for SecureSource {
    fn open_block(&mut self, _block: u64) -> u64 {
        self.0.next_batch()
    }
}

impl std::fmt::Debug for SecureSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecureSource { .. }")
    }
}

#[cfg(test)]
impl SecureSource {
    /// The addresses of the secrets.
    pub(super) fn secrets(&self) -> std::ops::Range<usize> {
        self.0.secrets()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn fill_and_next_read_one_stream_across_refills() {
        let mut source = SecureSource::new().unwrap();
        let mut seen = HashSet::new();
        let mut words = vec![0; 1000];
        for _ in 0..400 {
            source.fill_words(&mut words);
            seen.extend(words.iter().copied());
            seen.insert(source.next_word());
        }
        assert_eq!(seen.len(), 400 * 1001, "3 MiB of words, none twice (one in 2^28 runs has a collision)");
    }

    #[test]
    fn refinement_words_are_addressed() {
        let mut source = SecureSource::new().unwrap();
        let mut seen = HashSet::new();
        for _ in 0..4 {
            let batch = source.open_batch().unwrap();
            let mut words = [0; 100];
            source.fill_refinement_words(batch, 5, 3, &mut words);
            for (i, word) in words.iter().enumerate() {
                assert_eq!(*word, source.refinement_word(batch, 5 + i as u64, 3));
                source.next_word(); // does not change the others
            }
            for index in 0..20 {
                for round in 0..5 {
                    assert!(seen.insert(source.refinement_word(batch, index, round)));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "batch 0 is not open")]
    fn closed_batches_are_gone() {
        let mut source = SecureSource::new().unwrap();
        let first = source.open_batch().unwrap();
        assert_ne!(first, source.open_batch().unwrap());
        source.refinement_word(first, 0, 0);
    }

    #[test]
    #[should_panic(expected = "batch 0 is not open")]
    fn no_batch_is_open_at_first() {
        SecureSource::new().unwrap().refinement_word(0, 0, 0);
    }

    #[test]
    fn parts_and_their_blocks_share_no_words() {
        let mut source = SecureSource::new().unwrap();
        let mut seen = HashSet::new();
        for mut part in source.split(3).unwrap() {
            for block in 0..3 {
                let batch = part.open_block(block);
                for index in 0..600 {
                    assert!(
                        seen.insert(part.next_word()) && seen.insert(part.refinement_word(batch, index, 0))
                    );
                }
            }
        }
        assert!(seen.insert(source.next_word()));
    }

    #[test]
    #[should_panic(expected = "batch 0 is not open")]
    fn blocks_before_are_gone() {
        let mut part = SecureSource::new().unwrap().split(1).unwrap().remove(0);
        let first = part.open_block(0);
        part.open_block(1);
        part.refinement_word(first, 0, 0);
    }

    #[test]
    fn a_source_goes_to_other_threads() {
        fn goes<T: Send + Sync + Unpin>() {}
        goes::<SecureSource>();
    }
}
