//! The samplers that ship, run on every sequence of random bits.

use lastbit::{Amount, Family, Measure, ValueType};
use lastbit_audit::bit_tree::{
    BitTreeError, EventRow, SamplerReport, SamplerRequest, ShippedSampler, Side, Tiers, sampler_audit,
};
use lastbit_audit::{Comparison, Outcome};
use lastbit_real::{Enclosure, Float, IBig, Rational};
use serde::Serialize;
use std::collections::BTreeMap;

use super::compared::{Compared, Open};
use super::judge::{at_most, with_limit};
use super::{
    AuditAnswer, ClaimSource, FloatType, Form, Given, JudgedClaim, Listed, OutputRow, Parameter, Wishes,
};
use crate::{Judgement, Number, Refusal, Schema, Watcher};

/// Digits of probabilities.
const DIGITS: usize = 20;

/// A sampler that ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sampler {
    /// `RN(x + s·L)`, the Laplace mechanism on floats.
    Laplace,
    /// `RN(x + s·G)`, the Gaussian mechanism on floats.
    Gaussian,
    /// The discrete Laplace mechanism on integers.
    DiscreteLaplace,
    /// The discrete Gaussian mechanism on integers.
    DiscreteGaussian,
    /// The discrete Laplace mechanism on a grid of floats.
    GridLaplace,
    /// The snapping mechanism over the reals.
    Snapping,
    /// The snapping mechanism in double arithmetic.
    FloatSnapping,
}

impl Sampler {
    /// All samplers.
    pub const ALL: [Sampler; 7] = [
        Sampler::Laplace,
        Sampler::Gaussian,
        Sampler::DiscreteLaplace,
        Sampler::DiscreteGaussian,
        Sampler::GridLaplace,
        Sampler::Snapping,
        Sampler::FloatSnapping,
    ];

    /// The name, such as `discrete-laplace`.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Laplace => "laplace",
            Sampler::Gaussian => "gaussian",
            Sampler::DiscreteLaplace => "discrete-laplace",
            Sampler::DiscreteGaussian => "discrete-gaussian",
            Sampler::GridLaplace => "grid-laplace",
            Sampler::Snapping => "snapping",
            Sampler::FloatSnapping => "float-snapping",
        }
    }

    /// The sampler of a name, with `-` or `_`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Sampler, Refusal> {
        let found = Sampler::ALL.into_iter().find(|sampler| sampler.name() == name.replace('_', "-"));
        found.ok_or_else(|| {
            let names: Vec<&str> = Sampler::ALL.iter().map(|sampler| sampler.name()).collect();
            Refusal::usage(format!("there is no sampler {name:?}"), format!("there are {}", names.join(", ")))
        })
    }
}

/// The question of an audit of a sampler.
#[derive(Clone, Debug)]
pub struct Question {
    /// The sampler.
    pub sampler: Sampler,
    /// The scale of the noise: σ of the Gaussian ones, 1/ε of the snapping ones.
    pub scale: Rational,
    /// The clamping bound of the snapping mechanisms.
    pub bound: Option<Rational>,
    /// The grid of `grid-laplace` is the multiples of `2^k`.
    pub k: Option<i32>,
    /// The number of random bits to follow.
    pub depth: Option<u32>,
    /// The two inputs; 0 and 1 if none are given.
    pub inputs: Option<[Given; 2]>,
}

/// Details that the audit of a sampler adds to the answer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SamplerDetails {
    /// The claim of the mechanism, in words.
    pub claim: String,
    /// The measure of the claim.
    pub measure: String,
    /// The bits of a word.
    pub word_bits: u32,
    /// The number of bits that were followed.
    pub depth_bits: u32,
    /// The way in which the tree was enumerated.
    pub enumeration: String,
    /// Whether a claim is false: that of the law, of the words of the production width, or of the loss.
    pub refuted: bool,
    /// Whether the audit was stopped: what was not tried by then is undecided.
    pub interrupted: bool,
    /// The findings for each input.
    pub sides: [SideDetails; 2],
    /// The probabilities that the law gives to each listed output, under both inputs.
    pub law: Vec<[Number; 2]>,
}

/// The findings for one input.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SideDetails {
    /// The input.
    pub input: String,
    /// The probability that nothing is decided at the depth, or was not tried.
    pub remainder: Number,
    /// The number of scripts that were tried.
    pub replays: u64,
    /// The number of leaves that each tier decided.
    pub leaves: Option<BTreeMap<String, u64>>,
    /// The distance from the law.
    pub total_variation: Number,
    /// The output whose probability refutes the law.
    pub law_refuted_by: Option<LawRefutation>,
    /// The words of the production width next to thresholds.
    pub production: ProductionDetails,
}

/// An output whose probability is not what the law says.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LawRefutation {
    /// The output.
    pub output: String,
    /// The probability.
    pub probability: Number,
    /// The probability that the law gives.
    pub law: Number,
}

/// Words of the production width, next to thresholds.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProductionDetails {
    /// The number of thresholds.
    pub thresholds: u64,
    /// The number of words that were tried.
    pub replays: u64,
    /// The number of words that were undecided.
    pub undecided: u64,
    /// The number of words that each tier decided.
    pub tiers: Option<BTreeMap<String, u64>>,
    /// A word that gave another output than the law.
    pub wrong: Option<WrongWord>,
}

