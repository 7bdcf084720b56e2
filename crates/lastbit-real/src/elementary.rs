//! Enclosures of `sqrt`, `ln`, `exp`, `log1p` and `expm1`.
//!
//! The guarantee is stated in the documentation of the crate.
//!
//! # How
//!
//! The functions reduce their arguments exactly, call the series of [`crate::series`] on integers,
//! and add the error bounds proved there. The widths are counted in the comments: "w" stands for the
//! width divided by `2^-bits · |true value|` and has to be at most 1.

use dashu_base::{BitTest, DivEuclid, DivRemEuclid, SquareRootRem, UnsignedAbs};
use dashu_int::{IBig, UBig};
use thiserror::Error;

use crate::dyadic::add_exponents;
use crate::series::{ATANH_UNITS, EXP_UNITS_LOG2, LN2_UNITS, atanh_over_t, exp_reduced, ln2_fixed};
use crate::{Dyadic, Enclosure, Rational};

/// The argument is outside of what the function is defined on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// The square root of a number below 0.
    #[error("the square root needs an argument that is not negative")]
    Negative,
    /// The logarithm of a number that is not positive.
    #[error("the logarithm needs a positive argument (log1p one above -1)")]
    NotPositive,
    /// The exponential of a number whose result would have an exponent of 60 bits or more; the sine or cosine of a number as large; the error
    /// function of a number whose square is.
    #[error(
        "the argument is too large: the limit is 2^60 for the exponential, the sine and the cosine, 2^30 for the error function"
    )]
    TooLarge,
}

/// The exponential, the sine and the cosine are computed for magnitudes below `2^LIMIT_LOG2`.
pub(crate) const LIMIT_LOG2: i64 = 60;

/// Fewer bits than this are not worth a case of their own in the proofs.
pub(crate) const MIN_BITS: u32 = 16;

/// Results are rounded to this many bits more than asked for, which adds at most
/// `2 · 2^-(bits + 3)` of the value to the width: w grows by 1/4.
pub(crate) const EXTRA_BITS: u32 = 4;

/// `ln 2`.
///
/// ```
/// let enclosure = lastbit_real::ln2(200);
/// assert!(enclosure.width() < lastbit_real::Dyadic::pow2(-200));
/// ```
pub fn ln2(bits: u32) -> Enclosure {
    // w = LN2_UNITS · 2^-4 / ln 2 < 1/5, whatever `bits` is.
    let p = bits as usize + 4;
    let lower = ln2_fixed(p);
    let upper = &lower + LN2_UNITS;
    Enclosure::from_ordered(Dyadic::new(lower, -(p as i64)), Dyadic::new(upper, -(p as i64)))
}

/// The square root. See the [guarantee](crate#guarantee-of-the-elementary-functions); exact where the root is dyadic and has at
/// most `bits` bits.
///
/// ```
/// use lastbit_real::{Dyadic, Enclosure, sqrt};
///
/// assert_eq!(sqrt(&Dyadic::new(9, -4), 10)?, Enclosure::exact(Dyadic::new(3, -2)));
/// let root = sqrt(&Dyadic::from(2), 100)?;
/// assert!(root.lo() * root.lo() < Dyadic::from(2) && root.hi() * root.hi() > Dyadic::from(2));
/// assert!(sqrt(&Dyadic::from(-1), 10).is_err());
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn sqrt(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    if x.is_negative() {
        return Err(DomainError::Negative);
    }
    // Scaled by an even power of two, so that the root of the integer has at least `bits` + 1 bits: one unit is small enough.
    let want = 2 * (i64::from(bits) + 1);
    let missing = (want - x.mantissa().bit_len() as i64).max(0);
    let shift = missing + (x.exponent() - missing).rem_euclid(2);
    let (root, rest) = (x.magnitude() << shift as usize).sqrt_rem();
    let exponent = (x.exponent() - shift) / 2;
    let lower = Dyadic::new(root, exponent);
    let upper = if rest.is_zero() { lower.clone() } else { &lower + &Dyadic::pow2(exponent) };
    Ok(Enclosure::from_ordered(lower, upper))
}

