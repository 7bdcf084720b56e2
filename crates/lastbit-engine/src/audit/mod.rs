//! Audits: the exact privacy loss between two inputs, and whether a claim about it holds.
//!
//! | module | what it answers |
//! |---|---|
//! | [`snapping`], [`exact`], [`worst`] | the snapping mechanism in doubles, over the reals, and at its worst inputs |
//! | [`program`] | texts of the language of mechanisms; `discrete` and `continuous` are those over the reals |
//! | [`sampler`], [`textbook`] | the samplers that ship, and the mechanism of the textbooks |
//! | `papers` | what papers claim of snapping |
//! | `compared`, `judge` | two distributions in numbers, and claims against them |
//! | `given`, `inputs` | numbers that become floats, and inputs of texts |
//! | `words`, `map` | the text that people read |
//!
//! ```
//! use lastbit_engine::audit::{Given, Wishes, textbook};
//! use lastbit_engine::{Judgement, Watcher};
//!
//! let question = textbook::Question::new(Given::of(&"1".parse()?), ["0", "1"].map(|f| Given::of(&f.parse().unwrap())));
//! let audit = textbook::audit(&question, &Wishes::default(), &Watcher::nobody())?;
//! assert_eq!(audit.verdict, Some(Judgement::Violated));
//! assert!(audit.to_string().starts_with("VIOLATED: the loss is infinite"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compared;
mod continuous;
mod discrete;
pub mod exact;
mod given;
pub mod inputs;
mod judge;
mod map;
mod papers;
pub mod program;
pub mod sampler;
pub mod snapping;
pub mod textbook;
mod words;
pub mod worst;

use std::collections::BTreeMap;

use lastbit_real::Rational;
use serde::Serialize;

pub use given::{FloatType, Given};
pub use judge::{ClaimSource, JudgedClaim};
pub use papers::PaperVerdict;
pub use sampler::SamplerDetails;
pub use words::{Shown, long, short};
pub use worst::WorstInputs;

use crate::{Judgement, Loss, Number, Refusal, Schema};

/// Outputs are all listed up to this many, unless all are asked for.
pub const LISTED: usize = 4096;
/// Losses beyond this have no use, and their exponentials no room.
const MOST_DELTA_AT: i64 = 1 << 20;

/// The options that all audits share.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Significant digits of losses in JSON.
    pub digits: usize,
    /// The `ε` at which delta is computed, if not the one that is claimed.
    pub delta_at: Option<Rational>,
    /// The loss is judged by this, and not by what is claimed.
    pub fail_above: Option<Rational>,
    /// List all outputs, however many.
    pub all: bool,
}

impl Default for Wishes {
    fn default() -> Wishes {
        Wishes { digits: 30, delta_at: None, fail_above: None, all: false }
    }
}

impl Wishes {
    /// The wishes, if they can be met.
    ///
    /// # Errors
    /// For an `ε` beyond 2^20, and a negative loss to fail above.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(epsilon) = self.delta_at.as_ref().filter(|e| e.abs() > Rational::from(MOST_DELTA_AT)) {
            return Err(Refusal::usage(
                format!("delta at ε = {} is out of range", crate::refusal::cut(&epsilon.to_string())),
                "delta_at must be between -2^20 and 2^20",
            ));
        }
        if self.fail_above.as_ref().is_some_and(Rational::is_negative) {
            return Err(Refusal::usage("fail_above is negative", "a loss is never negative: give 0 or more"));
        }
        Ok(())
    }

    /// The `ε` of delta: as wished, or that of the mechanism.
    fn delta_at(&self, epsilon: &Rational) -> Rational {
        self.delta_at.clone().unwrap_or_else(|| epsilon.clone().min(MOST_DELTA_AT.into()))
    }

    /// How many outputs are listed.
    fn listed(&self) -> usize {
        if self.all { usize::MAX } else { LISTED }
    }
}

