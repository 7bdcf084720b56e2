//! Probabilities as integers.

use lastbit_real::UBig;

/// A probability in units of `2^-W`, for a [`Precision`] of `W` bits. Room for sums of up to `2^32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mass(pub(crate) [u64; 3]);

impl Mass {
    pub(crate) const ZERO: Mass = Mass([0; 3]);

    pub(crate) fn is_zero(self) -> bool {
        self == Mass::ZERO
    }

    /// Requires: the sum is below 2¹⁹². Masses are at most 1 and a little, and few are added, so it is.
    pub(crate) fn plus(self, other: Mass) -> Mass {
        let (low, carry) = self.0[0].carrying_add(other.0[0], false);
        let (middle, carry) = self.0[1].carrying_add(other.0[1], carry);
        let (high, carry) = self.0[2].carrying_add(other.0[2], carry);
        assert!(!carry, "a sum of probabilities is small");
        Mass([low, middle, high])
    }

    /// The difference, or 0 if it is negative.
    pub(crate) fn minus_or_zero(self, other: Mass) -> Mass {
        Mass::of(&(self.to_ubig().max(other.to_ubig()) - other.to_ubig()))
    }

    pub(crate) fn is_at_most(self, other: Mass) -> bool {
        self.0.iter().rev().le(other.0.iter().rev())
    }

    /// Requires: `units < 2¹⁹²`.
    pub(crate) fn of(units: &UBig) -> Mass {
        let words = units.to_le_bytes();
        assert!(words.len() <= 24, "a probability is small");
        let mut bytes = [0; 24];
        bytes[..words.len()].copy_from_slice(&words);
        let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("8 bytes"));
        Mass([word(0), word(1), word(2)])
    }

    pub(crate) fn to_ubig(self) -> UBig {
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        UBig::from_le_bytes(&bytes)
    }
}

/// How fine probabilities are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    Bits96,
    Bits128,
    Bits160,
}

impl Precision {
    /// `W`.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Precision::Bits96 => 96,
            Precision::Bits128 => 128,
            Precision::Bits160 => 160,
        }
    }

    /// The probability 1.
    #[cfg(test)]
    pub(crate) fn one(self) -> UBig {
        UBig::ONE << self.bits() as usize
    }

    /// How many primes it takes to hold the products of two masses of at most 2: `2W + 2` bits, and each prime has more than 61.
    pub(crate) fn primes(self) -> usize {
        match self {
            Precision::Bits96 => 4,
            Precision::Bits128 => 5,
            Precision::Bits160 => 6,
        }
    }
}
