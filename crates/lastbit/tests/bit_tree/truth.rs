//! The true distributions, as rigorous enclosures.

use lastbit::{FloatSnapping, Rational, Snapping, snap_f};
use lastbit_real::{Dyadic, Enclosure, Float, Rounding, exp_rational};

/// Precision of the true probabilities.
pub(crate) const BITS: u32 = 200;

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

pub(crate) fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("a finite number")
}

pub(crate) fn point(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

/// The true distribution of an output: `P(output >= cut)` for some increasing cuts.
pub(crate) struct Truth {
    pub(crate) cuts: Vec<f64>,
    pub(crate) tails: Vec<Enclosure>,
}

impl Truth {
    pub(crate) fn new(cuts: impl IntoIterator<Item = f64>, tail: impl Fn(f64) -> Enclosure) -> Truth {
        let cuts: Vec<f64> = cuts.into_iter().collect();
        let tails = cuts.iter().map(|cut| tail(*cut)).collect();
        Truth { cuts, tails }
    }

    /// The number of cuts that `output` reaches.
    pub(crate) fn event(&self, output: f64) -> usize {
        self.cuts.partition_point(|cut| *cut <= output)
    }

    pub(crate) fn probability(&self, event: usize) -> Enclosure {
        let tail = |reached: usize| match reached.checked_sub(1) {
            None => Enclosure::exact(Dyadic::ONE),
            Some(i) => self.tails.get(i).cloned().unwrap_or(Enclosure::exact(Dyadic::ZERO)),
        };
        &tail(event) - &tail(event + 1)
    }

    pub(crate) fn all(&self) -> Vec<Enclosure> {
        (0..=self.cuts.len()).map(|event| self.probability(event)).collect()
    }
}

/// `P(b·L > t)` for the real Laplace variable `L`.
pub(crate) fn laplace_tail(b: &Rational, t: &Rational) -> Enclosure {
    let half = exp_rational(&(-t.abs() / b), BITS).expect("a small exponent").shl(-1);
    if t.is_negative() { &Enclosure::exact(Dyadic::ONE) - &half } else { half }
}

/// `P(Z >= j)` for the discrete Laplace variable `Z` of scale `s`: `q^j/(1 + q)` for `j >= 1`.
pub(crate) fn discrete_tail(s: &Rational, j: &Rational) -> Enclosure {
    let one = Enclosure::exact(Dyadic::ONE);
    if !j.is_positive() {
        return &one - &discrete_tail(s, &(Rational::ONE - j));
    }
    let power = |j: &Rational| exp_rational(&(-j / s), BITS).expect("a small exponent");
    power(j).div(&(&one + &power(&Rational::ONE)), BITS).expect("a positive divisor")
}

/// Halfway from the float below `cut` to `cut`: what a sum must exceed to be rounded to `cut` or more.
pub(crate) fn half_below<T: Float>(cut: T) -> Rational {
    Rational::from(cut.midpoint_below().expect("finite"))
}

pub(crate) fn integers(limit: i32) -> impl Iterator<Item = f64> {
    (-limit..=limit).map(f64::from)
}

/// Floats: `RN(x + b·L)`.
pub(crate) fn rounded_truth<T: Float>(b: &Rational, x: T, cuts: impl IntoIterator<Item = T>) -> Truth {
    let cuts: Vec<T> = cuts.into_iter().collect();
    let tails = cuts.iter().map(|cut| laplace_tail(b, &(half_below(*cut) - exact(x.to_f64())))).collect();
    Truth { cuts: cuts.iter().map(|cut| cut.to_f64()).collect(), tails }
}

/// `RN((i + Z)·2^k)`.
pub(crate) fn grid_truth<T: Float>(b: &Rational, k: i32, x: T, cuts: impl IntoIterator<Item = T>) -> Truth {
    let per_cell = Rational::pow2(-i64::from(k));
    let s = b * &per_cell;
    let index = Rational::from((exact(x.to_f64()) * &per_cell).round_half_up());
    let cuts: Vec<T> = cuts.into_iter().collect();
    let tail = |cut: &T| {
        let midpoint = half_below(*cut);
        let cells = &midpoint * &per_cell;
        let tie_stays_below = cells.is_integer() && T::from_rational(&midpoint, Rounding::Nearest) != *cut;
        let first = Rational::from(cells.ceil()) + Rational::from(i32::from(tie_stays_below));
        discrete_tail(&s, &(first - &index))
    };
    Truth { tails: cuts.iter().map(tail).collect(), cuts: cuts.iter().map(|cut| cut.to_f64()).collect() }
}

/// The snapping mechanism on the reals.
pub(crate) fn snapping_truth(snapping: &Snapping, x: f64) -> Truth {
    let (b, lambda) = (snapping.epsilon().recip().expect("positive"), exact(snapping.lambda()));
    let cuts = (1..).map(|i| -snapping.bound() + f64::from(i)).take_while(|cut| *cut <= snapping.bound());
    Truth::new(cuts, |cut| {
        let least = Rational::from((exact(cut) / &lambda).ceil()) * &lambda;
        let x = x.clamp(-snapping.bound(), snapping.bound());
        laplace_tail(&b, &(least - &lambda / Rational::from(2) - exact(x)))
    })
}

/// `P(output >= cut)` of `Snap_F`: the doubles `u` that give as much are those above, or below, a threshold.
pub(crate) fn float_snapping_truth(snapping: &FloatSnapping, x: f64) -> Truth {
    let params = snapping.params();
    // The least double for which `holds`, which fails below it; 1 if it never holds.
    let least = |holds: &dyn Fn(f64) -> bool| {
        let (mut below, mut at) = (0, 1f64.to_bits());
        while at - below > 1 {
            let middle = (below + at) / 2;
            if holds(f64::from_bits(middle)) { at = middle } else { below = middle }
        }
        exact(f64::from_bits(at))
    };
    let cuts = (1..).map(|i| -params.bound + f64::from(i)).take_while(|cut| *cut <= params.bound);
    Truth::new(cuts, |cut| {
        let plus = Rational::ONE - least(&|u| snap_f(params, x, u, 1.0) >= cut);
        let minus = least(&|u| snap_f(params, x, u, -1.0) < cut);
        let tail = point(&((plus + minus) / Rational::from(2)));
        // The draw starts over below 2^-1074.
        let tiny = Dyadic::pow2(-1000);
        tail.hull(&Enclosure::exact(tail.lo() - &tiny)).hull(&Enclosure::exact(tail.hi() + &tiny))
    })
}
