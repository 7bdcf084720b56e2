//! Roots, library functions, rounding to a grid.

use lastbit_lang::{Accuracy, Tie};
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::judgement::Conclusion;
use super::{Effect, Exact, Judgement, Rules, max_abs};
use crate::refusal::Reason;
use crate::rounding::{
    exp_ends, image, least_normal, ln_ends, nearest_ends, quotient_up, sqrt_ends, ulps_bound, unit_roundoff,
    up,
};
use lastbit_lang::eval::grid;

impl Rules<'_> {
    /// SQRT, of numbers that are not negative: `√f - √r = (f - r)/(√f + √r)`.
    pub(super) fn sqrt(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let argument = a.float.hull(&a.range);
        if argument.lo().is_negative() {
            return Err(Reason::SqrtOfNegative(argument));
        }
        let (range, on_floats) = (image(&a.range, sqrt_ends), image(&a.float, sqrt_ends));
        let divisor = range.lo() + on_floats.lo();
        let propagated = if a.is_exact() {
            Dyadic::ZERO
        } else if divisor.is_zero() {
            up(sqrt_ends(&a.error).hi())
        } else {
            quotient_up(&a.error, &divisor)
        };
        // 1 - √(1 - ρ) = ρ/(1 + √(1 - ρ)) <= ρ/(2 - ρ) <= ρ/2·(1 + ρ) for ρ <= 1.
        let relative = a.relative.as_ref().map(|rho| (rho * &(&Dyadic::ONE + rho)).shl(-1));
        self.rounded(Exact { range, on_floats, propagated, relative }, Effect::NeverUnderflows)
    }

    /// The library's own error, `(p, relative)`, for results of magnitude up to `m`.
    pub(super) fn library(
        &self,
        accuracy: &Accuracy,
        range: &Enclosure,
        x: &Dyadic,
    ) -> Result<(Dyadic, Dyadic), Reason> {
        let m = &max_abs(range) + x;
        match accuracy {
            Accuracy::CorrectlyRounded => Ok((self.round_to_nearest(&m, range)?, unit_roundoff(self.format))),
            Accuracy::Ulps(k) if !is_possible(k) => Err(Reason::Accuracy(Box::new(k.clone()))),
            Accuracy::Ulps(k) => {
                let k = nearest_ends(|bits| Enclosure::of_rational(k, bits)).hi().clone();
                let p = ulps_bound(self.format, &m, &k).ok_or_else(|| Reason::MayOverflow(range.clone()))?;
                Ok((up(&p), (&k * &unit_roundoff(self.format)).shl(1)))
            }
        }
    }

    /// LN, of positive numbers: `|ln f - ln r| <= |f - r|/min(f, r)`.
    pub(super) fn ln(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let argument = a.float.hull(&a.range);
        if argument.lo().signum() <= 0 {
            return Err(Reason::LnOfNonPositive(argument));
        }
        let range = image(&a.range, ln_ends);
        let by_distance = quotient_up(&a.error, argument.lo());
        let propagated = match &a.relative {
            // |ln(1 + θ)| <= ρ/(1 - ρ) <= ρ·(1 + 2ρ).
            Some(rho) if *rho <= Dyadic::pow2(-1) => {
                by_distance.min(up(&(rho * &(&Dyadic::ONE + &rho.shl(1)))))
            }
            _ => by_distance,
        };
        let (rounding, own) = self.library(&self.program.libm.ln, &range, &propagated)?;
        // The logarithm of a float is 0, and then exact, or above 2^-54 (2^-25): it never underflows.
        let relative = propagated.is_zero().then_some(own);
        let underflow = Dyadic::ZERO;
        Ok(Judgement::new(Conclusion { range, float: None, propagated, rounding, relative, underflow }))
    }

    /// EXP: `e^f - e^r = e^r·(e^(f-r) - 1)`.
    pub(super) fn exp(&self, a: &Judgement) -> Result<Judgement, Reason> {
        // Beyond this the result overflows, or is so small that every bound is the same.
        let limit = Dyadic::from(2 * self.format.max_exponent());
        if *a.range.hi() > limit || a.error > Dyadic::from(64) {
            return Err(Reason::MayOverflow(a.range.clone()));
        }
        let floor = -&limit.shl(2);
        let low = if *a.range.lo() < floor { Dyadic::ZERO } else { exp_ends(a.range.lo()).lo().clone() };
        let high = exp_ends(a.range.hi().max(&floor));
        let range = Enclosure::new(low, high.hi().clone()).expect("the exponential grows");
        // e^d - 1 <= d + d² for d <= 1.
        let growth = if a.error <= Dyadic::ONE {
            up(&(&a.error + &(&a.error * &a.error)))
        } else {
            up(exp_ends(&a.error).hi())
        };
        let propagated = up(&(range.hi() * &growth));
        let (rounding, own) = self.library(&self.program.libm.exp, &range, &propagated)?;
        let is_normal = range.lo() * &(&Dyadic::ONE - &growth) >= least_normal(self.format);
        // k units of a subnormal result are 2k·τ.
        let underflow = self.tau_unless(is_normal);
        let underflow = match &self.program.libm.exp {
            Accuracy::CorrectlyRounded => underflow,
            Accuracy::Ulps(_) => &underflow * &(&own * &Dyadic::pow2(self.format.precision())),
        };
        let relative = Some(&growth + &(&own * &(&Dyadic::ONE + &growth)));
        // The float nearest to a positive number is not negative; k ulp away it may be.
        let float = (self.program.libm.exp == Accuracy::CorrectlyRounded).then(|| {
            Enclosure::new(Dyadic::ZERO, &(range.hi() + &propagated) + &rounding).expect("in order")
        });
        Ok(Judgement::new(Conclusion { range, float, propagated, rounding, relative, underflow }))
    }

    /// ROUND_Λ: exact on floats, but `r` and `f` may fall into different cells.
    pub(super) fn round(&self, a: &Judgement, exponent: i64, tie: Tie) -> Result<Judgement, Reason> {
        if exponent < self.format.min_exponent() || exponent >= self.format.max_exponent() {
            return Err(Reason::GridOutsideFormat(exponent));
        }
        let on_grid = |x: &Dyadic| Enclosure::exact(grid::round(x, exponent, tie));
        let (range, float) = (image(&a.range, on_grid), image(&a.float, on_grid));
        self.round_to_nearest(&max_abs(&float), &range)?; // no overflow
        let apart = (float.hi() - range.lo()).max(range.hi() - float.lo());
        let error = up(&apart.min(cells_apart(&a.error, exponent, tie)));
        let relative = error.is_zero().then_some(Dyadic::ZERO);
        Ok(Judgement { range, float, propagated: error.clone(), rounding: Dyadic::ZERO, relative, error })
    }
}

/// Whether a library can be as good as that, and is not so bad that it turns a value that does not overflow into one that does.
fn is_possible(ulps: &Rational) -> bool {
    (Rational::pow2(-1)..=Rational::pow2(20)).contains(ulps)
}

/// How far rounding to the grid can part two numbers that are at most `d` apart. Ties up, the cells are half-open intervals, and
/// it is `d` rounded up. Otherwise two ties `j·Λ` apart may be rounded away from each other: 1/2 to 0 and 3/2 to 2.
fn cells_apart(d: &Dyadic, exponent: i64, tie: Tie) -> Dyadic {
    let whole = d.ceil_to(exponent);
    let at_ties = tie != Tie::Up && !d.is_zero() && whole == *d;
    if at_ties { &whole + &Dyadic::pow2(exponent) } else { whole }
}
