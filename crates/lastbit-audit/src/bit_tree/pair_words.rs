//! The width that ships, for pairs: 64-bit words next to the thresholds of `U` and of `V`.
//!
//! For a fixed `V` the output changes at one `U` for each cut, and for a fixed `U` at one `V` at most. The words around both are replayed, at all the bits of
//! the first word and at those of the first word and a half.

use lastbit::Error;
use lastbit_real::{Rational, exp_rational};

use super::error::BitTreeError;
use super::point_law::{LOW_BITS, Point, PointLaw, U_BITS, V_BITS, threshold_of_u, threshold_of_v};
use super::production::{Production, SIDE, words_around};
use super::script::{Fill, Script};

/// The cells of the angle, in which tier 1 computes differently.
const CELLS: u128 = 8;

/// Fixed `V` for each cut and each side of the triangle: they go through the cells from cut to cut.
const FIXED_V: usize = 4;

/// For each cut, `U` is fixed where `E` is so many times `q`, in 2²⁰ths. The squared cosine is above ½ and the squared sine below, so that the first three have a
/// threshold of `V` with the cosine, next to 0, in the middle and next to 1; and the others with the sine.
const RATIOS: [i64; 6] = [(1 << 20) + 1, 3 << 19, (2 << 20) - 1, (2 << 20) + 1, 6 << 20, 1 << 30];

/// The largest fixed `E`.
const MOST_EXPONENTIAL: i64 = 60;

/// The least, the middle and the greatest `V` of each cell.
fn fixed_v() -> Vec<u128> {
    let cell = (1u128 << V_BITS) / CELLS;
    (0..CELLS).flat_map(|j| [j * cell, j * cell + cell / 2, j * cell + cell - 1]).collect()
}

/// Numbers of `len` bits around a threshold, next to it and next to it in the bits of the first word; those are filled up.
fn around(at: impl Fn(u32) -> Vec<u128>, len: u32, ones: bool) -> Vec<u128> {
    let filled = if ones { (1 << LOW_BITS) - 1 } else { 0 };
    let first = at(len - LOW_BITS).into_iter().map(|bits| bits << LOW_BITS | filled);
    first.chain(at(len)).collect()
}

