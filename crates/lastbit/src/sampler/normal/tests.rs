//! Tier 2 against enclosures and against tier 3, next to thresholds, and in copies with a fault; the bits that are asked for; the
//! distribution.
//!
//! `|G0|` and `|G1|` are monotone in `U` and in `V`, so an answer is right if the law gives it at all four corners of what is known.

mod first_tier;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::marker::PhantomData;

use lastbit_real::{Dyadic, Float, IBig, Rational, UBig};

use super::*;
use crate::bits::InsecureSeededSource;
use crate::sampler::law::{FloorLaw, Offset, RealLaw, RoundLaw};
use crate::sampler::scale::{Deviation, Factor};
use crate::sampler::tests::{more, rational, words};

/// What three words of a pair say.
fn of_words([w1, w2, w3]: [u64; 3], width: u32) -> PairPrefix {
    PairPrefix::new([w1, w2], [w3, w2 << (width / 2)], width)
}

fn sigma(text: &str) -> Deviation {
    Deviation::new(rational(text).pow(2))
}

/// A stream of words, of which some make `U` or `V` nearly 0 or 1.
struct Draws(std::vec::IntoIter<u64>);

impl Draws {
    fn new(seed: u64, n: usize) -> Draws {
        let mut all = words::<u64>(seed, 3 * n + 400);
        Draws(all.split_off(all.len() - 3 * n - 400).into_iter())
    }

    fn next(&mut self) -> u64 {
        self.0.next().expect("enough words")
    }

    /// A prefix of words of `width` bits and some rounds, no longer than tier 2 reads.
    fn prefix(&mut self, width: u32, rounds: u32) -> PairPrefix {
        let cut = |word: u64| word >> (64 - width) << (64 - width);
        let mut prefix = of_words([self.next(), self.next(), self.next()].map(cut), width);
        for _ in 0..rounds {
            if prefix.u.len + width <= Prefix::MAX_LEN {
                prefix = prefix.then([self.next(), self.next()].map(cut), width);
            }
        }
        prefix
    }
}

/// The prefix with `rounds` more of all zeros or all ones, in `U` and in `V`.
fn corner(prefix: PairPrefix, [u, v]: [bool; 2], rounds: u32) -> LongPairPrefix {
    let mut long = LongPairPrefix::from(prefix);
    for _ in 0..rounds {
        long.push([u, v].map(|ones| if ones { u64::MAX } else { 0 }), 64);
    }
    long
}

const CORNERS: [[bool; 2]; 4] = [[false, false], [false, true], [true, false], [true, true]];

/// The magnitudes at the corners, with 64, 128, … more bits: computed when they are wanted, and once for all laws.
struct Corners {
    prefix: PairPrefix,
    levels: [OnceCell<[Option<[Enclosure; 2]>; 4]>; 8],
}

impl Corners {
    fn of(prefix: PairPrefix) -> Corners {
        Corners { prefix, levels: Default::default() }
    }

    /// What a law says of one variable at the corners; nothing where a threshold is closer than five hundred bits tell.
    fn outputs<L: Law>(&self, law: &L, i: usize) -> Vec<L::Output> {
        let at = |which: usize| {
            (1..).zip(&self.levels).find_map(|(rounds, level)| {
                let long = |corner_of| corner(self.prefix, corner_of, rounds);
                let level = level.get_or_init(|| CORNERS.map(|corner_of| long(corner_of).magnitudes()));
                let g = &level[which].as_ref()?[i];
                law.tier3(self.prefix.negative()[i], g, long(CORNERS[which]).precision())
            })
        };
        (0..4).filter_map(at).collect()
    }
}

/// Asked, decided, wrong.
#[derive(Debug, Default)]
struct Count {
    asked: usize,
    decided: usize,
    wrong: usize,
}

impl Count {
    fn answer<L: Law<Output: PartialEq>>(
        &mut self,
        law: &L,
        corners: &Corners,
        i: usize,
        answer: Option<L::Output>,
    ) {
        self.asked += 1;
        if let Some(answer) = answer {
            self.decided += 1;
            self.wrong += usize::from(corners.outputs(law, i).iter().any(|corner| *corner != answer));
        }
    }

