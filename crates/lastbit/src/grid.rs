//! How far apart rounding to a grid can move two inputs.

use lastbit_real::{Float, IBig, Rational};

use crate::Error;
use crate::error::{non_negative, out_of_range};
use crate::sampler::scale::parts;

/// Facts about the inputs besides their distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    max_changed: u64,
    granularity: Option<i32>,
}

impl Inputs {
    /// Vectors that differ in at most `max_changed` coordinates: 1 if a neighbour changes one value, the length of the vector
    /// if nothing better is known.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `max_changed` is 0.
    pub fn differing_in(max_changed: u64) -> Result<Inputs, Error> {
        if max_changed == 0 {
            return Err(out_of_range(
                "max_changed",
                &Rational::ZERO,
                "neighbours differ in at least one value",
            ));
        }
        Ok(Inputs { max_changed, granularity: None })
    }

    /// The same, of values that are all multiples of `2^exponent`: whole numbers have exponent 0. A declaration about the
    /// data, like the sensitivity.
    #[must_use]
    pub fn with_granularity(self, exponent: i32) -> Inputs {
        Inputs { granularity: Some(exponent), ..self }
    }

    /// The exponent of which all values are declared to be multiples, if any.
    pub fn granularity(&self) -> Option<i32> {
        self.granularity
    }

    /// Refuses values that are not multiples of what was declared: the loss rests on it.
    ///
    /// ```
    /// use lastbit::{Error, Inputs};
    /// let halves = Inputs::differing_in(1)?.with_granularity(-1);
    /// assert_eq!(halves.check_values(&[1.5, -0.0, 1e300]), Ok(()));
    /// assert_eq!(halves.check_values(&[1.5, 0.25f32]), Err(Error::NotMultiple { index: 1, exponent: -1 }));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotMultiple`]; what is not finite is left to the mechanism to refuse.
    pub fn check_values<T: Float>(&self, values: &[T]) -> Result<(), Error> {
        let Some(exponent) = self.granularity else { return Ok(()) };
        let is_multiple = |x: &T| {
            let (significand, last) = parts(*x);
            !x.is_finite()
                || significand == 0
                || i64::from(last) + i64::from(significand.trailing_zeros()) >= i64::from(exponent)
        };
        match values.iter().position(|x| !is_multiple(x)) {
            Some(index) => Err(Error::NotMultiple { index, exponent }),
            None => Ok(()),
        }
    }

    /// The bound on the number of coordinates that differ.
    pub fn max_changed(&self) -> u64 {
        self.max_changed
    }
}

/// Refuses an exponent that is not one of the type.
pub(crate) fn check_k<T: Float>(k: i32) -> Result<i32, Error> {
    if (T::MIN_EXPONENT..=T::MAX_EXPONENT).contains(&k) {
        return Ok(k);
    }
    let reason = format!("a grid of {} has {} <= k <= {}", T::NAME, T::MIN_EXPONENT, T::MAX_EXPONENT);
    Err(Error::OutOfRange { name: "k", value: k.to_string(), reason })
}

