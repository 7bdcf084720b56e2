//! What many releases cost together.
//!
//! ```
//! use lastbit_account::Question as Asked;
//! use lastbit_engine::Watcher;
//! use lastbit_engine::account::{Question, Term};
//!
//! let thousand = Question {
//!     terms: vec![Term::parse("laplace:epsilon=0.1*1000")?],
//!     asked: vec![Asked::Epsilon { delta: "1e-6".parse()? }],
//!     ..Question::default()
//! };
//! let answer = thousand.answer(&Watcher::nobody())?;
//! assert_eq!(answer.headline(), "ε is at most 18.95030 at δ = 1e-6, for 1000 releases");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod calibration;
mod claims;
mod files;
mod term;
mod text;

pub use answer::{AccountAnswer, Attacker, AttackerAt, CurvePoint, Ends, ExactEnds, Given, Side, TermRow};
pub use calibration::{Calibration, CalibrationAnswer};
pub use files::terms_of;
pub use term::{Term, forms};

use std::cell::Cell;

use lastbit::{Budget, Claim};
use lastbit_account::{Composition, Error, Interval, Question as Asked, largest_rho};
use lastbit_real::{Rational, Rounding};

use crate::{Progress, Refusal, Watcher};

/// Releases, and what is to be known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The releases.
    pub terms: Vec<Term>,
    /// What is asked for, in order; the sums of pure and zero-concentrated losses are told in any case.
    pub asked: Vec<Asked>,
    /// The number of units in which neighbours differ.
    pub group: u64,
    /// The number of certified digits, if there is room.
    pub digits: usize,
    /// Whether to say what an attacker can do.
    pub attacker: bool,
    /// The number of points of the curve `δ(ε)`; 0 for none.
    pub curve: usize,
}

impl Default for Question {
    fn default() -> Question {
        Question { terms: Vec::new(), asked: Vec::new(), group: 1, digits: 6, attacker: false, curve: 0 }
    }
}

/// The most digits that can be asked for.
const MOST_DIGITS: usize = 15;

/// Digits of the ρ of a budget.
const READABLE: usize = 10;

/// The most points of a curve.
const MOST_POINTS: usize = 1000;

/// False alarms at which the misses of an attacker are told.
const ALARMS: [(i64, i64); 4] = [(1, 100), (1, 20), (1, 10), (1, 2)];

impl Question {
    /// What is known.
    ///
    /// # Errors
    /// What makes no sense, and what there is no room for; an interruption.
    pub fn answer(&self, watcher: &Watcher<'_>) -> Result<AccountAnswer, Refusal> {
        if self.terms.is_empty() {
            return Err(Refusal::usage(
                "there is no release to account for",
                format!("say what was released, such as laplace:epsilon=0.1*1000; known are:\n{}", forms()),
            ));
        }
        if self.digits == 0 || self.digits > MOST_DIGITS {
            return Err(Refusal::usage(
                format!("{} digits cannot be had", self.digits),
                format!("give a number from 1 to {MOST_DIGITS}"),
            ));
        }
        if self.curve > MOST_POINTS || self.curve == 1 {
            return Err(Refusal::usage(
                format!("a curve of {} points cannot be had", self.curve),
                format!("give a number from 2 to {MOST_POINTS}"),
            ));
        }
        let releases = self.releases()?;
        let steps = 1 + self.asked.len() + usize::from(self.attacker) + self.curve;
        let now = Cell::new(Progress { doing: "composing", share: Some(0.0), message: "" });
        let mut done = 0;
        let mut step = |doing| {
            now.set(Progress { doing, share: Some(done as f64 / steps as f64), message: "" });
            done += 1;
        };
        // A front end looks for its user's Ctrl-C while it is told.
        let goes_on = || {
            (watcher.progress)(now.get());
            !watcher.is_cancelled()
        };
        let accuracy = 10u64.pow(self.digits as u32);
        let mut results = Vec::new();
        for asked in &self.asked {
            step("composing");
            let found = releases.ask(asked, accuracy, &goes_on).map_err(|error| refused(&error))?;
            results.push(Given::new(asked, &found, self.digits));
        }
        let attacker = match self.attacker {
            true => {
                step("looking through an attacker's eyes");
                Some(self.attacked(&releases, &goes_on).map_err(|error| refused(&error))?)
            }
            false => None,
        };
        let curve = self.curve(&releases, &mut step, &goes_on).map_err(|error| refused(&error))?;
        Ok(AccountAnswer::new(self, &releases, results, attacker, curve))
    }

