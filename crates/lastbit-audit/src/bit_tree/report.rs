//! The report of an audit.

use lastbit_real::{Enclosure, Rational};

use super::divergence::Divergence;
use super::loss::LossAudit;
use super::production::Production;
use super::shipped::Enumeration;
use super::tiers::Tiers;

/// The event that a proposal of the discrete Gaussian is rejected.
pub(super) const REJECTED: &str = "rejected";

/// The result of the audit of a sampler. Numbers are exact, or enclosures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplerReport {
    /// The mechanism.
    pub mechanism: &'static str,
    /// The two inputs.
    pub inputs: [f64; 2],
    /// The bits of a word.
    pub word_bits: u32,
    /// The depth in bits.
    pub depth_bits: u32,
    /// The way in which the tree was enumerated.
    pub enumeration: Enumeration,
    /// The events, in order. For the discrete Gaussian they are those of one proposal, and the last is its rejection.
    pub events: Vec<EventRow>,
    /// The findings for each input.
    pub sides: [Side; 2],
    /// The loss between them.
    pub loss: LossAudit,
    /// Whether the audit was stopped: what was not tried by then counts as undecided.
    pub interrupted: bool,
}

/// An event with its probabilities under both inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventRow {
    /// The output, or the interval of outputs.
    pub label: String,
    /// The least and the most that its probability can be.
    pub bounds: [[Rational; 2]; 2],
    /// The probabilities that the law gives.
    pub law: [Enclosure; 2],
}

/// The findings for one input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Side {
    /// The input.
    pub input: f64,
    /// The probability that nothing is decided at the depth, or was not tried.
    pub remainder: Rational,
    /// The number of scripts that were tried.
    pub replays: u64,
    /// The number of leaves that each tier decided; `None` for a sampler without tiers.
    pub tiers: Option<Tiers>,
    /// The distance from the law.
    pub divergence: Divergence,
    /// The words of the production width next to thresholds.
    pub production: Production,
}

impl SamplerReport {
    /// Whether the probabilities are those of one proposal, which may be rejected and drawn again.
    pub fn starts_over(&self) -> bool {
        self.events.last().is_some_and(|row| row.label == REJECTED)
    }

    /// Whether a claim is false: that of the law, of the words of the production width, or of the loss.
    pub fn is_refuted(&self) -> bool {
        let side = |side: &Side| side.divergence.refuted_by.is_some() || side.production.wrong.is_some();
        self.loss.refuted || self.sides.iter().any(side)
    }
}
