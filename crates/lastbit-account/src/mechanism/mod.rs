//! What one release loses: bounds on the distribution of its loss, on a lattice.

mod finite;
mod gaussian;
mod geometric;
mod laplace;
mod normal;
mod points;
mod sampled;

use lastbit_real::{Enclosure, Rational, Rounding};

use crate::cells::Cells;
use crate::distribution::{Bound, Distribution};
use crate::mass::Weighting;
use crate::mutant::{Mutant, is_made};
use crate::{Error, closed, positive};
use points::{Points, Published};

/// The most points of one mechanism on the lattice.
pub(crate) const MOST_POINTS: u64 = 1 << 19;

/// The most outputs of one mechanism.
const MOST_OUTPUTS: u64 = 1 << 18;

/// The largest loss of one release. With more there is no privacy left to account for.
const MOST_LOSS: u64 = 1000;

/// The smallest loss of one release, and the smallest `Δ²/σ²` of Gaussian noise: with less, floating-point estimates of where to look would fail.
const LEAST_LOSS: &str = "1e-12";
const LEAST_SQUARE: &str = "1e-24";

/// Bits of what is known of thresholds alone.
const KEY_BITS: u32 = 128;

/// Noise, and how far apart two neighbouring inputs are; or what is known of a release whose noise is not.
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
    /// The real Gaussian variable.
    Gaussian {
        /// `Δ²/(2σ²)`, with the sensitivity `Δ` and the standard deviation `σ`.
        rho: Rational,
    },
    /// Any mechanism that is ε-differentially private: the worst of them is randomized response.
    Pure {
        /// The loss.
        epsilon: Rational,
    },
    /// Any mechanism that is (ε, δ)-differentially private: the worst of them gives everything away with probability `δ`.
    Approximate {
        /// The loss, but for `δ`; may be 0.
        epsilon: Rational,
        /// The probability.
        delta: Rational,
    },
    /// Any mechanism that is ρ-zero-concentrated differentially private. No distribution of losses is known for it.
    ZeroConcentrated {
        /// The loss.
        rho: Rational,
    },
    /// The publication of keys that nobody declared, if their noisy number of units reaches a threshold. The noise of the counts that are
    /// published is a release of its own: [`DiscreteLaplace`](Self::DiscreteLaplace) at sensitivity `keys`.
    Threshold {
        /// The scale `s` of the discrete Laplace noise on each number of units.
        scale: Rational,
        /// The least noisy number that is published, `τ`.
        threshold: u64,
        /// How many keys one unit can have at most.
        keys: u64,
    },
    /// Exact snapping: a sum with real Laplace noise, rounded to a grid and clamped.
    Snapping {
        /// Sensitivity over the scale of the noise.
        epsilon: Rational,
        /// The step of the grid over the scale, `Λ/λ`.
        grid: Rational,
        /// The bound over the scale, `B/λ`.
        bound: Rational,
    },
    /// [`Gaussian`](Self::Gaussian) noise on a sum over rows that are each taken with this probability (Poisson sampling), as in DP-SGD.
    /// Neighbours have one row more or less.
    SampledGaussian {
        /// The probability of taking a row.
        rate: Rational,
        /// `Δ²/(2σ²)` of the noise.
        rho: Rational,
    },
    /// [`Laplace`](Self::Laplace) noise on such a sum.
    SampledLaplace {
        /// The probability of taking a row.
        rate: Rational,
        /// Sensitivity over scale of the noise.
        epsilon: Rational,
    },
    /// A release with finitely many outputs, and the probabilities of each for two neighbouring inputs; they need not sum to 1 exactly if what is
    /// left out has probability 0 for both. Both directions are looked at.
    Finite {
        /// The probabilities of each output.
        outputs: Vec<(Rational, Rational)>,
    },
}

/// The lattice that the losses of a mechanism lie on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lattice {
    /// All losses are the same.
    Point,
    /// Exactly on multiples of a step, but for an offset that is the same for all.
    Exact { step: Rational },
    /// Anywhere in `[-reach, reach]`, and often just at the ends.
    Continuous { reach: Rational },
    /// Between two finite losses, or infinite; often at the ends.
    Finite {
        width: Rational,
        /// How many steps it takes from one end to the other to have all losses on the lattice, but for rounding.
        steps: Option<u64>,
    },
    /// Anywhere.
    Free,
}

