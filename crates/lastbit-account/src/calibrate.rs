//! The least noise that is enough.

use lastbit_real::{IBig, Rational, Rounding};

use crate::composition::{Interval, check_times};
use crate::{Composition, Error, Mechanism, check_delta, closed, positive};

/// Noise whose amount is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noise {
    /// The real Laplace variable.
    Laplace,
    /// The discrete Laplace variable.
    DiscreteLaplace,
    /// The real Gaussian variable.
    Gaussian,
    /// The discrete Gaussian variable.
    DiscreteGaussian,
}

/// An amount of noise that is enough.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibrated {
    /// The scale of Laplace noise, the standard deviation of Gaussian noise.
    pub scale: Rational,
    /// What all releases with it have at the `ε` that was asked for.
    pub delta: Interval,
}

/// Significant digits of a scale, which is rounded up to them.
const DIGITS: usize = 7;

/// The largest `ρ`, to 40 bits and rounded down, for which everything that is `ρ`-zero-concentrated is (ε, δ)-differentially private by the tight
/// conversion. A budget of it is a filter: releases that are chosen after others were seen are together (ε, δ)-differentially private.
///
/// ```
/// use lastbit_account::largest_rho;
/// use lastbit_real::Rounding;
/// let rho = largest_rho(&"1".parse()?, &"1e-6".parse()?)?;
/// assert_eq!(rho.to_decimal(4, Rounding::Down), "0.02435");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Negative`] and [`Error::NoProbability`].
pub fn largest_rho(epsilon: &Rational, delta: &Rational) -> Result<Rational, Error> {
    if epsilon.is_negative() {
        return Err(Error::Negative { value: epsilon.to_short() });
    }
    check_delta(delta)?;
    Ok(closed::largest_rho(epsilon, delta))
}

/// The least scale, rounded up to seven digits, with which so many releases together are (ε, δ)-differentially private.
///
/// ```
/// use lastbit_account::{Noise, calibrate};
/// use lastbit_real::Rational;
/// let [epsilon, delta] = ["1".parse()?, "1e-6".parse()?];
/// let found = calibrate(Noise::Gaussian, &Rational::ONE, 10, &epsilon, &delta, &|| true)?;
/// assert_eq!(found.scale, "13.35961".parse()?);
/// assert!(found.delta.upper.unwrap() <= delta);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::NotPositive`], [`Error::NoProbability`], [`Error::NotWhole`] for the sensitivity of discrete noise, and those of
/// [`Composition::delta_while`].
pub fn calibrate(
    noise: Noise,
    sensitivity: &Rational,
    times: u64,
    epsilon: &Rational,
    delta: &Rational,
    goes_on: &dyn Fn() -> bool,
) -> Result<Calibrated, Error> {
    positive("epsilon", epsilon)?;
    check_delta(delta)?;
    positive("sensitivity", sensitivity)?;
    check_times(times)?;
    let at = |scale: &Rational, accuracy: u64| {
        let mut releases = Composition::new();
        releases.add(noise.mechanism(sensitivity, scale)?, times)?;
        releases.delta_within(epsilon, accuracy, goes_on)
    };
    let holds = |found: &Interval| found.upper.as_ref().is_some_and(|upper| upper <= delta);
    // What is enough for every mechanism of that ρ, or of that pure loss, is where to begin.
    let rho = closed::largest_rho(epsilon, delta) / Rational::from(times);
    let scale = noise.scale_of(sensitivity, &rho)?;
    let mut above = scale.clone();
    while !holds(&at(&above, FEW)?) {
        above = above * Rational::from(2);
    }
    let mut below = above * Rational::pow2(-1);
    while !fails(at(&below, FEW), delta)? {
        below = below * Rational::pow2(-1);
    }
    let mut above = &below * Rational::from(2);
    for accuracy in [FEW, MANY] {
        while (&above - &below) * Rational::from(20 * accuracy) > above {
            let middle = (&below + &above) * Rational::pow2(-1);
            let found = at(&middle, accuracy)?;
            if holds(&found) {
                above = middle;
            } else if found.lower > *delta {
                below = middle;
            } else {
                break;
            }
        }
    }
    // Where bounds are wide, more and more is added until the upper one holds.
    let mut more = &above * Rational::new(1, 1_000_000).expect("not 0");
    loop {
        let scale = rounded_up(&above);
        let found = at(&scale, MANY)?;
        if holds(&found) {
            return Ok(Calibrated { scale, delta: found });
        }
        above = &above + &more;
        more = more * Rational::from(2);
    }
}

/// Accuracies on the way.
const FEW: u64 = 1000;
const MANY: u64 = 1_000_000;

/// Whether it is known not to hold: too little noise to be computed with is as good as none.
fn fails(found: Result<Interval, Error>, delta: &Rational) -> Result<bool, Error> {
    match found {
        Ok(found) => Ok(found.lower > *delta),
        Err(Error::NoPrivacy { .. } | Error::TooFine) => Ok(true),
        Err(error) => Err(error),
    }
}

fn rounded_up(scale: &Rational) -> Rational {
    scale.to_decimal(DIGITS, Rounding::Up).parse().expect("a decimal")
}

impl Noise {
    fn mechanism(self, sensitivity: &Rational, scale: &Rational) -> Result<Mechanism, Error> {
        let whole = || {
            let number =
                sensitivity.is_integer().then(|| u64::try_from(sensitivity.numerator()).ok()).flatten();
            number.ok_or_else(|| Error::NotWhole { value: sensitivity.to_short() })
        };
        Ok(match self {
            Noise::Laplace => Mechanism::Laplace { epsilon: sensitivity / scale },
            Noise::DiscreteLaplace => {
                Mechanism::DiscreteLaplace { scale: scale.clone(), sensitivity: whole()? }
            }
            Noise::Gaussian => Mechanism::Gaussian { rho: (sensitivity / scale).pow(2) * Rational::pow2(-1) },
            Noise::DiscreteGaussian => {
                Mechanism::DiscreteGaussian { variance: scale.pow(2), sensitivity: whole()? }
            }
        })
    }

    /// The scale with which one release has this `ρ`, to a few digits.
    fn scale_of(self, sensitivity: &Rational, rho: &Rational) -> Result<Rational, Error> {
        if !rho.is_positive() {
            return Err(Error::NoNoise { reason: "epsilon and delta leave no room for any loss" });
        }
        // Δ/√(2ρ)
        let square = sensitivity.pow(2) / (rho * Rational::from(2));
        let shift = 20 - square.floor_log2().unwrap_or(0).div_euclid(2);
        let root = (&square * Rational::pow2(2 * shift)).floor_sqrt().expect("not negative") + IBig::ONE;
        Ok(Rational::from(root) * Rational::pow2(-shift))
    }
}
