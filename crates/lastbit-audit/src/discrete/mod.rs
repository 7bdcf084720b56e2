//! The exact privacy loss of discrete programs: all outputs with their probabilities, for two inputs.
//!
//! A program of the language is run on the distribution of its states, statement by statement, and states that have become
//! equal are one. Nothing is recognised by its name or shape: any program is read whose samples are `sign`, `bernoulli`,
//! `choose` and `dlap`, and whose arithmetic is exact.
//!
//! - Numbers are exact fractions. What is not rational, as `exp(eps)`, is enclosed, and can be a probability, a weight or a
//!   scale; where the course of the program depends on it, its enclosure must tell.
//! - A sample of `dlap` has infinitely many values, and is not looked at before something depends on it. Adding to it and
//!   multiplying it leave it as it is; a comparison with an exact number tells only on which side it lies, with the exact
//!   probability of both. What is returned unseen has exact tails: all values beyond the last centre are one outcome.
//! - Where its value is needed after all, as to compare two samples, the tails beyond about `2^-precision` are not told apart.
//!   They are run like the rest, and a comparison that depends on where in a tail a number lies is taken both ways: the
//!   probabilities are enclosed. Only if such a number is returned, the output may be anything, and the loss is known from
//!   below only.
//!
//! ```
//! use lastbit_audit::ExactLoss;
//! use lastbit_audit::discrete::{Argument, ClaimVerdict, Inputs, Options, Parameters, audit};
//! use lastbit_lang::parse;
//!
//! let (file, _) = parse("
//!     mechanism count(x: int) -> grid
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ dlap(1 / (2 * eps), 0);  return x + z }");
//! let parameters: Parameters = [("eps".to_owned(), "1/2".parse()?)].into();
//! let input = |x: i64| Inputs::from([("x".to_owned(), Argument::Number(x.into()))]);
//! let (first, second) = (input(3), input(4));
//! let report = audit(&file, &file.declarations[0], &parameters, [&first, &second], &Options::default())?;
//!
//! // The noise is half as large as it should be: the loss is 1, not 1/2.
//! let ExactLoss::Finite(loss) = report.loss() else { panic!("a finite loss") };
//! assert!(loss.contains(&1.into()));
//! assert_eq!(report.claim.unwrap().verdict, ClaimVerdict::Violated);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod axis;
mod conditions;
mod error;
mod expression;
mod inputs;
mod law;
mod liveness;
mod noisy;
mod number;
mod outputs;
mod report;
mod run;
mod sample;
mod state;
mod tail;

use lastbit_lang::ast::{ClauseKind, Declaration};
use lastbit_lang::{File, check, over_the_reals};
use lastbit_real::{Enclosure, Rational};

pub use conditions::Unmet;
pub use error::{DiscreteError, Fault};
pub use inputs::{Argument, Inputs, Parameters};
pub use report::{Claim, ClaimVerdict, DiscreteReport};

use expression::Scope;
use law::Laws;
use number::{Arithmetic, Number};
use outputs::Outputs;
use report::compared;
use run::Run;

/// Largest precision.
const MAX_PRECISION: u32 = 4096;
/// Working bits beyond the precision.
const GUARD_BITS: u32 = 64;
/// Largest ε in magnitude at which divergences are computed, as a power of two.
const MAX_EPSILON_LOG2: i64 = 15;

/// The options of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Tails are cut off where they weigh about `2^-precision`. At most 4096.
    pub precision: u32,
    /// Most states at a time, and most outputs.
    pub budget: u64,
    /// The ε of divergences; without one, that of the claim if it is exact, else 0.
    pub epsilon: Option<Rational>,
}

impl Default for Options {
    fn default() -> Options {
        Options { precision: 64, budget: 1 << 18, epsilon: None }
    }
}

