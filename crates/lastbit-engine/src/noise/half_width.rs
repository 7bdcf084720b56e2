//! How far off a noisy value is.

use std::collections::BTreeMap;
use std::fmt;

use lastbit::{About, AnyMechanism, Claim, Contract, HalfWidth, Rational, Rounding, ValueType};
use lastbit_real::Float;
use serde::Serialize;

use crate::Number;

/// Digits of decimals that stand for an integer with very many.
const DIGITS: usize = 6;
/// Integers of so many digits are shown as they are.
const MOST_DIGITS: usize = 20;

/// The probabilities, in percent, at which the size of the noise is shown.
pub(super) const CONFIDENCES: [&str; 5] = ["50", "90", "95", "99", "99.9"];

/// A bound on the size of the noise, with its probability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HalfWidthAt {
    /// The probability.
    pub confidence: Number,
    /// The noise is at most this; `None` beyond the largest double.
    pub half_width: Option<Number>,
}

impl HalfWidthAt {
    pub(super) fn of(
        mechanism: &AnyMechanism,
        result: ValueType,
        confidence: &Rational,
    ) -> Result<HalfWidthAt, lastbit::Error> {
        let half_width = mechanism.half_width(result, confidence)?;
        Ok(HalfWidthAt { confidence: Number::exact(confidence, DIGITS), half_width: shown(&half_width) })
    }

    /// The half-width as people read it.
    pub fn decimal(&self) -> &str {
        self.half_width.as_ref().map_or("inf", Number::decimal)
    }

    /// The confidence as people read it: `99.9%`.
    pub fn percentage(&self) -> String {
        format!("{}%", (self.confidence.upper() * Rational::from(100)).to_short())
    }
}

/// `at most 29.95732273553991 with probability 95%`
impl fmt::Display for HalfWidthAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} with probability {}", self.decimal(), self.percentage())
    }
}

/// A percentage as a part of 1.
pub(super) fn part(percentage: &str) -> Rational {
    percentage.parse::<Rational>().unwrap_or_default() / Rational::from(100)
}

/// A double with the fewest digits that read back as it.
pub(super) fn double(x: f64) -> Option<Number> {
    Some(Number::exact(&Rational::try_from(x).ok()?, DIGITS).with_decimal(x.to_short()))
}

fn shown(width: &HalfWidth) -> Option<Number> {
    match width {
        HalfWidth::Float(width) => double(*width),
        HalfWidth::Integer(width) => {
            let (text, width) = (width.to_string(), Rational::from(width.clone()));
            Some(match text.len() <= MOST_DIGITS {
                true => Number::exact(&width, DIGITS).with_decimal(text),
                false => {
                    let decimal = width.to_decimal(DIGITS, Rounding::Up);
                    Number::at_most(&width, DIGITS).with_decimal(decimal)
                }
            })
        }
    }
}

/// A bound on the noise of a claim; `None` for a choice and for several releases.
pub fn half_width_of(claim: &Claim, confidence: &Rational) -> Option<HalfWidthAt> {
    let About::Columns { values, .. } = claim.about() else { return None };
    // What adds noise to real numbers has doubles for results.
    let result = if *values == ValueType::Real { ValueType::F64 } else { *values };
    let parameters: BTreeMap<String, String> =
        claim.parameters().iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mechanism = AnyMechanism::from_parameters(claim.mechanism(), &parameters, result).ok()?;
    HalfWidthAt::of(&mechanism, result, confidence).ok()
}
