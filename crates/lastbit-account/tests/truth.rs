//! Bounds against what is known exactly.

use lastbit_account::{Composition, Error, Interval, Mechanism, Question};
use lastbit_real::{Enclosure, Rational, exp_rational};
use proptest::prelude::*;

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

pub(crate) fn composition(terms: &[(Mechanism, u64)]) -> Composition {
    let mut composition = Composition::new();
    for (mechanism, times) in terms {
        composition.add(mechanism.clone(), *times).unwrap();
    }
    composition
}

pub(crate) fn laplace(epsilon: &str) -> Mechanism {
    Mechanism::Laplace { epsilon: rational(epsilon) }
}

pub(crate) fn response(epsilon: &Rational) -> Mechanism {
    Mechanism::RandomizedResponse { epsilon: epsilon.clone() }
}

/// The interval lies between two numbers, and is narrow.
#[track_caller]
fn lies(interval: &Interval, lower: &str, upper: &str) {
    let end = interval.upper.clone().unwrap();
    assert!(interval.lower >= rational(lower) && end <= rational(upper), "{interval:?}");
    assert!(&end - &interval.lower <= end * rational("1e-6"));
}

#[test]
fn a_thousand_laplace_releases() {
    let thousand = composition(&[(laplace("1/10"), 1000)]);
    lies(&thousand.delta(&rational("10")).unwrap(), "0.0280340", "0.0280341");
    lies(&thousand.epsilon(&rational("1e-6")).unwrap(), "18.9502", "18.9504");
}

#[test]
fn far_out_in_the_tail() {
    let thousand = composition(&[(laplace("1/10"), 1000)]);
    lies(&thousand.delta(&rational("25")).unwrap(), "1.01999e-11", "1.02002e-11");
    lies(&thousand.delta(&rational("30")).unwrap(), "3.98215e-17", "3.98235e-17");
}

#[test]
fn a_thousand_discrete_laplace_releases() {
    let thousand =
        composition(&[(Mechanism::DiscreteLaplace { scale: rational("10"), sensitivity: 1 }, 1000)]);
    lies(&thousand.delta(&rational("25")).unwrap(), "2.857643693e-11", "2.857643695e-11");
    lies(&thousand.delta(&rational("30")).unwrap(), "1.767635e-16", "1.767637e-16");
}

#[test]
fn a_thousand_discrete_gaussian_releases() {
    let noise = Mechanism::DiscreteGaussian { variance: rational("2500"), sensitivity: 1 };
    lies(&composition(&[(noise, 1000)]).delta(&rational("1")).unwrap(), "0.02442102246", "0.02442102248");
}

/// So many that the lattice of one release has no room for the sum. Nearly as real Gaussian noise with `ρ` = 1/2.
#[test]
fn many_discrete_gaussian_releases() {
    let question = Question::Delta { epsilon: rational("4") };
    let many =
        |mechanism| composition(&[(mechanism, 100_000)]).ask(&question, 100, &|| true).unwrap().interval;
    let discrete = many(Mechanism::DiscreteGaussian { variance: rational("1e5"), sensitivity: 1 });
    let real = many(Mechanism::Gaussian { rho: rational("5e-6") });
    let end = discrete.upper.unwrap();
    assert!(&end - &discrete.lower <= &end * rational("1/100"));
    assert!(discrete.lower < &real.lower * rational("1.00001") && end > real.lower * rational("0.99999"));
}

/// So much loss that the mean is far above `ε`: nothing is left, whatever the closed form divides by.
#[test]
fn gaussian_noise_that_hides_nothing() {
    let gaussian = |rho: &str, times| composition(&[(Mechanism::Gaussian { rho: rational(rho) }, times)]);
    for times in [131_000, 200_000, 1_000_000_000] {
        let many = gaussian("1/2", times);
        for epsilon in ["0", "1"] {
            assert!(
                many.delta(&rational(epsilon)).unwrap().lower > rational("0.999999"),
                "{times} {epsilon}"
            );
        }
        // Half of all losses are above the mean.
        let epsilon = many.epsilon(&rational("1e-6")).unwrap();
        assert!(epsilon.lower > Rational::from(times / 2), "{times} {epsilon:?}");
    }
    // At the mean: erfc(0)/2 - e^ε·erfc(√ε)/2, where e^ε·erfc √ε is 1/√(πε) but for a share of 1/(2ε).
    let delta = gaussian("500", 2000).delta(&rational("1e6")).unwrap();
    lies(&delta, "0.4997179", "0.4997180");
}

