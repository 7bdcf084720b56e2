//! The two-sided geometric law, `P(Z = z) ∝ ρ^|z|` with `ρ = e^-rate`: discrete Laplace in units of its grid.
//!
//! All probabilities are sums over numbers of one sign, `ρ^m·(1 - ρ^n)/(1 + ρ)` for the `n` numbers from `m >= 0`, in which
//! nothing cancels.

use std::collections::BTreeMap;

use lastbit_lang::ast::ExprId;
use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

/// Exponents up to `2^this` are computed with; beyond, a probability is next to nothing.
const MAX_EXPONENT_LOG2: i64 = 15;
/// What is below `2^this` may as well be 0, and is enclosed so: sums of numbers of any size would fill the memory.
const LEAST_LOG2: i64 = -(1 << 16);

/// What a rate is a multiple of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    One,
    /// The value of an expression of parameters alone, the same wherever it is computed: it lies between these.
    Parameter(ExprId, Dyadic, Dyadic),
    /// A number between these. Two of them need not be the same.
    Value(Dyadic, Dyadic),
}

/// A positive number, `factor·unit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) factor: Rational,
    pub(super) unit: Unit,
}

impl Rate {
    /// Whether two rates are the same, if they are equal.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.unit, Unit::Value(..))
    }

    pub(super) fn times(&self, factor: &Rational) -> Rate {
        Rate { factor: &self.factor * factor, unit: self.unit.clone() }
    }

    fn enclosure(&self, bits: u32) -> Enclosure {
        let factor = Enclosure::of_rational(&self.factor, bits);
        match &self.unit {
            Unit::One => factor,
            Unit::Parameter(_, lo, hi) | Unit::Value(lo, hi) => {
                product(&factor, &between(lo, hi, bits), bits)
            }
        }
    }
}

/// The place of a law in [`Laws`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LawId(usize);

/// How many numbers, from which on; `None` is infinitely many.
type Run = (IBig, Option<IBig>);

struct Law {
    rate: Rate,
    known: BTreeMap<Run, Enclosure>,
}

/// All laws that a program samples from, with the probabilities that have been computed.
pub(super) struct Laws {
    laws: Vec<Law>,
    bits: u32,
}

/// The product of two probabilities.
pub(super) fn product(a: &Enclosure, b: &Enclosure, bits: u32) -> Enclosure {
    between(&(a.lo() * b.lo()), &(a.hi() * b.hi()), bits)
}

/// The sum of two probabilities.
pub(super) fn sum(a: &Enclosure, b: &Enclosure, bits: u32) -> Enclosure {
    between(&(a.lo() + b.lo()), &(a.hi() + b.hi()), bits)
}

/// A probability between 0 and this one.
pub(super) fn at_most(a: &Enclosure) -> Enclosure {
    a.hull(&Enclosure::exact(Dyadic::ZERO))
}

fn between(lo: &Dyadic, hi: &Dyadic, bits: u32) -> Enclosure {
    let is_tiny = |end: &Dyadic| end.floor_log2().is_some_and(|log2| log2 < LEAST_LOG2);
    let lo = if is_tiny(lo) { Dyadic::ZERO } else { lo.round_down(bits) };
    let hi = if is_tiny(hi) { Dyadic::pow2(LEAST_LOG2) } else { hi.round_up(bits) };
    Enclosure::exact(lo).hull(&Enclosure::exact(hi))
}

impl Laws {
    pub(super) fn new(bits: u32) -> Laws {
        Laws { laws: Vec::new(), bits }
    }

    /// The law of this rate.
    pub(super) fn of_rate(&mut self, rate: Rate) -> LawId {
        let place = self.laws.iter().position(|law| law.rate == rate).unwrap_or_else(|| {
            self.laws.push(Law { rate, known: BTreeMap::new() });
            self.laws.len() - 1
        });
        LawId(place)
    }

