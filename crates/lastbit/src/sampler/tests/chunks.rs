//! Whole mechanisms: their results are those of the laws on the words and addresses of each value, whatever the chunks are.

use lastbit_real::{Float, IBig, Rational, Rounding};

use super::rational;
use crate::bits::{BitSource, InsecureSeededSource, Word};
use crate::sampler::batch::CHUNK;
use crate::sampler::integers::{FloorTier, IntegerNoise, add_big};
use crate::sampler::law::{FloorLaw, GridLaw, Offset, RealLaw, RoundLaw};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::round::Rounded;
use crate::sampler::tier2::Prefix;
use crate::sampler::{Address, Law, resolve};
use crate::snapping::clamp;
use crate::{
    DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, Laplace, Mechanism, Real,
    RealMechanism, Snapping,
};

/// Around the sizes of chunks, and of the pieces that are copied.
const LENGTHS: [usize; 9] = [1, 15, 16, 17, 127, 128, 129, 1000, 2049];

/// A source that goes on with one batch where a release opens a new one: many short releases read the words and addresses of
/// a long one.
struct OneBatch<W> {
    source: InsecureSeededSource<W>,
    /// The index of the first word of this release, and of the next word.
    first: u64,
    next: u64,
}

impl<W: Word> OneBatch<W> {
    fn from_seed(seed: u64) -> OneBatch<W> {
        OneBatch { source: InsecureSeededSource::from_seed(seed), first: 0, next: 0 }
    }
}

impl<W: Word> BitSource for OneBatch<W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        self.first = self.next;
        Ok(0)
    }

    fn next_word(&mut self) -> W {
        self.next += 1;
        self.source.next_word()
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> W {
        self.source.refinement_word(batch, self.first + index, round)
    }
}

/// What the values of a slice get of the words of a seed, by the book: chunks of [`CHUNK`], 16 and 1, each of which reads a word for each of
/// its values and then, if it is wide, one for every two, whose upper halves go to the first half of the values.
fn shares<W: Word>(seed: u64, n: usize, wide: bool) -> Vec<(Prefix, Address)> {
    let mut source = OneBatch::<W>::from_seed(seed);
    let mut shares = Vec::new();
    while shares.len() < n {
        let size = [CHUNK, 16, 1].into_iter().find(|size| *size <= n - shares.len()).expect("one");
        let first = source.next;
        let words: Vec<W> = (0..size).map(|_| source.next_word()).collect();
        let half = if wide { size.div_ceil(2) } else { 0 };
        let lows: Vec<W> = (0..half).map(|_| source.next_word()).collect();
        shares.extend(words.into_iter().enumerate().map(|(i, word)| {
            let prefix = Prefix::new(word.left_aligned(), W::BITS);
            let prefix = match i {
                _ if !wide => prefix,
                _ if i < half => prefix.then(lows[i].left_aligned(), W::BITS / 2),
                _ => prefix.then(lows[i - half].left_aligned() << (W::BITS / 2), W::BITS / 2),
            };
            (prefix, Address { batch: 0, index: first + i as u64 })
        }));
    }
    shares
}

/// What a law makes of its share, without tier 1.
fn by_law<W: Word, L: Law>(law: &L, (prefix, at): (Prefix, Address)) -> L::Output {
    resolve(law, prefix, &mut OneBatch::<W>::from_seed(1), at)
}

/// The bits of a result, so that zeros and NaN compare.
trait Bits: Copy + std::fmt::Debug {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($t:ty => |$x:ident| $bits:expr),*) => {$(
        impl Bits for $t {
            fn bits(self) -> u64 {
                let $x = self;
                $bits
            }
        }
    )*};
}
bits!(f64 => |x| x.to_bits(), f32 => |x| x.to_bits().into(), i64 => |x| x as u64, i32 => |x| x as u64);

#[track_caller]
fn assert_same<T: Bits>(ours: &[T], expected: &[T], what: &str) {
    assert_eq!(ours.len(), expected.len());
    let different = ours.iter().zip(expected).position(|(a, b)| a.bits() != b.bits());
    if let Some(i) = different {
        panic!("{what}: value {i} is {:?}, expected {:?}", ours[i], expected[i]);
    }
}

