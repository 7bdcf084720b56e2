//! The mechanisms that can be audited, as they ship.

use lastbit::{AnyMechanism, BitSource, Claim, Contract, Error, Mechanism, Neighbours, ValueType};
use lastbit_real::{Enclosure, Float, Rational, Rounding};

use super::discrete_gaussian::proposal_scale;
use super::error::BitTreeError;
use super::law::Law;
use super::laws::exact;
use super::point_law::PointLaw;

/// A shipped mechanism, and the type of numbers that it is run on. The tree of the discrete Gaussian is that of one proposal: a rejected
/// one starts over with fresh bits.
#[derive(Clone, Debug, PartialEq)]
pub struct ShippedSampler {
    mechanism: AnyMechanism,
    values: ValueType,
}

/// The test that a script decides the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumeration {
    /// The sampler asked for no more words.
    Exhaustive,
    /// Both ends of what the script says about `U` have the same event: for samplers that are monotone in `U`.
    Monotone,
    /// By the four corners of the rectangle of `(U, V)`, which must give the same event: for samplers that are monotone in both.
    MonotoneInBoth,
}

impl Enumeration {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Enumeration::Exhaustive => "exhaustive",
            Enumeration::Monotone => "monotone",
            Enumeration::MonotoneInBoth => "monotone in both numbers",
        }
    }
}

/// Up to this scale, in units of outputs, every output is enumerated: beyond, there are too many thresholds.
const EXHAUSTIVE_SCALE: i64 = 16;

/// Integers and their cuts are exact as doubles below this.
const MOST_INTEGER: f64 = (1u64 << 50) as f64;

/// Bits of an irrational `σ`, which only says where cuts are.
const DEVIATION_BITS: u32 = 32;

/// See [`ShippedSampler::check_distance`].
const MOST_SCALES_APART: i64 = 4096;

/// `σ` of a variance: exactly if it is rational, else to some digits.
fn deviation(variance: &Rational) -> Rational {
    let root = |n: Rational| Rational::from(n.floor_sqrt().expect("positive"));
    let rational = root(variance.numerator().into()) / root(variance.denominator().into());
    if rational.pow(2) == *variance {
        return rational;
    }
    let root = Enclosure::of_rational(variance, DEVIATION_BITS).sqrt(DEVIATION_BITS).expect("positive");
    Rational::from(root.lo())
}

impl ShippedSampler {
    /// The mechanism on this type of numbers.
    ///
    /// # Errors
    /// [`BitTreeError`] if it does not take them, or they are not numbers of a machine.
    pub fn new(mechanism: AnyMechanism, values: ValueType) -> Result<ShippedSampler, BitTreeError> {
        mechanism.check_type(values)?;
        if values == ValueType::Real {
            let reason = "the sampler is audited on float64, float32, int64 or int32";
            return Err(BitTreeError::out_of_range("values", values, reason));
        }
        Ok(ShippedSampler { mechanism, values })
    }

    /// The mechanism on the first type that it takes: doubles, or integers of 64 bits.
    pub fn of(mechanism: AnyMechanism) -> ShippedSampler {
        let values = mechanism.value_types()[0];
        ShippedSampler { mechanism, values }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match (&self.mechanism, self.values) {
            (AnyMechanism::Laplace(_), ValueType::F64) => "laplace of f64",
            (AnyMechanism::Laplace(_), ValueType::F32) => "laplace of f32",
            (AnyMechanism::Laplace(_), ValueType::I32) => "laplace of i32",
            (AnyMechanism::Laplace(_), _) => "laplace of i64",
            (AnyMechanism::Gaussian(_), ValueType::F64) => "gaussian of f64",
            (AnyMechanism::Gaussian(_), ValueType::F32) => "gaussian of f32",
            (AnyMechanism::Gaussian(_), ValueType::I32) => "gaussian of i32",
            (AnyMechanism::Gaussian(_), _) => "gaussian of i64",
            (AnyMechanism::GridF64(_), _) => "grid-laplace of f64",
            (AnyMechanism::GridF32(_), _) => "grid-laplace of f32",
            (AnyMechanism::FloatSnapping(_), _) => "float-snapping",
            (mechanism, _) => mechanism.name(),
        }
    }

