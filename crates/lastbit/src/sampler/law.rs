//! The laws: what each mechanism computes from `E` and the sign, for tiers 2 and 3.

use std::marker::PhantomData;

use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational, Rounding, expm1_rational};

use super::Law;
use super::scale::{Factor, Scale, parts};
use super::tier2::{self, Fixed, FixedVariable};
use crate::Real;

/// `RN(x + σ·b·E)`. Zero is always +0; an overflow is ±∞.
pub(crate) struct RoundLaw<'a, T, B = Scale> {
    pub(crate) x: T,
    pub(crate) b: &'a B,
}

/// `+0` for `-0`, everything else as it is.
fn positive_zero<T: Float>(x: T) -> T {
    if x.to_f64() == 0.0 { T::from_i128(0, 0) } else { x }
}

/// A variable with its sign.
fn signed(negative: bool, e: &Enclosure) -> Enclosure {
    if negative { -e } else { e.clone() }
}

fn exact<T: Float>(x: T) -> Enclosure {
    Enclosure::exact(x.to_dyadic().expect("a finite value"))
}

impl<T: Float, B: Factor> Law for RoundLaw<'_, T, B> {
    type Output = T;

    #[inline]
    fn tier2(&self, negative: bool, e: FixedVariable) -> Option<T> {
        tier2::round(|unit| Fixed::of_float(self.x, unit), negative, self.b, e, None).map(positive_zero)
    }

    fn tier3(&self, negative: bool, e: &Enclosure, bits: u32) -> Option<T> {
        let y = &signed(negative, e) * &self.b.enclose(bits);
        T::from_enclosure(&(&exact(self.x) + &y)).map(positive_zero)
    }
}

/// `RN(x + σ·b·E)` for a rational `x`, as [`RoundLaw`].
pub(crate) struct RealLaw<'a, T, B = Scale> {
    pub(crate) x: Rational,
    pub(crate) b: &'a B,
    pub(crate) rounds_to: PhantomData<T>,
}

impl<'a, T: Float, B: Factor> RealLaw<'a, T, B> {
    pub(crate) fn new(x: &Real, b: &'a B) -> RealLaw<'a, T, B> {
        RealLaw { x: x.to_rational(), b, rounds_to: PhantomData }
    }
}

impl<T: Float, B: Factor> Law for RealLaw<'_, T, B> {
    type Output = T;

    fn tier2(&self, negative: bool, e: FixedVariable) -> Option<T> {
        tier2::round(|unit| Fixed::of_rational(&self.x, unit), negative, self.b, e, None).map(positive_zero)
    }

    fn tier3(&self, negative: bool, e: &Enclosure, bits: u32) -> Option<T> {
        let y = &signed(negative, e) * &self.b.enclose(bits);
        T::from_enclosure(&(&Enclosure::of_rational(&self.x, bits) + &y)).map(positive_zero)
    }
}

/// `c = s·ln(2/(1 + e^(-1/s)))`, the offset that makes `σ·floor(s·E + c)` the discrete Laplace variable of scale `s`.
///
/// Why: `P(floor(s·E + c) >= j) = P(E >= (j - c)/s) = e^((c-j)/s) = 2·q^j/(1 + q)` for `j >= 1`, with `q = e^(-1/s)`; and that is
/// `P(|Z| >= j)` if `P(Z = z)` is proportional to `q^|z|`. The sign is fair, and both signs give 0 alike.
/// `0 < c < 1`: `e^(c/s)` lies between 1 and `e^(1/s)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Centre {
    s: Rational,
    /// The bits of the double nearest to `c - ½`.
    skew: u64,
    /// `c` in units of 2⁻¹²⁴, rounded down.
    fixed: i128,
}

/// Bits after the point of [`Centre::fixed`].
const CENTRE_POINT: u32 = 124;

impl Centre {
    pub(crate) fn new(s: &Rational) -> Centre {
        let c = Self::enclose_for(s, 150);
        let skew = f64::from_dyadic(&(c.lo() - &Dyadic::pow2(-1)), Rounding::Nearest);
        Centre {
            s: s.clone(),
            skew: skew.to_bits(),
            fixed: i128::try_from(c.lo().shl(i64::from(CENTRE_POINT)).floor()).expect("0 < c < 1"),
        }
    }

