//! The sampler against exact probabilities, and against deliberately broken copies of itself.
//!
//! `neg`, the digits and the rest read words of their own, and words are independent: so it is enough to know the law of each row, and that the
//! integer is made of the rows as it should be. The first is counted exactly, word by word; the second is compared with the law on random words of all rows.

use std::collections::HashMap;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, UBig, exp_rational};

use super::Digits;
use crate::bits::{BitSource, InsecureSeededSource, Word};
use crate::sampler::batch::{Cursor, Words};
use crate::sampler::tests::{more, rational};
use crate::{DiscreteLaplace, Error, Mechanism};

/// Few digits and many, and none.
const SCALES: [&str; 7] = ["1/60", "1/7", "1", "10", "12345/678", "1e6", "65432109876543210"];

fn digits(s: &str) -> Digits {
    Digits::new(&rational(s)).expect("a scale")
}

/// `1/(1 + e^x)` from `e^x`, where the code that ships starts from `e^-x`.
fn exact_chance(row: usize, s: &Rational) -> Enclosure {
    let x = Rational::pow2(row.saturating_sub(1) as i64) / s;
    let one = Enclosure::exact(Dyadic::ONE);
    one.div(&(&one + &exp_rational(&x, 2000).expect("not large")), 2000).expect("above 1")
}

/// The words of one uniform number, from the first on.
#[derive(Clone, Debug)]
struct Uniform<W>(Vec<W>);

impl<W: Word> Uniform<W> {
    fn len(&self) -> i64 {
        self.0.len() as i64 * i64::from(W::BITS)
    }

    /// All numbers that begin so.
    fn ends(&self) -> [Dyadic; 2] {
        let append = |bits: UBig, word: &W| {
            (bits << W::BITS as usize) | UBig::from(word.left_aligned() >> (64 - W::BITS))
        };
        let bits = self.0.iter().fold(UBig::ZERO, append);
        [bits.clone(), bits + UBig::ONE].map(|bits| Dyadic::new(bits, -self.len()))
    }
}

/// What the law says about uniform numbers of which some words are known.
struct Law {
    chances: Vec<Enclosure>,
    s: Rational,
}

impl Law {
    fn new(digits: &Digits) -> Law {
        let s = digits.s.clone();
        Law { chances: (0..digits.rows() - 1).map(|row| exact_chance(row, &s)).collect(), s }
    }

    /// `U < p`, if that is known.
    fn is_one<W: Word>(&self, row: usize, u: &Uniform<W>) -> Option<bool> {
        let ([least, most], p) = (u.ends(), &self.chances[row]);
        if most <= *p.lo() { Some(true) } else { (*p.hi() <= least).then_some(false) }
    }

    /// `floor(-ln U·s/2^D)`, if that is known.
    fn rest<W: Word>(&self, u: &Uniform<W>) -> Option<IBig> {
        let scale = &self.s * Rational::pow2(1 - self.chances.len() as i64);
        let [least, most] = u.ends();
        if least.is_zero() {
            return None;
        }
        let e = -&Enclosure::new(least, most)?.ln(500).expect("above 0");
        let rest = &e * &Enclosure::of_rational(&scale, 500);
        (rest.lo().floor() == rest.hi().floor()).then(|| rest.lo().floor())
    }

    /// `Z` of all rows, by the formula.
    fn integer<W: Word>(&self, rows: &[Uniform<W>]) -> Option<IBig> {
        let (rest, rows) = rows.split_last()?;
        let ones: Option<Vec<bool>> = rows.iter().enumerate().map(|(row, u)| self.is_one(row, u)).collect();
        let (negative, digits) =
            ones?.split_first().map(|(negative, digits)| (*negative, digits.to_vec()))?;
        let rest = self.rest(rest)? << digits.len();
        let powers = digits.iter().enumerate().filter(|(_, one)| **one).map(|(i, _)| IBig::ONE << i);
        let geometric = powers.fold(rest, |sum, power| sum + power);
        Some(if negative { IBig::NEG_ONE - geometric } else { geometric })
    }
}

/// Gives each row of one value the words of its uniform number; tells if they were too few.
struct Script<'a, W> {
    rows: &'a [Uniform<W>],
    next: usize,
    ran_out: bool,
}

