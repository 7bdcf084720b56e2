//! Claims in words: the loss first, then between which inputs.

use std::fmt;

use lastbit_real::{Float, Rational, Rounding};

use super::{About, Claim, Measure, Preparation};
use crate::ValueType;

/// The δ at which a zero-concentrated loss is also told as (ε, δ).
pub(super) const DELTA: &str = "1e-6";

/// Longer fractions say nothing to people; their decimal is shown alone.
const MOST_CHARS: usize = 30;

/// Digits of decimals that are not exact.
const DIGITS: usize = 17;

/// Parts of a composition that are named.
const MOST_PARTS: usize = 4;

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::MaxDivergence => "max-divergence",
            Measure::ZeroConcentratedDivergence => "zero-concentrated-divergence",
        })
    }
}

impl fmt::Display for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Preparation::Exact => f.write_str("read exactly"),
            Preparation::Clamped { bound } => write!(f, "clamped to [-{0}, {0}]", exact_text(*bound)),
            Preparation::Grid { k } => write!(f, "rounded half up to multiples of 2^{k}"),
        }
    }
}

/// A double as text that reads back as the same number exactly, not only as the nearest double.
pub(crate) fn exact_text(x: f64) -> String {
    match Rational::try_from(x) {
        Ok(exact) if !exact.to_short().contains('/') => exact.to_short(),
        _ => x.to_hex(),
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (values, metric, neighbours) = match self {
            About::Columns { values, metric, neighbours } => (values, metric, neighbours),
            About::Unit(unit) => return write!(f, "data that differ in one {unit}"),
        };
        match values {
            ValueType::Real => f.write_str("columns of real numbers")?,
            values => write!(f, "columns of {values}")?,
        }
        if let Some(length) = neighbours.length() {
            write!(f, " of length {length}")?;
        }
        write!(f, " at {metric} distance <= {}", neighbours.distance().to_short())?;
        if let Some(changed) = neighbours.max_changed() {
            write!(f, " that differ in at most {changed} value{}", if changed == 1 { "" } else { "s" })?;
        }
        if let Some(j) = neighbours.granularity() {
            write!(f, ", all multiples of 2^{j}")?;
        }
        match neighbours.unit() {
            Some(unit) => write!(f, ", as far as one {unit} can move them"),
            None => Ok(()),
        }
    }
}

/// `ε = 1/3 <= 0.33333333333333334`: exact, then a decimal that is not below it; what is exact as a decimal needs no second one.
struct Shown<'a>(&'static str, &'a Rational);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(name, value) = self;
        let exact = value.to_short();
        if !exact.contains('/') {
            return write!(f, "{name} = {exact}");
        }
        let decimal = value.to_decimal(DIGITS, Rounding::Up);
        if exact.len() <= MOST_CHARS {
            write!(f, "{name} = {exact} <= {decimal}")
        } else {
            write!(f, "{name} <= {decimal}")
        }
    }
}

impl Claim {
    /// The loss in words: `ε = 0.1 (pure)`, or `ρ = 0.125, i.e. (ε, δ) = (2.7535, 1e-6)`. Decimals are never below the loss.
    pub fn loss_in_words(&self) -> String {
        match self.measure {
            Measure::MaxDivergence => format!("{} (pure)", Shown("ε", &self.loss)),
            Measure::ZeroConcentratedDivergence => {
                let epsilon = self.approximate(&delta()).expect("δ is between 0 and 1");
                format!(
                    "{}, i.e. (ε, δ) = ({}, {DELTA})",
                    Shown("ρ", &self.loss),
                    epsilon.to_decimal(5, Rounding::Up)
                )
            }
        }
    }

    /// The mechanism and its parameters: `laplace(scale=10)`.
    fn release(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", self.mechanism, parameters.join(", "))
    }
}

/// [`DELTA`] as a number.
pub(super) fn delta() -> Rational {
    DELTA.parse().expect("a number")
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mechanism)?;
        if !self.parts.is_empty() {
            let named: Vec<String> = self.parts.iter().take(MOST_PARTS).map(Claim::release).collect();
            write!(f, " of {}", named.join(", "))?;
            if let more @ 1.. = self.parts.len().saturating_sub(MOST_PARTS) {
                write!(f, " and {more} more")?;
            }
        }
        for (name, value) in &self.parameters {
            write!(f, " {name}={value}")?;
        }
        write!(f, ": {}, {}, for {}", self.loss_in_words(), self.measure, self.about)?;
        match self.preparation {
            Some(preparation) => write!(f, "; values are {preparation}"),
            None => Ok(()),
        }
    }
}
