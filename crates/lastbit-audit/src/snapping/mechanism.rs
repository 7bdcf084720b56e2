//! The mechanism under study, and the thresholds of its rounding.

use lastbit::TheoremA;
use lastbit_lang::Tie;
use lastbit_real::{Dyadic, Float, Rational, Rounding, default_grid};

use super::{FloatNoise, Scaling};
use crate::{OutOfRange, Sampler};

/// The computation of `y(u) = c·ln u`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noise {
    /// `LN(u) ⊘ ε`, so that `c = 1/ε`.
    Divided {
        /// `ε`; the float reading rounds it to nearest.
        epsilon: Rational,
    },
    /// `λ ⊗ LN(u)`, so that `c = λ`.
    Multiplied {
        /// `λ`; the float reading rounds it to nearest.
        scale: Rational,
    },
}

impl Noise {
    /// The default `Λ`; `None` if `c` is not a positive number.
    pub(super) fn default_grid(&self) -> Option<Rational> {
        match self {
            Noise::Divided { epsilon } => default_grid(&epsilon.recip()?),
            Noise::Multiplied { scale } => default_grid(scale),
        }
    }

    /// `1/c`, which is `ε`; `None` if it is not a positive number.
    fn rate(&self) -> Option<Rational> {
        match self {
            Noise::Divided { epsilon } => epsilon.is_positive().then(|| epsilon.clone()),
            Noise::Multiplied { scale } => scale.is_positive().then(|| scale.recip()).flatten(),
        }
    }
}

/// `clamp_B(⌊clamp_B(f) ⊕ s ⊗ y(u)⌉_Λ)` in binary64.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatSnap {
    noise: Noise,
    rate: Rational,
    /// `ε` or `λ` as the float reading has it.
    parameter: f64,
    bound: f64,
    exact_bound: Rational,
    exponent: i64,
    tie: Tie,
    sampler: Sampler,
    /// `⌈B/Λ⌉`.
    top: i64,
}

/// `ε` lies between `2^-RATE_EXPONENT` and `2^RATE_EXPONENT`: `LN(u) ⊘ ε` is between `2⁻⁵³/ε` and `745/ε` in magnitude, which
/// then is far from under- and overflow.
const RATE_EXPONENT: i64 = 500;
/// The exponents of `Λ`: thresholds `(k - 1/2)Λ` with `k <= 2⁵²` stay finite, and `Λ/2` stays normal.
const GRID_EXPONENTS: std::ops::RangeInclusive<i64> = -1000..=900;

impl FloatSnap {
    /// The mechanism of these parameters. `exponent` is `log2 Λ`; without one, `Λ` is the smallest power of two that is at least
    /// `c`.
    ///
    /// # Errors
    /// [`OutOfRange`] if noise or thresholds could leave the range of doubles.
    pub fn new(
        noise: Noise,
        bound: f64,
        exponent: Option<i64>,
        tie: Tie,
        sampler: Sampler,
    ) -> Result<FloatSnap, OutOfRange> {
        let (name, given) = match &noise {
            Noise::Divided { epsilon } => ("epsilon", epsilon),
            Noise::Multiplied { scale } => ("scale", scale),
        };
        let refuse = |name, value: String, reason| Err(OutOfRange { name, value, reason });
        let rate = noise
            .rate()
            .filter(|rate| (Rational::pow2(-RATE_EXPONENT)..=Rational::pow2(RATE_EXPONENT)).contains(rate));
        let Some(rate) = rate else {
            return refuse(name, given.to_string(), "it must lie between 2^-500 and 2^500");
        };
        let exponent = exponent.or_else(|| noise.default_grid()?.floor_log2()).expect("a rate in range");
        if !GRID_EXPONENTS.contains(&exponent) {
            return refuse("grid", format!("2^{exponent}"), "its exponent must lie between -1000 and 900");
        }
        let exact_bound = Rational::try_from(bound).ok().filter(Rational::is_positive);
        let Some(exact_bound) = exact_bound else {
            return refuse("bound", bound.to_string(), "it must be a positive finite number");
        };
        if exact_bound >= Rational::pow2(exponent + 52) {
            return refuse(
                "bound",
                bound.to_string(),
                "B < 2^52·Λ is needed for thresholds (k - 1/2)Λ to be doubles",
            );
        }
        let top = i64::try_from((&exact_bound * Rational::pow2(-exponent)).ceil()).expect("at most 2^52");
        let parameter = given.to_f64(Rounding::Nearest);
        Ok(FloatSnap { rate, parameter, bound, exact_bound, exponent, tie, sampler, top, noise })
    }

