//! Enumeration: the probability of every output is written down for both runs and compared.
//!
//! For programs whose samples all have finitely many values. A path of the first run counts unless it is refuted, a path of the
//! second only if its conditions are shown: the first probability is at least, the second at most what it is said to be.

use std::collections::BTreeMap;

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Constraint, Fresh, Path, Polynomial, applied, paths};

use super::align::label;
use super::broken::{SideCondition, is_off};
use super::hypotheses::exp;
use super::{Context, Finite, Hypotheses, KernelError, check_defined};

const RULE: &str = "ENUMERATE";

fn refused(reason: impl Into<String>) -> KernelError {
    KernelError::Rule { rule: RULE, reason: reason.into() }
}

/// Checks the premises.
pub(crate) fn check(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    finite: &Finite,
) -> Result<(), KernelError> {
    let hypotheses = hypotheses.extended(context, &finite.axioms)?;
    let first = outputs(context, &hypotheses, Side::One)?;
    let second = outputs(context, &hypotheses, Side::Two)?;
    for (output, probability) in first.iter().filter(|_| !is_off(SideCondition::Ratio)) {
        let zero = Polynomial::zero();
        let other = second.get(output).unwrap_or(&zero);
        let exceeds = excess(context.cost, probability, other);
        let known = hypotheses.constraints.iter().chain([&exceeds]);
        context.need(RULE, || format!("that output {output} is at most e^ε times as likely"), known)?;
    }
    Ok(())
}

/// `p₁ - e^ε·p₂ > 0`, which must not be.
pub(crate) fn excess(cost: &Polynomial, first: &Polynomial, second: &Polynomial) -> Constraint {
    Constraint::positive(first - &(&exp(cost) * second))
}

/// The probability of a path: a product of weights over totals.
pub(crate) fn probability(path: &Path) -> Polynomial {
    path.choices.iter().fold(Polynomial::constant(1), |product, choice| {
        let total = &choice.law.total;
        let recip = || Polynomial::variable(applied("recip", std::slice::from_ref(total), ""));
        let share = &choice.law.weights[choice.value] * &total.inverse().unwrap_or_else(recip);
        &product * &share
    })
}

/// What a path returns, if it does not depend on anything.
pub(crate) fn output(path: &Path) -> Option<String> {
    Some(label(path)).filter(|label| !label.contains('·'))
}

/// The probability of every output: from above in the first run, from below in the second.
fn outputs(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    side: Side,
) -> Result<BTreeMap<String, Polynomial>, KernelError> {
    let mut found: BTreeMap<String, Polynomial> = BTreeMap::new();
    for path in paths(context.program, side, &Fresh)? {
        if let Some(stopped) = context.over() {
            return Err(stopped);
        }
        if !path.samples.is_empty() {
            return Err(refused("a sample has infinitely many values"));
        }
        if side == Side::One {
            check_defined(context, hypotheses, &path)?;
        }
        let mut refuted = |more: &[Constraint]| {
            let known: Vec<&Constraint> = hypotheses.constraints.iter().chain(more).collect();
            let output = || format!("which paths return output {}", label(&path));
            context.is_refuted(RULE, output, &known)
        };
        let broken = [SideCondition::FirstFromAbove, SideCondition::SecondFromBelow][side as usize];
        // A broken count takes the other run's way.
        let counts = match (side == Side::One) != is_off(broken) {
            true => !refuted(&path.guards),
            false => path.guards.iter().flat_map(Constraint::negated).all(|negation| refuted(&[negation])),
        };
        if !counts {
            continue;
        }
        // Also where the path is not taken, what counts for it is a probability.
        for choice in &path.choices {
            let (weight, total) = (&choice.law.weights[choice.value], &choice.law.total);
            context.admit(hypotheses, [weight, total])?;
            for wrong in [Constraint::positive(-weight), Constraint::non_negative(-total)] {
                let known = hypotheses.constraints.iter().chain([&wrong]);
                context.need(RULE, || format!("that the weights of {} are a law", choice.name), known)?;
            }
        }
        let Some(output) = output(&path) else { return Err(refused("an output depends on the input")) };
        let sum = found.entry(output).or_default();
        *sum = &*sum + &probability(&path);
    }
    Ok(found)
}
