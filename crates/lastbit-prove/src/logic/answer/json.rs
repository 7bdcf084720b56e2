//! What is said of a privacy claim, for programs.

use lastbit_lang::watch::{Reason, Stopped};
use lastbit_real::{Rational, Rounding};
use serde_json::{Map, Value, json};

use super::assumed::{assumed, written};
use super::text::{BITS, DIGITS, advice, broken_rule};
use super::{Answer, Proved};
use crate::logic::kernel::KernelError;
use crate::logic::refute::{Probability, RefutationOutcome, Witness};
use crate::logic::script::{ScriptReport, ScriptVerdict, Status, StepReport};
use crate::logic::search::{Failure, Search};

/// The whole report.
pub(super) fn json(answer: &Answer<'_>) -> Value {
    let found = &answer.found;
    let texts = |pairs: &mut dyn Iterator<Item = (String, String)>| -> Map<String, Value> {
        pairs.map(|(name, value)| (name, json!(value))).collect()
    };
    let proved = answer.proofs.first();
    let mut value = json!({
        "name": answer.declaration.name.text,
        "kind": "privacy",
        "conclusion": found.conclusion.text(),
        "claim": answer.claim.as_ref().map(|(epsilon, _)| epsilon.to_string()),
        "delta": answer.claim.as_ref().and_then(|(_, delta)| delta.as_ref().map(ToString::to_string)),
        "cost": proved.map(|proved| proved.theorem.cost.to_string()),
        "values": texts(&mut answer.values.iter().map(|(name, value)| (name.clone(), value.to_string()))),
        "proofs": found.scripts.iter().map(|script| of_script(answer, script)).collect::<Vec<_>>(),
        "search": found.search.as_ref().map(searched),
        "premises": proved.map(|proved| proved.theorem.premises),
        "lemmas": proved.map(|proved| proved.proof.lemmas.len()),
        "oracle": found.search.as_ref().map_or(0, |search| search.vouched.len()),
        "seconds": answer.seconds,
        "notes": answer.notes,
    });
    value["stopped"] = found.stopped.as_ref().map_or(Value::Null, of_stop);
    value["assumptions"] = proved.map_or(Value::Null, |proved| of_assumptions(answer, proved));
    match &found.refutation {
        Some(Ok(RefutationOutcome::Refuted(witness))) => value["witness"] = of_witness(witness),
        Some(Ok(RefutationOutcome::NotFound { tried, closest })) => {
            value["not_refuted"] = json!({ "tried": tried, "closest": closest.as_ref().map(of_witness) });
        }
        Some(Err(error)) => value["not_refuted"] = json!({ "reason": error.to_string() }),
        None => {}
    }
    value
}

/// Which limit was reached, and where.
fn of_stop(stopped: &Stopped) -> Value {
    let limit = match stopped.reason {
        Reason::Time(_) => "time",
        Reason::Memory(_) => "memory",
        Reason::Count { .. } => "count",
        Reason::Interrupted => "interrupted",
    };
    json!({ "limit": limit, "reason": stopped.reason.to_string(), "doing": stopped.doing, "hint": advice(&stopped.reason) })
}

fn of_assumptions(answer: &Answer<'_>, proved: &Proved<'_>) -> Value {
    match assumed(answer, proved) {
        Some([used, unused]) => json!({ "used": written(&used), "unused": written(&unused) }),
        None => Value::Null,
    }
}

fn of_script(answer: &Answer<'_>, script: &ScriptReport) -> Value {
    let (verdict, reason) = match &script.verdict {
        ScriptVerdict::Proved(_) => ("proved", None),
        ScriptVerdict::Rejected => ("rejected", None),
        ScriptVerdict::Undecided(reason) => ("undecided", Some(reason)),
        ScriptVerdict::Elsewhere => ("elsewhere", None),
    };
    let steps: Vec<Value> = script.steps.iter().map(|step| of_step(answer, step)).collect();
    json!({ "name": script.name, "verdict": verdict, "reason": reason, "steps": steps })
}

fn of_step(answer: &Answer<'_>, step: &StepReport) -> Value {
    let (line, _) = step.span.line_column(answer.text);
    let mut value = json!({ "number": step.number, "rule": step.rule, "line": line });
    let status = match &step.status {
        Status::Accepted(warning) => {
            value["warning"] = json!(warning);
            "accepted"
        }
        Status::NotReached => "not reached",
        Status::Rejected(rejection) => {
            value["rule"] = json!(broken_rule(step, rejection));
            value["premise"] = json!(rejection.premise);
            value["counterexample"] = json!(rejection.counterexample.as_ref().map(|counterexample| {
                let values = counterexample.values.iter();
                values.map(|(name, value)| (name.clone(), json!(value.to_string()))).collect::<Map<_, _>>()
            }));
            "rejected"
        }
    };
    value["status"] = json!(status);
    value
}

fn searched(search: &Search) -> Value {
    let strategies: Vec<String> = search.strategies.iter().map(ToString::to_string).collect();
    let attempts: Vec<Value> = search
        .attempts
        .iter()
        .map(|attempt| {
            let mut value = json!({ "strategy": attempt.strategy.to_string(), "case": attempt.case });
            match &attempt.failure {
                Failure::NotApplicable(reason) => value["reason"] = json!(reason),
                Failure::Refused(error) => {
                    value["reason"] = json!(error.to_string());
                    if let KernelError::Open { rule, premise, open } = error {
                        (value["rule"], value["premise"]) = (json!(rule), json!(premise));
                        value["open"] = open.iter().map(ToString::to_string).collect();
                    }
                }
            }
            value
        })
        .collect();
    json!({ "proved": search.proved.is_some(), "strategies": strategies, "attempts": attempts })
}

/// A witness: exact numbers are texts.
fn of_witness(witness: &Witness) -> Value {
    let texts = |pairs: Vec<(&String, String)>| -> Map<String, Value> {
        pairs.into_iter().map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    let parameters = witness.parameters.iter().map(|(name, value)| (name, value.to_string())).collect();
    let inputs = witness
        .inputs
        .each_ref()
        .map(|inputs| texts(inputs.iter().map(|(name, value)| (name, value.to_string())).collect()));
    let probabilities = witness.probabilities.each_ref().map(of_probability);
    json!({
        "parameters": texts(parameters),
        "inputs": inputs,
        "event": witness.observation.to_string(),
        "probabilities": probabilities,
        "loss_lower_bound": witness.loss().map_or("inf".into(), |loss| {
            Rational::from(&loss).to_decimal(2 * DIGITS, Rounding::Down)
        }),
        "claimed": witness.epsilon.to_string(),
    })
}

fn of_probability(p: &Probability) -> Value {
    let enclosure = p.enclose(BITS);
    let exact = match p {
        Probability::Exact(exact) => Some(exact.to_string()),
        Probability::Enclosed(_) => None,
    };
    json!({
        "exact": exact,
        "at_least": Rational::from(enclosure.lo()).to_decimal(2 * DIGITS, Rounding::Down),
        "at_most": Rational::from(enclosure.hi()).to_decimal(2 * DIGITS, Rounding::Up),
    })
}
