//! What is known of the two inputs: declared facts, adjacency, and axioms about functions that are no polynomials.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lastbit_lang::symbolic::{
    Alternative, Constraint, Law, Path, Polynomial, Program, Relation, Sample, applied,
};

use super::broken::{SideCondition, is_off};
use super::{Axiom, Context, KernelError, is_plain};

/// The direction: from the first input to the second, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first input is `<1>`, as `adjacent` says.
    Forward,
    /// `adjacent` speaks of the second input as `<1>`: it is not symmetric, and both directions are to be shown.
    Backward,
}

/// One way in which two inputs can be neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypotheses {
    /// The constraints that hold.
    pub constraints: Vec<Constraint>,
    /// A name that tells it apart from the others.
    pub name: String,
    /// The input that comes first.
    pub direction: Direction,
}

impl Hypotheses {
    /// With one more constraint.
    pub(crate) fn with(&self, constraint: Constraint) -> Hypotheses {
        let mut all = self.clone();
        all.constraints.push(constraint);
        all
    }

    /// Where the samples of a path lie: `ln(u) <= 0`, and `z >= 0` for exponential noise.
    pub(crate) fn supports(&self, path: &Path) -> Vec<Constraint> {
        let of_sample = |sample: &Sample| {
            let coordinate = Polynomial::variable(sample.coordinate());
            match sample.law {
                Law::Uniform => Some(Constraint::non_negative(-&coordinate)),
                Law::Exponential(_) => Some(Constraint::non_negative(coordinate)),
                Law::Laplace(_) | Law::DiscreteLaplace(..) => None,
            }
        };
        path.samples.iter().filter_map(of_sample).collect()
    }

    /// With the conclusions of axioms, each of whose premises is shown from what is before it.
    pub(crate) fn extended(
        &self,
        context: &mut Context<'_, '_>,
        axioms: &[Axiom],
    ) -> Result<Hypotheses, KernelError> {
        let mut all = self.clone();
        for axiom in axioms {
            context.admit(&all, axiom.arguments())?;
            if let Some(premise) = axiom.premise().filter(|_| !is_off(SideCondition::AxiomPremise)) {
                let known = all.constraints.iter().chain([&premise]);
                context.need("CONSEQ", || format!("the premise of {}", axiom.conclusions()[0]), known)?;
            }
            all.constraints.extend(axiom.conclusions());
        }
        Ok(all)
    }
}

impl Axiom {
    /// The constraint that must not hold.
    pub(crate) fn premise(&self) -> Option<Constraint> {
        match self {
            Axiom::ExpPositive(_) | Axiom::ExpTangent(_) => None,
            Axiom::ExpAtMost(left, right) => Some(Constraint::positive(&sum(left) - &sum(right))),
            Axiom::Reciprocal(p) => Some(Constraint::non_negative(-p)),
        }
    }

    fn arguments(&self) -> Vec<&Polynomial> {
        match self {
            Axiom::ExpPositive(p) | Axiom::ExpTangent(p) | Axiom::Reciprocal(p) => vec![p],
            Axiom::ExpAtMost(left, right) => left.iter().chain(right).collect(),
        }
    }

    /// The constraints that hold then.
    pub fn conclusions(&self) -> Vec<Constraint> {
        let product =
            |list: &[Polynomial]| list.iter().fold(Polynomial::constant(1), |product, p| &product * &exp(p));
        match self {
            Axiom::ExpPositive(p) => vec![Constraint::positive(exp(p))],
            Axiom::ExpTangent(p) => {
                vec![Constraint::non_negative(&(&exp(p) - p) - &Polynomial::constant(1))]
            }
            Axiom::ExpAtMost(left, right) => {
                vec![Constraint::non_negative(&product(right) - &product(left))]
            }
            Axiom::Reciprocal(p) => {
                let reciprocal = Polynomial::variable(applied("recip", std::slice::from_ref(p), ""));
                let one = Polynomial::constant(1);
                vec![Constraint::zero(&(p * &reciprocal) - &one), Constraint::positive(reciprocal)]
            }
        }
    }
}

/// `e^p`, as the language's runs name it.
pub(crate) fn exp(p: &Polynomial) -> Polynomial {
    match p.is_zero() {
        true => Polynomial::constant(1),
        false => Polynomial::variable(applied("exp", std::slice::from_ref(p), "")),
    }
}

fn sum(list: &[Polynomial]) -> Polynomial {
    list.iter().fold(Polynomial::zero(), |sum, p| &sum + p)
}

/// All ways in which two inputs can be neighbours; truth values among the inputs are each taken both ways.
///
/// # Errors
/// If the declaration cannot be read.
pub fn hypotheses(program: &Program<'_>) -> Result<Vec<Hypotheses>, KernelError> {
    let facts = program.facts()?;
    let adjacency = program.adjacency()?;
    program.allow_cases([facts.len(), adjacency.len()].into_iter())?;
    let forward: Vec<Alternative> =
        facts.iter().flat_map(|fact| adjacency.iter().map(move |way| fact.with(way))).collect();
    let watch = program.watch();
    if let (true, Some(stopped)) = (watch.is_over(), watch.stopped()) {
        return Err(KernelError::Stopped(stopped));
    }
    let symbols = forward.iter().flat_map(|way| &way.constraints).flat_map(|c| c.polynomial.variables());
    // Exchanging the runs within the name of a function's value is more than a renaming of variables.
    if symbols
        .into_iter()
        .any(|symbol| !is_plain(&symbol) && (symbol.contains("<1>") || symbol.contains("<2>")))
    {
        return Err(KernelError::Form("what is declared of the inputs must be polynomial in them".into()));
    }
    let backward: Vec<Alternative> = program.exchanged(&forward)?;
    let is_symmetric = as_sets(&forward) == as_sets(&backward);
    let named =
        |way: Alternative, direction| Hypotheses { constraints: way.constraints, name: way.name, direction };
    let mut all: Vec<Hypotheses> = forward.into_iter().map(|way| named(way, Direction::Forward)).collect();
    if !is_symmetric && !is_off(SideCondition::BothDirections) {
        all.extend(backward.into_iter().map(|way| named(way, Direction::Backward)));
    }
    Ok(all)
}

fn as_sets(ways: &[Alternative]) -> BTreeSet<BTreeSet<Cow<'_, Constraint>>> {
    ways.iter().map(|way| way.constraints.iter().map(one_form).collect()).collect()
}

/// One form for what says the same: `p = 0` and `-p = 0`, such as `a = b` and `b = a`.
pub(crate) fn one_form(constraint: &Constraint) -> Cow<'_, Constraint> {
    if constraint.relation != Relation::Zero && !is_off(SideCondition::OnlyEquationsTurn) {
        return Cow::Borrowed(constraint);
    }
    let turned = Constraint { polynomial: -&constraint.polynomial, relation: constraint.relation };
    if turned < *constraint { Cow::Owned(turned) } else { Cow::Borrowed(constraint) }
}