impl<W: Word> BitSource for Script<'_, W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn next_word(&mut self) -> W {
        self.next += 1;
        self.rows[self.next - 1].0[0]
    }

    fn refinement_word(&mut self, _batch: u64, index: u64, round: u32) -> W {
        let word = self.rows[index as usize].0.get(1 + round as usize).copied();
        self.ran_out |= word.is_none();
        word.unwrap_or(W::from_top_of(0x9e37_79b9_7f4a_7c15))
    }
}

/// A sampler to be tested: the one that ships, or a copy of it with a fault.
struct Subject {
    digits: Digits,
    after: fn(IBig) -> IBig,
}

impl Subject {
    fn shipped(s: &str) -> Subject {
        Subject { digits: digits(s), after: |z| z }
    }

    /// The threshold of a digit is off by a unit of a word's last place.
    fn off_by_one<W: Word>(s: &str) -> Subject {
        let mut subject = Subject::shipped(s);
        subject.digits.thresholds[1] += 1 << (64 - W::BITS);
        subject
    }

    /// The digits are in the wrong order.
    fn reversed(s: &str) -> Subject {
        let mut subject = Subject::shipped(s);
        let rest = subject.digits.rows() - 1;
        subject.digits.thresholds[1..rest].reverse();
        subject
    }

    /// `-G` in place of `-1 - G`: 0 comes too often.
    fn without_minus_1(s: &str) -> Subject {
        Subject { after: |z| if z < IBig::ZERO { z + IBig::ONE } else { z }, ..Subject::shipped(s) }
    }

    /// The integer, unless the words do not decide it.
    fn run<W: Word>(&self, rows: &[Uniform<W>]) -> Option<IBig> {
        let mut source = Script { rows, next: 0, ran_out: false };
        let mut cursor = Cursor::open(&mut source).expect("a batch");
        let z = self.digits.sample(&mut source, &mut cursor, &mut Words::undrawn());
        assert_eq!(source.next, rows.len());
        (!source.ran_out).then(|| (self.after)(z))
    }
}

fn word<W: Word>(value: u64) -> W {
    W::from_top_of(value << (64 - W::BITS))
}

/// Uniform numbers near 1: no digit is one, and the rest is 0.
fn near_one<W: Word>(digits: &Digits) -> Vec<Uniform<W>> {
    vec![Uniform(vec![word(u64::MAX)]); digits.rows()]
}

/// Tries all words at each depth of one row: `ones` of them give a one, one is undecided, and the others give zero. So the probability of a one lies
/// between `ones` and `ones + 1` in units of the depth. What is undecided is tried again with one more word, until 64 bits are known.
fn count_row(subject: &Subject, row: usize) -> Result<(), String> {
    let one = if row == 0 { IBig::NEG_ONE } else { IBig::ONE << (row - 1) };
    let p = exact_chance(row, &subject.digits.s);
    let mut rows = near_one::<u8>(&subject.digits);
    let mut ones = UBig::ZERO;
    for depth in 1..=8 {
        rows[row].0.resize(depth, 0);
        let mut undecided = Vec::new();
        ones <<= 8;
        for last in 0..=u8::MAX {
            rows[row].0[depth - 1] = last;
            match subject.run(&rows) {
                None => undecided.push(last),
                Some(z) if z == one => ones += UBig::ONE,
                Some(z) if z == IBig::ZERO => {}
                Some(z) => return Err(format!("row {row} gives {z}")),
            }
        }
        let unit = -8 * depth as i64;
        let [low, high] = [ones.clone(), &ones + UBig::ONE].map(|ones| Dyadic::new(ones, unit));
        if low > *p.lo() || *p.hi() > high {
            return Err(format!("row {row} is one with probability {low}, to {depth} bytes"));
        }
        let [last] = undecided[..] else { return Err(format!("row {row} leaves {undecided:?}")) };
        rows[row].0[depth - 1] = last;
    }
    Ok(())
}

fn count_rows(subject: &Subject) -> Result<(), String> {
    (0..subject.digits.rows() - 1).try_for_each(|row| count_row(subject, row))
}

#[test]
fn every_digit_has_its_probability() {
    for s in SCALES {
        assert_eq!(count_rows(&Subject::shipped(s)), Ok(()), "s = {s}");
    }
}

