//! Exact and rigorous numbers: the layer on which every claim of `lastbit` rests.
//!
//! Every approximation comes with a bound on its error:
//!
//! | type or function | what it is |
//! |---|---|
//! | [`Rational`] | an exact fraction; the number type of privacy parameters |
//! | [`Dyadic`] | an exact `mantissa · 2^exponent`; every finite float is one |
//! | [`Enclosure`] | a closed interval with dyadic ends that contains a real number |
//! | [`sqrt`], [`ln`], [`exp`], [`log1p`], [`expm1`], [`sin`], [`cos`], [`erfc`], [`erfcx`], [`pi`], [`ln2`] | enclosures of any relative width asked for |
//! | [`Float`] | `f32` and `f64` seen as the finite sets of dyadics that they are |
//! | [`ln_f64`], [`exp_f64`] | correctly rounded, fast (CORE-MATH) |
//! | [`default_grid`] | the least power of two that is at least a scale |
//!
//! # Example
//!
//! Is the double nearest to `ln 3` above or below the real number `ln 3`? An enclosure decides:
//!
//! ```
//! use lastbit_real::{Dyadic, Float, Rational, ln, ln_f64};
//! use std::cmp::Ordering;
//!
//! let enclosure = ln(&Dyadic::from(3), 100)?;
//! let rounded = f64::from_enclosure(&enclosure).expect("100 bits settle the 53 of a double");
//! assert_eq!(rounded, ln_f64(3.0));
//!
//! let rounded = Rational::try_from(rounded)?;
//! assert_eq!(enclosure.cmp_to(&rounded), Some(Ordering::Less)); // ln 3 is below its double
//!
//! // Parameters are read exactly: one tenth, not the double nearest to it.
//! let epsilon: Rational = "0.1".parse()?;
//! assert_eq!(epsilon, Rational::new(1, 10).expect("10 is not zero"));
//! assert_ne!(epsilon, Rational::try_from(0.1)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantee of the elementary functions
//!
//! For a point argument (a [`Dyadic`] or a [`Rational`]), [`sqrt`], [`ln`], [`exp`], [`log1p`], [`expm1`], [`sin`], [`cos`], [`erfc`], [`erfcx`]
//! and their forms for fractions return an enclosure that
//!
//! - contains the true value, and
//! - is at most `2^-bits · |true value|` wide: the accuracy is relative, even where the value is near 0,
//!   and the enclosure is a single point where the value is known exactly (`ln 1`, `exp 0`).
//!
//! The methods of the same names on [`Enclosure`] contain the image of the whole interval; their ends
//! are ends of such enclosures. The functions use integer arithmetic only, and the error bounds are
//! proved in the comments of the source.
//!
//! # Panics and cost
//!
//! Functions panic only where their documentation says so (division by zero through `/`, a dyadic
//! exponent beyond the range of `i64`). Exactness costs memory: the sum of two dyadics takes as
//! many bits as lie between its highest and its lowest one.

// `libm` declares two functions in C.
#![deny(unsafe_code)]

mod circular;
mod circular_series;
mod dyadic;
mod elementary;
mod enclosure;
mod error_function;
mod float;
mod grid;
mod libm;
mod parse;
mod rational;
mod rounding;
mod series;

pub use circular::{cos, cos_rational, pi, sin, sin_rational};
pub use dashu_int::{IBig, UBig};
pub use dyadic::{Dyadic, NotDyadic};
pub use elementary::{
    DomainError, exp, exp_rational, expm1, expm1_rational, ln, ln_quotient, ln_rational, ln2, log1p,
    log1p_rational, sqrt,
};
pub use enclosure::Enclosure;
pub use error_function::{erfc, erfcx};
pub use float::{Float, NotFinite, round_i128_to_f32, round_i128_to_f64};
pub use grid::default_grid;
pub use libm::{correctly_rounded_ln, exp_f64, ln_f64};
pub use parse::ParseNumberError;
pub use rational::Rational;
pub use rounding::Rounding;
