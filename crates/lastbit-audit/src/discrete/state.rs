//! What a program knows at one point: the values of its variables, and the samples in them that nobody has looked at.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::law::{LawId, Laws, product};
use super::noisy::Noisy;
use super::number::Number;

/// A sample; a larger one was drawn later.
pub(super) type SampleId = u64;

/// A sample that is known to lie between two numbers; `None` is infinite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) law: LawId,
    pub(super) lo: Option<IBig>,
    pub(super) hi: Option<IBig>,
}

impl Sample {
    pub(super) fn mass(&self, laws: &mut Laws) -> Enclosure {
        laws.mass(self.law, self.lo.as_ref(), self.hi.as_ref())
    }
}

/// A value of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// Nothing, or nothing that is still needed.
    Unset,
    Number(Number),
    Bool(bool),
    List(Vec<Value>),
    /// A database, by the run that it belongs to and its name.
    Data(usize, String),
}

impl Value {
    fn for_each_number(&mut self, visit: &mut impl FnMut(&mut Number)) {
        match self {
            Value::Number(number) => visit(number),
            Value::List(items) => items.iter_mut().for_each(|item| item.for_each_number(visit)),
            Value::Unset | Value::Bool(_) | Value::Data(..) => {}
        }
    }

    fn collect_samples(&self, out: &mut BTreeSet<SampleId>) {
        match self {
            Value::Number(Number::Noisy(noisy)) => {
                out.insert(noisy.sample);
            }
            Value::List(items) => items.iter().for_each(|item| item.collect_samples(out)),
            _ => {}
        }
    }
}

/// The state of a program. Its weight, kept apart, counts the samples as if they lay anywhere: the probability of the state is
/// the weight times that of the ranges.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) values: Vec<Value>,
    pub(super) samples: BTreeMap<SampleId, Sample>,
}

/// A state with its weight.
pub(super) type Weighted = (State, Enclosure);

impl State {
    pub(super) fn new(variables: usize) -> State {
        State { values: vec![Value::Unset; variables], samples: BTreeMap::new() }
    }

    /// The probability that the samples lie in their ranges.
    pub(super) fn mass(&self, laws: &mut Laws, bits: u32) -> Enclosure {
        let one = Enclosure::exact(Dyadic::ONE);
        self.samples.values().fold(one, |mass, sample| product(&mass, &sample.mass(laws), bits))
    }

    /// Forgets the samples that no value holds. Gives the probability of their ranges.
    pub(super) fn forget(&mut self, laws: &mut Laws, bits: u32) -> Enclosure {
        let mut held = BTreeSet::new();
        self.values.iter().for_each(|value| value.collect_samples(&mut held));
        let mut mass = Enclosure::exact(Dyadic::ONE);
        self.samples.retain(|id, sample| {
            let is_held = held.contains(id);
            if !is_held {
                mass = product(&mass, &sample.mass(laws), bits);
            }
            is_held
        });
        mass
    }

    /// Replaces `offset + slope·Z` in all values.
    fn replaced(&self, id: SampleId, replace: impl Fn(&Noisy) -> Number) -> State {
        let mut state = self.clone();
        state.samples.remove(&id);
        for value in &mut state.values {
            value.for_each_number(&mut |number| {
                if let Number::Noisy(noisy) = number
                    && noisy.sample == id
                {
                    *number = replace(noisy);
                }
            });
        }
        state
    }

    fn with_value(&self, id: SampleId, z: &IBig) -> State {
        self.replaced(id, |noisy| Number::Exact(noisy.at(z)))
    }

    /// The sample between other numbers; a sample that can only be one number is that number.
    fn with_range(&self, id: SampleId, sample: Sample, laws: &mut Laws) -> Option<Weighted> {
        match (&sample.lo, &sample.hi) {
            (Some(lo), Some(hi)) if lo > hi => None,
            (Some(lo), Some(hi)) if lo == hi => Some((self.with_value(id, lo), laws.at(sample.law, lo))),
            _ => {
                let mut state = self.clone();
                state.samples.insert(id, sample);
                Some((state, Enclosure::exact(Dyadic::ONE)))
            }
        }
    }

