//! The kernels with their laws, at scales and values that try their ranges.

use std::cmp::Ordering;
use std::marker::PhantomData;

use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational, Rounding};

use super::{Arithmetic, Step, Subject, Visit, rational};
use crate::Real;
use crate::bits::Word;
use crate::sampler::Law;
use crate::sampler::integers::{IntegerNoise, Shape};
use crate::sampler::law::{AcceptLaw, Centre, FloorLaw, GridLaw, Offset, RealLaw, RoundLaw, grid_index};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::enclosures::{Enclosed, Exponentials};
use crate::sampler::tier1::{
    Accept, AcceptParams, Floor, FloorParams, Round, RoundParams, Rounded, Split, Summand, with_sign,
};
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

/// The words in arrays, the last one filled up, and how many count.
fn blocks<W: Word>(words: &[W]) -> impl Iterator<Item = ([W; BLOCK], usize)> {
    words.chunks(BLOCK).map(|some| {
        let mut block = [W::from_top_of(0); BLOCK];
        block[..some.len()].copy_from_slice(some);
        (block, some.len())
    })
}

fn round_tier1<W: Word, X: Summand, T: Rounded>(
    arithmetic: Arithmetic,
    b: &Scale,
    slack: f64,
    x: X,
    words: &[W],
) -> Vec<Option<T>> {
    let params = RoundParams { b_hi: b.hi(), b_lo: b.lo(), slack };
    let mut answers = Vec::new();
    for (words, n) in blocks(words) {
        let mut out = [T::MAX; BLOCK];
        let any = arithmetic.run(Round { params, words: &words, x: &[x; BLOCK], out: &mut out });
        assert_eq!(any, out.iter().any(|y| !y.is_finite()));
        answers.extend(out[..n].iter().map(|y| y.is_finite().then_some(*y)));
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

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<T>> {
        round_tier1(arithmetic, &self.b, 0.0, self.x, words)
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

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<T>> {
        round_tier1(arithmetic, &self.b, 0.0, self.split, words)
    }

    fn threshold(&self, negative: bool, near: &T) -> Option<Step<T>> {
        let (outer, midpoint) = outward(*near, negative)?;
        let e = (midpoint - self.x.to_rational()).abs() / &self.b.exact;
        Some(Step { e: positive(Enclosure::of_rational(&e, BITS))?, inner: *near, outer })
    }
}

/// `RN((i + Z)·2^k)` on a grid so fine that the kernel of [`Sum`] does the work.
#[derive(Debug)]
pub(super) struct FineGrid<T> {
    x: T,
    k: i32,
    b: Scale,
    s: Scale,
    centre: Centre,
}

impl<T: Rounded> FineGrid<T> {
    pub(super) fn new(x: T, b: Rational, k: i32) -> FineGrid<T> {
        let s = &b * Rational::pow2(-i64::from(k));
        FineGrid { x, k, b: Scale::new(b), centre: Centre::new(&s), s: Scale::new(s) }
    }
}

impl<T: Rounded> Subject for FineGrid<T> {
    type Output = T;

    fn law(&self) -> impl Law<Output = T> {
        let noise = FloorLaw { s: &self.s, offset: Offset::Centre(&self.centre) };
        GridLaw { noise, b: &self.b, x: self.x, k: self.k }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<T>> {
        round_tier1(arithmetic, &self.b, f64::from_i128(1, self.k + 1), self.x, words)
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

fn floor_tier1<W: Word>(
    arithmetic: Arithmetic,
    s: &Scale,
    double_double: bool,
    words: &[W],
    offset: impl Fn(usize, u64) -> f64 + Copy,
    finish: impl Fn(usize, f64) -> f64 + Copy,
) -> Vec<Option<IBig>> {
    let params = FloorParams { s_hi: s.hi(), s_lo: s.lo() };
    let mut answers = Vec::new();
    for (words, n) in blocks(words) {
        let mut values = [0.0f64; BLOCK];
        let (words, out) = (&words, &mut values);
        let any = if double_double {
            arithmetic.run(Floor::<_, BLOCK, true, _, _> { params, words, out, n, offset, finish })
        } else {
            arithmetic.run(Floor::<_, BLOCK, false, _, _> { params, words, out, n, offset, finish })
        };
        assert_eq!(any, values[..n].iter().any(|y| y.is_nan()));
        answers.extend(values[..n].iter().map(|y| (!y.is_nan()).then(|| IBig::from(*y as i64))));
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
    pub(super) double_double: bool,
}

impl Integers {
    fn skew(&self) -> f64 {
        match &self.noise.shape {
            Shape::Discrete(centre) => centre.skew(),
            Shape::Rounded => 0.0,
        }
    }
}

impl Subject for Integers {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        self.noise.law()
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<IBig>> {
        let skew = self.skew();
        let offset = |_, word| 0.5 + with_sign(skew, word);
        floor_tier1(arithmetic, &self.noise.s, self.double_double, words, offset, |_, z| z)
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

/// `floor(x/2^lambda + ½ + σ·s·E)`: the snapping mechanism.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) x: f64,
    pub(super) lambda: i32,
    pub(super) s: Scale,
}

impl Subject for Cells {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        FloorLaw { s: &self.s, offset: Offset::Cells { x: self.x, lambda: self.lambda } }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<IBig>> {
        let v = self.x * f64::from_i128(1, -self.lambda);
        let offset = |_, _| (v - v.floor()) + 0.5;
        floor_tier1(arithmetic, &self.s, false, words, offset, |_, cells| v.floor() + cells)
    }

    fn threshold(&self, negative: bool, near: &IBig) -> Option<Step<IBig>> {
        let cells = self.x.to_dyadic().expect("finite").shl(-i64::from(self.lambda));
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
    pub(super) lambda: i32,
    pub(super) s: Scale,
}

impl RealCells {
    pub(super) fn new(x: Rational, lambda: i32, s: Scale) -> RealCells {
        RealCells { split: Real::from(x.clone()).split(), x, lambda, s }
    }
}

impl Subject for RealCells {
    type Output = IBig;

    fn law(&self) -> impl Law<Output = IBig> {
        FloorLaw { s: &self.s, offset: Offset::RealCells { x: &self.x, lambda: self.lambda } }
    }

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<IBig>> {
        let per_lambda = f64::from_i128(1, -self.lambda);
        let offset = |_, _| offset_in_cells(self.split, per_lambda);
        let whole = (self.split.hi * per_lambda).floor();
        floor_tier1(arithmetic, &self.s, false, words, offset, |_, cells| whole + cells)
    }

    fn threshold(&self, negative: bool, near: &IBig) -> Option<Step<IBig>> {
        let cells = Enclosure::of_rational(&self.x, BITS).shl(-i64::from(self.lambda));
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

    fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<bool>> {
        let mut answers = Vec::new();
        for (words, n) in blocks(words) {
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
        f: impl Fn(u64, &Enclosed) -> T,
    ) -> Vec<Option<T>> {
        let enclosed = a.run(Exponentials { words });
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

            fn tier1<W: Word>(&self, arithmetic: Arithmetic, words: &[W]) -> Vec<Option<Self::Output>> {
                let $self = &self.0;
                self.answers(arithmetic, words, |$word, $e| $answer)
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
    let (alpha, s) = (0.5 + with_sign(integers.skew(), word), integers.noise.s.hi());
    let e = if integers.double_double { e.hi + e.lo } else { e.plain };
    IBig::from((alpha + with_sign(s * e, word)).floor() as i64)
});
hasty!(Cells, |cells, word, e| {
    let v = cells.x * f64::from_i128(1, -cells.lambda);
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
    for (s, lambda) in [("1", 0), ("10/13", 3), ("2/3", -20), ("0x1.000001p-1", 900), ("9/10", -1000)] {
        for x in ["0.1", "-0.1", "1/3", "-1e-20", "-1e-2000", "12345.678", "-4.4e15", "4e15", "7/2"] {
            // Of the last a third of a cell is lost in the digits of a double.
            let x = rational(x) + rational("1/3") * rational(if x.contains("e15") { "1" } else { "1e-9" });
            let x = x * Rational::pow2(lambda.into());
            visit.visit(&RealCells::new(x, lambda, Scale::new(rational(s))));
        }
    }
}

pub(super) fn fine_grids(visit: &mut impl Visit) {
    for (b, k) in [("1/3", -62), ("10/7", -60), ("1", -1000), ("1e-250", -1074), ("3e200", 600)] {
        for x in [0.0, 1.0, -1e6, 0.1, 5e-324, f64::MAX] {
            visit.visit(&FineGrid::new(x, rational(b), k));
        }
    }
    for (b, k) in [("1/3", -62), ("10/7", -60), ("1", -149), ("1e-20", -140), ("3e37", 60)] {
        for x in [0.0, 1.0, -1e6, 0.1, 1e-45, f32::MAX] {
            visit.visit(&FineGrid::new(x, rational(b), k));
        }
    }
}

fn integers(visit: &mut impl Visit, double_double: bool, texts: &[&str]) {
    for text in texts {
        for noise in
            [IntegerNoise::discrete(rational(text)), IntegerNoise::rounded(Scale::new(rational(text)))]
        {
            visit.visit(&Integers { noise, double_double });
        }
    }
}

pub(super) fn integers_plain(visit: &mut impl Visit) {
    integers(visit, false, &["1/3", "10/7", "1", "5/2", "1000.1", "1048576", "1/50", "1e-9", "0x1p-1000"]);
}

pub(super) fn integers_double_double(visit: &mut impl Visit) {
    let texts =
        ["1/3", "10/7", "1", "1048577", "1e9", "123456789012.3", "0x1.fffffffp43", "1/50", "0x1p-1000"];
    integers(visit, true, &texts);
}

pub(super) fn cells(visit: &mut impl Visit) {
    for (s, lambda) in [("1", 0), ("10/13", 3), ("2/3", -20), ("0x1.000001p-1", 900), ("9/10", -1000)] {
        let unit = f64::from_i128(1, lambda);
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
            visit.visit(&Cells { x: x * unit, lambda, s: Scale::new(rational(s)) });
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
    for double_double in [false, true] {
        visit.visit(&Hasty(Integers { noise: IntegerNoise::discrete(rational("10/7")), double_double }));
        visit.visit(&Hasty(Integers { noise: IntegerNoise::rounded(scale("1e4")), double_double }));
    }
    visit.visit(&Hasty(Cells { x: 0.3, lambda: 0, s: scale("2/3") }));
    visit.visit(&Hasty(Acceptance::new(&rational("10/7"), 3)));
}
