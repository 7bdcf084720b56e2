//! What is known of a program or a claim.

use std::collections::BTreeMap;

use lastbit_real::Rational;
use serde::Serialize;

use super::cases::Cases;
use super::error_bound::ErrorBound;
use super::loss::LossFound;
use super::privacy::PrivacyFound;
use super::theorem::Theorem;
use crate::{Judgement, Loss, Number, Refusal, Schema, Source};

/// Digits of bounds in JSON.
pub(super) const DIGITS: usize = 10;
/// Digits of losses in JSON: what floating point adds to a loss begins at the sixteenth.
pub(super) const LOSS_DIGITS: usize = 20;

/// The answer about one program or declaration.
///
/// In JSON, the members of [`Found`] stand beside these, and `kind` names its variant.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProofAnswer {
    /// The version of this JSON.
    pub schema: Schema,
    /// The name of the program or declaration.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The statement that is proved, refuted or undecided.
    pub statement: String,
    /// The result, by kind.
    #[serde(flatten)]
    pub found: Found,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// The progress of each attempt, if the claim is undecided.
    pub tried: Vec<String>,
    /// Suggestions of what to try next, if the claim is undecided.
    pub next: Vec<String>,
    /// The time taken, in seconds.
    pub seconds: f64,
    /// Certificates, if they were asked for.
    #[serde(skip)]
    pub certificates: Vec<NamedCertificate>,
    /// All details as text.
    #[serde(skip)]
    pub details: String,
}

/// A certificate, and the name of a file for it, without an ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCertificate {
    /// The name.
    pub name: String,
    /// The certificate, as JSON.
    pub text: String,
}

/// The verdict of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The claim holds for all inputs.
    Proved,
    /// A bound was found; nothing was claimed.
    Bound,
    /// The requested output is shown; nothing was claimed.
    Shown,
    /// Neither a proof nor a refutation was found.
    Undecided,
    /// The claim is false.
    Refuted,
    /// A proof that the text brings with it is wrong.
    Rejected,
    /// There is no answer: the text is wrong, or there is no bound.
    Refused,
}

impl Verdict {
    /// The judgement; `None` if there is no answer.
    pub fn judgement(self) -> Option<Judgement> {
        match self {
            Verdict::Proved | Verdict::Bound | Verdict::Shown => Some(Judgement::Holds),
            Verdict::Undecided => Some(Judgement::Undecided),
            Verdict::Refuted | Verdict::Rejected => Some(Judgement::Violated),
            Verdict::Refused => None,
        }
    }

    /// The exit code of a command: that of its judgement, or 2 if there is none.
    pub fn exit_code(self) -> u8 {
        self.judgement().map_or(2, Judgement::exit_code)
    }

    /// The name in JSON.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Bound => "bound",
            Verdict::Shown => "shown",
            Verdict::Undecided => "undecided",
            Verdict::Refuted => "refuted",
            Verdict::Rejected => "rejected",
            Verdict::Refused => "refused",
        }
    }
}

/// The result of an answer, by kind.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Found {
    /// A bound on the error of a program in floating point.
    ErrorBound(Box<ErrorBound>),
    /// The privacy loss of a mechanism in floating point, with values for its parameters.
    Loss(Box<LossFound>),
    /// The privacy loss of a mechanism in floating point, for all values of its parameters.
    Theorem(Box<Theorem>),
    /// A privacy claim over the reals.
    Privacy(Box<PrivacyFound>),
    /// The ideal snapping mechanism case by case.
    Cases(Box<Cases>),
    /// The papers' rules as printed.
    Paper(Box<super::papers::PaperRules>),
    /// The program as FPCore.
    Fpcore {
        /// The text.
        fpcore: String,
    },
    /// No answer.
    Refused(Box<Refused>),
}

/// The reason why there is no answer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Refused {
    /// The error message.
    pub error: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// A suggestion of what to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The full refusal.
    #[serde(skip)]
    pub refusal: Refusal,
}

/// A message with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// The message itself.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// A suggestion of what to do instead.
    pub hint: Option<String>,
}

impl Placed {
    pub(super) fn of(diagnostic: &lastbit_lang::Diagnostic, text: &str) -> Placed {
        let (line, column) = diagnostic.span.line_column(text);
        Placed { message: diagnostic.message.clone(), line, column, hint: diagnostic.hint.clone() }
    }
}

/// Two inputs and an event that show a claim to be false, or come near to it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Witness {
    /// Values of the parameters.
    pub parameters: BTreeMap<String, String>,
    /// The two inputs; the event is likelier with the first.
    pub inputs: [BTreeMap<String, String>; 2],
    /// Whether the first input is the one that `adjacent` calls `<2>`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exchanged: bool,
    /// The event, in words.
    pub event: String,
    /// The probability with either input.
    pub probabilities: [Probability; 2],
    /// A lower bound on the loss.
    pub loss: Loss,
    /// The claimed ε, at these parameters.
    pub claimed: Option<Number>,
    /// The clauses that both inputs satisfy, which makes them neighbours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub satisfies: Vec<&'static str>,
}

/// A probability.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Probability {
    /// The number.
    #[serde(flatten)]
    pub number: Number,
    /// Exactly, as a formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

/// Values by name, as exact texts.
pub(super) fn texts<'v>(
    values: impl IntoIterator<Item = (&'v String, &'v Rational)>,
) -> BTreeMap<String, String> {
    values.into_iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

impl ProofAnswer {
    pub(super) fn new(name: &str, verdict: Verdict, statement: String, found: Found) -> ProofAnswer {
        ProofAnswer {
            schema: Schema,
            name: name.to_owned(),
            verdict,
            statement,
            found,
            notes: Vec::new(),
            tried: Vec::new(),
            next: Vec::new(),
            seconds: 0.0,
            certificates: Vec::new(),
            details: String::new(),
        }
    }

    /// A whole text of which nothing can be said.
    pub fn unreadable(source: Source<'_>, refusal: Refusal) -> ProofAnswer {
        ProofAnswer::refused(source.name, "bound", refusal)
    }

    /// No answer. `what` is missing: a bound, a verdict.
    pub(super) fn refused(name: &str, what: &str, refusal: Refusal) -> ProofAnswer {
        let (mut error, mut place, mut hint) = (refusal.to_string(), None, None);
        match &refusal {
            Refusal::Usage { hint: given, .. } => hint = Some(given.clone()).filter(|hint| !hint.is_empty()),
            Refusal::Text { text, diagnostics, .. } => {
                if let Some(first) = diagnostics.first() {
                    let placed = Placed::of(first, text);
                    (error, place, hint) = (placed.message, Some((placed.line, placed.column)), placed.hint);
                }
            }
            _ => {}
        }
        let (line, column) = place.unzip();
        let refused = Refused { error, line, column, hint, refusal };
        let found = Found::Refused(Box::new(refused));
        ProofAnswer::new(name, Verdict::Refused, format!("no {what}"), found)
    }
}