    /// Both values by tier 2, through `change`, and by tier 3.
    fn ask<L: Law<Output: PartialEq>>(
        &mut self,
        law: &L,
        corners: &Corners,
        change: fn(FixedVariable) -> FixedVariable,
    ) {
        let prefix = corners.prefix;
        let long = LongPairPrefix::from(prefix);
        let (fixed, exact) = (prefix.magnitudes(), long.magnitudes());
        for i in 0..2 {
            let negative = prefix.negative()[i];
            self.answer(law, corners, i, fixed.and_then(|g| law.tier2(negative, change(g[i]))));
            let third = exact.as_ref().and_then(|g| law.tier3(negative, &g[i], long.precision()));
            self.answer(law, corners, i, third);
        }
    }
}

#[test]
fn the_constant_is_a_quarter_of_pi() {
    let quarter = pi(200).shl(128 - 2);
    assert_eq!(quarter.lo().floor(), IBig::from(EIGHTH_TURN));
    assert_eq!(quarter.hi().floor(), IBig::from(EIGHTH_TURN));
}

/// The layout of the specification, on words whose bits tell where they come from.
#[test]
fn bits_go_where_they_belong() {
    let prefix = of_words([0x8000_0000_0000_0001, 0xffff_fffe_0000_0003, 0x4000_0000_0000_0005], 64);
    assert_eq!((prefix.negative(), prefix.swap), ([true, false], true));
    assert_eq!((prefix.u.bits, prefix.u.len), (1 << 32 | 0xffff_fffe, 95));
    assert_eq!((prefix.v.bits, prefix.v.len), (5 << 32 | 3, 94));
    // 8 bits: s0 1010101, 1001 0110, s1 swap 110011.
    let narrow = of_words([0x55, 0x96, 0xb3].map(|byte: u64| byte << 56), 8);
    assert_eq!((narrow.negative(), narrow.swap), ([false, true], false));
    assert_eq!((narrow.u.bits, narrow.u.len), (0b101_0101_1001, 11));
    assert_eq!((narrow.v.bits, narrow.v.len), (0b11_0011_0110, 10));
    // 2 bits: s0 0, 1 0, s1 swap; the first word has nothing of V.
    let narrowest = of_words([0b10, 0b10, 0b01].map(|bits: u64| bits << 62), 2);
    assert_eq!((narrowest.negative(), narrowest.swap), ([true, false], true));
    assert_eq!((narrowest.u.bits, narrowest.u.len), (0b01, 2));
    assert_eq!((narrowest.v.bits, narrowest.v.len), (0b0, 1));
    let longer = narrow.then([0xab << 56, 0xcd << 56], 8);
    assert_eq!((longer.u.bits, longer.u.len), (0b101_0101_1001 << 8 | 0xab, 19));
    assert_eq!((longer.v.bits, longer.v.len), (0b11_0011_0110 << 8 | 0xcd, 18));
    let mut long = LongPairPrefix::from(narrow);
    long.push([0xab << 56, 0xcd << 56], 8);
    assert_eq!(long.u.uniform(), LongPrefix::from(longer.u).uniform());
    assert_eq!(long.v.uniform(), LongPrefix::from(longer.v).uniform());
}

/// Whether a root is what [`root`] ensures: `√x·2¹²⁰` between the result minus 1 and plus 2, and how far it is above in eighths.
fn root_is_right(x: u128, root: u128) -> bool {
    let square = UBig::from(x) << 120;
    let (low, high) = (UBig::from(root.saturating_sub(1)), UBig::from(root) + UBig::from(2u8));
    low.sqr() <= square && square <= high.sqr()
}

