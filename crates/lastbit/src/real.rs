//! Real numbers as inputs: what a decimal says, and not the float next to it.

use lastbit_real::{Float, NotFinite, Rational, Rounding};

use crate::sampler::scale::parts;
use crate::sampler::tier1::round::Split;

/// An exact real number that noise can be added to: a rational, with the two doubles that nearly are it.
///
/// A decimal such as 0.1 is no double, and the double next to it is another number. Two decimals at distance 2 can be doubles at
/// distance 4, as 9007199254740993 and 9007199254740995 are: a privacy claim about the decimals does not hold for noise that is
/// added to the doubles. [`RealMechanism`](crate::RealMechanism) adds it to the number itself.
///
/// ```
/// use lastbit::{Laplace, Rational, Real, RealMechanism, SecureSource};
/// let tenth: Rational = "0.1".parse()?;
/// let values = [Real::from(tenth), Real::from_decimal(9007199254740993, 0)];
/// assert_eq!(values[1].to_exact::<f64>(), None);
/// let mut noisy = [0.0f64; 2];
/// Laplace::new(Rational::ONE)?.release_reals(&mut SecureSource::new()?, &values, &mut noisy)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Real {
    approximation: Split,
    exact: Exact,
}

/// The remainder that [`Split::hi`] leaves.
#[derive(Clone, Debug)]
enum Exact {
    /// Nothing.
    Double,
    /// `digits/10^places` is meant, with at most [`MOST_PLACES`].
    Decimal { digits: i64, places: u8 },
    /// Anything.
    Rational(Box<Rational>),
}

/// `10¹⁸ < 2⁶⁰`: the products below fit into 128 bits.
const MOST_PLACES: u8 = 18;

/// Powers of ten, which are doubles, too.
const POWERS_OF_TEN: [i64; MOST_PLACES as usize + 1] = {
    let mut powers = [1; MOST_PLACES as usize + 1];
    let mut k = 1;
    while k < powers.len() {
        powers[k] = 10 * powers[k - 1];
        k += 1;
    }
    powers
};

impl Real {
    /// The decimal `digits/10^places`.
    pub fn from_decimal(digits: i64, places: u8) -> Real {
        match POWERS_OF_TEN.get(usize::from(places)) {
            Some(power) => Real::short_decimal(digits, places, *power),
            None => {
                let power = Rational::from(10).pow(u32::from(places));
                Real::from(Rational::from(digits) / power)
            }
        }
    }

    /// `hi` is the nearest double. With `hi = significand·2^exponent`, `power = 10^places` and a negative exponent, what it leaves is
    /// `rest/power·2^exponent` for the integer `rest = digits·2^-exponent - significand·power`, and as that is at most half of
    /// a unit of `hi`, `|rest| <= power/2`. From 2⁵³ on the exponent is not negative, and it is `rest/power` for an integer
    /// below 2⁶³. `lo` comes from it by two roundings, so that with `η = 2⁻⁵³`
    /// `|x - hi - lo| <= (2η + η²)·|lo|`: see [`Split`]. Nothing underflows: a number that is not 0 is at least `10⁻¹⁸`.
    #[inline]
    fn short_decimal(digits: i64, places: u8, power: i64) -> Real {
        // Both are exact, so that the quotient is rounded once.
        let hi = if digits.unsigned_abs() <= 1 << 53 {
            digits as f64 / power as f64
        } else {
            nearest_quotient(digits, power)
        };
        let (significand, exponent) = parts(hi);
        let product = i128::from(significand) * i128::from(power);
        // Below 2¹¹⁴, since it is within half a unit of the other product.
        let rest = match exponent {
            0.. => i128::from(digits) - (product << exponent),
            _ if digits == 0 => 0,
            _ => (i128::from(digits) << -exponent) - product,
        };
        if rest == 0 {
            return Real { approximation: Split { hi, lo: 0.0 }, exact: Exact::Double };
        }
        // A normal number: the exponent is at least -113.
        let unit = f64::from_bits(((exponent.min(0) + 1023) as u64) << 52);
        let lo = rest as i64 as f64 / power as f64 * unit;
        Real { approximation: Split { hi, lo }, exact: Exact::Decimal { digits, places } }
    }