/// The natural logarithm. See the [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// ```
/// use lastbit_real::{Dyadic, Enclosure, ln};
///
/// let near_one = &Dyadic::ONE + &Dyadic::pow2(-300);
/// let enclosure = ln(&near_one, 64)?; // about 2^-300, known to 64 bits of its own
/// assert!(enclosure.width() <= Dyadic::pow2(-364));
/// assert_eq!(ln(&Dyadic::ONE, 64)?, Enclosure::exact(Dyadic::ZERO));
/// assert!(ln(&Dyadic::ZERO, 64).is_err());
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn ln(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    if x.signum() <= 0 {
        return Err(DomainError::NotPositive);
    }
    Ok(ln_of_ratio(x.magnitude(), UBig::ONE, x.exponent(), bits))
}

/// [`ln`] of a fraction.
pub fn ln_rational(x: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    if !x.is_positive() {
        return Err(DomainError::NotPositive);
    }
    Ok(ln_of_ratio(x.numerator_ref().unsigned_abs(), x.denominator(), 0, bits))
}

/// [`ln`] of a quotient, without a common divisor of its terms, which can take longer than the logarithm.
///
/// ```
/// use lastbit_real::{Dyadic, Rational, ln_quotient, ln_rational};
///
/// let third = ln_quotient(&Dyadic::ONE, &Dyadic::from(3), 64)?;
/// assert_eq!(third, ln_rational(&Rational::new(1, 3).unwrap(), 64)?);
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn ln_quotient(p: &Dyadic, q: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    if p.signum() <= 0 || q.signum() <= 0 {
        return Err(DomainError::NotPositive);
    }
    Ok(ln_of_ratio(p.magnitude(), q.magnitude(), p.exponent() - q.exponent(), bits))
}

/// `ln(a/b · 2^exponent)`, for positive `a` and `b`.
fn ln_of_ratio(mut a: UBig, mut b: UBig, exponent: i64, bits: u32) -> Enclosure {
    let bits = bits.max(MIN_BITS);

    // x = m · 2^k with m = a/b in [7/10, 7/5]: bring a/b into (1/2, 2), then halve or double once.
    let (a_len, b_len) = (a.bit_len(), b.bit_len());
    let mut k = add_exponents(exponent, a_len as i64 - b_len as i64);
    if a_len >= b_len {
        b <<= a_len - b_len
    } else {
        a <<= b_len - a_len
    }
    if &a * 10u8 < &b * 7u8 {
        a <<= 1;
        k -= 1;
    } else if &a * 5u8 > &b * 7u8 {
        b <<= 1;
        k += 1;
    }

    let ln_m = ln_near_one(&a, &b, bits);
    if k == 0 {
        // w = 1/4 + 1/4.
        return ln_m.round(bits + EXTRA_BITS);
    }
    // Now |ln x| >= |k| ln 2 - ln(10/7) > 1/3, while |ln m| <= ln(10/7) < 0.36 is at most 1.1 times
    // and |k| ln 2 at most 2.1 times that. w = 1.1/4 + 2.1/8 + 1/4 < 1.
    let k_ln2 = &Enclosure::exact(Dyadic::from(k)) * &ln2(bits + 3);
    (&ln_m + &k_ln2).round(bits + EXTRA_BITS)
}

