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

use std::collections::BTreeMap;

use lastbit_lang::StraightLine;
use lastbit_lang::watch::Limits;
use lastbit_prove::certificate::{Certificate, CertificateError, Meant, Statement, lowered};
use lastbit_prove::check::Checked;
use lastbit_prove::derivation::{Reading, expression};
use lastbit_prove::endpoint::certificate::LossCertificate;
use lastbit_prove::logic::certificate as privacy;
use lastbit_prove::logic::kernel::Theorem;
use lastbit_prove::logic::refute::Neighbours;
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use crate::source::Contents;
use crate::{Judgement, Number, Refusal, Schema, Source, number};

/// Digits of bounds in JSON, and of losses.
const DIGITS: usize = 10;
const LOSS_DIGITS: usize = 20;

/// Which certificate, and about which text it is to be.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The certificate, and the name of its file.
    pub certificate: Source<'a>,
    /// The text that is meant.
    pub program: Option<Source<'a>>,
}

/// What became of a certificate.
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
    /// What it proves, if it is accepted.
    #[serde(flatten)]
    pub proved: Option<Proved>,
    /// Why it is not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The verdict on a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckVerdict {
    /// It proves what it says.
    Accepted,
    /// It does not, or is about something else.
    Refused,
    /// A limit was reached before that was known.
    NotChecked,
    /// It is no certificate.
    NotACertificate,
}

/// What a certificate proves, by kind.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Proved {
    /// A bound on the error of a program.
    Error(ProvedError),
    /// A bound on the privacy loss of a mechanism in floating point.
    Loss(ProvedLoss),
    /// Privacy over the reals.
    Privacy(ProvedPrivacy),
}

/// A bound on the error of a program.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvedError {
    /// The program.
    pub name: String,
    /// The bound.
    pub abs_error: Number,
    /// Where the real result lies.
    pub range: [Number; 2],
    /// What the error is at most everywhere, if that is claimed.
    pub at_most: Option<String>,
    /// How many boxes.
    pub boxes: usize,
    /// How many judgements on all of them.
    pub judgements: usize,
}

/// A bound on a privacy loss in floating point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvedLoss {
    /// The mechanism.
    pub name: String,
    /// ε.
    pub loss: Number,
    /// δ.
    pub delta: Option<Number>,
    /// The argument that is private.
    pub argument: String,
    /// How far apart neighbours are.
    pub sensitivity: Number,
    /// The values of its parameters.
    pub values: BTreeMap<String, String>,
    /// What the text claims.
    pub claim: Option<String>,
    /// Whether that is shown.
    pub shows_the_claim: bool,
    /// Whether it is about no inputs at all; nothing if that is not known.
    pub vacuous: Option<bool>,
    /// What another reading of the rules has computed again.
    pub independent: Vec<&'static str>,
    /// What the code that made the certificate has computed again.
    pub recomputed: Vec<&'static str>,
}

/// Privacy over the reals.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvedPrivacy {
    /// The mechanism.
    pub name: String,
    /// What is proved.
    pub cost: String,
    /// What is claimed, if that is a number.
    pub claim: Option<String>,
    /// Whether it is about no inputs at all; nothing if that is not known.
    pub vacuous: Option<bool>,
    /// How many premises were checked.
    pub premises: usize,
    /// How many lemmas there are.
    pub lemmas: usize,
    /// The values of its parameters.
    pub values: BTreeMap<String, String>,
}

impl CheckVerdict {
    /// 0 accepted, 1 refused, 2 no certificate, 3 not checked.
    pub fn exit_code(self) -> u8 {
        self.judgement().map_or(2, Judgement::exit_code)
    }

    /// What it comes to; nothing for what is no certificate.
    pub fn judgement(self) -> Option<Judgement> {
        match self {
            CheckVerdict::Accepted => Some(Judgement::Holds),
            CheckVerdict::Refused => Some(Judgement::Violated),
            CheckVerdict::NotChecked => Some(Judgement::Undecided),
            CheckVerdict::NotACertificate => None,
        }
    }