    /// The computation of the noise.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// `1/c`, the `ε` of the ideal mechanism.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// `B`.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// `B`, exactly.
    pub fn exact_bound(&self) -> &Rational {
        &self.exact_bound
    }

    /// `Λ`.
    pub fn grid(&self) -> Rational {
        Rational::pow2(self.exponent)
    }

    /// The direction in which ties are rounded.
    pub fn tie(&self) -> Tie {
        self.tie
    }

    /// The distribution of `u`.
    pub fn sampler(&self) -> Sampler {
        self.sampler
    }

    /// The operation by which the float reading scales the logarithm.
    pub fn scaling(&self) -> Scaling {
        match self.noise {
            Noise::Divided { .. } => Scaling::Divide(self.parameter),
            Noise::Multiplied { .. } => Scaling::Multiply(self.parameter),
        }
    }

    /// `y_F(u)` with a correctly rounded logarithm.
    pub fn noise_of(&self, u: f64) -> f64 {
        FloatNoise { scaling: self.scaling(), ln_shift: 0 }.of(u)
    }

    /// `⌈B/Λ⌉`. Outputs are numbered from `-top` to `top`: the ends are `∓B`, number `k` between them is `kΛ`.
    pub fn top(&self) -> i64 {
        self.top
    }

    /// The value of an output.
    pub fn output(&self, number: i64) -> f64 {
        match number {
            k if k <= -self.top => -self.bound,
            k if k >= self.top => self.bound,
            k => f64::from_i128(i128::from(k), self.exponent as i32),
        }
    }

    /// The number of the output that `w` gives.
    pub fn number_of(&self, w: f64) -> i64 {
        // The numbers of thresholds are -top+1..=top; as many as lie at or below w are passed.
        let (mut below, mut above) = (-self.top, self.top + 1);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if w >= self.threshold(middle) { below = middle } else { above = middle }
        }
        below
    }

    /// The least double `w` with `⌊w⌉_Λ >= kΛ`: `(k - 1/2)Λ`, or the next double if ties go down there.
    pub fn threshold(&self, k: i64) -> f64 {
        let half_way = f64::from_i128(2 * i128::from(k) - 1, self.exponent as i32 - 1);
        let tie_goes_up = match self.tie {
            Tie::Up => true,
            Tie::Even => k % 2 == 0,
            Tie::Away => half_way > 0.0,
        };
        if tie_goes_up { half_way } else { half_way.next_up() }
    }

    /// L1: `w = fl(t) >= threshold(k)` iff the real number `t` is at least (or above, if the threshold is odd) this midpoint.
    pub fn midpoint(&self, k: i64) -> Dyadic {
        self.threshold(k).midpoint_below().expect("thresholds are finite and not the least double")
    }

    /// Bounds on the width of the cells between neighbouring midpoints: `Λ'` and what lies above.
    ///
    /// A midpoint lies at most half an ulp of the outermost threshold below `(k - 1/2)Λ` if ties go up, and at most as much below
    /// or above otherwise, so that widths differ from `Λ` by at most one, or two, of these halves.
    pub fn widths(&self) -> (Rational, Rational) {
        let half_ulp = Rational::pow2(i64::from(self.threshold(self.top).exponent_of_ulp()) - 1);
        let off = if self.tie == Tie::Up { half_ulp } else { half_ulp * Rational::from(2) };
        (self.grid() - &off, self.grid() + off)
    }

    /// `M = ε(2B + Λ/2)`.
    pub fn exponent_range(&self) -> Rational {
        TheoremA::exponent_range(&self.rate, &self.exact_bound, &self.grid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_lang::eval::grid;

    /// A threshold rounds up to its multiple, and the double below does not.
    #[test]
    fn thresholds_are_where_rounding_changes() {
        for tie in Tie::ALL.map(|(tie, _)| tie) {
            for exponent in [-3, 0, 5] {
                let noise = Noise::Divided { epsilon: Rational::ONE };
                let bound = 7.5 * 2f64.powi(exponent);
                let mechanism =
                    FloatSnap::new(noise, bound, Some(exponent.into()), tie, Sampler::Ulp).unwrap();
                for k in 1 - mechanism.top()..=mechanism.top() {
                    let rounded = |w: f64| grid::round(&w.to_dyadic().unwrap(), exponent.into(), tie);
                    let multiple = Dyadic::new(k, exponent.into());
                    let threshold = mechanism.threshold(k);
                    assert!(rounded(threshold) >= multiple, "{tie:?} {exponent} {k}");
                    assert!(rounded(Float::next_down(threshold)) < multiple, "{tie:?} {exponent} {k}");
                    assert_eq!(mechanism.number_of(threshold), k);
                    assert_eq!(mechanism.number_of(Float::next_down(threshold)), k - 1);
                }
            }
        }
    }
}