impl Lattice {
    /// From one of two losses to the other; 0 where there is nothing to go by.
    pub(crate) fn width(&self) -> f64 {
        match self {
            Lattice::Exact { step: width }
            | Lattice::Continuous { reach: width }
            | Lattice::Finite { width, .. } => width.to_f64(Rounding::Up),
            Lattice::Point | Lattice::Free => 0.0,
        }
    }
}

/// In which direction neighbours differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// `P` is the input with the unit, `Q` the one without it.
    Remove,
    /// The other way round.
    Add,
}

/// All that is known of the losses of a mechanism, on a lattice.
pub(crate) enum Law {
    /// Real Laplace noise, whose largest loss is on the lattice.
    Laplace { epsilon: Rational, step: Rational },
    /// Losses on the lattice.
    Points { points: Points, step: Rational },
    /// Keys that one unit alone has, and that are published or not.
    Keys { published: Published, step: Rational },
    /// Losses that are anywhere.
    Anywhere { mechanism: Mechanism, step: Rational, stride: i64 },
    /// Outputs of some neighbours, made from those of a mechanism.
    Processed { from: Box<Law>, some: Option<Cells> },
}

impl Law {
    /// A bound on the distribution of the loss.
    pub(crate) fn distribution(
        &self,
        direction: Direction,
        bound: Bound,
        weighting: &Weighting,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        match self {
            Law::Laplace { epsilon, step } => {
                laplace::points(epsilon, step, bound, weighting, goes_on)?.on(step, bound, weighting, goes_on)
            }
            Law::Points { points, step } => points.on(step, bound, weighting, goes_on),
            Law::Keys { published, step } => {
                published.points(direction, bound).on(step, bound, weighting, goes_on)
            }
            Law::Anywhere { mechanism, step, stride } => mechanism
                .cells(direction, bound, step, *stride, weighting, goes_on)?
                .distribution(bound, weighting, goes_on),
            Law::Processed { from, some } => match (bound, some) {
                (Bound::Upper, _) => from.distribution(direction, bound, weighting, goes_on),
                (Bound::Lower, Some(some)) => some.distribution(bound, weighting, goes_on),
                (Bound::Lower, None) => Points::nothing().on(&from.step(), bound, weighting, goes_on),
            },
        }
    }

    fn step(&self) -> Rational {
        match self {
            Law::Laplace { step, .. }
            | Law::Points { step, .. }
            | Law::Keys { step, .. }
            | Law::Anywhere { step, .. } => step.clone(),
            Law::Processed { from, .. } => from.step(),
        }
    }
}

impl Mechanism {
    /// Whether it loses as much in one direction as in the other.
    pub(crate) fn is_symmetric(&self) -> bool {
        !matches!(
            self,
            Mechanism::SampledGaussian { .. }
                | Mechanism::SampledLaplace { .. }
                | Mechanism::Finite { .. }
                | Mechanism::Threshold { .. }
        )
    }

    /// The same, said more simply: a sample of all rows is none.
    pub(crate) fn simplified(self) -> Mechanism {
        match self {
            Mechanism::SampledGaussian { rate, rho } if rate == Rational::ONE => Mechanism::Gaussian { rho },
            Mechanism::SampledLaplace { rate, epsilon } if rate == Rational::ONE => {
                Mechanism::Laplace { epsilon }
            }
            _ => self,
        }
    }

