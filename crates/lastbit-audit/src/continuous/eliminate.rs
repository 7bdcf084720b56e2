//! Integrals over polyhedra, one variable after another.
//!
//! Over a variable `v`, with lower bounds `l` and upper bounds `u` that are linear forms in the other variables, the integral of `f`
//! is `F(min u) - F(max l)` where that range is not empty, `F` the antiderivative. So it is the sum over the upper bounds of `F(u)`
//! where `u` is the smallest, less the same over the lower ones: again integrals over polyhedra, with a variable less.
//!
//! Missing bounds add nothing. The exponential that belongs to a face is the density at a point of that face, and the density falls
//! in every direction; so `F` goes to 0 along a ray of a region that has a point. One that has none adds nothing in the end,
//! since none of its faces has one either: the last of them are plain numbers, and false.

use std::collections::BTreeMap;

use lastbit_real::Rational;

use crate::ExponentialSum;

use super::form::LinearForm;
use super::integrand::Integrand;
use super::region::Region;
use super::{Budget, ContinuousError};

/// A part of a density: `weight·e^(slope·v)` where `side·v > 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) side: Rational,
    pub(super) slope: Rational,
    pub(super) weight: Rational,
}

/// Functions on polyhedra that add up to what is integrated.
type Pieces = BTreeMap<Region, Integrand>;

/// Integrates as long as its budget lasts.
struct Integrator {
    left: usize,
    budget: Budget,
}

impl Integrator {
    fn spend(&mut self, terms: usize) -> Result<(), ContinuousError> {
        let limit = self.budget.terms;
        self.left = self.left.checked_sub(terms).ok_or(ContinuousError::TooManyTerms { limit })?;
        Ok(())
    }

    /// The product of two numbers.
    fn product(&mut self, x: &ExponentialSum, y: &ExponentialSum) -> Result<ExponentialSum, ContinuousError> {
        self.spend(x.terms().count().saturating_mul(y.terms().count()))?;
        Ok(x * y)
    }

    /// The integral of a product of densities over a region in these variables.
    fn integral(
        &mut self,
        densities: &[Vec<Part>],
        mut variables: Vec<usize>,
        region: Region,
    ) -> Result<ExponentialSum, ContinuousError> {
        let mut pieces: Pieces =
            region.pruned().map(|region| (region, Integrand::one())).into_iter().collect();
        // A variable with few bounds has few faces.
        let faces =
            |pieces: &Pieces, variable| pieces.keys().map(|region| region.count(variable)).sum::<usize>();
        while let Some(place) = (0..variables.len()).min_by_key(|place| faces(&pieces, variables[*place])) {
            let variable = variables.remove(place);
            pieces = self.eliminate(pieces, variable, &densities[variable])?;
        }
        // All variables are gone, and with them all half-spaces.
        Ok(pieces.values().map(Integrand::number).fold(ExponentialSum::default(), |sum, x| &sum + &x))
    }

    /// The integral over one variable.
    fn eliminate(
        &mut self,
        from: Pieces,
        variable: usize,
        density: &[Part],
    ) -> Result<Pieces, ContinuousError> {
        let mut to = Pieces::new();
        for (region, integrand) in from {
            for Part { side, slope, weight } in density {
                let part = region.clone().with(LinearForm::multiple(side.clone(), variable));
                let Some(bounds) = part.map(|part| part.bounds(variable)) else { continue };
                let antiderivative = integrand.antiderivative(variable, slope);
                for (tightest, factor) in [(&bounds.upper, weight.clone()), (&bounds.lower, -weight)] {
                    for bound in tightest {
                        let Some(face) = bounds.face(bound) else { continue };
                        let value = antiderivative.at(bound);
                        self.spend(value.len())?;
                        to.entry(face).or_default().add(&factor, value);
                    }
                }
            }
        }
        to.retain(|_, integrand| !integrand.is_zero());
        Ok(to)
    }
}

/// The probability of a region, for variables of these densities.
pub(super) fn integrate(
    densities: &[Vec<Part>],
    region: Region,
    budget: Budget,
) -> Result<ExponentialSum, ContinuousError> {
    let mut integrator = Integrator { left: budget.terms, budget };
    let one = ExponentialSum::from(Rational::ONE);
    region.components().into_iter().try_fold(one, |product, (variables, region)| {
        let factor = integrator.integral(densities, variables, region)?;
        integrator.product(&product, &factor)
    })
}
