//! What certificates prove, as data.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::parse;
use lastbit_prove::check::Checked;
use lastbit_prove::derivation::{Reading, expression};
use lastbit_prove::endpoint::certificate::LossCertificate;
use lastbit_prove::logic::certificate as privacy;
use lastbit_prove::logic::kernel::Theorem;
use lastbit_prove::logic::refute::Neighbours;
use lastbit_real::Rational;
use serde::Serialize;

use crate::Number;
use crate::prove::statement;

/// Digits of bounds in JSON, and of losses.
const DIGITS: usize = 10;
pub(super) const LOSS_DIGITS: usize = 20;

/// The statement that a certificate proves, by kind.
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
    /// The range of the real result.
    pub range: [Number; 2],
    /// The expression that bounds the error everywhere, if there is one.
    pub at_most: Option<String>,
    /// The number of boxes.
    pub boxes: usize,
    /// The number of judgements on all boxes.
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
    /// The largest distance between neighbours.
    pub sensitivity: Number,
    /// The assumptions of the text, such as `if x in [0, 1]`; empty if it assumes nothing.
    pub scope: String,
    /// The values of its parameters.
    pub values: BTreeMap<String, String>,
    /// The claim of the text.
    pub claim: Option<String>,
    /// Whether the bound shows the claim.
    pub shows_the_claim: bool,
    /// Whether it is about no inputs at all; `None` if that is not known.
    pub vacuous: Option<bool>,
    /// The parts that an independent implementation of the rules checked.
    pub independent: Vec<&'static str>,
    /// The parts that the code that made the certificate recomputed.
    pub recomputed: Vec<&'static str>,
}

/// Privacy over the reals.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvedPrivacy {
    /// The mechanism.
    pub name: String,
    /// The privacy cost that is proved.
    pub cost: String,
    /// The claim, if there is one.
    pub claim: Option<String>,
    /// The parameters without a value, the neighbours, and what the text assumes: `for all eps > 0 and all |x<1> - x<2>| <= 1, if eps <= 2`.
    pub scope: String,
    /// Whether it is about no inputs at all; `None` if that is not known.
    pub vacuous: Option<bool>,
    /// The number of premises that were checked.
    pub premises: usize,
    /// The number of lemmas.
    pub lemmas: usize,
    /// The values of its parameters.
    pub values: BTreeMap<String, String>,
}

fn texts(values: &BTreeMap<String, Rational>) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

/// What a declaration of a text says about its inputs, without the comma before it.
fn scope(text: &str, name: &str, words: impl Fn(&File, &Declaration) -> String) -> String {
    let (file, _) = parse(text);
    let scope = file.declaration(name).map(|declaration| words(&file, declaration)).unwrap_or_default();
    scope.strip_prefix(", ").unwrap_or_default().to_owned()
}

pub(super) fn of_error(checked: &Checked) -> ProvedError {
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

pub(super) fn of_loss(certificate: &LossCertificate) -> ProvedLoss {
    let (loss, delta) = certificate.total();
    let claim = &certificate.claim;
    ProvedLoss {
        name: certificate.subject.declaration.clone(),
        loss: Number::at_most(loss, LOSS_DIGITS),
        delta: delta.map(|delta| Number::at_most(delta, LOSS_DIGITS)),
        argument: certificate.argument.clone(),
        sensitivity: Number::exact(&certificate.sensitivity, LOSS_DIGITS),
        scope: scope(&certificate.subject.text, &certificate.subject.declaration, statement::assumptions),
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

pub(super) fn notes(certificate: &LossCertificate, proved: &ProvedLoss) -> Vec<String> {
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

pub(super) fn of_privacy(
    certificate: &privacy::Certificate,
    theorem: &Theorem,
    neighbours: &Neighbours,
) -> ProvedPrivacy {
    ProvedPrivacy {
        name: certificate.declaration.clone(),
        cost: theorem.cost.to_string(),
        claim: theorem.claim.as_ref().map(ToString::to_string),
        scope: scope(&certificate.text, &certificate.declaration, |file, declaration| {
            statement::scope(file, declaration, &certificate.values)
        }),
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
