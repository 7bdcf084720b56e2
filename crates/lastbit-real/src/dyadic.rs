//! Numbers `mantissa · 2^exponent`, exactly.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::{Abs, BitTest, Sign, UnsignedAbs};
use dashu_int::{IBig, UBig};
use thiserror::Error;

use crate::{Float, NotFinite, Rational};

/// The rational number is not an integer times a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not an integer times a power of two")]
pub struct NotDyadic;

/// The number `mantissa · 2^exponent`.
///
/// Kept with an odd mantissa, or as `0 · 2^0`, so that equal numbers are equal structures.
///
/// ```
/// use lastbit_real::Dyadic;
///
/// assert_eq!(Dyadic::new(12, -3), Dyadic::new(3, -1)); // 1.5
/// let tenth = Dyadic::try_from(0.1)?;
/// assert_eq!(tenth.exponent(), -55);
/// assert_eq!(&tenth + &tenth, Dyadic::try_from(0.2)?);
/// # Ok::<(), lastbit_real::NotFinite>(())
/// ```
///
/// # Panics
///
/// Arithmetic panics when an exponent leaves the range of `i64`. Sums and roundings of numbers whose
/// exponents lie `n` apart take `n` bits of memory.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Dyadic {
    mantissa: IBig,
    exponent: i64,
}

impl Dyadic {
    /// The number 0.
    pub const ZERO: Dyadic = Dyadic { mantissa: IBig::ZERO, exponent: 0 };
    /// The number 1.
    pub const ONE: Dyadic = Dyadic { mantissa: IBig::ONE, exponent: 0 };

    /// The number `mantissa · 2^exponent`.
    pub fn new(mantissa: impl Into<IBig>, exponent: i64) -> Dyadic {
        let mantissa = mantissa.into();
        match mantissa.trailing_zeros() {
            None => Dyadic::ZERO,
            Some(0) => Dyadic { mantissa, exponent },
            Some(zeros) => {
                Dyadic { mantissa: mantissa >> zeros, exponent: add_exponents(exponent, zeros as i64) }
            }
        }
    }

    /// The number 0.
    pub const fn zero() -> Dyadic {
        Dyadic::ZERO
    }

    /// The number 1.
    pub const fn one() -> Dyadic {
        Dyadic::ONE
    }

    /// The number `2^k`.
    pub fn pow2(k: i64) -> Dyadic {
        Dyadic { mantissa: IBig::ONE, exponent: k }
    }

    /// The mantissa: odd, or 0.
    pub fn mantissa(&self) -> &IBig {
        &self.mantissa
    }

    /// The exponent that goes with [`Dyadic::mantissa`]; 0 for the number 0.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    /// Whether this is less than 0.
    pub fn is_negative(&self) -> bool {
        self.mantissa.sign() == Sign::Negative
    }

