//! Premise 4 of [ALIGN](super::align): what it costs to move the samples of a piece.

use lastbit_lang::ast::Scalar;
use lastbit_lang::symbolic::{Constraint, Law, Polynomial, Program, Sample, Symbol};
use lastbit_real::Rational;

use super::align::{Laws, RULE, refused};
use super::broken::{SideCondition, is_off};
use super::hypotheses::exp;
use super::{Context, Hypotheses, KernelError, Map, Piece};

/// The density of every sample is at most `e^cost` times that of its image, and the costs add up to at most ε.
pub(super) fn check(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    piece: &Piece,
    laws: &Laws,
    second: &Laws,
) -> Result<(), KernelError> {
    let mut total = Polynomial::zero();
    let zero = Polynomial::zero();
    for (name, sample) in &laws.continuous {
        let Some((Map::Affine { negate, shift }, cost)) = piece.maps.get(name) else { continue };
        total = &total + cost;
        // Costs are compared also where the sample is not drawn, and there its scale may be zero.
        if !is_off(SideCondition::ScaleDefined) {
            context.admit(hypotheses, sample.law.scale().and_then(Polynomial::inverse).iter())?;
        }
        let v = Polynomial::variable(sample.coordinate());
        // What must not be positive.
        let excesses = match &sample.law {
            Law::Laplace(scale) => moved(scale, shift, cost)?,
            Law::DiscreteLaplace(scale, exponent) => {
                let is_exponent = |other: &Sample| match &other.law {
                    Law::DiscreteLaplace(_, other) => other == exponent,
                    _ => true,
                };
                // What a `grid` is a multiple of is clear only if there is one.
                let one_grid = laws.continuous.values().all(is_exponent);
                let on_grid = one_grid && is_on_grid(context.program, shift, exponent);
                if !on_grid && !is_off(SideCondition::OnGrid) {
                    return Err(KernelError::Rule {
                        rule: "DLAP",
                        reason: format!("the shift {shift} is not known to be a multiple of 2^({exponent})"),
                    });
                }
                moved(scale, shift, cost)?
            }
            // Never negative: to the left, the image would leave the support.
            Law::Exponential(scale) => {
                let mut excesses = moved(scale, shift, cost)?;
                excesses[1] = (SideCondition::ExponentialSupport, -shift);
                excesses
            }
            // The density of ln(u) is e^ln(u) up to 0.
            Law::Uniform => {
                let to = if *negate { shift - &v } else { shift + &v };
                let density = &(&v - &to) - cost;
                [(SideCondition::UniformSupport, to), (SideCondition::UniformCost, density)]
            }
        };
        for (_, excess) in excesses.into_iter().filter(|(condition, _)| !is_off(*condition)) {
            let exceeds = Constraint::positive(excess);
            let support = match sample.law {
                Law::Uniform => Some(Constraint::non_negative(-&v)),
                _ => None,
            };
            let known = hypotheses.constraints.iter().chain(&piece.guard).chain(&support).chain([&exceeds]);
            context.need(RULE, || format!("that moving {name} costs at most {cost}"), known)?;
        }
    }
    for (name, law) in &laws.finite {
        let (images, cost) = match piece.maps.get(name) {
            Some((Map::Permute(images), cost)) => (images.clone(), cost),
            _ => ((0..law.weights.len()).collect(), &zero),
        };
        total = &total + cost;
        // Where the second run does not draw it, it may as well have the same law.
        let there = second.finite.get(name).unwrap_or(law);
        if is_off(SideCondition::FiniteCost) {
            continue;
        }
        // Also where it is not drawn, both are laws: otherwise the products below would compare nothing.
        for law in [law, there].into_iter().filter(|_| !is_off(SideCondition::LawEverywhere)) {
            let negative = law.weights.iter().map(|weight| Constraint::positive(-weight));
            for wrong in negative.chain([Constraint::non_negative(-&law.total)]) {
                let known = hypotheses.constraints.iter().chain(&piece.guard).chain([&wrong]);
                context.need(RULE, || format!("that the weights of {name} are a law"), known)?;
            }
        }
        let wanted = piece.choices.get(name);
        for (value, image) in images.iter().enumerate().filter(|(value, _)| wanted.is_none_or(|w| w == value))
        {
            let weight =
                there.weights.get(*image).ok_or_else(|| refused(format!("{name} has no value {image}")))?;
            let left = &law.weights[value] * &there.total;
            let right = &exp(cost) * &(weight * &law.total);
            let exceeds = Constraint::positive(&left - &right);
            let known = hypotheses.constraints.iter().chain(&piece.guard).chain([&exceeds]);
            context.need(RULE, || format!("that value {value} of {name} costs at most {cost}"), known)?;
        }
    }
    if is_off(SideCondition::TotalCost) {
        return Ok(());
    }
    let exceeds = Constraint::positive(&total - context.cost);
    let cost = context.cost;
    let known = hypotheses.constraints.iter().chain(&piece.guard).chain([&exceeds]);
    context.need(RULE, || format!("that the costs add up to {total} <= {cost}"), known)
}

/// `±shift/scale - cost`: the density of Laplace noise changes by at most `e^(|shift|/scale)`.
fn moved(
    scale: &Polynomial,
    shift: &Polynomial,
    cost: &Polynomial,
) -> Result<[(SideCondition, Polynomial); 2], KernelError> {
    let rate = scale.inverse().ok_or_else(|| refused(format!("the scale {scale} is more than one term")))?;
    let distance = shift * &rate;
    Ok([&distance - cost, &-&distance - cost].map(|excess| (SideCondition::ShiftCost, excess)))
}

/// Whether a shift is a multiple of `2^exponent`: a sum of whole multiples of inputs that are, and of numbers that are.
pub(crate) fn is_on_grid(program: &Program<'_>, shift: &Polynomial, exponent: &Polynomial) -> bool {
    let exponent =
        exponent.as_constant().filter(|k| k.is_integer()).and_then(|k| i64::try_from(k.floor()).ok());
    let step = exponent.filter(|k| k.abs() <= 4096).map(Rational::pow2);
    let is_multiple = |value: &Rational| step.as_ref().is_some_and(|step| (value / step).is_integer());
    let scalar = |symbol: &Symbol| {
        let name = symbol.split(['<', '[']).next().unwrap_or_default();
        let argument = program.declaration.arguments.iter().find(|binder| binder.name.text == name);
        argument.map(|binder| binder.ty.scalar)
    };
    shift.terms().all(|(monomial, coefficient)| match monomial.powers() {
        [] => is_multiple(coefficient),
        [(symbol, 1)] => match scalar(symbol) {
            Some(Scalar::Grid) => coefficient.is_integer(),
            Some(Scalar::Int) => is_multiple(coefficient),
            _ => false,
        },
        _ => false,
    })
}
