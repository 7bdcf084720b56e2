//! Fast key erasure: a generator that cannot be run backwards.
//!
//! A key makes one buffer. The first 32 bytes of it are the next key, the rest are words; the old key is overwritten before the first word is
//! read, and each word as it is read. So who reads the memory learns what comes next, but nothing of what came before. The construction is
//! D. J. Bernstein's ("Fast-key-erasure random-number generators", 2017, <https://blog.cr.yp.to/20170723-random.html>); fresh bytes are added to a key
//! as in the update of CTR_DRBG (NIST SP 800-90A, 10.2.1.2).

use std::sync::atomic::{AtomicU64, Ordering};

use aes::Aes256Enc;

use super::cipher::{Cipher, Key, Purpose, Workplace, expand};
use super::pages::{Slot, Zeroed};
use super::scrub::{clear_registers, scrubbed};
use super::table::Table;

/// Made at a time: enough for the ciphers' widest SIMD paths, small enough to stay in the first-level cache.
pub(super) const BUFFER_BYTES: usize = 4096;

/// Made at a time of keys for tables: 15 keys. Few batches need one.
const TABLE_KEYS_BYTES: usize = 512;

const KEY_BYTES: usize = size_of::<Key>();

/// Bytes of keys that are erased. Zeros: no key, and nothing to read.
#[repr(C, align(64))]
struct Stream<const N: usize> {
    /// Bytes at the end of the buffer that have not been read; those before are zeros.
    unread: usize,
    /// Of the next buffer.
    key: Key,
    buffer: [u8; N],
}

impl<const N: usize> Stream<N> {
    /// The next buffer and the next key; the key that made them is gone.
    #[inline]
    fn refill(&mut self, cipher: Cipher, workplace: &mut Workplace) {
        cipher.fill(&self.key, Purpose::Refill, workplace, &mut self.buffer);
        let next = &mut self.buffer[..KEY_BYTES];
        self.key.copy_from_slice(next);
        next.fill(0);
        self.unread = N - KEY_BYTES;
    }

    /// Wipes what has not been read.
    fn discard(&mut self) {
        self.unread_bytes().fill(0);
        self.unread = 0;
    }

    #[inline]
    fn unread_bytes(&mut self) -> &mut [u8] {
        &mut self.buffer[N - self.unread..]
    }

    /// Calls `f` with the next bytes, which then leave the buffer. They must be there.
    #[inline]
    fn take_key<R>(&mut self, f: impl FnOnce(&Key) -> R) -> R {
        let bytes = self.unread_bytes().first_chunk_mut().expect("a key");
        let result = f(bytes);
        bytes.fill(0);
        self.unread -= KEY_BYTES;
        result
    }
}

/// All that is secret. Zeros: no key, and nothing to read.
#[repr(C, align(64))]
pub(super) struct State {
    /// Whose keys these are: [`fork::generation`](super::fork::generation), never 0.
    generation: AtomicU64,
    words: Stream<BUFFER_BYTES>,
    /// Keys of tables. A stream of its own, so that the words of the next value do not depend on whether this one needed a table; with each
    /// buffer of words it gets a new key.
    table_keys: Stream<TABLE_KEYS_BYTES>,
    /// Of the open batch, if a refinement word was asked for.
    table: Slot<Aes256Enc>,
    /// The bytes that the operating system gave, on their way into the key.
    fresh: Key,
    workplace: Workplace,
}

// SAFETY: integers, bytes and slots; the ciphers in the slots own nothing.
#[allow(unsafe_code)]
unsafe impl Zeroed for State {}

impl State {
    #[inline]
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    pub(super) fn belongs_to(&mut self, generation: u64) {
        *self.generation.get_mut() = generation;
    }

    /// Where the operating system is to put fresh bytes.
    pub(super) fn fresh(&mut self) -> &mut Key {
        &mut self.fresh
    }

    /// A number to know the fresh bytes by, which does not give them away. Nothing is left to read.
    pub(super) fn tag_of_fresh(&mut self, cipher: Cipher) -> u64 {
        self.words.discard();
        let scratch = &mut self.words.buffer[..64];
        cipher.fill(&self.fresh, Purpose::Tag, &mut self.workplace, scratch);
        let tag = u64::from_le_bytes(*scratch.first_chunk().expect("64 bytes"));
        scratch.fill(0);
        tag
    }

    /// Makes the next key of this one and the fresh bytes: nobody knows it who does not know both. Nothing is left to read.
    pub(super) fn mix(&mut self, cipher: Cipher) {
        self.words.discard();
        self.table_keys.discard();
        let scratch = &mut self.words.buffer[..64];
        cipher.fill(&self.words.key, Purpose::Mix, &mut self.workplace, scratch);
        for ((key, next), fresh) in self.words.key.iter_mut().zip(&*scratch).zip(&mut self.fresh) {
            *key = next ^ std::mem::take(fresh);
        }
        scratch.fill(0);
        clear_registers();
    }

