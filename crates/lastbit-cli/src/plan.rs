//! From parameters to a mechanism: its noise, its claim, its formula.

use lastbit::{
    Claim, DiscreteGaussian, DiscreteLaplace, FloatSnapping, GridLaplace, IBig, Inputs, Laplace, Rational,
    Real, Rounding, Snapping,
};
use lastbit_real::Float;

use crate::args::{self, EpsilonOrScale, Mechanism};
use crate::entry::Entry;
use crate::error::Error;
use crate::source::Source;
use crate::value::Value;

type Result<T, E = Error> = std::result::Result<T, E>;

/// Makes noisy values of a batch, or fails.
type AddNoise<X, T> = Box<dyn Fn(&mut Source, &[X], &mut Vec<T>) -> Result<(), lastbit::Error>>;

/// A half-width of the noise at a confidence, as a decimal number.
type HalfWidth = Box<dyn Fn(&Rational) -> Result<String, lastbit::Error>>;

/// A mechanism that is ready for values of type `X`, with results of type `T`.
pub(crate) struct Plan<X, T> {
    pub(crate) add_noise: AddNoise<X, T>,
    pub(crate) half_width: HalfWidth,
    pub(crate) claim: Claim,
    /// What the mechanism does, and where the names in it come from.
    pub(crate) formula: String,
    /// The type that results are rounded to at last, where that moves them.
    pub(crate) rounded_to: Option<&'static str>,
}

impl<T: Value + 'static> Plan<T, T> {
    fn new<M>(mechanism: M, claim: Claim, formula: String, half_width: HalfWidth) -> Plan<T, T>
    where
        M: lastbit::Mechanism<T> + 'static,
    {
        let add_noise = Box::new(move |source: &mut Source, values: &[T], out: &mut Vec<T>| {
            out.clear();
            out.extend_from_slice(values);
            mechanism.release_in_place(source, out)
        });
        Plan { add_noise, half_width, claim, formula, rounded_to: None }
    }
}

impl<T: Value + 'static> Plan<Real, T> {
    fn of_reals<M>(mechanism: M, claim: Claim, formula: String, half_width: HalfWidth) -> Plan<Real, T>
    where
        M: lastbit::RealMechanism<T> + 'static,
    {
        let add_noise = Box::new(move |source: &mut Source, values: &[Real], out: &mut Vec<T>| {
            out.clear();
            out.resize(values.len(), T::default());
            mechanism.release_reals(source, values, out)
        });
        Plan { add_noise, half_width, claim, formula, rounded_to: None }
    }
}

/// A type of number that some mechanisms add noise to, with results of type `T`.
pub(crate) trait Noisy<T>: Entry<T> {
    /// The mechanism for these types, or why there is none. `max_changed` is for those that ask for it.
    fn plan(mechanism: &Mechanism, max_changed: u64) -> Result<Plan<Self, T>>;
}

/// Mechanisms that take any real number: see [`Mechanism::takes_any_decimal`].
impl Noisy<f64> for Real {
    fn plan(mechanism: &Mechanism, _: u64) -> Result<Plan<Real, f64>> {
        match mechanism {
            Mechanism::Laplace(args) => laplace_on_floats(args),
            Mechanism::Snapping(args) => snapping(args),
            _ => Err(refuse_floats(mechanism)),
        }
    }
}

impl Noisy<f32> for Real {
    fn plan(mechanism: &Mechanism, _: u64) -> Result<Plan<Real, f32>> {
        match mechanism {
            Mechanism::Laplace(args) => laplace_on_floats(args),
            Mechanism::Snapping(_) => Err(refuse_singles()),
            _ => Err(refuse_floats(mechanism)),
        }
    }
}

impl Noisy<f64> for f64 {
    fn plan(mechanism: &Mechanism, max_changed: u64) -> Result<Plan<f64, f64>> {
        match mechanism {
            Mechanism::GridLaplace(args) => grid_laplace(args, max_changed),
            Mechanism::Snapping(args) => float_snapping(args, max_changed),
            _ => Err(refuse_floats(mechanism)),
        }
    }
}

impl Noisy<f32> for f32 {
    fn plan(mechanism: &Mechanism, max_changed: u64) -> Result<Plan<f32, f32>> {
        match mechanism {
            Mechanism::GridLaplace(args) => grid_laplace(args, max_changed),
            Mechanism::Snapping(_) => Err(refuse_singles()),
            _ => Err(refuse_floats(mechanism)),
        }
    }
}

impl Noisy<i64> for i64 {
    fn plan(mechanism: &Mechanism, _: u64) -> Result<Plan<i64, i64>> {
        match mechanism {
            Mechanism::Laplace(args) => laplace_on_integers(args),
            Mechanism::DiscreteLaplace(args) => discrete_laplace(args),
            Mechanism::DiscreteGaussian(args) => discrete_gaussian(args),
            Mechanism::GridLaplace(_) | Mechanism::Snapping(_) => Err(Error::usage(
                format!("{} works on floats, not on i64", mechanism.name()),
                "use discrete-laplace, or laplace --input i64",
            )),
        }
    }
}

