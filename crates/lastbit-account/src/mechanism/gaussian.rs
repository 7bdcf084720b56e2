//! The real Gaussian variable. Its loss is itself Gaussian, with mean `ρ` and variance `2ρ` under `P`, and mean `-ρ` under `Q`.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, Rounding};

use super::normal::Normal;
use crate::cells::{Cell, Cells, complement};
use crate::mass::Weighting;
use crate::{Error, go_on};

/// What is known of the loss of Gaussian noise at one point.
pub(super) struct Tails {
    /// `P(loss > l)` and `P(loss <= l)`.
    pub(super) p: [Enclosure; 2],
    /// The same under `Q`.
    pub(super) q: [Enclosure; 2],
}

/// The most cells of one release: each takes two error functions.
pub(super) const MOST_CELLS: i64 = 32768;

impl Tails {
    /// Where the first cell begins, and where the last one ends.
    pub(super) fn below_all() -> Tails {
        let [all, nothing] = [Dyadic::ONE, Dyadic::ZERO].map(Enclosure::exact);
        let ends = [all, nothing];
        Tails { p: ends.clone(), q: ends }
    }

    pub(super) fn above_all() -> Tails {
        let [all, nothing] = [Dyadic::ONE, Dyadic::ZERO].map(Enclosure::exact);
        let ends = [nothing, all];
        Tails { p: ends.clone(), q: ends }
    }

    /// What lies between here and another point.
    pub(super) fn cell(&self, high: &Tails, from: Option<i64>, to: Option<i64>) -> Cell {
        Cell { p: between(&self.p, &high.p), q: between(&self.q, &high.q), from, to }
    }
}

/// Gaussian noise of a given `ρ`.
pub(super) struct Loss {
    rho: Rational,
    /// `√(4ρ)`
    root: Enclosure,
    bits: u32,
    normal: Normal,
}

impl Loss {
    pub(super) fn new(rho: &Rational, weighting: &Weighting) -> Loss {
        let bits = weighting.bits();
        let four = Enclosure::of_rational(&(rho * Rational::from(4)), bits + 8);
        Loss {
            rho: rho.clone(),
            root: four.sqrt(bits + 8).expect("positive"),
            bits,
            normal: Normal::new(bits),
        }
    }

    /// A loss beyond which lies less than `2^-tail` under `P`, as `P(G > t) <= e^(-t²/2)` and `ln 2 < 0.7`.
    pub(super) fn reach(rho: &Rational, weighting: &Weighting) -> Rational {
        let square = rho * Rational::new(28 * i64::from(weighting.tail), 10).expect("10 is not 0");
        // To a relative 2^-30 or so, from above.
        let scale = Rational::pow2(60 - 2 * square.floor_log2().unwrap_or(0).div_euclid(2));
        let root = (&square * scale.pow(2)).floor_sqrt().expect("not negative") + IBig::ONE;
        rho + Rational::from(root) * scale.recip().expect("positive")
    }

    /// `P(loss > l) = erfc((l - ρ)/√(4ρ))/2`.
    pub(super) fn at(&self, loss: &Enclosure) -> Tails {
        let rho = Enclosure::of_rational(&self.rho, self.bits + 8);
        let tails = |from_mean: Enclosure| {
            let z = from_mean.div(&self.root, self.bits + 8).expect("positive");
            let near = self.tail(&z.abs());
            let far = complement(&near);
            match z.sign() {
                Some(Ordering::Less) => [far, near],
                Some(_) => [near, far],
                // On either side of the mean.
                None => [near.hull(&far), near.hull(&far)],
            }
        };
        Tails { p: tails(loss - &rho), q: tails(loss + &rho) }
    }

    /// `erfc(z)/2` for `z >= 0`, known to `2^-bits` of itself or nearly.
    ///
    /// At one end it is computed. From there to the other end, `w` away, it falls by at most a share of `w·(2z + 2)`, because
    /// `erfc z >= 2/√π·e^(-z²)/(z + √(z² + 2))`, and the slope is `2/√π·e^(-z²)`.
    fn tail(&self, z: &Enclosure) -> Enclosure {
        let from = self.normal.tail(z.lo());
        let two = Dyadic::from(2);
        let falls = (z.width() * (&(z.hi() * &two) + &two)).round_up(32);
        let lowest = from.lo() * &(&Dyadic::ONE - &falls);
        Enclosure::new(lowest.round_down(self.bits + 8), from.hi().clone()).expect("it falls")
    }
}

/// The probability of a range, from what lies beyond its two ends.
fn between(low: &[Enclosure; 2], high: &[Enclosure; 2]) -> Enclosure {
    let [by_upper, by_lower] = [&low[0] - &high[0], &high[1] - &low[1]];
    let narrower = if by_upper.width() <= by_lower.width() { by_upper } else { by_lower };
    narrower.max(&Enclosure::exact(Dyadic::ZERO))
}

/// Of the weighted probability beyond a point, the share at which cells begin to get wider than a step.
pub(super) const NEARLY_ALL: f64 = 1e-3;

/// A cell between each two of every `stride`-th point of the lattice, moved by `shift` steps. Where little of the weighted probability is left,
/// they get wider: what a cell costs grows with its probability, and with the square of its width.
pub(super) fn cells(
    rho: &Rational,
    step: &Rational,
    stride: i64,
    shift: &Rational,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Cells, Error> {
    let loss = Loss::new(rho, weighting);
    let reach = Loss::reach(rho, weighting);
    let last = small((&reach / step).ceil());
    let float = |x: &Rational| x.to_f64(Rounding::Nearest);
    let (tilt, height, rho) = (float(&weighting.tilt), float(step), float(rho));
    let widest = (1.0 / (16.0 * (1.0 + tilt) * height)).max(1.0);
    let width = |index: i64| {
        // So weighted, losses are spread about a larger mean.
        let z = (index as f64 * height - rho * (1.0 + 2.0 * tilt)) / (2.0 * rho).sqrt();
        stride * (0.5 * (NEARLY_ALL.ln() + z * z / 2.0)).exp().clamp(1.0, widest) as i64
    };
    let points = std::iter::successors(Some(-last), |index| Some(index + width(*index)));
    let too_many = points.take_while(|index| *index < last).count() as i64 / MOST_CELLS + 1;
    let mut cells = Vec::new();
    let (mut from, mut low) = (None, Tails::below_all());
    let mut index = -last;
    while index < last {
        go_on(cells.len(), goes_on)?;
        let place = Rational::from(index) + shift;
        let high = loss.at(&Enclosure::of_rational(&(&place * step), loss.bits + 8));
        cells.push(low.cell(&high, from, Some(small(place.ceil()))));
        (from, low) = (Some(small(place.floor())), high);
        index += width(index) * too_many;
    }
    cells.push(low.cell(&Tails::above_all(), from, None));
    Ok(Cells { step: step.clone(), offset: Rational::ZERO, cells })
}

fn small(index: IBig) -> i64 {
    i64::try_from(index).expect("limited by the caller")
}
