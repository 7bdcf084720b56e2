//! Does the time of a value tell how large its noise is?
//!
//! Words are drawn beforehand and sorted by the magnitude of the noise that they give. Then batches whose noise is all of
//! one magnitude are timed against each other. Words that do not decide their value alone are left out: those
//! take longer, about which `lastbit-bench leave` tells.

use lastbit::{BitSource, DiscreteLaplace, Gaussian, Mechanism, Rational};

use crate::cases::{constant_time, discrete_laplace, gaussian, grid_laplace, laplace};
use crate::sources::{Script, secure};
use crate::spread::{self, MOST_SPREAD};
use crate::work::{SliceToSlice, Work};

/// The least magnitude of each bin, in units of the scale.
type Bins = [f64; 4];

const BINS: Bins = [0.0, 1.0, 3.0, 7.0];

/// Normal variables are not that large.
const NORMAL_BINS: Bins = [0.0, 0.5, 1.0, 2.0];

/// Values of a batch: the last bin of Laplace noise gets one word in 1100.
const N: usize = 1 << 15;

/// Values that draw their words together.
const CHUNK: usize = 128;

const ROUNDS: usize = 1001;

/// Draws of `K` words until each bin has `n` of them. A draw has a bin, or none.
fn sorted<const K: usize>(n: usize, bin_of: impl Fn([u64; K]) -> Option<usize>) -> [Vec<[u64; K]>; 4] {
    let mut bins = BINS.map(|_| Vec::with_capacity(n));
    let mut source = secure();
    while bins.iter().any(|bin| bin.len() < n) {
        let draw = std::array::from_fn(|_| source.next_word());
        if let Some(bin) = bin_of(draw)
            && bins[bin].len() < n
        {
            bins[bin].push(draw);
        }
    }
    bins
}

/// The words of a draw stand side by side; a chunk of `n` draws reads the first word of all of them, then the second of all, and so on.
fn by_rows<const K: usize>(draws: &[[u64; K]], n: usize) -> Vec<u64> {
    let rows = |chunk: &[[u64; K]]| -> Vec<u64> {
        (0..K).flat_map(|row| chunk.iter().map(move |draw| draw[row])).collect()
    };
    draws.chunks(n).flat_map(rows).collect()
}

/// The bin of what a mechanism of this scale adds to `x` from these words; `None` if they do not decide it.
fn bin_of<M: Mechanism<T>, T: Copy>(subject: &Subject<M, T>, words: Vec<u64>, least: Bins) -> Option<usize> {
    let mut alone = Script::new(words);
    let noisy = subject.mechanism.release(&mut alone, subject.x).expect("value in range");
    let magnitude = ((subject.to_f64)(noisy) - (subject.to_f64)(subject.x)).abs() / subject.scale;
    let bin = least.iter().rposition(|least| *least <= magnitude).expect("a magnitude");
    (alone.refinements() == 0).then_some(bin)
}

struct Subject<M, T> {
    title: &'static str,
    mechanism: M,
    scale: f64,
    x: T,
    to_f64: fn(T) -> f64,
}

/// Times the bins against each other, given the words of each; true if they differ little enough.
fn report_bins<M: Mechanism<T> + Clone, T: Copy>(subject: &Subject<M, T>, bins: [Vec<u64>; 4]) -> bool {
    let Subject { title, mechanism, x, .. } = subject;
    let mut works = bins.map(|words| SliceToSlice::new(Script::new(words), mechanism.clone(), *x, N));
    let mut turns: Vec<&mut dyn Work> = works.iter_mut().map(|work| work as &mut dyn Work).collect();
    let ok = spread::report(title, &mut turns, ROUNDS);
    assert!(
        works.iter().all(|work| work.source().refinements() == 0),
        "a word in a batch does what it does alone"
    );
    ok
}

/// A mechanism whose first word decides the magnitude.
fn report_mechanism<M: Mechanism<T> + Clone, T: Copy>(subject: &Subject<M, T>) -> bool {
    let bins = sorted(N, |[word]| bin_of(subject, vec![word], BINS));
    report_bins(subject, bins.map(|draws| draws.into_flattened()))
}

