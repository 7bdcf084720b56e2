//! Enclosures of `π`, `sin` and `cos`.
//!
//! The guarantee is stated in the documentation of the crate. As in `elementary`, "w" stands for the width divided
//! by `2^-bits · |true value|` and has to be at most 1.

use dashu_base::{BitTest, DivRemEuclid, Sign, UnsignedAbs};
use dashu_int::{IBig, UBig};

use crate::circular_series::{CIRCULAR_UNITS, PI_UNITS, cos_reduced, pi_fixed, sin_reduced};
use crate::elementary::{Argument, EXTRA_BITS, LIMIT_LOG2, MIN_BITS};
use crate::{DomainError, Dyadic, Enclosure, Rational};

/// `π`.
///
/// ```
/// use lastbit_real::{Float, pi};
///
/// assert_eq!(f64::from_enclosure(&pi(100)), Some(std::f64::consts::PI));
/// assert!(pi(200).width() < lastbit_real::Dyadic::pow2(-198));
/// ```
pub fn pi(bits: u32) -> Enclosure {
    // w = PI_UNITS / π < 1, whatever `bits` is.
    let p = bits as usize;
    let lower = pi_fixed(p);
    let upper = &lower + PI_UNITS;
    Enclosure::from_ordered(Dyadic::new(lower, -(p as i64)), Dyadic::new(upper, -(p as i64)))
}

/// The sine. See the [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// ```
/// use lastbit_real::{Dyadic, Float, sin};
///
/// let almost_pi = Dyadic::try_from(std::f64::consts::PI)?;
/// let sine = sin(&almost_pi, 64)?; // what the double lacks to π, to 64 bits of its own
/// assert_eq!(f64::from_enclosure(&sine), Some(1.2246467991473532e-16));
/// assert!(sin(&Dyadic::pow2(60), 64).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sin(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    sin_of(x, Start::Sine, bits)
}

/// [`sin`] of a fraction.
pub fn sin_rational(x: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    sin_of(x, Start::Sine, bits)
}

/// The cosine. See the [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// ```
/// use lastbit_real::{Dyadic, Enclosure, cos};
///
/// assert_eq!(cos(&Dyadic::ZERO, 64)?, Enclosure::exact(Dyadic::ONE));
/// assert!(cos(&Dyadic::from(2), 64)?.hi() < &Dyadic::ZERO);
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn cos(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    sin_of(x, Start::Cosine, bits)
}

/// [`cos`] of a fraction.
pub fn cos_rational(x: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
    sin_of(x, Start::Cosine, bits)
}

/// Where a function starts on the circle, in quarters: `cos x = sin(x + π/2)`.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Sine = 0,
    Cosine = 1,
}

/// The sine of `x` and what `start` adds to it.
fn sin_of(x: &impl Argument, start: Start, bits: u32) -> Result<Enclosure, DomainError> {
    let Some(log2) = x.floor_log2() else {
        let value = if start == Start::Sine { Dyadic::ZERO } else { Dyadic::ONE };
        return Ok(Enclosure::exact(value));
    };
    if log2 >= LIMIT_LOG2 {
        return Err(DomainError::TooLarge);
    }
    let bits = bits.max(MIN_BITS);
    if log2 < -i64::from(bits / 2) - 1 {
        return Ok(sin_of_tiny(x, start, bits));
    }

    // The value is known to CIRCULAR_UNITS (the series) and 2 more (the argument, see reduce; a sine moves at most as much):
    // less than 8 units on each side. With lower >= 32 · 2^bits the width of 16 gives w = 1/2; the rounding adds 1/4.
    const UNITS: u32 = CIRCULAR_UNITS + 4;
    // The sine of a small argument is small: as many bits more. (`log2` is above -2^31 here.)
    let mut p = bits as usize + 8 + if start == Start::Sine { (-log2).max(0) as usize } else { 0 };
    let enough: UBig = (UBig::from(32u8) << bits as usize) + UBig::from(UNITS);
    loop {
        let (quarters, r) = reduce(x, log2, p);
        let quarter = (quarters + start as i64).rem_euclid(4);
        let magnitude = (&r).unsigned_abs();
        let (value, negative) = match quarter % 2 {
            0 => (sin_reduced(&magnitude, p), r.sign() == Sign::Negative),
            _ => (cos_reduced(&magnitude, p), false),
        };
        if value >= enough {
            let (lower, upper) = (&value - UBig::from(UNITS), value + UBig::from(UNITS));
            let end = |value: UBig| Dyadic::new(value, -(p as i64));
            let enclosure = Enclosure::from_ordered(end(lower), end(upper)).round(bits + EXTRA_BITS);
            // No sine is above 1.
            let magnitude = enclosure.min(&Enclosure::exact(Dyadic::ONE));
            return Ok(if negative != (quarter >= 2) { -&magnitude } else { magnitude });
        }
        // Near a zero. There is none at a rational number other than 0 (π is transcendental), so at some precision
        // the value stands out; as many bits more as are missing, at least 1.
        p += bits as usize + 7 - value.bit_len();
    }
}

