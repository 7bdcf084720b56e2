//! Outputs that tell two inputs apart, where there are too many to go through: those of chosen samples, each weighed exactly.

use std::collections::HashSet;
use std::ops::Range;

use super::branch::{Monotone, Prober};
use super::collect::Collector;
use super::error::ProgramError;
use super::number::Number;
use super::options::Watch;
use super::walk::{Budget, append};
use crate::Sampler;

/// How many samples are drawn beside the chosen ones.
const RANDOM: u64 = 256;

/// Numbers of samples, the simplest first: 1/2, next to 1, 3/4, the least one, the neighbours of 1/2, powers of two, and some
/// spread over all.
fn candidates(sampler: Sampler) -> Vec<u64> {
    let end = sampler.end();
    let half = sampler.number_at_least(0.5);
    let mut numbers = vec![half, end - 1, sampler.number_at_least(0.75), 1, half - 1, half + 1];
    let mut power = 0.25;
    while power > 0.0 && sampler.value(1) <= power {
        numbers.push(sampler.number_at_least(power));
        power /= 2.0;
    }
    let mut state = 0u64;
    for _ in 0..RANDOM {
        // Weyl's sequence with the golden ratio: spread evenly, and the same every time.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        numbers.push(((u128::from(state) * u128::from(end)) >> 64) as u64);
    }
    numbers.retain(|number| (1..end).contains(number));
    numbers
}

/// Weighs the outputs of the candidates in all runs, as many as the budget allows.
pub(crate) fn collect<F: Number>(
    runs: &[Monotone<'_, '_, F>],
    sampler: Sampler,
    budget: &Budget,
    watch: &Watch<'_>,
    collector: &mut Collector,
) -> Result<(), ProgramError> {
    let mut probers: Vec<Prober<'_, F>> = runs.iter().map(Monotone::prober).collect();
    let mut seen = HashSet::new();
    for number in candidates(sampler) {
        watch.check()?;
        for source in 0..probers.len() {
            // Positions are numbers, or count from the other end; going there is coming back.
            let position = probers[source].number(number);
            let bounds = probers[source].bounds(position)?;
            let output = probers[source].output(position, bounds)?;
            if !seen.insert(output) {
                continue;
            }
            let mut pieces = Vec::new();
            for (run, prober) in probers.iter_mut().enumerate() {
                match samples_of(prober, budget, output) {
                    Ok(found) => pieces.extend(found.into_iter().map(|numbers| (run, numbers))),
                    // What has been weighed is enough.
                    Err(ProgramError::Band { .. }) if seen.len() > 1 => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            collector.add(output, &pieces);
        }
    }
    Ok(())
}

/// The numbers of the samples that give an output.
fn samples_of<F: Number>(
    prober: &mut Prober<'_, F>,
    budget: &Budget,
    output: i64,
) -> Result<Vec<Range<u64>>, ProgramError> {
    // The output is possible from where the upper bound reaches it to where the lower bound exceeds it.
    let possible = first(prober, |[_, above]| above >= output)?;
    let beyond = first(prober, |[below, _]| below > output)?;
    // It is certain where both bounds are equal to it.
    let certain = first(prober, |[below, _]| below >= output)?;
    let uncertain = first(prober, |[_, above]| above > output)?;
    let (certain, uncertain) = if certain < uncertain { (certain, uncertain) } else { (beyond, beyond) };
    let mut found = Vec::new();
    for position in possible..certain {
        try_position(prober, budget, output, position, &mut found)?;
    }
    if certain < uncertain {
        append(&mut found, certain..uncertain);
    }
    for position in uncertain..beyond {
        try_position(prober, budget, output, position, &mut found)?;
    }
    Ok(found.into_iter().map(|positions| prober.numbers(positions)).collect())
}

/// Adds a position if it gives the output.
fn try_position<F: Number>(
    prober: &mut Prober<'_, F>,
    budget: &Budget,
    output: i64,
    position: u64,
    found: &mut Vec<Range<u64>>,
) -> Result<(), ProgramError> {
    budget.take(1)?;
    let bounds = prober.bounds(position)?;
    if prober.output(position, bounds)? == output {
        append(found, position..position + 1);
    }
    Ok(())
}

/// The first position whose bounds have a property that all later ones have too; the end if there is none.
fn first<F: Number>(prober: &mut Prober<'_, F>, has: impl Fn([i64; 2]) -> bool) -> Result<u64, ProgramError> {
    let (mut before, mut at) = (0, prober.end());
    while at - before > 1 {
        let middle = before + (at - before) / 2;
        if has(prober.bounds(middle)?) { at = middle } else { before = middle }
    }
    Ok(at)
}
