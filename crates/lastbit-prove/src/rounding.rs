//! How far rounding can move a number, and directed rounding of what the derivations write down.

use lastbit_lang::Format;
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};

/// Significant bits of the ends of a range.
pub(crate) const RANGE_BITS: u32 = 64;

/// Significant bits of an error bound.
pub(crate) const ERROR_BITS: u32 = 30;

/// Every number of a derivation is a multiple of `2^FINEST`: far below what any float can tell, and it keeps numbers short.
pub(crate) const FINEST: i64 = -4096;

/// The unit roundoff `u`: `2^-53` for binary64.
pub(crate) fn unit_roundoff(format: Format) -> Dyadic {
    Dyadic::pow2(-format.precision())
}

/// The least positive normal number.
pub(crate) fn least_normal(format: Format) -> Dyadic {
    Dyadic::pow2(format.min_exponent() + format.precision() - 1)
}

/// The half ulp of the numbers below `2^e`: `2^(max(e, -1021) - 54)` for binary64. The least is `τ`, half the least subnormal number.
pub(crate) fn half_ulp(format: Format, e: i64) -> Dyadic {
    let least = format.min_exponent() + format.precision();
    Dyadic::pow2(e.max(least) - format.precision() - 1)
}

/// A bound on `|fl(v) - v|` for all `|v| <= m`, or `None` if `m` is so large that `fl(v)` may be infinite.
///
/// Two bounds are sound, and the smaller one is taken: the half ulp below `2^e >= m`; and, for `m` just above `2^(e-1)`, the
/// larger of the half ulp below `2^(e-1)` and `m - 2^(e-1)`, because `2^(e-1)` is itself a float, and no float is farther from `v` than
/// the nearest one.
pub(crate) fn rounding_bound(format: Format, m: &Dyadic) -> Option<Dyadic> {
    let least = format.min_exponent() + format.precision();
    let e = m.ceil_log2().map_or(least, |e| e.max(least));
    if e >= format.max_exponent() {
        return None;
    }
    let plain = half_ulp(format, e);
    if e == least {
        return Some(plain);
    }
    let beyond = m - &Dyadic::pow2(e - 1);
    Some(plain.min(half_ulp(format, e - 1).max(beyond)))
}

/// A bound on `k` units in the last place of `v`, for all `|v| <= m`; `None` as for [`rounding_bound`].
pub(crate) fn ulps_bound(format: Format, m: &Dyadic, k: &Dyadic) -> Option<Dyadic> {
    let least = format.min_exponent() + format.precision();
    let e = m.floor_log2().map_or(least, |e| (e + 1).max(least));
    rounding_bound(format, m).map(|_| k * &half_ulp(format, e).shl(1))
}

/// The float that a number rounds to, or `None` if that is infinite.
pub(crate) fn to_float(x: &Rational, format: Format, rounding: Rounding) -> Option<Dyadic> {
    match format {
        Format::Binary64 => f64::from_rational(x, rounding).to_dyadic().ok(),
        Format::Binary32 => f32::from_rational(x, rounding).to_dyadic().ok(),
    }
}

/// `fl(x)`, or `None` if it is infinite.
pub fn nearest_float(x: &Dyadic, format: Format) -> Option<Dyadic> {
    match format {
        Format::Binary64 => f64::from_dyadic(x, Rounding::Nearest).to_dyadic().ok(),
        Format::Binary32 => f32::from_dyadic(x, Rounding::Nearest).to_dyadic().ok(),
    }
}

/// An error bound as derivations keep it.
pub(crate) fn up(error: &Dyadic) -> Dyadic {
    error.round_up(ERROR_BITS).ceil_to(FINEST)
}

/// A range as derivations keep it.
pub(crate) fn outward(range: &Enclosure) -> Enclosure {
    rounded_outward(range, RANGE_BITS)
}

/// An interval with ends of at most `bits` significant bits.
pub(crate) fn rounded_outward(range: &Enclosure, bits: u32) -> Enclosure {
    let (lo, hi) = (range.lo().round_down(bits), range.hi().round_up(bits));
    Enclosure::new(lo.floor_to(FINEST), hi.ceil_to(FINEST)).expect("rounded outward")
}