    /// Refuses parameters that are no mechanism.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let whole = |name: &'static str, number: u64| positive(name, &Rational::from(number));
        let over = |x: Rational, y: &Rational| x.checked_div(y).expect("checked");
        // Of Gaussian noise the loss that is typical: it has no largest one.
        let loss = match self {
            Mechanism::Laplace { epsilon }
            | Mechanism::RandomizedResponse { epsilon }
            | Mechanism::Pure { epsilon } => {
                positive("epsilon", epsilon)?;
                epsilon.clone()
            }
            Mechanism::DiscreteLaplace { scale, sensitivity: distance } => {
                positive("scale", scale)?;
                whole("sensitivity", *distance)?;
                over(Rational::from(*distance), scale)
            }
            Mechanism::DiscreteGaussian { variance, sensitivity: distance } => {
                positive("variance", variance)?;
                whole("sensitivity", *distance)?;
                over(Rational::from(*distance).pow(2), variance)
            }
            Mechanism::Gaussian { rho } | Mechanism::ZeroConcentrated { rho } => {
                positive("rho", rho)?;
                rho * Rational::from(2)
            }
            Mechanism::Approximate { epsilon, delta } => {
                if epsilon.is_negative() {
                    return Err(Error::Negative { value: epsilon.to_short() });
                }
                probability(delta)?;
                epsilon.clone()
            }
            Mechanism::Threshold { scale, threshold, keys } => {
                positive("scale", scale)?;
                whole("threshold", *threshold)?;
                whole("keys", *keys)?;
                match over(Rational::ONE, scale) > Rational::from(MOST_LOSS) {
                    true => Rational::ONE / scale,
                    false => Published::new(scale, *threshold, *keys, KEY_BITS).largest_finite_loss(),
                }
            }
            Mechanism::Snapping { epsilon, grid, bound } => {
                positive("epsilon", epsilon)?;
                positive("grid", grid)?;
                positive("bound", bound)?;
                epsilon.clone()
            }
            Mechanism::SampledGaussian { rate, rho } => {
                share("rate", rate)?;
                positive("rho", rho)?;
                rho * Rational::from(2)
            }
            Mechanism::SampledLaplace { rate, epsilon } => {
                share("rate", rate)?;
                positive("epsilon", epsilon)?;
                epsilon.clone()
            }
            Mechanism::Finite { outputs } => {
                check_outputs(outputs)?;
                finite::ends(outputs).map_or(Rational::ZERO, |[least, most]| (-least).max(most))
            }
        };
        if loss > Rational::from(MOST_LOSS) {
            return Err(Error::NoPrivacy { most: MOST_LOSS });
        }
        let is_square = matches!(
            self,
            Mechanism::Gaussian { .. }
                | Mechanism::ZeroConcentrated { .. }
                | Mechanism::DiscreteGaussian { .. }
                | Mechanism::SampledGaussian { .. }
        );
        let least = if is_square { LEAST_SQUARE } else { LEAST_LOSS };
        // What lies on a single point needs no lattice.
        let apart = match self {
            Mechanism::Threshold { .. } => Rational::ZERO,
            Mechanism::Finite { outputs } => {
                finite::ends(outputs).map_or(Rational::ZERO, |[least, most]| most - least)
            }
            _ => loss,
        };
        match !apart.is_zero() && apart < least.parse::<Rational>().expect("a decimal") {
            true => Err(Error::TooLittle { loss: apart.to_short(), least }),
            false => Ok(()),
        }
    }

    /// The pure loss: exact, or just above where a transcendental number is part of it; `None` if it is infinite.
    pub(crate) fn pure(&self) -> Option<Rational> {
        match self {
            Mechanism::Laplace { epsilon }
            | Mechanism::RandomizedResponse { epsilon }
            | Mechanism::Pure { epsilon }
            | Mechanism::Snapping { epsilon, .. } => Some(epsilon.clone()),
            Mechanism::Approximate { epsilon, delta } => delta.is_zero().then(|| epsilon.clone()),
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                Rational::from(*sensitivity).checked_div(scale)
            }
            Mechanism::SampledLaplace { rate, epsilon } => Some(sampled::largest_loss(rate, epsilon)),
            Mechanism::Finite { outputs } => finite::largest_loss(outputs),
            Mechanism::Gaussian { .. }
            | Mechanism::DiscreteGaussian { .. }
            | Mechanism::ZeroConcentrated { .. }
            | Mechanism::Threshold { .. }
            | Mechanism::SampledGaussian { .. } => None,
        }
    }

    /// The zero-concentrated loss, and the probability for which it says nothing: what is ε-private is `min(ε²/2, ε)`-zero-concentrated.
    pub(crate) fn concentrated(&self) -> Option<(Rational, Rational)> {
        let of_pure = |epsilon: &Rational| epsilon.clone().min(epsilon.pow(2) * Rational::pow2(-1));
        match self {
            // A sample loses no more than all rows do.
            Mechanism::Gaussian { rho }
            | Mechanism::ZeroConcentrated { rho }
            | Mechanism::SampledGaussian { rho, .. } => Some((rho.clone(), Rational::ZERO)),
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                let square = Rational::from(*sensitivity).pow(2);
                Some((square.checked_div(&(variance * Rational::from(2)))?, Rational::ZERO))
            }
            Mechanism::Approximate { epsilon, delta } => Some((of_pure(epsilon), delta.clone())),
            Mechanism::Threshold { scale, threshold, keys } => {
                Some((Rational::ZERO, Published::new(scale, *threshold, *keys, KEY_BITS).at_most()))
            }
            _ => Some((of_pure(&self.pure()?), Rational::ZERO)),
        }
    }

    /// The Rényi divergence of an order above 1, where it is known.
    pub(crate) fn renyi(&self, order: &Rational) -> Option<Enclosure> {
        match self {
            Mechanism::Gaussian { rho } => Some(Enclosure::of_rational(&(rho * order), 96)),
            Mechanism::Laplace { epsilon } => Some(closed::laplace_renyi(epsilon, order)),
            _ => None,
        }
    }

    /// What neighbours lose that differ in so many units instead of one.
    pub(crate) fn for_group(&self, size: u64) -> Result<Mechanism, Error> {
        let n = Rational::from(size);
        let more = |sensitivity: u64| {
            sensitivity.checked_mul(size).ok_or(Error::TooMany { times: size, most: u64::MAX / sensitivity })
        };
        Ok(match self {
            Mechanism::Laplace { epsilon } => Mechanism::Laplace { epsilon: epsilon * n },
            Mechanism::RandomizedResponse { epsilon } | Mechanism::Pure { epsilon } => {
                Mechanism::Pure { epsilon: epsilon * n }
            }
            Mechanism::Snapping { epsilon, grid, bound } => {
                Mechanism::Snapping { epsilon: epsilon * n, grid: grid.clone(), bound: bound.clone() }
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                Mechanism::DiscreteLaplace { scale: scale.clone(), sensitivity: more(*sensitivity)? }
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                Mechanism::DiscreteGaussian { variance: variance.clone(), sensitivity: more(*sensitivity)? }
            }
            Mechanism::Gaussian { rho } => Mechanism::Gaussian { rho: rho * n.pow(2) },
            Mechanism::ZeroConcentrated { rho } => Mechanism::ZeroConcentrated { rho: rho * n.pow(2) },
            Mechanism::Threshold { scale, threshold, keys } => {
                let Some(nearer) = threshold.checked_sub(size - 1).filter(|threshold| *threshold > 0) else {
                    return Err(Error::NoGroup { mechanism: "a threshold that the group reaches alone" });
                };
                // As many keys as one unit has, with all units each; or keys of its own for each unit. What lies between is no worse: -ln(1 - p) is
                // convex in the number of units of a key.
                let of = |threshold, keys| {
                    let published = Published::new(scale, threshold, keys, KEY_BITS).at_most();
                    (published, Mechanism::Threshold { scale: scale.clone(), threshold, keys })
                };
                let ends = [of(nearer, *keys), of(*threshold, more(*keys)?)];
                let [(together, shared), (apart, own)] = ends;
                if together >= apart { shared } else { own }
            }
            Mechanism::Approximate { epsilon, delta } if delta.is_zero() => {
                Mechanism::Pure { epsilon: epsilon * n }
            }
            Mechanism::Approximate { .. } => return Err(Error::NoGroup { mechanism: "an (ε, δ) box" }),
            Mechanism::SampledGaussian { .. } | Mechanism::SampledLaplace { .. } => {
                return Err(Error::NoGroup { mechanism: "noise on a sample" });
            }
            Mechanism::Finite { .. } => match self.pure() {
                Some(epsilon) => Mechanism::Pure { epsilon: epsilon * n },
                None => return Err(Error::NoGroup { mechanism: "a release that can give everything away" }),
            },
        })
    }

    /// Whether all losses lie on a lattice exactly.
    pub(crate) fn is_on_lattice(&self) -> bool {
        matches!(self.lattice(), Lattice::Point | Lattice::Exact { .. })
    }

    pub(crate) fn lattice(&self) -> Lattice {
        let two = Rational::from(2);
        match self {
            Mechanism::Laplace { epsilon } | Mechanism::Snapping { epsilon, .. } => {
                Lattice::Continuous { reach: epsilon.clone() }
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } if *sensitivity > geometric::FEW => {
                Lattice::Continuous { reach: Rational::from(*sensitivity) / scale }
            }
            Mechanism::DiscreteLaplace { scale, .. } => {
                Lattice::Exact { step: two.checked_div(scale).expect("checked") }
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                Lattice::Exact { step: Rational::from(*sensitivity).checked_div(variance).expect("checked") }
            }
            Mechanism::Approximate { epsilon, .. } if epsilon.is_zero() => Lattice::Point,
            Mechanism::RandomizedResponse { epsilon }
            | Mechanism::Pure { epsilon }
            | Mechanism::Approximate { epsilon, .. } => Lattice::Exact { step: two * epsilon },
            Mechanism::Threshold { .. } => Lattice::Point,
            Mechanism::Finite { outputs } => match finite::ends(outputs) {
                Some([least, most]) if least < most => {
                    Lattice::Finite { width: most - least, steps: finite::steps(outputs) }
                }
                _ => Lattice::Point,
            },
            Mechanism::Gaussian { .. }
            | Mechanism::ZeroConcentrated { .. }
            | Mechanism::SampledGaussian { .. } => Lattice::Free,
            Mechanism::SampledLaplace { rate, epsilon } => {
                let [least, most] = sampled::laplace_ends(rate, epsilon);
                Lattice::Finite { width: most - least, steps: None }
            }
        }
    }

    /// About `ln Σ p(l)·e^(λl)`. A guess, from which only the weighting of masses and the fineness of lattices follow.
    pub(crate) fn log_moment(&self, direction: Direction, tilt: f64) -> f64 {
        let float = |x: &Rational| x.to_f64(Rounding::Nearest);
        let order = tilt + 1.0;
        // E_P(P/Q)^λ as an expectation without the row, where one of the two is 1.
        let without_row = match direction {
            Direction::Remove => order,
            Direction::Add => -tilt,
        };
        let laplace = |epsilon: f64| {
            let (up, down) = (tilt * epsilon, -order * epsilon);
            up + ((order + tilt * (down - up).exp()) / (order + tilt)).ln()
        };
        // Two losses, ±ε.
        let response = |epsilon: f64| {
            let (up, down) = (tilt * epsilon, -order * epsilon);
            up + (1.0 + (down - up).exp()).ln() - (1.0 + (-epsilon).exp()).ln()
        };
        match self {
            Mechanism::Gaussian { rho } | Mechanism::ZeroConcentrated { rho } => float(rho) * tilt * order,
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                (*sensitivity as f64).powi(2) / (2.0 * float(variance)) * tilt * order
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } => match sensitivity {
                1 => response(1.0 / float(scale)),
                _ => laplace(*sensitivity as f64 / float(scale)),
            },
            Mechanism::Laplace { epsilon } | Mechanism::Snapping { epsilon, .. } => laplace(float(epsilon)),
            Mechanism::RandomizedResponse { epsilon }
            | Mechanism::Pure { epsilon }
            | Mechanism::Approximate { epsilon, .. } => response(float(epsilon)),
            Mechanism::Threshold { scale, threshold, keys } => {
                let reached = ((1.0 - *threshold as f64) / float(scale)).exp();
                let log_none = *keys as f64 * (-reached / (1.0 + (-1.0 / float(scale)).exp())).ln_1p();
                match direction {
                    Direction::Remove => order * log_none,
                    Direction::Add => -tilt * log_none,
                }
            }
            Mechanism::SampledGaussian { rate, rho } => {
                sampled::log_moment(float(rate), (2.0 * float(rho)).sqrt(), without_row)
            }
            Mechanism::SampledLaplace { rate, epsilon } => {
                sampled::log_moment_laplace(float(rate), float(epsilon), without_row)
            }
            Mechanism::Finite { outputs } => {
                let log = |p: &Rational, q: &Rational| {
                    let (p, q) = (float(p), float(q));
                    p.ln() + tilt * (p / q).ln()
                };
                let finite = outputs.iter().filter(|(p, q)| p.is_positive() && q.is_positive());
                sampled::log_sum(finite.map(|(p, q)| match direction {
                    Direction::Remove => log(p, q),
                    Direction::Add => log(q, p),
                }))
            }
        }
    }

    /// What is known of the losses on multiples of the step, but for an offset. Losses that are exactly on a lattice stay on it: then the step
    /// must divide that of [`lattice`](Self::lattice), or the reach of real Laplace noise. Where losses are anywhere, every `stride`-th point is enough.
    ///
    /// # Errors
    /// [`Error::TooFine`]; [`Error::Unknown`] if nothing is known of the distribution.
    pub(crate) fn law(
        &self,
        weighting: &Weighting,
        step: &Rational,
        stride: i64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Law, Error> {
        let (points, outputs) = self.points(weighting, step);
        if points > Rational::from(MOST_POINTS) || outputs > Rational::from(MOST_OUTPUTS) {
            return Err(Error::TooFine);
        }
        let on_lattice = |points: Points| Law::Points { points, step: step.clone() };
        let anywhere = || Law::Anywhere { mechanism: self.clone(), step: step.clone(), stride };
        Ok(match self {
            Mechanism::Laplace { epsilon } => Law::Laplace { epsilon: epsilon.clone(), step: step.clone() },
            Mechanism::Snapping { epsilon, grid, bound } => Law::Processed {
                from: Box::new(
                    Mechanism::Laplace { epsilon: epsilon.clone() }.law(weighting, step, stride, goes_on)?,
                ),
                some: finite::snapping(epsilon, grid, bound, step, weighting),
            },
            Mechanism::DiscreteLaplace { sensitivity, .. } if *sensitivity > geometric::FEW => anywhere(),
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                on_lattice(points::discrete_laplace(scale, *sensitivity, weighting, goes_on)?)
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                on_lattice(points::discrete_gaussian(variance, *sensitivity, weighting, goes_on)?)
            }
            Mechanism::RandomizedResponse { epsilon } | Mechanism::Pure { epsilon } => {
                on_lattice(points::randomized_response(epsilon, &Rational::ZERO, weighting))
            }
            Mechanism::Approximate { epsilon, delta } => {
                on_lattice(points::randomized_response(epsilon, delta, weighting))
            }
            Mechanism::Threshold { scale, threshold, keys } => Law::Keys {
                published: Published::new(scale, *threshold, *keys, weighting.bits()),
                step: step.clone(),
            },
            Mechanism::Gaussian { .. }
            | Mechanism::SampledGaussian { .. }
            | Mechanism::SampledLaplace { .. }
            | Mechanism::Finite { .. } => anywhere(),
            Mechanism::ZeroConcentrated { .. } => return Err(Error::Unknown),
        })
    }

    /// Ranges of outputs. For an upper bound they lie between points of the lattice; for a lower one around them, and just so that what they lose
    /// as one is a little more than the point says.
    fn cells(
        &self,
        direction: Direction,
        bound: Bound,
        step: &Rational,
        stride: i64,
        weighting: &Weighting,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Cells, Error> {
        let ahead = |sixtyfourths: i64| Rational::new(sixtyfourths, 64).expect("64 is not 0");
        let shift = match (bound, direction) {
            (Bound::Upper, _) => Rational::ZERO,
            (Bound::Lower, _) if matches!(self, Mechanism::Gaussian { .. }) => ahead(33),
            (Bound::Lower, Direction::Remove) => ahead(33),
            // Turned round in the end.
            (Bound::Lower, Direction::Add) => ahead(31),
        };
        let remove = match self {
            Mechanism::Gaussian { rho } => {
                return gaussian::cells(rho, step, stride, &shift, weighting, goes_on);
            }
            Mechanism::SampledGaussian { rate, rho } => {
                sampled::gaussian(rate, rho, step, &shift, weighting, goes_on)?
            }
            Mechanism::SampledLaplace { rate, epsilon } => {
                sampled::laplace(rate, epsilon, step, &shift, weighting, goes_on)?
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                return Ok(geometric::cells(scale, *sensitivity, step, &shift, weighting));
            }
            Mechanism::Finite { outputs } => finite::cells(outputs, step, weighting),
            _ => unreachable!("losses of other mechanisms lie on a lattice"),
        };
        Ok(match direction == Direction::Add || is_made(Mutant::Turned) {
            false => remove,
            true => remove.mirrored(),
        })
    }

    /// About how many points of the lattice it needs, and how many probabilities are computed for them.
    fn points(&self, weighting: &Weighting, step: &Rational) -> (Rational, Rational) {
        let two = Rational::from(2);
        let (width, outputs) = match self {
            Mechanism::Laplace { epsilon }
            | Mechanism::RandomizedResponse { epsilon }
            | Mechanism::Pure { epsilon }
            | Mechanism::Snapping { epsilon, .. }
            | Mechanism::Approximate { epsilon, .. } => (epsilon * &two, Rational::ONE),
            Mechanism::SampledLaplace { rate, epsilon } => {
                let [least, most] = sampled::laplace_ends(rate, epsilon);
                (most - least, Rational::ONE)
            }
            Mechanism::DiscreteLaplace { scale, sensitivity } => {
                let width = Rational::from(*sensitivity).checked_div(scale).expect("checked") * &two;
                (width, Rational::from((*sensitivity).min(geometric::FEW)))
            }
            Mechanism::DiscreteGaussian { variance, sensitivity } => {
                let outputs = &two * Rational::from(points::reach(variance, weighting));
                ((&outputs * Rational::from(*sensitivity)).checked_div(variance).expect("checked"), outputs)
            }
            Mechanism::Gaussian { rho } => (gaussian::Loss::reach(rho, weighting) * &two, Rational::ONE),
            Mechanism::SampledGaussian { rate, rho } => {
                (sampled::width(rate, &gaussian::Loss::reach(rho, weighting)), Rational::ONE)
            }
            Mechanism::Finite { outputs } => {
                let width = finite::ends(outputs).map_or(Rational::ZERO, |[least, most]| most - least);
                (width, Rational::from(outputs.len() as u64))
            }
            Mechanism::Threshold { .. } | Mechanism::ZeroConcentrated { .. } => {
                (Rational::ZERO, Rational::ONE)
            }
        };
        (width.checked_div(step).expect("positive"), outputs)
    }
}

