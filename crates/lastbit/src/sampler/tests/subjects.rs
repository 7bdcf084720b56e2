//! The kernels with their laws, at scales and values that try their ranges.

use std::cmp::Ordering;
use std::marker::PhantomData;

use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational, Rounding};

use super::{Arithmetic, Step, Subject, Visit, rational};
use crate::Real;
use crate::bits::Word;
use crate::sampler::Law;
use crate::sampler::integers::{FloorTier, IntegerNoise, Shape, limbs};
use crate::sampler::law::{
    AcceptLaw, Centre, FINE_GRID, FloorLaw, GridLaw, Offset, RealLaw, RoundLaw, grid_index,
};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::enclosures::{Enclosed, Logarithms};
use crate::sampler::tier1::plain::{Accept, AcceptParams, Floor};
use crate::sampler::tier1::round::{Round, RoundParams, Rounded, Split, Summand};
use crate::sampler::tier1::whole::{Grid, Whole};
use crate::sampler::tier1::wide::Exponentials;
use crate::sampler::tier1::with_sign;
use crate::snapping::offset_in_cells;

/// Bits of the thresholds.
const BITS: u32 = 300;

fn exact<T: Float>(x: T) -> Rational {
    Rational::from(x.to_dyadic().expect("a finite value"))
}

/// The next float away from `x` in the direction of the noise, and the midpoint between them.
fn outward<T: Float>(x: T, negative: bool) -> Option<(T, Rational)> {
    let (next, midpoint) =
        if negative { (x.next_down(), x.midpoint_below()) } else { (x.next_up(), x.midpoint_above()) };
    Some((next, Rational::from(midpoint?)))
}

fn positive(e: Enclosure) -> Option<Enclosure> {
    (e.sign() == Some(Ordering::Greater)).then_some(e)
}

/// Kernels work on arrays.
const BLOCK: usize = 64;

/// The words in arrays with their lows, the last one filled up, and how many count.
fn blocks<W: Word>(words: &[W], lows: &[u64]) -> impl Iterator<Item = ([W; BLOCK], [u64; BLOCK], usize)> {
    assert_eq!(words.len(), lows.len());
    words.chunks(BLOCK).zip(lows.chunks(BLOCK)).map(|(some, some_lows)| {
        let (mut block, mut lows) = ([W::from_top_of(u64::MAX / 3); BLOCK], [0; BLOCK]);
        block[..some.len()].copy_from_slice(some);
        lows[..some.len()].copy_from_slice(some_lows);
        (block, lows, some.len())
    })
}

/// What a kernel decided, of results that are doubles.
fn results<T: Rounded>(results: &[f64]) -> impl Iterator<Item = Option<T>> {
    results.iter().map(|y| y.is_finite().then(|| T::from_exact(*y)))
}

fn round_tier1<W: Word, X: Summand, T: Rounded>(
    arithmetic: Arithmetic,
    b: &Scale,
    slack: f64,
    x: X,
    (words, lows): (&[W], &[u64]),
) -> Vec<Option<T>> {
    let params = RoundParams { b_hi: b.hi(), b_lo: b.lo(), slack };
    let mut answers = Vec::new();
    for (words, lows, n) in blocks(words, lows) {
        let (mut e, x, rounds_to) = (Exponentials::new(), &[x; BLOCK], PhantomData::<T>);
        let any = arithmetic.run(Round { params, words: &words, lows: &lows, e: &mut e, x, rounds_to });
        assert_eq!(any, e.hi.iter().any(|y| !y.is_finite()));
        answers.extend(results(&e.hi[..n]));
    }
    answers
}

/// `RN(x + σ·b·E)`.
#[derive(Debug)]
pub(super) struct Sum<T> {
    pub(super) x: T,
    pub(super) b: Scale,
}

impl<T: Rounded> Subject for Sum<T> {
    type Output = T;

