//! Noise on a sum over rows that are each taken with probability `r` (Poisson sampling).
//!
//! With one row more, outputs have the distribution `P = (1-r)·B₀ + r·B₁`, where `B₀` is the noise around the sum without the row and `B₁` around
//! the sum with it; without the row it is `Q = B₀`. An output at which the noise alone would lose `m = ln(B₁/B₀)` loses
//! `l = ln(1 - r + r·e^m)`, which grows with `m` from `ln(1-r)` on. So a point `l` of the lattice is at `m = ln((e^l - 1 + r)/r)`.

use lastbit_real::{Dyadic, Enclosure, Rational, Rounding, exp_rational, ln_rational};

use super::gaussian::{self, Tails};
use crate::cells::{Cell, Cells, complement};
use crate::mass::Weighting;
use crate::{Error, go_on};

/// A sum over a sample, and noise.
struct Sampled<'a> {
    rate: &'a Rational,
    step: &'a Rational,
    offset: &'a Rational,
    bits: u32,
}

impl Sampled<'_> {
    fn enclosed(&self, x: &Rational) -> Enclosure {
        Enclosure::of_rational(x, self.bits)
    }

    fn exp(&self, x: &Rational) -> Enclosure {
        exp_rational(x, self.bits).expect("losses are limited")
    }

    /// The points of the lattice between which the loss lies where the noise alone loses `m`.
    fn around(&self, m: &Rational) -> (i64, i64) {
        self.of_loss(&loss(self.rate, m, self.bits))
    }

    fn of_loss(&self, loss: &Enclosure) -> (i64, i64) {
        around(&(loss - &self.enclosed(&(self.offset * self.step))), self.step)
    }

    /// `m` at a point of the lattice moved by so many steps; `None` if that is not known to be above `ln(1-r)`.
    fn noise_at(&self, index: i64, shift: &Rational) -> Option<Enclosure> {
        let power = self.exp(&((self.offset + Rational::from(index) + shift) * self.step));
        let above = (&power - &self.enclosed(&(Rational::ONE - self.rate))).round(self.bits);
        if *above.lo() <= Dyadic::ZERO {
            return None;
        }
        above.div(&self.enclosed(self.rate), self.bits)?.ln(self.bits).ok()
    }

    /// Outputs that have one probability with the row (`p`) and another without it (`q`), where every row is taken.
    fn mixed(&self, cell: Cell) -> Cell {
        let rest = self.enclosed(&(Rational::ONE - self.rate));
        let p = &(&rest * &cell.q) + &(&self.enclosed(self.rate) * &cell.p);
        Cell { p: p.round(self.bits), ..cell }
    }
}

/// The points of the lattice on either side of a loss.
pub(super) fn around(loss: &Enclosure, step: &Rational) -> (i64, i64) {
    let index = |end: &Dyadic| Rational::from(end).checked_div(step).expect("positive");
    let small = |index| i64::try_from(index).expect("limited by the caller");
    (small(index(loss.lo()).floor()), small(index(loss.hi()).ceil()))
}

/// `ln(1 - r + r·e^m)`
fn loss(rate: &Rational, m: &Rational, bits: u32) -> Enclosure {
    let enclosed = |x: &Rational| Enclosure::of_rational(x, bits);
    let power = exp_rational(m, bits).expect("losses are limited");
    let odds = &enclosed(&(Rational::ONE - rate)) + &(&enclosed(rate) * &power);
    odds.round(bits).ln(bits).expect("positive")
}

/// Just above the largest loss with Laplace noise: `ln(1 - r + r·e^ε)`, which is more than `-ln(1 - r + r·e^-ε)`, because the logarithm is concave.
pub(super) fn largest_loss(rate: &Rational, epsilon: &Rational) -> Rational {
    Rational::from(loss(rate, epsilon, 128).hi())
}

