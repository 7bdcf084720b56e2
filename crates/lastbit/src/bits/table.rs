//! Refinement words: a random function of (batch, index, round).

use aes::Aes256Enc;
use aes::cipher::BlockCipherEncrypt;

/// A batch holds at most 2³² words.
const LAST_INDEX: u64 = u32::MAX as u64;

/// AES-256 of the address, cut to 64 bits.
///
/// A refinement word is wanted alone, about once in a hundred values. A block of ChaCha20 would cost ten times as much as one
/// of AES (and its crate makes four at a time), enough to be seen in the average.
pub(super) struct Table<'a>(pub(super) &'a Aes256Enc);

impl Table<'_> {
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
        self.0.encrypt_block(&mut block);
        Self::word_of(block)
    }

    pub(super) fn words(&self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        const AT_A_TIME: usize = 32; // enough to fill the pipeline of the AES unit, little to clean up
        assert!(first + words.len() as u64 <= LAST_INDEX + 1);
        let addresses = Self::addresses(batch, round);
        let mut blocks = [aes::Block::default(); AT_A_TIME];
        for (words, first) in words.chunks_mut(AT_A_TIME).zip((first..).step_by(AT_A_TIME)) {
            let blocks = &mut blocks[..words.len()];
            for (block, index) in blocks.iter_mut().zip(first..) {
                *block = Self::block(addresses, index);
            }
            self.0.encrypt_blocks(blocks);
            for (word, block) in words.iter_mut().zip(blocks) {
                *word = Self::word_of(*block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aes::cipher::KeyInit;

    #[test]
    fn table_is_aes_256() {
        // FIPS 197, appendix C.3, whose plaintext is the address below.
        let cipher = Aes256Enc::new(&std::array::from_fn(|i| i as u8).into());
        let address = u128::from_be_bytes(std::array::from_fn(|i| 0x11 * i as u8)).swap_bytes();
        let (batch, index, round) =
            ((address >> 64) as u64, u64::from((address >> 32) as u32), address as u32);
        assert_eq!(
            Table(&cipher).word(batch, index, round).to_le_bytes(),
            [0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf]
        );
    }

    #[test]
    fn single_words_and_runs_agree() {
        let cipher = Aes256Enc::new(&[9; 32].into());
        let table = Table(&cipher);
        for (batch, first, round) in [(0, 0, 0), (u64::MAX, 123, 7), (1 << 40, (1 << 32) - 300, u32::MAX)] {
            let mut words = [0; 299];
            table.words(batch, first, round, &mut words);
            for (i, word) in words.iter().enumerate() {
                assert_eq!(*word, table.word(batch, first + i as u64, round));
            }
        }
    }
}
