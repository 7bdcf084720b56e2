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
//! Parameters and losses are exact rationals ([`Rational`]). All random bits come from a [`BitSource`]. A call that cannot succeed
//! returns an [`Error`] and writes nothing.
//!
//! Losses of several releases add: [`Claim::compose`] says what they promise together, [`Composition`] makes one measurement of
//! several, and a [`Budget`] refuses any release that would exceed it.
//!
//! # What is not covered
//!
//! The claims are about the distribution of the outputs. The time that a release takes reveals next to nothing, but not nothing: all but a
//! share of 2⁻²⁴ of the values take the same straight line of instructions, whatever the values are (`docs/time.md` in the repository).
//! Memory that held the values is not wiped, nor are the random words of the last release on the stack; the generator itself forgets keys
//! and words as it goes ([`SecureSource`]).
//!
//! # Inside
//!
//! A release goes through the file of its mechanism, then `sampler::batch`, then tier 1, rarely tier 2, and tier 3, which has never been
//! seen outside of tests.
//!
//! | module | what it has |
//! |---|---|
//! | `bits` | [`BitSource`] and its sources. The width of a word is a type, so that an audit can replay the shipped code on every word. [`SecureSource`] is a `generator` (forks, fresh bytes, batches) over `erasure` (fast key erasure: all secrets in one struct) in `pages` (memory of their own); what handles keys runs in `scrub` |
//! | `real` | exact real numbers as inputs, for [`RealMechanism`] |
//! | `sampler` | the laws, the three tiers, batches, threads |
//! | one file per mechanism | formula, example, parameters and errors, code. A mechanism implements `batch::Chunked`, users call [`Mechanism`]; "all or nothing" is enforced in `batch` alone. [`Contract`] describes a mechanism, and [`AnyMechanism`] is any one of them |
//! | `grid`, `accuracy`, `normal_tail`, `measurement` | the privacy map of rounding to a grid; scales from half-widths and back; quantiles and δ(ε) of the Gaussian; OpenDP's view |
//! | `claim`, `neighbours`, `budget` | a claim names its neighbours, and is computed again when it is read; claims about the same inputs add |
//!
//! Two invariants: no secret lies outside `erasure::State`, which `bits/tests/memory.rs` checks from another process; and the tiers never
//! change an output, only its cost.
// A few small modules need `unsafe`, for the reasons they give: `bits::fork`, `bits::pages`, `bits::erasure`, `bits::scrub`, the clock of
// `bits::environment`, and `sampler::arith`.
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
