//! What one release loses: bounds on the distribution of its loss, on a lattice.

use std::collections::BTreeMap;

use lastbit_real::{Enclosure, IBig, Rational, exp_rational};

use crate::distribution::{Bound, Distribution};
use crate::mass::{Mass, Precision};
use crate::{Error, positive};

/// Bits of enclosures beyond those of a mass.
const BITS: u32 = 64;

/// The most points of one mechanism on the lattice.
const MOST_POINTS: u64 = 1 << 20;

/// The largest loss of one release. With more there is no privacy left to account for.
const MOST_LOSS: u64 = 1000;

/// Noise, and how far apart two neighbouring inputs are.
///
/// All of these lose as much in one direction as in the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mechanism {
    /// The real Laplace variable, whose density falls by a factor of `e^ε` over the sensitivity.
    Laplace {
        /// Sensitivity over scale.
        epsilon: Rational,
    },
    /// The discrete Laplace variable of this scale.
    DiscreteLaplace {
        /// The scale `s`: probabilities are proportional to `e^(-|z|/s)`.
        scale: Rational,
        /// The sensitivity, a whole number.
        sensitivity: u64,
    },
    /// The discrete Gaussian variable.
    DiscreteGaussian {
        /// The parameter `σ²`: probabilities are proportional to `e^(-z²/(2σ²))`.
        variance: Rational,
        /// The sensitivity, a whole number.
        sensitivity: u64,
    },
    /// The truth with odds of `e^ε` to 1, else the other of two answers.
    RandomizedResponse {
        /// The loss.
        epsilon: Rational,
    },
}

/// The lattice that the losses of a mechanism lie on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lattice {
    /// Exactly on multiples of a step, but for an offset that is the same for all.
    Exact { step: Rational },
    /// Anywhere in `[-reach, reach]`.
    Continuous { reach: Rational },
}

impl Mechanism {
    /// Refuses parameters that are no mechanism.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let sensitivity = |sensitivity: u64| match sensitivity {
            0 => Err(Error::NotPositive { name: "sensitivity", value: "0".into() }),
            _ => Ok(()),
        };
        let over = |x: Rational, y: &Rational| x.checked_div(y).expect("checked");
        // Of Gaussian noise the loss that is typical: it has no largest one.
        let loss = match self {
            Mechanism::Laplace { epsilon } | Mechanism::RandomizedResponse { epsilon } => {
                positive("epsilon", epsilon)?;
                epsilon.clone()
            }
            Mechanism::DiscreteLaplace { scale, sensitivity: distance } => {
                positive("scale", scale)?;
                sensitivity(*distance)?;
                over(Rational::from(*distance), scale)
            }
            Mechanism::DiscreteGaussian { variance, sensitivity: distance } => {
                positive("variance", variance)?;
                sensitivity(*distance)?;
                over(Rational::from(*distance).pow(2), variance)
            }
        };
        match loss > Rational::from(MOST_LOSS) {
            true => Err(Error::NoPrivacy { most: MOST_LOSS }),
            false => Ok(()),
        }
    }

    pub(crate) fn lattice(&self) -> Lattice {
        let two = Rational::from(2);
        match self {
            Mechanism::Laplace { epsilon } => Lattice::Continuous { reach: epsilon.clone() },
            Mechanism::DiscreteLaplace { scale, .. } => {
                Lattice::Exact { step: two.checked_div(scale).expect("checked") }
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                Lattice::Exact { step: Rational::from(*sensitivity).checked_div(variance).expect("checked") }
            }
            Mechanism::RandomizedResponse { epsilon } => Lattice::Exact { step: two * epsilon },
        }
    }

    /// A bound on the distribution of the loss, on multiples of the step, but for an offset.
    ///
    /// Requires: the step divides that of [`lattice`](Self::lattice), or its reach at least three times.
    ///
    /// # Errors
    /// [`Error::TooFine`].
    pub(crate) fn distribution(
        &self,
        bound: Bound,
        precision: Precision,
        step: &Rational,
    ) -> Result<Distribution, Error> {
        if self.points(precision, step) > Rational::from(MOST_POINTS) {
            return Err(Error::TooFine);
        }
        let points = match self {
            Mechanism::Laplace { epsilon } => laplace(epsilon, step, bound, precision),
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                discrete_laplace(scale, *sensitivity, precision)
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                discrete_gaussian(variance, *sensitivity, bound, precision)
            }
            Mechanism::RandomizedResponse { epsilon } => {
                // Discrete Laplace noise at sensitivity 1 has these two losses and no others.
                discrete_laplace(&epsilon.recip().expect("checked"), 1, precision)
            }
        };
        Ok(points.on(step, bound, precision))
    }

    /// About how many points of the lattice it needs, and how many probabilities are computed for them: the larger number.
    fn points(&self, precision: Precision, step: &Rational) -> Rational {
        let two = Rational::from(2);
        let (width, outputs) = match self {
            Mechanism::Laplace { epsilon } | Mechanism::RandomizedResponse { epsilon } => {
                (epsilon * &two, Rational::ONE)
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                let width = Rational::from(*sensitivity).checked_div(scale).expect("checked") * &two;
                (width, Rational::from(*sensitivity))
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                let outputs = &two * Rational::from(reach(variance, precision));
                ((&outputs * Rational::from(*sensitivity)).checked_div(variance).expect("checked"), outputs)
            }
        };
        width.checked_div(step).expect("positive").max(outputs)
    }
}

