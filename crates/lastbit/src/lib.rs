//! Differential-privacy noise that is private down to the last bit of a floating-point number.
//!
//! Nearly every library has shipped noise that leaks through its floating-point bits: the textbook `x + b·ln(u)` cannot
//! reach every double from every `x`, and which doubles it reaches tells `x` apart. The mechanisms here have
//! **exactly** the distribution that their proofs are about, and are faster than the textbook.
//!
//! ```
//! use lastbit::{Contract, Laplace, Mechanism, Neighbours, Rational, SecureSource, ValueType};
//!
//! let epsilon: Rational = "0.1".parse()?; // 1/10, exactly
//! let laplace = Laplace::for_epsilon(&epsilon, &Rational::ONE)?;
//! let mut source = SecureSource::new()?;
//!
//! let mut incomes = vec![31_000.0, 54_321.5, 12_080.25];
//! laplace.release_in_place(&mut source, &mut incomes)?;
//!
//! let claim = laplace.claim(ValueType::F64, &Neighbours::at(Rational::ONE))?;
//! assert_eq!(claim.loss().to_string(), "1/10");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | mechanism | adds | to | loss at distance `d` |
//! |---|---|---|---|
//! | [`Laplace`] | the real Laplace variable, correctly rounded | `f64`, `f32`, `i64`, `i32`, [`Real`] | `d/b` |
//! | [`GridLaplace`] | the discrete Laplace variable on `Z·2^k` | `f64`, `f32` | [`grid_distance`]`/b` |
//! | [`DiscreteLaplace`] | the discrete Laplace variable | `i64`, `i32` | `d/s` |
//! | [`Gaussian`] | the real Gaussian variable, correctly rounded | `f64`, `f32`, `i64`, `i32`, [`Real`] | `d²/(2σ²)`, zero-concentrated |
//! | [`DiscreteGaussian`] | the discrete Gaussian variable | `i64`, `i32` | `d²/(2σ²)`, zero-concentrated |
//! | [`Snapping`] | clamp, real Laplace, round to `Λ`, clamp | `f64`, [`Real`] | `ε·d` |
//! | [`FloatSnapping`] | the same in floating point, to study | `f64` | `ε·d` and a little |
//!
//! Two mechanisms choose one of several candidates by their scores, where `d` is how far two scores can move apart ([`Metric::Range`]):
//!
//! | mechanism | chooses | loss at range distance `d` |
//! |---|---|---|
//! | [`NoisyMax`] | the largest `score + b·E`, `E` exponential: permute-and-flip | `d/b` |
//! | [`Exponential`] | `i` with probability proportional to `weight·e^(score/b)` | `d/b` |
//!
//! Parameters are exact rationals ([`Rational`]) and so are losses. Randomness has one door, [`BitSource`]. What cannot be
//! done is refused with an [`Error`], and then nothing is written.
//!
//! Losses of several releases add: [`Claim::compose`] says what they promise together, [`Composition`] makes one measurement of
//! several, and a [`Budget`] refuses what would exceed it.
//!
//! # What is not covered
//!
//! The claims are about the distribution of the outputs. *When* an output comes tells next to nothing, but not nothing: all but a share of 2⁻²⁴ of the values
//! take the same straight line of instructions, whatever they are; the page `docs/noise.md` of the repository says more. Memory that held the values, and the random words of the last release on the stack, are not wiped; the generator
//! itself forgets keys and words as it goes ([`SecureSource`]).
// A few small modules need `unsafe`, with their reasons: `bits::fork`, `bits::pages`, `bits::scrub`, the clock of `bits::environment`, and
// `sampler::arith`.
#![deny(unsafe_code)]

mod accuracy;
mod any_mechanism;
mod bits;
mod budget;
mod claim;
mod composition;
mod contract;
mod discrete_gaussian;
mod discrete_laplace;
mod error;
mod exponential;
mod float_snapping;
mod gaussian;
mod grid;
mod grid_laplace;
mod laplace;
mod measurement;
mod mechanism;
mod neighbours;
mod noisy_max;
mod normal_tail;
mod real;
mod sampler;
mod score;
mod selection;
mod snapping;
mod theorem_a;
mod threads;
mod validate;
mod value_type;

pub use any_mechanism::{Amount, AnyMechanism, Family};
pub use bits::{
    BitSource, InsecurePart, InsecureSeededSource, Part, ReplaySource, SecureSource, SplitSource, Word,
};
pub use budget::Budget;
pub use claim::{About, Claim, Measure, Preparation};
pub use composition::Composition;
pub use contract::{Contract, HalfWidth};
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::Error;
pub use exponential::Exponential;
pub use float_snapping::{FloatSnapping, SnapParams, snap_f};
pub use gaussian::Gaussian;
pub use grid::{Inputs, grid_distance};
pub use grid_laplace::GridLaplace;
pub use laplace::Laplace;
pub use lastbit_real::{IBig, Rational, Rounding};
pub use measurement::{L1Distance, Loss, Measurement, VectorDomain, make_vector_float_laplace_cks20};
pub use mechanism::{Mechanism, RealMechanism};
pub use neighbours::{Metric, Neighbours};
pub use noisy_max::NoisyMax;
pub use real::Real;
pub use score::Score;
pub use selection::Selection;
pub use snapping::Snapping;
pub use theorem_a::{MOST_M, TheoremA};
pub use threads::Threads;
pub use value_type::ValueType;
