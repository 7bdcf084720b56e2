//! The exact privacy loss of noise as it runs.
//!
//! | module | the loss of |
//! |---|---|
//! | [`snapping`] | the snapping mechanism: in floating point by inverting thresholds, over the reals, the worst inputs |
//! | [`program`] | float programs that are monotone in their uniform sample |
//! | [`discrete`] | programs with discrete samples and exact arithmetic |
//! | [`continuous`] | events of programs with real-valued noise, exactly |
//! | [`bit_tree`] | the samplers that ship, run on every sequence of bits |
//! | [`choosing`] | the exact probabilities of mechanisms that choose a candidate |
//! | [`textbook`] | single outputs of the textbook's Laplace mechanism |
//! | [`black_box`] | any noise at all, from samples: a lower bound, with a confidence. Half of the samples choose an event, half test it |
//!
//! All but the last produce outputs with exact or enclosed weights under two inputs, and stream them through a [`Comparison`], the only place
//! where two distributions are compared. [`conformance`] reads and recomputes files of such values, and [`decimal`] prints them. Where several
//! methods compute the same numbers, tests check that they agree. `docs/audit.md` has the mathematics.
//!
//! Reports and most error enums are `#[non_exhaustive]`; the enums that checkers and answers match on are deliberately exhaustive, so that
//! forgetting a case does not compile.
//!
//! ```
//! use lastbit_audit::snapping::{FloatSnap, Noise, Variant};
//! use lastbit_audit::{ExactLoss, Sampler};
//! use lastbit_lang::Tie;
//! use lastbit_real::Rational;
//!
//! // Two inputs, one ulp apart: an output that one can give and the other cannot.
//! let noise = Noise::Divided { epsilon: Rational::ONE };
//! let mechanism = FloatSnap::new(noise, 372.00000000000017, None, Tie::Up, Sampler::Ulp)?;
//! let f = 371.94007192138116f64;
//! let compared = Variant::of(mechanism).compare([f, f.next_up()], &Rational::ONE, |_| true)?;
//! assert_eq!(compared.loss(64), ExactLoss::Infinite);
//! assert_eq!(compared.outputs(), 747);
//! # Ok::<(), lastbit_audit::OutOfRange>(())
//! ```

#![forbid(unsafe_code)]

pub mod bit_tree;
pub mod black_box;
pub mod choosing;
mod columns;
mod comparison;
pub mod conformance;
pub mod continuous;
pub mod decimal;
pub mod discrete;
mod error;
mod exponential_sum;
pub mod program;
mod sampler;
pub mod snapping;
pub mod textbook;

pub use columns::columns;
pub use comparison::{Comparison, ExactLoss, LnRatio, Outcome};
pub use error::OutOfRange;
pub use exponential_sum::ExponentialSum;
pub use sampler::Sampler;
