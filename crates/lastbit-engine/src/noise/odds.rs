//! A loss as a change of odds.

use lastbit::{Claim, Measure, Rational, Rounding};
use lastbit_real::exp_rational;
use serde::Serialize;

use crate::{Number, Refusal};

/// Bits of the enclosures; results are shown with [`DIGITS`] digits.
const BITS: u32 = 64;
const DIGITS: usize = 6;

/// The probability with which a zero-concentrated loss may be worse than explained.
const EXCEPT: &str = "1e-6";

/// A bound on how much the output can change anyone's odds between two neighbouring inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Odds {
    /// The factor, a little above the true number; `None` if that number is beyond words.
    pub factor: Option<Number>,
    /// The logarithm.
    pub log_factor: Number,
    /// 0 if it is so with certainty; else the probability of an event of the noise for which it is not.
    pub except_with_probability: Number,
}

impl Odds {
    /// The effect of the loss of a claim on the odds.
    ///
    /// # Errors
    /// None that a claim is known to have.
    pub fn of(claim: &Claim) -> Result<Odds, Refusal> {
        let except: Rational = EXCEPT.parse().unwrap_or_default();
        let log_factor = claim.log_odds(&except)?;
        // Beyond this the number of digits is all one could say.
        let largest = Rational::from(1000);
        let factor =
            Some(&log_factor).filter(|log| **log <= largest).and_then(|log| exp_rational(log, BITS).ok());
        let is_pure = claim.measure() == Measure::MaxDivergence;
        let except = if is_pure { Rational::ZERO } else { except };
        Ok(Odds {
            factor: factor.map(|factor| Number::at_most(&Rational::from(factor.hi()), DIGITS)),
            log_factor: Number::at_most(&log_factor, DIGITS),
            except_with_probability: Number::exact(&except, DIGITS).with_decimal(except.to_short()),
        })
    }

    /// The paragraph for people, about the inputs of a claim.
    pub(super) fn in_words(&self, claim: &Claim) -> String {
        let adjacency = claim.about();
        let Some(factor) = &self.factor else {
            return format!(
                "The loss is so large that it protects nothing: anyone who sees the output can become certain which of two neighbouring \
                 inputs ({adjacency}) it came from."
            );
        };
        let is_pure = self.except_with_probability.is_zero();
        let log = match is_pure {
            true => claim.loss().to_short(),
            false => self.log_factor.upper().to_decimal(DIGITS, Rounding::Up),
        };
        let log = match log.len() {
            // Long fractions are in the claim.
            21.. => "loss".to_owned(),
            _ if log.contains('/') => format!("({log})"),
            _ => log,
        };
        let seldom = match is_pure {
            true => String::new(),
            false => format!(", but for an event of the noise that has probability {EXCEPT} or less"),
        };
        let factor = factor.upper();
        let surest = Rational::from(100) * factor / (factor + Rational::ONE);
        format!(
            "Take any two neighbouring inputs ({adjacency}). Anyone who sees the output may find one of them more plausible than \
             before, but the odds between them change by a factor of at most {} (e^{log}, rounded up){seldom}. Someone who thought \
             both equally likely is at most {}% sure of either afterwards.",
            factor.to_decimal(DIGITS, Rounding::Up),
            surest.to_decimal(4, Rounding::Up),
        )
    }
}
