//! The real Gaussian variable. Its loss is itself Gaussian, with mean `ρ` and variance `2ρ` under `P`, and mean `-ρ` under `Q`.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, erfc};

use crate::cells::{Cell, Cells, complement};
use crate::mass::Weighting;

/// What is known of the loss of Gaussian noise at one point.
pub(super) struct Tails {
    /// `P(loss > l)` and `P(loss <= l)`.
    pub(super) p: [Enclosure; 2],
    /// The same under `Q`.
    pub(super) q: [Enclosure; 2],
}

/// The most cells of one release: each takes two error functions.
pub(super) const MOST_CELLS: i64 = 8192;

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
}

impl Loss {
    pub(super) fn new(rho: &Rational, weighting: &Weighting) -> Loss {
        let bits = weighting.bits();
        let four = Enclosure::of_rational(&(rho * Rational::from(4)), bits + 8);
        Loss { rho: rho.clone(), root: four.sqrt(bits + 8).expect("positive"), bits }
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
        let from = erfc(z.lo(), self.bits).expect("an index of the lattice is limited");
        let two = Dyadic::from(2);
        let falls = (z.width() * (&(z.hi() * &two) + &two)).round_up(32);
        let lowest = from.lo() * &(&Dyadic::ONE - &falls);
        Enclosure::new(lowest.round_down(self.bits + 8), from.hi().clone()).expect("it falls").shl(-1)
    }
}

/// The probability of a range, from what lies beyond its two ends.
fn between(low: &[Enclosure; 2], high: &[Enclosure; 2]) -> Enclosure {
    let [by_upper, by_lower] = [&low[0] - &high[0], &high[1] - &low[1]];
    let narrower = if by_upper.width() <= by_lower.width() { by_upper } else { by_lower };
    narrower.max(&Enclosure::exact(Dyadic::ZERO))
}

/// A cell between each two of every `stride`-th point of the lattice, moved by `shift` steps.
pub(super) fn cells(
    rho: &Rational,
    step: &Rational,
    stride: i64,
    shift: &Rational,
    weighting: &Weighting,
) -> Cells {
    let loss = Loss::new(rho, weighting);
    let all = Loss::reach(rho, weighting) / (step * Rational::from(MOST_CELLS / 2));
    let stride = stride.max(small(all.ceil()));
    let most = (Loss::reach(rho, weighting) / (step * Rational::from(stride))).ceil();
    let most = i64::try_from(most).expect("limited by the caller");
    let mut cells = Vec::with_capacity(2 * most as usize + 2);
    let (mut from, mut low) = (None, Tails::below_all());
    for i in -most..=most {
        let index = (Rational::from(i) + shift) * Rational::from(stride);
        let high = loss.at(&Enclosure::of_rational(&(&index * step), loss.bits + 8));
        cells.push(low.cell(&high, from, Some(small(index.ceil()))));
        (from, low) = (Some(small(index.floor())), high);
    }
    cells.push(low.cell(&Tails::above_all(), from, None));
    Cells { step: step.clone(), offset: Rational::ZERO, cells }
}

fn small(index: IBig) -> i64 {
    i64::try_from(index).expect("limited by the caller")
}
