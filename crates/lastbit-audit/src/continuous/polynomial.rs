//! Polynomials in numbered variables.

use std::collections::BTreeMap;

use lastbit_real::Rational;

use super::form::LinearForm;

/// Variables with their powers, by variables. No power is 0.
type Monomial = Vec<(usize, u32)>;

/// A sum of monomials. No coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, Rational>);

impl Polynomial {
    pub(super) fn constant(value: Rational) -> Polynomial {
        let mut polynomial = Polynomial::default();
        polynomial.accumulate(Monomial::new(), value);
        polynomial
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many monomials there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The coefficient of the empty monomial.
    pub(super) fn at_zero(&self) -> Rational {
        self.0.get(&Monomial::new()).cloned().unwrap_or_default()
    }

    fn accumulate(&mut self, monomial: Monomial, coefficient: Rational) {
        let sum = self.0.get(&monomial).map_or(coefficient.clone(), |known| known + coefficient);
        if sum.is_zero() {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
    }

    /// Adds `factor·other`.
    pub(super) fn add(&mut self, factor: &Rational, other: &Polynomial) {
        other.0.iter().for_each(|(monomial, c)| self.accumulate(monomial.clone(), factor * c));
    }

    pub(super) fn scaled(&self, factor: &Rational) -> Polynomial {
        let mut product = Polynomial::default();
        product.add(factor, self);
        product
    }

    pub(super) fn times(&self, form: &LinearForm) -> Polynomial {
        let mut product = self.scaled(&form.constant);
        for (variable, factor) in &form.direction {
            for (monomial, coefficient) in &self.0 {
                let mut monomial = monomial.clone();
                match monomial.binary_search_by_key(variable, |(v, _)| *v) {
                    Ok(place) => monomial[place].1 += 1,
                    Err(place) => monomial.insert(place, (*variable, 1)),
                }
                product.accumulate(monomial, factor * coefficient);
            }
        }
        product
    }

    /// The polynomials `q₀, q₁, …` without the variable in `Σ qₖ·vᵏ`; at least one.
    pub(super) fn powers(&self, variable: usize) -> Vec<Polynomial> {
        let mut powers = vec![Polynomial::default()];
        for (monomial, coefficient) in &self.0 {
            let mut monomial = monomial.clone();
            let place = monomial.iter().position(|(v, _)| *v == variable);
            let power = place.map_or(0, |place| monomial.remove(place).1 as usize);
            powers.resize_with(powers.len().max(power + 1), Polynomial::default);
            powers[power].accumulate(monomial, coefficient.clone());
        }
        powers
    }
}
