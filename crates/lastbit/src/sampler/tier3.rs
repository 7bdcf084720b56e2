//! Tier 3: arbitrary precision and as many bits as it takes. The law, executed; the other tiers only save work.

use lastbit_real::{Dyadic, Enclosure, UBig};

use super::tier2::Prefix;

/// What is known of one value's `U`, at any length.
#[derive(Clone, Debug)]
pub(crate) struct LongPrefix {
    pub(crate) negative: bool,
    bits: UBig,
    len: u64,
}

impl From<Prefix> for LongPrefix {
    fn from(prefix: Prefix) -> LongPrefix {
        LongPrefix { negative: prefix.negative, bits: UBig::from(prefix.bits), len: u64::from(prefix.len) }
    }
}

impl LongPrefix {
    /// Appends the top `width` bits of a left-aligned word.
    pub(crate) fn push(&mut self, word: u64, width: u32) {
        self.bits = (std::mem::take(&mut self.bits) << width as usize) | UBig::from(word >> (64 - width));
        self.len += u64::from(width);
    }

    /// How many bits are known.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// As many of them as tier 2 reads.
    pub(crate) fn first_bits(&self) -> Prefix {
        let len = self.len.min(u64::from(Prefix::MAX_LEN));
        let bits = &self.bits >> (self.len - len) as usize;
        let bits = u128::try_from(bits).expect("at most 127 bits");
        Prefix { negative: self.negative, bits, len: len as u32 }
    }

    /// The precision that what is known deserves: more would only enclose the same interval.
    pub(crate) fn precision(&self) -> u32 {
        u32::try_from(self.len).map_or(u32::MAX, |len| len.saturating_add(32))
    }

    /// The uniform variable itself, as far as it is known.
    pub(crate) fn uniform(&self) -> Enclosure {
        let exponent = -(self.len as i64);
        let least = Dyadic::new(self.bits.clone(), exponent);
        let most = Dyadic::new(&self.bits + UBig::ONE, exponent);
        Enclosure::new(least, most).expect("bits < bits + 1")
    }

    /// An enclosure of `E = -ln U`, or `None` while no bit of `U` is one and nothing bounds `E` from above.
    pub(crate) fn exponential(&self) -> Option<Enclosure> {
        if self.bits.is_zero() {
            return None;
        }
        Some(-&self.uniform().ln(self.precision()).expect("U > 0"))
    }
}