/// A sample of all rows is no sample.
#[test]
fn samples_of_all() {
    let rate = Rational::ONE;
    let [rho, epsilon] = ["1/2", "1/3"].map(rational);
    let sampled = composition(&[
        (Mechanism::SampledGaussian { rate: rate.clone(), rho: rho.clone() }, 2),
        (Mechanism::SampledLaplace { rate, epsilon: epsilon.clone() }, 3),
    ]);
    assert_eq!(
        sampled,
        composition(&[(Mechanism::Gaussian { rho }, 2), (Mechanism::Laplace { epsilon }, 3)])
    );
}

/// A sample so small that nearly all losses are nearly 0: at `ε = 0` each `δ` is that without sampling, times the rate.
#[test]
fn small_samples() {
    let zero = Rational::ZERO;
    let truth = |noise: Mechanism, rate: &Rational| {
        composition(&[(noise, 1)]).delta(&zero).unwrap().upper.unwrap() * rate
    };
    let nearly = |found: &Rational, truth: &Rational| {
        found <= &(truth * rational("1.001")) && truth <= &(found * rational("1.000001"))
    };
    let [rho, epsilon] = ["1/2", "1/10"].map(rational);
    for rate in ["1e-6", "1e-9"].map(rational) {
        let sampled = Mechanism::SampledLaplace { rate: rate.clone(), epsilon: epsilon.clone() };
        let found = composition(&[(sampled, 1)]).delta(&zero).unwrap();
        let all = truth(Mechanism::Laplace { epsilon: epsilon.clone() }, &rate);
        let upper = found.upper.unwrap();
        assert!(found.lower <= all && all <= &upper * rational("1.000001"), "{rate}");
        assert!(rate < rational("1e-6") || nearly(&upper, &all), "{rate}");
        // Rare losses are large here, and the lattice has no room for all.
        let sampled = Mechanism::SampledGaussian { rate: rate.clone(), rho: rho.clone() };
        let found = composition(&[(sampled, 1)]).delta(&zero).unwrap();
        let all = truth(Mechanism::Gaussian { rho: rho.clone() }, &rate);
        assert!(found.lower <= all && all <= found.upper.unwrap() * rational("1.000001"), "{rate}");
    }
}

/// What is beside the question does not make the answer wide: losses that nearly reach the largest, and a sample beside larger ones.
#[test]
fn narrow_at_the_largest_loss() {
    let hundredth = rational("1/100");
    let one = Mechanism::Laplace { epsilon: rational("26/25") };
    lies(&composition(&[(one, 5)]).epsilon(&hundredth).unwrap(), "4.93271", "4.93272");
    let two = [(response(&rational("13/14")), 10), (response(&rational("251/500")), 1)];
    let found = composition(&two).epsilon(&hundredth).unwrap();
    let end = found.upper.unwrap();
    assert!(&end - &found.lower <= &end * rational("1e-5"), "{}", found.lower);
    let sampled = Mechanism::SampledGaussian { rate: rational("1e-6"), rho: rational("1/18") };
    let found =
        composition(&[(response(&rational("8.8")), 1), (sampled, 1)]).epsilon(&rational("0.9")).unwrap();
    let end = found.upper.unwrap();
    assert!(&end - &found.lower <= &end * rational("1/10"), "{}", found.lower);
}

/// Where rare losses need a finer lattice than there is room for, what the noise loses without sampling is a bound.
#[test]
fn samples_beyond_the_lattice() {
    let sampled = Mechanism::SampledGaussian { rate: rational("1e-9"), rho: rational("1/2") };
    let million = composition(&[(sampled, 1_000_000)]);
    assert_eq!(million.zero_concentrated(), Some(rational("500000")));
    let upper = composition(&[(Mechanism::Gaussian { rho: rational("1/2") }, 1_000_000)]);
    let delta = rational("1e-9");
    let found = million.epsilon(&delta).unwrap();
    assert!(found.upper.unwrap() < upper.epsilon(&delta).unwrap().lower * rational("1.01"));
}

