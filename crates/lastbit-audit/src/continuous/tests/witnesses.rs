use std::cmp::Ordering;

use super::*;
use crate::comparison::LnRatio;

fn compared(noises: &[Noise], regions: [&[HalfSpace]; 2]) -> EventWitness {
    compare((noises, regions[0]), (noises, regions[1]), 100, Budget::default()).unwrap()
}

/// A sparse vector technique without noise on the queries, and without a stop.
#[test]
fn an_infinite_loss() {
    let noises = laplace(&["2"]);
    // Query 0 is below the threshold plus noise, query 1 above: q₀ < v <= q₁.
    let region = |q: [&str; 2]| vec![half_space(&[-1], q[0]).complement(), half_space(&[-1], q[1])];
    let (first, second) = (region(["0", "1"]), region(["1", "0"]));
    let witness = compared(&noises, [&first, &second]);
    assert_eq!(witness.ln_ratio, LnRatio::OnlyFirst);
    assert_eq!(witness.probabilities[0].to_string(), "1/2 - 1/2·e^(-1/2)");
    assert!(witness.probabilities[1].is_zero());
    assert_eq!(compared(&noises, [&second, &first]).ln_ratio, LnRatio::OnlySecond);
    assert_eq!(compared(&noises, [&second, &second]).ln_ratio, LnRatio::Unknown);
}

/// A probability that is tiny is not 0.
#[test]
fn a_large_loss() {
    let noises = exponential(&["1"]);
    let from = |t: &str| [half_space(&[1], t)];
    let witness = compared(&noises, [&from("0"), &from("-5000")]);
    let LnRatio::Finite(loss) = witness.ln_ratio else { panic!("both are possible") };
    assert!(loss.contains(&rational("5000")));
    assert!(loss.width().cmp_rational(&Rational::pow2(-100)).is_le());
}

/// Noisy max with noise of scale 2/ε on 5 queries, each of which moves by 1: at most ε, and the witness below loses 0.918ε.
#[test]
fn noisy_max() {
    let noises = laplace(&["2"; 5]);
    let first_wins = |queries: [i64; 5]| {
        let beats = |j: usize| {
            let coefficients = (0..5).map(|v| i64::from(v == 0) - i64::from(v == j));
            half_space(&coefficients.collect::<Vec<_>>(), &(queries[0] - queries[j]).to_string())
        };
        (1..5).map(beats).collect::<Vec<_>>()
    };
    let (first, second) = (first_wins([1, 0, 0, 0, 0]), first_wins([0, 1, 1, 1, 1]));
    let LnRatio::Finite(loss) = compared(&noises, [&first, &second]).ln_ratio else {
        panic!("both are possible")
    };
    assert!(
        loss.lo().cmp_rational(&rational("0.918")).is_gt()
            && loss.hi().cmp_rational(&rational("0.919")).is_lt()
    );
}

/// An event of the Laplace mechanism loses ε and not a bit more: an enclosure cannot tell, the sum of exponentials can.
#[test]
fn a_loss_that_is_reached() {
    let noises = laplace(&["3"]);
    let at_least = |t: &str| [half_space(&[1], t)];
    let witness = compared(&noises, [&at_least("-2"), &at_least("-3")]);
    let epsilon = rational("1/3");
    assert!(witness.excess(&epsilon).is_zero());
    let [less, more] = [&epsilon - Rational::pow2(-200), &epsilon + Rational::pow2(-200)];
    assert_eq!([less, more].map(|x| witness.excess(&x).sign()), [Ordering::Greater, Ordering::Less]);
}

#[test]
fn estimates_are_near() {
    for seed in 0..20 {
        let (noises, region) = Random(seed).problem(3, 3);
        let p = exact(&noises, &region);
        let estimate = estimate(&noises, &region, Budget::default()).unwrap();
        let p = Rational::from(p.enclose_to(60).lo());
        let error = &p - Rational::try_from(estimate).unwrap();
        assert!(error.abs() <= rational("1e-5") * p);
    }
}
