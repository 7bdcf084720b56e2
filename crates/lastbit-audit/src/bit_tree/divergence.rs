//! How far a tree is from a law.

use lastbit_real::{Dyadic, Enclosure, Rational};

use super::tree::Tree;

/// The distance of a sampler from its law, over the events of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Divergence {
    /// The first event whose true probability is out of bounds.
    pub refuted_by: Option<Refutation>,
    /// Bounds on the total-variation distance `Σ max(0, P - law)`: what certainly is off, and that with the remainder.
    pub total_variation: [Rational; 2],
}

/// An event that has not the probability that the law gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refutation {
    /// The index of the event.
    pub event: usize,
    /// The bounds on its probability, exact.
    pub bounds: [Rational; 2],
    /// The probability that the law gives.
    pub law: Enclosure,
}

impl Divergence {
    /// Compares the events `0..law.len()` of a tree with what the law says. Together they are all events.
    pub fn between(tree: &Tree<usize>, law: &[Enclosure]) -> Divergence {
        let events = || law.iter().enumerate().map(|(event, law)| (event, tree.probability(&event), law));
        let is_off = |bounds: &Enclosure, law: &Enclosure| law.hi() < bounds.lo() || law.lo() > bounds.hi();
        let refuted_by = events().find(|(_, bounds, law)| is_off(bounds, law)).map(|(event, bounds, law)| {
            let bounds = [bounds.lo(), bounds.hi()].map(Rational::from);
            Refutation { event, bounds, law: law.clone() }
        });
        // P is at least the weight, and the weights with the remainder are 1.
        let above = |least: &Dyadic, law: &Dyadic| Rational::from((least - law).max(Dyadic::ZERO));
        let least = events().map(|(_, bounds, law)| above(bounds.lo(), law.hi())).sum::<Rational>();
        let most = events().map(|(_, bounds, law)| above(bounds.lo(), law.lo())).sum::<Rational>();
        Divergence { refuted_by, total_variation: [least, most + tree.remainder()] }
    }
}
