//! `f32` and `f64` as what they are: finite sets of dyadic numbers, and the roundings onto them.

use std::fmt::{Debug, Display, LowerExp};

use dashu_base::{DivRem, UnsignedAbs};
use dashu_int::UBig;
use thiserror::Error;

use crate::rounding::Rest;
use crate::{Dyadic, Enclosure, ParseNumberError, Rational, Rounding, parse};

/// The float is a NaN or an infinity and has no exact value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the float is NaN or infinite")]
pub struct NotFinite;

mod sealed {
    /// The bits of a float in 64-bit clothes. Closes [`Float`](super::Float) to other types: its
    /// methods rely on the layout of the two IEEE formats.
    pub trait Bits: Sized {
        /// The sign bit.
        const SIGN: u64;
        const NAN: Self;
        fn from_raw(bits: u64) -> Self;
        fn raw(self) -> u64;
    }

    impl Bits for f32 {
        const SIGN: u64 = 1 << 31;
        const NAN: f32 = f32::NAN;
        #[inline]
        fn from_raw(bits: u64) -> f32 {
            f32::from_bits(bits as u32)
        }
        #[inline]
        fn raw(self) -> u64 {
            u64::from(self.to_bits())
        }
    }

    impl Bits for f64 {
        const SIGN: u64 = 1 << 63;
        const NAN: f64 = f64::NAN;
        #[inline]
        fn from_raw(bits: u64) -> f64 {
            f64::from_bits(bits)
        }
        #[inline]
        fn raw(self) -> u64 {
            self.to_bits()
        }
    }
}

