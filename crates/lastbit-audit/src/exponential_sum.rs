//! Sums of exponentials of rational numbers: the probabilities of ideal mechanisms.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding, exp_rational};

/// `Σ cᵢ·e^aᵢ`, by exponents. Exponentials of different rationals are linearly independent over the rationals (Lindemann and
/// Weierstrass), so that equal sums have equal terms.
///
/// ```
/// use lastbit_audit::ExponentialSum;
/// use lastbit_real::Rational;
///
/// let half = Rational::pow2(-1);
/// // What lies above 1 and what lies below it, for Laplace noise of scale 1.
/// let above = ExponentialSum::term(half, -Rational::ONE);
/// let below = &ExponentialSum::from(Rational::ONE) - &above;
/// assert_eq!(below.to_string(), "1 - 1/2·e^-1");
/// assert_eq!(&above + &below, ExponentialSum::from(Rational::ONE));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExponentialSum(BTreeMap<Rational, Rational>);

impl ExponentialSum {
    /// `c·e^a`
    pub fn term(coefficient: Rational, exponent: Rational) -> ExponentialSum {
        ExponentialSum::default().plus_term(coefficient, exponent)
    }

    /// The sum and `c·e^a`.
    pub fn plus_term(mut self, coefficient: Rational, exponent: Rational) -> ExponentialSum {
        self.accumulate(coefficient, exponent);
        self
    }

    fn accumulate(&mut self, coefficient: Rational, exponent: Rational) {
        let sum = self.0.get(&exponent).map_or(coefficient.clone(), |known| known + coefficient);
        if sum.is_zero() {
            self.0.remove(&exponent);
        } else {
            self.0.insert(exponent, sum);
        }
    }

    /// The terms as coefficients and exponents, by increasing exponents. No coefficient is 0.
    pub fn terms(&self) -> impl Iterator<Item = (&Rational, &Rational)> {
        self.0.iter().map(|(exponent, coefficient)| (coefficient, exponent))
    }

    /// Whether the number is 0: it is if and only if there are no terms.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// An enclosure. The terms are known to `bits`; what is left after they cancel has fewer.
    ///
    /// # Panics
    /// If an exponent is beyond `2⁶⁰` in magnitude.
    pub(crate) fn enclose(&self, bits: u32) -> Enclosure {
        let zero = Enclosure::exact(Dyadic::ZERO);
        self.0.iter().fold(zero, |sum, (exponent, coefficient)| {
            let exp = exp_rational(exponent, bits).expect("an exponent that is not huge");
            &sum + &(&exp * &Enclosure::of_rational(coefficient, bits))
        })
    }

    /// An enclosure at most `2^-bits` of the number wide, however much of the terms cancels. Ends, because a sum that has terms is
    /// not 0.
    ///
    /// # Panics
    /// If an exponent is beyond `2⁶⁰` in magnitude.
    pub fn enclose_to(&self, bits: u32) -> Enclosure {
        let mut working = bits + 16;
        loop {
            let enclosure = self.enclose(working);
            // Rounding to bits + 4 adds at most 2^-(bits + 2) of the number, and a bit is to spare.
            if enclosure.width() <= enclosure.abs().lo().shl(-i64::from(bits) - 2) {
                return enclosure.round(bits + 4);
            }
            working *= 2;
        }
    }

    /// The order of the number and 0.
    ///
    /// # Panics
    /// If an exponent is beyond `2⁶⁰` in magnitude.
    pub fn sign(&self) -> Ordering {
        self.enclose_to(1).sign().expect("an enclosure without 0, or 0")
    }

    /// A double next to the number, for ranking and display: no claim rests on it.
    ///
    /// # Panics
    /// If an exponent is beyond `2⁶⁰` in magnitude.
    pub fn approximate(&self) -> f64 {
        let value = |x: &Rational| x.to_f64(Rounding::Nearest);
        let terms = self.terms().map(|(coefficient, exponent)| value(coefficient) * value(exponent).exp());
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size): (f64, f64), x| (sum + x, size + x.abs()));
        // Where the terms cancel too far, an enclosure says what is left.
        if sum.abs() > size * 2f64.powi(-30) {
            return sum;
        }
        f64::from_dyadic(self.enclose_to(53).lo(), Rounding::Nearest)
    }
}

