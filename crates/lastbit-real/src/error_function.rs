//! Enclosures of the complementary error function `erfc x` and of its scaled form `erfcx x = e^(x²) · erfc x`.
//!
//! The guarantee is stated in the documentation of the crate. Here it comes about in another way than in `elementary`: lower
//! and upper bounds are computed apart, each operation rounded in its direction, so that containing the value needs no more proof than the
//! formula; and the width is looked at in the end, with more bits if it is not small enough.

use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

use crate::elementary::{EXTRA_BITS, MIN_BITS};
use crate::{DomainError, Dyadic, Enclosure, exp, pi};

/// The complementary error function, `2/√π` times the integral of `e^(-t²)` from `x` on. See the
/// [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// Fails with [`DomainError::TooLarge`] for `x >= 2^30`, where the exponent of the result would have 60 bits or more: use [`erfcx`].
///
/// ```
/// use lastbit_real::{Dyadic, Float, erfc};
///
/// // 2Φ(-1), the probability that a normal variable is more than one standard deviation off.
/// let x = lastbit_real::sqrt(&Dyadic::pow2(-1), 80)?;
/// assert_eq!(f64::from_enclosure(&x.erfc(64)?), Some(0.31731050786291410));
/// assert_eq!(erfc(&Dyadic::from(1000), 64)?.hi().floor_log2(), Some(-1_442_706));
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn erfc(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    let bits = bits.max(MIN_BITS);
    if x.is_zero() {
        return Ok(Enclosure::exact(Dyadic::ONE));
    }
    if x.is_negative() {
        return Ok(erfc_of_negative(&x.abs(), bits));
    }
    if is_tiny(x, bits) {
        return Ok(near_one(false, bits));
    }
    // w = 1/4 + 1/4 for the factors, a little for their product, 1/4 for the rounding.
    let power = exp(&-(x * x), bits + 2)?;
    Ok((&erfcx_of_positive(x, bits + 2) * &power).round(bits + EXTRA_BITS))
}

/// `e^(x²) · erfc x`, which falls as `1/(x√π)` where `erfc` itself falls as `e^(-x²)`: no positive `x` is too large for it. See the
/// [guarantee](crate#guarantee-of-the-elementary-functions).
///
/// Fails with [`DomainError::TooLarge`] for `x <= -2^30`, where it is about `2 · e^(x²)`.
///
/// ```
/// use lastbit_real::{Dyadic, Float, erfcx};
///
/// assert_eq!(f64::from_enclosure(&erfcx(&Dyadic::ONE, 64)?), Some(0.42758357615580700));
/// let far = erfcx(&Dyadic::pow2(1_000_000), 64)?;
/// assert_eq!(far.hi().floor_log2(), Some(-1_000_001));
/// # Ok::<(), lastbit_real::DomainError>(())
/// ```
pub fn erfcx(x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
    let bits = bits.max(MIN_BITS);
    if x.is_zero() {
        return Ok(Enclosure::exact(Dyadic::ONE));
    }
    if is_tiny(x, bits) {
        return Ok(near_one(x.is_negative(), bits));
    }
    if !x.is_negative() {
        return Ok(erfcx_of_positive(x, bits));
    }
    // 2 e^(x²) - erfcx |x|, and the second is at most 1, the difference at least e^(x²) >= 1. w = 2/8 + 1/4, and 1/4 for the rounding.
    // An e^(x²) far above 1 is rounded first, so that the 1 is not aligned with it: it is less than 2^-(bits + 3) of it, w = 1/8 more.
    let power = exp(&(x * x), bits + 3)?.shl(1);
    if power.lo().floor_log2() > Some(i64::from(bits) + 3) {
        let lower = power.lo() - &power.lo().shl(-i64::from(bits) - 3);
        return Ok(Enclosure::from_ordered(lower, power.hi().clone()).round(bits + EXTRA_BITS));
    }
    Ok((&power - &erfcx_of_positive(&x.abs(), bits + 2)).round(bits + EXTRA_BITS))
}

