//! Some mechanism of this crate, known when the program runs.

use std::collections::BTreeMap;

use lastbit_real::{Rational, Rounding};

use crate::bits::{BitSource, SplitSource};
use crate::claim::{Claim, Measure, Preparation};
use crate::{
    Contract, DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, Gaussian, GridLaplace, HalfWidth,
    Laplace, Mechanism, Metric, Neighbours, Real, RealMechanism, Snapping, Threads, ValueType,
};

/// One of the mechanisms, with its parameters: for front ends whose users choose the mechanism.
///
/// ```
/// use lastbit::{Amount, Contract, Family, Mechanism, Neighbours, Rational, SecureSource, ValueType};
/// let neighbours = Neighbours::at(Rational::ONE);
/// let noise = Family::Laplace.with(&Amount::Loss { loss: "0.1".parse()?, neighbours: neighbours.clone() })?;
/// let noisy: f64 = noise.release(&mut SecureSource::new()?, 42.0)?;
/// assert_eq!(noise.claim(ValueType::F64, &neighbours)?.loss(), &"1/10".parse()?);
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Deliberately exhaustive: a new mechanism must be handled wherever code matches on mechanisms, above all in audits.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyMechanism {
    /// [`Laplace`].
    Laplace(Laplace),
    /// [`GridLaplace`] on `f64`.
    GridF64(GridLaplace<f64>),
    /// [`GridLaplace`] on `f32`.
    GridF32(GridLaplace<f32>),
    /// [`DiscreteLaplace`].
    DiscreteLaplace(DiscreteLaplace),
    /// [`Gaussian`].
    Gaussian(Gaussian),
    /// [`DiscreteGaussian`].
    DiscreteGaussian(DiscreteGaussian),
    /// [`Snapping`].
    Snapping(Snapping),
    /// [`FloatSnapping`].
    FloatSnapping(FloatSnapping),
}

macro_rules! from {
    ($($mechanism:ty => $variant:ident)*) => {$(
        impl From<$mechanism> for AnyMechanism {
            fn from(mechanism: $mechanism) -> AnyMechanism {
                AnyMechanism::$variant(mechanism)
            }
        }
    )*};
}
from! {
    Laplace => Laplace
    GridLaplace<f64> => GridF64
    GridLaplace<f32> => GridF32
    DiscreteLaplace => DiscreteLaplace
    Gaussian => Gaussian
    DiscreteGaussian => DiscreteGaussian
    Snapping => Snapping
    FloatSnapping => FloatSnapping
}

macro_rules! each {
    ($self:expr, $mechanism:ident => $call:expr) => {
        match $self {
            AnyMechanism::Laplace($mechanism) => $call,
            AnyMechanism::GridF64($mechanism) => $call,
            AnyMechanism::GridF32($mechanism) => $call,
            AnyMechanism::DiscreteLaplace($mechanism) => $call,
            AnyMechanism::Gaussian($mechanism) => $call,
            AnyMechanism::DiscreteGaussian($mechanism) => $call,
            AnyMechanism::Snapping($mechanism) => $call,
            AnyMechanism::FloatSnapping($mechanism) => $call,
        }
    };
}

impl Contract for AnyMechanism {
    fn name(&self) -> &'static str {
        each!(self, m => m.name())
    }

    fn formula(&self, values: ValueType) -> String {
        each!(self, m => m.formula(values))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        each!(self, m => m.parameters())
    }

    fn value_types(&self) -> &'static [ValueType] {
        each!(self, m => m.value_types())
    }

    fn metric(&self) -> Metric {
        each!(self, m => m.metric())
    }

    fn measure(&self) -> Measure {
        each!(self, m => m.measure())
    }

    fn preparation(&self) -> Preparation {
        each!(self, m => m.preparation())
    }

    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        each!(self, m => m.loss(neighbours))
    }

    fn half_width(&self, values: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        each!(self, m => m.half_width(values, confidence))
    }

    fn claim(&self, values: ValueType, neighbours: &Neighbours) -> Result<Claim, Error> {
        each!(self, m => m.claim(values, neighbours))
    }
}