/// `T` with `e^(-T²/(2σ²)) < 2^-(W + 40)`, as `ln 2 < 0.7`.
fn reach(variance: &Rational, precision: Precision) -> IBig {
    let square = variance * Rational::from(14 * (u64::from(precision.bits()) + 40)) / Rational::from(10);
    square.floor_sqrt().expect("not negative") + IBig::from(2)
}

/// Losses and their probabilities.
struct Points {
    losses: BTreeMap<Rational, Enclosure>,
    /// The probability of all that is left out.
    rest: Option<Enclosure>,
}

impl Points {
    fn on(self, step: &Rational, bound: Bound, precision: Precision) -> Distribution {
        let index = |loss: &Rational| loss.checked_div(step).expect("a step is positive");
        let first = self.losses.keys().next().map(index).expect("at least one loss");
        let last = self.losses.keys().next_back().map(index).expect("at least one loss");
        let place = |index: Rational| {
            assert!(index.is_integer(), "losses are on the lattice");
            usize::try_from(index.numerator()).expect("the number of values is limited")
        };
        let mut masses = vec![Mass::ZERO; place(&last - &first) + 1];
        for (loss, probability) in &self.losses {
            let mass = &mut masses[place(index(loss) - &first)];
            *mass = mass.plus(bound.mass(probability, precision));
        }
        let infinite = match (bound, &self.rest) {
            (Bound::Upper, Some(rest)) => bound.mass(rest, precision),
            _ => Mass::ZERO,
        };
        Distribution { bound, precision, step: step.clone(), first, masses, infinite }
    }
}

fn exp(x: &Rational, precision: Precision) -> Enclosure {
    exp_rational(x, precision.bits() + BITS).expect("losses are limited")
}

fn one() -> Enclosure {
    Enclosure::of_rational(&Rational::ONE, 1)
}

/// With `q = e^(-1/s)` and sensitivity `Δ`, seen from 0 and with the neighbour at `Δ`: `z <= 0` loses `Δ/s`, and has probability `1/(1+q)`;
/// `0 < z < Δ` loses `(Δ - 2z)/s`, and has `q^z·(1-q)/(1+q)`; `z >= Δ` loses `-Δ/s`, and has `q^Δ/(1+q)`.
fn discrete_laplace(scale: &Rational, sensitivity: u64, precision: Precision) -> Points {
    let bits = precision.bits() + BITS;
    let power = |z: u64| exp(&-(Rational::from(z).checked_div(scale).expect("checked")), precision);
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
    Points { losses, rest: None }
}

