//! How far one distribution exceeds another: the ε-DP divergence and the ε-dilation.

use lastbit_real::{Enclosure, Rational, exp_rational};

use super::SubDistribution;

/// `e^ε` with `ε >= 0`, where it is rational.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(Rational);

/// `e^ε` below 1 stands for a negative `ε`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("e^ε is {0}, and must be at least 1")]
pub struct RatioBelowOne(pub Rational);

/// The notes print "let `ε <= 0`" where they define the divergence; it is a misprint for `ε >= 0`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ε is {0}, and must lie between 0 and 2^59")]
pub struct NegativeEpsilon(pub Rational);

impl Ratio {
    /// `e^0`
    pub const ONE: Ratio = Ratio(Rational::ONE);

    /// This number.
    ///
    /// # Errors
    /// [`RatioBelowOne`]
    pub fn new(ratio: Rational) -> Result<Ratio, RatioBelowOne> {
        if ratio < Rational::ONE { Err(RatioBelowOne(ratio)) } else { Ok(Ratio(ratio)) }
    }

    /// The number.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

/// `Σ max(0, μ₁(x) - r·ν(x))`, which is `sup_E μ₁(E) - r·ν(E)`: the best event has the values where the difference is positive.
fn excess<T: Ord + Clone>(
    mu1: &SubDistribution<T>,
    ratio: &Rational,
    nu: impl Fn(&T) -> Rational,
) -> Rational {
    mu1.iter().map(|(x, mass)| (mass - ratio * nu(x)).max(Rational::ZERO)).sum()
}

/// The ε-DP divergence `sup_E μ₁(E) - e^ε·μ₂(E)`, for a rational `e^ε`. It is 0 or more, because `E` may be empty.
pub fn divergence<T: Ord + Clone>(
    mu1: &SubDistribution<T>,
    mu2: &SubDistribution<T>,
    ratio: &Ratio,
) -> Rational {
    excess(mu1, ratio.value(), |x| mu2.mass(x))
}

/// The ε-DP divergence, for a rational `ε`. Enclosed, because `e^ε` is known to `bits`.
///
/// # Errors
/// [`NegativeEpsilon`]
pub fn divergence_at<T: Ord + Clone>(
    mu1: &SubDistribution<T>,
    mu2: &SubDistribution<T>,
    epsilon: &Rational,
    bits: u32,
) -> Result<Enclosure, NegativeEpsilon> {
    let refused = || NegativeEpsilon(epsilon.clone());
    if epsilon.is_negative() || *epsilon > Rational::pow2(59) {
        return Err(refused());
    }
    let ratio = exp_rational(epsilon, bits).map_err(|_| refused())?;
    // The divergence falls as the ratio grows.
    let at = |ratio| Enclosure::of_rational(&excess(mu1, &Rational::from(ratio), |x| mu2.mass(x)), bits);
    Ok(at(ratio.hi()).hull(&at(ratio.lo())))
}

/// The ε-dilation `sup_E μ₁(E) - e^ε·μ₂(e^-ε·E)`, for a rational `e^ε`.
///
/// ```
/// use lastbit_papers::lifting::{Ratio, SubDistribution, dilation};
/// use lastbit_real::Rational;
///
/// let at = |x: i64| SubDistribution::point(Rational::from(x));
/// let twice = Ratio::new(Rational::from(2))?;
/// assert_eq!(dilation(&at(6), &at(3), &twice), Rational::ZERO);
/// assert_eq!(dilation(&at(6), &at(6), &twice), Rational::ONE);
/// # Ok::<(), lastbit_papers::lifting::RatioBelowOne>(())
/// ```
pub fn dilation(mu1: &SubDistribution<Rational>, mu2: &SubDistribution<Rational>, ratio: &Ratio) -> Rational {
    // x ↦ e^-ε·x is one to one, so that the best event is again found value by value.
    excess(mu1, ratio.value(), |x| mu2.mass(&(x / ratio.value())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// Sub-distributions on 0..5.
    fn small() -> impl Strategy<Value = SubDistribution<Rational>> {
        prop::collection::vec(0i64..10, 5).prop_map(|weights| {
            let mass = |w: i64| Rational::new(w, 45).unwrap();
            let masses = weights.into_iter().enumerate().map(|(x, w)| (Rational::from(x as i64), mass(w)));
            SubDistribution::new(masses).unwrap()
        })
    }

    #[test]
    fn epsilon_is_not_negative() {
        let point = SubDistribution::point(0);
        let minus = rational("-1/1000");
        assert_eq!(divergence_at(&point, &point, &minus, 64), Err(NegativeEpsilon(minus)));
        assert!(divergence_at(&point, &point, &Rational::pow2(70), 64).is_err());
        assert!(divergence_at(&point, &point, &Rational::ZERO, 64).unwrap().contains(&Rational::ZERO));
        assert_eq!(Ratio::new(rational("0.99")), Err(RatioBelowOne(rational("0.99"))));
        assert_eq!(Ratio::new(Rational::ONE), Ok(Ratio::ONE));
    }

    /// Randomized response that lies with probability `1/(e^ε + 1)` has divergence 0 at `ε`. Here at `ε = ln 2`, from both sides.
    #[test]
    fn epsilon_and_its_exponential() {
        let [yes, no] = [["2/3", "1/3"], ["1/3", "2/3"]]
            .map(|[a, b]| SubDistribution::new([(0, rational(a)), (1, rational(b))]).unwrap());
        let at = |epsilon: &str| divergence_at(&yes, &no, &rational(epsilon), 100).unwrap();
        assert_eq!(at("0.69314718056"), Enclosure::exact(0.into()));
        assert!(at("0.69314718055").lo().signum() > 0);
        assert!(at("0").contains(&rational("1/3")));
        assert!(at("1/2").width() < lastbit_real::Dyadic::pow2(-95));
    }

    proptest! {
        /// Both are suprema over events.
        #[test]
        fn over_all_events(mu1 in small(), mu2 in small(), ratio in 10i64..40) {
            let ratio = Ratio::new(Rational::new(ratio, 10).unwrap()).unwrap();
            let doubled = Ratio::new(Rational::from(2)).unwrap();
            let (mut best, mut best_dilated) = (Rational::ZERO, Rational::ZERO);
            for bits in 0u32..32 {
                let event = |x: &Rational| (0..5).any(|i| bits >> i & 1 == 1 && *x == Rational::from(i));
                let shrunk = |y: &Rational| event(&(y * Rational::from(2)));
                best = best.max(mu1.mass_of(event) - ratio.value() * mu2.mass_of(event));
                best_dilated = best_dilated.max(mu1.mass_of(event) - doubled.value() * mu2.mass_of(shrunk));
            }
            prop_assert_eq!(divergence(&mu1, &mu2, &ratio), best);
            prop_assert_eq!(dilation(&mu1, &mu2, &doubled), best_dilated);
        }
    }
}
