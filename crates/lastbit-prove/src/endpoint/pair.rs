//! ENDPT for two given inputs: enclosures of the thresholds of `u`, and of every output's weights.

use lastbit_audit::{LnRatio, Outcome};
use lastbit_real::{Enclosure, Float, IBig, Rational, Rounding, exp_rational};

use super::kappa::BITS;
use super::{Case, EndpointError, FloatSnap, NoiseError, OutOfRange};

/// Doubles between which a threshold of `u` lies: `[lo, hi]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UThreshold {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl UThreshold {
    const ZERO: UThreshold = UThreshold { lo: 0.0, hi: 0.0 };
    const ONE: UThreshold = UThreshold { lo: 1.0, hi: 1.0 };
}

/// The papers' `L` and `R`: an output is given for `L <= u < R`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Endpoints {
    /// `L` and `R` for `s = 1`.
    pub plus: [UThreshold; 2],
    /// `L` and `R` for `s = -1`.
    pub minus: [UThreshold; 2],
}

/// Integers between which a weight over `2·total` lies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WeightBounds {
    /// The lower end.
    pub lo: IBig,
    /// The upper end.
    pub hi: IBig,
}

/// The bounds on one output under two inputs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairOutput {
    /// The number.
    pub output: i64,
    /// The case.
    pub case: Case,
    /// The thresholds for each of the two inputs.
    pub endpoints: [Endpoints; 2],
    /// The weights.
    pub weights: [WeightBounds; 2],
}

impl PairOutput {
    /// The larger of the two quotients "most over least" as a fraction.
    fn worst(&self) -> (&IBig, &IBig) {
        let [f, f2] = &self.weights;
        // Of two divisions by 0 the one of more counts: 0/0 stands for an output that is never given.
        let order = (&f.hi * &f.lo).cmp(&(&f2.hi * &f2.lo)).then_with(|| f.hi.cmp(&f2.hi));
        if order.is_ge() { (&f.hi, &f2.lo) } else { (&f2.hi, &f.lo) }
    }

    /// Whether the bound here is less than there.
    pub(super) fn loses_less_than(&self, other: &PairOutput) -> bool {
        let ((large, small), (other_large, other_small)) = (self.worst(), other.worst());
        large * other_small < other_large * small
    }

    /// An upper bound of `|ln(P/P')|`, the upper end of the enclosure; `None` if there is none.
    pub fn loss(&self) -> Option<Enclosure> {
        let (large, small) = self.worst();
        match Outcome::exact((), [large.clone(), small.clone()]).ln_ratio(BITS) {
            LnRatio::Finite(loss) => Some(loss),
            LnRatio::OnlyFirst | LnRatio::OnlySecond => None,
            // An output that is never given has no loss.
            LnRatio::Unknown => Some(Enclosure::exact(0.into())),
        }
    }
}

/// A concrete input with the error of its noise.
struct Input<'a> {
    mechanism: &'a FloatSnap,
    f: f64,
    exact: Rational,
    /// `1/(c(1 - ρ))` and `1/(c(1 + ρ))`.
    rates: [Rational; 2],
}