/// A binary IEEE format: `f32` or `f64`.
///
/// ```
/// use lastbit_real::{Float, Rational, Rounding};
///
/// fn bracket<F: Float>(value: &Rational) -> (F, F) {
///     (F::from_rational(value, Rounding::Down), F::from_rational(value, Rounding::Up))
/// }
///
/// let tenth: Rational = "0.1".parse()?;
/// let (below, above) = bracket::<f64>(&tenth);
/// assert_eq!(above, 0.1); // the double nearest to 1/10 is above it
/// assert_eq!(below, 0.1f64.next_down());
/// # Ok::<(), lastbit_real::ParseNumberError>(())
/// ```
pub trait Float:
    Copy + PartialOrd + Debug + Display + LowerExp + Send + Sync + 'static + sealed::Bits
{
    /// Significant bits of a normal number, the leading one included.
    const PRECISION: u32;
    /// The exponent of the smallest subnormal number, `2^MIN_EXPONENT`.
    const MIN_EXPONENT: i32;
    /// The largest `e` with `2^e` finite.
    const MAX_EXPONENT: i32;
    /// The name of the type in Rust.
    const NAME: &'static str;
    /// The largest finite value.
    const MAX: Self;

    /// The exact value.
    fn to_dyadic(self) -> Result<Dyadic, NotFinite> {
        if !Float::is_finite(self) {
            return Err(NotFinite);
        }
        let magnitude = Dyadic::new(significand(self), i64::from(self.exponent_of_ulp()));
        Ok(if is_negative(self) { -magnitude } else { magnitude })
    }

    /// The float that `value` rounds to.
    ///
    /// Ensures: correctly rounded, subnormal results included. Overflow is IEEE's: `Nearest` gives an
    /// infinity from half a unit beyond the largest finite value; `Down` and `Up` give an infinity in
    /// their own direction and the largest finite value in the other. Zero keeps the sign of what was
    /// rounded to it.
    fn from_dyadic(value: &Dyadic, rounding: Rounding) -> Self {
        let Some(log2) = value.floor_log2() else {
            return Self::from_raw(0);
        };
        let negative = value.is_negative();
        let Some(step) = step_exponent::<Self>(log2) else {
            return overflow(negative, rounding);
        };
        let magnitude = value.abs();
        let floor = magnitude.floor_scaled(step).unsigned_abs();
        let excess = &magnitude - &Dyadic::new(floor.clone(), step);
        let rest = Rest::new(excess.is_zero(), excess.cmp(&Dyadic::pow2(step - 1)));
        assemble(negative, low_word(&floor), step, rest, rounding)
    }

    /// The float that `value` rounds to, as [`Float::from_dyadic`].
    fn from_rational(value: &Rational, rounding: Rounding) -> Self {
        let Some(log2) = value.floor_log2() else {
            return Self::from_raw(0);
        };
        let negative = value.is_negative();
        let Some(step) = step_exponent::<Self>(log2) else {
            return overflow(negative, rounding);
        };
        let (mut n, mut d) = (value.numerator_ref().unsigned_abs(), value.denominator());
        let shift = step.unsigned_abs() as usize;
        if step < 0 {
            n <<= shift
        } else {
            d <<= shift
        }
        let (floor, remainder) = n.div_rem(&d);
        assemble(negative, low_word(&floor), step, Rest::of_division(&remainder, &d), rounding)
    }

    /// The float nearest to `value · 2^exponent`, without allocating.
    ///
    /// Ensures: the same as [`Float::from_rational`] of that number in `Nearest`.
    #[inline]
    fn from_i128(value: i128, exponent: i32) -> Self {
        if value == 0 {
            return Self::from_raw(0);
        }
        let negative = value < 0;
        let magnitude = value.unsigned_abs();
        let exponent = i64::from(exponent);
        let log2 = exponent + i64::from(magnitude.ilog2());
        let Some(step) = step_exponent::<Self>(log2) else {
            return overflow(negative, Rounding::Nearest);
        };
        let shift = step - exponent;
        let (floor, rest) = if shift <= 0 {
            // No bit is lost. The result fits: it is below 2^PRECISION by the choice of the step.
            ((magnitude << -shift) as u64, Rest::Zero)
        } else if shift <= 127 {
            let low = magnitude & ((1 << shift) - 1);
            ((magnitude >> shift) as u64, Rest::new(low == 0, low.cmp(&(1 << (shift - 1)))))
        } else {
            // At most half a step, as the magnitude is at most 2^127; a tie would go to 0, which is even.
            (0, Rest::BelowHalf)
        };
        assemble(negative, floor, step, rest, Rounding::Nearest)
    }

    /// The float nearest to every number of the enclosure, if it is the same for all.
    fn from_enclosure(value: &Enclosure) -> Option<Self> {
        // Rounding is monotone: what both ends round to, all between them do.
        let lo = Self::from_dyadic(value.lo(), Rounding::Nearest);
        let hi = Self::from_dyadic(value.hi(), Rounding::Nearest);
        (lo == hi).then_some(hi)
    }

    /// The exponent of the unit in the last place: every float of this binade is a multiple of
    /// `2^exponent_of_ulp`, and the next one above in magnitude is one such unit away.
    ///
    /// Ensures: `MIN_EXPONENT` for 0 and the subnormals. For NaN and infinities, which have no last
    /// place, the value of [`Float::MAX`].
    #[inline]
    fn exponent_of_ulp(self) -> i32 {
        let field = exponent_field(self).min(exponent_field(Self::MAX));
        // The subnormals (field 0) share the unit of the lowest normal binade (field 1).
        Self::MIN_EXPONENT + (field.max(1) - 1) as i32
    }

    /// The unit in the last place, `2^exponent_of_ulp`; NaN for NaN and infinities.
    #[inline]
    fn ulp(self) -> Self {
        if Float::is_finite(self) { Self::from_i128(1, self.exponent_of_ulp()) } else { Self::NAN }
    }

    /// The midpoint to the next float below, or `None` if one of the two is not finite.
    fn midpoint_below(self) -> Option<Dyadic> {
        midpoint(self, Float::next_down(self))
    }

    /// The midpoint to the next float above, or `None` if one of the two is not finite.
    fn midpoint_above(self) -> Option<Dyadic> {
        midpoint(self, Float::next_up(self))
    }

    /// Whether this is neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// The least float greater than this, as [`f64::next_up`].
    fn next_up(self) -> Self;

    /// The greatest float less than this, as [`f64::next_down`].
    fn next_down(self) -> Self;

    /// The same value as a double; exact for both formats.
    fn to_f64(self) -> f64;

    /// The value in C99 hexadecimal notation: exact, and the same for equal bits.
    ///
    /// ```
    /// use lastbit_real::Float;
    ///
    /// assert_eq!(2f64.ln().to_hex(), "0x1.62e42fefa39efp-1");
    /// assert_eq!(f64::from_bits(1).to_hex(), "0x0.0000000000001p-1022");
    /// assert_eq!((-0.0f64).to_hex(), "-0x0.0p+0");
    /// assert_eq!(0.1f32.to_hex(), "0x1.99999ap-4");
    /// ```
    fn to_hex(self) -> String {
        let sign = if is_negative(self) { "-" } else { "" };
        let fraction = fraction_field(self);
        if !Float::is_finite(self) {
            return if fraction == 0 { format!("{sign}inf") } else { "nan".to_owned() };
        }
        if significand(self) == 0 {
            return format!("{sign}0x0.0p+0");
        }
        // The fraction starts at a hexadecimal digit: 52 bits are 13 digits, 23 bits and a zero are 6.
        let digits = (Self::PRECISION - 1).div_ceil(4);
        let fraction = fraction << (4 * digits - (Self::PRECISION - 1));
        let leading = u32::from(exponent_field(self) != 0);
        let exponent = self.exponent_of_ulp() + (Self::PRECISION as i32 - 1);
        format!("{sign}0x{leading}.{fraction:0width$x}p{exponent:+}", width = digits as usize)
    }

    /// The fewest decimal digits that read back as the same float: plain where no zeros have to be padded, with an exponent elsewhere.
    ///
    /// ```
    /// use lastbit_real::Float;
    ///
    /// assert_eq!(0.1f32.to_short(), "0.1");
    /// assert_eq!(372f64.to_short(), "372");
    /// assert_eq!(1.5e300.to_short(), "1.5e300");
    /// ```
    fn to_short(self) -> String {
        let magnitude = self.to_f64().abs();
        let plain = magnitude == 0.0 || (1e-5..1e16).contains(&magnitude);
        if plain { format!("{self}") } else { format!("{self:e}") }
    }

    /// Reads C99 hexadecimal notation; refuses what would have to be rounded.
    ///
    /// ```
    /// use lastbit_real::{Float, ParseNumberError};
    ///
    /// assert_eq!(f64::parse_hex("0x1.8p-3")?, 0.1875);
    /// assert!(f32::parse_hex("0x1.0000001p0").is_err());
    /// # Ok::<(), ParseNumberError>(())
    /// ```
    fn parse_hex(text: &str) -> Result<Self, ParseNumberError> {
        let literal = parse::hex_float(text)?;
        let magnitude = Self::from_rational(&literal.magnitude, Rounding::Down);
        if Self::from_rational(&literal.magnitude, Rounding::Up) != magnitude {
            return Err(ParseNumberError::Inexact { type_name: Self::NAME });
        }
        Ok(Self::from_raw(magnitude.raw() | sign_bit::<Self>(literal.negative)))
    }
}

