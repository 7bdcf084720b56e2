//! The numbers of a derivation: the roundings `↑x` and `⟦a, b⟧`, quotients, roots, logarithms and powers rounded once, and what a
//! format's arithmetic can do to a number. See the section "Numbers" of `docs/semantics.md`.

use lastbit_lang::Format;
use lastbit_real::{DomainError, Dyadic, Enclosure, Float, IBig, Rational, Rounding, exp, ln};

use super::read::MAX_EXPONENT;

/// Errors and relative errors.
const ERROR_BITS: u32 = 30;
/// The ends of ranges.
const RANGE_BITS: u32 = 64;
/// The coefficients of linear forms.
const COEFFICIENT_BITS: u32 = 40;
/// All of them are multiples of this power of two.
const FINEST: i64 = -4096;

fn round_up(x: &Dyadic, bits: u32) -> Dyadic {
    x.round_up(bits).ceil_to(FINEST)
}

fn round_down(x: &Dyadic, bits: u32) -> Dyadic {
    x.round_down(bits).floor_to(FINEST)
}

/// `↑x`
pub(super) fn up(x: &Dyadic) -> Dyadic {
    round_up(x, ERROR_BITS)
}

/// `↑(n/d)` for `d > 0`.
pub(super) fn up_quotient(n: &Dyadic, d: &Dyadic) -> Dyadic {
    up(&near_quotient(n, d, ERROR_BITS))
}

/// `↑√x`
pub(super) fn up_root(x: &Dyadic) -> Dyadic {
    up(&near_root(x, ERROR_BITS))
}

/// `↑x` of a fraction.
pub(super) fn up_rational(x: &Rational) -> Dyadic {
    up_quotient(&x.numerator().into(), &x.denominator().into())
}

/// A fraction rounded up to 64 bits.
pub(super) fn range_end_above(x: &Rational) -> Dyadic {
    round_up(&near_quotient(&x.numerator().into(), &x.denominator().into(), RANGE_BITS), RANGE_BITS)
}

/// `⟦I⟧`
pub(super) fn outward(x: &Enclosure) -> Enclosure {
    round(x, RANGE_BITS)
}

/// `I`, its ends rounded outward as coefficients are.
pub(super) fn coefficient(x: &Enclosure) -> Enclosure {
    round(x, COEFFICIENT_BITS)
}

fn round(x: &Enclosure, bits: u32) -> Enclosure {
    let (lo, hi) = (round_down(x.lo(), bits), round_up(x.hi(), bits));
    Enclosure::new(lo, hi).unwrap_or_else(|| x.clone())
}

/// `⟦lo, hi⟧`, or `None` if `lo > hi`.
pub(super) fn outward_rationals(lo: &Rational, hi: &Rational) -> Option<Enclosure> {
    if lo > hi {
        return None;
    }
    Enclosure::new(-range_end_above(&-lo), range_end_above(hi))
}

/// `⟦I/J⟧`, or `None` if 0 is in `J`.
pub(super) fn outward_quotient(n: &Enclosure, d: &Enclosure) -> Option<Enclosure> {
    if has_zero(d) {
        return None;
    }
    // The extremes are at corners; rounding is monotone, so it may come before the minimum and the maximum.
    let corners = [(n.lo(), d.lo()), (n.lo(), d.hi()), (n.hi(), d.lo()), (n.hi(), d.hi())];
    let near = corners.map(|(n, d)| near_quotient(n, d, RANGE_BITS));
    let lo = near.iter().map(|x| round_down(x, RANGE_BITS)).min()?;
    let hi = near.iter().map(|x| round_up(x, RANGE_BITS)).max()?;
    Enclosure::new(lo, hi)
}

/// `⟦√I⟧`, or `None` if there are negative numbers in `I`.
pub(super) fn outward_root(x: &Enclosure) -> Option<Enclosure> {
    if x.lo().is_negative() {
        return None;
    }
    let (lo, hi) = (near_root(x.lo(), RANGE_BITS), near_root(x.hi(), RANGE_BITS));
    Enclosure::new(round_down(&lo, RANGE_BITS), round_up(&hi, RANGE_BITS))
}

