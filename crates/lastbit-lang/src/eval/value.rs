//! Real numbers that are known exactly, or within an interval.

use std::cmp::Ordering;

use crate::Comparison;
use lastbit_real::{Dyadic, Enclosure, Rational};

/// Fractions with more bits than this in numerator and denominator go on as intervals.
const EXACT_BITS: i64 = 1 << 14;

/// Beyond `2^this` numbers are not computed with: no float is near, and a sum could take all memory.
const MAX_LOG2: i64 = 1 << 20;

/// Closer to zero than `2^this`, intervals are widened to reach it, which keeps exponents in range.
const MIN_LOG2: i64 = -(1 << 42);

/// A real number as far as it is known.
///
/// Exact fractions are kept as long as they are short: they decide comparisons that no interval does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RealValue {
    /// This number.
    Exact(Rational),
    /// A number of this interval.
    Within(Enclosure),
}

/// Why an interval is no result.
pub(super) enum Trouble {
    /// All of it is too large.
    TooLarge,
    /// A part of it is.
    Wide,
}

/// An end of the interval of a value.
enum End<'v> {
    Fraction(&'v Rational),
    Dyadic(&'v Dyadic),
}

impl End<'_> {
    fn cmp(&self, other: &End<'_>) -> Ordering {
        match (self, other) {
            (End::Fraction(a), End::Fraction(b)) => a.cmp(b),
            (End::Dyadic(a), End::Dyadic(b)) => a.cmp(b),
            (End::Dyadic(a), End::Fraction(b)) => a.cmp_rational(b),
            (End::Fraction(a), End::Dyadic(b)) => b.cmp_rational(a).reverse(),
        }
    }
}

impl RealValue {
    /// An interval that contains the number.
    ///
    /// Ensures: at most `2^-bits` of the number wide, if it is known exactly.
    pub fn enclosure(&self, bits: u32) -> Enclosure {
        match self {
            RealValue::Exact(value) => Enclosure::of_rational(value, bits),
            RealValue::Within(enclosure) => enclosure.clone(),
        }
    }

    /// How the number compares with a fraction, if that is known.
    pub(crate) fn cmp_to(&self, other: &Rational) -> Option<Ordering> {
        match self {
            RealValue::Exact(value) => Some(value.cmp(other)),
            RealValue::Within(enclosure) => enclosure.cmp_to(other),
        }
    }

    fn ends(&self) -> (End<'_>, End<'_>) {
        match self {
            RealValue::Exact(value) => (End::Fraction(value), End::Fraction(value)),
            RealValue::Within(enclosure) => (End::Dyadic(enclosure.lo()), End::Dyadic(enclosure.hi())),
        }
    }

    /// Whether the comparison holds, if that is known.
    pub(super) fn compare(&self, test: Comparison, other: &RealValue) -> Option<bool> {
        let ((lo, hi), (other_lo, other_hi)) = (self.ends(), other.ends());
        let below = hi.cmp(&other_lo);
        let above = lo.cmp(&other_hi);
        match test {
            Comparison::Less if below.is_lt() => Some(true),
            Comparison::Less if above.is_ge() => Some(false),
            Comparison::LessOrEqual if below.is_le() => Some(true),
            Comparison::LessOrEqual if above.is_gt() => Some(false),
            Comparison::Equal if below.is_lt() || above.is_gt() => Some(false),
            // hi = other.lo and lo = other.hi: both intervals are the same point.
            Comparison::Equal if below.is_eq() && above.is_eq() => Some(true),
            _ => None,
        }
    }

    /// A fraction, as an interval if it is long.
    pub(super) fn from_rational(value: Rational, bits: u32) -> Result<RealValue, Trouble> {
        if size(&value) <= EXACT_BITS {
            return Ok(RealValue::Exact(value));
        }
        RealValue::from_enclosure(&Enclosure::of_rational(&value, bits), bits)
    }

    /// The number of an interval, cut down to so many bits unless it is a short point.
    pub(super) fn from_enclosure(enclosure: &Enclosure, bits: u32) -> Result<RealValue, Trouble> {
        let magnitude = enclosure.abs();
        let is_large = |value: &Dyadic| value.floor_log2().is_some_and(|log2| log2 > MAX_LOG2);
        if is_large(magnitude.hi()) {
            return Err(if is_large(magnitude.lo()) { Trouble::TooLarge } else { Trouble::Wide });
        }
        let is_point = enclosure.lo() == enclosure.hi();
        if is_point && enclosure.lo().exponent().abs() <= EXACT_BITS {
            let value = Rational::from(enclosure.lo());
            if size(&value) <= EXACT_BITS {
                return Ok(RealValue::Exact(value));
            }
        }
        let rounded = enclosure.round(bits);
        let lo = -away_from_tiny(&-rounded.lo());
        let hi = away_from_tiny(rounded.hi());
        Ok(RealValue::Within(Enclosure::new(lo, hi).unwrap_or(rounded)))
    }
}

/// An upper end that is not tiny.
///
/// Ensures: at least the number.
fn away_from_tiny(value: &Dyadic) -> Dyadic {
    match value.floor_log2() {
        Some(log2) if log2 < MIN_LOG2 && value.is_negative() => Dyadic::ZERO,
        Some(log2) if log2 < MIN_LOG2 => Dyadic::pow2(MIN_LOG2),
        _ => value.clone(),
    }
}

/// The bits of numerator and denominator, less one each.
fn size(value: &Rational) -> i64 {
    let log2 = |part: Rational| part.floor_log2().unwrap_or(0);
    log2(Rational::from(value.numerator())) + log2(Rational::from(value.denominator()))
}

/// The sum, with ends cut where they do not matter at that precision: numbers of very different size stay short.
pub(super) fn add(a: &Enclosure, b: &Enclosure, bits: u32) -> Enclosure {
    let ends = [a.lo(), a.hi(), b.lo(), b.hi()];
    let Some(top) = ends.into_iter().filter_map(Dyadic::floor_log2).max() else {
        return a.clone();
    };
    let last = top - i64::from(bits) - 2;
    let cut = |x: &Enclosure| Enclosure::new(x.lo().floor_to(last), x.hi().ceil_to(last));
    match (cut(a), cut(b)) {
        (Some(a), Some(b)) => &a + &b,
        // Rounding is monotone, so the ends stay in order.
        _ => unreachable!("the ends of an interval are in order"),
    }
}
