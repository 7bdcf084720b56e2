//! Texts with real-valued noise: exact probabilities of events, which bound the loss from below, and the prover, which bounds it from above.

use lastbit_audit::LnRatio;
use lastbit_audit::discrete::{DiscreteError, unmet};
use lastbit_lang::values::claimed;
use lastbit_lang::watch::{Limits, Watch};
use lastbit_prove::logic::refute::{EventAt, events_at};
use lastbit_real::Rational;

use super::discrete::is_proved;
use super::judge::with_limit;
use super::program::Setting;
use super::{AuditAnswer, ClaimSource, Favours, Form, JudgedClaim, Listed, OutputRow, Wishes, words};
use crate::{Judgement, Loss, Number, Refusal, Schema, Watcher};

/// Bits of probabilities.
const BITS: u32 = 128;
const DIGITS: usize = 20;

/// Audits a text whose noise is real-valued; `error` is why it is not discrete.
pub(super) fn audit(
    setting: &Setting<'_>,
    wishes: &Wishes,
    watcher: &Watcher<'_>,
    error: &DiscreteError,
) -> Result<AuditAnswer, Refusal> {
    watcher.tell("integrating", 0.0, "");
    let [first, second] = &setting.inputs;
    let values = &setting.bindings.values;
    let watch = Watch::start(&Limits::default());
    let events = events_at(setting.file, setting.declaration, values, [first, second], &watch);
    let events = events.map_err(|reason| {
        setting.at(
            error.span(),
            format!("{error}; and over the reals: {reason}"),
            "lastbit prove looks at all inputs; dlap in place of lap is discrete, f64 in place of real is audited bit by bit",
        )
    })?;
    let worst = events.iter().reduce(|a, b| if loses_more(b, a) { b } else { a });
    // Inputs that may be no neighbours are refused: the theorem says nothing about them.
    let unmet = unmet(setting.file, setting.declaration, values, [first, second])
        .map_err(|error| setting.at(error.span(), error.to_string(), ""))?;
    let are_neighbours = unmet.is_empty();
    let claim = claimed(setting.file, setting.declaration, &setting.bindings).ok().flatten();
    let claim = claim.and_then(|claim| Some((claim.epsilon?, claim.delta)));
    let pure = claim.as_ref().filter(|(_, delta)| delta.is_zero()).map(|(epsilon, _)| epsilon);
    let is_proved = pure.is_some() && are_neighbours && is_proved(setting);
    let judge = |limit: &Rational| match events.iter().any(|event| event.exceeds(limit)) {
        true => Judgement::Violated,
        false if is_proved && pure.is_some_and(|epsilon| epsilon <= limit) => Judgement::Holds,
        false => Judgement::Undecided,
    };
    let own = claim.as_ref().map(|(epsilon, delta)| {
        let verdict = match judge(epsilon) {
            _ if !delta.is_zero() => Judgement::Undecided,
            Judgement::Violated if !are_neighbours => Judgement::Undecided,
            verdict => verdict,
        };
        let how = match verdict {
            Judgement::Holds => "holds, and is proved for all neighbours",
            Judgement::Violated => "violated at these inputs",
            _ if !are_neighbours => "the inputs are not neighbours, so it says nothing about them",
            _ if !delta.is_zero() => "undecided: δ is not computed for real-valued noise",
            _ => "undecided: no event exceeds it, and it is not proved",
        };
        JudgedClaim {
            source: ClaimSource::Text,
            epsilon: Number::exact(epsilon, DIGITS),
            delta: (!delta.is_zero()).then(|| Number::exact(delta, DIGITS)),
            verdict,
            excess: None,
            words: format!("ε = {}: {how}", words::short(epsilon)),
        }
    });
    // What an event loses and a theorem allows is the loss.
    let exact = pure.filter(|epsilon| is_proved && events.iter().any(|event| event.is_exactly(epsilon)));
    let loss = match (exact, worst) {
        (Some(epsilon), _) => Loss::Finite(Number::exact(epsilon, wishes.digits)),
        (None, Some(event)) => match &event.ln_ratio {
            LnRatio::OnlyFirst | LnRatio::OnlySecond => Loss::Infinite,
            LnRatio::Finite(ratio) => {
                Loss::AtLeast(Number::at_least(&Rational::from(ratio.abs().lo()), wishes.digits))
            }
            _ => Loss::AtLeast(Number::exact(&Rational::ZERO, 1)),
        },
        (None, None) => Loss::AtLeast(Number::exact(&Rational::ZERO, 1)),
    };
    let (verdict, claims) = with_limit(wishes, own.into_iter().collect(), judge);
    let only = |i: usize| {
        let alone = |event: &&EventAt| event.probabilities[1 - i].is_zero();
        let mass = events.iter().filter(alone).map(|event| event.probabilities[i].enclose_to(BITS));
        let most = mass.map(|mass| Rational::from(mass.lo())).max().unwrap_or_default();
        // Events overlap: the largest is a lower bound. Without a proof there may be more.
        match is_proved && most.is_zero() {
            true => Number::exact(&most, 1),
            false => {
                let text = format!("at least {}", words::short(&most));
                Number::between(&most, &Rational::ONE, 1).with_decimal(text)
            }
        }
    };
    let mut notes = setting.notes.clone();
    notes.extend(
        unmet
            .iter()
            .map(|unmet| format!("the inputs are not neighbours: `{}` does not hold of them", unmet.clause)),
    );
    Ok(AuditAnswer {
        schema: Schema,
        question: "audit",
        mechanism: setting.declaration.name.text.clone(),
        form: Form::Continuous,
        parameters: setting.parameters(),
        inputs: setting.shown.clone(),
        verdict,
        claims,
        loss,
        witness: worst.map(row),
        finite: None,
        only_first: only(0),
        only_second: only(1),
        delta: None,
        method: "exact integrals of events; a proof for all neighbours where the claim holds".into(),
        n_outputs: events.len().to_string(),
        outputs_listed: Listed::Selected,
        outputs: events.iter().map(row).collect(),
        excess_eta: None,
        shipped: None,
        papers: Vec::new(),
        worst: None,
        sampler: None,
        notes,
        title: setting.title(),
    })
}

