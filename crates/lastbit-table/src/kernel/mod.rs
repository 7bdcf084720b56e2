//! The bounded group-by.
//!
//! Every step is a fixed function of the rows of one unit, up to the one that adds integers: so adding or removing a unit changes the totals by
//! that unit's own bounded contribution, and what follows from the totals of a group by no more than is proved for it. Neither threads nor the order of rows change anything. `docs/release.md` has the proof.
//!
//! | module | what it does |
//! |---|---|
//! | `row` | from a row to its unit, its group and its integers, or to nothing |
//! | `record` | how that is kept in memory |
//! | `store` | records by partitions of units, in memory up to a limit and then in a file |
//! | `collect` | the rows of each unit in each group together |
//! | `order` | which groups a unit keeps |
//! | `bound` | clips, and adds up |
//! | `finish` | what follows from the totals of a group |

mod bound;
mod collect;
mod finish;
mod order;
mod record;
mod row;
mod store;
#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use crate::aggregates::Aggregates;
use crate::error::TableError;
use crate::plan::Plan;
use crate::read::TableSource;
use bound::Bounding;
use record::Layout;
use row::{Notes, Rows};
use store::{PARTITIONS, Store};

/// Threads at most: each of them has buffers of its own.
const MOST_THREADS: usize = 256;

/// How to compute; no result depends on it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Options<'a> {
    /// Bytes of rows that are kept in memory at most; more go to a temporary file that only this process can read.
    pub memory: usize,
    /// Threads; `None` is one for every core.
    pub threads: Option<NonZero<usize>>,
    /// Is told now and then how far the reading is, and may stop it.
    pub progress: Option<&'a (dyn Fn(Progress) -> ControlFlow<()> + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { memory: 1 << 28, threads: None, progress: None }
    }
}

/// How far the reading is.
///
/// It depends on the data, so it is for the curator's eyes only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Rows so far.
    pub rows: u64,
    /// Bytes so far: of CSV after decompression, of Parquet as stored.
    pub bytes: u64,
}

/// The exact aggregates, and what the curator may want to know.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The integers that noise is to be added to. They are not private themselves.
    pub aggregates: Aggregates,
    /// Counts of rows, exact and so not for release.
    pub curator: CuratorNotes,
}

/// What became of the rows. The numbers are exact, so they are for the curator's eyes only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CuratorNotes {
    /// All rows.
    pub rows: u64,
    /// Rows for which the filter was not true.
    pub filtered: u64,
    /// Rows without a unit.
    pub without_unit: u64,
    /// Rows whose group is not declared.
    pub without_key: u64,
    /// Units that had more groups than they may count in.
    pub units_cut: u64,
    /// Pairs of a unit and a group that had more rows than may count.
    pub pairs_clipped: u64,
    /// Bytes that went to the temporary file.
    pub spilled: u64,
}

/// Computes the exact integers that answer a plan's queries.
///
/// # Errors
///
/// If a file cannot be read or is malformed, with its place; never because of what is in a cell.
pub fn aggregate(
    plan: &Plan,
    source: &mut dyn TableSource,
    options: &Options<'_>,
) -> Result<Outcome, TableError> {
    run(plan, source, options, Bounding::of(plan))
}

fn run(
    plan: &Plan,
    source: &mut dyn TableSource,
    options: &Options<'_>,
    bounding: Bounding<'_>,
) -> Result<Outcome, TableError> {
    let threads = options
        .threads
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZero::get)
        .min(MOST_THREADS);
    let layout = Layout::of(plan);
    let store = Store::new(options.memory, threads);
    let reading = Reading {
        source: Mutex::new((source, 0)),
        failed: AtomicBool::new(false),
        progress: Mutex::default(),
    };
    let cells = plan.keys().len() * plan.tallied;
    // Each thread has integers of its own, so not all threads if those take more than the memory.
    let adders = threads.min(options.memory / (cells * size_of::<i128>()).max(1)).max(1);

    let read = in_parallel(threads, || reading.work(plan, &layout, &store, options, &bounding));
    let mut curator = CuratorNotes::default();
    let mut totals = Totals { integers: vec![0; cells], units_cut: 0, pairs_clipped: 0 };
    let mut first_failure = None;
    for worker in read {
        match worker {
            Ok((notes, own)) => {
                curator.add(&notes);
                totals.add(&own);
            }
            Err(failure) if first_failure.as_ref().is_none_or(|(piece, _)| failure.0 < *piece) => {
                first_failure = Some(failure)
            }
            Err(_) => {}
        }
    }
    // Pieces are taken in order, and all that were taken are finished: the first failure is the same for any number of threads.
    if let Some((_, error)) = first_failure {
        return Err(error);
    }
    if plan.unit.is_some() {
        let next = AtomicUsize::new(0);
        let added = in_parallel(adders, || -> Result<Totals, TableError> {
            let mut own = Totals { integers: vec![0; cells], units_cut: 0, pairs_clipped: 0 };
            loop {
                let partition = next.fetch_add(1, Ordering::Relaxed);
                if partition >= PARTITIONS {
                    return Ok(own);
                }
                bounding.partition(&layout, &store, partition, &mut own)?;
            }
        });
        for own in added {
            totals.add(&own?);
        }
    }
    curator.units_cut = totals.units_cut;
    curator.pairs_clipped = totals.pairs_clipped;
    curator.spilled = store.spilled();
    Ok(Outcome { aggregates: Aggregates::new(plan, finish::integers(plan, totals.integers)), curator })
}

