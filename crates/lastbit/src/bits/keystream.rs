//! Random functions: ChaCha20 and AES-256 as streams, AES-256 as a table addressed by (batch, index, round).

use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, KeyIvInit};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A 256-bit key, wiped on drop.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Key(pub(super) [u8; 32]);

impl Key {
    /// One of several keys that are independent of each other; this key itself is then used for nothing else.
    pub(super) fn derive(&self, purpose: u8) -> Key {
        let mut nonce = [0; 12];
        nonce[0] = purpose;
        let mut derived = Key([0; 32]);
        ChaCha20::new(&self.0.into(), &nonce.into()).write_keystream(&mut derived.0);
        derived
    }
}

/// Made at a time: enough for the cipher's widest SIMD path, small enough to stay in the first-level cache.
const BUFFER_BYTES: usize = 4096;

/// Buffers under one nonce of ChaCha20: 64 GiB, a quarter of what its 32-bit block counter allows.
const BUFFERS_PER_NONCE: u64 = 1 << 24;

/// Whether the processor has instructions for AES. Without them it would be slower than ChaCha20.
fn has_aes_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

/// What makes the main stream.
#[expect(clippy::large_enum_variant, reason = "there is one in a source")]
enum Cipher {
    ChaCha20 {
        key: Key,
        cipher: ChaCha20,
    },
    /// In counter mode: block `i` is AES-256 of `i`. Blocks under one key are all different, which random ones need not be; among the 2¹⁶
    /// blocks of a MiB, after which the source takes a new key, that can be seen with a probability of about 2⁻⁹⁷.
    Aes256(Aes256),
}

/// The main stream. Wiped on drop.
pub(super) struct Stream {
    cipher: Cipher,
    /// How many buffers were made so far.
    buffers: u64,
    bytes: Box<[u8; BUFFER_BYTES]>,
    next: usize,
}

impl Stream {
    /// The fastest stream on this machine.
    pub(super) fn fastest(key: Key) -> Self {
        if has_aes_instructions() { Stream::aes_256(&key) } else { Stream::chacha20(key) }
    }

    /// The same stream on every machine.
    pub(super) fn chacha20(key: Key) -> Self {
        let cipher = ChaCha20::new(&key.0.into(), &[0; 12].into());
        Stream::from_cipher(Cipher::ChaCha20 { key, cipher })
    }

    fn aes_256(key: &Key) -> Self {
        Stream::from_cipher(Cipher::Aes256(Aes256::new(&key.0.into())))
    }

    fn from_cipher(cipher: Cipher) -> Self {
        Stream { cipher, buffers: 0, bytes: Box::new([0; BUFFER_BYTES]), next: BUFFER_BYTES }
    }

    /// True if all words made so far have been read.
    #[inline]
    pub(super) fn is_drained(&self) -> bool {
        self.next == BUFFER_BYTES
    }

    /// How many bytes this stream has made.
    pub(super) fn bytes_made(&self) -> u64 {
        self.buffers * BUFFER_BYTES as u64
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        match &mut self.cipher {
            Cipher::ChaCha20 { key, cipher } => {
                if self.buffers.is_multiple_of(BUFFERS_PER_NONCE) {
                    let mut nonce = [0; 12];
                    nonce[..8].copy_from_slice(&(self.buffers / BUFFERS_PER_NONCE).to_le_bytes());
                    *cipher = ChaCha20::new(&key.0.into(), &nonce.into());
                }
                cipher.write_keystream(&mut self.bytes[..]);
            }
            Cipher::Aes256(cipher) => {
                let blocks = self.bytes.as_chunks_mut::<16>().0;
                let first = u128::from(self.buffers) * blocks.len() as u128;
                for (block, counter) in blocks.iter_mut().zip(first..) {
                    *block = counter.to_le_bytes();
                }
                cipher.encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
            }
        }
        self.buffers += 1;
        self.next = 0;
    }

