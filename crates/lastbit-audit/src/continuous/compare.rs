//! Two events compared: what a search for the worst inputs needs.

use lastbit_real::{Dyadic, Enclosure, Rational, ln_quotient};

use crate::ExponentialSum;
use crate::comparison::LnRatio;

use super::{Budget, ContinuousError, HalfSpace, Noise, probability};

/// An event under two inputs, with its exact probabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventWitness {
    /// The probabilities under the first and the second input.
    pub probabilities: [ExponentialSum; 2],
    /// `ln(P/P')`. Unknown only if both are 0.
    pub ln_ratio: LnRatio,
}

impl EventWitness {
    /// `P - e^ε·P'`, exactly. The event loses more than `ε` if and only if it is [positive](ExponentialSum::sign); then no `δ` below it
    /// suffices.
    pub fn excess(&self, epsilon: &Rational) -> ExponentialSum {
        let [p, q] = &self.probabilities;
        p - &(q * &ExponentialSum::term(Rational::ONE, epsilon.clone()))
    }
}

/// The probabilities of a region of noises under two inputs and `ln(P/P')`, whose distance from the truth is at most `2^-bits`.
///
/// ```
/// use lastbit_audit::LnRatio;
/// use lastbit_audit::continuous::{Budget, HalfSpace, Noise, compare};
/// use lastbit_real::Rational;
///
/// // Laplace noise of scale 1 on 0 and on 1, and the event that the sum is at most 0.
/// let noises = [Noise::Laplace(Rational::ONE)];
/// let at_most = |c: i32| [HalfSpace::new([-Rational::ONE], Rational::from(c))];
/// let witness = compare((&noises, &at_most(0)), (&noises, &at_most(-1)), 64, Budget::default())?;
/// let LnRatio::Finite(loss) = witness.ln_ratio else { panic!("both are possible") };
/// assert!(loss.contains(&Rational::ONE));
/// # Ok::<(), lastbit_audit::continuous::ContinuousError>(())
/// ```
///
/// # Errors
/// As [`probability`].
pub fn compare(
    first: (&[Noise], &[HalfSpace]),
    second: (&[Noise], &[HalfSpace]),
    bits: u32,
    budget: Budget,
) -> Result<EventWitness, ContinuousError> {
    let p = probability(first.0, first.1, budget)?;
    let q = probability(second.0, second.1, budget)?;
    let ln_ratio = match [&p, &q].map(ExponentialSum::is_zero) {
        [true, true] => LnRatio::Unknown,
        [false, true] => LnRatio::OnlyFirst,
        [true, false] => LnRatio::OnlySecond,
        [false, false] => LnRatio::Finite(ln_of(&p, &q, bits)),
    };
    Ok(EventWitness { probabilities: [p, q], ln_ratio })
}

/// `ln(p/q)` of positive numbers.
fn ln_of(p: &ExponentialSum, q: &ExponentialSum, bits: u32) -> Enclosure {
    // Each of the two enclosures moves the logarithm by about 2^-(bits + 4).
    let [p, q] = [p, q].map(|x| x.enclose_to(bits + 4));
    let ln = |x: &Dyadic, y: &Dyadic| ln_quotient(x, y, bits + 32).expect("positive numbers");
    let [lo, hi] = [ln(p.lo(), q.hi()), ln(p.hi(), q.lo())];
    Enclosure::new(lo.lo().clone(), hi.hi().clone()).expect("in order")
}

/// A double near the probability, to rank the candidates of a search with. Not to be trusted: no claim may rest on it.
///
/// # Errors
/// As [`probability`].
pub fn estimate(noises: &[Noise], region: &[HalfSpace], budget: Budget) -> Result<f64, ContinuousError> {
    Ok(probability(noises, region, budget)?.approximate())
}
