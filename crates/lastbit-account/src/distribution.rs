//! A bound on the distribution of the privacy loss: masses on a lattice of losses, and mass at infinity.
//!
//! The loss of an output is `l = ln(P/Q)`, and `δ(ε) = Σ p(l)·(1 - e^(ε-l))⁺`, where `p` is the mass under `P`. This grows with every mass and
//! every loss, which is all that the bounds here rest on: an upper bound rounds masses up and moves them up, at last to infinity; a lower
//! bound rounds masses down and moves them down, at last out of sight.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, UBig, exp_rational, ln};

use crate::Error;
use crate::cells::{Cell, Cells};
use crate::convolve::{Convolver, RoundMass};
use crate::mass::{Mass, Precision};

/// Bits behind those of a mass in sums over the lattice.
const GUARD: u32 = 64;

/// On which side of the truth a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Upper,
    Lower,
}

impl Bound {
    fn round(self) -> RoundMass {
        match self {
            Bound::Upper => RoundMass::Up,
            Bound::Lower => RoundMass::Down,
        }
    }

    /// The mass of a probability that is known to lie between two numbers.
    pub(crate) fn mass(self, probability: &Enclosure, precision: Precision) -> Mass {
        let scaled = |end: &Dyadic| end.shl(i64::from(precision.bits()));
        let units = match self {
            Bound::Upper => scaled(probability.hi()).ceil(),
            Bound::Lower => scaled(probability.lo()).floor(),
        };
        Mass::of(&UBig::try_from(units).unwrap_or(UBig::ZERO))
    }
}

/// Masses at the losses `(first + i)·step`.
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    pub(crate) bound: Bound,
    pub(crate) precision: Precision,
    pub(crate) step: Rational,
    pub(crate) first: Rational,
    pub(crate) masses: Vec<Mass>,
    /// The mass of outputs that are impossible under `Q`.
    pub(crate) infinite: Mass,
}

impl Distribution {
    /// The distribution of the sum of two independent losses. Requires: the same bound, precision and step.
    fn convolved(
        &self,
        other: Option<&Distribution>,
        convolver: &mut Convolver,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        let b = other.unwrap_or(self);
        debug_assert!(self.step == b.step && self.bound == b.bound && self.precision == b.precision);
        let masses =
            convolver.convolve(&self.masses, other.map(|b| &*b.masses), self.bound.round(), goes_on)?;
        let mut sum = Distribution {
            first: &self.first + &b.first,
            infinite: self.either_infinite(b),
            masses,
            step: self.step.clone(),
            ..*self
        };
        sum.trim();
        Ok(sum)
    }

    /// The probability that one of two independent losses is infinite: `a + b - a·b`, from above `a + b`.
    fn either_infinite(&self, other: &Distribution) -> Mass {
        let sum = self.infinite.plus(other.infinite);
        match self.bound {
            Bound::Upper => sum,
            Bound::Lower => {
                let both = self.infinite.to_ubig() * other.infinite.to_ubig();
                let both = (both >> self.precision.bits() as usize) + UBig::ONE;
                if sum.is_zero() { sum } else { sum.minus_or_zero(Mass::of(&both)) }
            }
        }
    }

    /// Cuts off as much of each tail as rounding may have cost, a unit for each value. What is above goes to infinity, or down to the last
    /// loss that stays; what is below goes up to the first that stays, or away.
    fn trim(&mut self) {
        let most = Mass([self.masses.len() as u64, 0, 0]);
        let cut = |masses: &mut dyn Iterator<Item = &Mass>| {
            let (mut cut, mut sum) = (0, Mass::ZERO);
            for mass in masses {
                let more = sum.plus(*mass);
                if !more.is_at_most(most) {
                    break;
                }
                (cut, sum) = (cut + 1, more);
            }
            (cut, sum)
        };
        let (above, high) = cut(&mut self.masses.iter().rev());
        let (below, low) = cut(&mut self.masses[..self.masses.len() - above].iter());
        let stay = self.masses.len() - above - below;
        if stay == 0 {
            return;
        }
        self.masses.truncate(below + stay);
        self.masses.drain(..below);
        self.first = &self.first + Rational::from(below as u64);
        match self.bound {
            Bound::Upper => {
                self.infinite = self.infinite.plus(high);
                self.masses[0] = self.masses[0].plus(low);
            }
            Bound::Lower => self.masses[stay - 1] = self.masses[stay - 1].plus(high),
        }
    }

