//! `⌊a⌉_Λ`, exactly.

use std::cmp::Ordering;

use crate::Tie;
use lastbit_real::{Dyadic, IBig, Rational};

/// Steps up to `2^±this` are computed with; numbers near a finer grid would take megabytes each.
const MAX_EXPONENT: u64 = 1 << 20;

/// Whether numbers can be rounded to multiples of `2^exponent`.
pub fn is_supported(exponent: i64) -> bool {
    exponent.unsigned_abs() <= MAX_EXPONENT
}

/// The multiple of `step`, which is positive, nearest to the number.
pub(crate) fn nearest_multiple(value: &Rational, step: &Rational, tie: Tie) -> Rational {
    let quotient = value / step;
    let floor = quotient.floor();
    let up = match (&quotient - Rational::from(floor.clone())).cmp(&Rational::pow2(-1)) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => !value.is_negative(),
            Tie::Even => !(Rational::from(floor.clone()) * Rational::pow2(-1)).is_integer(),
        },
    };
    Rational::from(if up { floor + IBig::ONE } else { floor }) * step
}

/// The multiple of `2^exponent` nearest to the number. Monotone.
pub fn round(value: &Dyadic, exponent: i64, tie: Tie) -> Dyadic {
    let floor = value.floor_to(exponent);
    if floor == *value {
        return floor;
    }
    let goes_up = match value.cmp(&(&floor + &Dyadic::pow2(exponent - 1))) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => !value.is_negative(),
            // The mantissa of a dyadic is odd: the multiple is odd where the exponents agree.
            Tie::Even => !floor.is_zero() && floor.exponent() == exponent,
        },
    };
    if goes_up { &floor + &Dyadic::pow2(exponent) } else { floor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties() {
        // In quarters, rounded to units: value, up, even, away.
        let cases = [
            (-7, -2, -2, -2),
            (-6, -1, -2, -2),
            (-5, -1, -1, -1),
            (-2, 0, 0, -1),
            (-1, 0, 0, 0),
            (0, 0, 0, 0),
            (1, 0, 0, 0),
            (2, 1, 0, 1),
            (3, 1, 1, 1),
            (6, 2, 2, 2),
            (10, 3, 2, 3),
        ];
        for (quarters, up, even, away) in cases {
            // The same on a grid of another step.
            for scale in [-1074, 0, 1000] {
                let value = Dyadic::new(quarters, scale - 2);
                let rounded = [Tie::Up, Tie::Even, Tie::Away].map(|tie| round(&value, scale, tie));
                assert_eq!(rounded, [up, even, away].map(|multiple| Dyadic::new(multiple, scale)));
            }
        }
    }
}
