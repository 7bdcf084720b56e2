//! `lastbit check` of privacy certificates.

use std::path::Path;

use lastbit_lang::ast::File;
use lastbit_lang::render;
use lastbit_lang::watch::{Limits, Reason};
use lastbit_prove::logic::certificate::{Certificate, CertificateError};
use lastbit_prove::logic::kernel::{KernelError, Theorem};
use lastbit_prove::logic::refute::Neighbours;
use serde_json::{Map, Value, json};

use super::check::{INTERRUPTED, NOT_CHECKED, Refused};
use super::{Parsed, read};
use crate::error::Error;

/// What a file says of mechanisms, to be compared with what certificates do.
pub(super) struct Meant {
    pub(super) name: String,
    pub(super) file: File,
}

impl Meant {
    pub(super) fn read(path: &Path) -> Result<Meant, Error> {
        let input = read(path)?;
        match input.parsed {
            Parsed::Declarations(file) => Ok(Meant { name: input.name, file }),
            Parsed::Bad(diagnostics) => Err(Error::Rendered(render(&input.name, &input.text, &diagnostics))),
            Parsed::Programs(_) => Err(Error::usage(
                format!("{} has no mechanisms", input.name),
                "a privacy certificate is about a mechanism of a *.lb file",
            )),
        }
    }
}

/// What is said of a certificate that is accepted, as text and as JSON.
pub(super) fn verdict(
    name: &str,
    certificate: &Certificate,
    meant: Option<&Meant>,
    limits: &Limits,
) -> Result<(String, Value), Refused> {
    let theorem = certificate.check_within(limits).map_err(|error| refusal(&error))?;
    if let Some(meant) = meant {
        certificate.is_about(&meant.file, &meant.name).map_err(|error| refusal(&error))?;
    }
    let neighbours = certificate.neighbours().map_err(|error| refusal(&error))?;
    Ok(accepted(name, certificate, &theorem, &neighbours))
}

/// What is said of a theorem that is about nothing, after its verdict; and what stands in JSON.
pub(crate) fn vacuity(neighbours: &Neighbours) -> (&'static str, Value) {
    match neighbours {
        Neighbours::Exist(_) => ("", json!(false)),
        Neighbours::None => (VACUOUS, json!(true)),
        Neighbours::Unknown => (UNKNOWN, Value::Null),
    }
}

const VACUOUS: &str = ", VACUOUS: no two inputs satisfy what is declared of them";
const UNKNOWN: &str = ", POSSIBLY VACUOUS: no two inputs were found that satisfy what is declared of them";

pub(super) fn refusal(error: &CertificateError) -> Refused {
    let code = match error {
        CertificateError::Kernel(KernelError::Stopped(stopped)) => match stopped.reason {
            Reason::Interrupted => INTERRUPTED,
            _ => NOT_CHECKED,
        },
        error if error.is_not_a_certificate() => 2,
        _ => 1,
    };
    Refused { code, reason: error.to_string() }
}

fn accepted(
    name: &str,
    certificate: &Certificate,
    theorem: &Theorem,
    neighbours: &Neighbours,
) -> (String, Value) {
    let Theorem { cost, claim, premises } = theorem;
    let lemmas = certificate.proof.lemmas.len();
    let values = certificate.values.iter();
    let given: Vec<String> = values.clone().map(|(name, value)| format!("{name} = {value}")).collect();
    let given = if given.is_empty() { String::new() } else { format!("  for {}", given.join(", ")) };
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (is_vacuous, vacuous) = vacuity(neighbours);
    let text = format!(
        "{name}: ACCEPTED{is_vacuous}: {}: {}-DP (pure, cost {cost}){given}  ({}, {})\n",
        certificate.declaration,
        claim.as_ref().unwrap_or(cost),
        plural(*premises, "premise"),
        plural(lemmas, "lemma"),
    );
    let value = json!({
        "file": name,
        "accepted": true,
        "kind": "privacy",
        "name": certificate.declaration,
        "cost": cost.to_string(),
        "claim": claim.as_ref().map(ToString::to_string),
        "vacuous": vacuous,
        "premises": premises,
        "lemmas": lemmas,
        "values": values.map(|(name, value)| (name.clone(), json!(value.to_string()))).collect::<Map<_, _>>(),
    });
    (text, value)
}
