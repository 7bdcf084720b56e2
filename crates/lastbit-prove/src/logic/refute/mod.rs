//! Refutations: inputs and an event that lose more than is claimed, with exact probabilities.
//!
//! [`refute`] looks for two neighbouring inputs and a set of outputs with `P(first) - e^ε·P(second) > δ`. Numbers are tried for the
//! parameters and the inputs; what a program returns then has an exact law ([`Quotient`]s of sums of exponentials), because every
//! path through it is a polyhedron of noises. The search is led by doubles; whether the claim is exceeded is decided exactly. That nothing
//! is found proves nothing.
//!
//! ```
//! use lastbit_lang::parse;
//! use lastbit_prove::logic::refute::{Options, RefutationOutcome, refute};
//!
//! let (file, _) = parse("
//!     mechanism laplace(x: real) -> real
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ lap(1 / (2 * eps));  return x + z }");
//! let outcome = refute(&file, &file.declarations[0], &Default::default(), &Options::default())?;
//! let RefutationOutcome::Refuted(witness) = outcome else { panic!("the noise is too small") };
//! assert!(witness.exceeds_claim());
//! assert_eq!(witness.observation.to_string(), "r <= 0");
//! assert_eq!(witness.probabilities[1].to_string(), "1/2·e^-2");
//! # Ok::<(), lastbit_prove::logic::refute::RefuteError>(())
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `parameters` | numbers for parameters that are left open |
//! | `neighbours` | pairs of inputs, by linear programming |
//! | `inhabited` | whether there are any |
//! | `model` | the probability of an event |
//! | `template` | which events are tried |
//! | `explore`, `climb` | which inputs are tried, and how the best are improved |
//! | `at_inputs` | events at two inputs that are given |
//! | `discrete` | programs with discrete Laplace noise, through the exact audit |

mod at_inputs;
mod climb;
mod discrete;
mod event;
mod explore;
mod hunt;
mod inhabited;
mod model;
mod neighbours;
mod parameters;
mod quotient;
mod setting;
mod template;
#[cfg(test)]
mod tests;
mod witness;

use std::collections::BTreeMap;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::Program;
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::kernel::{self, KernelError};
pub use at_inputs::{EventAt, events_at};
pub use event::{Event, Part};
use hunt::{Hunt, Step};
pub use inhabited::{Example, Neighbours, neighbours};
pub use quotient::Quotient;
use setting::Setting;
pub use witness::{Observation, Probability, Witness};

/// The effort of a search for a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// About how many probabilities are computed at most.
    pub evaluations: usize,
    /// Whether to go on after the first witness, to the largest loss that can be found.
    pub worst: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { evaluations: 20_000, worst: false }
    }
}

/// The outcome of a search for a witness.
#[derive(Clone, Debug)]
pub enum RefutationOutcome {
    /// The claim is false.
    Refuted(Witness),
    /// Nothing exceeds the claim, as far as was looked.
    NotFound {
        /// The number of probabilities that were computed.
        tried: usize,
        /// The witness with the largest loss. It does not exceed the claim.
        closest: Option<Witness>,
    },
}

/// The reason why no search is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefuteError {
    /// The program cannot be run on symbols.
    #[error(transparent)]
    Program(#[from] KernelError),
    /// The claim is not a number.
    #[error("`{0}` claims no number")]
    NoClaim(String),
    /// At no numbers that were tried for the parameters there is a rational claim about neighbours.
    #[error(
        "no values were found for the parameters of `{0}` with a rational claim and neighbouring inputs; give some"
    )]
    Parameters(String),
    /// No probability could be computed.
    #[error(
        "the probabilities of `{0}` are out of reach: its noise does not act linearly, or there is too much of it"
    )]
    OutOfReach(String),
}

/// Looks for a witness against the claim of a declaration. Parameters without a value are chosen, too.
///
/// # Errors
/// If there is no claim, or no probability of the program can be computed.
pub fn refute(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
    options: &Options,
) -> Result<RefutationOutcome, RefuteError> {
    refute_with(file, declaration, values, options, &Watch::default(), &mut |_| {})
}

/// Like [`refute`], until the watch is over; `progress` receives the number of probabilities that have been computed.
///
/// # Errors
/// As [`refute`].
pub fn refute_with(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
    options: &Options,
    watch: &Watch,
    progress: &mut dyn FnMut(usize),
) -> Result<RefutationOutcome, RefuteError> {
    let name = || declaration.name.text.clone();
    let open = Program::new(file, declaration, values).map_err(KernelError::from)?.watched(watch);
    let claim = kernel::claim(&open)?.ok_or_else(|| RefuteError::NoClaim(name()))?;
    let mut settings = Vec::new();
    // Some of the values that are tried may be none that the program is meant for.
    let mut failures = Vec::new();
    for parameters in parameters::candidates(&open, values, &claim.0)? {
        match Setting::new(file, declaration, parameters, watch) {
            Ok(setting) => settings.extend(setting),
            Err(error) => failures.push(error),
        }
    }
    if settings.is_empty() && !failures.is_empty() {
        return Err(failures.remove(0));
    }
    if settings.is_empty() {
        return Err(RefuteError::Parameters(name()));
    }
    let mut hunt = Hunt::new(options, watch, progress);
    if let Err(witness) = look(&settings, &mut hunt, options.evaluations) {
        return Ok(RefutationOutcome::Refuted(*witness));
    }
    if hunt.is_empty() {
        return Err(RefuteError::OutOfReach(name()));
    }
    let tried = hunt.tried();
    Ok(match hunt.into_best() {
        Some(witness) if witness.exceeds_claim() => RefutationOutcome::Refuted(witness),
        closest => RefutationOutcome::NotFound { tried, closest },
    })
}

/// First a look everywhere, then what is best at each setting is improved; each has the same share of the evaluations.
fn look(settings: &[Setting<'_>], hunt: &mut Hunt<'_>, evaluations: usize) -> Step<()> {
    let share = evaluations / (2 * settings.len());
    let mut best = Vec::new();
    for setting in settings {
        hunt.allow(share);
        best.push(setting.explore(hunt)?);
    }
    for (setting, candidate) in settings.iter().zip(best) {
        hunt.allow(share);
        candidate.map_or(Ok(()), |candidate| setting.climb(hunt, candidate))?;
    }
    Ok(())
}