    /// The number.
    pub fn to_rational(&self) -> Rational {
        match &self.exact {
            Exact::Double => Rational::try_from(self.approximation.hi).expect("a finite number"),
            Exact::Decimal { digits, places } => {
                Rational::new(*digits, POWERS_OF_TEN[usize::from(*places)]).expect("a power is not zero")
            }
            Exact::Rational(exact) => (**exact).clone(),
        }
    }

    /// The float that is this number, if there is one.
    pub fn to_exact<T: Float>(&self) -> Option<T> {
        let double = self.as_double()?;
        let (significand, exponent) = parts(double);
        Some(T::from_i128(significand.into(), exponent)).filter(|float| float.to_f64() == double)
    }

    /// Whether the magnitude is beyond the largest float of a type.
    pub fn exceeds<T: Float>(&self) -> bool {
        let (most, magnitude) = (T::MAX.to_f64(), self.approximation.hi.abs());
        // Rounding to nearest keeps the order, but can make a number that is larger equal.
        magnitude > most
            || magnitude == most
                && self.as_double().is_none()
                && self.to_rational().abs() > Rational::try_from(most).expect("a finite number")
    }

    /// The bytes that the number takes beside itself: none if it is a double or a decimal of up to 18 digits and places.
    pub fn heap_bytes(&self) -> usize {
        match &self.exact {
            Exact::Double | Exact::Decimal { .. } => 0,
            Exact::Rational(exact) => {
                let bits = |integer: Rational| integer.floor_log2().map_or(0, |log2| log2 as usize + 1);
                let (numerator, denominator) = (exact.numerator().into(), exact.denominator().into());
                size_of::<Rational>() + (bits(numerator) + bits(denominator)).div_ceil(8)
            }
        }
    }

    /// The doubles for tier 1.
    #[inline]
    pub(crate) fn split(&self) -> Split {
        self.approximation
    }

    /// The number, if it is a double.
    pub(crate) fn as_double(&self) -> Option<f64> {
        matches!(self.exact, Exact::Double).then_some(self.approximation.hi)
    }
}

/// `digits/power`, rounded to the nearest double, for `1 <= power < 2⁶⁰` and `|digits| >= 2⁵³`.
fn nearest_quotient(digits: i64, power: i64) -> f64 {
    let magnitude = u128::from(digits.unsigned_abs());
    // The quotient has more than 60 bits, so that a bit for the remainder does not reach the 53 that stay.
    let shift = magnitude.leading_zeros() - 1;
    let (dividend, divisor) = (magnitude << shift, power.unsigned_abs().into());
    let quotient = (dividend / divisor) as i128 | i128::from(!dividend.is_multiple_of(divisor));
    f64::from_i128(if digits < 0 { -quotient } else { quotient }, -(shift as i32))
}

impl From<Rational> for Real {
    /// `hi` and `lo` are the nearest doubles to the number and to what is left of it. A number beyond the largest double has an infinite `hi`.
    fn from(exact: Rational) -> Real {
        let hi = exact.to_f64(Rounding::Nearest);
        let Ok(double) = Rational::try_from(hi) else {
            return Real { approximation: Split { hi, lo: 0.0 }, exact: Exact::Rational(exact.into()) };
        };
        let rest = &exact - double;
        if rest.is_zero() {
            return Real { approximation: Split { hi, lo: 0.0 }, exact: Exact::Double };
        }
        let lo = rest.to_f64(Rounding::Nearest);
        Real { approximation: Split { hi, lo }, exact: Exact::Rational(exact.into()) }
    }
}

