//! A bound on the distribution of the privacy loss: weighted masses on a lattice of losses, and the probability of an infinite loss.
//!
//! The loss of an output is `l = ln(P/Q)`, and `δ(ε) = Σ p(l)·(1 - e^(ε-l))⁺`, where `p` is the probability under `P`. This grows with every
//! probability and every loss, which is all that the bounds here rest on: an upper bound rounds up, a lower bound rounds down or leaves out.
//!
//! What an upper bound leaves out is counted as well, but not where it was: as `(1 - e^(ε-l))⁺ <= e^(λ(l-ε))`, weighted probability `w` that is
//! missing adds at most `w·e^(-λε)` to `δ(ε)`, wherever it was, and whatever is added to its loss later.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, UBig, exp_rational, ln};

use crate::cells::{Cell, Cells, clipped, complement};
use crate::convolve::{Convolver, RoundMass};
use crate::mass::{Mass, Precision, Weighting};
use crate::mechanism::MOST_POINTS;
use crate::mutant::{Mutant, is_made};
use crate::{Error, go_on};

/// Bits behind those of a mass in sums over the lattice.
const GUARD: u32 = 64;

/// Bits of single numbers, such as an infinite loss's probability.
const BITS: u32 = 128;

/// The most masses of which the square has room.
const MOST_TO_SQUARE: usize = 1 << 19;

/// On which side of the truth a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Upper,
    Lower,
}

impl Bound {
    fn round(self) -> RoundMass {
        match if is_made(Mutant::Convolution) { self.other() } else { self } {
            Bound::Upper => RoundMass::Up,
            Bound::Lower => RoundMass::Down,
        }
    }

    fn other(self) -> Bound {
        match self {
            Bound::Upper => Bound::Lower,
            Bound::Lower => Bound::Upper,
        }
    }

    /// The end of an enclosure on this side.
    pub(crate) fn end(self, of: &Enclosure) -> &Dyadic {
        match self {
            Bound::Upper => of.hi(),
            Bound::Lower => of.lo(),
        }
    }

    /// The end on the other side.
    fn other_end(self, of: &Enclosure) -> &Dyadic {
        match self {
            Bound::Upper => of.lo(),
            Bound::Lower => of.hi(),
        }
    }

    /// The mass of something that is known to lie between two numbers.
    pub(crate) fn mass(self, weighted: &Enclosure, precision: Precision) -> Mass {
        let scaled = |end: &Dyadic| end.shl(i64::from(precision.bits()));
        let units = match if is_made(Mutant::Rounding) { self.other() } else { self } {
            Bound::Upper => scaled(weighted.hi()).ceil(),
            Bound::Lower => scaled(weighted.lo()).floor(),
        };
        Mass::of(&UBig::try_from(units).unwrap_or(UBig::ZERO))
    }

    fn rounded(self, x: &Dyadic) -> Dyadic {
        match self {
            Bound::Upper => x.round_up(BITS),
            Bound::Lower => x.round_down(BITS),
        }
    }

    /// The sum of two numbers that are not negative. One that is far below the other counts as a little, or as nothing, so that numbers stay short.
    fn sum(self, a: &Dyadic, b: &Dyadic) -> Dyadic {
        let (large, small) = if a >= b { (a, b) } else { (b, a) };
        let Some(exponent) = large.floor_log2() else { return Dyadic::ZERO };
        let least = exponent - 2 * i64::from(BITS);
        let small = match (self, small.floor_log2() < Some(least) && !small.is_zero()) {
            (_, false) => small.clone(),
            (Bound::Upper, true) => Dyadic::pow2(least),
            (Bound::Lower, true) => Dyadic::ZERO,
        };
        self.rounded(&(large + &small))
    }
}

/// Masses at the losses `(first + i)·step`. The probability there is `mass·2^shift·e^(-λl)`.
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    pub(crate) bound: Bound,
    pub(crate) weighting: Weighting,
    /// What masses are short of what they stand for: a factor of 2 to this.
    pub(crate) shift: i64,
    pub(crate) step: Rational,
    pub(crate) first: Rational,
    pub(crate) masses: Vec<Mass>,
    /// The probability of outputs that are impossible under `Q`.
    pub(crate) infinite: Dyadic,
    /// The mass that an upper bound has left out; 0 for a lower bound.
    pub(crate) missing: Dyadic,
}

