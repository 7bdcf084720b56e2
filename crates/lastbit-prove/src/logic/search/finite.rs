//! Proposals for samples with finitely many values.

use std::collections::BTreeSet;

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Constraint, FiniteLaw, Fresh, Path, Polynomial, Program, paths};
use lastbit_real::Rational;

use super::finder::Finder;
use crate::logic::kernel::hypotheses::exp;
use crate::logic::kernel::{Alignment, Axiom, Finite, Hypotheses, Judge, Lemma, Map, Piece, Refutation};

/// What programs with finitely many samples are proved by: every sample keeps its value, or all outputs are enumerated.
pub(super) struct Proposals {
    /// Samples keep their values; the one whose law depends on the input pays for it.
    pub identity: Option<Alignment>,
    /// All outputs.
    pub enumeration: Finite,
}

/// Proposals, if all samples have finitely many values.
pub(super) fn proposals(
    program: &Program<'_>,
    hypotheses: &Hypotheses,
    cost: &Polynomial,
    finder: &mut Finder,
) -> Option<Proposals> {
    let runs = [Side::One, Side::Two].map(|side| paths(program, side, &Fresh).unwrap_or_default());
    let all: Vec<&Path> = runs.iter().flatten().collect();
    if all.is_empty() || all.iter().any(|path| !path.samples.is_empty()) {
        return None;
    }
    let axioms = axioms(&runs, hypotheses, cost, finder);
    let mut piece = Piece::default();
    for path in &runs[0] {
        for choice in &path.choices {
            if piece.maps.contains_key(&choice.name) {
                continue;
            }
            let other = runs[1].iter().flat_map(|path| &path.choices).find(|other| other.name == choice.name);
            if other.is_some_and(|other| other.law != choice.law) {
                let stay = Map::Permute((0..choice.law.weights.len()).collect());
                let other = other.map_or(&choice.law, |other| &other.law);
                shares(&choice.law, other, cost).into_iter().for_each(|lemma| finder.suggest(lemma));
                piece.maps.insert(choice.name.clone(), (stay, cost.clone()));
            }
        }
    }
    let identity = (piece.maps.len() == 1).then(|| Alignment { axioms: axioms.clone(), pieces: vec![piece] });
    Some(Proposals { identity, enumeration: Finite { axioms } })
}

/// What may be needed of `exp` and reciprocals: signs, that `e^ε >= 1 + ε`, and how far apart the two runs' exponentials can be.
fn axioms(
    runs: &[Vec<Path>; 2],
    hypotheses: &Hypotheses,
    cost: &Polynomial,
    finder: &mut Finder,
) -> Vec<Axiom> {
    let exponents = |run: &[Path]| -> BTreeSet<Polynomial> {
        let applications = run.iter().flat_map(|path| path.applications.values());
        applications.filter(|a| a.function == "exp").map(|a| a.arguments[0].clone()).collect()
    };
    let [first, second] = [exponents(&runs[0]), exponents(&runs[1])];
    let half = cost.scale(&Rational::pow2(-1));
    let mut positive: BTreeSet<Polynomial> = first.union(&second).cloned().collect();
    positive.insert(cost.clone());
    let mut axioms = Vec::new();
    let mut apart = Vec::new();
    for (from, to) in [(&first, &second), (&second, &first)] {
        for p in from.difference(to) {
            // The same expression in the other run.
            for q in to.difference(from).filter(|q| in_other_run(p) == q.to_string()) {
                let known: Vec<&Constraint> = hypotheses.constraints.iter().collect();
                // The least of a few distances; a smaller one is of more use.
                let near = [&half, cost].into_iter().find(|distance| {
                    let exceeds = Constraint::positive(&(p - q) - distance);
                    finder.are_refuted(&[known.as_slice(), &[&exceeds]].concat())
                });
                apart.extend(
                    near.map(|near| Axiom::ExpAtMost(vec![p.clone()], vec![near.clone(), q.clone()])),
                );
            }
        }
    }
    if !apart.is_empty() {
        positive.insert(half.clone());
        axioms.push(Axiom::ExpAtMost(vec![half.clone(), half], vec![cost.clone()]));
    }
    axioms.extend(positive.into_iter().filter(|p| !p.is_zero()).map(Axiom::ExpPositive));
    axioms.push(Axiom::ExpTangent(cost.clone()));
    axioms.extend(apart);
    let applications = runs.iter().flatten().flat_map(|path| path.applications.values());
    let divisors = applications.filter(|a| a.function == "recip").map(|a| a.arguments[0].clone());
    // Of a total that is more than one term, the reciprocal is a symbol.
    let totals = runs.iter().flatten().flat_map(|path| &path.choices).map(|choice| choice.law.total.clone());
    let totals = totals.filter(|total| total.inverse().is_none());
    let reciprocals: BTreeSet<Polynomial> = divisors.chain(totals).collect();
    axioms.extend(reciprocals.into_iter().map(Axiom::Reciprocal));
    axioms
}

/// The text of a polynomial with the two runs exchanged.
fn in_other_run(p: &Polynomial) -> String {
    let mut names = std::collections::BTreeMap::new();
    for symbol in p.variables() {
        let other = match (symbol.strip_suffix("<1>"), symbol.strip_suffix("<2>")) {
            (Some(name), _) => format!("{name}<2>"),
            (_, Some(name)) => format!("{name}<1>"),
            _ => continue,
        };
        names.insert(symbol, Polynomial::variable(other));
    }
    p.substitute(&names).unwrap_or_else(|| p.clone()).to_string()
}

/// Why weights `e^p` that each change by a factor of at most `h = e^(ε/2)` change shares by at most `e^ε`: with `α_i <= h·β_i` and `β_i <= h·α_i`,
/// `α_j·Σβ - e^ε·β_j·Σα = -Σ β_i·(h·β_j - α_j) - Σ h·β_j·(h·α_i - β_i) - Σ β_j·α_i·(e^ε - h²)`.
fn shares(first: &FiniteLaw, second: &FiniteLaw, cost: &Polynomial) -> Vec<Lemma> {
    let h = exp(&cost.scale(&Rational::pow2(-1)));
    let e = exp(cost);
    let at_most = |p: &Polynomial, q: &Polynomial| Constraint::non_negative(&(&h * q) - p);
    let pairs: Vec<(&Polynomial, &Polynomial)> = first.weights.iter().zip(&second.weights).collect();
    let mut lemmas = Vec::new();
    for (alpha, beta) in &pairs {
        let left = *alpha * &second.total;
        let right = &e * &(*beta * &first.total);
        let mut constraints = vec![
            Constraint::positive(&left - &right),
            Constraint::positive(h.clone()),
            Constraint::positive((*beta).clone()),
            at_most(alpha, beta),
            Constraint::non_negative(&e - &(&h * &h)),
        ];
        let mut products = vec![(Rational::ONE, vec![0])];
        for (alpha_i, beta_i) in &pairs {
            let next = constraints.len();
            constraints.push(Constraint::positive((*alpha_i).clone()));
            constraints.push(Constraint::positive((*beta_i).clone()));
            constraints.push(at_most(beta_i, alpha_i));
            let terms = [vec![next + 1, 3], vec![1, 2, next + 2], vec![2, next, 4]];
            products.extend(terms.map(|factors| (Rational::ONE, factors)));
        }
        let refutation = Refutation { products, multiples: Vec::new() };
        lemmas.push(Lemma { constraints, refutation });
    }
    lemmas
}
