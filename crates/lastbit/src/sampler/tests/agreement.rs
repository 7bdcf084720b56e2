//! Tier 1 against tier 2, and tier 2 against tier 3: an answer is right if the law gives it at both ends of what is known of
//! `U`, for the law is monotone in `U`.

use std::fmt::Debug;
use std::marker::PhantomData;

use lastbit_real::Rational;

use super::{
    Arithmetic, Subject, Visit, at_end, at_end_by_tier3, lows, more, prefix_of, rational, subjects, words,
};
use crate::bits::Word;
use crate::sampler::integers::IntegerNoise;
use crate::sampler::law::{AcceptLaw, FloorLaw, GridLaw, Offset, RealLaw, RoundLaw};
use crate::sampler::scale::Scale;
use crate::sampler::tier2::Prefix;
use crate::sampler::tier3::LongPrefix;
use crate::sampler::{Law, try_tier2, try_tier3};

/// What came of comparing answers with the law.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) asked: usize,
    pub(super) decided: usize,
    pub(super) wrong: usize,
}

impl Tally {
    pub(super) fn count<T>(&mut self, answer: Option<&T>, is_wrong: impl FnOnce(&T) -> bool) {
        self.asked += 1;
        self.decided += usize::from(answer.is_some());
        self.wrong += usize::from(answer.is_some_and(is_wrong));
    }

    fn check(&self, subject: &impl Debug) {
        assert_eq!(self.wrong, 0, "{subject:?}: {self:?}");
    }
}

/// Whether an answer differs from that at an end. An end that is itself a threshold (`E = 0` may be one) has none.
pub(super) fn differs<T: PartialEq>(answer: &T, ends: [Option<T>; 2]) -> bool {
    ends.iter().flatten().any(|end| end != answer)
}

/// Tier 1 on random words of each width, for every path.
struct FirstTier {
    /// Random words for each subject, path and width.
    words: usize,
    seed: u64,
    total: Tally,
}

impl FirstTier {
    fn on(all: impl Fn(&mut FirstTier), words: usize) {
        let mut first = FirstTier { words: more(words), seed: 0, total: Tally::default() };
        all(&mut first);
        eprintln!("tier 1: {:?}", first.total);
        assert!(first.total.decided * 2 > first.total.asked, "tier 1 leaves too much: {:?}", first.total);
    }

    fn width<W: Word>(&mut self, subject: &impl Subject, arithmetic: Arithmetic, words: &[W]) {
        let law = subject.law();
        let mut tally = Tally::default();
        let lows = lows::<W>(self.seed, words.len());
        for ((word, low), answer) in words.iter().zip(&lows).zip(subject.tier1(arithmetic, words, &lows)) {
            let prefix = prefix_of(*word, *low, subject.is_wide());
            assert!(prefix.bits != 0 || answer.is_none(), "{subject:?} bounds an unbounded E");
            let ends = || [false, true].map(|ones| at_end(&law, prefix, ones));
            tally.count(answer.as_ref(), |answer| differs(answer, ends()));
        }
        tally.check(&(subject, arithmetic));
        if W::BITS == 64 {
            self.total.asked += tally.asked;
            self.total.decided += tally.decided;
        }
    }
}

impl Visit for FirstTier {
    fn visit<S: Subject>(&mut self, subject: &S) {
        for arithmetic in Arithmetic::shipped() {
            self.seed += 1;
            self.width(subject, arithmetic, &words::<u64>(self.seed, self.words));
            self.width(subject, arithmetic, &words::<u32>(self.seed, self.words / 20));
            self.width(subject, arithmetic, &words::<u16>(self.seed, self.words / 20));
            self.width(subject, arithmetic, &(0..=u8::MAX).collect::<Vec<_>>());
        }
    }
}

#[test]
fn tier1_sums_f64() {
    FirstTier::on(subjects::sums_f64, 2000);
}

#[test]
fn tier1_sums_f32() {
    FirstTier::on(subjects::sums_f32, 2000);
}

#[test]
fn tier1_real_sums_f64() {
    FirstTier::on(subjects::real_sums_f64, 600);
}

#[test]
fn tier1_real_sums_f32() {
    FirstTier::on(subjects::real_sums_f32, 600);
}

#[test]
fn tier1_real_cells() {
    FirstTier::on(subjects::real_cells, 1000);
}

#[test]
fn tier1_fine_grids() {
    FirstTier::on(subjects::fine_grids, 1500);
}

#[test]
fn tier1_integers_plain() {
    FirstTier::on(subjects::integers_plain, 6000);
}

#[test]
fn tier1_integers_wide() {
    FirstTier::on(subjects::integers_wide, 6000);
}

