//! The exact privacy loss of noise as it runs.

#![forbid(unsafe_code)]

pub mod bit_tree;
pub mod comparison;
pub mod conformance;
pub mod decimal;
pub mod discrete;
mod error;
pub mod program;
mod sampler;
pub mod snapping;
pub mod textbook;

pub use comparison::{Comparison, Loss, Outcome};
pub use error::OutOfRange;
pub use sampler::Sampler;
