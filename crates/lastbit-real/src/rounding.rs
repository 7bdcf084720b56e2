//! The decision that every rounding comes down to: to which of two neighbours.

use std::cmp::Ordering;

use dashu_int::UBig;

/// A way of rounding a real number to a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest multiple; a tie goes to the even one.
    Nearest,
    /// Toward -∞.
    Down,
    /// Toward +∞.
    Up,
}

impl Rounding {
    /// Whether a magnitude goes to the larger of the two neighbours it lies between.
    ///
    /// `negative`: the sign of the number; `odd`: the smaller neighbour is an odd multiple of the
    /// grid's step; `rest`: what the magnitude exceeds that neighbour by.
    #[inline]
    pub(crate) fn goes_away_from_zero(self, negative: bool, odd: bool, rest: Rest) -> bool {
        match self {
            Rounding::Nearest => match rest {
                Rest::Zero | Rest::BelowHalf => false,
                Rest::Half => odd,
                Rest::AboveHalf => true,
            },
            Rounding::Down => negative && rest != Rest::Zero,
            Rounding::Up => !negative && rest != Rest::Zero,
        }
    }
}

/// The part of a step that rounding has to decide about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Rest {
    /// From whether the rest is zero and how it compares with half a step.
    #[inline]
    pub(crate) fn new(is_zero: bool, to_half: Ordering) -> Rest {
        match (is_zero, to_half) {
            (true, _) => Rest::Zero,
            (false, Ordering::Less) => Rest::BelowHalf,
            (false, Ordering::Equal) => Rest::Half,
            (false, Ordering::Greater) => Rest::AboveHalf,
        }
    }

    /// The rest `remainder / step`, for `0 <= remainder < step`.
    pub(crate) fn of_division(remainder: &UBig, step: &UBig) -> Rest {
        Rest::new(remainder.is_zero(), (remainder << 1).cmp(step))
    }
}
