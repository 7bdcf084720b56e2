//! The worst case over inputs, from below: a search for the pair of inputs and the output that lose most.
//!
//! What is found is exact, with its witness; what is not found may still be there. Pairs that are likely to lose much come
//! first (see [`candidates`]), then rounds of random pairs and of hill climbing. The objective is the exact loss, compared as a fraction of
//! integers: losses of the same two real distances differ by a few units of 2⁻⁵³, which no float would show.

mod candidates;
mod domain;
mod outputs;
mod random;
mod scout;
mod witness;

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lastbit_real::Rational;

use super::Variant;
use crate::OutOfRange;

pub use outputs::outputs_of_interest;
pub use witness::{Worst, WorstPair};

use domain::Domain;
use random::Random;
use scout::{Scout, Stop, Task};

/// The budget of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After so many pairs of inputs. What is found depends on the parameters and the seed, not on the number of threads.
    Pairs(u64),
    /// After so much time. How far the search gets depends on the machine.
    Time(Duration),
}

/// A search for the worst case over inputs.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use lastbit_audit::snapping::{Budget, FloatSnap, Noise, Search, Variant};
/// use lastbit_audit::{ExactLoss, Sampler};
/// use lastbit_lang::Tie;
/// use lastbit_real::Rational;
///
/// let noise = Noise::Divided { epsilon: Rational::ONE };
/// let mechanism = FloatSnap::new(noise, 372.00000000000017, None, Tie::Up, Sampler::Ulp)?;
/// let search = Search { budget: Budget::Pairs(20), ..Search::default() };
/// let worst = search.run(&Variant::of(mechanism), &AtomicBool::new(false), |_| ())?;
/// let witness = worst.witness().expect("pairs were looked at");
/// assert_eq!(witness.loss(64), ExactLoss::Infinite);
/// assert_eq!(witness.inputs[1], witness.inputs[0].next_up());
/// # Ok::<(), lastbit_audit::OutOfRange>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// `Δ`: how far apart inputs may be, as real numbers.
    pub sensitivity: Rational,
    /// The least and the greatest input.
    pub range: [f64; 2],
    /// Pairs to look at first. Those that are too far apart, or out of range, are left out.
    pub pairs: Vec<[f64; 2]>,
    /// The seed of what is random.
    pub seed: u64,
    /// The budget that ends the search.
    pub budget: Budget,
}

/// A quick look, at pairs at most 1 apart.
impl Default for Search {
    fn default() -> Search {
        Search {
            sensitivity: Rational::ONE,
            range: [f64::NEG_INFINITY, f64::INFINITY],
            pairs: Vec::new(),
            seed: 1,
            budget: Budget::Pairs(192),
        }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The share of the budget that is spent, from 0 to 1.
    pub share: f64,
    /// The worst inputs so far.
    pub worst: &'a Worst,
}

/// The number of tasks in a round. Between rounds the findings are merged, and progress is reported.
const TASKS: u64 = 12;
/// Pairs of a task that weighs all outputs of interest.
const PAIRS_TO_LOOK_AT: u64 = 24;
/// Pairs of a task that climbs, which weighs only three outputs of each.
const PAIRS_TO_CLIMB: u64 = 96;

impl Search {
    /// Searches, on all processors, until the budget is spent or `interrupt` becomes true. After every round of work `progress` is
    /// told, by the calling thread.
    ///
    /// # Errors
    /// [`OutOfRange`] if the sensitivity is not positive.
    pub fn run(
        &self,
        variant: &Variant,
        interrupt: &AtomicBool,
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Worst, OutOfRange> {
        let start = Instant::now();
        let domain = Domain::of(variant, &self.sensitivity, self.range)?;
        if domain.is_empty() {
            return Ok(Worst::default());
        }
        let anchors = candidates::anchors(variant, &domain);
        let (most_pairs, time) = match self.budget {
            Budget::Pairs(pairs) => (pairs, None),
            Budget::Time(time) => (u64::MAX, Some(time)),
        };
        let stop = Stop { interrupt, deadline: time.and_then(|time| start.checked_add(time)) };
        let scout = Scout { variant, domain: &domain, anchors: &anchors, stop };
        let mut worst = Worst::default();
        let mut left = most_pairs;
        let mut tasks = self.listed(&scout, &mut left);
        for round in 1.. {
            in_parallel(&tasks, |task| scout.work(task)).into_iter().for_each(|found| worst.merge(found));
            let share = match time {
                Some(time) => start.elapsed().as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE),
                None => 1.0 - left as f64 / most_pairs.max(1) as f64,
            };
            progress(Progress { share: share.min(1.0), worst: &worst });
            if left == 0 || scout.stop.is_due() {
                break;
            }
            tasks = self.round(round, &worst, &mut left);
        }
        worst.interrupted = scout.stop.is_interrupted();
        Ok(worst)
    }

    /// The pairs that are given, and those that are likely to lose much; of these no more than half of the budget.
    fn listed(&self, scout: &Scout<'_>, left: &mut u64) -> Vec<Task> {
        let given = self.pairs.iter().map(|&[f, f2]| if f <= f2 { [f, f2] } else { [f2, f] });
        let given = given.filter(|pair| scout.domain.admits(*pair));
        let likely = candidates::pairs(scout.variant, scout.domain, scout.anchors);
        let most = usize::try_from(*left).unwrap_or(usize::MAX);
        let pairs: Vec<[f64; 2]> =
            given.chain(likely.into_iter().take(most.div_ceil(2))).take(most).collect();
        *left -= pairs.len() as u64;
        pairs.chunks(PAIRS_TO_LOOK_AT as usize).map(|pairs| Task::Listed(pairs.to_vec())).collect()
    }

    /// The tasks of a round: some explore, some climb from where they happen to be, some from the worst witness of each kind in turn.
    fn round(&self, round: u64, worst: &Worst, left: &mut u64) -> Vec<Task> {
        let finite: Vec<&WorstPair> = worst.witnesses().filter(|witness| !witness.is_infinite()).collect();
        // What is left of a small budget is shared.
        let fair = left.div_ceil(TASKS);
        let mut tasks = Vec::new();
        for i in 0..TASKS {
            let random = Random::new(self.seed, round * TASKS + i);
            let mut pairs = |most: u64| {
                let pairs = most.min(fair).min(*left);
                *left -= pairs;
                pairs
            };
            let turn = round * (TASKS / 3) + i / 3;
            let elite = finite.get((turn % finite.len().max(1) as u64) as usize).copied();
            tasks.push(match i % 3 {
                0 => Task::Explore { random, pairs: pairs(PAIRS_TO_LOOK_AT) },
                1 => Task::Climb { from: None, random, pairs: pairs(PAIRS_TO_CLIMB) },
                _ => Task::Climb { from: elite.cloned(), random, pairs: pairs(PAIRS_TO_CLIMB) },
            });
        }
        tasks
    }
}

/// What `work` makes of each task, in order, by as many threads as there are processors, this one among them.
fn in_parallel<T: Sync, R: Send>(tasks: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let worker = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|&i| i < tasks.len());
        numbers.map(|i| (i, work(&tasks[i]))).collect::<Vec<_>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..processors.min(tasks.len())).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().expect("work does not panic"));
        }
        done
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}