/// Releases slices of all lengths, in both ways, from words of type `W`, and compares with the law, one by one.
fn lengths<W: Word, T: Bits, M: Mechanism<T>>(
    mechanism: &M,
    value: fn(usize) -> T,
    wide: bool,
    law: &dyn Fn((Prefix, Address), T) -> Option<T>,
) {
    for n in LENGTHS {
        let values: Vec<T> = (0..n).map(value).collect();
        let mut in_place = values.clone();
        mechanism.release_in_place(&mut InsecureSeededSource::<W>::from_seed(1), &mut in_place).unwrap();
        let by_law = shares::<W>(1, n, wide).into_iter().zip(&values).map(|(share, x)| law(share, *x));
        let by_law: Vec<T> = by_law.collect::<Option<_>>().expect("no overflow");
        assert_same(&in_place, &by_law, &format!("a slice of {n} in place"));
        let mut out = values.clone();
        mechanism.release_to(&mut InsecureSeededSource::<W>::from_seed(1), &values, &mut out).unwrap();
        assert_same(&out, &in_place, &format!("a slice of {n}"));
    }
    // One by one, from one source.
    let mut source = OneBatch::<W>::from_seed(1);
    for (i, share) in one_by_one::<W>(20, wide).into_iter().enumerate() {
        let single = mechanism.release(&mut source, value(i)).unwrap();
        assert_same(&[single], &[law(share, value(i)).expect("no overflow")], "single values");
    }
}

/// The results of single calls.
fn one_by_one<W: Word>(n: usize, wide: bool) -> Vec<(Prefix, Address)> {
    let mut source = OneBatch::<W>::from_seed(1);
    let mut next = || {
        let at = Address { batch: 0, index: source.next };
        let prefix = Prefix::new(source.next_word().left_aligned(), W::BITS);
        (if wide { prefix.then(source.next_word().left_aligned(), W::BITS / 2) } else { prefix }, at)
    };
    (0..n).map(|_| next()).collect()
}

/// Slices against single values, for what reads the same words in both.
fn slices_and_singles<W: Word, T: Bits, M: Mechanism<T>>(mechanism: &M, value: fn(usize) -> T) {
    let values: Vec<T> = (0..*LENGTHS.iter().max().expect("some")).map(value).collect();
    let mut source = OneBatch::<W>::from_seed(1);
    let single: Vec<T> = values.iter().map(|x| mechanism.release(&mut source, *x).unwrap()).collect();
    for n in LENGTHS {
        let mut in_place = values[..n].to_vec();
        mechanism.release_in_place(&mut InsecureSeededSource::<W>::from_seed(1), &mut in_place).unwrap();
        assert_same(&in_place, &single[..n], &format!("a slice of {n} in place"));
        let mut out = in_place;
        mechanism.release_to(&mut InsecureSeededSource::<W>::from_seed(1), &values[..n], &mut out).unwrap();
        assert_same(&out, &single[..n], &format!("a slice of {n}"));
    }
}

/// The same for words of 64 bits, where few values need more words, and of 8, where nearly all do.
macro_rules! every_length {
    ($mechanism:expr, $value:expr, $wide:expr, |$share:ident, $x:ident, $W:ident| $law:expr) => {{
        {
            type $W = u64;
            lengths::<u64, _, _>(&$mechanism, $value, $wide, &|$share, $x| $law);
        }
        {
            type $W = u8;
            lengths::<u8, _, _>(&$mechanism, $value, $wide, &|$share, $x| $law);
        }
    }};
}

/// Values of many magnitudes.
fn float(i: usize) -> f64 {
    [0.0, -0.0, 1.0, -1e6, 1.0 / 3.0, 5e-324, 1e300, -12345.678][i % 8] * (1.0 + i as f64 / 7.0)
}

