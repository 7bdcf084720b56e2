//! The ledger: declared datasets, limits, and releases that are charged exactly once.

use std::fmt;
use std::path::Path;

use rusqlite::Transaction;

use crate::entry::{Ending, Event, Outcome};
use crate::queries::{charged, declaration, declared, ending, latest_input, limit_of, totals_of};
use crate::request::{BY_FIRST_RELEASE, check_name, check_text};
use crate::results::{LARGEST_INLINE, Results};
use crate::store::{Failure, Options, Store, add, head_where, last};
use crate::verify::Fault;
use crate::{Digest, Error, Head, Limit, Request};

/// A ledger of privacy losses in one file.
///
/// All methods that change it wait for other processes, and return only after the change is on the disk. An open ledger must not be used
/// in a process that was forked after it was opened.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) store: Store,
    pub(crate) results: Results,
}

/// What [`Ledger::reserve`] found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reserved {
    /// What to do now.
    pub reservation: Reservation,
    /// The entry that charges the release.
    pub charged: Head,
    /// What the owner should look at.
    pub warnings: Vec<Warning>,
}

/// Whether a release is still to be computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Reservation {
    /// It was charged now: compute it.
    New,
    /// It was charged before, and nothing was shown: compute it, at no charge.
    Unfinished,
    /// It was charged and computed before: show this again.
    Done(Stored),
}

/// The end of a release as it is stored: this, and nothing else, may be shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stored {
    /// Whether the bytes are a result or the message of a failure.
    pub outcome: Outcome,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The claim that was stored when the release was charged.
    pub claim: String,
    /// The entry that has the result, to be printed with the claim.
    pub head: Head,
    /// Whether these bytes were stored by this call. Otherwise they are those of whoever was first.
    pub is_new: bool,
}

/// Something that the owner of a dataset should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The input files are not those of an earlier release of the dataset.
    InputChanged {
        /// The dataset.
        dataset: String,
        /// The entry of the earlier release.
        since: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::InputChanged { dataset, since } => {
                write!(
                    f,
                    "the input of dataset {dataset} is not that of entry {since}; if these are other persons' data, declare another dataset"
                )
            }
        }
    }
}

/// Whether a head that was printed with a claim belongs to this ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The ledger has that entry, and so all before it.
    Contained,
    /// The ledger ends before that entry: it was restored from an older copy, or it is another ledger. Charges may be missing.
    Missing {
        /// The last entry of this ledger.
        last: Head,
    },
    /// The ledger has another entry of that number: it was restored from an older copy and used since, or it is another ledger. Charges may
    /// be missing.
    Different,
}

impl Ledger {
    /// Creates a ledger, readable by its owner alone. What exists is never overwritten.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Network`], and those of the file system.
    pub fn create(path: impl AsRef<Path>, options: &Options) -> Result<Ledger, Error> {
        let store = Store::create(path.as_ref(), options)?;
        Ok(Ledger { results: Results::beside(store.path()), store })
    }

