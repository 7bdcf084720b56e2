//! Thresholds of `u` in closed form.
//!
//! For each sign, `w = x ⊕ s ⊗ y(u)` is monotone in `u`: logarithm, division (or multiplication), sum and rounding all are. So every
//! output is an interval of doubles `u`, and an end of it is found by going through the operations backwards. Each rounds
//! to nearest, so that `fl(t) >= T` iff `t` is at least the midpoint below `T`; or above it, if the significand of `T` is odd
//! and the tie goes down.

use lastbit_real::{Dyadic, Float, Rational, Rounding, exp, ln_f64};

/// `y(u)` in binary64: a logarithm, scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatNoise {
    /// The scaling of the logarithm.
    pub scaling: Scaling,
    /// The logarithm is the nearest double, moved by so many units in the last place toward +∞.
    pub ln_shift: i32,
}

/// The operation that scales the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// `LN(u) ⊘ ε`
    Divide(f64),
    /// `λ ⊗ LN(u)`
    Multiply(f64),
}

impl Scaling {
    /// `ε` or `λ`.
    fn parameter(self) -> f64 {
        match self {
            Scaling::Divide(parameter) | Scaling::Multiply(parameter) => parameter,
        }
    }
}

/// The least double at which a monotone function of doubles, and then rounding to nearest, reaches `T`.
#[derive(Clone, Copy)]
struct Goal {
    /// `T`
    at_least: f64,
}

impl Goal {
    /// The midpoint below `T`, and whether it rounds to `T` itself.
    fn midpoint(self) -> (Dyadic, bool) {
        let midpoint = self.at_least.midpoint_below().expect("noise and thresholds are far from overflow");
        (midpoint, self.at_least.to_bits() & 1 == 0)
    }

    /// The least double that is at least the given number; or above it, if it does not count itself.
    fn from(value: &Rational, counts: bool) -> Goal {
        let least = f64::from_rational(value, Rounding::Up);
        let is_value = Rational::try_from(least).as_ref() == Ok(value);
        Goal { at_least: if is_value && !counts { least.next_up() } else { least } }
    }

    fn from_dyadic(value: &Dyadic, counts: bool) -> Goal {
        let least = f64::from_dyadic(value, Rounding::Up);
        let is_value = least.to_dyadic().as_ref() == Ok(value);
        Goal { at_least: if is_value && !counts { least.next_up() } else { least } }
    }
}

impl FloatNoise {
    /// `y(u)`.
    pub(crate) fn of(&self, u: f64) -> f64 {
        let ln = shift(ln_f64(u), self.ln_shift);
        match self.scaling {
            Scaling::Divide(epsilon) => ln / epsilon,
            Scaling::Multiply(scale) => scale * ln,
        }
    }

    /// The least double `u` (or 1) for which `x ⊕ y(u) >= T`.
    pub(crate) fn least_u_plus(&self, x: f64, threshold: f64) -> f64 {
        if threshold <= x { self.least_u(x, threshold) } else { 1.0 }
    }

    /// The least double `u` (or 1) for which `x ⊖ y(u) < T`.
    pub(crate) fn least_u_minus(&self, x: f64, threshold: f64) -> f64 {
        if threshold > x { self.least_u(x, threshold) } else { 1.0 }
    }

    /// The least double `u` (or 1) for which `x ⊕ s ⊗ y(u)` is at least `T` if `T <= x` and `s = 1`, or less than `T` if `T > x`
    /// and `s = -1`. In the other two cases no `u` makes a difference: `y` is not positive.
    pub(crate) fn least_u(&self, x: f64, threshold: f64) -> f64 {
        let start = x.to_dyadic().expect("inputs are finite");
        let (midpoint, counts) = Goal { at_least: threshold }.midpoint();
        // Either y >= midpoint - x, or x - y below the midpoint: then y > x - midpoint, if the midpoint counts as T.
        let y = if threshold <= x {
            Goal::from_dyadic(&(midpoint - start), counts)
        } else {
            Goal::from_dyadic(&(start - midpoint), !counts)
        };
        let (midpoint, counts) = y.midpoint();
        let parameter = self.scaling.parameter().to_dyadic().expect("a finite parameter");
        // A quotient of doubles is never half-way between two normal ones; a product can be.
        let shifted_ln = match self.scaling {
            Scaling::Divide(_) => Goal::from_dyadic(&(midpoint * parameter), counts),
            Scaling::Multiply(_) => {
                Goal::from(&(Rational::from(midpoint) / Rational::from(parameter)), counts)
            }
        };
        let ln = shift(shifted_ln.at_least, -self.ln_shift);
        if ln >= 0.0 {
            return 1.0; // the logarithm of every u is negative
        }
        if ln < LEAST_LN {
            return f64::from_bits(1);
        }
        let (midpoint, _) = Goal { at_least: ln }.midpoint();
        least_above_exp(&midpoint).min(1.0)
    }
}