    /// The next words, no further than the end of the current buffer; returns how many (0 only for no words).
    #[inline]
    pub(super) fn take(&mut self, words: &mut [u64]) -> usize {
        if self.is_drained() {
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

impl Drop for Stream {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

/// A batch holds at most 2³² words.
const LAST_INDEX: u64 = u32::MAX as u64;

/// The refinement words: AES-256 of the address, cut to 64 bits.
///
/// A refinement word is wanted alone, about once in a hundred values. A block of ChaCha20 would cost ten times as much as one
/// of AES (and its crate makes four at a time), enough to be seen in the average. Wiped on drop by the cipher.
pub(super) struct Table {
    cipher: Aes256,
}

impl Table {
    pub(super) fn new(key: Key) -> Self {
        Table { cipher: Aes256::new(&key.0.into()) }
    }

    /// The addresses of a batch and a round, but for the index.
    fn addresses(batch: u64, round: u32) -> u128 {
        u128::from(batch) << 64 | u128::from(round)
    }

    fn block(addresses: u128, index: u64) -> aes::Block {
        (addresses | u128::from(index) << 32).to_le_bytes().into()
    }

    fn word_of(block: aes::Block) -> u64 {
        u128::from_le_bytes(block.into()) as u64
    }

    pub(super) fn word(&self, batch: u64, index: u64, round: u32) -> u64 {
        assert!(index <= LAST_INDEX);
        let mut block = Self::block(Self::addresses(batch, round), index);
        self.cipher.encrypt_block(&mut block);
        Self::word_of(block)
    }

    pub(super) fn words(&self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        const AT_A_TIME: usize = 64; // enough to fill the pipeline of the AES unit
        assert!(first + words.len() as u64 <= LAST_INDEX + 1);
        let addresses = Self::addresses(batch, round);
        let mut blocks = [aes::Block::default(); AT_A_TIME];
        for (words, first) in words.chunks_mut(AT_A_TIME).zip((first..).step_by(AT_A_TIME)) {
            let blocks = &mut blocks[..words.len()];
            for (block, index) in blocks.iter_mut().zip(first..) {
                *block = Self::block(addresses, index);
            }
            self.cipher.encrypt_blocks(blocks);
            for (word, block) in words.iter_mut().zip(blocks) {
                *word = Self::word_of(*block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_chacha20() {
        // RFC 8439, appendix A.1, test vector 1: the zero key.
        let mut words = [0; 2];
        Stream::chacha20(Key([0; 32])).take(&mut words);
        let bytes = words.map(u64::to_le_bytes);
        assert_eq!(
            bytes,
            [
                [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90],
                [0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28]
            ]
        );
    }

    /// Block by block, across buffers.
    #[test]
    fn stream_is_aes_256_of_a_counter() {
        let mut stream = Stream::aes_256(&Key([5; 32]));
        let cipher = Aes256::new(&[5; 32].into());
        for i in 0..3 * BUFFER_BYTES as u128 / 16 {
            let mut block: aes::Block = i.to_le_bytes().into();
            cipher.encrypt_block(&mut block);
            let words = [stream.next_word(), stream.next_word()].map(u64::to_le_bytes);
            assert_eq!(words.as_flattened(), &block[..]);
        }
    }

    #[test]
    fn table_is_aes_256() {
        // FIPS 197, appendix C.3, whose plaintext is the address below.
        let table = Table::new(Key(std::array::from_fn(|i| i as u8)));
        let address = u128::from_be_bytes(std::array::from_fn(|i| 0x11 * i as u8)).swap_bytes();
        let (batch, index, round) =
            ((address >> 64) as u64, u64::from((address >> 32) as u32), address as u32);
        assert_eq!(
            table.word(batch, index, round).to_le_bytes(),
            [0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf]
        );
    }

    #[test]
    fn single_words_and_runs_agree() {
        let table = Table::new(Key([9; 32]));
        for (batch, first, round) in [(0, 0, 0), (u64::MAX, 123, 7), (1 << 40, (1 << 32) - 300, u32::MAX)] {
            let mut words = [0; 299];
            table.words(batch, first, round, &mut words);
            for (i, word) in words.iter().enumerate() {
                assert_eq!(*word, table.word(batch, first + i as u64, round));
            }
        }
    }
}
