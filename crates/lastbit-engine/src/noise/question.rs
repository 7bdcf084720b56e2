//! What is asked, and the mechanism that it comes to.

use lastbit::{
    AnyMechanism, Claim, Contract, DiscreteGaussian, Family, Gaussian, Laplace, Neighbours, Rational,
    ValueType,
};

use super::Approximate;
use crate::Refusal;

/// The amount of noise, given in one of several ways.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Amount {
    /// The scale `b` of Laplace noise (`1/ε` of snapping), the `σ` of Gaussian noise.
    Scale(Rational),
    /// The `σ²` of Gaussian noise.
    Variance(Rational),
    /// The least noise that loses this much between neighbours: `ε`, or `ρ` of Gaussian noise.
    Loss(Rational),
    /// The least noise that is `(ε, δ)`-private between neighbours, for the real Gaussian.
    EpsilonDelta {
        /// `ε`.
        epsilon: Rational,
        /// `δ`.
        delta: Rational,
    },
    /// The most noise that is within this half-width with this probability.
    HalfWidth {
        /// The distance that a result may be off.
        half_width: Rational,
        /// With which probability.
        confidence: Rational,
    },
}

/// The noise: its family and amount.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The mechanism but for how much noise it adds.
    pub family: Family,
    /// The amount of noise.
    pub amount: Amount,
    /// The type that results have.
    pub result: ValueType,
    /// Discrete Laplace noise of integer comparisons alone.
    pub constant_time: bool,
}

impl Noise {
    /// Noise for results of the natural type: integers of the discrete mechanisms, else doubles, or what the grid is of.
    pub fn new(family: Family, amount: Amount) -> Noise {
        let result = match family {
            Family::DiscreteLaplace | Family::DiscreteGaussian => ValueType::I64,
            Family::GridLaplace { values, .. } => values,
            _ => ValueType::F64,
        };
        Noise { family, amount, result, constant_time: false }
    }

    /// The mechanism that has this much noise; a loss, or `(ε, δ)`, is that between the neighbours.
    ///
    /// # Errors
    /// What the mechanism refuses, and amounts that it is not told by.
    pub fn mechanism(&self, neighbours: Option<&Neighbours>) -> Result<AnyMechanism, Refusal> {
        let neighbours = || {
            neighbours.cloned().ok_or_else(|| {
                Refusal::usage(
                    "a loss is one between neighbours",
                    "say how far apart neighbouring inputs are: give the sensitivity",
                )
            })
        };
        let amount = match (&self.amount, &self.family) {
            (Amount::Scale(scale), _) => lastbit::Amount::Scale(scale.clone()),
            (Amount::Variance(square), Family::Gaussian) => {
                return Ok(Gaussian::with_variance(square.clone())?.into());
            }
            (Amount::Variance(square), Family::DiscreteGaussian) => {
                return Ok(DiscreteGaussian::with_variance(square.clone())?.into());
            }
            (Amount::Variance(_), _) => {
                return Err(Refusal::usage("a variance is for Gaussian noise", "give the scale"));
            }
            (Amount::Loss(loss), _) => {
                lastbit::Amount::Loss { loss: loss.clone(), neighbours: neighbours()? }
            }
            (Amount::EpsilonDelta { epsilon, delta }, _) => {
                let (epsilon, delta) = (epsilon.clone(), delta.clone());
                lastbit::Amount::EpsilonDelta { epsilon, delta, neighbours: neighbours()? }
            }
            // Rounding the sum to an integer is part of how far off it is.
            (Amount::HalfWidth { half_width, confidence }, Family::Gaussian) if self.result.is_integer() => {
                return Ok(Gaussian::for_integer_half_width(half_width, confidence)?.into());
            }
            (Amount::HalfWidth { half_width, confidence }, Family::Laplace) if self.result.is_integer() => {
                return Ok(Laplace::for_integer_half_width(half_width, confidence)?.into());
            }
            (Amount::HalfWidth { half_width, confidence }, _) => {
                let (half_width, confidence) = (half_width.clone(), confidence.clone());
                lastbit::Amount::HalfWidth { half_width, confidence }
            }
        };
        match self.family.with(&amount)? {
            AnyMechanism::DiscreteLaplace(noise) if self.constant_time => Ok(noise.constant_time()?.into()),
            _ if self.constant_time => Err(Refusal::usage(
                "noise in constant time is discrete Laplace noise",
                "use discrete-laplace, or leave it out",
            )),
            mechanism => Ok(mechanism),
        }
    }
}