/// Whether an event certainly tells more than another one.
fn loses_more(event: &EventAt, other: &EventAt) -> bool {
    let rank = |event: &EventAt| match &event.ln_ratio {
        LnRatio::OnlyFirst | LnRatio::OnlySecond => None,
        LnRatio::Finite(ratio) => Some(ratio.abs().lo().clone()),
        _ => Some(0.into()),
    };
    match (rank(event), rank(other)) {
        (None, Some(_)) => true,
        (Some(a), Some(b)) => a > b,
        _ => false,
    }
}

fn row(event: &EventAt) -> OutputRow {
    let [p_first, p_second] = event.probabilities.each_ref().map(|p| match p.as_rational() {
        Some(value) => Number::exact(&value, DIGITS),
        None => Number::enclosed(&p.enclose_to(BITS), DIGITS),
    });
    let zero = || Number::exact(&Rational::ZERO, 1);
    let (loss, favours) = match &event.ln_ratio {
        LnRatio::OnlyFirst => (Loss::Infinite, Favours::First),
        LnRatio::OnlySecond => (Loss::Infinite, Favours::Second),
        LnRatio::Unknown => (Loss::AtLeast(zero()), Favours::Neither),
        LnRatio::Finite(ratio) => {
            let favours = match ratio.sign() {
                Some(std::cmp::Ordering::Greater) => Favours::First,
                Some(std::cmp::Ordering::Less) => Favours::Second,
                _ => Favours::Neither,
            };
            (Loss::Finite(Number::enclosed(&ratio.abs(), DIGITS)), favours)
        }
    };
    let name = event.event.to_string();
    OutputRow { output: name.clone(), p_first, p_second, loss, favours, u: None, name }
}
