//! LN and EXP, which are as good as the program's library declares.

use lastbit_lang::{Accuracy, Format};
use lastbit_real::{Dyadic, Enclosure};

use super::judgement::{Judgement, Refusal, conclude};
use super::numbers::{
    Arithmetic, exp_above, exp_below, max_abs, outward_ln, range_end_above, up, up_exp, up_quotient,
};

/// What a library function adds to an exact value of magnitude at most `m`.
struct Own {
    /// The error.
    p: Dyadic,
    /// Relative to the exact value, where that is a normal number: `l`.
    relative: Dyadic,
    /// In addition to the relative error where it is not.
    subnormal: Dyadic,
}

fn own_error(arithmetic: Arithmetic, accuracy: &Accuracy, m: &Dyadic) -> Result<Own, Refusal> {
    // Step 1, without V.
    if arithmetic.may_overflow(m) {
        return Err("it may overflow");
    }
    Ok(match accuracy {
        Accuracy::CorrectlyRounded => {
            Own { p: arithmetic.rounding_error(m), relative: arithmetic.u(), subnormal: arithmetic.tau() }
        }
        Accuracy::Ulps(k) => {
            let k = range_end_above(k);
            Own {
                p: up(&(&k * &arithmetic.ulp(m))),
                relative: (&k * &arithmetic.u()).shl(1),
                subnormal: (&k * &arithmetic.tau()).shl(1),
            }
        }
    })
}

/// LN
pub(super) fn ln(arithmetic: Arithmetic, accuracy: &Accuracy, a: &Judgement) -> Result<Judgement, Refusal> {
    let domain = a.domain();
    if domain.lo().signum() <= 0 {
        return Err("the argument may be 0 or negative");
    }
    let real = outward_ln(&a.real).ok_or("the logarithm cannot be computed")?;
    let absolute = up_quotient(&a.d, domain.lo());
    let relative = a.relative.as_ref().filter(|relative| **relative <= Dyadic::pow2(-1));
    let relative = relative.map(|relative| up(&(relative * &(&Dyadic::ONE + &relative.shl(1)))));
    let x = relative.into_iter().fold(absolute, Dyadic::min);

    let own = own_error(arithmetic, accuracy, &(&max_abs(&real) + &x))?;
    let relative = x.is_zero().then_some((own.relative, Dyadic::ZERO));
    conclude(real, x, own.p, relative, None)
}

/// EXP
pub(super) fn exp(arithmetic: Arithmetic, accuracy: &Accuracy, a: &Judgement) -> Result<Judgement, Refusal> {
    // Beyond these the value is 0 or infinite in any case, and enclosures need not be asked.
    let (greatest, least) = match arithmetic.0 {
        Format::Binary64 => (Dyadic::from(2046), Dyadic::from(-8184)),
        Format::Binary32 => (Dyadic::from(254), Dyadic::from(-1016)),
    };
    if *a.real.hi() > greatest || a.d > Dyadic::from(64) {
        return Err("it may overflow");
    }
    const NOT_TO_BE_HAD: Refusal = "the exponential cannot be computed";
    let lo = if *a.real.lo() < least { Some(Dyadic::ZERO) } else { exp_below(a.real.lo()) };
    let (lo, hi) = (lo.ok_or(NOT_TO_BE_HAD)?, exp_above(a.real.hi().max(&least)).ok_or(NOT_TO_BE_HAD)?);
    let growth = if a.d <= Dyadic::ONE { Some(up(&(&a.d + &(&a.d * &a.d)))) } else { up_exp(&a.d) };
    let growth = growth.ok_or(NOT_TO_BE_HAD)?;
    let x = up(&(&hi * &growth));

    let m = &hi + &x;
    let own = own_error(arithmetic, accuracy, &m)?;
    let is_normal = &lo * &(&Dyadic::ONE - &growth) >= arithmetic.least_normal();
    let t = if is_normal { Dyadic::ZERO } else { own.subnormal };
    let relative = &growth + &(own.relative * (&Dyadic::ONE + &growth));
    // A library of k ulp may return a negative number where the value is subnormal.
    let floats = match accuracy {
        Accuracy::CorrectlyRounded => Enclosure::new(Dyadic::ZERO, &m + &own.p),
        Accuracy::Ulps(_) => None,
    };
    let real = Enclosure::new(lo, hi).ok_or("the exponential grows")?;
    conclude(real, x, own.p, Some((relative, t)), floats)
}