    /// -1, 0 or 1, as the number is negative, zero or positive.
    pub fn signum(&self) -> i32 {
        match (self.is_zero(), self.is_negative()) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Dyadic {
        Dyadic { mantissa: (&self.mantissa).abs(), exponent: self.exponent }
    }

    /// The number times `2^k`.
    pub fn shl(&self, k: i64) -> Dyadic {
        if self.is_zero() {
            return Dyadic::ZERO;
        }
        Dyadic { mantissa: self.mantissa.clone(), exponent: add_exponents(self.exponent, k) }
    }

    /// The exponent of the binade of `|self|`, or `None` of 0.
    ///
    /// Ensures: `2^k <= |self| < 2^(k+1)`.
    pub fn floor_log2(&self) -> Option<i64> {
        (!self.is_zero()).then(|| add_exponents(self.exponent, self.mantissa.bit_len() as i64 - 1))
    }

    /// The least `k` with `self <= 2^k`, or `None` unless this is positive.
    pub fn ceil_log2(&self) -> Option<i64> {
        let floor = self.floor_log2().filter(|_| self.signum() > 0)?;
        Some(if *self == Dyadic::pow2(floor) { floor } else { floor + 1 })
    }

    /// The largest multiple of `2^exponent` that is at most this.
    pub fn floor_to(&self, exponent: i64) -> Dyadic {
        if self.is_zero() || self.exponent >= exponent {
            return self.clone();
        }
        Dyadic::new(self.floor_scaled(exponent), exponent)
    }

    /// The smallest multiple of `2^exponent` that is at least this.
    pub fn ceil_to(&self, exponent: i64) -> Dyadic {
        -(-self).floor_to(exponent)
    }

    /// The largest integer at most this.
    pub fn floor(&self) -> IBig {
        self.floor_scaled(0)
    }

    /// The smallest integer at least this.
    pub fn ceil(&self) -> IBig {
        -(-self).floor_scaled(0)
    }

    /// The largest number of at most `bits` significant bits (0 is taken as 1) that is at most this.
    ///
    /// Ensures: below by less than `2^(1 - bits) · |self|`.
    pub fn round_down(&self, bits: u32) -> Dyadic {
        match self.floor_log2() {
            None => Dyadic::ZERO,
            Some(log2) => self.floor_to(add_exponents(log2, 1 - i64::from(bits.max(1)))),
        }
    }

    /// The smallest number of at most `bits` significant bits (0 is taken as 1) that is at least this.
    ///
    /// Ensures: above by less than `2^(1 - bits) · |self|`.
    pub fn round_up(&self, bits: u32) -> Dyadic {
        -(-self).round_down(bits)
    }

    /// Compares this with a fraction.
    pub fn cmp_rational(&self, other: &Rational) -> Ordering {
        let (numerator, denominator) = (other.numerator_ref(), other.denominator_ref());
        // The cheap tests come first: they also keep an extreme exponent from being expanded.
        let by_sign = self.signum().cmp(&sign_of(numerator));
        if by_sign.is_ne() {
            return by_sign;
        }
        let (Some(own), Some(others)) = (self.floor_log2(), other.floor_log2()) else {
            return Ordering::Equal;
        };
        if own != others {
            return if self.is_negative() { others.cmp(&own) } else { own.cmp(&others) };
        }
        let scaled = &self.mantissa * denominator;
        let bits = shift_amount(self.exponent.unsigned_abs());
        if self.exponent >= 0 { (scaled << bits).cmp(numerator) } else { scaled.cmp(&(numerator << bits)) }
    }

    /// The magnitude of the mantissa, for code that keeps the sign apart.
    pub(crate) fn magnitude(&self) -> UBig {
        (&self.mantissa).unsigned_abs()
    }

    /// Ensures: `floor(self · 2^-exponent)`.
    pub(crate) fn floor_scaled(&self, exponent: i64) -> IBig {
        if self.is_zero() {
            return IBig::ZERO;
        }
        let distance = self.exponent.abs_diff(exponent);
        if self.exponent >= exponent {
            return &self.mantissa << shift_amount(distance);
        }
        // The shift of a negative integer rounds down too. A distance that is no `usize` is beyond
        // any mantissa in memory: what is left is the sign.
        match usize::try_from(distance) {
            Ok(distance) => &self.mantissa >> distance,
            Err(_) if self.is_negative() => IBig::NEG_ONE,
            Err(_) => IBig::ZERO,
        }
    }
}

/// The sum of two exponents; panics as the documentation of [`Dyadic`] says.
pub(crate) fn add_exponents(a: i64, b: i64) -> i64 {
    a.checked_add(b).expect("the exponent of a dyadic number left the range of i64")
}

/// A number of bits as the integer library counts them.
pub(crate) fn shift_amount(bits: u64) -> usize {
    usize::try_from(bits).expect("more bits than the address space holds")
}

fn sign_of(value: &IBig) -> i32 {
    match value.cmp(&IBig::ZERO) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// The two numbers as multiples of one power of two, whose exponent comes last.
fn align(a: &Dyadic, b: &Dyadic) -> (IBig, IBig, i64) {
    let exponent = match (a.is_zero(), b.is_zero()) {
        // The exponent of zero says nothing; it must not cause a long shift.
        (true, _) => b.exponent,
        (_, true) => a.exponent,
        _ => a.exponent.min(b.exponent),
    };
    (a.floor_scaled(exponent), b.floor_scaled(exponent), exponent)
}

impl Add<&Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = align(self, other);
        Dyadic::new(a + b, exponent)
    }
}

