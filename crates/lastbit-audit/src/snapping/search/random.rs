//! Random numbers that depend on a seed alone.

use lastbit_real::Float;

/// SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed, different for every `stream`.
    pub(super) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(stream);
        Random(seed ^ random.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer below `n`. That some are a little more likely does not matter here.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// One of these.
    pub(super) fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len() as u64) as usize) }
    }

    /// A double of about `[low, high]`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = f64::from_i128(i128::from(self.next() as i64 >> 10), -53);
        (low / 2.0 + high / 2.0) + (high / 2.0 - low / 2.0) * unit
    }

    /// An integer other than 0, of either sign, whose number of bits is uniform in `1..=52`.
    pub(super) fn signed(&mut self) -> i64 {
        let bits = self.below(52);
        let magnitude = (1 << bits | self.next() & ((1 << bits) - 1)) as i64;
        if self.below(2) == 0 { -magnitude } else { magnitude }
    }
}
