//! Tier 2: 128-bit fixed point, for the values that tier 1 leaves and for scales beyond its range.
//!
//! It knows up to 127 bits of `U`, and `E = -ln U` to about 30 digits: it leaves one value in 10⁹ of those it gets to
//! tier 3, which is a hundred times slower.

use std::sync::LazyLock;

use lastbit_real::{Float, Rational};

use super::scale::{Factor, parts};

/// What is known of one value's `U`, and its sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    pub(crate) negative: bool,
    /// `bits < U·2^len < bits + 1`.
    pub(crate) bits: u128,
    pub(crate) len: u32,
}

impl Prefix {
    /// The longest prefix that this tier reads.
    pub(crate) const MAX_LEN: u32 = 127;

    /// The top `width` bits of a left-aligned word: the sign, then bits of `U`.
    #[inline]
    pub(crate) fn new(word: u64, width: u32) -> Prefix {
        Prefix { negative: word >> 63 == 1, bits: u128::from((word << 1) >> (65 - width)), len: width - 1 }
    }

    /// The prefix with the top `width` bits of a left-aligned word after it.
    #[inline]
    pub(crate) fn then(self, word: u64, width: u32) -> Prefix {
        let bits = self.bits << width | u128::from(word >> (64 - width));
        Prefix { bits, len: self.len + width, ..self }
    }
}

/// Bits after the point of a [`FixedVariable`].
const POINT: u32 = 120;

/// An enclosure of `E`, or of the magnitude of a normal variable: `value ± radius` in units of 2⁻¹²⁰, below 2¹²⁷.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedVariable {
    pub(crate) value: u128,
    pub(crate) radius: u128,
}

/// `|error| <= 2²⁰` units of 2⁻¹²⁰: see [`Tables::minus_ln`].
const LN_ERROR: u128 = 1 << 20;

impl FixedVariable {
    /// `None` if no bit of `U` is one: then nothing bounds `E` from above.
    ///
    /// With `m = bits + ½`, the centre, `|E - E(m)| <= ln(m/bits) <= 1/(2·bits)`, and `bits >= 2^(length-1)`.
    #[inline]
    pub(crate) fn enclose(prefix: Prefix) -> Option<FixedVariable> {
        if prefix.bits == 0 {
            return None;
        }
        let length = 128 - prefix.bits.leading_zeros();
        let centre = prefix.bits << 1 | 1; // of len + 1 bits after the point
        let shift = centre.leading_zeros();
        let halvings = prefix.len + 1 - (128 - shift);
        let value = TABLES.minus_ln(centre << shift) + i128::from(halvings) * TABLES.ln2;
        // Near U = 1 the error may take the value below zero, where E is not.
        let value = value.max(0) as u128;
        Some(FixedVariable { value, radius: (1 << (POINT - length.min(POINT))) + LN_ERROR })
    }
}

/// The high half of a product.
#[inline]
pub(crate) fn mul_high(a: u128, b: u128) -> u128 {
    let (a1, a0) = (a >> 64, a & u128::from(u64::MAX));
    let (b1, b0) = (b >> 64, b & u128::from(u64::MAX));
    let cross = a1 * b0 + ((a0 * b0) >> 64);
    let cross2 = a0 * b1 + (cross & u128::from(u64::MAX));
    a1 * b1 + (cross >> 64) + (cross2 >> 64)
}

/// An enclosure of `s·E`: `value ± radius` in units of `2^unit`.
#[derive(Clone, Copy)]
struct Scaled {
    value: i128,
    radius: i128,
    unit: i64,
}

/// `E·2¹²⁰ < 2¹²⁷` times a mantissa below 2¹²⁸. The mantissa is rounded down by less than 1, the product too, and the
/// radius grows by less than a factor of 1: two more units on each side.
#[inline]
fn times(scale: &impl Factor, e: FixedVariable) -> Scaled {
    let (mantissa, exponent) = scale.fixed();
    Scaled {
        value: mul_high(e.value, mantissa) as i128,
        radius: e.radius as i128 + 2,
        unit: exponent + 128 - i64::from(POINT),
    }
}

