//! Closed intervals with dyadic ends.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::{BitTest, DivEuclid};
use dashu_int::IBig;

use crate::{Dyadic, Rational};

/// A closed interval `[lo, hi]` that is known to contain some real number.
///
/// Addition, subtraction, multiplication and negation are exact images of the intervals; what rounds
/// takes the number of significant bits to keep, and rounds outward.
///
/// ```
/// use lastbit_real::{Enclosure, Rational};
///
/// let third = Rational::new(1, 3).expect("3 is not zero");
/// let enclosure = Enclosure::of_rational(&third, 10);
/// assert!(enclosure.contains(&third));
/// assert!(!enclosure.contains(&Rational::try_from(0.33)?));
///
/// let one = &enclosure * &Enclosure::exact(3.into());
/// assert!(one.contains(&Rational::ONE));
/// # Ok::<(), lastbit_real::NotFinite>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Enclosure {
    lo: Dyadic,
    hi: Dyadic,
}

impl Enclosure {
    /// The interval `[lo, hi]`, or `None` if `lo > hi`.
    pub fn new(lo: Dyadic, hi: Dyadic) -> Option<Enclosure> {
        (lo <= hi).then_some(Enclosure { lo, hi })
    }

    /// As [`Enclosure::new`], for ends that are in order by construction.
    pub(crate) fn from_ordered(lo: Dyadic, hi: Dyadic) -> Enclosure {
        debug_assert!(lo <= hi);
        Enclosure { lo, hi }
    }

    /// The interval that contains `value` alone.
    pub fn exact(value: Dyadic) -> Enclosure {
        Enclosure { lo: value.clone(), hi: value }
    }

    /// An interval that contains `value`.
    ///
    /// Ensures: a single point if `value` is dyadic; otherwise at most `2^-bits · |value|` wide.
    pub fn of_rational(value: &Rational, bits: u32) -> Enclosure {
        if let Ok(dyadic) = Dyadic::try_from(value) {
            return Enclosure::exact(dyadic);
        }
        let denominator = Dyadic::from(value.denominator());
        let (lo, hi) = quotient(&Dyadic::from(value.numerator()), &denominator, bits);
        Enclosure { lo, hi }
    }

    /// The smallest interval that contains both.
    pub fn hull(&self, other: &Enclosure) -> Enclosure {
        Enclosure { lo: (&self.lo).min(&other.lo).clone(), hi: (&self.hi).max(&other.hi).clone() }
    }

    /// The lower end.
    pub fn lo(&self) -> &Dyadic {
        &self.lo
    }

    /// The upper end.
    pub fn hi(&self) -> &Dyadic {
        &self.hi
    }

    /// The distance of the ends.
    pub fn width(&self) -> Dyadic {
        &self.hi - &self.lo
    }

    /// Whether `value` lies in the interval.
    pub fn contains(&self, value: &Rational) -> bool {
        self.lo.cmp_rational(value).is_le() && self.hi.cmp_rational(value).is_ge()
    }

    /// The interval with ends of at most `bits` significant bits, rounded outward.
    ///
    /// Ensures: contains this one; each end moves by less than `2^(1 - bits)` of itself.
    pub fn round(&self, bits: u32) -> Enclosure {
        Enclosure { lo: self.lo.round_down(bits), hi: self.hi.round_up(bits) }
    }

    /// The interval times `2^k`.
    pub fn shl(&self, k: i64) -> Enclosure {
        Enclosure { lo: self.lo.shl(k), hi: self.hi.shl(k) }
    }

    /// An interval that contains every quotient, or `None` if `divisor` contains 0.
    ///
    /// Ensures: each end is less than `2^-bits` of itself away from the end of the exact image; for points
    /// the width is at most `2^-bits` of the quotient.
    pub fn div(&self, divisor: &Enclosure, bits: u32) -> Option<Enclosure> {
        divisor.sign().filter(|sign| sign.is_ne())?;
        // A quotient is monotone in each argument where the divisor has one sign, so the extremes
        // are at corners; rounding is monotone, so it may come before min and max.
        let corners = [
            quotient(&self.lo, &divisor.lo, bits),
            quotient(&self.lo, &divisor.hi, bits),
            quotient(&self.hi, &divisor.lo, bits),
            quotient(&self.hi, &divisor.hi, bits),
        ];
        let [first, rest @ ..] = corners;
        let (lo, hi) = rest.into_iter().fold(first, |(lo, hi), (l, h)| (lo.min(l), hi.max(h)));
        Some(Enclosure { lo, hi })
    }

