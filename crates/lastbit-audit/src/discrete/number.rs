//! Numbers of a program: exact, or a sample that has not been looked at yet, or known within an interval.

use std::collections::BTreeMap;

use lastbit_lang::Tie;
use lastbit_lang::ast::CompareOp;
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::error::{Fault, Stop};
use super::noisy::{Noisy, nearest};
use super::state::{Sample, SampleId};
use super::tail::Tail;

/// Longest fraction that is computed with, in bits of numerator and denominator.
const MAX_BITS: i64 = 1 << 14;
/// Exponentials of more than `2^this` are not computed.
const MAX_EXPONENT_LOG2: i64 = 15;
/// Rounding to a coarser grid looks at so many remainders; beyond, at single values.
const MAX_RESIDUES: u64 = 1 << 10;

/// A number of a program.
///
/// Samples come first: states that hold one are the least, so that they are looked into before those that they turn into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    Noisy(Noisy),
    Exact(Rational),
    /// A real number between two others, as `exp(eps)` is.
    Within(Dyadic, Dyadic),
    Tail(Tail),
}

impl Number {
    /// A number of an interval; a point is exact.
    fn within(enclosure: &Enclosure) -> Result<Number, Stop> {
        let too_large = |end: &Dyadic| end.floor_log2().is_some_and(|log2| log2.abs() > 4 * MAX_BITS);
        if too_large(enclosure.lo()) || too_large(enclosure.hi()) {
            return Err(Fault::TooLarge.into());
        }
        match enclosure.lo() == enclosure.hi() {
            true => exact(Rational::from(enclosure.lo())),
            false => Ok(Number::Within(enclosure.lo().clone(), enclosure.hi().clone())),
        }
    }

    /// A number of the tail; one that is known is exact.
    fn of_tail(tail: Tail) -> Number {
        tail.only().cloned().map_or(Number::Tail(tail), Number::Exact)
    }
}

/// An exact number that is not too long.
fn exact(value: Rational) -> Result<Number, Stop> {
    let log2 = |part: Rational| part.floor_log2().unwrap_or(0);
    let bits = log2(Rational::from(value.numerator())) + log2(Rational::from(value.denominator()));
    if bits > MAX_BITS { Err(Fault::TooLarge.into()) } else { Ok(Number::Exact(value)) }
}

/// Arithmetic where these samples have not been looked at.
pub(super) struct Arithmetic<'s> {
    pub(super) samples: &'s BTreeMap<SampleId, Sample>,
    /// Working bits of what is not exact.
    pub(super) bits: u32,
}

type Outcome = Result<Number, Stop>;

