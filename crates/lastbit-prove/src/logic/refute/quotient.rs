//! Quotients of sums of exponentials: the probabilities of programs whose weights are divided by their sum.

use std::cmp::Ordering;
use std::fmt;

use lastbit_audit::ExponentialSum;
use lastbit_audit::LnRatio;
use lastbit_real::{Dyadic, Enclosure, Rational, ln_quotient};

/// `n/d` with `d > 0`, exactly.
#[derive(Clone, Debug)]
pub struct Quotient {
    numerator: ExponentialSum,
    denominator: ExponentialSum,
}

impl From<ExponentialSum> for Quotient {
    fn from(numerator: ExponentialSum) -> Quotient {
        Quotient { numerator, denominator: Rational::ONE.into() }
    }
}

impl From<Rational> for Quotient {
    fn from(value: Rational) -> Quotient {
        ExponentialSum::from(value).into()
    }
}

impl Quotient {
    /// `n/d` with `d > 0`. A denominator of one term goes into the numerator.
    fn new(numerator: ExponentialSum, denominator: ExponentialSum) -> Quotient {
        let single = match denominator.terms().collect::<Vec<_>>().as_slice() {
            [(coefficient, exponent)] => {
                coefficient.recip().map(|inverse| ExponentialSum::term(inverse, -*exponent))
            }
            _ => None,
        };
        match single {
            Some(inverse) => (&numerator * &inverse).into(),
            None => Quotient { numerator, denominator },
        }
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Quotient) -> Quotient {
        if self.denominator == other.denominator {
            return Quotient::new(&self.numerator + &other.numerator, self.denominator.clone());
        }
        let crossed = [(self, other), (other, self)].map(|(a, b)| &a.numerator * &b.denominator);
        Quotient::new(&crossed[0] + &crossed[1], &self.denominator * &other.denominator)
    }

    /// The difference.
    pub(crate) fn minus(&self, other: &Quotient) -> Quotient {
        self.plus(&Quotient::new(-&other.numerator, other.denominator.clone()))
    }

    /// The product.
    pub(crate) fn times(&self, other: &Quotient) -> Quotient {
        Quotient::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    /// One over it; `None` of 0.
    pub(crate) fn reciprocal(&self) -> Option<Quotient> {
        let (numerator, denominator) = (self.denominator.clone(), self.numerator.clone());
        match self.sign() {
            Ordering::Greater => Some(Quotient::new(numerator, denominator)),
            Ordering::Less => Some(Quotient::new(-&numerator, -&denominator)),
            Ordering::Equal => None,
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// How it compares with 0, exactly.
    pub(crate) fn sign(&self) -> Ordering {
        self.numerator.sign()
    }

    /// The number, if it has no exponentials.
    pub fn as_rational(&self) -> Option<Rational> {
        let number = |sum: &ExponentialSum| match sum.terms().collect::<Vec<_>>().as_slice() {
            [] => Some(Rational::ZERO),
            [(coefficient, exponent)] if exponent.is_zero() => Some((*coefficient).clone()),
            _ => None,
        };
        number(&self.numerator)?.checked_div(&number(&self.denominator)?)
    }

    /// A double next to it, to rank candidates with: no claim rests on it.
    pub(crate) fn approximate(&self) -> f64 {
        self.numerator.approximate() / self.denominator.approximate()
    }

    /// An enclosure whose ends differ by about `2^-bits` of the number.
    pub fn enclose_to(&self, bits: u32) -> Enclosure {
        let [numerator, denominator] =
            [&self.numerator, &self.denominator].map(|sum| sum.enclose_to(bits + 4));
        numerator.div(&denominator, bits + 8).expect("the denominator is positive")
    }
}

/// `ln(p/q)` of probabilities.
pub(super) fn ln_ratio(p: &Quotient, q: &Quotient, bits: u32) -> LnRatio {
    match [p.is_zero(), q.is_zero()] {
        [true, true] => LnRatio::Unknown,
        [false, true] => LnRatio::OnlyFirst,
        [true, false] => LnRatio::OnlySecond,
        [false, false] => {
            let [p, q] = [p, q].map(|x| x.enclose_to(bits + 4));
            let ln = |x: &Dyadic, y: &Dyadic| ln_quotient(x, y, bits + 32).expect("positive numbers");
            let [lo, hi] = [ln(p.lo(), q.hi()), ln(p.hi(), q.lo())];
            LnRatio::Finite(Enclosure::new(lo.lo().clone(), hi.hi().clone()).expect("in order"))
        }
    }
}

impl fmt::Display for Quotient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quotient { numerator, denominator } = self;
        if *denominator == ExponentialSum::from(Rational::ONE) {
            return numerator.fmt(f);
        }
        let in_parentheses = |sum: &ExponentialSum| match sum.terms().count() {
            0 | 1 => sum.to_string(),
            _ => format!("({sum})"),
        };
        write!(f, "{} / {}", in_parentheses(numerator), in_parentheses(denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1/(e + 1)` and `e/(e + 1)`.
    #[test]
    fn a_truth_and_a_lie() {
        let one = Quotient::from(Rational::ONE);
        let e = Quotient::from(ExponentialSum::term(Rational::ONE, Rational::ONE));
        let lie = e.plus(&one).reciprocal().expect("not 0");
        assert!(lie.plus(&lie.times(&e)).minus(&one).is_zero());
        assert_eq!(lie.to_string(), "1 / (e^1 + 1)");
    }
}