#[test]
fn laplace_of_any_length() {
    for text in ["1/3", "10/7", "1e9", "1e-290", "0x1p-1060"] {
        let (b, laplace) = (Scale::new(rational(text)), Laplace::new(rational(text)).unwrap());
        every_length!(laplace, float, true, |share, x, W| Some(by_law::<W, _>(
            &RoundLaw { x, b: &b },
            share
        )));
        let single = |i| (float(i) as f32).clamp(-1e30, 1e30);
        every_length!(laplace, single, true, |share, x, W| Some(by_law::<W, _>(
            &RoundLaw { x, b: &b },
            share
        )));
    }
    for text in ["1/3", "10/7", "123456.7", "1e9", "1e15", "1e17", "1e-9"] {
        let laplace = Laplace::new(rational(text)).unwrap();
        let noise = IntegerNoise::rounded(Scale::new(rational(text)));
        let wide = noise.tier != FloorTier::Plain;
        let value = |i| i as i64 * 1_000_003 - 7;
        every_length!(laplace, value, wide, |share, x, W| add_big(x, by_law::<W, _>(&noise.law(), share)));
    }
}

#[test]
fn discrete_laplace_of_any_length() {
    for text in ["1/3", "10/7", "123456.7", "1e12", "1e15", "1e17", "1e-9", "0x1p-60"] {
        let noise = IntegerNoise::discrete(rational(text));
        let wide = noise.tier != FloorTier::Plain;
        let laplace = DiscreteLaplace::new(rational(text)).unwrap();
        let value = |i| i as i64 * 1_000_003 - 7;
        every_length!(laplace, value, wide, |share, x, W| add_big(x, by_law::<W, _>(&noise.law(), share)));
    }
    for text in ["5/2", "2e6"] {
        let laplace = DiscreteLaplace::new(rational(text)).unwrap();
        let noise = IntegerNoise::discrete(rational(text));
        let wide = noise.tier != FloorTier::Plain;
        let value = |i| i as i32 - 500;
        every_length!(laplace, value, wide, |share, x, W| add_big(x, by_law::<W, _>(&noise.law(), share)));
    }
}

fn grid<T: Bits + Rounded>(value: fn(usize) -> T, text: &str, k: i32) {
    let mechanism = GridLaplace::<T>::new(rational(text), Some(k)).unwrap();
    let b = Scale::new(rational(text));
    let noise = IntegerNoise::discrete(rational(text) * Rational::pow2(-i64::from(k)));
    let wide = noise.tier != FloorTier::Plain || !b.fits(-900, 901);
    every_length!(mechanism, value, wide, |share, x, W| {
        Some(by_law::<W, _>(&GridLaw { noise: noise.law(), b: &b, x, k }, share))
    });
}

#[test]
fn grid_laplace_of_any_length() {
    // Coarse grids, wide ones, fine ones; k where 2^k is no normal double, and the largest; scales out of range.
    for (text, k) in [
        ("10/7", 0),
        ("10/7", -3),
        ("1/3", -30),
        ("1/3", -50),
        ("1/3", -70),
        ("1/3", -90),
        ("1e-290", -1010),
        ("1", 5),
        ("1", 1023),
        ("1e-260", -900),
    ] {
        grid(float, text, k);
    }
    let single = |i| (float(i) as f32).clamp(-1e30, 1e30);
    for (text, k) in [("10/7", 0), ("1e7", -10), ("1/3", -50), ("1/3", -70), ("1/3", -90), ("1e-40", -149)] {
        grid(single, text, k);
    }
}

#[test]
fn snapping_of_any_length() {
    for (epsilon, bound) in [("1/2", "100"), ("7/5", "1e6"), ("1e-9", "1e20"), ("10", "1")] {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let (grid, bound) = (snapping.grid(), snapping.bound());
        let s = Scale::new((rational(epsilon) * Rational::try_from(grid).unwrap()).recip().unwrap());
        every_length!(snapping, float, false, |share, x, W| {
            let offset = Offset::Cells { x: clamp(x, bound), grid: grid.log2() as i32 };
            let cells: IBig = by_law::<W, _>(&FloorLaw { s: &s, offset }, share);
            Some(clamp(f64::from_rational(&Rational::from(cells), Rounding::Nearest) * grid, bound))
        });
    }
    let float_snapping = FloatSnapping::new(0.7, 100.0).unwrap();
    slices_and_singles::<u64, _, _>(&float_snapping, float);
    slices_and_singles::<u8, _, _>(&float_snapping, float);
}