#[test]
fn a_wrong_digit_is_noticed() {
    for s in ["1/7", "1", "10", "1e6"] {
        assert!(count_rows(&Subject::off_by_one::<u8>(s)).is_err(), "s = {s}");
        assert!(count_rows(&Subject::without_minus_1(s)).is_err(), "s = {s}");
        // At 1/7 the first 8 bits of all probabilities are zeros, in any order.
        assert!(s == "1/7" || count_rows(&Subject::reversed(s)).is_err(), "s = {s}");
    }
}

/// How often a subject and the law differ on these numbers. Where the law has words enough, so must the subject have.
fn differences<W: Word>(
    subject: &Subject,
    law: &Law,
    all: impl IntoIterator<Item = Vec<Uniform<W>>>,
) -> usize {
    all.into_iter().filter(|rows| subject.run(rows) != law.integer(rows)).count()
}

/// The rest where it may be other than 0: zeros, and then all words; and ever more zeros.
fn around_rests(digits: &Digits) -> impl Iterator<Item = Vec<Uniform<u8>>> {
    let rows = near_one::<u8>(digits);
    (0..24).flat_map(|zeros| (0..=u8::MAX).step_by(5).map(move |last| (zeros, last))).map(
        move |(zeros, last)| {
            let mut rows = rows.clone();
            let mut words = vec![0; zeros];
            // Enough words for tier 3 to be sure wherever it can be.
            words.extend([last, 0x5b, 0xd1, 0x07]);
            rows.last_mut().expect("a row").0 = words;
            rows
        },
    )
}

#[test]
fn rests_are_geometric() {
    for s in SCALES {
        let subject = Subject::shipped(s);
        let law = Law::new(&subject.digits);
        let mut largest = IBig::ZERO;
        for rows in around_rests(&subject.digits) {
            // A few words decide it at once, or it goes on and takes the same in the end.
            let decided = law.integer(&rows);
            if let Some(z) = subject.run(&rows) {
                assert_eq!(Some(&z), decided.as_ref(), "s = {s}, {:?}", rows.last());
                largest = largest.max(z);
            }
        }
        // Of 24 bytes of zeros: E is about 133.
        let digits = subject.digits.rows() - 2;
        assert!(largest >= IBig::ONE << digits, "s = {s}: no rest but 0 was seen");
        // A scale that is off by a 16th is noticed.
        let mut broken = Subject::shipped(s);
        broken.digits.rest = crate::sampler::scale::Scale::new(
            &subject.digits.rest.exact * (Rational::ONE + Rational::pow2(-4)),
        );
        assert!(
            around_rests(&broken.digits)
                .any(|rows| broken.run(&rows).is_some_and(|z| Some(z) != law.integer(&rows))),
            "s = {s}"
        );
    }
}

/// Words of 64 bits next to thresholds, and refinements next to what follows there.
fn near_thresholds(law: &Law, digits: &Digits) -> Vec<Vec<Uniform<u64>>> {
    let rows = near_one::<u64>(digits);
    let mut all = Vec::new();
    for row in 0..digits.rows() - 1 {
        let next = |bits: i64| {
            let bits = law.chances[row].lo().shl(bits).floor() % (IBig::ONE << 64);
            u64::try_from(bits).expect("64 bits")
        };
        let (first, second, third) = (next(64), next(128), next(192));
        let nearby = |word: u64| [0, word.wrapping_sub(1), word, word.wrapping_add(1), u64::MAX];
        for first in nearby(first) {
            for second in nearby(second) {
                for third in nearby(third) {
                    let mut rows = rows.clone();
                    // The last two decide what the first three leave, in case they do.
                    rows[row].0 = vec![first, second, third, 0, 1 << 63];
                    all.push(rows);
                }
            }
        }
    }
    all
}

#[test]
fn nothing_is_wrong_next_to_thresholds() {
    // At 2⁵⁶, ½ - 2⁻⁵⁸ is nearly the probability of the first digit: what follows its first 64 bits is 2⁻¹¹⁰.
    for s in SCALES.into_iter().chain(["72057594037927936"]) {
        let subject = Subject::shipped(s);
        let law = Law::new(&subject.digits);
        let all = near_thresholds(&law, &subject.digits);
        println!("s = {s}: {} numbers next to thresholds", all.len());
        assert_eq!(differences(&subject, &law, all.clone()), 0, "s = {s}");
        if subject.digits.rows() > 2 {
            assert!(differences(&Subject::off_by_one::<u64>(s), &law, all.clone()) > 0, "s = {s}");
            assert!(differences(&Subject::without_minus_1(s), &law, all.clone()) > 0, "s = {s}");
        }
        if subject.digits.rows() > 3 {
            assert!(differences(&Subject::reversed(s), &law, all) > 0, "s = {s}");
        }
    }
}