/// `⟦ln I⟧`, or `None` if 0 or negative numbers are in `I`.
pub(super) fn outward_ln(x: &Enclosure) -> Option<Enclosure> {
    let lo = settle(|bits| ln(x.lo(), bits), |y| round_down(y, RANGE_BITS))?;
    Enclosure::new(lo, settle(|bits| ln(x.hi(), bits), |y| round_up(y, RANGE_BITS))?)
}

/// `e^x` rounded down to 64 bits.
pub(super) fn exp_below(x: &Dyadic) -> Option<Dyadic> {
    round_exp(x, |y| round_down(y, RANGE_BITS))
}

/// `e^x` rounded up to 64 bits.
pub(super) fn exp_above(x: &Dyadic) -> Option<Dyadic> {
    round_exp(x, |y| round_up(y, RANGE_BITS))
}

/// `↑e^x`
pub(super) fn up_exp(x: &Dyadic) -> Option<Dyadic> {
    round_exp(x, up)
}

fn round_exp(x: &Dyadic, round: impl Fn(&Dyadic) -> Dyadic) -> Option<Dyadic> {
    // Next to 1 an enclosure would have to be as fine as the argument is small, but only the side matters.
    if x.floor_log2().is_some_and(|log2| log2 < -100) {
        let one_side = &Dyadic::ONE + &Dyadic::from(x.signum()).shl(-90);
        return Some(round(&one_side));
    }
    settle(|bits| exp(x, bits), round)
}

/// The value of a function, rounded: its ever finer enclosures until both ends round alike. `None` outside of its domain, and if
/// 6,000 bits do not decide, which no number of 64 bits asks for.
fn settle(
    function: impl Fn(u32) -> Result<Enclosure, DomainError>,
    round: impl Fn(&Dyadic) -> Dyadic,
) -> Option<Dyadic> {
    for doublings in 0..7 {
        let enclosure = function(96 << doublings).ok()?;
        let (lo, hi) = (round(enclosure.lo()), round(enclosure.hi()));
        if lo == hi {
            return Some(lo);
        }
    }
    None
}

/// A number that lies between the same neighbours of at most `bits` bits as `n/d` does, and is one of them exactly if `n/d` is.
fn near_quotient(n: &Dyadic, d: &Dyadic, bits: u32) -> Dyadic {
    let (a, b) = (n.abs(), d.abs());
    // a·2^shift/b > 2^bits: the neighbours are multiples of the unit.
    let shift = (i64::from(bits) + 1 + length(b.mantissa()) - length(a.mantissa())).max(0);
    let dividend = a.mantissa() << shift as usize;
    let floor = &dividend / b.mantissa();
    let exact = &floor * b.mantissa() == dividend;
    let magnitude = with_rest(floor, exact).shl(a.exponent() - b.exponent() - shift);
    if n.is_negative() != d.is_negative() { -magnitude } else { magnitude }
}

/// As [`near_quotient`], of `√x` for `x >= 0`.
fn near_root(x: &Dyadic, bits: u32) -> Dyadic {
    let odd = x.exponent().rem_euclid(2);
    // The root of mantissa·2^shift is above 2^bits.
    let shift = odd + 2 * (i64::from(bits) + 1 - length(x.mantissa()) / 2).max(0);
    let square = x.mantissa() << shift as usize;
    let floor = Rational::from(square.clone()).floor_sqrt().unwrap_or_default();
    let exact = &floor * &floor == square;
    with_rest(floor, exact).shl((x.exponent() - shift) / 2)
}

/// `floor`, or half a unit above it.
fn with_rest(floor: IBig, exact: bool) -> Dyadic {
    Dyadic::new(floor * IBig::from(2) + IBig::from(u8::from(!exact)), -1)
}

/// The number of bits of a magnitude.
fn length(x: &IBig) -> i64 {
    Dyadic::from(x.clone()).floor_log2().map_or(0, |log2| log2 + 1)
}

/// `max|I|`
pub(super) fn max_abs(x: &Enclosure) -> Dyadic {
    x.lo().abs().max(x.hi().abs())
}

/// `min|I|`
pub(super) fn min_abs(x: &Enclosure) -> Dyadic {
    if has_zero(x) { Dyadic::ZERO } else { x.lo().abs().min(x.hi().abs()) }
}

pub(super) fn has_zero(x: &Enclosure) -> bool {
    x.lo().signum() <= 0 && x.hi().signum() >= 0
}

