//! The answer as data.

use lastbit_account::{Answer, Composition, Interval, Method, Question as Asked};
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use super::{Question, Term, ends};
use crate::number::decimal;
use crate::{Number, Schema};

/// Digits of sums.
const SUM_DIGITS: usize = 10;

/// Digits of pictures.
const FEW_DIGITS: usize = 4;

/// Digits behind those that are certified: ends are rounded outward, and should not lie further apart for it.
const GUARD_DIGITS: usize = 4;

/// A number between two decimals, each rounded outward, with the exact ends behind them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ends {
    /// At most the number.
    pub lower: String,
    /// At least the number; `None` if no bound is known.
    pub upper: Option<String>,
    /// The ends as fractions.
    pub exact: ExactEnds,
}

/// The ends of an interval as fractions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExactEnds {
    /// At most the number.
    #[serde(serialize_with = "as_text")]
    pub lower: Rational,
    /// At least the number.
    #[serde(serialize_with = "maybe_as_text")]
    pub upper: Option<Rational>,
}

fn as_text<S: serde::Serializer>(x: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&x.to_string())
}

fn maybe_as_text<S: serde::Serializer>(x: &Option<Rational>, serializer: S) -> Result<S::Ok, S::Error> {
    match x {
        Some(x) => as_text(x, serializer),
        None => serializer.serialize_none(),
    }
}

impl Ends {
    fn new(interval: &Interval, digits: usize) -> Ends {
        let (lower, upper) = ends(interval);
        let digits = digits + GUARD_DIGITS;
        Ends {
            lower: decimal(lower, digits, Rounding::Down),
            upper: upper.map(|upper| decimal(upper, digits, Rounding::Up)),
            exact: ExactEnds { lower: lower.clone(), upper: upper.cloned() },
        }
    }
}

/// A number as it was asked about, or as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Side {
    /// It was given.
    Given(String),
    /// It was asked for.
    Found(Ends),
}

/// What is known at one `ε` or one `δ`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Given {
    /// `ε`.
    pub epsilon: Side,
    /// `δ`.
    pub delta: Side,
    /// The bound by the sum of pure losses; `None` if there is none.
    pub pure: Option<Number>,
    /// The bound by the sum of zero-concentrated losses; `None` if there is none.
    pub zero_concentrated: Option<Number>,
    /// The bounds by distributions of losses, or the closed form of Gaussian noise; `None` if they were not needed or too large.
    pub distributions: Option<Ends>,
    /// Where the upper end comes from: `pure`, `zero_concentrated`, `gaussian` or `distributions`; `None` if there is no upper end.
    pub used: Option<&'static str>,
    /// The question.
    #[serde(skip)]
    pub(super) asked: Asked,
    /// The answer.
    #[serde(skip)]
    pub(super) interval: Interval,
}

impl Given {
    pub(super) fn new(asked: &Asked, found: &Answer, digits: usize) -> Given {
        let sought = Side::Found(Ends::new(&found.interval, digits));
        let (epsilon, delta) = match asked {
            Asked::Delta { epsilon } => (Side::Given(epsilon.to_short()), sought),
            Asked::Epsilon { delta } => (sought, Side::Given(delta.to_short())),
        };
        let bound = |bound: &Option<Rational>| bound.as_ref().map(|x| Number::at_most(x, SUM_DIGITS));
        Given {
            epsilon,
            delta,
            pure: bound(&found.pure),
            zero_concentrated: bound(&found.zero_concentrated),
            distributions: found.distributions.as_ref().map(|interval| Ends::new(interval, digits)),
            used: found.used.map(|method| match method {
                Method::Pure => "pure",
                Method::ZeroConcentrated => "zero_concentrated",
                Method::Gaussian => "gaussian",
                _ => "distributions",
            }),
            asked: asked.clone(),
            interval: found.interval.clone(),
        }
    }
}

/// Releases with the same mechanism.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TermRow {
    /// The mechanism and its parameters as they were written.
    pub term: String,
    /// The number of releases.
    pub times: u64,
}