/// A word that gave another output than the law.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WrongWord {
    /// The words.
    pub words: Vec<String>,
    /// The bits after the words: `ones` or `zeros`.
    pub further_bits: &'static str,
    /// The output.
    pub output: String,
    /// The output by the law.
    pub expected: String,
}

/// Audits a sampler. Stopped by the watcher, it tells what is known by then.
///
/// # Errors
/// If a parameter is out of range or belongs to another sampler, or the tree is too large.
pub fn audit(question: &Question, wishes: &Wishes, watcher: &Watcher<'_>) -> Result<AuditAnswer, Refusal> {
    wishes.check()?;
    let shipped = question.shipped()?;
    let double = |given: &Given| given.to_float("input", FloatType::F64);
    let inputs = match &question.inputs {
        None => [0.0, 1.0],
        Some([f, f2]) => [double(f)?, double(f2)?],
    };
    let mut request = SamplerRequest::new(shipped, inputs);
    request.depth_bits = question.depth.unwrap_or(request.depth_bits);
    let mut progress = |share: f64| watcher.tell("replaying", share, "");
    let report = sampler_audit(&request, watcher.cancel, &mut progress).map_err(refused)?;
    Ok(question.told(&report, wishes))
}

fn refused(error: BitTreeError) -> Refusal {
    match error {
        BitTreeError::OutOfRange(error) => Refusal::out_of_range(&error),
        BitTreeError::Sampler(lastbit::Error::Overflow { .. }) => Refusal::usage(
            "the noise overflows the type of the outputs",
            "give a smaller scale, or smaller inputs",
        ),
        BitTreeError::Sampler(error) => Refusal::Noise(error),
        BitTreeError::TooManyReplays { replays, done } => Refusal::usage(
            format!("the tree is too large: after {replays} replays {done} of it is grown"),
            "give a smaller depth, or a smaller scale",
        ),
    }
}

impl Question {
    fn shipped(&self) -> Result<ShippedSampler, Refusal> {
        let snaps = matches!(self.sampler, Sampler::Snapping | Sampler::FloatSnapping);
        match (self.bound.is_some(), snaps) {
            (false, true) => {
                return Err(Refusal::usage(
                    "the snapping mechanisms need a bound",
                    "give a bound, such as 10",
                ));
            }
            (true, false) => {
                return Err(Refusal::usage(
                    "bound is for snapping and float-snapping",
                    "leave out the bound",
                ));
            }
            _ => {}
        }
        if self.k.is_some() && self.sampler != Sampler::GridLaplace {
            return Err(Refusal::usage("k is for grid-laplace", "leave out k"));
        }
        let bound = self.bound.clone().unwrap_or(Rational::ONE);
        let family = match self.sampler {
            Sampler::Laplace => Family::Laplace,
            Sampler::Gaussian => Family::Gaussian,
            Sampler::DiscreteLaplace => Family::DiscreteLaplace,
            Sampler::DiscreteGaussian => Family::DiscreteGaussian,
            Sampler::GridLaplace => Family::GridLaplace { values: ValueType::F64, k: self.k },
            Sampler::Snapping => Family::Snapping { bound, clamp_infinite: false },
            Sampler::FloatSnapping => Family::FloatSnapping { bound },
        };
        Ok(ShippedSampler::of(family.with(&Amount::Scale(self.scale.clone()))?))
    }

