//! Loss certificates: a text, numbers for its parameters, and the privacy loss that is certified of it.
//!
//! A certificate holds the whole text. Whoever checks it reads the text again, asks everything of it that ties it to the theorem, and computes
//! the loss: nothing of the file has to be believed. Beside the text stands what was read in it (who is a sample, which inputs are neighbours,
//! what is assumed and claimed), for whoever reads the file; if it is not what the text says, the certificate is refused.
//!
//! ```
//! use lastbit_lang::parse;
//! use lastbit_prove::endpoint::answer::{FloatAnswer, Options};
//! use lastbit_prove::endpoint::{Given, certificate::read};
//!
//! let text = "
//!     mechanism snap(x: f64) -> grid
//!       param B: f64 > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure infer
//!     { u <$ unif(0,1);  s <$ sign;  c := clamp(x, B);  y := ln(u) / 1;  w := c + s * y;
//!       return clamp(round(w, 1, up), B) }";
//! let (file, _) = parse(text);
//! let given = Given { values: [("B".into(), 100.into())].into(), ..Given::default() };
//! let answer = FloatAnswer::find(&file, &file.declarations[0], given, &Options::default()).unwrap();
//! let certificate = answer.certificate(text).unwrap();
//! let written = certificate.to_json().to_string();
//! assert_eq!(read(&written)?.check()?, certificate.certified);
//!
//! // Another loss, or another text.
//! let forged = written.replace(&certificate.total().0.to_string(), "1");
//! assert!(read(&forged)?.check().is_err());
//! let forged = written.replace("s <$ sign;", "s := 1;");
//! assert!(read(&forged).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use lastbit_lang::ast::{ClauseKind, File};
use lastbit_lang::values::Claimed;
use lastbit_lang::{Accuracy, Reading, StraightLine, expression_text};
use lastbit_real::Rational;
use serde_json::{Map, Value, json};

use super::shape::of_noise;
use super::{Certified, FloatSnap, Given, Sampler, Snapping, Statement, Total, certify};
use crate::certificate::{self, CertificateError, accuracy, program_to_json};
use crate::check::json::{Json, Limits, parse_within};
use crate::check::read::{Place, field, object, rational, text};
use crate::check::{self, CheckError, accuracy_of};
use crate::search::{Effort, analyse};
use crate::subject::Subject;

/// What stands in the field `lastbit`.
pub(crate) const KIND: &str = "loss certificate";

/// Deeper than any certificate, and more fields than any object of one has.
const LIMITS: Limits = Limits { depth: 16, fields: 1024 };

/// A snapping mechanism, and what is certified of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LossCertificate {
    /// The text, the declaration, and values of its parameters.
    pub subject: Subject,
    /// The values that were given beside the text.
    pub given: Given,
    /// The claim of the text, in its own words.
    stated: Value,
    /// The body of the text.
    pub program: StraightLine,
    /// The claim of the text.
    pub claim: Claimed,
    /// The mechanism.
    mechanism: FloatSnap,
    /// The argument that is clamped.
    pub argument: String,
    /// The sampler of `u`.
    pub sampler: Sampler,
    /// `Δ`.
    pub sensitivity: Rational,
    /// The bounds; reasons are not kept.
    pub certified: Certified,
    /// Whether two inputs were found that satisfy all that the text asks of neighbours; if not, the claim may be about nothing.
    pub has_neighbours: bool,
}

impl LossCertificate {
    /// What is certified of a text.
    pub(super) fn of_bound(
        text: &str,
        statement: &Statement<'_>,
        snapping: &Snapping,
        certified: Certified,
    ) -> LossCertificate {
        let subject = Subject {
            text: text.to_owned(),
            declaration: statement.declaration.name.text.clone(),
            values: statement.parameters(),
        };
        // Witnesses are looked for in ranges, and proofs are for all inputs; the values are those of the subject.
        let given =
            Given { ranges: BTreeMap::new(), values: subject.values.clone(), ..statement.given.clone() };
        LossCertificate {
            stated: stated(statement, snapping),
            program: statement.program.clone(),
            claim: statement.claim.clone(),
            mechanism: snapping.mechanism.clone(),
            argument: snapping.argument.clone(),
            sampler: snapping.mechanism.sampler(),
            sensitivity: snapping.distance.clone(),
            has_neighbours: statement.neighbours().is_some(),
            subject,
            given,
            certified,
        }
    }

    /// The mechanism.
    pub(crate) fn mechanism(&self) -> &FloatSnap {
        &self.mechanism
    }