/// The largest distance of a number of one interval from a number of the other.
pub(super) fn farthest(a: &Enclosure, b: &Enclosure) -> Dyadic {
    (a.hi() - b.lo()).max(b.hi() - a.lo())
}

/// Whether a number could be written in a certificate; products and sums of such numbers are small enough to compute with.
pub(super) fn is_moderate(x: &Dyadic) -> bool {
    x.exponent().abs() <= MAX_EXPONENT && x.floor_log2().is_none_or(|log2| log2.abs() <= MAX_EXPONENT)
}

/// What the section "Numbers" says of a format.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic(pub(super) Format);

impl Arithmetic {
    /// The least `e` that `hu` tells apart: `2^(e - 1)` is the least normal number.
    fn least_exponent(self) -> i64 {
        self.0.min_exponent() + self.0.precision()
    }

    pub(super) fn least_normal(self) -> Dyadic {
        Dyadic::pow2(self.least_exponent() - 1)
    }

    pub(super) fn u(self) -> Dyadic {
        Dyadic::pow2(-self.0.precision())
    }

    /// Half the least subnormal number.
    pub(super) fn tau(self) -> Dyadic {
        Dyadic::pow2(self.0.min_exponent() - 1)
    }

    /// `hu(e)`, for `e` at least the least exponent.
    fn half_ulp(self, e: i64) -> Dyadic {
        Dyadic::pow2(e - self.0.precision() - 1)
    }

    /// Whether numbers of this magnitude may overflow.
    pub(super) fn may_overflow(self, m: &Dyadic) -> bool {
        *m > Dyadic::pow2(self.0.max_exponent() - 1)
    }

    /// Whether the real value and what the operands' errors do to it may be beyond what derivations go on with.
    pub(super) fn is_too_large(self, value: &Dyadic) -> bool {
        *value > Dyadic::pow2(self.0.max_exponent())
    }

    /// `P(m)`
    pub(super) fn rounding_error(self, m: &Dyadic) -> Dyadic {
        let least = self.least_exponent();
        let e = m.ceil_log2().map_or(least, |e| e.max(least));
        if e == least {
            return self.half_ulp(e);
        }
        let beyond = m - Dyadic::pow2(e - 1);
        self.half_ulp(e).min(self.half_ulp(e - 1).max(beyond))
    }

    /// The unit in the last place of the largest numbers of magnitude at most `m`: `2·hu(e)` with `m < 2^e`.
    pub(super) fn ulp(self, m: &Dyadic) -> Dyadic {
        let least = self.least_exponent();
        self.half_ulp(m.floor_log2().map_or(least, |log2| least.max(log2 + 1))).shl(1)
    }

    /// `RN(V)`, or `None` where `max|V|` is too large.
    pub(super) fn nearest_floats(self, v: &Enclosure) -> Option<Enclosure> {
        if max_abs(v) >= Dyadic::pow2(self.0.max_exponent()) {
            return None;
        }
        Enclosure::new(self.nearest(v.lo())?, self.nearest(v.hi())?)
    }

    /// The float nearest to `x`, or `None` if that is infinite.
    pub(super) fn nearest(self, x: &Dyadic) -> Option<Dyadic> {
        match self.0 {
            Format::Binary64 => f64::from_dyadic(x, Rounding::Nearest).to_dyadic().ok(),
            Format::Binary32 => f32::from_dyadic(x, Rounding::Nearest).to_dyadic().ok(),
        }
    }

    /// As [`Arithmetic::nearest`], of a fraction.
    pub(super) fn nearest_rational(self, x: &Rational) -> Option<Dyadic> {
        match self.0 {
            Format::Binary64 => f64::from_rational(x, Rounding::Nearest).to_dyadic().ok(),
            Format::Binary32 => f32::from_rational(x, Rounding::Nearest).to_dyadic().ok(),
        }
    }

    pub(super) fn is_float(self, x: &Dyadic) -> bool {
        self.nearest(x).is_some_and(|float| float == *x)
    }

    /// The float after the float `x`, or `None` of the largest one.
    pub(super) fn next_float(self, x: &Dyadic) -> Option<Dyadic> {
        match self.0 {
            Format::Binary64 => Float::next_up(f64::from_dyadic(x, Rounding::Nearest)).to_dyadic().ok(),
            Format::Binary32 => Float::next_up(f32::from_dyadic(x, Rounding::Nearest)).to_dyadic().ok(),
        }
    }
}