impl<'a> Input<'a> {
    fn new(mechanism: &'a FloatSnap, error: &NoiseError, f: f64) -> Result<Input<'a>, EndpointError> {
        let exact = Rational::try_from(f).ok().filter(|exact| exact.abs() <= *mechanism.exact_bound());
        let Some(exact) = exact else {
            let reason = "inputs must lie in [-B, B]";
            return Err(OutOfRange { name: "f", value: f.to_string(), reason }.into());
        };
        let rates = [Rational::ONE - &error.relative, Rational::ONE + &error.relative]
            .map(|factor| mechanism.rate() / factor);
        Ok(Input { mechanism, f, exact, rates })
    }

    /// The least `u` (or 1) for which the sum passes threshold `k` on its way toward `f`.
    ///
    /// The `u` that do not pass contain `{u < v₋}` and lie in `{u <= v₊}` (see L2), so that the least one that does is at least
    /// `v₋` and at most the double above `v₊`.
    fn threshold(&self, k: i64) -> Result<UThreshold, EndpointError> {
        let distance = (Rational::from(self.mechanism.midpoint(k)) - &self.exact).abs();
        let [lo, hi] = &self.rates;
        let lo = exp_rational(&-(&distance * lo), BITS)?;
        let hi = exp_rational(&-(distance * hi), BITS)?;
        let above = Float::next_up(f64::from_dyadic(hi.hi(), Rounding::Down));
        Ok(UThreshold { lo: f64::from_dyadic(lo.lo(), Rounding::Up).min(1.0), hi: above.min(1.0) })
    }

    /// What lies at threshold `k`, as far as the signs have one there: `s = 1` below `f`, `s = -1` above.
    fn at(&self, k: i64) -> Result<At, EndpointError> {
        let (top, total) = (self.mechanism.top(), self.mechanism.sampler().total());
        if k <= -top {
            let below = WeightBounds { lo: IBig::ZERO, hi: IBig::ZERO };
            return Ok(At { plus: UThreshold::ZERO, minus: UThreshold::ONE, below });
        }
        let all: IBig = total * 2;
        if k > top {
            let below = WeightBounds { lo: all.clone(), hi: all };
            return Ok(At { plus: UThreshold::ONE, minus: UThreshold::ZERO, below });
        }
        let u = self.threshold(k)?;
        let [lo, hi] = [u.lo, u.hi].map(|v| self.mechanism.sampler().weight_below(v));
        Ok(if self.mechanism.threshold(k) <= self.f {
            At { plus: u, minus: UThreshold::ONE, below: WeightBounds { lo, hi } }
        } else {
            let below = WeightBounds { lo: &all - hi, hi: all - lo };
            At { plus: UThreshold::ONE, minus: u, below }
        })
    }
}

/// One threshold of the grid, seen from one input.
#[derive(Clone)]
struct At {
    plus: UThreshold,
    minus: UThreshold,
    /// The weight of what rounds to less.
    below: WeightBounds,
}

fn between(from: &At, to: &At) -> (Endpoints, WeightBounds) {
    let lo = (&to.below.lo - &from.below.hi).max(IBig::ZERO);
    let hi = &to.below.hi - &from.below.lo;
    (Endpoints { plus: [from.plus, to.plus], minus: [to.minus, from.minus] }, WeightBounds { lo, hi })
}

/// Enclosures for the outputs of these numbers, in increasing order, under `inputs`, in increasing order too.
///
/// # Errors
/// [`EndpointError::OutOfRange`] if an input lies outside of `[-B, B]`.
pub fn pair_outputs(
    mechanism: &FloatSnap,
    error: &NoiseError,
    inputs: [f64; 2],
    outputs: impl IntoIterator<Item = i64>,
) -> Result<Vec<PairOutput>, EndpointError> {
    let numbers = inputs.map(|f| mechanism.number_of(f));
    let [f, f2] = inputs;
    let (f, f2) = (Input::new(mechanism, error, f)?, Input::new(mechanism, error, f2)?);
    let both = |k| Ok::<_, EndpointError>([f.at(k)?, f2.at(k)?]);
    let mut last: Option<(i64, [At; 2])> = None;
    let mut enclosed = Vec::new();
    for output in outputs {
        let from = match last.take() {
            Some((k, at)) if k == output => at,
            _ => both(output)?,
        };
        let to = both(output + 1)?;
        let [(ends, weights), (ends2, weights2)] = [0, 1].map(|i| between(&from[i], &to[i]));
        enclosed.push(PairOutput {
            output,
            case: Case::of(output, mechanism.top(), numbers),
            endpoints: [ends, ends2],
            weights: [weights, weights2],
        });
        last = Some((output + 1, to));
    }
    Ok(enclosed)
}