/// What an attacker can do who wants to know whether one unit is in the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attacker {
    /// How often somebody who thought both equally likely is right at most.
    pub right_at_most: Ends,
    /// The least share of misses at several shares of false alarms.
    pub trade_off: Vec<AttackerAt>,
    /// In words.
    pub sentence: String,
}

/// What an attacker misses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttackerAt {
    /// The share of those who are not in the data, and taken to be.
    pub false_alarms: String,
    /// The least share of those who are in the data, and not found.
    pub misses: Ends,
}

impl Attacker {
    pub(super) fn new(
        surest: &Interval,
        alarms: &[Rational],
        misses: &[Interval],
        digits: usize,
    ) -> Attacker {
        let percent = |x: &Rational| decimal(&(x * Rational::from(100)), FEW_DIGITS, Rounding::Up);
        let at_most = surest.upper.as_ref().map_or("100".to_owned(), percent);
        Attacker {
            right_at_most: Ends::new(surest, digits),
            trade_off: alarms
                .iter()
                .zip(misses)
                .map(|(alarm, misses)| AttackerAt {
                    false_alarms: alarm.to_short(),
                    misses: Ends::new(misses, FEW_DIGITS),
                })
                .collect(),
            sentence: format!(
                "whoever thought it equally likely that a person is in the data or not, and sees all releases, guesses right at most \
                 {at_most}% of the time"
            ),
        }
    }
}

/// A point of the curve `δ(ε)`, for pictures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// `ε`.
    pub epsilon: String,
    /// At most `δ`.
    pub lower: String,
    /// At least `δ`; `None` if no bound is known.
    pub upper: Option<String>,
}

fn curve_epsilon(epsilon: &Rational) -> String {
    decimal(epsilon, FEW_DIGITS + 2, Rounding::Nearest)
}

/// The number that a curve shows for this `ε`.
pub(super) fn shown_epsilon(epsilon: &Rational) -> Rational {
    curve_epsilon(epsilon).parse().unwrap_or_else(|_| epsilon.clone())
}

impl CurvePoint {
    pub(super) fn new(epsilon: Rational, delta: &Interval) -> CurvePoint {
        let (lower, upper) = ends(delta);
        CurvePoint {
            epsilon: curve_epsilon(&epsilon),
            lower: decimal(lower, FEW_DIGITS, Rounding::Down),
            upper: upper.map(|upper| decimal(upper, FEW_DIGITS, Rounding::Up)),
        }
    }
}

/// What many releases cost together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AccountAnswer {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "account"`
    pub question: &'static str,
    /// The releases.
    pub terms: Vec<TermRow>,
    /// How many they are.
    pub releases: u64,
    /// The number of units in which neighbours differ.
    pub group: u64,
    /// The sum of pure losses `ε`; `None` if one is infinite.
    pub pure: Option<Number>,
    /// The sum of zero-concentrated losses `ρ`; `None` if one is not known.
    pub zero_concentrated: Option<Number>,
    /// What is known, one for each question.
    pub results: Vec<Given>,
    /// What an attacker can do, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker: Option<Attacker>,
    /// Points of the curve `δ(ε)`, if that was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    #[serde(skip)]
    pub(super) digits: usize,
}

impl AccountAnswer {
    pub(super) fn new(
        question: &Question,
        releases: &Composition,
        results: Vec<Given>,
        attacker: Option<Attacker>,
        curve: Vec<CurvePoint>,
    ) -> AccountAnswer {
        let row = |term: &Term| TermRow { term: term.text.clone(), times: term.times };
        let count = |term: &Term| term.times.saturating_mul(term.mechanisms.len() as u64);
        let sum = |x: Option<Rational>| x.map(|x| Number::at_most(&x, SUM_DIGITS));
        AccountAnswer {
            schema: Schema,
            question: "account",
            terms: question.terms.iter().map(row).collect(),
            releases: question.terms.iter().map(count).fold(0, u64::saturating_add),
            group: question.group,
            pure: sum(releases.pure()),
            zero_concentrated: sum(releases.zero_concentrated()),
            results,
            attacker,
            curve,
            digits: question.digits,
        }
    }

    /// The answer as JSON, as docs/json.md describes it.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