/// The sine or cosine of `0 < |x| < 2^-(bits/2 + 1)`, so that `x² < 2^-(bits + 1)`.
fn sin_of_tiny(x: &impl Argument, start: Start, bits: u32) -> Enclosure {
    if start == Start::Cosine {
        // 1 - x²/2 <= cos x <= 1. w = 1.01/4.
        let lower = &Dyadic::ONE - &Dyadic::pow2(-i64::from(bits) - 2);
        return Enclosure::from_ordered(lower, Dyadic::ONE);
    }
    // |x| - |x|³/6 <= |sin x| <= |x|, and x²/6 < 2^-(bits + 3). w = 1.01 · (1/4 + 1/8).
    let magnitude = x.enclosure(bits + 2).abs();
    let lower = magnitude.lo() - &magnitude.lo().shl(-i64::from(bits) - 3);
    let magnitude = Enclosure::from_ordered(lower, magnitude.hi().clone());
    if x.is_negative() { -&magnitude } else { magnitude }
}

/// `x = k · π/2 + r` with `|r| <= π/4`, for `2^log2 <= |x| < 2^(log2 + 1)`: `k`, and `r` at precision `p`.
///
/// Ensures: `r` is less than 2 units off, and at most `π/4`.
fn reduce(x: &impl Argument, log2: i64, p: usize) -> (i64, IBig) {
    // By division with remainder of integers at precision p + guard: X <= x < X + 1 and Q <= π/2 <= Q + 2 in units of that precision,
    // and the remainder is X - k Q. The true one differs from it by at most 1 + 2 |k| units, and |k| < |x| / 1.57 + 1.01 < 2^(guard - 2):
    // less than 1 unit at precision p. Cutting it down to precision p, toward 0, loses less than 1 more.
    let guard = log2.max(0) as usize + 4;
    let quarter = IBig::from(pi_fixed(p + guard - 1));
    let half = &quarter >> 1;
    let (k, above) = (x.floor_fixed(p + guard) + &half).div_rem_euclid(&quarter);
    let k = i64::try_from(k).expect("|x| < 2^60, so the quotient has at most 61 bits");
    let r = IBig::from(above) - half;
    let cut = IBig::from((&r).unsigned_abs() >> guard);
    (k, if r.sign() == Sign::Negative { -cut } else { cut })
}

/// The circular functions of an interval: between the images of its ends, and the extremes that lie between them.
impl Enclosure {
    /// Contains `sin x` for every `x` of the interval.
    pub fn sin(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.sin_from(Start::Sine, bits)
    }

    /// Contains `cos x` for every `x` of the interval.
    pub fn cos(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.sin_from(Start::Cosine, bits)
    }

    fn sin_from(&self, start: Start, bits: u32) -> Result<Enclosure, DomainError> {
        /// Tells extremes apart up to 2^60, and which side of one an end is on unless it is 2^-60 close.
        const PRECISION: u32 = 128;
        let ends = self.lift(|x| sin_of(x, start, bits))?;
        if self.lo() == self.hi() {
            return Ok(ends);
        }
        // The extremes are where x + start · π/2 = π/2 + n π: there the value is (-1)^n. One that is taken to be in the interval and is
        // not makes the image larger, which is allowed.
        let shift = Enclosure::exact(Dyadic::new(start as i64 - 1, -1));
        let turns = &self.div(&pi(PRECISION), PRECISION).expect("π is not 0") + &shift;
        let (first, last) = (turns.lo().ceil(), turns.hi().floor());
        let one = Enclosure::exact(Dyadic::ONE);
        Ok(match &last - &first {
            none if none < IBig::ZERO => ends,
            // The lowest bit of a negative integer is that of its magnitude.
            only if only.is_zero() && first.unsigned_abs().bit(0) => ends.hull(&-&one),
            only if only.is_zero() => ends.hull(&one),
            _ => (-&one).hull(&one),
        })
    }
}
