//! Mechanisms from the arguments of a class or a function.

use std::sync::Arc;

use lastbit::{
    Amount, AnyMechanism, DiscreteGaussian, Family, Gaussian, Inputs, Neighbours, Rational, ValueType,
};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{ParameterError, UnsupportedType, python};
use crate::mechanism::{Argument, Mechanism, Object, confidence};
use crate::number;

/// Reads arguments, and remembers them.
#[derive(Default)]
struct Arguments {
    given: Vec<(&'static str, Argument)>,
    dtype: Option<ValueType>,
    sensitivity: Option<Rational>,
    inputs: Option<Inputs>,
}

impl Arguments {
    fn exact(&mut self, name: &'static str, x: Object<'_, '_>) -> PyResult<Option<Rational>> {
        let Some(x) = x else { return Ok(None) };
        let value = number::exact(name, x)?;
        self.given.push((name, Argument::Text(value.to_short())));
        Ok(Some(value))
    }

    fn required(&mut self, name: &'static str, x: Object<'_, '_>) -> PyResult<Rational> {
        self.exact(name, x)?.ok_or_else(|| ParameterError::new_err(format!("give {name}")))
    }

    /// The bound of snapping. It is an output, and so a value: a float is the double that it is.
    fn bound(&mut self, x: Object<'_, '_>) -> PyResult<Rational> {
        let x = x.ok_or_else(|| ParameterError::new_err("give bound"))?;
        let bound = number::value("bound", x)?;
        self.given.push(("bound", Argument::Text(bound.to_short())));
        Ok(bound)
    }

    fn flag(&mut self, name: &'static str, on: bool) -> bool {
        if on {
            self.given.push((name, Argument::Flag(true)));
        }
        on
    }

    fn integer(&mut self, name: &'static str, x: Option<impl Into<i128>>) {
        self.given.extend(x.map(|x| (name, Argument::Integer(x.into()))));
    }

    /// The type of values that is declared, one of those that the mechanism takes.
    fn dtype(&mut self, name: Option<&str>, taken: &[ValueType]) -> PyResult<()> {
        let Some(name) = name else { return Ok(()) };
        let declared = taken.iter().find(|values| values.name() == name);
        let Some(&declared) = declared else {
            let taken: Vec<String> = taken.iter().map(|values| format!("{:?}", values.name())).collect();
            let taken = taken.join(", ");
            return Err(ParameterError::new_err(format!("dtype must be one of {taken}, but is {name:?}")));
        };
        self.given.push(("dtype", Argument::Text(declared.name().into())));
        self.dtype = Some(declared);
        Ok(())
    }

    /// Exactly one of the two ways to say how much noise; the sensitivity may stand beside the first, for claims.
    fn amount(
        &mut self,
        [direct_name, loss_name]: [&'static str; 2],
        direct: Object<'_, '_>,
        loss: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
    ) -> PyResult<Amount> {
        let direct = self.exact(direct_name, direct)?;
        let loss = self.exact(loss_name, loss)?;
        self.sensitivity = self.exact("sensitivity", sensitivity)?;
        match (direct, loss, &self.sensitivity) {
            (Some(direct), None, _) => Ok(Amount::Scale(direct)),
            (None, Some(loss), Some(sensitivity)) => {
                Ok(Amount::Loss { loss, neighbours: Neighbours::at(sensitivity.clone()) })
            }
            (None, Some(_), None) => Err(ParameterError::new_err(format!("{loss_name} needs sensitivity"))),
            (None, None, _) => {
                let message = format!("give {direct_name}, or {loss_name} and sensitivity");
                Err(ParameterError::new_err(message))
            }
            (Some(_), Some(_), _) => {
                Err(ParameterError::new_err(format!("give {direct_name} or {loss_name}, not both")))
            }
        }
    }

    fn mechanism(self, noise: AnyMechanism) -> Mechanism {
        let Arguments { given, dtype, sensitivity, inputs } = self;
        Mechanism { noise: Arc::new(noise), dtype, sensitivity, inputs, arguments: given }
    }
}

/// The name of a type: a text, or whatever numpy takes for a type, such as `np.int64`.
pub(crate) fn dtype_name(x: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if x.is_none() {
        return Ok(None);
    }
    if let Ok(name) = x.cast::<PyString>() {
        return Ok(Some(name.to_str()?.to_owned()));
    }
    let dtype = x.py().import("numpy")?.call_method1("dtype", (x,)).map_err(|_| {
        UnsupportedType::new_err("dtype must be the name of a type, such as \"float64\", or one of numpy's")
    })?;
    Ok(Some(dtype.getattr("name")?.extract()?))
}

const ALL: [ValueType; 4] = [ValueType::F64, ValueType::F32, ValueType::I64, ValueType::I32];
const FLOATS: [ValueType; 2] = [ValueType::F64, ValueType::F32];
const INTEGERS: [ValueType; 2] = [ValueType::I64, ValueType::I32];

pub(crate) fn laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    dtype: Option<&str>,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let amount = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    arguments.dtype(dtype, &ALL)?;
    let noise = Family::Laplace.with(&amount).map_err(python)?;
    Ok(arguments.mechanism(noise))
}

pub(crate) fn discrete_laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    dtype: Option<&str>,
    constant_time: bool,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let amount = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    arguments.dtype(dtype, &INTEGERS)?;
    let noise = match Family::DiscreteLaplace.with(&amount).map_err(python)? {
        AnyMechanism::DiscreteLaplace(noise) if arguments.flag("constant_time", constant_time) => {
            noise.constant_time().map_err(python)?.into()
        }
        noise => noise,
    };
    Ok(arguments.mechanism(noise))
}

