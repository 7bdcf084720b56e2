//! `⌊a⌉_Λ` of floats, in machine integers.

use lastbit_lang::Tie;
use lastbit_real::Float;

/// Bits of a double's significand.
const PRECISION: i64 = f64::PRECISION as i64;

/// The multiple of `2^exponent` nearest to a finite float; infinite if that overflows.
///
/// Ensures: what [`lastbit_lang::eval::grid::round`] gives, for exponents that it supports. Exact: a multiple of the step has no
/// more significant bits than the float has. It is a number, whose zero is `+0`: also of `-0` and of small negative numbers.
pub(super) fn round<F: Float>(value: F, exponent: i64, tie: Tie) -> F {
    // A float is a double, value = significand · 2^unit.
    let double = value.to_f64();
    if double == 0.0 {
        return F::from_i128(0, 0);
    }
    let unit = i64::from(double.exponent_of_ulp());
    if exponent <= unit {
        return value;
    }
    let shift = exponent - unit;
    if shift > PRECISION + 1 {
        // |value| < 2^(PRECISION + unit) <= 2^(exponent - 2), less than half a step.
        return F::from_i128(0, 0);
    }
    let significand = significand(double);
    let floor = significand >> shift;
    let rest = significand - (floor << shift);
    let half = 1i64 << (shift - 1);
    let goes_up = match rest.cmp(&half) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => significand > 0,
            Tie::Even => floor & 1 == 1,
        },
    };
    // The exponent is at most unit + 54, far within i32.
    F::from_i128(i128::from(floor + i64::from(goes_up)), exponent as i32)
}

/// A double in units of its last place.
fn significand(value: f64) -> i64 {
    let fraction_bits = PRECISION - 1;
    let bits = value.to_bits() as i64;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let is_normal = value.abs() >= f64::MIN_POSITIVE;
    let magnitude = fraction | i64::from(is_normal) << fraction_bits;
    if value < 0.0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_lang::eval::grid;
    use lastbit_real::Rounding;
    use proptest::prelude::*;

    const TIES: [Tie; 3] = [Tie::Up, Tie::Even, Tie::Away];

    fn agrees<F: Float>(value: F, exponent: i64) {
        for tie in TIES {
            let exact = grid::round(&value.to_dyadic().unwrap(), exponent, tie);
            let expected = F::from_dyadic(&exact, Rounding::Nearest);
            // As text: -0 is not 0.
            let [found, expected] = [round(value, exponent, tie), expected].map(Float::to_hex);
            assert_eq!(found, expected, "{value:?} to 2^{exponent}, {tie:?}");
        }
    }

    proptest! {
        #[test]
        fn as_with_big_integers(
            double in any::<f64>(),
            single in any::<f32>(),
            shift in -3..60i64,
            ties in 0..1u64 << 8,
        ) {
            agrees(double, i64::from(double.exponent_of_ulp()) + shift);
            agrees(single, i64::from(single.exponent_of_ulp()) + shift);
            // Numbers of few bits lie half-way more often.
            let short = f64::from_i128(i128::from(ties) - 128, -3);
            agrees(short, shift - 30);
            agrees(short as f32, shift - 30);
        }
    }

    #[test]
    fn ends_of_the_formats() {
        for exponent in [-1 << 20, -1080, -1074, -1, 1023, 1024, 1 << 20] {
            for value in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, 1.5, f64::MAX, -f64::MAX, -5e-324] {
                agrees(value, exponent);
            }
            for value in [0.0, -0.0, 1e-45, -1e-45, 1.5, f32::MAX, -f32::MAX] {
                agrees(value, exponent);
            }
        }
    }
}
