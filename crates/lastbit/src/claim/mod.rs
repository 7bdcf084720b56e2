//! What a release promises, as data.
//!
//! A claim is made in three ways only: by a mechanism ([`Contract::claim`](crate::Contract::claim)), from other claims
//! ([`Claim::compose`]), and from its JSON, where the loss is computed again ([`Claim::from_json`]).

mod record;
mod text;

pub(crate) use text::exact_text;

use lastbit_real::{Float, IBig, Rational, Rounding, ln_rational};

use crate::error::{non_negative, out_of_range, positive};
use crate::gaussian::GAUSSIAN;
use crate::neighbours::checked_unit;
use crate::normal_tail::least_epsilon;
use crate::{Error, Metric, Neighbours, ValueType};

/// The measure of the difference of two output distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `max |ln(P/P')|` over all outputs: pure ε-differential privacy.
    MaxDivergence,
    /// Rényi divergences of order α are at most `α` times the loss: zero-concentrated (ρ-zCDP).
    ZeroConcentratedDivergence,
}

/// The operation on the input before noise is added.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Preparation {
    /// Nothing: the noise is added to the very number.
    Exact,
    /// The input is clamped to `[-bound, bound]`.
    Clamped {
        /// The bound.
        bound: f64,
    },
    /// The input is rounded half up to a multiple of `2^k`.
    Grid {
        /// The exponent.
        k: i32,
    },
}

/// The two inputs that a claim is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum About {
    /// Columns of values, at a distance.
    Columns {
        /// Their type.
        values: ValueType,
        /// The metric of their distance.
        metric: Metric,
        /// Their distance, and what else is known of them.
        neighbours: Neighbours,
    },
    /// Data that differ in one unit, such as a person. How far each released column moves then is declared in the parts of the claim.
    Unit(String),
}

impl About {
    /// The unit in which neighbouring data differ, such as `person`, if it was declared.
    pub fn unit(&self) -> Option<&str> {
        match self {
            About::Columns { neighbours, .. } => neighbours.unit(),
            About::Unit(unit) => Some(unit),
        }
    }

    /// What both are about: the same columns, or the same unit.
    pub(crate) fn common(&self, other: &About) -> Result<About, Error> {
        match (self.unit(), other.unit()) {
            _ if self == other => Ok(self.clone()),
            (Some(ours), Some(theirs)) if ours == theirs => Ok(About::Unit(ours.to_owned())),
            _ => Err(Error::DifferentNeighbours { first: self.to_string(), other: other.to_string() }),
        }
    }
}

/// A mechanism, its parameters, the inputs that it must not tell apart, and the loss between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    mechanism: &'static str,
    parameters: Vec<(&'static str, String)>,
    /// `None` for a composition.
    preparation: Option<Preparation>,
    about: About,
    measure: Measure,
    loss: Rational,
    /// The parts of a composition.
    parts: Vec<Claim>,
}

/// The name of several claims together.
pub(crate) const COMPOSITION: &str = "composition";

/// Bits of enclosures behind printed decimals.
const BITS: u32 = 64;

impl Claim {
    /// The claim of a mechanism.
    pub(crate) fn of_mechanism(
        mechanism: &'static str,
        parameters: Vec<(&'static str, String)>,
        preparation: Preparation,
        about: About,
        measure: Measure,
        loss: Rational,
    ) -> Claim {
        Claim {
            mechanism,
            parameters,
            preparation: Some(preparation),
            about,
            measure,
            loss,
            parts: Vec::new(),
        }
    }

    /// The mechanism's name on the command line, or `composition`.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// The parameters, exact.
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.parameters
    }

    /// The operation on the input before noise is added; `None` for a composition.
    pub fn preparation(&self) -> Option<Preparation> {
        self.preparation
    }

    /// The inputs that the loss is about.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The measure of the loss, such as max-divergence.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The loss, exact (or, where a transcendental number is part of it, a rational above it).
    pub fn loss(&self) -> &Rational {
        &self.loss
    }

    /// The claims that a composition is made of.
    pub fn parts(&self) -> &[Claim] {
        &self.parts
    }

    /// The same claim, about data that differ in one `unit`, such as a person: the distance is how far one of them can move the column.
    ///
    /// # Errors
    /// [`Error::DifferentNeighbours`] if the claim is about another unit; [`Error::OutOfRange`] if the name is none.
    pub fn for_unit(self, unit: &str) -> Result<Claim, Error> {
        let unit = checked_unit(unit)?;
        let about = match self.about {
            About::Columns { values, metric, neighbours } if neighbours.unit().is_none() => {
                About::Columns { values, metric, neighbours: neighbours.one(&unit)? }
            }
            about => {
                about.common(&About::Unit(unit.clone()))?;
                about
            }
        };
        let parts = self.parts.into_iter().map(|part| part.for_unit(&unit)).collect::<Result<_, _>>()?;
        Ok(Claim { about, parts, ..self })
    }

