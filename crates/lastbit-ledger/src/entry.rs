//! Entries: what they say, the columns that hold it, and their hashes.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Row, params_from_iter};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::charge::{Measure, Target};
use crate::number::stored;
use crate::{Charge, Digest, Head, Limit, Request};

/// One entry of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// Its number, from 1.
    #[serde(rename = "entry")]
    pub number: u64,
    /// When it was written, in seconds since 1970 by the clock of that machine.
    pub time: i64,
    /// What it says.
    #[serde(flatten)]
    pub event: Event,
    /// Its hash, which covers all entries before it.
    pub hash: Digest,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// The ledger was created.
    Ledger {
        /// A random number, so that no two ledgers have the same heads.
        nonce: String,
    },
    /// A dataset was declared, with its first limit.
    Dataset {
        /// Its name.
        dataset: String,
        /// What neighbouring data differ in.
        neighbours: String,
        /// The most that all releases may cost.
        limit: Limit,
    },
    /// A limit was set, in place of an earlier one.
    Limit {
        /// The dataset.
        dataset: String,
        /// The analyst whose releases are limited; `None` if all are.
        analyst: Option<String>,
        /// The most that these releases may cost.
        limit: Limit,
    },
    /// A release was charged, before it was computed.
    Charge(Request),
    /// A release ended, and its result may be shown.
    Ending(Ending),
}

/// The end of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ending {
    /// The release.
    pub id: String,
    /// Whether it gave a result.
    pub outcome: Outcome,
    /// The bytes of the result, or of the message of a failure.
    pub size: u64,
    /// Their hash.
    pub sha256: Digest,
    /// Whether they are in a file beside the ledger.
    pub in_file: bool,
}

/// The way in which a release ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With a result.
    Result,
    /// With a message instead.
    Failure,
}

impl Outcome {
    fn kind(self) -> &'static str {
        match self {
            Outcome::Result => "result",
            Outcome::Failure => "failure",
        }
    }
}

/// Writes the text of a claim as the JSON that it is.
pub(crate) fn as_json<S: Serializer>(claim: &str, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(claim.to_owned()).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// The columns of an entry between its number and its hash, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Columns {
    time: i64,
    kind: String,
    dataset: Option<String>,
    analyst: Option<String>,
    id: Option<String>,
    spec: Option<String>,
    neighbours: Option<String>,
    measure: Option<String>,
    amount: Option<String>,
    delta: Option<String>,
    target_epsilon: Option<String>,
    target_delta: Option<String>,
    claim: Option<String>,
    fingerprint: Option<String>,
    size: Option<i64>,
    sha256: Option<String>,
    result: Option<Vec<u8>>,
}

impl Columns {
    /// The columns of what an entry says; `result` are the bytes that are kept in the entry itself.
    fn new(time: i64, event: &Event, result: Option<&[u8]>) -> Columns {
        let empty = Columns { time, result: result.map(<[u8]>::to_vec), ..Columns::default() };
        match event {
            Event::Ledger { nonce } => Columns { kind: "ledger".into(), id: Some(nonce.clone()), ..empty },
            Event::Dataset { dataset, neighbours, limit } => Columns {
                kind: "dataset".into(),
                dataset: Some(dataset.clone()),
                neighbours: Some(neighbours.clone()),
                ..empty.with_limit(limit)
            },
            Event::Limit { dataset, analyst, limit } => Columns {
                kind: "limit".into(),
                dataset: Some(dataset.clone()),
                analyst: analyst.clone(),
                ..empty.with_limit(limit)
            },
            Event::Charge(request) => Columns {
                kind: "charge".into(),
                dataset: Some(request.dataset.clone()),
                analyst: request.analyst.clone(),
                id: Some(request.id.clone()),
                spec: Some(request.spec.to_string()),
                neighbours: Some(request.neighbours.clone()),
                measure: Some(request.charge.measure().quantity().into()),
                amount: Some(request.charge.amount().to_string()),
                delta: Some(request.charge.delta().to_string()),
                claim: Some(request.claim.clone()),
                fingerprint: request.fingerprint.clone(),
                ..empty
            },
            Event::Ending(ending) => Columns {
                kind: ending.outcome.kind().into(),
                id: Some(ending.id.clone()),
                size: i64::try_from(ending.size).ok(),
                sha256: Some(ending.sha256.to_string()),
                ..empty
            },
        }
    }