/// `ln(a/b)` for `a/b` in `[7/10, 7/5]`, with w = 1/4.
fn ln_near_one(a: &UBig, b: &UBig, bits: u32) -> Enclosure {
    // ln(a/b) = 2 atanh(t) with t = (a - b) / (a + b), -3/17 <= t <= 1/6, so t² <= 9/289 < 1/32.
    let negative = a < b;
    let difference = if negative { b - a } else { a - b };
    if difference.is_zero() {
        return Enclosure::exact(Dyadic::ZERO);
    }
    let sum = a + b;

    // |t| to p significant bits: T <= |t| · 2^s < T + 1 with 2^(p-1) <= T < 2^(p+1). That T floats with
    // the size of t is what makes the result accurate relative to itself, however close x is to 1.
    let p = bits as usize + 5;
    let s = p + sum.bit_len() - difference.bit_len();
    let t: UBig = (difference << s) / sum;

    // W = floor(T² · 2^(p-2s)) is t² at precision p, less than 2 units too low: less than 1 for the
    // floor, and t² · 2^p - T² · 2^(p-2s) < 2 |t| · 2^(p-s) <= 4 t² < 1/8, as 2^-s <= |t| / T <= |t| · 2^(1-p).
    let w = t.sqr() >> (2 * s - p);
    let ratio = atanh_over_t(&w, p);

    // atanh |t| lies between T · S and (T + 1)(S + ATANH_UNITS), which differ by less than
    // (2 + 4 + 1) · 2^-p of it, as T >= 2^(p-1) and S >= 2^p. With p = bits + 5, w < 7/32.
    let exponent = 1 - (s + p) as i64;
    let lower = Dyadic::new(&t * &ratio, exponent);
    let upper = Dyadic::new((t + UBig::ONE) * (ratio + ATANH_UNITS), exponent);
    let magnitude = Enclosure::from_ordered(lower, upper);
    if negative { -&magnitude } else { magnitude }
}

/// The exponential. See the [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// ```
/// use lastbit_real::{Dyadic, Enclosure, exp};
///
/// assert_eq!(exp(&Dyadic::ZERO, 64)?, Enclosure::exact(Dyadic::ONE));
/// let tiny = exp(&Dyadic::from(-1_000_000_000), 64)?; // no underflow
/// assert_eq!(tiny.hi().floor_log2(), Some(-1_442_695_041));
/// assert!(exp(&Dyadic::pow2(60), 64).is_err());
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn exp(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    exp_of(x, bits)
}

/// [`exp`] of a fraction.
pub fn exp_rational(x: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    exp_of(x, bits)
}

/// What the exponentials and the circular functions need to know about an argument.
pub(crate) trait Argument {
    fn floor_log2(&self) -> Option<i64>;
    fn is_negative(&self) -> bool;
    /// Ensures: `floor(self · 2^p)`.
    fn floor_fixed(&self, p: usize) -> IBig;
    /// Ensures: contains the number; at most `2^-bits` of it wide.
    fn enclosure(&self, bits: u32) -> Enclosure;
}

impl Argument for Dyadic {
    fn floor_log2(&self) -> Option<i64> {
        Dyadic::floor_log2(self)
    }
    fn is_negative(&self) -> bool {
        Dyadic::is_negative(self)
    }
    fn floor_fixed(&self, p: usize) -> IBig {
        self.floor_scaled(-(p as i64))
    }
    fn enclosure(&self, _bits: u32) -> Enclosure {
        Enclosure::exact(self.clone())
    }
}

impl Argument for Rational {
    fn floor_log2(&self) -> Option<i64> {
        Rational::floor_log2(self)
    }
    fn is_negative(&self) -> bool {
        Rational::is_negative(self)
    }
    fn floor_fixed(&self, p: usize) -> IBig {
        (self.numerator_ref() << p).div_euclid(self.denominator_ref().as_ibig())
    }
    fn enclosure(&self, bits: u32) -> Enclosure {
        Enclosure::of_rational(self, bits)
    }
}

