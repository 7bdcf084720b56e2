//! The products and multiples that a certificate may be made of.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use lastbit_lang::symbolic::{Constraint, Polynomial, Relation, Symbol};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::extent::{Extent, powers_of};
use super::without_lonely_monomials;

/// The power of every variable of the system, in its order.
pub(super) type Exponents = Vec<i32>;

/// A polynomial by its monomials; no coefficient is 0.
pub(super) type Terms = BTreeMap<Exponents, Rational>;

/// Where a candidate comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The product of the inequalities with these numbers.
    Product(Vec<usize>),
    /// A monomial times the equation with this number.
    Multiple(Exponents, usize),
}

/// Something that follows from the constraints.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) origin: Origin,
    pub(super) terms: Terms,
    pub(super) relation: Relation,
}

/// The constraints, with numbers for the names of variables.
pub(super) struct System {
    variables: Vec<Symbol>,
    constraints: Vec<(Terms, Relation)>,
    /// Constraints `x > 0` or `1/x > 0`, up to a factor: the variable and the power. A product may be multiplied by them at will.
    signs: Vec<(usize, i32, usize)>,
    extent: Extent,
    watch: Watch,
}

impl System {
    /// Up to so many inequalities are few.
    const FEW: usize = 12;

    /// Products beyond this number are left out, those with the fewest factors first in.
    const MOST_CANDIDATES: usize = 4000;

    /// With higher powers, more candidates than this take seconds.
    const MOST_WITH_HIGHER_POWERS: usize = 600;

    pub(super) fn new(constraints: &[Constraint], watch: &Watch) -> System {
        let names: BTreeSet<Symbol> =
            constraints.iter().flat_map(|constraint| constraint.polynomial.variables()).collect();
        let variables: Vec<Symbol> = names.into_iter().collect();
        let read = |constraint: &Constraint| {
            let terms = constraint.polynomial.terms().map(|(monomial, coefficient)| {
                let mut exponents = vec![0; variables.len()];
                for (symbol, power) in monomial.powers() {
                    let j = variables.binary_search(symbol).expect("every variable is listed");
                    exponents[j] = *power;
                }
                (exponents, coefficient.clone())
            });
            (terms.collect(), constraint.relation)
        };
        let constraints: Vec<(Terms, Relation)> = constraints.iter().map(read).collect();
        let signs = constraints.iter().enumerate().filter_map(|(i, (terms, relation))| {
            let (variable, power) = signed_variable(terms, *relation)?;
            Some((variable, power, i))
        });
        let signs = signs.collect();
        // What is known of signs only is no reason for higher powers.
        let others =
            constraints.iter().filter(|(terms, relation)| signed_variable(terms, *relation).is_none());
        let extent = Extent::of(variables.len(), others.flat_map(|(terms, _)| terms.keys()));
        System { variables, constraints, signs, extent, watch: watch.clone() }
    }

    /// What a certificate may be made of, the most promising first: products of one factor, of two, and so on up to `degree`; then
    /// with higher powers, if there are few factors; then whatever powers they have, if there are few inequalities.
    pub(super) fn candidates(&self, degree: u32) -> impl Iterator<Item = Vec<Candidate>> {
        let factors: Vec<usize> = self.inequalities().filter(|&i| !self.is_sign(i)).collect();
        let few_factors = factors.len() <= System::FEW;
        let few = self.inequalities().count() <= System::FEW;
        let degrees = move |from: u32, wanted: bool| (from..=degree).filter(move |_| wanted);
        let wider = self.extent.wider();
        let again = factors.clone();
        let near = degrees(1, true).map(move |degree| self.near_products(&factors, degree, &self.extent));
        let further = degrees(2, few_factors)
            .map(move |degree| without_lonely_monomials(self.near_products(&again, degree, &wider)))
            .filter(|found| found.len() <= System::MOST_WITH_HIGHER_POWERS);
        near.chain(further).chain(degrees(2, few).map(|degree| self.all_products(degree)))
    }

