//! All samples, one by one: for programs that are not monotone, of which every value is then known.

use std::collections::HashMap;
use std::ops::Range;

use super::branch::Branch;
use super::collect::{Collector, Part, ProgramOutcome};
use super::error::ProgramError;
use super::number::Number;
use super::options::{Watch, is_set};

/// Samples between two looks at whether to go on.
const WATCH_EVERY: usize = 1 << 20;

/// Evaluates all runs at all samples, which must have the same weight.
pub(crate) fn collect<F: Number>(
    runs: &[Branch<'_, F>],
    watch: &Watch<'_>,
    collector: &mut Collector,
) -> Result<(), ProgramError> {
    let mut outputs = Vec::new();
    for run in runs {
        let mut values = all_outputs(run, watch)?;
        watch.step(values.len() as u128 * (outputs.len() as u128 + 1))?;
        // Runs are close to monotone, which this sort takes advantage of.
        values.sort_unstable_by_key(|value| value.place());
        outputs.push(values);
    }
    let mut rest: Vec<&[F]> = outputs.iter().map(Vec::as_slice).collect();
    while let Some(least) = rest.iter().filter_map(|values| values.first()).map(|value| value.place()).min() {
        let mut counts = [0; 2];
        for (run, values) in runs.iter().zip(&mut rest) {
            let count = values.iter().take_while(|value| value.place() == least).count();
            *values = &values[count..];
            counts[run.run.input] += count as u64;
        }
        collector.add_counts(least, counts, [Vec::new(), Vec::new()]);
    }
    Ok(())
}

/// The outputs at all samples, in their order; each core takes a part.
fn all_outputs<F: Number>(run: &Branch<'_, F>, watch: &Watch<'_>) -> Result<Vec<F>, ProgramError> {
    let count = run.sampler.end() as usize - 1;
    let mut outputs = vec![F::at_place(0); count];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let each = count.div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (part, outputs) in outputs.chunks_mut(each).enumerate() {
            let cancel = watch.cancel;
            threads.push(scope.spawn(move || {
                let mut evaluator = run.evaluator();
                for (i, output) in outputs.iter_mut().enumerate() {
                    if i % WATCH_EVERY == 0 && is_set(cancel) {
                        return Err(ProgramError::Cancelled);
                    }
                    let number = (part * each + i) as u64 + 1;
                    *output = evaluator.at(number).map_err(|fault| run.no_value(number, fault))?;
                }
                Ok(())
            }));
        }
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(outputs)
}

/// Finds the samples of the outcomes that are listed, in one more pass.
pub(crate) fn add_parts<F: Number>(
    runs: &[Branch<'_, F>],
    outcomes: &mut [ProgramOutcome],
    watch: &Watch<'_>,
) -> Result<(), ProgramError> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let places: HashMap<i64, usize> =
        outcomes.iter().enumerate().map(|(i, outcome)| (F::of_f64(outcome.output).place(), i)).collect();
    for run in runs {
        let mut ranges: Vec<Vec<Range<u64>>> = vec![Vec::new(); outcomes.len()];
        for (number, output) in (1..).zip(all_outputs(run, watch)?) {
            let Some(&outcome) = places.get(&output.place()) else { continue };
            match ranges[outcome].last_mut() {
                Some(range) if range.end == number => range.end += 1,
                _ => ranges[outcome].push(number..number + 1),
            }
        }
        for (outcome, ranges) in outcomes.iter_mut().zip(ranges) {
            let parts = ranges.iter().map(|range| Part::new(&run.run, run.sampler, range));
            outcome.parts[run.run.input].extend(parts);
        }
    }
    Ok(())
}
