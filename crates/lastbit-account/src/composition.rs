//! Several releases together, and how fine the lattice of their losses must be.

use std::collections::BTreeMap;

use lastbit_real::{Enclosure, Rational, Rounding};

use crate::convolve::Convolver;
use crate::distribution::{Bound, Distribution};
use crate::grid::Grid;
use crate::mass::{Precision, Weighting};
use crate::mechanism::Direction;
use crate::mutant::{Mutant, is_made};
use crate::tilt::{Aim, Estimate};
use crate::trade_off::{Curves, TradeOff};
use crate::{Error, Mechanism, Question, closed, positive};

/// The most releases of one mechanism.
const MOST_TIMES: u64 = 1_000_000_000;

/// The width of an interval over its upper end that is good enough is 1 over this.
pub(crate) const ACCURACY: u64 = 1_000_000;

/// The same for pictures.
const FEW: u64 = 100;

/// Of what is released so many times less often, cells may be as wide as those of the rest are together.
const FEW_ARE_WIDE: u64 = 50;

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
    fn is_narrow(&self, accuracy: u64) -> bool {
        let times = Rational::from(accuracy);
        self.upper.as_ref().is_some_and(|upper| (upper - &self.lower) * times <= *upper)
    }

    /// The width over the upper end; 1 if that is unknown.
    fn relative_width(&self) -> f64 {
        let share = |upper: &Rational| (upper - &self.lower).checked_div(upper);
        self.upper.as_ref().and_then(share).map_or(1.0, |share| share.to_f64(Rounding::Up))
    }

    /// With another upper bound, if there is one.
    pub(crate) fn at_most(self, bound: Option<Rational>) -> Interval {
        self.meet(Interval { lower: Rational::ZERO, upper: bound })
    }

    /// The larger of two numbers.
    fn larger(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.max(other.lower),
            upper: self.upper.zip(other.upper).map(|(a, b)| a.max(b)),
        }
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

