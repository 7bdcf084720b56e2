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
//! | `accuracy` | from how far off values may be to what they cost |
//! | `noise`, `choice` | the noise of each part of a plan, or how one of several candidates is chosen, and what all of it promises |
//! | `values`, `spread` | from noisy integers to values with intervals; variances and standard deviations |
//! | `answer`, `text`, `table` | a released table as data, in a terminal, and as CSV |
//! | `statement` | a page for the person who signs |
//! | `dry_run` | what a release would cost and how far off it would be, without reading the table |

mod accuracy;
mod answer;
mod choice;
mod dry_run;
#[cfg(test)]
mod laws;
mod noise;
mod spread;
mod statement;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub use answer::{QueryAnswer, ReleaseAnswer, Row};
pub use dry_run::{DryRun, ExpectedError};
pub use statement::{Part, Section, Statement};
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
    Component, CuratorNotes, Options, Plan, Progress as Read, Released, Spec, TableError, TableSource,
    aggregate,
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

/// What a release is made of. All of it is public.
#[derive(Debug)]
struct Made {
    plan: Plan,
    noise: ReleaseNoise,
    /// By component, as in the record.
    noisy: Vec<Vec<i128>>,
}

/// Rows that are not from the plan's files, if they are not, and the files.
type Opened = (Option<Box<dyn TableSource>>, Vec<PathBuf>);

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
        self.processing.check()?;
        let plan = match accuracy::settled(&self.spec)? {
            Some(spec) => of_spec(&spec),
            None => of_spec(&self.spec),
        }?;
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
        if self.book.as_ref().is_some_and(|book| book.id.is_none())
            && self.spec.table.paths.iter().any(|path| path == "-")
        {
            return Err(nameless("standard input", " (--id)"));
        }
        let open = |plan: &Plan| match &self.book {
            Some(_) => Ok((None, lastbit_table::files(plan)?)),
            None => Ok((None, Vec::new())),
        };
        self.answer_opened(plan, noise, open, source, watcher)
    }

    /// The release of rows that come from elsewhere than files: the paths of the spec are not looked at, and may be `-`. `open` is asked for them
    /// before anything is charged, so it should refuse a table that lacks a column, and should not read yet; the rows are read after the charge. A
    /// ledger needs an id, since the plan does not know the data.
    ///
    /// # Errors
    /// As [`answer`](Self::answer), and what `open` and the source refuse.
    pub fn answer_rows<S: BitSource>(
        &self,
        open: impl FnOnce(&Plan) -> Result<Box<dyn TableSource>, TableError>,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<(ReleaseAnswer, Option<ForTheOwner>), Refusal> {
        let (plan, noise) = self.plan()?;
        if self.book.as_ref().is_some_and(|book| book.id.is_none()) {
            return Err(nameless("memory", ""));
        }
        let open = |plan: &Plan| Ok((Some(open(plan)?), Vec::new()));
        self.answer_opened(plan, noise, open, source, watcher)
    }

    /// The release of the rows that `open` gives, with the files that they are from; without rows, of the plan's own files.
    fn answer_opened<S: BitSource>(
        &self,
        plan: Plan,
        noise: ReleaseNoise,
        open: impl FnOnce(&Plan) -> Result<Opened, TableError>,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<(ReleaseAnswer, Option<ForTheOwner>), Refusal> {
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
        // Everything that can be refused without the rows is refused before the charge.
        let (rows, files) = open(&plan).map_err(|error| refused(&error))?;
        let Some(book) = &self.book else {
            let (noisy, exact) = self.compute(&plan, &noise, rows, source, watcher)?;
            let made = Made { plan, noise, noisy };
            return Ok((ReleaseAnswer::new(self, made, None, Vec::new())?, Some(exact)));
        };
        let shown = entry(book, &plan, &noise, &files)?.once(|| {
            let (noisy, exact) = self.compute(&plan, &noise, rows, source, watcher)?;
            let record = Record { release: 1, plan: plan.hash(), noisy };
            let record = serde_json::to_vec(&record).map_err(|error| {
                Refusal::usage(format!("the result cannot be written: {error}"), "please report it")
            })?;
            Ok((record, exact))
        })?;
        let noisy = read(&shown.bytes, &plan)?;
        let made = Made { plan, noise, noisy };
        let answer = ReleaseAnswer::new(self, made, Some(shown.entered), shown.warnings)?;
        Ok((answer, shown.beside))
    }

    /// Reads the table and adds noise.
    fn compute<S: BitSource>(
        &self,
        plan: &Plan,
        noise: &ReleaseNoise,
        rows: Option<Box<dyn TableSource>>,
        source: &mut S,
        watcher: &Watcher<'_>,
    ) -> Result<(Vec<Vec<i128>>, ForTheOwner), Refusal> {
        let (mut table, bytes) = match rows {
            Some(rows) => (rows, None),
            None => (lastbit_table::open(plan).map_err(|error| refused(&error))?, plain_bytes(plan)),
        };
        let outcome = follow(watcher, bytes, |progress| {
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

/// The plan of a spec.
fn of_spec(spec: &Spec) -> Result<Plan, Refusal> {
    spec.plan().map_err(|error| {
        Refusal::usage(error.to_string(), "lastbit release init DATA writes a spec with all keys explained")
    })
}

/// Rows of which the plan does not tell which they are.
fn nameless(place: &str, option: &str) -> Refusal {
    Refusal::usage(
        format!("what comes from {place} may be another table each time, and the plan is the same"),
        format!("give the release an id{option}: under the same one the stored result is shown again"),
    )
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
        TableError::Rows { .. } => Refusal::usage(error.to_string(), "nothing of the table was released"),
        TableError::Header { .. } => {
            Refusal::usage(error.to_string(), "check the names of columns in the spec and in the file")
        }
        TableError::Delimiter { .. } => {
            Refusal::usage(error.to_string(), "say so: delimiter = \";\" in [table], or --delimiter")
        }
        TableError::NoFile { .. }
        | TableError::Open { .. }
        | TableError::Pattern { .. }
        | TableError::FileTwice { .. } => Refusal::usage(
            error.to_string(),
            "check the path; one in a spec begins at the folder of that spec",
        ),
        TableError::NotAFile { .. } => Refusal::usage(
            error.to_string(),
            "give a file, or the rows on standard input, which is the path -",
        ),
        _ => Refusal::usage(error.to_string(), "mend the file; nothing of the table was released"),
    }
}