#[test]
fn tier1_grids() {
    FirstTier::on(subjects::grids, 600);
}

#[test]
fn tier1_cells() {
    FirstTier::on(subjects::cells, 10_000);
}

#[test]
fn tier1_acceptances() {
    FirstTier::on(subjects::acceptances, 10_000);
}

/// Tier 2 on prefixes of every length, against tier 3 on longer ones.
fn tier2_agrees<L: Law<Output: PartialEq>>(name: &impl Debug, law: &L, seed: u64, n: usize) -> Tally {
    let mut tally = Tally::default();
    let random = words::<u64>(seed, n);
    // The edges are many: a few of them.
    let edges = random.len() - n;
    for (i, pair) in
        random.windows(2).enumerate().filter(|(i, _)| *i >= edges || (*i as u64 + seed).is_multiple_of(37))
    {
        let width = [8, 16, 32, 64][i % 4];
        let mut prefix = Prefix::new(pair[0], width);
        for _ in 0..(i / 4) % 3 {
            prefix = if prefix.len + width <= Prefix::MAX_LEN { prefix.then(pair[1], width) } else { prefix };
        }
        let ends = || [false, true].map(|ones| at_end_by_tier3(law, LongPrefix::from(prefix), ones));
        let answer = try_tier2(law, prefix);
        tally.count(answer.as_ref(), |answer| differs(answer, ends()));
        // And tier 3 against itself.
        let answer = try_tier3(law, &LongPrefix::from(prefix));
        tally.count(answer.as_ref(), |answer| differs(answer, ends()));
    }
    tally.check(name);
    tally
}

/// Tier 2 takes any scale: these are far out of the range of tier 1.
#[test]
fn tier2_against_tier3() {
    let n = more(40);
    let scales = ["1/3", "10/7", "0x1p-1074", "1e-300", "1e-30", "1e18", "1e40", "1e300", "0x1.fffp1023"];
    let mut seed = 100;
    let mut tallies = Vec::new();
    let mut next = || {
        seed += 1;
        seed
    };
    for text in scales {
        let b = &Scale::new(rational(text));
        for x in [0.0, 1.0, -1e6, 5e-324, f64::MAX, -40.0 * b.hi().min(1e300)] {
            tallies.push(tier2_agrees(&(text, x), &RoundLaw { x, b }, next(), n));
            tallies.push(tier2_agrees(
                &(text, x as f32),
                &RoundLaw { x: x.clamp(-3e38, 3e38) as f32, b },
                next(),
                n,
            ));
        }
        for x in ["0.1", "-1e-2000", "1e300", "-9007199254740993", "1/3", "1e999"].map(rational) {
            let law = RealLaw { x, b, rounds_to: PhantomData::<f64> };
            tallies.push(tier2_agrees(&(text, &law.x), &law, next(), n));
        }
        let discrete = IntegerNoise::discrete(rational(text));
        tallies.push(tier2_agrees(&(text, "discrete"), &discrete.law(), next(), n));
        let half = FloorLaw { s: b, offset: Offset::Half };
        tallies.push(tier2_agrees(&(text, "rounded"), &half, next(), n));
        for k in [-1074, -40, 0, 100] {
            let noise = IntegerNoise::discrete(rational(text) * Rational::pow2(-k));
            let law = GridLaw { noise: noise.law(), b, x: 0.3, k: k as i32 };
            tallies.push(tier2_agrees(&(text, "grid", k), &law, next(), n));
        }
    }
    for (s, x, grid) in
        [("1", 0.3, 0), ("2/3", -0.5, 0), ("9/10", -4.5e15, 0), ("3/5", 1e-320, -1000), ("1", -1e-300, 1000)]
    {
        let s = &Scale::new(rational(s));
        let law = FloorLaw { s, offset: Offset::Cells { x, grid } };
        tallies.push(tier2_agrees(&(x, grid), &law, next(), n));
        let x = Rational::try_from(x).unwrap() + rational("1/3") * Rational::pow2(i64::from(grid) - 3);
        let law = FloorLaw { s, offset: Offset::RealCells { x: &x, grid } };
        tallies.push(tier2_agrees(&(&x, grid), &law, next(), n));
    }
    for gamma in ["0", "1/3", "1e-40", "50", "87.9", "88.5", "200", "1e30"] {
        tallies.push(tier2_agrees(&gamma, &AcceptLaw::new(rational(gamma)), next(), n));
    }
    let prefixes: usize = tallies.iter().map(|tally| tally.asked / 2).sum();
    eprintln!("tier 2 against tier 3: {prefixes} prefixes");
    assert!(prefixes >= 20_000);
}