#[test]
fn roots() {
    let without_the_quotient = |x: u128| {
        let s = x.leading_zeros() & !1;
        ((x << s).isqrt() << 62) >> (2 + s / 2)
    };
    let mut draws = Draws::new(11, more(5000));
    let mut faults = 0;
    let edges = [1, 2, 3, u128::MAX, u128::MAX - 1, 1 << 127, (1 << 127) - 1, 1 << 126, (1 << 126) - 1];
    assert_eq!(root(0), 0);
    let random =
        (0..more(5000)).map(|i| (u128::from(draws.next()) << 64 | u128::from(draws.next())) >> (i % 128));
    for x in edges.into_iter().chain(random).filter(|x| *x != 0) {
        assert!(root_is_right(x, root(x)), "{x}");
        faults += usize::from(!root_is_right(x, without_the_quotient(x)));
    }
    assert!(faults > 1000);
}

/// How far `cos` and `sin` of [`circle`] are off for the middle of a prefix, in units of 2⁻¹²⁷, and whether the ends hold the values
/// at both ends of the prefix.
fn circle_is_right(v: Prefix, terms: u128) -> (f64, bool) {
    let enclose = |numerator: u128, len: u32| {
        let v = Enclosure::exact(Dyadic::new(numerator, -i64::from(len)));
        let angle = (&v * &pi(300)).shl(-2);
        [angle.cos(280), angle.sin(280)].map(|side| side.expect("small").shl(127))
    };
    let ends = circle(v, terms);
    let mut right = true;
    for at in [v.bits, v.bits + 1] {
        for (side, ends) in enclose(at, v.len).iter().zip(&ends) {
            right &= side.lo() >= &Dyadic::from(ends.low) && side.hi() <= &Dyadic::from(ends.high);
        }
    }
    let error = 1 << (126 - v.len.min(126));
    let off = |(side, ends): (Enclosure, &Ends)| {
        let middle = Dyadic::from(ends.low + CIRCLE_ERROR + error);
        let distance = (&side - &Enclosure::exact(middle)).abs();
        // Cut at 1, the upper end says nothing, and at 0 the lower one.
        let cut = ends.low == 0 || ends.high == 1 << 127;
        if cut { 0.0 } else { f64::from_dyadic(distance.hi(), lastbit_real::Rounding::Up) }
    };
    let off = enclose(v.bits << 1 | 1, v.len + 1).into_iter().zip(&ends).map(off).fold(0.0, f64::max);
    (off, right)
}

#[test]
fn sines_and_cosines() {
    let mut draws = Draws::new(12, more(1500));
    let (mut most, mut faults) = (0.0f64, 0);
    for i in 0..more(1500) as u32 {
        let len = if i % 2 == 0 { 126 + i / 2 % 2 } else { 1 + i / 2 % 127 };
        let bits = u128::from(draws.next()) << 64 | u128::from(draws.next());
        let v = Prefix { negative: false, bits: bits >> (128 - len), len };
        let (off, right) = circle_is_right(v, TERMS);
        assert!(right, "{v:?}");
        most = most.max(off);
        faults += usize::from(!circle_is_right(v, TERMS - 1).1);
    }
    for len in [1, 6, 62, 94, 126, 127] {
        for bits in [0, 1, (1 << len) - 1] {
            let v = Prefix { negative: false, bits, len };
            assert!(circle_is_right(v, TERMS).1, "{v:?}");
        }
    }
    eprintln!("sine and cosine are up to {most} units off");
    assert!(most < CIRCLE_ERROR as f64 && most > 0.5, "{most}");
    assert!(faults > 100, "a term too few is found out");
}

