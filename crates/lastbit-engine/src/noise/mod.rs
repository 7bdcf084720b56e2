//! Which noise, how much of it, and what it promises.
//!
//! ```
//! use lastbit::Family;
//! use lastbit_engine::noise::{Amount, Noise, Question};
//! use lastbit_real::Rational;
//!
//! let noise = Noise::new(Family::Laplace, Amount::Loss("0.1".parse()?));
//! let answer = Question::new(noise, Rational::ONE).answer()?;
//! assert_eq!((answer.mechanism, answer.parameters["scale"].as_str()), ("laplace", "10"));
//! assert_eq!(answer.half_widths[2].to_string(), "at most 29.95732273553991 with probability 95%");
//! assert_eq!(answer.odds.factor.unwrap().decimal(), "1.10518");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A front end that adds noise asks for the [`Plan`], which has the mechanism itself, and tells its [`Promise`] with the values; one that
//! explains asks for the [`NoisePlan`]. [`ChoicePlan`] is the same for the choice of a candidate.

mod answer;
mod charged;
mod choice;
mod half_width;
mod odds;
mod promise;
mod question;
mod words;

pub use answer::NoisePlan;
pub use charged::{Charged, Input, MOST_VALUES};
pub use choice::{ChoicePlan, Shortfall};
pub use half_width::{HalfWidthAt, half_width_of};
pub use odds::Odds;
pub use promise::{Approximate, Promise, Promised};
pub use question::{Amount, Noise, Plan, Question};

#[cfg(test)]
mod tests;
