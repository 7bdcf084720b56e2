//! The noise of lastbit, from the library itself.

use lastbit::{Amount, AnyMechanism, Contract, Family, Mechanism, Rational, SecureSource, ValueType};

use crate::error::Error;

/// What mechanisms of this crate are listed under.
pub(super) const PACKAGE: &str = "lastbit";

/// Where snapping clamps: far from both inputs.
const BOUND: i64 = 10;
/// `ρ = 1/(2·5²) = 0.02` has `ε = ρ + 2·√(ρ·ln(1/δ)) < 1` at `δ = 1e-5`.
const SIGMA: i64 = 5;

/// A mechanism of loss 1 at sensitivity 1, with an input.
pub(super) struct Native {
    noise: AnyMechanism,
    input: f64,
    source: SecureSource,
}

impl Native {
    /// By its name in the gallery.
    pub(super) fn new(name: &str, input: f64) -> Result<Native, Error> {
        let (family, scale) = match name {
            "lastbit Laplace" => (Family::Laplace, 1),
            // Both inputs are on the grid: no rounding moves them apart.
            "lastbit GridLaplace" => (Family::GridLaplace { values: ValueType::F64, k: None }, 1),
            "lastbit DiscreteLaplace" => (Family::DiscreteLaplace, 1),
            "lastbit Gaussian" => (Family::Gaussian, SIGMA),
            "lastbit DiscreteGaussian" => (Family::DiscreteGaussian, SIGMA),
            "lastbit Snapping" => (Family::Snapping { bound: BOUND.into(), clamp_infinite: false }, 1),
            _ => {
                return Err(Error::usage(format!("there is no noise {name}"), "see the list of the gallery"));
            }
        };
        let noise = family.with(&Amount::Scale(Rational::from(scale)))?;
        Ok(Native { noise, input, source: SecureSource::new()? })
    }

    pub(super) fn take(&mut self, count: usize) -> Result<Vec<f64>, Error> {
        if self.noise.value_types().contains(&ValueType::F64) {
            let mut values = vec![self.input; count];
            self.noise.release_in_place(&mut self.source, &mut values)?;
            return Ok(values);
        }
        let mut values = vec![self.input as i64; count];
        self.noise.release_in_place(&mut self.source, &mut values)?;
        Ok(values.into_iter().map(|value| value as f64).collect())
    }
}
