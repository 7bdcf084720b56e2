//! Clopper and Pearson's bounds on a probability, from how often an event has happened.
//!
//! `k` hits in `n` trials. A lower bound `p` is wrong with probability at most `α` if `P(Bin(n, p) >= k) <= α`, and an upper bound
//! `q` if `P(Bin(n, q) <= k) <= α`. The best such numbers are roots of polynomials; here they are bisected, and the
//! number that is returned has passed the inequality itself, with every rounding against it.

use lastbit_real::Rational;

use super::finding::Count;
use super::up::Up;

/// A bound is the best one among numbers of so many bits after the first.
const BITS: u32 = 32;

/// Terms of a sum that are less than `2^-CUT` of it together are bounded, not added up.
const CUT: i64 = 48;

/// A lower bound on the probability, wrong with probability at most `alpha`, which is above 0 and below 1.
pub(super) fn lower(count: Count, alpha: &Rational) -> Rational {
    if count.hits == 0 {
        return Rational::ZERO;
    }
    let tail = Tail::new(count);
    let holds = |p: &Rational| tail.is_at_most(p, alpha);
    // The tail vanishes with p: some power of two is below the root.
    let exponent = (1..).map(|s: i64| -s).find(|&s| holds(&Rational::pow2(s))).expect("some power of two");
    bisect(exponent, [1, 2], holds)
}

/// An upper bound on the probability, wrong with probability at most `alpha`, which is above 0 and below 1.
pub(super) fn upper(count: Count, alpha: &Rational) -> Rational {
    if count.hits == count.trials {
        return Rational::ONE;
    }
    // P(Bin(n, q) <= k) = P(Bin(n, 1 - q) >= n - k).
    let tail = Tail::new(count.misses());
    let holds = |q: &Rational| tail.is_at_most(&(Rational::ONE - q), alpha);
    // It holds for 1, and not for what is too small to explain a single trial.
    let exponent = (1..).map(|s: i64| -s).find(|&s| !holds(&Rational::pow2(s))).expect("some power of two");
    bisect(exponent, [2, 1], holds)
}

/// The multiple of `2^(exponent - BITS)` next to where an inequality ceases to hold, on the side where it holds.
///
/// It is to hold at `ends[0] · 2^exponent`, and not at `ends[1] · 2^exponent`.
fn bisect(exponent: i64, ends: [u64; 2], holds: impl Fn(&Rational) -> bool) -> Rational {
    let unit = Rational::pow2(exponent - i64::from(BITS));
    let [mut inside, mut outside] = ends.map(|end| end << BITS);
    while inside.abs_diff(outside) > 1 {
        let middle = inside.midpoint(outside);
        if holds(&(Rational::from(middle) * &unit)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Rational::from(inside) * unit
}

/// The tail `P(Bin(n, p) >= k)` as a function of `p`, for `k > 0`.
struct Tail {
    k: u64,
    n: u64,
    /// At least the number of ways to choose `k` of `n`.
    ways: Up,
}

impl Tail {
    fn new(Count { hits: k, trials: n }: Count) -> Tail {
        let ways = (0..k.min(n - k)).fold(Up::ONE, |ways, i| ways.scaled(n - i, i + 1));
        Tail { k, n, ways }
    }

    /// Ensures: if true, the tail is at most `alpha`. False for `p` above `k/n`, where it is about a half.
    fn is_at_most(&self, p: &Rational, alpha: &Rational) -> bool {
        if p.is_zero() {
            return true;
        }
        if *p == Rational::ONE || p * Rational::from(self.n) > Rational::from(self.k) {
            return false;
        }
        self.above(p).to_dyadic().cmp_rational(alpha).is_le()
    }

    /// At least the tail, for `0 < p < 1` and `p <= k/n`.
    fn above(&self, p: &Rational) -> Up {
        let Tail { k, n, ways } = *self;
        let miss = Rational::ONE - p;
        let odds = Up::of(&(p / &miss));
        let mut term = ways.times(Up::of(p).pow(k)).times(Up::of(&miss).pow(n - k));
        let mut sum = term;
        for j in k..n {
            // The terms fall, since (n + 1)·p <= j + 1: the n - j that are left are not above this one.
            let rest = term.scaled(n - j, 1);
            if rest <= sum.shl(-CUT) {
                return sum.plus(rest);
            }
            term = term.times(odds).scaled(n - j, j + 1);
            sum = sum.plus(term);
        }
        sum
    }
}

#[cfg(test)]
#[path = "clopper_pearson_tests.rs"]
mod tests;
