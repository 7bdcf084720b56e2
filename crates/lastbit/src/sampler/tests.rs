//! The tiers against each other, against exact numbers, and against deliberately broken copies of themselves.
//!
//! `LASTBIT_MORE=k` in the environment tries `k` times as many random words (and thresholds); `LASTBIT_PORTABLE=1` makes the
//! tests of whole mechanisms run on the portable path, where the tests of kernels try every path anyhow.
//! With `--nocapture` the tests tell how many words they tried and how much of each radius the errors used.

mod agreement;
mod boundaries;
mod chunks;
mod subjects;

use std::fmt::Debug;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::arith::{Arith, Kernel, Path, Portable, Table8};
use super::tier2::Prefix;
use super::tier3::LongPrefix;
use super::{Law, try_tier2, try_tier3};
use crate::bits::{BitSource, InsecureSeededSource, Word};

/// `n`, times what the environment asks for.
pub(super) fn more(n: usize) -> usize {
    let factor = std::env::var("LASTBIT_MORE").map_or(1, |k| k.parse().expect("LASTBIT_MORE is a number"));
    n * factor
}

pub(super) fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// Words where something could go wrong, of both signs: no known bit of `U`, the ends, powers of two, and the places where the
/// argument of the logarithm jumps from √2 to √½.
fn edge_words() -> Vec<u64> {
    let sqrt_half = 0x5a82_7999_fcef_3242u64; // √½·2⁶³
    let mut u = vec![0];
    for k in 0..63 {
        for near in 0..4 {
            u.extend([(1 << k) + near, (1u64 << k).wrapping_sub(near)]);
            u.extend([(sqrt_half >> k).wrapping_add(near), (sqrt_half >> k).wrapping_sub(near)]);
            u.extend([(1 << 63) - (1 << k) + near, (1 << 63) - (1 << k) - near]);
        }
    }
    let positive = u.into_iter().map(|u| u & (u64::MAX >> 1));
    positive.flat_map(|u| [u, u | 1 << 63]).collect()
}

/// The edges, then `n` random words; of these some are close to 0 and some are close to 1.
pub(super) fn words<W: Word>(seed: u64, n: usize) -> Vec<W> {
    let mut source = InsecureSeededSource::<u64>::from_seed(seed);
    let mut random = move || {
        let (word, shape) = (source.next_word(), source.next_word());
        let (sign, u, shift) = (word & 1 << 63, word << 1, shape >> 4 & 63);
        match shape & 7 {
            0 => sign | u >> shift >> 1,
            1 => sign | !(u >> shift) >> 1,
            _ => word,
        }
    };
    edge_words().into_iter().chain(std::iter::repeat_with(&mut random).take(n)).map(W::from_top_of).collect()
}

/// As many lows, left-aligned as words are: random, some of them all zeros or all ones.
pub(super) fn lows<W: Word>(seed: u64, n: usize) -> Vec<u64> {
    let mut source = InsecureSeededSource::<u64>::from_seed(!seed);
    let mut low = || match source.next_word() {
        word if word & 15 == 0 => 0,
        word if word & 15 == 1 => u64::MAX,
        word => word,
    };
    (0..n).map(|_| low() & (u64::MAX << (64 - W::BITS / 2))).collect()
}

/// What a word and, for a wide kernel, half a word say about `U`.
pub(super) fn prefix_of<W: Word>(word: W, low: u64, wide: bool) -> Prefix {
    let prefix = Prefix::new(word.left_aligned(), W::BITS);
    if wide { prefix.then(low, W::BITS / 2) } else { prefix }
}

/// The word of 64 bits and the half that say that.
pub(super) fn word_and_low(prefix: &Prefix) -> (u64, u64) {
    let top = prefix.bits << (127 - prefix.len);
    ((top >> 64) as u64 | u64::from(prefix.negative) << 63, top as u64)
}