    /// Opens a ledger, and finishes what an interrupted process left.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotALedger`], [`Error::Version`], [`Error::WriteAheadLog`], [`Error::Network`], [`Error::HardLink`],
    /// [`Error::Busy`], and those of the file system.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Ledger, Error> {
        let mut store = Store::open(path.as_ref(), options)?;
        let results = Results::beside(store.path());
        results.recover(&mut store)?;
        Ok(Ledger { store, results })
    }

    /// Declares a dataset with the most that all releases from it may cost. `neighbours` says what neighbouring data differ in, such as
    /// `one rider added or removed`; releases must say the same, since losses about other neighbours do not add.
    ///
    /// # Errors
    /// [`Error::DatasetExists`], [`Error::Name`].
    pub fn declare(&mut self, dataset: &str, neighbours: &str, limit: &Limit) -> Result<Head, Error> {
        check_name("the name of a dataset", dataset)?;
        check_text("the description of neighbours", neighbours)?;
        self.store.write("declaring a dataset", |transaction| {
            if declaration(transaction, dataset)?.is_some() {
                return Err(Error::DatasetExists { dataset: dataset.to_owned() }.into());
            }
            let (dataset, neighbours) = (dataset.to_owned(), neighbours.to_owned());
            add(transaction, &Event::Dataset { dataset, neighbours, limit: limit.clone() }, None)
        })
    }

    /// Declares a dataset whose first release settles what neighbouring data differ in: all later ones must say the same.
    ///
    /// # Errors
    /// As [`declare`](Self::declare).
    pub fn declare_open(&mut self, dataset: &str, limit: &Limit) -> Result<Head, Error> {
        self.declare(dataset, BY_FIRST_RELEASE, limit)
    }

    /// Sets the limit of a dataset, or of one analyst's releases from it, in place of an earlier one. What was spent stays spent, and may be
    /// more than a lower limit.
    ///
    /// # Errors
    /// [`Error::UnknownDataset`]; [`Error::NoPureLoss`] if the limit is in ε and a release was charged in ρ; [`Error::Name`].
    pub fn set_limit(&mut self, dataset: &str, analyst: Option<&str>, limit: &Limit) -> Result<Head, Error> {
        check_name("the name of a dataset", dataset)?;
        analyst.iter().try_for_each(|analyst| check_name("the name of an analyst", analyst))?;
        self.store.write("setting a limit", |transaction| {
            declared(transaction, dataset)?;
            let made = totals_of(transaction, dataset, analyst)?;
            if made.in_measure(limit.measure()).is_none() {
                return Err(Error::NoPureLoss { scope: scope(dataset, analyst) }.into());
            }
            let (dataset, analyst) = (dataset.to_owned(), analyst.map(str::to_owned));
            add(transaction, &Event::Limit { dataset, analyst, limit: limit.clone() }, None)
        })
    }

    /// Whether [`reserve`](Self::reserve) would find that the release was charged before. Nothing is charged, and another process may be faster.
    ///
    /// # Errors
    /// As `reserve` would now refuse the release.
    pub fn preview(&self, request: &Request) -> Result<bool, Error> {
        request.check()?;
        self.store.read("looking whether a release fits", |transaction| {
            match charged(transaction, &request.id)? {
                Some((_, before)) => same_release(request, &before).map(|()| true),
                None => admit(transaction, request).map(|()| false),
            }
        })
    }

    /// Charges a release, unless it was charged before. When this returns, the charge is on the disk: only then compute the release.
    ///
    /// # Errors
    /// [`Error::Exceeded`], [`Error::NoPureLoss`], [`Error::IdTaken`], [`Error::UnknownDataset`], [`Error::OtherNeighbours`],
    /// [`Error::Name`], [`Error::BadClaim`]: nothing is charged. [`Error::ResultLost`] if it ended before.
    pub fn reserve(&mut self, request: &Request) -> Result<Reserved, Error> {
        request.check()?;
        let (reserved, ended) = self.store.write("charging a release", |transaction| {
            let Some((charged, before)) = charged(transaction, &request.id)? else {
                // Without a fingerprint there is nothing to compare, and no need to look through all charges.
                let earlier = match request.fingerprint {
                    Some(_) => latest_input(transaction, &request.dataset)?,
                    None => None,
                };
                let warnings = changed_input(request, earlier);
                let charged = charge(transaction, request)?;
                return Ok((Reserved { reservation: Reservation::New, charged, warnings }, None));
            };
            same_release(request, &before)?;
            let warnings = changed_input(request, before.fingerprint.map(|input| (charged.entry, input)));
            let ended = ending(transaction, &request.id)?.map(|end| (end, before.claim));
            Ok((Reserved { reservation: Reservation::Unfinished, charged, warnings }, ended))
        })?;
        match ended {
            None => Ok(reserved),
            Some((end, claim)) => {
                let stored = end.load(claim, &self.results)?;
                Ok(Reserved { reservation: Reservation::Done(stored), ..reserved })
            }
        }
    }

    /// Stores the result of a release that was charged. Show what this returns: if another process was first, it is that one's result.
    ///
    /// # Errors
    /// [`Error::NotReserved`], [`Error::ResultTooLarge`], and those of the file system. Show nothing then, and ask again.
    pub fn finish(&mut self, id: &str, result: &[u8]) -> Result<Stored, Error> {
        self.end(id, Outcome::Result, result)
    }

    /// Ends a release with a message instead of a result. It stays charged, and asked again it gives the message: computed again it might
    /// succeed, and both outcomes together would tell more than was charged. The message must not have private values.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn fail(&mut self, id: &str, message: &str) -> Result<Stored, Error> {
        self.end(id, Outcome::Failure, message.as_bytes())
    }

    fn end(&mut self, id: &str, outcome: Outcome, bytes: &[u8]) -> Result<Stored, Error> {
        /// SQLite's numbers of bytes are below 2³¹, and larger results belong in no ledger.
        const MOST: usize = 1 << 30;
        if bytes.len() > MOST {
            return Err(Error::ResultTooLarge { bytes: bytes.len(), most: MOST });
        }
        let (sha256, in_file) = (Digest::of(bytes), bytes.len() > LARGEST_INLINE);
        let results = &self.results;
        let (head, claim, first) = self.store.write("storing a result", |transaction| {
            let Some((_, request)) = charged(transaction, id)? else {
                return Err(Error::NotReserved { id: id.to_owned() }.into());
            };
            if let Some(first) = ending(transaction, id)? {
                return Ok((first.head, request.claim, Some(first)));
            }
            if in_file {
                results.write(&sha256, bytes)?;
            }
            let ending = Ending { id: id.to_owned(), outcome, size: bytes.len() as u64, sha256, in_file };
            let head = add(transaction, &Event::Ending(ending), (!in_file).then_some(bytes))?;
            Ok((head, request.claim, None))
        })?;
        if let Some(first) = first {
            return first.load(claim, &self.results);
        }
        if in_file {
            self.results.settle(&sha256);
        }
        Ok(Stored { outcome, bytes: bytes.to_vec(), claim, head, is_new: true })
    }

    /// Charges a release, computes it, stores what came out and returns it; or returns what is stored from before. `compute` gives the bytes
    /// of the result, or the message of a failure, which stays charged.
    ///
    /// # Errors
    /// Those of [`reserve`](Self::reserve), with `compute` not called, and of [`finish`](Self::finish).
    pub fn release(
        &mut self,
        request: &Request,
        compute: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Stored, Error> {
        match self.reserve(request)?.reservation {
            Reservation::Done(stored) => Ok(stored),
            Reservation::New | Reservation::Unfinished => match compute() {
                Ok(result) => self.finish(&request.id, &result),
                Err(message) => self.fail(&request.id, &message),
            },
        }
    }

    /// The last entry, which stands for the whole ledger.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn head(&self) -> Result<Head, Error> {
        self.store.read("reading the head", |transaction| {
            last(transaction)?.ok_or(Error::Broken { entry: None, fault: Fault::NoEntries }.into())
        })
    }

    /// Whether the ledger has the entry of a head, which was printed with a claim. It compares with the stored hash, so
    /// [`verify`](Self::verify) first.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn contains_head(&self, head: &Head) -> Result<Standing, Error> {
        let last = self.head()?;
        let number = i64::try_from(head.entry).unwrap_or(i64::MAX);
        let ours = self
            .store
            .read("looking for a head", |transaction| head_where(transaction, "seq = ?1", [number]))?;
        Ok(match ours {
            Some(ours) if ours == *head => Standing::Contained,
            None if head.entry > last.entry => Standing::Missing { last },
            _ => Standing::Different,
        })
    }
}

