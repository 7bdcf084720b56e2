//! Large releases, on several threads.
//!
//! Many values are cut into blocks, and each block draws from the [part](crate::Part) of the source that is the block's. Whether and where they
//! are cut depends on the number of values alone, which is public; so which thread works on a block, and how many threads there are, makes no
//! difference to the results of a seeded source.
//!
//! All or nothing as elsewhere: all that can be refused is refused before the first block is written, but for overflows; where one is
//! possible, noise goes to a copy.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::arith::float_environment_is_default;
use super::batch::{Chunked, ChunkedReals, Overflow, Release, by_way_of_a_copy, check_lengths};
use crate::bits::SplitSource;
use crate::{Error, Real, Threads};

/// Values of a block: enough that to start it costs nothing, few enough that all threads end at nearly the same time.
const BLOCK: usize = 1 << 16;

/// Whether so many values are cut into blocks.
pub(super) fn is_large(values: usize) -> bool {
    values >= 2 * BLOCK
}

/// Noise in place.
pub(super) fn in_place<T: Copy + Send + Sync, S: SplitSource>(
    mechanism: &(impl Chunked<T> + Sync),
    source: &mut S,
    values: &mut [T],
    threads: Threads,
) -> Result<(), Error> {
    let workers = workers(values.len(), threads);
    let overflow = validate(workers, values, |block| mechanism.validate(block))?;
    let mut parts = source.split(workers)?;
    let mut release = |values: &mut [T]| {
        for_each_block(&mut parts, values.chunks_mut(BLOCK), |part, i, block| {
            Release::of_block(mechanism, part, i, i * BLOCK).in_place(block)
        })
    };
    match overflow {
        Overflow::Impossible => release(values),
        Overflow::Possible => by_way_of_a_copy(values, release),
    }
}

/// Noise from one slice to another.
pub(super) fn to<T: Copy + Send + Sync, S: SplitSource>(
    mechanism: &(impl Chunked<T> + Sync),
    source: &mut S,
    values: &[T],
    out: &mut [T],
    threads: Threads,
) -> Result<(), Error> {
    let validate = |block: &[T]| mechanism.validate(block);
    onto(source, values, out, threads, validate, |part, i, block, out| {
        Release::of_block(mechanism, part, i, i * BLOCK).to(block, out)
    })
}

/// Noise for real numbers.
pub(super) fn reals<T: Copy + Send + Sync, S: SplitSource>(
    mechanism: &(impl ChunkedReals<T> + Sync),
    source: &mut S,
    values: &[Real],
    out: &mut [T],
    threads: Threads,
) -> Result<(), Error> {
    let validate = |block: &[Real]| mechanism.validate_reals(block);
    onto(source, values, out, threads, validate, |part, i, block, out| {
        Release::of_block(mechanism, part, i, i * BLOCK).reals(block, out)
    })
}