impl Distribution {
    /// The same, with masses whose sum is between ½ and 3/2, so that convolutions have room for them.
    pub(crate) fn normal(mut self) -> Distribution {
        let one = Dyadic::ONE;
        let (least, most) = (one.shl(-1), &one + &one.shl(-1));
        loop {
            let total = self.total();
            if total > most {
                let up = self.bound == Bound::Upper;
                self.masses.iter_mut().for_each(|mass| *mass = mass.halved(up));
                self.missing = self.missing.shl(-1);
                self.shift += 1;
            } else if total < least && !total.is_zero() {
                self.masses.iter_mut().for_each(|mass| *mass = mass.doubled());
                self.missing = self.missing.shl(1);
                self.shift -= 1;
            } else {
                return self;
            }
        }
    }

    /// The sum of all masses.
    fn total(&self) -> Dyadic {
        let sum = self.masses.iter().fold(Mass::ZERO, |sum, mass| sum.plus(*mass));
        Dyadic::new(IBig::from(sum.to_ubig()), -i64::from(self.weighting.precision.bits()))
    }

    /// The distribution of the sum of two independent losses. Requires: the same bound, weighting and step.
    fn convolved(
        &self,
        other: Option<&Distribution>,
        convolver: &mut Convolver,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        let b = other.unwrap_or(self);
        debug_assert!(self.step == b.step && self.bound == b.bound && self.weighting == b.weighting);
        let masses =
            convolver.convolve(&self.masses, other.map(|b| &*b.masses), self.bound.round(), goes_on)?;
        // What is missing in one, with all of the other.
        let missing = &(&self.missing * &(&b.total() + &b.missing)) + &(&b.missing * &self.total());
        let mut sum = Distribution {
            bound: self.bound,
            weighting: self.weighting.clone(),
            shift: self.shift + b.shift,
            first: &self.first + &b.first,
            infinite: self.either_infinite(b),
            missing: missing.round_up(BITS),
            masses,
            step: self.step.clone(),
        };
        sum.trim();
        Ok(sum.normal())
    }

    /// The probability that one of two independent losses is infinite, which grows with both.
    fn either_infinite(&self, other: &Distribution) -> Dyadic {
        // Rounding may have taken one above 1, where it would no longer grow.
        let [a, b] = [self, other].map(|of| of.infinite.clone().min(Dyadic::ONE));
        if is_made(Mutant::Infinite) {
            return a.max(b);
        }
        let rest = complement(&Enclosure::exact(a.clone()));
        self.bound.sum(&a, &self.bound.rounded(&(&b * self.bound.end(&rest))))
    }