pub(crate) fn discrete_gaussian(
    scale: Object<'_, '_>,
    variance: Object<'_, '_>,
    rho: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    dtype: Option<&str>,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    if scale.is_some() && variance.is_some() {
        return Err(ParameterError::new_err("give scale or variance, not both"));
    }
    let (names, direct) = match variance {
        Some(_) => (["variance", "rho"], variance),
        None => (["scale", "rho"], scale),
    };
    let amount = arguments.amount(names, direct, rho, sensitivity)?;
    arguments.dtype(dtype, &INTEGERS)?;
    let noise = match amount {
        Amount::Scale(square) if variance.is_some() => {
            DiscreteGaussian::with_variance(square).map(Into::into)
        }
        amount => Family::DiscreteGaussian.with(&amount),
    };
    Ok(arguments.mechanism(noise.map_err(python)?))
}

/// The ways to say how much Gaussian noise.
#[derive(Clone, Copy, Default)]
pub(crate) struct GaussianAmount<'a, 'py> {
    pub(crate) scale: Object<'a, 'py>,
    pub(crate) variance: Object<'a, 'py>,
    pub(crate) rho: Object<'a, 'py>,
    pub(crate) epsilon: Object<'a, 'py>,
    pub(crate) delta: Object<'a, 'py>,
    pub(crate) sensitivity: Object<'a, 'py>,
}

pub(crate) fn gaussian(asked: GaussianAmount<'_, '_>, dtype: Option<&str>) -> PyResult<Mechanism> {
    let GaussianAmount { scale, variance, rho, epsilon, delta, sensitivity } = asked;
    let refused = |message: &str| Err(ParameterError::new_err(message.to_owned()));
    if [scale, variance, rho, epsilon.or(delta)].iter().flatten().count() > 1 {
        return refused("give only one of scale, variance, rho, and epsilon with delta");
    }
    let mut arguments = Arguments::default();
    let noise = match (epsilon, delta) {
        (Some(_), None) => {
            return refused(
                "epsilon needs delta: Gaussian noise has no finite pure loss; give delta, such as \"1e-6\", or rho, or use laplace",
            );
        }
        (None, Some(_)) => return refused("delta needs epsilon"),
        (Some(_), Some(_)) => {
            let epsilon = arguments.required("epsilon", epsilon)?;
            let delta = arguments.required("delta", delta)?;
            let Some(distance) = arguments.exact("sensitivity", sensitivity)? else {
                return refused("epsilon and delta need sensitivity");
            };
            arguments.sensitivity = Some(distance.clone());
            Family::Gaussian.with(&Amount::EpsilonDelta {
                epsilon,
                delta,
                neighbours: Neighbours::at(distance),
            })
        }
        (None, None) => {
            let (names, direct) = match variance {
                Some(_) => (["variance", "rho"], variance),
                None => (["scale", "rho"], scale),
            };
            match arguments.amount(names, direct, rho, sensitivity)? {
                Amount::Scale(square) if variance.is_some() => {
                    Gaussian::with_variance(square).map(Into::into)
                }
                amount => Family::Gaussian.with(&amount),
            }
        }
    };
    arguments.dtype(dtype, &ALL)?;
    Ok(arguments.mechanism(noise.map_err(python)?))
}

