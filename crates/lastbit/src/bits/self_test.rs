//! Known-answer tests of the ciphers, once in a process and before its first key.

use std::sync::atomic::{AtomicU8, Ordering};

use aes::Aes256Enc;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use chacha20::cipher::{StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha20, KeyIvInit};

use super::scrub::scrubbed;
use crate::Error;

/// Blocks that are encrypted together: two times what the wide path takes, and some that are left over.
const BLOCKS: usize = 19;

/// The key of both tests: 0, 1, 2, …
const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = i as u8;
        i += 1;
    }
    key
};

/// FIPS 197, appendix C.3.
const AES_PLAINTEXT: [u8; 16] = 0x00112233_44556677_8899aabb_ccddeeff_u128.to_be_bytes();
const AES_CIPHERTEXT: [u8; 16] = 0x8ea2b7ca_516745bf_eafc4990_4b496089_u128.to_be_bytes();

/// RFC 8439, section 2.3.2: block 1.
const CHACHA_NONCE: [u8; 12] = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
const CHACHA_BLOCK: [u8; 64] = [
    0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3, 0x20, 0x71, 0xc4, //
    0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22, 0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, //
    0xd2, 0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa, 0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, //
    0xb5, 0x12, 0x9c, 0xd1, 0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e,
];

/// Encrypts blocks in place under a key.
type Aes = fn(&[u8; 32], &mut [[u8; 16]]);

/// Writes the stream of a key and a nonce from block 1 on.
type ChaCha = fn(&[u8; 32], &[u8; 12], &mut [u8]);

fn aes_256(key: &[u8; 32], blocks: &mut [[u8; 16]]) {
    Aes256Enc::new(key.into()).encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
}

fn chacha20(key: &[u8; 32], nonce: &[u8; 12], out: &mut [u8]) {
    let mut cipher = ChaCha20::new(key.into(), nonce.into());
    cipher.seek(64);
    cipher.write_keystream(out);
}

/// # Errors
/// [`Error::SelfTestFailed`] if a cipher gives a wrong answer in this process.
pub(super) fn passed() -> Result<(), Error> {
    const UNKNOWN: u8 = 0;
    const PASSED: u8 = 1;
    // Not a lock: a child process that was made while another thread tests must not wait for that thread for ever.
    static STATUS: AtomicU8 = AtomicU8::new(UNKNOWN);
    if STATUS.load(Ordering::Relaxed) == UNKNOWN {
        scrubbed(run, (aes_256, chacha20))?;
        STATUS.store(PASSED, Ordering::Relaxed);
    }
    Ok(())
}

fn run((aes, chacha): (Aes, ChaCha)) -> Result<(), Error> {
    let mut blocks = [AES_PLAINTEXT; BLOCKS];
    aes(&KEY, &mut blocks);
    if blocks != [AES_CIPHERTEXT; BLOCKS] {
        return Err(Error::SelfTestFailed { cipher: "AES-256" });
    }
    // Five blocks, so that the wide paths make the first.
    let mut stream = [0; 5 * 64];
    chacha(&KEY, &CHACHA_NONCE, &mut stream);
    let mut alone = [0; 64];
    chacha(&KEY, &CHACHA_NONCE, &mut alone);
    if stream[..64] != CHACHA_BLOCK || alone != CHACHA_BLOCK {
        return Err(Error::SelfTestFailed { cipher: "ChaCha20" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ciphers_pass() {
        assert_eq!(run((aes_256, chacha20)), Ok(()));
        assert_eq!(passed(), Ok(()));
    }

    #[test]
    fn a_wrong_bit_is_noticed() {
        let last_block: Aes = |key, blocks| {
            aes_256(key, blocks);
            blocks[BLOCKS - 1][15] ^= 1;
        };
        assert_eq!(run((last_block, chacha20)), Err(Error::SelfTestFailed { cipher: "AES-256" }));
        let wrong_key: Aes = |key, blocks| {
            let mut key = *key;
            key[31] ^= 0x80;
            aes_256(&key, blocks);
        };
        assert_eq!(run((wrong_key, chacha20)), Err(Error::SelfTestFailed { cipher: "AES-256" }));
        let does_nothing: Aes = |_, _| {};
        assert_eq!(run((does_nothing, chacha20)), Err(Error::SelfTestFailed { cipher: "AES-256" }));
        let wrong_counter: ChaCha = |key, nonce, out| {
            ChaCha20::new(key.into(), nonce.into()).write_keystream(out);
        };
        assert_eq!(run((aes_256, wrong_counter)), Err(Error::SelfTestFailed { cipher: "ChaCha20" }));
        let wrong_alone: ChaCha = |key, nonce, out| {
            chacha20(key, nonce, out);
            out[63] ^= u8::from(out.len() == 64);
        };
        assert_eq!(run((aes_256, wrong_alone)), Err(Error::SelfTestFailed { cipher: "ChaCha20" }));
    }
}
