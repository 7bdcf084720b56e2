//! The share of values that leave the straight line of tier 1, and take longer than the others.

use lastbit::{DiscreteLaplace, Gaussian, GridLaplace, Laplace, Mechanism, Rational, SecureSource};

use crate::sources::{Counting, secure};

/// The most that the share may be.
const MOST: f64 = 1.0 / (1 << 24) as f64;

const BATCH: usize = 1 << 16;

/// Counts the values that leave.
struct Leave {
    /// Values of each line.
    values: usize,
    missed: bool,
}

/// How many of so many values leave, all of them `x`.
fn count<M: Mechanism<T>, T: Copy>(mechanism: &M, x: T, of: usize) -> u64 {
    let mut source: Counting<SecureSource> = Counting::new(secure());
    let mut values = vec![x; BATCH];
    for _ in 0..of / BATCH {
        values.fill(x);
        let before = source.values();
        if mechanism.release_in_place(&mut source, &mut values).is_err() {
            // One of them overflows, and where it does is not known: one by one, then. That it overflows is known as early as any other result.
            source.set_values(before);
            for _ in 0..BATCH {
                _ = mechanism.release(&mut source, x);
            }
        }
    }
    source.values()
}

impl Leave {
    /// Prints a line: the share, and whether a share of [`MOST`] would have given so many with a probability of a millionth or more.
    fn line<M: Mechanism<T>, T: Copy>(&mut self, title: &str, mechanism: &M, x: T) {
        let (left, of) = (count(mechanism, x, self.values), self.values);
        let share = match left {
            0 => "0".into(),
            _ => format!("2^{:.1}", (left as f64 / of as f64).log2()),
        };
        let ok = left as f64 <= most_likely(MOST * of as f64);
        self.missed |= !ok;
        println!(
            "{title:44} {left:>8} of 2^{:<5.1} {share:>8}  {}",
            (of as f64).log2(),
            if ok { "ok" } else { "MISSED" }
        );
    }
}

/// The largest count that a Poisson variable of this mean exceeds with a probability of a millionth at least.
fn most_likely(mean: f64) -> f64 {
    let (mut term, mut below, mut count) = ((-mean).exp(), 0.0, 0.0);
    while below + term < 1.0 - 1e-6 {
        below += term;
        count += 1.0;
        term *= mean / count;
    }
    count
}

/// Prints the shares of `2^log2` values each; true if none is above the bar.
pub(crate) fn report(log2: u32) -> bool {
    let mut leave = Leave { values: 1 << log2, missed: false };
    println!("values that leave the straight line; bar: a share of 2^-24");
    let scale = Rational::pow2;
    for x in [0.0, 5e-324, 1e-20, 1e-3, 0.35, 1.0, -1.0, 2.7, 100.0, 1e6, 1e300] {
        let laplace = Laplace::new(scale(0)).expect("a scale");
        leave.line(&format!("Laplace f64, b = 1, x = {x:e}"), &laplace, x);
    }
    for b in [-900, -100, 100, 900] {
        let laplace = Laplace::new(scale(b)).expect("a scale");
        leave.line(&format!("Laplace f64, b = 2^{b}, x = 0"), &laplace, 0.0);
        leave.line(&format!("Laplace f64, b = 2^{b}, x = 1"), &laplace, 1.0);
    }
    for b in [-900, -149, 0, 100] {
        let laplace = Laplace::new(scale(b)).expect("a scale");
        leave.line(&format!("Laplace f32, b = 2^{b}, x = 0"), &laplace, 0.0f32);
        leave.line(&format!("Laplace f32, b = 2^{b}, x = 1"), &laplace, 1.0f32);
    }
    for s in [-60, -10, 0, 20, 21, 30, 44, 53, 59, 60, 61, 62] {
        let noise = DiscreteLaplace::new(scale(s)).expect("a scale");
        leave.line(&format!("DiscreteLaplace i64, s = 2^{s}"), &noise, 0i64);
    }
    for x in [0.0, 5e-324, 1e-20, 1e-3, 0.35, 1.0, -1.0, 2.7, 100.0, 1e6, 1e300] {
        let gaussian = Gaussian::new(&scale(0)).expect("a scale");
        leave.line(&format!("Gaussian f64, σ = 1, x = {x:e}"), &gaussian, x);
    }
    for s in [-900, -100, 100, 900] {
        let gaussian = Gaussian::new(&scale(s)).expect("a scale");
        leave.line(&format!("Gaussian f64, σ = 2^{s}, x = 0"), &gaussian, 0.0);
        leave.line(&format!("Gaussian f64, σ = 2^{s}, x = 1"), &gaussian, 1.0);
    }
    for s in [-900, -149, 0, 100] {
        let gaussian = Gaussian::new(&scale(s)).expect("a scale");
        leave.line(&format!("Gaussian f32, σ = 2^{s}, x = 0"), &gaussian, 0.0f32);
        leave.line(&format!("Gaussian f32, σ = 2^{s}, x = 1"), &gaussian, 1.0f32);
    }
    for s in [-900, -60, 0, 20, 40, 53, 58, 59] {
        let gaussian = Gaussian::new(&scale(s)).expect("a scale");
        leave.line(&format!("Gaussian i64, σ = 2^{s}"), &gaussian, 0i64);
    }
    for k in [60, 0, -20, -21, -40, -45, -53, -60, -62, -70, -87, -88, -100, -1074] {
        let grid = GridLaplace::<f64>::new(scale(0), Some(k)).expect("a grid");
        for x in [0.0, 1.0, 1e6] {
            leave.line(&format!("GridLaplace f64, b = 1, k = {k}, x = {x:e}"), &grid, x);
        }
    }
    !leave.missed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_are_likely() {
        // Summed with 50 digits, by Python's `decimal`.
        assert_eq!([0.25, 4.0, 64.0].map(most_likely), [5.0, 17.0, 105.0]);
    }
}