impl Arithmetic<'_> {
    fn noisy(&self, offset: Rational, slope: Rational, sample: SampleId) -> Outcome {
        match slope.is_zero() {
            true => exact(offset),
            false => Ok(Number::Noisy(Noisy { offset, slope, sample })),
        }
    }

    /// Between which numbers it lies.
    fn tail(&self, number: &Number) -> Tail {
        match number {
            Number::Tail(tail) => tail.clone(),
            Number::Exact(value) => Tail::point(value),
            Number::Within(lo, hi) => Tail { lo: Some(lo.into()), hi: Some(hi.into()) },
            Number::Noisy(noisy) => noisy.tail(&self.samples[&noisy.sample]),
        }
    }

    /// An enclosure of what is exact or enclosed.
    pub(super) fn enclosure(&self, number: &Number) -> Result<Enclosure, Stop> {
        match number {
            Number::Exact(value) => Ok(Enclosure::of_rational(value, self.bits)),
            Number::Within(lo, hi) => Ok(Enclosure::exact(lo.clone()).hull(&Enclosure::exact(hi.clone()))),
            Number::Noisy(noisy) => Err(Stop::Force(noisy.sample)),
            Number::Tail(_) => Err(Stop::Lost),
        }
    }

    /// The number, which must be known.
    pub(super) fn known(&self, number: &Number) -> Result<Rational, Stop> {
        match number {
            Number::Exact(value) => Ok(value.clone()),
            Number::Within(..) => Err(Fault::NotExact.into()),
            Number::Noisy(noisy) => Err(Stop::Force(noisy.sample)),
            Number::Tail(_) => Err(Stop::Lost),
        }
    }

    fn lift(&self, a: &Number, b: &Number, f: impl Fn(&Enclosure, &Enclosure) -> Enclosure) -> Outcome {
        Number::within(&f(&self.enclosure(a)?, &self.enclosure(b)?).round(self.bits))
    }

    pub(super) fn neg(&self, a: &Number) -> Number {
        match a {
            Number::Exact(value) => Number::Exact(-value),
            Number::Within(lo, hi) => Number::Within(-hi, -lo),
            Number::Tail(tail) => Number::Tail(tail.neg()),
            Number::Noisy(Noisy { offset, slope, sample }) => {
                Number::Noisy(Noisy { offset: -offset, slope: -slope, sample: *sample })
            }
        }
    }

    pub(super) fn add(&self, a: &Number, b: &Number) -> Outcome {
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => exact(a + b),
            (Number::Tail(_), _) | (_, Number::Tail(_)) => {
                Ok(Number::of_tail(self.tail(a).add(&self.tail(b))))
            }
            (Number::Noisy(a), Number::Noisy(b)) if a.sample == b.sample => {
                self.noisy(&a.offset + &b.offset, &a.slope + &b.slope, a.sample)
            }
            // The older one: what is sampled last is looked at last, and often never.
            (Number::Noisy(a), Number::Noisy(b)) => Err(Stop::Force(a.sample.min(b.sample))),
            (Number::Noisy(a), Number::Exact(b)) | (Number::Exact(b), Number::Noisy(a)) => {
                self.noisy(&a.offset + b, a.slope.clone(), a.sample)
            }
            _ => self.lift(a, b, |a, b| a + b),
        }
    }

    pub(super) fn sub(&self, a: &Number, b: &Number) -> Outcome {
        self.add(a, &self.neg(b))
    }

    pub(super) fn mul(&self, a: &Number, b: &Number) -> Outcome {
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => exact(a * b),
            (Number::Tail(_), _) | (_, Number::Tail(_)) => {
                Ok(Number::of_tail(self.tail(a).mul(&self.tail(b))))
            }
            (Number::Noisy(a), Number::Noisy(b)) => Err(Stop::Force(a.sample.min(b.sample))),
            (Number::Noisy(a), Number::Exact(b)) | (Number::Exact(b), Number::Noisy(a)) => {
                self.noisy(&a.offset * b, &a.slope * b, a.sample)
            }
            _ => self.lift(a, b, |a, b| a * b),
        }
    }

    pub(super) fn div(&self, a: &Number, b: &Number) -> Outcome {
        if let Number::Exact(divisor) = b {
            return self.mul(a, &Number::Exact(divisor.recip().ok_or(Fault::DivisionByZero)?));
        }
        let (a, b) = (self.enclosure(a)?, self.enclosure(b)?);
        Number::within(&a.div(&b, self.bits).ok_or(Fault::NotExact)?)
    }

    pub(super) fn sqrt(&self, a: &Number) -> Outcome {
        let a = self.enclosure(a)?;
        Number::within(&a.sqrt(self.bits).map_err(|_| Fault::SqrtOfNegative)?)
    }

    pub(super) fn ln(&self, a: &Number) -> Outcome {
        let logarithm = match a {
            Number::Exact(value) => lastbit_real::ln_rational(value, self.bits),
            _ => self.enclosure(a)?.ln(self.bits),
        };
        Number::within(&logarithm.map_err(|_| Fault::LnOfNonPositive)?)
    }

    pub(super) fn exp(&self, a: &Number) -> Outcome {
        let enclosure = self.enclosure(a)?;
        if *enclosure.abs().hi() > Dyadic::pow2(MAX_EXPONENT_LOG2) {
            return Err(Fault::TooLarge.into());
        }
        let exponential = match a {
            Number::Exact(value) => lastbit_real::exp_rational(value, self.bits),
            _ => enclosure.exp(self.bits),
        };
        Number::within(&exponential.map_err(|_| Fault::TooLarge)?)
    }

    pub(super) fn min(&self, a: &Number, b: &Number) -> Outcome {
        match (a, b) {
            (Number::Tail(_), _) | (_, Number::Tail(_)) => {
                Ok(Number::of_tail(self.tail(a).lesser(&self.tail(b))))
            }
            (Number::Within(..), Number::Exact(_) | Number::Within(..))
            | (Number::Exact(_), Number::Within(..)) => self.lift(a, b, Enclosure::min),
            _ if self.compare(CompareOp::LessOrEqual, a, b)? == Some(true) => Ok(a.clone()),
            _ => Ok(b.clone()),
        }
    }

    pub(super) fn max(&self, a: &Number, b: &Number) -> Outcome {
        Ok(self.neg(&self.min(&self.neg(a), &self.neg(b))?))
    }

    pub(super) fn abs(&self, a: &Number) -> Outcome {
        self.max(a, &self.neg(a))
    }

    /// The number of `[-bound, bound]` nearest to `a`.
    pub(super) fn clamp(&self, a: &Number, bound: &Number) -> Outcome {
        if self.compare(CompareOp::Less, bound, &Number::Exact(Rational::ZERO))? == Some(true) {
            return Err(Fault::NegativeBound.into());
        }
        self.max(&self.neg(bound), &self.min(a, bound)?)
    }

    /// The multiple of `grid` nearest to `a`.
    pub(super) fn round(&self, a: &Number, grid: &Number, tie: Tie) -> Outcome {
        let grid = self.known(grid)?;
        if !grid.is_positive() {
            return Err(Fault::Grid.into());
        }
        match a {
            Number::Exact(value) => exact(nearest(value, &grid, tie)),
            Number::Tail(tail) => Ok(Number::of_tail(tail.map(|end| nearest(end, &grid, tie)))),
            Number::Noisy(noisy) => self.round_noisy(noisy, &grid, tie),
            Number::Within(lo, hi) => {
                let [lo, hi] = [lo, hi].map(|end| nearest(&Rational::from(end), &grid, tie));
                if lo == hi { exact(lo) } else { Err(Fault::NotExact.into()) }
            }
        }
    }

    /// Where the sample moves in steps of the grid, what it is added to is rounded. Else its remainders are told apart.
    fn round_noisy(&self, noisy: &Noisy, grid: &Rational, tie: Tie) -> Outcome {
        let Noisy { offset, slope, sample } = noisy;
        let steps = slope / grid;
        let denominator = u64::try_from(steps.denominator()).unwrap_or(u64::MAX);
        if denominator > MAX_RESIDUES {
            return Err(Stop::Force(*sample));
        }
        if denominator > 1 {
            return Err(Stop::Residues(*sample, denominator));
        }
        let half = grid / Rational::from(2);
        let is_half_way = nearest(offset, grid, Tie::Up) - offset == half;
        let tie = match tie {
            // Ties to even are alike at even distances.
            Tie::Even if is_half_way && !(&steps / Rational::from(2)).is_integer() => {
                return Err(Stop::Residues(*sample, 2));
            }
            Tie::Away if is_half_way => {
                let zero = Number::Exact(Rational::ZERO);
                match self.compare(CompareOp::Greater, &Number::Noisy(noisy.clone()), &zero)? {
                    Some(true) => Tie::Up,
                    // Down, which of something half-way is up less one step.
                    _ => return self.noisy(offset - half, slope.clone(), *sample),
                }
            }
            tie => tie,
        };
        self.noisy(nearest(offset, grid, tie), slope.clone(), *sample)
    }

    /// Whether the comparison holds. `None`: that depends on where in a tail a number lies.
    pub(super) fn compare(&self, op: CompareOp, a: &Number, b: &Number) -> Result<Option<bool>, Stop> {
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => Ok(Some(op.holds(a.cmp(b)))),
            (Number::Tail(_), _) | (_, Number::Tail(_)) => {
                Ok(self.tail(a).compare(&self.tail(b)).map(|order| op.holds(order)))
            }
            (Number::Noisy(_), Number::Exact(_) | Number::Noisy(_))
            | (Number::Exact(_), Number::Noisy(_)) => match self.sub(a, b)? {
                Number::Noisy(noisy) => noisy.compare_zero(op, &self.samples[&noisy.sample]).map(Some),
                number => self.compare(op, &number, &Number::Exact(Rational::ZERO)),
            },
            _ => {
                self.enclosure(a)?;
                self.enclosure(b)?;
                let order = self.tail(a).compare(&self.tail(b)).ok_or(Fault::NotExact)?;
                Ok(Some(op.holds(order)))
            }
        }
    }
}
