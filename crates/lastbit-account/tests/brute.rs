//! Short lists of releases with few outputs, against all their joint outputs one by one.

use lastbit_account::{Composition, Mechanism};
use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational};
use proptest::prelude::*;

use crate::truth::{composition, rational};

const BITS: u32 = 400;

/// The probabilities of each output, for the input with the unit and for the one without.
type Outputs = Vec<[Enclosure; 2]>;

fn enclosed(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

fn zero() -> Enclosure {
    Enclosure::exact(Dyadic::ZERO)
}

fn one() -> Enclosure {
    Enclosure::exact(Dyadic::ONE)
}

fn exp(x: &Rational) -> Enclosure {
    exp_rational(x, BITS).unwrap()
}

fn over(a: &Enclosure, b: &Enclosure) -> Enclosure {
    a.div(b, BITS).unwrap()
}

/// By the definitions in the documentation of [`Mechanism`].
fn outputs(mechanism: &Mechanism) -> Outputs {
    match mechanism {
        Mechanism::RandomizedResponse { epsilon } | Mechanism::Pure { epsilon } => {
            let (truth, other) =
                (over(&one(), &(&one() + &exp(&-epsilon))), over(&one(), &(&one() + &exp(epsilon))));
            vec![[truth.clone(), other.clone()], [other, truth]]
        }
        Mechanism::Approximate { epsilon, delta } => {
            let rest = enclosed(&(Rational::ONE - delta));
            let response = outputs(&Mechanism::Pure { epsilon: epsilon.clone() });
            let scaled = response.iter().map(|[p, q]| [&rest * p, &rest * q]);
            let all = enclosed(delta);
            scaled.chain([[all.clone(), zero()], [zero(), all]]).collect()
        }
        // The noise of one count, with outputs of the same loss taken together.
        Mechanism::DiscreteLaplace { scale, sensitivity } => {
            let q = exp(&-(Rational::ONE / scale));
            let share = over(&(&one() - &q), &(&one() + &q));
            let power = |n: u64| exp(&-(Rational::from(n) / scale));
            let beyond = |n: u64| over(&power(n), &(&one() + &q));
            let n = *sensitivity;
            let mut all = vec![[beyond(0), beyond(n)], [beyond(n), beyond(0)]];
            all.extend((1..n).map(|z| [&share * &power(z), &share * &power(n - z)]));
            all
        }
        // Each key that only this unit has: whether it is published, counted up from the threshold.
        Mechanism::Threshold { scale, threshold, keys } => {
            let q = exp(&-(Rational::ONE / scale));
            let reached = over(&exp(&-(Rational::from(threshold - 1) / scale)), &(&one() + &q));
            let none = (0..*keys).fold(one(), |none, _| &none * &(&one() - &reached));
            vec![[&one() - &none, zero()], [none, one()]]
        }
        Mechanism::Finite { outputs } => outputs.iter().map(|(p, q)| [enclosed(p), enclosed(q)]).collect(),
        _ => unreachable!("not in these tests"),
    }
}

/// `max Σ (p - e^ε·q)⁺` over both directions.
pub(crate) fn delta(terms: &[(Mechanism, u64)], epsilon: &Rational) -> Enclosure {
    let mut joint: Outputs = vec![[one(), one()]];
    for (mechanism, times) in terms {
        let outputs = outputs(mechanism);
        for _ in 0..*times {
            let product =
                |[a, b]: &[Enclosure; 2], [c, d]: &[Enclosure; 2]| [(a * c).round(BITS), (b * d).round(BITS)];
            joint = joint.iter().flat_map(|x| outputs.iter().map(move |y| product(x, y))).collect();
        }
    }
    let factor = exp(epsilon);
    let sum = |from: usize| {
        let excess = |output: &[Enclosure; 2]| (&output[from] - &(&factor * &output[1 - from])).max(&zero());
        joint.iter().map(excess).fold(zero(), |sum, excess| (&sum + &excess).round(BITS))
    };
    sum(0).max(&sum(1))
}

/// Both questions have answers that hold the truth.
fn check(terms: &[(Mechanism, u64)], epsilon: &Rational, at: &Rational) {
    let all: Composition = composition(terms);
    let truth = delta(terms, epsilon);
    let found = all.delta(epsilon).unwrap();
    let upper = found.upper.unwrap();
    assert!(
        found.lower <= Rational::from(truth.hi()),
        "δ({epsilon}) of {terms:?}: {} > {truth:?}",
        found.lower
    );
    assert!(upper >= Rational::from(truth.lo()), "δ({epsilon}) of {terms:?}: {upper} < {truth:?}");
    assert!(!found.lower.is_negative() && found.lower <= upper && upper <= Rational::ONE);
    let found = all.epsilon(at).unwrap();
    if let Some(upper) = found.upper {
        assert!(found.lower <= upper);
        let reached = delta(terms, &upper);
        assert!(Rational::from(reached.lo()) <= *at, "ε({at}) of {terms:?}: {upper} is too small");
    }
    if found.lower.is_positive() {
        let before = delta(terms, &(&found.lower * rational("0.999999999999")));
        assert!(Rational::from(before.hi()) >= *at, "ε({at}) of {terms:?}: {} is too large", found.lower);
    }
}

fn mechanism() -> impl Strategy<Value = Mechanism> {
    let share = |n: u64, d: u64| Rational::from(n) / Rational::from(d);
    let loss = move |range: std::ops::Range<u64>| range.prop_map(move |n| share(n, 20));
    prop_oneof![
        loss(1..60).prop_map(|epsilon| Mechanism::RandomizedResponse { epsilon }),
        (loss(0..40), 0u64..40)
            .prop_map(move |(epsilon, delta)| Mechanism::Approximate { epsilon, delta: share(delta, 97) }),
        (loss(5..100), 1u64..4)
            .prop_map(|(scale, sensitivity)| Mechanism::DiscreteLaplace { scale, sensitivity }),
        (loss(5..40), 1u64..6, 1u64..4).prop_map(|(scale, threshold, keys)| Mechanism::Threshold {
            scale,
            threshold,
            keys
        }),
        prop::collection::vec((0u64..9, 0u64..9), 2..4).prop_map(move |mut pairs| {
            pairs[0].0 += 1;
            pairs[1].1 += 1;
            let sums = pairs.iter().fold((0, 0), |(a, b), (p, q)| (a + p, b + q));
            Mechanism::Finite {
                outputs: pairs.iter().map(|(p, q)| (share(*p, sums.0), share(*q, sums.1))).collect(),
            }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Different mechanisms, some of them several times.
    #[test]
    fn few_of_several_kinds(
        terms in prop::collection::vec((mechanism(), 1u64..3), 1..4),
        epsilon in 0u64..60,
        delta in 1u64..1000,
        small in 0i64..40,
    ) {
        let at = Rational::from(delta) / Rational::from(1001) * Rational::pow2(-small);
        check(&terms, &(Rational::from(epsilon) / Rational::from(10)), &at);
    }
}

/// What is published or not loses a little even where nothing is.
#[test]
fn thresholds_in_a_composition() {
    let threshold = Mechanism::Threshold { scale: Rational::ONE, threshold: 1, keys: 1 };
    let response = Mechanism::RandomizedResponse { epsilon: Rational::ONE };
    for epsilon in ["0", "1/2", "1", "3"] {
        let epsilon = rational(epsilon);
        let terms = [(threshold.clone(), 2), (response.clone(), 2)];
        check(&terms, &epsilon, &rational("0.95"));
        let found = composition(&terms).delta(&epsilon).unwrap();
        assert!(found.upper.unwrap() - found.lower < rational("1e-9"), "{epsilon}");
    }
}

/// All finite losses are negative, so that no ε above 0 is needed for a δ above that of infinite losses.
#[test]
fn nothing_but_infinite_losses() {
    let outputs = [("3/4", "1"), ("1/4", "0")].map(|(p, q)| (rational(p), rational(q)));
    let leak = Mechanism::Finite { outputs: outputs.to_vec() };
    for times in 1..5 {
        for delta in ["1/2", "3/5", "7/10", "9/10"] {
            check(&[(leak.clone(), times)], &Rational::ZERO, &rational(delta));
        }
    }
}

/// Groups of units at a threshold: every way to spread their units over keys is at most as bad as the mechanism for the group, and one way is as bad.
#[test]
fn groups_at_thresholds() {
    for (scale, threshold, keys, size) in
        [("1", 4u64, 1u64, 2u64), ("3", 4, 2, 2), ("10", 5, 1, 3), ("1/2", 3, 1, 3), ("40", 9, 2, 3)]
    {
        let scale = rational(scale);
        let q = exp(&-(Rational::ONE / &scale));
        let unpublished = |count: u64| {
            let power = exp(&-(Rational::from(threshold - count) / &scale));
            &one() - &over(&power, &(&one() + &q))
        };
        // Numbers of units of each key, in falling order.
        let mut worst = one();
        let mut open = vec![(Vec::<u64>::new(), keys * size)];
        while let Some((counts, left)) = open.pop() {
            if left == 0 {
                let none = counts.iter().fold(one(), |none, count| &none * &unpublished(*count));
                worst = worst.min(&none);
            }
            let most = counts.last().copied().unwrap_or(size).min(left);
            // No unit has more keys than it may: at most keys·size/j keys have j units or more.
            open.extend((1..=most).map(|count| ([counts.clone(), vec![count]].concat(), left - count)));
        }
        let one_release = composition(&[(Mechanism::Threshold { scale: scale.clone(), threshold, keys }, 1)]);
        let found = one_release.for_group(size).unwrap().delta(&Rational::ZERO).unwrap();
        let truth = &one() - &worst;
        assert!(
            found.lower <= Rational::from(truth.hi())
                && found.upper.clone().unwrap() >= Rational::from(truth.lo())
        );
        assert!(found.upper.unwrap() - found.lower < rational("1e-12"), "{scale}");
    }
}