/// Normal variables come in pairs, from three words: both are to be of one magnitude.
fn report_pairs(subject: &Subject<Gaussian, f64>) -> bool {
    const SWAP: u64 = 1 << 62;
    let bins = sorted(N / 2, |[u, v, more]| {
        let first = bin_of(subject, vec![u, v, more], NORMAL_BINS)?;
        let second = bin_of(subject, vec![u, v ^ SWAP, more], NORMAL_BINS)?;
        (first == second).then_some(first)
    });
    report_bins(subject, bins.map(|draws| by_rows(&draws, CHUNK / 2)))
}

/// Words of a value of [`constant_time`] at scale 10.
const DIGITS: usize = 11;

/// A mechanism that reads several words for each value. The bins have fewer values, over and over: all together are to stay in the cache, or they would tell how
/// fast memory is.
fn report_digits(subject: &Subject<DiscreteLaplace, i64>) -> bool {
    let bins =
        sorted(N / DIGITS / CHUNK * CHUNK, |words: [u64; DIGITS]| bin_of(subject, words.to_vec(), BINS));
    report_bins(subject, bins.map(|draws| by_rows(&draws, CHUNK)))
}

fn head(bins: Bins) {
    let [b0, b1, b2, b3] = bins;
    println!(
        "{:26}{:>8}{:>8}{:>8}{:>8}{:>10}",
        "",
        format!("{b0}..{b1}"),
        format!("{b1}..{b2}"),
        format!("{b2}..{b3}"),
        format!("{b3}.."),
        "spread"
    );
}

/// Prints the medians of all bins and their spread; true if no bar is missed.
pub(crate) fn report() -> bool {
    println!(
        "ns per value, words at hand, by |noise|/scale; spread = max/min - 1, bar <= {:.0}%",
        100.0 * MOST_SPREAD
    );
    head(BINS);
    let same: fn(f64) -> f64 = |y| y;
    let integers = Subject {
        title: "DiscreteLaplace i64",
        mechanism: discrete_laplace(),
        scale: 10.0,
        x: 0i64,
        to_f64: |z| z as f64,
    };
    let flat = report_mechanism(&integers);
    let coarse = Subject {
        title: "GridLaplace f64, k = -20",
        mechanism: grid_laplace(Some(-20)),
        scale: 1.0,
        x: 0.0,
        to_f64: same,
    };
    let near =
        Subject { title: "Laplace f64, x = 0", mechanism: laplace(), scale: 1.0, x: 0.0, to_f64: same };
    let far = Subject { title: "Laplace f64, x = 1e6", x: 1e6, mechanism: laplace(), ..near };
    let digits = Subject {
        title: "the same, constant time",
        mechanism: constant_time(Rational::from(10)),
        ..integers
    };
    let mut ok = flat & report_digits(&digits) & report_mechanism(&coarse);
    ok &= report_mechanism(&Subject { mechanism: laplace(), ..near }) & report_mechanism(&far);
    head(NORMAL_BINS);
    let normal =
        Subject { title: "Gaussian f64, x = 0", mechanism: gaussian(), scale: 1.0, x: 0.0, to_f64: same };
    ok &= report_pairs(&normal);
    ok & report_pairs(&Subject { title: "Gaussian f64, x = 1e6", x: 1e6, ..normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value gets in a slice what it gets alone.
    #[test]
    fn words_by_rows_give_the_noise_of_words_side_by_side() {
        let mut source = secure();
        let mechanism = constant_time(Rational::from(10));
        let draws: Vec<[u64; DIGITS]> =
            (0..2 * CHUNK).map(|_| std::array::from_fn(|_| source.next_word())).collect();
        let mut slice = vec![0i64; 2 * CHUNK];
        mechanism.release_in_place(&mut Script::new(by_rows(&draws, CHUNK)), &mut slice).unwrap();
        for (draw, noisy) in draws.iter().zip(slice) {
            assert_eq!(mechanism.release(&mut Script::new(draw.to_vec()), 0i64).unwrap(), noisy);
        }
    }
}
