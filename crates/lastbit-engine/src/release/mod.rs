//! From a table to a released table: counts, sums, means, variances, quantiles and histograms by group, with noise, intervals, a claim and a ledger.
//!
//! ```
//! use lastbit::SecureSource;
//! use lastbit_engine::Watcher;
//! use lastbit_engine::release::Question;
//! use lastbit_table::Spec;
//! # let directory = tempfile::tempdir()?;
//! # std::fs::write(directory.path().join("trips.csv"), "rider,city,fare\n7,Bern,2.5\n7,Bern,90\n8,Biel,12\n")?;
//!
//! let spec = Spec::parse(
//!     r#"
//!     [table]
//!     path = "trips.csv"
//!     unit = "rider"
//!     [bounds]
//!     groups = 1
//!     rows = 2
//!     [by]
//!     columns = "city"
//!     keys = ["Bern", "Biel"]
//!     [privacy]
//!     epsilon = 1
//!     [[query]]
//!     name = "trips"
//!     kind = "count"
//!     "#,
//!     &directory.path().join("release.toml"),
//! )?;
//! let answer = Question::new(spec).answer(&mut SecureSource::new()?, &Watcher::nobody())?;
//! assert_eq!(answer.json()["claim"]["loss"], "1");
//! assert_eq!((answer.rows.len(), answer.rows[0].key.as_slice()), (2, ["Bern".to_owned()].as_slice()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `noise`, `choice` | the noise of each part of a plan, or how one of several candidates is chosen, and what all of it promises |
//! | `values`, `spread` | from noisy integers to values with intervals; variances and standard deviations |
//! | `answer`, `text`, `table` | a released table as data, in a terminal, and as CSV |
//! | `dry_run` | what a release would cost and how far off it would be, without reading the table |

mod answer;
mod choice;
mod dry_run;
#[cfg(test)]
mod laws;
mod noise;
mod spread;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub use answer::{QueryAnswer, ReleaseAnswer, Row};
pub use dry_run::{DryRun, ExpectedError};
pub use template::template;
pub use values::{Accuracy, Processing, Value};

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lastbit::BitSource;
use lastbit_table::{
    Component, CuratorNotes, Options, Plan, Progress as Read, Released, Spec, TableError, aggregate,
};
use serde::{Deserialize, Serialize};

use crate::ledger::{Asked, Book, Entry};
use crate::{Progress, Refusal, Watcher};
use noise::{ReleaseNoise, unit_of};

/// Bytes of rows that are kept in memory, if nothing else is said.
const MEMORY: usize = 256_000_000;

/// A release that is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked of which table.
    pub spec: Spec,
    /// The ledger; without one, nobody remembers what was released.
    pub book: Option<Book>,
    /// What is done to noisy values.
    pub processing: Processing,
    /// Bytes of rows that are kept in memory at most.
    pub memory: usize,
    /// Threads; `None` is one for every core.
    pub threads: Option<NonZero<usize>>,
    /// Whether the noise comes from a seed, so that anyone can take it away: such a release claims nothing, and goes into no ledger.
    pub insecure: bool,
}

/// The noisy integers, as a ledger stores them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The version of this form.
    release: u32,
    /// The hash of the plan.
    plan: String,
    /// By component: all that is released of the first group, then of the second.
    noisy: Vec<Vec<i128>>,
}

/// What only the owner of the table may see: exact numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForTheOwner {
    /// SHA-256 of the exact aggregates: equal for equal tables and plans, however they were computed.
    pub digest: String,
    /// What became of the rows.
    pub notes: CuratorNotes,
}

impl Question {
    /// The release of this spec, with no ledger and the usual settings.
    pub fn new(spec: Spec) -> Question {
        Question {
            spec,
            book: None,
            processing: Processing::default(),
            memory: MEMORY,
            threads: None,
            insecure: false,
        }
    }

    /// The plan, and its noise.
    fn plan(&self) -> Result<(Plan, ReleaseNoise), Refusal> {
        let confidence = &self.processing.confidence;
        if !confidence.is_positive() || *confidence >= lastbit_real::Rational::ONE {
            return Err(Refusal::usage(
                format!("the confidence must be between 0 and 1, but is {}", confidence.to_short()),
                "give a number such as 0.95",
            ));
        }
        let plan = self.spec.plan().map_err(|error| {
            Refusal::usage(
                error.to_string(),
                "lastbit release init DATA writes a spec with all keys explained",
            )
        })?;
        let noise = ReleaseNoise::of(&plan)?;
        Ok((plan, noise))
    }

