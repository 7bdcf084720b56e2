//! The laws of the mechanisms.

use lastbit::{FloatSnapping, Snapping, snap_f};
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding, exp_rational};

use super::error::BitTreeError;
use super::law::{Law, one};

/// Precision of the true probabilities.
pub(super) const BITS: u32 = 360;

type Probability = Result<Enclosure, BitTreeError>;

/// `e^-x`.
pub(super) fn exp_minus(x: &Rational) -> Probability {
    exp_rational(&-x, BITS).map_err(|_| {
        let reason = "it is too many scales away from the input";
        BitTreeError::out_of_range("cut", x.to_decimal(6, Rounding::Nearest), reason)
    })
}

/// `P(b·L > t)` for the real Laplace variable `L`.
fn laplace_tail(b: &Rational, t: &Rational) -> Probability {
    let half = exp_minus(&(t.abs() / b))?.shl(-1);
    Ok(if t.is_negative() { &one() - &half } else { half })
}

/// `P(σ·G > t)` for the real normal variable `G`, from `σ²`: half of `erfc(t/(σ·√2))`.
fn normal_tail(variance: &Rational, t: &Rational) -> Probability {
    let square = t.pow(2) / (variance * Rational::from(2));
    let root = Enclosure::of_rational(&square, BITS).sqrt(BITS).expect("a square");
    let half = root.erfc(BITS).map_err(|_| {
        let reason = "it is too many scales away from the input";
        BitTreeError::out_of_range("cut", t.to_decimal(6, Rounding::Nearest), reason)
    })?;
    let half = half.shl(-1);
    Ok(if t.is_negative() { &one() - &half } else { half })
}

/// `P(Z >= j)` for the discrete Laplace variable `Z` of scale `s`: `q^j/(1 + q)` for `j >= 1`, `q = e^(-1/s)`.
pub(super) fn discrete_tail(s: &Rational, j: &Rational) -> Probability {
    if !j.is_positive() {
        return Ok(&one() - &discrete_tail(s, &(Rational::ONE - j))?);
    }
    let denominator = &one() + &exp_minus(&(Rational::ONE / s))?;
    Ok(exp_minus(&(j / s))?.div(&denominator, BITS).expect("a positive divisor"))
}

pub(super) fn exact(x: f64) -> Result<Rational, BitTreeError> {
    Rational::try_from(x).map_err(|_| BitTreeError::out_of_range("input", x, "it must be a finite number"))
}

/// Half-way from the float below `cut` to `cut`: what a sum must exceed to be rounded to `cut` or more.
pub(super) fn half_below<T: Float>(cut: f64) -> Result<Rational, BitTreeError> {
    let cut = T::from_rational(&exact(cut)?, Rounding::Nearest);
    let middle = cut.midpoint_below();
    middle
        .map(Rational::from)
        .ok_or_else(|| BitTreeError::out_of_range("cut", cut.to_f64(), "it has no number below it"))
}

impl Law {
    /// `RN(x + b·L)` on the floats of type `T`; the cuts must be such floats.
    ///
    /// # Errors
    /// [`BitTreeError::OutOfRange`] if a number is not finite or a cut is more than `2⁶⁰` scales away.
    pub fn laplace<T: Float>(
        b: &Rational,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let x = exact(x)?;
        Law::new(cuts, |cut| laplace_tail(b, &(half_below::<T>(cut)? - &x)))
    }

    /// The integer nearest to `x + b·L`.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn integer_laplace(
        b: &Rational,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let edge = exact(x)? + Rational::pow2(-1);
        Law::new(cuts, |cut| laplace_tail(b, &(exact(cut)? - &edge)))
    }

    /// `RN(x + σ·G)` on the floats of type `T`, from `σ²`; the cuts must be such floats.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn gaussian<T: Float>(
        variance: &Rational,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let x = exact(x)?;
        Law::new(cuts, |cut| normal_tail(variance, &(half_below::<T>(cut)? - &x)))
    }

    /// The integer nearest to `x + σ·G`, from `σ²`.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn integer_gaussian(
        variance: &Rational,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let edge = exact(x)? + Rational::pow2(-1);
        Law::new(cuts, |cut| normal_tail(variance, &(exact(cut)? - &edge)))
    }

    /// `x + Z` on the integers.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn discrete_laplace(
        s: &Rational,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let x = exact(x)?;
        Law::new(cuts, |cut| discrete_tail(s, &(exact(cut)? - &x)))
    }

    /// `RN((i + Z)·2^k)`, with `i` the value rounded half up to `Z·2^k`, on the floats of type `T`.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn grid_laplace<T: Float>(
        b: &Rational,
        k: i32,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let per_cell = Rational::pow2(-i64::from(k));
        let s = b * &per_cell;
        let index = Rational::from((exact(x)? * &per_cell).round_half_up());
        Law::new(cuts, |cut| {
            let midpoint = half_below::<T>(cut)?;
            let cells = &midpoint * &per_cell;
            let tie_stays_below =
                cells.is_integer() && T::from_rational(&midpoint, Rounding::Nearest).to_f64() != cut;
            let first = Rational::from(cells.ceil()) + Rational::from(i32::from(tie_stays_below));
            discrete_tail(&s, &(first - &index))
        })
    }

    /// The snapping mechanism on the reals.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn snapping(
        snapping: &Snapping,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let b = snapping.epsilon().recip().expect("positive");
        let grid = exact(snapping.grid())?;
        let edge = exact(x.clamp(-snapping.bound(), snapping.bound()))? + &grid / Rational::from(2);
        Law::new(cuts, |cut| {
            let least = Rational::from((exact(cut)? / &grid).ceil()) * &grid;
            laplace_tail(&b, &(least - &edge))
        })
    }

    /// `Snap_F`: the doubles `u` that give a cut or more are those above, or below, a threshold.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn float_snapping(
        snapping: &FloatSnapping,
        x: f64,
        cuts: impl IntoIterator<Item = f64>,
    ) -> Result<Law, BitTreeError> {
        let params = snapping.params();
        let law = Law::new(cuts, |cut| {
            let plus = Rational::ONE - least_double(|u| snap_f(params, x, u, 1.0) >= cut)?;
            let minus = least_double(|u| snap_f(params, x, u, -1.0) < cut)?;
            let tail = Enclosure::of_rational(&((plus + minus) / Rational::from(2)), BITS);
            // The draw starts over below 2^-1074.
            let tiny = Dyadic::pow2(-1000);
            let nearby = Enclosure::new(tail.lo() - &tiny, tail.hi() + &tiny);
            Ok(nearby.expect("in order"))
        });
        // The positive sign adds ln u, which is negative.
        law.map(Law::flipped)
    }
}

/// The least double of (0, 1) for which `holds`, which fails below it; 1 if it never holds.
fn least_double(holds: impl Fn(f64) -> bool) -> Result<Rational, BitTreeError> {
    let (mut below, mut at) = (0, 1f64.to_bits());
    while at - below > 1 {
        let middle = (below + at) / 2;
        if holds(f64::from_bits(middle)) { at = middle } else { below = middle }
    }
    exact(f64::from_bits(at))
}