    fn told(&self, report: &SamplerReport, wishes: &Wishes) -> AuditAnswer {
        let claim = &report.loss.claim;
        let delta_at = wishes.delta_at.clone().unwrap_or_else(|| claim.loss().clone());
        let depth = i64::from(report.depth_bits);
        let outcome = |row: &EventRow| {
            let weight = |[least, most]: &[Rational; 2]| {
                let [lo, hi] = [least, most].map(|end| end * Rational::pow2(depth));
                Enclosure::new(lo.floor().into(), hi.ceil().into())
                    .unwrap_or_else(|| Enclosure::exact(0.into()))
            };
            Outcome { output: row.label.clone(), weights: row.bounds.each_ref().map(weight) }
        };
        let outcomes: Vec<Outcome<String>> = report.events.iter().map(outcome).collect();
        let mut comparison = Comparison::new(IBig::ONE << report.depth_bits as usize, &delta_at);
        outcomes.iter().for_each(|outcome| comparison.push(outcome.clone()));
        let label = |label: &String| label.clone();
        let compared = Compared {
            comparison: &comparison,
            digits: wishes.digits,
            // An event may be several outputs, and one of them may lose more than all together.
            open: Open::Loss,
            id: &label,
            name: &label,
        };
        let verdict = if report.is_refuted() { Judgement::Violated } else { Judgement::Holds };
        let is_pure = claim.measure() == Measure::MaxDivergence;
        let words = match (verdict, is_pure) {
            (Judgement::Violated, _) => format!("violated: {claim}"),
            (_, true) => format!("nothing is refuted, as far as {depth} bits decide: {claim}"),
            (_, false) => {
                format!(
                    "nothing is refuted, as far as {depth} bits decide; the loss is not compared: {claim}"
                )
            }
        };
        let own = JudgedClaim {
            source: ClaimSource::Library,
            epsilon: Number::exact(claim.loss(), DIGITS),
            delta: None,
            verdict,
            excess: None,
            words,
        };
        let (verdict, mut claims) =
            with_limit(wishes, vec![own], |limit| match at_most(&report.loss.loss, limit) {
                Judgement::Violated => Judgement::Violated,
                _ if verdict == Judgement::Holds && is_pure && claim.loss() <= limit => Judgement::Holds,
                _ => Judgement::Undecided,
            });
        if let Some(limit) = claims.iter_mut().find(|claim| claim.source == ClaimSource::FailAbove) {
            limit.words.push_str(&format!(", as far as {depth} bits decide"));
        }
        let mut notes =
            vec!["an output may stand for an interval of outputs; the loss is that of these".to_owned()];
        if report.starts_over() {
            notes.push("probabilities are those of one proposal; if it is rejected, another is drawn".into());
        }
        if report.interrupted {
            notes.push("interrupted: what was not tried by then is undecided".into());
        }
        let outputs: Vec<OutputRow> = outcomes.iter().map(|outcome| compared.row(outcome)).collect();
        let [only_first, only_second] = compared.only();
        let from = if wishes.delta_at.is_some() { "request" } else { "claim" };
        AuditAnswer {
            schema: Schema,
            question: "audit",
            mechanism: self.sampler.name().to_owned(),
            form: Form::Sampler,
            parameters: self.parameters(report),
            inputs: report.inputs.map(|f| f.to_short()),
            verdict,
            claims,
            loss: compared.loss(),
            witness: compared.witness(),
            finite: None,
            only_first,
            only_second,
            // Of one proposal it would be less than of what is released.
            delta: (!report.starts_over()).then(|| compared.delta(&delta_at, from, false)),
            method: format!("{} on every sequence of {depth} bits", report.enumeration.name()),
            n_outputs: comparison.outputs().to_string(),
            outputs_listed: Listed::All,
            outputs,
            excess_eta: None,
            shipped: None,
            papers: Vec::new(),
            worst: None,
            sampler: Some(details(report)),
            notes,
            title: format!("the sampler {}: {claim}", self.sampler.name()),
        }
    }

    fn parameters(&self, report: &SamplerReport) -> BTreeMap<String, Parameter> {
        let mut parameters = BTreeMap::new();
        parameters.insert("scale".to_owned(), Parameter::exact(&self.scale));
        parameters.insert("depth".to_owned(), Parameter::Count(report.depth_bits.into()));
        if let Some(bound) = &self.bound {
            parameters.insert("bound".to_owned(), Parameter::exact(bound));
        }
        if let Some(k) = self.k {
            parameters.insert("k".to_owned(), Parameter::Count(k.into()));
        }
        parameters
    }
}

fn details(report: &SamplerReport) -> SamplerDetails {
    let law = |row: &EventRow| row.law.each_ref().map(|law| Number::enclosed(law, DIGITS));
    SamplerDetails {
        claim: report.loss.claim.to_string(),
        measure: report.loss.claim.measure().to_string(),
        word_bits: report.word_bits,
        depth_bits: report.depth_bits,
        enumeration: report.enumeration.name().to_owned(),
        refuted: report.is_refuted(),
        interrupted: report.interrupted,
        sides: report.sides.each_ref().map(|side| side_details(report, side)),
        law: report.events.iter().map(law).collect(),
    }
}

fn side_details(report: &SamplerReport, side: &Side) -> SideDetails {
    let label = |event: usize| report.events[event].label.clone();
    let tiers = |tiers: &Tiers| -> BTreeMap<String, u64> {
        tiers.iter().map(|(tier, leaves)| (tier.name().to_string(), leaves)).collect()
    };
    let between = |[lo, hi]: &[Rational; 2]| Number::between(lo, hi, DIGITS);
    SideDetails {
        input: side.input.to_short(),
        remainder: Number::at_most(&side.remainder, 3),
        replays: side.replays,
        leaves: side.tiers.as_ref().map(tiers),
        total_variation: between(&side.divergence.total_variation),
        law_refuted_by: side.divergence.refuted_by.as_ref().map(|found| LawRefutation {
            output: label(found.event),
            probability: between(&found.bounds),
            law: Number::enclosed(&found.law, DIGITS),
        }),
        production: ProductionDetails {
            thresholds: side.production.thresholds as u64,
            replays: side.production.replays as u64,
            undecided: side.production.undecided as u64,
            tiers: side.tiers.as_ref().map(|_| tiers(&side.production.tiers)),
            wrong: side.production.wrong.as_ref().map(|wrong| WrongWord {
                words: wrong.words.iter().map(|word| format!("{word:#018x}")).collect(),
                further_bits: if wrong.ones { "ones" } else { "zeros" },
                output: label(wrong.event),
                expected: label(wrong.expected),
            }),
        },
    }
}