    /// Refuses a claim that loses nothing. All noise is finite, so its neighbours are equal: at distance 0, or closer than two values of
    /// the type can be. Such a release would be free, whatever its noise.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::OutOfRange`].
    pub fn check_charged(&self) -> Result<(), Error> {
        if let About::Columns { neighbours, .. } = &self.about {
            let distance = positive("d_in", neighbours.distance())?;
            if self.parts.is_empty() && self.loss.is_zero() {
                let reason = "no two inputs of this type are that close, so that all neighbours are equal and every release is free";
                return Err(out_of_range("d_in", distance, reason));
            }
        }
        self.parts.iter().try_for_each(Claim::check_charged)
    }

    /// The claim of releasing all of these: their losses add, whatever the order, and also if each mechanism is chosen after
    /// the outputs of those before it are seen.
    ///
    /// The claims must be about the same inputs: either columns of the same type at the same distance, or data that differ in
    /// the same unit ([`for_unit`](Self::for_unit)). The measure is that of the claims if they agree, else zero-concentrated, where
    /// all losses are known ([`loss_in`](Self::loss_in)).
    ///
    /// ```
    /// use lastbit::{Claim, Contract, DiscreteGaussian, Error, Laplace, Measure, Neighbours, Rational, ValueType};
    /// let one = Neighbours::at(Rational::ONE);
    /// let sum = Laplace::for_epsilon(&"1/10".parse()?, &Rational::ONE)?.claim(ValueType::F64, &one)?;
    /// let twice = Claim::compose(&[sum.clone(), sum.clone()])?;
    /// assert_eq!((twice.measure(), twice.loss()), (Measure::MaxDivergence, &"1/5".parse()?));
    ///
    /// let count = DiscreteGaussian::for_rho(&"1/8".parse()?, &Rational::ONE)?.claim(ValueType::I64, &one)?;
    /// let mixed = Claim::compose(&[sum.clone(), count.clone()]);
    /// assert!(matches!(mixed, Err(Error::DifferentNeighbours { .. })));
    /// let person = Claim::compose(&[sum.for_unit("person")?, count.for_unit("person")?])?;
    /// assert_eq!((person.measure(), person.loss()), (Measure::ZeroConcentratedDivergence, &"0.13".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::EmptyComposition`], [`Error::DifferentNeighbours`].
    pub fn compose(claims: &[Claim]) -> Result<Claim, Error> {
        let first = claims.first().ok_or(Error::EmptyComposition)?;
        let measure = if claims.iter().all(|claim| claim.measure == first.measure) {
            first.measure
        } else {
            Measure::ZeroConcentratedDivergence
        };
        // Parts of parts are parts: how releases were bracketed says nothing about them.
        let parts: Vec<Claim> = claims
            .iter()
            .flat_map(|claim| if claim.parts.is_empty() { std::slice::from_ref(claim) } else { &claim.parts })
            .cloned()
            .collect();
        let about = claims.iter().try_fold(first.about.clone(), |about, claim| about.common(&claim.about))?;
        Ok(Claim {
            mechanism: COMPOSITION,
            parameters: Vec::new(),
            preparation: None,
            about,
            measure,
            loss: parts.iter().map(|claim| claim.loss_in(measure)).sum::<Result<Rational, Error>>()?,
            parts,
        })
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
    /// use lastbit::{Contract, Laplace, Measure, Neighbours, Rational, ValueType};
    /// let laplace = Laplace::for_epsilon(&"1/10".parse()?, &Rational::ONE)?;
    /// let claim = laplace.claim(ValueType::F64, &Neighbours::at(Rational::ONE))?;
    /// assert_eq!(claim.loss_in(Measure::ZeroConcentratedDivergence)?, "1/200".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoPureLoss`].
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

    /// An `ε` such that the release is (ε, `delta`)-differentially private.
    ///
    /// - The loss itself, if it is pure.
    /// - The least one, rounded up to 41 significant bits, if all the noise is that of [`Gaussian`](crate::Gaussian): its `δ` at an `ε` is known exactly (Balle and Wang
    ///   2018), and several releases are as one whose `ρ` is the sum of theirs (Dong, Roth and Su 2022).
    /// - `ρ + 2·√(ρ·ln(1/δ))`, as [`log_odds`](Self::log_odds), of other zero-concentrated losses.
    ///
    /// ```
    /// use lastbit::{Contract, Gaussian, Neighbours, Rational, Rounding, ValueType};
    /// let gaussian = Gaussian::for_epsilon_delta(&Rational::ONE, &"1e-5".parse()?, &Rational::ONE)?;
    /// let claim = gaussian.claim(ValueType::F64, &Neighbours::at(Rational::ONE))?;
    /// assert_eq!(claim.approximate(&"1e-5".parse()?)?.to_decimal(10, Rounding::Nearest), "1.000000000");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Unless `0 < delta < 1`.
    pub fn approximate(&self, delta: &Rational) -> Result<Rational, Error> {
        let bound = self.log_odds(delta)?;
        if !self.is_gaussian() || bound.is_zero() {
            return Ok(bound);
        }
        // ρ = t²/2, where t is the distance over σ.
        let variance =
            (&self.loss * Rational::from(2)).recip().expect("a positive bound has a positive loss");
        Ok(least_epsilon(delta, &Rational::ONE, &variance, &bound))
    }

    /// Whether all of the noise is the real Gaussian variable.
    fn is_gaussian(&self) -> bool {
        let is_one = |claim: &Claim| claim.mechanism == GAUSSIAN;
        if self.parts.is_empty() { is_one(self) } else { self.parts.iter().all(is_one) }
    }

    /// An `ε` such that the odds between two neighbours change by a factor of at most `e^ε`, but for an event of probability `delta`: the loss
    /// itself if it is pure, else `ρ + 2·√(ρ·ln(1/δ))` (Bun and Steinke 2016, Proposition 1.3), rounded up by less than a relative 2⁻⁵⁰.
    ///
    /// This says more than (ε, δ)-differential privacy, which allows larger odds for more than a `delta` of the outputs.
    ///
    /// # Errors
    /// Unless `0 < delta < 1`.
    pub fn log_odds(&self, delta: &Rational) -> Result<Rational, Error> {
        if positive("delta", delta)? >= &Rational::ONE {
            return Err(out_of_range("delta", delta, "it must be below 1"));
        }
        let rho = match self.measure {
            Measure::MaxDivergence => return Ok(self.loss.clone()),
            Measure::ZeroConcentratedDivergence => &self.loss,
        };
        if rho.is_zero() {
            return Ok(Rational::ZERO);
        }
        let inverse = delta.recip().expect("positive");
        let under_root = rho * Rational::from(ln_rational(&inverse, BITS).expect("positive").hi());
        // As many bits behind the point as it takes to have BITS significant ones.
        let shift = i64::from(BITS) + under_root.floor_log2().map_or(0, |log| -log.min(0));
        let root = (&under_root * Rational::pow2(2 * shift)).floor_sqrt().expect("not negative") + IBig::ONE;
        Ok(rho + Rational::from(2) * Rational::from(root) * Rational::pow2(-shift))
    }

    /// The least double that is not below the loss, and whose shortest decimal is not below it either.
    pub fn loss_f64(&self) -> f64 {
        let mut double = self.loss.to_f64(Rounding::Up);
        let is_below =
            |double: f64| double.to_short().parse::<Rational>().is_ok_and(|shown| shown < self.loss);
        while double.is_finite() && is_below(double) {
            double = double.next_up();
        }
        double
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contract, DiscreteGaussian, Gaussian, Laplace};

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn the_root_is_from_above_and_close() {
        for rho in ["1/8", "1e-30", "123456", "1"] {
            let noise = DiscreteGaussian::for_rho(&rational(rho), &Rational::from(1_000_000)).unwrap();
            let claim = noise.claim(ValueType::I64, &Neighbours::at(Rational::from(1_000_000))).unwrap();
            assert_eq!(claim.loss(), &rational(rho));
            let found = claim.approximate(&rational("1e-6")).unwrap().to_f64(Rounding::Nearest);
            let rho = rational(rho).to_f64(Rounding::Nearest);
            let expected = rho + 2.0 * (rho * 1e6f64.ln()).sqrt();
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn a_pure_loss_needs_no_delta() {
        let claim = Laplace::new(Rational::from(3)).unwrap();
        let claim = claim.claim(ValueType::F64, &Neighbours::at(Rational::ONE)).unwrap();
        assert_eq!(claim.approximate(&rational("1e-9")).unwrap(), rational("1/3"));
        for bad in ["0", "-1", "1", "2"] {
            assert!(claim.approximate(&rational(bad)).is_err(), "{bad}");
        }
    }

    /// Several releases of real Gaussian noise are as one with the sum of their `ρ`; with other noise among them, that is not known.
    #[test]
    fn gaussians_together_are_one() {
        let (delta, at) = (rational("1e-6"), Neighbours::at(Rational::ONE));
        let claim = |rho: &str| {
            Gaussian::for_rho(&rational(rho), &Rational::ONE).unwrap().claim(ValueType::I64, &at).unwrap()
        };
        let together = Claim::compose(&[claim("1/8"), claim("1/3"), claim("1/24")]).unwrap();
        assert_eq!(together.approximate(&delta), claim("1/2").approximate(&delta));
        assert!(together.approximate(&delta).unwrap() < together.log_odds(&delta).unwrap());
        let other = DiscreteGaussian::for_rho(&rational("1/8"), &Rational::ONE).unwrap();
        let mixed = Claim::compose(&[claim("3/8"), other.claim(ValueType::I64, &at).unwrap()]).unwrap();
        assert_eq!(mixed.approximate(&delta), claim("1/2").log_odds(&delta));
        let equal =
            Gaussian::new(&Rational::ONE).unwrap().claim(ValueType::I64, &Neighbours::at(Rational::ZERO));
        assert_eq!(equal.unwrap().approximate(&delta), Ok(Rational::ZERO));
        for bad in ["0", "-1", "1", "2"] {
            assert!(claim("1").approximate(&rational(bad)).is_err(), "{bad}");
        }
    }
}
