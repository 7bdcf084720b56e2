//! What a release promises, as data.

use std::fmt;

use lastbit_real::{Rational, Rounding};

/// How the difference of two output distributions is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `max |ln(P/P')|` over all outputs: pure ε-differential privacy.
    MaxDivergence,
    /// Rényi divergences of order α are at most `α` times the loss: zero-concentrated (ρ-zCDP).
    ZeroConcentratedDivergence,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::MaxDivergence => "max-divergence",
            Measure::ZeroConcentratedDivergence => "zero-concentrated-divergence",
        })
    }
}

/// A mechanism, its parameters, which inputs count as neighbours, and the loss between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The mechanism's name on the command line.
    pub mechanism: &'static str,
    /// Its parameters, exact.
    pub parameters: Vec<(&'static str, String)>,
    /// Which inputs the loss is about.
    pub adjacency: String,
    /// What the loss measures.
    pub measure: Measure,
    /// The loss, exact (or, where a transcendental number is part of it, a rational above it).
    pub loss: Rational,
}

impl Claim {
    /// A pure loss at L1 distance `d_in`.
    pub(crate) fn pure(
        mechanism: &'static str,
        parameters: Vec<(&'static str, String)>,
        d_in: &Rational,
        loss: Rational,
    ) -> Claim {
        let adjacency = format!("columns at L1 distance <= {d_in}");
        Claim { mechanism, parameters, adjacency, measure: Measure::MaxDivergence, loss }
    }

    /// The loss as a double, rounded up.
    pub fn loss_f64(&self) -> f64 {
        self.loss.to_f64(Rounding::Up)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mechanism)?;
        for (name, value) in &self.parameters {
            write!(f, " {name}={value}")?;
        }
        write!(f, ": {} loss <= {}", self.measure, self.loss)?;
        if !self.loss.is_integer() {
            write!(f, " (<= {:?})", self.loss_f64())?;
        }
        write!(f, " for {}", self.adjacency)
    }
}
