//! The noise of lastbit, from the library itself.

use lastbit::{
    DiscreteGaussian, DiscreteLaplace, GridLaplace, Laplace, Mechanism, Rational, SecureSource, Snapping,
};

use crate::error::Error;

/// What mechanisms of this crate are listed under.
pub(super) const PACKAGE: &str = "lastbit";

/// Where snapping clamps: far from both inputs.
const BOUND: i64 = 10;
/// `ρ = 1/(2·5²) = 0.02` has `ε = ρ + 2·√(ρ·ln(1/δ)) < 1` at `δ = 1e-5`.
const SIGMA: i64 = 5;

/// A mechanism of loss 1 at sensitivity 1, with an input.
pub(super) struct Native {
    noise: Noise,
    input: f64,
    source: SecureSource,
}

enum Noise {
    Laplace(Laplace),
    Grid(GridLaplace<f64>),
    Discrete(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
    Snapping(Snapping),
}

impl Native {
    /// By its name in the gallery.
    pub(super) fn new(name: &str, input: f64) -> Result<Native, Error> {
        let one = Rational::ONE;
        let noise = match name {
            "lastbit Laplace" => Noise::Laplace(Laplace::new(one)?),
            // Both inputs are on the grid: no rounding moves them apart.
            "lastbit GridLaplace" => Noise::Grid(GridLaplace::new(one, None)?),
            "lastbit DiscreteLaplace" => Noise::Discrete(DiscreteLaplace::new(one)?),
            "lastbit DiscreteGaussian" => Noise::Gaussian(DiscreteGaussian::new(&SIGMA.into())?),
            "lastbit Snapping" => Noise::Snapping(Snapping::new(one, BOUND.into())?),
            _ => {
                return Err(Error::usage(format!("there is no noise {name}"), "see the list of the gallery"));
            }
        };
        Ok(Native { noise, input, source: SecureSource::new()? })
    }

    pub(super) fn take(&mut self, count: usize) -> Result<Vec<f64>, Error> {
        let mut values = vec![self.input; count];
        match &self.noise {
            Noise::Laplace(noise) => noise.release_in_place(&mut self.source, &mut values)?,
            Noise::Grid(noise) => noise.release_in_place(&mut self.source, &mut values)?,
            Noise::Snapping(noise) => noise.release_in_place(&mut self.source, &mut values)?,
            Noise::Discrete(noise) => return self.integers(noise.clone(), count),
            Noise::Gaussian(noise) => return self.integers(noise.clone(), count),
        }
        Ok(values)
    }

    fn integers(&mut self, noise: impl Mechanism<i64>, count: usize) -> Result<Vec<f64>, Error> {
        let mut values = vec![self.input as i64; count];
        noise.release_in_place(&mut self.source, &mut values)?;
        Ok(values.into_iter().map(|value| value as f64).collect())
    }
}
