//! The mechanisms that can be audited, as they ship.

use lastbit::{
    BitSource, Claim, DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, Inputs, Laplace,
    Mechanism, Snapping,
};
use lastbit_real::{Float, Rational, Rounding};

use super::error::BitTreeError;
use super::gaussian::proposal_scale;
use super::law::Law;
use super::laws::exact;

/// A shipped mechanism, and the type of numbers that it is run on.
#[derive(Clone, Debug, PartialEq)]
pub enum Shipped {
    /// [`Laplace`] on `f64`.
    Laplace(Laplace),
    /// [`Laplace`] on `f32`.
    LaplaceSingle(Laplace),
    /// [`Laplace`] on `i64`.
    LaplaceInteger(Laplace),
    /// [`DiscreteLaplace`] on `i64`.
    DiscreteLaplace(DiscreteLaplace),
    /// [`DiscreteGaussian`] on `i64`. Its tree is that of one proposal: a rejected one starts over with fresh bits.
    DiscreteGaussian(DiscreteGaussian),
    /// [`GridLaplace`] on `f64`.
    GridLaplace(GridLaplace<f64>),
    /// [`GridLaplace`] on `f32`.
    GridLaplaceSingle(GridLaplace<f32>),
    /// [`Snapping`].
    Snapping(Snapping),
    /// [`FloatSnapping`].
    FloatSnapping(FloatSnapping),
}

/// How a tree tells that a script decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumeration {
    /// The sampler asked for no more words.
    Exhaustive,
    /// Both ends of what the script says about `U` have the same event: for samplers that are monotone in `U`.
    Monotone,
}

impl Enumeration {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Enumeration::Exhaustive => "exhaustive",
            Enumeration::Monotone => "monotone",
        }
    }
}

/// Up to this scale, in units of outputs, every output is enumerated: beyond, there are too many thresholds.
const EXHAUSTIVE_SCALE: i64 = 16;

/// Integers and their cuts are exact as doubles below this.
const MOST_INTEGER: f64 = (1u64 << 50) as f64;

/// See [`Shipped::check_distance`].
const MOST_SCALES_APART: i64 = 4096;

