//! Scores of candidates: exact numbers, with the doubles next to them.

use lastbit_real::{Rational, Rounding};

use crate::{Real, ValueType};

/// A number that candidates are chosen by, taken for exactly what it is: `i64`, `i32`, `f64`, `f32`, [`Real`], [`Rational`].
///
/// A float is the dyadic number that it is, and a claim is about such numbers: scores that were computed in floating point are what came
/// out, rounding errors included, and their sensitivity is that of what came out.
pub trait Score {
    /// The type of values that claims about such scores name.
    const VALUES: ValueType;

    /// The exact number; `None` if it is NaN or infinite.
    fn to_rational(&self) -> Option<Rational>;

    /// Whether it is neither NaN nor infinite.
    #[doc(hidden)]
    #[inline]
    fn is_finite(&self) -> bool {
        true
    }

    /// The double nearest to it, infinite beyond the largest.
    #[doc(hidden)]
    fn nearest(&self) -> f64;

    /// Whether it is above another, as far as the nearest doubles tell.
    #[doc(hidden)]
    #[inline]
    fn is_above(&self, other: &Self) -> bool {
        self.nearest() > other.nearest()
    }

    /// `self - reference` with a relative error of at most `3η`, `η = 2⁻⁵³`, or an absolute one of at most `η·scale/16`; or `-∞` if it is
    /// beyond the least double; `None` if that takes exact arithmetic. No score [is above](Self::is_above) the reference, and `2⁻⁹⁰⁰ <=
    /// scale < 2⁹⁰⁰`.
    #[doc(hidden)]
    fn minus(&self, reference: &Self, scale: f64) -> Option<f64>;
}

impl Score for f64 {
    const VALUES: ValueType = ValueType::F64;

    fn to_rational(&self) -> Option<Rational> {
        Rational::try_from(*self).ok()
    }
    #[inline]
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }
    #[inline]
    fn nearest(&self) -> f64 {
        *self
    }
    /// Rounded once. Differences below the normal numbers are exact.
    #[inline]
    fn minus(&self, reference: &f64, _: f64) -> Option<f64> {
        Some(self - reference)
    }
}

impl Score for i64 {
    const VALUES: ValueType = ValueType::I64;

    fn to_rational(&self) -> Option<Rational> {
        Some(Rational::from(*self))
    }
    #[inline]
    fn nearest(&self) -> f64 {
        *self as f64
    }
    #[inline]
    fn is_above(&self, other: &i64) -> bool {
        self > other
    }
    /// The distance is exact in 64 bits without a sign, and rounded once.
    #[inline]
    fn minus(&self, reference: &i64, _: f64) -> Option<f64> {
        Some(-(reference.abs_diff(*self) as f64))
    }
}

macro_rules! narrower {
    ($($t:ty as $wide:ty, $values:ident;)*) => {$(
        /// As the wider type.
        impl Score for $t {
            const VALUES: ValueType = ValueType::$values;

            fn to_rational(&self) -> Option<Rational> {
                <$wide>::from(*self).to_rational()
            }
            #[inline]
            fn is_finite(&self) -> bool {
                Score::is_finite(&<$wide>::from(*self))
            }
            #[inline]
            fn nearest(&self) -> f64 {
                f64::from(*self)
            }
            #[inline]
            fn minus(&self, reference: &$t, scale: f64) -> Option<f64> {
                <$wide>::from(*self).minus(&<$wide>::from(*reference), scale)
            }
        }
    )*};
}
narrower! {
    f32 as f64, F32;
    i32 as i64, I32;
}

impl Score for Real {
    const VALUES: ValueType = ValueType::Real;

    fn to_rational(&self) -> Option<Rational> {
        Some(Real::to_rational(self))
    }
    #[inline]
    fn nearest(&self) -> f64 {
        self.split().hi
    }
    /// `(hi - hi') + (lo - lo')`. Let `m = max(|hi|, |hi'|)`, above `2⁻⁹⁰⁰`. Both numbers are off their two doubles by `2⁻¹⁰⁵·m + 2⁻¹⁰⁷⁴` at most, and
    /// `|lo - lo'| <= 2⁻⁵²·m` rounds by `2⁻¹⁰⁵·m`: together below `2⁻¹⁰²·m`.
    ///
    /// - If the sum is above `2⁻⁴⁰·m`, that is a relative `2⁻⁶²`. `hi - hi'` rounds by `η` of itself, and it is within a relative `2⁻¹¹`
    ///   of the sum, which rounds by `η`: in all `η·(2 + 2⁻¹¹ + 2⁻⁹)`.
    /// - Otherwise `hi` and `hi'` are within a factor of two of each other, and `hi - hi'` is exact (Sterbenz). If `m < 2⁴⁵·scale`, then
    ///   `2⁻¹⁰²·m` is below `2⁻⁵⁷·scale`, and the sum rounds by `η`.
    #[inline]
    fn minus(&self, reference: &Real, scale: f64) -> Option<f64> {
        if let (Some(score), Some(reference)) = (self.as_double(), reference.as_double()) {
            return Some(score - reference);
        }
        let (score, reference) = (self.split(), reference.split());
        let size = score.hi.abs().max(reference.hi.abs());
        let difference = (score.hi - reference.hi) + (score.lo - reference.lo);
        let is_close = difference.abs() > size * CANCELLED || size < scale * FINE;
        (size < f64::MAX && size > SMALL && is_close).then_some(difference)
    }
}

/// `2⁻⁹⁰⁰`
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);

/// `2⁻⁴⁰`
const CANCELLED: f64 = f64::from_bits((1023 - 40) << 52);

/// `2⁴⁵`
const FINE: f64 = (1u64 << 45) as f64;

impl Score for Rational {
    const VALUES: ValueType = ValueType::Real;

    fn to_rational(&self) -> Option<Rational> {
        Some(self.clone())
    }
    fn nearest(&self) -> f64 {
        self.to_f64(Rounding::Nearest)
    }
    fn is_above(&self, other: &Rational) -> bool {
        self > other
    }
    fn minus(&self, _: &Rational, _: f64) -> Option<f64> {
        None
    }
}