/// Sums that are moved to another lattice far from 0, with much weight: the lower bound is left as narrow as the upper one.
#[test]
fn moved_with_weights() {
    let noise = Mechanism::DiscreteLaplace { scale: rational("4/7"), sensitivity: 3 };
    let sampled = Mechanism::SampledLaplace { rate: rational("1e-3"), epsilon: Rational::ONE };
    let found = composition(&[(noise, 1), (sampled, 1)]).epsilon(&rational("1e-6")).unwrap();
    assert!(found.lower > rational("5.25"), "{found:?}");
}

/// `δ(ε)` of `k` randomized responses, as a sum over how many of them lose `ε₀` rather than gain it.
fn binomial(epsilon_0: &Rational, k: u64, epsilon: &Rational) -> Enclosure {
    const BITS: u32 = 400;
    let one = Enclosure::of_rational(&Rational::ONE, 1);
    let odds = exp_rational(&-epsilon_0, BITS).unwrap();
    let q = one.div(&(&one + &odds), BITS).unwrap();
    let mut probability = (1..k).fold(q.clone(), |power, _| (&power * &q).round(BITS));
    let mut delta = Enclosure::of_rational(&Rational::ZERO, 1);
    for against in 0..=k {
        let loss = epsilon_0 * (Rational::from(k) - Rational::from(2 * against));
        if loss <= *epsilon {
            break;
        }
        let gap = &one - &exp_rational(&(epsilon - loss), BITS).unwrap();
        delta = (&delta + &(&probability * &gap)).round(BITS);
        let factor = Rational::from(k - against) / Rational::from(against + 1);
        probability = (&(&probability * &odds) * &Enclosure::of_rational(&factor, BITS)).round(BITS);
    }
    delta
}

#[track_caller]
fn encloses(interval: &Interval, truth: &Enclosure) {
    let upper = interval.upper.clone().unwrap();
    assert!(
        interval.lower <= Rational::from(truth.hi()) && upper >= Rational::from(truth.lo()),
        "{interval:?} {truth:?}"
    );
    assert!(interval.lower >= Rational::ZERO && interval.lower <= upper && upper <= Rational::ONE);
    assert!(&upper - &interval.lower <= upper * rational("1e-6"));
}

/// Down to 10⁻³⁰. Rounding takes both bounds away from the truth, so that sides that are exchanged, or masses that are rounded the wrong way,
/// would be noticed.
#[test]
fn sums_of_binomials() {
    let tenth = rational("1/10");
    let thousand = composition(&[(response(&tenth), 1000)]);
    for epsilon in ["0", "1/3", "5", "20", "30", "41.7", "99.9", "100", "101"] {
        let epsilon = rational(epsilon);
        let found = thousand.delta(&epsilon).unwrap();
        let truth = binomial(&tenth, 1000, &epsilon);
        match truth.hi().cmp_rational(&rational("1e-30")).is_ge() {
            true => {
                encloses(&found, &truth);
                assert!(
                    found.lower < Rational::from(truth.lo())
                        && found.upper.unwrap() > Rational::from(truth.hi())
                );
            }
            // Where nothing is left of the precision the bounds are still bounds.
            false => assert!(
                found.lower <= Rational::from(truth.hi())
                    && found.upper.unwrap() >= Rational::from(truth.lo())
            ),
        }
    }
}

/// A single release: `δ(ε) = 1 - e^((ε-ε₀)/2)`.
#[test]
fn one_laplace_release() {
    for (epsilon_0, epsilon) in
        [("1", "0"), ("1", "1/3"), ("5", "4.99"), ("1/100", "1/200"), ("1", "1"), ("1", "2")]
    {
        let [zero, at] = [epsilon_0, epsilon].map(rational);
        let exponent = (&at - &zero) / Rational::from(2);
        let truth = match exponent.is_negative() {
            true => &Enclosure::of_rational(&Rational::ONE, 1) - &exp_rational(&exponent, 200).unwrap(),
            false => Enclosure::of_rational(&Rational::ZERO, 1),
        };
        let found = composition(&[(Mechanism::Laplace { epsilon: zero }, 1)]).delta(&at).unwrap();
        let upper = found.upper.unwrap();
        assert!(found.lower <= Rational::from(truth.hi()) && upper >= Rational::from(truth.lo()));
        assert!(&upper - &found.lower <= upper * rational("1e-5"), "{epsilon_0} {epsilon}");
    }
}

