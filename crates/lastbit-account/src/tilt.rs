//! Where to look: estimates in floating point, on which nothing but the width of the answer rests.
//!
//! With `K(λ) = ln Σ p(l)·e^(λl)` of all releases, `δ(ε)` is about `e^(K(λ) - λε)` at the `λ` where that is least (Chernoff), and weighted by
//! `e^(λl)` most of the probability lies about `ε`.

use lastbit_real::{Rational, Rounding};

use crate::Mechanism;
use crate::grid::Grid;
use crate::mass::{Precision, Weighting};
use crate::mechanism::Direction;

/// The question.
#[derive(Clone, Debug)]
pub(crate) enum Aim<'a> {
    /// δ at this ε.
    Delta(&'a Rational),
    /// ε at this δ.
    Epsilon(&'a Rational),
}

/// The largest `λ`.
const MOST_TILT: f64 = 4096.0;

/// How much larger than needed the logarithm of the sum of all weights may be.
const SLACK: f64 = 2.5;

/// How many powers of ten less may be enough.
const TENTHS: i32 = 7;

/// More releases than this need finer masses from the start.
const MANY: f64 = 30_000.0;

/// What to weight by, and how far losses so weighted are spread.
pub(crate) struct Estimate {
    tilt: f64,
    log_delta: f64,
    /// The standard deviation.
    spread: f64,
    releases: f64,
}

impl Estimate {
    pub(crate) fn of<'m>(
        terms: impl Iterator<Item = (&'m Mechanism, u64)> + Clone,
        direction: Direction,
        aim: &Aim<'_>,
    ) -> Estimate {
        let log_moment = |tilt: f64| -> f64 {
            terms.clone().map(|(mechanism, times)| times as f64 * mechanism.log_moment(direction, tilt)).sum()
        };
        let least = |of: &dyn Fn(f64) -> f64| {
            // Golden sections of the logarithm.
            let ratio = (5f64.sqrt() - 1.0) / 2.0;
            let (mut low, mut high) = (1e-4f64.ln(), MOST_TILT.ln());
            for _ in 0..40 {
                let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
                if of(a.exp()) <= of(b.exp()) { high = b } else { low = a }
            }
            low.midpoint(high).exp()
        };
        let (tilt, log_delta, aimed) = match aim {
            Aim::Delta(epsilon) => {
                let epsilon = epsilon.to_f64(Rounding::Nearest);
                let log_delta = |tilt: f64| log_moment(tilt) - tilt * epsilon;
                let tilt = least(&log_delta);
                if log_delta(tilt) < 0.0 { (tilt, log_delta(tilt), epsilon) } else { (0.0, 0.0, epsilon) }
            }
            Aim::Epsilon(delta) => {
                let log_delta = ln(delta);
                let epsilon = |tilt: f64| (log_moment(tilt) - log_delta) / tilt;
                let tilt = least(&epsilon);
                (tilt, log_delta, epsilon(tilt))
            }
        };
        // Less is nearly as good, and rare large losses weigh less. Where there is a largest loss, so is much less.
        let at = |tilt: f64| log_moment(tilt) - tilt * aimed;
        let best = at(tilt);
        let tilt = (0..TENTHS)
            .flat_map(|power| {
                (1..10).rev().map(move |tenths| tilt * f64::from(tenths) * 0.1f64.powi(power + 1))
            })
            .take_while(|less| at(*less) <= best + SLACK)
            .last()
            .unwrap_or(tilt);
        let apart = (tilt / 8.0).max(1.0 / 64.0);
        let middle = tilt.max(apart);
        let second = log_moment(middle + apart) - 2.0 * log_moment(middle) + log_moment(middle - apart);
        let releases = terms.map(|(_, times)| times as f64).sum();
        Estimate { tilt, log_delta, spread: second.max(0.0).sqrt() / apart, releases }
    }

    /// The largest standard deviation in any direction.
    pub(crate) fn widest(directions: &[(Direction, Estimate)]) -> f64 {
        directions.iter().map(|(_, estimate)| estimate.spread).fold(0.0, f64::max)
    }

    /// The precision to begin with.
    pub(crate) fn precision(&self) -> Precision {
        if self.releases > MANY { Precision::Bits90 } else { Precision::Bits60 }
    }

    pub(crate) fn weighting(&self, precision: Precision, grid: &Grid) -> Weighting {
        let tilt = self.tilt.min(grid.most_tilt());
        // To a few bits, so that exponents stay short.
        let unit = if tilt > 0.0 { tilt.log2().floor() as i64 - 5 } else { 0 };
        let units = (tilt / (unit as f64).exp2()).round() as u64;
        let tail =
            (40.0 - self.log_delta * std::f64::consts::LOG2_E + self.releases.log2()).clamp(60.0, 8000.0);
        Weighting { precision, tilt: Rational::from(units) * Rational::pow2(unit), tail: tail as u32 }
    }
}

/// About the logarithm of a number that may be below all doubles.
fn ln(x: &Rational) -> f64 {
    let exponent = x.floor_log2().unwrap_or(0);
    let mantissa = (x * Rational::pow2(-exponent)).to_f64(Rounding::Nearest);
    mantissa.ln() + exponent as f64 * std::f64::consts::LN_2
}
