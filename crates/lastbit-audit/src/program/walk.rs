//! The outputs of monotone runs, one after the other in increasing order: where one ends is found by bisection over the samples.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::branch::{Monotone, Prober};
use super::error::ProgramError;
use super::number::Number;

/// Samples, by number, that give an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) output: i64,
    pub(crate) numbers: Range<u64>,
}

/// How many samples may still be tried one by one.
pub(crate) struct Budget {
    limit: u64,
    left: AtomicU64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Budget {
        Budget { limit, left: AtomicU64::new(limit) }
    }

    /// The number of samples tried so far.
    pub(crate) fn spent(&self) -> u64 {
        self.limit - self.left.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self, count: u64) -> Result<(), ProgramError> {
        let subtract = |left: u64| left.checked_sub(count);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract) {
            Ok(_) => Ok(()),
            Err(_) => Err(ProgramError::Band { limit: self.limit }),
        }
    }
}

/// Positions next to each other with the same bounds of the output.
struct Stretch {
    positions: Range<u64>,
    bounds: [i64; 2],
}

/// The outputs of a run in increasing order, each with its samples. Several pieces of one output follow each other.
pub(super) struct Walk<'a, F> {
    prober: Prober<'a, F>,
    budget: &'a Budget,
    /// The first position that was not walked over, and the bounds of the output there; `None` at the end.
    next: Option<(u64, [i64; 2])>,
    /// The number of positions of the last stretch: the next one is often about as long.
    length: u64,
    /// Outputs that may still get more samples, with the positions that they have.
    pending: BTreeMap<i64, Vec<Range<u64>>>,
    /// Pieces of outputs that get no more samples.
    ready: VecDeque<Piece>,
}

impl<'a, F: Number> Walk<'a, F> {
    pub(super) fn new(
        mut prober: Prober<'a, F>,
        budget: &'a Budget,
        position: u64,
    ) -> Result<Walk<'a, F>, ProgramError> {
        let bounds = prober.bounds(position)?;
        let next = Some((position, bounds));
        Ok(Walk { prober, budget, next, length: 1, pending: BTreeMap::new(), ready: VecDeque::new() })
    }

    /// The positions from the next one on with the same bounds: in steps that double, then by bisection.
    fn stretch(&mut self) -> Result<Option<Stretch>, ProgramError> {
        let Some((start, bounds)) = self.next else { return Ok(None) };
        let end = self.prober.end();
        let (mut same, mut step) = (start, (self.length / 2).max(1));
        let mut other = None;
        while end - same > step {
            let here = self.prober.bounds(same + step)?;
            if here != bounds {
                other = Some((same + step, here));
                break;
            }
            same += step;
            step *= 2;
        }
        let mut after = other.map_or(end, |(position, _)| position);
        while after - same > 1 {
            let middle = same + (after - same) / 2;
            let here = self.prober.bounds(middle)?;
            if here == bounds {
                same = middle;
            } else {
                after = middle;
                other = Some((middle, here));
            }
        }
        self.next = other;
        self.length = after - start;
        Ok(Some(Stretch { positions: start..after, bounds }))
    }

    /// The next pieces, so many unless there are less.
    pub(super) fn batch(&mut self, count: usize) -> Result<Vec<Piece>, ProgramError> {
        let mut pieces = Vec::with_capacity(count);
        while pieces.len() < count
            && let Some(piece) = self.next_piece()?
        {
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, ProgramError> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Ok(Some(piece));
            }
            let Some(stretch) = self.stretch()? else { return Ok(None) };
            let [below, above] = stretch.bounds;
            // The bounds grow: what is below the next ones is complete.
            let is_complete = |output: i64, next: Option<(u64, [i64; 2])>| {
                next.is_none_or(|(_, [next_below, _])| output < next_below)
            };
            if below == above && self.pending.is_empty() && is_complete(below, self.next) {
                return Ok(Some(Piece { output: below, numbers: self.prober.numbers(stretch.positions) }));
            }
            for (output, positions) in tried(&mut self.prober, self.budget, stretch)? {
                append(self.pending.entry(output).or_default(), positions);
            }
            while let Some(entry) = self.pending.first_entry()
                && is_complete(*entry.key(), self.next)
            {
                let (output, ranges) = entry.remove_entry();
                let piece = |positions| Piece { output, numbers: self.prober.numbers(positions) };
                self.ready.extend(ranges.into_iter().map(piece));
            }
        }
    }
}

/// Adds positions after those of a list.
pub(super) fn append(list: &mut Vec<Range<u64>>, positions: Range<u64>) {
    match list.last_mut() {
        Some(last) if last.end == positions.start => last.end = positions.end,
        _ => list.push(positions),
    }
}

/// The outputs of a stretch, with the positions that have them: each is tried, unless the bounds agree.
fn tried<F: Number>(
    prober: &mut Prober<'_, F>,
    budget: &Budget,
    Stretch { positions, bounds }: Stretch,
) -> Result<Vec<(i64, Range<u64>)>, ProgramError> {
    if bounds[0] == bounds[1] {
        return Ok(vec![(bounds[0], positions)]);
    }
    budget.take(positions.end - positions.start)?;
    let mut ranges: Vec<(i64, Range<u64>)> = Vec::new();
    for position in positions {
        let output = prober.output(position, bounds)?;
        match ranges.last_mut() {
            Some((last, range)) if *last == output => range.end = position + 1,
            _ => ranges.push((output, position..position + 1)),
        }
    }
    Ok(ranges)
}

/// How many outputs are looked at for a guess of their number.
const GUESSES: u64 = 64;

/// Whether there seem to be more outputs than so many, by the lengths of those in the middle of equal parts of the samples.
///
/// The shortest is not counted, so that one output of a single sample does not mislead. A wrong guess costs time or completeness,
/// never correctness.
pub(crate) fn seems_to_exceed<F: Number>(
    run: &Monotone<'_, '_, F>,
    limit: u64,
    budget: &Budget,
) -> Result<bool, ProgramError> {
    let end = run.prober().end();
    let mut guesses = Vec::new();
    for part in 0..GUESSES {
        let position = u128::from(end) * u128::from(2 * part + 1) / u128::from(2 * GUESSES);
        let stretch = Walk::new(run.prober(), budget, (position as u64).max(1))?.stretch()?;
        guesses.extend(
            stretch.map(|Stretch { positions, .. }| end / GUESSES / (positions.end - positions.start)),
        );
    }
    guesses.sort_unstable();
    guesses.pop();
    Ok(guesses.iter().sum::<u64>() > limit)
}
