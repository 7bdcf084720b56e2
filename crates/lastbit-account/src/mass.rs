//! Probabilities as integers.

use lastbit_real::{Dyadic, Rational, Rounding, UBig};

/// A weighted probability in units of `2^-W`, for a [`Precision`] of `W` bits.
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

    pub(crate) fn is_at_most(self, other: Mass) -> bool {
        self.0.iter().rev().le(other.0.iter().rev())
    }

    /// Twice as much. Requires: below 2¹⁹¹.
    pub(crate) fn doubled(self) -> Mass {
        self.plus(self)
    }

    /// Half as much, rounded up or down.
    pub(crate) fn halved(self, up: bool) -> Mass {
        let [low, middle, high] = self.0;
        let half = Mass([low >> 1 | middle << 63, middle >> 1 | high << 63, high >> 1]);
        if up && low & 1 == 1 { half.plus(Mass([1, 0, 0])) } else { half }
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

/// How fine masses are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    Bits60,
    Bits90,
}

impl Precision {
    /// `W`.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Precision::Bits60 => 60,
            Precision::Bits90 => 90,
        }
    }

    /// The mass 1.
    #[cfg(test)]
    pub(crate) fn one(self) -> UBig {
        UBig::ONE << self.bits() as usize
    }

    /// How many primes it takes to hold the products of two masses of at most 2: `2W + 2` bits, and the product of that many primes has nearly 62
    /// bits for each.
    pub(crate) fn primes(self) -> usize {
        match self {
            Precision::Bits60 => 2,
            Precision::Bits90 => 3,
        }
    }
}

/// What a mass stands for: a probability `p` at a loss `l` is counted as `p·e^(λl)`, but for a factor that is the same for all.
///
/// With the right `λ` most of what is counted lies where the question looks, at losses about the `ε` that is asked for, however improbable these
/// are; so few bits will do for any `δ`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighting {
    pub(crate) precision: Precision,
    /// `λ`, not negative.
    pub(crate) tilt: Rational,
    /// Of each release less than `2^-tail` of the probability is left out.
    pub(crate) tail: u32,
}

impl Weighting {
    /// Bits of enclosures of what becomes a mass: enough for differences of neighbouring points of a lattice.
    pub(crate) fn bits(&self) -> u32 {
        self.precision.bits() + 36
    }
}

/// About the logarithm of a number that may be beyond all doubles; minus infinity for 0.
pub(crate) fn log2(x: &Dyadic) -> f64 {
    match x.floor_log2() {
        Some(exponent) => {
            Rational::from(&x.shl(-exponent)).to_f64(Rounding::Nearest).log2() + exponent as f64
        }
        None => f64::NEG_INFINITY,
    }
}

/// About the logarithm of a sum, of which the logarithms of all terms are given; 0 if there are none.
pub(crate) fn log2_sum(logs: impl Iterator<Item = f64> + Clone) -> i64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_finite() {
        (most + logs.map(|log| (log - most).exp2()).sum::<f64>().log2()).round() as i64
    } else {
        0
    }
}
