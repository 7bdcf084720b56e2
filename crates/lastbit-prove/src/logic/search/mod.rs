//! The search for proofs. It is clever and not trusted: what it finds goes through the [`kernel`].
//!
//! A [`search`] tries its strategies in turn for every way in which inputs can be neighbours. A strategy makes a proposal; the
//! kernel's own rules then ask for lemmas, and the [`Finder`] looks for them.

mod finder;
mod finite;
pub(crate) mod handelman;
mod point;
mod shifts;
pub(crate) mod simplex;

use std::collections::BTreeSet;
use std::fmt;

use lastbit_lang::ast::{Scalar, Side};
use lastbit_lang::symbolic::{Constraint, Fresh, Law, Polynomial, Program, Value, paths};

use super::kernel::{
    self, Event, Hypotheses, Judge, KernelError, Leaf, Proof, Theorem, check_leaves, check_one, hypotheses,
};
use super::oracle::Z3;
pub use finder::Finder;
pub(crate) use point::parameters_at;
use point::points;
use shifts::{NoShift, shifts};

/// A way to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Strategy {
    /// The same samples in both runs, or shifted ones.
    Shifts,
    /// For each output shifts of its own.
    Pointwise,
    /// The probability of what gives an output.
    Events,
    /// All outputs.
    Enumeration,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Shifts => "identity couplings and linear shifts",
            Strategy::Pointwise => "pointwise equality with shifts",
            Strategy::Events => "preimage and event",
            Strategy::Enumeration => "enumeration",
        })
    }
}

/// A strategy that did not work.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// The strategy that was tried.
    pub strategy: Strategy,
    /// For which inputs.
    pub case: String,
    /// The point at which it failed.
    pub failure: Failure,
}

/// The point where a strategy failed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It does not apply.
    NotApplicable(String),
    /// Its proposal, and the premise of a rule that could not be shown.
    Refused(KernelError),
}

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Search {
    /// The proof, and what it proves.
    pub proved: Option<(Proof, Theorem)>,
    /// The strategies that worked, by case.
    pub strategies: BTreeSet<Strategy>,
    /// The strategies that did not work.
    pub attempts: Vec<Attempt>,
    /// Premises for which there is an oracle's word only. If there are any, nothing is proved.
    pub vouched: Vec<Vec<Constraint>>,
}

/// Looks for a proof of what is claimed, or of the least that shifts of noise cost if nothing is.
///
/// # Errors
/// If the program cannot be run on symbols.
pub fn search(program: &Program<'_>) -> Result<Search, KernelError> {
    search_with(program, None)
}

/// As [`search`]; where no lemma is found, an oracle is believed, and nothing is proved.
///
/// # Errors
/// As [`search`].
pub(crate) fn search_with(program: &Program<'_>, oracle: Option<Z3>) -> Result<Search, KernelError> {
    let watch = program.watch();
    let mut finder = Finder::new(watch).with_oracle(oracle);
    let mut found =
        Search { proved: None, strategies: BTreeSet::new(), attempts: Vec::new(), vouched: Vec::new() };
    let all = hypotheses(program)?;
    let cost = match kernel::claim(program)? {
        Some((epsilon, _)) => epsilon,
        None => match inferred(program, &all) {
            Some(cost) => cost,
            None => return Ok(found),
        },
    };
    let mut leaves = Vec::new();
    for (index, case) in all.iter().enumerate() {
        watch.doing(|| format!("looking for a proof, case {} of {}", index + 1, all.len()));
        match leaf(program, case, &cost, &mut finder, &mut found) {
            Some(leaf) => leaves.push(leaf),
            None => return Ok(found),
        }
    }
    watch.doing(|| "checking the proof that was found".into());
    let theorem = check_leaves(program, &cost, &leaves, &mut finder)?;
    if finder.vouched.is_empty() {
        let proof = Proof { cost, leaves, lemmas: finder.lemmas };
        found.proved = Some((proof, theorem));
    }
    found.vouched = finder.vouched;
    Ok(found)
}