    /// `c = -s·log1p(expm1(-1/s)/2)`: the form that stays accurate when `s` is large.
    fn enclose_for(s: &Rational, bits: u32) -> Enclosure {
        let minus_inverse = -s.recip().expect("a positive scale");
        let log = match expm1_rational(&minus_inverse, bits + 4) {
            Ok(q_minus_1) => q_minus_1.shl(-1).log1p(bits + 4).expect("above -1/2"),
            // 1/s >= 2⁶⁰: e^(-1/s) is below 2^-(bits+40), since `bits` is a u32, and the logarithm is -ln 2 up to that.
            Err(_) => {
                let log = -&lastbit_real::ln2(bits + 4);
                log.hull(&Enclosure::exact(log.hi() + &Dyadic::pow2(-i64::from(bits) - 40)))
            }
        };
        (&-&log * &Enclosure::of_rational(s, bits + 4)).round(bits + 2)
    }

    /// An enclosure of `c` to `bits`.
    pub(crate) fn enclose(&self, bits: u32) -> Enclosure {
        Self::enclose_for(&self.s, bits)
    }

    /// `c - ½`, up to 2⁻⁵⁴.
    pub(crate) fn skew(&self) -> f64 {
        f64::from_bits(self.skew)
    }

    fn fixed(&self, negative: bool, point: u32) -> (i128, i128) {
        // `fixed` comes from the lower end of an enclosure: c may lie a little above the next unit.
        let low = self.fixed >> (CENTRE_POINT - point);
        let one = 1i128 << point;
        if negative { (one - low - 2, one - low) } else { (low, low + 2) }
    }
}

/// `α` of a [`FloorLaw`].
pub(crate) enum Offset<'a> {
    /// `c` for the positive sign, `1 - c` for the negative.
    Centre(&'a Centre),
    /// `0`, for the positive sign alone.
    Zero,
    /// `½`.
    Half,
    /// `x/2^grid + ½`, with its integer part; `|x| < 2^(grid + 53)`.
    Cells {
        /// The value.
        x: f64,
        /// The exponent of a cell's width.
        grid: i32,
    },
    /// The same for a rational `x`.
    RealCells {
        /// The value.
        x: &'a Rational,
        /// The exponent of a cell's width.
        grid: i32,
    },
}

/// An enclosure in units of `2^-point`, and ½.
fn plus_half((low, high): (i128, i128), point: u32) -> (i128, i128) {
    if point == 0 { (low, high + 1) } else { (low + (1 << (point - 1)), high + (1 << (point - 1))) }
}

impl Offset<'_> {
    /// The most bits after the point that [`fixed`](Self::fixed) can give.
    fn most_point(&self) -> u32 {
        match self {
            Offset::Centre(_) | Offset::Zero | Offset::Half => CENTRE_POINT,
            Offset::Cells { .. } | Offset::RealCells { .. } => 70,
        }
    }

    fn fixed(&self, negative: bool, point: u32) -> (i128, i128) {
        match self {
            Offset::Centre(c) => c.fixed(negative, point),
            Offset::Zero => (0, 0),
            // `point` is 0 only when s is so large that a unit is an integer.
            Offset::Half if point == 0 => (0, 1),
            Offset::Half => (1 << (point - 1), 1 << (point - 1)),
            Offset::Cells { x, grid } => {
                let (significand, exponent) = parts(*x);
                let shift = exponent - grid + point as i32;
                let significand = i128::from(significand);
                let (low, high) = if shift >= 0 {
                    (significand << shift, significand << shift)
                } else {
                    let low = significand >> (-shift).min(127);
                    (low, low + 1)
                };
                plus_half((low, high), point)
            }
            Offset::RealCells { x, grid } => {
                // Below 2¹²³: no unit is too small.
                let fixed = Fixed::of_rational(x, i64::from(*grid) - i64::from(point));
                plus_half((fixed.low, fixed.high), point)
            }
        }
    }

    fn enclose(&self, negative: bool, bits: u32) -> Enclosure {
        let half = Enclosure::exact(Dyadic::pow2(-1));
        match self {
            Offset::Centre(c) if negative => &Enclosure::exact(Dyadic::ONE) - &c.enclose(bits),
            Offset::Centre(c) => c.enclose(bits),
            Offset::Zero => Enclosure::exact(Dyadic::ZERO),
            Offset::Half => half,
            Offset::Cells { x, grid } => &exact(*x).shl(-i64::from(*grid)) + &half,
            Offset::RealCells { x, grid } => &Enclosure::of_rational(x, bits).shl(-i64::from(*grid)) + &half,
        }
    }
}

