//! Liftings: two witnesses, and the three conditions on them.

use std::fmt::Debug;

use lastbit_real::Rational;

use super::{Ratio, SubDistribution, divergence};

/// The witnesses `μ_L` and `μ_R` of an (ε,δ)-lifting.
///
/// As defined, each `x` of positive mass needs some `y` with `(x, y)` in the relation, even if `δ` would pay for it, and each `y` some `x`.
/// The [bound on images](super::image_bound) does not ask for that. It follows from a lifting:
/// `μ₁(A) = μ_L(A × Ψ(A)) <= e^ε·μ_R(A × Ψ(A)) + δ <= e^ε·μ₂(Ψ(A)) + δ`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifting<A: Ord, B: Ord> {
    /// `μ_L`, whose first marginal is `μ₁`.
    pub left: SubDistribution<(A, B)>,
    /// `μ_R`, whose second marginal is `μ₂`.
    pub right: SubDistribution<(A, B)>,
}

/// The condition that the witnesses do not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiftingError<A: Debug, B: Debug> {
    /// `π₁(μ_L)` is not `μ₁`.
    #[error("the left witness has mass {found} over {value:?}, and should have {expected}")]
    LeftMarginal {
        /// The value with the wrong mass.
        value: A,
        /// The mass of the witness.
        found: Rational,
        /// That of `μ₁`.
        expected: Rational,
    },
    /// `π₂(μ_R)` is not `μ₂`.
    #[error("the right witness has mass {found} over {value:?}, and should have {expected}")]
    RightMarginal {
        /// The value with the wrong mass.
        value: B,
        /// The mass of the witness.
        found: Rational,
        /// That of `μ₂`.
        expected: Rational,
    },
    /// `μ_L` has mass outside of the relation.
    #[error("the left witness has mass {mass} at {pair:?}, which is not in the relation")]
    LeftOutside {
        /// The pair outside of the relation.
        pair: (A, B),
        /// The mass of the pair.
        mass: Rational,
    },
    /// `μ_R` has mass outside of the relation.
    #[error("the right witness has mass {mass} at {pair:?}, which is not in the relation")]
    RightOutside {
        /// The pair outside of the relation.
        pair: (A, B),
        /// The mass of the pair.
        mass: Rational,
    },
    /// `μ_L` exceeds `e^ε·μ_R` by more than `δ`.
    #[error("the witnesses have divergence {found}, which is more than δ; {worst:?} alone has {excess}")]
    Divergence {
        /// Their divergence.
        found: Rational,
        /// The pair that contributes most.
        worst: (A, B),
        /// The excess that it contributes.
        excess: Rational,
    },
    /// `δ` is negative, which no divergence is below.
    #[error("δ is {0}, which is negative")]
    NegativeDelta(Rational),
}

/// The least value where two distributions differ, with both masses.
fn difference<T: Ord + Clone>(
    found: &SubDistribution<T>,
    expected: &SubDistribution<T>,
) -> Option<(T, Rational, Rational)> {
    let values = found.support().chain(expected.support());
    let differs = values.filter(|value| found.mass(value) != expected.mass(value)).min()?;
    Some((differs.clone(), found.mass(differs), expected.mass(differs)))
}

impl<A: Ord + Clone + Debug, B: Ord + Clone + Debug> Lifting<A, B> {
    /// Checks that these are witnesses for `μ₁ Ψ^(ε,δ) μ₂`.
    ///
    /// # Errors
    /// [`LiftingError`]: the first condition that fails, and where.
    pub fn verify(
        &self,
        mu1: &SubDistribution<A>,
        mu2: &SubDistribution<B>,
        relation: impl Fn(&A, &B) -> bool,
        ratio: &Ratio,
        delta: &Rational,
    ) -> Result<(), LiftingError<A, B>> {
        if let Some((value, found, expected)) = difference(&self.left.map(|(a, _)| a.clone()), mu1) {
            return Err(LiftingError::LeftMarginal { value, found, expected });
        }
        if let Some((value, found, expected)) = difference(&self.right.map(|(_, b)| b.clone()), mu2) {
            return Err(LiftingError::RightMarginal { value, found, expected });
        }
        let outside = |witness: &SubDistribution<(A, B)>| {
            let mut pairs = witness.iter().map(|(pair, mass)| (pair.clone(), mass.clone()));
            pairs.find(|((a, b), _)| !relation(a, b))
        };
        if let Some((pair, mass)) = outside(&self.left) {
            return Err(LiftingError::LeftOutside { pair, mass });
        }
        if let Some((pair, mass)) = outside(&self.right) {
            return Err(LiftingError::RightOutside { pair, mass });
        }
        self.close(ratio, delta)
    }

    /// The third condition: the divergence of the witnesses is at most `δ`.
    fn close(&self, ratio: &Ratio, delta: &Rational) -> Result<(), LiftingError<A, B>> {
        if delta.is_negative() {
            return Err(LiftingError::NegativeDelta(delta.clone()));
        }
        let found = divergence(&self.left, &self.right, ratio);
        let excess =
            |(pair, mass): (&(A, B), &Rational)| (mass - ratio.value() * self.right.mass(pair), pair.clone());
        match self.left.iter().map(excess).max() {
            Some((excess, worst)) if found > *delta => Err(LiftingError::Divergence { found, worst, excess }),
            _ => Ok(()),
        }
    }
}
