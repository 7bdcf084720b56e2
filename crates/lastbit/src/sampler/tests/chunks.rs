//! Whole mechanisms: their results are those of the laws on the words and addresses of each value, whatever the chunks are; and
//! hardened noise is the same noise.

use lastbit_real::{Float, IBig, Rational, Rounding};

use super::{more, rational};
use crate::bits::{BitSource, InsecureSeededSource, Word};
use crate::sampler::integers::{IntegerNoise, add_big};
use crate::sampler::law::{FloorLaw, GridLaw, Offset, RealLaw, RoundLaw};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::Rounded;
use crate::sampler::tier2::Prefix;
use crate::sampler::{Address, Law, resolve};
use crate::snapping::clamp;
use crate::{
    DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, Laplace, Mechanism, Real,
    RealMechanism, Snapping,
};

/// Around the sizes of chunks, and of the pieces that are copied.
const LENGTHS: [usize; 9] = [1, 15, 16, 17, 255, 256, 257, 1000, 4097];

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

    /// What a law makes of the next value, without tier 1.
    fn value<L: Law>(&mut self, law: &L) -> L::Output {
        let index = self.next;
        let word = self.next_word();
        self.first = 0;
        resolve(law, Prefix::new(word.left_aligned(), W::BITS), 0, self, Address { batch: 0, index })
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

/// Releases slices of all lengths, in both ways, from words of type `W`, and compares with single values.
fn lengths<W: Word, T: Bits, M: Mechanism<T>>(
    mechanism: &M,
    value: fn(usize) -> T,
    law: &dyn Fn(&mut OneBatch<W>, T) -> Option<T>,
) {
    let values: Vec<T> = (0..*LENGTHS.iter().max().expect("some")).map(value).collect();
    let mut source = OneBatch::<W>::from_seed(1);
    let single: Vec<T> = values.iter().map(|x| mechanism.release(&mut source, *x).unwrap()).collect();
    let mut source = OneBatch::<W>::from_seed(1);
    let by_law: Option<Vec<T>> = values.iter().map(|x| law(&mut source, *x)).collect();
    if let Some(by_law) = by_law {
        assert_same(&single, &by_law, "single values and the law");
    }
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
    ($mechanism:expr, $value:expr, |$source:ident, $x:ident| $law:expr) => {{
        lengths::<u64, _, _>(&$mechanism, $value, &|$source, $x| $law);
        lengths::<u8, _, _>(&$mechanism, $value, &|$source, $x| $law);
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
        let hardened = laplace.clone().hardened();
        every_length!(laplace, float, |source, x| Some(source.value(&RoundLaw { x, b: &b })));
        every_length!(hardened, float, |source, x| Some(source.value(&RoundLaw { x, b: &b })));
        let single = |i| (float(i) as f32).clamp(-1e30, 1e30);
        every_length!(laplace, single, |source, x| Some(source.value(&RoundLaw { x, b: &b })));
        every_length!(hardened, single, |source, x| Some(source.value(&RoundLaw { x, b: &b })));
    }
    for text in ["1/3", "10/7", "123456.7", "1e9", "1e15"] {
        let laplace = Laplace::new(rational(text)).unwrap();
        let noise = IntegerNoise::rounded(Scale::new(rational(text)));
        let value = |i| i as i64 * 1_000_003 - 7;
        every_length!(laplace, value, |source, x| add_big(x, source.value(&noise.law())));
    }
}

#[test]
fn discrete_laplace_of_any_length() {
    for text in ["1/3", "10/7", "123456.7", "1e12", "1e15", "1e-9"] {
        let noise = IntegerNoise::discrete(rational(text));
        let laplace = DiscreteLaplace::new(rational(text)).unwrap();
        let value = |i| i as i64 * 1_000_003 - 7;
        every_length!(laplace, value, |source, x| add_big(x, source.value(&noise.law())));
        every_length!(laplace.clone().hardened(), value, |source, x| add_big(x, source.value(&noise.law())));
    }
    let laplace = DiscreteLaplace::new(rational("5/2")).unwrap();
    let noise = IntegerNoise::discrete(rational("5/2"));
    every_length!(laplace, |i| i as i32 - 500, |source, x| add_big(x, source.value(&noise.law())));
}

fn grid<T: Bits + Rounded>(value: fn(usize) -> T, text: &str, k: i32) {
    let mechanism = GridLaplace::<T>::new(rational(text), Some(k)).unwrap();
    let b = Scale::new(rational(text));
    let noise = IntegerNoise::discrete(rational(text) * Rational::pow2(-i64::from(k)));
    every_length!(mechanism, value, |source, x| {
        Some(source.value(&GridLaw { noise: noise.law(), b: &b, x, k }))
    });
}

#[test]
fn grid_laplace_of_any_length() {
    // Coarse grids, grids for double-doubles, none for tier 1, fine ones; and k where 2^k is no normal double.
    for (text, k) in
        [("10/7", 0), ("10/7", -3), ("1/3", -30), ("1/3", -50), ("1/3", -70), ("1e-290", -1010), ("1", 5)]
    {
        grid(float, text, k);
    }
    let single = |i| (float(i) as f32).clamp(-1e30, 1e30);
    for (text, k) in [("10/7", 0), ("1e7", -10), ("1/3", -50), ("1/3", -70), ("1e-40", -149)] {
        grid(single, text, k);
    }
}

#[test]
fn snapping_of_any_length() {
    for (epsilon, bound) in [("1/2", "100"), ("7/5", "1e6"), ("1e-9", "1e20"), ("10", "1")] {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let (lambda, bound) = (snapping.lambda(), snapping.bound());
        let s = Scale::new((rational(epsilon) * Rational::try_from(lambda).unwrap()).recip().unwrap());
        every_length!(snapping, float, |source, x| {
            let offset = Offset::Cells { x: clamp(x, bound), lambda: lambda.log2() as i32 };
            let cells: IBig = source.value(&FloorLaw { s: &s, offset });
            Some(clamp(f64::from_rational(&Rational::from(cells), Rounding::Nearest) * lambda, bound))
        });
    }
    let float_snapping = FloatSnapping::new(0.7, 100.0).unwrap();
    every_length!(float_snapping, float, |_source, _x| None);
}

#[test]
fn discrete_gaussian_of_any_length() {
    for text in ["1/2", "2", "10/7", "1e6", "1e24", "1e30", "0x1p-60"] {
        let gaussian = DiscreteGaussian::with_variance(rational(text)).unwrap();
        every_length!(gaussian, |i| i as i64 * 1_000_003 - 7, |_source, _x| None);
    }
}

/// Real numbers in slices of all lengths, against the law one by one; and those that are floats against the mechanism of floats.
fn real_lengths<W: Word, T: Bits + Rounded, M: RealMechanism<T> + Mechanism<T>>(
    mechanism: &M,
    law: impl Fn(&mut OneBatch<W>, &Real) -> T,
) {
    let texts = ["0.1", "-0", "9007199254740993", "1e-330", "-12345.678", "1/3", "1.5", "1e30"];
    let real = |i: usize| Real::from(rational(texts[i % 8]) * Rational::from(i as i64 / 8 + 1));
    let reals: Vec<Real> = (0..*LENGTHS.iter().max().expect("some")).map(real).collect();
    let mut source = OneBatch::<W>::from_seed(1);
    let single: Vec<T> = reals.iter().map(|x| law(&mut source, x)).collect();
    for n in LENGTHS {
        let mut out = vec![T::MAX; n];
        mechanism.release_reals(&mut InsecureSeededSource::<W>::from_seed(1), &reals[..n], &mut out).unwrap();
        assert_same(&out, &single[..n], &format!("a slice of {n} real numbers"));

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
        for laplace in [laplace.clone(), laplace.hardened()] {
            real_lengths::<u64, f64, _>(&laplace, |source, x| source.value(&RealLaw::new(x, &b)));
            real_lengths::<u8, f64, _>(&laplace, |source, x| source.value(&RealLaw::new(x, &b)));
            real_lengths::<u64, f32, _>(&laplace, |source, x| source.value(&RealLaw::new(x, &b)));
            real_lengths::<u8, f32, _>(&laplace, |source, x| source.value(&RealLaw::new(x, &b)));
        }
    }
    for (epsilon, bound) in [("1/2", "100"), ("7/5", "1e6"), ("1e-9", "1e20"), ("10", "1")] {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let (lambda, limit) = (snapping.lambda(), rational(bound));
        let s = Scale::new((rational(epsilon) * Rational::try_from(lambda).unwrap()).recip().unwrap());
        let clamped = |x: &Real| x.to_rational().clamp(-limit.clone(), limit.clone());
        let output = |cells: IBig| {
            let multiple = f64::from_rational(&Rational::from(cells), Rounding::Nearest) * lambda;
            clamp(multiple, snapping.bound())
        };
        let exponent = lambda.log2() as i32;
        real_lengths::<u64, f64, _>(&snapping, |source, x| {
            let offset = Offset::RealCells { x: &clamped(x), lambda: exponent };
            output(source.value(&FloorLaw { s: &s, offset }))
        });
        real_lengths::<u8, f64, _>(&snapping, |source, x| {
            let offset = Offset::RealCells { x: &clamped(x), lambda: exponent };
            output(source.value(&FloorLaw { s: &s, offset }))
        });
    }
}

#[test]
fn hardened_noise_is_the_same_noise() {
    let laplace = Laplace::new(rational("10/7")).unwrap();
    let hardened = laplace.clone().hardened();
    let n = more(1_000_000);
    for x in [0.0, 1.0, 1e6] {
        compare(&laplace, &hardened, &vec![x; n]);
        compare(&laplace, &hardened, &vec![x as f32; n]);
    }
}

fn compare<T: Bits, M: Mechanism<T>>(a: &M, b: &M, values: &[T]) {
    let [a, b] = [a, b].map(|mechanism| {
        let mut values = values.to_vec();
        mechanism.release_in_place(&mut InsecureSeededSource::<u64>::from_seed(5), &mut values).unwrap();
        values
    });
    assert_same(&a, &b, "hardened");
}