/// Charges a release that was never charged, if it fits.
fn charge(transaction: &Transaction<'_>, request: &Request) -> Result<Head, Failure> {
    admit(transaction, request)?;
    add(transaction, &Event::Charge(request.clone()), None)
}

/// Refuses a release that was never charged, unless it fits.
fn admit(transaction: &Transaction<'_>, request: &Request) -> Result<(), Failure> {
    let Request { dataset, analyst, charge: loss, .. } = request;
    let neighbours = declared(transaction, dataset)?;
    if neighbours != BY_FIRST_RELEASE && neighbours != request.neighbours {
        let (dataset, asked) = (dataset.clone(), request.neighbours.clone());
        return Err(Error::OtherNeighbours { dataset, declared: neighbours, asked }.into());
    }
    for limited in [None].into_iter().chain(analyst.as_deref().map(Some)) {
        if let Some(limit) = limit_of(transaction, dataset, limited)? {
            let made = totals_of(transaction, dataset, limited)?;
            limit.admit(loss, &made, || scope(dataset, limited))?;
        }
    }
    Ok(())
}

/// Refuses another release under an id that was used.
fn same_release(request: &Request, before: &Request) -> Result<(), Failure> {
    let differs = request.differences(before);
    match differs.is_empty() {
        true => Ok(()),
        false => Err(Error::IdTaken { id: request.id.clone(), differs }.into()),
    }
}

pub(crate) fn scope(dataset: &str, analyst: Option<&str>) -> String {
    match analyst {
        None => format!("dataset {dataset}"),
        Some(analyst) => format!("analyst {analyst} on dataset {dataset}"),
    }
}

/// A warning if the input of a release is not that of an earlier entry.
fn changed_input(request: &Request, earlier: Option<(u64, String)>) -> Vec<Warning> {
    match (&request.fingerprint, earlier) {
        (Some(now), Some((since, before))) if *now != before => {
            vec![Warning::InputChanged { dataset: request.dataset.clone(), since }]
        }
        _ => Vec::new(),
    }
}