#[test]
fn magnitudes_are_enclosed() {
    let n = more(600);
    let mut draws = Draws::new(13, 4 * n);
    let (mut faults, mut narrowest) = (0, u128::MAX);
    for i in 0..n {
        let prefix = draws.prefix([8, 16, 32, 64][i % 4], (i / 4 % 12) as u32);
        let Some(fixed) = prefix.magnitudes() else { continue };
        for (side, corner_of) in fixed.iter().zip(0..2).flat_map(|at| CORNERS.map(|c| (at, c))) {
            let (g, i) = side;
            narrowest = narrowest.min(g.radius);
            let exact = corner(prefix, corner_of, 5).magnitudes().expect("some bit of U is one")[i].shl(120);
            let holds = |value: u128, radius: u128| {
                exact.lo() >= &Dyadic::from(value as i128 - radius as i128)
                    && exact.hi() <= &Dyadic::from(value + radius)
            };
            assert!(holds(g.value, g.radius), "{prefix:?}");
            faults += usize::from(!holds(g.value + (1 << 22), g.radius) || !holds(g.value, g.radius / 2));
        }
    }
    // 2²⁰ units of the logarithm, over R: 2⁻¹⁰⁰ where R is about 1.
    assert!(narrowest < 1 << 20, "{narrowest}");
    assert!(faults > 400);
}

const UNCHANGED: fn(FixedVariable) -> FixedVariable = |g| g;

/// All kinds of laws at scales from the smallest to the largest.
#[test]
fn tier2_against_tier3() {
    let n = more(60);
    let scales = ["1/3", "10/7", "0x1p-1074", "1e-300", "1e-30", "1e18", "1e40", "1e300", "0x1.ffffp1023"];
    let mut total = Count::default();
    for (k, text) in scales.into_iter().enumerate() {
        // Also of a variance that is not a square.
        let sigma = Deviation::new(rational(text).pow(2) * rational(["1", "7/8"][k % 2]));
        let mut draws = Draws::new(20 + k as u64, 10 * n);
        for i in 0..n {
            let corners = &Corners::of(draws.prefix([8, 16, 32, 64][i % 4], (i / 4 % 12) as u32));
            let x = [0.0, 1.0, -1e6, 5e-324, f64::MAX, -4.0 * sigma.hi().min(1e300)][i / 3 % 6];
            total.ask(&RoundLaw { x, b: &sigma }, corners, UNCHANGED);
            let x = x.clamp(-3e38, 3e38) as f32;
            total.ask(&RoundLaw { x, b: &sigma }, corners, UNCHANGED);
            let x = rational(["0.1", "-1e-2000", "-9007199254740993", "1/3", "1e999"][i / 3 % 5]);
            total.ask(&RealLaw { x, b: &sigma, rounds_to: PhantomData::<f64> }, corners, UNCHANGED);
            total.ask(&FloorLaw { s: &sigma, offset: Offset::Half }, corners, UNCHANGED);
        }
    }
    eprintln!("tier 2 against tier 3: {total:?}");
    assert!(total.asked > 4_000 && total.decided * 4 > total.asked);
    assert_eq!(total.wrong, 0);
}

/// The prefix of `U`, as long as that of the given one, at which the value with index `i` reaches `target` (that is `|target - x|/σ`) in the
/// middle of what is known of `V`.
fn next_to(target: &Enclosure, prefix: PairPrefix, i: usize) -> Option<u128> {
    let v = Enclosure::exact(Dyadic::new(prefix.v.bits << 1 | 1, -i64::from(prefix.v.len) - 1));
    let angle = (&v * &pi(400)).shl(-2);
    let side = if prefix.swap == (i == 1) { angle.cos(400) } else { angle.sin(400) }.ok()?;
    let r = target.div(&side, 400)?;
    let u = (-&(&r * &r).shl(-1)).exp(400).ok()?;
    let floor = |end: &Dyadic| end.shl(i64::from(prefix.u.len)).floor();
    (floor(u.lo()) == floor(u.hi())).then(|| u128::try_from(floor(u.lo())).ok()).flatten()
}

