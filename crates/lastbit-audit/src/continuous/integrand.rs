//! Sums of polynomials times exponentials of linear forms, and their integrals over one variable.

use std::collections::BTreeMap;

use lastbit_real::Rational;

use crate::ExponentialSum;

use super::form::LinearForm;
use super::polynomial::Polynomial;

/// `Σ p·e^a` with polynomials `p`, by linear forms `a`. No polynomial is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Integrand(BTreeMap<LinearForm, Polynomial>);

impl Integrand {
    /// The number 1.
    pub(super) fn one() -> Integrand {
        Integrand([(LinearForm::ZERO, Polynomial::constant(Rational::ONE))].into())
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many monomials there are, over all exponents.
    pub(super) fn len(&self) -> usize {
        self.0.values().map(Polynomial::len).sum()
    }

    /// Adds `factor·polynomial·e^exponent`.
    fn accumulate(&mut self, factor: &Rational, polynomial: &Polynomial, exponent: LinearForm) {
        match self.0.get_mut(&exponent) {
            Some(known) => {
                known.add(factor, polynomial);
                if known.is_zero() {
                    self.0.remove(&exponent);
                }
            }
            None if polynomial.is_zero() => {}
            None => {
                self.0.insert(exponent, polynomial.scaled(factor));
            }
        }
    }

    /// Adds `factor·other`, for a factor that is not 0.
    pub(super) fn add(&mut self, factor: &Rational, other: Integrand) {
        for (exponent, polynomial) in other.0 {
            self.accumulate(factor, &polynomial, exponent);
        }
    }

    /// The antiderivative in a variable of the integrand times `e^(rate·v)`.
    pub(super) fn antiderivative(&self, variable: usize, rate: &Rational) -> Antiderivative {
        let terms = self.0.iter().map(|(exponent, polynomial)| {
            let (slope, rest) = exponent.without(variable).unwrap_or((Rational::ZERO, exponent.clone()));
            let slope = slope + rate;
            let powers = integrated(&polynomial.powers(variable), &slope);
            Term { slope, rest, powers }
        });
        Antiderivative(terms.collect())
    }

    /// The number that is left when no variable is.
    pub(super) fn number(&self) -> ExponentialSum {
        let terms =
            self.0.iter().map(|(exponent, polynomial)| (polynomial.at_zero(), exponent.constant.clone()));
        terms.fold(ExponentialSum::default(), |sum, (c, a)| sum.plus_term(c, a))
    }
}

/// The polynomial `P` in `v`, by powers, with `(P·e^(slope·v))' = Q·e^(slope·v)`.
fn integrated(q: &[Polynomial], slope: &Rational) -> Vec<Polynomial> {
    let degree = |k: usize| Rational::from(k);
    if slope.is_zero() {
        let higher = q.iter().enumerate().map(|(k, power)| power.scaled(&(Rational::ONE / degree(k + 1))));
        return std::iter::once(Polynomial::default()).chain(higher).collect();
    }
    // P' + slope·P = Q, from the highest power down.
    let mut p: Vec<Polynomial> = q.to_vec();
    for k in (0..p.len()).rev() {
        if let Some(above) = p.get(k + 1).cloned() {
            p[k].add(&-degree(k + 1), &above);
        }
        p[k] = p[k].scaled(&(Rational::ONE / slope));
    }
    p
}

/// `Σ (Σₖ pₖ·vᵏ)·e^(slope·v + rest)`
pub(super) struct Antiderivative(Vec<Term>);

struct Term {
    slope: Rational,
    rest: LinearForm,
    powers: Vec<Polynomial>,
}

impl Antiderivative {
    /// Its value where the variable is a form in the others.
    pub(super) fn at(&self, bound: &LinearForm) -> Integrand {
        let mut value = Integrand::default();
        for Term { slope, rest, powers } in &self.0 {
            let polynomial = powers.iter().rev().fold(Polynomial::default(), |sum, power| {
                let mut sum = sum.times(bound);
                sum.add(&Rational::ONE, power);
                sum
            });
            value.accumulate(&Rational::ONE, &polynomial, rest.plus(slope, bound));
        }
        value
    }
}