/// Whether `|x| < 2^-(bits + 2)`, for `x` other than 0.
fn is_tiny(x: &Dyadic, bits: u32) -> bool {
    x.floor_log2() < Some(-i64::from(bits) - 2)
}

/// `erfc x` and `erfcx x` for `|x| < 2^-(bits + 2)`: between 1 and `1 ± 2^-(bits + 1)`, since both slopes are at most 2 in magnitude there.
fn near_one(negative: bool, bits: u32) -> Enclosure {
    let distance = Dyadic::pow2(-i64::from(bits) - 1);
    if negative {
        Enclosure::from_ordered(Dyadic::ONE, &Dyadic::ONE + &distance)
    } else {
        Enclosure::from_ordered(&Dyadic::ONE - &distance, Dyadic::ONE)
    }
}

/// `erfc(-x) = 2 - erfc x` for `x > 0`, a value in `[1, 2]`.
fn erfc_of_negative(x: &Dyadic, bits: u32) -> Enclosure {
    if is_tiny(x, bits) {
        return near_one(true, bits);
    }
    let two = Dyadic::from(2);
    if is_beyond(x, bits) {
        // erfc x <= e^(-x²) < 2^-(bits + 2). w = 1/4.
        return Enclosure::from_ordered(&two - &Dyadic::pow2(-i64::from(bits) - 2), two);
    }
    // erfc x <= 1 is known to 2^-(bits + 2) of itself: w = 1/4, and 1/4 for the rounding.
    let tail = erfc(x, bits + 2).expect("x² < bits + 2 < 2^60");
    (&Enclosure::exact(two) - &tail).round(bits + EXTRA_BITS)
}

/// Whether `x² >= bits + 2`, so that `e^(-x²) < 2^-(bits + 2)`: true for every `x >= 1 + √(bits + 2)`, and never for a smaller square.
fn is_beyond(x: &Dyadic, bits: u32) -> bool {
    // The size alone tells of large numbers, which have many digits.
    x.floor_log2() >= Some(17) || x.floor() * x.floor() >= IBig::from(u64::from(bits) + 2)
}

/// `erfcx x` for `x > 0`.
fn erfcx_of_positive(x: &Dyadic, bits: u32) -> Enclosure {
    // More bits than asked for. Most arguments need one attempt.
    let mut more = 8;
    loop {
        let enclosure =
            if is_beyond(x, bits + 6) { asymptotic(x, bits, more) } else { by_difference(x, bits + more) };
        // w = 1/2, and 1/4 for the rounding.
        if enclosure.width() <= enclosure.lo().shl(-i64::from(bits) - 1) {
            return enclosure.round(bits + EXTRA_BITS);
        }
        more *= 2;
    }
}

/// A number in units of `2^-q`, rounded down and up.
fn fixed(x: &Enclosure, q: usize) -> [UBig; 2] {
    let end = |end: IBig| UBig::try_from(end).expect("not negative");
    [end(x.lo().floor_scaled(-(q as i64))), end(x.hi().shl(q as i64).ceil())]
}

fn from_fixed(low: IBig, high: IBig, q: usize) -> Enclosure {
    Enclosure::from_ordered(Dyadic::new(low, -(q as i64)), Dyadic::new(high, -(q as i64)))
}

/// `floor(a · b / 2^q)` and `ceil`.
fn times(low: &UBig, high: &UBig, factor: &[UBig; 2], q: usize) -> [UBig; 2] {
    [(low * &factor[0]) >> q, shifted_up(high * &factor[1], q)]
}

/// `ceil(a / 2^q)`.
fn shifted_up(a: UBig, q: usize) -> UBig {
    (a + ((UBig::ONE << q) - UBig::ONE)) >> q
}