impl Sub<&Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = align(self, other);
        Dyadic::new(a - b, exponent)
    }
}

impl Mul<&Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: &Dyadic) -> Dyadic {
        if self.is_zero() || other.is_zero() {
            return Dyadic::ZERO;
        }
        // A product of odd numbers is odd: nothing to normalise.
        Dyadic {
            mantissa: &self.mantissa * &other.mantissa,
            exponent: add_exponents(self.exponent, other.exponent),
        }
    }
}

macro_rules! forward_owned {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait<Dyadic> for Dyadic {
            type Output = Dyadic;
            fn $method(self, other: Dyadic) -> Dyadic {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<&Dyadic> for Dyadic {
            type Output = Dyadic;
            fn $method(self, other: &Dyadic) -> Dyadic {
                $trait::$method(&self, other)
            }
        }
        impl $trait<Dyadic> for &Dyadic {
            type Output = Dyadic;
            fn $method(self, other: Dyadic) -> Dyadic {
                $trait::$method(self, &other)
            }
        }
    )*};
}
forward_owned! {
    Add add;
    Sub sub;
    Mul mul;
}

impl Neg for Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -self.mantissa, exponent: self.exponent }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        -self.clone()
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Dyadic) -> Ordering {
        let by_sign = self.signum().cmp(&other.signum());
        if by_sign.is_ne() {
            return by_sign;
        }
        // Binades first, so that numbers of very different size are not aligned.
        let by_magnitude = self.floor_log2().cmp(&other.floor_log2());
        if by_magnitude.is_ne() {
            return if self.is_negative() { by_magnitude.reverse() } else { by_magnitude };
        }
        let (a, b, _) = align(self, other);
        a.cmp(&b)
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Dyadic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for Dyadic {
    fn default() -> Dyadic {
        Dyadic::ZERO
    }
}

macro_rules! from_integer {
    ($($t:ty)*) => {$(
        impl From<$t> for Dyadic {
            fn from(value: $t) -> Dyadic {
                Dyadic::new(value, 0)
            }
        }
    )*};
}
from_integer!(i32 i64 i128 u32 u64 u128 usize IBig UBig);

macro_rules! try_from_float {
    ($($t:ty)*) => {$(
        /// Exact.
        impl TryFrom<$t> for Dyadic {
            type Error = NotFinite;

            fn try_from(value: $t) -> Result<Dyadic, NotFinite> {
                value.to_dyadic()
            }
        }
    )*};
}
try_from_float!(f32 f64);

impl TryFrom<&Rational> for Dyadic {
    type Error = NotDyadic;

    fn try_from(value: &Rational) -> Result<Dyadic, NotDyadic> {
        if !value.is_dyadic() {
            return Err(NotDyadic);
        }
        let exponent = value.denominator_ref().bit_len() as i64 - 1;
        Ok(Dyadic::new(value.numerator(), -exponent))
    }
}

/// Exact. Takes `|exponent|` bits of memory.
impl From<&Dyadic> for Rational {
    fn from(value: &Dyadic) -> Rational {
        let bits = shift_amount(value.exponent.unsigned_abs());
        if value.exponent >= 0 {
            Rational::from(&value.mantissa << bits)
        } else {
            Rational::from_parts(value.mantissa.clone(), UBig::ONE << bits)
        }
    }
}

/// Exact. Takes `|exponent|` bits of memory.
impl From<Dyadic> for Rational {
    fn from(value: Dyadic) -> Rational {
        Rational::from(&value)
    }
}

impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.exponent == 0 {
            write!(f, "{}", self.mantissa)
        } else {
            write!(f, "{}*2^{}", self.mantissa, self.exponent)
        }
    }
}

impl fmt::Debug for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