/// A number between `low` and `high`, in units of `2^unit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    pub(crate) low: i128,
    pub(crate) high: i128,
    pub(crate) unit: i64,
}

impl Fixed {
    /// A float in units of `2^unit`, or in larger ones where it would reach 2¹²⁴.
    #[inline]
    pub(crate) fn of_float<T: Float>(x: T, unit: i64) -> Fixed {
        let (significand, exponent) = parts(x);
        let shift = i64::from(exponent) - unit;
        if shift > 70 {
            let x = i128::from(significand) << 70;
            Fixed { low: x, high: x, unit: unit + (shift - 70) }
        } else if shift >= 0 {
            let x = i128::from(significand) << shift;
            Fixed { low: x, high: x, unit }
        } else {
            let x = i128::from(significand) >> (-shift).min(127);
            Fixed { low: x, high: x + 1, unit }
        }
    }

    /// A rational, likewise.
    pub(crate) fn of_rational(x: &Rational, unit: i64) -> Fixed {
        let unit = x.floor_log2().map_or(unit, |log2| unit.max(log2 - 123));
        let scaled = x * Rational::pow2(-unit);
        let low = i128::try_from(scaled.floor()).expect("below 2^124");
        Fixed { low, high: low + i128::from(!scaled.is_integer()), unit }
    }
}

/// `RN(x + σ·b·E)`, with a random sign `σ`, where `x(unit)` is in units of that size or larger ones, and the wanted real number may lie another `2^slack` away.
#[inline]
pub(crate) fn round<T: Float>(
    x: impl FnOnce(i64) -> Fixed,
    negative: bool,
    b: &impl Factor,
    e: FixedVariable,
    slack: Option<i64>,
) -> Option<T> {
    let y = times(b, e);
    let slack = match slack {
        None => 0,
        Some(k) => 1i128.checked_shl(u32::try_from((k - y.unit).max(0)).ok()?)?,
    };
    let radius = y.radius.checked_add(slack)?;
    let value = if negative { -y.value } else { y.value };
    let (mut low, mut high) = (value.checked_sub(radius)?, value.checked_add(radius)?);

    let x = x(y.unit);
    let coarser = x.unit - y.unit;
    if coarser > 0 {
        low >>= coarser.min(127);
        high = (high >> coarser.min(127)) + 1;
    }
    let unit = i32::try_from(x.unit).ok()?;
    let below = T::from_i128(x.low.checked_add(low)?, unit);
    let above = T::from_i128(x.high.checked_add(high)?, unit);
    (below == above).then_some(below)
}

/// `floor(α + σ·s·E)`, where `alpha(point)` encloses `α` in units of `2^-point`, for any `point` up to `most_point`.
#[inline]
pub(crate) fn floor(
    alpha: impl FnOnce(u32) -> (i128, i128),
    most_point: u32,
    negative: bool,
    s: &impl Factor,
    e: FixedVariable,
) -> Option<i128> {
    let y = times(s, e);
    if y.unit > 0 {
        return None; // s is so large that the integers are finer than what is known
    }
    let fine = y.unit.unsigned_abs();
    let point = fine.min(u64::from(most_point)) as u32;
    let drop = (fine - u64::from(point)).min(127) as u32;
    let value = if negative { -y.value } else { y.value };
    let (low, high) = ((value - y.radius) >> drop, ((value + y.radius) >> drop) + 1);
    let (alpha_low, alpha_high) = alpha(point);
    let below = alpha_low.checked_add(low)? >> point;
    let above = alpha_high.checked_add(high)? >> point;
    (below == above).then_some(below)
}

/// Logarithms of the numbers that reduce an argument to near 1, in units of 2⁻¹²⁰, each within one unit.
struct Tables {
    ln2: i128,
    /// For each leading byte of the argument: a factor `c/256` near its inverse, and `ln(c/256)`.
    first: [(u16, i128); 128],
    /// `ln(1 - j/2¹⁴)` at `j + SECOND`.
    second: [i128; 2 * SECOND + 1],
    /// `ln(1 - j/2²¹)` at `j + THIRD`.
    third: [i128; 2 * THIRD + 1],
}