impl Production {
    /// Replays a sampler of pairs on the words around thresholds. `event` tells which event of the law came.
    ///
    /// # Errors
    /// The sampler's.
    pub(crate) fn around_pairs(
        law: &PointLaw,
        event: impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<Production, BitTreeError> {
        let mut production = Production::default();
        for (cut, (negative, q)) in law.cuts().enumerate() {
            for ones in [false, true] {
                let second_negative = cut % 2 == 1;
                for swap in [false, true] {
                    let point = Point { negative, second_negative, swap, u: 0, v: 0, ones };
                    for i in 0..FIXED_V {
                        let v = fixed_v();
                        let v = v[(FIXED_V * cut + i) % v.len()];
                        production.thresholds_of_u(law, q, Point { v, ..point }, &event)?;
                    }
                    production.thresholds_of_v(law, q, point, &event)?;
                }
            }
        }
        Ok(production)
    }

    /// The threshold of `U` of a cut, for the `V` of a point.
    fn thresholds_of_u(
        &mut self,
        law: &PointLaw,
        q: &Rational,
        point: Point,
        event: &impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<(), BitTreeError> {
        let side = point.side_squared();
        let Some(threshold) = threshold_of_u(q, &side) else { return Ok(()) };
        self.thresholds += usize::from(!point.ones); // and once for both ways to fill up
        for u in around(|len| words_around(&threshold, len.into()).collect(), U_BITS, point.ones) {
            let point = Point { u, ..point };
            let expected = law.event_at(point.negative, &(&point.exponential() * &side));
            self.replay_point(&point, expected, event)?;
        }
        Ok(())
    }

    /// The thresholds of `V` of a cut, for some `U`.
    fn thresholds_of_v(
        &mut self,
        law: &PointLaw,
        q: &Rational,
        point: Point,
        event: &impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<(), BitTreeError> {
        for ratio in RATIOS {
            let e = q * Rational::from(ratio) * Rational::pow2(-20);
            if e > Rational::from(MOST_EXPONENTIAL) {
                continue;
            }
            let u = exp_rational(&-e, 2 * U_BITS).expect("at most 60").shl(U_BITS.into());
            let u = u128::try_from(u.lo().floor()).expect("not negative").min((1 << U_BITS) - 1);
            let point = Point { u, ..point };
            let e = point.exponential();
            let Some(threshold) = threshold_of_v(q, &e, point.swap) else { continue };
            self.thresholds += usize::from(!point.ones);
            let next_to = |len: u32| {
                let middle = threshold >> (V_BITS - len);
                let side = SIDE as u128;
                (middle.saturating_sub(side)..=(middle + side).min((1 << len) - 1)).collect()
            };
            for v in around(next_to, V_BITS, point.ones) {
                let point = Point { v, ..point };
                let expected = law.event_at(point.negative, &(&e * &point.side_squared()));
                self.replay_point(&point, expected, event)?;
            }
        }
        Ok(())
    }

    fn replay_point(
        &mut self,
        point: &Point,
        expected: Option<usize>,
        event: &impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<(), BitTreeError> {
        let words = point.words();
        let fill = if point.ones { Fill::Ones } else { Fill::Zeros };
        let mut source = Script::new(&words, fill).of_a_pair();
        let event = event(&mut source)?;
        self.count(&source, event, expected, point.ones);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit::{BitSource, Gaussian, Mechanism};

    use super::super::Tier;

    /// What is done to a word of the main stream: its number, from 0, and the word.
    type Fault = fn(usize, u64) -> u64;

    struct Faulty<'a, 'b> {
        source: &'a mut Script<'b, u64>,
        fault: Fault,
        drawn: usize,
    }

    impl BitSource for Faulty<'_, '_> {
        type Word = u64;
        fn open_batch(&mut self) -> Result<u64, Error> {
            self.source.open_batch()
        }
        fn next_word(&mut self) -> u64 {
            self.drawn += 1;
            (self.fault)(self.drawn - 1, self.source.next_word())
        }
        fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
            self.source.refinement_word(batch, index, round)
        }
    }

    fn production(sigma: &str, fault: Fault) -> Production {
        let gaussian = Gaussian::new(&sigma.parse().unwrap()).unwrap();
        let cuts: Vec<f64> = (-4..=4).map(|i| f64::from(i) / 0.6).collect();
        let law = PointLaw::of_floats::<f64>(gaussian.variance(), 0.5, &cuts).unwrap();
        Production::around_pairs(&law, |source| {
            let output: f64 = gaussian.release(&mut Faulty { source, fault, drawn: 0 }, 0.5)?;
            Ok(cuts.partition_point(|cut| *cut <= output))
        })
        .unwrap()
    }

    /// Every word around a threshold is as the law says.
    #[test]
    fn words_next_to_thresholds() {
        for sigma in ["5/2", "1/3", "100"] {
            let sound = production(sigma, |_, word| word);
            assert_eq!(sound.wrong, None, "σ = {sigma}");
            assert!(sound.thresholds > 30 && sound.replays > 15 * sound.thresholds, "{sound:?}");
            // A U whose bits are all zeros is known only up to its size: at small σ, some of the cuts are that far out.
            assert!(100 * sound.undecided < sound.replays, "{sound:?}");
            // The first words at 63 bits, and next to a threshold at 95 bits the next ones.
            assert!(sound.tiers.of(Tier::FirstWords) > 0 && sound.tiers.of(Tier::Three) > 0, "{sound:?}");
        }
    }

    /// Off by one word, in the bits of `U` or of `V`, or in the last of them; without a sign, or the exchange; the bits of `V` cut off.
    #[test]
    fn faults_of_a_word_are_found() {
        let faults: [(&str, Fault); 8] = [
            ("all words + 1", |_, word| word.wrapping_add(1)),
            ("U + 2^-63", |i, word| word.wrapping_add(u64::from(i == 0))),
            ("V + 2^-62", |i, word| word.wrapping_add(u64::from(i == 1))),
            ("U + 2^-95", |i, word| word.wrapping_add(if i == 2 { 1 << 32 } else { 0 })),
            ("V + 2^-94", |i, word| word.wrapping_add(u64::from(i == 2))),
            ("no sign", |i, word| if i == 0 { word & u64::MAX >> 1 } else { word }),
            ("no exchange", |i, word| if i == 1 { word & !(1 << 62) } else { word }),
            ("V of 62 bits", |i, word| if i == 2 { word & u64::MAX << 32 } else { word }),
        ];
        for (name, fault) in faults {
            assert!(production("5/2", fault).wrong.is_some(), "{name}");
        }
    }
}
