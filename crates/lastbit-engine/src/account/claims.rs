//! From what the noise library claims to what the accountant knows about.

use lastbit::{About, Claim, Measure};
use lastbit_account::Mechanism;
use lastbit_real::Rational;

use crate::Refusal;
use crate::number;

/// The mechanism of a claim, or those of its parts.
///
/// Noise on several values is as one release: of Laplace noise the worst is that one value moves by the whole distance, and of Gaussian noise it does
/// not matter how the distance is divided ([docs/accounting.md](https://github.com/lastbit/lastbit) has both). Of discrete Gaussian noise that
/// is known for a distance below √2 only, where one integer moves by 1.
pub(super) fn mechanisms(claim: &Claim) -> Result<Vec<Mechanism>, Refusal> {
    claim.check_charged()?;
    match claim.parts() {
        [] => Ok(vec![mechanism(claim)]),
        parts => parts.iter().try_fold(Vec::new(), |mut all, part| {
            all.extend(mechanisms(part)?);
            Ok(all)
        }),
    }
}

fn mechanism(claim: &Claim) -> Mechanism {
    known(claim).unwrap_or_else(|| match claim.measure() {
        Measure::MaxDivergence => Mechanism::Pure { epsilon: claim.loss().clone() },
        Measure::ZeroConcentratedDivergence => Mechanism::ZeroConcentrated { rho: claim.loss().clone() },
    })
}

/// The noise, if its distribution of losses is known.
fn known(claim: &Claim) -> Option<Mechanism> {
    let parameter = |name: &str| {
        let (_, text) = claim.parameters().iter().find(|(known, _)| *known == name)?;
        number::parse(text).ok()
    };
    let loss = claim.loss().clone();
    Some(match claim.mechanism() {
        "laplace" => Mechanism::Laplace { epsilon: loss },
        "gaussian" => Mechanism::Gaussian { rho: loss },
        "discrete-laplace" => {
            let scale = parameter("scale")?;
            // Integers are a whole number apart.
            Mechanism::DiscreteLaplace { sensitivity: whole(&loss * &scale)?, scale }
        }
        "grid-laplace" => {
            // In units of the grid; the loss has the distance after rounding.
            let k = i64::try_from(parameter("k")?.numerator()).ok()?;
            let scale = parameter("scale")? * Rational::pow2(-k);
            Mechanism::DiscreteLaplace { sensitivity: whole(&loss * &scale)?, scale }
        }
        "discrete-gaussian" => {
            let variance = parameter("variance")?;
            let square = &loss * &variance * Rational::from(2);
            let is_one = square >= Rational::ONE && square < Rational::from(2);
            is_one.then_some(Mechanism::DiscreteGaussian { variance, sensitivity: 1 })?
        }
        "snapping" => {
            let About::Columns { neighbours, .. } = claim.about() else { return None };
            let per_unit = loss.checked_div(neighbours.distance())?;
            let is_exact = claim.parameters().iter().any(|(name, value)| *name == "form" && value == "exact");
            let in_scales = |name| Some(parameter(name)? * &per_unit);
            is_exact.then_some(())?;
            Mechanism::Snapping { grid: in_scales("grid")?, bound: in_scales("bound")?, epsilon: loss }
        }
        _ => return None,
    })
}

/// The largest whole number that is not above it, unless that is 0 or beyond all numbers.
fn whole(x: Rational) -> Option<u64> {
    u64::try_from(x.floor()).ok().filter(|n| *n > 0)
}