    /// The distribution of the sum of `times` independent losses like this one. Requires: `times > 0`.
    pub(crate) fn power(
        &self,
        times: u64,
        convolver: &mut Convolver,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        let mut power = self.clone();
        for bit in (0..times.ilog2()).rev() {
            power = power.convolved(None, convolver, goes_on)?;
            if times >> bit & 1 == 1 {
                power = power.convolved(Some(self), convolver, goes_on)?;
            }
        }
        Ok(power)
    }

    /// The distribution of the sum of this and another loss.
    pub(crate) fn plus(
        &self,
        other: &Distribution,
        convolver: &mut Convolver,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        self.convolved(Some(other), convolver, goes_on)
    }

    /// A bound on the same loss, on another lattice.
    pub(crate) fn on(&self, step: &Rational) -> Distribution {
        let bits = self.precision.bits() + GUARD;
        let units = -i64::from(self.precision.bits());
        let falls = exp_rational(&-&self.step, bits).expect("a step is not that large");
        let mut power = exp_rational(&-self.loss(0), bits).expect("losses are limited");
        let first = self.loss(0).checked_div(step).expect("positive");
        let ratio = self.step.checked_div(step).expect("positive");
        let mut cells = Vec::with_capacity(self.masses.len());
        for (i, mass) in self.masses.iter().enumerate() {
            let index = &first + &ratio * Rational::from(i as u64);
            let small = |index| i64::try_from(index).expect("the lattice is limited");
            if !mass.is_zero() {
                let p = Enclosure::exact(Dyadic::new(IBig::from(mass.to_ubig()), units));
                let q = (&p * &power).round(bits);
                let (from, to) = (Some(small(index.floor())), Some(small(index.ceil())));
                cells.push(Cell { p, q, from, to });
            }
            power = (&power * &falls).round(bits);
        }
        let cells = Cells { step: step.clone(), offset: Rational::ZERO, cells };
        let on = cells.distribution(self.bound, self.precision);
        Distribution { infinite: on.infinite.plus(self.infinite), ..on }
    }

    fn loss(&self, index: usize) -> Rational {
        (&self.first + Rational::from(index as u64)) * &self.step
    }