/// The least number of [`ERROR_BITS`] bits that is at least `dividend / divisor`, for a positive divisor.
pub(crate) fn quotient_up(dividend: &Dyadic, divisor: &Dyadic) -> Dyadic {
    let [dividend, divisor] = [dividend, divisor].map(|x| Enclosure::exact(x.clone()));
    let quotient = dividend.div(&divisor, ERROR_BITS).expect("the divisor is positive");
    up(quotient.hi())
}

/// The enclosure of a real number by the nearest numbers that a range may have for ends. `enclose` gives the number
/// to any relative precision.
pub(crate) fn nearest_ends(enclose: impl Fn(u32) -> Enclosure) -> Enclosure {
    let mut bits = RANGE_BITS + 16;
    loop {
        let value = enclose(bits);
        let [low, high] = [value.lo(), value.hi()].map(|end| outward(&Enclosure::exact(end.clone())));
        // A number with fewer bits between the two ends is what only more precision can put on one side.
        if low == high {
            return low;
        }
        bits *= 2;
    }
}

/// `√x` between the nearest ends, for `x >= 0`.
pub(crate) fn sqrt_ends(x: &Dyadic) -> Enclosure {
    nearest_ends(|bits| lastbit_real::sqrt(x, bits).expect("not negative"))
}

/// `ln x` between the nearest ends, for `x > 0`.
pub(crate) fn ln_ends(x: &Dyadic) -> Enclosure {
    nearest_ends(|bits| lastbit_real::ln(x, bits).expect("positive"))
}

/// `e^x` between the nearest ends, for `x` of some thousands at most.
pub(crate) fn exp_ends(x: &Dyadic) -> Enclosure {
    nearest_ends(|bits| lastbit_real::exp(x, bits).expect("far below the limit of 2^60"))
}

/// The image of an interval under a function that grows, given the enclosures of its values.
pub(crate) fn image(x: &Enclosure, function: impl Fn(&Dyadic) -> Enclosure) -> Enclosure {
    Enclosure::new(function(x.lo()).lo().clone(), function(x.hi()).hi().clone()).expect("the function grows")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dyadic(x: f64) -> Dyadic {
        Dyadic::try_from(x).expect("finite")
    }

    /// `|fl(v) - v|` at numbers around a power of two, where the bound changes.
    #[test]
    fn the_bound_holds_around_a_power_of_two() {
        for exponent in [-1060i64, -1021, -1020, 0, 7, 1000] {
            for eighths in -24i64..=24 {
                let m = &Dyadic::pow2(exponent) + &Dyadic::new(eighths, exponent - 53 - 3);
                let bound = rounding_bound(Format::Binary64, &m).expect("small");
                let mut worst = Dyadic::ZERO;
                for sixteenths in 0..400i64 {
                    let v = &m - &Dyadic::new(sixteenths, exponent - 53 - 4);
                    let error =
                        (&f64::from_dyadic(&v, Rounding::Nearest).to_dyadic().expect("finite") - &v).abs();
                    worst = worst.max(error);
                }
                assert!(worst <= bound, "2^{exponent} + {eighths}: {worst} > {bound}");
            }
        }
    }

    #[test]
    fn overflow_is_refused() {
        assert!(rounding_bound(Format::Binary64, &dyadic(f64::MAX)).is_none());
        assert!(rounding_bound(Format::Binary32, &Dyadic::pow2(127)).is_none());
        assert!(rounding_bound(Format::Binary32, &Dyadic::pow2(126)).is_some());
    }

    #[test]
    fn ends_are_the_nearest() {
        let third = Rational::new(1, 3).expect("3 is not 0");
        let ends = nearest_ends(|bits| Enclosure::of_rational(&third, bits));
        assert!(ends.contains(&third));
        assert_eq!(ends.width(), Dyadic::pow2(-2 - i64::from(RANGE_BITS) + 1));
        assert_eq!(nearest_ends(|_| Enclosure::exact(Dyadic::ONE)), Enclosure::exact(Dyadic::ONE));
    }
}
