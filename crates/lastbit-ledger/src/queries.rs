//! What the table says about a dataset or a release.

use rusqlite::{Transaction, params};

use crate::charge::Totals;
use crate::entry::{self, Ending, Entry, Event};
use crate::ledger::Stored;
use crate::request::BY_FIRST_RELEASE;
use crate::results::Results;
use crate::store::Failure;
use crate::verify::Fault;
use crate::{Digest, Error, Head, Limit, Request};

/// What neighbouring data of a dataset differ in, as its declaration or its first release says.
pub(crate) fn declared(transaction: &Transaction<'_>, dataset: &str) -> Result<String, Failure> {
    let neighbours = declaration(transaction, dataset)?
        .ok_or_else(|| Error::UnknownDataset { dataset: dataset.to_owned() })?;
    if neighbours != BY_FIRST_RELEASE {
        return Ok(neighbours);
    }
    let first = one(transaction, "kind = 'charge' AND dataset = ?1 ORDER BY seq LIMIT 1", params![dataset])?;
    Ok(match first {
        Some(Found { entry: Entry { event: Event::Charge(request), .. }, .. }) => request.neighbours,
        _ => neighbours,
    })
}

pub(crate) fn declaration(transaction: &Transaction<'_>, dataset: &str) -> Result<Option<String>, Failure> {
    match one(transaction, "kind = 'dataset' AND dataset = ?1", params![dataset])? {
        Some(Found { entry: Entry { event: Event::Dataset { neighbours, .. }, .. }, .. }) => {
            Ok(Some(neighbours))
        }
        _ => Ok(None),
    }
}

/// The entry that charges a release.
pub(crate) fn charged(transaction: &Transaction<'_>, id: &str) -> Result<Option<(Head, Request)>, Failure> {
    match one(transaction, "kind = 'charge' AND id = ?1", params![id])? {
        Some(Found { entry: Entry { event: Event::Charge(request), number: entry, hash, .. }, .. }) => {
            Ok(Some((Head { entry, hash }, request)))
        }
        _ => Ok(None),
    }
}

/// An end of a release as it is in the table.
pub(crate) struct End {
    pub(crate) head: Head,
    ending: Ending,
    inline: Option<Vec<u8>>,
}

impl End {
    pub(crate) fn load(self, claim: String, results: &Results) -> Result<Stored, Error> {
        let Ending { id, outcome, sha256, .. } = self.ending;
        let bytes = match self.inline {
            Some(bytes) if Digest::of(&bytes) == sha256 => bytes,
            Some(_) => {
                return Err(Error::Broken { entry: Some(self.head.entry), fault: Fault::ResultChanged });
            }
            None => results.read(&id, &sha256)?,
        };
        Ok(Stored { outcome, bytes, claim, head: self.head, is_new: false })
    }
}

pub(crate) fn ending(transaction: &Transaction<'_>, id: &str) -> Result<Option<End>, Failure> {
    match one(transaction, "kind IN ('result', 'failure') AND id = ?1", params![id])? {
        Some(Found { entry: Entry { event: Event::Ending(ending), number: entry, hash, .. }, inline }) => {
            Ok(Some(End { head: Head { entry, hash }, ending, inline }))
        }
        _ => Ok(None),
    }
}

/// The latest entry of a dataset that has a fingerprint of its input.
pub(crate) fn latest_input(
    transaction: &Transaction<'_>,
    dataset: &str,
) -> Result<Option<(u64, String)>, Failure> {
    let condition = "kind = 'charge' AND dataset = ?1 AND fingerprint IS NOT NULL ORDER BY seq DESC LIMIT 1";
    match one(transaction, condition, params![dataset])? {
        Some(Found { entry: Entry { event: Event::Charge(request), number, .. }, .. }) => {
            Ok(request.fingerprint.map(|input| (number, input)))
        }
        _ => Ok(None),
    }
}

/// An entry, and the bytes that are in it.
struct Found {
    entry: Entry,
    inline: Option<Vec<u8>>,
}

/// The entry for which a condition holds, and the bytes that are in it.
fn one(
    transaction: &Transaction<'_>,
    condition: &str,
    parameters: impl rusqlite::Params,
) -> Result<Option<Found>, Failure> {
    let mut statement = transaction.prepare(&format!("SELECT * FROM entry WHERE {condition}"))?;
    let mut rows = statement.query(parameters)?;
    let Some(row) = rows.next()? else { return Ok(None) };
    match entry::read(row)? {
        Some(entry) => Ok(Some(Found { entry, inline: row.get("result")? })),
        None => {
            let number: i64 = row.get("seq")?;
            Err(Error::Broken { entry: number.try_into().ok(), fault: Fault::Malformed }.into())
        }
    }
}

/// The limit in force for a dataset, or for an analyst if they have one.
pub(crate) fn limit_of(
    transaction: &Transaction<'_>,
    dataset: &str,
    analyst: Option<&str>,
) -> Result<Option<Limit>, Failure> {
    let condition =
        "kind IN ('dataset', 'limit') AND dataset = ?1 AND analyst IS ?2 ORDER BY seq DESC LIMIT 1";
    match one(transaction, condition, params![dataset, analyst])? {
        Some(Found {
            entry: Entry { event: Event::Dataset { limit, .. } | Event::Limit { limit, .. }, .. },
            ..
        }) => Ok(Some(limit)),
        _ => Ok(None),
    }
}

/// The sums of what was charged for a dataset, or for one analyst's releases from it. SQLite counts equal charges, so that there are few
/// exact numbers to add.
pub(crate) fn totals_of(
    transaction: &Transaction<'_>,
    dataset: &str,
    analyst: Option<&str>,
) -> Result<Totals, Failure> {
    let sql = "SELECT measure, amount, delta, count(*) FROM entry WHERE kind = 'charge' AND dataset = ?1 \
               AND (?2 IS NULL OR analyst = ?2) GROUP BY measure, amount, delta";
    let mut statement = transaction.prepare(sql)?;
    let mut rows = statement.query(params![dataset, analyst])?;
    let mut totals = Totals::NONE;
    while let Some(row) = rows.next()? {
        let [measure, amount, delta] = [0, 1, 2].map(|column| row.get::<_, String>(column));
        let charge = entry::charge(&measure?, &amount?, &delta?)
            .ok_or(Error::Broken { entry: None, fault: Fault::Malformed })?;
        totals.add(&charge, row.get::<_, i64>(3)?.unsigned_abs());
    }
    Ok(totals)
}