/// The prefixes around where the value with index `i` leaves what it is for `prefix`; `threshold` is the distance from `x` to the threshold next to an
/// output, over `σ`.
fn around_threshold<L: Law<Output: PartialEq>>(
    law: &L,
    threshold: impl Fn(&L::Output, bool) -> Option<Enclosure>,
    prefix: PairPrefix,
    i: usize,
) -> Vec<PairPrefix> {
    let near = Corners::of(prefix).outputs(law, i).pop();
    let target = near.and_then(|near| threshold(&near, prefix.negative()[i]));
    let Some(bits) = target.and_then(|target| next_to(&target, prefix, i)) else { return Vec::new() };
    let moved = |distance: i128| {
        let bits = bits.checked_add_signed(distance).filter(|bits| *bits > 0 && bits >> prefix.u.len == 0)?;
        Some(PairPrefix { u: Prefix { bits, ..prefix.u }, ..prefix })
    };
    (-3..=3).filter_map(moved).collect()
}

/// Both values next to the thresholds of a law.
fn at_thresholds<L: Law<Output: PartialEq>>(
    law: &L,
    threshold: impl Fn(&L::Output, bool) -> Option<Enclosure>,
    change: fn(FixedVariable) -> FixedVariable,
    n: usize,
) -> Count {
    let mut draws = Draws::new(31, 4 * n);
    let mut count = Count::default();
    for k in 0..n {
        let rounds = (k / 2 % 3) as u32;
        let prefix = if k % 2 == 0 { draws.prefix(32, rounds) } else { draws.prefix(64, 0) };
        for near in around_threshold(law, &threshold, prefix, k / 8 % 2) {
            count.ask(law, &Corners::of(near), change);
        }
    }
    count
}

/// The distance from `x` to the midpoint beyond `near`, over `σ`.
fn to_midpoint<T: Float>(x: &Rational, near: &T, negative: bool, sigma: &Deviation) -> Option<Enclosure> {
    let midpoint = if negative { near.midpoint_below() } else { near.midpoint_above() }?;
    let distance = (Rational::from(midpoint) - x).abs();
    Enclosure::of_rational(&distance, 400).div(&sigma.enclose(400), 400)
}

/// The distance from 0 to where the integer `near` is left, over `σ`: at `near + ½` going up, at `near - ½` going down.
fn to_next_integer(near: &IBig, negative: bool, sigma: &Deviation) -> Option<Enclosure> {
    let half = if negative { rational("-1/2") } else { rational("1/2") };
    let distance = (Rational::from(near.clone()) + half).abs();
    Enclosure::of_rational(&distance, 400).div(&sigma.enclose(400), 400)
}

fn all_thresholds(change: fn(FixedVariable) -> FixedVariable, n: usize) -> Count {
    let mut total = Count::default();
    let mut add = |count: Count| {
        total.asked += count.asked;
        total.decided += count.decided;
        total.wrong += count.wrong;
    };
    for (text, x) in [("10/7", 0.3), ("1", 0.0), ("1e6", -1e6), ("0x1p-1070", 1e-320), ("1e300", 1.0)] {
        let sigma = &sigma(text);
        let exact = Rational::try_from(x).expect("finite");
        let law = RoundLaw { x, b: sigma };
        add(at_thresholds(&law, |near, negative| to_midpoint(&exact, near, negative, sigma), change, n));
        let law = RoundLaw { x: x as f32, b: sigma };
        let exact = Rational::try_from(x as f32).expect("finite");
        add(at_thresholds(&law, |near, negative| to_midpoint(&exact, near, negative, sigma), change, n));
        let x = rational("1/3");
        let law = RealLaw { x: x.clone(), b: sigma, rounds_to: PhantomData::<f64> };
        add(at_thresholds(&law, |near, negative| to_midpoint(&x, near, negative, sigma), change, n));
    }
    for text in ["10/7", "1e6", "1e17"] {
        let sigma = &sigma(text);
        let law = FloorLaw { s: sigma, offset: Offset::Half };
        add(at_thresholds(&law, |near, negative| to_next_integer(near, negative, sigma), change, n));
    }
    total
}

#[test]
fn next_to_thresholds() {
    let count = all_thresholds(UNCHANGED, more(30));
    eprintln!("next to thresholds: {count:?}");
    assert!(count.asked > 5000 && count.decided > 1000);
    assert_eq!(count.wrong, 0);
}