/// `floor(α_σ + σ·s·E)`.
pub(crate) struct FloorLaw<'a, B = Scale> {
    pub(crate) s: &'a B,
    pub(crate) offset: Offset<'a>,
}

impl<B: Factor> FloorLaw<'_, B> {
    /// The least and the largest integer that the known bits allow.
    fn range(&self, negative: bool, e: &Enclosure, bits: u32) -> (IBig, IBig) {
        let y = &signed(negative, e) * &self.s.enclose(bits);
        // The offset is of order 1: absolute accuracy is what counts.
        let v = &self.offset.enclose(negative, bits) + &y;
        (v.lo().floor(), v.hi().floor())
    }
}

impl<B: Factor> Law for FloorLaw<'_, B> {
    type Output = IBig;

    #[inline]
    fn tier2(&self, negative: bool, e: FixedVariable) -> Option<IBig> {
        let offset = |point| self.offset.fixed(negative, point);
        tier2::floor(offset, self.offset.most_point(), negative, self.s, e).map(IBig::from)
    }

    fn tier3(&self, negative: bool, e: &Enclosure, bits: u32) -> Option<IBig> {
        let (low, high) = self.range(negative, e, bits);
        (low == high).then_some(low)
    }
}

/// `RN((i + Z)·2^k)`, with `Z` the discrete Laplace variable: the sum on the grid, rounded once.
pub(crate) struct GridLaw<'a, T> {
    pub(crate) noise: FloorLaw<'a>,
    /// The scale in units of 1, for the fine grids.
    pub(crate) b: &'a Scale,
    pub(crate) x: T,
    pub(crate) k: i32,
}

/// From this `log2 s` on the grid is so fine that the real variable, rounded, nearly always is the answer.
pub(crate) const FINE_GRID: i64 = 88;

/// `x` in units of `2^k`, rounded half up.
pub(crate) fn grid_index<T: Float>(x: T, k: i32) -> IBig {
    let x = x.to_dyadic().expect("a finite value");
    (x.shl(-i64::from(k)) + Dyadic::pow2(-1)).floor()
}

impl<T: Float> GridLaw<'_, T> {
    fn output(&self, z: &IBig) -> T {
        let sum = grid_index(self.x, self.k) + z;
        positive_zero(T::from_dyadic(&Dyadic::new(sum, i64::from(self.k)), Rounding::Nearest))
    }
}

impl<T: Float> Law for GridLaw<'_, T> {
    type Output = T;

    fn tier2(&self, negative: bool, e: FixedVariable) -> Option<T> {
        if self.noise.s.floor_log2() >= FINE_GRID {
            // |Z·2^k - σ·b·E| < 2^k, and x moves by at most 2^(k-1) on its way to the grid.
            let x = |unit| Fixed::of_float(self.x, unit);
            tier2::round(x, negative, self.b, e, Some(i64::from(self.k) + 1)).map(positive_zero)
        } else {
            self.noise.tier2(negative, e).map(|z| self.output(&z))
        }
    }

    fn tier3(&self, negative: bool, e: &Enclosure, bits: u32) -> Option<T> {
        let (low, high) = self.noise.range(negative, e, bits);
        let (below, above) = (self.output(&low), self.output(&high));
        (below == above).then_some(below)
    }
}

/// `E > γ`.
pub(crate) struct AcceptLaw {
    gamma: Rational,
    /// `γ` in units of 2⁻¹²⁰, rounded down; at most 2¹²⁷ - 1, which is above every `E` of tier 2.
    fixed: u128,
}

impl AcceptLaw {
    pub(crate) fn new(gamma: Rational) -> AcceptLaw {
        let fixed = u128::try_from((&gamma * Rational::pow2(120)).floor()).unwrap_or(u128::MAX);
        AcceptLaw { gamma, fixed: fixed.min(i128::MAX as u128) }
    }
}

impl Law for AcceptLaw {
    type Output = bool;

    fn tier2(&self, _negative: bool, e: FixedVariable) -> Option<bool> {
        if e.value.saturating_sub(e.radius) > self.fixed {
            Some(true)
        } else if e.value + e.radius < self.fixed {
            Some(false)
        } else {
            None
        }
    }

    fn tier3(&self, _negative: bool, e: &Enclosure, _bits: u32) -> Option<bool> {
        Some(e.cmp_to(&self.gamma)? == std::cmp::Ordering::Greater)
    }
}
