//! What was found: the worst output of each kind.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use lastbit_real::{Enclosure, IBig, Rational};

use crate::snapping::{Case, Variant};
use crate::{ExactLoss, Outcome};

/// An output with its exact weights under two inputs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorstPair {
    /// The inputs, in order.
    pub inputs: [f64; 2],
    /// The case of the output.
    pub case: Case,
    /// The number of the output and its weights under the inputs, over `2·total` of the sampler.
    pub outcome: Outcome<i64>,
}

impl WorstPair {
    /// The outputs of these numbers, in increasing order, that `inputs` (in order) can give.
    pub(super) fn of(variant: &Variant, inputs: [f64; 2], numbers: &[i64]) -> Vec<WorstPair> {
        let mechanism = &variant.mechanism;
        let places = inputs.map(|f| mechanism.number_of(variant.start(f)));
        let outcomes = variant.weigh(inputs, numbers.iter().copied());
        let given = |outcome: &Outcome<i64>| outcome.weights.iter().any(|weight| !weight.hi().is_zero());
        let witness = |outcome: Outcome<i64>| {
            let case = Case::of(outcome.output, mechanism.top(), places);
            WorstPair { inputs, case, outcome }
        };
        outcomes.into_iter().filter(given).map(witness).collect()
    }

    /// `|ln(P/P')|` to `bits`.
    pub fn loss(&self, bits: u32) -> ExactLoss {
        self.outcome.loss(bits)
    }

    /// The loss minus `allowed`, which may be negative; `None` if the loss is infinite.
    pub fn excess(&self, allowed: &Rational, bits: u32) -> Option<Enclosure> {
        let ExactLoss::Finite(loss) = self.loss(bits) else { return None };
        Some(&loss - &Enclosure::of_rational(allowed, bits))
    }

    /// The weights under the inputs, over `2·total` of the sampler.
    pub fn weights(&self) -> [IBig; 2] {
        // Exact, so that both ends of the enclosure are the same integer.
        self.outcome.weights.each_ref().map(|weight| weight.lo().floor())
    }

    /// Whether one input cannot give the output.
    pub fn is_infinite(&self) -> bool {
        self.outcome.weights.iter().any(|weight| weight.hi().is_zero())
    }

    fn loses_less_than(&self, other: &WorstPair) -> bool {
        self.outcome.loses_less_than(&other.outcome)
    }
}

/// The worst that was found, and how much was looked at.
///
/// Witnesses are kept by the case of the output and its sign: what is claimed of outputs may depend on both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    witnesses: BTreeMap<(Case, Ordering), WorstPair>,
    /// The number of pairs that were weighed.
    pub pairs: u64,
    /// The number of outputs of these pairs that were weighed.
    pub outputs: u64,
    /// Whether the search was told to stop before its budget was spent.
    pub interrupted: bool,
}

impl Worst {
    /// The pair with the largest loss; the first, if there are several.
    pub fn witness(&self) -> Option<&WorstPair> {
        worst(self.witnesses.values())
    }

    /// The pair with the largest loss in a case.
    pub fn of_case(&self, case: Case) -> Option<&WorstPair> {
        worst(self.witnesses().filter(|witness| witness.case == case))
    }

    /// The pairs with the largest loss for each case and sign of the output, in order.
    pub fn witnesses(&self) -> impl Iterator<Item = &WorstPair> {
        self.witnesses.values()
    }

    /// Counts a pair, and keeps the outputs that lose more than those known.
    pub(super) fn add_pair(&mut self, witnesses: impl IntoIterator<Item = WorstPair>) {
        self.pairs += 1;
        for witness in witnesses {
            self.outputs += 1;
            self.keep(witness);
        }
    }

    /// Adds what was found elsewhere.
    pub(super) fn merge(&mut self, other: Worst) {
        self.pairs += other.pairs;
        self.outputs += other.outputs;
        other.witnesses.into_values().for_each(|witness| self.keep(witness));
    }

    fn keep(&mut self, witness: WorstPair) {
        let kind = (witness.case, witness.outcome.output.cmp(&0));
        match self.witnesses.get_mut(&kind) {
            Some(known) if known.loses_less_than(&witness) => *known = witness,
            Some(_) => {}
            None => drop(self.witnesses.insert(kind, witness)),
        }
    }
}

fn worst<'a>(witnesses: impl Iterator<Item = &'a WorstPair>) -> Option<&'a WorstPair> {
    witnesses.reduce(|known, witness| if known.loses_less_than(witness) { witness } else { known })
}
