//! The discrete Gaussian, one proposal at a time.
//!
//! A proposal is a discrete Laplace variable `Y` of scale `t`, accepted with probability `e^-γ(Y)`, where
//! `γ(y) = (|y| - σ²/t)²/(2σ²)`. A rejected one starts over with fresh bits, so that the released noise is `Y` given that it is
//! accepted: `P(Y = z)·e^-γ(z)` over the probability that anything is, which is the same for all `z` and for all inputs.
//! And `P(Y = z)·e^-γ(z)` is `e^(-z²/(2σ²))` times a constant.

use lastbit::DiscreteGaussian;
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::error::BitTreeError;
use super::laws::{BITS, discrete_tail, exp_minus};

/// The largest `σ²`: probabilities are summed one by one.
const MOST_VARIANCE: i64 = 1 << 16;

/// Beyond `Y = REACH·σ` less than `e^-γ <= 2^-380` is accepted of what is proposed.
const REACH: u32 = 24;

/// The words of a proposal in the main stream: one for `Y`, one for the acceptance.
pub(super) const MAIN_WORDS: u64 = 2;

/// `t = ⌊σ⌋ + 1`, the scale of the proposals.
pub(super) fn proposal_scale(variance: &Rational) -> Rational {
    Rational::from(variance.floor_sqrt().expect("positive")) + Rational::ONE
}

/// `γ(z)`.
pub(super) fn gamma(variance: &Rational, z: &Rational) -> Rational {
    let t = proposal_scale(variance);
    (z.abs() - variance / t).pow(2) / (variance * Rational::from(2))
}

/// The probabilities that a proposal of the discrete Gaussian is accepted and its sum with `x` lies in each event of some cuts,
/// and last that it is rejected.
///
/// # Errors
/// [`BitTreeError::OutOfRange`] if `σ²` is above 65536.
pub fn gaussian_round(
    gaussian: &DiscreteGaussian,
    x: f64,
    cuts: &[f64],
) -> Result<Vec<Enclosure>, BitTreeError> {
    let variance = gaussian.variance();
    if *variance > Rational::from(MOST_VARIANCE) {
        return Err(BitTreeError::out_of_range(
            "variance",
            variance,
            "an audit needs it to be at most 65536",
        ));
    }
    let t = proposal_scale(variance);
    let reach = i64::try_from((&t * Rational::from(REACH)).ceil()).expect("at most 2^13");
    let zero = Enclosure::exact(Dyadic::ZERO);
    let mut events = vec![zero.clone(); cuts.len() + 1];
    let mut add = |z: i64, probability: &Enclosure| {
        let event = cuts.partition_point(|cut| *cut <= x + z as f64);
        events[event] = &events[event] + probability;
    };
    for z in -reach..=reach {
        let [from, next] = [z, z + 1].map(Rational::from);
        let proposed = &discrete_tail(&t, &from)? - &discrete_tail(&t, &next)?;
        add(z, &(&proposed * &exp_minus(&gamma(variance, &from))?).round(BITS));
    }
    // What is further out, on either side, is not accepted but with a probability below e^-γ.
    let outside = exp_minus(&gamma(variance, &Rational::from(reach)))?;
    let outside = Enclosure::new(Dyadic::ZERO, outside.hi().clone()).expect("not negative");
    add(-reach - 1, &outside);
    add(reach + 1, &outside);
    let accepted = events.iter().fold(zero, |sum, event| &sum + event);
    events.push(&Enclosure::exact(Dyadic::ONE) - &accepted);
    Ok(events)
}