impl From<Rational> for ExponentialSum {
    fn from(value: Rational) -> ExponentialSum {
        ExponentialSum::term(value, Rational::ZERO)
    }
}

impl AddAssign<&ExponentialSum> for ExponentialSum {
    fn add_assign(&mut self, other: &ExponentialSum) {
        other.terms().for_each(|(c, a)| self.accumulate(c.clone(), a.clone()));
    }
}

impl Add<&ExponentialSum> for &ExponentialSum {
    type Output = ExponentialSum;
    fn add(self, other: &ExponentialSum) -> ExponentialSum {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

impl Neg for &ExponentialSum {
    type Output = ExponentialSum;
    fn neg(self) -> ExponentialSum {
        ExponentialSum(self.0.iter().map(|(a, c)| (a.clone(), -c)).collect())
    }
}

impl Sub<&ExponentialSum> for &ExponentialSum {
    type Output = ExponentialSum;
    fn sub(self, other: &ExponentialSum) -> ExponentialSum {
        self + &-other
    }
}

impl Mul<&ExponentialSum> for &ExponentialSum {
    type Output = ExponentialSum;
    fn mul(self, other: &ExponentialSum) -> ExponentialSum {
        let mut product = ExponentialSum::default();
        for (c, a) in self.terms() {
            other.terms().for_each(|(c2, a2)| product.accumulate(c * c2, a + a2));
        }
        product
    }
}

impl<'a> std::iter::Sum<&'a ExponentialSum> for ExponentialSum {
    fn sum<I: Iterator<Item = &'a ExponentialSum>>(sums: I) -> ExponentialSum {
        sums.fold(ExponentialSum::default(), |mut total, sum| {
            total += sum;
            total
        })
    }
}

/// By decreasing exponents: `1 - 1/2·e^-1`.
impl fmt::Display for ExponentialSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        for (i, (exponent, coefficient)) in self.0.iter().rev().enumerate() {
            f.write_str(match (i, coefficient.is_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            match (coefficient.abs(), exponent) {
                (size, exponent) if exponent.is_zero() => write!(f, "{size}")?,
                (size, exponent) if size == Rational::ONE => write!(f, "{}", Power(exponent))?,
                (size, exponent) => write!(f, "{size}·{}", Power(exponent))?,
            }
        }
        Ok(())
    }
}

/// `e^a`, with parentheses around a fraction.
struct Power<'a>(&'a Rational);

impl fmt::Display for Power<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_integer() { write!(f, "e^{}", self.0) } else { write!(f, "e^({})", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn sums_and_products_cancel_exactly() {
        let x =
            ExponentialSum::term(rational("1/3"), rational("-2")).plus_term(rational("2"), rational("1/2"));
        assert_eq!(x.to_string(), "2·e^(1/2) + 1/3·e^-2");
        assert!((&x - &x).is_zero());
        let one = ExponentialSum::from(Rational::ONE);
        // (x - 1)(x + 1) = x² - 1
        assert_eq!(&(&x - &one) * &(&x + &one), &(&x * &x) - &one);
        assert_eq!((&x - &x).to_string(), "0");
        assert_eq!((-&x).to_string(), "-2·e^(1/2) - 1/3·e^-2");
    }

    /// `e^(1/n) - 1 - 1/n - 1/2n²` is about `1/6n³`: the double loses it, the enclosure does not.
    #[test]
    fn what_cancels_is_still_known() {
        let n = rational("1000000000000");
        let rest = ["-1", "-1e-12", "-0.5e-24"].map(rational).into_iter().sum::<Rational>();
        let sum = ExponentialSum::from(rest).plus_term(Rational::ONE, n.recip().unwrap());
        assert_eq!(sum.sign(), Ordering::Greater);
        assert_eq!((-&sum).sign(), Ordering::Less);
        assert_eq!(ExponentialSum::default().sign(), Ordering::Equal);
        let enclosure = sum.enclose_to(60);
        assert!(enclosure.width() <= enclosure.lo().shl(-60));
        assert!((sum.approximate() * 6e36 - 1.0).abs() < 1e-9);
        assert_eq!(ExponentialSum::default().approximate(), 0.0);
    }
}
