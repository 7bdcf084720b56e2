//! Interleaved timing: what disturbs a machine for a while disturbs all that is compared.

use std::time::Instant;

use crate::work::Work;

/// Nanoseconds per value of each work in each round, `times[work][round]`. The works take turns: A, B, A, B, …
pub(crate) fn interleave(works: &mut [&mut dyn Work], rounds: usize) -> Vec<Vec<f64>> {
    for work in works.iter_mut() {
        time(*work); // warms up, and is not kept
    }
    let mut times = vec![Vec::with_capacity(rounds); works.len()];
    for _ in 0..rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            times.push(time(*work));
        }
    }
    times
}

fn time(work: &mut dyn Work) -> f64 {
    work.reset();
    let start = Instant::now();
    work.run();
    start.elapsed().as_nanos() as f64 / work.len() as f64
}

/// The middle one; the upper of the two for an even number of them.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median of the ratios of each round.
pub(crate) fn median_ratio(ours: &[f64], reference: &[f64]) -> f64 {
    median(ours.iter().zip(reference).map(|(ours, reference)| ours / reference).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_ignore_outliers() {
        assert_eq!(median(vec![9e9, 2.0, 1.0]), 2.0);
        assert_eq!(median_ratio(&[1.0, 50.0, 2.0], &[2.0, 1.0, 4.0]), 0.5);
    }
}