/// Remembers the words of the main stream, by index, and which refinement words were asked for.
struct Watched<W> {
    source: InsecureSeededSource<W>,
    /// In place of what the source gives.
    constant: Option<W>,
    words: Vec<W>,
    asked: HashMap<u64, u32>,
}

impl<W: Word> Watched<W> {
    fn from_seed(seed: u64) -> Watched<W> {
        let source = InsecureSeededSource::from_seed(seed);
        Watched { source, constant: None, words: Vec::new(), asked: HashMap::new() }
    }
}

impl<W: Word> BitSource for Watched<W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        self.source.open_batch()
    }

    fn next_word(&mut self) -> W {
        let word = self.constant.unwrap_or(self.source.next_word());
        self.words.push(word);
        word
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> W {
        let rounds = self.asked.entry(index).or_default();
        assert_eq!(*rounds, round, "each refinement word once, in order");
        *rounds += 1;
        self.source.refinement_word(batch, index, round)
    }
}

fn constant_time(s: &str) -> DiscreteLaplace {
    DiscreteLaplace::new(rational(s)).unwrap().constant_time().unwrap()
}

/// The rows of each value of a slice, by the book: chunks of 128, 16 and 1 read a row for all their values, then the next.
fn rows_by_the_book<W: Word>(source: &mut Watched<W>, n: usize, rows: usize) -> Vec<Vec<Uniform<W>>> {
    let mut all = Vec::new();
    let mut first = 0;
    while all.len() < n {
        let chunk = [128, 16, 1].into_iter().find(|chunk| *chunk <= n - all.len()).expect("1 <= n");
        for i in 0..chunk {
            all.push(
                (0..rows)
                    .map(|row| first + row * chunk + i)
                    .map(|index| {
                        let mut words = vec![source.words[index]];
                        let more = source.asked.get(&(index as u64)).copied().unwrap_or(0);
                        words.extend(
                            (0..more).map(|round| source.source.refinement_word(0, index as u64, round)),
                        );
                        Uniform(words)
                    })
                    .collect(),
            );
        }
        first += chunk * rows;
    }
    all
}

/// All rows random: the integers are those of the law, at every place of a slice.
fn slices_follow_the_law<W: Word>() {
    for (seed, s) in (0..).zip(SCALES) {
        let mechanism = constant_time(s);
        let digits = digits(s);
        let law = Law::new(&digits);
        for n in [1, 17, 128 + 2 * 16 + 3] {
            let mut source = Watched::<W>::from_seed(seed);
            let mut values = vec![0i64; n];
            if mechanism.release_in_place(&mut source, &mut values) != Ok(()) {
                continue; // a rest that is beyond the type
            }
            let rows = rows_by_the_book(&mut source, n, digits.rows());
            assert_eq!(source.words.len(), n * digits.rows());
            for (z, rows) in values.iter().zip(rows) {
                assert_eq!(Some(IBig::from(*z)), law.integer(&rows), "s = {s}, {rows:?}");
            }
        }
    }
}

#[test]
fn slices_of_every_width_follow_the_law() {
    slices_follow_the_law::<u8>();
    slices_follow_the_law::<u16>();
    slices_follow_the_law::<u32>();
    slices_follow_the_law::<u64>();
}

#[test]
fn the_noise_alone_is_that_of_a_release() {
    for s in SCALES {
        let mechanism = constant_time(s);
        for seed in 0..200 {
            let source = || InsecureSeededSource::<u8>::from_seed(seed);
            let alone = mechanism.sample(&mut source()).unwrap();
            match mechanism.release(&mut source(), 0i64) {
                Ok(z) => assert_eq!(alone, IBig::from(z)),
                Err(_) => assert!(i64::try_from(alone).is_err()),
            }
        }
    }
}

/// As many words for every value, noise and source.
#[test]
fn every_value_takes_as_many_words() {
    for s in SCALES {
        let (mechanism, rows) = (constant_time(s), digits(s).rows());
        for (constant, x) in [(None, 0), (Some(0), 5i64), (Some(u64::MAX), -5), (Some(1), 1 << 40)] {
            for n in [1, 16, 127, 300] {
                let mut source = Watched::<u64> { constant, ..Watched::from_seed(3) };
                let mut values = vec![x; n];
                mechanism.release_in_place(&mut source, &mut values).unwrap();
                assert_eq!(source.words.len(), n * rows, "s = {s}, {constant:?}");
            }
        }
    }
}

