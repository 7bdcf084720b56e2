//! Is noise as private as it claims to be, as far as its outputs tell?
//!
//! ```
//! use lastbit_engine::Watcher;
//! use lastbit_engine::attack::{Question, Verdict};
//! use lastbit_real::Rational;
//!
//! let question = Question { epsilon: Some(Rational::ONE), ..Question::default() };
//! let answer = question.answer([&[0.0; 500], &[1.0; 500]], &Watcher::nobody())?;
//! assert_eq!(answer.verdict, Verdict::Leaks);
//! assert_eq!(answer.headline, "LEAKS: loss at least 3.47, above ε = 1 (confidence 99.9%)");
//! assert_eq!(answer.event, "y = 0");
//!
//! let answer = question.answer([&[0.0; 5], &[1.0; 5]], &Watcher::nobody())?;
//! assert_eq!((answer.verdict, answer.verdict.exit_code()), (Verdict::TooFewSamples, 3));
//! # Ok::<(), lastbit_engine::Refusal>(())
//! ```

mod histogram;
mod html;
mod text;

pub use histogram::{Bin, Histogram};
pub use text::{Layout, percent, plain};

use lastbit_audit::black_box::{Attack, AttackError, Count, Finding};
use lastbit_real::{Float, Rational};
use serde::Serialize;

use crate::{Number, Progress, Refusal, Schema, Watcher};

/// Digits of numbers for people.
const DIGITS: usize = 6;

/// A question: the claim about the noise, and what is known about its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The loss that is claimed; without one there is no verdict.
    pub epsilon: Option<Rational>,
    /// The `δ` that is claimed with it.
    pub delta: Rational,
    /// The confidence with which a leak must be shown.
    pub confidence: Rational,
    /// The input of the mechanism, if it is known.
    pub inputs: Option<[f64; 2]>,
    /// The names of the two sets of samples.
    pub names: [String; 2],
}

/// No claim, no `δ`, a confidence of 99.9%.
impl Default for Question {
    fn default() -> Question {
        Question {
            epsilon: None,
            delta: Rational::ZERO,
            confidence: Rational::new(999, 1000).expect("not a division by 0"),
            inputs: None,
            names: ["the first input", "the second input"].map(str::to_owned),
        }
    }
}

/// The verdict on the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The loss is above the claim, with the confidence that was asked for.
    Leaks,
    /// No loss above the claim was shown, although the samples could have shown one.
    NotSeenToLeak,
    /// Even an event that tells the inputs apart every time could not have shown a loss above the claim.
    TooFewSamples,
    /// There is no claim to compare the loss with.
    NoClaim,
}

impl Verdict {
    /// The verdict in capitals, as the first line begins.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Leaks => "LEAKS",
            Verdict::NotSeenToLeak => "NOT SEEN TO LEAK",
            Verdict::TooFewSamples => "TOO FEW SAMPLES",
            Verdict::NoClaim => "LOSS AT LEAST",
        }
    }

    /// 0 not seen to leak, or no claim; 1 leaks; 3 too few samples.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::NotSeenToLeak | Verdict::NoClaim => 0,
            Verdict::Leaks => 1,
            Verdict::TooFewSamples => 3,
        }
    }
}

/// A bound on a probability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Bound {
    /// A lower bound.
    AtLeast(Number),
    /// An upper bound.
    AtMost(Number),
}

/// The number of samples in which the event happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hits {
    /// The samples that it happened in.
    pub hits: u64,
    /// The number of samples.
    pub trials: u64,
}

impl From<Count> for Hits {
    fn from(Count { hits, trials }: Count) -> Hits {
        Hits { hits, trials }
    }
}

/// One of the two inputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Input {
    /// The name of the samples.
    pub name: String,
    /// The input of the mechanism, if it is known.
    pub value: Option<Number>,
    /// The number of samples.
    pub samples: u64,
    /// The counts in the half of the samples that chose the event.
    pub chosen: Hits,
    /// The counts in the half that tested the event. Only these count.
    pub tested: Hits,
    /// A bound on the probability of the event.
    pub probability: Bound,
}

/// The number of samples of each input that it takes to show a loss above the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Needed {
    /// The exact number for an event that always tells the inputs apart; `None` if it is beyond all practical numbers.
    pub at_least: Option<u64>,
    /// About how many it takes for an event as frequent as the one that was found; `None` if no number is enough.
    pub at_these_rates: Option<u64>,
}

/// The result of an attack.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttackAnswer {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "attack"`
    pub question: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict in one line.
    pub headline: String,
    /// The loss that is claimed.
    pub epsilon: Option<Number>,
    /// The `δ` that is claimed with it.
    pub delta: Number,
    /// The confidence of the bounds.
    pub confidence: Number,
    /// The loss is at least this.
    pub loss_lower_bound: Number,
    /// The event, a property of an output.
    pub event: String,
    /// The input, 0 or 1, under which the event is more likely.
    pub favoured: usize,
    /// Both inputs.
    pub inputs: [Input; 2],
    /// The number of events that were tried for the choice, which costs no confidence.
    pub events_tried: usize,
    /// The samples that it takes to show a loss above the claim, if there is a claim.
    pub samples_needed: Option<Needed>,
    /// The event in plain words.
    pub explanation: String,
    /// The outputs that tested the event.
    pub histogram: Histogram,
}