/// Real Laplace noise loses less than randomized response with the same loss, and several lists are as one.
#[test]
fn different_mechanisms_together() {
    let tenth = rational("1/10");
    let delta = rational("1e-5");
    let epsilon = |terms: &[(Mechanism, u64)]| composition(terms).epsilon(&delta).unwrap();
    let mixed = epsilon(&[(response(&tenth), 30), (laplace("1/5"), 10), (laplace("1/5"), 10)]);
    let once = epsilon(&[(response(&tenth), 30), (laplace("1/5"), 20)]);
    assert_eq!(mixed, once);
    let worse = epsilon(&[(response(&tenth), 30), (response(&rational("1/5")), 20)]);
    assert!(mixed.upper.unwrap() < worse.lower);
    assert!(worse.upper.unwrap() < rational("7"), "3 + 4 without a δ");
}

#[test]
fn what_is_refused() {
    let mut none = Composition::new();
    assert!(matches!(none.add(laplace("0"), 1), Err(Error::NotPositive { name: "epsilon", .. })));
    assert!(matches!(none.add(laplace("-1"), 1), Err(Error::NotPositive { .. })));
    assert!(matches!(none.add(laplace("1"), 0), Err(Error::NotPositive { .. })));
    assert!(matches!(none.add(laplace("1"), 1_000_000_000_000), Err(Error::TooMany { .. })));
    let noise = Mechanism::DiscreteGaussian { variance: rational("1"), sensitivity: 0 };
    assert!(matches!(none.add(noise, 1), Err(Error::NotPositive { name: "sensitivity", .. })));
    assert!(matches!(none.add(laplace("1e300"), 1), Err(Error::NoPrivacy { .. })));
    assert_eq!(none.delta(&Rational::ONE), Err(Error::Empty));
    // Too many points: what is known without a lattice.
    let wide = Mechanism::DiscreteGaussian { variance: rational("1e12"), sensitivity: 1 };
    let found = composition(&[(wide, 1)]).delta(&rational("1e-6")).unwrap();
    assert!(found.lower.is_zero() && found.upper.unwrap() < rational("0.1"));
    let one = composition(&[(laplace("1"), 1)]);
    assert!(matches!(one.delta(&rational("-1/2")), Err(Error::Negative { .. })));
    for delta in ["0", "-1", "1", "2"] {
        assert!(matches!(one.epsilon(&rational(delta)), Err(Error::NoProbability { .. })), "{delta}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Few randomized responses: the bounds hold the truth, and ε(δ) takes δ(ε) back.
    #[test]
    fn few_responses(n in 1u64..400, d in 1u64..100, k in 1u64..40, share in 0u64..100) {
        let epsilon_0 = Rational::from(n) / Rational::from(d);
        let all = composition(&[(response(&epsilon_0), k)]);
        let epsilon = &epsilon_0 * Rational::from(k) * Rational::from(share) / Rational::from(100);
        let truth = binomial(&epsilon_0, k, &epsilon);
        let found = all.delta(&epsilon).unwrap();
        let upper = found.upper.unwrap();
        prop_assert!(found.lower <= Rational::from(truth.hi()) && upper >= Rational::from(truth.lo()));
        prop_assert!(found.lower >= Rational::ZERO && upper <= Rational::ONE);
        if found.lower > rational("1e-20") && upper < Rational::ONE {
            // δ is below the upper bound at ε, and above the lower one just before it.
            let back = all.epsilon(&upper).unwrap();
            prop_assert!(back.lower <= epsilon);
            let back = all.epsilon(&found.lower).unwrap();
            prop_assert!(back.upper.unwrap() >= epsilon);
        }
    }
}
