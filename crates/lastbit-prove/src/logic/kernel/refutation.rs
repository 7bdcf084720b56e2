//! Lemmas: sets of constraints that cannot hold together, each with the sum that shows it.

use std::collections::{HashMap, HashSet};

use lastbit_lang::symbolic::{Constraint, Polynomial, Relation, Symbol};

use super::broken::{SideCondition, is_off};
use super::{KernelError, Lemma};

/// Most factors of a product, largest power, and most terms: no computation here can overflow or take forever.
const MAX_FACTORS: usize = 8;
const MAX_POWER: u32 = 1 << 16;
const MAX_TERMS: usize = 1 << 16;
/// Most terms of two factors, multiplied: what multiplying them out takes.
const MAX_PRODUCT: usize = 1 << 20;

impl Lemma {
    /// Checks the sum: it must be a number below 0, or 0 with a product of which every factor is positive.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), KernelError> {
        let get = |place: &usize| {
            self.constraints.get(*place).ok_or(KernelError::Lemma("it names a constraint that is not there"))
        };
        let constraints = self.constraints.iter().map(|constraint| &constraint.polynomial);
        let mut all = constraints.chain(self.refutation.multiples.iter().map(|(multiplier, _)| multiplier));
        if all.any(is_large) {
            return Err(KernelError::Lemma("a polynomial is too large"));
        }
        let mut sum = Polynomial::zero();
        let mut is_strict = false;
        for (coefficient, factors) in &self.refutation.products {
            let signs = coefficient.is_positive() || is_off(SideCondition::LemmaSigns);
            if !signs || factors.len() > MAX_FACTORS {
                return Err(KernelError::Lemma("a coefficient is not positive"));
            }
            let mut product = Polynomial::constant(coefficient.clone());
            let mut all_strict = true;
            for factor in factors {
                let Constraint { polynomial, relation } = get(factor)?;
                if *relation == Relation::Zero {
                    return Err(KernelError::Lemma("an equation stands among the inequalities"));
                }
                all_strict &= *relation == Relation::Positive;
                product = bounded_product(&product, polynomial)?;
                if product.terms().count() > MAX_TERMS {
                    return Err(KernelError::Lemma("a product is too large"));
                }
            }
            is_strict |= all_strict;
            sum = &sum + &product;
        }
        for (multiplier, place) in &self.refutation.multiples {
            let Constraint { polynomial, relation } = get(place)?;
            if *relation != Relation::Zero && !is_off(SideCondition::LemmaEquations) {
                return Err(KernelError::Lemma("an inequality stands among the equations"));
            }
            let divides =
                |symbol| self.constraints.iter().any(|c| inverted(&c.polynomial).any(|s| s == symbol));
            if !inverted(multiplier).all(divides) && !is_off(SideCondition::LemmaDivision) {
                return Err(KernelError::Lemma("a multiplier divides by what may be zero"));
            }
            sum = &sum + &bounded_product(multiplier, polynomial)?;
        }
        match sum.as_constant() {
            _ if is_off(SideCondition::LemmaSum) => Ok(()),
            Some(value) if value.is_negative() || (value.is_zero() && is_strict) => Ok(()),
            Some(value) if value.is_zero() && is_off(SideCondition::LemmaStrict) => Ok(()),
            _ => Err(KernelError::Lemma("its sum is no contradiction")),
        }
    }
}

/// The product of two polynomials, if they are not so large that it would take long or fill the memory.
fn bounded_product(a: &Polynomial, b: &Polynomial) -> Result<Polynomial, KernelError> {
    match a.terms().count().saturating_mul(b.terms().count()) > MAX_PRODUCT {
        true => Err(KernelError::Lemma("a product is too large")),
        false => Ok(a * b),
    }
}

/// Whether computing with a polynomial could take too long or overflow.
pub(super) fn is_large(p: &Polynomial) -> bool {
    let mut powers = p.terms().flat_map(|(monomial, _)| monomial.powers());
    p.terms().count() > MAX_TERMS || powers.any(|(_, power)| power.unsigned_abs() > MAX_POWER)
}

/// The variables that a polynomial divides by. A constraint that does speaks only of values where they are not zero.
pub(super) fn inverted(p: &Polynomial) -> impl Iterator<Item = &Symbol> {
    let powers = p.terms().flat_map(|(monomial, _)| monomial.powers());
    powers.filter(|(_, power)| *power < 0).map(|(symbol, _)| symbol)
}

/// Who says whether constraints cannot hold together: the lemmas of a proof, or a search that looks for such lemmas.
pub trait Judge {
    /// Whether the constraints cannot hold together.
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool;
}

/// Lemmas that have been checked. Constraints are numbered: sets of them are compared often.
#[derive(Debug, Default)]
pub struct Lemmas {
    numbers: HashMap<Constraint, u32>,
    sets: Vec<Vec<u32>>,
}

impl Lemmas {
    /// Checks some lemmas.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn new(lemmas: &[Lemma]) -> Result<Lemmas, KernelError> {
        let mut checked = Lemmas::default();
        lemmas.iter().try_for_each(|lemma| checked.add(lemma))?;
        Ok(checked)
    }

    /// Checks one more.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn add(&mut self, lemma: &Lemma) -> Result<(), KernelError> {
        lemma.check()?;
        let mut set = Vec::new();
        for constraint in &lemma.constraints {
            let next = self.numbers.len() as u32;
            set.push(*self.numbers.entry(constraint.clone()).or_insert(next));
        }
        self.sets.push(set);
        Ok(())
    }
}

impl Judge for Lemmas {
    /// Whether one is false by itself, or all constraints of a lemma are among them.
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        if constraints.iter().any(|constraint| constraint.decided() == Some(false)) {
            return true;
        }
        let known: HashSet<u32> =
            constraints.iter().filter_map(|constraint| self.numbers.get(*constraint).copied()).collect();
        self.sets.iter().any(|lemma| lemma.iter().all(|number| known.contains(number)))
    }
}
