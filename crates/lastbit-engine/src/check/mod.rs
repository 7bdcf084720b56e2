//! Certificates, gone through again: what they prove, of which text, and what the verdict rests on.
//!
//! ```
//! use lastbit_engine::Source;
//! use lastbit_engine::check::{self, Question};
//!
//! let question = Question { certificate: Source { name: "a.json", text: "[]" }, program: None };
//! let answer = check::check(&question, &Default::default())?;
//! assert_eq!((answer.accepted, answer.exit_code()), (false, 2));
//! # Ok::<(), lastbit_engine::Refusal>(())
//! ```

mod proved;

use std::collections::BTreeMap;

use lastbit_lang::StraightLine;
use lastbit_lang::watch::Limits;
use lastbit_prove::certificate::{Certificate, CertificateError, Meant, Statement, lowered};
use lastbit_real::Rounding;
use serde::Serialize;

use crate::source::Contents;
use crate::{Judgement, Number, Refusal, Schema, Source, number};
use proved::{LOSS_DIGITS, notes, of_error, of_loss, of_privacy};
pub use proved::{Proved, ProvedError, ProvedLoss, ProvedPrivacy};

/// A question: a certificate, and the text that it should be about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The certificate, and the name of its file.
    pub certificate: Source<'a>,
    /// The text that is meant.
    pub program: Option<Source<'a>>,
}

/// The result of checking a certificate.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CheckAnswer {
    /// The version of this JSON.
    pub schema: Schema,
    /// The name of the file.
    pub file: String,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// Whether it is accepted.
    pub accepted: bool,
    /// The statement that it proves, if it is accepted.
    #[serde(flatten)]
    pub proved: Option<Proved>,
    /// The reason why it is not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// The verdict on a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckVerdict {
    /// The certificate proves what it says.
    Accepted,
    /// The certificate is wrong, or about something else.
    Refused,
    /// A limit was reached before that was known.
    NotChecked,
    /// The file is not a certificate.
    NotACertificate,
}

impl CheckVerdict {
    /// 0 accepted, 1 refused, 2 no certificate, 3 not checked.
    pub fn exit_code(self) -> u8 {
        self.judgement().map_or(2, Judgement::exit_code)
    }

    /// The judgement; `None` for a file that is not a certificate.
    pub fn judgement(self) -> Option<Judgement> {
        match self {
            CheckVerdict::Accepted => Some(Judgement::Holds),
            CheckVerdict::Refused => Some(Judgement::Violated),
            CheckVerdict::NotChecked => Some(Judgement::Undecided),
            CheckVerdict::NotACertificate => None,
        }
    }

    /// The verdict in capitals, as reports begin.
    pub fn word(self) -> &'static str {
        match self {
            CheckVerdict::Accepted => "ACCEPTED",
            CheckVerdict::Refused => "REFUSED",
            CheckVerdict::NotChecked => "NOT CHECKED",
            CheckVerdict::NotACertificate => "NOT A CERTIFICATE",
        }
    }
}

/// Goes through a certificate, within limits.
///
/// # Errors
/// If the text that is meant cannot be read, or somebody asked to stop.
pub fn check(question: &Question<'_>, limits: &Limits) -> Result<CheckAnswer, Refusal> {
    let file = question.certificate.name;
    let certificate = match Certificate::read(question.certificate.text) {
        Ok(certificate) => certificate,
        Err(error) => return Ok(CheckAnswer::refused(file, &error)),
    };
    let contents = question.program.map(|program| meant(&certificate, program)).transpose()?;
    let checked = certificate.check(limits).and_then(|statement| {
        match (&contents, question.program) {
            (Some(Contents::Programs(programs)), _) => {
                let programs: Vec<StraightLine> = programs.iter().flatten().cloned().collect();
                certificate.is_about(Meant::Programs(&programs))?;
            }
            (Some(Contents::Declarations(file)), Some(program)) => {
                certificate.is_about(Meant::File(file, program.name))?;
            }
            _ => {}
        }
        Ok(statement)
    });
    match checked {
        Ok(statement) => Ok(CheckAnswer::accepted(file, &certificate, &statement)),
        Err(error) if error.is_interrupted() => Err(Refusal::interrupted(format!("{file} was checked"))),
        Err(error) => Ok(CheckAnswer::refused(file, &error)),
    }
}

/// What a text holds, if a certificate of this kind can be about it.
fn meant(certificate: &Certificate, program: Source<'_>) -> Result<Contents, Refusal> {
    let contents = program.contents()?;
    match (&contents, certificate) {
        (Contents::Programs(programs), Certificate::Error(_)) => {
            let bad = programs.iter().find_map(|program| program.as_ref().err());
            match bad.filter(|_| programs.iter().all(Result::is_err)) {
                Some(error) => Err(program.refusal(error.diagnostics.clone())),
                None => Ok(contents),
            }
        }
        (Contents::Programs(_), _) => Err(Refusal::usage(
            format!("{} has no mechanisms", program.name),
            "a privacy certificate is about a mechanism of a *.lb file",
        )),
        (Contents::Declarations(file), Certificate::Error(_)) if lowered(file).is_empty() => {
            Err(Refusal::usage(
                format!("all programs of {} leave values open", program.name),
                "lastbit prove FILE with the values and --fpcore prints a file to compare with",
            ))
        }
        _ => Ok(contents),
    }
}

impl CheckAnswer {
    fn new(file: &str, verdict: CheckVerdict) -> CheckAnswer {
        CheckAnswer {
            schema: Schema,
            file: file.to_owned(),
            verdict,
            accepted: verdict == CheckVerdict::Accepted,
            proved: None,
            reason: None,
            notes: Vec::new(),
        }
    }

