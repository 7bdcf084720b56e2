//! Tails of the normal distribution at many points: a series about the next sixteenth instead of an error function for each.

use std::cell::RefCell;
use std::collections::HashMap;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, erfc, exp, pi};

/// Centers of series are at multiples of 2 to minus this.
const SPACING_LOG2: i64 = 4;

/// Beyond this, an error function is cheap, and few are asked for.
const FAR: i64 = 64;

/// By how many units a sum may be wrong.
const UNITS: u32 = 40;

/// Bits behind those that are asked for.
const GUARD: u32 = 32;

/// `erfc(z)/2` for many `z >= 0`.
pub(super) struct Normal {
    bits: u32,
    series: RefCell<HashMap<i64, Series>>,
}

/// `erfc(c + h)/2 = e^(-c²)·Σ a_n·hⁿ` for `|h| <= 1/32`.
struct Series {
    /// `e^(-c²)`
    power: Enclosure,
    /// In units of `2^-q`, each to within two units of the truth.
    coefficients: Vec<IBig>,
    q: usize,
}

impl Normal {
    pub(super) fn new(bits: u32) -> Normal {
        Normal { bits, series: RefCell::default() }
    }

    /// `erfc(z)/2`, to nearly `2^-bits` of itself. Requires: `z >= 0`.
    pub(super) fn tail(&self, z: &Dyadic) -> Enclosure {
        if z.floor_log2() >= Some(7) {
            // erfc z <= e^(-z²) < 2^-(2·2^13): below all use, and differences of such numbers would be long.
            return Enclosure::new(Dyadic::ZERO, Dyadic::pow2(-1 << 14)).expect("in order");
        }
        if *z >= Dyadic::from(FAR) {
            return erfc(z, self.bits).expect("below 128").shl(-1);
        }
        let center = (&z.shl(SPACING_LOG2) + &Dyadic::pow2(-1)).floor();
        let index = i64::try_from(center.clone()).expect("limited");
        let mut known = self.series.borrow_mut();
        let series = known.entry(index).or_insert_with(|| Series::about(index, self.bits));
        series.at(&(z - &Dyadic::new(center, -SPACING_LOG2)), self.bits)
    }
}

impl Series {
    /// With `e^(-2ct-t²) = Σ b_n·tⁿ`, where `b_0 = 1`, `b_1 = -2c`, `b_(n+1) = -2·(c·b_n + b_(n-1))/(n+1)`, the coefficients are those of the
    /// integral, `a_(n+1) = -b_n/((n+1)·√π)`, and `a_0 = e^(c²)·erfc(c)/2`.
    ///
    /// As `|b_n|` is at most the coefficient of `e^(2ct+t²)`, and that at most the function at `t = 1`, all terms after the `N`-th are together below
    /// `e^(2c+1)·32^-N`.
    fn about(index: i64, bits: u32) -> Series {
        let c = Rational::from(index) * Rational::pow2(-SPACING_LOG2);
        let ahead = ((2 * index) >> SPACING_LOG2) as u32 + 2;
        // e^(2c+1) < 2^(3/2·(2c+2)).
        let large = 3 * ahead.div_ceil(2) + 3;
        let work = bits + GUARD;
        let q = work as usize;
        let terms = (work + large) / 5 + 1;
        let precise = work + large + 16;
        let center = Dyadic::new(IBig::from(index), -SPACING_LOG2);
        let power = exp(&-(&center * &center), precise).expect("limited");
        let first = erfc(&center, precise).expect("limited").shl(-1).div(&power, precise).expect("positive");
        let root = pi(precise).sqrt(precise).expect("positive");
        let share = Enclosure::exact(Dyadic::ONE).div(&root, precise).expect("positive");
        let unit = |x: &Enclosure| x.lo().shl(q as i64).floor();
        let mut coefficients = vec![unit(&first)];
        let (mut before, mut b) = (Rational::ZERO, Rational::ONE);
        for n in 1..=terms {
            let n = Rational::from(u64::from(n));
            let a = -&(&Enclosure::of_rational(&(&b / &n), precise) * &share);
            coefficients.push(unit(&a));
            let next = -(&c * &b + &before) * Rational::from(2) / n;
            (before, b) = (b, next);
        }
        Series { power, coefficients, q }
    }

    /// Each coefficient is known to two units, and each sum is rounded by one; both count a thirty-second as much from term to term, which makes less than
    /// four. What is left out is less than one. That `h` is rounded makes at most another 32, as the slope is below `e^(2c/32)/√π` and `c <= 64`.
    fn at(&self, h: &Dyadic, bits: u32) -> Enclosure {
        let h = h.shl(self.q as i64).floor();
        let sum = self.coefficients.iter().rev().fold(IBig::ZERO, |sum, a| ((sum * &h) >> self.q) + a);
        let end = |x: IBig| Dyadic::new(x, -(self.q as i64));
        let error = IBig::from(UNITS);
        let low = end((&sum - &error).max(IBig::ZERO));
        (&self.power * &Enclosure::new(low, end(sum + error)).expect("in order")).round(bits + 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both are enclosures of the same number, and this one is nearly as narrow.
    #[test]
    fn as_error_functions() {
        for bits in [96, 126] {
            let normal = Normal::new(bits);
            for numerator in (0..4200).step_by(7).chain(1..40) {
                let z = &Dyadic::new(IBig::from(numerator), -6) + &Dyadic::new(IBig::from(numerator), -77);
                let (found, truth) = (normal.tail(&z), erfc(&z, 300).unwrap().shl(-1));
                assert!(found.lo() <= truth.lo() && found.hi() >= truth.hi(), "{numerator}");
                assert!(found.width() <= found.lo().shl(2 - i64::from(bits)), "{numerator}");
            }
        }
    }
}
