//! The width that ships: 64-bit words next to the thresholds of the law.
//!
//! A tree of 64-bit words has no end. But a sampler that is monotone in `U` can be wrong only where its output changes: so each
//! threshold is worked out from the law, and the sampler is replayed on the words around it, with all further bits zeros, and all
//! ones. What comes out must be what the law says of that very `U`.

use lastbit::{AnyMechanism, Error};
use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::discrete_gaussian::{MAIN_WORDS, gamma, proposal_scale};
use super::error::BitTreeError;
use super::law::Law;
use super::laws::exp_minus;
use super::script::{Fill, Script};
use super::shipped::ShippedSampler;
use super::tiers::Tiers;

/// Words on each side of a threshold.
pub(super) const SIDE: i128 = 2;

/// Bits of `U` in a word; the other is the sign.
const WORD_BITS: i64 = 63;

/// Bits of `U` in a word and a half, which some mechanisms read before they decide.
const WIDE_BITS: i64 = 95;

/// Proposals of the discrete Gaussian whose acceptance is looked at, on each side.
const PROPOSALS: i64 = 8;

/// The results of replaying the words around thresholds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Production {
    /// The number of thresholds.
    pub thresholds: usize,
    /// The number of scripts that were replayed.
    pub replays: usize,
    /// The tiers that decided them.
    pub tiers: Tiers,
    /// The number of replays that the law could not decide, at the precision that it has here.
    pub undecided: usize,
    /// The first result that the law does not have.
    pub wrong: Option<WrongWord>,
}

/// A word that gives a wrong output.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WrongWord {
    /// The words of the main stream.
    pub words: Vec<u64>,
    /// Whether all further bits are ones, and not zeros.
    pub ones: bool,
    /// The event that came.
    pub event: usize,
    /// The event that the law has there.
    pub expected: usize,
}

impl Production {
    /// Replays a mechanism on the words around the thresholds of its law.
    pub(super) fn of(shipped: &ShippedSampler, x: f64, law: &Law) -> Result<Production, BitTreeError> {
        match shipped.mechanism() {
            AnyMechanism::DiscreteGaussian(gaussian) => {
                Production::of_discrete_gaussian(shipped, gaussian.variance(), x, law)
            }
            AnyMechanism::Gaussian(gaussian) => {
                let points = shipped.point_law(gaussian.variance(), x, law.cuts())?;
                Production::around_pairs(&points, |source| Ok(law.event(shipped.release(source, x)?)))
            }
            _ => Production::around(law, |source| Ok(law.event(shipped.release(source, x)?))),
        }
    }