/// At `x` the loss is `(Δ² - 2Δx)/(2σ²)`. The terms from `x = T` on fall by more than a factor of `e^(-T/σ²)` each, so that all beyond `T` are
/// together at most `e^(-T²/(2σ²))/(e^(T/σ²) - 1)`.
fn discrete_gaussian(variance: &Rational, sensitivity: u64, bound: Bound, precision: Precision) -> Points {
    let bits = precision.bits() + BITS;
    let twice = variance * Rational::from(2);
    let reach = u64::try_from(reach(variance, precision)).expect("limited by the caller");
    let weight = |x: u64| exp(&-(Rational::from(x).pow(2).checked_div(&twice).expect("checked")), precision);
    let weights: Vec<Enclosure> = (0..=reach).map(weight).collect();
    let far = Rational::from(reach).checked_div(variance).expect("checked");
    let beyond = weights[reach as usize]
        .div(&(&exp(&far, precision) - &one()), bits)
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
    let rest = (bound == Bound::Upper).then(|| beyond.div(&total, bits).expect("positive"));
    Points { losses, rest }
}

/// The loss is `ε` with probability ½, `-ε` with `e^-ε/2`, and has the density `e^((l-ε)/2)/4` between. A cell `[a, a+w]` has
/// `e^((a-ε)/2)·(e^(w/2)-1)/2` of the mass, and as one output it would lose `a + w/2` exactly.
///
/// - Upper: the mass of each cell between two points of the lattice moves to these, `1/(1+e^(-w/2))` of it up, so that the mass under both
///   inputs stays what it was: the cell is a merging of two such outputs, thus no more private.
/// - Lower: the cells around points of the lattice are one output each. Half a cell is left at either end; of the cell after the next,
///   as much is merged with it as it takes to lose just what the point between loses.
fn laplace(epsilon: &Rational, step: &Rational, bound: Bound, precision: Precision) -> Points {
    let bits = precision.bits() + BITS;
    let cells = epsilon.checked_div(step).expect("positive").floor();
    let cells = i64::try_from(cells).expect("limited by the caller");
    let half = Rational::new(1, 2).expect("2 is not 0");
    let at = |index: &Rational| index * step;
    // The mass of a cell that begins at an index and is so many steps wide.
    let cell = |begin: &Rational, width: &Rational| {
        let growth = &exp(&(at(width) * &half), precision) - &one();
        (&exp(&((at(begin) - epsilon) * &half), precision) * &growth).shl(-1)
    };
    let mut masses: BTreeMap<i64, Enclosure> = BTreeMap::new();
    let mut add = |index: i64, mass: &Enclosure| {
        let sum = masses.get(&index).map_or_else(|| mass.clone(), |old| old + mass);
        masses.insert(index, sum.round(bits));
    };
    add(cells, &one().shl(-1));
    add(-cells, &exp(&-epsilon, precision).shl(-1));
    match bound {
        Bound::Upper => {
            let falls = exp(&-(step * &half), precision);
            let up = one().div(&(&one() + &falls), bits).expect("above 1");
            for index in -cells..cells {
                let mass = cell(&Rational::from(index), &Rational::ONE);
                let upper = &mass * &up;
                add(index, &(&upper * &falls));
                add(index + 1, &upper);
            }
        }
        Bound::Lower => {
            for index in 1 - cells..cells {
                add(index, &cell(&(Rational::from(index) - &half), &Rational::ONE));
            }
            let three_quarters = at(&Rational::new(3, 4).expect("4 is not 0"));
            let [full, part] = [step, &three_quarters].map(|x| [x.clone(), -x].map(|x| exp(&x, precision)));
            let [top, bottom] =
                [Rational::from(cells) - &half, Rational::from(-cells)].map(|at| cell(&at, &half));
            // x·(e^h - 1) = w·(1 - e^(-3h/4)) above, x·(1 - e^-h) = w·(e^(3h/4) - 1) below.
            let above = (&top * &(&one() - &part[1])).div(&(&full[0] - &one()), bits).expect("positive");
            let below = (&bottom * &(&part[0] - &one())).div(&(&one() - &full[1]), bits).expect("positive");
            for (to, from, half_cell, moved) in
                [(cells - 1, cells - 2, &top, &above), (1 - cells, 2 - cells, &bottom, &below)]
            {
                add(to, &(half_cell + moved));
                add(from, &-moved);
            }
        }
    }
    let losses = masses.into_iter().map(|(index, mass)| (at(&Rational::from(index)), mass)).collect();
    Points { losses, rest: None }
}
