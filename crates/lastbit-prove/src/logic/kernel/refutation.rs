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
    /// The sum that is to be a contradiction.
    ///
    /// # Errors
    /// If it names a constraint that is not there, or is too large to be multiplied out.
    pub(crate) fn sum(&self) -> Result<Polynomial, KernelError> {
        let constraints = self.constraints.iter().map(|constraint| &constraint.polynomial);
        let mut all = constraints.chain(self.refutation.multiples.iter().map(|(multiplier, _)| multiplier));
        if all.any(is_large) {
            return Err(KernelError::Lemma("a polynomial is too large"));
        }
        let mut sum = Polynomial::zero();
        for (coefficient, factors) in &self.refutation.products {
            if factors.len() > MAX_FACTORS {
                return Err(KernelError::Lemma("a product has too many factors"));
            }
            let mut product = Polynomial::constant(coefficient.clone());
            for factor in factors {
                product = bounded_product(&product, &self.get(*factor)?.polynomial)?;
                if product.terms().count() > MAX_TERMS {
                    return Err(KernelError::Lemma("a product is too large"));
                }
            }
            sum = &sum + &product;
        }
        for (multiplier, place) in &self.refutation.multiples {
            sum = &sum + &bounded_product(multiplier, &self.get(*place)?.polynomial)?;
        }
        Ok(sum)
    }

    fn get(&self, place: usize) -> Result<&Constraint, KernelError> {
        self.constraints.get(place).ok_or(KernelError::Lemma("it names a constraint that is not there"))
    }

    /// Checks the sum: it must be a number below 0, or 0 with a product of which every factor is positive.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), KernelError> {
        let mut is_strict = false;
        for (coefficient, factors) in &self.refutation.products {
            if !coefficient.is_positive() && !is_off(SideCondition::LemmaSigns) {
                return Err(KernelError::Lemma("a coefficient is not positive"));
            }
            let mut all_strict = true;
            for factor in factors {
                let relation = self.get(*factor)?.relation;
                if relation == Relation::Zero {
                    return Err(KernelError::Lemma("an equation stands among the inequalities"));
                }
                all_strict &= relation == Relation::Positive;
            }
            is_strict |= all_strict;
        }
        for (multiplier, place) in &self.refutation.multiples {
            if self.get(*place)?.relation != Relation::Zero && !is_off(SideCondition::LemmaEquations) {
                return Err(KernelError::Lemma("an inequality stands among the equations"));
            }
            let divides =
                |symbol| self.constraints.iter().any(|c| inverted(&c.polynomial).any(|s| s == symbol));
            if !inverted(multiplier).all(divides) && !is_off(SideCondition::LemmaDivision) {
                return Err(KernelError::Lemma("a multiplier divides by what may be zero"));
            }
        }
        match self.sum()?.as_constant() {
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

/// The ground on which constraints cannot hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// One of the constraints is false by itself.
    Itself,
    /// The constraints include all those of the lemma with this number.
    Lemma(usize),
    /// As far as is known, the constraints can hold together.
    Open,
}

/// The constraints of lemmas, to find those that apply. Constraints are numbered: sets of them are compared often.
#[derive(Debug, Default)]
pub(super) struct Index {
    numbers: HashMap<Constraint, u32>,
    sets: Vec<Vec<u32>>,
}

impl Index {
    /// One more lemma.
    pub(super) fn insert(&mut self, lemma: &Lemma) {
        let mut set = Vec::new();
        for constraint in &lemma.constraints {
            let next = self.numbers.len() as u32;
            set.push(*self.numbers.entry(constraint.clone()).or_insert(next));
        }
        self.sets.push(set);
    }

    /// What refutes some constraints: of the lemmas that do, the first good one, or else the first.
    pub(super) fn ground(&self, constraints: &[&Constraint], is_good: impl Fn(usize) -> bool) -> Ground {
        if constraints.iter().any(|constraint| constraint.decided() == Some(false)) {
            return Ground::Itself;
        }
        let known: HashSet<u32> =
            constraints.iter().filter_map(|constraint| self.numbers.get(*constraint).copied()).collect();
        let applies = |lemma: &usize| self.sets[*lemma].iter().all(|number| known.contains(number));
        let mut applying = (0..self.sets.len()).filter(applies);
        match applying.next() {
            None => Ground::Open,
            Some(first) if is_good(first) => Ground::Lemma(first),
            Some(first) => Ground::Lemma(applying.find(|lemma| is_good(*lemma)).unwrap_or(first)),
        }
    }
}

/// A question to a judge: can these constraints hold together?
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// The place in the proof: the number of the leaf, then of the way at every CASE within it.
    pub place: &'q [usize],
    /// The rule.
    pub rule: &'static str,
    /// The purpose of the question.
    pub reason: &'q dyn Fn() -> String,
    /// The constraints.
    pub constraints: &'q [&'q Constraint],
    /// Whether the rule fails if the constraints can hold together.
    pub is_premise: bool,
}

impl Question<'_> {
    /// That it is not shown.
    pub(crate) fn open(&self) -> KernelError {
        let open = self.constraints.iter().filter(|c| c.decided() != Some(true));
        let open = open.map(|constraint| (*constraint).clone()).collect();
        KernelError::Open { rule: self.rule, premise: (self.reason)(), open }
    }
}

/// A judge of whether constraints can hold together: the lemmas of a proof, or a search for such lemmas.
pub trait Judge {
    /// Whether the constraints cannot hold together.
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool;

    /// The same for somebody who wants to know who asks.
    fn answer(&mut self, question: &Question<'_>) -> bool {
        self.are_refuted(question.constraints)
    }

    /// A rule does not apply. Who only looks on may go on nevertheless.
    ///
    /// # Errors
    /// The error, unless the judge has noted it.
    fn refuse(&mut self, error: KernelError) -> Result<(), KernelError> {
        Err(error)
    }
}

/// Lemmas that have been checked.
#[derive(Debug, Default)]
pub struct Lemmas(Index);

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
    pub(crate) fn add(&mut self, lemma: &Lemma) -> Result<(), KernelError> {
        lemma.check()?;
        self.0.insert(lemma);
        Ok(())
    }
}

impl Judge for Lemmas {
    /// Whether one is false by itself, or all constraints of a lemma are among them.
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        self.0.ground(constraints, |_| true) != Ground::Open
    }
}
