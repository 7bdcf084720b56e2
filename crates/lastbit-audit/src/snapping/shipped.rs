//! The function that ships, held against the cells.
//!
//! For each sign the output is monotone in `u`. So it is enough to run [`snap_f`] on the first and the last `u` of every cell: if
//! both give the cell's output, all between them do, and the cells have every `u`. Where
//! [`FloatSnapping`] accepts the parameters, the whole release is run as well, on the random words that make these `u` and `s`.
//!
//! Outputs are compared by their bits: 0 is `+0`. That is so of all `u`, as the last thing that [`snap_f`] does is to add `+0`, and a sum
//! of two numbers, one of which is `+0`, is not `-0`.

use lastbit::{FloatSnapping, Mechanism, ReplaySource, SnapParams, snap_f};
use lastbit_lang::Tie;
use lastbit_real::{Float, Rounding};

use super::{Interval, PairCell, Scaling, Variant};
use crate::Sampler;

/// The shipped function with the parameters of a mechanism.
#[derive(Clone, Debug)]
pub struct SnappingReplay {
    params: SnapParams,
    release: Option<FloatSnapping>,
    evaluations: u64,
    replays: u64,
}

/// Where the shipped function gives something else.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the shipped function gives {} for f = {}, u = {}, s = {}, and not {}",
    .found.to_hex(), .f.to_hex(), .u.to_hex(), .s, .expected.to_hex()
)]
#[non_exhaustive]
pub struct Disagreement {
    /// The input.
    pub f: f64,
    /// The uniform number.
    pub u: f64,
    /// The sign.
    pub s: f64,
    /// The expected output.
    pub expected: f64,
    /// The output that was found.
    pub found: f64,
}

impl SnappingReplay {
    /// The shipped function, if it computes this variant: a division, ties up, inputs clamped, and the logarithm and the sampler
    /// as they should be.
    pub fn of(variant: &Variant) -> Option<SnappingReplay> {
        let mechanism = &variant.mechanism;
        let Scaling::Divide(epsilon) = mechanism.scaling() else { return None };
        let is_shipped = variant.clamp_input
            && variant.ln_shift == 0
            && mechanism.tie() == Tie::Up
            && mechanism.sampler() == Sampler::Ulp;
        let grid = mechanism.grid().to_f64(Rounding::Nearest);
        let params = SnapParams { epsilon, bound: mechanism.bound(), grid };
        // The constructor chooses its own Λ, and refuses what it cannot claim to be private.
        let release =
            FloatSnapping::new(epsilon, mechanism.bound()).ok().filter(|release| *release.params() == params);
        is_shipped.then_some(SnappingReplay { params, release, evaluations: 0, replays: 0 })
    }

    /// Compares a cell of each input.
    ///
    /// # Errors
    /// [`Disagreement`]
    pub fn confirm(&mut self, inputs: [f64; 2], output: f64, pair: &PairCell) -> Result<(), Disagreement> {
        for (f, cell) in inputs.into_iter().zip(&pair.cells) {
            for (s, [lo, hi]) in [(1.0, cell.plus), (-1.0, cell.minus)] {
                for u in ends([lo, hi]) {
                    self.check(f, u, s, output)?;
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, f: f64, u: f64, s: f64, expected: f64) -> Result<(), Disagreement> {
        let differs = |found: f64| Disagreement { f, u, s, expected, found };
        let found = snap_f(&self.params, f, u, s);
        self.evaluations += 1;
        if found.to_bits() != expected.to_bits() {
            return Err(differs(found));
        }
        if let Some(release) = &self.release {
            let script = words(u, s);
            let mut source = ReplaySource::new(&script);
            let found = release.release(&mut source, f).unwrap_or(f64::NAN);
            self.replays += 1;
            if found.to_bits() != expected.to_bits() || source.ran_out() {
                return Err(differs(found));
            }
        }
        Ok(())
    }

    /// The number of runs of the core.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The number of runs of the whole release, on replayed words.
    pub fn replays(&self) -> u64 {
        self.replays
    }
}

/// The first and the last `u` of an interval that has some.
fn ends([lo, hi]: Interval) -> impl Iterator<Item = f64> {
    let first = lo.max(f64::from_bits(1));
    [first, Float::next_down(hi)].into_iter().filter(move |_| first < hi)
}

/// The words from which the release makes `u` and `s`: a bit for the sign, and the bits of `u` after the point.
fn words(u: f64, s: f64) -> Vec<u64> {
    // All doubles of (0, 1) have their last bit within 17 words: 1 + 1074 bits.
    let mut words = vec![0u64; 17];
    let mut set = |bit: usize| words[bit / 64] |= 1 << (63 - bit % 64);
    if s < 0.0 {
        set(0);
    }
    let last = -u.exponent_of_ulp();
    // Of a normal double the first bit is not stored.
    let hidden = u64::from(u >= f64::MIN_POSITIVE) << 52;
    let significand = u.to_bits() & ((1 << 52) - 1) | hidden;
    for i in (0..53).filter(|i| significand >> i & 1 == 1) {
        set(last as usize - i); // the bit of weight 2⁻¹ is number 1
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapping::{FloatSnap, Noise};
    use lastbit_real::Rational;

    fn variant(epsilon: f64, bound: f64) -> Variant {
        let noise = Noise::Divided { epsilon: Rational::try_from(epsilon).unwrap() };
        Variant::of(FloatSnap::new(noise, bound, None, Tie::Up, Sampler::Ulp).unwrap())
    }

    /// Confirms all cells; true if the release was replayed.
    fn confirm(variant: &Variant, function: &Variant, inputs: [f64; 2]) -> Result<bool, Disagreement> {
        let mut shipped = SnappingReplay::of(function).unwrap();
        let mut result = Ok(());
        let visit = |pair: &PairCell| {
            result = shipped.confirm(inputs, variant.mechanism.output(pair.number), pair);
            result.is_ok()
        };
        variant.for_each_output(inputs, visit).unwrap();
        result.map(|()| shipped.replays() > 0 && shipped.replays() == shipped.evaluations())
    }

    #[test]
    fn the_shipped_function_has_these_cells() {
        for (epsilon, bound, inputs, replayed) in [
            (1.0, 10.0, [0.0, 1.0], true),
            (0.1, 3000.0, [-2999.5, -3000.0], true),
            (3.7, 90.0, [1e-310, 5.5], true),
            (1.0, 372.0, [371.0, 372.0], false), // refused by the constructor, not by the core
        ] {
            let variant = variant(epsilon, bound);
            assert_eq!(confirm(&variant, &variant, inputs), Ok(replayed));
        }
    }

    /// An ulp of ε moves some threshold.
    #[test]
    fn another_function_is_noticed() {
        let (here, there) = (variant(1.0, 300.0), variant(1f64.next_down(), 300.0));
        assert!(confirm(&here, &there, [299.0, 300.0]).is_err());
        let mut unclamped = here.clone();
        unclamped.clamp_input = false;
        assert!(SnappingReplay::of(&unclamped).is_none());
        assert!(confirm(&unclamped, &here, [743.0, 744.0]).is_err());
    }
}
