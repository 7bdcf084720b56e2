//! A judge that looks for lemmas.

use std::collections::{BTreeSet, HashMap, HashSet};

use lastbit_lang::symbolic::{Constraint, Polynomial, Relation, Symbol};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::handelman;
use crate::logic::kernel::{Judge, Lemma, Lemmas, Refutation};
use crate::logic::oracle::{Answer, Z3};

/// Most factors of a product.
const DEGREE: u32 = 3;

/// Finds lemmas, and keeps them: most premises are refuted by a lemma that is known already.
#[derive(Debug, Default)]
pub struct Finder {
    /// The lemmas found so far.
    pub lemmas: Vec<Lemma>,
    known: Lemmas,
    /// Sets of constraints for which nothing was found.
    open: HashSet<Vec<Constraint>>,
    /// Whom to ask where nothing is found.
    oracle: Option<Z3>,
    /// The constraints that only the oracle vouches for.
    pub vouched: Vec<Vec<Constraint>>,
    watch: Watch,
}

impl Finder {
    /// A finder that finds nothing any more when the watch is over.
    pub(crate) fn new(watch: &Watch) -> Finder {
        Finder { watch: watch.clone(), ..Finder::default() }
    }

    /// The same; it believes an oracle where it finds nothing itself. What it says then is not proved: see [`Finder::vouched`].
    pub(crate) fn with_oracle(self, oracle: Option<Z3>) -> Finder {
        Finder { oracle, ..self }
    }

    /// A lemma that somebody has made: it is kept if it is right.
    pub(crate) fn suggest(&mut self, lemma: Lemma) {
        if self.known.add(&lemma).is_ok() {
            self.lemmas.push(lemma);
        }
    }

    /// Looks for a refutation of some constraints, and cuts them down to those that it needs.
    fn find(constraints: &[Constraint], watch: &Watch) -> Option<Lemma> {
        if let Some(pair) = opposites(constraints) {
            return Some(pair);
        }
        let is_linear = |constraint: &Constraint| {
            constraint.polynomial.terms().all(|(monomial, _)| matches!(monomial.powers(), [] | [(_, 1)]))
        };
        // If linear constraints can hold together, no products of them will tell otherwise.
        let degree = if constraints.iter().all(is_linear) { 1 } else { DEGREE };
        let refutation = handelman::refute(constraints, degree, watch)?;
        let lemma = cut_down(constraints, refutation);
        if lemma.check().is_ok() {
            return Some(lemma);
        }
        // It divides by something of which the constraints that are left do not say that it is not zero.
        let divides = |constraint: &Constraint| {
            let powers = constraint.polynomial.terms().flat_map(|(monomial, _)| monomial.powers());
            powers.into_iter().any(|(_, power)| *power < 0)
        };
        let whole: Vec<Constraint> = constraints.iter().filter(|c| !divides(c)).cloned().collect();
        handelman::refute(&whole, degree, watch).map(|refutation| cut_down(&whole, refutation))
    }
}

/// Constraints in groups that have no variables in common: they contradict each other only within a group. Small groups first.
fn groups(constraints: Vec<Constraint>) -> Vec<Vec<Constraint>> {
    let mut groups: Vec<(BTreeSet<Symbol>, Vec<Constraint>)> = Vec::new();
    for constraint in constraints {
        let mut joined = (constraint.polynomial.variables(), vec![constraint]);
        let (touching, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(variables, _)| !variables.is_disjoint(&joined.0));
        for (variables, members) in touching {
            joined.0.extend(variables);
            joined.1.extend(members);
        }
        groups = apart;
        groups.push(joined);
    }
    let mut groups: Vec<Vec<Constraint>> = groups.into_iter().map(|(_, members)| members).collect();
    groups.sort_by_key(Vec::len);
    groups
}

/// `p > 0` and `p <= 0`: the commonest contradiction by far.
fn opposites(constraints: &[Constraint]) -> Option<Lemma> {
    let inequalities = || constraints.iter().filter(|c| c.relation != Relation::Zero);
    let strict: HashMap<&Polynomial, &Constraint> =
        inequalities().filter(|c| c.relation == Relation::Positive).map(|c| (&c.polynomial, c)).collect();
    let (one, other) = inequalities().find_map(|c| Some((c, *strict.get(&-&c.polynomial)?)))?;
    let products = vec![(Rational::ONE, vec![0]), (Rational::ONE, vec![1])];
    let refutation = Refutation { products, multiples: Vec::new() };
    Some(Lemma { constraints: vec![one.clone(), other.clone()], refutation })
}

/// Only the constraints that a refutation uses.
fn cut_down(constraints: &[Constraint], refutation: Refutation) -> Lemma {
    let mut used: Vec<usize> = Vec::new();
    let mut place = |old: usize| match used.iter().position(|known| *known == old) {
        Some(new) => new,
        None => {
            used.push(old);
            used.len() - 1
        }
    };
    let products = refutation.products.into_iter();
    let products = products.map(|(c, factors)| (c, factors.into_iter().map(&mut place).collect())).collect();
    let multiples = refutation.multiples.into_iter();
    let multiples = multiples.map(|(multiplier, old)| (multiplier, place(old))).collect();
    let constraints = used.into_iter().map(|old| constraints[old].clone()).collect();
    Lemma { constraints, refutation: Refutation { products, multiples } }
}

impl Judge for Finder {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        if self.known.are_refuted(constraints) {
            return true;
        }
        if self.watch.is_over() {
            return false;
        }
        let mut set: Vec<Constraint> =
            constraints.iter().filter(|c| c.decided() != Some(true)).map(|c| (*c).clone()).collect();
        set.sort();
        set.dedup();
        // `p > 0` makes `p >= 0` superfluous.
        let strict: HashSet<_> =
            set.iter().filter(|c| c.relation == Relation::Positive).map(|c| c.polynomial.clone()).collect();
        set.retain(|c| c.relation != Relation::NonNegative || !strict.contains(&c.polynomial));
        if self.open.contains(&set) {
            return false;
        }
        let lemma = groups(set.clone()).iter().find_map(|group| match self.open.contains(group) {
            true => None,
            false => Finder::find(group, &self.watch).or_else(|| {
                self.open.insert(group.clone());
                None
            }),
        });
        match lemma {
            Some(lemma) if self.known.add(&lemma).is_ok() => {
                self.lemmas.push(lemma);
                true
            }
            _ if self.watch.is_over() => false,
            _ if self.oracle.as_ref().is_some_and(|oracle| oracle.ask(&set) == Answer::Unsatisfiable) => {
                self.vouched.push(set);
                true
            }
            _ => {
                self.open.insert(set);
                false
            }
        }
    }
}
