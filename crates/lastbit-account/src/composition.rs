//! Several releases together, and how fine the lattice of their losses must be.

use std::collections::BTreeMap;

use lastbit_real::{Rational, Rounding};

use crate::convolve::Convolver;
use crate::distribution::{Bound, Distribution};
use crate::grid::Grid;
use crate::mass::{Precision, Weighting};
use crate::mechanism::{Direction, Law};
use crate::tilt::{Aim, Estimate};
use crate::{Error, Mechanism, positive};

/// The most releases of one mechanism.
const MOST_TIMES: u64 = 1_000_000_000;

/// The width of an interval over its upper end that is good enough is 1 over this.
const ACCURACY: u64 = 1_000_000;

/// A number between two others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// At most the number.
    pub lower: Rational,
    /// At least the number; `None` if no bound is known.
    pub upper: Option<Rational>,
}

impl Interval {
    fn is_narrow(&self) -> bool {
        let times = Rational::from(ACCURACY);
        self.upper.as_ref().is_some_and(|upper| (upper - &self.lower) * times <= *upper)
    }

    /// The width over the upper end; 1 if that is unknown.
    fn relative_width(&self) -> f64 {
        let share = |upper: &Rational| (upper - &self.lower).checked_div(upper);
        self.upper.as_ref().and_then(share).map_or(1.0, |share| share.to_f64(Rounding::Up))
    }

    /// What both know.
    fn meet(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.max(other.lower),
            upper: match (self.upper, other.upper) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// Releases about the same inputs, with parameters that were fixed before the first of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Composition {
    terms: BTreeMap<Mechanism, u64>,
}

impl Composition {
    /// No release.
    pub fn new() -> Composition {
        Composition::default()
    }

    /// So many more releases of a mechanism.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NoPrivacy`], [`Error::TooMany`].
    pub fn add(&mut self, mechanism: Mechanism, times: u64) -> Result<(), Error> {
        mechanism.check()?;
        positive("the number of releases", &Rational::from(times))?;
        let all = self.terms.get(&mechanism).unwrap_or(&0).saturating_add(times);
        if all > MOST_TIMES {
            return Err(Error::TooMany { times: all, most: MOST_TIMES });
        }
        self.terms.insert(mechanism, all);
        Ok(())
    }

    /// The mechanisms, and how many releases of each.
    pub fn terms(&self) -> impl Iterator<Item = (&Mechanism, u64)> + Clone {
        self.terms.iter().map(|(mechanism, times)| (mechanism, *times))
    }

    /// The least `δ` for which all releases together are (ε, δ)-differentially private.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::Empty`], [`Error::TooFine`].
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        self.delta_while(epsilon, &|| true)
    }

    /// The same, as long as `goes_on` says so; it is asked several times a second.
    ///
    /// # Errors
    /// Those of [`delta`](Self::delta), and [`Error::Cancelled`].
    pub fn delta_while(&self, epsilon: &Rational, goes_on: &dyn Fn() -> bool) -> Result<Interval, Error> {
        if epsilon.is_negative() {
            return Err(Error::Negative { value: epsilon.to_short() });
        }
        self.refine(&Aim::Delta(epsilon), goes_on)
    }

    /// The least `ε` for which all releases together are (ε, δ)-differentially private.
    ///
    /// # Errors
    /// [`Error::NoProbability`], [`Error::Empty`], [`Error::TooFine`].
    pub fn epsilon(&self, delta: &Rational) -> Result<Interval, Error> {
        self.epsilon_while(delta, &|| true)
    }

    /// The same, as long as `goes_on` says so; it is asked several times a second.
    ///
    /// # Errors
    /// Those of [`epsilon`](Self::epsilon), and [`Error::Cancelled`].
    pub fn epsilon_while(&self, delta: &Rational, goes_on: &dyn Fn() -> bool) -> Result<Interval, Error> {
        if !delta.is_positive() || *delta >= Rational::ONE {
            return Err(Error::NoProbability { value: delta.to_short() });
        }
        self.refine(&Aim::Epsilon(delta), goes_on)
    }

    /// Tries ever finer lattices and masses, until the answer is accurate or there is no room for more.
    fn refine(&self, aim: &Aim<'_>, goes_on: &dyn Fn() -> bool) -> Result<Interval, Error> {
        let estimate = Estimate::of(self.terms(), aim);
        let mut grid = Grid::first(self.terms(), estimate.spread)?;
        let mut precision = estimate.precision();
        let mut known: Option<Interval> = None;
        loop {
            let bounds = match (self.bounds(&grid, &estimate.weighting(precision), goes_on), known.take()) {
                (Ok(bounds), before) => {
                    known = before;
                    bounds
                }
                // There was room for a coarser lattice.
                (Err(Error::TooFine), Some(known)) => return Ok(known),
                (Err(Error::TooFine), None) => {
                    grid = grid.coarser().ok_or(Error::TooFine)?;
                    continue;
                }
                (Err(error), _) => return Err(error),
            };
            let found = bounds.answer(aim);
            let width = found.relative_width();
            let best = match known {
                None => found,
                Some(known) => found.meet(known),
            };
            if best.is_narrow() {
                return Ok(best);
            }
            // The gap of a lattice grows with the square of its step; that of masses is nothing, or nearly all.
            let finer = grid.finer((1.2 * width * ACCURACY as f64).sqrt());
            match (finer, precision) {
                (Some(finer), _) if width < 0.5 => grid = finer,
                (_, Precision::Bits60) => precision = Precision::Bits90,
                // Nothing more can be known with so much room.
                (_, Precision::Bits90) => return Ok(best),
            }
            known = Some(best);
        }
    }

