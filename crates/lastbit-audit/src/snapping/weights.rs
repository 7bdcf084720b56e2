//! Exact weights of outputs, for given arithmetic and inputs.

use std::cell::Cell;

use lastbit_real::{Enclosure, IBig, Rational, Rounding, exp_f64, ln_rational};

use super::FloatSnap;

/// Bits of a logarithm.
const BITS: u32 = 128;

/// The mechanism with arithmetic that can be run: `noise` is `y_F`, which must not decrease.
pub struct Exact<'a, N> {
    mechanism: &'a FloatSnap,
    noise: N,
    /// `ε`, for guesses only.
    rate: f64,
    evaluations: Cell<u64>,
}

/// The weights of an output under two inputs, over `2·total`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The number of the output.
    pub output: i64,
    /// Under the first input.
    pub f: IBig,
    /// Under the second.
    pub f2: IBig,
}

impl Weights {
    /// The larger one and the smaller one.
    fn ordered(&self) -> (&IBig, &IBig) {
        if self.f >= self.f2 { (&self.f, &self.f2) } else { (&self.f2, &self.f) }
    }

    /// Whether the loss here is less than there.
    pub fn loses_less_than(&self, other: &Weights) -> bool {
        let ((large, small), (other_large, other_small)) = (self.ordered(), other.ordered());
        // An output that neither input gives has no loss.
        !other_large.is_zero() && (large.is_zero() || large * other_small < other_large * small)
    }

    /// `|ln(P/P')|`, or `None` if it is infinite.
    pub fn loss(&self) -> Option<Enclosure> {
        loss_of(self.ordered())
    }
}

/// `ln(large/small)`, `None` for a division by 0; 0 for 0 and 0, which stand for an output that is never given.
pub fn loss_of((large, small): (&IBig, &IBig)) -> Option<Enclosure> {
    if large.is_zero() {
        return Some(Enclosure::exact(0.into()));
    }
    let ratio = Rational::new(large.clone(), small.clone())?;
    Some(ln_rational(&ratio, BITS).expect("weights are positive"))
}

/// Half the width, relative, of the interval around a guess in which a threshold is looked for first: the errors of
/// [`FloatSnap::noise_of`] move it by at most 2⁻⁴² if `M <= 700`, and bisection finds it wherever it is.
const AROUND_GUESS: f64 = 1.0 / (1u64 << 40) as f64;

impl<'a, N: Fn(f64) -> f64> Exact<'a, N> {
    /// The mechanism with this arithmetic for `y`.
    pub fn new(mechanism: &'a FloatSnap, noise: N) -> Exact<'a, N> {
        let rate = mechanism.rate().to_f64(Rounding::Nearest);
        Exact { mechanism, noise, rate, evaluations: Cell::new(0) }
    }

    /// How often the noise was computed.
    pub fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    /// The least `u` (or 1) for which `f ⊕ s ⊗ y_F(u)` is at least `threshold` (`s = 1`) or less (`s = -1`).
    fn least_u(&self, f: f64, threshold: f64) -> f64 {
        let sampler = self.mechanism.sampler();
        let downward = threshold <= f;
        let reached = |number: u64| {
            self.evaluations.set(self.evaluations.get() + 1);
            let y = (self.noise)(sampler.value(number));
            if downward { f + y >= threshold } else { f - y < threshold }
        };
        let guess = exp_f64(-(f - threshold).abs() * self.rate);
        let (mut below, mut at) = (0, sampler.end());
        let near = |v: f64| sampler.number_at_least(v.clamp(f64::from_bits(1), 1.0)).min(sampler.end());
        let [low, high] = [near(guess * (1.0 - AROUND_GUESS)), near(guess * (1.0 + AROUND_GUESS))];
        if low < at && !reached(low) {
            below = low;
        }
        if high < at && high > below && reached(high) {
            at = high;
        }
        while at - below > 1 {
            let middle = below + (at - below) / 2;
            if reached(middle) { at = middle } else { below = middle }
        }
        sampler.value(at)
    }

    /// The weight, over `2·total`, of what rounds to less than `kΛ`.
    fn below(&self, f: f64, k: i64) -> IBig {
        let (sampler, top) = (self.mechanism.sampler(), self.mechanism.top());
        if k <= -top {
            return IBig::ZERO;
        }
        let total = sampler.total();
        if k > top {
            return total * 2;
        }
        let threshold = self.mechanism.threshold(k);
        let weight = sampler.weight_below(self.least_u(f, threshold));
        // y < 0: with s = 1 nothing exceeds f, with s = -1 nothing is less.
        if threshold <= f { weight } else { total * 2 - weight }
    }

    /// The exact weights of outputs (numbers in increasing order) under two inputs of `[-B, B]`.
    pub fn weights(&self, inputs: [f64; 2], outputs: impl IntoIterator<Item = i64>) -> Vec<Weights> {
        let mut last: Option<(i64, [IBig; 2])> = None;
        let mut weights = Vec::new();
        for output in outputs {
            let from = match last.take() {
                Some((k, below)) if k == output => below,
                _ => inputs.map(|f| self.below(f, output)),
            };
            let to = inputs.map(|f| self.below(f, output + 1));
            weights.push(Weights { output, f: &to[0] - &from[0], f2: &to[1] - &from[1] });
            last = Some((output + 1, to));
        }
        weights
    }
}

/// A pair of neighbouring doubles, the first of which can give `-B` while the second cannot.
#[derive(Clone, Debug, PartialEq)]
pub struct InfiniteLoss {
    /// Gives `-B`.
    pub f: f64,
    /// Never gives `-B`.
    pub f2: f64,
    /// The weight of `-B` under `f`.
    pub weight: IBig,
}

/// A pair of inputs with infinite loss, if the noise does not reach from `B` to `-B`.
///
/// Ensures: the weights of output `-B` are exactly `weight` and 0.
pub fn infinite_loss(mechanism: &FloatSnap) -> Option<InfiniteLoss> {
    let lowest_threshold = mechanism.threshold(1 - mechanism.top());
    let farthest = mechanism.noise_of(mechanism.sampler().value(1));
    // More inputs give -B the lower they are; -B itself may not, if B rounds to less, so start from a threshold.
    let gives_minus_bound = |f: f64| f + farthest < lowest_threshold;
    let (mut gives, mut misses) = (lowest_threshold.max(-mechanism.bound()), mechanism.bound());
    if !gives_minus_bound(gives) || gives_minus_bound(misses) {
        return None;
    }
    // Bisection over the doubles in order; their magnitudes are their bits.
    let order = |f: f64| if f < 0.0 { -i128::from(f.abs().to_bits()) } else { i128::from(f.to_bits()) };
    let double = |i: i128| {
        let magnitude = f64::from_bits(i.unsigned_abs() as u64);
        if i < 0 { -magnitude } else { magnitude }
    };
    while order(misses) - order(gives) > 1 {
        let middle = double(order(gives) + (order(misses) - order(gives)) / 2);
        if gives_minus_bound(middle) { gives = middle } else { misses = middle }
    }
    let exact = Exact::new(mechanism, |u| mechanism.noise_of(u));
    let weights = exact.weights([gives, misses], [-mechanism.top()]).pop()?;
    let found = !weights.f.is_zero() && weights.f2.is_zero();
    found.then_some(InfiniteLoss { f: gives, f2: misses, weight: weights.f })
}