/// Bounds on the two indices `j`, from the bounds on the remainders below.
const SECOND: usize = 82;
const THIRD: usize = 116;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// Builds the tables, which takes a millisecond or two: constructors do, so that no release is the first to need them.
pub(crate) fn build_tables() {
    LazyLock::force(&TABLES);
}

fn ln_fixed(numerator: u64, denominator: u64) -> i128 {
    let ratio = Rational::new(numerator, denominator).expect("a positive denominator");
    let ln = lastbit_real::ln_rational(&ratio, 140).expect("a positive ratio");
    i128::try_from(ln.lo().shl(i64::from(POINT)).floor()).expect("|ln| < 1")
}

impl Tables {
    fn new() -> Tables {
        Tables {
            ln2: ln_fixed(2, 1),
            first: std::array::from_fn(|i| {
                // The inverse of the middle of [(128+i)/256, (129+i)/256), times 256, to the nearest integer.
                let middle = 257 + 2 * i as u64; // over 512
                let c = (2 * 256 * 512 / middle).div_ceil(2);
                (c as u16, ln_fixed(c, 256))
            }),
            second: std::array::from_fn(|i| ln_fixed((1 << 14) + SECOND as u64 - i as u64, 1 << 14)),
            third: std::array::from_fn(|i| ln_fixed((1 << 21) + THIRD as u64 - i as u64, 1 << 21)),
        }
    }

    /// `-ln(m/2¹²⁸)` in units of 2⁻¹²⁰, for `m` with its top bit set, within `2²⁰` units.
    ///
    /// `m/2¹²⁸·c/256 = 1 + r` with `|r| <= 0.0049` (half a cell, `1/512`, over at least ½, and half a unit of `c`).
    /// Then twice `1 + r' = (1 + r)(1 - j/2^q)`, `j = round(r·2^q)`: `|r'| <= 2^-(q+1) + r²`, up to a rounding. With `q = 14`:
    /// `|j| <= 81`, `|r'| <= 5.5·10⁻⁵`; with `q = 21`: `|j| <= 116`, `|r''| <= 2.5·10⁻⁷ < 2⁻²¹·⁹`.
    ///
    /// Errors in units of 2⁻¹²⁰: the three reductions drop less than 1 each, the tables are off by at most 2 each (and
    /// `ln 2` by 2 for each of up to 127 halvings, 254); `r` cut to 83 bits after the point changes `r²/2` by
    /// `r·2⁻⁸³ < 2⁻¹⁰⁴`, so `2¹⁶`; the cuts in `r³/3` and `r⁴/4` less than 4 together; the series stops at `r⁵/5 < 2⁻¹¹¹`,
    /// `2⁹`. In all below `2¹⁸`.
    #[inline]
    fn minus_ln(&self, m: u128) -> i128 {
        let (c, ln_c) = self.first[(m >> 120) as usize & 0x7f];
        // m·c in units of 2⁻¹³⁶, minus 1, cut to units of 2⁻¹²⁰.
        let low = u128::from(m as u64) * u128::from(c);
        let high = (m >> 64) * u128::from(c) + (low >> 64);
        let r = ((high as i128 - (1 << 72)) << 48) | i128::from((low as u64) >> 16);

        let j = (r + (1 << 105)) >> 106;
        let r = r - (j << 106) - ((r * j) >> 14);
        let ln_2nd = self.second[(j + SECOND as i128) as usize];
        let j = (r + (1 << 98)) >> 99;
        let r = r - (j << 99) - ((r * j) >> 21);
        let ln_3rd = self.third[(j + THIRD as i128) as usize];

        let r1 = r >> 37; // 83 bits after the point, below 2^61.1
        let square = r1 * r1; // 166 bits
        let r2 = square >> 63; // 103 bits, below 2^59.2
        let cube = (r1 * r2) >> 64; // 122 bits, below 2^56.3
        let third = (cube * ((1 << 62) / 3)) >> 64; // r³/3, 120 bits
        let fourth = (r2 * r2) >> 88; // r⁴/4, 120 bits
        let ln_1p = r - (square >> 47) + third - fourth;
        ln_c + ln_2nd + ln_3rd - ln_1p
    }
}
