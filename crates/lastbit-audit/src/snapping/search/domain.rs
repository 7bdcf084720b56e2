//! The pairs of inputs to choose from, and doubles in their order.

use lastbit_real::{Rational, Rounding};

use super::Variant;
use crate::OutOfRange;

/// Doubles of `[low, high]`, at most `Δ` apart as real numbers.
pub(super) struct Domain {
    low: f64,
    high: f64,
    sensitivity: Rational,
}

/// No input is larger: sums with noise and thresholds stay far from overflow.
const MOST_INPUT_EXPONENT: i32 = 1000;

impl Domain {
    /// Where the input is clamped, what lies beyond `B` stands for `B`. Where it is not, inputs from which no noise reaches
    /// the outermost thresholds all give the same output.
    pub(super) fn of(
        variant: &Variant,
        sensitivity: &Rational,
        [low, high]: [f64; 2],
    ) -> Result<Domain, OutOfRange> {
        if !sensitivity.is_positive() {
            let reason = "it must be positive";
            return Err(OutOfRange { name: "sensitivity", value: sensitivity.to_string(), reason });
        }
        let mechanism = &variant.mechanism;
        let limit = if variant.clamp_input {
            mechanism.bound()
        } else {
            let farthest = variant.farthest().abs();
            let margin = (mechanism.grid() * Rational::from(2) + sensitivity).to_f64(Rounding::Up);
            (mechanism.bound() + farthest + margin).min(2f64.powi(MOST_INPUT_EXPONENT))
        };
        Ok(Domain { low: low.max(-limit), high: high.min(limit), sensitivity: sensitivity.clone() })
    }

    /// Whether there are no inputs at all.
    pub(super) fn is_empty(&self) -> bool {
        self.low.is_nan() || self.high.is_nan() || self.low > self.high
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// Whether both are inputs, in order, different, and near enough to each other.
    pub(super) fn admits(&self, [f, f2]: [f64; 2]) -> bool {
        let is_input = |f: f64| self.low <= f && f <= self.high;
        is_input(f) && is_input(f2) && f < f2 && exact(f2) - exact(f) <= self.sensitivity
    }

    /// The largest input that is at most `Δ` above.
    pub(super) fn farthest_above(&self, f: f64) -> f64 {
        (exact(f) + &self.sensitivity).to_f64(Rounding::Down).min(self.high)
    }

    /// The least input that is at most `Δ` below.
    pub(super) fn farthest_below(&self, f: f64) -> f64 {
        (exact(f) - &self.sensitivity).to_f64(Rounding::Up).max(self.low)
    }

    /// The input that is nearest.
    pub(super) fn nearest(&self, f: f64) -> f64 {
        f.clamp(self.low, self.high)
    }
}

fn exact(f: f64) -> Rational {
    Rational::try_from(f).expect("inputs are finite")
}

/// The place of a double in the order of all; 0 is at 0.
fn place(f: f64) -> i64 {
    let magnitude = f.abs().to_bits() as i64;
    if f < 0.0 { -magnitude } else { magnitude }
}

fn at_place(place: i64) -> f64 {
    let magnitude = f64::from_bits(place.unsigned_abs());
    if place < 0 { -magnitude } else { magnitude }
}

/// The double that comes `n` later; the last finite one if there are no more.
pub(super) fn step(f: f64, n: i64) -> f64 {
    let most = place(f64::MAX);
    at_place(place(f).saturating_add(n).clamp(-most, most))
}

/// The least double above `low`, up to `high`, at which something becomes true and stays so; `None` if it is true of `low` or false
/// of `high`.
pub(super) fn turning_point(low: f64, high: f64, is_true: impl Fn(f64) -> bool) -> Option<f64> {
    if is_true(low) || !is_true(high) {
        return None;
    }
    let (mut below, mut at) = (place(low), place(high));
    while below + 1 < at {
        let middle = below.midpoint(at);
        if is_true(at_place(middle)) { at = middle } else { below = middle }
    }
    Some(at_place(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::snapping::{FloatSnap, Noise};
    use lastbit_lang::Tie;

    const ALL: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

    fn domain(bound: f64, clamp_input: bool, sensitivity: &str) -> Domain {
        let noise = Noise::Divided { epsilon: Rational::ONE };
        let mechanism = FloatSnap::new(noise, bound, None, Tie::Up, Sampler::Ulp).unwrap();
        let variant = Variant { mechanism, clamp_input, ln_shift: 0 };
        Domain::of(&variant, &sensitivity.parse().unwrap(), ALL).unwrap()
    }

    #[test]
    fn steps_cross_zero() {
        assert_eq!(step(0.0, -1), -5e-324);
        assert_eq!(step(-5e-324, 2), 5e-324);
        assert_eq!(step(1.0, 1), 1f64.next_up());
        assert_eq!(step(f64::MAX, i64::MAX), f64::MAX);
    }

    #[test]
    fn where_something_turns_true() {
        assert_eq!(turning_point(-2.0, 3.0, |f| f > 0.0), Some(5e-324));
        assert_eq!(turning_point(-2.0, 3.0, |f| f >= -1.5), Some(-1.5));
        assert_eq!(turning_point(-2.0, 3.0, |_| true), None);
        assert_eq!(turning_point(-2.0, 3.0, |_| false), None);
    }

    /// Distances are those of real numbers: 0.1 and 1.1 are more than 1 apart, as doubles.
    #[test]
    fn distances_are_exact() {
        let domain = domain(4.0, true, "1");
        assert!(!domain.admits([0.1, 1.1]));
        assert!(domain.admits([0.1, 1.1f64.next_down()]));
        assert_eq!(domain.farthest_above(0.1), 1.1f64.next_down());
        assert_eq!(domain.farthest_above(3.5), 4.0);
        assert_eq!(domain.farthest_below(4.0), 3.0);
        assert!(!domain.admits([3.5, 4.5]) && !domain.admits([1.0, 1.0]) && !domain.admits([1.0, f64::NAN]));
    }

    #[test]
    fn without_a_clamp_inputs_go_as_far_as_the_noise() {
        let domain = domain(1.0, false, "1");
        assert!(domain.low() < -745.0 && domain.high() > 745.0);
    }
}