    fn is_sign(&self, constraint: usize) -> bool {
        self.signs.iter().any(|&(_, _, sign)| sign == constraint)
    }

    fn inequalities(&self) -> impl Iterator<Item = usize> {
        (0..self.constraints.len()).filter(|&i| self.constraints[i].1 != Relation::Zero)
    }

    /// A monomial as a polynomial.
    pub(super) fn monomial(&self, exponents: &Exponents) -> Polynomial {
        let mut product = Polynomial::constant(1);
        for (symbol, &power) in self.variables.iter().zip(exponents) {
            let variable = Polynomial::variable(symbol.clone());
            let base =
                if power < 0 { variable.inverse().expect("a variable is a single term") } else { variable };
            for _ in 0..power.unsigned_abs() {
                product = &product * &base;
            }
        }
        product
    }

    /// Products of at most `degree` factors and any signed variables, within the extent.
    fn near_products(&self, factors: &[usize], degree: u32, extent: &Extent) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for product in self.products(factors, degree, Some(extent)) {
            if self.watch.is_over() {
                break;
            }
            for shifted in self.shifted(&product, extent) {
                if seen.insert(shifted.terms.clone()) && found.len() < System::MOST_CANDIDATES {
                    found.push(shifted);
                }
            }
        }
        self.with_equations(found)
    }

    /// Products of at most `degree` inequalities, whatever powers they have.
    fn all_products(&self, degree: u32) -> Vec<Candidate> {
        let factors: Vec<usize> = self.inequalities().collect();
        let products = self.products(&factors, degree, None);
        self.with_equations(products.into_iter().skip(1).collect())
    }

    /// Products of at most `degree` of the factors, from the empty one on; only those that, multiplied by the right monomial, could lie
    /// within the extent.
    fn products(&self, factors: &[usize], degree: u32, extent: Option<&Extent>) -> Vec<Candidate> {
        let one = Terms::from([(vec![0; self.variables.len()], Rational::ONE)]);
        let one = Candidate { origin: Origin::Product(Vec::new()), terms: one, relation: Relation::Positive };
        let mut products = vec![one];
        let mut level = 0..1;
        for _ in 0..degree {
            for i in level.clone() {
                let Origin::Product(chosen) = &products[i].origin else { continue };
                let chosen = chosen.clone();
                if self.watch.is_over() {
                    return products;
                }
                for &factor in
                    factors.iter().filter(|&factor| chosen.last().is_none_or(|last| last <= factor))
                {
                    let (terms, relation) = &self.constraints[factor];
                    let terms = multiply(&products[i].terms, terms);
                    let fits = extent.is_none_or(|extent| extent.spans(&terms));
                    if !fits || products.len() > System::MOST_CANDIDATES {
                        continue;
                    }
                    let relation =
                        if *relation == Relation::Positive { products[i].relation } else { *relation };
                    let origin = Origin::Product(chosen.iter().copied().chain([factor]).collect());
                    products.push(Candidate { origin, terms, relation });
                }
            }
            level = level.end..products.len();
        }
        products
    }

    /// A product times every monomial of signed variables that keeps it within the extent.
    fn shifted(&self, product: &Candidate, extent: &Extent) -> Vec<Candidate> {
        // Shifts of the first variables, and the least degree that they lead to.
        let mut shifts = vec![(Exponents::new(), 0)];
        for j in 0..self.variables.len() {
            let (low, high) = powers_of(&product.terms, j);
            let room = extent.least[j] - low..=extent.greatest[j] - high;
            let allowed = |power: &i32| *power == 0 || self.sign_of(j, power.signum()).is_some();
            let steps: Vec<i32> = room.filter(allowed).collect();
            let mut longer = Vec::new();
            for (shift, degree) in &shifts {
                if self.watch.is_over() {
                    return Vec::new();
                }
                for &step in &steps {
                    let degree = degree + low + step - extent.least[j];
                    if degree <= extent.degree {
                        longer.push((shift.iter().copied().chain([step]).collect(), degree));
                    }
                }
            }
            shifts = longer;
        }
        let shifts = shifts.into_iter().filter_map(|(shift, _)| self.shift(product, &shift));
        shifts.filter(|candidate| candidate.terms.keys().all(|monomial| extent.holds(monomial))).collect()
    }

    /// The constraint that says that a power of a variable is positive.
    fn sign_of(&self, variable: usize, power: i32) -> Option<usize> {
        let found = self.signs.iter().find(|&&(j, exponent, _)| (j, exponent) == (variable, power));
        found.map(|&(_, _, constraint)| constraint)
    }

    fn shift(&self, product: &Candidate, shift: &Exponents) -> Option<Candidate> {
        let Origin::Product(mut factors) = product.origin.clone() else { return None };
        let (mut terms, mut relation) = (product.terms.clone(), product.relation);
        for (j, &power) in shift.iter().enumerate().filter(|(_, power)| **power != 0) {
            let sign = self.sign_of(j, power.signum())?;
            for _ in 0..power.unsigned_abs() {
                factors.push(sign);
                terms = multiply(&terms, &self.constraints[sign].0);
                if self.constraints[sign].1 == Relation::NonNegative {
                    relation = Relation::NonNegative;
                }
            }
        }
        factors.sort_unstable();
        Some(Candidate { origin: Origin::Product(factors), terms, relation })
    }

    /// Adds the equations times those monomials that bring one of their terms onto a monomial that is there already.
    fn with_equations(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let is_equation = |&i: &usize| self.constraints[i].1 == Relation::Zero;
        let equations: Vec<usize> = (0..self.constraints.len()).filter(is_equation).collect();
        if equations.is_empty() {
            return candidates;
        }
        let own = equations.iter().flat_map(|&i| self.constraints[i].0.keys());
        let present: BTreeSet<Exponents> =
            candidates.iter().flat_map(|candidate| candidate.terms.keys()).chain(own).cloned().collect();
        let extent = Extent::of(self.variables.len(), present.iter());
        for i in equations {
            if self.watch.is_over() {
                break;
            }
            let (equation, relation) = &self.constraints[i];
            let quotients = present.iter().flat_map(|monomial| {
                equation.keys().map(move |term| monomial.iter().zip(term).map(|(a, b)| a - b).collect())
            });
            let quotients: BTreeSet<Exponents> =
                quotients.filter(|quotient| extent.holds(quotient)).collect();
            for quotient in quotients {
                let terms = multiply(&Terms::from([(quotient.clone(), Rational::ONE)]), equation);
                if terms.keys().all(|monomial| extent.holds(monomial)) {
                    let origin = Origin::Multiple(quotient, i);
                    candidates.push(Candidate { origin, terms, relation: *relation });
                }
            }
        }
        candidates
    }
}

/// The variable and its power, 1 or -1, if the constraint says that it is positive or at least not negative.
fn signed_variable(terms: &Terms, relation: Relation) -> Option<(usize, i32)> {
    let (monomial, coefficient) = terms.iter().next().filter(|_| terms.len() == 1)?;
    let variable = monomial.iter().position(|&power| power != 0)?;
    let single = monomial.iter().map(|power| power.abs()).sum::<i32>() == 1;
    let signed = relation != Relation::Zero && coefficient.is_positive() && single;
    signed.then_some((variable, monomial[variable]))
}

fn multiply(a: &Terms, b: &Terms) -> Terms {
    let mut product = Terms::new();
    for (left, c) in a {
        for (right, d) in b {
            let monomial = left.iter().zip(right).map(|(x, y)| x + y).collect();
            let sum = product.entry(monomial).or_insert(Rational::ZERO);
            *sum = &*sum + c * d;
        }
    }
    product.retain(|_, coefficient| !coefficient.is_zero());
    product
}
