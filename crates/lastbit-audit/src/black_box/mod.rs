//! A test of any noise, from its outputs alone.
//!
//! Samples for two inputs, drawn independently and from one distribution each. An event in the *bits* of an output is looked for whose
//! probabilities differ by more than a claim allows: multiples of powers of two, trailing zeros, single values, sets of
//! them, thresholds, and, for known inputs, the doubles that a sum can reach.
//!
//! Every other sample chooses one event and one direction; the rest test it. What was chosen does not depend on what tests it, so
//! looking at many events costs no confidence. With `α = 1 - confidence`, Clopper and Pearson bound the larger probability
//! from below by `p` and the smaller one from above by `q`, each wrong with probability at most `α/2`. Under a claim of `(ε, δ)`,
//! `p - δ > e^ε·q` then happens with probability at most `α`.
//!
//! ```
//! use lastbit::{BitSource, InsecureSeededSource};
//! use lastbit_audit::black_box::Attack;
//! use lastbit_real::Rational;
//!
//! // The textbook: x - sgn(u)·ln(1 - 2|u|), with u uniform in (-1/2, 1/2).
//! let mut source = InsecureSeededSource::<u64>::from_seed(1);
//! let mut textbook = |x: f64| {
//!     let u = (source.next_word() >> 11) as f64 / 2f64.powi(53) - 0.5;
//!     x - u.signum() * (1.0 - 2.0 * u.abs()).ln()
//! };
//! let at_zero: Vec<f64> = (0..5000).map(|_| textbook(0.0)).collect();
//! let at_one: Vec<f64> = (0..5000).map(|_| textbook(1.0)).collect();
//!
//! let attack = Attack::new("0.999".parse()?)?;
//! let finding = attack.run([&at_zero, &at_one])?;
//! assert_eq!(finding.event.to_string(), "y is not a multiple of 2^-53");
//! assert_eq!(finding.favoured, 0);
//! assert!(finding.exceeds(&Rational::from(4))); // and the claim was 1
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chernoff;
mod clopper_pearson;
mod error;
mod event;
mod finding;
mod power;
mod propose;
mod ranking;
mod up;
mod value;
mod watch;

pub use error::AttackError;
pub use event::Event;
pub use finding::{Count, Finding};
pub use value::Value;

use lastbit_real::Rational;

use finding::loss_lower_bound;
use propose::Candidate;
use watch::{Watch, both};

/// Fewer samples than this leave nothing to choose by, or nothing to test with.
const LEAST_SAMPLES: usize = 4;

/// A test of a claim of privacy, by samples for two inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Attack {
    confidence: Rational,
    delta: Rational,
    inputs: Option<[f64; 2]>,
}

impl Attack {
    /// A test that accuses the innocent with probability at most `1 - confidence`.
    pub fn new(confidence: Rational) -> Result<Attack, AttackError> {
        if !confidence.is_positive() || confidence >= Rational::ONE {
            return Err(AttackError::Confidence(confidence));
        }
        Ok(Attack { confidence, delta: Rational::ZERO, inputs: None })
    }

    /// The same for a claim of `(ε, δ)`: 0 unless it is said.
    pub fn with_delta(self, delta: Rational) -> Result<Attack, AttackError> {
        if delta.is_negative() || delta >= Rational::ONE {
            return Err(AttackError::Delta(delta));
        }
        Ok(Attack { delta, ..self })
    }

    /// The same, with what was given to the mechanism: this allows events about sums of an input and a double.
    pub fn with_inputs(self, inputs: [f64; 2]) -> Result<Attack, AttackError> {
        if let Some(input) = inputs.into_iter().find(|x| !x.is_finite()) {
            return Err(AttackError::Input(input.to_string()));
        }
        Ok(Attack { inputs: Some(inputs), ..self })
    }

    /// The event that tells the inputs apart best, with a bound on what it says about the loss.
    ///
    /// The samples of each input have to be independent of each other and of one distribution. The two slices may differ in
    /// length.
    pub fn run(&self, samples: [&[f64]; 2]) -> Result<Finding, AttackError> {
        self.run_while(samples, &|| true)
    }

    /// The same while `goes_on` says yes, which is asked every few milliseconds; [`AttackError::Cancelled`] once it says no.
    pub fn run_while(
        &self,
        samples: [&[f64]; 2],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Finding, AttackError> {
        for (input, samples) in samples.iter().enumerate() {
            let found = samples.len();
            if found < LEAST_SAMPLES {
                return Err(AttackError::TooFewSamples { input, found, least: LEAST_SAMPLES });
            }
        }
        let [choosing, testing] = [0, 1].map(|start| {
            samples.map(|samples| samples.iter().copied().skip(start).step_by(2).collect::<Vec<f64>>())
        });
        self.choose_and_test([&choosing[0], &choosing[1]], [&testing[0], &testing[1]], Watch(goes_on))
    }

    fn alpha(&self) -> Rational {
        alpha(&self.confidence)
    }

    fn choose_and_test(
        &self,
        choosing: [&[f64]; 2],
        testing: [&[f64]; 2],
        watch: Watch<'_>,
    ) -> Result<Finding, AttackError> {
        let alpha = self.alpha();
        let candidates = propose::candidates(choosing, self.inputs, watch)?;
        let events_tried = candidates.len();
        let (Candidate { event, counts: chosen }, favoured) = ranking::best(candidates, &self.delta, &alpha);

        let tested = both(testing, |samples| Count::of(&event, samples.iter().copied(), watch))?;
        let p = clopper_pearson::lower(tested[favoured], &alpha);
        watch.check()?;
        let q = clopper_pearson::upper(tested[1 - favoured], &alpha);
        let loss_lower_bound = loss_lower_bound(&p, &q, &self.delta);
        Ok(Finding {
            event,
            favoured,
            chosen,
            tested,
            probabilities: if favoured == 0 { [p, q] } else { [q, p] },
            loss_lower_bound,
            confidence: self.confidence.clone(),
            delta: self.delta.clone(),
            events_tried,
        })
    }
}

/// What may go wrong with each of the two bounds: half of what may go wrong.
fn alpha(confidence: &Rational) -> Rational {
    (Rational::ONE - confidence) * Rational::pow2(-1)
}

/// The name of an input by its number.
fn ordinal(input: usize) -> &'static str {
    if input == 0 { "first" } else { "second" }
}

#[cfg(test)]
mod tests;
