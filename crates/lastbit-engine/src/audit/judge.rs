//! Claims against what was found.

use lastbit_audit::{Comparison, ExactLoss as FoundLoss};
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use super::Wishes;
use crate::number::decimal;
use crate::{Judgement, Number};

/// Bits of a loss that is compared with a claim: to begin with, and at most.
const BITS: [u32; 2] = [128, 1 << 12];
/// Digits of claims.
const DIGITS: usize = 20;

/// A claim about the loss, and whether it holds.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct JudgedClaim {
    /// The source of the claim.
    pub source: ClaimSource,
    /// `ε`
    pub epsilon: Number,
    /// `δ`, if the claim is not of pure differential privacy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Number>,
    /// The loss minus `ε`, where that is enclosed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excess: Option<Number>,
    /// Whether it holds, between the inputs of the audit or between all that were searched.
    pub verdict: Judgement,
    /// The same in words.
    pub words: String,
}

/// The source of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimSource {
    /// The limit that the loss was to be judged by.
    FailAbove,
    /// `claim …` of a text.
    Text,
    /// Theorem A of docs/errata.md, which the shipped function claims.
    TheoremA,
    /// The same mechanism over the reals.
    Reals,
    /// The mechanism of the library.
    Library,
}

impl ClaimSource {
    /// The source, in words.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            ClaimSource::FailAbove => "the limit that was given",
            ClaimSource::Text => "claimed by the text",
            ClaimSource::TheoremA => "claimed by Theorem A",
            ClaimSource::Reals => "what it loses over the reals",
            ClaimSource::Library => "claimed by the library",
        }
    }
}

impl JudgedClaim {
    /// A claim of pure differential privacy.
    pub(super) fn pure(source: ClaimSource, epsilon: &Rational, verdict: Judgement) -> JudgedClaim {
        let shown = short_number(epsilon);
        let words = format!("ε = {shown}: {} at these inputs", verdict.text());
        JudgedClaim {
            source,
            epsilon: Number::exact(epsilon, DIGITS),
            delta: None,
            excess: None,
            verdict,
            words,
        }
    }
}

/// A claimed number: exact if that is short.
fn short_number(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= DIGITS { exact } else { decimal(value, DIGITS, Rounding::Up) }
}

/// Whether a loss, known to so many bits as asked, is at most `epsilon`.
pub(super) fn judge<O: Clone>(comparison: &Comparison<O>, epsilon: &Rational, is_open: bool) -> Judgement {
    let [mut bits, most] = BITS;
    loop {
        match at_most(&comparison.loss(bits), epsilon) {
            Judgement::Holds if is_open => return Judgement::Undecided,
            Judgement::Undecided if bits < most => bits *= 2,
            known => return known,
        }
    }
}

/// Whether a loss is at most `epsilon`.
pub(super) fn at_most(loss: &FoundLoss, epsilon: &Rational) -> Judgement {
    let (lo, hi) = match loss {
        FoundLoss::Infinite => return Judgement::Violated,
        FoundLoss::Finite(loss) => (loss.lo(), Some(loss.hi())),
        FoundLoss::AtLeast(least) => (least, None),
    };
    match hi {
        _ if lo.cmp_rational(epsilon).is_gt() => Judgement::Violated,
        Some(hi) if !hi.cmp_rational(epsilon).is_gt() => Judgement::Holds,
        _ => Judgement::Undecided,
    }
}

/// The limit of the wishes, put before what is claimed.
pub(super) fn with_limit(
    wishes: &Wishes,
    mut claims: Vec<JudgedClaim>,
    judge: impl FnOnce(&Rational) -> Judgement,
) -> (Option<Judgement>, Vec<JudgedClaim>) {
    if let Some(limit) = &wishes.fail_above {
        claims.insert(0, JudgedClaim::pure(ClaimSource::FailAbove, limit, judge(limit)));
    }
    (claims.first().map(|claim| claim.verdict), claims)
}