macro_rules! impl_float {
    ($($t:ident: $precision:literal, $min_exponent:literal, $max_exponent:literal;)*) => {$(
        impl Float for $t {
            const PRECISION: u32 = $precision;
            const MIN_EXPONENT: i32 = $min_exponent;
            const MAX_EXPONENT: i32 = $max_exponent;
            const NAME: &'static str = stringify!($t);
            const MAX: $t = $t::MAX;

            #[inline]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline]
            fn next_up(self) -> $t {
                $t::next_up(self)
            }
            #[inline]
            fn next_down(self) -> $t {
                $t::next_down(self)
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}
impl_float! {
    f32: 24, -149, 127;
    f64: 53, -1074, 1023;
}

/// The double nearest to `value · 2^exponent`; see [`Float::from_i128`].
///
/// ```
/// use lastbit_real::round_i128_to_f64;
///
/// assert_eq!(round_i128_to_f64((1 << 53) + 1, 0), 9_007_199_254_740_992.0); // tie to even
/// assert_eq!(round_i128_to_f64(3, -1076), f64::from_bits(1));
/// assert_eq!(round_i128_to_f64(-1, 1024), f64::NEG_INFINITY);
/// ```
#[inline]
pub fn round_i128_to_f64(value: i128, exponent: i32) -> f64 {
    f64::from_i128(value, exponent)
}

/// The `f32` nearest to `value · 2^exponent`; see [`Float::from_i128`].
#[inline]
pub fn round_i128_to_f32(value: i128, exponent: i32) -> f32 {
    f32::from_i128(value, exponent)
}

/// The exponent of the grid that numbers in `[2^log2, 2^(log2 + 1))` are rounded to, or `None` if they
/// are beyond the largest finite value.
#[inline]
fn step_exponent<F: Float>(log2: i64) -> Option<i64> {
    let min = i64::from(F::MIN_EXPONENT);
    // The inner bound keeps the extreme exponents of dyadics from overflowing.
    (log2 <= i64::from(F::MAX_EXPONENT)).then(|| (log2.max(min) + 1 - i64::from(F::PRECISION)).max(min))
}

/// The float of magnitude `(floor + rest) · 2^step`, rounded; `floor < 2^PRECISION`, and
/// `floor >= 2^(PRECISION - 1)` unless the step is the smallest.
#[inline]
fn assemble<F: Float>(negative: bool, floor: u64, step: i64, rest: Rest, rounding: Rounding) -> F {
    let carry = rounding.goes_away_from_zero(negative, floor & 1 == 1, rest);
    // With the leading bit of a normal significand added into the exponent field, the magnitudes of
    // a format are consecutive integers: one formula for subnormals, normals and the carry from one
    // binade into the next, up to infinity.
    let field = (step - i64::from(F::MIN_EXPONENT)) as u64;
    let magnitude = (field << (F::PRECISION - 1)) + floor + u64::from(carry);
    F::from_raw(magnitude | sign_bit::<F>(negative))
}

/// What a number of at least `2^(MAX_EXPONENT + 1)` in magnitude rounds to.
#[cold]
fn overflow<F: Float>(negative: bool, rounding: Rounding) -> F {
    let to_infinity = rounding.goes_away_from_zero(negative, true, Rest::AboveHalf);
    F::from_raw((F::MAX.raw() + u64::from(to_infinity)) | sign_bit::<F>(negative))
}

fn midpoint<F: Float>(a: F, b: F) -> Option<Dyadic> {
    let sum = &a.to_dyadic().ok()? + &b.to_dyadic().ok()?;
    Some(sum.shl(-1))
}

#[inline]
fn sign_bit<F: Float>(negative: bool) -> u64 {
    if negative { F::SIGN } else { 0 }
}

#[inline]
fn is_negative<F: Float>(value: F) -> bool {
    value.raw() & F::SIGN != 0
}

#[inline]
fn exponent_field<F: Float>(value: F) -> u64 {
    // The field of infinity is all ones: twice the bias, which is MAX_EXPONENT, and one.
    let mask = 2 * F::MAX_EXPONENT as u64 + 1;
    value.raw() >> (F::PRECISION - 1) & mask
}

#[inline]
fn fraction_field<F: Float>(value: F) -> u64 {
    value.raw() & ((1 << (F::PRECISION - 1)) - 1)
}

/// The magnitude of a finite float in units of its last place.
#[inline]
fn significand<F: Float>(value: F) -> u64 {
    let leading = u64::from(exponent_field(value) != 0);
    leading << (F::PRECISION - 1) | fraction_field(value)
}

/// A significand as a machine word.
fn low_word(significand: &UBig) -> u64 {
    u64::try_from(significand).expect("a significand has at most 53 bits")
}