/// What the law says if all further bits of `U` are zeros, or all are ones; `None` if a threshold is as close to that end as
/// five hundred bits can tell.
fn at_end<L: Law>(law: &L, mut prefix: Prefix, ones: bool) -> Option<L::Output> {
    let fill = if ones { u64::MAX } else { 0 };
    while prefix.len < Prefix::MAX_LEN {
        prefix = prefix.then(fill, (Prefix::MAX_LEN - prefix.len).min(64));
    }
    try_tier2(law, prefix).or_else(|| at_end_by_tier3(law, LongPrefix::from(prefix), ones))
}

/// The same by tier 3 alone.
fn at_end_by_tier3<L: Law>(law: &L, mut prefix: LongPrefix, ones: bool) -> Option<L::Output> {
    (0..8).find_map(|_| {
        prefix.push(if ones { u64::MAX } else { 0 }, 64);
        try_tier3(law, &prefix)
    })
}

/// Which arithmetic a kernel runs with: the crate's, or one of ours with a fault.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arithmetic {
    Shipped(Path),
    /// Products without their low parts.
    NoLowParts,
    /// Sums that are off by 2⁻⁴⁷ of themselves.
    Coarse,
}

impl Arithmetic {
    pub(super) fn shipped() -> Vec<Arithmetic> {
        Path::available().into_iter().map(Arithmetic::Shipped).collect()
    }

    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Arithmetic::Shipped(path) => path.run(kernel),
            Arithmetic::NoLowParts => kernel.run::<NoLowParts>(),
            Arithmetic::Coarse => kernel.run::<Coarse>(),
        }
    }
}

#[derive(Clone, Copy)]
struct NoLowParts;

impl Arith for NoLowParts {
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
    fn product_error(_: f64, _: f64, _: f64) -> f64 {
        0.0
    }
    fn residual(_: f64, _: f64, _: f64) -> f64 {
        0.0
    }
    fn mul_add_exact(a: f64, b: f64, c: f64) -> (f64, f64) {
        (a * b + c, 0.0)
    }
    fn floor(x: f64) -> f64 {
        Portable::floor(x)
    }
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]) {
        Portable::look_up(table, index, out);
    }
}

#[derive(Clone, Copy)]
struct Coarse;

impl Arith for Coarse {
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        (a * b + c) * (1.0 + f64::EPSILON * 32.0)
    }
    fn product_error(a: f64, b: f64, p: f64) -> f64 {
        a.mul_add(b, -p)
    }
    fn residual(c: f64, a: f64, b: f64) -> f64 {
        (-a).mul_add(b, c)
    }
    fn mul_add_exact(a: f64, b: f64, c: f64) -> (f64, f64) {
        Portable::mul_add_exact(a, b, c)
    }
    fn floor(x: f64) -> f64 {
        Portable::floor(x)
    }
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]) {
        Portable::look_up(table, index, out);
    }
}

/// A law, and the kernel of tier 1 that must obey it.
trait Subject: Debug {
    type Output: PartialOrd + Debug;

    fn law(&self) -> impl Law<Output = Self::Output>;

    /// What tier 1 says to each word, and the half that is with it if the kernel is wide; `None` if undecided.
    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<Self::Output>>;

    /// Whether the kernel reads a word and a half.
    fn is_wide(&self) -> bool;

    /// Where the output leaves `near` as `E` grows (or some other step, if it has only one); `None` if it does so at no `E > 0`.
    fn threshold(&self, negative: bool, near: &Self::Output) -> Option<Step<Self::Output>>;

    /// Whether the output grows with `E`.
    fn grows(&self, negative: bool) -> bool {
        !negative
    }
}

/// A step of a law: at `e`, known to some 300 bits, its output goes from `inner` to `outer`.
struct Step<T> {
    e: Enclosure,
    inner: T,
    outer: T,
}

/// Something to do with each of several subjects.
trait Visit {
    fn visit<S: Subject>(&mut self, subject: &S);
}

/// `floor(U·2^len)`, if the enclosure tells it.
fn floor_at(u: &Enclosure, len: u32) -> Option<u128> {
    let floor = |end: &Dyadic| -> IBig { end.shl(i64::from(len)).floor() };
    let (low, high) = (floor(u.lo()), floor(u.hi()));
    (low == high).then(|| u128::try_from(low).ok()).flatten()
}
