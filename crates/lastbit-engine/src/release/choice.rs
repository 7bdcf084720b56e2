//! Choices of one of several candidates by exact scores.

use lastbit::{
    BitSource, Claim, Error, Exponential, IBig, Measure, Metric, Neighbours, NoisyMax, Selection, ValueType,
};
use lastbit_real::{Rational, Rounding};
use lastbit_table::Sensitivity;

use crate::Refusal;

/// Digits of scales that follow from a zero-concentrated loss.
const DIGITS: usize = 12;

/// How one of several candidates is chosen.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    NoisyMax(NoisyMax),
    Exponential(Exponential),
}

impl Choice {
    /// The mechanism with which the choices of all groups cost this much together, and what they promise.
    ///
    /// A unit changes the scores of `groups` groups at most, and the other choices are made as without it: so each may cost that part of the whole.
    pub(super) fn pure(
        epsilon: &Rational,
        sensitivity: &Sensitivity,
        unit: &str,
    ) -> Result<(Choice, Claim), Refusal> {
        let each = epsilon / Rational::from(sensitivity.groups);
        let choice = NoisyMax::for_epsilon(&each, &sensitivity.largest, Metric::LInfinity)?;
        let claim = together(&choice, sensitivity, unit, Measure::MaxDivergence)?;
        Ok((Choice::NoisyMax(choice), claim))
    }

    /// The same, where `each` is the pure loss of a choice that has the zero-concentrated loss of its part.
    pub(super) fn concentrated(
        each: &Rational,
        sensitivity: &Sensitivity,
        unit: &str,
    ) -> Result<(Choice, Claim), Refusal> {
        let exact = Exponential::for_epsilon(each, &sensitivity.largest, Metric::LInfinity)?;
        // Most such losses are roots, and a larger scale of a few digits is easier to read.
        let scale = exact.scale().to_decimal(DIGITS, Rounding::Up).parse().unwrap_or(exact.scale().clone());
        let choice = Exponential::new(scale)?;
        let claim = together(&choice, sensitivity, unit, Measure::ZeroConcentratedDivergence)?;
        Ok((Choice::Exponential(choice), claim))
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Choice::NoisyMax(choice) => choice.name(),
            Choice::Exponential(choice) => choice.name(),
        }
    }

    pub(super) fn scale(&self) -> &Rational {
        match self {
            Choice::NoisyMax(choice) => choice.scale(),
            Choice::Exponential(choice) => choice.scale(),
        }
    }

    /// The place of the chosen candidate.
    pub(super) fn choose<S: BitSource>(&self, source: &mut S, scores: &[i128]) -> Result<usize, Error> {
        // Only differences of scores count, so those to the best one say as much, and nearly always fit.
        let best = scores.iter().copied().max().unwrap_or_default();
        let below: Option<Vec<i64>> = scores.iter().map(|score| i64::try_from(score - best).ok()).collect();
        let exact = || scores.iter().map(|score| Rational::from(*score)).collect::<Vec<_>>();
        match (self, below) {
            (Choice::NoisyMax(choice), Some(scores)) => choice.choose(source, &scores),
            (Choice::NoisyMax(choice), None) => choice.choose(source, &exact()),
            (Choice::Exponential(choice), Some(scores)) => choice.choose(source, &scores),
            (Choice::Exponential(choice), None) => choice.choose(source, &exact()),
        }
    }

    /// How far the score of the chosen one of so many candidates is below the best, at most, with this probability or more.
    pub(super) fn shortfall(&self, candidates: usize, confidence: &Rational) -> Result<IBig, Refusal> {
        let shortfall = match self {
            Choice::NoisyMax(choice) => choice.shortfall(candidates, confidence)?,
            Choice::Exponential(choice) => choice.shortfall(candidates, confidence)?,
        };
        // Scores are integers, and so is how far one is below another.
        let shortfall = Rational::try_from(shortfall).map_err(|_| {
            Refusal::usage("the noise of a choice is beyond all doubles", "give the query more of the budget")
        })?;
        Ok(shortfall.floor())
    }
}

fn together(
    choice: &impl Selection,
    sensitivity: &Sensitivity,
    unit: &str,
    measure: Measure,
) -> Result<Claim, Error> {
    let neighbours = Neighbours::at(sensitivity.largest.clone()).one(unit)?;
    choice.claim_together(ValueType::I64, Metric::LInfinity, &neighbours, sensitivity.groups, measure)
}