    /// What the release would cost, and how far off it would be. The table is not read, and nothing is charged.
    ///
    /// # Errors
    /// A spec that makes no sense; a ledger that cannot be read.
    pub fn dry_run(&self) -> Result<DryRun, Refusal> {
        let (plan, noise) = self.plan()?;
        let outlook = match &self.book {
            Some(book) => Some(entry(book, &plan, &noise, &[])?.outlook()?),
            None => None,
        };
        DryRun::new(&plan, &noise, &self.processing, outlook)
    }

    /// Makes the release.
    ///
    /// # Errors
    /// A spec that makes no sense, files without the columns, a ledger that refuses: nothing is charged, and nothing of the table is shown.
    /// Malformed files, an interruption: what was charged stays charged.
    pub fn answer<S: BitSource>(
        &self,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<ReleaseAnswer, Refusal> {
        self.answer_for_the_owner(source, watcher).map(|(answer, _)| answer)
    }

    /// The same, and what only the owner of the table may see; that is `None` where a stored result is shown again.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn answer_for_the_owner<S: BitSource>(
        &self,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<(ReleaseAnswer, Option<ForTheOwner>), Refusal> {
        let (plan, noise) = self.plan()?;
        if plan.keys().iter().flatten().any(|part| part == template::PLACEHOLDER) {
            return Err(Refusal::usage(
                format!("by.keys: {:?} stands where the groups should be", template::PLACEHOLDER),
                "list all groups, from elsewhere than this table, or give a file with one a line",
            ));
        }
        if self.insecure && self.book.is_some() {
            return Err(Refusal::usage(
                "noise from a seed has no privacy, and goes into no ledger",
                "leave out the seed, or the ledger",
            ));
        }
        let Some(book) = &self.book else {
            let (noisy, exact) = self.compute(&plan, &noise, source, watcher)?;
            let answer = ReleaseAnswer::new(self, &plan, &noise, &noisy, None, Vec::new())?;
            return Ok((answer, Some(exact)));
        };
        if book.id.is_none() && self.spec.table.paths.iter().any(|path| path == "-") {
            return Err(Refusal::usage(
                "what comes from standard input may be another table each time, and the plan is the same",
                "give the release an id (--id): under the same one the stored result is shown again",
            ));
        }
        // Everything that can be refused without the rows is refused before the charge.
        let files = lastbit_table::files(&plan).map_err(|error| refused(&error))?;
        let shown = entry(book, &plan, &noise, &files)?.once(|| {
            let (noisy, exact) = self.compute(&plan, &noise, source, watcher)?;
            let record = Record { release: 1, plan: plan.hash(), noisy };
            let record = serde_json::to_vec(&record).map_err(|error| {
                Refusal::usage(format!("the result cannot be written: {error}"), "please report it")
            })?;
            Ok((record, exact))
        })?;
        let noisy = read(&shown.bytes, &plan)?;
        let answer = ReleaseAnswer::new(self, &plan, &noise, &noisy, Some(shown.entered), shown.warnings)?;
        Ok((answer, shown.beside))
    }

    /// Reads the table and adds noise.
    fn compute<S: BitSource>(
        &self,
        plan: &Plan,
        noise: &ReleaseNoise,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<(Vec<Vec<i128>>, ForTheOwner), Refusal> {
        let mut table = lastbit_table::open(plan).map_err(|error| refused(&error))?;
        let outcome = follow(watcher, plain_bytes(plan), |progress| {
            let mut options = Options::default();
            (options.memory, options.threads, options.progress) = (self.memory, self.threads, Some(progress));
            aggregate(plan, &mut *table, &options)
        });
        let outcome = outcome.map_err(|error| refused(&error))?;
        let noisy = noise.add_to(plan, &outcome.aggregates, source)?;
        let exact = ForTheOwner { digest: outcome.aggregates.digest(), notes: outcome.curator };
        Ok((noisy, exact))
    }
}

/// The release in its ledger.
fn entry(book: &Book, plan: &Plan, noise: &ReleaseNoise, files: &[PathBuf]) -> Result<Entry, Refusal> {
    let hash = plan.hash();
    Entry::open(
        book,
        &Asked {
            usual_id: Some(format!("plan-{}", &hash[..16])),
            spec: &hash,
            dataset: plan.dataset(),
            unit: &unit_of(plan),
            claim: &noise.claim,
            files,
        },
    )
}

/// How often a watcher is told.
const EVERY: Duration = Duration::from_millis(50);

/// The bytes that will be read, where that is known: of CSV files that are not compressed.
fn plain_bytes(plan: &Plan) -> Option<u64> {
    let files = lastbit_table::files(plan).ok().filter(|files| !files.is_empty())?;
    files.iter().try_fold(0, |sum, path| {
        let extension = path.extension()?.to_str()?.to_lowercase();
        let is_plain = matches!(extension.as_str(), "csv" | "tsv" | "txt");
        is_plain.then_some(sum + std::fs::metadata(path).ok()?.len())
    })
}

/// Does something in another thread, so that the watcher is told in the one that asked, and may stop it.
fn follow<T: Send>(
    watcher: &Watcher<'_>,
    bytes: Option<u64>,
    work: impl FnOnce(&(dyn Fn(Read) -> ControlFlow<()> + Sync)) -> T + Send,
) -> T {
    let (so_far, stop) = (Mutex::new(Read::default()), AtomicBool::new(false));
    let lock = || so_far.lock().unwrap_or_else(PoisonError::into_inner);
    let told = |read: Read| {
        *lock() = read;
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let begun = Instant::now();
    thread::scope(|scope| {
        let worker = scope.spawn(|| work(&told));
        while !worker.is_finished() {
            // What is quick is not kept waiting.
            thread::park_timeout(if begun.elapsed() < EVERY { EVERY / 50 } else { EVERY });
            let read = *lock();
            let seconds = begun.elapsed().as_secs_f64();
            let share =
                bytes.map(|bytes| read.bytes as f64 / bytes.max(1) as f64).filter(|share| *share > 0.0);
            let left = share.map_or(String::new(), |share| {
                format!(", about {:.0} s left", (seconds / share - seconds).max(0.0))
            });
            let message = format!(
                "{:.1} million rows, {:.0} MB, {:.1} million rows a second{left}",
                read.rows as f64 / 1e6,
                read.bytes as f64 / 1e6,
                read.rows as f64 / 1e6 / seconds
            );
            (watcher.progress)(Progress { doing: "reading", share, message: &message });
            if watcher.is_cancelled() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// What a ledger has stored.
fn read(bytes: &[u8], plan: &Plan) -> Result<Vec<Vec<i128>>, Refusal> {
    let refused = |problem: &str| {
        Refusal::usage(
            format!("the stored result of this release is {problem}"),
            "was the ledger written by another version? give the release another id; it is charged then",
        )
    };
    let record: Record = serde_json::from_slice(bytes).map_err(|_| refused("no table"))?;
    let cells = plan.queries().iter().flat_map(|query| &query.components);
    let of_component = |(component, noisy): (&Component, &Vec<i128>)| {
        let is_place = |place: &i128| usize::try_from(*place).is_ok_and(|place| place < component.cells);
        component.released_cells() * plan.keys().len() == noisy.len()
            && match component.released {
                Released::Noisy => true,
                Released::Chosen => noisy.iter().all(is_place),
            }
    };
    let fits = cells.clone().count() == record.noisy.len() && cells.zip(&record.noisy).all(of_component);
    match record.release == 1 && record.plan == plan.hash() && fits {
        true => Ok(record.noisy),
        false => Err(refused("of another plan")),
    }
}

fn refused(error: &TableError) -> Refusal {
    match error {
        TableError::Stopped => Refusal::interrupted("the table was read"),
        TableError::Header { .. } => {
            Refusal::usage(error.to_string(), "check the names of columns in the spec and in the file")
        }
        TableError::Delimiter { .. } => {
            Refusal::usage(error.to_string(), "say so: delimiter = \";\" in [table], or --delimiter")
        }
        TableError::NoFile { .. } | TableError::Open { .. } => Refusal::usage(
            error.to_string(),
            "check the path; one in a spec begins at the folder of that spec",
        ),
        _ => Refusal::usage(error.to_string(), "mend the file; nothing of the table was released"),
    }
}