    /// Replays a sampler on the words around the thresholds of a law: a sign and `U`, and an output that is monotone in it.
    /// `event` tells which event of the law came.
    ///
    /// # Errors
    /// The sampler's.
    pub(crate) fn around(
        law: &Law,
        event: impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<Production, BitTreeError> {
        let mut production = Production::default();
        production.thresholds_of(law, 0..law.cuts().len(), &[], event)?;
        Ok(production)
    }

    fn thresholds_of(
        &mut self,
        law: &Law,
        cuts: impl IntoIterator<Item = usize>,
        more: &[u64],
        event: impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<(), BitTreeError> {
        for (negative, u) in cuts.into_iter().filter_map(|cut| law.threshold(cut)) {
            self.thresholds += 1;
            let expected = |u: &Enclosure| law.event_at(negative, u);
            let sign = u64::from(negative) << WORD_BITS;
            for bits in words_around(&u, WORD_BITS) {
                let words: Vec<u64> =
                    std::iter::once(bits as u64 | sign).chain(more.iter().copied()).collect();
                self.replay(|_| words.clone(), (bits, WORD_BITS), expected, &event)?;
            }
            if !more.is_empty() {
                continue;
            }
            for bits in words_around(&u, WIDE_BITS) {
                // The lower half of the second word does not count for a mechanism that reads a word and a half; for one that reads one, it comes next.
                let words = |ones: bool| {
                    vec![(bits >> 32) as u64 | sign, (bits as u64) << 32 | if ones { 0xffff_ffff } else { 0 }]
                };
                self.replay(words, (bits, WIDE_BITS), expected, &event)?;
            }
        }
        Ok(())
    }

    /// Replays a script with all further bits zeros, and ones. `known` are the bits of the `U` that the law is asked about, and how many.
    fn replay(
        &mut self,
        words: impl Fn(bool) -> Vec<u64>,
        known: (u128, i64),
        expected: impl Fn(&Enclosure) -> Option<usize>,
        event: &impl Fn(&mut Script<'_, u64>) -> Result<usize, Error>,
    ) -> Result<(), BitTreeError> {
        for (fill, ones) in [(Fill::Zeros, false), (Fill::Ones, true)] {
            let words = words(ones);
            let mut source = Script::new(&words, fill);
            let event = event(&mut source)?;
            self.count(&source, event, expected(&end_of(known, ones)), ones);
        }
        Ok(())
    }

    /// Counts a script that was replayed, with what came and what should have.
    pub(super) fn count(
        &mut self,
        source: &Script<'_, u64>,
        event: usize,
        expected: Option<usize>,
        ones: bool,
    ) {
        self.replays += 1;
        self.tiers.count(source.tier());
        match expected {
            None => self.undecided += 1,
            Some(expected) if event != expected && self.wrong.is_none() => {
                self.wrong = Some(WrongWord { words: source.words().to_vec(), ones, event, expected });
            }
            Some(_) => {}
        }
    }

    /// The proposals, with an acceptance that is certain; and the acceptances of some proposals.
    fn of_discrete_gaussian(
        shipped: &ShippedSampler,
        variance: &Rational,
        x: f64,
        law: &Law,
    ) -> Result<Production, BitTreeError> {
        let mut production = Production::default();
        let rejected = law.cuts().len() + 1;
        let event = |source: &mut Script<'_, u64>| {
            source.one_round(MAIN_WORDS);
            let output = shipped.release(source, x)?;
            Ok(if source.started_over() { rejected } else { law.event(output) })
        };
        // The bits of the second U are zeros, or zeros and then ones: E is above 43, and such a γ is below.
        let certain = |z: f64| gamma(variance, &Rational::from(z as i64)) < Rational::from(43);
        let cuts = (0..law.cuts().len()).filter(|cut| {
            let z = law.cuts()[*cut] - x;
            certain(z) && certain(z - 1.0)
        });
        production.thresholds_of(law, cuts, &[0], event)?;

        let proposals = Law::discrete_laplace(
            &proposal_scale(variance),
            0.0,
            (-PROPOSALS..=PROPOSALS + 1).map(|z| z as f64),
        )?;
        for z in -PROPOSALS..=PROPOSALS {
            let accepted = exp_minus(&gamma(variance, &Rational::from(z)))?;
            if *accepted.hi() >= Dyadic::ONE {
                continue; // γ = 0, and every U is accepted
            }
            production.thresholds += 1;
            let proposal = word_of(&proposals, z);
            for bits in words_around(&accepted, WORD_BITS) {
                let expected = |u: &Enclosure| match () {
                    () if u.hi() <= accepted.lo() => Some(law.event(x + z as f64)),
                    () if u.lo() >= accepted.hi() => Some(rejected),
                    () => None,
                };
                production.replay(|_| vec![proposal, bits as u64], (bits, WORD_BITS), expected, &event)?;
            }
        }
        Ok(production)
    }
}

/// The first bits of `U`, so many of them, around a threshold.
pub(super) fn words_around(u: &Enclosure, len: i64) -> impl Iterator<Item = u128> {
    let last = (1i128 << len) - 1;
    let [least, most] = [u.lo(), u.hi()].map(|end| i128::try_from(end.shl(len).floor()).unwrap_or(last));
    ((least - SIDE).max(0)..=(most + SIDE).min(last)).filter_map(|bits| u128::try_from(bits).ok())
}

/// Where `U` is, if all bits after those of a word are zeros, or ones: at the end of what the word says, up to the
/// bits from 400 to 600, among which some are others.
fn end_of((bits, len): (u128, i64), ones: bool) -> Enclosure {
    let end = Dyadic::new(IBig::from(bits) + IBig::from(u8::from(ones)), -len);
    let [near, far] = [-600, -400].map(Dyadic::pow2);
    let (lo, hi) = if ones { (&end - &far, &end - &near) } else { (&end + &near, &end + &far) };
    Enclosure::new(lo, hi).expect("2^-600 < 2^-400")
}

/// A word in the middle of those that propose `z`.
fn word_of(proposals: &Law, z: i64) -> u64 {
    let negative = z < 0;
    // The two ends of its U: of the outer cut, and of the inner or 1.
    let first = proposals.event(z as f64) - 1;
    let (inner, outer) = if negative { (first + 1, first) } else { (first, first + 1) };
    let end = |cut: usize| match proposals.threshold(cut) {
        Some((sign, u)) if sign == negative => u.lo().clone(),
        _ => Dyadic::ONE,
    };
    let middle = (end(inner) + end(outer)).shl(-1);
    let bits = u64::try_from(middle.shl(WORD_BITS).floor()).expect("below 1");
    bits | u64::from(negative) << WORD_BITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit::DiscreteLaplace;
    use lastbit::Mechanism;

    /// Every word around a threshold is as the law says; off by one word, it is not.
    #[test]
    fn a_threshold_that_is_off_by_one_word_is_found() {
        let s = Rational::new(5, 2).unwrap();
        let mechanism = DiscreteLaplace::new(s.clone()).unwrap();
        let law = Law::discrete_laplace(&s, 0.0, (-32..=32).map(f64::from)).unwrap();
        let sound = Production::around(&law, |source| {
            let output: i64 = mechanism.release(source, 0)?;
            Ok(law.event(output as f64))
        })
        .unwrap();
        assert_eq!((sound.thresholds, sound.replays, &sound.wrong), (65, 1300, &None));
        assert!(sound.tiers.of(super::super::Tier::One) > 0, "{}", sound.tiers);

        struct NextWord<S>(S);
        impl<S: lastbit::BitSource<Word = u64>> lastbit::BitSource for NextWord<S> {
            type Word = u64;
            fn open_batch(&mut self) -> Result<u64, Error> {
                self.0.open_batch()
            }
            fn next_word(&mut self) -> u64 {
                self.0.next_word().wrapping_add(1)
            }
            fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
                self.0.refinement_word(batch, index, round)
            }
        }
        let shifted = Production::around(&law, |source| {
            let output: i64 = mechanism.release(&mut NextWord(source), 0)?;
            Ok(law.event(output as f64))
        })
        .unwrap();
        assert!(shifted.wrong.is_some());
    }
}