    fn with_limit(self, limit: &Limit) -> Columns {
        Columns {
            measure: Some(limit.measure().quantity().into()),
            amount: Some(limit.amount().to_string()),
            delta: Some(limit.delta().to_string()),
            target_epsilon: limit.target().map(|target| target.epsilon.to_string()),
            target_delta: limit.target().map(|target| target.delta.to_string()),
            ..self
        }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Columns> {
        Ok(Columns {
            time: row.get("time")?,
            kind: row.get("kind")?,
            dataset: row.get("dataset")?,
            analyst: row.get("analyst")?,
            id: row.get("id")?,
            spec: row.get("spec")?,
            neighbours: row.get("neighbours")?,
            measure: row.get("measure")?,
            amount: row.get("amount")?,
            delta: row.get("delta")?,
            target_epsilon: row.get("target_epsilon")?,
            target_delta: row.get("target_delta")?,
            claim: row.get("claim")?,
            fingerprint: row.get("fingerprint")?,
            size: row.get("size")?,
            sha256: row.get("sha256")?,
            result: row.get("result")?,
        })
    }

    fn values(self, number: u64) -> Vec<Value> {
        vec![
            Value::Integer(number as i64),
            self.time.into(),
            self.kind.into(),
            self.dataset.into(),
            self.analyst.into(),
            self.id.into(),
            self.spec.into(),
            self.neighbours.into(),
            self.measure.into(),
            self.amount.into(),
            self.delta.into(),
            self.target_epsilon.into(),
            self.target_delta.into(),
            self.claim.into(),
            self.fingerprint.into(),
            self.size.into(),
            self.sha256.into(),
            self.result.into(),
        ]
    }

    /// What the entry says; `None` if this program would not have written it so.
    fn event(&self) -> Option<Event> {
        let columns = self.clone();
        let event = match columns.kind.as_str() {
            "ledger" => Event::Ledger { nonce: columns.id? },
            "dataset" => Event::Dataset {
                limit: self.limit()?,
                dataset: columns.dataset?,
                neighbours: columns.neighbours?,
            },
            "limit" => {
                Event::Limit { limit: self.limit()?, dataset: columns.dataset?, analyst: columns.analyst }
            }
            "charge" => Event::Charge(Request {
                charge: self.charge()?,
                id: columns.id?,
                spec: columns.spec?.parse().ok()?,
                dataset: columns.dataset?,
                analyst: columns.analyst,
                neighbours: columns.neighbours?,
                claim: columns.claim?,
                fingerprint: columns.fingerprint,
            }),
            kind => Event::Ending(Ending {
                outcome: [Outcome::Result, Outcome::Failure].into_iter().find(|it| it.kind() == kind)?,
                id: columns.id?,
                size: columns.size?.try_into().ok()?,
                sha256: columns.sha256?.parse().ok()?,
                in_file: columns.result.is_none(),
            }),
        };
        // What is written back must be the same, so that no column has anything that was overlooked.
        let is_same = Columns::new(self.time, &event, self.result.as_deref()) == *self;
        (is_same && (self.result.is_none() || matches!(event, Event::Ending(_)))).then_some(event)
    }

    fn charge(&self) -> Option<Charge> {
        charge(self.measure.as_ref()?, self.amount.as_ref()?, self.delta.as_ref()?)
    }

    fn limit(&self) -> Option<Limit> {
        let target = match (&self.target_epsilon, &self.target_delta) {
            (None, None) => None,
            (epsilon, delta) => {
                Some(Target { epsilon: stored(epsilon.as_ref()?)?, delta: stored(delta.as_ref()?)? })
            }
        };
        let measure = Measure::from_quantity(self.measure.as_ref()?)?;
        Limit::new(measure, stored(self.amount.as_ref()?)?, stored(self.delta.as_ref()?)?, target).ok()
    }
}

/// The charge that is stored so; `None` if it cannot have been written by this program.
pub(crate) fn charge(measure: &str, amount: &str, delta: &str) -> Option<Charge> {
    let amount = stored(amount)?;
    let charge = match Measure::from_quantity(measure)? {
        Measure::Pure => Charge::pure(amount),
        Measure::ZeroConcentrated => Charge::zero_concentrated(amount),
    };
    charge.ok()?.with_delta(stored(delta)?).ok()
}

/// The SHA-256 of the hash before and of the values, each as its type (1 integer, 3 text, 4 blob, 5 null, as in SQLite's interface) and,
/// unless null, its length in 8 bytes and its bytes; an integer's are 8, the largest first. No two rows have the same bytes.
fn chained<'a>(before: &Digest, values: impl Iterator<Item = ValueRef<'a>>) -> Digest {
    let mut bytes = before.as_bytes().to_vec();
    for value in values {
        let number;
        let (kind, content): (u8, &[u8]) = match value {
            ValueRef::Null => {
                bytes.push(5);
                continue;
            }
            ValueRef::Integer(integer) => {
                number = integer.to_be_bytes();
                (1, &number)
            }
            // STRICT tables without REAL columns have none; it would be read as malformed.
            ValueRef::Real(real) => {
                number = real.to_be_bytes();
                (2, &number)
            }
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(blob) => (4, blob),
        };
        bytes.push(kind);
        bytes.extend((content.len() as u64).to_be_bytes());
        bytes.extend(content);
    }
    Digest::of(&bytes)
}

/// The number of columns that a hash covers: all but the hash itself, which is the last.
pub(crate) const HASHED: usize = 18;

/// Adds an entry after `head`. Called within a transaction that holds the write lock.
pub(crate) fn append(
    connection: &rusqlite::Connection,
    head: Option<Head>,
    time: i64,
    event: &Event,
    result: Option<&[u8]>,
) -> rusqlite::Result<Head> {
    let number = head.map_or(0, |head| head.entry) + 1;
    let mut values = Columns::new(time, event, result).values(number);
    let hash = chained(&before(head), values.iter().map(ValueRef::from));
    values.push(Value::Text(hash.to_string()));
    let marks = vec!["?"; values.len()].join(", ");
    connection.execute(&format!("INSERT INTO entry VALUES ({marks})"), params_from_iter(values))?;
    Ok(Head { entry: number, hash })
}

fn before(head: Option<Head>) -> Digest {
    head.map_or(Digest::ZERO, |head| head.hash)
}

/// Reads an entry that was written by this program; `None` if it was not.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
    let (number, hash): (i64, String) = (row.get("seq")?, row.get("hash")?);
    let columns = Columns::read(row)?;
    Ok((|| {
        let event = columns.event()?;
        Some(Entry { number: number.try_into().ok()?, time: columns.time, event, hash: hash.parse().ok()? })
    })())
}

/// Computes the hash of a row that follows `head`.
pub(crate) fn hash_of(row: &Row<'_>, head: Option<Head>) -> rusqlite::Result<Digest> {
    let values = (0..HASHED).map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(chained(&before(head), values.into_iter()))
}