/// `erfcx x = e^(x²) - 2/√π · S(x)` with `S(x) = x · (1 + 2x²/3 + (2x²)²/(3·5) + …)`, all of whose terms are positive (DLMF 7.6.2).
///
/// The difference is at least `0.56/(x + 1)`, about `1.45 x² + log2(x + 1)` bits below `e^(x²)`: as many bits more.
fn by_difference(x: &Dyadic, bits: u32) -> Enclosure {
    let square = x * x;
    // x is at most 1 + √(bits + 8): few digits before the point.
    let whole = u32::try_from(square.ceil()).expect("x² is of the order of `bits`");
    let cancelled = whole + whole / 2 + 4;
    let q = (bits + cancelled) as usize;
    let twice_square = fixed(&Enclosure::exact(square.shl(1)), q);
    let [mut low, mut high] = fixed(&Enclosure::exact(x.clone()), q);
    let (mut sum_low, mut sum_high) = (low.clone(), high.clone());
    let mut odd = 1u32;
    // From 2x²/odd <= 1/2 on each term is at most half of the one before, and those left out at most as much as the last one.
    while high > UBig::ONE || odd < 4 * whole {
        odd += 2;
        let [lower, upper] = times(&low, &high, &twice_square, q);
        low = lower / odd;
        high = (upper + UBig::from(odd - 1)) / odd;
        sum_low += &low;
        sum_high += &high;
    }
    let sum = from_fixed(IBig::from(sum_low), IBig::from(sum_high + high), q);
    let root_pi = pi(q as u32 + 4).sqrt(q as u32 + 4).expect("π > 0");
    let product = sum.shl(1).div(&root_pi, q as u32).expect("√π is not 0");
    let power = exp(&square, q as u32).expect("x² is of the order of `bits`");
    &power - &product
}

/// `erfcx x = 1/(x√π) · (1 - 1/(2x²) + 1·3/(2x²)² - 1·3·5/(2x²)³ + …)`: the series diverges, but what a partial sum lacks has the sign of
/// the first term left out and is at most as large (DLMF 7.12.1, for real `x`).
///
/// Requires: `x² >= bits + 8`. Then terms fall until their index is about `x²` and reach about `e^(-x²)`, which is below `2^-(bits + 8)`.
fn asymptotic(x: &Dyadic, bits: u32, more: u32) -> Enclosure {
    let q = (bits + more) as usize + (bits as usize).bit_len();
    let one = UBig::ONE << q;
    let square = Enclosure::exact((x * x).shl(1));
    let ratio = Enclosure::exact(Dyadic::ONE).div(&square, q as u32).expect("x is not 0");
    let ratio = fixed(&ratio, q);
    let small = UBig::ONE << (q - (bits + 4) as usize);
    let [mut low, mut high] = [one.clone(), one.clone()];
    let (mut sum_low, mut sum_high) = (IBig::ZERO, IBig::ZERO);
    let mut odd = 1u32;
    let mut positive = true;
    while high > small {
        if positive {
            sum_low += IBig::from(low.clone());
            sum_high += IBig::from(high.clone());
        } else {
            sum_low -= IBig::from(high.clone());
            sum_high -= IBig::from(low.clone());
        }
        [low, high] = times(&(low * odd), &(high * odd), &ratio, q);
        odd += 2;
        positive = !positive;
    }
    // What is lacking is between 0 and the next term.
    if positive {
        sum_high += IBig::from(high)
    } else {
        sum_low -= IBig::from(high)
    }
    let root_pi = pi(q as u32 + 4).sqrt(q as u32 + 4).expect("π > 0");
    let divisor = &root_pi * &Enclosure::exact(x.clone());
    from_fixed(sum_low, sum_high, q).div(&divisor, q as u32).expect("x√π is not 0")
}

/// Functions that fall with their argument.
impl Enclosure {
    /// Contains `erfc x` for every `x` of the interval.
    pub fn erfc(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| erfc(x, bits))
    }

    /// Contains `e^(x²) · erfc x` for every `x` of the interval.
    pub fn erfcx(&self, bits: u32) -> Result<Enclosure, DomainError> {
        self.lift(|x| erfcx(x, bits))
    }
}