impl Shipped {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Shipped::Laplace(_) => "laplace of f64",
            Shipped::LaplaceSingle(_) => "laplace of f32",
            Shipped::LaplaceInteger(_) => "laplace of i64",
            Shipped::DiscreteLaplace(_) => "discrete-laplace",
            Shipped::DiscreteGaussian(_) => "discrete-gaussian",
            Shipped::GridLaplace(_) => "grid-laplace of f64",
            Shipped::GridLaplaceSingle(_) => "grid-laplace of f32",
            Shipped::Snapping(_) => "snapping",
            Shipped::FloatSnapping(_) => "float-snapping",
        }
    }

    /// One release.
    pub(super) fn release<S: BitSource>(&self, source: &mut S, x: f64) -> Result<f64, Error> {
        match self {
            Shipped::Laplace(mechanism) => mechanism.release(source, x),
            Shipped::LaplaceSingle(mechanism) => mechanism.release(source, x as f32).map(f64::from),
            Shipped::LaplaceInteger(mechanism) => mechanism.release(source, x as i64).map(|y| y as f64),
            Shipped::DiscreteLaplace(mechanism) => mechanism.release(source, x as i64).map(|y| y as f64),
            Shipped::DiscreteGaussian(mechanism) => mechanism.release(source, x as i64).map(|y| y as f64),
            Shipped::GridLaplace(mechanism) => mechanism.release(source, x),
            Shipped::GridLaplaceSingle(mechanism) => mechanism.release(source, x as f32).map(f64::from),
            Shipped::Snapping(mechanism) => mechanism.release(source, x),
            Shipped::FloatSnapping(mechanism) => mechanism.release(source, x),
        }
    }

    /// The law of the outputs; of the discrete Gaussian, that of its proposals, accepted or not.
    pub(super) fn law(&self, x: f64, cuts: Vec<f64>) -> Result<Law, BitTreeError> {
        match self {
            Shipped::Laplace(mechanism) => Law::laplace::<f64>(mechanism.scale(), x, cuts),
            Shipped::LaplaceSingle(mechanism) => Law::laplace::<f32>(mechanism.scale(), x, cuts),
            Shipped::LaplaceInteger(mechanism) => Law::integer_laplace(mechanism.scale(), x, cuts),
            Shipped::DiscreteLaplace(mechanism) => Law::discrete_laplace(mechanism.scale(), x, cuts),
            Shipped::DiscreteGaussian(mechanism) => {
                Law::discrete_laplace(&proposal_scale(mechanism.variance()), x, cuts)
            }
            Shipped::GridLaplace(mechanism) => {
                Law::grid_laplace::<f64>(mechanism.scale(), mechanism.k(), x, cuts)
            }
            Shipped::GridLaplaceSingle(mechanism) => {
                Law::grid_laplace::<f32>(mechanism.scale(), mechanism.k(), x, cuts)
            }
            Shipped::Snapping(mechanism) => Law::snapping(mechanism, x, cuts),
            Shipped::FloatSnapping(mechanism) => Law::float_snapping(mechanism, x, cuts),
        }
    }

    /// What the mechanism claims for these two inputs.
    pub(super) fn claim(&self, inputs: [f64; 2]) -> Result<Claim, BitTreeError> {
        let d = (exact(inputs[0])? - exact(inputs[1])?).abs();
        let one = Inputs::differing_in(1)?;
        Ok(match self {
            Shipped::Laplace(mechanism)
            | Shipped::LaplaceSingle(mechanism)
            | Shipped::LaplaceInteger(mechanism) => mechanism.claim(&d)?,
            Shipped::DiscreteLaplace(mechanism) => mechanism.claim(&d)?,
            Shipped::DiscreteGaussian(mechanism) => mechanism.claim(&d)?,
            Shipped::GridLaplace(mechanism) => mechanism.claim(&d, one)?,
            Shipped::GridLaplaceSingle(mechanism) => mechanism.claim(&d, one)?,
            Shipped::Snapping(mechanism) => mechanism.claim(&d)?,
            Shipped::FloatSnapping(mechanism) => mechanism.claim(&d, one)?,
        })
    }

    /// Refuses inputs that are not of the type.
    pub(super) fn check_input(&self, x: f64) -> Result<(), BitTreeError> {
        let refuse = |reason| Err(BitTreeError::out_of_range("input", x, reason));
        match self {
            _ if !x.is_finite() => refuse("it must be a finite number"),
            Shipped::LaplaceInteger(_) | Shipped::DiscreteLaplace(_) | Shipped::DiscreteGaussian(_)
                if x != x.trunc() || x.abs() >= MOST_INTEGER =>
            {
                refuse("it must be an integer below 2^50")
            }
            Shipped::LaplaceSingle(_) | Shipped::GridLaplaceSingle(_) if f64::from(x as f32) != x => {
                refuse("it must be a number of binary32")
            }
            _ => Ok(()),
        }
    }

    /// Refuses inputs so far apart that the probability of what one gives under the other has more digits than there is room for.
    pub(super) fn check_distance(&self, [x, x2]: [f64; 2]) -> Result<(), BitTreeError> {
        let (scale, _) = self.scale_and_step();
        let distance = (exact(x)? - exact(x2)?).abs();
        if distance > scale * Rational::from(MOST_SCALES_APART) {
            let reason = "the inputs must be at most 4096 scales apart";
            return Err(BitTreeError::out_of_range("inputs", format!("{x} and {x2}"), reason));
        }
        Ok(())
    }

    /// Whether its tiers can be told apart; `Snap_F` has none.
    pub(super) fn has_tiers(&self) -> bool {
        !matches!(self, Shipped::FloatSnapping(_))
    }

    /// The scale of the noise and the distance of neighbouring outputs near 0, where there is one.
    pub(super) fn scale_and_step(&self) -> (Rational, Option<Rational>) {
        let grid = |b: &Rational, k: i32| (b.clone(), Some(Rational::pow2(i64::from(k))));
        match self {
            Shipped::Laplace(mechanism) | Shipped::LaplaceSingle(mechanism) => {
                (mechanism.scale().clone(), None)
            }
            Shipped::LaplaceInteger(mechanism) => grid(mechanism.scale(), 0),
            Shipped::DiscreteLaplace(mechanism) => grid(mechanism.scale(), 0),
            Shipped::DiscreteGaussian(mechanism) => grid(&proposal_scale(mechanism.variance()), 0),
            Shipped::GridLaplace(mechanism) => grid(mechanism.scale(), mechanism.k()),
            Shipped::GridLaplaceSingle(mechanism) => grid(mechanism.scale(), mechanism.k()),
            Shipped::Snapping(mechanism) => {
                let lambda = mechanism.lambda().to_dyadic().expect("finite");
                (mechanism.epsilon().recip().expect("positive"), Some(lambda.into()))
            }
            Shipped::FloatSnapping(mechanism) => {
                let [epsilon, lambda] = [mechanism.params().epsilon, mechanism.params().lambda]
                    .map(|x| Rational::from(x.to_dyadic().expect("finite")));
                (epsilon.recip().expect("positive"), Some(lambda))
            }
        }
    }

    /// The largest output, where outputs are clamped.
    pub(super) fn bound(&self) -> Option<f64> {
        match self {
            Shipped::Snapping(mechanism) => Some(mechanism.bound()),
            Shipped::FloatSnapping(mechanism) => Some(mechanism.params().bound),
            _ => None,
        }
    }

    /// The nearest output of its type.
    pub(super) fn nearest(&self, y: &Rational) -> f64 {
        match self {
            Shipped::LaplaceSingle(_) | Shipped::GridLaplaceSingle(_) => {
                f32::from_rational(y, Rounding::Nearest).into()
            }
            _ => y.to_f64(Rounding::Nearest),
        }
    }

    pub(super) fn enumeration(&self) -> Enumeration {
        let (scale, step) = self.scale_and_step();
        match step {
            // One double after the other, until 53 bits are known: there is no end to that.
            _ if matches!(self, Shipped::FloatSnapping(_)) => Enumeration::Monotone,
            _ if matches!(self, Shipped::DiscreteGaussian(_)) => Enumeration::Exhaustive,
            Some(step) if scale <= &step * Rational::from(EXHAUSTIVE_SCALE) => Enumeration::Exhaustive,
            _ => Enumeration::Monotone,
        }
    }
}
