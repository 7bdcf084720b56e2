//! `lastbit check` of loss certificates.

use lastbit::Rounding;
use lastbit_prove::endpoint::certificate::{LossCertificate, LossError};
use serde_json::{Map, Value, json};

use super::check::{Refused, exit_code};
use super::check_privacy::Meant;

/// What is said of a loss certificate that is accepted, as text and as JSON.
pub(super) fn verdict(
    name: &str,
    certificate: &LossCertificate,
    meant: Option<&Meant>,
) -> Result<(String, Value), Refused> {
    certificate.check().map_err(|error| refusal(&error))?;
    if let Some(Meant { name, file }) = meant {
        certificate.is_about(file, name).map_err(|error| refusal(&error))?;
    }
    Ok(accepted(name, certificate))
}

pub(super) fn refusal(error: &LossError) -> Refused {
    let code = match error {
        LossError::Form(error) => exit_code(error),
        _ => 1,
    };
    Refused { code, reason: error.to_string() }
}

fn accepted(name: &str, certificate: &LossCertificate) -> (String, Value) {
    let (loss, delta) = certificate.total();
    let decimal = loss.to_decimal(20, Rounding::Up);
    let failing = delta.map_or(String::new(), |delta| {
        format!(", but for a probability of {}", delta.to_decimal(4, Rounding::Up))
    });
    let argument = &certificate.argument;
    let values = &certificate.subject.values;
    let given: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let given = if given.is_empty() { String::new() } else { format!(", {}", given.join(", ")) };
    let claimed = certificate.claim.epsilon.as_ref().map(|epsilon| match certificate.claim.delta.is_zero() {
        true => format!("pure {epsilon}"),
        false => format!("approx({epsilon}, {})", certificate.claim.delta),
    });
    let mut text = format!(
        "{name}: ACCEPTED: {}: loss <= {decimal}{failing}  for all |{argument}<1> - {argument}<2>| <= {}{given}\n",
        certificate.subject.declaration, certificate.sensitivity,
    );
    let mut notes = Vec::new();
    if let Some(distance) = &certificate.given.distance {
        notes.push(format!("the distance {distance} was given: the text need not say so"));
    }
    if certificate.given.ln.is_some() || certificate.given.exp.is_some() {
        notes.push("the accuracy of the library was given: the text need not say so".into());
    }
    if let (Some(claimed), false) = (&claimed, certificate.shows_the_claim()) {
        notes.push(format!("that does not show the claim of the text, {claimed}"));
    }
    if !certificate.has_neighbours {
        notes.push("VACUOUS? No two inputs were found that satisfy the ranges, the assumptions and the adjacency of the text".into());
    }
    for note in &notes {
        text += &format!("  note: {note}\n");
    }
    let value = json!({
        "file": name,
        "accepted": true,
        "kind": "loss",
        "name": certificate.subject.declaration,
        "loss": decimal,
        "exact": { "loss": loss.to_string(), "delta": delta.map(ToString::to_string) },
        "argument": argument,
        "sensitivity": certificate.sensitivity.to_string(),
        "values": values.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect::<Map<_, _>>(),
        "claim": claimed,
        "shows_the_claim": certificate.shows_the_claim(),
        "vacuous": if certificate.has_neighbours { json!(false) } else { json!("not known") },
        "notes": notes,
    });
    (text, value)
}
