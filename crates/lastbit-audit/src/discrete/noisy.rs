//! Samples that have not been looked at, and rounding.

use std::cmp::Ordering;

use lastbit_lang::Tie;
use lastbit_lang::ast::CompareOp;
use lastbit_real::{IBig, Rational};

use super::error::Stop;
use super::state::{Sample, SampleId};
use super::tail::Tail;

/// `offset + slope·Z` for a sample `Z`, a whole number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Noisy {
    pub(super) offset: Rational,
    /// Not 0.
    pub(super) slope: Rational,
    pub(super) sample: SampleId,
}

impl Noisy {
    pub(super) fn at(&self, z: &IBig) -> Rational {
        &self.offset + &self.slope * Rational::from(z.clone())
    }

    /// Between which numbers it lies if the sample lies in its range.
    pub(super) fn tail(&self, sample: &Sample) -> Tail {
        let ends =
            Tail { lo: sample.lo.clone().map(Rational::from), hi: sample.hi.clone().map(Rational::from) };
        ends.mul(&Tail::point(&self.slope)).add(&Tail::point(&self.offset))
    }

    /// How it compares with 0, which the range of the sample must tell.
    pub(super) fn compare_zero(&self, op: CompareOp, sample: &Sample) -> Result<bool, Stop> {
        let root = -(&self.offset / &self.slope);
        let (below, above) = (self.slope.is_negative(), !self.slope.is_negative());
        let split = |at: IBig| Stop::Split(self.sample, at);
        // Whether Z <= at.
        let at_most = |at: IBig| match (&sample.lo, &sample.hi) {
            (_, Some(hi)) if *hi <= at => Ok(true),
            (Some(lo), _) if *lo > at => Ok(false),
            _ => Err(split(at)),
        };
        let is_below = || at_most(root.ceil() - IBig::ONE);
        let is_at_most = || at_most(root.floor());
        Ok(match op {
            CompareOp::Less if above => is_below()?,
            CompareOp::Less => !is_at_most()?,
            CompareOp::LessOrEqual if above => is_at_most()?,
            CompareOp::LessOrEqual => !is_below()?,
            CompareOp::Greater if below => is_below()?,
            CompareOp::Greater => !is_at_most()?,
            CompareOp::GreaterOrEqual if below => is_at_most()?,
            CompareOp::GreaterOrEqual => !is_below()?,
            // A sample in a range of one number would have been replaced by it.
            CompareOp::Equal => root.is_integer() && is_at_most()? && !is_below()?,
            CompareOp::NotEqual => !root.is_integer() || !is_at_most()? || is_below()?,
        })
    }
}

/// The multiple of `grid` nearest to the number. Grows with it.
pub(super) fn nearest(value: &Rational, grid: &Rational, tie: Tie) -> Rational {
    let steps = value / grid;
    let floor = steps.floor();
    let half = Rational::from(floor.clone()) + Rational::pow2(-1);
    let goes_up = match steps.cmp(&half) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => steps.is_positive(),
            Tie::Even => floor.clone() % IBig::from(2) != IBig::ZERO,
        },
    };
    Rational::from(if goes_up { floor + IBig::ONE } else { floor }) * grid
}
