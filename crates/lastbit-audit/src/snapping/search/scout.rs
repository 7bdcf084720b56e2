//! One thread's part of the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::domain::{Domain, step};
use super::outputs::outputs_of_interest;
use super::random::Random;
use super::{Variant, Worst, WorstPair};

/// All outputs of a pair are weighed up to this many.
const ALL_OUTPUTS: i64 = 64;

/// When to stop before the work is done.
pub(super) struct Stop<'a> {
    pub(super) interrupt: &'a AtomicBool,
    pub(super) deadline: Option<Instant>,
}

impl Stop<'_> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    pub(super) fn is_due(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What one thread does at a time. It depends on nothing else, so that it does not matter which thread does it, or when.
pub(super) enum Task {
    /// Weigh these.
    Listed(Vec<[f64; 2]>),
    /// Draw pairs and weigh them.
    Explore { random: Random, pairs: u64 },
    /// Move the inputs of a witness, or of a random output of a random pair, and keep what makes that output lose more.
    Climb { from: Option<WorstPair>, random: Random, pairs: u64 },
}

/// The state that all threads share.
pub(super) struct Scout<'a> {
    pub(super) variant: &'a Variant,
    pub(super) domain: &'a Domain,
    pub(super) anchors: &'a [f64],
    pub(super) stop: Stop<'a>,
}

impl Scout<'_> {
    pub(super) fn work(&self, task: &Task) -> Worst {
        let mut found = Worst::default();
        match task {
            Task::Listed(pairs) => {
                for &inputs in pairs {
                    if self.stop.is_due() {
                        break;
                    }
                    found.add_pair(self.look_at(inputs));
                }
            }
            Task::Explore { random, pairs } => self.explore(random.clone(), *pairs, &mut found),
            Task::Climb { from, random, pairs } => {
                self.climb(from.clone(), random.clone(), *pairs, &mut found);
            }
        }
        found
    }

    fn look_at(&self, inputs: [f64; 2]) -> Vec<WorstPair> {
        WorstPair::of(self.variant, inputs, &outputs_of_interest(self.variant, inputs, ALL_OUTPUTS))
    }

    fn explore(&self, mut random: Random, pairs: u64, found: &mut Worst) {
        for _ in 0..pairs {
            let inputs = self.draw(&mut random);
            if self.stop.is_due() {
                return;
            }
            if self.domain.admits(inputs) {
                found.add_pair(self.look_at(inputs));
            }
        }
    }

    fn climb(&self, from: Option<WorstPair>, mut random: Random, pairs: u64, found: &mut Worst) {
        let (mut best, pairs) = match from {
            Some(witness) => (witness, pairs),
            None => {
                let inputs = self.draw(&mut random);
                let seen = if self.domain.admits(inputs) { self.look_at(inputs) } else { Vec::new() };
                found.add_pair(seen.iter().cloned());
                // An end, or any other: the ends are two of many, and have claims of their own.
                let ends = [seen.first(), seen.last()];
                let start = if random.below(2) == 0 {
                    *random.choose(&ends).expect("two")
                } else {
                    random.choose(&seen)
                };
                let Some(start) = start else { return };
                (start.clone(), pairs.saturating_sub(1))
            }
        };
        let (number, top) = (best.outcome.output, self.variant.mechanism.top());
        // The ends cost one threshold each, and they are ends for every pair.
        let mut numbers = vec![-top, number, top];
        numbers.dedup();
        for _ in 0..pairs {
            let inputs = self.moved(best.inputs, &mut random);
            if self.stop.is_due() {
                return;
            }
            if !self.domain.admits(inputs) {
                continue;
            }
            let seen = WorstPair::of(self.variant, inputs, &numbers);
            let here = seen.iter().find(|witness| witness.outcome.output == number);
            if let Some(here) = here.filter(|here| best.outcome.loses_less_than(&here.outcome)) {
                best = here.clone();
            }
            found.add_pair(seen);
        }
    }

    /// A random pair: an input anywhere, or near an anchor at a distance of any magnitude; and another input, most often about as
    /// far away as allowed.
    fn draw(&self, random: &mut Random) -> [f64; 2] {
        let f = match random.below(4) {
            0 => random.between(self.domain.low(), self.domain.high()),
            _ => random.choose(self.anchors).map_or(0.0, |&anchor| step(anchor, random.signed())),
        };
        match random.below(16) {
            0 => [f, f.next_up()],
            1 => ordered([f, step(f, random.signed())]),
            2..=8 => self.with_lower(f, random),
            _ => self.with_upper(f, random),
        }
    }

    /// Both inputs, or one of them, moved by some number of places of any magnitude.
    fn moved(&self, [f, f2]: [f64; 2], random: &mut Random) -> [f64; 2] {
        let n = random.signed();
        match random.below(8) {
            0 => ordered([step(f, n), f2]),
            1 => ordered([f, step(f2, n)]),
            2..=4 => self.with_lower(step(f2, n), random),
            _ => self.with_upper(step(f, n), random),
        }
    }

    /// An input and one above it, as far away as allowed, or a few places less: what is lost in distance is of the order of one
    /// rounding, and may be won in another.
    fn with_upper(&self, f: f64, random: &mut Random) -> [f64; 2] {
        let f = self.domain.nearest(f);
        [f, step(self.domain.farthest_above(f), -few(random))]
    }

    /// An input and one below it.
    fn with_lower(&self, f2: f64, random: &mut Random) -> [f64; 2] {
        let f2 = self.domain.nearest(f2);
        [step(self.domain.farthest_below(f2), few(random)), f2]
    }
}

/// 0 most often.
fn few(random: &mut Random) -> i64 {
    if random.below(4) > 0 { 0 } else { 1 + random.below(8) as i64 }
}

fn ordered([f, f2]: [f64; 2]) -> [f64; 2] {
    [f.min(f2), f.max(f2)]
}
