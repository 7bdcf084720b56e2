//! From parameters to a mechanism and its claim.

use lastbit::{Amount, AnyMechanism, Claim, Contract, Family, Neighbours, Rational, Real, ValueType};

use crate::args::{EpsilonOrScale, Form, GaussianNoise, InputType, Mechanism};
use crate::entry::Entry;
use crate::error::Error;
use crate::source::Source;
use crate::value::Value;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A mechanism that is ready, and what it promises.
pub(crate) struct Plan {
    pub(crate) mechanism: AnyMechanism,
    pub(crate) claim: Claim,
    /// The (ε, δ) that `--delta` asked about.
    pub(crate) approximate: Option<Approximate>,
    /// The type that results have.
    pub(crate) result: ValueType,
}

/// An `ε` and a `δ` that a release has beside its zero-concentrated loss.
pub(crate) struct Approximate {
    pub(crate) epsilon: Rational,
    pub(crate) delta: Rational,
}

/// How many values a column has, as far as it matters.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    /// Nothing is read, or not yet.
    Unknown,
    /// They were counted.
    Counted(u64),
}

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

impl Plan {
    /// The mechanism that was asked for, or why there is none.
    pub(crate) fn new<X: Noisy<T>, T: Value>(asked: &Mechanism, length: Length) -> Result<Plan> {
        check_type(asked)?;
        let neighbours = neighbours(asked, length)?;
        let amount = amount(asked, &neighbours)?;
        let mechanism = match (asked, &amount) {
            (Mechanism::Gaussian(_), Amount::HalfWidth { half_width, confidence })
                if X::RESULT.is_integer() =>
            {
                lastbit::Gaussian::for_integer_half_width(half_width, confidence)?.into()
            }
            _ => in_constant_time(asked, family(asked, X::RESULT).with(&amount)?)?,
        };
        let claim = mechanism.claim(X::VALUES, &neighbours)?;
        claim.check_charged()?;
        let approximate = approximate(asked, &claim)?;
        Ok(Plan { mechanism, claim, approximate, result: X::RESULT })
    }
}

/// The `ε` and `δ` that were asked for, which the mechanism was built to have; or the least `ε` at the `δ` that was asked about.
fn approximate(asked: &Mechanism, claim: &Claim) -> Result<Option<Approximate>> {
    let Mechanism::Gaussian(args) = asked else { return Ok(None) };
    let Some(delta) = args.noise.delta.clone() else { return Ok(None) };
    let epsilon = match &args.noise.amount.epsilon {
        Some(epsilon) => epsilon.clone(),
        None => claim.approximate(&delta)?,
    };
    Ok(Some(Approximate { epsilon, delta }))
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

/// The mechanism as it is, or in constant time if that was asked for.
fn in_constant_time(asked: &Mechanism, mechanism: AnyMechanism) -> Result<AnyMechanism> {
    match (asked, mechanism) {
        (Mechanism::DiscreteLaplace(args), AnyMechanism::DiscreteLaplace(noise)) if args.constant_time => {
            Ok(AnyMechanism::DiscreteLaplace(noise.constant_time()?))
        }
        (_, mechanism) => Ok(mechanism),
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

fn neighbours(asked: &Mechanism, length: Length) -> Result<Neighbours> {
    let sensitivity = match asked {
        Mechanism::Laplace(args) => &args.sensitivity.value,
        Mechanism::GridLaplace(args) => &args.sensitivity.value,
        Mechanism::DiscreteLaplace(args) => &args.sensitivity.value,
        Mechanism::Gaussian(args) => &args.sensitivity.value,
        Mechanism::DiscreteGaussian(args) => &args.sensitivity.value,
        Mechanism::Snapping(args) => &args.sensitivity.value,
    };
    // A sensitivity of 0 would make every release free, and is a mistake.
    if !sensitivity.is_positive() {
        let name = "sensitivity";
        return Err(lastbit::Error::NotPositive { name, value: sensitivity.clone() }.into());
    }
    let mut neighbours = Neighbours::at(sensitivity.clone());
    if let Some(max_changed) = asked.max_changed() {
        neighbours = neighbours.differing_in(max_changed)?;
    } else if asked.lacks_max_changed() {
        neighbours = match length {
            Length::Counted(values) => neighbours.of_length(values),
            // To see whether the parameters are fine.
            Length::Unknown => neighbours.of_length(1),
        };
    }
    if let Some(j) = asked.granularity() {
        neighbours = neighbours.with_granularity(j)?;
    }
    match &asked.io().unit {
        Some(unit) => Ok(neighbours.one(unit)?),
        None => Ok(neighbours),
    }
}

/// How much noise was asked for.
fn amount(asked: &Mechanism, neighbours: &Neighbours) -> Result<Amount> {
    let (loss, scale, names) = match asked {
        Mechanism::Gaussian(args) => return of_gaussian(&args.noise, neighbours),
        Mechanism::DiscreteGaussian(args) => (&args.noise.rho, &args.noise.scale, "--rho and --scale"),
        Mechanism::Laplace(args) => of(&args.noise),
        Mechanism::GridLaplace(args) => of(&args.noise),
        Mechanism::DiscreteLaplace(args) => of(&args.noise),
        Mechanism::Snapping(args) => of(&args.noise),
    };
    match (loss, scale) {
        (Some(loss), None) => Ok(Amount::Loss { loss: loss.clone(), neighbours: neighbours.clone() }),
        (None, Some(scale)) => Ok(Amount::Scale(scale.clone())),
        _ => Err(Error::usage(format!("exactly one of {names} is needed"), "give the one you know")),
    }
}

fn of(noise: &EpsilonOrScale) -> (&Option<Rational>, &Option<Rational>, &'static str) {
    (&noise.epsilon, &noise.scale, "--epsilon and --scale")
}

fn of_gaussian(noise: &GaussianNoise, neighbours: &Neighbours) -> Result<Amount> {
    let (amount, neighbours) = (&noise.amount, neighbours.clone());
    if noise.confidence.is_some() && amount.accuracy.is_none() {
        return Err(Error::usage(
            "--confidence goes with --accuracy, which is missing",
            "give --accuracy H, how far off a noisy value may be; or leave out --confidence",
        ));
    }
    match (&amount.rho, &amount.scale, &amount.epsilon, &amount.accuracy) {
        (Some(rho), None, None, None) => Ok(Amount::Loss { loss: rho.clone(), neighbours }),
        (None, Some(sigma), None, None) => Ok(Amount::Scale(sigma.clone())),
        (None, None, Some(epsilon), None) => {
            let delta = required(&noise.delta, "--epsilon needs --delta", "such as --delta 1e-6")?;
            Ok(Amount::EpsilonDelta { epsilon: epsilon.clone(), delta, neighbours })
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