/// The privacy loss of a mechanism between two inputs.
///
/// Inputs that are not neighbours are compared too; the report says which clause they do not satisfy.
pub fn audit(
    file: &File,
    declaration: &Declaration,
    parameters: &Parameters,
    inputs: [&Inputs; 2],
    options: &Options,
) -> Result<DiscreteReport, DiscreteError> {
    checked(file)?;
    inputs::without_floats(declaration)?;
    over_the_reals(file, declaration).map_err(|message| DiscreteError::Language(vec![message]))?;
    let precision = options.precision.min(MAX_PRECISION);
    let bits = precision + GUARD_BITS;
    let mut scopes = inputs::scopes(file, declaration, parameters, inputs, bits)?;
    let unmet = conditions::unmet(file, declaration, &mut scopes)?;
    let claimed = claimed(declaration, &scopes[0])?;
    let epsilon = epsilon(options, claimed.as_ref().map(|(epsilon, _)| epsilon))?;

    let mut laws = Laws::new(bits);
    let mut returned = Vec::new();
    let mut rests = Vec::new();
    for scope in scopes {
        let mut run = Run::new(scope, &mut laws, precision, options.budget);
        run.body(&declaration.body)?;
        returned.push(run.returned);
        rests.push(run.rest);
    }
    let (Ok(returned), Ok(mut rest)) = (returned.try_into(), <[Enclosure; 2]>::try_from(rests)) else {
        unreachable!("there are two runs")
    };
    let mut outputs = Outputs { laws: &mut laws, bits, precision, budget: options.budget };
    let outcomes = outputs.outcomes(returned, &mut rest)?;

    let arithmetic = Arithmetic { samples: &Default::default(), bits };
    let enclosed = |number: &Number| arithmetic.enclosure(number).map_err(inputs::error);
    let comparison = compared(&outcomes, &epsilon);
    let claim = match claimed {
        None => None,
        Some((epsilon, None)) => Some(Claim::pure(enclosed(&epsilon)?, &comparison.loss(bits))),
        Some((epsilon, Some(delta))) => {
            let epsilon = enclosed(&epsilon)?;
            in_range(&Rational::from(epsilon.abs().hi()))?;
            Some(Claim::approximate(epsilon, enclosed(&delta)?, &outcomes))
        }
    };
    let name = declaration.name.text.clone();
    Ok(DiscreteReport { name, comparison, outcomes, rest, epsilon, claim, unmet, bits })
}

/// The clauses `adjacent` and `assume` that two inputs do not satisfy. Clauses speak about real numbers, also those of a mechanism over floats.
///
/// # Errors
/// If an input is outside of its declared range, or a clause cannot be evaluated.
pub fn unmet(
    file: &File,
    declaration: &Declaration,
    parameters: &Parameters,
    inputs: [&Inputs; 2],
) -> Result<Vec<Unmet>, DiscreteError> {
    checked(file)?;
    let bits = Options::default().precision + GUARD_BITS;
    let mut scopes = inputs::scopes(file, declaration, parameters, inputs, bits)?;
    conditions::unmet(file, declaration, &mut scopes)
}

/// The `assume` clauses about parameters alone that these values violate: a claim says nothing about such values.
///
/// # Errors
/// If a value is missing or outside of its declared range, or a clause cannot be evaluated.
pub fn unmet_by_parameters(
    file: &File,
    declaration: &Declaration,
    parameters: &Parameters,
) -> Result<Vec<Unmet>, DiscreteError> {
    checked(file)?;
    let bits = Options::default().precision + GUARD_BITS;
    let scope = inputs::of_parameters(file, declaration, parameters, Default::default(), bits)?;
    conditions::unmet_by_parameters(file, declaration, &scope)
}

fn checked(file: &File) -> Result<(), DiscreteError> {
    let messages = check(file);
    if messages.is_empty() { Ok(()) } else { Err(DiscreteError::Language(messages)) }
}

/// What is claimed, at the parameters: ε, and δ if the claim has one.
fn claimed(
    declaration: &Declaration,
    scope: &Scope<'_>,
) -> Result<Option<(Number, Option<Number>)>, DiscreteError> {
    for clause in &declaration.clauses {
        match clause.kind {
            ClauseKind::ClaimPure(Some(epsilon)) => return Ok(Some((scope.clause(epsilon)?, None))),
            ClauseKind::ClaimApprox(epsilon, delta) => {
                return Ok(Some((scope.clause(epsilon)?, Some(scope.clause(delta)?))));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The ε of divergences.
fn epsilon(options: &Options, claimed: Option<&Number>) -> Result<Rational, DiscreteError> {
    let of_claim = match claimed {
        Some(Number::Exact(epsilon)) => Some(epsilon),
        _ => None,
    };
    let epsilon = options.epsilon.as_ref().or(of_claim).cloned().unwrap_or_default();
    in_range(&epsilon).map(|()| epsilon)
}

/// Refuses an ε whose exponential would be too large.
fn in_range(epsilon: &Rational) -> Result<(), DiscreteError> {
    match epsilon.abs() <= Rational::pow2(MAX_EPSILON_LOG2) {
        true => Ok(()),
        false => Err(DiscreteError::Epsilon(epsilon.clone())),
    }
}
