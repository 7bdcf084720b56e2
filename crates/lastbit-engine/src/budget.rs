//! Budgets that outlive the process: a ledger that is made, shown, limited and verified.
//!
//! ```
//! use lastbit_engine::budget::{self, Amount};
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("budget.db");
//! let amount = Amount::Pure { epsilon: "3".parse()? };
//! budget::create(&path, "trips-2026", Some("rider"), &amount, false)?;
//! let shown = budget::show(&path, false)?;
//! assert_eq!(shown.text().lines().next(), Some("trips-2026: ε = 3 left of 3, 0 releases, one rider added or removed"));
//! assert!(budget::verify(&path, None, false)?.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::Write;
use std::path::Path;

use lastbit_ledger::{
    Budget, Entry, Error, Event, Export, Fault, Head, Ledger, Limit, Measure, Options, Outcome, Standing,
};
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use crate::ledger::{neighbours, open, refused};
use crate::number::decimal;
use crate::{Refusal, Schema};

/// Digits of what is left.
const DIGITS: usize = 6;

/// The most that releases may cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Amount {
    /// Pure losses that add to at most this.
    Pure {
        /// ε.
        epsilon: Rational,
    },
    /// Zero-concentrated losses that add to at most this; pure ones are converted.
    ZeroConcentrated {
        /// ρ.
        rho: Rational,
    },
    /// Whatever is (ε, δ)-differentially private together, by zero-concentrated losses.
    Approximate {
        /// ε.
        epsilon: Rational,
        /// δ.
        delta: Rational,
    },
}

impl Amount {
    fn limit(&self) -> Result<Limit, Refusal> {
        match self.clone() {
            Amount::Pure { epsilon } => Limit::pure(epsilon),
            Amount::ZeroConcentrated { rho } => Limit::zero_concentrated(rho),
            Amount::Approximate { epsilon, delta } => Limit::by_filter(epsilon, delta),
        }
        .map_err(refused)
    }
}

/// The budgets of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Budgets {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "budget"`
    pub question: &'static str,
    /// The last entry.
    pub head: Head,
    /// The budgets of all datasets, each followed by those of its analysts.
    pub budgets: Vec<Budget>,
}

/// All entries of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct History {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "history"`
    pub question: &'static str,
    /// The entries, in order.
    pub entries: Vec<Entry>,
}

/// What a check of a ledger found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "verify"`
    pub question: &'static str,
    /// Whether all hashes, sums and rules hold.
    pub whole: bool,
    /// The first entry that is wrong, if it is known.
    pub entry: Option<u64>,
    /// What is wrong.
    pub problem: Option<String>,
    /// The last entry of a whole ledger.
    pub head: Option<Head>,
    /// `contained`, `missing` or `different`: whether the ledger has the entry that was asked for.
    pub asked: Option<&'static str>,
    /// How many releases were charged.
    pub charges: u64,
}

/// Declares a dataset, in a new ledger if there is none at the path. Without a `unit` the first release settles it.
///
/// # Errors
/// What the ledger refuses; a file that is no ledger.
pub fn create(
    path: &Path,
    dataset: &str,
    unit: Option<&str>,
    amount: &Amount,
    force_network: bool,
) -> Result<Budgets, Refusal> {
    let limit = amount.limit()?;
    let mut ledger = match Ledger::open(path, &options(force_network)) {
        Err(Error::Missing { .. }) => Ledger::create(path, &options(force_network)).map_err(refused)?,
        opened => opened.map_err(refused)?,
    };
    let declared = match unit {
        Some(unit) => ledger.declare(dataset, &neighbours(unit), &limit),
        None => ledger.declare_open(dataset, &limit),
    };
    declared.map_err(refused)?;
    shown(&ledger)
}

/// Sets another limit.
///
/// # Errors
/// What the ledger refuses.
pub fn limit(
    path: &Path,
    dataset: &str,
    analyst: Option<&str>,
    amount: &Amount,
    force_network: bool,
) -> Result<Budgets, Refusal> {
    let limit = amount.limit()?;
    let mut ledger = open(path, force_network)?;
    ledger.set_limit(dataset, analyst, &limit).map_err(refused)?;
    shown(&ledger)
}

/// What was spent, and what is left.
///
/// # Errors
/// A ledger that cannot be read.
pub fn show(path: &Path, force_network: bool) -> Result<Budgets, Refusal> {
    shown(&open(path, force_network)?)
}

/// All entries.
///
/// # Errors
/// A ledger that cannot be read.
pub fn history(path: &Path, force_network: bool) -> Result<History, Refusal> {
    let entries = open(path, force_network)?.history().map_err(refused)?;
    Ok(History { schema: Schema, question: "history", entries })
}

/// The whole ledger as data, verified.
///
/// # Errors
/// A ledger that cannot be read, or is broken.
pub fn export(path: &Path, force_network: bool) -> Result<Export, Refusal> {
    open(path, force_network)?.export().map_err(refused)
}

/// Checks everything, and whether the ledger has the entry that a claim names.
///
/// # Errors
/// A ledger that cannot be read at all; a head that is none.
pub fn verify(path: &Path, head: Option<&str>, force_network: bool) -> Result<Verification, Refusal> {
    let head: Option<Head> = head.map(str::parse).transpose().map_err(|error| {
        Refusal::usage(format!("{error}"), "give the head as the claim has it, such as 17:3f…")
    })?;
    let ledger = match open_or_broken(path, force_network)? {
        Ok(ledger) => ledger,
        Err((entry, fault)) => return Ok(Verification::broken(entry, &fault)),
    };
    let verified = match ledger.verify() {
        Ok(verified) => verified,
        Err(Error::Broken { entry, fault }) => return Ok(Verification::broken(entry, &fault)),
        Err(error) => return Err(refused(error)),
    };
    let standing = head.map(|head| ledger.contains_head(&head)).transpose().map_err(refused)?;
    Ok(Verification {
        schema: Schema,
        question: "verify",
        whole: true,
        entry: None,
        problem: None,
        head: Some(verified.head),
        asked: standing.map(|standing| match standing {
            Standing::Contained => "contained",
            Standing::Missing { .. } => "missing",
            Standing::Different => "different",
        }),
        charges: verified.charges,
    })
}