    /// Reads the text again, computes everything, and compares: the claim is at least what the rules give.
    ///
    /// The error of the noise goes through [`crate::check`], too, which shares no code with the rules that gave it. What follows from it,
    /// the thresholds and the loss of every case, is computed by the code that made the certificate; Coq is another judge of that.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Certified, CertificateError> {
        let file = self.subject.file()?;
        let statement = self.read_with(&file, self.given.clone())?;
        let snapping = self.snapping(&statement)?;
        check_noise(&statement.program, &snapping)?;
        let certified = certify(&snapping.mechanism, &snapping.error, &snapping.distance)?;
        let own = LossCertificate { certified, ..self.clone() };
        let differs = |place, expected: Option<&Rational>, found: Option<&Rational>| {
            let [expected, found] =
                [expected, found].map(|number| number.map_or_else(|| "null".to_owned(), ToString::to_string));
            Err(CertificateError::Differs { place, expected, found })
        };
        let ((loss, delta), (claimed, claimed_delta)) = (own.total(), self.total());
        if loss > claimed {
            return differs("claim.loss", Some(loss), Some(claimed));
        }
        // No failures are less than any.
        if delta > claimed_delta {
            return differs("claim.delta", delta, claimed_delta);
        }
        Ok(own.certified)
    }

    /// Whether the text is that of a file, but for layout, comments and proofs. If another library or distance of neighbours was given, the
    /// loss must hold for what the text says, too.
    ///
    /// # Errors
    /// The first difference, if there is one.
    pub(crate) fn is_about(&self, meant: &File, file_name: &str) -> Result<(), CertificateError> {
        self.subject.is_about(meant, file_name)?;
        let given = Given { values: self.given.values.clone(), ..Given::default() };
        if given != self.given {
            let own = LossCertificate { given, ..self.clone() };
            own.check().map_err(|error| CertificateError::Given(Box::new(error)))?;
        }
        Ok(())
    }

    fn read_with<'f>(&self, file: &'f File, given: Given) -> Result<Statement<'f>, CertificateError> {
        let declaration = self.subject.find(file)?;
        let statement = Statement::read(file, declaration, given);
        Ok(statement.map_err(|messages| self.subject.wrong(messages.first()))?)
    }

    fn snapping(&self, statement: &Statement<'_>) -> Result<Snapping, CertificateError> {
        Ok(statement.snapping().map_err(|message| self.subject.wrong(Some(&message)))?)
    }

    /// The loss, and the probability of failures if it is not 0.
    pub fn total(&self) -> (&Rational, Option<&Rational>) {
        match &self.certified.total {
            Total::Pure { loss } => (loss, None),
            Total::Approximate { loss, delta } => (loss, Some(delta)),
        }
    }

    /// Whether the certified bound is within the claim of the text.
    pub fn shows_the_claim(&self) -> bool {
        let (loss, delta) = self.total();
        let enough = self.claim.epsilon.as_ref().is_none_or(|epsilon| loss <= epsilon);
        enough && delta.is_none_or(|delta| *delta <= self.claim.delta)
    }

    /// The certificate as JSON.
    pub fn to_json(&self) -> Value {
        let (loss, delta) = self.total();
        let library = |given: &Option<Accuracy>| given.as_ref().map(accuracy);
        json!({
            "lastbit": KIND,
            "version": 2,
            "text": self.subject.text,
            "declaration": self.subject.declaration,
            "values": numbers(&self.subject.values),
            "given": {
                "ln": library(&self.given.ln),
                "exp": library(&self.given.exp),
                "sensitivity": self.given.distance.as_ref().map(ToString::to_string),
            },
            "statement": self.stated,
            "claim": { "loss": loss.to_string(), "delta": delta.map(ToString::to_string) },
        })
    }
}

/// The error of the noise, once more, by the other reading of the rules: every number of its derivation must be the same.
fn check_noise(program: &StraightLine, snapping: &Snapping) -> Result<(), CertificateError> {
    let program = of_noise(program, &snapping.shape);
    // That there is no bound is told where it is needed.
    if let Ok(analysis) = analyse(&program, Effort::of_boxes(1), |_| {}) {
        check::check(&certificate::to_json(&program, &analysis).to_string())?;
    }
    Ok(())
}

fn numbers(values: &BTreeMap<String, Rational>) -> Map<String, Value> {
    values.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect()
}

