//! The events that are looked at, with their counts in the samples that choose. Nothing here takes longer than to sort them.

use super::value::{Ending, Value};
use super::watch::{self, Watch};
use super::{AttackError, Count, Event};

/// Thresholds at so many quantiles.
const QUANTILES: usize = 100;

/// So many of the most frequent values are looked at one by one.
const ATOMS: usize = 64;

/// Outputs that are looked for whether or not they come often.
const SPECIAL: [f64; 4] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];

/// A set takes the values that come more than so many times as often for one input as for the other.
const RATIOS: [u64; 6] = [1, 2, 4, 8, 16, u64::MAX];

/// Exponents of the lowest bit of a double, from that of the smallest subnormal number to that of the largest power of two.
const EXPONENTS: std::ops::RangeInclusive<i32> = -1074..=1023;

/// An event, and how often it happened in the samples that choose, by input.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) event: Event,
    pub(super) counts: [Count; 2],
}

impl Candidate {
    fn with_complement(self) -> [Candidate; 2] {
        let complement =
            Candidate { event: self.event.clone().complement(), counts: self.counts.map(Count::misses) };
        [self, complement]
    }
}

/// All candidates, the simple ones first, unless the attack is to stop.
pub(super) fn candidates(
    samples: [&[f64]; 2],
    inputs: Option<[f64; 2]>,
    watch: Watch<'_>,
) -> Result<Vec<Candidate>, AttackError> {
    let [first, second] = watch::both(samples, |samples| sort(samples.iter().copied(), watch))?;
    let sorted = [&first[..], &second[..]];
    let both = |found: Vec<Candidate>| found.into_iter().flat_map(Candidate::with_complement);
    let mut candidates = Vec::new();
    candidates.extend(both(values(sorted, watch)?));
    candidates.extend(thresholds(sorted, watch)?); // "at least" is close enough to the complement of "at most"
    candidates.extend(both(endings(samples, watch)?));
    candidates.extend(both(reachable(samples, inputs, watch)?));
    candidates.extend(both(sets(samples, watch)?));
    Ok(candidates)
}

fn sort(samples: impl Iterator<Item = f64>, watch: Watch<'_>) -> Result<Vec<Value>, AttackError> {
    let mut values: Vec<Value> = samples.map(Value::from).collect();
    watch.sort(&mut values)?;
    Ok(values)
}

/// Counts with these hits, in samples of these lengths.
fn counts<T>(hits: [u64; 2], samples: [&[T]; 2]) -> [Count; 2] {
    [0, 1].map(|input| Count { hits: hits[input], trials: samples[input].len() as u64 })
}

/// A value, and how often it comes for each input.
type Run = (Value, [u64; 2]);

/// The values of sorted samples, in order.
fn runs(mut sorted: [&[Value]; 2], watch: Watch<'_>) -> Result<Vec<Run>, AttackError> {
    let mut runs = Vec::new();
    let next = std::iter::from_fn(|| {
        let value = *sorted.iter().filter_map(|values| values.first()).min()?;
        let hits = sorted.each_mut().map(|values| {
            let equal = values.iter().take_while(|&&other| other == value).count();
            *values = &values[equal..];
            equal as u64
        });
        Some((value, hits))
    });
    watch.each(next, |run| runs.push(run))?;
    Ok(runs)
}

/// Single values: the special ones, and those that come most often.
fn values(sorted: [&[Value]; 2], watch: Watch<'_>) -> Result<Vec<Candidate>, AttackError> {
    let runs = runs(sorted, watch)?;
    let special = SPECIAL.map(Value::from).map(|value| {
        let index = runs.binary_search_by_key(&value, |run| run.0);
        (value, index.map_or([0, 0], |index| runs[index].1))
    });
    let is_special = |value: &Value| special.iter().any(|run| run.0 == *value);
    let mut frequent: Vec<&Run> =
        runs.iter().filter(|(value, hits)| hits[0] + hits[1] > 1 && !is_special(value)).collect();
    frequent.sort_by_key(|(_, hits)| std::cmp::Reverse(hits[0].max(hits[1])));
    let chosen = special.iter().chain(frequent.into_iter().take(ATOMS));
    let candidate =
        |(value, hits): &Run| Candidate { event: Event::Value(*value), counts: counts(*hits, sorted) };
    Ok(chosen.map(candidate).collect())
}

/// Quantiles of both samples together, from below and from above.
fn thresholds(sorted: [&[Value]; 2], watch: Watch<'_>) -> Result<Vec<Candidate>, AttackError> {
    // NaN is last in the order, and on neither side of a threshold.
    let numbers = sorted.map(|values| &values[..values.partition_point(|&y| !f64::from(y).is_nan())]);
    let mut pooled = numbers.concat();
    watch.sort(&mut pooled)?;
    let Some(last) = pooled.len().checked_sub(1) else { return Ok(Vec::new()) };
    let mut quantiles: Vec<f64> = (0..=QUANTILES).map(|i| pooled[last * i / QUANTILES].into()).collect();
    quantiles.dedup();
    let at = |t: f64| {
        let at_most = numbers.map(|values| values.partition_point(|&y| f64::from(y) <= t) as u64);
        let at_least =
            numbers.map(|values| (values.len() - values.partition_point(|&y| f64::from(y) < t)) as u64);
        [
            Candidate { event: Event::AtMost(t), counts: counts(at_most, sorted) },
            Candidate { event: Event::AtLeast(t), counts: counts(at_least, sorted) },
        ]
    };
    Ok(quantiles.into_iter().flat_map(at).collect())
}

