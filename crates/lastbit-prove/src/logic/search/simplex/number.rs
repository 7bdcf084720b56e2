//! The arithmetic of the tableau: exact fractions that live in two machine words for as long as they fit.

use lastbit_real::Rational;

/// An exact fraction. Most entries of a tableau are 0 or ±1, so the common case takes no allocation.
#[derive(Clone, Debug)]
pub(super) enum Number {
    /// Lowest terms, the denominator positive.
    Small(i64, i64),
    /// A fraction that does not fit the small form.
    Large(Box<Rational>),
}

use Number::{Large, Small};

impl Number {
    pub(super) const ZERO: Number = Small(0, 1);
    pub(super) const ONE: Number = Small(1, 1);

    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Small(0, _))
    }

    pub(super) fn is_unit(&self) -> bool {
        matches!(self, Small(1 | -1, 1))
    }

    pub(super) fn is_positive(&self) -> bool {
        match self {
            Small(numerator, _) => *numerator > 0,
            Large(value) => value.is_positive(),
        }
    }

    pub(super) fn is_negative(&self) -> bool {
        match self {
            Small(numerator, _) => *numerator < 0,
            Large(value) => value.is_negative(),
        }
    }

    pub(super) fn negated(&self) -> Number {
        match self {
            Small(numerator, denominator) => fraction(-i128::from(*numerator), i128::from(*denominator)),
            Large(value) => Number::from(&-&**value),
        }
    }

    /// The reciprocal of a number that is not 0.
    pub(super) fn reciprocal(&self) -> Number {
        match self {
            Small(numerator, denominator) => {
                let sign = i128::from(numerator.signum());
                fraction(sign * i128::from(*denominator), sign * i128::from(*numerator))
            }
            Large(value) => Number::from(&(&Rational::ONE / &**value)),
        }
    }

    pub(super) fn times(&self, other: &Number) -> Number {
        match (self, other) {
            (Small(a, b), Small(c, d)) => {
                fraction(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Number::from(&(self.to_rational() * other.to_rational())),
        }
    }

    /// `self += factor · other`.
    pub(super) fn add_product(&mut self, factor: &Number, other: &Number) {
        if let (Small(a, 1), Small(b, 1), Small(c, 1)) = (&*self, factor, other)
            && let Some(sum) = b.checked_mul(*c).and_then(|product| a.checked_add(product))
        {
            *self = Small(sum, 1);
            return;
        }
        let product = factor.times(other);
        *self = match (&*self, &product) {
            // Each product of two words is below 2^126 in magnitude, so the sum fits.
            (Small(a, b), Small(c, d)) => fraction(
                i128::from(*a) * i128::from(*d) + i128::from(*c) * i128::from(*b),
                i128::from(*b) * i128::from(*d),
            ),
            _ => Number::from(&(self.to_rational() + product.to_rational())),
        };
    }

    /// Whether `self < other`.
    pub(super) fn is_below(&self, other: &Number) -> bool {
        match (self, other) {
            (Small(a, b), Small(c, d)) => i128::from(*a) * i128::from(*d) < i128::from(*c) * i128::from(*b),
            _ => self.to_rational() < other.to_rational(),
        }
    }

    pub(super) fn to_rational(&self) -> Rational {
        match self {
            Small(numerator, denominator) => {
                Rational::new(*numerator, *denominator).expect("a denominator is positive")
            }
            Large(value) => (**value).clone(),
        }
    }
}

impl From<&Rational> for Number {
    fn from(value: &Rational) -> Number {
        match (i64::try_from(value.numerator()), i64::try_from(value.denominator())) {
            (Ok(numerator), Ok(denominator)) => Small(numerator, denominator),
            _ => Large(Box::new(value.clone())),
        }
    }
}

/// The fraction of two integers, the second positive.
fn fraction(numerator: i128, denominator: i128) -> Number {
    let divisor =
        if denominator == 1 { 1 } else { gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) };
    let (numerator, denominator) = (numerator / divisor, denominator / divisor);
    match (i64::try_from(numerator), i64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => Small(numerator, denominator),
        _ => Large(Box::new(Rational::new(numerator, denominator).expect("a denominator is positive"))),
    }
}

/// The greatest common divisor, by Euclid; words are divided as words.
fn gcd(mut a: u128, mut b: u128) -> i128 {
    while b != 0 {
        if let (Ok(mut c), Ok(mut d)) = (u64::try_from(a), u64::try_from(b)) {
            while d != 0 {
                (c, d) = (d, c % d);
            }
            return i128::from(c);
        }
        (a, b) = (b, a % b);
    }
    // A divisor of the denominator, which was a positive i128.
    a as i128
}