    /// Forgets fresh bytes that are of no use.
    pub(super) fn forget_fresh(&mut self) {
        self.fresh.fill(0);
    }

    /// True if all words have been read.
    #[inline]
    pub(super) fn is_drained(&self) -> bool {
        self.words.unread == 0
    }

    /// The next buffer of words; keys of tables to come change with it.
    pub(super) fn refill(&mut self, cipher: Cipher) {
        self.words.refill(cipher, &mut self.workplace);
        let key = &mut self.table_keys.key;
        self.words.take_key(|bytes| key.copy_from_slice(bytes));
        self.table_keys.discard();
        clear_registers();
    }

    /// The next words, no further than the end of the buffer, which they leave; returns how many.
    #[inline]
    pub(super) fn take(&mut self, words: &mut [u64]) -> usize {
        let unread = self.words.unread_bytes().as_chunks_mut::<8>().0;
        let n = words.len().min(unread.len());
        let (words, read) = (&mut words[..n], &mut unread[..n]);
        // Two loops: the compiler knows each of them.
        for (word, bytes) in words.iter_mut().zip(&*read) {
            *word = u64::from_le_bytes(*bytes);
        }
        read.fill([0; 8]);
        self.words.unread -= 8 * n;
        n
    }

    /// The next word, which leaves the buffer. To be called if [there is one](Self::is_drained).
    #[inline]
    pub(super) fn take_one(&mut self) -> u64 {
        let bytes = self.words.unread_bytes().first_chunk_mut().expect("a word");
        let word = u64::from_le_bytes(std::mem::take(bytes));
        self.words.unread -= 8;
        word
    }

    /// Forgets the table: the next one has another key.
    #[inline]
    pub(super) fn close_table(&mut self) {
        if self.table.get().is_some() {
            self.table.wipe();
        }
    }

    /// Refinement words of the open batch, from `first` on.
    #[inline]
    pub(super) fn refine(&mut self, cipher: Cipher, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        if self.table.get().is_none() {
            self.make_table(cipher);
        }
        let table = Table(self.table.get().expect("just made"));
        match words {
            // With instructions for it, one block at a time needs no room on the stack.
            [word] if cipher == Cipher::Aes256 => *word = table.word(batch, first, round),
            words => scrubbed(look_up, (table, batch, first, round, words)),
        }
        clear_registers();
    }

    #[inline(never)]
    fn make_table(&mut self, cipher: Cipher) {
        if self.table_keys.unread == 0 {
            self.table_keys.refill(cipher, &mut self.workplace);
        }
        let table = &mut self.table;
        self.table_keys.take_key(|key| scrubbed(|(key, table)| _ = expand(key, table), (key, table)));
    }
}