/// The share of values that words of `w` bits leave is `1 - (1 - 2^-w)^(D + 2)`, below `(D + 2)·2^-w`.
#[test]
fn the_share_of_undecided_values() {
    for s in ["1/1000", "10", "1e6"] {
        let (mechanism, rows) = (constant_time(s), digits(s).rows());
        let n = 1 << 14;
        let mut left = 0;
        for seed in 0..n {
            let mut source = Watched::<u8>::from_seed(seed);
            mechanism.sample(&mut source).unwrap();
            left += u64::from(!source.asked.is_empty());
        }
        let share = 1.0 - (1.0 - 1.0 / 256.0f64).powi(rows as i32);
        let deviation = (share * (1.0 - share) / n as f64).sqrt();
        let seen = left as f64 / n as f64;
        assert!((seen - share).abs() < 5.0 * deviation, "s = {s}: {seen}, not {share}");
        assert!(share <= rows as f64 / 256.0);
    }
}

/// `Σ (a - b)²/(a + b)` of two samples of one size, by bins, and the number of bins.
fn chi_square(a: &[i64], b: &[i64], width: i64) -> (f64, usize) {
    let bin = |z: &i64| z.div_euclid(width).clamp(-12, 12);
    let mut counts = HashMap::<i64, [f64; 2]>::new();
    a.iter().for_each(|z| counts.entry(bin(z)).or_default()[0] += 1.0);
    b.iter().for_each(|z| counts.entry(bin(z)).or_default()[1] += 1.0);
    let square = |[a, b]: &[f64; 2]| (a - b).powi(2) / (a + b);
    (counts.values().map(square).sum(), counts.len())
}

/// Both samplers give the same distribution, and neither gives that of a broken copy.
#[test]
fn both_samplers_give_one_distribution() {
    let n = more(1 << 18);
    for (s, width) in [("1/2", 1), ("1", 1), ("10", 1), ("10", 5), ("1000", 300), ("1e12", 300_000_000_000)] {
        let sample = |mechanism: &DiscreteLaplace, seed| {
            let mut values = vec![0i64; n];
            let mut source = InsecureSeededSource::<u64>::from_seed(seed);
            mechanism.release_in_place(&mut source, &mut values).unwrap();
            values
        };
        let plain = sample(&DiscreteLaplace::new(rational(s)).unwrap(), 1);
        let shipped = sample(&constant_time(s), 2);
        let (square, bins) = chi_square(&plain, &shipped, width);
        let bound = bins as f64 + 6.0 * (2.0 * bins as f64).sqrt() + 10.0;
        assert!(square < bound, "s = {s}: {square} in {bins} bins");
        let broken: Vec<i64> = shipped.iter().map(|z| z + i64::from(*z < 0)).collect();
        if width < 10 {
            assert!(chi_square(&plain, &broken, width).0 > bound, "s = {s}, without -1");
        }
        let mut broken = constant_time(s);
        broken.digits = Some(Subject::reversed(s).digits);
        assert!(chi_square(&plain, &sample(&broken, 2), width).0 > bound, "s = {s}, reversed");
    }
}

#[test]
fn scales() {
    let rows = |s: &str| constant_time(s).digits.map(|digits| digits.rows());
    // 2^D > 45·s, with two words more.
    let by_hand = [("1/46", 2), ("1/45", 3), ("1/44", 3), ("10", 11), ("1099511627776", 48)];
    for (s, words) in by_hand {
        assert_eq!(rows(s), Some(words), "s = {s}");
    }
    let most = Rational::pow2(Digits::MOST_LOG2_SCALE);
    assert_eq!(Digits::new(&most).unwrap().rows(), 64);
    assert_eq!(Digits::new(&(most + Rational::pow2(-40))), None);
    // So small that only a word of zeros could give another integer than 0.
    let least = Digits::new(&Rational::pow2(-1074)).unwrap();
    assert_eq!(least.thresholds, [0, 0]);
    let error = DiscreteLaplace::new(Rational::pow2(57)).unwrap().constant_time().unwrap_err();
    assert!(matches!(error, Error::OutOfRange { name: "scale", .. }), "{error}");
}