/// Refuses what is no probability below 1.
fn probability(delta: &Rational) -> Result<(), Error> {
    match delta.is_negative() || *delta >= Rational::ONE {
        true => Err(Error::NoProbability { value: delta.to_short() }),
        false => Ok(()),
    }
}

/// Refuses a share outside of `(0, 1]`.
fn share(name: &'static str, rate: &Rational) -> Result<(), Error> {
    positive(name, rate)?;
    match *rate > Rational::ONE {
        true => Err(Error::AboveOne { name, value: rate.to_short() }),
        false => Ok(()),
    }
}

/// Refuses what are no two distributions.
fn check_outputs(outputs: &[(Rational, Rational)]) -> Result<(), Error> {
    if let Some(output) = outputs.iter().position(|(p, q)| p.is_negative() || q.is_negative()) {
        return Err(Error::NoDistribution {
            reason: format!("the probability of output {} is negative", output + 1),
        });
    }
    for (which, sum) in [
        ("first", outputs.iter().map(|(p, _)| p).fold(Rational::ZERO, |sum, p| sum + p)),
        ("second", outputs.iter().map(|(_, q)| q).fold(Rational::ZERO, |sum, q| sum + q)),
    ] {
        if sum != Rational::ONE {
            return Err(Error::NoDistribution {
                reason: format!(
                    "the probabilities for the {which} input add up to {}, not 1",
                    sum.to_short()
                ),
            });
        }
    }
    Ok(())
}