#[test]
fn discrete_gaussian_of_any_length() {
    for text in ["1/2", "2", "10/7", "1e6", "0x1p-60"] {
        let gaussian = DiscreteGaussian::with_variance(rational(text)).unwrap();
        slices_and_singles::<u64, _, _>(&gaussian, |i| i as i64 * 1_000_003 - 7);
        slices_and_singles::<u8, _, _>(&gaussian, |i| i as i64 * 1_000_003 - 7);
    }
}

/// Real numbers in slices of all lengths, against the law one by one; and those that are floats against the mechanism of floats.
fn real_lengths<W: Word, T: Bits + Rounded, M: RealMechanism<T> + Mechanism<T>>(
    mechanism: &M,
    wide: bool,
    law: impl Fn((Prefix, Address), &Real) -> T,
) {
    let texts = ["0.1", "-0", "9007199254740993", "1e-330", "-12345.678", "1/3", "1.5", "1e30"];
    let real = |i: usize| Real::from(rational(texts[i % 8]) * Rational::from(i as i64 / 8 + 1));
    for n in LENGTHS {
        let reals: Vec<Real> = (0..n).map(real).collect();
        let by_law: Vec<T> =
            shares::<W>(1, n, wide).into_iter().zip(&reals).map(|(share, x)| law(share, x)).collect();
        let mut out = vec![T::MAX; n];
        mechanism.release_reals(&mut InsecureSeededSource::<W>::from_seed(1), &reals, &mut out).unwrap();
        assert_same(&out, &by_law, &format!("a slice of {n} real numbers"));

        let mut floats: Vec<T> =
            (0..n).map(|i| T::from_exact(f64::from(float(i).clamp(-1e30, 1e30) as f32))).collect();
        let reals: Vec<Real> = floats.iter().map(|x| Real::try_from(x.to_f64()).unwrap()).collect();
        mechanism.release_reals(&mut InsecureSeededSource::<W>::from_seed(1), &reals, &mut out).unwrap();
        mechanism.release_in_place(&mut InsecureSeededSource::<W>::from_seed(1), &mut floats).unwrap();
        assert_same(&out, &floats, &format!("a slice of {n} floats"));
    }
}

#[test]
fn real_numbers_of_any_length() {
    for text in ["1/3", "10/7", "1e9", "1e-290", "0x1p-1060"] {
        let (b, laplace) = (Scale::new(rational(text)), Laplace::new(rational(text)).unwrap());
        real_lengths::<u64, f64, _>(&laplace, true, |share, x| by_law::<u64, _>(&RealLaw::new(x, &b), share));
        real_lengths::<u8, f64, _>(&laplace, true, |share, x| by_law::<u8, _>(&RealLaw::new(x, &b), share));
        real_lengths::<u64, f32, _>(&laplace, true, |share, x| by_law::<u64, _>(&RealLaw::new(x, &b), share));
        real_lengths::<u8, f32, _>(&laplace, true, |share, x| by_law::<u8, _>(&RealLaw::new(x, &b), share));
    }
    for (epsilon, bound) in [("1/2", "100"), ("7/5", "1e6"), ("1e-9", "1e20"), ("10", "1")] {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let (grid, limit) = (snapping.grid(), rational(bound));
        let s = Scale::new((rational(epsilon) * Rational::try_from(grid).unwrap()).recip().unwrap());
        let clamped = |x: &Real| x.to_rational().clamp(-limit.clone(), limit.clone());
        let output = |cells: IBig| {
            let multiple = f64::from_rational(&Rational::from(cells), Rounding::Nearest) * grid;
            clamp(multiple, snapping.bound())
        };
        let exponent = grid.log2() as i32;
        real_lengths::<u64, f64, _>(&snapping, false, |share, x| {
            let offset = Offset::RealCells { x: &clamped(x), grid: exponent };
            output(by_law::<u64, _>(&FloorLaw { s: &s, offset }, share))
        });
        real_lengths::<u8, f64, _>(&snapping, false, |share, x| {
            let offset = Offset::RealCells { x: &clamped(x), grid: exponent };
            output(by_law::<u8, _>(&FloorLaw { s: &s, offset }, share))
        });
    }
}
