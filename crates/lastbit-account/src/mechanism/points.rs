//! Losses that lie on a lattice exactly, with their probabilities.

use std::collections::BTreeMap;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, exp_rational};

use super::Direction;
use crate::cells::Powers;
use crate::distribution::{Bound, Distribution, Norm};
use crate::mass::{Mass, Weighting};

/// `T` with `e^(-T²/(2σ²)) < 2^-tail`, as `ln 2 < 0.7`.
pub(super) fn reach(variance: &Rational, weighting: &Weighting) -> IBig {
    let square = variance * Rational::from(14 * u64::from(weighting.tail)) / Rational::from(10);
    square.floor_sqrt().expect("not negative") + IBig::from(2)
}

/// Losses and their probabilities, the same in both directions.
#[derive(Default)]
pub(crate) struct Points {
    losses: BTreeMap<Rational, Enclosure>,
    /// At most the probability of all that is left out.
    rest: Option<Enclosure>,
    /// The probability of an infinite loss.
    infinite: Option<Enclosure>,
    /// The loss is infinite in one direction only. In the other one it is at most as bad, and a lower bound takes it for nothing.
    only_removed: bool,
}

impl Points {
    pub(super) fn new(losses: impl IntoIterator<Item = (Rational, Enclosure)>) -> Points {
        Points { losses: losses.into_iter().collect(), ..Points::default() }
    }

    fn with_infinite(self, delta: &Rational, bits: u32) -> Points {
        Points { infinite: Some(Enclosure::of_rational(delta, bits)), ..self }
    }

    /// A release that tells nothing.
    pub(super) fn nothing() -> Points {
        Points::new([(Rational::ZERO, one())])
    }

    /// Requires: the losses are on the lattice of this step, but for an offset.
    pub(super) fn on(
        &self,
        step: &Rational,
        direction: Direction,
        bound: Bound,
        weighting: &Weighting,
        log: &Rational,
    ) -> Distribution {
        let index = |loss: &Rational| loss.checked_div(step).expect("a step is positive");
        let first = self.losses.keys().next().map(index).expect("at least one loss");
        let last = self.losses.keys().next_back().map(index).expect("at least one loss");
        let place = |index: Rational| {
            assert!(index.is_integer(), "losses are on the lattice");
            usize::try_from(index.numerator()).expect("the number of values is limited")
        };
        let mut masses = vec![Mass::ZERO; place(&last - &first) + 1];
        let start = &first * step;
        let tilt = &weighting.tilt;
        let weights = Powers::new(
            &(tilt * &start - log),
            &(tilt * step),
            0..=masses.len() as i64 - 1,
            weighting.bits(),
        );
        for (loss, probability) in &self.losses {
            let place = place(index(loss) - &first);
            let weighted = probability * &weights.at(place as i64);
            masses[place] = masses[place].plus(bound.mass(&weighted, weighting.precision));
        }
        let beyond = match (bound, direction) {
            (Bound::Upper, _) => [&self.rest, &self.infinite],
            (Bound::Lower, Direction::Add) if self.only_removed => [&None, &None],
            (Bound::Lower, _) => [&None, &self.infinite],
        };
        let ends = beyond.into_iter().flatten().map(|p| bound.end(p));
        let infinite = ends.fold(Dyadic::ZERO, |sum, end| &sum + end);
        Distribution {
            bound,
            weighting: weighting.clone(),
            norm: Norm { log: log.clone(), shift: 0 },
            step: step.clone(),
            first,
            masses,
            infinite,
            missing: Dyadic::ZERO,
        }
        .normal()
    }
}

pub(super) fn exp(x: &Rational, weighting: &Weighting) -> Enclosure {
    exp_rational(x, weighting.bits()).expect("losses are limited")
}

pub(super) fn one() -> Enclosure {
    Enclosure::of_rational(&Rational::ONE, 1)
}

/// With `q = e^(-1/s)` and sensitivity `Δ`, seen from 0 and with the neighbour at `Δ`: `z <= 0` loses `Δ/s`, and has probability `1/(1+q)`;
/// `0 < z < Δ` loses `(Δ - 2z)/s`, and has `q^z·(1-q)/(1+q)`; `z >= Δ` loses `-Δ/s`, and has `q^Δ/(1+q)`.
pub(super) fn discrete_laplace(scale: &Rational, sensitivity: u64, weighting: &Weighting) -> Points {
    let bits = weighting.bits();
    let power = |z: u64| exp(&-(Rational::from(z).checked_div(scale).expect("checked")), weighting);
    let q = power(1);
    let share = |of: &Enclosure| of.div(&(&one() + &q), bits).expect("above 1");
    let loss = |z: u64| {
        let twice = Rational::from(IBig::from(sensitivity) - IBig::from(2) * IBig::from(z));
        twice.checked_div(scale).expect("checked")
    };
    let mut losses =
        BTreeMap::from([(loss(0), share(&one())), (loss(sensitivity), share(&power(sensitivity)))]);
    for z in 1..sensitivity {
        losses.insert(loss(z), share(&(&power(z) * &(&one() - &q))));
    }
    Points::new(losses)
}

