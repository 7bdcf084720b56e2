//! Polynomial constraints that contradict each other: certificates by products, found by linear programming.
//!
//! After Handelman: a product of inequalities that hold holds, too. If some products of the constraints, with positive factors, and some
//! multiples of the equations add up to a negative number, the constraints have no common solution. Every monomial that occurs is taken
//! for a variable of its own; then the products are rows of a linear system, and the factors are its [`Farkas`] certificate.
//!
//! Products are tried with one factor, then two, and so on; the first certificate found is one with few terms, since the rows of a Farkas
//! certificate are never more than needed.

mod candidates;
mod extent;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lastbit_lang::symbolic::{Constraint, Polynomial};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::simplex::{Farkas, Feasibility, Row, feasible};
use crate::logic::kernel::Refutation;
use candidates::{Candidate, Exponents, Origin, System};

/// Why the constraints contradict each other, as products of at most `degree` of them and monomials; `None` if that does not show it.
///
/// Variables known to be positive are not counted in the degree: products are also multiplied by them, while the result has hardly higher
/// powers than the constraints themselves. Of at most twelve inequalities, all products of at most `degree` are tried. When the watch is
/// over, nothing is found.
pub(crate) fn refute(constraints: &[Constraint], degree: u32, watch: &Watch) -> Option<Refutation> {
    let system = System::new(constraints, watch);
    system.candidates(degree).take_while(|_| !watch.is_over()).find_map(|candidates| {
        let candidates = without_lonely_monomials(candidates);
        let farkas = contradiction(&candidates, watch)?;
        Some(system.refutation(farkas.multipliers.into_iter().map(|(i, factor)| (&candidates[i], factor))))
    })
}

/// Leaves out candidates with a monomial that nothing could cancel: one that has the same sign wherever it occurs.
fn without_lonely_monomials(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    loop {
        let mut signs: BTreeMap<&Exponents, [bool; 2]> = BTreeMap::new();
        for candidate in &candidates {
            let either = matches!(candidate.origin, Origin::Multiple(..));
            for (monomial, coefficient) in &candidate.terms {
                let seen = signs.entry(monomial).or_default();
                seen[0] |= either || coefficient.is_positive();
                seen[1] |= either || coefficient.is_negative();
            }
        }
        let is_lonely =
            |monomial: &Exponents| signs[monomial] != [true; 2] && monomial.iter().any(|&power| power != 0);
        let keep: Vec<bool> =
            candidates.iter().map(|candidate| !candidate.terms.keys().any(is_lonely)).collect();
        if keep.iter().all(|&keep| keep) {
            return candidates;
        }
        let mut keep = keep.into_iter();
        candidates.retain(|_| keep.next().unwrap_or(false));
    }
}

/// The candidates as linear constraints on the monomials.
fn contradiction(candidates: &[Candidate], watch: &Watch) -> Option<Farkas> {
    let mut columns: BTreeMap<&Exponents, usize> = BTreeMap::new();
    let rows: Vec<Row> = candidates
        .iter()
        .map(|candidate| {
            let mut row =
                Row { coefficients: Vec::new(), constant: Rational::ZERO, relation: candidate.relation };
            for (monomial, coefficient) in &candidate.terms {
                if monomial.iter().all(|&power| power == 0) {
                    row.constant = coefficient.clone();
                } else {
                    let next = columns.len();
                    row.coefficients.push((*columns.entry(monomial).or_insert(next), coefficient.clone()));
                }
            }
            row
        })
        .collect();
    match feasible(columns.len(), &rows, watch)? {
        Feasibility::Infeasible(farkas) => Some(farkas),
        Feasibility::Feasible(_) => None,
    }
}

impl System {
    /// The certificate in the terms of the kernel.
    fn refutation<'a>(&self, parts: impl Iterator<Item = (&'a Candidate, Rational)>) -> Refutation {
        let mut products = Vec::new();
        let mut multiples: BTreeMap<usize, Polynomial> = BTreeMap::new();
        for (candidate, factor) in parts {
            match &candidate.origin {
                Origin::Product(factors) => products.push((factor, factors.clone())),
                Origin::Multiple(monomial, equation) => {
                    let term = self.monomial(monomial).scale(&factor);
                    let multiplier = multiples.entry(*equation).or_default();
                    *multiplier = &*multiplier + &term;
                }
            }
        }
        products.sort_by(|(_, a), (_, b)| (a.len(), a).cmp(&(b.len(), b)));
        let multiples = multiples.into_iter().map(|(equation, multiplier)| (multiplier, equation));
        Refutation { products, multiples: multiples.collect() }
    }
}
