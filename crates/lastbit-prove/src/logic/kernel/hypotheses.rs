//! What is known of the two inputs: declared facts, adjacency, and axioms about functions that are no polynomials.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{Scalar, Side};
use lastbit_lang::symbolic::{
    Alternative, Constraint, Law, Path, Polynomial, Program, Symbol, Value, applied,
};

use super::{Context, KernelError};

/// From which input to which.
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
    /// What holds.
    pub constraints: Vec<Constraint>,
    /// What sets it apart from the others, for people.
    pub name: String,
    /// Which input comes first.
    pub direction: Direction,
}

impl Hypotheses {
    /// With one more constraint.
    pub fn with(&self, constraint: Constraint) -> Hypotheses {
        let mut all = self.clone();
        all.constraints.push(constraint);
        all
    }

    /// Where the samples of a path lie: `ln(u) <= 0`, and `z >= 0` for exponential noise.
    pub fn supports(&self, path: &Path) -> Vec<Constraint> {
        let of_sample = |sample: &lastbit_lang::symbolic::Sample| {
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
            if let Some(premise) = axiom.premise() {
                let known = all.constraints.iter().chain([&premise]);
                context.need("CONSEQ", || format!("the premise of an axiom ({axiom})"), known)?;
            }
            all.constraints.extend(axiom.conclusions());
        }
        Ok(all)
    }
}

/// A true statement about `exp` or a reciprocal, under a premise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axiom {
    /// `e^p > 0`
    ExpPositive(Polynomial),
    /// `e^p >= 1 + p`
    ExpTangent(Polynomial),
    /// If `Σ left <= Σ right` then `Π e^left <= Π e^right`.
    ExpAtMost(Vec<Polynomial>, Vec<Polynomial>),
    /// If `p > 0` then `p·(1/p) = 1` and `1/p > 0`.
    Reciprocal(Polynomial),
}

impl Axiom {
    /// What must not hold.
    pub fn premise(&self) -> Option<Constraint> {
        match self {
            Axiom::ExpPositive(_) | Axiom::ExpTangent(_) => None,
            Axiom::ExpAtMost(left, right) => Some(Constraint::positive(&sum(left) - &sum(right))),
            Axiom::Reciprocal(p) => Some(Constraint::non_negative(-p)),
        }
    }

    /// What holds then.
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

impl std::fmt::Display for Axiom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Axiom::ExpPositive(p) => write!(f, "exp({p}) > 0"),
            Axiom::ExpTangent(p) => write!(f, "exp({p}) >= 1 + {p}"),
            Axiom::ExpAtMost(left, right) => write!(f, "exp({}) <= exp({})", sum(left), sum(right)),
            Axiom::Reciprocal(p) => write!(f, "1/({p})"),
        }
    }
}

/// `e^p`, as the language's runs name it.
pub fn exp(p: &Polynomial) -> Polynomial {
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
/// If the declaration can not be read.
pub fn hypotheses(program: &Program<'_>) -> Result<Vec<Hypotheses>, KernelError> {
    let facts = with_truth_values(program, program.facts()?);
    let forward = program.adjacency()?;
    let backward: Vec<Alternative> = forward.iter().map(|way| swapped(program, way)).collect();
    let mut directions = vec![(Direction::Forward, &forward)];
    if as_sets(&forward) != as_sets(&backward) {
        directions.push((Direction::Backward, &backward));
    }
    let mut all = Vec::new();
    for (direction, adjacency) in directions {
        for fact in &facts {
            for way in adjacency {
                let constraints = [fact.constraints.clone(), way.constraints.clone()].concat();
                let mut parts = vec![fact.name.as_str(), way.name.as_str()];
                if direction == Direction::Backward {
                    parts.push("inputs swapped");
                }
                parts.retain(|part| !part.is_empty());
                all.push(Hypotheses { constraints, name: parts.join(", "), direction });
            }
        }
    }
    Ok(all)
}

fn as_sets(ways: &[Alternative]) -> BTreeSet<BTreeSet<&Constraint>> {
    ways.iter().map(|way| way.constraints.iter().collect()).collect()
}

/// The variables of all inputs of a run, and whether they are truth values.
fn inputs(program: &Program<'_>, side: Side) -> Vec<(Polynomial, bool)> {
    let mut found = Vec::new();
    let names = program.inputs(side);
    let mut stack: Vec<Value> = names.into_values().collect();
    while let Some(value) = stack.pop() {
        match value {
            Value::Number(p) => found.push((p, false)),
            Value::Flag(p) => found.push((p, true)),
            Value::List(items) => stack.extend(items),
            _ => {}
        }
    }
    found
}

/// The two runs exchanged.
fn swapped(program: &Program<'_>, way: &Alternative) -> Alternative {
    let pairs = inputs(program, Side::One).into_iter().zip(inputs(program, Side::Two));
    let mut names: BTreeMap<Symbol, Polynomial> = BTreeMap::new();
    for ((one, _), (two, _)) in pairs {
        for (from, to) in [(&one, &two), (&two, &one)] {
            names.extend(from.variables().into_iter().map(|symbol| (symbol, to.clone())));
        }
    }
    let swap = |constraint: &Constraint| {
        let polynomial =
            constraint.polynomial.substitute(&names).unwrap_or_else(|| constraint.polynomial.clone());
        Constraint { polynomial, relation: constraint.relation }
    };
    Alternative { constraints: way.constraints.iter().map(swap).collect(), name: way.name.clone() }
}

fn with_truth_values(program: &Program<'_>, facts: Vec<Alternative>) -> Vec<Alternative> {
    let has_flags = program.declaration.arguments.iter().any(|argument| argument.ty.scalar == Scalar::Bool);
    if !has_flags {
        return facts;
    }
    let both = inputs(program, Side::One).into_iter().chain(inputs(program, Side::Two));
    let mut all = facts;
    for (flag, _) in both.filter(|(_, is_flag)| *is_flag) {
        let value = |known: &Alternative, value: i64| {
            let mut known = known.clone();
            known.constraints.push(Constraint::zero(&flag - &Polynomial::constant(value)));
            let text = format!("{flag} = {}", value == 1);
            known.name = if known.name.is_empty() { text } else { format!("{}, {text}", known.name) };
            known
        };
        all = all.iter().flat_map(|known| [value(known, 1), value(known, 0)]).collect();
    }
    all
}