    /// The mechanism itself.
    pub(crate) fn mechanism(&self) -> &AnyMechanism {
        &self.mechanism
    }

    /// Whether it is the discrete Gaussian, which reads two uniform numbers for a proposal.
    pub(super) fn is_discrete_gaussian(&self) -> bool {
        matches!(self.mechanism, AnyMechanism::DiscreteGaussian(_))
    }

    /// Whether it is the real Gaussian, which reads two uniform numbers for two values.
    pub(super) fn is_gaussian(&self) -> bool {
        matches!(self.mechanism, AnyMechanism::Gaussian(_))
    }

    /// Whether its numbers are of single precision.
    pub(super) fn is_single(&self) -> bool {
        self.values == ValueType::F32
    }

    /// One release.
    pub(super) fn release<S: BitSource>(&self, source: &mut S, x: f64) -> Result<f64, Error> {
        match self.values {
            ValueType::F32 => self.mechanism.release(source, x as f32).map(f64::from),
            ValueType::I64 => self.mechanism.release(source, x as i64).map(|y| y as f64),
            ValueType::I32 => self.mechanism.release(source, x as i32).map(f64::from),
            _ => self.mechanism.release(source, x),
        }
    }

    /// The law of the outputs; of the discrete Gaussian, that of its proposals, accepted or not.
    pub(super) fn law(&self, x: f64, cuts: Vec<f64>) -> Result<Law, BitTreeError> {
        match &self.mechanism {
            AnyMechanism::Laplace(noise) if self.values.is_integer() => {
                Law::integer_laplace(noise.scale(), x, cuts)
            }
            AnyMechanism::Laplace(noise) if self.is_single() => Law::laplace::<f32>(noise.scale(), x, cuts),
            AnyMechanism::Laplace(noise) => Law::laplace::<f64>(noise.scale(), x, cuts),
            AnyMechanism::DiscreteLaplace(noise) => Law::discrete_laplace(noise.scale(), x, cuts),
            AnyMechanism::Gaussian(noise) if self.values.is_integer() => {
                Law::integer_gaussian(noise.variance(), x, cuts)
            }
            AnyMechanism::Gaussian(noise) if self.is_single() => {
                Law::gaussian::<f32>(noise.variance(), x, cuts)
            }
            AnyMechanism::Gaussian(noise) => Law::gaussian::<f64>(noise.variance(), x, cuts),
            AnyMechanism::DiscreteGaussian(noise) => {
                Law::discrete_laplace(&proposal_scale(noise.variance()), x, cuts)
            }
            AnyMechanism::GridF64(noise) => Law::grid_laplace::<f64>(noise.scale(), noise.k(), x, cuts),
            AnyMechanism::GridF32(noise) => Law::grid_laplace::<f32>(noise.scale(), noise.k(), x, cuts),
            AnyMechanism::Snapping(noise) => Law::snapping(noise, x, cuts),
            AnyMechanism::FloatSnapping(noise) => Law::float_snapping(noise, x, cuts),
        }
    }

    /// The law of the real Gaussian of this variance on its type, point by point.
    pub(super) fn point_law(
        &self,
        variance: &Rational,
        x: f64,
        cuts: &[f64],
    ) -> Result<PointLaw, BitTreeError> {
        match self.values {
            values if values.is_integer() => PointLaw::of_integers(variance, x, cuts),
            ValueType::F32 => PointLaw::of_floats::<f32>(variance, x, cuts),
            _ => PointLaw::of_floats::<f64>(variance, x, cuts),
        }
    }

