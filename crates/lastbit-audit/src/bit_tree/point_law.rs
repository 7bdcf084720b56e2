//! What the real Gaussian gives at one point of the plane, by enclosures alone.
//!
//! The value is `x ± σ·R·side`, with `R = √(2E)`, `E = -ln U`, and the cosine or the sine of `(π/4)·V` as the side. A cut is reached if
//! that exceeds its edge `x + t`, the midpoint below it. With `q = t²/(2σ²)` it is the question whether `E·side²` exceeds `q`: no root is drawn, and
//! nothing is shared with tiers 1 and 2. Tier 3 stands on the same enclosures of `lastbit-real`.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational, pi};

use super::error::BitTreeError;
use super::laws::{exact, half_below};

/// Bits of enclosures: those of `U` and `V` are known up to `2^-200`.
const BITS: u32 = 420;

/// Bits of `U` and of `V` in the three words of a pair.
pub(super) const U_BITS: u32 = 95;
pub(super) const V_BITS: u32 = 94;

/// Bits of either in the last of these words.
pub(super) const LOW_BITS: u32 = 32;

/// Where the edge of a cut lies.
struct Edge {
    /// At the input or above it: only the positive sign gets there.
    above: bool,
    /// `t²/(2σ²)`.
    q: Rational,
}

/// The law of the real Gaussian at every point, as events between cuts.
pub struct PointLaw {
    edges: Vec<Edge>,
}

impl PointLaw {
    /// Of `RN(x + σ·G)` on the floats of type `T`, from `σ²`; the cuts must be such floats.
    ///
    /// # Errors
    /// [`BitTreeError::OutOfRange`] if a number is not finite.
    pub(crate) fn of_floats<T: Float>(
        variance: &Rational,
        x: f64,
        cuts: &[f64],
    ) -> Result<PointLaw, BitTreeError> {
        PointLaw::new(variance, x, cuts, half_below::<T>)
    }

    /// Of the integer nearest to `x + σ·G`, from `σ²`.
    ///
    /// # Errors
    /// As [`of_floats`](Self::of_floats).
    pub(crate) fn of_integers(variance: &Rational, x: f64, cuts: &[f64]) -> Result<PointLaw, BitTreeError> {
        PointLaw::new(variance, x, cuts, |cut| Ok(exact(cut)? - Rational::pow2(-1)))
    }

    fn new(
        variance: &Rational,
        x: f64,
        cuts: &[f64],
        midpoint_below: impl Fn(f64) -> Result<Rational, BitTreeError>,
    ) -> Result<PointLaw, BitTreeError> {
        let x = exact(x)?;
        let edge = |cut: &f64| {
            let t = midpoint_below(*cut)? - &x;
            Ok(Edge { above: !t.is_negative(), q: t.pow(2) / (variance * Rational::from(2)) })
        };
        Ok(PointLaw { edges: cuts.iter().map(edge).collect::<Result<_, BitTreeError>>()? })
    }

    /// The sign that gets to each cut, set if negative, and its `q`.
    pub(super) fn cuts(&self) -> impl Iterator<Item = (bool, &Rational)> {
        self.edges.iter().map(|edge| (!edge.above, &edge.q))
    }

    /// The event of a point, of which `E·side²` is known; `None` if that is not enough.
    pub(super) fn event_at(&self, negative: bool, size: &Enclosure) -> Option<usize> {
        let reached = |edge: &Edge| match (negative, edge.above) {
            (false, true) => Some(size.cmp_to(&edge.q)? == Ordering::Greater),
            (true, false) => Some(size.cmp_to(&edge.q)? == Ordering::Less),
            _ => Some(!negative),
        };
        self.edges.iter().try_fold(0, |event, edge| Some(event + usize::from(reached(edge)?)))
    }
}

/// A point of the plane, to all bits of the first three words of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) negative: bool,
    /// The sign of the second value, which is not looked at.
    pub(super) second_negative: bool,
    pub(super) swap: bool,
    pub(super) u: u128,
    pub(super) v: u128,
    /// Whether all further bits are ones, and not zeros.
    pub(super) ones: bool,
}

impl Point {
    /// The words that have it.
    pub(super) fn words(&self) -> [u64; 3] {
        let bit = |bit: bool, place: u32| u64::from(bit) << place;
        let low = |bits: u128| bits as u64 & u64::from(u32::MAX);
        [
            bit(self.negative, 63) | (self.u >> LOW_BITS) as u64,
            bit(self.second_negative, 63) | bit(self.swap, 62) | (self.v >> LOW_BITS) as u64,
            low(self.u) << LOW_BITS | low(self.v),
        ]
    }

    /// `E`.
    pub(super) fn exponential(&self) -> Enclosure {
        -&end_of((self.u, U_BITS), self.ones).ln(BITS).expect("U > 0")
    }

    /// The square of the side that the first value takes.
    pub(super) fn side_squared(&self) -> Enclosure {
        side_squared(&end_of((self.v, V_BITS), self.ones), self.swap, BITS)
    }
}

/// `cos²` of `(π/4)·v`, or `sin²` if swapped.
fn side_squared(v: &Enclosure, swap: bool, bits: u32) -> Enclosure {
    let angle = (v * &pi(bits)).shl(-2);
    let side = if swap { angle.sin(bits) } else { angle.cos(bits) }.expect("below 1");
    (&side * &side).round(bits)
}

/// `U` or `V` of a script of three 64-bit words that is filled up with zeros, or ones: at the end of what its bits say, up to the bits from
/// 200 to 300, among which some are others.
fn end_of((bits, len): (u128, u32), ones: bool) -> Enclosure {
    let end = Dyadic::new(IBig::from(bits) + IBig::from(u8::from(ones)), -i64::from(len));
    let [near, far] = [-300, -200].map(Dyadic::pow2);
    let (lo, hi) = if ones { (&end - &far, &end - &near) } else { (&end + &near, &end + &far) };
    Enclosure::new(lo, hi).expect("2^-300 < 2^-200")
}

/// The threshold of `U` where `E·side² = q`; `None` if it is beyond `e^-60`, which 95 bits hardly reach.
pub(super) fn threshold_of_u(q: &Rational, side_squared: &Enclosure) -> Option<Enclosure> {
    let e = Enclosure::of_rational(q, BITS).div(side_squared, BITS)?;
    let in_reach = *e.hi() < Dyadic::from(60);
    in_reach.then(|| (-&e).exp(BITS).expect("at most 60"))
}

/// The first bits of `V` at and after the threshold where `E·side² = q`, by bisection; `None` if there is none.
pub(super) fn threshold_of_v(q: &Rational, e: &Enclosure, swap: bool) -> Option<u128> {
    // The sine gets larger with V, the cosine smaller.
    let is_beyond = |v: u128| {
        let v = Enclosure::exact(Dyadic::new(IBig::from(v), -i64::from(V_BITS)));
        let size = e * &side_squared(&v, swap, BITS / 2);
        let beyond = if swap { Ordering::Greater } else { Ordering::Less };
        size.cmp_to(q) == Some(beyond)
    };
    let (mut before, mut at) = (0, 1 << V_BITS);
    if is_beyond(before) || !is_beyond(at) {
        return None;
    }
    while at - before > 1 {
        let middle = (before + at) / 2;
        if is_beyond(middle) { at = middle } else { before = middle }
    }
    Some(at)
}
