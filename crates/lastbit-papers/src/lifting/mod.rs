//! What a judgement means on finite distributions: divergences, liftings with their witnesses, and the bound on images, all exact.
//!
//! The notes on verifying the snapping mechanism define when two distributions are related by a *lifting* of a relation: there are two
//! joint distributions, the witnesses, inside of the relation, that have the given marginals and are close to each other ([`Lifting`]). The
//! logic itself uses what follows from it, that every event is about as likely as its image ([`image_bound`]).
//!
//! ```
//! use lastbit_papers::lifting::{Lifting, Ratio, SubDistribution, divergence};
//! use lastbit_real::Rational;
//!
//! let rational = |text: &str| text.parse::<Rational>().unwrap();
//! // Randomized response that lies one time in three.
//! let yes = SubDistribution::new([(true, rational("2/3")), (false, rational("1/3"))])?;
//! let no = SubDistribution::new([(true, rational("1/3")), (false, rational("2/3"))])?;
//! let twice = Ratio::new(Rational::from(2))?;
//! assert_eq!(divergence(&yes, &no, &twice), Rational::ZERO);
//! assert_eq!(divergence(&yes, &no, &Ratio::ONE), rational("1/3"));
//!
//! // The witnesses of "both answer the same" lie on the diagonal.
//! let lifting = Lifting { left: yes.map(|&v| (v, v)), right: no.map(|&v| (v, v)) };
//! lifting.verify(&yes, &no, |a, b| a == b, &twice, &Rational::ZERO)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod distance;
mod distribution;
mod image;
#[cfg(test)]
mod theorems;
mod witness;

pub use distance::{NegativeEpsilon, Ratio, RatioBelowOne, dilation, divergence, divergence_at};
pub use distribution::{MassError, SubDistribution};
pub use image::{ImageError, MOST_VALUES, image_bound};
pub use witness::{Lifting, LiftingError};