/// Noise from one slice to another, where `work` releases a block, given with its number.
fn onto<V: Sync, T: Copy + Send, S: SplitSource>(
    source: &mut S,
    values: &[V],
    out: &mut [T],
    threads: Threads,
    is_valid: impl Fn(&[V]) -> Result<Overflow, Error> + Sync,
    work: impl Fn(&mut S::Part, usize, &[V], &mut [T]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    check_lengths(values.len(), out.len())?;
    let workers = workers(values.len(), threads);
    let overflow = validate(workers, values, is_valid)?;
    let mut parts = source.split(workers)?;
    let mut release = |out: &mut [T]| {
        let blocks = values.chunks(BLOCK).zip(out.chunks_mut(BLOCK));
        for_each_block(&mut parts, blocks, |part, i, (block, out)| work(part, i, block, out))
    };
    match overflow {
        Overflow::Impossible => release(out),
        Overflow::Possible => by_way_of_a_copy(out, release),
    }
}

/// How many threads have something to do.
fn workers(values: usize, threads: Threads) -> usize {
    threads.count().min(values.div_ceil(BLOCK))
}

/// What a mechanism says of all values, from what it says of blocks.
fn validate<V: Sync>(
    workers: usize,
    values: &[V],
    validate: impl Fn(&[V]) -> Result<Overflow, Error> + Sync,
) -> Result<Overflow, Error> {
    let mut found = vec![Overflow::Impossible; workers];
    for_each_block(&mut found, values.chunks(BLOCK), |found, i, block| {
        if validate(block).map_err(|error| error.moved_by(i * BLOCK))? == Overflow::Possible {
            *found = Overflow::Possible;
        }
        Ok(())
    })?;
    Ok(Overflow::unless(!found.contains(&Overflow::Possible)))
}

/// Does the work on each block, with its number, on one thread for each worker: the calling thread and others. Fails with the error of the
/// first block that has one, and then may leave blocks after it undone.
///
/// # Panics
/// If `work` does, whichever thread it is on.
fn for_each_block<W: Send, B: Send>(
    workers: &mut [W],
    blocks: impl Iterator<Item = B> + Send,
    work: impl Fn(&mut W, usize, B) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    if !float_environment_is_default() {
        return Err(Error::FloatEnvironment);
    }
    let blocks = Mutex::new(blocks.enumerate());
    let failed = AtomicBool::new(false);
    let next = || {
        // Blocks are handed out in order: those before one that failed are all in somebody's hands.
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        blocks.lock().expect("iterators over slices do not panic").next()
    };
    let run = |worker: &mut W| {
        while let Some((i, block)) = next() {
            if let Err(error) = work(worker, i, block) {
                failed.store(true, Ordering::Relaxed);
                return Err((i, error));
            }
        }
        Ok(())
    };
    let run = &run;
    thread::scope(|scope| {
        let (own, others) = workers.split_first_mut().expect("at least one worker");
        let others = others.iter_mut().map_while(|worker| {
            let on_thread = move || {
                // Threads take the environment of the one that starts them, as a rule. One where no proof about floats holds does nothing.
                if float_environment_is_default() { run(worker) } else { Ok(()) }
            };
            // If the system starts no more threads, those that there are do all the work.
            thread::Builder::new().spawn_scoped(scope, on_thread).ok()
        });
        let others: Vec<_> = others.collect();
        let own = run(own);
        let results =
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let first = results.chain([own]).filter_map(Result::err).min_by_key(|(i, _)| *i);
        first.map_or(Ok(()), |(_, error)| Err(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn each_block_is_done_once_and_with_its_number() {
        for workers in [1, 2, 5] {
            let mut done = [0; 40];
            let mut counts = vec![0; workers];
            for_each_block(&mut counts, done.chunks_mut(3), |count, i, block| {
                *count += 1;
                block.iter_mut().for_each(|x| *x += i + 1);
                Ok(())
            })
            .unwrap();
            assert!(done.iter().enumerate().all(|(i, x)| *x == i / 3 + 1));
            assert_eq!(counts.iter().sum::<usize>(), 14);
        }
    }

    /// Also if the one after it is found earlier.
    #[test]
    fn the_error_of_the_first_block_is_told() {
        let later_failed = AtomicBool::new(false);
        let result = for_each_block(&mut [(), ()], 0..100, |(), i, _| {
            while i == 3 && !later_failed.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            later_failed.fetch_or(i == 4, Ordering::Relaxed);
            if i < 3 { Ok(()) } else { Err(Error::Overflow { index: i }) }
        });
        assert_eq!(result, Err(Error::Overflow { index: 3 }));
    }

    #[test]
    fn a_panic_on_any_thread_reaches_the_caller() {
        for own in [false, true] {
            let caller = thread::current().id();
            // Both threads have a block before one of them panics.
            let started = AtomicUsize::new(0);
            let panic = std::panic::catch_unwind(|| {
                for_each_block(&mut [(), ()], 0..2, |(), _, _| {
                    started.fetch_add(1, Ordering::Relaxed);
                    while started.load(Ordering::Relaxed) < 2 {
                        thread::yield_now();
                    }
                    assert!((thread::current().id() == caller) != own, "on purpose");
                    Ok(())
                })
            });
            let message = panic.unwrap_err();
            assert_eq!(message.downcast_ref::<&str>(), Some(&"on purpose"));
        }
    }
}