    /// The image under the absolute value.
    pub fn abs(&self) -> Enclosure {
        match self.sign() {
            Some(Ordering::Less) => -self,
            None => Enclosure { lo: Dyadic::ZERO, hi: (-&self.lo).max(self.hi.clone()) },
            _ => self.clone(),
        }
    }

    /// The order of every number of the interval relative to 0, if it is the same for all.
    pub fn sign(&self) -> Option<Ordering> {
        match (self.lo.signum(), self.hi.signum()) {
            (0, 0) => Some(Ordering::Equal),
            (1, _) => Some(Ordering::Greater),
            (_, -1) => Some(Ordering::Less),
            _ => None,
        }
    }

    /// The order of every number of the interval relative to `value`, if it is the same for all.
    pub fn cmp_to(&self, value: &Rational) -> Option<Ordering> {
        match (self.lo.cmp_rational(value), self.hi.cmp_rational(value)) {
            (Ordering::Equal, Ordering::Equal) => Some(Ordering::Equal),
            (Ordering::Greater, _) => Some(Ordering::Greater),
            (_, Ordering::Less) => Some(Ordering::Less),
            _ => None,
        }
    }

    /// The image under the minimum.
    pub fn min(&self, other: &Enclosure) -> Enclosure {
        Enclosure { lo: (&self.lo).min(&other.lo).clone(), hi: (&self.hi).min(&other.hi).clone() }
    }

    /// The image under the maximum.
    pub fn max(&self, other: &Enclosure) -> Enclosure {
        Enclosure { lo: (&self.lo).max(&other.lo).clone(), hi: (&self.hi).max(&other.hi).clone() }
    }
}

/// The neighbours of `dividend / divisor` among the multiples of a power of two.
///
/// Ensures: lower <= quotient <= upper, at most `2^-bits` of the quotient apart, equal if the quotient
/// is such a multiple. The divisor is not 0.
fn quotient(dividend: &Dyadic, divisor: &Dyadic, bits: u32) -> (Dyadic, Dyadic) {
    if dividend.is_zero() {
        return (Dyadic::ZERO, Dyadic::ZERO);
    }
    let (mut n, mut d) = (dividend.mantissa().clone(), divisor.mantissa().clone());
    if d < IBig::ZERO {
        (n, d) = (-n, -d);
    }
    // |n/d| > 2^(len n - len d - 1), so after the shift it is above 2^bits: one unit is a small part.
    let shift = (i64::from(bits) + 1 + d.bit_len() as i64 - n.bit_len() as i64).max(0);
    let shifted = n << shift as usize;
    let floor = (&shifted).div_euclid(&d);
    let ceil = if &floor * &d == shifted { floor.clone() } else { &floor + IBig::ONE };
    let exponent = i128::from(dividend.exponent()) - i128::from(divisor.exponent()) - i128::from(shift);
    let exponent = i64::try_from(exponent).expect("the exponent of a dyadic number left the range of i64");
    (Dyadic::new(floor, exponent), Dyadic::new(ceil, exponent))
}

impl Add<&Enclosure> for &Enclosure {
    type Output = Enclosure;
    fn add(self, other: &Enclosure) -> Enclosure {
        Enclosure { lo: &self.lo + &other.lo, hi: &self.hi + &other.hi }
    }
}

impl Sub<&Enclosure> for &Enclosure {
    type Output = Enclosure;
    fn sub(self, other: &Enclosure) -> Enclosure {
        Enclosure { lo: &self.lo - &other.hi, hi: &self.hi - &other.lo }
    }
}

impl Mul<&Enclosure> for &Enclosure {
    type Output = Enclosure;
    fn mul(self, other: &Enclosure) -> Enclosure {
        // The product is linear in each argument: its extremes are at corners.
        let corners =
            [&self.lo * &other.lo, &self.lo * &other.hi, &self.hi * &other.lo, &self.hi * &other.hi];
        let [first, rest @ ..] = corners;
        let start = Enclosure::exact(first);
        rest.into_iter().fold(start, |hull, corner| hull.hull(&Enclosure::exact(corner)))
    }
}

impl Neg for &Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        Enclosure { lo: -&self.hi, hi: -&self.lo }
    }
}

impl fmt::Display for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lo, self.hi)
    }
}

impl fmt::Debug for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