impl From<i64> for Real {
    fn from(integer: i64) -> Real {
        Real::from_decimal(integer, 0)
    }
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl TryFrom<$t> for Real {
            type Error = NotFinite;

            fn try_from(float: $t) -> Result<Real, NotFinite> {
                if !float.is_finite() {
                    return Err(NotFinite);
                }
                Ok(Real { approximation: Split { hi: float.into(), lo: 0.0 }, exact: Exact::Double })
            }
        }
    )*};
}
floats!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitSource, InsecureSeededSource};

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// How much of `2⁻¹⁰⁵·|hi| + 2⁻¹⁰⁷⁴` is left over by both doubles, after checking that `hi` is the nearest.
    fn share(real: &Real, exact: &Rational) -> f64 {
        let Split { hi, lo } = real.split();
        assert_eq!(hi.to_bits(), exact.to_f64(Rounding::Nearest).to_bits(), "{exact}");
        assert_eq!(real.to_rational(), *exact);
        let [hi, lo] = [hi, lo].map(|x| Rational::try_from(x).expect("finite"));
        let left = (exact - &hi - lo).abs();
        let allowed = hi.abs() * Rational::pow2(-105) + Rational::pow2(-1074);
        (left / allowed).to_f64(Rounding::Up)
    }

    #[test]
    fn two_doubles_leave_what_they_may() {
        let mut source = InsecureSeededSource::<u64>::from_seed(17);
        let mut most = [0.0f64; 2];
        for i in 0..40_000 {
            let digits = (source.next_word() >> (i % 64)) as i64 * if i % 3 == 0 { -1 } else { 1 };
            let places = (i / 64 % 25) as u8;
            let exact = Rational::from(digits) / Rational::from(10).pow(places.into());
            most[0] = most[0].max(share(&Real::from_decimal(digits, places), &exact));
            if i % 20 == 0 {
                let exponent = i as i64 % 2000 - 1090;
                let exact = exact * Rational::pow2(exponent) * rational("1/7");
                most[1] = most[1].max(share(&Real::from(exact.clone()), &exact));
            }
        }
        assert!(most.iter().all(|share| *share < 1.0 && *share > 0.2), "{most:?}");
    }

    #[test]
    fn extremes() {
        for digits in [i64::MIN, i64::MAX, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, 0, 1, -1] {
            for places in [0, 1, 17, 18, 19, 255] {
                let exact = Rational::from(digits) / Rational::from(10).pow(places.into());
                assert!(share(&Real::from_decimal(digits, places), &exact) <= 1.0, "{digits} {places}");
            }
        }
    }

    #[test]
    fn memory() {
        assert_eq!(Real::from_decimal(i64::MAX, 18).heap_bytes(), 0);
        assert_eq!(Real::from(rational("0x1p-1074")).heap_bytes(), 0);
        assert!((4000..6000).contains(&Real::from(rational("1e-10000")).heap_bytes()));
    }

    #[test]
    fn floats_are_found() {
        assert_eq!(Real::from_decimal(15, 1).to_exact::<f32>(), Some(1.5));
        assert_eq!(Real::from_decimal(1, 1).to_exact::<f64>(), None);
        assert_eq!(Real::from_decimal(16_777_217, 0).to_exact::<f32>(), None);
        assert_eq!(Real::from_decimal(16_777_217, 0).to_exact::<f64>(), Some(16_777_217.0));
        assert_eq!(Real::from(rational("0x1p-1074")).to_exact::<f64>(), Some(5e-324));
        assert_eq!(Real::from(rational("0x1p-1075")).to_exact::<f64>(), None);
        assert!(Real::try_from(f64::NAN).is_err() && Real::try_from(f32::INFINITY).is_err());
    }

    #[test]
    fn beyond_the_largest() {
        let largest = rational("0x1.fffffffffffffp1023");
        let a_little = rational("1e-2000");
        let real = |x: Rational| Real::from(x);
        assert!(!real(largest.clone()).exceeds::<f64>() && !real(-largest.clone()).exceeds::<f64>());
        assert!(!real(&largest - &a_little).exceeds::<f64>());
        assert!(real(&largest + &a_little).exceeds::<f64>() && real(-&largest - &a_little).exceeds::<f64>());
        assert!(real(rational("-1e999")).exceeds::<f64>() && real(rational("1e999")).exceeds::<f32>());
        let single = rational("0x1.fffffep127");
        assert!(!real(single.clone()).exceeds::<f32>() && real(single + a_little).exceeds::<f32>());
    }
}
