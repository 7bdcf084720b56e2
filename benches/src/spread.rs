//! How much the times of several works differ.

use crate::timing::{interleave, median, median_ratio};
use crate::work::Work;

/// The most that times may differ.
pub(crate) const MOST_SPREAD: f64 = 0.05;

/// How much the slowest takes more than the fastest. Each time counts relative to the first work's of its round: a machine
/// that switches between two speeds would make plain medians jump from one to the other.
fn spread(times: &[Vec<f64>]) -> f64 {
    let relative = times.iter().map(|work| median_ratio(work, &times[0]));
    let (least, most) = relative.fold((f64::MAX, 0f64), |(least, most), r| (least.min(r), most.max(r)));
    most / least - 1.0
}

/// Times the works in turn and prints the median of each and their spread; true if it is small enough.
pub(crate) fn report(title: &str, works: &mut [&mut dyn Work], rounds: usize) -> bool {
    let times = interleave(works, rounds);
    let spread = spread(&times);
    let ok = spread <= MOST_SPREAD;
    let medians: String = times.into_iter().map(|times| format!("{:8.3}", median(times))).collect();
    println!("{title:26}{medians}{:9.2}%  {}", 100.0 * spread, if ok { "ok" } else { "MISSED" });
    ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_sees_the_works_and_not_the_rounds() {
        // A machine of two speeds, and a work that is 10% slower than the others.
        let speeds = [1.0, 2.0, 1.0, 2.0, 2.0];
        let times = [1.0, 1.1, 1.0].map(|work| speeds.map(|speed| work * speed).to_vec());
        assert!((spread(&times) - 0.1).abs() < 1e-12);
    }
}
