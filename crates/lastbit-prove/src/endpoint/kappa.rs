//! L2 and L3: what an error of the noise does to probabilities.

use lastbit_real::{Dyadic, Enclosure, Float, Rational, exp_rational, expm1_rational, log1p};

use super::{EndpointError, FloatSnap, OutOfRange, Sampler};

/// The error of the noise: `y_F(u) = y(u)(1 + θ)` with `|θ| <= relative`, for every `u` of the sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseError {
    /// `ρ`.
    pub relative: Rational,
}

impl NoiseError {
    /// Whether the noise is as accurate as Theorem A requires: two roundings, `2η`, give or take a part in `2^20`, which its slack
    /// covers.
    pub fn is_within_theorem_a(&self) -> bool {
        self.relative <= Rational::pow2(-52) * (Rational::ONE + Rational::pow2(-20))
    }
}

/// Bits of the enclosures on the way; the results are rounded up to [`KEPT_BITS`].
pub(super) const BITS: u32 = 128;
/// Bits of bounds, so that their fractions stay readable.
pub(super) const KEPT_BITS: u32 = 64;

/// `-minus <= κ <= plus`: a relative error with different ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relative {
    pub(super) plus: Dyadic,
    pub(super) minus: Dyadic,
}

impl Relative {
    /// Room for both.
    pub(super) fn or(self, other: Relative) -> Relative {
        Relative { plus: self.plus.max(other.plus), minus: self.minus.max(other.minus) }
    }

    /// Of a complement, which errs the other way.
    fn swapped(self) -> Relative {
        Relative { plus: self.minus, minus: self.plus }
    }
}

/// All that the bounds depend on.
#[derive(Clone, Debug)]
pub(super) struct Ingredients {
    /// `1/c`.
    pub(super) rate: Rational,
    /// `ρ`.
    pub(super) relative: Rational,
    /// The least `u`: `W(v)` is at most this much below `v`.
    pub(super) least: Dyadic,
    /// `W(v)` is above `v` by at most this fraction of `v`, or by `least` if that is more.
    pub(super) ulp: Dyadic,
    /// `Λ'`, a lower bound on the width of cells.
    pub(super) narrowest: Rational,
    /// An upper bound on the width of cells.
    pub(super) widest: Rational,
}

/// Relative errors beyond this are of no use, and the formulas assume `ρ < 1`.
const MOST_RELATIVE_LOG2: i64 = -10;

impl Ingredients {
    pub(super) fn of(mechanism: &FloatSnap, error: &NoiseError) -> Result<Ingredients, EndpointError> {
        let out_of_range =
            |name, value: String, reason| EndpointError::from(OutOfRange { name, value, reason });
        let relative = error.relative.clone();
        if relative.is_negative() || relative > Rational::pow2(MOST_RELATIVE_LOG2) {
            return Err(out_of_range(
                "the relative error of y",
                relative.to_string(),
                "it must lie in [0, 2^-10]",
            ));
        }
        let (narrowest, widest) = mechanism.widths();
        if !narrowest.is_positive() {
            let reason = "the cells of the perturbed grid may be empty (Λ' <= 0)";
            return Err(out_of_range("bound", mechanism.bound().to_string(), reason));
        }
        let sampler = mechanism.sampler();
        let ulp = match sampler {
            Sampler::Ulp => Dyadic::pow2(1 - i64::from(f64::PRECISION)),
            Sampler::UlpSingle => Dyadic::pow2(1 - i64::from(f32::PRECISION)),
            Sampler::Grid53 | Sampler::Grid24 => Dyadic::ZERO,
        };
        let rate = mechanism.rate().clone();
        Ok(Ingredients { rate, relative, least: sampler.least(), ulp, narrowest, widest })
    }

    /// L2: for every `A` with `-distance <= A < 0`, `Pr[y_F < A]` and `Pr[y_F <= A]` are `e^(A/c)·(1 + κ)`.
    ///
    /// From `y(1 + ρ) <= y_F <= y(1 - ρ)`, either event contains `{u < v₋}` and lies in `{u <= v₊}`, with
    /// `v∓ = e^(A/(c(1 ∓ ρ)))`. And `v - t <= W(v) <= W(v⁺) <= v + max(2⁻⁵²·v, t)`, `t` the least `u`.
    pub(super) fn kappa(&self, distance: &Rational) -> Result<Relative, EndpointError> {
        let m = distance * &self.rate;
        let (less, more) = (Rational::ONE - &self.relative, Rational::ONE + &self.relative);
        let growth = expm1_rational(&(&m * &self.relative / &more), BITS)?;
        let grain = (&self.least * exp_rational(&(&m / &more), BITS)?.hi()).max(self.ulp.clone());
        let plus = growth.hi() * (Dyadic::ONE + &grain) + grain;
        let decay = expm1_rational(&-(&m * &self.relative / &less), BITS)?;
        let minus = &self.least * exp_rational(&(m / less), BITS)?.hi() - decay.lo();
        Ok(Relative { plus: plus.round_up(KEPT_BITS), minus: minus.round_up(KEPT_BITS) })
    }

