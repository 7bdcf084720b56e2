//! What the options of `audit` can be: names, powers of two, times.

use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use lastbit::Rational;
use lastbit_audit::Sampler;
use lastbit_engine::audit::{Given, sampler, snapping};
use lastbit_lang::Tie;

use crate::prove::args::number;

/// The values that `u` can take.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Uniform {
    /// Every double of (0, 1), with probability proportional to its ulp
    #[value(alias = "mironov")]
    Ulp,
    /// k·2^-53, all equally likely
    Grid53,
}

/// What `u` can be, for the textbook.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextbookUniform {
    /// Every float of (0, 1), with probability proportional to its ulp
    Ulp,
    /// k·2^-53, all equally likely
    Grid53,
    /// k·2^-24, all equally likely
    Grid24,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    /// Double precision
    F64,
    /// Single precision
    F32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operation {
    /// LN(u) ⊘ ε
    Div,
    /// λ ⊗ LN(u)
    Mul,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ties {
    /// Toward +∞
    Up,
    /// To the even multiple
    Even,
    /// Away from zero
    Away,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Logarithm {
    /// Correctly rounded
    Correct,
    /// One ulp above the correctly rounded one
    #[value(name = "+1ulp")]
    Above,
    /// One ulp below
    #[value(name = "-1ulp")]
    Below,
    /// The one of this machine's library
    Std,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SamplerName {
    /// RN(x + s·L), the Laplace mechanism on floats
    Laplace,
    /// RN(x + s·G), the Gaussian mechanism on floats
    Gaussian,
    /// The discrete Laplace mechanism on integers
    DiscreteLaplace,
    /// The discrete Gaussian mechanism on integers
    DiscreteGaussian,
    /// The discrete Laplace mechanism on a grid of floats
    GridLaplace,
    /// The snapping mechanism over the reals
    Snapping,
    /// The snapping mechanism in double arithmetic
    FloatSnapping,
}

/// `auto`, or a power of two.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Grid {
    Auto,
    Given(Rational),
}

/// A number as it is written.
pub(crate) fn given(text: &str) -> Result<Given, String> {
    Ok(Given::written(number(text)?, text))
}

impl From<Uniform> for Sampler {
    fn from(uniform: Uniform) -> Sampler {
        match uniform {
            Uniform::Ulp => Sampler::Ulp,
            Uniform::Grid53 => Sampler::Grid53,
        }
    }
}

impl From<Ties> for Tie {
    fn from(ties: Ties) -> Tie {
        match ties {
            Ties::Up => Tie::Up,
            Ties::Even => Tie::Even,
            Ties::Away => Tie::Away,
        }
    }
}

impl From<Logarithm> for snapping::Logarithm {
    fn from(logarithm: Logarithm) -> snapping::Logarithm {
        match logarithm {
            Logarithm::Correct => snapping::Logarithm::Correct,
            Logarithm::Above => snapping::Logarithm::Shifted(1),
            Logarithm::Below => snapping::Logarithm::Shifted(-1),
            Logarithm::Std => snapping::Logarithm::Platform,
        }
    }
}

impl From<SamplerName> for sampler::Sampler {
    fn from(name: SamplerName) -> sampler::Sampler {
        match name {
            SamplerName::Laplace => sampler::Sampler::Laplace,
            SamplerName::Gaussian => sampler::Sampler::Gaussian,
            SamplerName::DiscreteLaplace => sampler::Sampler::DiscreteLaplace,
            SamplerName::DiscreteGaussian => sampler::Sampler::DiscreteGaussian,
            SamplerName::GridLaplace => sampler::Sampler::GridLaplace,
            SamplerName::Snapping => sampler::Sampler::Snapping,
            SamplerName::FloatSnapping => sampler::Sampler::FloatSnapping,
        }
    }
}

impl Grid {
    /// The power of two, if one is given.
    pub(crate) fn given(&self) -> Option<Rational> {
        match self {
            Grid::Auto => None,
            Grid::Given(value) => Some(value.clone()),
        }
    }
}

impl FromStr for Grid {
    type Err = String;
    fn from_str(text: &str) -> Result<Grid, String> {
        if text == "auto" {
            return Ok(Grid::Auto);
        }
        let value = number(text)?;
        let exponent = value.floor_log2().filter(|exponent| Rational::pow2(*exponent) == value);
        exponent.map(|_| Grid::Given(value)).ok_or_else(|| "it must be auto or a power of two".into())
    }
}

/// `60s`, `500ms`, `2m`
#[derive(Clone, Copy)]
pub(crate) struct Budget(pub(crate) Duration);

impl FromStr for Budget {
    type Err = String;
    fn from_str(text: &str) -> Result<Budget, String> {
        let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
        let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (count, unit) = text.split_at(end);
        let unit = if unit.is_empty() { "s" } else { unit };
        let milliseconds = units.iter().find(|(name, _)| *name == unit).map(|(_, length)| *length);
        let count = number(count).ok().filter(|count| !count.is_negative());
        let (Some(milliseconds), Some(count)) = (milliseconds, count) else {
            return Err("it must be a time such as 500ms, 10s or 2m".into());
        };
        let total = u64::try_from((count * Rational::from(milliseconds)).ceil()).ok();
        // A day is as good as for ever.
        let total = total.filter(|total| (1..=86_400_000).contains(total));
        total.map(|total| Budget(Duration::from_millis(total))).ok_or_else(|| "from 1ms to 24h".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let milliseconds = |text: &str| text.parse::<Budget>().map(|budget| budget.0.as_millis()).ok();
        for (text, expected) in [
            ("60s", Some(60_000)),
            ("500ms", Some(500)),
            ("2m", Some(120_000)),
            ("1.5s", Some(1500)),
            ("7", Some(7000)),
            ("0s", None),
            ("-1s", None),
            ("s", None),
            ("1 week", None),
            ("1e300h", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