macro_rules! releases {
    ($type:ty, $values:ident: $($variant:ident)*) => {
        /// Values of a type that the mechanism does not take are [`Error::UnsupportedType`].
        impl Mechanism<$type> for AnyMechanism {
            fn release_in_place<S: BitSource>(&self, source: &mut S, values: &mut [$type]) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_in_place(source, values),)*
                    _ => self.check_type(ValueType::$values),
                }
            }

            fn release_to<S: BitSource>(
                &self,
                source: &mut S,
                values: &[$type],
                out: &mut [$type],
            ) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_to(source, values, out),)*
                    _ => self.check_type(ValueType::$values),
                }
            }

            fn release_in_place_with<S: SplitSource>(
                &self,
                source: &mut S,
                values: &mut [$type],
                threads: Threads,
            ) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_in_place_with(source, values, threads),)*
                    _ => self.check_type(ValueType::$values),
                }
            }

            fn release_to_with<S: SplitSource>(
                &self,
                source: &mut S,
                values: &[$type],
                out: &mut [$type],
                threads: Threads,
            ) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_to_with(source, values, out, threads),)*
                    _ => self.check_type(ValueType::$values),
                }
            }

            #[inline]
            fn release<S: BitSource>(&self, source: &mut S, value: $type) -> Result<$type, Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release(source, value),)*
                    // Never `Ok`: the arms above are all mechanisms that take this type.
                    _ => self.check_type(ValueType::$values).map(|()| value),
                }
            }
        }
    };
}
releases!(f64, F64: Laplace GridF64 Gaussian Snapping FloatSnapping);
releases!(f32, F32: Laplace GridF32 Gaussian);
releases!(i64, I64: Laplace DiscreteLaplace Gaussian DiscreteGaussian);
releases!(i32, I32: Laplace DiscreteLaplace Gaussian DiscreteGaussian);

macro_rules! releases_reals {
    ($type:ty: $($variant:ident)*) => {
        /// A mechanism that does not add noise to real numbers, or not with such results, is [`Error::UnsupportedType`].
        impl RealMechanism<$type> for AnyMechanism {
            fn release_reals<S: BitSource>(
                &self,
                source: &mut S,
                values: &[Real],
                out: &mut [$type],
            ) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_reals(source, values, out),)*
                    _ => Err(self.takes_no_reals()),
                }
            }

            fn release_reals_with<S: SplitSource>(
                &self,
                source: &mut S,
                values: &[Real],
                out: &mut [$type],
                threads: Threads,
            ) -> Result<(), Error> {
                match self {
                    $(AnyMechanism::$variant(m) => m.release_reals_with(source, values, out, threads),)*
                    _ => Err(self.takes_no_reals()),
                }
            }
        }
    };
}
releases_reals!(f64: Laplace Gaussian Snapping);
releases_reals!(f32: Laplace Gaussian);

/// A mechanism but for how much noise it adds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Family {
    /// [`Laplace`].
    Laplace,
    /// [`GridLaplace`].
    GridLaplace {
        /// `f64` or `f32`.
        values: ValueType,
        /// The exponent of the grid, or about `2⁻⁴⁰` of the scale.
        k: Option<i32>,
    },
    /// [`DiscreteLaplace`].
    DiscreteLaplace,
    /// [`Gaussian`].
    Gaussian,
    /// [`DiscreteGaussian`].
    DiscreteGaussian,
    /// [`Snapping`].
    Snapping {
        /// `B`.
        bound: Rational,
        /// Takes infinite values as `±B`.
        clamp_infinite: bool,
    },
    /// [`FloatSnapping`].
    FloatSnapping {
        /// `B`, a double.
        bound: Rational,
    },
}