fn exp_of(x: &impl Argument, bits: u32) -> Result<Enclosure, DomainError> {
    let Some(log2) = x.floor_log2() else {
        return Ok(Enclosure::exact(Dyadic::ONE));
    };
    if log2 >= LIMIT_LOG2 {
        return Err(DomainError::TooLarge);
    }
    let bits = bits.max(MIN_BITS);
    if log2 < -i64::from(bits) - 2 {
        return Ok(exp_of_tiny(x.is_negative(), bits));
    }

    // x = k ln 2 + r, by division with remainder of integers at precision p + guard:
    // X <= x < X + 1 and L <= ln 2 <= L + 2 in units of that precision, and the remainder is X - k L.
    // The true r differs from it by at most 1 + 2 |k| units, and |k| < |x| / 0.693 + 1.01 < 2^(guard - 2):
    // less than 1 unit at precision p. Cutting the remainder down to precision p loses less than 1 more.
    // So R, the result, has |r - R| < 2 units at precision p, and 0 <= R <= ln 2.
    let p = bits as usize + 7;
    let guard = log2.max(0) as usize + 4;
    let (k, r) = x.floor_fixed(p + guard).div_rem_euclid(IBig::from(ln2_fixed(p + guard)));
    let k = i64::try_from(k).expect("|x| < 2^60, so the quotient has at most 61 bits");
    let r: UBig = r >> guard;

    let j = halvings(p);
    let y = exp_reduced(&r, p, j);

    // In units of precision q = p + j, Y <= e^R <= Y + 8 · 2^j. With d = r - R, e^r = e^R · e^d, and as
    // e^R <= 2 and |e^d - 1| < 2.01 · 2^-p, the factor moves it by less than 2 · 2^q · 2.01 · 2^-p < 5 · 2^j.
    // The ends are 5 + 8 + 5 times 2^j apart and e^r > 0.99, so w < 18.2/2^7, and with the rounding < 1/2.
    let unit = UBig::ONE << j;
    let lower = IBig::from(y) - IBig::from(&unit * 5u8);
    let upper = &lower + IBig::from(unit * (5 + (1u8 << EXP_UNITS_LOG2) + 5));
    let exponent = k - (p + j) as i64;
    let enclosure = Enclosure::from_ordered(Dyadic::new(lower, exponent), Dyadic::new(upper, exponent));
    Ok(enclosure.round(bits + EXTRA_BITS))
}

/// `e^x` for `0 < |x| < 2^-(bits + 2)`: between 1 and `1 ± 2^-(bits + 1)`, as `|e^x - 1| <= 2 |x|`.
fn exp_of_tiny(negative: bool, bits: u32) -> Enclosure {
    let distance = Dyadic::pow2(-i64::from(bits) - 1);
    if negative {
        Enclosure::from_ordered(&Dyadic::ONE - &distance, Dyadic::ONE)
    } else {
        Enclosure::from_ordered(Dyadic::ONE, &Dyadic::ONE + &distance)
    }
}

/// How often to halve the argument of the Taylor series: the sum of halvings and terms is least near
/// the square root of the precision. Any value from 1 is correct.
fn halvings(p: usize) -> usize {
    (p / 3).isqrt().max(1)
}

/// `ln(1 + y)`, accurate also for `y` near 0. See the
/// [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// ```
/// use lastbit_real::{Dyadic, log1p};
///
/// let y = Dyadic::pow2(-1_000_000_000_000); // 1 + y would take a terabit
/// assert!(log1p(&y, 64)?.hi() <= &y);
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn log1p(y: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    let Some(log2) = y.floor_log2() else {
        return Ok(Enclosure::exact(Dyadic::ZERO));
    };
    if y.is_negative() && log2 >= 0 {
        return Err(DomainError::NotPositive);
    }
    let bits = bits.max(MIN_BITS);
    let margin = i64::from(bits) + 2;
    if log2 < -margin {
        // |y| < 2^-(bits + 2). y - y² <= ln(1 + y) <= y, and y² <= |y| · 2^-(bits + 2). w = 1.01/4.
        let lower = y - &y.abs().shl(-margin);
        return Ok(Enclosure::from_ordered(lower, y.clone()));
    }
    if log2 < margin {
        return ln(&(&Dyadic::ONE + y), bits);
    }
    // y >= 2^(bits + 2): ln(1 + y) = ln y + ln(1 + 1/y), and 0 < ln(1 + 1/y) < 2^-(bits + 2) where ln y > 12.
    // w = 1/4 + 1/48.
    let ln_y = ln(y, bits + 2)?;
    let upper = ln_y.hi() + &Dyadic::pow2(-margin);
    Ok(Enclosure::from_ordered(ln_y.lo().clone(), upper))
}