    /// Cuts off as much of each tail as rounding may have cost, a unit for each value.
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
        if self.bound == Bound::Upper && !is_made(Mutant::Cut) {
            let units = -i64::from(self.weighting.precision.bits());
            let cut = Dyadic::new(IBig::from(high.plus(low).to_ubig()), units);
            self.missing = (&self.missing + &cut).round_up(BITS);
        }
    }

    /// The distribution of the sum of `times` independent losses like this one, on a coarser lattice if there is no room for that of one.
    /// Requires: `times > 0`.
    pub(crate) fn power(
        &self,
        times: u64,
        convolver: &mut Convolver,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        let (mut one, mut power) = (self.clone(), self.clone());
        for bit in (0..times.ilog2()).rev() {
            if power.masses.len() > MOST_TO_SQUARE {
                let step = &power.step * Rational::from(4);
                (one, power) = (one.on(&step, goes_on)?, power.on(&step, goes_on)?);
            }
            power = power.convolved(None, convolver, goes_on)?;
            if times >> bit & 1 == 1 {
                power = power.convolved(Some(&one), convolver, goes_on)?;
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

    /// A bound on the same loss, on another lattice. The masses are moved as probabilities are: a cell's weights differ by a factor only.
    ///
    /// # Errors
    /// [`Error::TooFine`] and [`Error::Cancelled`].
    pub(crate) fn on(&self, step: &Rational, goes_on: &dyn Fn() -> bool) -> Result<Distribution, Error> {
        let width = Rational::from(self.masses.len() as u64) * &self.step;
        if width.checked_div(step).expect("positive") > Rational::from(MOST_POINTS) {
            return Err(Error::TooFine);
        }
        let bits = self.weighting.bits();
        let units = -i64::from(self.weighting.precision.bits());
        let exp = |x: &Rational| exp_rational(x, bits).expect("losses are limited");
        let tilt = &self.weighting.tilt;
        // p = mass·2^shift·e^(-λl), and q = p·e^(-l).
        let [falls_p, falls_q] = [tilt.clone(), tilt + Rational::ONE].map(|x| exp(&-(x * &self.step)));
        let [mut to_p, mut to_q] =
            [tilt.clone(), tilt + Rational::ONE].map(|x| exp(&-(x * self.loss(0))).shl(self.shift));
        let first = self.loss(0).checked_div(step).expect("positive");
        let ratio = self.step.checked_div(step).expect("positive");
        let mut cells = Vec::with_capacity(self.masses.len());
        for (i, mass) in self.masses.iter().enumerate() {
            go_on(i, goes_on)?;
            let index = &first + &ratio * Rational::from(i as u64);
            let small = |index| i64::try_from(index).expect("the lattice is limited");
            if !mass.is_zero() {
                let mass = Enclosure::exact(Dyadic::new(IBig::from(mass.to_ubig()), units));
                let [p, q] = [&to_p, &to_q].map(|factor| (&mass * factor).round(bits));
                cells.push(Cell { p, q, from: Some(small(index.floor())), to: Some(small(index.ceil())) });
            }
            to_p = (&to_p * &falls_p).round(bits);
            to_q = (&to_q * &falls_q).round(bits);
        }
        let cells = Cells { step: step.clone(), offset: Rational::ZERO, cells };
        let moved = cells.distribution(self.bound, &self.weighting, goes_on)?;
        debug_assert!(moved.infinite.is_zero());
        let missing = self.missing.shl(self.shift - moved.shift);
        Ok(Distribution { infinite: self.infinite.clone(), missing, ..moved })
    }

    fn loss(&self, index: usize) -> Rational {
        (&self.first + Rational::from(index as u64)) * &self.step
    }

    /// `2^shift·e^(-λl)`: what a mass of 1 at the loss `l` is as a probability.
    fn probability(&self, loss: &Rational) -> Enclosure {
        exp_rational(&-(&self.weighting.tilt * loss), BITS).expect("losses are limited").shl(self.shift)
    }

    /// Goes through the lattice from the largest loss down to the first index for which `stop` holds, or to the least loss.
    fn descend(&self, mut stop: impl FnMut(usize, &Tail<'_>) -> bool) -> Tail<'_> {
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
        let finite = tail.lowest.map_or(Dyadic::ZERO, |lowest| tail.delta_below(lowest, epsilon));
        self.with_infinite(finite, epsilon)
    }

    /// The bound on `δ` at 0 and at every point of the lattice above, or at every n-th of them if there are more than so many; the last is the largest
    /// loss. And whether it is every one, so that `δ` is a straight line in `e^ε` between them.
    pub(crate) fn profile(&self, points: usize) -> (Vec<(Rational, Rational)>, bool) {
        let first = usize::try_from((-&self.first).floor().max(IBig::ZERO)).unwrap_or(usize::MAX);
        let stride = (self.masses.len().saturating_sub(first) / points).max(1);
        let mut profile = Vec::new();
        let mut tail = Tail::beyond(self);
        for index in (first..self.masses.len()).rev() {
            let loss = self.loss(index);
            let is_last = index + 1 == self.masses.len();
            if loss.is_positive() && (is_last || (index - first).is_multiple_of(stride)) {
                let finite = match tail.lowest {
                    Some(lowest) => tail.delta_below(lowest, &loss),
                    None => Dyadic::ZERO,
                };
                profile.push((loss.clone(), self.with_infinite(finite, &loss)));
            }
            tail.take(index);
        }
        profile.push((Rational::ZERO, self.delta(&Rational::ZERO)));
        profile.reverse();
        (profile, stride == 1)
    }

    /// With what is missing and what is infinite, `δ(ε)` where that of finite losses is given.
    fn with_infinite(&self, finite: Dyadic, epsilon: &Rational) -> Rational {
        let missing = &self.missing * self.bound.end(&self.probability(epsilon));
        let sum = self.bound.sum(&self.bound.sum(&finite, &missing), &self.infinite);
        Rational::from(self.bound.end(&clipped(&Enclosure::exact(sum)))).min(Rational::ONE)
    }

    /// The bound on the least `ε >= 0` with `δ(ε) <= delta`; `None` if it is infinite.
    pub(crate) fn epsilon(&self, delta: &Rational) -> Option<Rational> {
        let left = delta - Rational::from(&self.infinite);
        if left.is_negative() {
            return None;
        }
        // The first lattice point, from above, that is negative or at which δ is larger: the answer is between it and the one above.
        let first_not_negative = usize::try_from((-&self.first).ceil().max(IBig::ZERO)).unwrap_or(usize::MAX);
        let top = self.loss(self.masses.len());
        let mut limit = Limit::new(self, &left, &top);
        if limit.is_below_missing() {
            return None;
        }
        let tail = self.descend(|index, tail| {
            limit.step_down();
            index < first_not_negative || limit.is_below(tail)
        });
        let Some(lowest) = tail.lowest else {
            // Nothing is lost beyond what is infinite, or missing.
            return Some(match self.bound {
                Bound::Upper => top.max(Rational::ZERO),
                Bound::Lower => Rational::ZERO,
            });
        };
        Some(tail.epsilon_below(lowest, &left).max(Rational::ZERO))
    }
}

/// The `δ` that is allowed for finite losses, in units of sums over masses as seen from one point of the lattice after the other.
struct Limit {
    units: UBig,
    missing: UBig,
    ratio: UBig,
    bits: usize,
    bound: Bound,
}

impl Limit {
    fn new(of: &Distribution, delta: &Rational, loss: &Rational) -> Limit {
        let bits = of.weighting.precision.bits() + GUARD;
        let exact = Enclosure::of_rational(delta, BITS);
        let seen = exact.div(&of.probability(loss), BITS).expect("positive");
        let in_units = |x: &Dyadic| x.shl(i64::from(bits));
        let (units, missing) = match of.bound {
            Bound::Upper => (in_units(seen.lo()).floor(), in_units(&of.missing).ceil()),
            Bound::Lower => (in_units(seen.hi()).ceil(), IBig::ZERO),
        };
        let natural = |x: IBig| UBig::try_from(x).unwrap_or(UBig::ZERO);
        Limit {
            units: natural(units),
            missing: natural(missing),
            // Rounded as the limit is: down for an upper bound.
            ratio: ratio(of, &of.weighting.tilt, matches!(of.bound, Bound::Lower)),
            bits: bits as usize,
            bound: of.bound,
        }
    }

    fn step_down(&mut self) {
        self.units = shifted(&self.units * &self.ratio, self.bits, self.bound == Bound::Lower);
    }

    fn is_below_missing(&self) -> bool {
        self.units < self.missing
    }

    /// Whether `δ` one step below a tail is more.
    fn is_below(&self, tail: &Tail<'_>) -> bool {
        let [sum, weighted] = tail.one_below();
        IBig::from(sum + &self.missing) - IBig::from(weighted) > IBig::from(self.units.clone())
    }
}

/// `e^-(factor·step)` in units of sums over masses.
fn ratio(of: &Distribution, factor: &Rational, up: bool) -> UBig {
    let bits = of.weighting.precision.bits() + GUARD;
    let ratio = exp_rational(&-(factor * &of.step), bits).expect("a step is not that large");
    let scaled = |end: &Dyadic| end.shl(i64::from(bits));
    let end = if up { scaled(ratio.hi()).ceil() } else { scaled(ratio.lo()).floor() };
    UBig::try_from(end).expect("e to some power is positive")
}

/// `x/2^bits`, rounded.
fn shifted(x: UBig, bits: usize, up: bool) -> UBig {
    if up { (x + ((UBig::ONE << bits) - UBig::ONE)) >> bits } else { x >> bits }
}

/// The losses from some index on, seen from the lowest of them, `l₀`: `Σ mass·e^-(λ(l-l₀))` and `Σ mass·e^-((λ+1)(l-l₀))`, in units of
/// `2^-(W + GUARD)`. The first is on the side of the bound; the second, which is taken away, on the other one.
struct Tail<'d> {
    of: &'d Distribution,
    lowest: Option<usize>,
    sums: [UBig; 2],
    ratios: [UBig; 2],
    /// Whether each is rounded up.
    up: [bool; 2],
}

impl Tail<'_> {
    fn beyond(of: &Distribution) -> Tail<'_> {
        let is_upper = of.bound == Bound::Upper;
        let (up, tilt) = ([is_upper, !is_upper], &of.weighting.tilt);
        let ratios = [ratio(of, tilt, up[0]), ratio(of, &(tilt + Rational::ONE), up[1])];
        Tail { of, lowest: None, sums: [UBig::ZERO, UBig::ZERO], ratios, up }
    }

    /// The sums, seen from one step below.
    fn one_below(&self) -> [UBig; 2] {
        let bits = (self.of.weighting.precision.bits() + GUARD) as usize;
        [0, 1].map(|i| shifted(&self.sums[i] * &self.ratios[i], bits, self.up[i]))
    }

    fn take(&mut self, index: usize) {
        let mass = self.of.masses[index].to_ubig() << GUARD as usize;
        self.sums = self.one_below().map(|sum| sum + &mass);
        self.lowest = Some(index);
    }

    fn sum(&self, which: usize) -> Dyadic {
        let bits = self.of.weighting.precision.bits() + GUARD;
        Dyadic::new(IBig::from(self.sums[which].clone()), -i64::from(bits))
    }

    /// The part of finite losses in the bound on `δ` at an `ε` that is at most the lowest loss, and above the next one:
    /// `2^shift·e^(-λl₀)·(Σ mass·e^-(λ(l-l₀)) - e^(ε-l₀)·Σ mass·e^-((λ+1)(l-l₀)))`.
    fn delta_below(&self, lowest: usize, epsilon: &Rational) -> Dyadic {
        let (bound, loss) = (self.of.bound, self.of.loss(lowest));
        let factor = exp_rational(&(epsilon - &loss), BITS).expect("not positive");
        let less = clipped(&(&factor * &Enclosure::exact(self.sum(1))));
        let difference = &self.sum(0) - bound.other_end(&less);
        &difference.max(Dyadic::ZERO) * bound.end(&self.of.probability(&loss))
    }

    /// The `ε` at which that part is `delta`, less what is missing. At most the lowest loss; for an upper bound not below the next one, where
    /// what is missing counts most.
    fn epsilon_below(&self, lowest: usize, delta: &Rational) -> Rational {
        let (bound, loss) = (self.of.bound, self.of.loss(lowest));
        let allowed =
            Enclosure::of_rational(delta, BITS).div(&self.of.probability(&loss), BITS).expect("positive");
        let rises =
            exp_rational(&(&self.of.weighting.tilt * &self.of.step), BITS).expect("a step is limited");
        let excess = &(&self.sum(0) - bound.other_end(&allowed)) + &(&self.of.missing * rises.hi());
        let weighted = self.sum(1);
        if excess <= Dyadic::ZERO {
            // Even all of the tail is not more than delta.
            return match bound {
                Bound::Upper => loss - &self.of.step,
                Bound::Lower => Rational::ZERO,
            };
        }
        // Where rounding left nothing of what is taken away, only the lowest loss itself is known to be enough.
        let Some(quotient) = Enclosure::exact(excess).div(&Enclosure::exact(weighted), 96) else {
            return loss;
        };
        let log = ln(bound.end(&quotient), 96).expect("a positive number");
        let found = (&loss + Rational::from(bound.end(&log))).min(loss.clone());
        match bound {
            Bound::Upper => found.max(&loss - &self.of.step),
            Bound::Lower => found,
        }
    }
}