/// The worst of all releases that are (ε, δ)-differentially private: with probability `δ` it gives everything away, else it loses `ε` or `-ε`, with odds
/// of `e^ε` to 1.
pub(super) fn randomized_response(epsilon: &Rational, delta: &Rational, weighting: &Weighting) -> Points {
    let bits = weighting.bits();
    let rest = Enclosure::of_rational(&(Rational::ONE - delta), bits);
    if epsilon.is_zero() {
        return Points::new([(Rational::ZERO, rest)]).with_infinite(delta, bits);
    }
    let power = exp(&-epsilon, weighting);
    let truth = rest.div(&(&one() + &power), bits).expect("above 1");
    let other = (&truth * &power).round(bits);
    Points::new([(epsilon.clone(), truth), (-epsilon, other)]).with_infinite(delta, bits)
}

/// Of `n` keys that one unit alone has, each is published with probability `q^(τ-1)/(1+q)`, where `q = e^(-1/s)`: then nothing is left to protect.
pub(super) fn threshold(scale: &Rational, threshold: u64, keys: u64, weighting: &Weighting) -> Points {
    let none = unpublished(scale, threshold, keys, weighting.bits() + weighting.tail);
    let some = &one() - &none;
    Points { infinite: Some(some), only_removed: true, ..Points::new([(Rational::ZERO, none)]) }
}

/// At most the probability that one of the keys is published.
pub(super) fn published(scale: &Rational, threshold: u64, keys: u64) -> Rational {
    Rational::ONE - Rational::from(unpublished(scale, threshold, keys, 512).lo())
}

/// The probability that none of the keys is published.
fn unpublished(scale: &Rational, threshold: u64, keys: u64, bits: u32) -> Enclosure {
    let power = |z: u64| {
        exp_rational(&-(Rational::from(z).checked_div(scale).expect("checked")), bits)
            .expect("losses are limited")
    };
    let published = power(threshold - 1).div(&(&one() + &power(1)), bits).expect("above 1");
    // (1 - p)^n, by squaring.
    let (mut none, mut square, mut n) = (one(), (&one() - &published).round(bits), keys);
    while n > 0 {
        if n & 1 == 1 {
            none = (&none * &square).round(bits);
        }
        square = (&square * &square).round(bits);
        n >>= 1;
    }
    none
}

/// At `x` the loss is `(Δ² - 2Δx)/(2σ²)`. The terms from `x = T` on fall by more than a factor of `e^(-T/σ²)` each, so that all beyond `T` are
/// together at most `e^(-T²/(2σ²))/(e^(T/σ²) - 1)`.
pub(super) fn discrete_gaussian(variance: &Rational, sensitivity: u64, weighting: &Weighting) -> Points {
    let bits = weighting.bits();
    let twice = variance * Rational::from(2);
    let reach = u64::try_from(reach(variance, weighting)).expect("limited by the caller");
    let weight = |x: u64| exp(&-(Rational::from(x).pow(2).checked_div(&twice).expect("checked")), weighting);
    let weights: Vec<Enclosure> = (0..=reach).map(weight).collect();
    let far = Rational::from(reach).checked_div(variance).expect("checked");
    let beyond = weights[reach as usize]
        .div(&(&exp(&far, weighting) - &one()), bits)
        .expect("e^(T/σ²) is above 1")
        .shl(1);
    let near =
        weights[1..].iter().fold(Enclosure::of_rational(&Rational::ZERO, 1), |sum, weight| &sum + weight);
    let near = (&weights[0] + &near.shl(1)).round(bits);
    let total = near.hull(&(&near + &beyond));
    let mut losses = BTreeMap::new();
    let distance = IBig::from(sensitivity);
    for x in -(reach as i64)..=reach as i64 {
        let loss = Rational::from(&distance * &distance - IBig::from(2) * &distance * IBig::from(x));
        let probability = weights[x.unsigned_abs() as usize].div(&total, bits).expect("positive");
        losses.insert(loss.checked_div(&twice).expect("checked"), probability);
    }
    let rest = Some(beyond.div(&total, bits).expect("positive"));
    Points { rest, ..Points::new(losses) }
}