/// Refuses no releases, and more than can be composed.
pub(crate) fn check_times(times: u64) -> Result<(), Error> {
    positive("the number of releases", &Rational::from(times))?;
    match times > MOST_TIMES {
        true => Err(Error::TooMany { times, most: MOST_TIMES }),
        false => Ok(()),
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
        check_times(times)?;
        let mechanism = mechanism.simplified();
        let all = self.terms.get(&mechanism).unwrap_or(&0).saturating_add(times);
        check_times(all)?;
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
    /// [`Error::Negative`], [`Error::Empty`], [`Error::TooFine`], [`Error::TooLarge`].
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        self.delta_while(epsilon, &|| true)
    }

    /// The same, as long as `goes_on` says so; it is asked several times a second.
    ///
    /// # Errors
    /// Those of [`delta`](Self::delta), and [`Error::Cancelled`].
    pub fn delta_while(&self, epsilon: &Rational, goes_on: &dyn Fn() -> bool) -> Result<Interval, Error> {
        self.delta_within(epsilon, ACCURACY, goes_on)
    }

    /// `δ` at each of many `ε`, fast and with a few digits only: for a picture.
    ///
    /// # Errors
    /// Those of [`delta_while`](Self::delta_while).
    pub fn curve(&self, epsilons: &[Rational], goes_on: &dyn Fn() -> bool) -> Result<Vec<Interval>, Error> {
        epsilons.iter().map(|epsilon| self.delta_within(epsilon, FEW, goes_on)).collect()
    }

    /// The width of the interval is at most a share of `1/accuracy` of its upper end, if there is room.
    pub(crate) fn delta_within(
        &self,
        epsilon: &Rational,
        accuracy: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Interval, Error> {
        Ok(self.ask(&Question::Delta { epsilon: epsilon.clone() }, accuracy, goes_on)?.interval)
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
        Ok(self.ask(&Question::Epsilon { delta: delta.clone() }, ACCURACY, goes_on)?.interval)
    }

    /// The sum of all `ρ`, if all noise is Gaussian: several Gaussian releases are as one.
    pub(crate) fn gaussian(&self) -> Option<Rational> {
        let rho = |(mechanism, times): (&Mechanism, u64)| match mechanism {
            Mechanism::Gaussian { rho } => Some(rho * Rational::from(times)),
            _ => None,
        };
        self.terms().map(rho).sum()
    }

    /// The sum of all pure losses: exact, or just above where a transcendental number is part of one. `None` if one is infinite.
    ///
    /// ```
    /// use lastbit_account::{Composition, Mechanism};
    /// let mut releases = Composition::new();
    /// releases.add(Mechanism::Laplace { epsilon: "1/10".parse()? }, 30)?;
    /// releases.add(Mechanism::RandomizedResponse { epsilon: "1".parse()? }, 2)?;
    /// assert_eq!(releases.pure(), Some("5".parse()?));
    /// assert_eq!(releases.zero_concentrated(), Some("1.15".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pure(&self) -> Option<Rational> {
        self.terms().map(|(mechanism, times)| Some(mechanism.pure()? * Rational::from(times))).sum()
    }

    /// The sum of all zero-concentrated losses; `None` if one is not known.
    pub fn zero_concentrated(&self) -> Option<Rational> {
        self.concentrated().filter(|(_, delta)| delta.is_zero()).map(|(rho, _)| rho)
    }

    /// The sum of zero-concentrated losses, and of the probabilities that nothing is known for.
    fn concentrated(&self) -> Option<(Rational, Rational)> {
        let sum = |(rho, delta): (Rational, Rational), (mechanism, times): (&Mechanism, u64)| {
            let (one_rho, one_delta) = mechanism.concentrated()?;
            let times = Rational::from(times);
            Some((rho + one_rho * &times, delta + one_delta * times))
        };
        self.terms().try_fold((Rational::ZERO, Rational::ZERO), sum)
    }

    /// An upper bound on `δ(ε)` from the zero-concentrated losses alone, by the tight conversion (Canonne, Kamath and Steinke 2020). It holds also
    /// if later releases were chosen after the outputs of earlier ones were seen, as long as the sum of their losses had a limit.
    pub fn delta_by_zero_concentrated(&self, epsilon: &Rational) -> Option<Rational> {
        let (rho, delta) = self.concentrated()?;
        let converted = match rho.is_zero() {
            true => Rational::ZERO,
            false => closed::concentrated_delta(&rho, epsilon),
        };
        Some((converted + delta).min(Rational::ONE))
    }

    /// The same, for `ε` at a `δ`.
    pub fn epsilon_by_zero_concentrated(&self, delta: &Rational) -> Option<Rational> {
        let (rho, lost) = self.concentrated()?;
        let left = delta - lost;
        match rho.is_zero() {
            true => (!left.is_negative()).then_some(Rational::ZERO),
            false => left.is_positive().then(|| closed::concentrated_epsilon(&rho, &left)),
        }
    }

    /// The sum of the Rényi divergences of an order above 1, between two numbers: known exactly for Gaussian and Laplace noise and two answers.
    ///
    /// ```
    /// use lastbit_account::{Composition, Mechanism};
    /// let mut releases = Composition::new();
    /// releases.add(Mechanism::Gaussian { rho: "1/8".parse()? }, 3)?;
    /// let order_2 = releases.renyi(&"2".parse()?).unwrap();
    /// assert!(order_2.contains(&"3/4".parse()?)); // αρ each
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn renyi(&self, order: &Rational) -> Option<Enclosure> {
        if *order <= Rational::ONE {
            return None;
        }
        let zero = Enclosure::of_rational(&Rational::ZERO, 1);
        self.terms().try_fold(zero, |sum, (mechanism, times)| {
            Some(&sum + &(&mechanism.renyi(order)? * &Enclosure::of_rational(&Rational::from(times), 64)))
        })
    }

    /// How often an attacker who thought both inputs equally likely is right at most: `(1 + δ(0))/2`.
    ///
    /// # Errors
    /// Those of [`delta_while`](Self::delta_while).
    pub fn surest(&self, goes_on: &dyn Fn() -> bool) -> Result<Interval, Error> {
        let delta = self.delta_while(&Rational::ZERO, goes_on)?;
        let surest = |delta: Rational| (Rational::ONE + delta) * Rational::pow2(-1);
        Ok(Interval { lower: surest(delta.lower), upper: delta.upper.map(surest) })
    }

    /// The trade-off curve: with each share of false alarms, the least share of misses that any attacker has.
    ///
    /// # Errors
    /// [`Error::NoShare`] unless each is between 0 and 1, and those of [`delta_while`](Self::delta_while).
    pub fn trade_off(
        &self,
        false_alarms: &[Rational],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Interval>, Error> {
        if let Some(bad) = false_alarms.iter().find(|alarm| alarm.is_negative() || **alarm > Rational::ONE) {
            return Err(Error::NoShare { value: bad.to_short() });
        }
        if self.terms.is_empty() {
            return Err(Error::Empty);
        }
        let directions = self.directions(&Aim::Delta(&Rational::ZERO));
        let grid = Grid::first(self.terms(), Estimate::widest(&directions))?;
        let curves = self.bounds(&directions, &grid, Precision::Bits90, goes_on)?.trade_offs();
        Ok(false_alarms.iter().map(|alarm| curves.misses(alarm)).collect())
    }

    /// The same releases as a group of so many units sees them: neighbours differ in all of them.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::NoGroup`] if it is not known for one of the mechanisms; those of [`add`](Self::add).
    pub fn for_group(&self, size: u64) -> Result<Composition, Error> {
        positive("the size of a group", &Rational::from(size))?;
        let mut group = Composition::new();
        for (mechanism, times) in self.terms() {
            group.add(mechanism.for_group(size)?, times)?;
        }
        Ok(group)
    }

    /// Tries ever finer lattices and masses, until the answer is accurate or there is no room for more.
    pub(crate) fn refine(
        &self,
        aim: &Aim<'_>,
        accuracy: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Interval, Error> {
        let mut directions = self.directions(aim);
        let mut grid = Grid::first(self.terms(), Estimate::widest(&directions))?;
        let mut precision = directions[0].1.precision();
        let mut known: Option<Interval> = None;
        let mut before = f64::INFINITY;
        loop {
            let bounds = match (self.bounds(&directions, &grid, precision, goes_on), known.take()) {
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
            let answers: Vec<Interval> = bounds.sides.iter().map(|side| side.answer(aim)).collect();
            // A direction that is surely not the worse one needs no more digits.
            let certain = answers.iter().map(|answer| &answer.lower).max().expect("a direction").clone();
            let mut matters =
                answers.iter().map(|answer| answer.upper.as_ref().is_none_or(|upper| *upper >= certain));
            directions.retain(|_| matters.next().unwrap_or(true));
            let found = answers.into_iter().reduce(Interval::larger).expect("at least one direction");
            let width = found.relative_width();
            let best = match known {
                None => found,
                Some(known) => found.meet(known),
            };
            if best.is_narrow(accuracy) {
                return Ok(best);
            }
            // The gap of a lattice grows with the square of its step; that of masses is nothing, or nearly all.
            let finer = grid.finer((1.2 * width * accuracy as f64).sqrt());
            // Where cells are as many as there may be, a finer lattice tells nothing more.
            let stalls = width > 0.8 * before;
            before = width;
            match (finer, precision) {
                (Some(finer), _) if width < 0.5 && !stalls => grid = finer,
                (_, Precision::Bits60) => (precision, before) = (Precision::Bits90, f64::INFINITY),
                // Nothing more can be known with so much room.
                (_, Precision::Bits90) => return Ok(best),
            }
            known = Some(best);
        }
    }

    /// The directions in which neighbours differ, if it matters, and where to look in each.
    fn directions(&self, aim: &Aim<'_>) -> Vec<(Direction, Estimate)> {
        let is_one = self.terms.keys().all(Mechanism::is_symmetric) || is_made(Mutant::OneDirection);
        let directions: &[_] = match is_one {
            true => &[Direction::Remove],
            false => &[Direction::Remove, Direction::Add],
        };
        directions.iter().map(|direction| (*direction, Estimate::of(self.terms(), *direction, aim))).collect()
    }

    fn bounds(
        &self,
        directions: &[(Direction, Estimate)],
        grid: &Grid,
        precision: Precision,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Bounds, Error> {
        let step = grid.step();
        let mut convolver = Convolver::new(precision);
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
        // What a wide cell costs grows with the number of releases.
        let most = laws.iter().filter(|(mechanism, _)| !mechanism.is_on_lattice()).map(|(_, times)| *times);
        let most = most.max().unwrap_or(1);
        let mut on = |direction, bound, weighting: &Weighting| {
            let mut all: Option<Distribution> = None;
            for (mechanism, times) in &laws {
                let stride = (most / times / FEW_ARE_WIDE).isqrt().clamp(1, 64) as i64;
                let law = mechanism.law(weighting, &grid.step_of(mechanism), stride, goes_on)?;
                let one = law.distribution(direction, bound, weighting, goes_on)?;
                let mut power = one.power(*times, &mut convolver, goes_on)?;
                if power.step != step {
                    power = power.on(&step, goes_on)?;
                }
                all = Some(match all {
                    None => power,
                    Some(all) => all.plus(&power, &mut convolver, goes_on)?,
                });
            }
            all.ok_or(Error::Empty)
        };
        let both = |(direction, estimate): &(Direction, Estimate)| {
            let weighting = estimate.weighting(precision, grid);
            let lower = on(*direction, Bound::Lower, &weighting)?;
            let upper = if worst == known { Some(on(*direction, Bound::Upper, &weighting)?) } else { None };
            Ok(Side { lower, upper })
        };
        Ok(Bounds { sides: directions.iter().map(both).collect::<Result<_, Error>>()? })
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

impl Side {
    fn answer(&self, aim: &Aim<'_>) -> Interval {
        match aim {
            Aim::Delta(epsilon) => Interval {
                lower: self.lower.delta(epsilon),
                upper: self.upper.as_ref().map(|upper| upper.delta(epsilon)),
            },
            // Where even the lower bound is infinite, no finite number is below the truth, and any is below infinity.
            Aim::Epsilon(delta) => Interval {
                lower: self.lower.epsilon(delta).unwrap_or(Rational::ZERO),
                upper: self.upper.as_ref().and_then(|upper| upper.epsilon(delta)),
            },
        }
    }
}

impl Bounds {
    /// What attackers can do in each direction.
    fn trade_offs(&self) -> Curves {
        Curves(self.sides.iter().map(|side| TradeOff::new(&side.lower, side.upper.as_ref())).collect())
    }
}
