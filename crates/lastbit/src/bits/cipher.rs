//! The ciphers of the secure source, which work in secret memory.

use aes::Aes256Enc;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, KeyIvInit};

use super::pages::Slot;
use super::scrub::scrubbed;

/// 256 bits.
pub(super) type Key = [u8; 32];

/// What makes random bytes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cipher {
    /// AES-256 in counter mode. Blocks under one key are all different, whereas random ones might repeat; among the 256 blocks of a
    /// refill, the difference shows with a probability of 2⁻¹¹³.
    Aes256,
    /// ChaCha20, which is faster on machines without instructions for AES.
    ChaCha20,
}

/// What bytes are for: bytes for different purposes are independent, even under one key.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Purpose {
    /// The next key and the words.
    Refill = 0,
    /// The next key, before fresh bytes are added to it.
    Mix = 1,
    /// Something to know a seed by that does not give it away.
    Tag = 2,
}

/// A block of AES.
type Block = [u8; 16];

/// 0, 1, 2, … in counter mode, with the purpose in the upper half. Tables, because to read them is cheaper than to count.
const fn counters<const N: usize>(purpose: Purpose) -> [Block; N] {
    let mut counters = [[0; 16]; N];
    let mut i = 0;
    while i < N {
        counters[i] = ((purpose as u128) << 64 | i as u128).to_le_bytes();
        i += 1;
    }
    counters
}

impl Purpose {
    /// What AES makes the bytes of: for a refill as many blocks as its largest buffer has, for the others those of 64 bytes.
    fn counters(self) -> &'static [Block] {
        static REFILL: [Block; 256] = counters(Purpose::Refill);
        static MIX: [Block; 4] = counters(Purpose::Mix);
        static TAG: [Block; 4] = counters(Purpose::Tag);
        match self {
            Purpose::Refill => &REFILL,
            Purpose::Mix => &MIX,
            Purpose::Tag => &TAG,
        }
    }
}

/// Where a cipher is while it works. Zeros at all other times.
#[repr(C)]
pub(super) struct Workplace {
    aes: Slot<Aes256Enc>,
    chacha: Slot<ChaCha20>,
}

impl Cipher {
    /// The faster one on this machine.
    pub(super) fn fastest() -> Cipher {
        if aes::hardware_accelerated() { Cipher::Aes256 } else { Cipher::ChaCha20 }
    }

    /// Fills `out`, whose length is a multiple of 64, at most 4096 for a refill and 64 otherwise, with the bytes of a key and a purpose. No copy of the key and of what the cipher makes of
    /// it is left anywhere.
    #[inline]
    pub(super) fn fill(self, key: &Key, purpose: Purpose, workplace: &mut Workplace, out: &mut [u8]) {
        debug_assert!(out.len().is_multiple_of(64));
        let f = match self {
            Cipher::Aes256 => fill_aes,
            Cipher::ChaCha20 => fill_chacha,
        };
        scrubbed(f, (key, purpose, workplace, out));
    }
}

type Fill<'a> = (&'a Key, Purpose, &'a mut Workplace, &'a mut [u8]);

#[inline(never)]
fn fill_aes((key, purpose, workplace, out): Fill) {
    let out = out.as_chunks_mut::<16>().0;
    let counters = &purpose.counters()[..out.len()];
    let cipher = expand(key, &mut workplace.aes);
    cipher
        .encrypt_blocks_b2b(Array::cast_slice_from_core(counters), Array::cast_slice_from_core_mut(out))
        .expect("as many counters as blocks");
    workplace.aes.wipe();
}

#[inline(never)]
fn fill_chacha((key, purpose, workplace, out): Fill) {
    let mut nonce = [0; 12];
    nonce[0] = purpose as u8;
    let cipher = workplace.chacha.fill(ChaCha20::new(key.into(), &nonce.into()));
    cipher.write_keystream(out);
    workplace.chacha.wipe();
}

/// Makes a cipher where it is to be. To be called within [`scrubbed`]: other copies are left on the stack.
#[inline(never)]
pub(super) fn expand<'a>(key: &Key, slot: &'a mut Slot<Aes256Enc>) -> &'a mut Aes256Enc {
    slot.fill(Aes256Enc::new(key.into()))
}