/// Integers of all groups, as far as one thread has seen.
struct Totals {
    integers: Vec<i128>,
    units_cut: u64,
    pairs_clipped: u64,
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        self.integers.iter_mut().zip(&other.integers).for_each(|(total, more)| *total += more);
        self.units_cut += other.units_cut;
        self.pairs_clipped += other.pairs_clipped;
    }
}

/// The results of `work` in so many threads.
fn in_parallel<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    if threads == 1 {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        // If the system refuses more threads, those that there are do all the work.
        let others = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, &work).ok());
        let others: Vec<_> = others.collect();
        let own = work();
        let joined = others
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        [own].into_iter().chain(joined).collect()
    })
}

/// What the threads share while they read.
struct Reading<'a> {
    /// The table and the number of pieces taken from it.
    source: Mutex<(&'a mut dyn TableSource, u64)>,
    failed: AtomicBool,
    progress: Mutex<Progress>,
}

/// An error, and the number of the piece that it is in.
type Failure = (u64, TableError);

impl Reading<'_> {
    /// Takes pieces until there are no more: their rows go to the store, or to the totals if every row is a unit.
    fn work(
        &self,
        plan: &Plan,
        layout: &Layout,
        store: &Store,
        options: &Options<'_>,
        bounding: &Bounding<'_>,
    ) -> Result<(Notes, Totals), Failure> {
        let mut rows = Rows::new(plan);
        let cells = if plan.unit.is_none() { plan.keys().len() * plan.tallied } else { 0 };
        let mut totals = Totals { integers: vec![0; cells], units_cut: 0, pairs_clipped: 0 };
        let mut buffers = store.buffers();
        let mut alone = bounding.row_alone();
        while !self.failed.load(Ordering::Relaxed) {
            let (number, piece) = {
                let mut source = lock(&self.source);
                source.1 += 1;
                (source.1, source.0.next_piece())
            };
            let fail = |error| {
                self.failed.store(true, Ordering::Relaxed);
                (number, error)
            };
            let Some(piece) = piece.map_err(fail)? else { break };
            let (bytes, before) = (piece.bytes(), rows.notes.rows);
            let mut failure = None;
            let decoded = piece.decode(&mut |batch| {
                if failure.is_some() {
                    return;
                }
                if batch.columns() != plan.columns.len() {
                    failure =
                        Some(TableError::Columns { found: batch.columns(), expected: plan.columns.len() });
                    return;
                }
                failure = rows
                    .each(plan, batch, |unit, group, slots| match plan.unit {
                        Some(_) => buffers.push(store, layout, unit, group, slots),
                        None => {
                            alone.add(group, slots, &mut totals);
                            Ok(())
                        }
                    })
                    .err();
            });
            decoded.map_err(fail)?;
            if let Some(error) = failure {
                return Err(fail(error));
            }
            if self.report(options, rows.notes.rows - before, bytes).is_break() {
                return Err(fail(TableError::Stopped));
            }
        }
        buffers.finish(store).map_err(|error| (u64::MAX, error))?;
        Ok((rows.notes, totals))
    }

    fn report(&self, options: &Options<'_>, rows: u64, bytes: u64) -> ControlFlow<()> {
        let Some(progress) = options.progress else { return ControlFlow::Continue(()) };
        let so_far = {
            let mut so_far = lock(&self.progress);
            so_far.rows += rows;
            so_far.bytes += bytes;
            *so_far
        };
        progress(so_far)
    }
}

impl CuratorNotes {
    fn add(&mut self, notes: &Notes) {
        self.rows += notes.rows;
        self.filtered += notes.filtered;
        self.without_unit += notes.without_unit;
        self.without_key += notes.without_key;
    }
}

/// A lock whose holders do not panic; should one do so all the same, its panic goes on when the threads end.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