#[inline(never)]
fn look_up((table, batch, first, round, words): (Table, u64, u64, u32, &mut [u64])) {
    table.words(batch, first, round, words);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bits::pages::Secret;
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    use chacha20::cipher::StreamCipher;
    use chacha20::{ChaCha20, KeyIvInit};

    /// Where the parts are within the state.
    pub(in crate::bits) mod offsets {
        use super::*;
        use std::mem::offset_of;
        pub(in crate::bits) const KEY: usize = offset_of!(State, words.key);
        pub(in crate::bits) const BUFFER: usize = offset_of!(State, words.buffer);
        pub(in crate::bits) const UNREAD: usize = offset_of!(State, words.unread);
        pub(in crate::bits) const TABLE_KEY: usize = offset_of!(State, table_keys.key);
        pub(in crate::bits) const TABLE: usize = offset_of!(State, table);
    }

    fn word(state: &mut State, cipher: Cipher, round: u32) -> u64 {
        let mut word = [0];
        state.refine(cipher, 3, 4, round, &mut word);
        word[0]
    }

    const CIPHERS: [Cipher; 2] = [Cipher::Aes256, Cipher::ChaCha20];

    fn with_key(key: Key) -> Secret<State> {
        let mut state = Secret::<State>::zeroed().unwrap();
        state.words.key = key;
        state
    }

    /// The first `n` bytes of a key and a purpose, by the ciphers' crates directly.
    fn bytes_of(cipher: Cipher, key: Key, purpose: u8, n: usize) -> Vec<u8> {
        let mut out = vec![0; n];
        match cipher {
            Cipher::Aes256 => {
                let aes = Aes256Enc::new(&key.into());
                for (i, block) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                    let mut input = [0; 16];
                    input[..8].copy_from_slice(&(i as u64).to_le_bytes());
                    input[8] = purpose;
                    let mut output = input.into();
                    aes.encrypt_block(&mut output);
                    *block = output.into();
                }
            }
            Cipher::ChaCha20 => {
                let mut nonce = [0; 12];
                nonce[0] = purpose;
                ChaCha20::new(&key.into(), &nonce.into()).write_keystream(&mut out);
            }
        }
        out
    }

    /// Three buffers, word by word, against the definition.
    #[test]
    fn words_are_those_of_fast_key_erasure() {
        for cipher in CIPHERS {
            let mut state = with_key([5; 32]);
            let mut key = [5; 32];
            for _ in 0..3 {
                let bytes = bytes_of(cipher, key, 0, BUFFER_BYTES);
                key = bytes[..32].try_into().unwrap();
                state.refill(cipher);
                assert_eq!((state.words.key, &state.table_keys.key[..]), (key, &bytes[32..64]));
                for (i, expected) in bytes[64..].as_chunks::<8>().0.iter().enumerate() {
                    let mut word = [0];
                    if i % 3 == 0 {
                        word[0] = state.take_one();
                    } else {
                        assert_eq!(state.take(&mut word), 1);
                    }
                    assert_eq!(word[0].to_le_bytes(), *expected);
                }
                assert!(state.is_drained());
            }
        }
    }

    /// What was read is zero at once, what was not is still there, and the key that made it is not.
    #[test]
    fn what_was_read_is_gone() {
        for cipher in CIPHERS {
            let mut state = with_key([6; 32]);
            state.refill(cipher);
            assert_ne!(state.words.key, [6; 32]);
            let mut words = [0; 100];
            for n in [0, 1, 7, 100] {
                assert_eq!(state.take(&mut words[..n]), n);
                state.take_one();
                let read = BUFFER_BYTES - state.words.unread;
                assert!(state.words.buffer[..read].iter().all(|&byte| byte == 0));
                assert!(state.words.buffer[read..].as_chunks::<8>().0.iter().all(|bytes| *bytes != [0; 8]));
            }
            assert_eq!(state.words.unread, BUFFER_BYTES - 2 * KEY_BYTES - 8 * 112);
        }
    }

    #[test]
    fn mixing_is_the_update_of_ctr_drbg() {
        for cipher in CIPHERS {
            let mut state = with_key([7; 32]);
            state.refill(cipher);
            word(&mut state, cipher, 0);
            let next: Key = std::array::from_fn(|i| bytes_of(cipher, state.words.key, 1, 64)[i] ^ 0x21);
            *state.fresh() = [0x21; 32];
            state.mix(cipher);
            assert_eq!((state.words.key, state.fresh, state.words.unread), (next, [0; 32], 0));
            assert!(state.words.buffer.iter().chain(&state.table_keys.buffer).all(|&byte| byte == 0));
        }
    }

    /// Also across the ends of buffers, and whatever words are read.
    #[test]
    fn each_batch_has_its_table() {
        for cipher in CIPHERS {
            let mut state = with_key([8; 32]);
            state.refill(cipher);
            let mut chain = state.table_keys.key;
            let mut keys = Vec::new();
            for _ in 0..3 {
                let bytes = bytes_of(cipher, chain, 0, TABLE_KEYS_BYTES);
                chain = bytes[..32].try_into().unwrap();
                keys.extend_from_slice(&bytes.as_chunks::<32>().0[1..]);
            }
            for key in keys {
                assert!(state.table.get().is_none());
                for round in 0..2 {
                    let expected = Table(&Aes256Enc::new(&key.into())).word(3, 4, round);
                    assert_eq!(word(&mut state, cipher, round), expected);
                    state.take_one();
                }
                let read = TABLE_KEYS_BYTES - state.table_keys.unread;
                assert!(state.table_keys.buffer[..read].iter().all(|&byte| byte == 0));
                state.close_table();
            }
        }
    }

    #[test]
    fn a_refill_changes_the_keys_of_tables_and_keeps_the_open_table() {
        let cipher = Cipher::fastest();
        let mut state = with_key([8; 32]);
        state.refill(cipher);
        let before_refill = word(&mut state, cipher, 0);
        let before = state.table_keys.key;
        state.refill(cipher);
        assert_ne!(state.table_keys.key, before);
        assert!(state.table_keys.buffer.iter().all(|&byte| byte == 0));
        assert_eq!(word(&mut state, cipher, 0), before_refill);
    }

    #[test]
    fn a_tag_tells_seeds_apart() {
        for cipher in CIPHERS {
            let mut state = with_key([9; 32]);
            let tags = [1u8, 2, 1].map(|seed| {
                *state.fresh() = [seed; 32];
                state.tag_of_fresh(cipher)
            });
            assert_eq!(tags[0], tags[2]);
            assert_ne!(tags[0], tags[1]);
            assert_eq!(tags[0].to_le_bytes(), bytes_of(cipher, [1; 32], 2, 64)[..8]);
        }
    }
}