/// What ties the text to the theorem, as it was read.
fn stated(statement: &Statement<'_>, snapping: &Snapping) -> Value {
    let Statement { file, declaration, program, claim, .. } = statement;
    let words = |id| expression_text(file, id, Reading::Real);
    let assumed = declaration.clauses.iter().filter_map(|clause| match clause.kind {
        ClauseKind::Assume(condition) => Some(words(condition)),
        _ => None,
    });
    let adjacent = declaration.clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Adjacent(_, condition) => Some(words(*condition)),
        _ => None,
    });
    json!({
        "argument": snapping.argument,
        "neighbours": snapping.distance.to_string(),
        "adjacent": adjacent.collect::<Vec<_>>(),
        "assumptions": assumed.collect::<Vec<_>>(),
        "claim": {
            "epsilon": claim.epsilon.as_ref().map(ToString::to_string),
            "delta": claim.delta.to_string(),
        },
        "program": program_to_json(program),
    })
}

/// Whether two values are the same; if not, where they differ first.
fn same(expected: &Value, found: &Value, place: &str) -> Result<(), CertificateError> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().try_for_each(|(name, value)| match b.get(name) {
                Some(other) => same(value, other, &format!("{place}.{name}")),
                None => same(value, &Value::Null, &format!("{place}.{name}")),
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .try_for_each(|(i, (value, other))| same(value, other, &format!("{place}[{i}]"))),
        (a, b) if a == b => Ok(()),
        (a, b) => {
            let [expected, found] = [a, b].map(ToString::to_string);
            Err(CertificateError::Stated { place: place.to_owned(), expected, found })
        }
    }
}

/// Reads a certificate: what it says of its text is what the text says. The loss is not checked.
///
/// # Errors
/// If it is no loss certificate, or a part is not what its place asks for, or the text is no snapping mechanism.
pub fn read(text_of_file: &str) -> Result<LossCertificate, CertificateError> {
    of_json(&parse_within(text_of_file, LIMITS)?)
}

/// As [`read`], of what is parsed already.
pub(crate) fn of_json(certificate: &Json<'_>) -> Result<LossCertificate, CertificateError> {
    let root = Place::Root;
    let kind = field(certificate, "lastbit").unwrap_or(&Json::Null);
    if !matches!(kind, Json::Text(kind) if kind == KIND) {
        return Err(root.field("lastbit").expected(format!("{KIND:?}"), kind).into());
    }
    let version = field(certificate, "version").unwrap_or(&Json::Null);
    if !matches!(version, Json::Integer(2)) {
        return Err(root.field("version").expected("2 (prove the text again)", version).into());
    }
    let names = ["lastbit", "version", "text", "declaration", "values", "given", "statement", "claim"];
    let [_, _, source, declaration, values, given, statement, claim] = object(certificate, &root, names)?;
    let subject = Subject {
        text: text(source, &root.field("text"))?.to_owned(),
        declaration: text(declaration, &root.field("declaration"))?.to_owned(),
        values: crate::subject::values(values, &root.field("values"))?,
    };
    let given = read_given(given, &root.field("given"), &subject)?;
    let certified = Certified { cases: Vec::new(), total: read_total(claim, &root.field("claim"))? };
    let file = subject.file()?;
    let declaration = subject.find(&file)?;
    let wrong = |message: Option<&_>| CertificateError::from(subject.wrong(message));
    let own = Statement::read(&file, declaration, given).map_err(|messages| wrong(messages.first()))?;
    let snapping = own.snapping().map_err(|message| wrong(Some(&message)))?;
    let found = LossCertificate::of_bound(&subject.text, &own, &snapping, certified);
    // Every value is written down, also one that stands for what nobody said.
    same(&numbers(&found.subject.values).into(), &numbers(&subject.values).into(), "values")?;
    same(&found.stated, &statement.to_value(), "statement")?;
    Ok(found)
}

fn read_given(value: &Json<'_>, place: &Place<'_>, subject: &Subject) -> Result<Given, CheckError> {
    let [ln, exp, sensitivity] = object(value, place, ["ln", "exp", "sensitivity"])?;
    let library = |value: &Json<'_>, name: &str| match value {
        Json::Null => Ok(None),
        value => accuracy_of(value, &place.field(name)).map(Some),
    };
    Ok(Given {
        values: subject.values.clone(),
        ranges: BTreeMap::new(),
        ln: library(ln, "ln")?,
        exp: library(exp, "exp")?,
        distance: match sensitivity {
            Json::Null => None,
            value => Some(rational(value, &place.field("sensitivity"))?),
        },
    })
}

fn read_total(claim: &Json<'_>, place: &Place<'_>) -> Result<Total, CheckError> {
    let [loss, delta] = object(claim, place, ["loss", "delta"])?;
    let loss = rational(loss, &place.field("loss"))?;
    Ok(match delta {
        Json::Null => Total::Pure { loss },
        delta => Total::Approximate { loss, delta: rational(delta, &place.field("delta"))? },
    })
}