    /// What the mechanism claims for these two inputs.
    pub(super) fn claim(&self, inputs: [f64; 2]) -> Result<Claim, BitTreeError> {
        let distance = (exact(inputs[0])? - exact(inputs[1])?).abs();
        Ok(self.mechanism.claim(self.values, &Neighbours::at(distance).differing_in(1)?)?)
    }

    /// Refuses inputs that are not of the type.
    pub(super) fn check_input(&self, x: f64) -> Result<(), BitTreeError> {
        let refuse = |reason| Err(BitTreeError::out_of_range("input", x, reason));
        let limit = if self.values == ValueType::I32 { f64::from(i32::MAX) } else { MOST_INTEGER };
        match self.values {
            _ if !x.is_finite() => refuse("it must be a finite number"),
            values if values.is_integer() && (x != x.trunc() || x.abs() >= limit) => {
                refuse("it must be an integer below 2^50, and within its type")
            }
            ValueType::F32 if f64::from(x as f32) != x => refuse("it must be a number of binary32"),
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
        !matches!(self.mechanism, AnyMechanism::FloatSnapping(_))
    }

    /// The scale of the noise and the distance of neighbouring outputs near 0, where there is one.
    pub(super) fn scale_and_step(&self) -> (Rational, Option<Rational>) {
        let grid = |b: &Rational, k: i32| (b.clone(), Some(Rational::pow2(i64::from(k))));
        let double = |x: f64| Rational::from(x.to_dyadic().expect("finite"));
        match &self.mechanism {
            AnyMechanism::Laplace(noise) if self.values.is_integer() => grid(noise.scale(), 0),
            AnyMechanism::Laplace(noise) => (noise.scale().clone(), None),
            AnyMechanism::DiscreteLaplace(noise) => grid(noise.scale(), 0),
            AnyMechanism::Gaussian(noise) if self.values.is_integer() => {
                grid(&deviation(noise.variance()), 0)
            }
            AnyMechanism::Gaussian(noise) => (deviation(noise.variance()), None),
            AnyMechanism::DiscreteGaussian(noise) => grid(&proposal_scale(noise.variance()), 0),
            AnyMechanism::GridF64(noise) => grid(noise.scale(), noise.k()),
            AnyMechanism::GridF32(noise) => grid(noise.scale(), noise.k()),
            AnyMechanism::Snapping(noise) => {
                (noise.epsilon().recip().expect("positive"), Some(double(noise.grid())))
            }
            AnyMechanism::FloatSnapping(noise) => {
                let [epsilon, grid] = [noise.params().epsilon, noise.params().grid].map(double);
                (epsilon.recip().expect("positive"), Some(grid))
            }
        }
    }

    /// The largest output, where outputs are clamped.
    pub(super) fn bound(&self) -> Option<f64> {
        match &self.mechanism {
            AnyMechanism::Snapping(noise) => Some(noise.bound()),
            AnyMechanism::FloatSnapping(noise) => Some(noise.params().bound),
            _ => None,
        }
    }

    /// The nearest output of its type.
    pub(super) fn nearest(&self, y: &Rational) -> f64 {
        if self.is_single() {
            f32::from_rational(y, Rounding::Nearest).into()
        } else {
            y.to_f64(Rounding::Nearest)
        }
    }

    pub(super) fn enumeration(&self) -> Enumeration {
        let (scale, step) = self.scale_and_step();
        match step {
            // One double after the other, until 53 bits are known: there is no end to that.
            _ if matches!(self.mechanism, AnyMechanism::FloatSnapping(_)) => Enumeration::Monotone,
            _ if self.is_discrete_gaussian() => Enumeration::Exhaustive,
            _ if self.is_gaussian() => Enumeration::MonotoneInBoth,
            Some(step) if scale <= &step * Rational::from(EXHAUSTIVE_SCALE) => Enumeration::Exhaustive,
            _ => Enumeration::Monotone,
        }
    }
}