/// [`log1p`] of a fraction.
pub fn log1p_rational(y: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    ln_rational(&(Rational::ONE + y), bits)
}

/// `e^y - 1`, accurate also for `y` near 0. See the
/// [guarantee](crate#guarantee-of-the-elementary-functions).
pub fn expm1(y: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    expm1_of(y, bits)
}

/// [`expm1`] of a fraction.
pub fn expm1_rational(y: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    expm1_of(y, bits)
}

fn expm1_of(y: &impl Argument, bits: u32) -> Result<Enclosure, DomainError> {
    let Some(log2) = y.floor_log2() else {
        return Ok(Enclosure::exact(Dyadic::ZERO));
    };
    if log2 >= LIMIT_LOG2 {
        return Err(DomainError::TooLarge);
    }
    let bits = bits.max(MIN_BITS);
    let margin = i64::from(bits) + 2;
    if log2 < -margin {
        // |y| < 2^-(bits + 2). y <= e^y - 1 <= y + y², and y² <= |y| · 2^-(bits + 2). w = 1/4 + 1/4 · 1.01.
        let value = y.enclosure(bits + 2);
        let upper = value.hi() + &value.abs().hi().shl(-margin);
        return Ok(Enclosure::from_ordered(value.lo().clone(), upper));
    }
    let is_large = y.floor_fixed(0).unsigned_abs() > UBig::from(margin as u64);
    match (is_large, y.is_negative()) {
        // y < -(bits + 2): e^y is between 0 and 2^-(bits + 2). w = 1.01/4.
        (true, true) => {
            let upper = Dyadic::pow2(-margin) - Dyadic::ONE;
            Ok(Enclosure::from_ordered(-Dyadic::ONE, upper))
        }
        // y > bits + 2: the 1 is less than 2^-(bits + 2) of e^y, and need not be aligned with it.
        // w = 1.01 · (1/4 + 1/4).
        (true, false) => {
            let power = exp_of(y, bits + 2)?;
            let lower = power.lo() - &power.lo().shl(-margin);
            Ok(Enclosure::from_ordered(lower, power.hi().clone()))
        }
        // With 2^-s <= |y| and s >= 0: e^y <= 2.72 · 2^s · |e^y - 1|. (For |y| < 1 because e^y < 2.72 and
        // e^y - 1 >= y, or e^y < 1 and 1 - e^y >= |y|/2; for |y| >= 1 because e^y / |e^y - 1| < 1.6.)
        // So s + 2 bits more for e^y give w = 2.72/4, and the subtraction is exact.
        (false, _) => {
            let s = (-log2).max(0) as u32;
            let power = exp_of(y, bits + s + 2)?;
            Ok(&power - &Enclosure::exact(Dyadic::ONE))
        }
    }
}

/// Functions that grow with their argument: the image of an interval lies between the images of its
/// ends.
impl Enclosure {
    /// Contains `√x` for every `x` of the interval.
    pub fn sqrt(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| sqrt(x, bits))
    }

    /// Contains `ln x` for every `x` of the interval.
    pub fn ln(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| ln(x, bits))
    }

    /// Contains `e^x` for every `x` of the interval.
    pub fn exp(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| exp(x, bits))
    }

    /// Contains `ln(1 + x)` for every `x` of the interval.
    pub fn log1p(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| log1p(x, bits))
    }

    /// Contains `e^x - 1` for every `x` of the interval.
    pub fn expm1(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| expm1(x, bits))
    }

    /// The hull of the images of the ends.
    pub(crate) fn lift(
        &self,
        function: impl Fn(&Dyadic) -> Result<Enclosure, DomainError>,
    ) -> Result<Enclosure, DomainError> {
        let lower = function(self.lo())?;
        if self.lo() == self.hi() {
            return Ok(lower);
        }
        Ok(lower.hull(&function(self.hi())?))
    }
}