/// The largest cost of the cheapest shifts, where the parameters are 1.
fn inferred(program: &Program<'_>, all: &[Hypotheses]) -> Option<Polynomial> {
    let mut most: Option<Polynomial> = None;
    for case in all {
        let at = parameters_at(program, case);
        let value = |p: &Polynomial| p.substitute(&at).and_then(|p| p.as_constant());
        for cost in shifts(program, case, &at).ok()?.costs {
            if most.as_ref().is_none_or(|most| value(most) < value(&cost)) {
                most = Some(cost);
            }
        }
    }
    most
}

/// Tries one strategy after the other.
fn leaf(
    program: &Program<'_>,
    case: &Hypotheses,
    cost: &Polynomial,
    finder: &mut Finder,
    found: &mut Search,
) -> Option<Leaf> {
    if finder.are_refuted(&case.constraints.iter().collect::<Vec<&Constraint>>()) {
        return Some(Leaf::Vacuous);
    }
    let mut failed = |strategy, failure| {
        found.attempts.push(Attempt { strategy, case: case.name.clone(), failure });
    };
    let mut proposals: Vec<(Strategy, Leaf)> = Vec::new();
    // What is cheapest depends on the parameters where there are several.
    for at in points(program, case) {
        if program.watch().is_over() {
            return None;
        }
        match shifts(program, case, &at) {
            Ok(shifts) => {
                let is_one = shifts.alignment.pieces.len() == 1;
                let strategy = if is_one { Strategy::Shifts } else { Strategy::Pointwise };
                let leaf = Leaf::Align(shifts.alignment);
                if !proposals.iter().any(|(_, known)| *known == leaf) {
                    proposals.push((strategy, leaf));
                }
            }
            Err(NoShift::Output(output)) => {
                let reason = format!("no linear shift of the noise keeps output {output}");
                failed(Strategy::Pointwise, Failure::NotApplicable(reason));
                break;
            }
            Err(NoShift::NoNoise) => break,
            Err(NoShift::Program(error)) => {
                failed(Strategy::Shifts, Failure::Refused(error));
                break;
            }
        }
    }
    proposals.extend(events(program).into_iter().map(|event| (Strategy::Events, Leaf::Event(event))));
    if let Some(finite) = finite::proposals(program, case, cost, finder) {
        proposals.extend(finite.identity.map(|alignment| (Strategy::Shifts, Leaf::Align(alignment))));
        proposals.push((Strategy::Enumeration, Leaf::Finite(finite.enumeration)));
    }
    for (strategy, leaf) in proposals {
        if program.watch().is_over() {
            return None;
        }
        match check_one(program, cost, case, &leaf, finder) {
            Ok(()) => {
                found.strategies.insert(strategy);
                return Some(leaf);
            }
            Err(error) => {
                let failure = Failure::Refused(error);
                found.attempts.push(Attempt { strategy, case: case.name.clone(), failure });
            }
        }
    }
    None
}

/// The variables that are `x ± c·ln(u)`, as proposals for [`Event`].
fn events(program: &Program<'_>) -> Vec<Event> {
    let Ok(all) = paths(program, Side::One, &Fresh) else { return Vec::new() };
    let Some(path) = all.first() else { return Vec::new() };
    let ([sample], [_]) = (path.samples.as_slice(), path.choices.as_slice()) else { return Vec::new() };
    if sample.law != Law::Uniform {
        return Vec::new();
    }
    let scalar = program.declaration.result.scalar;
    let pointwise = matches!(scalar, Scalar::Grid | Scalar::Int | Scalar::Sign | Scalar::Bool);
    let is_noisy = |value: &Value| match value {
        Value::Number(p) => p.split(&sample.coordinate()).is_some_and(|(_, slope)| !slope.is_zero()),
        _ => false,
    };
    let names = path.variables.iter().filter(|(_, value)| is_noisy(value)).map(|(name, _)| name.clone());
    names
        .flat_map(|variable| [0, 1].map(|positive| Event { variable: variable.clone(), positive, pointwise }))
        .collect()
}
