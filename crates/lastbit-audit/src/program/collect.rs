//! Outputs with their samples, compared and listed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use lastbit_lang::Format;
use lastbit_real::{Float, IBig};

use super::claim::Target;
use super::error::Run;
use super::number::Number;
use crate::{Comparison, Outcome, Sampler};

/// An output with all samples that give it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProgramOutcome {
    /// The output; `-0` and `+0` are two.
    pub output: f64,
    /// The weights under the two inputs, over the total of the comparison.
    pub weights: [IBig; 2],
    /// The samples that give it under the two inputs.
    pub parts: [Vec<Part>; 2],
}

/// Samples next to each other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The signs.
    pub signs: Vec<i8>,
    /// The least `u`.
    pub lo: f64,
    /// The first `u` beyond, 1 if there is none.
    pub hi: f64,
}

impl Part {
    pub(crate) fn new(run: &Run, sampler: Sampler, numbers: &Range<u64>) -> Part {
        let [lo, hi] = [numbers.start, numbers.end].map(|number| sampler.value(number));
        Part { signs: run.signs.clone(), lo, hi }
    }
}

/// Outputs of the same two weights are compared once; so many different ones are kept.
const GROUPS: usize = 1 << 16;

/// Outputs of the same weights.
struct Group {
    /// The number of groups before it.
    order: usize,
    first: f64,
    count: u64,
}

/// Hashes two counts: nobody attacks it, and it is called for every output.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Gathers outputs: all of them for the comparison, some for the list.
pub(crate) struct Collector {
    format: Format,
    sampler: Sampler,
    runs: Vec<Run>,
    comparison: Comparison<f64>,
    /// The same at the ε that is claimed, if that is another one.
    also: Option<Comparison<f64>>,
    groups: HashMap<(u64, u64), Group, BuildHasherDefault<Mix>>,
    outcomes: Vec<ProgramOutcome>,
    listed: usize,
}

impl Collector {
    /// For these runs, of which each input has as many; at most `listed` outcomes are kept.
    pub(crate) fn new(
        format: Format,
        sampler: Sampler,
        runs: Vec<Run>,
        target: &Target,
        listed: usize,
    ) -> Collector {
        // Every choice of the signs has the same weight.
        let total = sampler.total() * IBig::from(runs.len() / 2);
        let also = target.also_at().map(|epsilon| Comparison::new(total.clone(), &epsilon));
        let comparison = Comparison::new(total, &target.epsilon);
        Collector {
            format,
            sampler,
            runs,
            comparison,
            also,
            groups: HashMap::default(),
            outcomes: Vec::new(),
            listed,
        }
    }

    /// Adds an output with its samples in each run.
    pub(crate) fn add(&mut self, place: i64, pieces: &[(usize, Range<u64>)]) {
        let mut parts = [Vec::new(), Vec::new()];
        if self.has_room() {
            for (run, numbers) in pieces {
                parts[self.runs[*run].input].push(self.part(*run, numbers));
            }
        }
        if is_grid(self.sampler) {
            let mut counts = [0; 2];
            for (run, numbers) in pieces {
                counts[self.runs[*run].input] += numbers.end - numbers.start;
            }
            self.add_counts(place, counts, parts);
        } else {
            let (output, weights) = (self.output(place), self.weights(pieces));
            if self.has_room() {
                self.outcomes.push(ProgramOutcome { output, weights: weights.clone(), parts });
            }
            self.push(Outcome::exact(output, weights), 1);
        }
    }

    /// Adds an output that so many samples give, all of the same weight.
    pub(crate) fn add_counts(&mut self, place: i64, counts: [u64; 2], parts: [Vec<Part>; 2]) {
        let (output, order) = (self.output(place), self.groups.len());
        if self.has_room() {
            self.outcomes.push(ProgramOutcome { output, weights: counts.map(IBig::from), parts });
        }
        self.groups.entry(counts.into()).or_insert(Group { order, first: output, count: 0 }).count += 1;
        if self.groups.len() >= GROUPS {
            self.flush();
        }
    }

    fn has_room(&self) -> bool {
        self.outcomes.len() < self.listed
    }

    fn part(&self, run: usize, numbers: &Range<u64>) -> Part {
        Part::new(&self.runs[run], self.sampler, numbers)
    }

    fn output(&self, place: i64) -> f64 {
        match self.format {
            Format::Binary64 => f64::at_place(place),
            Format::Binary32 => f32::at_place(place).to_f64(),
        }
    }

    fn weights(&self, pieces: &[(usize, Range<u64>)]) -> [IBig; 2] {
        let mut weights = [IBig::ZERO; 2];
        for (run, numbers) in pieces {
            let [lo, hi] =
                [numbers.start, numbers.end].map(|n| self.sampler.weight_below(self.sampler.value(n)));
            weights[self.runs[*run].input] += hi - lo;
        }
        weights
    }

    /// In the order in which the groups came, so that the first of the worst outputs is the witness.
    fn flush(&mut self) {
        let mut groups: Vec<_> = self.groups.drain().collect();
        groups.sort_unstable_by_key(|(_, group)| group.order);
        for ((first, second), group) in groups {
            let outcome = Outcome::exact(group.first, [first, second].map(IBig::from));
            self.push(outcome, group.count);
        }
    }

    fn push(&mut self, outcome: Outcome<f64>, count: u64) {
        if let Some(also) = &mut self.also {
            also.push_many(outcome.clone(), count);
        }
        self.comparison.push_many(outcome, count);
    }

    /// All of it.
    pub(crate) fn finish(mut self) -> Collected {
        self.flush();
        let Collector { comparison, also, outcomes, .. } = self;
        Collected { comparison, also, outcomes }
    }
}

/// The outputs and weights gathered so far.
pub(crate) struct Collected {
    pub(crate) comparison: Comparison<f64>,
    /// At the ε that is claimed, if that is another one.
    pub(crate) also: Option<Comparison<f64>>,
    pub(crate) outcomes: Vec<ProgramOutcome>,
}

/// Whether all samples have the same weight.
pub(crate) fn is_grid(sampler: Sampler) -> bool {
    !matches!(sampler, Sampler::Ulp | Sampler::UlpSingle)
}