    /// Goes through the lattice from the largest loss down to the first index for which `stop` holds, or to the least loss.
    fn descend(&self, stop: impl Fn(usize, &Tail<'_>) -> bool) -> Tail<'_> {
        let mut tail = Tail::beyond(self);
        for index in (0..self.masses.len()).rev() {
            if stop(index, &tail) {
                break;
            }
            tail.take(index);
        }
        tail
    }

    /// The bound on `δ(ε)`. Requires: `epsilon >= 0`.
    pub(crate) fn delta(&self, epsilon: &Rational) -> Rational {
        // Losses above ε: (first + i)·step > ε.
        let from = (epsilon / &self.step - &self.first).floor() + IBig::ONE;
        let from = usize::try_from(from.max(IBig::ZERO)).unwrap_or(usize::MAX);
        let tail = self.descend(|index, _| index < from);
        let Some(lowest) = tail.lowest else { return tail.infinite() };
        tail.delta_below(&(epsilon - self.loss(lowest)))
    }

    /// The bound on the least `ε >= 0` with `δ(ε) <= delta`; `None` if it is infinite.
    pub(crate) fn epsilon(&self, delta: &Rational) -> Option<Rational> {
        let infinite = Tail::beyond(self).infinite();
        if *delta < infinite {
            return None;
        }
        // The first lattice point, from above, that is negative or at which δ is larger: the answer is between it and the one above.
        let first_not_negative = usize::try_from((-&self.first).ceil().max(IBig::ZERO)).unwrap_or(usize::MAX);
        let units = (delta * Rational::pow2(i64::from(self.precision.bits() + GUARD))).floor();
        let tail = self.descend(|index, tail| index < first_not_negative || tail.delta_one_below() > units);
        let Some(lowest) = tail.lowest else { return Some(Rational::ZERO) };
        // sum + infinite - e^(ε-l)·weighted = delta
        let missing = tail.sum() + tail.infinite() - delta;
        let epsilon = if missing.is_positive() {
            let bits = i64::from(self.precision.bits() + GUARD);
            let weighted = Rational::from(IBig::from(tail.weighted.clone())) * Rational::pow2(-bits);
            let quotient = Enclosure::of_rational(&missing.checked_div(&weighted)?, 96);
            let end = |x: &Dyadic| ln(x, 96).expect("a positive number");
            let above_lowest = match self.bound {
                Bound::Upper => Rational::from(end(quotient.hi()).hi()),
                Bound::Lower => Rational::from(end(quotient.lo()).lo()),
            };
            self.loss(lowest) + above_lowest
        } else {
            // Even all of the tail is not more than delta.
            Rational::ZERO
        };
        Some(epsilon.max(Rational::ZERO))
    }
}

/// The losses from some index on: their mass, and their mass weighted by `e^-(l - lowest)`.
struct Tail<'d> {
    of: &'d Distribution,
    lowest: Option<usize>,
    sum: UBig,
    /// In units of `2^-(W + GUARD)`; from below for an upper bound, because it is taken away.
    weighted: UBig,
    /// `e^-step`, in the same units, rounded as `weighted` is.
    ratio: UBig,
}

impl Tail<'_> {
    fn beyond(of: &Distribution) -> Tail<'_> {
        let bits = of.precision.bits() + GUARD;
        let ratio = exp_rational(&-&of.step, bits).expect("a step is not that large");
        let end = match of.bound {
            Bound::Upper => ratio.lo().shl(i64::from(bits)).floor(),
            Bound::Lower => ratio.hi().shl(i64::from(bits)).ceil(),
        };
        let ratio = UBig::try_from(end).expect("e to some power is positive");
        Tail { of, lowest: None, sum: UBig::ZERO, weighted: UBig::ZERO, ratio }
    }

    /// `weighted`, seen from one step below.
    fn discounted(&self) -> UBig {
        let bits = (self.of.precision.bits() + GUARD) as usize;
        let product = &self.weighted * &self.ratio;
        match self.of.bound {
            Bound::Upper => product >> bits,
            Bound::Lower => (product + ((UBig::ONE << bits) - UBig::ONE)) >> bits,
        }
    }

    /// The bound on `δ` one step below the lowest loss, in units of `2^-(W + GUARD)`.
    fn delta_one_below(&self) -> IBig {
        let all = (&self.sum + self.of.infinite.to_ubig()) << GUARD as usize;
        IBig::from(all) - IBig::from(self.discounted())
    }

    fn take(&mut self, index: usize) {
        let mass = self.of.masses[index].to_ubig();
        self.weighted = self.discounted() + (&mass << GUARD as usize);
        self.sum += mass;
        self.lowest = Some(index);
    }

    fn rational(&self, units: &UBig) -> Rational {
        Rational::from(IBig::from(units.clone())) * Rational::pow2(-i64::from(self.of.precision.bits()))
    }

    fn sum(&self) -> Rational {
        self.rational(&self.sum)
    }

    fn infinite(&self) -> Rational {
        self.rational(&self.of.infinite.to_ubig())
    }

    /// The bound on `δ` at an `ε` that is `x <= 0` from the lowest loss: `infinite + sum - e^x·weighted`, and never below 0 or what is
    /// infinite.
    fn delta_below(&self, x: &Rational) -> Rational {
        let factor = exp_rational(x, self.of.precision.bits() + GUARD).expect("not positive");
        let factor = Rational::from(match self.of.bound {
            Bound::Upper => factor.lo(),
            Bound::Lower => factor.hi(),
        });
        let bits = i64::from(self.of.precision.bits() + GUARD);
        let weighted = Rational::from(IBig::from(self.weighted.clone())) * Rational::pow2(-bits);
        let finite = self.sum() - factor * weighted;
        (self.infinite() + finite.max(Rational::ZERO)).min(Rational::ONE)
    }
}
