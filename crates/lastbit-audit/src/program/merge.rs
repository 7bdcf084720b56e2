//! Several runs at once: their outputs, each of which grows, merged into one sequence.

use std::sync::mpsc::{Receiver, sync_channel};

use super::branch::Monotone;
use super::collect::Collector;
use super::error::ProgramError;
use super::number::Number;
use super::options::Watch;
use super::walk::{Budget, Piece, Walk};

/// Pieces that a thread sends at once.
const BATCH: usize = 1 << 12;

/// Outputs between two looks at whether to go on.
const WATCH_EVERY: u64 = 1 << 14;

/// Goes through all outputs of all runs; `false` if there are more than `limit`.
///
/// Every run has a thread of its own, which walks a little ahead of what is collected.
pub(crate) fn collect<F: Number>(
    runs: &[Monotone<'_, '_, F>],
    budget: &Budget,
    limit: u64,
    watch: &Watch<'_>,
    collector: &mut Collector,
) -> Result<bool, ProgramError> {
    std::thread::scope(|scope| {
        let mut receivers = Vec::new();
        for run in runs {
            let (sender, receiver) = sync_channel(2);
            scope.spawn(move || {
                let mut walk = match Walk::new(run.prober(), budget, 1) {
                    Ok(walk) => walk,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                loop {
                    let batch = walk.batch(BATCH);
                    let is_last = batch.as_ref().map_or(true, Vec::is_empty);
                    // Nobody listens any more: the limit is reached, or another run has failed.
                    if sender.send(batch).is_err() || is_last {
                        return;
                    }
                }
            });
            receivers.push(receiver);
        }
        let sources: Result<Vec<_>, ProgramError> = receivers.into_iter().map(Source::new).collect();
        merge(&mut sources?, limit, watch, collector)
    })
}

/// The pieces that a thread sends.
struct Source {
    receiver: Receiver<Result<Vec<Piece>, ProgramError>>,
    batch: std::vec::IntoIter<Piece>,
    head: Option<Piece>,
}

impl Source {
    fn new(receiver: Receiver<Result<Vec<Piece>, ProgramError>>) -> Result<Source, ProgramError> {
        let mut source = Source { receiver, batch: Vec::new().into_iter(), head: None };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Result<Option<Piece>, ProgramError> {
        let mut next = self.batch.next();
        if next.is_none()
            && let Ok(batch) = self.receiver.recv()
        {
            self.batch = batch?.into_iter();
            next = self.batch.next();
        }
        Ok(std::mem::replace(&mut self.head, next))
    }
}

fn merge(
    sources: &mut [Source],
    limit: u64,
    watch: &Watch<'_>,
    collector: &mut Collector,
) -> Result<bool, ProgramError> {
    let mut pieces = Vec::new();
    let (mut outputs, mut samples) = (0, 0u128);
    while let Some(least) =
        sources.iter().filter_map(|source| source.head.as_ref()).map(|head| head.output).min()
    {
        pieces.clear();
        for (run, source) in sources.iter_mut().enumerate() {
            while source.head.as_ref().is_some_and(|head| head.output == least)
                && let Some(piece) = source.advance()?
            {
                samples += u128::from(piece.numbers.end - piece.numbers.start);
                pieces.push((run, piece.numbers));
            }
        }
        outputs += 1;
        if outputs > limit {
            return Ok(false);
        }
        if outputs % WATCH_EVERY == 0 {
            watch.step(samples)?;
        }
        collector.add(least, &pieces);
    }
    Ok(true)
}
