//! From arguments to the question which noise, and types of numbers that get it.

use lastbit::{AnyMechanism, Family, Rational, Real, ValueType};
use lastbit_engine::noise::{Amount, Noise, Question};

use crate::args::{EpsilonOrScale, Form, GaussianNoise, InputType, Mechanism};
use crate::entry::Entry;
use crate::error::Error;
use crate::source::Source;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A type of number that is read and gets noise, with results of type `T`.
pub(crate) trait Noisy<T>: Entry<T> {
    /// Its name in claims.
    const VALUES: ValueType;

    /// The name of the results' type.
    const RESULT: ValueType;

    /// Makes noisy values of a batch, or fails.
    fn add_noise(
        mechanism: &AnyMechanism,
        source: &mut Source,
        values: &[Self],
        out: &mut Vec<T>,
    ) -> Result<(), lastbit::Error>;
}

/// Values of the type that results have.
macro_rules! noisy {
    ($($type:ty, $values:ident;)*) => {$(
        impl Noisy<$type> for $type {
            const VALUES: ValueType = ValueType::$values;
            const RESULT: ValueType = ValueType::$values;

            fn add_noise(
                mechanism: &AnyMechanism,
                source: &mut Source,
                values: &[$type],
                out: &mut Vec<$type>,
            ) -> Result<(), lastbit::Error> {
                out.clear();
                out.extend_from_slice(values);
                lastbit::Mechanism::release_in_place(mechanism, source, out)
            }
        }
    )*};
}
noisy! {
    f64, F64;
    f32, F32;
    i64, I64;
}

/// Any real number.
macro_rules! noisy_real {
    ($($type:ty, $result:ident;)*) => {$(
        impl Noisy<$type> for Real {
            const VALUES: ValueType = ValueType::Real;
            const RESULT: ValueType = ValueType::$result;

            fn add_noise(
                mechanism: &AnyMechanism,
                source: &mut Source,
                values: &[Real],
                out: &mut Vec<$type>,
            ) -> Result<(), lastbit::Error> {
                out.clear();
                out.resize(values.len(), 0.0);
                lastbit::RealMechanism::release_reals(mechanism, source, values, out)
            }
        }
    )*};
}
noisy_real! {
    f64, F64;
    f32, F32;
}

/// What the arguments ask, of values of type `X` with results of type `T`.
pub(crate) fn question<X: Noisy<T>, T>(asked: &Mechanism) -> Result<Question> {
    check_type(asked)?;
    let noise = Noise {
        result: X::RESULT,
        constant_time: matches!(asked, Mechanism::DiscreteLaplace(args) if args.constant_time),
        ..Noise::new(family(asked, X::RESULT), amount(asked)?)
    };
    Ok(Question {
        values: X::VALUES,
        max_changed: asked.max_changed(),
        granularity: asked.granularity(),
        unit: asked.io().shared.unit.clone(),
        delta: match asked {
            Mechanism::Gaussian(args) => args.noise.delta.clone(),
            _ => None,
        },
        ..Question::new(noise, asked.sensitivity().clone())
    })
}

fn family(asked: &Mechanism, result: ValueType) -> Family {
    match asked {
        Mechanism::Laplace(_) => Family::Laplace,
        Mechanism::GridLaplace(args) => Family::GridLaplace { values: result, k: args.k },
        Mechanism::DiscreteLaplace(_) => Family::DiscreteLaplace,
        Mechanism::Gaussian(_) => Family::Gaussian,
        Mechanism::DiscreteGaussian(_) => Family::DiscreteGaussian,
        Mechanism::Snapping(args) => match args.form {
            Form::Exact => Family::Snapping { bound: args.bound.clone(), clamp_infinite: false },
            Form::Float => Family::FloatSnapping { bound: args.bound.clone() },
        },
    }
}

/// Refuses a type of input that the mechanism does not take.
fn check_type(asked: &Mechanism) -> Result<()> {
    use InputType::{F32, F64, I64};
    let name = asked.name();
    match (asked, asked.input_type()) {
        (Mechanism::Snapping(_), F32) => Err(Error::usage(
            "snapping works on f64, not on f32",
            "use --input f64: every f32 is one; or laplace, which takes both",
        )),
        (Mechanism::GridLaplace(_) | Mechanism::Snapping(_), I64) => Err(Error::usage(
            format!("{name} works on floats, not on i64"),
            "use discrete-laplace, or laplace --input i64",
        )),
        (Mechanism::DiscreteLaplace(_), F64 | F32) => Err(Error::usage(
            format!("{name} works on i64, not on floats"),
            "leave out --input for integers; use laplace for floats",
        )),
        (Mechanism::DiscreteGaussian(_), F64 | F32) => Err(Error::usage(
            format!("{name} works on i64, not on floats"),
            "leave out --input for integers; use gaussian for floats",
        )),
        _ => Ok(()),
    }
}

/// How much noise was asked for.
fn amount(asked: &Mechanism) -> Result<Amount> {
    let (loss, scale, names) = match asked {
        Mechanism::Gaussian(args) => return of_gaussian(&args.noise),
        Mechanism::DiscreteGaussian(args) => (&args.noise.rho, &args.noise.scale, "--rho and --scale"),
        Mechanism::Laplace(args) => of(&args.noise),
        Mechanism::GridLaplace(args) => of(&args.noise),
        Mechanism::DiscreteLaplace(args) => of(&args.noise),
        Mechanism::Snapping(args) => of(&args.noise),
    };
    match (loss, scale) {
        (Some(loss), None) => Ok(Amount::Loss(loss.clone())),
        (None, Some(scale)) => Ok(Amount::Scale(scale.clone())),
        _ => Err(Error::usage(format!("exactly one of {names} is needed"), "give the one you know")),
    }
}

fn of(noise: &EpsilonOrScale) -> (&Option<Rational>, &Option<Rational>, &'static str) {
    (&noise.epsilon, &noise.scale, "--epsilon and --scale")
}

fn of_gaussian(noise: &GaussianNoise) -> Result<Amount> {
    let amount = &noise.amount;
    if noise.confidence.is_some() && amount.accuracy.is_none() {
        return Err(Error::usage(
            "--confidence goes with --accuracy, which is missing",
            "give --accuracy H, how far off a noisy value may be; or leave out --confidence",
        ));
    }
    match (&amount.rho, &amount.scale, &amount.epsilon, &amount.accuracy) {
        (Some(rho), None, None, None) => Ok(Amount::Loss(rho.clone())),
        (None, Some(sigma), None, None) => Ok(Amount::Scale(sigma.clone())),
        (None, None, Some(epsilon), None) => {
            let delta = required(&noise.delta, "--epsilon needs --delta", "such as --delta 1e-6")?;
            Ok(Amount::EpsilonDelta { epsilon: epsilon.clone(), delta })
        }
        (None, None, None, Some(width)) => {
            let confidence =
                required(&noise.confidence, "--accuracy needs --confidence", "such as --confidence 0.95")?;
            Ok(Amount::HalfWidth { half_width: width.clone(), confidence })
        }
        _ => Err(Error::usage(
            "exactly one of --rho, --scale, --epsilon and --accuracy is needed",
            "give the one you know",
        )),
    }
}

fn required(value: &Option<Rational>, message: &str, hint: &str) -> Result<Rational> {
    value.clone().ok_or_else(|| Error::usage(message, hint))
}