impl Question {
    /// Refuses what makes no sense, before any samples are taken.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn check(&self) -> Result<Attack, Refusal> {
        if let Some(epsilon) = self.epsilon.as_ref().filter(|epsilon| epsilon.is_negative()) {
            return Err(Refusal::usage(
                format!("epsilon must not be negative, but is {epsilon}"),
                "give the loss that is claimed, such as 1 or 1/10",
            ));
        }
        let attack = Attack::new(self.confidence.clone()).and_then(|a| a.with_delta(self.delta.clone()));
        match self.inputs {
            Some(inputs) => attack.and_then(|attack| attack.with_inputs(inputs)),
            None => attack,
        }
        .map_err(refused)
    }

    /// The event that tells the samples apart best, and what it says of the claim.
    ///
    /// # Errors
    /// If a number is out of its range, there are hardly any samples, or the watcher stops it.
    pub fn answer(&self, samples: [&[f64]; 2], watcher: &Watcher<'_>) -> Result<AttackAnswer, Refusal> {
        let attack = self.check()?;
        let goes_on = || {
            (watcher.progress)(Progress { doing: "attacking", share: None, message: "" });
            !watcher.is_cancelled()
        };
        let finding = attack.run_while(samples, &goes_on).map_err(refused)?;
        let histogram = Histogram::of(&finding.event, samples.map(testing), &goes_on).ok_or_else(stopped)?;
        let lengths = samples.map(|samples| samples.len() as u64);
        let verdict = match &self.epsilon {
            None => Verdict::NoClaim,
            Some(epsilon) if finding.exceeds(epsilon) => Verdict::Leaks,
            Some(epsilon) if attack.could_exceed(epsilon, lengths) => Verdict::NotSeenToLeak,
            Some(_) => Verdict::TooFewSamples,
        };
        let samples_needed = self.epsilon.as_ref().map(|epsilon| Needed {
            at_least: attack.least_samples(epsilon),
            at_these_rates: finding.samples_at_these_rates(epsilon),
        });
        let input = |i: usize| self.input(&finding, i, lengths[i]);
        Ok(AttackAnswer {
            schema: Schema,
            question: "attack",
            verdict,
            headline: text::headline(self, verdict, &finding, lengths, samples_needed),
            epsilon: self.epsilon.as_ref().map(|epsilon| Number::exact(epsilon, DIGITS)),
            delta: Number::exact(&self.delta, DIGITS),
            confidence: Number::exact(&self.confidence, DIGITS),
            loss_lower_bound: Number::at_least(&finding.loss_lower_bound, DIGITS),
            event: finding.event.to_string(),
            favoured: finding.favoured,
            inputs: [input(0), input(1)],
            events_tried: finding.events_tried,
            samples_needed,
            explanation: text::explanation(verdict, &finding),
            histogram,
        })
    }

    fn input(&self, finding: &Finding, input: usize, samples: u64) -> Input {
        let p = &finding.probabilities[input];
        Input {
            name: self.names[input].clone(),
            value: self.inputs.map(|inputs| exactly(inputs[input])),
            samples,
            chosen: finding.chosen[input].into(),
            tested: finding.tested[input].into(),
            probability: match input == finding.favoured {
                true => Bound::AtLeast(Number::at_least(p, DIGITS)),
                false => Bound::AtMost(Number::at_most(p, DIGITS)),
            },
        }
    }
}

/// The samples that test: every other one, from the second on.
fn testing(samples: &[f64]) -> impl Iterator<Item = f64> + Clone + '_ {
    samples.iter().copied().skip(1).step_by(2)
}

fn exactly(x: f64) -> Number {
    let value = Rational::try_from(x).unwrap_or_default();
    Number::exact(&value, DIGITS).with_decimal(x.to_short())
}

fn stopped() -> Refusal {
    Refusal::interrupted("the samples were gone through")
}

fn refused(error: AttackError) -> Refusal {
    let hint = match error {
        AttackError::Confidence(_) => "give a number such as 0.999: the closer to 1, the fewer false alarms",
        AttackError::Delta(_) => "give the δ that is claimed, such as 1e-5; 0 for pure differential privacy",
        AttackError::Input(_) => "give numbers such as 0 and 1",
        AttackError::TooFewSamples { .. } => "give more: a few thousand are usually enough",
        AttackError::Cancelled => return stopped(),
    };
    Refusal::usage(error.to_string(), hint)
}

impl AttackAnswer {
    /// The answer as JSON, as docs/attack.md describes it.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
