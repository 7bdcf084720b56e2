//! Texts whose outputs are discrete: every path, with exact or enclosed probabilities.

use std::time::Duration;

use lastbit_audit::discrete::{self, Claim, DiscreteError, DiscreteReport};
use lastbit_lang::values;
use lastbit_lang::watch::Limits;
use lastbit_prove::logic::prove::{Conclusion, Options, prove};

use super::compared::{Compared, Open};
use super::judge::{judge, with_limit};
use super::program::{Setting, judgement};
use super::{AuditAnswer, ClaimSource, Form, JudgedClaim, Listed, OutputRow, Wishes, short};
use crate::{Judgement, Number, Refusal, Schema, Watcher};

/// How long the prover may take to settle what enclosures leave open.
const PROOF_TIME: Duration = Duration::from_secs(5);

/// Why there is no answer.
pub(super) enum Failure {
    /// The outputs are not discrete.
    NotDiscrete(DiscreteError),
    /// Something else.
    Refused(Refusal),
}

/// Audits a discrete text.
pub(super) fn audit(
    setting: &mut Setting<'_>,
    wishes: &Wishes,
    watcher: &Watcher<'_>,
) -> Result<AuditAnswer, Failure> {
    let usual = discrete::Options::default();
    let options = discrete::Options {
        precision: usual.precision.max(4 * wishes.digits as u32),
        epsilon: wishes.delta_at.clone(),
        ..usual
    };
    watcher.tell("following all paths", 0.0, "");
    let [first, second] = &setting.inputs;
    let report = discrete::audit(
        setting.file,
        setting.declaration,
        &setting.bindings.values,
        [first, second],
        &options,
    );
    let report = report.map_err(|error| match error {
        DiscreteError::Language(messages) => Failure::Refused(setting.source.refusal(messages)),
        other if other.is_continuous() => Failure::NotDiscrete(other),
        other => Failure::Refused(setting.at(other.span(), other.to_string(), "")),
    })?;
    let name = |output: &String| output.clone();
    let compared = Compared {
        comparison: &report.comparison,
        digits: wishes.digits,
        open: Open::Nothing,
        id: &name,
        name: &name,
    };
    let claims = report.claim.as_ref().map(|claim| claimed(setting, &report, claim));
    let (verdict, claims) =
        with_limit(wishes, claims.into_iter().collect(), |limit| judge(&report.comparison, limit, false));
    let [only_first, only_second] = compared.only();
    let outputs: Vec<OutputRow> = report.outcomes.iter().map(|outcome| compared.row(outcome)).collect();
    let unmet = report.unmet.iter();
    let unmet =
        unmet.map(|unmet| format!("the inputs are not neighbours: `{}` does not hold of them", unmet.clause));
    let mut notes = std::mem::take(&mut setting.notes);
    notes.extend(unmet);
    let from = match (&wishes.delta_at, &report.claim) {
        (Some(_), _) => "request",
        (None, Some(_)) => "claim",
        (None, None) => "nothing",
    };
    Ok(AuditAnswer {
        schema: Schema,
        question: "audit",
        mechanism: setting.declaration.name.text.clone(),
        form: Form::Discrete,
        parameters: setting.parameters(),
        inputs: setting.shown.clone(),
        verdict,
        claims,
        loss: compared.loss(),
        witness: compared.witness(),
        finite: compared.finite(),
        only_first,
        only_second,
        delta: Some(compared.delta(&report.epsilon, from, false)),
        method: "enumeration".into(),
        n_outputs: report.comparison.outputs().to_string(),
        outputs_listed: Listed::All,
        outputs,
        excess_eta: None,
        shipped: None,
        papers: Vec::new(),
        worst: None,
        sampler: None,
        notes,
        title: setting.title(),
    })
}

/// The claim of the text. Where the loss is the claim itself, no enclosure tells whether it is more: the prover may.
fn claimed(setting: &Setting<'_>, report: &DiscreteReport, claim: &Claim) -> JudgedClaim {
    let mut verdict = judgement(claim.verdict, report.unmet.is_empty());
    // The claim as it is written, where that is a rational number: enclosures are dyadic.
    let written = values::claimed(setting.file, setting.declaration, &setting.bindings).ok().flatten();
    let written = written.and_then(|claim| claim.epsilon);
    let mut words = report.claim_in_words().unwrap_or_default();
    if let (Some(epsilon), Some((claimed, verdict))) = (&written, words.split_once(": ")) {
        let delta = claimed.split_once(", δ").map_or(String::new(), |(_, delta)| format!(", δ{delta}"));
        words = format!("ε = {}{delta}: {verdict}", short(epsilon));
    }
    if verdict == Judgement::Undecided && report.unmet.is_empty() && is_proved(setting) {
        verdict = Judgement::Holds;
        words.push_str(", and the claim is proved for all neighbours");
    }
    JudgedClaim {
        source: ClaimSource::Text,
        epsilon: match &written {
            Some(epsilon) => Number::exact(epsilon, 20),
            None => Number::enclosed(&claim.epsilon, 20),
        },
        delta: claim.delta.as_ref().map(|delta| Number::enclosed(delta, 20)),
        verdict,
        excess: report.excess().as_ref().map(|excess| Number::enclosed(excess, 12)),
        words,
    }
}

/// Whether the claim is proved, with these values of the parameters, for all neighbours.
pub(super) fn is_proved(setting: &Setting<'_>) -> bool {
    let limits = Limits { time: Some(PROOF_TIME), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let report = prove(setting.file, setting.declaration, &setting.bindings.values, &options, &mut |_| {});
    report.is_ok_and(|report| report.conclusion == Conclusion::Proved)
}
