//! ENDPT's numbers as data.

use std::collections::BTreeMap;

use lastbit_audit::ExactLoss as Audited;
use lastbit_prove::endpoint::{
    CaseBound, ClaimedBound, EndpointReport, Endpoints as ProvedEnds, Noise, PairOutput, PaperVerdict, Total,
    UThreshold, WorstPair,
};
use lastbit_real::{Float, Rational, Rounding};
use serde::Serialize;

use super::answer::LOSS_DIGITS;
use crate::{Loss, Number};

/// Bits of exact losses.
const BITS: u32 = 128;

/// A snapping mechanism with its numbers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SnappingMechanism {
    /// `div` for `LN(u) ⊘ ε`, `mul` for `λ ⊗ LN(u)`.
    pub op: &'static str,
    /// ε or λ.
    pub parameter: Number,
    /// B, in hexadecimal.
    pub bound: String,
    /// Λ.
    pub grid: Number,
    /// The rounding of ties.
    pub tie: String,
    /// The sampler of `u`.
    pub sampler: &'static str,
    /// `M = ε(2B + Λ/2)`.
    pub m: Number,
}

/// The loss that floating point adds.
#[derive(Clone, Debug, Serialize)]
pub struct Excess {
    /// The number.
    #[serde(flatten)]
    pub number: Number,
    /// The same in units of η = 2⁻⁵³, rounded up.
    pub eta: String,
}

/// The loss that is certified in one case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CaseLoss {
    /// The case.
    pub case: String,
    /// The loss of the ideal mechanism on the perturbed grid.
    pub ideal: Number,
    /// The loss that floating point adds.
    pub excess: Excess,
    /// The loss.
    pub loss: Number,
    /// The largest distance between an input and a threshold.
    pub farthest: Number,
    /// The reason why the bound holds.
    pub reason: &'static str,
}

/// The certified total loss.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CertifiedLoss {
    /// `pure`, or `approximate` if there is a δ.
    pub kind: &'static str,
    /// ε.
    pub loss: Number,
    /// The loss of the ideal mechanism, `Δ·ε`.
    pub ideal: Number,
    /// δ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Number>,
}

/// The exact loss at one output of two inputs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExactLoss {
    /// The inputs, in hexadecimal.
    pub inputs: [String; 2],
    /// The case.
    pub case: String,
    /// The output, in hexadecimal.
    pub output: String,
    /// The weights of the output under both inputs, of `2·(2¹⁰⁷⁴ - 1)` in total.
    pub weights: [String; 2],
    /// The loss.
    pub loss: Loss,
    /// Whether the loss is at most what is certified for its case.
    pub at_most_certified: bool,
}

/// A constant of the papers, and the verdict on it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PapersClaim {
    /// The paper.
    pub source: &'static str,
    /// The outputs that the claim is about.
    pub scope: String,
    /// The formula, as it is printed.
    pub formula: &'static str,
    /// The value.
    pub claimed: Excess,
    /// The certified excess for the same outputs.
    pub certified: Option<Excess>,
    /// `holds`, `violated` or `not decided`.
    pub verdict: String,
    /// The two inputs and the output that violate it.
    pub witness: Option<ExactLoss>,
}

/// The thresholds of `u` for two inputs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Endpoints {
    /// The inputs, in hexadecimal.
    pub inputs: [String; 2],
    /// For each case, the output with the largest loss.
    pub outputs: Vec<Output>,
}

/// An output with its loss.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Output {
    /// The case.
    pub case: String,
    /// The output, in hexadecimal.
    pub output: String,
    /// The thresholds for both inputs.
    pub thresholds: [Thresholds; 2],
    /// The loss is at most this.
    pub loss: Loss,
}

/// The doubles between which `L` and `R` lie, by the sign that is drawn: `plus` and `minus`.
pub type Thresholds = BTreeMap<&'static str, BTreeMap<&'static str, [String; 2]>>;

fn up(value: &Rational) -> Number {
    Number::at_most(value, LOSS_DIGITS)
}

fn excess(value: &Rational) -> Excess {
    let eta = (value * Rational::pow2(53)).to_decimal(5, Rounding::Up);
    Excess { number: up(value), eta }
}

/// A loss that an audit has found.
pub(super) fn audited(loss: &Audited) -> Loss {
    match loss {
        Audited::Infinite => Loss::Infinite,
        Audited::Finite(loss) => Loss::Finite(Number::enclosed(loss, LOSS_DIGITS)),
        Audited::AtLeast(least) => Loss::AtLeast(Number::at_least(&Rational::from(least), LOSS_DIGITS)),
    }
}

