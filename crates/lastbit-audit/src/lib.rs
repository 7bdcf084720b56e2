//! The exact privacy loss of noise as it runs.

#![forbid(unsafe_code)]

pub mod comparison;
pub mod conformance;
pub mod decimal;
mod error;
mod sampler;
pub mod snapping;
pub mod textbook;

pub use comparison::{Comparison, Loss, Outcome};
pub use error::OutOfRange;
pub use sampler::Sampler;
