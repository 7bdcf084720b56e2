//! Several releases together, and how fine the lattice of their losses must be.

use std::collections::BTreeMap;

use lastbit_real::{IBig, Rational, Rounding};

use crate::convolve::Convolver;
use crate::distribution::{Bound, Distribution};
use crate::mass::Precision;
use crate::mechanism::Lattice;
use crate::{Error, Mechanism, positive};

/// The most releases of one mechanism.
const MOST_TIMES: u64 = 1_000_000_000;

/// About how many points of the lattice the first try has.
const FIRST_POINTS: f64 = 32768.0;

/// The most points for the window of all losses.
const MOST_POINTS: f64 = 700_000.0;

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

    /// The least `δ` for which all releases together are (ε, δ)-differentially private.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::Empty`], [`Error::TooFine`].
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        if epsilon.is_negative() {
            return Err(Error::Negative { value: epsilon.to_short() });
        }
        self.refine(&|| true, |bounds| bounds.delta(epsilon))
    }

    /// The least `ε` for which all releases together are (ε, δ)-differentially private.
    ///
    /// # Errors
    /// [`Error::NoProbability`], [`Error::Empty`], [`Error::TooFine`].
    pub fn epsilon(&self, delta: &Rational) -> Result<Interval, Error> {
        if !delta.is_positive() || *delta >= Rational::ONE {
            return Err(Error::NoProbability { value: delta.to_short() });
        }
        self.refine(&|| true, |bounds| bounds.epsilon(delta))
    }

    /// Tries ever finer lattices and masses, until the answer is accurate or there is no room for more.
    fn refine(
        &self,
        goes_on: &dyn Fn() -> bool,
        ask: impl Fn(&Bounds) -> Interval,
    ) -> Result<Interval, Error> {
        let mut grid = Grid::first(self)?;
        let mut precision = Precision::Bits96;
        let mut known: Option<Interval> = None;
        loop {
            let bounds = match (self.bounds(&grid.step(), precision, goes_on), known.take()) {
                (Ok(bounds), before) => {
                    known = before;
                    bounds
                }
                // There was room for a coarser lattice.
                (Err(Error::TooFine), Some(known)) => return Ok(known),
                (Err(error), _) => return Err(error),
            };
            let found = ask(&bounds);
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
                (_, Precision::Bits96) => precision = Precision::Bits128,
                (_, Precision::Bits128) => precision = Precision::Bits160,
                // Nothing is known of so small a number.
                (_, Precision::Bits160) => return Ok(best),
            }
            known = Some(best);
        }
    }

    fn bounds(
        &self,
        step: &Rational,
        precision: Precision,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Bounds, Error> {
        let mut convolver = Convolver::new(precision);
        let mut on = |bound| {
            let mut all: Option<Distribution> = None;
            for (mechanism, times) in &self.terms {
                let one = mechanism.distribution(bound, precision, step)?;
                let power = one.power(*times, &mut convolver, goes_on)?;
                all = Some(match all {
                    None => power,
                    Some(all) => all.plus(&power, &mut convolver, goes_on)?,
                });
            }
            all.ok_or(Error::Empty)
        };
        Ok(Bounds { upper: on(Bound::Upper)?, lower: on(Bound::Lower)? })
    }
}

/// The distribution of the loss of a composition, from above and from below.
struct Bounds {
    upper: Distribution,
    lower: Distribution,
}

impl Bounds {
    fn delta(&self, epsilon: &Rational) -> Interval {
        Interval { lower: self.lower.delta(epsilon), upper: Some(self.upper.delta(epsilon)) }
    }

    fn epsilon(&self, delta: &Rational) -> Interval {
        // Where even the lower bound is infinite, no finite number is below the truth, and any is below infinity.
        Interval {
            lower: self.lower.epsilon(delta).unwrap_or(Rational::ZERO),
            upper: self.upper.epsilon(delta),
        }
    }
}

/// The common lattice: a step that divides all that is exact, cut into parts.
struct Grid {
    common: Rational,
    parts: u64,
    /// The least step that there is room for; `None` if all losses are on the lattice exactly.
    least: Option<f64>,
}

impl Grid {
    fn first(composition: &Composition) -> Result<Grid, Error> {
        let lattices = composition.terms.iter().map(|(mechanism, times)| (mechanism.lattice(), *times));
        let (mut common, mut variance, mut reach) = (None::<Rational>, 0.0, None::<Rational>);
        for (lattice, times) in lattices {
            let (divided, size) = match lattice {
                Lattice::Exact { step } => (step.clone(), step),
                Lattice::Continuous { reach: far } => {
                    reach = Some(reach.map_or_else(|| far.clone(), |reach| reach.min(far.clone())));
                    (far.clone(), far)
                }
            };
            let size = size.to_f64(Rounding::Up);
            variance += size * size * times as f64;
            common = Some(match common {
                None => divided,
                Some(common) => divisor(common, divided),
            });
        }
        let common = common.ok_or(Error::Empty)?;
        let width = 24.0 * variance.sqrt();
        let parts_for = |points: f64| (points * common.to_f64(Rounding::Up) / width).max(1.0);
        let Some(reach) = reach else { return Ok(Grid { common, parts: 1, least: None }) };
        // At least four steps in the reach of everything continuous.
        let ratio = common.checked_div(&reach).expect("positive").to_f64(Rounding::Up);
        let parts = parts_for(FIRST_POINTS).max(4.0 * ratio).ceil() as u64;
        Ok(Grid { least: Some(width / MOST_POINTS), common, parts })
    }

    fn step(&self) -> Rational {
        &self.common / Rational::from(self.parts)
    }

    /// A lattice that is finer by about this factor, or as fine as there is room for; `None` if there is none.
    fn finer(&self, factor: f64) -> Option<Grid> {
        let least = self.least?;
        let most = (self.common.to_f64(Rounding::Down) / least).floor();
        let wanted = (self.parts as f64 * factor.clamp(1.1, 16.0)).ceil().min(most);
        let parts = wanted as u64;
        (parts > self.parts).then(|| Grid { common: self.common.clone(), parts, least: self.least })
    }
}

/// The greatest common divisor of two positive fractions.
fn divisor(a: Rational, b: Rational) -> Rational {
    let (mut a, mut b) = (a, b);
    while !b.is_zero() {
        let quotient: IBig = (&a / &b).floor();
        let rest = &a - &b * Rational::from(quotient);
        (a, b) = (b, rest);
    }
    a
}