/// Every double has a larger logarithm: that of the least one is -744.44….
const LEAST_LN: f64 = -745.0;

/// The double `n` places above, or below if `n` is negative.
fn shift(x: f64, n: i32) -> f64 {
    let step = if n < 0 { f64::next_down } else { f64::next_up };
    (0..n.unsigned_abs()).fold(x, |x, _| step(x))
}

/// The least double above `e^x`. For `x` other than 0 that is never a double itself.
fn least_above_exp(x: &Dyadic) -> f64 {
    let mut bits = 80;
    loop {
        let enclosure = exp(x, bits).expect("noise is far from overflow");
        let [lo, hi] = [enclosure.lo(), enclosure.hi()].map(|end| f64::from_dyadic(end, Rounding::Up));
        if lo == hi {
            return lo;
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By definition: bisection over all doubles.
    fn by_bisection(noise: &FloatNoise, x: f64, threshold: f64) -> f64 {
        let reached = |u: f64| {
            let y = noise.of(u);
            if threshold <= x { x + y >= threshold } else { x - y < threshold }
        };
        let (mut below, mut at) = (0, 1f64.to_bits());
        while at - below > 1 {
            let middle = below + (at - below) / 2;
            if reached(f64::from_bits(middle)) { at = middle } else { below = middle }
        }
        f64::from_bits(at)
    }

    fn noise(multiplied: bool, parameter: f64, ln_shift: i32) -> FloatNoise {
        let scaling = if multiplied { Scaling::Multiply(parameter) } else { Scaling::Divide(parameter) };
        FloatNoise { scaling, ln_shift }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// Ties on the way back occur for short parameters and thresholds.
        #[test]
        fn closed_form_is_what_bisection_finds(
            multiplied: bool,
            parameter in prop_oneof![
                (1u32..64).prop_map(|n| f64::from(n) / 16.0), 1e-3..1e3f64, Just(1.5), Just(0.75), Just(2f64.powi(-400))
            ],
            ln_shift in -2i32..3,
            x in prop_oneof![Just(0.0), -50.0..50.0f64, (-100i32..100).prop_map(|n| f64::from(n) / 8.0), -1e-300..1e-300f64],
            far in prop_oneof![
                -800.0..800.0f64, (-1600i32..1600).prop_map(|n| f64::from(n) / 2.0), -1e-9..1e-9f64, -1e-17..1e-17f64
            ],
            step in -2i64..3,
        ) {
            let noise = noise(multiplied, parameter, ln_shift);
            let scale = if multiplied { parameter } else { 1.0 / parameter };
            let threshold = f64::from_bits((x + far * scale).to_bits().wrapping_add_signed(step));
            prop_assume!(threshold.is_finite() && threshold.abs() < 1e300);
            let found = noise.least_u(x, threshold);
            prop_assert_eq!(found, by_bisection(&noise, x, threshold), "x {:e} T {:e}", x, threshold);
        }
    }

    /// Where an odd significand sends the tie down, the midpoint itself does not count.
    #[test]
    fn parity_of_the_threshold_counts() {
        let noise = noise(false, 1.0, 0);
        // x + y can lie half-way only if y reaches below the last bit of x: near 2⁵³ thresholds are integers.
        let x = 2f64.powi(52) + 1.0;
        for threshold in [x - 1.0, x, x + 1.0, x + 2.0] {
            assert_eq!(noise.least_u(x, threshold), by_bisection(&noise, x, threshold));
        }
    }
}
