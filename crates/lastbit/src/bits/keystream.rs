//! The stream of a seed: ChaCha20, the same on every machine. What the seeded source needs; the secure one has [a generator](super::generator) that
//! forgets.

use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, KeyIvInit};

use super::cipher::Key;

/// One of several keys that are independent of each other; `key` itself is then used for nothing else.
pub(super) fn derive(key: &Key, purpose: u64) -> Key {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&purpose.to_le_bytes());
    let mut derived = [0; 32];
    ChaCha20::new(key.into(), &nonce.into()).write_keystream(&mut derived);
    derived
}

/// Made at a time: enough for the cipher's widest SIMD path, small enough to stay in the first-level cache.
const BUFFER_BYTES: usize = 4096;

/// Buffers under one nonce: 64 GiB, a quarter of what the cipher's 32-bit block counter allows.
const BUFFERS_PER_NONCE: u64 = 1 << 24;

/// The words of a key.
pub(super) struct Stream {
    key: Key,
    cipher: ChaCha20,
    /// The number of buffers that were made so far.
    buffers: u64,
    bytes: Box<[u8; BUFFER_BYTES]>,
    next: usize,
}

impl Stream {
    pub(super) fn new(key: Key) -> Self {
        let cipher = ChaCha20::new(&key.into(), &[0; 12].into());
        Stream { key, cipher, buffers: 0, bytes: Box::new([0; BUFFER_BYTES]), next: BUFFER_BYTES }
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        if self.buffers.is_multiple_of(BUFFERS_PER_NONCE) {
            let mut nonce = [0; 12];
            nonce[..8].copy_from_slice(&(self.buffers / BUFFERS_PER_NONCE).to_le_bytes());
            self.cipher = ChaCha20::new(&self.key.into(), &nonce.into());
        }
        self.cipher.write_keystream(&mut self.bytes[..]);
        self.buffers += 1;
        self.next = 0;
    }

    /// The next words, no further than the end of the current buffer; returns how many (0 only for no words).
    #[inline]
    pub(super) fn take(&mut self, words: &mut [u64]) -> usize {
        if self.next == BUFFER_BYTES {
            self.refill();
        }
        let bytes = self.bytes[self.next..].as_chunks::<8>().0;
        let n = words.len().min(bytes.len());
        for (word, eight) in words[..n].iter_mut().zip(&bytes[..n]) {
            *word = u64::from_le_bytes(*eight);
        }
        self.next += 8 * n;
        n
    }

    #[inline]
    pub(super) fn next_word(&mut self) -> u64 {
        let mut word = [0];
        self.take(&mut word);
        word[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_chacha20() {
        // RFC 8439, appendix A.1, test vector 1: the zero key.
        let mut words = [0; 2];
        Stream::new([0; 32]).take(&mut words);
        let bytes = words.map(u64::to_le_bytes);
        assert_eq!(
            bytes,
            [
                [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90],
                [0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28]
            ]
        );
    }
}
