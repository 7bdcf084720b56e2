//! Which inputs a claim tells apart.

use std::fmt;

use lastbit_real::{Float, Rational};

use crate::error::{non_negative, out_of_range};
use crate::{Error, Inputs};

/// A metric for the distance of two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metric {
    /// `Σ |x_i - x'_i|`.
    L1,
    /// `√(Σ (x_i - x'_i)²)`.
    L2,
    /// `max |x_i - x'_i|`: how far one value moves.
    LInfinity,
    /// `max (x_i - x'_i) - min (x_i - x'_i)`: how far two values move apart or together. It is 0 if all values move alike, and at most the
    /// L∞ distance if all move in the same direction; it is never above twice the L∞ distance, nor above the L1 distance. Twice, if one value
    /// goes up and another one down.
    Range,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 4] = [Metric::L1, Metric::L2, Metric::LInfinity, Metric::Range];

    /// The name in claims.
    pub fn name(self) -> &'static str {
        match self {
            Metric::L1 => "L1",
            Metric::L2 => "L2",
            Metric::LInfinity => "L-infinity",
            Metric::Range => "range",
        }
    }

    /// The metric of this name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The distance that two inputs may have that a release must not tell apart, and what else is known of them. All of it is declared: it
/// follows from what the column means, and cannot be read off the data.
///
/// ```
/// use lastbit::{Contract, GridLaplace, Neighbours, Rational};
/// let noise = GridLaplace::<f64>::new(Rational::ONE, Some(0))?;
/// let neighbours = Neighbours::at(Rational::from(3)).differing_in(2)?;
/// assert_eq!(noise.loss(&neighbours)?, Rational::from(4));
/// assert_eq!(noise.loss(&neighbours.with_granularity(0)?)?, Rational::from(3));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    distance: Rational,
    max_changed: Option<u64>,
    granularity: Option<i32>,
    length: Option<u64>,
    unit: Option<String>,
}

impl Neighbours {
    /// Columns at this distance or less, in the metric of the mechanism.
    pub fn at(distance: Rational) -> Neighbours {
        Neighbours { distance, max_changed: None, granularity: None, length: None, unit: None }
    }

    /// They differ in at most `max_changed` values.
    ///
    /// # Errors
    /// As [`Inputs::differing_in`].
    pub fn differing_in(self, max_changed: u64) -> Result<Neighbours, Error> {
        Inputs::differing_in(max_changed)?;
        Ok(Neighbours { max_changed: Some(max_changed), ..self })
    }

    /// All their values are multiples of `2^exponent`.
    ///
    /// # Errors
    /// [`Error::UnknownSize`] unless it is known how many values differ: alone, this says nothing. [`Error::OutOfRange`] unless
    /// `2^exponent` is a double.
    pub fn with_granularity(self, exponent: i32) -> Result<Neighbours, Error> {
        if !(f64::MIN_EXPONENT..=f64::MAX_EXPONENT).contains(&exponent) {
            let reason = "values are multiples of 2 to this power, which must be a double";
            return Err(out_of_range("granularity", &Rational::from(exponent), reason));
        }
        if self.inputs().is_none() {
            return Err(Error::UnknownSize(
                "that all values are multiples of a power of two needs max_changed, the number of values that may differ",
            ));
        }
        Ok(Neighbours { granularity: Some(exponent), ..self })
    }

    /// They have this many values. Where nothing better is known, all of them may differ.
    #[must_use]
    pub fn of_length(self, length: u64) -> Neighbours {
        Neighbours { length: Some(length), ..self }
    }

    /// They come from data that differ in one such unit, such as a person: whose data a neighbour adds, removes or changes.
    ///
    /// Claims about different columns add if they are about the same unit: see [`Claim::compose`](crate::Claim::compose).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the name is 1 to 64 letters, digits, spaces, `-` and `_`.
    pub fn one(self, unit: &str) -> Result<Neighbours, Error> {
        Ok(Neighbours { unit: Some(checked_unit(unit)?), ..self })
    }

    /// The largest distance.
    pub fn distance(&self) -> &Rational {
        &self.distance
    }

    /// The largest number of values that differ, if it was declared.
    pub fn max_changed(&self) -> Option<u64> {
        self.max_changed
    }

    /// The exponent of which all values are declared to be multiples.
    pub fn granularity(&self) -> Option<i32> {
        self.granularity
    }

    /// The number of values, if it was declared.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The unit in which neighbouring data differ, such as `person`, if it was declared.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The number of values that differ, and the power of two of which all are multiples, if they are known.
    pub fn inputs(&self) -> Option<Inputs> {
        // Of no values none differ, and one is the least that can be said.
        let max_changed = self.max_changed.or(self.length.map(|length| length.max(1)))?;
        let inputs = Inputs::differing_in(max_changed).ok()?;
        Some(self.granularity.map_or(inputs, |exponent| inputs.with_granularity(exponent)))
    }

    /// The same, for mechanisms whose loss depends on it.
    pub(crate) fn inputs_or_refuse(&self) -> Result<Inputs, Error> {
        self.inputs().ok_or(Error::UnknownSize(
            "the loss depends on how many values of a column may differ: give max_changed (1 if neighbours differ in one value, the \
             length of the column if nothing better is known)",
        ))
    }

    /// The distance, which is not negative.
    pub(crate) fn checked_distance(&self) -> Result<&Rational, Error> {
        non_negative("d_in", &self.distance)
    }
}

/// A name that can stand in a sentence.
pub(crate) fn checked_unit(unit: &str) -> Result<String, Error> {
    const MOST_CHARS: usize = 64;
    let name = unit.trim();
    // Nothing that can end a sentence, or look like something else: it stands in the words of claims.
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    if name.is_empty() || name.chars().count() > MOST_CHARS || !name.chars().all(is_plain) {
        return Err(Error::OutOfRange {
            name: "unit",
            value: format!("\"{:.20}\"", name.escape_debug().to_string()),
            reason: format!(
                "it must be a name such as person: 1 to {MOST_CHARS} letters, digits, spaces, - and _"
            ),
        });
    }
    Ok(name.to_owned())
}

impl From<Rational> for Neighbours {
    fn from(distance: Rational) -> Neighbours {
        Neighbours::at(distance)
    }
}
