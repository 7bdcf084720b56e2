//! The report of an audit.

use lastbit_real::{Enclosure, Rational};

use super::divergence::Divergence;
use super::loss::LossAudit;
use super::production::Production;
use super::shipped::Enumeration;
use super::tiers::Tiers;

/// The event that a proposal of the discrete Gaussian is rejected.
pub(super) const REJECTED: &str = "rejected";

/// What the audit of a sampler found. Numbers are exact, or enclosures.
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
    /// How the tree was grown.
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
    /// How many scripts were tried.
    pub replays: u64,
    /// How many leaves each tier decided; `None` for a sampler without tiers.
    pub tiers: Option<Tiers>,
    /// The distance from the law.
    pub divergence: Divergence,
    /// The words of the production width next to thresholds.
    pub production: Production,
}

impl SamplerReport {
    /// Whether probabilities are those of one proposal, which may be rejected, and then all begins anew.
    pub fn starts_over(&self) -> bool {
        self.events.last().is_some_and(|row| row.label == REJECTED)
    }

    /// Whether anything claimed is false: the law, the words of the production width, or the loss.
    pub fn is_refuted(&self) -> bool {
        let side = |side: &Side| side.divergence.refuted_by.is_some() || side.production.wrong.is_some();
        self.loss.refuted || self.sides.iter().any(side)
    }
}