/// About how far apart the least loss is from that at a loss `m` of the noise alone.
pub(super) fn width(rate: &Rational, m: &Rational) -> Rational {
    let least = (Rational::ONE - rate).max(Rational::pow2(-64));
    let low = ln_rational(&least, 64).expect("positive");
    Rational::from(loss(rate, m, 64).hi()) - Rational::from(low.lo())
}

/// A little below the least and the largest loss with Laplace noise.
pub(super) fn laplace_ends(rate: &Rational, epsilon: &Rational) -> [Rational; 2] {
    [-epsilon, epsilon.clone()].map(|m| Rational::from(loss(rate, &m, 160).lo()) - Rational::pow2(-96))
}

/// The cells of a removed row with Laplace noise, whose loss is often the least or the largest there is: the lattice has a point just below the
/// least. They end at its points, moved by `shift` steps, which is at least 0 and below 1.
pub(super) fn laplace(
    rate: &Rational,
    epsilon: &Rational,
    step: &Rational,
    shift: &Rational,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Cells, Error> {
    let offset = laplace_ends(rate, epsilon)[0].checked_div(step).expect("positive");
    // What is just above a point must be seen to be.
    let bits = weighting.bits().max(120);
    let sampled = Sampled { rate, step, offset: &offset, bits };
    let half = Enclosure::exact(Dyadic::pow2(-1));
    let far = sampled.exp(&-epsilon).shl(-1);
    let (least, most) = (sampled.around(&-epsilon), sampled.around(epsilon));
    let at = |m: &Rational| laplace_tails(epsilon, &sampled.enclosed(m), bits);
    let end = |p: &Enclosure, q: &Enclosure, (from, to): (i64, i64)| {
        sampled.mixed(Cell { p: p.clone(), q: q.clone(), from: Some(from), to: Some(to) })
    };
    let mut cells = vec![end(&far, &half, least)];
    let (mut from, mut low) = (least.0, at(&-epsilon));
    for index in least.0..most.1 {
        go_on((index - least.0) as usize, goes_on)?;
        let Some(m) = sampled.noise_at(index, shift) else { continue };
        // Not where the point may be beyond the ends.
        if m.lo().cmp_rational(&-epsilon).is_le() || m.hi().cmp_rational(epsilon).is_ge() {
            continue;
        }
        let high = laplace_tails(epsilon, &m, bits);
        let to = if shift.is_zero() { index } else { index + 1 };
        cells.push(sampled.mixed(low.cell(&high, Some(from), Some(to))));
        (from, low) = (index, high);
    }
    cells.push(sampled.mixed(low.cell(&at(epsilon), Some(from), Some(most.1))));
    cells.push(end(&half, &far, most));
    Ok(Cells { step: step.clone(), offset, cells })
}

/// The cells of a removed row with Gaussian noise, which end at points of the lattice, moved by `shift` steps. Where little of the weighted
/// probability is left, they get wider: what a cell costs grows with its probability, and with the square of its width.
pub(super) fn gaussian(
    rate: &Rational,
    rho: &Rational,
    step: &Rational,
    shift: &Rational,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Cells, Error> {
    let sampled = Sampled { rate, step, offset: &Rational::ZERO, bits: weighting.bits() };
    let noise = gaussian::Loss::new(rho, weighting);
    let last = sampled.around(&gaussian::Loss::reach(rho, weighting)).1;
    let least = ln_rational(&(Rational::ONE - rate), sampled.bits).expect("a rate below 1");
    let float = |x: &Rational| x.to_f64(Rounding::Nearest);
    let (tilt, height, rho, rate) = (float(&weighting.tilt), float(step), float(rho), float(rate));
    let widest = (1.0 / (16.0 * (1.0 + tilt) * height)).max(1.0);
    let stride = |index: i64| {
        let loss = index as f64 * height;
        let m = ((loss.exp_m1() + rate) / rate).ln();
        // About the larger of what rows that are not taken and those that are have beyond; all, where there is no `m`.
        let tail = |mean: f64| -((m - mean) / (2.0 * rho).sqrt()).max(0.0).powi(2) / 2.0;
        let log_beyond = tail(-rho).max(rate.ln() + tail(rho)) + tilt * loss;
        (0.5 * (gaussian::NEARLY_ALL.ln() - log_beyond)).exp().clamp(1.0, widest) as i64
    };
    let first = sampled.of_loss(&least).0;
    let points = std::iter::successors(Some(first), |index| Some(index + stride(*index)));
    let too_many = points.take_while(|index| *index < last).count() as i64 / gaussian::MOST_CELLS + 1;
    let mut cells = Vec::new();
    let (mut from, mut low) = (first, Tails::below_all());
    let mut index = from;
    while index < last {
        go_on(cells.len(), goes_on)?;
        if let Some(m) = sampled.noise_at(index, shift) {
            let high = noise.at(&m);
            let to = if shift.is_zero() { index } else { index + 1 };
            cells.push(sampled.mixed(low.cell(&high, Some(from), Some(to))));
            (from, low) = (index, high);
        }
        index += stride(index) * too_many;
    }
    cells.push(sampled.mixed(low.cell(&Tails::above_all(), Some(from), None)));
    Ok(Cells { step: step.clone(), offset: Rational::ZERO, cells })
}

/// What lies strictly above and below a loss `m` with `|m| < ε` of Laplace noise: `e^((m-ε)/2)/2` below it under `P`, and `e^(-(m+ε)/2)/2`
/// above it under `Q`. At `±ε` it is what lies beyond that point.
fn laplace_tails(epsilon: &Rational, m: &Enclosure, bits: u32) -> Tails {
    let epsilon = Enclosure::of_rational(epsilon, bits);
    let half_exp = |x: Enclosure| x.shl(-1).exp(bits).expect("losses are limited").shl(-1);
    let below = half_exp(m - &epsilon);
    let above = half_exp(-&(m + &epsilon));
    Tails { p: [complement(&below), below], q: [above.clone(), complement(&above)] }
}

/// About `ln E(1 - r + r·e^m)^α` without the row, where `m = μx - μ²/2` for a normal `x`.
pub(super) fn log_moment(rate: f64, mu: f64, order: f64) -> f64 {
    let (low, high, n) = (-12.0 + (order * mu).min(0.0), 12.0 + (order * mu).max(0.0), 4000);
    let width = (high - low) / f64::from(n);
    let term = |i: i32| {
        let x = low + (f64::from(i) + 0.5) * width;
        order * log_odds(rate, mu * x - mu * mu / 2.0) - x * x / 2.0
    };
    log_sum((0..n).map(term)) + (width / (2.0 * std::f64::consts::PI).sqrt()).ln()
}

/// The same for Laplace noise: `m` is `ε` with probability `e^-ε/2`, `-ε` with ½, and has the density `e^(-(m+ε)/2)/4` between.
pub(super) fn log_moment_laplace(rate: f64, epsilon: f64, order: f64) -> f64 {
    let n = 1000;
    let width = 2.0 * epsilon / f64::from(n);
    let log_power = |m: f64| order * log_odds(rate, m);
    let term = |i: i32| {
        let m = -epsilon + (f64::from(i) + 0.5) * width;
        log_power(m) - (m + epsilon) / 2.0 + (width / 4.0).ln()
    };
    let ends = [log_power(epsilon) - epsilon - 2f64.ln(), log_power(-epsilon) - 2f64.ln()];
    log_sum((0..n).map(term).chain(ends))
}

/// `ln(1 - r + r·e^m)`
fn log_odds(rate: f64, m: f64) -> f64 {
    match m > 30.0 {
        true => m + rate.ln(),
        false => (rate * m.exp_m1()).ln_1p(),
    }
}

pub(super) fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_finite() { most + logs.map(|log| (log - most).exp()).sum::<f64>().ln() } else { 0.0 }
}
