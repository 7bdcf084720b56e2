//! Differential-privacy noise that is private down to the last bit of a floating-point number.
#![deny(unsafe_code)]

mod bits;
mod error;
mod laplace;
mod mechanism;
mod sampler;
mod validate;

pub use bits::{BitSource, InsecureSeededSource, ReplaySource, SecureSource, Word};
pub use error::Error;
pub use laplace::Laplace;
pub use lastbit_real::Rational;
pub use mechanism::Mechanism;
