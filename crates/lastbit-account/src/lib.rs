//! What many releases cost together: bounds on `δ(ε)` and `ε(δ)` from both sides, which are theorems.
//!
//! Losses lie on an exact rational lattice, probabilities are integers, and their convolution is exact: the only rounding is of masses, up for an
//! upper bound and down for a lower one. The page `docs/accounting.md` of the repository has the proof.
//!
//! ```
//! use lastbit_account::{Composition, Mechanism};
//! use lastbit_real::{Rational, Rounding};
//!
//! // A thousand releases with real Laplace noise, each of loss 1/10.
//! let mut thousand = Composition::new();
//! thousand.add(Mechanism::Laplace { epsilon: "1/10".parse()? }, 1000)?;
//! let epsilon = thousand.epsilon(&"1e-6".parse()?)?;
//! assert_eq!(epsilon.lower.to_decimal(6, Rounding::Down), "18.9502");
//! assert_eq!(epsilon.upper.unwrap().to_decimal(6, Rounding::Up), "18.9503");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `prime`, `convolve` | exact convolution of integers by number-theoretic transforms |
//! | `mass` | weighted probabilities as integers in units of `2^-W` |
//! | `distribution` | a bound on the distribution of a loss, its sums, `δ(ε)` and `ε(δ)` |
//! | `cells` | from outputs, or ranges of them, to a lattice of losses |
//! | `mechanism` | what one release loses |
//! | `grid`, `tilt` | how fine the lattice must be, and which losses matter: estimates, on which no bound rests |
//! | `composition` | several releases, and the questions about them |
//! | `answer` | a question, what each method says of it, and the best of that |
//! | `closed` | Gaussian noise, zero-concentrated losses and Rényi divergences, in closed form |
//! | `trade_off` | an attacker's misses against false alarms |
//! | `mutant` | mistakes that the tests must notice |
//! | `calibrate` | the least noise that is enough |

#![forbid(unsafe_code)]

mod answer;
mod calibrate;
mod cells;
mod closed;
mod composition;
mod convolve;
mod distribution;
mod error;
mod grid;
mod mass;
mod mechanism;
mod mutant;
mod prime;
mod tilt;
mod trade_off;

pub use answer::{Answer, Method, Question};
pub use calibrate::{Calibrated, Noise, calibrate, largest_rho};
pub use composition::{Composition, Interval};
pub use error::Error;
pub use mechanism::Mechanism;

use lastbit_real::Rational;

/// Refuses a δ that is no probability between 0 and 1.
fn check_delta(delta: &Rational) -> Result<(), Error> {
    if !delta.is_positive() || *delta >= Rational::ONE {
        return Err(Error::NoProbability { value: delta.to_short() });
    }
    Ok(())
}

/// Asks whether to go on, at every so many steps of a loop.
fn go_on(step: usize, goes_on: &dyn Fn() -> bool) -> Result<(), Error> {
    match step % 2048 == 2047 && !goes_on() {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

/// Refuses a parameter that is not positive.
fn positive(name: &'static str, value: &Rational) -> Result<(), Error> {
    if value.is_positive() {
        return Ok(());
    }
    Err(Error::NotPositive { name, value: value.to_short() })
}
