//! One exact positive number, as each tier wants it.

use lastbit_real::{Float, Rational, Rounding};

/// A positive rational with its approximations: two doubles for tier 1, 128 bits for tier 2, itself for tier 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) exact: Rational,
    hi: u64,
    lo: u64,
    /// `exact = mantissa·2^exponent` up to one unit of the mantissa, which is rounded down and has its top bit set.
    pub(crate) mantissa: u128,
    pub(crate) exponent: i64,
}

impl Scale {
    /// The views of a positive number, and all else that tiers want to be ready.
    pub(crate) fn new(exact: Rational) -> Scale {
        super::tier2::build_tables();
        let log2 = exact.floor_log2().expect("a scale is positive");
        let exponent = log2 - 127;
        let mantissa = (&exact * Rational::pow2(-exponent)).floor();
        let mantissa = u128::try_from(mantissa).expect("2^127 <= mantissa < 2^128");
        let hi = exact.to_f64(Rounding::Nearest);
        // Where `hi` is infinite nobody asks for `lo`: see `fits`.
        let rest = Rational::try_from(hi).map(|hi| &exact - hi).unwrap_or(Rational::ZERO);
        let lo = rest.to_f64(Rounding::Nearest);
        Scale { exact, hi: hi.to_bits(), lo: lo.to_bits(), mantissa, exponent }
    }

    /// The nearest double.
    pub(crate) fn hi(&self) -> f64 {
        f64::from_bits(self.hi)
    }

    /// The double nearest to what [`hi`](Self::hi) leaves: together they are good to `2⁻¹⁰⁶` if both are normal.
    pub(crate) fn lo(&self) -> f64 {
        f64::from_bits(self.lo)
    }

    /// True if the scale lies in `2^least..2^most`.
    pub(crate) fn fits(&self, least: i64, most: i64) -> bool {
        let log2 = self.exponent + 127;
        log2 >= least && log2 < most
    }

    /// The largest `k` with `2^k <=` the scale.
    pub(crate) fn floor_log2(&self) -> i64 {
        self.exponent + 127
    }
}

/// The parts of a finite float: `significand·2^exponent`.
#[inline]
pub(crate) fn parts<T: Float>(x: T) -> (i64, i32) {
    let bits = x.to_f64().to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let significand = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (if bits >> 63 == 1 { -significand } else { significand }, biased.max(1) - 1075)
}