/// All numbers of a report.
pub(super) struct Numbers<'r>(pub(super) &'r EndpointReport);

impl Numbers<'_> {
    pub(super) fn mechanism(&self) -> SnappingMechanism {
        let mechanism = &self.0.mechanism;
        let (op, parameter) = match mechanism.noise() {
            Noise::Divided { epsilon } => ("div", epsilon),
            Noise::Multiplied { scale } => ("mul", scale),
        };
        SnappingMechanism {
            op,
            parameter: Number::exact(parameter, LOSS_DIGITS),
            bound: mechanism.bound().to_hex(),
            grid: Number::exact(&mechanism.grid(), LOSS_DIGITS),
            tie: format!("{:?}", mechanism.tie()).to_lowercase(),
            sampler: mechanism.sampler().name(),
            m: up(&mechanism.exponent_range()),
        }
    }

    pub(super) fn relative_error(&self) -> Excess {
        excess(&self.0.error.relative)
    }

    pub(super) fn cases(&self) -> Vec<CaseLoss> {
        let case = |bound: &CaseBound| CaseLoss {
            case: bound.case.to_string(),
            ideal: up(&bound.ideal),
            excess: excess(&bound.excess),
            loss: up(&bound.loss()),
            farthest: up(&bound.farthest),
            reason: bound.reason,
        };
        self.0.certified.cases.iter().map(case).collect()
    }

    pub(super) fn certified(&self) -> CertifiedLoss {
        let ideal = Number::exact(&(&self.0.sensitivity * self.0.mechanism.rate()), LOSS_DIGITS);
        match &self.0.certified.total {
            Total::Pure { loss } => CertifiedLoss { kind: "pure", loss: up(loss), ideal, delta: None },
            Total::Approximate { loss, delta } => {
                CertifiedLoss { kind: "approximate", loss: up(loss), ideal, delta: Some(up(delta)) }
            }
        }
    }

    pub(super) fn theorem_a(&self) -> Option<Number> {
        self.0.theorem_a.as_ref().map(up)
    }

    pub(super) fn theorem_a_prime(&self) -> Option<[Number; 2]> {
        self.0.theorem_a_prime.as_ref().map(|(loss, delta)| [up(loss), up(delta)])
    }

    pub(super) fn exact(&self, witness: &WorstPair) -> ExactLoss {
        ExactLoss {
            inputs: witness.inputs.map(Float::to_hex),
            case: witness.case.to_string(),
            output: self.0.mechanism.output(witness.outcome.output).to_hex(),
            weights: witness.weights().map(|weight| weight.to_string()),
            loss: audited(&witness.loss(BITS)),
            at_most_certified: self.0.audit(witness),
        }
    }

    pub(super) fn papers(&self) -> Vec<PapersClaim> {
        let claim = |claim: &ClaimedBound| PapersClaim {
            source: claim.source,
            scope: claim.scope.to_string(),
            formula: claim.formula,
            claimed: excess(&claim.claimed),
            certified: claim.certified.as_ref().map(excess),
            verdict: claim.verdict.to_string(),
            witness: match &claim.verdict {
                PaperVerdict::Violated(witness) => Some(self.exact(witness)),
                PaperVerdict::Holds | PaperVerdict::NotDecided => None,
            },
        };
        self.0.verdicts.iter().map(claim).collect()
    }

    pub(super) fn endpoints(&self) -> Endpoints {
        let outputs = self.0.endpoints.iter().map(|output| self.output(output)).collect();
        Endpoints { inputs: self.0.example.map(Float::to_hex), outputs }
    }

    fn output(&self, output: &PairOutput) -> Output {
        Output {
            case: output.case.to_string(),
            output: self.0.mechanism.output(output.output).to_hex(),
            thresholds: output.endpoints.each_ref().map(thresholds),
            loss: output.loss().map_or(Loss::Infinite, |loss| Loss::Finite(up(&Rational::from(loss.hi())))),
        }
    }
}

fn thresholds(endpoints: &ProvedEnds) -> Thresholds {
    let between = |u: UThreshold| [u.lo.to_hex(), u.hi.to_hex()];
    let sign = |[l, r]: [UThreshold; 2]| BTreeMap::from([("L", between(l)), ("R", between(r))]);
    BTreeMap::from([("plus", sign(endpoints.plus)), ("minus", sign(endpoints.minus))])
}