type Broken = (Option<u64>, Fault);

fn open_or_broken(path: &Path, force_network: bool) -> Result<Result<Ledger, Broken>, Refusal> {
    match Ledger::open(path, &options(force_network)) {
        Ok(ledger) => Ok(Ok(ledger)),
        Err(Error::Broken { entry, fault }) => Ok(Err((entry, fault))),
        Err(error) => Err(refused(error)),
    }
}

fn options(force_network: bool) -> Options {
    let usual = Options::default();
    if force_network { usual.forcing_network() } else { usual }
}

fn shown(ledger: &Ledger) -> Result<Budgets, Refusal> {
    let budgets = ledger.budgets().map_err(refused)?;
    Ok(Budgets { schema: Schema, question: "budget", head: ledger.head().map_err(refused)?, budgets })
}

fn symbol(measure: Measure) -> &'static str {
    if measure == Measure::Pure { "ε" } else { "ρ" }
}

fn plural(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

impl Budgets {
    /// A line for each budget, and the head.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for budget in &self.budgets {
            let who = match &budget.analyst {
                Some(analyst) => format!("  {analyst} on {}", budget.dataset),
                None => budget.dataset.clone(),
            };
            let left = decimal(&budget.left, DIGITS, Rounding::Down);
            let of = match &budget.limit {
                Some(limit) => format!(" of {}", decimal(limit.amount(), DIGITS, Rounding::Down)),
                None => String::new(),
            };
            let target = budget.limit.as_ref().and_then(Limit::target).map_or(String::new(), |target| {
                format!(", for (ε, δ) = ({}, {})", target.epsilon.to_short(), target.delta.to_short())
            });
            let unfinished = match budget.unfinished {
                0 => String::new(),
                n => format!(" ({n} unfinished)"),
            };
            let _ = writeln!(
                text,
                "{who}: {} = {left} left{of}{target}, {}{unfinished}, {}",
                symbol(budget.measure),
                plural(budget.charges, "release"),
                budget.neighbours
            );
        }
        let _ = writeln!(text, "head {}", self.head);
        text
    }
}

impl History {
    /// A line for each entry.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let _ = writeln!(text, "{:>5}  {}  {}", entry.number, utc(entry.time), said(&entry.event));
        }
        text
    }
}

fn said(event: &Event) -> String {
    let limited = |limit: &Limit| format!("{} = {}", symbol(limit.measure()), limit.amount().to_short());
    match event {
        Event::Ledger { .. } => "ledger created".to_owned(),
        Event::Dataset { dataset, limit, .. } => format!("dataset {dataset}: limit {}", limited(limit)),
        Event::Limit { dataset, analyst, limit } => {
            let of = analyst.as_ref().map_or(String::new(), |analyst| format!(" for {analyst}"));
            format!("dataset {dataset}{of}: limit {}", limited(limit))
        }
        Event::Charge(request) => format!(
            "release {}: {} = {} charged to {}",
            request.id,
            symbol(request.charge.measure()),
            request.charge.amount().to_short(),
            request.dataset
        ),
        Event::Ending(ending) => match ending.outcome {
            Outcome::Result => format!("release {}: {} stored", ending.id, plural(ending.size, "byte")),
            Outcome::Failure => format!("release {}: failed, stays charged", ending.id),
        },
        _ => "an entry of another kind".to_owned(),
    }
}

/// `2026-11-19 06:07:07`, from seconds since 1970 (Hinnant's algorithm for days).
fn utc(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}", second % 60)
}

impl Verification {
    fn broken(entry: Option<u64>, fault: &Fault) -> Verification {
        Verification {
            schema: Schema,
            question: "verify",
            whole: false,
            entry,
            problem: Some(fault.to_string()),
            head: None,
            asked: None,
            charges: 0,
        }
    }

    /// Whether the ledger is whole, and has the entry that was asked for.
    pub fn holds(&self) -> bool {
        self.whole && self.asked.is_none_or(|asked| asked == "contained")
    }

    /// The verdict first.
    pub fn text(&self) -> String {
        if let Some(problem) = &self.problem {
            let at = self.entry.map_or(String::new(), |entry| format!(" at entry {entry}"));
            return format!("BROKEN{at}: {problem}\n");
        }
        let head = self.head.as_ref().map_or(String::new(), Head::to_string);
        match self.asked {
            Some("missing") => format!(
                "MISSING: the ledger ends before that entry: it was restored from an older copy, or is another ledger; charges may be missing\n  head {head}\n"
            ),
            Some("different") => format!(
                "DIFFERENT: the ledger has another entry of that number: it was restored from an older copy and used since, or is another ledger; \
                 charges may be missing\n  head {head}\n"
            ),
            Some(_) => format!(
                "HOLDS: all hashes, sums and rules, and it has that entry; {}\n  head {head}\n",
                plural(self.charges, "release")
            ),
            None => format!(
                "HOLDS: all hashes, sums and rules; {}\n  head {head}\n",
                plural(self.charges, "release")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(utc(951_868_800), "2000-03-01 00:00:00");
        assert_eq!(utc(1_795_068_427), "2026-11-19 06:07:07");
        assert_eq!(utc(-1), "1969-12-31 23:59:59");
    }
}
