//! What the rules say of a program, against its values at many samples.

use lastbit_lang::{Format, StraightLine};

use super::super::machine::{Evaluator, Machine, Setting};
use super::super::monotone::{Fact, LIBRARY, Rules, U, facts};
use super::super::number::{Library, Number};
use super::super::rules::Direction;
use super::random::{Random, ZEROS, random_program};
use crate::Sampler;

/// Samples in increasing order: both ends, powers of two, neighbours, and some anywhere.
fn samples(sampler: Sampler, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let end = sampler.end();
    let mut numbers = vec![1, 2, 3, end - 2, end - 1];
    for _ in 0..40 {
        let near = sampler.number_at_least(0.5f64.powi(1 + random.below(12) as i32));
        numbers.extend([near - 1, near, near + 1, 1 + random.below(end - 2)]);
        // Most of the mass is close to 1.
        numbers.push(sampler.number_at_least((1 + random.below(1 << 20)) as f64 / (1u64 << 20) as f64));
    }
    numbers.retain(|number| (1..end).contains(number));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether two values, one after the other, go the way that they should; -0 is below +0.
fn goes<F: Number>(direction: Direction, before: F, after: F) -> bool {
    match direction {
        Direction::Constant => before.place() == after.place(),
        Direction::Increasing => before.place() <= after.place(),
        Direction::Decreasing => before.place() >= after.place(),
    }
}

/// The first node whose values contradict what the rules say.
fn contradiction<F: Number>(
    known: &[Option<Fact<F>>],
    evaluators: &mut [Evaluator<'_, F>],
    numbers: &[u64],
) -> Option<String> {
    let mut before: Vec<Vec<Option<F>>> = vec![vec![None; known.len()]; evaluators.len()];
    for &number in numbers {
        for evaluator in evaluators.iter_mut() {
            // Nodes have values of their own, whether or not the result has.
            let _ = evaluator.at(number);
        }
        for (id, fact) in known.iter().enumerate() {
            let Some(fact) = fact else { continue };
            let mut values = Vec::new();
            for (evaluator, before) in evaluators.iter().zip(&mut before) {
                let Ok(value) = evaluator.node(id) else { return Some(format!("node {id} has no value")) };
                let is_envelope = values.len() < 2;
                if is_envelope && before[id].is_some_and(|before| !goes(fact.directions[U], before, value)) {
                    return Some(format!("node {id} at sample {number}"));
                }
                let [least, greatest] = fact.range.map(Number::place);
                if !(least..=greatest).contains(&value.place()) {
                    return Some(format!("node {id} out of its range at sample {number}"));
                }
                before[id] = Some(value);
                values.push(value);
            }
            // Down, up, and what lies between.
            if let [down, up, ref between @ ..] = values[..]
                && !between.iter().all(|&value| {
                    goes(fact.directions[LIBRARY], down, value) && goes(fact.directions[LIBRARY], value, up)
                })
            {
                return Some(format!("node {id} outside of its envelope at sample {number}"));
            }
        }
    }
    None
}

/// What is wrong with the rules on the program of a seed; and how many nodes they say something of, other than constants.
pub(super) fn check<F: Number>(
    seed: u64,
    format: Format,
    sampler: Sampler,
    is_exact: bool,
    rules: &Rules<F>,
) -> (Option<String>, usize) {
    let (program, settings): (StraightLine, Vec<Setting>) = random_program(seed, format);
    let off = Library::STD_FLOATS;
    let libraries = match is_exact {
        true => vec![Library::Nearest],
        // The envelope, then what lies in it.
        false => vec![Library::Shifted(-off), Library::Shifted(off), Library::Wobbly, Library::Std],
    };
    let machines: Vec<Machine<F>> =
        libraries.into_iter().map(|library| Machine::new(&program, &settings, library)).collect();
    let envelope: Vec<&Machine<F>> = machines.iter().take(2).collect();
    let facts = facts(&program, &envelope, sampler, rules);
    let known: Vec<Option<Fact<F>>> = facts.into_iter().map(Result::ok).collect();
    let varies = |fact: &&Fact<F>| fact.directions[U] != Direction::Constant;
    let count = known.iter().flatten().filter(varies).count();
    let mut evaluators: Vec<_> = machines.iter().map(|machine| machine.evaluator(sampler)).collect();
    let wrong = contradiction(&known, &mut evaluators, &samples(sampler, seed));
    (wrong.map(|wrong| format!("seed {seed}: {wrong}: {program:?}")), count)
}

#[test]
fn the_rules_hold() {
    let mut varying = 0;
    for seed in (0..1_000).chain(ZEROS..ZEROS + 1_000) {
        for is_exact in [true, false] {
            let rules = Rules::sound();
            let doubles = check::<f64>(seed, Format::Binary64, Sampler::Ulp, is_exact, &rules);
            let grid = check::<f64>(seed, Format::Binary64, Sampler::Grid53, is_exact, &rules);
            let singles = check::<f32>(seed, Format::Binary32, Sampler::Grid24, is_exact, &Rules::sound());
            for (wrong, count) in [doubles, grid, singles] {
                assert_eq!(wrong, None);
                varying += count;
            }
        }
    }
    assert!(varying > 12_000, "{varying}");
}
