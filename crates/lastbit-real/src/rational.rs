//! The exact number type at every privacy boundary.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

use dashu_base::{Abs, BitTest, DivEuclid, DivRem, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::dyadic::shift_amount;
use crate::rounding::Rest;
use crate::{Float, NotFinite, ParseNumberError, Rounding, parse};

/// An exact fraction in lowest terms.
///
/// Read from a string it is what the string says, not the nearest float:
///
/// ```
/// use lastbit_real::Rational;
///
/// let tenth: Rational = "0.1".parse()?;
/// assert_eq!(tenth.to_string(), "1/10");
/// assert_eq!("1e-1".parse::<Rational>()?, tenth);
/// assert_eq!("2/20".parse::<Rational>()?, tenth);
/// assert_eq!("0x1.8p-3".parse::<Rational>()?.to_string(), "3/16");
/// assert!("0.1 ".parse::<Rational>().is_err());
/// # Ok::<(), lastbit_real::ParseNumberError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational(RBig::ZERO);
    /// The number 1.
    pub const ONE: Rational = Rational(RBig::ONE);

    /// The fraction `numerator / denominator`, or `None` if the denominator is zero.
    pub fn new(numerator: impl Into<IBig>, denominator: impl Into<IBig>) -> Option<Rational> {
        let denominator = denominator.into();
        if denominator.is_zero() {
            return None;
        }
        Some(Rational(RBig::from_parts_signed(numerator.into(), denominator)))
    }

    /// As [`Rational::new`], for a denominator known to be positive.
    pub(crate) fn from_parts(numerator: IBig, denominator: UBig) -> Rational {
        debug_assert!(!denominator.is_zero());
        Rational(RBig::from_parts(numerator, denominator))
    }

    /// The number `2^k`. Takes `|k|` bits of memory; [`Dyadic::pow2`](crate::Dyadic::pow2) does not.
    pub fn pow2(k: i64) -> Rational {
        let power = UBig::ONE << shift_amount(k.unsigned_abs());
        if k < 0 {
            Rational::from_parts(IBig::ONE, power)
        } else {
            Rational::from_parts(IBig::from(power), UBig::ONE)
        }
    }

    /// The numerator of the fraction in lowest terms; it carries the sign.
    pub fn numerator(&self) -> IBig {
        self.0.numerator().clone()
    }

    /// The denominator of the fraction in lowest terms.
    ///
    /// Ensures: at least 1.
    pub fn denominator(&self) -> UBig {
        self.0.denominator().clone()
    }

    pub(crate) fn numerator_ref(&self) -> &IBig {
        self.0.numerator()
    }

    pub(crate) fn denominator_ref(&self) -> &UBig {
        self.0.denominator()
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is greater than 0.
    pub fn is_positive(&self) -> bool {
        *self.0.numerator() > IBig::ZERO
    }

    /// Whether this is less than 0.
    pub fn is_negative(&self) -> bool {
        *self.0.numerator() < IBig::ZERO
    }

    /// Whether this is an integer.
    pub fn is_integer(&self) -> bool {
        self.0.denominator().is_one()
    }

    /// Whether this is an integer times a power of two, that is, a [`Dyadic`](crate::Dyadic).
    pub fn is_dyadic(&self) -> bool {
        let denominator = self.0.denominator();
        denominator.trailing_zeros() == Some(denominator.bit_len() - 1)
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        Rational(self.0.clone().abs())
    }

    /// The reciprocal, or `None` of 0.
    pub fn recip(&self) -> Option<Rational> {
        Rational::new(self.0.denominator().clone(), self.0.numerator().clone())
    }

    /// The quotient, or `None` if `divisor` is 0.
    pub fn checked_div(&self, divisor: &Rational) -> Option<Rational> {
        (!divisor.is_zero()).then(|| Rational(&self.0 / &divisor.0))
    }

    /// The `exponent`-th power; `x^0` is 1, also for 0.
    pub fn pow(&self, exponent: u32) -> Rational {
        let exponent = exponent as usize;
        Rational::from_parts(self.0.numerator().pow(exponent), self.0.denominator().pow(exponent))
    }

    /// The largest integer at most this.
    pub fn floor(&self) -> IBig {
        // Euclidean division by a positive number rounds down.
        self.0.numerator().div_euclid(self.0.denominator().as_ibig())
    }

    /// The smallest integer at least this.
    pub fn ceil(&self) -> IBig {
        -(-self.0.numerator()).div_euclid(self.0.denominator().as_ibig())
    }

    /// The nearest integer; a tie goes toward +∞.
    ///
    /// Ensures: `floor(self + 1/2)`.
    pub fn round_half_up(&self) -> IBig {
        let denominator = self.0.denominator().as_ibig();
        (self.0.numerator() * IBig::from(2) + denominator).div_euclid(denominator * IBig::from(2))
    }

    /// `⌊√x⌋`; `None` for negative numbers.
    pub fn floor_sqrt(&self) -> Option<IBig> {
        let floor = UBig::try_from(self.floor()).ok()?;
        Some(IBig::from(dashu_base::SquareRoot::sqrt(&floor)))
    }

    /// The exponent of the binade of `|self|`, or `None` of 0.
    ///
    /// Ensures: `2^k <= |self| < 2^(k+1)`.
    pub fn floor_log2(&self) -> Option<i64> {
        if self.is_zero() {
            return None;
        }
        let numerator = self.0.numerator().unsigned_abs();
        let denominator = self.0.denominator();
        // With n in [2^(a-1), 2^a) and d in [2^(b-1), 2^b), n/d lies in (2^(a-b-1), 2^(a-b+1)).
        let (a, b) = (numerator.bit_len(), denominator.bit_len());
        let at_least =
            if a >= b { numerator >= denominator << (a - b) } else { numerator << (b - a) >= *denominator };
        let k = a as i64 - b as i64;
        Some(if at_least { k } else { k - 1 })
    }

    /// The least `k` with `self <= 2^k`, or `None` unless this is positive.
    pub fn ceil_log2(&self) -> Option<i64> {
        let floor = self.floor_log2().filter(|_| self.is_positive())?;
        Some(if *self == Rational::pow2(floor) { floor } else { floor + 1 })
    }

    /// The float that this rounds to; see [`Float::from_rational`].
    pub fn to_f64(&self, rounding: Rounding) -> f64 {
        f64::from_rational(self, rounding)
    }

    /// The number with `digits` significant decimal digits (0 is taken as 1), rounded as asked.
    ///
    /// Plain decimal where the digits reach the units and few zeros lead, scientific elsewhere.
    /// The directions are those of the real line: `Down` is toward -∞.
    ///
    /// ```
    /// use lastbit_real::{Rational, Rounding};
    ///
    /// let third = Rational::new(1, 3).expect("3 is not zero");
    /// assert_eq!(third.to_decimal(4, Rounding::Down), "0.3333");
    /// assert_eq!(third.to_decimal(4, Rounding::Up), "0.3334");
    /// assert_eq!(Rational::from(123_456).to_decimal(3, Rounding::Nearest), "1.23e5");
    /// assert_eq!((-third).to_decimal(2, Rounding::Down), "-0.34");
    /// ```
    pub fn to_decimal(&self, digits: usize, rounding: Rounding) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        let digits = digits.max(1);
        let mut exponent = self.floor_log10();
        let mut significand = self.scaled_to_digits(digits as i64 - 1 - exponent, rounding).to_string();
        if significand.len() > digits {
            // Rounding carried 9.99… to 10.0…: one digit more, and that a zero.
            significand.pop();
            exponent += 1;
        }
        let sign = if self.is_negative() { "-" } else { "" };
        format!("{sign}{}", place_point(&significand, exponent))
    }

    /// The number exactly, as people write it: a decimal if 17 digits are enough for that, else a fraction.
    ///
    /// ```
    /// use lastbit_real::Rational;
    ///
    /// let short = |text: &str| text.parse::<Rational>().map(|x| x.to_short());
    /// assert_eq!(short("1/10")?, "0.1");
    /// assert_eq!(short("1/3")?, "1/3");
    /// assert_eq!(short("-2.50e-9")?, "-2.5e-9");
    /// assert_eq!(short("120")?, "120");
    /// # Ok::<(), lastbit_real::ParseNumberError>(())
    /// ```
    pub fn to_short(&self) -> String {
        const MOST_DIGITS: usize = 17;
        let plain = self.to_string();
        if self.is_integer() && plain.len() <= MOST_DIGITS + 1 {
            return plain;
        }
        let decimal = self.to_decimal(MOST_DIGITS, Rounding::Down);
        if decimal != self.to_decimal(MOST_DIGITS, Rounding::Up) {
            return plain;
        }
        let (mantissa, exponent) = match decimal.find('e') {
            Some(at) => decimal.split_at(at),
            None => (decimal.as_str(), ""),
        };
        let mantissa = match mantissa.contains('.') {
            true => mantissa.trim_end_matches('0').trim_end_matches('.'),
            false => mantissa,
        };
        format!("{mantissa}{exponent}")
    }

    /// Ensures: `10^k <= |self| < 10^(k+1)`. The number is not 0.
    fn floor_log10(&self) -> i64 {
        let magnitude = self.abs();
        let log2 = self.floor_log2().unwrap_or(0);
        // log10(2) = 0.30103 within 1e-8; the estimate is off by at most a few units however large
        // the number is that fits in memory, and the loops settle it exactly.
        let mut k = (i128::from(log2) * 30_103 / 100_000) as i64;
        while power_of_ten(k) > magnitude {
            k -= 1;
        }
        while power_of_ten(k + 1) <= magnitude {
            k += 1;
        }
        k
    }

    /// The magnitude of `self · 10^shift`, rounded to an integer in the direction given for `self`.
    fn scaled_to_digits(&self, shift: i64, rounding: Rounding) -> UBig {
        let scaled = self.abs() * power_of_ten(shift);
        let (floor, remainder) = scaled.0.numerator().unsigned_abs().div_rem(scaled.0.denominator());
        let rest = Rest::of_division(&remainder, scaled.0.denominator());
        if rounding.goes_away_from_zero(self.is_negative(), floor.bit(0), rest) {
            floor + UBig::ONE
        } else {
            floor
        }
    }
}

