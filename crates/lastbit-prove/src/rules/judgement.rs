//! The judgement, and how its parts are put together.

use lastbit_real::{Dyadic, Enclosure};

use crate::rounding::{outward, quotient_up, up};

/// `r ⇓ f : [lo, hi] ± d`, with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// `[lo, hi]`, which contains the real value.
    pub range: Enclosure,
    /// An interval that contains the float.
    pub float: Enclosure,
    /// `x`, the error that comes from the operands.
    pub propagated: Dyadic,
    /// `p`, the error of this operation itself.
    pub rounding: Dyadic,
    /// `ρ`, where a relative bound is known.
    pub relative: Option<Dyadic>,
    /// `d`.
    pub error: Dyadic,
}

/// What a rule finds out before the error is put together.
pub(crate) struct Conclusion {
    pub(crate) range: Enclosure,
    /// An interval that contains the float, found without the error: from the operands' floats, as rounding is monotone.
    pub(crate) float: Option<Enclosure>,
    pub(crate) propagated: Dyadic,
    pub(crate) rounding: Dyadic,
    pub(crate) relative: Option<Dyadic>,
    /// What may come on top of the relative error: `τ`, half the least subnormal number, where the result may underflow, else 0.
    pub(crate) underflow: Dyadic,
}

pub(super) fn max_abs(range: &Enclosure) -> Dyadic {
    range.lo().abs().max(range.hi().abs())
}

pub(super) fn min_abs(range: &Enclosure) -> Dyadic {
    range.abs().lo().clone()
}

impl Judgement {
    /// A float that is its own real value.
    pub(crate) fn exact(range: Enclosure) -> Judgement {
        Judgement {
            float: range.clone(),
            range,
            propagated: Dyadic::ZERO,
            rounding: Dyadic::ZERO,
            relative: Some(Dyadic::ZERO),
            error: Dyadic::ZERO,
        }
    }

    pub(crate) fn new(conclusion: Conclusion) -> Judgement {
        let Conclusion { range, float, propagated, rounding, relative, underflow } = conclusion;
        let absolute = &propagated + &rounding;
        let mut error = up(&absolute);
        if let Some(rho) = &relative {
            error = error.min(up(&(&(rho * &max_abs(&range)) + &underflow)));
        }
        let least = min_abs(&range);
        let relative = match relative.filter(|_| underflow.is_zero()) {
            _ if absolute.is_zero() => Some(Dyadic::ZERO),
            Some(rho) if least.is_zero() => Some(up(&rho)),
            Some(rho) => Some(up(&rho).min(quotient_up(&error, &least))),
            None if least.is_zero() => None,
            None => Some(quotient_up(&error, &least)),
        };
        // More than the whole value says nothing.
        let relative = relative.filter(|rho| *rho <= Dyadic::ONE);
        let float = float_range(&range, &error, relative.as_ref(), float);
        Judgement { range, float, propagated, rounding, relative, error }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.error.is_zero()
    }

    /// `Some(k)` if the value is known to be `±2^k`.
    pub(crate) fn log2(&self) -> Option<i64> {
        let value = self.range.lo();
        let log2 = value.floor_log2()?;
        (self.is_exact() && self.range.hi() == value && value.abs() == Dyadic::pow2(log2)).then_some(log2)
    }

    /// The judgement of a node whose value is this one's.
    pub(crate) fn passed_on(&self) -> Judgement {
        self.mapped(self.range.clone(), self.float.clone())
    }

    /// The judgement of an exact operation that keeps distances and magnitudes.
    pub(super) fn mapped(&self, range: Enclosure, float: Enclosure) -> Judgement {
        Judgement {
            range,
            float,
            propagated: self.error.clone(),
            rounding: Dyadic::ZERO,
            relative: self.relative.clone(),
            error: self.error.clone(),
        }
    }
}

/// Where the float lies: within the error of the range, and within what is known otherwise.
fn float_range(
    range: &Enclosure,
    error: &Dyadic,
    relative: Option<&Dyadic>,
    known: Option<Enclosure>,
) -> Enclosure {
    let (mut lo, mut hi) = (range.lo() - error, range.hi() + error);
    if let Some(rho) = relative {
        // |f - r| <= ρ|r| keeps a small r from moving by the error of a large one.
        let shrink = &Dyadic::ONE - rho;
        if range.lo().signum() > 0 {
            lo = lo.max(range.lo() * &shrink);
        }
        if range.hi().is_negative() {
            hi = hi.min(range.hi() * &shrink);
        }
    }
    if let Some(known) = known {
        (lo, hi) = (lo.max(known.lo().clone()), hi.min(known.hi().clone()));
    }
    outward(&Enclosure::new(lo, hi).expect("the float lies in both"))
}