pub(crate) fn snapping(
    epsilon: Object<'_, '_>,
    bound: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    clamp_infinite: bool,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let loss = arguments.required("epsilon", epsilon)?;
    let bound = arguments.bound(bound)?;
    let sensitivity = arguments.required("sensitivity", sensitivity)?;
    let clamp_infinite = arguments.flag("clamp_infinite", clamp_infinite);
    arguments.sensitivity = Some(sensitivity.clone());
    let amount = Amount::Loss { loss, neighbours: Neighbours::at(sensitivity) };
    let noise = Family::Snapping { bound, clamp_infinite }.with(&amount).map_err(python)?;
    Ok(arguments.mechanism(noise))
}

/// What is known of the inputs of a grid.
pub(crate) struct GridInputs {
    /// How many values of a vector may differ.
    pub(crate) max_changed: Option<u64>,
    /// All values are multiples of two to this power.
    pub(crate) granularity: Option<i32>,
}

/// The type of float of a grid, by its name in numpy.
pub(crate) fn grid_type(name: &str) -> PyResult<ValueType> {
    let found = ValueType::named(name).filter(|values| FLOATS.contains(values));
    let message = || format!("dtype must be 'float64' or 'float32', but is {name:?}");
    found.ok_or_else(|| ParameterError::new_err(message()))
}

pub(crate) fn grid_laplace(
    scale: Object<'_, '_>,
    epsilon: Object<'_, '_>,
    sensitivity: Object<'_, '_>,
    k: Option<i32>,
    known: GridInputs,
    values: ValueType,
) -> PyResult<Mechanism> {
    let mut arguments = Arguments::default();
    let mut amount = arguments.amount(["scale", "epsilon"], scale, epsilon, sensitivity)?;
    arguments.integer("k", k);
    arguments.inputs = match known.max_changed {
        None if known.granularity.is_some() => {
            return Err(ParameterError::new_err("granularity needs max_changed"));
        }
        None => None,
        Some(max_changed) => {
            let inputs = Inputs::differing_in(max_changed).map_err(python)?;
            arguments.integer("max_changed", Some(max_changed));
            arguments.integer("granularity", known.granularity);
            Some(known.granularity.map_or(inputs, |j| inputs.with_granularity(j)))
        }
    };
    if let Amount::Loss { neighbours, .. } = &mut amount {
        let message = "epsilon needs max_changed, the number of values of a vector that may differ";
        let inputs = arguments.inputs.ok_or_else(|| ParameterError::new_err(message))?;
        *neighbours = with_inputs(neighbours.clone(), inputs)?;
    }
    if values == ValueType::F32 {
        arguments.given.push(("dtype", Argument::Text(values.name().into())));
    }
    let noise = Family::GridLaplace { values, k }.with(&amount).map_err(python)?;
    Ok(arguments.mechanism(noise))
}

/// The same neighbours, with what is known of how they differ.
pub(crate) fn with_inputs(neighbours: Neighbours, inputs: Inputs) -> PyResult<Neighbours> {
    let neighbours = neighbours.differing_in(inputs.max_changed()).map_err(python)?;
    match inputs.granularity() {
        Some(j) => neighbours.with_granularity(j).map_err(python),
        None => Ok(neighbours),
    }
}

/// The mechanism of a family whose noise is at most `accuracy` with probability `confidence`, and the exact number that says how much
/// noise that is.
pub(crate) fn for_accuracy(
    family: &Family,
    accuracy: &Bound<'_, PyAny>,
    confidence: &Bound<'_, PyAny>,
) -> PyResult<AnyMechanism> {
    let half_width = number::exact("accuracy", accuracy)?;
    let confidence = self::confidence(confidence)?;
    family.with(&Amount::HalfWidth { half_width, confidence }).map_err(python)
}
