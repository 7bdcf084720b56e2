//! What an audit of a discrete program found.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, Rounding};

use super::conditions::Unmet;
use crate::decimal::scientific;
use crate::{Comparison, ExactLoss, Outcome};

/// Digits of numbers as text.
const DIGITS: usize = 12;

/// Whether a claim holds at the two inputs of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimVerdict {
    /// The claim holds at these inputs.
    Holds,
    /// The claim is violated, so it is false.
    Violated,
    /// Not decided: the enclosure of the loss contains the claim, or the loss is only known from below.
    Undecided,
}

impl ClaimVerdict {
    /// As it is spelled.
    pub(crate) fn text(self) -> &'static str {
        match self {
            ClaimVerdict::Holds => "holds",
            ClaimVerdict::Violated => "violated",
            ClaimVerdict::Undecided => "undecided",
        }
    }

    /// Whether a number between two others is at most another one.
    fn at_most(value: &Enclosure, bound: &Enclosure) -> ClaimVerdict {
        if value.hi() <= bound.lo() {
            ClaimVerdict::Holds
        } else if value.lo() > bound.hi() {
            ClaimVerdict::Violated
        } else {
            ClaimVerdict::Undecided
        }
    }
}

/// The claim of a program, at its parameters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// ε
    pub epsilon: Enclosure,
    /// δ, if the claim is not of pure differential privacy.
    pub delta: Option<Enclosure>,
    /// Whether it holds at the two inputs.
    pub verdict: ClaimVerdict,
}

/// The privacy loss of a discrete program at two inputs.
#[derive(Clone, Debug)]
pub struct DiscreteReport {
    /// The name of the program.
    pub name: String,
    /// The comparison of the two runs, with hockey-stick divergences at `epsilon`.
    pub comparison: Comparison<String>,
    /// All outcomes with their probabilities. `{3, 4, …}` stands for all values of a sample from there on: between them the
    /// ratio of the two runs does not change.
    pub outcomes: Vec<Outcome<String>>,
    /// The probability of what may be any output, because it comes of a tail that was cut off.
    pub rest: [Enclosure; 2],
    /// The ε of the divergences.
    pub epsilon: Rational,
    /// The claim of the program.
    pub claim: Option<Claim>,
    /// The conditions on the inputs that they do not satisfy.
    pub unmet: Vec<Unmet>,
    pub(super) bits: u32,
}

/// Outcomes compared.
pub(super) fn compared(outcomes: &[Outcome<String>], epsilon: &Rational) -> Comparison<String> {
    let mut comparison = Comparison::new(IBig::ONE, epsilon);
    outcomes.iter().for_each(|outcome| comparison.push(outcome.clone()));
    comparison
}

impl Claim {
    /// A claim of pure differential privacy against a loss.
    pub(super) fn pure(epsilon: Enclosure, loss: &ExactLoss) -> Claim {
        let verdict = match loss {
            ExactLoss::Infinite => ClaimVerdict::Violated,
            ExactLoss::Finite(loss) => ClaimVerdict::at_most(loss, &epsilon),
            ExactLoss::AtLeast(least) if least > epsilon.hi() => ClaimVerdict::Violated,
            ExactLoss::AtLeast(_) => ClaimVerdict::Undecided,
        };
        Claim { epsilon, delta: None, verdict }
    }

    /// A claim of approximate differential privacy against outcomes.
    pub(super) fn approximate(epsilon: Enclosure, delta: Enclosure, outcomes: &[Outcome<String>]) -> Claim {
        // The divergence falls as ε grows.
        let at = |end: &Dyadic| delta_of(&compared(outcomes, &Rational::from(end)));
        let most = at(epsilon.lo());
        let least = if epsilon.lo() == epsilon.hi() { most.clone() } else { at(epsilon.hi()) };
        let verdict = ClaimVerdict::at_most(&least.hull(&most), &delta);
        Claim { epsilon, delta: Some(delta), verdict }
    }
}

/// The larger one of both divergences.
fn delta_of(comparison: &Comparison<String>) -> Enclosure {
    let [first, second] = comparison.hockey_stick();
    first.max(second)
}

impl DiscreteReport {
    /// `max |ln(P/P')|`
    pub fn loss(&self) -> ExactLoss {
        self.comparison.loss(self.bits)
    }

    /// The larger one of the divergences `Σ max(0, P - e^ε·P')` and `Σ max(0, P' - e^ε·P)`.
    pub fn delta(&self) -> Enclosure {
        delta_of(&self.comparison)
    }

    /// By how much the loss exceeds a claim of pure differential privacy; `None` if there is none, or no finite loss.
    pub fn excess(&self) -> Option<Enclosure> {
        let claim = self.claim.as_ref().filter(|claim| claim.delta.is_none())?;
        match self.loss() {
            ExactLoss::Finite(loss) => Some(&loss - &claim.epsilon),
            ExactLoss::Infinite | ExactLoss::AtLeast(_) => None,
        }
    }

    /// The claim and what is known of it, in words. Where the loss is the claim itself no enclosure tells whether it is more: but
    /// how much more it can be at the most.
    pub fn claim_in_words(&self) -> Option<String> {
        let claim = self.claim.as_ref()?;
        let delta = claim.delta.as_ref().map(|delta| format!(", δ = {}", short(delta))).unwrap_or_default();
        let verdict = match (claim.verdict, self.excess()) {
            (ClaimVerdict::Undecided, Some(excess)) => {
                let most = Rational::from(excess.hi().max(&-excess.lo()));
                format!("the loss is the claim to within {}", most.to_decimal(2, Rounding::Up))
            }
            (ClaimVerdict::Undecided, None) if claim.delta.is_none() => {
                "undecided, as the loss is only known from below".into()
            }
            (ClaimVerdict::Violated, _) if !self.unmet.is_empty() => {
                "exceeded, by inputs that are not neighbours".into()
            }
            (verdict, _) => format!("{} at these inputs", verdict.text()),
        };
        Some(format!("ε = {}{delta}: {verdict}", short(&claim.epsilon)))
    }
}

fn decimal(value: &Dyadic) -> String {
    scientific(&Rational::from(value), DIGITS)
}

/// Exact, if it is a number of a few digits.
fn short(enclosure: &Enclosure) -> String {
    let exact = Rational::from(enclosure.lo()).to_string();
    if enclosure.lo() == enclosure.hi() && exact.len() <= DIGITS { exact } else { between(enclosure) }
}

/// Both ends, or one number where they look alike.
fn between(enclosure: &Enclosure) -> String {
    let [lo, hi] = [enclosure.lo(), enclosure.hi()].map(decimal);
    if lo == hi { lo } else { format!("{lo} to {hi}") }
}
