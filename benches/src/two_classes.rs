//! Is there a difference in time at all? Two classes of releases in random order, and Welch's t-test on their times, in the manner of
//! dudect (Reparaz, Balasch and Verbauwhede 2017).
//!
//! The machine disturbs both classes alike, so that with enough releases a small difference shows. Noise that is known to
//! leak is tested too: if that is not found, the test was too weak to tell anything.

use std::hint::black_box;
use std::time::Instant;

use lastbit::{BitSource, InsecureSeededSource, Mechanism};

use crate::cases::{discrete_laplace, gaussian, grid_laplace, laplace, snapping};
use crate::sources::{Script, secure};
use crate::textbook;
use crate::values::VALUES;

/// Values of a release.
const N: usize = 128;

/// Releases of both classes together.
const RELEASES: usize = 1 << 19;

/// As for dudect: what is above is not by chance.
const MOST: f64 = 4.5;

/// Times are also compared without those above one of these quantiles: interruptions hide what is small.
const QUANTILES: [f64; 4] = [1.0, 0.99, 0.9, 0.5];

/// Mean and variance, one number after another (Welford).
#[derive(Clone, Copy, Default)]
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.n += 1.0;
        let off = x - self.mean;
        self.mean += off / self.n;
        self.squares += off * (x - self.mean);
    }
}

/// Welch's t.
fn t([a, b]: [Moments; 2]) -> f64 {
    let error = |m: Moments| m.squares / (m.n - 1.0) / m.n;
    (a.mean - b.mean) / (error(a) + error(b)).sqrt()
}

/// How two classes of times differ.
#[derive(Clone, Copy, Default)]
struct Difference {
    t: f64,
    /// Of the means, relative to the first, without the slowest tenth of all.
    relative: f64,
}

impl Difference {
    /// With the largest |t| over the quantiles.
    fn of(times: &[(bool, f64)]) -> Difference {
        let mut sorted: Vec<f64> = times.iter().map(|(_, time)| *time).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |quantile: f64| sorted[((sorted.len() - 1) as f64 * quantile) as usize];
        let classes = |quantile| {
            let (most, mut classes) = (at(quantile), [Moments::default(); 2]);
            for (class, time) in times.iter().filter(|(_, time)| *time <= most) {
                classes[usize::from(*class)].add(*time);
            }
            classes
        };
        let largest = QUANTILES.map(|quantile| t(classes(quantile)).abs()).into_iter().fold(0.0, f64::max);
        let [a, b] = classes(0.9);
        Difference { t: largest, relative: b.mean / a.mean - 1.0 }
    }
}

/// Times releases of two classes in random order: `prepare` is told the class and not timed, `run` is.
fn compare<S>(
    state: &mut S,
    mut prepare: impl FnMut(&mut S, bool),
    mut run: impl FnMut(&mut S),
) -> Difference {
    let mut coin = secure();
    let times: Vec<(bool, f64)> = (0..RELEASES)
        .map(|_| {
            let class = coin.next_word() >> 63 == 1;
            prepare(state, class);
            let start = Instant::now();
            run(state);
            (class, start.elapsed().as_nanos() as f64)
        })
        .collect();
    // The caches are not warm at first.
    Difference::of(&times[RELEASES / 64..])
}

/// One of two rows, by the same instructions and from the same addresses, whichever it is: a row that is read from elsewhere takes another time.
struct Rows<const LEN: usize> {
    first: [u64; LEN],
    difference: [u64; LEN],
}

impl<const LEN: usize> Rows<LEN> {
    fn new([first, second]: [[u64; LEN]; 2]) -> Rows<LEN> {
        Rows { first, difference: std::array::from_fn(|i| first[i] ^ second[i]) }
    }

    fn row(&self, class: bool) -> [u64; LEN] {
        let mask = black_box(u64::from(class).wrapping_neg());
        std::array::from_fn(|i| self.first[i] ^ (self.difference[i] & mask))
    }
}

