use lastbit_real::{IBig, Rounding};
use proptest::prelude::*;

use super::*;

fn rational(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator).expect("not zero")
}

fn count(hits: u64, trials: u64) -> Count {
    Count { hits, trials }
}

/// `P(Bin(n, p) = k)`, exactly.
fn probability(k: u64, n: u64, p: &Rational) -> Rational {
    let ways = (0..k).fold(IBig::ONE, |ways, i| ways * (n - i) / (i + 1));
    Rational::from(ways) * p.pow(k as u32) * (Rational::ONE - p).pow((n - k) as u32)
}

/// `P(Bin(n, p) >= k)`, exactly.
fn at_least(k: u64, n: u64, p: &Rational) -> Rational {
    (k..=n).map(|j| probability(j, n, p)).sum()
}

/// `P(Bin(n, p) <= k)`, exactly.
fn at_most(k: u64, n: u64, p: &Rational) -> Rational {
    (0..=k).map(|j| probability(j, n, p)).sum()
}

/// One part in a million.
fn slack() -> Rational {
    rational(1, 1_000_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_bound_holds_and_a_better_one_does_not((n, k) in (1u64..40).prop_flat_map(|n| (Just(n), 0..=n)), i in 1u64..1000) {
        let alpha = rational(i, 1000);
        let [p, q] = [lower(count(k, n), &alpha), upper(count(k, n), &alpha)];
        prop_assert!(p <= rational(k, n) && rational(k, n) <= q && q <= Rational::ONE);
        if k == 0 {
            prop_assert!(p.is_zero());
        } else {
            // For a tail that is allowed to be large the bound is where this method ends: at k/n.
            prop_assert!(at_least(k, n, &p) <= alpha);
            let better = &p * (Rational::ONE + slack());
            prop_assert!(better > rational(k, n) || at_least(k, n, &better) > alpha);
        }
        if k == n {
            prop_assert_eq!(q, Rational::ONE);
        } else {
            prop_assert!(at_most(k, n, &q) <= alpha);
            let better = &q * (Rational::ONE - slack());
            prop_assert!(better < rational(k, n) || at_most(k, n, &better) > alpha);
        }
    }

    #[test]
    fn the_tail_is_bounded_from_above_and_only_just((n, k) in (1u64..60).prop_flat_map(|n| (Just(n), 1..=n)), i in 1u64..1000) {
        let p = rational(k, n) * rational(i, 1000);
        let bound = Rational::from(&Tail::new(count(k, n)).above(&p).to_dyadic());
        let exact = at_least(k, n, &p);
        prop_assert!(exact <= bound && bound <= exact * (Rational::ONE + Rational::pow2(-40)));
    }
}

#[test]
fn covers_every_probability() {
    let alpha = rational(1, 20);
    for n in [1, 2, 5, 12] {
        let bounds: Vec<[Rational; 2]> =
            (0..=n).map(|k| [lower(count(k, n), &alpha), upper(count(k, n), &alpha)]).collect();
        for p in (0..=50).map(|i| rational(i, 50)) {
            let wrong = |is_wrong: &dyn Fn(&[Rational; 2]) -> bool| -> Rational {
                (0..=n).filter(|&k| is_wrong(&bounds[k as usize])).map(|k| probability(k, n, &p)).sum()
            };
            assert!(wrong(&|[low, _]| *low > p) <= alpha, "{n} {p}");
            assert!(wrong(&|[_, high]| *high < p) <= alpha, "{n} {p}");
        }
    }
}

#[test]
fn bounds_that_are_one_percent_better_do_not_cover() {
    // At its own bound, an event is missed with probability α: any bound that is better is wrong there too often.
    let (n, alpha) = (100, rational(1, 1000));
    for k in [1, 10, 50, 99] {
        let tail = Tail::new(count(k, n));
        let p = lower(count(k, n), &alpha);
        assert!(tail.is_at_most(&p, &alpha));
        assert!(!tail.is_at_most(&(p * rational(101, 100)), &alpha));
        let tail = Tail::new(count(n - k, n));
        let q = upper(count(k, n), &alpha);
        assert!(tail.is_at_most(&(Rational::ONE - &q), &alpha));
        assert!(!tail.is_at_most(&(Rational::ONE - q * rational(99, 100)), &alpha));
    }
}

#[test]
fn textbook_values() {
    let alpha = rational(1, 20);
    let nearest = |p: &Rational| p.to_f64(Rounding::Nearest);
    let near = |found: Rational, expected: f64| {
        assert!((nearest(&found) / expected - 1.0).abs() < 1e-9, "{} {expected}", nearest(&found));
    };
    // No hits: q = 1 - α^(1/n). All hits: p = α^(1/n). One hit: p = 1 - (1 - α)^(1/n).
    near(upper(count(0, 10), &alpha), 1.0 - 0.05f64.powf(0.1));
    near(lower(count(10, 10), &alpha), 0.05f64.powf(0.1));
    near(lower(count(1, 10), &alpha), 1.0 - 0.95f64.powf(0.1));
    near(upper(count(0, 500_000), &alpha), -(0.05f64.ln() / 500_000.0).exp_m1());
    near(lower(count(500_000, 500_000), &alpha), (0.05f64.ln() / 500_000.0).exp());
    assert_eq!(lower(count(0, 10), &alpha), Rational::ZERO);
    assert_eq!(upper(count(10, 10), &alpha), Rational::ONE);
}

#[test]
fn many_trials() {
    // The normal approximation, to three digits: 1.6449 standard deviations away from a half.
    let (n, alpha) = (500_000, rational(1, 20));
    let half = 1.6449 * (0.25f64 / n as f64).sqrt();
    let [p, q] =
        [lower(count(n / 2, n), &alpha), upper(count(n / 2, n), &alpha)].map(|p| p.to_f64(Rounding::Nearest));
    assert!((0.5 - p - half).abs() < 0.01 * half && (q - 0.5 - half).abs() < 0.01 * half, "{p} {q}");
}
