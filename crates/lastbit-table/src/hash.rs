//! Hashes: a fast one for tables in memory, and bytes for SHA-256.

use std::hash::{BuildHasherDefault, Hasher};

/// A builder of hashers for tables whose keys nobody attacks, or whose collisions only cost time.
pub(crate) type Words = BuildHasherDefault<WordHasher>;

/// A hash of eight bytes at a time by multiplication.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// A bijection of words whose high and low bits all depend on all bits of the word.
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = WordHasher(bytes.len() as u64);
    hasher.write(bytes);
    hasher.finish()
}

/// Appends a part of several, with its length before it, so that different parts never have the same bytes together.
pub(crate) fn put_part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