    /// In capitals, as reports begin with it.
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
                    format!(", but for a probability of {}", number::decimal(delta.upper(), 4, Rounding::Up))
                });
                let kind = if proved.delta.is_none() { "pure DP, " } else { "" };
                let x = &proved.argument;
                let statement = format!(
                    "{kind}loss <= {}{failing} for all |{x}<1> - {x}<2>| <= {}{}",
                    number::decimal(proved.loss.upper(), digits.max(LOSS_DIGITS), Rounding::Up),
                    proved.sensitivity,
                    given(&proved.values, " at ")
                );
                (proved.name.clone(), statement)
            }
            Proved::Privacy(proved) => {
                let loss = proved.claim.as_ref().unwrap_or(&proved.cost);
                let at = given(&proved.values, " for ");
                let loss = factor(loss);
                (proved.name.clone(), format!("{loss}-DP (pure, cost {}){at}", proved.cost))
            }
        })
    }

    /// That what is proved is about nothing, or may be; nothing if it is about some inputs.
    pub fn vacuity(&self) -> Option<&'static str> {
        match self.proved.as_ref()? {
            Proved::Error(_) => None,
            Proved::Loss(ProvedLoss { vacuous, .. }) | Proved::Privacy(ProvedPrivacy { vacuous, .. }) => {
                vacuity(*vacuous)
            }
        }
    }

    /// What the verdict rests on, in a line.
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
        Some(true) => Some("VACUOUS: no two inputs satisfy what is declared of them"),
        None => Some("POSSIBLY VACUOUS: no two inputs were found that satisfy what is declared of them"),
        Some(false) => None,
    }
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

fn texts(values: &BTreeMap<String, Rational>) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

fn of_error(checked: &Checked) -> ProvedError {
    ProvedError {
        name: checked.program.name.clone(),
        abs_error: Number::at_most(&Rational::from(&checked.error), DIGITS),
        range: [
            Number::at_least(&Rational::from(checked.range.lo()), DIGITS),
            Number::at_most(&Rational::from(checked.range.hi()), DIGITS),
        ],
        at_most: checked.at_most.map(|node| expression(&checked.program, node, Reading::Real)),
        boxes: checked.leaves,
        judgements: checked.judgements,
    }
}

fn of_loss(certificate: &LossCertificate) -> ProvedLoss {
    let (loss, delta) = certificate.total();
    let claim = &certificate.claim;
    ProvedLoss {
        name: certificate.subject.declaration.clone(),
        loss: Number::at_most(loss, LOSS_DIGITS),
        delta: delta.map(|delta| Number::at_most(delta, LOSS_DIGITS)),
        argument: certificate.argument.clone(),
        sensitivity: Number::exact(&certificate.sensitivity, LOSS_DIGITS),
        values: texts(&certificate.subject.values),
        claim: claim.epsilon.as_ref().map(|epsilon| match claim.delta.is_zero() {
            true => format!("pure {epsilon}"),
            false => format!("approx({epsilon}, {})", claim.delta),
        }),
        shows_the_claim: certificate.shows_the_claim(),
        vacuous: certificate.has_neighbours.then_some(false),
        independent: vec!["the rounding error of the noise"],
        recomputed: vec!["the thresholds and the loss of every case"],
    }
}

fn notes(certificate: &LossCertificate, proved: &ProvedLoss) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(distance) = &certificate.given.distance {
        notes.push(format!("the distance {distance} was given: the text need not say so"));
    }
    if certificate.given.ln.is_some() || certificate.given.exp.is_some() {
        notes.push("the accuracy of the library was given: the text need not say so".into());
    }
    if let (Some(claimed), false) = (&proved.claim, proved.shows_the_claim) {
        notes.push(format!("that does not show the claim of the text, {claimed}"));
    }
    notes
}

fn of_privacy(
    certificate: &privacy::Certificate,
    theorem: &Theorem,
    neighbours: &Neighbours,
) -> ProvedPrivacy {
    ProvedPrivacy {
        name: certificate.declaration.clone(),
        cost: theorem.cost.to_string(),
        claim: theorem.claim.as_ref().map(ToString::to_string),
        vacuous: match neighbours {
            Neighbours::Exist(_) => Some(false),
            Neighbours::None => Some(true),
            Neighbours::Unknown => None,
        },
        premises: theorem.premises,
        lemmas: certificate.proof.lemmas.len(),
        values: texts(&certificate.values),
    }
}