    fn law(&self) -> impl Law<Output = T> {
        RoundLaw { x: self.x, b: &self.b }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<T>> {
        round_tier1(arithmetic, &self.b, 0.0, self.x, (words, lows))
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threshold(&self, negative: bool, near: &T) -> Option<Step<T>> {
        let (outer, midpoint) = outward(*near, negative)?;
        let e = (midpoint - exact(self.x)).abs() / &self.b.exact;
        Some(Step { e: positive(Enclosure::of_rational(&e, BITS))?, inner: *near, outer })
    }
}

/// `RN(x + σ·b·E)` for a real `x`.
#[derive(Debug)]
pub(super) struct RealSum<T> {
    pub(super) x: Real,
    /// What tier 1 gets of it.
    pub(super) split: Split,
    pub(super) b: Scale,
    pub(super) rounds_to: PhantomData<T>,
}

impl<T: Rounded> RealSum<T> {
    pub(super) fn new(x: Rational, b: Scale) -> RealSum<T> {
        let x = Real::from(x);
        RealSum { split: x.split(), x, b, rounds_to: PhantomData }
    }
}

impl<T: Rounded> Subject for RealSum<T> {
    type Output = T;

    fn law(&self) -> impl Law<Output = T> {
        RealLaw::new(&self.x, &self.b)
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<T>> {
        round_tier1(arithmetic, &self.b, 0.0, self.split, (words, lows))
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threshold(&self, negative: bool, near: &T) -> Option<Step<T>> {
        let (outer, midpoint) = outward(*near, negative)?;
        let e = (midpoint - self.x.to_rational()).abs() / &self.b.exact;
        Some(Step { e: positive(Enclosure::of_rational(&e, BITS))?, inner: *near, outer })
    }
}

/// `RN((i + Z)·2^k)`, where the kernel is wide; if the grid is fine, that of [`Sum`] does the work.
#[derive(Debug)]
pub(super) struct OnGrid<T> {
    x: T,
    k: i32,
    b: Scale,
    s: Scale,
    centre: Centre,
    noise: IntegerNoise,
}

impl<T: Rounded> OnGrid<T> {
    pub(super) fn new(x: T, b: Rational, k: i32) -> OnGrid<T> {
        let s = &b * Rational::pow2(-i64::from(k));
        let (centre, noise) = (Centre::new(&s), IntegerNoise::discrete(s.clone()));
        OnGrid { x, k, b: Scale::new(b), centre, noise, s: Scale::new(s) }
    }
}

impl<T: Rounded> Subject for OnGrid<T> {
    type Output = T;

    fn law(&self) -> impl Law<Output = T> {
        let noise = FloorLaw { s: &self.s, offset: Offset::Centre(&self.centre) };
        GridLaw { noise, b: &self.b, x: self.x, k: self.k }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<T>> {
        if self.s.floor_log2() >= FINE_GRID {
            return round_tier1(arithmetic, &self.b, f64::from_i128(1, self.k + 1), self.x, (words, lows));
        }
        let mut answers = Vec::new();
        for (words, lows, n) in blocks(words, lows) {
            let (params, k) = (self.noise.tier1(), self.k);
            let (mut e, x) = (Exponentials::new(), &[self.x; BLOCK]);
            arithmetic.run(Grid { params, k, words: &words, lows: &lows, e: &mut e, x });
            answers.extend(results(&e.hi[..n]));
        }
        answers
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threshold(&self, negative: bool, near: &T) -> Option<Step<T>> {
        let (outer, midpoint) = outward(*near, negative)?;
        // |Z| has to take the sum to the midpoint, and past it if a tie goes back.
        let index = Rational::from(grid_index(self.x, self.k));
        let way = (&midpoint * Rational::pow2(-i64::from(self.k)) - index)
            * Rational::from(if negative { -1 } else { 1 });
        let tie_goes_on = T::from_rational(&midpoint, Rounding::Nearest) == outer;
        let steps = if way.is_integer() && !tie_goes_on { way.floor() + IBig::ONE } else { way.ceil() };
        // |Z| = floor(s·E + c).
        let e = &Enclosure::exact(Dyadic::from(steps)) - &self.centre.enclose(BITS);
        Some(Step { e: positive(over(e, &self.s.exact))?, inner: *near, outer })
    }
}

fn over(e: Enclosure, s: &Rational) -> Enclosure {
    &e * &Enclosure::of_rational(&s.recip().expect("positive"), BITS)
}

/// Integers from one word.
fn floor_tier1<W: Word>(
    arithmetic: Arithmetic,
    s: f64,
    (words, lows): (&[W], &[u64]),
    offset: impl Fn(usize, u64) -> f64 + Copy,
    finish: impl Fn(usize, f64) -> f64 + Copy,
) -> Vec<Option<IBig>> {
    let mut answers = Vec::new();
    for (words, _, n) in blocks(words, lows) {
        let mut out = [0.0f64; BLOCK];
        let any = arithmetic.run(Floor { s, words: &words, out: &mut out, n, offset, finish });
        assert_eq!(any, out[..n].iter().any(|y| y.is_nan()));
        answers.extend(out[..n].iter().map(|y| (!y.is_nan()).then(|| IBig::from(*y as i64))));
    }
    answers
}

/// Where `floor(α + σ·s·E)` leaves `inner`, and for what.
fn floor_threshold(alpha: &Enclosure, s: &Rational, negative: bool, inner: &IBig) -> Option<Step<IBig>> {
    let integer = |j: &IBig| Enclosure::exact(Dyadic::from(j.clone()));
    let (way, outer) = if negative {
        (alpha - &integer(inner), inner - IBig::ONE)
    } else {
        let outer = inner + IBig::ONE;
        (&integer(&outer) - alpha, outer)
    };
    Some(Step { e: positive(over(way, s))?, inner: inner.clone(), outer })
}

/// `floor(α_σ + σ·s·E)` with the offsets of the discrete Laplace variable, or of the rounded real one.
#[derive(Debug)]
pub(super) struct Integers {
    pub(super) noise: IntegerNoise,
}

impl Integers {
    pub(super) fn discrete(s: &str) -> Integers {
        Integers { noise: IntegerNoise::discrete(rational(s)) }
    }

    pub(super) fn rounded(s: &str) -> Integers {
        Integers { noise: IntegerNoise::rounded(Scale::new(rational(s))) }
    }
}

impl Subject for Integers {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        self.noise.law()
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<IBig>> {
        let params = self.noise.tier1();
        if !self.is_wide() {
            let offset = |_, word| 0.5 + with_sign(params.skew, word);
            return floor_tier1(arithmetic, params.s_hi, (words, lows), offset, |_, z| z);
        }
        let mut answers = Vec::new();
        for (words, lows, n) in blocks(words, lows) {
            let mut e = Exponentials::new();
            let any = arithmetic.run(Whole { params, words: &words, lows: &lows, e: &mut e });
            let Exponentials { hi: above, lo: below, .. } = e;
            assert_eq!(any, above.iter().any(|z| z.is_nan()));
            answers.extend(above[..n].iter().zip(&below).map(|(above, below)| {
                let (top, bottom) = limbs(*above, *below);
                (!above.is_nan()).then(|| (IBig::from(top) << 32) + IBig::from(bottom))
            }));
        }
        answers
    }

    fn is_wide(&self) -> bool {
        self.noise.tier == FloorTier::Wide
    }

    fn threshold(&self, negative: bool, near: &IBig) -> Option<Step<IBig>> {
        let alpha = match &self.noise.shape {
            Shape::Discrete(centre) if negative => &Enclosure::exact(Dyadic::ONE) - &centre.enclose(BITS),
            Shape::Discrete(centre) => centre.enclose(BITS),
            Shape::Rounded => Enclosure::exact(Dyadic::pow2(-1)),
        };
        floor_threshold(&alpha, &self.noise.s.exact, negative, near)
    }
}

/// `floor(x/2^grid + ½ + σ·s·E)`: the snapping mechanism.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) x: f64,
    pub(super) grid: i32,
    pub(super) s: Scale,
}

impl Subject for Cells {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        FloorLaw { s: &self.s, offset: Offset::Cells { x: self.x, grid: self.grid } }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<IBig>> {
        let v = self.x * f64::from_i128(1, -self.grid);
        let offset = |_, _| (v - v.floor()) + 0.5;
        floor_tier1(arithmetic, self.s.hi(), (words, lows), offset, |_, cells| v.floor() + cells)
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn threshold(&self, negative: bool, near: &IBig) -> Option<Step<IBig>> {
        let cells = self.x.to_dyadic().expect("finite").shl(-i64::from(self.grid));
        let alpha = Enclosure::exact(cells + Dyadic::pow2(-1));
        floor_threshold(&alpha, &self.s.exact, negative, near)
    }
}

/// The same for a real `x`.
#[derive(Debug)]
pub(super) struct RealCells {
    pub(super) x: Rational,
    /// What tier 1 gets of it.
    pub(super) split: Split,
    pub(super) grid: i32,
    pub(super) s: Scale,
}

impl RealCells {
    pub(super) fn new(x: Rational, grid: i32, s: Scale) -> RealCells {
        RealCells { split: Real::from(x.clone()).split(), x, grid, s }
    }
}

impl Subject for RealCells {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        FloorLaw { s: &self.s, offset: Offset::RealCells { x: &self.x, grid: self.grid } }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<IBig>> {
        let per_grid = f64::from_i128(1, -self.grid);
        let offset = |_, _| offset_in_cells(self.split, per_grid);
        let whole = (self.split.hi * per_grid).floor();
        floor_tier1(arithmetic, self.s.hi(), (words, lows), offset, |_, cells| whole + cells)
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn threshold(&self, negative: bool, near: &IBig) -> Option<Step<IBig>> {
        let cells = Enclosure::of_rational(&self.x, BITS).shl(-i64::from(self.grid));
        floor_threshold(&(&cells + &Enclosure::exact(Dyadic::pow2(-1))), &self.s.exact, negative, near)
    }
}

/// `E > γ(y)`.
#[derive(Debug)]
pub(super) struct Acceptance {
    y: i64,
    params: AcceptParams,
    gamma: Rational,
}

impl Acceptance {
    fn new(variance: &Rational, y: i64) -> Acceptance {
        let mode = variance / Rational::from(variance.floor_sqrt().expect("positive") + IBig::ONE);
        let half_precision = (variance * Rational::from(2)).recip().expect("positive");
        let gamma = (Rational::from(y).abs() - &mode).pow(2) * &half_precision;
        let nearest = |x: &Rational| x.to_f64(Rounding::Nearest);
        let params = AcceptParams { mode: nearest(&mode), half_precision: nearest(&half_precision) };
        Acceptance { y, params, gamma }
    }
}

impl Subject for Acceptance {
    type Output = bool;

    fn law(&self) -> impl Law<Output = bool> {
        AcceptLaw::new(self.gamma.clone())
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W], lows: &[u64]) -> Vec<Option<bool>> {
        let mut answers = Vec::new();
        for (words, _, n) in blocks(words, lows) {
            let mut out = [0.0f64; BLOCK];
            let y = &[self.y as f64; BLOCK];
            arithmetic.run(Accept { params: self.params, words: &words, y, out: &mut out, n });
            answers.extend(out[..n].iter().map(|answer| (!answer.is_nan()).then_some(*answer == 1.0)));
        }
        answers
    }

    fn threshold(&self, _negative: bool, _near: &bool) -> Option<Step<bool>> {
        Some(Step { e: positive(Enclosure::of_rational(&self.gamma, BITS))?, inner: false, outer: true })
    }

    fn grows(&self, _negative: bool) -> bool {
        true
    }
}

/// A subject whose tier 1 answers from its approximation of `E` without asking whether all of the enclosure agrees.
#[derive(Debug)]
pub(super) struct Hasty<S>(pub(super) S);

impl<S: Subject> Hasty<S> {
    fn answers<W: Word, T>(
        &self,
        a: Arithmetic,
        words: &[W],
        lows: &[u64],
        f: impl Fn(u64, &Enclosed) -> T,
    ) -> Vec<Option<T>> {
        let enclosed = a.run(Logarithms { words, lows });
        words.iter().zip(&enclosed).map(|(word, e)| Some(f(word.left_aligned(), e))).collect()
    }
}

macro_rules! hasty {
    ($subject:ty, |$self:ident, $word:ident, $e:ident| $answer:expr) => {
        impl Subject for Hasty<$subject> {
            type Output = <$subject as Subject>::Output;

            fn law(&self) -> impl Law<Output = Self::Output> {
                self.0.law()
            }

            fn tier1<W: Word>(
                &self,
                arithmetic: Arithmetic,
                words: &[W],
                lows: &[u64],
            ) -> Vec<Option<Self::Output>> {
                let $self = &self.0;
                self.answers(arithmetic, words, lows, |$word, $e| $answer)
            }

            fn is_wide(&self) -> bool {
                self.0.is_wide()
            }

            fn threshold(&self, negative: bool, near: &Self::Output) -> Option<Step<Self::Output>> {
                self.0.threshold(negative, near)
            }

            fn grows(&self, negative: bool) -> bool {
                self.0.grows(negative)
            }
        }
    };
}
hasty!(Sum<f64>, |sum, word, e| sum.x + with_sign(sum.b.hi() * (e.hi + e.lo), word));
hasty!(Integers, |integers, word, e| {
    let params = integers.noise.tier1();
    let e = if integers.is_wide() { e.hi + e.lo } else { e.plain };
    let v = 0.5 + with_sign(params.skew, word) + with_sign(params.s_hi * e, word);
    IBig::from(v.floor() as i128)
});
hasty!(Cells, |cells, word, e| {
    let v = cells.x * f64::from_i128(1, -cells.grid);
    IBig::from((v + 0.5 + with_sign(cells.s.hi() * e.plain, word)).floor() as i64)
});
hasty!(Acceptance, |acceptance, _word, e| {
    let g = acceptance.y.abs() as f64 - acceptance.params.mode;
    e.plain > g * g * acceptance.params.half_precision
});

fn scales(texts: &[&str]) -> impl Iterator<Item = Scale> {
    texts.iter().map(|text| Scale::new(rational(text)))
}

/// The scales of tier 1, from end to end.
pub(super) fn sums_f64(visit: &mut impl Visit) {
    for b in scales(&["1/3", "10/7", "1", "1e9", "7e-13", "0x1p-900", "1e-270", "3e270", "0x1.fffffp899"]) {
        let far = 40.0 * b.hi();
        for x in [
            0.0,
            -0.0,
            1.0,
            -1e6,
            1.0 / 3.0,
            5e-324,
            -1e-310,
            f64::MAX,
            f64::MIN,
            far,
            -far / 3.0,
            1e-17 * far,
        ] {
            visit.visit(&Sum { x, b: b.clone() });
        }
    }
}

pub(super) fn sums_f32(visit: &mut impl Visit) {
    for b in scales(&["1/3", "10/7", "1", "1e9", "7e-13", "1e-45", "1e-60", "0x1p-900", "3e37", "1e80"]) {
        let far = (40.0 * b.hi()) as f32;
        let far = if far.is_finite() { far } else { 1.0 };
        for x in [0.0, 1.0, -1e6, 1.0 / 3.0, 1e-45, -1e-39, f32::MAX, f32::MIN, far, -far / 3.0] {
            visit.visit(&Sum { x, b: b.clone() });
        }
    }
}

/// Decimals and fractions: everyday ones, beyond the digits of doubles, subnormal, next to the largest, far out in the noise, and so close
/// to a midpoint of the floats of type `T` that little noise decides.
fn reals<T: Rounded>(visit: &mut impl Visit, scales_of_type: &[&str]) {
    let texts =
        ["0.1", "-1234.5678", "1/3", "9007199254740993", "16777217", "1e-320", "3e-46", "-7e-324", "1e-2000"];
    for b in scales(scales_of_type) {
        let third = rational("1/3");
        let mut values: Vec<Rational> = texts.map(rational).into();
        values.extend(["40/3", "-17/7", "1e-17"].map(|times| rational(times) * &b.exact));
        values.push(exact(T::MAX) - &third);
        for near in [1.0, -0.75, 1e-3] {
            let near = T::from_exact(f64::from(near as f32));
            let midpoint = Rational::from(near.midpoint_above().expect("not the largest"));
            values.push(&midpoint + &b.exact * &third);
            values.push(midpoint - &b.exact * rational("20/7"));
        }
        values.into_iter().for_each(|x| visit.visit(&RealSum::<T>::new(x, b.clone())));
    }
}

pub(super) fn real_sums_f64(visit: &mut impl Visit) {
    reals::<f64>(visit, &["1/3", "10/7", "1e9", "7e-13", "1e-25", "0x1p-900", "3e270", "0x1.fffffp899"]);
}

pub(super) fn real_sums_f32(visit: &mut impl Visit) {
    reals::<f32>(visit, &["1/3", "10/7", "1e9", "7e-13", "1e-25", "1e-45", "0x1p-900", "3e37", "1e80"]);
}

pub(super) fn real_cells(visit: &mut impl Visit) {
    for (s, grid) in [("1", 0), ("10/13", 3), ("2/3", -20), ("0x1.000001p-1", 900), ("9/10", -1000)] {
        for x in ["0.1", "-0.1", "1/3", "-1e-20", "-1e-2000", "12345.678", "-4.4e15", "4e15", "7/2"] {
            // Of the last a third of a cell is lost in the digits of a double.
            let x = rational(x) + rational("1/3") * rational(if x.contains("e15") { "1" } else { "1e-9" });
            let x = x * Rational::pow2(grid.into());
            visit.visit(&RealCells::new(x, grid, Scale::new(rational(s))));
        }
    }
}

/// Grids from where the kernel is wide to where it is that of real numbers.
fn on_grids(visit: &mut impl Visit, of_f64: &[(&str, i32)], of_f32: &[(&str, i32)]) {
    for (b, k) in of_f64 {
        let far = f64::from_i128(3, *k + 201);
        for x in [0.0, 1.0, -1e6, 0.1, 5e-324, f64::MAX, far, -far / 4.0] {
            visit.visit(&OnGrid::new(x.clamp(f64::MIN, f64::MAX), rational(b), *k));
        }
    }
    for (b, k) in of_f32 {
        for x in [0.0, 1.0, -1e6, 0.1, 1e-45, f32::MAX] {
            visit.visit(&OnGrid::new(x, rational(b), *k));
        }
    }
}

pub(super) fn grids(visit: &mut impl Visit) {
    on_grids(
        visit,
        &[
            ("1/3", -30),
            ("10/7", -45),
            ("1", -53),
            ("10/7", -62),
            ("1e-250", -900),
            ("3e200", 580),
            ("1", -87),
        ],
        &[("1/3", -30), ("10/7", -45), ("1", -60), ("10/7", -80), ("1e-20", -149), ("3e37", 60)],
    );
}

pub(super) fn fine_grids(visit: &mut impl Visit) {
    on_grids(
        visit,
        &[("1/3", -92), ("10/7", -88), ("1", -1000), ("1e-250", -1074), ("3e200", 500)],
        &[("1/3", -92), ("10/7", -88), ("1", -149), ("1e-15", -140), ("3e37", 30)],
    );
}

fn integers(visit: &mut impl Visit, texts: &[&str]) {
    for text in texts {
        visit.visit(&Integers::discrete(text));
        visit.visit(&Integers::rounded(text));
    }
}

pub(super) fn integers_plain(visit: &mut impl Visit) {
    integers(visit, &["1/3", "10/7", "1", "5/2", "1000.1", "1048576", "1/50", "1/1024", "1e-9", "0x1p-1070"]);
}

pub(super) fn integers_wide(visit: &mut impl Visit) {
    integers(visit, &["1048577", "1e9", "123456789012.3", "0x1.fffffffp43", "1e15", "0x1.7p59", "0x1p62"]);
}

pub(super) fn cells(visit: &mut impl Visit) {
    for (s, grid) in [("1", 0), ("10/13", 3), ("2/3", -20), ("0x1.000001p-1", 900), ("9/10", -1000)] {
        let unit = f64::from_i128(1, grid);
        for x in [
            0.0,
            -0.0,
            0.5,
            -0.5,
            0.3,
            -0.3,
            1e-20,
            -1e-300,
            12345.678,
            -4.5e15,
            3e15 + 0.5,
            0.5f64.next_down(),
        ] {
            visit.visit(&Cells { x: x * unit, grid, s: Scale::new(rational(s)) });
        }
    }
}

pub(super) fn acceptances(visit: &mut impl Visit) {
    for variance in ["1/2", "2", "10/7", "0x1p-60", "1/3", "1e6", "123456789.1", "1e24"] {
        let variance = rational(variance);
        let sigma = i64::try_from(variance.floor_sqrt().expect("positive")).expect("small");
        for y in [0, 1, -1, sigma, sigma + 1, -2 * sigma - 1, 3 * sigma + 2, 9 * sigma] {
            visit.visit(&Acceptance::new(&variance, y));
        }
    }
}

/// Many `y` of each variance, for tests of the one threshold of each.
pub(super) fn many_acceptances(visit: &mut impl Visit) {
    for variance in ["1/2", "2", "10/7", "1/3", "1e6", "123456789.1", "1e24"] {
        let variance = rational(variance);
        let sigma = i64::try_from(variance.floor_sqrt().expect("positive")).expect("small");
        (0..150).for_each(|i| visit.visit(&Acceptance::new(&variance, i * sigma / 17 + i % 7)));
    }
}

/// A value of each kind with a fault: tier 1 without Ziv's test.
pub(super) fn hasty(visit: &mut impl Visit) {
    let scale = |text| Scale::new(rational(text));
    visit.visit(&Hasty(Sum { x: 0.3, b: scale("10/7") }));
    visit.visit(&Hasty(Integers::discrete("10/7")));
    visit.visit(&Hasty(Integers::rounded("1e4")));
    visit.visit(&Hasty(Integers::rounded("1e9")));
    visit.visit(&Hasty(Cells { x: 0.3, grid: 0, s: scale("2/3") }));
    visit.visit(&Hasty(Acceptance::new(&rational("10/7"), 3)));
}