fn refuse_floats(mechanism: &Mechanism) -> Error {
    Error::usage(
        format!("{} works on i64, not on floats", mechanism.name()),
        "leave out --input for integers; use laplace for floats",
    )
}

fn refuse_singles() -> Error {
    Error::usage(
        "snapping works on f64, not on f32",
        "use --input f64: every f32 is one; or laplace, which takes both",
    )
}

/// How much noise was asked for.
enum Amount<'a> {
    Epsilon(&'a Rational),
    Scale(&'a Rational),
}

fn amount(noise: &EpsilonOrScale) -> Result<Amount<'_>> {
    match (&noise.epsilon, &noise.scale) {
        (Some(epsilon), None) => Ok(Amount::Epsilon(epsilon)),
        (None, Some(scale)) => Ok(Amount::Scale(scale)),
        _ => Err(Error::usage("exactly one of --epsilon and --scale is needed", "give the one you know")),
    }
}

/// A sensitivity of 0 would make every release free, and is a mistake.
fn positive<'a>(name: &'static str, value: &'a Rational) -> Result<&'a Rational> {
    if value.is_positive() {
        Ok(value)
    } else {
        Err(lastbit::Error::NotPositive { name, value: value.clone() }.into())
    }
}

fn laplace(args: &args::Laplace) -> Result<(Laplace, Claim)> {
    let sensitivity = positive("sensitivity", &args.sensitivity.value)?;
    let mechanism = match amount(&args.noise)? {
        Amount::Epsilon(epsilon) => Laplace::for_epsilon(epsilon, sensitivity)?,
        Amount::Scale(scale) => Laplace::new(scale.clone())?,
    };
    let claim = mechanism.claim(sensitivity)?;
    Ok((if args.hardened { mechanism.hardened() } else { mechanism }, claim))
}

fn laplace_on_floats<T: Float + Value>(args: &args::Laplace) -> Result<Plan<Real, T>>
where
    Laplace: lastbit::RealMechanism<T>,
{
    let (mechanism, claim) = laplace(args)?;
    let formula = format!(
        "x -> the {} nearest to x + b·L, where L is real with density exp(-|l|)/2 and b = scale",
        T::NAME
    );
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| of_noise.half_width(confidence).map(decimal));
    Ok(Plan { rounded_to: Some(T::NAME), ..Plan::of_reals(mechanism, claim, formula, half_width) })
}

fn laplace_on_integers(args: &args::Laplace) -> Result<Plan<i64, i64>> {
    let (mechanism, claim) = laplace(args)?;
    let formula =
        "x -> the integer nearest to x + b·L, where L is real with density exp(-|l|)/2 and b = scale";
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| {
        let real = of_noise.half_width(confidence)?;
        // The nearest integer to a number of [-h, h] lies within floor(h + 1/2).
        Ok(Rational::try_from(real).map_or_else(|_| decimal(real), |real| whole(real.round_half_up())))
    });
    Ok(Plan::new(mechanism, claim, formula.into(), half_width))
}

fn grid_laplace<T: Float + Value>(args: &args::GridLaplace, max_changed: u64) -> Result<Plan<T, T>>
where
    GridLaplace<T>: lastbit::Mechanism<T>,
{
    let sensitivity = positive("sensitivity", &args.sensitivity.value)?;
    let mut inputs = Inputs::differing_in(args.max_changed.unwrap_or(max_changed))?;
    if let Some(j) = args.granularity {
        inputs = inputs.multiples_of_pow2(j);
    }
    let mechanism = match amount(&args.noise)? {
        Amount::Epsilon(epsilon) => GridLaplace::<T>::for_epsilon(epsilon, sensitivity, inputs, args.k)?,
        Amount::Scale(scale) => GridLaplace::new(scale.clone(), args.k)?,
    };
    let claim = mechanism.claim(sensitivity, inputs)?;
    let formula = format!(
        "x -> the {} nearest to (r + Z)·2^k, where r is x/2^k rounded half up and Z is an integer z with probability \
         proportional to exp(-|z|·2^k/b), b = scale",
        T::NAME
    );
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| of_noise.half_width(confidence).map(decimal));
    Ok(Plan { rounded_to: Some(T::NAME), ..Plan::new(mechanism, claim, formula, half_width) })
}

