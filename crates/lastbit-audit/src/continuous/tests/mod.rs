//! The integrals against closed forms, against identities, against numbers that were found in another way.

mod broken;
mod closed_forms;
mod limits;
mod numerical;
mod partitions;
mod witnesses;

use super::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn one() -> ExponentialSum {
    ExponentialSum::from(Rational::ONE)
}

/// `Σ cᵢ·vᵢ + constant >= 0` with small integers.
fn half_space(coefficients: &[i64], constant: &str) -> HalfSpace {
    HalfSpace::new(coefficients.iter().map(|c| Rational::from(*c)).collect::<Vec<_>>(), rational(constant))
}

fn laplace(scales: &[&str]) -> Vec<Noise> {
    scales.iter().map(|scale| Noise::Laplace(rational(scale))).collect()
}

fn exponential(scales: &[&str]) -> Vec<Noise> {
    scales.iter().map(|scale| Noise::Exponential(rational(scale))).collect()
}

fn exact(noises: &[Noise], region: &[HalfSpace]) -> ExponentialSum {
    probability(noises, region, Budget::default()).unwrap()
}

/// The half-spaces or their complements, by the bits of `pattern`.
fn signed(half_spaces: &[HalfSpace], pattern: u32) -> Vec<HalfSpace> {
    let choose = |(i, half_space): (usize, &HalfSpace)| match pattern >> i & 1 {
        0 => half_space.clone(),
        _ => half_space.complement(),
    };
    half_spaces.iter().enumerate().map(choose).collect()
}

/// The sparse vector technique: query `i` plus noise `i + 1` is above the threshold 0 plus noise 0.
fn sparse_vector(queries: &[i64]) -> Vec<HalfSpace> {
    let above = |i: usize| {
        let coefficients = (0..=queries.len()).map(|v| i64::from(v == i + 1) - i64::from(v == 0));
        half_space(&coefficients.collect::<Vec<_>>(), &queries[i].to_string())
    };
    (0..queries.len()).map(above).collect()
}

/// Random numbers that are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// From `low` to `high`.
    fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + (self.word() % (high - low + 1) as u64) as i64
    }

    /// Above 0, at most 1.
    fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) + 1) as f64 * 2f64.powi(-53)
    }

    fn noise(&mut self) -> Noise {
        let scale = Rational::new(self.integer(1, 4), self.integer(1, 3)).unwrap();
        if self.integer(0, 2) == 0 { Noise::Exponential(scale) } else { Noise::Laplace(scale) }
    }

    /// A half-space whose coefficients are often 0 or equal.
    fn half_space(&mut self, noises: usize) -> HalfSpace {
        let coefficients: Vec<_> = (0..noises).map(|_| Rational::from(self.integer(-2, 2))).collect();
        HalfSpace::new(coefficients, Rational::new(self.integer(-6, 6), self.integer(1, 3)).unwrap())
    }

    fn problem(&mut self, noises: usize, half_spaces: usize) -> (Vec<Noise>, Vec<HalfSpace>) {
        let drawn = (0..noises).map(|_| self.noise()).collect();
        (drawn, (0..half_spaces).map(|_| self.half_space(noises)).collect())
    }
}
