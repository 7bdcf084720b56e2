//! One exact positive number, as each tier wants it.

use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};

/// A positive number that a random variable is multiplied by, for tiers 2 and 3.
pub(crate) trait Factor {
    /// The `mantissa` and the `exponent` of `mantissa·2^exponent`, which is below the number by less than one unit of the
    /// mantissa. That is rounded down and has its top bit set.
    fn fixed(&self) -> (u128, i64);

    /// The number, as narrow as `bits` say.
    fn enclose(&self, bits: u32) -> Enclosure;
}

/// A positive rational with its approximations: two doubles for tier 1, 128 bits for tier 2, itself for tier 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) exact: Rational,
    hi: u64,
    lo: u64,
    /// See [`Factor::fixed`].
    mantissa: u128,
    exponent: i64,
}

impl Factor for Scale {
    #[inline]
    fn fixed(&self) -> (u128, i64) {
        (self.mantissa, self.exponent)
    }

    fn enclose(&self, bits: u32) -> Enclosure {
        Enclosure::of_rational(&self.exact, bits)
    }
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

/// The standard deviation `σ` of a normal variable, the square root of an exact rational, as [`Scale`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deviation {
    pub(crate) variance: Rational,
    hi: u64,
    lo: u64,
    mantissa: u128,
    exponent: i64,
}

impl Factor for Deviation {
    #[inline]
    fn fixed(&self) -> (u128, i64) {
        (self.mantissa, self.exponent)
    }

    fn enclose(&self, bits: u32) -> Enclosure {
        // In units of 2^-bits·σ: the root halves the relative width of the variance, 1/8; the roots of its ends, 1/8 each, and the
        // roundings of those, 1/8 each.
        let variance = Enclosure::of_rational(&self.variance, bits + 2);
        variance.sqrt(bits + 3).expect("the variance is positive").round(bits + 4)
    }
}

impl Deviation {
    /// The views of the root of a positive number, and all else that tiers want to be ready.
    pub(crate) fn new(variance: Rational) -> Deviation {
        super::tier2::build_tables();
        // floor(log2(σ)) = floor(floor(log2(σ²))/2).
        let log2 = variance.floor_log2().expect("a variance is positive").div_euclid(2);
        let exponent = log2 - 127;
        let root = |exponent: i64| {
            (&variance * Rational::pow2(-2 * exponent)).floor_sqrt().expect("the variance is positive")
        };
        let mantissa = u128::try_from(root(exponent)).expect("2^127 <= mantissa < 2^128");
        // σ from below, to 200 bits: two doubles do not see the rest.
        let sigma = Dyadic::new(root(log2 - 199), log2 - 199);
        let hi = f64::from_dyadic(&sigma, Rounding::Nearest);
        let rest = Dyadic::try_from(hi).map(|hi| sigma - hi).unwrap_or(Dyadic::ZERO);
        let lo = f64::from_dyadic(&rest, Rounding::Nearest);
        Deviation { variance, hi: hi.to_bits(), lo: lo.to_bits(), mantissa, exponent }
    }

    /// The nearest double, or one that is farther by less than `2⁻¹⁹⁹·σ`.
    pub(crate) fn hi(&self) -> f64 {
        f64::from_bits(self.hi)
    }

    /// The double nearest to what [`hi`](Self::hi) leaves: if both are normal, `|σ - hi - lo| <= 2⁻¹⁰⁵·σ`, since the rest is at most
    /// `2⁻⁵³·σ`, its rounding at most `2⁻⁵³` of that, and the cut of `σ` below `2⁻¹⁹⁹·σ`.
    pub(crate) fn lo(&self) -> f64 {
        f64::from_bits(self.lo)
    }

    /// True if `σ` lies in `2^least..2^most`.
    pub(crate) fn fits(&self, least: i64, most: i64) -> bool {
        (least..most).contains(&self.floor_log2())
    }

    /// The largest `k` with `2^k <= σ`.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The double-double and the 128 bits against the variance, which is exact.
    #[test]
    fn the_views_of_a_deviation() {
        let smallest = Rational::pow2(-2148);
        let largest = Rational::pow2(2048) - Rational::pow2(1900);
        let middle = ["2", "1/4", "9/49", "1/3", "1e-17", "123456789.125", "1e300", "1e-300"];
        let middle = middle.map(|text| text.parse().expect("a number"));
        for variance in middle.into_iter().chain([smallest, largest]) {
            let sigma = Deviation::new(variance.clone());
            let (mantissa, exponent) = sigma.fixed();
            assert_eq!(mantissa >> 127, 1);
            let at = |mantissa: u128| (Rational::from(mantissa) * Rational::pow2(exponent)).pow(2);
            assert!(at(mantissa) <= variance);
            assert!(mantissa == u128::MAX || variance < at(mantissa + 1), "{variance}");
            let enclosure = sigma.enclose(300);
            let squared = &enclosure * &enclosure;
            assert!(squared.contains(&variance));
            assert!(enclosure.width() <= enclosure.lo().shl(-300));
            if sigma.fits(-900, 1023) {
                let [hi, lo] = [sigma.hi(), sigma.lo()].map(|x| Dyadic::try_from(x).expect("finite"));
                let left = &enclosure - &Enclosure::exact(hi + lo);
                assert!(left.abs().hi() <= &enclosure.lo().shl(-105), "{variance}");
                let nearest = f64::from_enclosure(&enclosure).expect("300 bits");
                assert_eq!(sigma.hi(), nearest);
            }
        }
        assert!(!Deviation::new(Rational::pow2(2047)).hi().is_infinite());
    }
}