/// The largest L1 distance, in units of `2^k`, of the roundings (half up) to `Z·2^k` of two vectors of type `T` at L1
/// distance `d_in` or less.
///
/// # Why
///
/// Let all values be multiples of `δ` (every float is one of `2^MIN_EXPONENT`), and `w = 2^k/δ`, a power of two. If `w <= 1`,
/// nothing moves and the distance is `d_in`, rounded down to what multiples of `δ` can reach.
///
/// Else, let `m = floor(d_in/δ)` and let coordinate `i` differ by `m_i` multiples of `δ`, `Σ m_i <= m`. Half-up
/// rounding is `floor` after a shift by half a cell, so the rounded values differ by at most
/// `ceil(m_i/w) = floor((m_i - 1)/w) + 1` cells, and some pair of multiples of `δ` reaches it (doubles that are very
/// close together may not: near a tie they are farther apart than `δ`). It remains to share out `m` over at most
/// `c` coordinates: each further coordinate with `m_i >= 1` gains one cell for one `δ`, the best price there is, so
/// take `min(c, m)` of them, and let the first have the rest: `floor((m - c)/w) + c` if `m >= c`, else `m`. Half-up matters:
/// with ties away from zero, `±δ` at `w = 2` are two cells apart.
pub fn grid_distance<T: Float>(d_in: &Rational, k: i32, inputs: Inputs) -> Result<IBig, Error> {
    let granularity = inputs.granularity.unwrap_or(T::MIN_EXPONENT).max(T::MIN_EXPONENT);
    let m = (non_negative("d_in", d_in)? * Rational::pow2(-i64::from(granularity))).floor();
    let coarser = i64::from(k) - i64::from(granularity);
    if coarser <= 0 {
        return Ok(m << coarser.unsigned_abs() as usize);
    }
    let c = IBig::from(inputs.max_changed);
    Ok(if m < c { m } else { ((m - &c) >> coarser as usize) + c })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Half up, in cells of `w` units.
    fn half_up(x: i64, w: i64) -> i64 {
        (2 * x + w).div_euclid(2 * w)
    }

    /// Half away from zero.
    fn half_away(x: i64, w: i64) -> i64 {
        x.signum() * half_up(x.abs(), w)
    }

    /// The largest sum of cells over `c` coordinates that differ by `m` units together, by trying every pair of inputs of one
    /// coordinate and every way to share `m`.
    fn brute_force(m: i64, c: u64, w: i64, round: fn(i64, i64) -> i64) -> i64 {
        let one = |difference: i64| {
            (-3 * w..=3 * w).map(|x| (round(x + difference, w) - round(x, w)).abs()).max().unwrap_or(0)
        };
        let one: Vec<i64> = (0..=m).map(one).collect();
        let mut best: HashMap<(i64, u64), i64> = HashMap::new();
        fn share(m: i64, c: u64, one: &[i64], best: &mut HashMap<(i64, u64), i64>) -> i64 {
            if c == 0 {
                return 0;
            }
            if let Some(&known) = best.get(&(m, c)) {
                return known;
            }
            let most = (0..=m)
                .map(|first| one[first as usize] + share(m - first, c - 1, one, best))
                .max()
                .unwrap_or(0);
            best.insert((m, c), most);
            most
        }
        share(m, c, &one, &mut best)
    }

    /// The map in units of `δ = 2^-1074`, for cells of `w = 2^log` of them.
    fn claimed(m: i64, c: u64, log: i32) -> i64 {
        let d_in = Rational::from(m) * Rational::pow2(-1074);
        let inputs = Inputs::differing_in(c).unwrap();
        i64::try_from(grid_distance::<f64>(&d_in, -1074 + log, inputs).unwrap()).unwrap()
    }

    /// Never below the truth; and how often equal: always.
    #[test]
    fn the_map_is_the_truth_on_small_grids() {
        let (mut cases, mut equal) = (0, 0);
        for log in 0..4 {
            for m in 0..=24 {
                for c in 1..=5 {
                    let truth = brute_force(m, c, 1 << log, half_up);
                    let claim = claimed(m, c, log);
                    assert!(claim >= truth, "m={m} c={c} w=2^{log}: claimed {claim}, true {truth}");
                    cases += 1;
                    equal += i32::from(claim == truth);
                }
            }
        }
        assert_eq!((cases, equal), (500, 500));
    }

    #[test]
    fn never_above_the_papers_bound() {
        // d_in + n·(2^k - δ), in units of 2^k and so rounded down to whole cells.
        for log in 0..5 {
            for m in 0..200i64 {
                for c in 1..8u64 {
                    let w = 1i64 << log;
                    let paper = (m + c as i64 * (w - 1)) / w;
                    assert!(claimed(m, c, log) <= paper, "m={m} c={c} w={w}");
                }
            }
        }
    }

    #[test]
    fn half_up_is_needed() {
        // k = -1073, x = ∓2^-1074: two units apart. Claimed: d_in + 2^k - 2^k_min = 1.5 cells.
        let claim = Rational::new(3, 2).unwrap();
        let away = (half_away(1, 2) - half_away(-1, 2)).abs();
        assert_eq!(away, 2);
        assert!(Rational::from(away) > claim, "ties away from zero break the claim");
        assert!(Rational::from(brute_force(2, 1, 2, half_up)) <= claim, "half up keeps it");
    }

    #[test]
    fn declared_granularity() {
        let d = Rational::from(3);
        let inputs = Inputs::differing_in(4).unwrap();
        let whole = inputs.with_granularity(0);
        let cells = |k, inputs| grid_distance::<f64>(&d, k, inputs).unwrap();
        // Whole numbers on the grid of whole numbers, or finer: no relaxation.
        assert_eq!(cells(0, whole), IBig::from(3));
        assert_eq!(cells(-2, whole), IBig::from(12));
        assert_eq!(cells(0, inputs), IBig::from(3 - 1 + 4));
        // On a grid of twos: 3 whole numbers apart, each may cross a boundary.
        assert_eq!(cells(1, whole), IBig::from(3));
        // Half of a unit between whole numbers is no distance at all.
        let half = Rational::new(1, 2).unwrap();
        assert_eq!(grid_distance::<f64>(&half, 0, whole).unwrap(), IBig::from(0));
    }

    #[test]
    fn refusals() {
        assert!(Inputs::differing_in(0).is_err());
        let inputs = Inputs::differing_in(1).unwrap();
        assert!(grid_distance::<f64>(&Rational::from(-1), 0, inputs).is_err());
    }
}
