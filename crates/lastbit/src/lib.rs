//! Differential-privacy noise that is private down to the last bit of a floating-point number.
#![deny(unsafe_code)]

mod accuracy;
mod bits;
mod claim;
mod discrete_gaussian;
mod discrete_laplace;
mod error;
mod float_snapping;
mod grid;
mod grid_laplace;
mod laplace;
mod measurement;
mod mechanism;
mod sampler;
mod snapping;
mod validate;

pub use bits::{BitSource, InsecureSeededSource, ReplaySource, SecureSource, Word};
pub use claim::{Claim, Measure};
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::Error;
pub use float_snapping::{FloatSnapping, SnapParams, snap_f};
pub use grid::{Inputs, grid_distance};
pub use grid_laplace::GridLaplace;
pub use laplace::Laplace;
pub use lastbit_real::{IBig, Rational, Rounding};
pub use measurement::{L1Distance, Loss, Measurement, VectorDomain, make_vector_float_laplace_cks20};
pub use mechanism::Mechanism;
pub use snapping::Snapping;