    pub(super) fn rate(&self, law: LawId) -> &Rate {
        &self.laws[law.0].rate
    }

    /// How many numbers leave about `2^-bits` of the probability behind them; at least one.
    pub(super) fn enough(&self, law: LawId, bits: i64) -> IBig {
        let rate = Rational::from(self.rate(law).enclosure(self.bits).lo());
        // ln 2 < 7/10.
        let needed = Rational::from(7 * bits.max(1)) / (Rational::from(10) * rate);
        needed.ceil().max(IBig::ONE)
    }

    /// `P(lo <= Z <= hi)`; `None` is infinite.
    pub(super) fn mass(&mut self, law: LawId, lo: Option<&IBig>, hi: Option<&IBig>) -> Enclosure {
        let zero = IBig::ZERO;
        // From the number of 0, 1, … or -1, -2, … nearest to 0.
        let upper = hi.is_none_or(|hi| *hi >= zero).then(|| {
            let from = lo.map_or(zero.clone(), |lo| lo.clone().max(zero.clone()));
            (from.clone(), hi.map(|hi| hi - from + IBig::ONE))
        });
        let lower = lo.is_none_or(|lo| *lo < zero).then(|| {
            let from = hi.map_or(IBig::ONE, |hi| (-hi).max(IBig::ONE));
            (from.clone(), lo.map(|lo| -lo - from + IBig::ONE))
        });
        match (upper, lower) {
            (Some((_, None)), Some((_, None))) => Enclosure::exact(Dyadic::ONE),
            (Some(upper), Some(lower)) => sum(&self.side(law, upper), &self.side(law, lower), self.bits),
            (Some(run), None) | (None, Some(run)) => self.side(law, run),
            (None, None) => Enclosure::exact(Dyadic::ZERO),
        }
    }

    /// `P(Z = z)`.
    pub(super) fn at(&mut self, law: LawId, z: &IBig) -> Enclosure {
        self.mass(law, Some(z), Some(z))
    }

    /// `P(Z = z) + P(Z = z ± count) + …`, away from 0.
    pub(super) fn progression(&mut self, law: LawId, z: &IBig, count: u64) -> Enclosure {
        let (first, count) = (self.at(law, z), IBig::from(count));
        first.div(&self.one_minus_power(law, &count), self.bits).expect("1 - ρ is positive")
    }

    /// `P(Z = from)/P(Y = 0)` for a `Y` of this law, whose rate is `count` times that of `Z`.
    pub(super) fn coarsened(&mut self, law: LawId, from: &IBig, coarse: LawId) -> Enclosure {
        let (fine, coarse) = (self.at(law, from), self.at(coarse, &IBig::ZERO));
        fine.div(&coarse, self.bits).expect("the probability of 0 is positive")
    }

    /// `ρ^m·(1 - ρ^n)/(1 + ρ)`.
    fn side(&mut self, law: LawId, (from, count): Run) -> Enclosure {
        let key = (from, count);
        if let Some(mass) = self.laws[law.0].known.get(&key) {
            return mass.clone();
        }
        let one = Enclosure::exact(Dyadic::ONE);
        let above = &one + &self.power(law, &IBig::ONE);
        let covered = match &key.1 {
            Some(count) => self.one_minus_power(law, count),
            None => one,
        };
        let numerator = product(&self.power(law, &key.0), &covered, self.bits);
        let mass = numerator.div(&above, self.bits).expect("1 + ρ is positive");
        let mass = between(mass.lo(), mass.hi(), self.bits);
        self.laws[law.0].known.insert(key, mass.clone());
        mass
    }

    /// `-m·rate`, enclosed.
    fn exponent(&self, law: LawId, m: &IBig) -> Enclosure {
        let multiple = self.rate(law).times(&Rational::from(m.clone()));
        // The exponential of an error is one of the same size times the exponent.
        -&multiple.enclosure(self.bits + MAX_EXPONENT_LOG2 as u32 + 2)
    }