#[test]
fn a_changed_tier2_is_found_out() {
    assert!(all_thresholds(|g| FixedVariable { radius: g.radius / 4, ..g }, 10).wrong > 0);
    assert!(all_thresholds(|g| FixedVariable { value: g.value + 3 * g.radius, ..g }, 10).wrong > 0);
    assert!(
        all_thresholds(|g| FixedVariable { value: g.value - g.value.min(g.radius * 3), ..g }, 10).wrong > 0
    );
}

/// Tells what was asked for.
struct Recorder {
    source: InsecureSeededSource<u64>,
    asked: HashSet<(u64, u64, u32)>,
    fill: Option<u64>,
}

impl BitSource for Recorder {
    type Word = u64;
    fn open_batch(&mut self) -> Result<u64, crate::Error> {
        self.source.open_batch()
    }
    fn next_word(&mut self) -> u64 {
        self.source.next_word()
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
        assert!(self.asked.insert((batch, index, round)), "asked twice");
        self.fill.unwrap_or_else(|| self.source.refinement_word(batch, index, round))
    }
}

fn recorder(fill: Option<u64>) -> Recorder {
    Recorder { source: InsecureSeededSource::from_seed(5), asked: HashSet::new(), fill }
}

const AT: PairAddress =
    PairAddress { u: Address { batch: 3, index: 40 }, v: Address { batch: 3, index: 42 } };

#[test]
fn no_word_is_asked_for_twice_and_none_early() {
    let sigma = sigma("10/7");
    let laws = [0.3, -2.0].map(|x| RoundLaw { x, b: &sigma });
    let mut source = InsecureSeededSource::<u64>::from_seed(41);
    for i in 0..400 {
        // A few with no bit of U: there words must be asked for.
        let starved = i % 8 == 0;
        let mut words = [source.next_word(), source.next_word(), source.next_word()];
        if starved {
            words = [words[0] & 1 << 63, words[1] as u32 as u64, words[2]];
        }
        let prefix = of_words(words, 64);
        let run = |wanted: [bool; 2]| {
            let mut source = recorder(None);
            let laws = [0, 1].map(|i| wanted[i].then_some(&laws[i]));
            (resolve(laws, prefix, &mut source, AT), source.asked)
        };
        let (both, asked) = run([true, true]);
        assert!(both.iter().all(Option::is_some));
        assert_eq!(run([true, false]).0, [both[0], None]);
        assert_eq!(run([false, true]).0, [None, both[1]]);
        assert_eq!(run([false, false]), ([None, None], HashSet::new()));
        if starved {
            let rounds = asked.len() as u32 / 2;
            let expected = (0..rounds).flat_map(|round| [(3, 40, round), (3, 42, round)]).collect();
            assert!(rounds > 0 && asked == expected, "{asked:?}");
        } else {
            assert!(asked.is_empty(), "the bits at hand decide: {prefix:?}");
        }
    }
}

/// The answer of all tiers is that of the exact number, whatever tier gives it.
#[test]
fn resolve_obeys_the_law() {
    let mut draws = Draws::new(42, more(600));
    let mut deep = 0;
    for i in 0..more(600) {
        let sigma = sigma(["10/7", "1", "1e17"][i % 3]);
        let law = RoundLaw { x: 0.3, b: &sigma };
        let mut prefix = of_words([draws.next(), draws.next(), draws.next()], 64);
        let near = Corners::of(prefix).outputs(&law, 0).pop();
        let exact = Rational::try_from(0.3).unwrap();
        // On a threshold half of the time: then more bits decide.
        if i % 2 == 0
            && let Some(near) = near
            && let Some(target) = to_midpoint(&exact, &near, prefix.negative()[0], &sigma)
            && let Some(bits) =
                next_to(&target, prefix, 0).filter(|bits| *bits > 0 && bits >> prefix.u.len == 0)
        {
            prefix.u.bits = bits;
        }
        for fill in [0, u64::MAX] {
            if fill == 0 && prefix.u.bits == 0 {
                continue; // U = 0: nothing ever decides
            }
            let mut source = recorder(Some(fill));
            let [output, _] = resolve([Some(&law), None], prefix, &mut source, AT);
            deep += usize::from(!source.asked.is_empty());
            let long = corner(prefix, [fill != 0; 2], 6);
            let expected =
                long.magnitudes().and_then(|g| law.tier3(prefix.negative()[0], &g[0], long.precision()));
            assert!(expected.is_none() || expected == output, "{prefix:?}");
        }
    }
    assert!(deep > 100, "{deep}");
}

