//! ENDPT: from the error of the noise to the privacy of the snapping mechanism in floating point.
//!
//! The program is `r = clamp_B(⌊x ⊕ s ⊗ y_F(u)⌉_Λ)` with `x = clamp_B(f)`, `s = ±1`, and `y_F` a float reading of `y(u) = c·ln u` of which
//! the error semantics has shown `y_F(u) = y(u)(1 + θ)`, `|θ| <= ρ`. [`certify`] bounds the loss over all doubles `f`, `f'` at most `Δ`
//! apart, in seven cases; [`pair_outputs`] encloses the thresholds of `u` for two given inputs; a [`Search`] weighs outputs exactly, by
//! inverting the arithmetic itself.
//!
//! # Why
//!
//! - **L1.** For a double `T`, `fl(t) >= T` iff the real number `t` is at least the midpoint `g` below `T` (or above `g`, if `T` is
//!   odd). So `⊕`, the rounding and the clamp are post-processing of the real sum `x + s·y_F`, on a grid of midpoints which is the
//!   same for all inputs. No input is a midpoint. They cost nothing.
//! - **L2.** `Pr[y_F < A] = e^(A/c)(1 + κ)` for `A < 0`, with `κ` from `ρ` and from the grid of `u`. It is not used that `y_F` is monotone.
//! - **L3.** The probability of a cell is a difference of two such numbers; its relative error is `(κ + rκ')/(1 - r)`, where
//!   `r = e^(-Λ'/c)` and `Λ'` bounds the width of cells from below. At `±B` it is `κ`.
//! - Without errors, the mechanism on the same grid is post-processing of `x + Laplace(c)`: its loss is at most `|x - x'|/c`.
//!
//! The derivations are in the comments and in `docs/endpoint.md`.
//!
//! ```
//! use lastbit_lang::Tie;
//! use lastbit_prove::endpoint::{FloatSnap, Noise, NoiseError, Sampler, certify};
//! use lastbit_real::Rational;
//!
//! let noise = Noise::Divided { epsilon: Rational::ONE };
//! let mechanism = FloatSnap::new(noise, 100.0, None, Tie::Up, Sampler::Ulp)?;
//! let two_roundings = NoiseError { relative: Rational::pow2(-52) };
//! let loss = certify(&mechanism, &two_roundings, &Rational::ONE)?.loss().clone();
//! assert!(loss > Rational::ONE && loss < Rational::ONE + Rational::pow2(-42));
//! # Ok::<(), lastbit_prove::endpoint::EndpointError>(())
//! ```

pub mod answer;
mod broken;
mod cases;
pub mod certificate;
mod claims;
mod kappa;
#[cfg(test)]
mod near_misses;
mod neighbours;
mod open;
mod pair;
mod refute;
mod report;
mod shape;
mod statement;
#[cfg(test)]
mod tests;
mod theorem;
mod words;

use lastbit_real::{DomainError, Rational, Rounding};

// What is studied here, and weighed there.
pub use lastbit_audit::snapping::{
    Budget, Case, FloatSnap, Noise, Scope, Search, Variant, Worst, WorstPair, outputs_of_interest,
};
pub use lastbit_audit::{OutOfRange, Sampler};

pub use cases::CaseBound;
pub use claims::{ClaimedBound, PaperVerdict};
pub use kappa::NoiseError;
pub use neighbours::Point;
pub use open::{OpenPoint, OpenTheorem};
pub use pair::{Endpoints, PairOutput, UThreshold, WeightBounds, pair_outputs};
pub use refute::{Event, Refutation};
pub use report::{EndpointReport, Request, analyse};
pub use shape::{Public, Scale, ShapeError, ShapeReason, SnappingShape, noise_error, recognise};
pub use statement::{Given, Snapping, Statement};
pub use theorem::{GridPoint, MOST_M, compare_with_theorem_a, theorem_a, theorem_a_prime};

use cases::{Reach, case_bounds};
use kappa::Ingredients;

/// The reason why there is no bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The program is no snapping mechanism.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A parameter that the theory does not cover.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The noise comes too near the least double for a bound on pure differential privacy.
    #[error("M = ε(2B + Λ/2) = {} is more than 700: no pure differential privacy is claimed", .m.to_decimal(6, Rounding::Up))]
    NoPureClaim {
        /// `M`.
        m: Box<Rational>,
    },
    /// The errors are as large as the probabilities themselves.
    #[error(
        "the bound on the error of a probability reaches 1: the grid of u is too coarse for these parameters"
    )]
    Diverges,
    /// The error semantics gives no relative error of the noise.
    #[error("the noise has no relative error: {reason}")]
    NoRelativeError {
        /// The reason why there is none.
        reason: String,
    },
    /// An argument that the elementary functions refuse.
    #[error(transparent)]
    Domain(#[from] DomainError),
}

/// The bounds over all inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certified {
    /// Case by case. If the total is approximate, of the outputs that do not count as failures.
    pub cases: Vec<CaseBound>,
    /// The largest of them.
    pub total: Total,
}

/// The certified total loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// Pure differential privacy.
    Pure {
        /// The loss.
        loss: Rational,
    },
    /// `(loss, delta)`-differential privacy, if `M > 700`.
    Approximate {
        /// `ε`.
        loss: Rational,
        /// `δ`.
        delta: Rational,
    },
}

impl Certified {
    /// The loss in total, but for failures.
    pub fn loss(&self) -> &Rational {
        match &self.total {
            Total::Pure { loss } | Total::Approximate { loss, .. } => loss,
        }
    }
}

/// Bounds the loss over all doubles `f`, `f'` with `|f - f'| <= sensitivity`; the first clamp brings them into `[-B, B]`, and
/// no farther apart.
///
/// # Errors
/// [`EndpointError`], if a condition of the theory fails.
pub fn certify(
    mechanism: &FloatSnap,
    error: &NoiseError,
    sensitivity: &Rational,
) -> Result<Certified, EndpointError> {
    if !sensitivity.is_positive() {
        let reason = "it must be positive";
        return Err(OutOfRange { name: "sensitivity", value: sensitivity.to_string(), reason }.into());
    }
    let ingredients = Ingredients::of(mechanism, error)?;
    let reach = Reach::of(mechanism);
    let m = mechanism.exponent_range();
    let (cases, delta) = if m <= Rational::from(MOST_M) {
        (case_bounds(&ingredients, &reach, sensitivity)?, None)
    } else if mechanism.sampler() == Sampler::Ulp {
        let (farthest, delta) = theorem::failures(&ingredients, sensitivity)?;
        (case_bounds(&ingredients, &reach.capped(&farthest), sensitivity)?, Some(delta))
    } else {
        return Err(EndpointError::NoPureClaim { m: Box::new(m) });
    };
    let loss = cases.iter().map(CaseBound::loss).max().expect("the ends always occur");
    let total = match delta {
        None => Total::Pure { loss },
        Some(delta) => Total::Approximate { loss, delta },
    };
    Ok(Certified { cases, total })
}