/// The findings of an audit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AuditAnswer {
    /// `"schema": 1`
    pub schema: Schema,
    /// `"question": "audit"`
    pub question: &'static str,
    /// The mechanism: `snapping`, `textbook-laplace`, the name of a sampler, or of a declaration.
    pub mechanism: String,
    /// The kind of mechanism.
    pub form: Form,
    /// The parameters, with the values that were used.
    pub parameters: BTreeMap<String, Parameter>,
    /// The two inputs: doubles in hexadecimal, or exact values as the language writes them.
    pub inputs: [String; 2],
    /// The verdict on the first of the [`claims`](AuditAnswer::claims); `None` if nothing is claimed.
    pub verdict: Option<Judgement>,
    /// The claims and the verdicts on them. The first one is the verdict of the audit.
    pub claims: Vec<JudgedClaim>,
    /// `max |ln(P/P')|` over all outputs.
    pub loss: Loss,
    /// The output that has it.
    pub witness: Option<OutputRow>,
    /// If the loss is infinite, the largest loss of an output that both inputs can produce.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finite: Option<OutputRow>,
    /// The probability under the first input of what the second cannot produce.
    pub only_first: Number,
    /// The probability under the second input of what the first cannot produce.
    pub only_second: Number,
    /// The hockey-stick divergences.
    pub delta: Option<Delta>,
    /// The method by which the probabilities were found.
    pub method: String,
    /// The number of outputs, or of those that were weighed.
    pub n_outputs: String,
    /// The outputs that are listed: all, or some.
    pub outputs_listed: Listed,
    /// Outputs with their probabilities.
    pub outputs: Vec<OutputRow>,
    /// `(loss - ε)/η` of snapping, `η = 2^-53`: its digits, or `inf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excess_eta: Option<String>,
    /// The shipped function next to the mechanism that was audited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shipped: Option<Agreement>,
    /// The papers' claims about snapping, and the verdicts on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub papers: Vec<PaperVerdict>,
    /// The search for the worst inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstInputs>,
    /// Details of the audit of a sampler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<SamplerDetails>,
    /// Further notes for the reader.
    pub notes: Vec<String>,
    /// How people call it: a few words for the first lines of the text.
    #[serde(skip)]
    pub(crate) title: String,
}

/// The kind of mechanism that was audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Form {
    /// A mechanism in floating point.
    Float,
    /// Snapping over the reals.
    Exact,
    /// A text over the integers and reals whose outputs are discrete.
    Discrete,
    /// A text with real-valued noise.
    Continuous,
    /// A sampler that ships, on every sequence of random bits.
    Sampler,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Parameter {
    /// A number.
    Number(Number),
    /// A choice, such as `ulp`.
    Word(String),
    /// Yes or no.
    Flag(bool),
    /// A whole number that counts something.
    Count(i64),
}

impl Parameter {
    /// A finite double, with its shortest digits.
    pub(crate) fn double(x: f64) -> Parameter {
        use lastbit_real::Float;
        let exact = Rational::try_from(x).unwrap_or_default();
        Parameter::Number(Number::exact(&exact, 17).with_decimal(x.to_short()))
    }

    pub(crate) fn exact(value: &Rational) -> Parameter {
        Parameter::Number(Number::exact(value, 17))
    }

    pub(crate) fn word(word: &str) -> Parameter {
        Parameter::Word(word.to_owned())
    }
}

/// An output with its probabilities.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OutputRow {
    /// The output: a double in hexadecimal, a rational, or its name.
    pub output: String,
    /// The probability under the first input.
    pub p_first: Number,
    /// The probability under the second input.
    pub p_second: Number,
    /// `|ln(P/P')|`
    pub loss: Loss,
    /// The input under which it is more likely.
    pub favours: Favours,
    /// The `u` that give it, for mechanisms of one uniform number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub u: Option<Samples>,
    /// For people.
    #[serde(skip)]
    pub(crate) name: String,
}

/// The input under which an output is more likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Favours {
    /// The first input.
    First,
    /// The second input.
    Second,
    /// Neither, or that is not known.
    Neither,
}

/// The intervals `[lo, hi)` of `u` that give an output, in hexadecimal, by sign of the noise and input. `0` stands for the least `u`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Samples {
    /// Sign +1, first input.
    pub plus_first: Vec<[String; 2]>,
    /// Sign -1, first input.
    pub minus_first: Vec<[String; 2]>,
    /// Sign +1, second input.
    pub plus_second: Vec<[String; 2]>,
    /// Sign -1, second input.
    pub minus_second: Vec<[String; 2]>,
}

/// `Σ max(0, P - e^ε·P')`, both ways.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Delta {
    /// `ε`
    pub at: Number,
    /// The origin of this `ε`: `request`, `claim`, `mechanism`, `parameter eps` or `nothing`.
    pub from: &'static str,
    /// The first input against the second.
    pub first: Number,
    /// The second input against the first.
    pub second: Number,
}

/// The outputs that are listed: all, or some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Listed {
    /// All outputs are listed.
    All,
    /// Those of interest.
    Selected,
}

/// The shipped function agrees with the mechanism that was audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// True: an audit of a function that disagrees is refused.
    pub agrees: bool,
    /// The number of values of `u` at which it was compared.
    pub evaluations: u64,
    /// The number of those that came from replayed random bits.
    pub replays: u64,
    /// Whether the function ever gives -0.
    pub minus_zero: bool,
}