    /// The states in which a sample is at most this, and in which it is more.
    pub(super) fn split(&self, id: SampleId, at: &IBig, laws: &mut Laws) -> Vec<Weighted> {
        let sample = &self.samples[&id];
        let low = Sample { hi: Some(at.clone()), ..sample.clone() };
        let high = Sample { lo: Some(at + IBig::ONE), ..sample.clone() };
        [low, high].into_iter().filter_map(|half| self.with_range(id, half, laws)).collect()
    }

    /// The states in which a sample is a number, as many as make up all but `2^-bits`; and what is left on both sides, where
    /// it is only known to lie there. If they are more than `most`: how many.
    pub(super) fn forced(
        &self,
        id: SampleId,
        bits: i64,
        most: u64,
        laws: &mut Laws,
    ) -> Result<Vec<Weighted>, u64> {
        let sample = self.samples[&id].clone();
        let enough = laws.enough(sample.law, bits);
        // The number of the range nearest to 0.
        let zero = IBig::ZERO;
        let least = sample.lo.clone().map_or(zero.clone(), |lo| lo.max(zero.clone()));
        let centre = sample.hi.clone().map_or(least.clone(), |hi| hi.min(least));
        let (first, last) = (&centre - &enough, &centre + &enough);
        let mut states = Vec::new();
        let mut z = sample.lo.clone().map_or(first.clone(), |lo| lo.max(first.clone()));
        let end = sample.hi.clone().map_or(last.clone(), |hi| hi.min(last.clone()));
        let count = u64::try_from(&end - &z).unwrap_or(u64::MAX);
        if count >= most {
            return Err(count);
        }
        while z <= end {
            states.push((self.with_value(id, &z), laws.at(sample.law, &z)));
            z += IBig::ONE;
        }
        let below = Sample { hi: Some(first - IBig::ONE), ..sample.clone() };
        let above = Sample { lo: Some(last + IBig::ONE), ..sample };
        for tail in [below, above] {
            let is_empty = matches!((&tail.lo, &tail.hi), (Some(lo), Some(hi)) if lo > hi);
            if !is_empty {
                let state = self.replaced(id, |noisy| Number::Tail(noisy.tail(&tail)));
                states.push((state, tail.mass(laws)));
            }
        }
        Ok(states)
    }

    /// The states in which a sample is `r + count·Y` for `r` of `0..count` and `Y >= 0`, or less than 0 and the same mirrored.
    /// There `Y` has the geometric law of `count` times the rate.
    pub(super) fn residues(&self, id: SampleId, count: u64, laws: &mut Laws) -> Vec<Weighted> {
        let sample = self.samples[&id].clone();
        let coarse = laws.rate(sample.law).times(&count.into());
        let coarse = laws.of_rate(coarse);
        let mut states = Vec::new();
        for mirrored in [false, true] {
            for residue in 0..count {
                // Z = first ± count·Y
                let distance = IBig::from(residue + u64::from(mirrored));
                let (first, step) = match mirrored {
                    false => (distance.clone(), IBig::from(count)),
                    true => (-&distance, -IBig::from(count)),
                };
                let y_at = |z: &IBig| Rational::from(z - &first) / Rational::from(step.clone());
                let (near, far) = match mirrored {
                    false => (&sample.lo, &sample.hi),
                    true => (&sample.hi, &sample.lo),
                };
                let lo = near.as_ref().map_or(IBig::ZERO, |z| y_at(z).ceil().max(IBig::ZERO));
                let hi = far.as_ref().map(|z| y_at(z).floor());
                let factor = laws.coarsened(sample.law, &distance, coarse);
                let (offset, slope) = (Rational::from(first.clone()), Rational::from(step));
                let state = self.replaced(id, |noisy| {
                    Number::Noisy(Noisy {
                        offset: &noisy.offset + &noisy.slope * &offset,
                        slope: &noisy.slope * &slope,
                        sample: id,
                    })
                });
                let part = Sample { law: coarse, lo: Some(lo), hi };
                if let Some((state, mass)) = state.with_range(id, part, laws) {
                    states.push((state, &factor * &mass));
                }
            }
        }
        states
    }
}