#[test]
fn zero_is_positive_and_overflow_infinite() {
    let tiny = sigma("0x1p-1074");
    let huge = sigma("0x1.ffffffffp1023");
    // Both signs negative, U near 1: G is nearly 0; and U near 0: beyond the largest double.
    let small = of_words([u64::MAX, u64::MAX, 1 << 63], 64);
    let large = of_words([1 << 63 | 1, 0, 1 << 63], 64);
    let outputs = |prefix, sigma: &Deviation, x| {
        let law = RoundLaw { x, b: sigma };
        resolve([Some(&law), Some(&law)], prefix, &mut recorder(None), AT).map(|y: Option<f64>| y.unwrap())
    };
    assert_eq!(outputs(small, &tiny, 0.0).map(f64::to_bits), [0, 0]);
    assert_eq!(outputs(small, &tiny, 5e-324), [5e-324; 2]);
    assert_eq!(outputs(large, &huge, 0.0)[0], f64::NEG_INFINITY);
}

/// `χ²` of 64 cells of equal probability of each of two variables, and of 8 times 8 cells of both.
fn chi_squares(pairs: &[[f64; 2]]) -> [f64; 3] {
    // The quantiles Φ⁻¹(k/64), from `statistics.NormalDist().inv_cdf` of Python.
    const QUANTILES: [f64; 31] = include!("quantiles.in");
    let cell = |x: f64| {
        let above = QUANTILES.iter().filter(|q| **q < x.abs()).count();
        if x < 0.0 { 31 - above } else { 32 + above }
    };
    let n = pairs.len() as f64;
    let mut counts = [[0.0; 64]; 3];
    for [a, b] in pairs {
        let cells = [cell(*a), cell(*b)];
        counts[0][cells[0]] += 1.0;
        counts[1][cells[1]] += 1.0;
        counts[2][cells[0] / 8 * 8 + cells[1] / 8] += 1.0;
    }
    counts.map(|cells| cells.iter().map(|count: &f64| (count - n / 64.0).powi(2) / (n / 64.0)).sum())
}

/// With 63 degrees of freedom, χ² is below 130 with a probability of about 1 - 1e-6; the seed is fixed.
#[test]
fn the_pairs_are_independent_standard_normal_variables() {
    let sigma = sigma("1");
    let law = RoundLaw { x: 0.0, b: &sigma };
    let mut source = InsecureSeededSource::<u64>::from_seed(77);
    let mut sample = |change: fn(&mut PairPrefix)| {
        let draw = |_| {
            let mut prefix = of_words([source.next_word(), source.next_word(), source.next_word()], 64);
            change(&mut prefix);
            resolve([Some(&law), Some(&law)], prefix, &mut source, AT)
                .map(|y: Option<f64>| y.expect("wanted"))
        };
        chi_squares(&(0..more(20_000)).map(draw).collect::<Vec<_>>())
    };
    let right = sample(|_| ());
    eprintln!("χ²: {right:?}");
    assert!(right.iter().all(|chi| (20.0..130.0).contains(chi)), "{right:?}");
    // Copies with a fault: no exchange, one sign for both, the same bits for U and V.
    assert!(sample(|prefix| prefix.swap = false)[0] > 300.0);
    assert!(sample(|prefix| prefix.v.negative = prefix.u.negative)[2] > 300.0);
    assert!(sample(|prefix| prefix.v.bits = prefix.u.bits >> 1)[2] > 300.0);
}