    fn bounds(&self, grid: &Grid, weighting: &Weighting, goes_on: &dyn Fn() -> bool) -> Result<Bounds, Error> {
        let step = grid.step();
        let mut convolver = Convolver::new(weighting.precision);
        let mut rho = [Rational::ZERO, Rational::ZERO];
        let mut laws = Vec::new();
        for (mechanism, times) in &self.terms {
            if !goes_on() {
                return Err(Error::Cancelled);
            }
            match mechanism {
                // Several are as one: their losses are Gaussian, and so is the sum.
                Mechanism::Gaussian { rho: one } | Mechanism::ZeroConcentrated { rho: one } => {
                    let all = one * Rational::from(*times);
                    let [known, worst] = &mut rho;
                    if matches!(mechanism, Mechanism::Gaussian { .. }) {
                        *known = &*known + &all;
                    }
                    *worst = &*worst + all;
                }
                _ => laws.push((mechanism.clone(), *times)),
            }
        }
        let [known, worst] = rho;
        if worst.is_positive() {
            // Gaussian noise is zero-concentrated, and so the worst of all noise that is cannot be better.
            laws.push((Mechanism::Gaussian { rho: worst.clone() }, 1));
        }
        let tilt = weighting.tilt.to_f64(Rounding::Nearest);
        // What a wide cell costs grows with the number of releases.
        let most = laws.iter().filter(|(mechanism, _)| !mechanism.is_on_lattice()).map(|(_, times)| *times);
        let most = most.max().unwrap_or(1);
        let laws = laws.into_iter().map(|(mechanism, times)| {
            let stride = (most / times).isqrt().clamp(1, 64) as i64;
            let law = mechanism.law(weighting, &grid.step_of(&mechanism), stride)?;
            let log = Rational::try_from(mechanism.log_moment(tilt)).unwrap_or_default();
            Ok((law, times, log))
        });
        let laws: Vec<(Law, u64, Rational)> = laws.collect::<Result<_, Error>>()?;
        let mut on = |direction, bound| {
            let mut all: Option<Distribution> = None;
            for (law, times, log) in &laws {
                let one = law.distribution(direction, bound, weighting, log);
                let mut power = one.power(*times, &mut convolver, goes_on)?;
                if power.step != step {
                    power = power.on(&step);
                }
                all = Some(match all {
                    None => power,
                    Some(all) => all.plus(&power, &mut convolver, goes_on)?,
                });
            }
            all.ok_or(Error::Empty)
        };
        let mut both = |direction| {
            let lower = on(direction, Bound::Lower)?;
            let upper = if worst == known { Some(on(direction, Bound::Upper)?) } else { None };
            Ok(Side { lower, upper })
        };
        let mut sides = vec![both(Direction::Remove)?];
        if !self.terms.keys().all(Mechanism::is_symmetric) {
            sides.push(both(Direction::Add)?);
        }
        Ok(Bounds { sides })
    }
}

/// The distribution of the loss of a composition in one direction, from below and, if that is known, from above.
struct Side {
    lower: Distribution,
    upper: Option<Distribution>,
}

/// What is known in the directions that differ.
struct Bounds {
    sides: Vec<Side>,
}

impl Bounds {
    fn answer(&self, aim: &Aim<'_>) -> Interval {
        match aim {
            Aim::Delta(epsilon) => self.delta(epsilon),
            Aim::Epsilon(delta) => self.epsilon(delta),
        }
    }

    fn delta(&self, epsilon: &Rational) -> Interval {
        let of = |side: &Side| Interval {
            lower: side.lower.delta(epsilon),
            upper: side.upper.as_ref().map(|upper| upper.delta(epsilon)),
        };
        self.worst(of)
    }

    fn epsilon(&self, delta: &Rational) -> Interval {
        // Where even the lower bound is infinite, no finite number is below the truth, and any is below infinity.
        let of = |side: &Side| Interval {
            lower: side.lower.epsilon(delta).unwrap_or(Rational::ZERO),
            upper: side.upper.as_ref().and_then(|upper| upper.epsilon(delta)),
        };
        self.worst(of)
    }

    /// The larger of what is found in each direction.
    fn worst(&self, of: impl Fn(&Side) -> Interval) -> Interval {
        let larger = |a: Interval, b: Interval| Interval {
            lower: a.lower.max(b.lower),
            upper: a.upper.zip(b.upper).map(|(a, b)| a.max(b)),
        };
        self.sides.iter().map(of).reduce(larger).expect("at least one direction")
    }
}