/// The amount of noise, given in one of four ways.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// The scale `b` of Laplace noise (`1/ε` of snapping), the `σ` of Gaussian noise.
    Scale(Rational),
    /// The least noise that loses this much between neighbours: `ε`, or `ρ` of Gaussian noise.
    Loss {
        /// `ε` or `ρ`.
        loss: Rational,
        /// The neighbours.
        neighbours: Neighbours,
    },
    /// The least noise that is `(ε, δ)`-private between neighbours: for [`Gaussian`] alone, whose `δ` at an `ε` is known exactly.
    EpsilonDelta {
        /// `ε`, which may be 0.
        epsilon: Rational,
        /// `δ`, between 0 and 1.
        delta: Rational,
        /// The neighbours.
        neighbours: Neighbours,
    },
    /// The most noise that is within this half-width with this probability.
    HalfWidth {
        /// The distance that a result may be off.
        half_width: Rational,
        /// With which probability.
        confidence: Rational,
    },
}

impl Family {
    /// The name of its mechanisms.
    fn name(&self) -> &'static str {
        match self {
            Family::Laplace => "laplace",
            Family::GridLaplace { .. } => "grid-laplace",
            Family::DiscreteLaplace => "discrete-laplace",
            Family::Gaussian => "gaussian",
            Family::DiscreteGaussian => "discrete-gaussian",
            Family::Snapping { .. } | Family::FloatSnapping { .. } => "snapping",
        }
    }

    /// The mechanism with this much noise.
    ///
    /// # Errors
    /// [`Error::NoEpsilonDelta`], and those of the mechanism's constructors.
    pub fn with(&self, amount: &Amount) -> Result<AnyMechanism, Error> {
        let refused = || Error::NoEpsilonDelta { mechanism: self.name() };
        Ok(match self {
            Family::Laplace => AnyMechanism::Laplace(match amount {
                Amount::Scale(scale) => Laplace::new(scale.clone()),
                Amount::Loss { loss, neighbours } => Laplace::for_epsilon(loss, neighbours.distance()),
                Amount::EpsilonDelta { .. } => Err(refused()),
                Amount::HalfWidth { half_width, confidence } => {
                    Laplace::for_half_width(half_width, confidence)
                }
            }?),
            Family::GridLaplace { values: ValueType::F32, k } => AnyMechanism::GridF32(grid(*k, amount)?),
            Family::GridLaplace { values: ValueType::F64, k } => AnyMechanism::GridF64(grid(*k, amount)?),
            Family::GridLaplace { values, .. } => {
                let taken = &[ValueType::F64, ValueType::F32];
                return Err(Error::UnsupportedType { mechanism: "grid-laplace", values: *values, taken });
            }
            Family::DiscreteLaplace => AnyMechanism::DiscreteLaplace(match amount {
                Amount::Scale(scale) => DiscreteLaplace::new(scale.clone()),
                Amount::Loss { loss, neighbours } => {
                    DiscreteLaplace::for_epsilon(loss, neighbours.distance())
                }
                Amount::EpsilonDelta { .. } => Err(refused()),
                Amount::HalfWidth { half_width, confidence } => {
                    DiscreteLaplace::for_half_width(half_width, confidence)
                }
            }?),
            Family::Gaussian => AnyMechanism::Gaussian(match amount {
                Amount::Scale(sigma) => Gaussian::new(sigma),
                Amount::Loss { loss, neighbours } => Gaussian::for_rho(loss, neighbours.distance()),
                Amount::EpsilonDelta { epsilon, delta, neighbours } => {
                    Gaussian::for_epsilon_delta(epsilon, delta, neighbours.distance())
                }
                Amount::HalfWidth { half_width, confidence } => {
                    Gaussian::for_half_width(half_width, confidence)
                }
            }?),
            Family::DiscreteGaussian => AnyMechanism::DiscreteGaussian(match amount {
                Amount::Scale(sigma) => DiscreteGaussian::new(sigma),
                Amount::Loss { loss, neighbours } => DiscreteGaussian::for_rho(loss, neighbours.distance()),
                Amount::EpsilonDelta { .. } => Err(refused()),
                Amount::HalfWidth { half_width, confidence } => {
                    DiscreteGaussian::for_half_width(half_width, confidence)
                }
            }?),
            Family::Snapping { bound, clamp_infinite } => {
                let snapping = match amount {
                    Amount::Scale(scale) => Snapping::new(rate(scale)?, bound.clone()),
                    Amount::Loss { loss, neighbours } => {
                        Snapping::for_epsilon(loss, neighbours.distance(), bound.clone())
                    }
                    Amount::EpsilonDelta { .. } => Err(refused()),
                    Amount::HalfWidth { half_width, confidence } => {
                        Snapping::for_half_width(half_width, confidence, bound.clone())
                    }
                }?;
                AnyMechanism::Snapping(if *clamp_infinite { snapping.clamp_infinite() } else { snapping })
            }
            Family::FloatSnapping { bound } => AnyMechanism::FloatSnapping(match amount {
                Amount::Scale(scale) => {
                    FloatSnapping::new(rate(scale)?.to_f64(Rounding::Down), FloatSnapping::double(bound)?)
                }
                Amount::Loss { loss, neighbours } => {
                    FloatSnapping::for_epsilon(loss, neighbours, FloatSnapping::double(bound)?)
                }
                Amount::EpsilonDelta { .. } => Err(refused()),
                Amount::HalfWidth { half_width, confidence } => {
                    FloatSnapping::for_half_width(half_width, confidence, FloatSnapping::double(bound)?)
                }
            }?),
        })
    }
}

