//! Programs with real-valued noise: the exact probability of an event.
//!
//! A path of such a program is taken if linear forms in the noises have certain signs. The probability of that is the integral of the
//! density over a polyhedron, and a finite sum of exponentials of rational numbers times rational coefficients: [`ExponentialSum`].
//!
//! ```
//! use lastbit_audit::ExponentialSum;
//! use lastbit_audit::continuous::{Budget, HalfSpace, Noise, probability};
//! use lastbit_real::Rational;
//!
//! // Which of two noisy values is larger, if the first is ahead by 1: v₀ - v₁ + 1 >= 0.
//! let noises = [Noise::Laplace(Rational::ONE), Noise::Laplace(Rational::ONE)];
//! let ahead = HalfSpace::new([Rational::ONE, -Rational::ONE], Rational::ONE);
//! let p = probability(&noises, &[ahead], Budget::default())?;
//! assert_eq!(p.to_string(), "1 - 3/4·e^-1");
//! # Ok::<(), lastbit_audit::continuous::ContinuousError>(())
//! ```

mod compare;
mod eliminate;
mod form;
mod integrand;
mod polynomial;
mod region;
#[cfg(test)]
mod tests;

use lastbit_real::Rational;

use crate::ExponentialSum;

pub use compare::{EventWitness, compare, estimate};
use eliminate::{Part, integrate};
use form::LinearForm;
use region::Region;

/// A noise around 0, independent of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noise {
    /// The density `e^(-|v|/scale) / (2·scale)`.
    Laplace(Rational),
    /// The density `e^(-v/scale) / scale` on `v >= 0`.
    Exponential(Rational),
}

impl Noise {
    /// The scale.
    pub fn scale(&self) -> &Rational {
        match self {
            Noise::Laplace(scale) | Noise::Exponential(scale) => scale,
        }
    }

    /// The density of the noise over its scale, in parts without a kink.
    fn density(&self) -> Vec<Part> {
        let part = |side: Rational, weight: &Rational| Part { slope: -&side, side, weight: weight.clone() };
        let half = Rational::pow2(-1);
        match self {
            Noise::Laplace(_) => vec![part(Rational::ONE, &half), part(-Rational::ONE, &half)],
            Noise::Exponential(_) => vec![part(Rational::ONE, &Rational::ONE)],
        }
    }
}

/// `Σ cᵢ·vᵢ + constant >= 0`, or `> 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSpace {
    /// The coefficients, one for each noise.
    pub coefficients: Vec<Rational>,
    /// The constant term.
    pub constant: Rational,
    /// Whether 0 is excluded. It matters only if all coefficients are 0: a hyperplane has no probability.
    pub strict: bool,
}

impl HalfSpace {
    /// `Σ cᵢ·vᵢ + constant >= 0`
    pub fn new(coefficients: impl Into<Vec<Rational>>, constant: Rational) -> HalfSpace {
        HalfSpace { coefficients: coefficients.into(), constant, strict: false }
    }

    /// Everything that is not in it.
    pub fn complement(&self) -> HalfSpace {
        HalfSpace {
            coefficients: self.coefficients.iter().map(|c| -c).collect(),
            constant: -&self.constant,
            strict: !self.strict,
        }
    }
}

/// The limits of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most terms, monomials times exponentials, that may be made in all. It bounds the memory and, at 10 to 100 microseconds a term,
    /// the time. The sparse vector technique with eight queries makes some hundreds.
    pub terms: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { terms: 1 << 16 }
    }
}

/// The reason why there is no probability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContinuousError {
    /// A noise of no or negative scale.
    #[error("the scale of noise {noise} is {scale}; it must be positive")]
    Scale {
        /// The index of the noise, from 0.
        noise: usize,
        /// Its scale.
        scale: Rational,
    },
    /// A half-space of another dimension.
    #[error("half-space {half_space} has {found} coefficients for {noises} noises")]
    Dimension {
        /// The index of the half-space, from 0.
        half_space: usize,
        /// The number of its coefficients.
        found: usize,
        /// The number of noises.
        noises: usize,
    },
    /// The integral falls into too many parts.
    #[error("the integral has more than {limit} terms")]
    TooManyTerms {
        /// The number of parts that is allowed.
        limit: usize,
    },
    /// `e^-2¹⁸` has a hundred thousand digits after the point.
    #[error("the exponent {exponent} is too large")]
    Exponent {
        /// The exponent, beyond 2¹⁸ in magnitude.
        exponent: Rational,
    },
}

/// Exponents beyond this are refused.
const MOST_EXPONENT: i64 = 1 << 18;

/// The probability that the noises lie in all of the half-spaces.
///
/// # Errors
/// [`ContinuousError`] for scales that are not positive, half-spaces of another dimension, exponents beyond 2¹⁸, and integrals
/// of more terms than the budget has.
pub fn probability(
    noises: &[Noise],
    region: &[HalfSpace],
    budget: Budget,
) -> Result<ExponentialSum, ContinuousError> {
    if let Some((noise, known)) = noises.iter().enumerate().find(|(_, known)| !known.scale().is_positive()) {
        return Err(ContinuousError::Scale { noise, scale: known.scale().clone() });
    }
    let found = region.iter().map(|half_space| half_space.coefficients.len());
    if let Some((half_space, found)) = found.enumerate().find(|(_, found)| *found != noises.len()) {
        return Err(ContinuousError::Dimension { half_space, found, noises: noises.len() });
    }
    let densities: Vec<_> = noises.iter().map(Noise::density).collect();
    let Some(region) = polyhedron(noises, region) else { return Ok(ExponentialSum::default()) };
    let probability = integrate(&densities, region, budget)?;
    let is_huge = |(_, exponent): &(_, &Rational)| exponent.abs() > Rational::from(MOST_EXPONENT);
    let huge = probability.terms().find(is_huge).map(|(_, exponent)| exponent.clone());
    huge.map_or(Ok(probability), |exponent| Err(ContinuousError::Exponent { exponent }))
}

/// The region in units of the scales, or `None` if it is seen to be empty.
fn polyhedron(noises: &[Noise], region: &[HalfSpace]) -> Option<Region> {
    let mut polyhedron = Region::default();
    for HalfSpace { coefficients, constant, strict } in region {
        let terms = coefficients.iter().zip(noises).enumerate().filter(|(_, (c, _))| !c.is_zero());
        let direction = terms.map(|(v, (c, noise))| (v, c * noise.scale())).collect();
        let form = LinearForm { direction, constant: constant.clone() };
        // The half-space without noise that holds with equality.
        if form.is_constant() && !strict && constant.is_zero() {
            continue;
        }
        polyhedron = polyhedron.with(form)?;
    }
    Some(polyhedron)
}
