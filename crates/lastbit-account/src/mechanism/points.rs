//! Losses that lie on a lattice exactly, with their probabilities.

use std::collections::BTreeMap;
use std::f64::consts::LOG2_E;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, Rounding, exp_rational};

use super::Direction;
use crate::cells::{Powers, clipped, complement};
use crate::distribution::{Bound, Distribution};
use crate::mass::{Mass, Weighting, log2, log2_sum};
use crate::mutant::{Mutant, is_made};
use crate::{Error, go_on};

/// `T` with `e^(-T²/(2σ²)) < 2^-tail`, as `ln 2 < 0.7`.
pub(super) fn reach(variance: &Rational, weighting: &Weighting) -> IBig {
    let square = variance * Rational::from(14 * u64::from(weighting.tail)) / Rational::from(10);
    square.floor_sqrt().expect("not negative") + IBig::from(2)
}

/// Losses and their probabilities.
#[derive(Default)]
pub(crate) struct Points {
    losses: BTreeMap<Rational, Enclosure>,
    /// At most the probability of all that is left out.
    rest: Option<Enclosure>,
    /// The probability of an infinite loss.
    infinite: Option<Enclosure>,
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
        bound: Bound,
        weighting: &Weighting,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
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
        let log = |(loss, p): (&Rational, &Enclosure)| {
            log2(p.hi()) + (tilt * loss).to_f64(Rounding::Nearest) * LOG2_E
        };
        let shift = log2_sum(self.losses.iter().map(log));
        let last = masses.len() as i64 - 1;
        let weights = Powers::new(&(tilt * &start), &(tilt * step), 0..=last, weighting.bits()).shl(-shift);
        for (i, (loss, probability)) in self.losses.iter().enumerate() {
            go_on(i, goes_on)?;
            let place = place(index(loss) - &first);
            let weighted = probability * &weights.at(place as i64);
            masses[place] = masses[place].plus(bound.mass(&weighted, weighting.precision));
        }
        let beyond = match bound {
            Bound::Upper if !is_made(Mutant::Tail) => [&self.rest, &self.infinite],
            _ => [&None, &self.infinite],
        };
        let ends = beyond.into_iter().flatten().map(|p| bound.end(p));
        let infinite = ends.fold(Dyadic::ZERO, |sum, end| &sum + end);
        Ok(Distribution {
            bound,
            weighting: weighting.clone(),
            shift,
            step: step.clone(),
            first,
            masses,
            infinite,
            missing: Dyadic::ZERO,
        }
        .normal())
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
pub(super) fn discrete_laplace(
    scale: &Rational,
    sensitivity: u64,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Points, Error> {
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
        go_on(z as usize, goes_on)?;
        losses.insert(loss(z), share(&(&power(z) * &(&one() - &q))));
    }
    Ok(Points::new(losses))
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

/// Whether keys that one unit alone has are published: then nothing is left to protect.
pub(crate) struct Published {
    /// The probability that one of them is.
    some: Enclosure,
    /// The logarithm of the probability that none is.
    log_none: Enclosure,
}

impl Published {
    /// Each of `n` keys is published with probability `p = q^(τ-1)/(1+q)`, where `q = e^(-1/s)`, and none with `(1-p)^n`.
    pub(super) fn new(scale: &Rational, threshold: u64, keys: u64, bits: u32) -> Published {
        let power = |z: u64| {
            let exponent = Rational::from(z).checked_div(scale).expect("checked");
            match exponent > Rational::pow2(40) {
                true => Enclosure::new(Dyadic::ZERO, Dyadic::pow2(-1 << 40)).expect("in order"),
                false => exp_rational(&-exponent, bits).expect("not too large"),
            }
        };
        let q = power(1);
        let log_one = match threshold {
            // 1 - 1/(1+q) = q/(1+q)
            1 => {
                &Enclosure::of_rational(&-(Rational::ONE / scale), bits)
                    - &q.log1p(bits).expect("not negative")
            }
            _ => {
                let one_key = power(threshold - 1).div(&(&one() + &q), bits).expect("above 1");
                (-&clipped(&one_key)).log1p(bits).expect("a probability of at most a half")
            }
        };
        let log_none = (&log_one * &Enclosure::of_rational(&Rational::from(keys), 64)).round(bits);
        let some = match log_none.lo().floor_log2() > Some(20) {
            // Nearly sure: this is refused.
            true => Enclosure::new(Dyadic::pow2(-1), Dyadic::ONE).expect("in order"),
            false => -&log_none.expm1(bits).expect("limited"),
        };
        Published { some, log_none }
    }

    /// At most the probability that one of the keys is published.
    pub(super) fn at_most(&self) -> Rational {
        Rational::from(self.some.hi())
    }

    /// At least what the neighbour without the unit loses, where none of the keys is published.
    pub(super) fn largest_finite_loss(&self) -> Rational {
        -Rational::from(self.log_none.lo())
    }

    /// With the unit (`P`), a loss is infinite if a key is published, and else that of the probability of that. Without it none is published.
    pub(super) fn points(&self, direction: Direction, bound: Bound) -> Points {
        let at = |loss: &Enclosure| Rational::from(bound.end(loss));
        match direction {
            Direction::Remove => Points {
                infinite: Some(self.some.clone()),
                ..Points::new([(at(&self.log_none), complement(&self.some))])
            },
            Direction::Add => Points::new([(at(&-&self.log_none), one())]),
        }
    }
}

/// At `x` the loss is `(Δ² - 2Δx)/(2σ²)`. The terms from `x = T` on fall by more than a factor of `e^(-T/σ²)` each, so that all beyond `T` are
/// together at most `e^(-T²/(2σ²))/(e^(T/σ²) - 1)`.
pub(super) fn discrete_gaussian(
    variance: &Rational,
    sensitivity: u64,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Points, Error> {
    let bits = weighting.bits();
    let twice = variance * Rational::from(2);
    let reach = u64::try_from(reach(variance, weighting)).expect("limited by the caller");
    let weight = |x: u64| exp(&-(Rational::from(x).pow(2).checked_div(&twice).expect("checked")), weighting);
    let checked = |x: u64| go_on(x as usize, goes_on).map(|()| weight(x));
    let weights: Vec<Enclosure> = (0..=reach).map(checked).collect::<Result<_, Error>>()?;
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
        go_on(x.unsigned_abs() as usize, goes_on)?;
        let loss = Rational::from(&distance * &distance - IBig::from(2) * &distance * IBig::from(x));
        let probability = weights[x.unsigned_abs() as usize].div(&total, bits).expect("positive");
        losses.insert(loss.checked_div(&twice).expect("checked"), probability);
    }
    let rest = Some(beyond.div(&total, bits).expect("positive"));
    Ok(Points { rest, ..Points::new(losses) })
}