/// `1/b`, the `ε` of snapping.
fn rate(scale: &Rational) -> Result<Rational, Error> {
    Ok(crate::error::positive("scale", scale)?.recip().expect("positive"))
}

fn grid<T: lastbit_real::Float>(k: Option<i32>, amount: &Amount) -> Result<GridLaplace<T>, Error> {
    match amount {
        Amount::Scale(scale) => GridLaplace::new(scale.clone(), k),
        Amount::Loss { loss, neighbours } => GridLaplace::for_epsilon(loss, neighbours, k),
        Amount::EpsilonDelta { .. } => Err(Error::NoEpsilonDelta { mechanism: "grid-laplace" }),
        Amount::HalfWidth { half_width, confidence } => {
            GridLaplace::for_half_width(half_width, confidence, k)
        }
    }
}

impl AnyMechanism {
    fn takes_no_reals(&self) -> Error {
        Error::UnsupportedType { mechanism: self.name(), values: ValueType::Real, taken: self.value_types() }
    }

    /// The mechanism that has these [parameters](Contract::parameters), and no others.
    ///
    /// # Errors
    /// [`Error::NotAClaim`], and those of the mechanism's constructor.
    pub fn from_parameters(
        name: &str,
        parameters: &BTreeMap<String, String>,
        values: ValueType,
    ) -> Result<AnyMechanism, Error> {
        let bad = |reason: String| Error::NotAClaim { reason };
        let text = |name: &str| {
            parameters
                .get(name)
                .map(String::as_str)
                .ok_or_else(|| bad(format!("it has no parameter {name:?}")))
        };
        let number = |name: &str| {
            text(name)?.parse::<Rational>().map_err(|e| bad(format!("the parameter {name:?}: {e}")))
        };
        let family = match name {
            "laplace" => Family::Laplace,
            "grid-laplace" => {
                let k = text("k")?.parse().map_err(|e| bad(format!("the parameter \"k\": {e}")))?;
                Family::GridLaplace { values, k: Some(k) }
            }
            "discrete-laplace" => Family::DiscreteLaplace,
            "gaussian" => {
                return Ok(AnyMechanism::Gaussian(Gaussian::with_variance(number("variance")?)?));
            }
            "discrete-gaussian" => {
                return Ok(AnyMechanism::DiscreteGaussian(DiscreteGaussian::with_variance(number(
                    "variance",
                )?)?));
            }
            "snapping" => {
                let (epsilon, bound) = (number("epsilon")?, number("bound")?);
                return Ok(match text("form")? {
                    "exact" => AnyMechanism::Snapping(Snapping::new(epsilon, bound)?),
                    "float" => {
                        let [epsilon, bound] = [&epsilon, &bound].map(FloatSnapping::double);
                        AnyMechanism::FloatSnapping(FloatSnapping::new(epsilon?, bound?)?)
                    }
                    form => return Err(bad(format!("snapping has no form {form:?}"))),
                });
            }
            _ => return Err(bad(format!("there is no mechanism {name:?}"))),
        };
        family.with(&Amount::Scale(number("scale")?))
    }
}