    /// The end `±B` whose threshold is at most `far` away from the inputs on its inner side, and at most `near` from those on its
    /// outer side, if there are any.
    ///
    /// On the inner side the probability is `½e^(A/c)(1 + κ)`. On the outer side it is `1 - ½e^(A/c)(1 + κ)`, where what
    /// errs is at most one half and so at most the whole.
    pub(super) fn end(&self, far: &Rational, near: Option<&Rational>) -> Result<Relative, EndpointError> {
        let inner = self.kappa(far)?;
        Ok(match near {
            Some(near) => inner.or(self.kappa(near)?.swapped()),
            None => inner,
        })
    }

    /// L3, a cell on one side of the input, its farther threshold at most `far` away.
    ///
    /// With `r = e^(-w/c)` for the cell's width `w`, the probability is `½e^(A/c)[(1 + κ_near) - r(1 + κ_far)]`, the ideal one
    /// `½e^(A/c)[1 - r]`. The error grows with `far` and falls with `w`, also because the nearer threshold is at most
    /// `far - w` away.
    pub(super) fn one_sided(&self, far: &Rational) -> Result<Relative, EndpointError> {
        let nearer = (far - &self.narrowest).max(Rational::ZERO);
        let (near, far) = (self.kappa(&nearer)?, self.kappa(far)?);
        let (r, gap) = self.cell_ratio()?;
        let over = |a: Dyadic, b: Dyadic| quotient_up(&(a + &r * b), &gap);
        Ok(Relative { plus: over(near.plus, far.minus), minus: over(near.minus, far.plus) })
    }

    /// L3, the cell around the input, of thresholds at most `far` away.
    ///
    /// The probability is `1 - ½p(1 + κ) - ½q(1 + κ')` with `p, q < 1` and `pq = e^(-w/c) <= r`. As `(1 - p)(1 - q) > 0`,
    /// `p + q < 1 + r`, so that the error is at most `κ(p + q)/(2 - p - q) <= κ(1 + r)/(1 - r)`, which is `κ·coth(w/2c)`.
    pub(super) fn straddling(&self, far: &Rational) -> Result<Relative, EndpointError> {
        let kappa = self.kappa(far)?.swapped();
        let (r, gap) = self.cell_ratio()?;
        let coth = |kappa: Dyadic| quotient_up(&(kappa * (Dyadic::ONE + &r)), &gap);
        Ok(Relative { plus: coth(kappa.plus), minus: coth(kappa.minus) })
    }

    /// `r = e^(-Λ'/c)` from above, and `1 - r` from below.
    fn cell_ratio(&self) -> Result<(Dyadic, Dyadic), EndpointError> {
        let width = -(&self.narrowest * &self.rate);
        let r = exp_rational(&width, BITS)?.hi().round_up(BITS);
        let gap = -expm1_rational(&width, BITS)?.hi();
        Ok((r, gap))
    }
}

/// `a/b` from above, for a positive `b`.
fn quotient_up(a: &Dyadic, b: &Dyadic) -> Dyadic {
    let quotient = Enclosure::exact(a.clone()).div(&Enclosure::exact(b.clone()), BITS);
    quotient.expect("positive").hi().round_up(KEPT_BITS)
}

/// What errors add to the loss of the ideal mechanism, in either order of the two inputs.
pub(super) fn excess(f: &Relative, f2: &Relative) -> Result<Rational, EndpointError> {
    let one_way = |above: &Relative, below: &Relative| {
        if below.minus >= Dyadic::ONE {
            return Err(EndpointError::Diverges);
        }
        let excess = log1p(&above.plus, BITS)?.hi() - log1p(&-&below.minus, BITS)?.lo();
        Ok(Rational::from(excess.round_up(KEPT_BITS)))
    };
    Ok(one_way(f, f2)?.max(one_way(f2, f)?))
}
