//! Limits, and what was spent of them.

use lastbit_real::Rational;
use rusqlite::{Transaction, params};
use serde::Serialize;

use crate::number::{down, up};
use crate::queries::{declared, limit_of, totals_of};
use crate::store::Failure;
use crate::verify::Fault;
use crate::{Error, Ledger, Limit, Measure};

/// A limit, what was spent of it, and what is left.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Budget {
    /// The dataset.
    pub dataset: String,
    /// The analyst whose releases these are; `None` for all releases from the dataset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analyst: Option<String>,
    /// What neighbouring data of the dataset differ in.
    pub neighbours: String,
    /// The limit; `None` for an analyst who has none.
    pub limit: Option<Limit>,
    /// The measure of the sums: that of the limit, or else of the dataset's.
    pub measure: Measure,
    /// The sum of ε or ρ.
    #[serde(serialize_with = "up")]
    pub spent: Rational,
    /// The sum of δ.
    #[serde(serialize_with = "up")]
    pub spent_delta: Rational,
    /// The ε or ρ that is left, for the analyst within the dataset's limit; 0 if more was spent than a lowered limit.
    #[serde(serialize_with = "down")]
    pub left: Rational,
    /// The δ that is left, as well.
    #[serde(serialize_with = "down")]
    pub left_delta: Rational,
    /// How many releases were charged.
    pub charges: u64,
    /// How many of them have not ended: they may be computed again at no charge.
    pub unfinished: u64,
}

impl Ledger {
    /// The budgets of all datasets, each followed by those of its analysts.
    ///
    /// # Errors
    /// Those of the file system; [`Error::Broken`].
    pub fn budgets(&self) -> Result<Vec<Budget>, Error> {
        self.store.read("reading the budgets", |transaction| {
            let mut budgets = Vec::new();
            for dataset in names(transaction, "SELECT dataset FROM entry WHERE kind = 'dataset' ORDER BY dataset", [])? {
                let whole = budget(transaction, &dataset, None, None)?;
                let sql = "SELECT DISTINCT analyst FROM entry WHERE kind IN ('charge', 'limit') AND dataset = ?1 \
                           AND analyst IS NOT NULL ORDER BY analyst";
                let analysts = names(transaction, sql, [&dataset])?;
                budgets.push(whole.clone());
                for analyst in &analysts {
                    budgets.push(budget(transaction, &dataset, Some(analyst), Some(&whole))?);
                }
            }
            Ok(budgets)
        })
    }
}

/// The budget of a dataset, or of an analyst within the `whole` of it.
fn budget(
    transaction: &Transaction<'_>,
    dataset: &str,
    analyst: Option<&str>,
    whole: Option<&Budget>,
) -> Result<Budget, Failure> {
    let broken = || Failure::from(Error::Broken { entry: None, fault: Fault::Malformed });
    let neighbours = declared(transaction, dataset)?;
    let limit = limit_of(transaction, dataset, analyst)?;
    let measure =
        limit.as_ref().map(Limit::measure).or(whole.map(|whole| whole.measure)).ok_or_else(broken)?;
    let made = totals_of(transaction, dataset, analyst)?;
    // A limit in a measure is refused while there are charges that cannot be converted to it, and so are such charges afterwards.
    let spent = made.in_measure(measure).ok_or_else(broken)?.clone();
    let rest = |most: &Rational, spent: &Rational| (most - spent).max(Rational::ZERO);
    let (mut left, mut left_delta) = match (&limit, whole) {
        (Some(limit), _) => (rest(limit.amount(), &spent), rest(limit.delta(), &made.delta)),
        (None, Some(whole)) => (whole.left.clone(), whole.left_delta.clone()),
        (None, None) => return Err(broken()),
    };
    if let Some(whole) = whole.filter(|whole| whole.measure == measure) {
        left = left.min(whole.left.clone());
        left_delta = left_delta.min(whole.left_delta.clone());
    }
    let sql = "SELECT count(*) FROM entry AS charge WHERE kind = 'charge' AND dataset = ?1 AND (?2 IS NULL OR analyst = ?2) \
               AND NOT EXISTS (SELECT 1 FROM entry AS ending WHERE ending.kind IN ('result', 'failure') AND ending.id = charge.id)";
    let unfinished: i64 = transaction.query_one(sql, params![dataset, analyst], |row| row.get(0))?;
    Ok(Budget {
        dataset: dataset.to_owned(),
        analyst: analyst.map(str::to_owned),
        neighbours,
        limit,
        measure,
        spent,
        spent_delta: made.delta,
        left,
        left_delta,
        charges: made.charges,
        unfinished: unfinished.unsigned_abs(),
    })
}

fn names(
    transaction: &Transaction<'_>,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<String>, Failure> {
    let mut statement = transaction.prepare(sql)?;
    let names = statement.query_map(parameters, |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}
