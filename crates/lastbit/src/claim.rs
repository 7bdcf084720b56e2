//! What a release promises, as data.

use std::fmt;

use lastbit_real::{Rational, Rounding};

use crate::error::non_negative;
use crate::{Error, Inputs};

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
    /// The mechanism's name on the command line, or `composition`.
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

    /// The same for inputs of which more is known than their distance.
    pub(crate) fn between(mut self, inputs: Inputs) -> Claim {
        let values = if inputs.max_changed() == 1 { "value" } else { "values" };
        self.adjacency += &format!(" that differ in at most {} {values}", inputs.max_changed());
        if let Some(j) = inputs.granularity() {
            self.adjacency += &format!(", all multiples of 2^{j}");
        }
        self
    }

    /// What releasing all of these promises: their losses add, whatever the order, and also if each mechanism is chosen after
    /// the outputs of those before it are seen.
    ///
    /// The measure is that of the claims if they agree, else zero-concentrated, where all losses are known
    /// ([`loss_in`](Self::loss_in)). The loss is about inputs that are neighbours for every single release.
    ///
    /// ```
    /// use lastbit::{Claim, DiscreteGaussian, Laplace, Measure, Rational};
    /// let laplace = Laplace::for_epsilon(&"1/10".parse()?, &Rational::ONE)?.claim(&Rational::ONE)?;
    /// let gaussian = DiscreteGaussian::for_rho(&"1/8".parse()?, &Rational::ONE)?.claim(&Rational::ONE)?;
    ///
    /// let twice = Claim::compose(&[laplace.clone(), laplace.clone()])?;
    /// assert_eq!((twice.measure, twice.loss), (Measure::MaxDivergence, "1/5".parse()?));
    ///
    /// let mixed = Claim::compose(&[laplace, gaussian])?;
    /// assert_eq!((mixed.measure, mixed.loss), (Measure::ZeroConcentratedDivergence, "0.13".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::EmptyComposition`]; [`Error::Negative`] if a loss is.
    pub fn compose(claims: &[Claim]) -> Result<Claim, Error> {
        let first = claims.first().ok_or(Error::EmptyComposition)?;
        let measure = if claims.iter().all(|claim| claim.measure == first.measure) {
            first.measure
        } else {
            Measure::ZeroConcentratedDivergence
        };
        let adjacency = if claims.iter().all(|claim| claim.adjacency == first.adjacency) {
            first.adjacency.clone()
        } else {
            let each: Vec<&str> = claims.iter().map(|claim| claim.adjacency.as_str()).collect();
            format!("the neighbours of each release: {}", each.join("; "))
        };
        let releases: Vec<String> = claims.iter().map(Claim::release).collect();
        Ok(Claim {
            mechanism: "composition",
            parameters: vec![("releases", releases.join(", "))],
            adjacency,
            measure,
            loss: claims.iter().map(|claim| claim.loss_in(measure)).sum::<Result<Rational, Error>>()?,
        })
    }

    /// The mechanism and its parameters, as a part of a composition: `laplace(scale=10)`.
    fn release(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", self.mechanism, parameters.join(", "))
    }

    /// The loss in the given measure, exact.
    ///
    /// From a pure loss `ε` to a zero-concentrated one: `min(ε²/2, ε)`. For every order `α > 1`, the Rényi divergence `D_α` of two
    /// distributions within a factor of `e^±ε` is at most `α·ε²/2` (Bun and Steinke 2016, Proposition 1.4), and at most
    /// `D_∞ <= ε < α·ε`, which is less if `ε > 2`.
    ///
    /// From a zero-concentrated loss no pure one follows, with one exception: a loss of 0 means that the distributions are equal.
    ///
    /// ```
    /// use lastbit::{Laplace, Measure, Rational};
    /// let claim = Laplace::for_epsilon(&"1/10".parse()?, &Rational::ONE)?.claim(&Rational::ONE)?;
    /// assert_eq!(claim.loss_in(Measure::ZeroConcentratedDivergence)?, "1/200".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoPureLoss`]; [`Error::Negative`] if the loss is, which no mechanism's is.
    pub fn loss_in(&self, measure: Measure) -> Result<Rational, Error> {
        let loss = non_negative("loss", &self.loss)?;
        match (self.measure, measure) {
            (Measure::MaxDivergence, Measure::ZeroConcentratedDivergence) => {
                Ok(loss.clone().min(loss.pow(2) / Rational::from(2)))
            }
            (Measure::ZeroConcentratedDivergence, Measure::MaxDivergence) if !loss.is_zero() => {
                Err(Error::NoPureLoss { mechanism: self.mechanism })
            }
            _ => Ok(loss.clone()),
        }
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