/// Noise for a column of values, and which columns are neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The noise: its family and amount.
    pub noise: Noise,
    /// The type of the values that get it.
    pub values: ValueType,
    /// The largest distance between neighbouring columns, in the metric of the mechanism.
    pub sensitivity: Rational,
    /// The largest number of values in which neighbours differ, if that is known.
    pub max_changed: Option<u64>,
    /// The power of two of which all values are multiples, as an exponent.
    pub granularity: Option<i32>,
    /// Whose data neighbours differ in.
    pub unit: Option<String>,
    /// The number of values, if it is known; needed where the loss [depends on it](Question::depends_on_length).
    pub length: Option<u64>,
    /// A `δ` at which the least `ε` is to be told beside the claim.
    pub delta: Option<Rational>,
}

impl Question {
    /// Noise for values of the type that results have, and nothing else known.
    pub fn new(noise: Noise, sensitivity: Rational) -> Question {
        Question {
            values: noise.result,
            noise,
            sensitivity,
            max_changed: None,
            granularity: None,
            unit: None,
            length: None,
            delta: None,
        }
    }

    /// Whether the loss depends on the number of values: it grows with the number of values that may change, and that number was not
    /// given.
    pub fn depends_on_length(&self) -> bool {
        self.is_charged_by_value() && self.max_changed.is_none()
    }

    /// Whether each value that differs between neighbours costs something.
    fn is_charged_by_value(&self) -> bool {
        matches!(self.noise.family, Family::GridLaplace { .. } | Family::FloatSnapping { .. })
    }

    /// Refuses what makes no sense, before anything is read; the plan, unless it takes the number of values, which is not known yet.
    ///
    /// # Errors
    /// What the mechanism refuses.
    pub fn check(&self) -> Result<Option<Plan>, Refusal> {
        if self.depends_on_length() && self.length.is_none() {
            // Whether parameters are fine does not depend on it.
            self.plan_for(Some(1))?;
            return Ok(None);
        }
        self.plan_for(self.length).map(Some)
    }

    /// The mechanism that was asked for, and what it promises.
    ///
    /// # Errors
    /// What the mechanism refuses; a number of values that is not known, and matters.
    pub fn plan(&self) -> Result<Plan, Refusal> {
        self.check()?.ok_or_else(|| {
            let name = if matches!(self.noise.family, Family::GridLaplace { .. }) {
                "grid-laplace"
            } else {
                "snapping"
            };
            Refusal::usage(
                format!("the loss of {name} depends on how many values may change"),
                "say how many values neighbours differ in, or how many values there are",
            )
        })
    }

    fn plan_for(&self, length: Option<u64>) -> Result<Plan, Refusal> {
        let neighbours = self.neighbours(length)?;
        let mechanism = self.noise.mechanism(Some(&neighbours))?;
        let claim = mechanism.claim(self.values, &neighbours)?;
        claim.check_charged()?;
        let approximate = match (&self.noise.amount, &self.delta) {
            // The mechanism was built to have them.
            (Amount::EpsilonDelta { epsilon, delta }, _) => Some(Approximate::new(epsilon, delta)),
            (_, Some(delta)) => Some(Approximate::new(&claim.approximate(delta)?, delta)),
            (_, None) => None,
        };
        Ok(Plan { mechanism, claim, approximate, result: self.noise.result })
    }

    fn neighbours(&self, length: Option<u64>) -> Result<Neighbours, Refusal> {
        // A sensitivity of 0 would make every release free, and is a mistake.
        if !self.sensitivity.is_positive() {
            let (name, value) = ("sensitivity", self.sensitivity.clone());
            return Err(lastbit::Error::NotPositive { name, value }.into());
        }
        let mut neighbours = Neighbours::at(self.sensitivity.clone());
        if self.is_charged_by_value() {
            neighbours = match (self.max_changed, length) {
                (Some(max_changed), _) => neighbours.differing_in(max_changed)?,
                (None, Some(length)) => neighbours.of_length(length),
                (None, None) => neighbours,
            };
        }
        if let Some(exponent) = self.granularity {
            neighbours = neighbours.with_granularity(exponent)?;
        }
        match &self.unit {
            Some(unit) => Ok(neighbours.one(unit)?),
            None => Ok(neighbours),
        }
    }
}

/// A mechanism that is ready, and what it promises.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The mechanism.
    pub mechanism: AnyMechanism,
    /// The claim of a release.
    pub claim: Claim,
    /// An `(ε, δ)` that it has beside its claim, if one was asked for.
    pub approximate: Option<Approximate>,
    /// The type that results have.
    pub result: ValueType,
}
