//! Mechanisms from the arguments of a class or a function.

use std::sync::Arc;

use lastbit::{Inputs, Rational};
use lastbit_real::Float;
use pyo3::prelude::*;

use crate::errors::{ParameterError, python};
use crate::kind::Kind;
use crate::mechanism::{Argument, Mechanism, Object};
use crate::number;

/// How much noise: two ways to say it.
enum Amount {
    /// By the scale, the variance, …
    Direct(Rational),
    /// By the loss, and the distance at which it is the loss.
    Calibrated(Rational, Rational),
}

/// Reads arguments, and remembers them.
#[derive(Default)]
struct Arguments(Vec<(&'static str, Argument)>);

impl Arguments {
    fn exact(&mut self, name: &'static str, x: Object<'_, '_>) -> PyResult<Option<Rational>> {
        let Some(x) = x else { return Ok(None) };
        let value = number::exact(name, x)?;
        self.0.push((name, Argument::Exact(value.to_string())));
        Ok(Some(value))
    }

    fn required(&mut self, name: &'static str, x: Object<'_, '_>) -> PyResult<Rational> {
        self.exact(name, x)?.ok_or_else(|| ParameterError::new_err(format!("give {name}")))
    }

    fn flag(&mut self, name: &'static str, on: bool) -> bool {
        if on {
            self.0.push((name, Argument::Flag(true)));
        }
        on
    }

    fn integer(&mut self, name: &'static str, x: Option<impl Into<i128>>) {
        self.0.extend(x.map(|x| (name, Argument::Integer(x.into()))));
    }

    /// Exactly one of the two ways; the sensitivity may stand beside the first, for claims.
    fn amount(
        &mut self,
        [direct_name, loss_name]: [&'static str; 2],
        direct: Object<'_, '_>,
        loss: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
    ) -> PyResult<(Amount, Option<Rational>)> {
        let direct = self.exact(direct_name, direct)?;
        let loss = self.exact(loss_name, loss)?;
        let sensitivity = self.exact("sensitivity", sensitivity)?;
        let amount = match (direct, loss, &sensitivity) {
            (Some(direct), None, _) => Amount::Direct(direct),
            (None, Some(loss), Some(sensitivity)) => Amount::Calibrated(loss, sensitivity.clone()),
            (None, Some(_), None) => {
                return Err(ParameterError::new_err(format!("{loss_name} needs sensitivity")));
            }
            (None, None, _) => {
                let message = format!("give {direct_name}, or {loss_name} and sensitivity");
                return Err(ParameterError::new_err(message));
            }
            (Some(_), Some(_), _) => {
                return Err(ParameterError::new_err(format!("give {direct_name} or {loss_name}, not both")));
            }
        };
        Ok((amount, sensitivity))
    }

    fn mechanism(self, kind: Kind, sensitivity: Option<Rational>, inputs: Option<Inputs>) -> Mechanism {
        Mechanism { kind: Arc::new(kind), sensitivity, inputs, arguments: self.0 }
    }
}

pub(crate) fn laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    hardened: bool,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let (amount, sensitivity) = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    let laplace = match amount {
        Amount::Direct(scale) => lastbit::Laplace::new(scale),
        Amount::Calibrated(epsilon, sensitivity) => lastbit::Laplace::for_epsilon(&epsilon, &sensitivity),
    };
    let laplace = laplace.map_err(python)?;
    let laplace = if arguments.flag("hardened", hardened) { laplace.hardened() } else { laplace };
    Ok(arguments.mechanism(Kind::Laplace(laplace), sensitivity, None))
}

pub(crate) fn discrete_laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    hardened: bool,
) -> PyResult<Mechanism> {
    use lastbit::DiscreteLaplace;
    let mut arguments = Arguments::default();
    let (amount, sensitivity) = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    let discrete = match amount {
        Amount::Direct(scale) => DiscreteLaplace::new(scale),
        Amount::Calibrated(epsilon, sensitivity) => DiscreteLaplace::for_epsilon(&epsilon, &sensitivity),
    };
    let discrete = discrete.map_err(python)?;
    let discrete = if arguments.flag("hardened", hardened) { discrete.hardened() } else { discrete };
    Ok(arguments.mechanism(Kind::DiscreteLaplace(discrete), sensitivity, None))
}

pub(crate) fn discrete_gaussian(
    sigma: Object<'_, '_>,
    variance: Object<'_, '_>,
    rho: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
) -> PyResult<Mechanism> {
    use lastbit::DiscreteGaussian;
    let mut arguments = Arguments::default();
    if sigma.is_some() && variance.is_some() {
        return Err(ParameterError::new_err("give sigma or variance, not both"));
    }
    let (names, direct) = match variance {
        Some(_) => (["variance", "rho"], variance),
        None => (["sigma", "rho"], sigma),
    };
    let (amount, sensitivity) = arguments.amount(names, direct, rho, sensitivity)?;
    let gaussian = match amount {
        Amount::Direct(direct) if variance.is_some() => DiscreteGaussian::with_variance(direct),
        Amount::Direct(direct) => DiscreteGaussian::new(&direct),
        Amount::Calibrated(rho, sensitivity) => DiscreteGaussian::for_rho(&rho, &sensitivity),
    };
    Ok(arguments.mechanism(Kind::DiscreteGaussian(gaussian.map_err(python)?), sensitivity, None))
}

pub(crate) fn snapping(
    epsilon: Object<'_, '_>,
    bound: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    clamp_infinite: bool,
) -> PyResult<Mechanism> {
    use lastbit::Snapping;
    let mut arguments = Arguments::default();
    let epsilon = arguments.required("epsilon", epsilon)?;
    let bound = arguments.required("bound", bound)?;
    let sensitivity = arguments.required("sensitivity", sensitivity)?;
    let snapping = Snapping::for_epsilon(&epsilon, &sensitivity, bound).map_err(python)?;
    let clamps = arguments.flag("clamp_infinite", clamp_infinite);
    let snapping = if clamps { snapping.clamp_infinite() } else { snapping };
    Ok(arguments.mechanism(Kind::Snapping(snapping), Some(sensitivity), None))
}

/// The type of float of a grid.
#[derive(Clone, Copy)]
pub(crate) enum GridType {
    F64,
    F32,
}

impl GridType {
    /// By its name in numpy.
    pub(crate) fn named(name: &str) -> PyResult<GridType> {
        match name {
            "float64" => Ok(GridType::F64),
            "float32" => Ok(GridType::F32),
            _ => {
                Err(ParameterError::new_err(format!("dtype must be 'float64' or 'float32', but is {name:?}")))
            }
        }
    }
}

/// What is known of the inputs of a grid.
pub(crate) struct GridInputs {
    /// How many values of a vector may differ.
    pub(crate) max_changed: Option<u64>,
    /// All values are multiples of two to this power.
    pub(crate) multiples_of_pow2: Option<i32>,
}

pub(crate) fn grid_laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    k: Option<i32>,
    known: GridInputs,
    dtype: GridType,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let (amount, sensitivity) = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    arguments.integer("k", k);
    let inputs = match known.max_changed {
        None if known.multiples_of_pow2.is_some() => {
            return Err(ParameterError::new_err("multiples_of_pow2 needs max_changed"));
        }
        None => None,
        Some(max_changed) => {
            let inputs = Inputs::differing_in(max_changed).map_err(python)?;
            arguments.integer("max_changed", Some(max_changed));
            arguments.integer("multiples_of_pow2", known.multiples_of_pow2);
            Some(known.multiples_of_pow2.map_or(inputs, |j| inputs.multiples_of_pow2(j)))
        }
    };
    let kind = match dtype {
        GridType::F64 => Kind::GridF64(grid(amount, inputs, k)?),
        GridType::F32 => Kind::GridF32(grid(amount, inputs, k)?),
    };
    if matches!(dtype, GridType::F32) {
        arguments.0.push(("dtype", Argument::Exact("float32".into())));
    }
    Ok(arguments.mechanism(kind, sensitivity, inputs))
}

fn grid<T: Float>(
    amount: Amount,
    inputs: Option<Inputs>,
    k: Option<i32>,
) -> PyResult<lastbit::GridLaplace<T>> {
    match amount {
        Amount::Direct(scale) => lastbit::GridLaplace::new(scale, k),
        Amount::Calibrated(epsilon, sensitivity) => {
            let message = "epsilon needs max_changed, the number of values of a vector that may differ";
            let inputs = inputs.ok_or_else(|| ParameterError::new_err(message))?;
            lastbit::GridLaplace::for_epsilon(&epsilon, &sensitivity, inputs, k)
        }
    }
    .map_err(python)
}
