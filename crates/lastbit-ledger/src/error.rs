//! What the ledger refuses, and why.

use std::path::PathBuf;

use lastbit_real::{Rational, Rounding};

use crate::verify::Fault;

/// The reason why the ledger refused something. Nothing is charged and nothing is stored unless the variant says so.
///
/// Messages name identifiers, limits and losses, which are public; they never contain a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is something at the path where a ledger was to be created.
    #[error("{} exists already, and a ledger is never overwritten; open it, or choose another path", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// There is no file at the path.
    #[error("there is no ledger at {}; create it first", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a ledger: {reason}", path.display())]
    NotALedger {
        /// The path.
        path: PathBuf,
        /// What it is instead, and what to do.
        reason: String,
    },
    /// The ledger was written by another version.
    #[error("{} has format {found}, and this version reads format {known}; use a later version", path.display())]
    Version {
        /// The path.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The format that this version reads and writes.
        known: i64,
    },
    /// Somebody switched the file to a write-ahead log, so that a copy of it would lack the latest charges.
    #[error(
        "{} is in WAL mode, where a copy of the file lacks the latest charges; close all programs that use it and run: \
         sqlite3 {} 'PRAGMA journal_mode=DELETE'",
        path.display(),
        path.display()
    )]
    WriteAheadLog {
        /// The path.
        path: PathBuf,
    },
    /// The file is on a network file system, whose locks and syncs cannot be relied on.
    #[error(
        "{} is on a network file system ({kind}), whose locks may let two processes charge at once; \
         use a local disk, or force it if only one process ever writes",
        path.display()
    )]
    Network {
        /// The path.
        path: PathBuf,
        /// The kind of file system.
        kind: &'static str,
    },
    /// The file has a second name, under which a crash could not be recovered.
    #[error("{} has another hard link; remove the other name, since recovery after a crash goes by the name", path.display())]
    HardLink {
        /// The path.
        path: PathBuf,
    },
    /// Another process held the ledger for too long.
    #[error("{} was in use by another process for {seconds} s; try again", path.display())]
    Busy {
        /// The path.
        path: PathBuf,
        /// How long this process waited.
        seconds: u64,
    },
    /// SQLite failed. If that happened at the end of a transaction, the entry may be stored or not: asking again tells.
    #[error("{doing} failed in {}: {reason}", path.display())]
    Database {
        /// The path of the ledger.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// SQLite's words.
        reason: String,
    },
    /// The operating system failed.
    #[error("{doing} failed for {}: {reason}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        reason: String,
    },
    /// A name of a dataset, analyst or release that is too long or has other characters.
    #[error("{what} {reason}")]
    Name {
        /// What was named.
        what: &'static str,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// A loss that is not positive.
    #[error("{what} must be positive, but is {}", value.to_short())]
    NotPositive {
        /// The kind of loss.
        what: &'static str,
        /// The value that was given.
        value: Rational,
    },
    /// A limit that is negative.
    #[error("{what} must not be negative, but is {}", value.to_short())]
    Negative {
        /// The kind of loss.
        what: &'static str,
        /// The value that was given.
        value: Rational,
    },
    /// A δ that is no probability, or 0 where some is needed.
    #[error("delta must be {needed}, but is {}", value.to_short())]
    NotProbability {
        /// What it must be.
        needed: &'static str,
        /// The value that was given.
        value: Rational,
    },
    /// A number with too many digits to be kept.
    #[error("{what} has {digits} digits, and {most} are kept; round it, a loss up and a limit down")]
    TooLong {
        /// The kind of number.
        what: &'static str,
        /// The digits of its numerator and denominator together.
        digits: usize,
        /// The most that are kept.
        most: usize,
    },
    /// A claim that is not JSON, or that is too long.
    #[error("the claim must be JSON of at most {most} bytes: {reason}")]
    BadClaim {
        /// The most bytes.
        most: usize,
        /// What is wrong.
        reason: String,
    },
    /// A dataset that nobody declared.
    #[error("the ledger has no dataset {dataset}; its owner must declare it, with a limit")]
    UnknownDataset {
        /// The dataset.
        dataset: String,
    },
    /// A dataset that was declared before.
    #[error("dataset {dataset} was declared before; change its limit instead")]
    DatasetExists {
        /// The dataset.
        dataset: String,
    },
    /// A loss about other neighbours than those of the dataset, to which it cannot be added.
    #[error(
        "dataset {dataset} counts losses between data that differ in: {declared}; \
         the release is about data that differ in: {asked}. Only losses about the same neighbours add"
    )]
    OtherNeighbours {
        /// The dataset.
        dataset: String,
        /// The neighbours that were declared for it.
        declared: String,
        /// The neighbours of the release.
        asked: String,
    },
    /// A zero-concentrated loss where a pure one is needed.
    #[error(
        "the limit of {scope} is in pure epsilon, and no pure loss follows from a zero-concentrated one; \
         use a limit in rho, or in epsilon and delta by a filter"
    )]
    NoPureLoss {
        /// Whose limit it is.
        scope: String,
    },
    /// A release that would exceed a limit.
    #[error(
        "the release costs {quantity} = {}, but of the limit of {scope} only {} is left{}",
        asked.to_short(),
        left.to_short(),
        approximately(left)
    )]
    Exceeded {
        /// Whose limit it is.
        scope: String,
        /// What is limited: `epsilon`, `rho` or `delta`.
        quantity: &'static str,
        /// The cost of the release.
        asked: Box<Rational>,
        /// What is left.
        left: Box<Rational>,
    },
    /// An id that was charged for another release.
    #[error("release id {id} was used for another release: {} differ; choose another id", listed(differs))]
    IdTaken {
        /// The id.
        id: String,
        /// What differs. The values are not told.
        differs: Vec<Difference>,
    },
    /// A result of a release that was never charged.
    #[error("release {id} was not reserved, so that its result cannot be stored or shown")]
    NotReserved {
        /// The id.
        id: String,
    },
    /// A result that is too large to be stored.
    #[error("the result has {bytes} bytes, and {most} can be stored; release fewer groups at once")]
    ResultTooLarge {
        /// Its size.
        bytes: usize,
        /// The most that can be stored.
        most: usize,
    },
    /// The file with a large result is gone, or is not what was stored.
    #[error("the result of release {id} cannot be given again: {} {problem}", path.display())]
    ResultLost {
        /// The id.
        id: String,
        /// The file that holds the result.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An entry that cannot have been written by this program, or was changed afterwards.
    #[error("the ledger is broken at {}: {fault}", at(*entry))]
    Broken {
        /// The number of the first broken entry; `None` if the file as a whole is broken.
        entry: Option<u64>,
        /// What is wrong.
        fault: Fault,
    },
}

/// A part of a release that an id was charged for, and that differs from what is asked for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The hash of the specification.
    Specification,
    /// The dataset.
    Dataset,
    /// The analyst.
    Analyst,
    /// What neighbouring data differ in.
    Neighbours,
    /// The loss.
    Charge,
}

impl Difference {
    fn name(self) -> &'static str {
        match self {
            Difference::Specification => "the specifications",
            Difference::Dataset => "the datasets",
            Difference::Analyst => "the analysts",
            Difference::Neighbours => "the neighbours",
            Difference::Charge => "the charges",
        }
    }
}

fn listed(differs: &[Difference]) -> String {
    differs.iter().map(|difference| difference.name()).collect::<Vec<_>>().join(", ")
}

/// A decimal beside a fraction that is hard to read, rounded down: what is left must not look like more.
fn approximately(left: &Rational) -> String {
    match left.to_short().contains('/') {
        true => format!(" (about {})", left.to_decimal(6, Rounding::Down)),
        false => String::new(),
    }
}

fn at(entry: Option<u64>) -> String {
    entry.map_or("the file".to_owned(), |entry| format!("entry {entry}"))
}
