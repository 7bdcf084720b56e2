//! What single releases lose, and few of them together, against sums and integrals that are known exactly.

use lastbit_account::{Composition, Interval, Mechanism};
use lastbit_real::{Enclosure, Rational, exp_rational};
use proptest::prelude::*;

use crate::truth::{composition, rational};

const BITS: u32 = 300;

fn enclosed(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

fn exp(x: &Rational) -> Enclosure {
    exp_rational(x, BITS).unwrap()
}

/// The bounds hold the truth.
#[track_caller]
fn holds(found: &Interval, truth: &Enclosure) {
    let upper = found.upper.clone().unwrap();
    assert!(found.lower <= Rational::from(truth.hi()), "{} is above {}", found.lower, truth.hi());
    assert!(upper >= Rational::from(truth.lo()), "{upper} is below {}", truth.lo());
    assert!(!found.lower.is_negative() && found.lower <= upper && upper <= Rational::ONE);
}

/// The bounds hold the truth and are close to each other.
#[track_caller]
fn close(found: &Interval, truth: &Enclosure, most: &str) {
    holds(found, truth);
    let upper = found.upper.clone().unwrap();
    assert!(&upper - &found.lower <= &upper * rational(most), "{} to {upper}", found.lower);
}

/// `Σ (p - e^ε·q)⁺` over the outputs of all releases, one by one.
fn by_definition(releases: &[&[(Rational, Rational)]], epsilon: &Rational) -> Enclosure {
    let mut outputs = vec![(Rational::ONE, Rational::ONE)];
    for release in releases {
        outputs =
            outputs.iter().flat_map(|(p, q)| release.iter().map(move |(a, b)| (p * a, q * b))).collect();
    }
    let (zero, factor) = (enclosed(&Rational::ZERO), exp(epsilon));
    let term = |(p, q): &(Rational, Rational)| (&enclosed(p) - &(&factor * &enclosed(q))).max(&zero);
    outputs.iter().map(term).fold(zero.clone(), |sum, term| &sum + &term)
}

fn turned(release: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    release.iter().map(|(p, q)| (q.clone(), p.clone())).collect()
}

fn worse(releases: &[&[(Rational, Rational)]], epsilon: &Rational) -> Enclosure {
    let turned: Vec<_> = releases.iter().map(|release| turned(release)).collect();
    let turned: Vec<_> = turned.iter().map(Vec::as_slice).collect();
    by_definition(releases, epsilon).max(&by_definition(&turned, epsilon))
}

/// Shares that sum to 1.
fn shares(weights: &[u64]) -> Vec<Rational> {
    let sum = Rational::from(weights.iter().sum::<u64>());
    weights.iter().map(|weight| Rational::from(*weight) / &sum).collect()
}

fn release(first: &[u64], second: &[u64]) -> Vec<(Rational, Rational)> {
    shares(first).into_iter().zip(shares(second)).collect()
}

fn finite(outputs: &[(Rational, Rational)]) -> Mechanism {
    Mechanism::Finite { outputs: outputs.to_vec() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Two different releases with a few outputs each, some of which only one input can produce.
    #[test]
    fn small_releases(
        a in prop::collection::vec((0u64..20, 0u64..20), 2..5),
        b in prop::collection::vec((1u64..20, 1u64..20), 2..4),
        epsilon in 0u64..30,
    ) {
        let weights = |pairs: &[(u64, u64)]| -> (Vec<u64>, Vec<u64>) { pairs.iter().copied().unzip() };
        let ((mut first, mut second), (third, fourth)) = (weights(&a), weights(&b));
        first[0] += 1;
        second[1] += 1;
        let (a, b) = (release(&first, &second), release(&third, &fourth));
        let epsilon = Rational::from(epsilon) / Rational::from(10);
        let all = composition(&[(finite(&a), 2), (finite(&b), 1)]);
        holds(&all.delta(&epsilon).unwrap(), &worse(&[&a, &a, &b], &epsilon));
    }
}

/// Losses of ±ln 3 only, and of 0: they are on a lattice as good as exactly.
#[test]
fn a_few_losses_on_an_irrational_lattice() {
    let coin = release(&[3, 1], &[1, 3]);
    let wheel = release(&[9, 3, 1, 4], &[1, 3, 9, 4]);
    let epsilon = rational("2");
    let found = composition(&[(finite(&coin), 5)]).delta(&epsilon).unwrap();
    close(&found, &worse(&[coin.as_slice(); 5], &epsilon), "1e-12");
    let found = composition(&[(finite(&wheel), 4)]).delta(&epsilon).unwrap();
    close(&found, &worse(&[wheel.as_slice(); 4], &epsilon), "1e-12");
    let many = composition(&[(finite(&coin), 100)]);
    assert_eq!(many.pure().unwrap().to_decimal(6, lastbit_real::Rounding::Up), "109.862");
}

/// Not the same in both directions, and infinite in one.
#[test]
fn directions() {
    let leak = release(&[1, 99, 0], &[0, 99, 1]);
    let skewed = release(&[90, 9, 1], &[99, 1, 0]);
    for epsilon in ["0", "1/2", "3"] {
        let epsilon = rational(epsilon);
        for releases in [[&leak, &skewed], [&skewed, &skewed]] {
            let terms: Vec<_> = releases.iter().map(|release| (finite(release), 1)).collect();
            let outputs: Vec<_> = releases.iter().map(|release| release.as_slice()).collect();
            close(&composition(&terms).delta(&epsilon).unwrap(), &worse(&outputs, &epsilon), "1e-4");
        }
    }
}

/// Nothing is lost by it, but a composition with it is not all Gaussian.
fn nothing() -> Mechanism {
    Mechanism::Approximate { epsilon: Rational::ZERO, delta: Rational::ZERO }
}

/// Gaussian noise cut into cells, against its closed form, from 10⁻² to 10⁻³⁰.
#[test]
fn gaussian_cells() {
    let noise = Mechanism::Gaussian { rho: rational("1/8") };
    for epsilon in ["1/10", "2", "4", "5.5"] {
        let epsilon = rational(epsilon);
        let truth = composition(&[(noise.clone(), 1)]).delta(&epsilon).unwrap();
        let truth =
            Enclosure::new(enclosed(&truth.lower).lo().clone(), enclosed(&truth.upper.unwrap()).hi().clone());
        let found = composition(&[(noise.clone(), 1), (nothing(), 1)]).delta(&epsilon).unwrap();
        close(&found, &truth.unwrap(), "1e-5");
    }
}

/// `δ` of `(1-r)·B₀ + r·B₁` against `B₀` is `r` times that of `B₁` against `B₀` at `ln((e^ε - 1 + r)/r)`. In the other direction it is less here.
#[test]
fn one_sampled_release() {
    let rate = rational("1/10");
    let inner = |epsilon: &Rational| {
        let odds = &exp(epsilon) - &enclosed(&(Rational::ONE - &rate));
        odds.div(&enclosed(&rate), BITS).unwrap().ln(BITS).unwrap()
    };
    for epsilon in ["1/100", "1/10", "1/2"] {
        let epsilon = rational(epsilon);
        let within = inner(&epsilon);
        // Laplace noise: 1 - e^((m-ε₀)/2).
        let exponent = (&within - &enclosed(&Rational::from(2))).shl(-1);
        let one = enclosed(&Rational::ONE);
        let zero = enclosed(&Rational::ZERO);
        let truth = &enclosed(&rate) * &(&one - &exponent.exp(BITS).unwrap()).max(&zero);
        let laplace = Mechanism::SampledLaplace { rate: rate.clone(), epsilon: rational("2") };
        let found = composition(&[(laplace, 1)]).delta(&epsilon).unwrap();
        if truth.lo().signum() > 0 {
            close(&found, &truth, "1e-4");
        } else {
            holds(&found, &truth);
        }
        let gaussian = Mechanism::SampledGaussian { rate: rate.clone(), rho: rational("1/2") };
        let found = composition(&[(gaussian, 1)]).delta(&epsilon).unwrap();
        let whole = composition(&[(Mechanism::Gaussian { rho: rational("1/2") }, 1)]);
        let at = |end: &lastbit_real::Dyadic| whole.delta(&Rational::from(end)).unwrap();
        let (most, least) = (at(within.lo()), at(within.hi()));
        let truth = [least.lower, most.upper.unwrap()].map(|end| enclosed(&(&rate * end)));
        let truth = Enclosure::new(truth[0].lo().clone(), truth[1].hi().clone()).unwrap();
        close(&found, &truth, "1e-4");
    }
}

/// If every row is taken, sampling changes nothing.
#[test]
fn sampling_everything() {
    let epsilon = rational("3/2");
    let pairs = [
        (
            Mechanism::SampledLaplace { rate: Rational::ONE, epsilon: rational("1/2") },
            Mechanism::Laplace { epsilon: rational("1/2") },
        ),
        (
            Mechanism::SampledGaussian { rate: Rational::ONE, rho: rational("1/20") },
            Mechanism::Gaussian { rho: rational("1/20") },
        ),
    ];
    for (sampled, whole) in pairs {
        let [sampled, whole] =
            [sampled, whole].map(|mechanism| composition(&[(mechanism, 6)]).delta(&epsilon).unwrap());
        assert!(
            sampled.lower <= whole.upper.clone().unwrap() && whole.lower <= sampled.upper.clone().unwrap()
        );
        let upper = sampled.upper.unwrap();
        assert!(&upper - sampled.lower <= upper * rational("1e-3"));
    }
}

/// The probability that one of `n` noisy ones reaches the threshold, counted up from the threshold: `P(1 + Z = z) = (1-q)/(1+q)·q^|z-1|`.
#[test]
fn thresholds_by_counting() {
    let scale = Rational::ONE;
    let q = exp(&rational("-1"));
    let one = enclosed(&Rational::ONE);
    let share = (&one - &q).div(&(&one + &q), BITS).unwrap();
    for threshold in [1u64, 2, 3, 5, 10, 20, 50] {
        let mut reached = enclosed(&Rational::ZERO);
        let mut weight = exp(&-Rational::from(threshold - 1));
        for _ in threshold..threshold + 400 {
            reached = &reached + &(&share * &weight);
            weight = (&weight * &q).round(BITS);
        }
        for keys in [1u64, 3] {
            let none = (0..keys).fold(one.clone(), |none, _| &none * &(&one - &reached));
            let mechanism = Mechanism::Threshold { scale: scale.clone(), threshold, keys };
            let found = composition(&[(mechanism, 1)]).delta(&Rational::ZERO).unwrap();
            close(&found, &(&one - &none), "1e-12");
        }
    }
    let known = Mechanism::Threshold { scale, threshold: 5, keys: 1 };
    let found = composition(&[(known, 1)]).delta(&rational("7")).unwrap();
    assert_eq!(found.lower.to_decimal(4, lastbit_real::Rounding::Nearest), "0.01339");
}

/// With a threshold go the counts that are published.
#[test]
fn a_histogram_of_unknown_keys() {
    let terms = [
        (Mechanism::DiscreteLaplace { scale: rational("2"), sensitivity: 3 }, 1),
        (Mechanism::Threshold { scale: rational("2"), threshold: 30, keys: 3 }, 1),
    ];
    let counts = composition(&terms[..1]);
    let all = composition(&terms);
    assert_eq!(counts.pure(), Some(rational("3/2")));
    assert_eq!((all.pure(), all.zero_concentrated()), (None, None));
    let at = all.delta(&rational("3/2")).unwrap();
    assert!(at.lower > rational("9e-7") && at.upper.unwrap() < rational("1e-6"));
}

/// The worst of what is only known to be (ε, δ)-private, in closed form for one: at the ε itself it is δ.
#[test]
fn boxes() {
    let epsilon = rational("1/2");
    let one = Mechanism::Approximate { epsilon: epsilon.clone(), delta: rational("1e-3") };
    let found = composition(&[(one.clone(), 1)]).delta(&epsilon).unwrap();
    close(&found, &enclosed(&rational("1e-3")), "1e-9");
    // Twice: as two randomized responses, each of which gives everything away with that probability.
    let found = composition(&[(one, 2)]).delta(&rational("1")).unwrap();
    close(&found, &enclosed(&rational("0.001999")), "1e-9");
    let pure = composition(&[(Mechanism::Pure { epsilon: epsilon.clone() }, 7)]);
    let response = composition(&[(Mechanism::RandomizedResponse { epsilon }, 7)]);
    assert_eq!(pure.delta(&Rational::ONE), response.delta(&Rational::ONE));
}

/// Rounding and clamping tell nothing more than the noise; a known pair of inputs loses nearly as much.
#[test]
fn snapping() {
    let epsilon = rational("1/10");
    let snapping = |bound: &str| Mechanism::Snapping {
        epsilon: epsilon.clone(),
        grid: rational("1.5"),
        bound: rational(bound),
    };
    let at = rational("3");
    let noise = composition(&[(Mechanism::Laplace { epsilon: epsilon.clone() }, 100)]).delta(&at).unwrap();
    let wide = composition(&[(snapping("50"), 100)]).delta(&at).unwrap();
    assert!(wide.upper.unwrap() <= noise.upper.clone().unwrap() * rational("1.00001"));
    assert!(wide.lower.is_positive() && wide.lower < noise.lower);
    let narrow = composition(&[(snapping("1"), 100)]).delta(&at).unwrap();
    assert!(narrow.lower.is_zero());
}

/// Gaussian noise is the least that a zero-concentrated release can be, and conversions bound the worst.
#[test]
fn zero_concentrated_boxes() {
    let [known, only] = [
        Mechanism::Gaussian { rho: rational("1/100") },
        Mechanism::ZeroConcentrated { rho: rational("1/100") },
    ];
    let terms = |last: Mechanism| {
        let laplace = Mechanism::Laplace { epsilon: rational("1/10") };
        composition(&[(laplace, 10), (last, 5)]).delta(&rational("2")).unwrap()
    };
    let (exact, boxed) = (terms(known), terms(only));
    assert!(boxed.lower <= exact.upper.clone().unwrap() && exact.lower <= boxed.lower * rational("1.001"));
    assert!(boxed.upper.unwrap() > exact.upper.unwrap());
}

/// Lists whose lattices have nothing in common.
#[test]
fn ten_mechanisms() {
    let scales = ["3", "7", "11.3", "19/7", "5.01"];
    let mut all: Vec<(Mechanism, u64)> = scales
        .iter()
        .map(|scale| {
            (Mechanism::DiscreteLaplace { scale: rational(scale) * rational("10"), sensitivity: 1 }, 9)
        })
        .collect();
    let variances = ["1000.7", "333", "54321", "700/3"];
    all.extend(
        variances.iter().map(|variance| {
            (Mechanism::DiscreteGaussian { variance: rational(variance), sensitivity: 1 }, 4)
        }),
    );
    all.push((Mechanism::Laplace { epsilon: rational("0.0123") }, 50));
    let all = composition(&all);
    let found = all.delta(&rational("3")).unwrap();
    let upper = found.upper.clone().unwrap();
    assert!(
        found.lower.is_positive() && &upper - &found.lower <= &upper * rational("1/20"),
        "{} to {upper}",
        found.lower
    );
    let bound = all.delta_by_zero_concentrated(&rational("3")).unwrap();
    assert!(upper < bound);
    let back: Composition = all.for_group(1).unwrap();
    assert_eq!(back, all);
}

/// Noise on a fine grid is nearly real noise, and never better: it is what real noise says, and more.
#[test]
fn noise_on_fine_grids() {
    for (steps, epsilon, times, at) in [
        (5_000u64, "1", 1, "1/2"),
        (1 << 40, "1/10", 100, "3"),
        (1 << 40, "2", 3, "0"),
        (70_001, "1/3", 7, "1"),
    ] {
        let epsilon = rational(epsilon);
        let scale = Rational::from(steps) / &epsilon;
        let fine = composition(&[(Mechanism::DiscreteLaplace { scale, sensitivity: steps }, times)]);
        let real = composition(&[(Mechanism::Laplace { epsilon }, times)]);
        let [fine, real] = [fine, real].map(|all| all.delta(&rational(at)).unwrap());
        let (fine_upper, real_upper) = (fine.upper.clone().unwrap(), real.upper.unwrap());
        assert!(fine.lower <= fine_upper && real.lower <= fine_upper, "{steps}");
        assert!(
            &fine_upper - &fine.lower <= &fine_upper * rational("1e-5"),
            "{steps}: {} to {fine_upper}",
            fine.lower
        );
        assert!(fine.lower <= real_upper * rational("1.001"), "{steps}");
    }
}

/// Just above the number of steps where losses are told apart one by one, the answer is that of one by one.
#[test]
fn many_steps_as_few() {
    let of = |sensitivity: u64| {
        let scale = Rational::from(sensitivity);
        composition(&[(Mechanism::DiscreteLaplace { scale, sensitivity }, 2)])
            .delta(&rational("1/2"))
            .unwrap()
    };
    let (few, many) = (of(4096), of(4097));
    let upper = many.upper.unwrap();
    assert!((few.upper.unwrap() - &upper).abs() <= &upper * rational("1e-3"));
    assert!(many.lower <= upper);
}

/// A few losses far apart, and a question at the largest of them: both ends are about it.
#[test]
fn few_losses_far_apart() {
    let noise = Mechanism::DiscreteLaplace { scale: rational("3"), sensitivity: 3 };
    let found = composition(&[(noise, 1)]).epsilon(&rational("1e-6")).unwrap();
    assert!(found.lower > rational("0.99999") && found.upper.unwrap() < Rational::ONE);
}
