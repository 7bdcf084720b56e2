//! Bounds on a probability that are quick to compute and nearly as good: to compare events, and for nothing else.

use super::finding::Count;

/// Halvings of the interval that the bound lies in.
const STEPS: u32 = 40;

/// The bounds `p` with `n·KL(k/n, p) = ln(1/α)`: Chernoff's, from below and from above.
pub(super) fn bounds(count: Count, ln_inverse_alpha: f64) -> [f64; 2] {
    let [hits, misses] =
        [count, count.misses()].map(|count| lower(count.rate(), count.trials, ln_inverse_alpha));
    [hits, 1.0 - misses]
}

/// The lower one of the bounds, for an event that happens in this share of the trials.
pub(super) fn lower(rate: f64, trials: u64, ln_inverse_alpha: f64) -> f64 {
    let most = ln_inverse_alpha / trials as f64;
    let (mut low, mut high) = (0.0, rate);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if divergence(rate, middle) > most { low = middle } else { high = middle }
    }
    low
}

/// `KL(a, b)`, of two coins.
fn divergence(a: f64, b: f64) -> f64 {
    let part = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    part(a, b) + part(1.0 - a, 1.0 - b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::black_box::clopper_pearson;
    use lastbit_real::{Rational, Rounding};

    #[test]
    fn a_little_wider_than_clopper_and_pearson() {
        let alpha = Rational::new(1, 2000).unwrap();
        for (hits, trials) in [(0, 10_000), (1, 10_000), (137, 10_000), (5_000, 10_000), (10_000, 10_000)] {
            let count = Count { hits, trials };
            let [low, high] = bounds(count, 2000f64.ln());
            let best = [clopper_pearson::lower(count, &alpha), clopper_pearson::upper(count, &alpha)]
                .map(|p| p.to_f64(Rounding::Nearest));
            assert!(best[0] * 0.1 <= low && low <= best[0] * (1.0 + 1e-6), "{low} {best:?}");
            assert!(best[1] * (1.0 - 1e-6) <= high && high <= best[1] * 1.5, "{high} {best:?}");
        }
    }
}