fn discrete_laplace(args: &args::DiscreteLaplace) -> Result<Plan<i64, i64>> {
    let sensitivity = positive("sensitivity", &args.sensitivity.value)?;
    let mechanism = match amount(&args.noise)? {
        Amount::Epsilon(epsilon) => DiscreteLaplace::for_epsilon(epsilon, sensitivity)?,
        Amount::Scale(scale) => DiscreteLaplace::new(scale.clone())?,
    };
    let claim = mechanism.claim(sensitivity)?;
    let formula =
        "x -> x + Z, where Z is an integer z with probability proportional to exp(-|z|/b) and b = scale";
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| of_noise.half_width(confidence).map(whole));
    let mechanism = if args.hardened { mechanism.hardened() } else { mechanism };
    Ok(Plan::new(mechanism, claim, formula.into(), half_width))
}

fn discrete_gaussian(args: &args::DiscreteGaussian) -> Result<Plan<i64, i64>> {
    let sensitivity = positive("sensitivity", &args.sensitivity)?;
    let mechanism = match (&args.noise.rho, &args.noise.scale) {
        (Some(rho), None) => DiscreteGaussian::for_rho(rho, sensitivity)?,
        (None, Some(scale)) => DiscreteGaussian::new(scale)?,
        _ => return Err(Error::usage("exactly one of --rho and --scale is needed", "give the one you know")),
    };
    let claim = mechanism.claim(sensitivity)?;
    let formula =
        "x -> x + Z, where Z is an integer z with probability proportional to exp(-z²/(2·variance))";
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| of_noise.half_width(confidence).map(whole));
    Ok(Plan::new(mechanism, claim, formula.into(), half_width))
}

const SNAPPING: &str = "x -> clamp(⌊clamp(x) + L/epsilon⌉), where clamp is to [-bound, bound], L has density exp(-|l|)/2 and \
                        ⌊·⌉ is the nearest multiple of lambda";

/// The loss for inputs at distance 1.
fn loss_per_unit(args: &args::Snapping) -> Result<Rational> {
    let sensitivity = positive("sensitivity", &args.sensitivity.value)?;
    Ok(match amount(&args.noise)? {
        Amount::Epsilon(epsilon) => positive("epsilon", epsilon)? / sensitivity,
        Amount::Scale(scale) => Rational::ONE / positive("scale", scale)?,
    })
}

fn snapping(args: &args::Snapping) -> Result<Plan<Real, f64>> {
    let mechanism = Snapping::new(loss_per_unit(args)?, args.bound.clone())?;
    let claim = mechanism.claim(&args.sensitivity.value)?;
    let of_noise = mechanism.clone();
    let half_width = Box::new(move |confidence: &Rational| of_noise.half_width(confidence).map(decimal));
    Ok(Plan::of_reals(mechanism, claim, format!("{SNAPPING}; over the real numbers"), half_width))
}

fn float_snapping(args: &args::Snapping, max_changed: u64) -> Result<Plan<f64, f64>> {
    let inputs = Inputs::differing_in(args.max_changed.unwrap_or(max_changed))?;
    // Refuses a bound that is not a double.
    let bound = Snapping::new(loss_per_unit(args)?, args.bound.clone())?.bound();
    let mechanism = match amount(&args.noise)? {
        Amount::Epsilon(epsilon) => {
            FloatSnapping::for_epsilon(epsilon, &args.sensitivity.value, bound, inputs)?
        }
        Amount::Scale(_) => FloatSnapping::new(loss_per_unit(args)?.to_f64(Rounding::Down), bound)?,
    };
    let epsilon = Rational::try_from(mechanism.params().epsilon).unwrap_or_default();
    let ideal = Snapping::new(epsilon, args.bound.clone())?;
    let claim = mechanism.claim(&args.sensitivity.value, inputs)?;
    let half_width = Box::new(move |confidence: &Rational| {
        // With η = 2^-53: the double u is within a factor 1 - 2η of a uniform real number, LN and ⊘ add 1 + η each, the sum
        // moves by at most η(B + |y|). In all below 2^-48 of h + 2^-48·B, where h >= Λ/2 >= 1/(2ε) is the real half-width.
        let slack = Rational::pow2(-48);
        let exact = Rational::try_from(ideal.half_width(confidence)?).unwrap_or_default();
        let bound = Rational::try_from(ideal.bound()).unwrap_or_default();
        Ok(decimal((&exact + (&exact + bound) * slack).to_f64(Rounding::Up)))
    });
    let formula = format!("{SNAPPING}; every operation in doubles");
    Ok(Plan::new(mechanism, claim, formula, half_width))
}

/// The shortest text that reads back as this number.
pub(crate) fn decimal(x: f64) -> String {
    let mut text = String::new();
    x.print(&mut text);
    text
}

fn whole(x: IBig) -> String {
    const MOST_DIGITS: usize = 20;
    let text = x.to_string();
    if text.len() <= MOST_DIGITS { text } else { Rational::from(x).to_decimal(6, Rounding::Up) }
}