    fn refused(file: &str, error: &CertificateError) -> CheckAnswer {
        let verdict = match error {
            error if error.stopped().is_some() => CheckVerdict::NotChecked,
            error if error.is_not_a_certificate() => CheckVerdict::NotACertificate,
            _ => CheckVerdict::Refused,
        };
        CheckAnswer { reason: Some(error.to_string()), ..CheckAnswer::new(file, verdict) }
    }

    /// A file that is no text at all.
    pub fn unreadable(file: &str, reason: String) -> CheckAnswer {
        CheckAnswer { reason: Some(reason), ..CheckAnswer::new(file, CheckVerdict::NotACertificate) }
    }

    fn accepted(file: &str, certificate: &Certificate, statement: &Statement) -> CheckAnswer {
        let mut answer = CheckAnswer::new(file, CheckVerdict::Accepted);
        answer.proved = match (certificate, statement) {
            (_, Statement::Error(checked)) => Some(Proved::Error(of_error(checked))),
            (Certificate::Loss(certificate), _) => {
                let proved = of_loss(certificate);
                answer.notes = notes(certificate, &proved);
                Some(Proved::Loss(proved))
            }
            (Certificate::Privacy(certificate), Statement::Privacy { theorem, neighbours }) => {
                Some(Proved::Privacy(of_privacy(certificate, theorem, neighbours)))
            }
            _ => None,
        };
        answer
    }

    /// The exit code of a command.
    pub fn exit_code(&self) -> u8 {
        self.verdict.exit_code()
    }

    /// The name of what it is about, and what is proved of it; nothing if it is not accepted.
    pub fn statement(&self, digits: usize) -> Option<(String, String)> {
        let up = |value: &Number| number::decimal(value.upper(), digits, Rounding::Up);
        Some(match self.proved.as_ref()? {
            Proved::Error(proved) => {
                let [lo, hi] = &proved.range;
                let lo = number::decimal(lo.lower(), digits, Rounding::Down);
                let everywhere = proved.at_most.as_ref();
                let everywhere =
                    everywhere.map_or(String::new(), |bound| format!(", and everywhere at most {bound}"));
                let bound = up(&proved.abs_error);
                let statement =
                    format!("|float - real| <= {bound} for values in [{lo}, {}]{everywhere}", up(hi));
                (proved.name.clone(), statement)
            }
            Proved::Loss(proved) => {
                let failing = proved.delta.as_ref().map_or(String::new(), |delta| {
                    format!(", except with probability {}", number::decimal(delta.upper(), 4, Rounding::Up))
                });
                let kind = if proved.delta.is_none() { "pure DP, " } else { "" };
                let x = &proved.argument;
                let statement = format!(
                    "{kind}loss <= {}{failing} for all |{x}<1> - {x}<2>| <= {}{}{}",
                    number::decimal(proved.loss.upper(), digits.max(LOSS_DIGITS), Rounding::Up),
                    proved.sensitivity,
                    after_comma(&proved.scope),
                    given(&proved.values, " at ")
                );
                (proved.name.clone(), statement)
            }
            Proved::Privacy(proved) => {
                let loss = proved.claim.as_ref().unwrap_or(&proved.cost);
                let at = given(&proved.values, ", at ");
                let (loss, scope) = (factor(loss), after_comma(&proved.scope));
                (proved.name.clone(), format!("{loss}-DP (pure, cost {}){at}{scope}", proved.cost))
            }
        })
    }

    /// A warning if the statement is, or may be, about no inputs at all.
    pub fn vacuity(&self) -> Option<&'static str> {
        match self.proved.as_ref()? {
            Proved::Error(_) => None,
            Proved::Loss(ProvedLoss { vacuous, .. }) | Proved::Privacy(ProvedPrivacy { vacuous, .. }) => {
                vacuity(*vacuous)
            }
        }
    }

    /// A line that says what the verdict rests on.
    pub fn rests_on(&self) -> Option<String> {
        let plural =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        Some(match self.proved.as_ref()? {
            Proved::Error(proved) => format!(
                "every number of {} on {} was computed again, by code that shares nothing with the search",
                plural(proved.judgements, "judgement"),
                if proved.boxes == 1 { "1 box".to_owned() } else { format!("{} boxes", proved.boxes) }
            ),
            Proved::Loss(proved) => format!(
                "computed again by other code: {}; by the code that made it: {}",
                proved.independent.join(", "),
                proved.recomputed.join(", ")
            ),
            Proved::Privacy(proved) => format!(
                "the kernel went through {} with {}, and searched for nothing",
                plural(proved.premises, "premise"),
                plural(proved.lemmas, "lemma")
            ),
        })
    }
}

/// What is said of a theorem that is about nothing, or may be.
pub(crate) fn vacuity(vacuous: Option<bool>) -> Option<&'static str> {
    match vacuous {
        Some(true) => Some("VACUOUS: no two inputs satisfy what is declared about them"),
        None => Some("POSSIBLY VACUOUS: no two inputs were found that satisfy what is declared about them"),
        Some(false) => None,
    }
}

fn after_comma(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(", {words}") }
}

/// In parentheses if it is a sum.
pub(crate) fn factor(cost: &str) -> String {
    let is_sum = cost.contains(" + ") || cost.contains(" - ");
    if is_sum { format!("({cost})") } else { cost.to_owned() }
}

fn given(values: &BTreeMap<String, String>, before: &str) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if values.is_empty() { String::new() } else { format!("{before}{}", values.join(", ")) }
}
