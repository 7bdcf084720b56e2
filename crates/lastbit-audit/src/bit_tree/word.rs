//! Words narrower than a byte.

use lastbit::Word;

/// A word of `N` bits, `1 <= N <= 8`.
///
/// The fewer bits a word has, the sooner a tree notices that a script decides: each bit that does not matter costs a factor of
/// two. A shipped sampler needs at least 2, a sign and something of `U`.
///
/// ```
/// use lastbit::Word;
/// use lastbit_audit::bit_tree::Bits;
/// let word = Bits::<2>::from_top_of(0b10 << 62);
/// assert_eq!((word.value(), word.left_aligned() >> 62), (0b10, 0b10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits<const N: u32>(u8);

impl<const N: u32> Bits<N> {
    /// The bits as a number.
    pub fn value(self) -> u8 {
        self.0
    }
}

impl<const N: u32> Word for Bits<N> {
    const BITS: u32 = N;

    fn left_aligned(self) -> u64 {
        u64::from(self.0) << (64 - N)
    }

    fn from_top_of(bits: u64) -> Bits<N> {
        Bits((bits >> (64 - N)) as u8)
    }
}

/// All words of a width, in order.
pub(super) fn all_words<W: Word>() -> impl Iterator<Item = W> {
    const { assert!(W::BITS <= 16, "a tree of wide words has no end") };
    (0..1u64 << W::BITS).map(|value| W::from_top_of(value << (64 - W::BITS)))
}
