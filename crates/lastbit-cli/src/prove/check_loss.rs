//! `lastbit check` of loss certificates.

use lastbit::Rounding;
use lastbit_lang::StraightLine;
use lastbit_prove::check::is_about;
use lastbit_prove::endpoint::certificate::{LossCertificate, read};
use serde_json::{Value, json};

use super::check::{Refused, exit_code};

/// What is said of a loss certificate, as text and as JSON; nothing of other files.
pub(super) fn verdict(
    name: &str,
    text: &str,
    programs: Option<&[StraightLine]>,
) -> Option<Result<(String, Value), Refused>> {
    let certificate = match read(text) {
        Ok(certificate) => certificate,
        Err(error) if error.is_of_another_kind() => return None,
        Err(error) => return Some(Err(Refused { code: exit_code(&error), reason: error.to_string() })),
    };
    let checked = certificate.check().map_err(|error| error.to_string()).and_then(|_| match programs {
        Some(programs) => is_about(&certificate.program, programs),
        None => Ok(()),
    });
    Some(match checked {
        Ok(()) => Ok(accepted(name, &certificate)),
        Err(reason) => Err(Refused { code: 1, reason }),
    })
}

fn accepted(name: &str, certificate: &LossCertificate) -> (String, Value) {
    let (loss, delta) = certificate.total();
    let decimal = loss.to_decimal(20, Rounding::Up);
    let failing = delta.map_or(String::new(), |delta| {
        format!(", but for a probability of {}", delta.to_decimal(4, Rounding::Up))
    });
    let text = format!(
        "{name}: ACCEPTED: {}: loss <= {decimal}{failing}  for inputs at most {} apart\n",
        certificate.program.name, certificate.sensitivity,
    );
    let value = json!({
        "file": name,
        "accepted": true,
        "kind": "loss",
        "name": certificate.program.name,
        "loss": decimal,
        "exact": { "loss": loss.to_string(), "delta": delta.map(ToString::to_string) },
        "sensitivity": certificate.sensitivity.to_string(),
    });
    (text, value)
}