    /// The releases as the accountant has them.
    fn releases(&self) -> Result<Composition, Refusal> {
        let mut releases = Composition::new();
        for term in &self.terms {
            term.add_to(&mut releases)?;
        }
        match self.group {
            1 => Ok(releases),
            size => releases.for_group(size).map_err(|error| refused(&error)),
        }
    }

    fn attacked(&self, releases: &Composition, goes_on: &dyn Fn() -> bool) -> Result<Attacker, Error> {
        let alarms: Vec<Rational> =
            ALARMS.iter().map(|(n, d)| Rational::new(*n, *d).expect("not 0")).collect();
        let misses = releases.trade_off(&alarms, goes_on)?;
        Ok(Attacker::new(&releases.surest(goes_on)?, &alarms, &misses, self.digits))
    }

    /// `δ` at equally spaced `ε` from 0 to where it is below 10⁻¹², or to the sum of pure losses.
    fn curve(
        &self,
        releases: &Composition,
        step: &mut dyn FnMut(&'static str),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<CurvePoint>, Error> {
        if self.curve == 0 {
            return Ok(Vec::new());
        }
        let tiny = Rational::new(1, 1_000_000_000_000i64).expect("not 0");
        let reach = releases.ask(&Asked::Epsilon { delta: tiny }, 100, goes_on)?.interval;
        // Where even that says nothing: up to twice what is lost for sure.
        let end = reach.upper.unwrap_or_else(|| reach.lower * Rational::from(2)).max(Rational::pow2(-20));
        let last = Rational::from(self.curve as u64 - 1);
        (0..self.curve as u64)
            .map(|i| {
                step("drawing");
                // What is shown is what was asked about: next to the largest loss δ falls from something to 0.
                let epsilon = answer::shown_epsilon(&(&end * Rational::from(i) / &last));
                let delta = releases.ask(&Asked::Delta { epsilon: epsilon.clone() }, 100, goes_on)?.interval;
                Ok(CurvePoint::new(epsilon, &delta))
            })
            .collect()
    }
}

/// Terms for claims that hold together: about the same columns, or the same unit.
///
/// # Errors
/// Claims about different inputs, of which no loss together is known.
pub fn terms_of_claims(claims: &[Claim]) -> Result<Vec<Term>, Refusal> {
    if claims.len() > 1 {
        Claim::compose(claims)?;
    }
    claims.iter().map(Term::of_claim).collect()
}

/// A budget that keeps many releases (ε, δ)-differentially private, whatever they are chosen after: of the largest `ρ` that gives it.
///
/// ```
/// let budget = lastbit_engine::account::filter(&"1".parse()?, &"1e-6".parse()?)?;
/// assert_eq!(budget.total().to_decimal(4, lastbit::Rounding::Down), "0.02435");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An ε or a δ that is out of range.
pub fn filter(epsilon: &Rational, delta: &Rational) -> Result<Budget, Refusal> {
    let rho = largest_rho(epsilon, delta).map_err(|error| refused(&error))?;
    // Less is as good, and can be read.
    let rho: Rational = rho.to_decimal(READABLE, Rounding::Down).parse().unwrap_or(rho);
    Ok(Budget::zero_concentrated(rho)?)
}

fn refused(error: &Error) -> Refusal {
    match error {
        Error::Cancelled => Refusal::interrupted("the losses were composed"),
        other => Refusal::usage(other.to_string(), hint(other)),
    }
}

/// What to do.
fn hint(error: &Error) -> &'static str {
    match error {
        Error::NotPositive { .. } | Error::Negative { .. } => "give a number such as 0.1 or 1/10",
        Error::NoPrivacy { .. } => {
            "check the units: epsilon = sensitivity/scale, rho = sensitivity²/(2·scale²)"
        }
        Error::NoProbability { .. } => {
            "δ is the probability that the promise fails: well below one over the number of people"
        }
        Error::AboveOne { .. } => "a rate is the probability of taking a row, such as 1/256",
        Error::NoGroup { .. } => "leave the group out, or account for the others alone",
        Error::TooLarge { .. } => "a loss so large is no privacy: ask for less",
        Error::TooMany { .. } => "give a number of times from 1 to 1000000000",
        Error::TooFine => "round parameters to few digits, so that their losses have a common divisor",
        Error::Unknown => {
            "give the noise instead of its zero-concentrated loss, or ask for pure and zero-concentrated sums"
        }
        Error::NoNoise { .. } => "ask for a larger epsilon or delta",
        Error::NotWhole { .. } => "use noise for real numbers, or count in smaller units",
        _ => "lastbit account --help has examples",
    }
}

/// The ends of an interval as the accountant has them.
fn ends(interval: &Interval) -> (&Rational, Option<&Rational>) {
    (&interval.lower, interval.upper.as_ref())
}
