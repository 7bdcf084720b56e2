//! The proof that a ledger is whole: every hash, every sum and every rule again, from the first entry on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::charge::Totals;
use crate::entry::{self, Entry, Event};
use crate::ledger::scope;
use crate::request::BY_FIRST_RELEASE;
use crate::store::{Failure, SCHEMA};
use crate::{Digest, Error, Head, Ledger, Limit, Request};

/// What is wrong with an entry, or with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There are no entries.
    #[error("it has no entries, not even the first")]
    NoEntries,
    /// An entry is missing, or was moved.
    #[error("entry {expected} should be here: an entry was removed or moved")]
    Sequence {
        /// The number that should be here.
        expected: u64,
    },
    /// The hash is not that of the entry and those before it.
    #[error("its hash is not that of its contents after the entry before it: one of them was changed")]
    Hash,
    /// The last entries were removed.
    #[error("entries up to {last} were written, and then removed")]
    Truncated {
        /// The last entry that was written.
        last: u64,
    },
    /// Its columns are not as this program writes them.
    #[error("its columns are not as this program writes them")]
    Malformed,
    /// It breaks a rule of ledgers.
    #[error("{0}")]
    Rule(&'static str),
    /// It exceeds a limit.
    #[error("{0}")]
    OverLimit(String),
    /// The stored result is not the one that was hashed.
    #[error("the result is not the one that was stored")]
    ResultChanged,
    /// The file with a large result is missing, unreadable or changed.
    #[error("{0}")]
    ResultLost(String),
    /// The tables, indexes and triggers are not those of a ledger.
    #[error("{name} in the schema is not as it was created")]
    Schema {
        /// The name of the table, index or trigger.
        name: String,
    },
    /// SQLite finds the file damaged.
    #[error("SQLite finds the file damaged: {0}")]
    Damaged(String),
}

/// A ledger in which everything is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verified {
    /// The last entry.
    pub head: Head,
    /// How many releases were charged.
    pub charges: u64,
    /// How many of them ended.
    pub endings: u64,
}

impl Ledger {
    /// Walks through the whole ledger: each number, hash, column, rule and sum, each stored result, and the schema.
    ///
    /// What it cannot notice is a file replaced by an older or a newly made one: for that, compare with a head from elsewhere
    /// ([`contains_head`](Self::contains_head)).
    ///
    /// # Errors
    /// [`Error::Broken`] with the first entry that is wrong, and those of the file system.
    pub fn verify(&self) -> Result<Verified, Error> {
        let broken = |entry, fault| Failure::from(Error::Broken { entry, fault });
        self.store.read("verifying", |transaction| {
            // The full check: sums and ids are looked up in indexes, so these must have all entries, too.
            let damage: String = transaction.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
            if damage != "ok" {
                return Err(broken(None, Fault::Damaged(damage)));
            }
            let mut statement = transaction.prepare("SELECT * FROM entry ORDER BY seq")?;
            if statement.column_count() != entry::HASHED + 1 {
                return Err(broken(None, Fault::Schema { name: "entry".to_owned() }));
            }
            let mut rows = statement.query([])?;
            let (mut replay, mut head) = (Replay::default(), None::<Head>);
            while let Some(row) = rows.next()? {
                let expected = head.map_or(1, |head| head.entry + 1);
                let number = row.get::<_, i64>("seq")?;
                if u64::try_from(number) != Ok(expected) {
                    return Err(broken(Some(expected), Fault::Sequence { expected }));
                }
                let wrong = |fault| broken(Some(expected), fault);
                let entry = entry::read(row)?.ok_or_else(|| wrong(Fault::Malformed))?;
                if entry.hash != entry::hash_of(row, head)? {
                    return Err(wrong(Fault::Hash));
                }
                head = Some(Head { entry: entry.number, hash: entry.hash });
                replay.step(&entry).map_err(wrong)?;
                let inline = row.get::<_, Option<Vec<u8>>>("result")?;
                self.check_result(&entry, inline).map_err(wrong)?;
            }
            let head = head.ok_or_else(|| broken(None, Fault::NoEntries))?;
            check_schema(transaction)?;
            let sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'entry'";
            match transaction.query_one(sql, [], |row| row.get::<_, Option<i64>>(0))?.map(u64::try_from) {
                Some(Ok(last)) if last == head.entry => {}
                Some(Ok(last)) if last > head.entry => return Err(broken(None, Fault::Truncated { last })),
                _ => return Err(broken(None, Fault::Schema { name: "sqlite_sequence".to_owned() })),
            }
            Ok(Verified { head, charges: replay.charges, endings: replay.ended.len() as u64 })
        })
    }

