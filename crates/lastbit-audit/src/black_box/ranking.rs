//! Which event to test: the one whose bound is best in the samples that choose.

use lastbit_real::{Rational, Rounding};

use super::chernoff;
use super::propose::Candidate;

/// The candidate that tells the inputs apart best, and the input under which it is more likely. Of equals, the first.
///
/// `alpha` is what may go wrong with each bound. Floats are good enough here: what is chosen is tested on other samples, and
/// exactly.
///
/// # Panics
/// If there are no candidates.
pub(super) fn best(candidates: Vec<Candidate>, delta: &Rational, alpha: &Rational) -> (Candidate, usize) {
    let delta = delta.to_f64(Rounding::Nearest);
    let ln_inverse_alpha = -alpha.to_f64(Rounding::Nearest).max(f64::MIN_POSITIVE).ln();
    let mut best: Option<(f64, Candidate, usize)> = None;
    for candidate in candidates {
        let [first, second] = candidate.counts.map(|count| chernoff::bounds(count, ln_inverse_alpha));
        let scores = [(first, second), (second, first)].map(|([low, _], [_, high])| (low - delta) / high);
        let favoured = usize::from(scores[1] > scores[0]);
        if best.as_ref().is_none_or(|(score, ..)| scores[favoured] > *score) {
            best = Some((scores[favoured], candidate, favoured));
        }
    }
    let (_, candidate, favoured) = best.expect("some candidate");
    (candidate, favoured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::black_box::{Count, Event};

    /// Candidates `y <= 0`, `y <= 1`, … with these hits in 1000 trials.
    fn best_of(hits: &[[u64; 2]], delta: &str) -> (f64, usize) {
        let candidates = hits.iter().zip(0..).map(|(hits, i)| Candidate {
            event: Event::AtMost(f64::from(i)),
            counts: hits.map(|hits| Count { hits, trials: 1000 }),
        });
        let alpha = Rational::new(1, 100).unwrap();
        match best(candidates.collect(), &delta.parse().unwrap(), &alpha) {
            (Candidate { event: Event::AtMost(index), .. }, favoured) => (index, favoured),
            (candidate, _) => panic!("{candidate:?}"),
        }
    }

    #[test]
    fn the_best_of_both_directions_and_the_first_of_equals() {
        assert_eq!(best_of(&[[500, 500], [5, 300], [5, 300], [995, 700]], "0"), (1.0, 1));
        assert_eq!(best_of(&[[500, 500], [0, 0], [301, 5], [5, 300]], "0"), (2.0, 0));
    }

    #[test]
    fn what_delta_allows_is_no_finding() {
        // A large ratio of small probabilities, and a smaller one of large probabilities.
        let hits = [[90, 0], [900, 90]];
        assert_eq!(best_of(&hits, "0"), (0.0, 0));
        assert_eq!(best_of(&hits, "0.1"), (1.0, 0));
    }

    #[test]
    fn few_samples_prove_little() {
        // Twice against never is a worse bound than 500 times against 100 times.
        assert_eq!(best_of(&[[2, 0], [500, 100]], "0"), (1.0, 0));
    }
}