/// `10^k`, exactly.
fn power_of_ten(k: i64) -> Rational {
    let power = UBig::from(10u8).pow(shift_amount(k.unsigned_abs()));
    if k < 0 {
        Rational::from_parts(IBig::ONE, power)
    } else {
        Rational::from_parts(IBig::from(power), UBig::ONE)
    }
}

/// Writes `d.ddd · 10^exponent` in plain or scientific form.
fn place_point(digits: &str, exponent: i64) -> String {
    /// More leading zeros than this are harder to read than an exponent.
    const MAX_LEADING_ZEROS: i64 = 5;
    match usize::try_from(exponent) {
        Ok(e) if e + 1 == digits.len() => digits.to_owned(),
        Ok(e) if e + 1 < digits.len() => format!("{}.{}", &digits[..=e], &digits[e + 1..]),
        Err(_) if exponent >= -MAX_LEADING_ZEROS => {
            format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1))
        }
        _ if digits.len() == 1 => format!("{digits}e{exponent}"),
        _ => format!("{}.{}e{exponent}", &digits[..1], &digits[1..]),
    }
}

impl FromStr for Rational {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Rational, ParseNumberError> {
        parse::number(text).map(Rational::from)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.0.numerator())
        } else {
            write!(f, "{}/{}", self.0.numerator(), self.0.denominator())
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

macro_rules! from_integer {
    ($($t:ty)*) => {$(
        impl From<$t> for Rational {
            fn from(value: $t) -> Rational {
                Rational(RBig::from(value))
            }
        }
    )*};
}
from_integer!(i32 i64 i128 u32 u64 u128 usize IBig UBig);

macro_rules! try_from_float {
    ($($t:ty)*) => {$(
        /// Exact.
        impl TryFrom<$t> for Rational {
            type Error = NotFinite;

            fn try_from(value: $t) -> Result<Rational, NotFinite> {
                value.to_dyadic().map(|dyadic| Rational::from(&dyadic))
            }
        }
    )*};
}
try_from_float!(f32 f64);

macro_rules! binary_operator {
    ($($(#[$doc:meta])* $trait:ident $method:ident;)*) => {$(
        $(#[$doc])*
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                Rational($trait::$method(&self.0, &other.0))
            }
        }
        $(#[$doc])*
        impl $trait<Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(self, &other)
            }
        }
        $(#[$doc])*
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                $trait::$method(&self, other)
            }
        }
        $(#[$doc])*
        impl $trait<Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(&self, &other)
            }
        }
    )*};
}
binary_operator! {
    /// Exact.
    Add add;
    /// Exact.
    Sub sub;
    /// Exact.
    Mul mul;
    /// Exact. Panics if the divisor is 0; [`Rational::checked_div`] does not.
    Div div;
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-self.0)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -self.clone()
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(terms: I) -> Rational {
        terms.fold(Rational::ZERO, |sum, term| sum + term)
    }
}

impl<'a> Sum<&'a Rational> for Rational {
    fn sum<I: Iterator<Item = &'a Rational>>(terms: I) -> Rational {
        terms.fold(Rational::ZERO, |sum, term| sum + term)
    }
}