/// Multiples of powers of two, and zeros at the end of the significand.
fn endings(samples: [&[f64]; 2], watch: Watch<'_>) -> Result<Vec<Candidate>, AttackError> {
    let lowest = *EXPONENTS.start();
    let mut exponents = vec![[0u64; 2]; EXPONENTS.count()];
    let mut zeros = vec![[0u64; 2]; f64::MANTISSA_DIGITS as usize];
    let mut always = [0u64; 2];
    for (input, samples) in samples.iter().enumerate() {
        watch.each(samples.iter().filter_map(|&y| Ending::of(y)), |ending| match ending {
            Ending::Zero => always[input] += 1,
            Ending::Bit { exponent, zeros: below } => {
                exponents[(exponent - lowest) as usize][input] += 1;
                zeros[below as usize][input] += 1;
            }
        })?;
    }
    let multiples = cumulate(&exponents, always).into_iter().map(|(index, hits)| Candidate {
        event: Event::Multiple { exponent: lowest + index as i32 },
        counts: counts(hits, samples),
    });
    let trailing = cumulate(&zeros, always).into_iter().map(|(index, hits)| Candidate {
        event: Event::TrailingZeros { least: index as u32 },
        counts: counts(hits, samples),
    });
    Ok(multiples.chain(trailing).collect())
}

/// The sums of a histogram from its end to every index where it is not empty: elsewhere they are the same again.
fn cumulate(histogram: &[[u64; 2]], mut sums: [u64; 2]) -> Vec<(usize, [u64; 2])> {
    let filled = histogram.iter().enumerate().rev().filter(|(_, hits)| **hits != [0, 0]);
    let add = |(index, hits): (usize, &[u64; 2])| {
        sums = [sums[0] + hits[0], sums[1] + hits[1]];
        (index, sums)
    };
    filled.map(add).collect()
}

/// The doubles that a sum of an input and a double can be.
fn reachable(
    samples: [&[f64]; 2],
    inputs: Option<[f64; 2]>,
    watch: Watch<'_>,
) -> Result<Vec<Candidate>, AttackError> {
    let events = inputs.into_iter().flatten().map(|from| Event::Reachable { from });
    let candidate = |event| {
        let counts = watch::both(samples, |samples| Count::of(&event, samples.iter().copied(), watch))?;
        Ok(Candidate { counts, event })
    };
    events.map(candidate).collect()
}

/// Sets of values that come more often for one input.
///
/// A set looks better than it is in the samples that it was made of: it is made of every other sample, and the rest count.
fn sets(samples: [&[f64]; 2], watch: Watch<'_>) -> Result<Vec<Candidate>, AttackError> {
    let [first, second] = watch::both(samples, |samples| sort(samples.iter().copied().step_by(2), watch))?;
    let runs = runs([&first, &second], watch)?;
    let candidate = |favoured: usize, ratio: u64| {
        let takes = |(_, hits): &&Run| {
            hits[favoured] > 1 && hits[favoured] > hits[1 - favoured].saturating_mul(ratio)
        };
        let set: Vec<Value> = runs.iter().filter(takes).map(|(value, _)| *value).collect();
        // A set of one value is an event of its own.
        if set.len() < 2 {
            return Ok(None);
        }
        let event = Event::OneOf(set);
        let rest = |samples: &[f64]| Count::of(&event, samples.iter().copied().skip(1).step_by(2), watch);
        let counts = watch::both(samples, rest)?;
        Ok(Some(Candidate { event, counts }))
    };
    let sets = [0, 1].into_iter().flat_map(|favoured| RATIOS.map(|ratio| candidate(favoured, ratio)));
    sets.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Nobody stops it.
    const ALWAYS: Watch<'static> = Watch(&|| true);

    fn outputs() -> impl Strategy<Value = Vec<f64>> {
        let special = prop::sample::select(vec![f64::NAN, f64::INFINITY, -0.0, 0.0, 0.5, 3.0, 1e-320, -7.25]);
        prop::collection::vec(prop_oneof![3 => special, 1 => any::<f64>()], 2..60)
    }

    proptest! {
        /// However the counts were computed, they are what the events count.
        #[test]
        fn counts_are_those_of_the_events(first in outputs(), second in outputs()) {
            let samples = [&first[..], &second[..]];
            for Candidate { event, counts } in candidates(samples, Some([0.0, 1.0]), ALWAYS).unwrap() {
                let is_set = matches!(&event, Event::OneOf(_))
                    || matches!(&event, Event::Not(event) if matches!(**event, Event::OneOf(_)));
                let (start, step) = if is_set { (1, 2) } else { (0, 1) };
                let counted = samples.map(|samples| {
                    Count::of(&event, samples.iter().copied().skip(start).step_by(step), ALWAYS).unwrap()
                });
                prop_assert_eq!(counts, counted, "{}", event);
            }
        }
    }

    #[test]
    fn one_of_each_kind() {
        let samples = [&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0][..], &[2.5; 8][..]];
        let events: Vec<String> = candidates(samples, Some([0.0, 1.0]), ALWAYS)
            .unwrap()
            .iter()
            .map(|candidate| candidate.event.to_string())
            .collect();
        for expected in [
            "y is NaN",
            "y = inf",
            "y = -inf",
            "y = -0",
            "y = 2.5",
            "y <= 1",
            "y >= 1",
            "y is not a multiple of 2^0",
            "the significand of y ends in fewer than 52 zeros",
            "y != 1 + (y - 1) in doubles",
            "y is one of 2 values: 0, 1",
            "y is none of 2 values: 0, 1",
        ] {
            assert!(events.iter().any(|event| event == expected), "{expected}: {events:?}");
        }
    }
}
