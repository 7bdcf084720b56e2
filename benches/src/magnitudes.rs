//! Does the time of a value tell how large its noise is?
//!
//! Words are drawn beforehand and sorted by the magnitude of the noise that they give. Then batches whose noise is all of
//! one magnitude are timed against each other. Words that do not decide their value alone are left out: those
//! take longer, about which `lastbit-bench leave` tells.

use lastbit::{BitSource, Mechanism, Rational};

use crate::cases::{constant_time, discrete_laplace, grid_laplace, laplace};
use crate::sources::{Script, secure};
use crate::timing::{interleave, median, median_ratio};
use crate::work::{SliceToSlice, Work};

/// The least magnitude of each bin, in units of the scale.
const BINS: [f64; 4] = [0.0, 1.0, 3.0, 7.0];

/// Values of a batch: the last bin gets one word in 1100.
const N: usize = 1 << 15;

const ROUNDS: usize = 1001;

/// The most that the bins may differ.
const MOST_SPREAD: f64 = 0.05;

/// Values that a release takes together.
const CHUNK: usize = 128;

/// The words of each bin, where a value takes some number of them. A bin has words for `N` values that take one each, or else for fewer values, over and
/// over: all bins together are to stay in the cache, or they would tell how fast memory is.
fn sorted_words(words_each: usize, noise: impl Fn(&mut Script) -> f64) -> [Vec<u64>; BINS.len()] {
    let room = N / words_each / CHUNK * CHUNK * words_each;
    let mut bins = BINS.map(|_| Vec::with_capacity(room));
    let mut source = secure();
    while bins.iter().any(|bin| bin.len() < room) {
        let words: Vec<u64> = (0..words_each).map(|_| source.next_word()).collect();
        let mut alone = Script::new(words.clone());
        let magnitude = noise(&mut alone).abs();
        let bin = BINS.iter().rposition(|least| *least <= magnitude).expect("a magnitude");
        if alone.refinements() == 0 && bins[bin].len() < room {
            bins[bin].extend(words);
        }
    }
    bins.map(|words| by_rows(&words, words_each))
}

/// The words of a value stand side by side; a chunk reads the first word of all its values, then the second of all, and so on.
fn by_rows(words: &[u64], words_each: usize) -> Vec<u64> {
    let row = |chunk: &[u64], row| chunk.iter().skip(row).step_by(words_each).copied().collect::<Vec<u64>>();
    let chunks = words.chunks(CHUNK * words_each);
    chunks.flat_map(|chunk| (0..words_each).flat_map(move |i| row(chunk, i))).collect()
}

/// How much the slowest bin takes more than the fastest. Each time counts relative to the first bin's of its round: a machine
/// that switches between two speeds would make plain medians jump from one to the other.
fn spread(times: &[Vec<f64>]) -> f64 {
    let relative = times.iter().map(|bin| median_ratio(bin, &times[0]));
    let (least, most) = relative.fold((f64::MAX, 0f64), |(least, most), r| (least.min(r), most.max(r)));
    most / least - 1.0
}

/// Times the bins of a mechanism of this scale at `x`; true if they differ little enough.
fn report_mechanism<M, T>(title: &str, mechanism: &M, scale: f64, x: T, to_f64: impl Fn(T) -> f64) -> bool
where
    M: Mechanism<T> + Clone,
    T: Copy,
{
    report_words(title, 1, mechanism, scale, x, to_f64)
}

/// The same for a mechanism that takes several words for each value.
fn report_words<M, T>(
    title: &str,
    words_each: usize,
    mechanism: &M,
    scale: f64,
    x: T,
    to_f64: impl Fn(T) -> f64,
) -> bool
where
    M: Mechanism<T> + Clone,
    T: Copy,
{
    let noise = |source: &mut Script| {
        let noisy = mechanism.release(source, x).expect("value in range");
        (to_f64(noisy) - to_f64(x)) / scale
    };
    let mut works = sorted_words(words_each, noise)
        .map(|words| SliceToSlice::new(Script::new(words), mechanism.clone(), x, N));
    let mut turns: Vec<&mut dyn Work> = works.iter_mut().map(|work| work as &mut dyn Work).collect();
    let times = interleave(&mut turns, ROUNDS);
    assert!(
        works.iter().all(|work| work.source().refinements() == 0),
        "a word in a batch does what it does alone"
    );

    let spread = spread(&times);
    let ok = spread <= MOST_SPREAD;
    let medians: String = times.into_iter().map(|times| format!("{:8.3}", median(times))).collect();
    println!("{title:26}{medians}{:9.2}%  {}", 100.0 * spread, if ok { "ok" } else { "MISSED" });
    ok
}

/// Prints the medians of all bins and their spread; true if no bar is missed.
pub(crate) fn report() -> bool {
    println!(
        "ns per value, words at hand, by |noise|/scale; spread = max/min - 1, bar <= {:.0}%",
        100.0 * MOST_SPREAD
    );
    println!("{:26}{:>8}{:>8}{:>8}{:>8}{:>10}", "", "0..1", "1..3", "3..7", "7..", "spread");
    let results = [
        report_mechanism("DiscreteLaplace i64", &discrete_laplace(), 10.0, 0i64, |z| z as f64),
        report_words("the same, constant time", 11, &constant_time(Rational::from(10)), 10.0, 0i64, |z| {
            z as f64
        }),
        report_mechanism("GridLaplace f64, k = -20", &grid_laplace(Some(-20)), 1.0, 0.0, |y: f64| y),
        report_mechanism("Laplace f64, x = 0", &laplace(), 1.0, 0.0, |y: f64| y),
        report_mechanism("Laplace f64, x = 1e6", &laplace(), 1.0, 1e6, |y: f64| y),
    ];
    results.iter().all(|ok| *ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value gets in a slice what it gets alone.
    #[test]
    fn words_by_rows_give_the_noise_of_words_side_by_side() {
        let mut source = secure();
        let noise = constant_time(Rational::from(10));
        let words: Vec<u64> = (0..11 * 3 * CHUNK).map(|_| source.next_word()).collect();
        let alone = words.chunks(11).map(|words| {
            let mut script = Script::new(words.to_vec());
            noise.release(&mut script, 0i64).expect("value in range")
        });
        let mut slice = vec![0i64; 3 * CHUNK];
        noise.release_in_place(&mut Script::new(by_rows(&words, 11)), &mut slice).expect("values in range");
        assert_eq!(slice, alone.collect::<Vec<i64>>());
    }

    #[test]
    fn spread_sees_the_bins_and_not_the_rounds() {
        // A machine of two speeds, and a bin that is 10% slower than the others.
        let speeds = [1.0, 2.0, 1.0, 2.0, 2.0];
        let times = [1.0, 1.1, 1.0].map(|bin| speeds.map(|speed| bin * speed).to_vec());
        assert!((spread(&times) - 0.1).abs() < 1e-12);
    }
}