    /// `ρ^m`
    fn power(&self, law: LawId, m: &IBig) -> Enclosure {
        let exponent = self.exponent(law, m);
        let least = -Dyadic::pow2(MAX_EXPONENT_LOG2);
        if *exponent.lo() >= least {
            return exponent.exp(self.bits).expect("a moderate exponent");
        }
        let top = lastbit_real::exp(exponent.hi().max(&least), self.bits).expect("a moderate exponent");
        at_most(&top)
    }

    /// `1 - ρ^n`, also where `ρ` is close to 1.
    fn one_minus_power(&self, law: LawId, n: &IBig) -> Enclosure {
        let exponent = self.exponent(law, n);
        let least = -Dyadic::pow2(MAX_EXPONENT_LOG2);
        if *exponent.lo() >= least {
            return -&exponent.expm1(self.bits).expect("a moderate exponent");
        }
        let one = Enclosure::exact(Dyadic::ONE);
        &one - &self.power(law, n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> (Laws, LawId) {
        let mut laws = Laws::new(100);
        let law = laws.of_rate(Rate { factor: "1/3".parse().unwrap(), unit: Unit::One });
        (laws, law)
    }

    fn close(a: &Enclosure, b: &Enclosure) {
        let gap = &(a - b).abs();
        assert!(*gap.hi() < Dyadic::pow2(-90), "{a} {b}");
    }

    /// A range is the sum of its numbers, wherever it lies.
    #[test]
    fn ranges_are_sums() {
        let (mut laws, law) = laws();
        for (lo, hi) in [(-3, 4), (0, 0), (-1, 0), (0, 5), (2, 7), (-9, -2), (-1, -1)] {
            let [low, high] = [lo, hi].map(IBig::from);
            let whole = laws.mass(law, Some(&low), Some(&high));
            let parts = (lo..=hi).map(|z| laws.at(law, &IBig::from(z)));
            let zero = Enclosure::exact(Dyadic::ZERO);
            close(&whole, &parts.fold(zero, |sum, part| &sum + &part));
            // With what lies on both sides of it, it is everything.
            let below = laws.mass(law, None, Some(&(low - IBig::ONE)));
            let above = laws.mass(law, Some(&(high + IBig::ONE)), None);
            close(&(&(&whole + &below) + &above), &Enclosure::exact(Dyadic::ONE));
        }
        assert_eq!(laws.mass(law, None, None), Enclosure::exact(Dyadic::ONE));
    }

    /// Neighbours differ by `e^rate`, far out too.
    #[test]
    fn ratios() {
        let (mut laws, law) = laws();
        let ratio = lastbit_real::exp_rational(&"-1/3".parse().unwrap(), 100).unwrap();
        for z in [0, 1, 50, 10_000] {
            let [near, far] = [z, z + 1].map(|z| laws.at(law, &IBig::from(z)));
            close(&far.div(&near, 100).unwrap(), &ratio);
        }
    }

    /// A tail is made of its progressions.
    #[test]
    fn progressions() {
        let (mut laws, law) = laws();
        for (first, sign) in [(1, 1), (7, 1), (-1, -1), (-4, -1)] {
            let starts = (0..3).map(|i| laws.progression(law, &IBig::from(first + sign * i), 3));
            let zero = Enclosure::exact(Dyadic::ZERO);
            let sum = starts.fold(zero, |sum, part| &sum + &part);
            let first = IBig::from(first);
            let tail = match sign {
                1 => laws.mass(law, Some(&first), None),
                _ => laws.mass(law, None, Some(&first)),
            };
            close(&sum, &tail);
        }
    }

    /// What is left behind is as little as asked.
    #[test]
    fn enough_numbers() {
        let (mut laws, law) = laws();
        for bits in [1, 20, 64] {
            let n = laws.enough(law, bits);
            assert!(*laws.mass(law, Some(&n), None).hi() <= Dyadic::pow2(-bits));
        }
    }
}
