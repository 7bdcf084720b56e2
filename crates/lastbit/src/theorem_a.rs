//! Theorem A: the loss of the snapping mechanism in floating point, in closed form.

use lastbit_real::{Dyadic, Enclosure, Rational, expm1_rational};

/// The largest `M` of Theorem A, for which pure differential privacy is claimed. The least double is `e^-744.44`, and `e^-708.39` the least
/// normal one.
pub const MOST_M: i64 = 700;

/// Theorem A about `Snap_F` with a correctly rounded logarithm and `u` from all doubles (`docs/errata.md`): with `η = 2⁻⁵³`,
/// `M = ε(2B + Λ/2) <= 700` and `Λ' = Λ - 2⁻⁵²(B + Λ) > 0`, the loss of values at distance `d` is at most `ε·d` and an
/// [`excess`](Self::excess) of `coth(Λ'·ε/2)·(4M + 4)·η·(1 + 2⁻⁹)`.
#[derive(Clone, Debug, PartialEq)]
pub struct TheoremA {
    error: Rational,
}

impl TheoremA {
    /// The theorem for these parameters, from above, with `coth` to so many bits; `None` if `M > 700` or `Λ' <= 0`, of which it says nothing.
    pub fn new(epsilon: &Rational, bound: &Rational, grid: &Rational, bits: u32) -> Option<TheoremA> {
        let m = Self::exponent_range(epsilon, bound, grid);
        let least_cell = grid - Rational::pow2(-52) * (bound + grid);
        if m > Rational::from(MOST_M) || !least_cell.is_positive() {
            return None;
        }
        // coth(y) = 1 + 2/(e^(2y) - 1), from above.
        let expm1 = expm1_rational(&(least_cell * epsilon), bits).ok()?;
        let quotient = Enclosure::exact(Dyadic::from(2)).div(&expm1, bits)?;
        let coth = Rational::from(quotient.hi()) + Rational::ONE;
        let error = coth * (m + Rational::ONE) * Rational::pow2(2 - 53);
        Some(TheoremA { error })
    }

    /// `M = ε(2B + Λ/2)`.
    pub fn exponent_range(epsilon: &Rational, bound: &Rational, grid: &Rational) -> Rational {
        epsilon * (bound * Rational::from(2) + grid / Rational::from(2))
    }

    /// Twice the relative error of the probability of an output. Unless it is small an output may be missing, and the loss infinite; it
    /// is small where `Λ·ε >= 1`.
    pub fn error(&self) -> &Rational {
        &self.error
    }

    /// The excess of the loss over `ε·d`, for one value.
    pub fn excess(&self) -> Rational {
        &self.error * (Rational::ONE + Rational::pow2(-9))
    }
}