/// A value, and its bits.
trait Bits: Copy {
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

impl Bits for f64 {
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

impl Bits for i64 {
    fn to_bits(self) -> u64 {
        self as u64
    }
    fn from_bits(bits: u64) -> i64 {
        bits as i64
    }
}

/// All values the same, against values that differ.
fn values<T: Bits, S: BitSource>(
    mechanism: &impl Mechanism<T>,
    source: S,
    same: T,
    others: &[T],
) -> Difference {
    let mut choice = secure();
    let other = std::array::from_fn(|_| others[(choice.next_word() % others.len() as u64) as usize]);
    let rows = Rows::new([[same; N], other].map(|values| values.map(T::to_bits)));
    let mut state = ([same; N], source);
    compare(
        &mut state,
        |(values, _), class| *values = rows.row(class).map(T::from_bits),
        |(values, source)| {
            mechanism.release_in_place(source, &mut values[..]).expect("values in range");
            black_box(values);
        },
    )
}

/// All noise the same, against noise that differs: words at hand.
fn noise<T: Copy>(mechanism: &impl Mechanism<T>, x: T) -> Difference {
    words_at_hand(secure().next_word(), |script| {
        let mut values = [x; N];
        mechanism.release_in_place(script, &mut values).expect("values in range");
        black_box(&values);
    })
}

fn words_at_hand(same: u64, run: impl FnMut(&mut Script)) -> Difference {
    let mut choice = secure();
    let rows = Rows::new([[same; 2 * N], std::array::from_fn(|_| choice.next_word())]);
    let mut script = Script::new(rows.first.to_vec());
    compare(&mut script, |script, class| script.rewrite(&rows.row(class)), run)
}

/// The textbook from words at hand: the logarithm of a library, with its tables and cases.
fn textbook_noise() -> Difference {
    words_at_hand(u64::MAX, |script| {
        let mut sum = 0.0;
        (0..N).for_each(|_| sum += textbook::noise(script.next_word()));
        black_box(sum);
    })
}

fn line(title: &str, Difference { t, relative }: Difference, leaks: bool) -> bool {
    let found = t > MOST;
    let verdict = match (leaks, found) {
        (false, false) => "no difference found: ok",
        (false, true) => "a DIFFERENCE",
        (true, true) => "the difference is found: ok",
        (true, false) => "the difference is NOT FOUND: this test tells nothing",
    };
    println!("{title:48} {t:8.2} {:9.3}%  {verdict}", 100.0 * relative);
    leaks == found
}

/// Prints t for each mechanism, by value and by noise, and for noise that leaks; true if each is as it should be.
pub(crate) fn report() -> bool {
    println!("largest |t| of {RELEASES} releases of {N} values; above {MOST} there is a difference");
    let far = [1e6, -3e7, 1e9];
    let integers = [0i64, 1, -1, 1000, 1 << 31, -(1 << 40), 1 << 50];
    [
        line("Laplace f64, by value", values(&laplace(), secure(), 0.0, &VALUES), false),
        line("Laplace f64, by noise", noise(&laplace(), 0.0), false),
        line(
            "GridLaplace f64, default k, by value",
            values(&grid_laplace(None), secure(), 0.0, &VALUES),
            false,
        ),
        line("GridLaplace f64, default k, by noise", noise(&grid_laplace(None), 0.0), false),
        line("Snapping f64, by value", values(&snapping(), secure(), 0.0, &VALUES), false),
        line("Snapping f64, by noise", noise(&snapping(), 0.0), false),
        line("DiscreteLaplace i64, by value", values(&discrete_laplace(), secure(), 0, &integers), false),
        line("DiscreteLaplace i64, by noise", noise(&discrete_laplace(), 0i64), false),
        line("Gaussian f64, by value", values(&gaussian(), secure(), 0.0, &VALUES), false),
        line("Gaussian f64, by noise", noise(&gaussian(), 0.0), false),
        line("nothing: both classes are alike", values(&laplace(), secure(), 0.0, &[0.0]), false),
        line("leaks: the textbook, by noise", textbook_noise(), true),
        line(
            "leaks: Laplace f64 from 32-bit words, by value",
            values(&laplace(), InsecureSeededSource::<u32>::from_seed(1), 0.0, &far),
            true,
        ),
    ]
    .iter()
    .all(|ok| *ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_of_known_samples() {
        let moments = |xs: [f64; 4]| {
            let mut moments = Moments::default();
            xs.iter().for_each(|x| moments.add(*x));
            moments
        };
        // Means 2.5 and 5, variances 5/3 and 20/3: -2.5/√(5/12 + 20/12).
        let found = t([moments([1.0, 2.0, 3.0, 4.0]), moments([2.0, 4.0, 6.0, 8.0])]);
        assert!((found + 2.5 / (25f64 / 12.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_shift_is_found_and_chance_is_not() {
        let mut source = InsecureSeededSource::<u64>::from_seed(3);
        let mut times = |shift: f64| -> Vec<(bool, f64)> {
            (0..1 << 14)
                .map(|_| {
                    let word = source.next_word();
                    let class = word >> 63 == 1;
                    (class, (word & 0xff) as f64 + if class { shift } else { 0.0 })
                })
                .collect()
        };
        assert!(Difference::of(&times(0.0)).t < MOST);
        assert!(Difference::of(&times(10.0)).t > MOST);
    }
}
