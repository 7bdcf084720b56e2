//! Noise on a sum over rows that are each taken with probability `r` (Poisson sampling).
//!
//! With one row more, outputs have the distribution `P = (1-r)·B₀ + r·B₁`, where `B₀` is the noise around the sum without the row and `B₁` around
//! the sum with it; without the row it is `Q = B₀`. An output at which the noise alone would lose `m = ln(B₁/B₀)` loses
//! `l = ln(1 - r + r·e^m)`, which grows with `m` from `ln(1-r)` on. So a point `l` of the lattice is at `m = ln((e^l - 1 + r)/r)`.

use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational, ln_rational};

use super::gaussian::{self, Tails, between};
use crate::cells::{Cell, Cells};
use crate::mass::Precision;

/// Bits of enclosures beyond those of a mass.
const BITS: u32 = 64;

/// The noise that is added to a sum over a sample.
#[derive(Clone, Copy)]
pub(super) enum Noise<'a> {
    /// Of this `ρ`.
    Gaussian(&'a Rational),
    /// Of this `ε`.
    Laplace(&'a Rational),
}

impl Noise<'_> {
    /// A loss of the noise alone that is exceeded by less than `2^-(W + 40)` of all.
    fn reach(self, precision: Precision) -> Rational {
        match self {
            Noise::Gaussian(rho) => gaussian::Loss::reach(rho, precision),
            Noise::Laplace(epsilon) => epsilon.clone(),
        }
    }
}

/// A sum over a sample, and noise.
struct Sampled<'a> {
    rate: &'a Rational,
    step: &'a Rational,
    bits: u32,
}

impl Sampled<'_> {
    fn enclosed(&self, x: &Rational) -> Enclosure {
        Enclosure::of_rational(x, self.bits)
    }

    fn exp(&self, x: &Rational) -> Enclosure {
        exp_rational(x, self.bits).expect("losses are limited")
    }

    /// The points of the lattice between which `ln(1 - r + r·e^m)` lies.
    fn around(&self, loss_of_noise: &Rational) -> (i64, i64) {
        let rate = self.enclosed(self.rate);
        let odds = &self.enclosed(&(Rational::ONE - self.rate)) + &(&rate * &self.exp(loss_of_noise));
        around(&odds.round(self.bits).ln(self.bits).expect("positive"), self.step)
    }

    /// `m` at a point of the lattice; `None` if that is not known to be above `ln(1-r)`.
    fn noise_at(&self, index: i64) -> Option<Enclosure> {
        let power = self.exp(&(Rational::from(index) * self.step));
        let above = (&power - &self.enclosed(&(Rational::ONE - self.rate))).round(self.bits);
        if *above.lo() <= Dyadic::ZERO {
            return None;
        }
        above.div(&self.enclosed(self.rate), self.bits)?.ln(self.bits).ok()
    }

    fn cell(&self, low: &Tails, high: &Tails, from: i64, to: Option<i64>) -> Cell {
        self.mixed(between(&low.p, &high.p), between(&low.q, &high.q), from, to)
    }

    /// Outputs whose probabilities are `b₁` with the row and `b₀` without it.
    fn mixed(&self, b1: Enclosure, b0: Enclosure, from: i64, to: Option<i64>) -> Cell {
        let rest = self.enclosed(&(Rational::ONE - self.rate));
        let p = &(&rest * &b0) + &(&self.enclosed(self.rate) * &b1);
        Cell { p: p.round(self.bits), q: b0, from: Some(from), to }
    }
}

/// The points of the lattice on either side of a loss.
pub(super) fn around(loss: &Enclosure, step: &Rational) -> (i64, i64) {
    let index = |end: &Dyadic| Rational::from(end).checked_div(step).expect("positive");
    let small = |index| i64::try_from(index).expect("limited by the caller");
    (small(index(loss.lo()).floor()), small(index(loss.hi()).ceil()))
}

/// The cells of a removed row.
pub(super) fn cells(rate: &Rational, noise: Noise<'_>, step: &Rational, precision: Precision) -> Cells {
    let sampled = Sampled { rate, step, bits: precision.bits() + BITS };
    let bits = sampled.bits;
    let reach = noise.reach(precision);
    let (zero, one) = (Enclosure::exact(Dyadic::ZERO), Enclosure::exact(Dyadic::ONE));
    let last = sampled.around(&reach).1;
    let least = ln_rational(&(Rational::ONE - rate), bits).expect("a rate below 1");
    let mut cells = Vec::new();
    // Where the cells begin, and the tails there.
    let (mut from, mut low) = match noise {
        Noise::Gaussian(_) => {
            let nothing = [one.clone(), zero.clone()];
            (around(&least, step).0, Tails { p: nothing.clone(), q: nothing })
        }
        Noise::Laplace(epsilon) => {
            let (from, to) = sampled.around(&-epsilon);
            let far = sampled.exp(&-epsilon).shl(-1);
            cells.push(sampled.mixed(far, one.shl(-1), from, Some(to)));
            (from, laplace_tails(epsilon, &sampled.enclosed(&-epsilon), bits))
        }
    };
    let gaussian = match noise {
        Noise::Gaussian(rho) => Some(gaussian::Loss::new(rho, precision)),
        Noise::Laplace(_) => None,
    };
    let tails = |m: &Enclosure| match (noise, &gaussian) {
        (Noise::Laplace(epsilon), _) => laplace_tails(epsilon, m, bits),
        (Noise::Gaussian(_), loss) => loss.as_ref().expect("made above").at(m),
    };
    let lower_end = -&reach;
    for index in from + 1..last {
        let Some(m) = sampled.noise_at(index) else { continue };
        // Laplace noise loses at least -ε and at most ε.
        if matches!(noise, Noise::Laplace(_)) && !(m.lo().cmp_rational(&lower_end).is_gt() && m.hi().cmp_rational(&reach).is_lt()) {
            continue;
        }
        let high = tails(&m);
        cells.push(sampled.cell(&low, &high, from, Some(index)));
        (from, low) = (index, high);
    }
    match noise {
        Noise::Gaussian(_) => {
            let nothing = [zero, one];
            cells.push(sampled.cell(&low, &Tails { p: nothing.clone(), q: nothing }, from, None));
        }
        Noise::Laplace(epsilon) => {
            let top = laplace_tails(epsilon, &sampled.enclosed(epsilon), bits);
            cells.push(sampled.cell(&low, &top, from, Some(last)));
            let (from, to) = sampled.around(epsilon);
            let far = sampled.exp(&-epsilon).shl(-1);
            cells.push(sampled.mixed(one.shl(-1), far, from, Some(to)));
        }
    }
    Cells { step: step.clone(), offset: Rational::ZERO, cells }
}

/// What lies strictly above and below a loss `m` with `|m| < ε` of Laplace noise: `e^((m-ε)/2)/2` below it under `P`, and `e^(-(m+ε)/2)/2`
/// above it under `Q`. At `±ε` it is what lies beyond that point.
fn laplace_tails(epsilon: &Rational, m: &Enclosure, bits: u32) -> Tails {
    let one = Enclosure::exact(Dyadic::ONE);
    let epsilon = Enclosure::of_rational(epsilon, bits);
    let half_exp = |x: Enclosure| x.shl(-1).exp(bits).expect("losses are limited").shl(-1);
    let below = half_exp(m - &epsilon);
    let above = half_exp(-&(m + &epsilon));
    Tails { p: [&one - &below, below], q: [above.clone(), &one - &above] }
}