    fn check_result(&self, entry: &Entry, inline: Option<Vec<u8>>) -> Result<(), Fault> {
        let Event::Ending(ending) = &entry.event else { return Ok(()) };
        let bytes = match inline {
            Some(bytes) => bytes,
            None => {
                let read = self.results.read(&ending.id, &ending.sha256);
                read.map_err(|error| Fault::ResultLost(error.to_string()))?
            }
        };
        let is_same = Digest::of(&bytes) == ending.sha256 && bytes.len() as u64 == ending.size;
        if is_same { Ok(()) } else { Err(Fault::ResultChanged) }
    }
}

/// Compares what the file defines with what a ledger defines. An added trigger could rewrite entries as they are written.
fn check_schema(transaction: &rusqlite::Transaction<'_>) -> Result<(), Failure> {
    let mut statement = transaction
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'")?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut found = found.collect::<rusqlite::Result<BTreeMap<String, String>>>()?;
    let wrong = |name: String| Failure::from(Error::Broken { entry: None, fault: Fault::Schema { name } });
    for sql in SCHEMA.split("\n\n").map(|sql| sql.trim().trim_end_matches(';')) {
        let name =
            sql.split(" ON ").next().and_then(|head| head.split_whitespace().find(|word| is_name(word)));
        let name = name.unwrap_or_default();
        if found.remove(name).as_deref() != Some(sql) {
            return Err(wrong(name.to_owned()));
        }
    }
    found.into_keys().next().map_or(Ok(()), |extra| Err(wrong(extra)))
}

/// Words of SQL are in capitals in the schema, names are not.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The rules of a ledger once more, on entries alone: this shares the comparison of charges with limits with the code that writes, and
/// nothing that reads the table.
#[derive(Default)]
struct Replay {
    datasets: BTreeMap<String, Dataset>,
    /// Charged releases.
    charged: BTreeSet<String>,
    ended: BTreeSet<String>,
    charges: u64,
    started: bool,
}

struct Dataset {
    neighbours: String,
    /// The limit and what was made of it, for all and for each analyst.
    scopes: BTreeMap<Option<String>, (Option<Limit>, Totals)>,
}

impl Replay {
    fn step(&mut self, entry: &Entry) -> Result<(), Fault> {
        let is_first = !std::mem::replace(&mut self.started, true);
        if is_first != matches!(entry.event, Event::Ledger { .. }) {
            return Err(Fault::Rule("the first entry, and no other, must create the ledger"));
        }
        match &entry.event {
            Event::Ledger { .. } => Ok(()),
            Event::Dataset { dataset, neighbours, limit } => {
                let scopes = BTreeMap::from([(None, (Some(limit.clone()), Totals::NONE))]);
                let declared = Dataset { neighbours: neighbours.clone(), scopes };
                match self.datasets.insert(dataset.clone(), declared) {
                    None => Ok(()),
                    Some(_) => Err(Fault::Rule("the dataset was declared before")),
                }
            }
            Event::Limit { dataset, analyst, limit } => {
                let scopes = &mut self.dataset(dataset)?.scopes;
                let (set, made) = scopes.entry(analyst.clone()).or_insert((None, Totals::NONE));
                *set = Some(limit.clone());
                match made.in_measure(limit.measure()) {
                    Some(_) => Ok(()),
                    None => Err(Fault::Rule("the limit is in a measure that earlier charges do not have")),
                }
            }
            Event::Charge(request) => self.charge(request),
            Event::Ending(ending) => {
                if !self.charged.contains(&ending.id) {
                    return Err(Fault::Rule("it ends a release that was not charged"));
                }
                match self.ended.insert(ending.id.clone()) {
                    true => Ok(()),
                    false => Err(Fault::Rule("the release ended before")),
                }
            }
        }
    }

    fn dataset(&mut self, name: &str) -> Result<&mut Dataset, Fault> {
        self.datasets.get_mut(name).ok_or(Fault::Rule("the dataset was not declared"))
    }

    fn charge(&mut self, request: &Request) -> Result<(), Fault> {
        let dataset = self.dataset(&request.dataset)?;
        if dataset.neighbours == BY_FIRST_RELEASE {
            dataset.neighbours.clone_from(&request.neighbours);
        }
        if dataset.neighbours != request.neighbours {
            return Err(Fault::Rule("the neighbours are not those of the dataset"));
        }
        for analyst in [None].into_iter().chain(request.analyst.clone().map(Some)) {
            let scope = || scope(&request.dataset, analyst.as_deref());
            let (limit, made) = dataset.scopes.entry(analyst.clone()).or_insert((None, Totals::NONE));
            if let Some(limit) = limit {
                limit
                    .admit(&request.charge, made, scope)
                    .map_err(|error| Fault::OverLimit(error.to_string()))?;
            }
            made.add(&request.charge, 1);
        }
        self.charges += 1;
        match self.charged.insert(request.id.clone()) {
            true => Ok(()),
            false => Err(Fault::Rule("the release was charged before")),
        }
    }
}
