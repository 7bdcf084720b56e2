//! The snapping mechanism over the reals, where a theorem says what it loses.

use lastbit_audit::Outcome;
use lastbit_audit::snapping::{IdealOutcome, IdealSnap};
use lastbit_real::Rational;

use super::compared::{Compared, Open, is_settled};
use super::judge::{judge, with_limit};
use super::{AuditAnswer, ClaimSource, Form, JudgedClaim, Listed, OutputRow, Parameter, Wishes, words};
use crate::{Judgement, Loss, Number, Refusal, Schema};

/// Bits of a probability beyond what the digits take.
const MORE_BITS: u32 = 256;
/// No more bits than this are tried.
const MOST_BITS: u32 = 1 << 14;

/// The question of an audit over the reals.
#[derive(Clone, Debug)]
pub struct Question {
    /// `ε`
    pub epsilon: Rational,
    /// `B`
    pub bound: Rational,
    /// `Λ`, if not the least power of two that is at least `1/ε`.
    pub grid: Option<Rational>,
    /// The inputs.
    pub inputs: [Rational; 2],
}

impl Question {
    /// `Λ`
    pub fn grid(&self) -> Rational {
        // An ε that is not positive is refused for what it is, whatever Λ is.
        let usual = || IdealSnap::default_grid(&self.epsilon).unwrap_or(Rational::ONE);
        self.grid.clone().unwrap_or_else(usual)
    }

    /// The mechanism.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn mechanism(&self) -> Result<IdealSnap, Refusal> {
        IdealSnap::new(self.epsilon.clone(), self.bound.clone(), self.grid())
            .map_err(|error| Refusal::out_of_range(&error))
    }
}

/// Audits two inputs.
///
/// # Errors
/// If a parameter is out of range.
pub fn audit(question: &Question, wishes: &Wishes) -> Result<AuditAnswer, Refusal> {
    wishes.check()?;
    let mechanism = question.mechanism()?;
    let inputs = &question.inputs;
    let delta_at = wishes.delta_at(mechanism.epsilon());
    let (outcomes, is_all) = mechanism.outcomes(inputs);
    let claimed = mechanism.claimed(inputs);
    let is_zero = outcomes.iter().all(IdealOutcome::is_alike);
    let mut bits = 4 * wishes.digits as u32 + MORE_BITS;
    let mut comparison = mechanism.compare(&outcomes, &delta_at, bits);
    // Where probabilities are nearly the same, most of their bits are.
    while !is_zero && bits < MOST_BITS && !is_settled(&comparison, wishes.digits) {
        bits *= 2;
        comparison = mechanism.compare(&outcomes, &delta_at, bits);
    }
    let compared = Compared {
        comparison: &comparison,
        digits: wishes.digits,
        open: if is_all { Open::Nothing } else { Open::Sums },
        id: &Rational::to_string,
        name: &|output: &Rational| words::short(output),
    };
    let outputs: Vec<OutputRow> = outcomes
        .iter()
        .map(|outcome| {
            let outcome: Outcome<Rational> = outcome.outcome(bits);
            compared.row(&outcome)
        })
        .collect();
    let zero = Number::exact(&Rational::ZERO, 1);
    let loss = if is_zero { Loss::Finite(zero.clone()) } else { compared.loss() };
    // The theorem says what no enclosure can: that the loss is not a little more than what is claimed.
    let claim = JudgedClaim::pure(ClaimSource::Reals, &claimed, Judgement::Holds);
    let by_theorem = |limit: &Rational| match *limit >= claimed {
        true => Judgement::Holds,
        false => judge(&comparison, limit, false),
    };
    let (verdict, claims) = with_limit(wishes, vec![claim], by_theorem);
    let parameters =
        [("epsilon", mechanism.epsilon()), ("bound", mechanism.bound()), ("grid", mechanism.grid())];
    let from = if wishes.delta_at.is_some() { "request" } else { "mechanism" };
    Ok(AuditAnswer {
        schema: Schema,
        question: "audit",
        mechanism: "snapping".into(),
        form: Form::Exact,
        parameters: parameters.map(|(name, value)| (name.to_owned(), Parameter::exact(value))).into(),
        inputs: inputs.each_ref().map(Rational::to_string),
        verdict,
        claims,
        loss,
        witness: compared.witness(),
        finite: None,
        only_first: zero.clone(),
        only_second: zero,
        delta: Some(compared.delta(&delta_at, from, delta_at >= claimed)),
        method: "closed form".into(),
        n_outputs: if is_all { comparison.outputs().to_string() } else { mechanism.outputs().to_string() },
        outputs_listed: if is_all { Listed::All } else { Listed::Selected },
        outputs,
        excess_eta: None,
        shipped: None,
        papers: Vec::new(),
        worst: None,
        sampler: None,
        notes: match is_all {
            true => Vec::new(),
            false => {
                vec![
                    "the ratio of an output that is not listed lies between those of its listed neighbours"
                        .into(),
                ]
            }
        },
        title: "snapping over the reals".into(),
    })
}
