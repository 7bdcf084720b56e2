//! The production source.

use super::BitSource;
use super::fork;
use super::keystream::{Key, Stream, Table};
use crate::Error;

/// The main stream gets a new key after this many bytes.
const RESEED_BYTES: u64 = 1 << 20;

/// A cipher keyed by the operating system: the source for releases. AES-256 in counter mode where the processor has instructions for it, else
/// ChaCha20.
///
/// - Buffered: 2 to 4 ns a word, where asking the operating system costs hundreds.
/// - Safe after `fork`: a child process notices and takes new keys before it draws a word, so parent and child
///   never share noise (see [`open_batch`](BitSource::open_batch); a process made by the raw `clone` system
///   call, past the C library's `fork`, is not noticed).
/// - Takes a new key from the operating system after each MiB. If the operating system can not give one then, the
///   old key stays in use; the ciphers are far from their limits.
/// - Wipes keys and unread words when dropped.
///
/// ```
/// use lastbit::{BitSource, SecureSource};
/// let mut source = SecureSource::new()?;
/// assert_ne!(source.next_word(), source.next_word()); // fails once in 2^64 runs
/// # Ok::<(), lastbit::Error>(())
/// ```
pub struct SecureSource {
    stream: Stream,
    table: Table,
    next_batch: u64,
    fork_generation: u64,
}

fn key_from_os() -> Result<Key, Error> {
    let mut key = Key([0; 32]);
    getrandom::fill(&mut key.0).map_err(|e| Error::NoEntropy { reason: e.to_string() })?;
    Ok(key)
}

impl SecureSource {
    /// A source with keys fresh from the operating system.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] if the operating system has no random bytes to give.
    pub fn new() -> Result<Self, Error> {
        // Read before the keys: a fork in between is noticed later rather than missed.
        fork::watch();
        let fork_generation = fork::generation();
        Ok(SecureSource {
            stream: Stream::fastest(key_from_os()?),
            table: Table::new(key_from_os()?),
            next_batch: 0,
            fork_generation,
        })
    }

    #[inline]
    fn is_forked_copy(&self) -> bool {
        self.fork_generation != fork::generation()
    }

    /// New keys for a copy made by `fork`.
    #[cold]
    fn leave_parent(&mut self) {
        // Going on would repeat the parent's noise, which cancels out by subtraction: worse than stopping.
        *self = SecureSource::new().expect("no random bytes for the keys of a forked process");
    }

    #[cold]
    fn rekey_stream(&mut self) {
        if let Ok(key) = key_from_os() {
            self.stream = Stream::fastest(key);
        }
    }

    #[inline]
    fn prepare(&mut self) {
        if self.is_forked_copy() {
            self.leave_parent();
        }
        if self.stream.is_drained() && self.stream.bytes_made() >= RESEED_BYTES {
            self.rekey_stream();
        }
    }
}

impl BitSource for SecureSource {
    type Word = u64;

    fn open_batch(&mut self) -> Result<u64, Error> {
        if self.is_forked_copy() {
            *self = SecureSource::new()?;
        }
        let batch = self.next_batch;
        self.next_batch += 1;
        Ok(batch)
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        self.prepare();
        self.stream.next_word()
    }

    #[inline]
    fn fill_words(&mut self, words: &mut [u64]) {
        let mut done = 0;
        while done < words.len() {
            self.prepare();
            done += self.stream.take(&mut words[done..]);
        }
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
        self.table.word(batch, index, round)
    }

    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        self.table.words(batch, first, round, words);
    }
}

impl std::fmt::Debug for SecureSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecureSource { .. }")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn fill_and_next_read_one_stream_across_reseeds() {
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
        let batch = source.open_batch().unwrap();
        let mut words = [0; 100];
        source.fill_refinement_words(batch, 5, 3, &mut words);
        for (i, word) in words.iter().enumerate() {
            assert_eq!(*word, source.refinement_word(batch, 5 + i as u64, 3));
        }
        let mut seen = HashSet::new();
        for batch in 0..4 {
            for index in 0..20 {
                for round in 0..5 {
                    assert!(seen.insert(source.refinement_word(batch, index, round)));
                }
            }
        }
    }

    #[test]
    fn batches_never_repeat() {
        let mut source = SecureSource::new().unwrap();
        assert_ne!(source.open_batch().unwrap(), source.open_batch().unwrap());
    }
}
