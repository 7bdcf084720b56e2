//! Integer noise `floor(α_σ + σ·s·E)`, added to integers.

use lastbit_real::{IBig, Rational};

use super::arith::{Arith, Kernel, Path, Portable, run_loop};
use super::batch::{Cursor, NOISE_EXPONENT, Overflow, Scratch, Words, for_each_undecided};
use super::law::{Centre, FloorLaw, Offset};
use super::scale::Scale;
use super::tier1::plain::{Floor, PLAIN_LIMIT};
use super::tier1::whole::{Whole, WholeParams};
use super::tier1::wide::Exponentials;
use super::tier1::with_sign;
use crate::bits::{BitSource, Word};

/// The integers that noise can be added to.
pub trait Integer: Copy + Into<i64> + Into<IBig> + TryFrom<IBig> {
    #[doc(hidden)]
    const BITS: i64;

    /// `x + z` for `|z| <= 2⁶²`, modulo the range; and something that is negative if the sum is not the true one.
    #[doc(hidden)]
    fn wrapping_sum(self, z: i64) -> (Self, i64);

    /// The same for `z = top·2³² + bottom`, both below 2⁶⁰.
    #[doc(hidden)]
    fn wrapping_sum_of_limbs(self, top: i64, bottom: i64) -> (Self, i64);
}

/// `x + top·2³² + bottom` modulo 2⁶⁴, and whether it is the true sum.
#[inline(always)]
fn sum_of_limbs(x: i64, top: i64, bottom: i64) -> (i64, bool) {
    let low = (x & 0xffff_ffff) + bottom;
    let high = (x >> 32) + top + (low >> 32);
    ((high << 32) | (low & 0xffff_ffff), high == i64::from(high as i32))
}

impl Integer for i64 {
    const BITS: i64 = 64;

    #[inline(always)]
    fn wrapping_sum(self, z: i64) -> (i64, i64) {
        let sum = self.wrapping_add(z);
        (sum, (self ^ sum) & (z ^ sum)) // the sum has the sign of neither
    }

    #[inline(always)]
    fn wrapping_sum_of_limbs(self, top: i64, bottom: i64) -> (i64, i64) {
        let (sum, is_true) = sum_of_limbs(self, top, bottom);
        (sum, if is_true { 0 } else { -1 })
    }
}

impl Integer for i32 {
    const BITS: i64 = 32;

    #[inline(always)]
    fn wrapping_sum(self, z: i64) -> (i32, i64) {
        let wide = i64::from(self) + z;
        let sum = wide as i32;
        (sum, -i64::from(i64::from(sum) != wide))
    }

    #[inline(always)]
    fn wrapping_sum_of_limbs(self, top: i64, bottom: i64) -> (i32, i64) {
        let (wide, is_true) = sum_of_limbs(self.into(), top, bottom);
        let sum = wide as i32;
        (sum, if is_true & (i64::from(sum) == wide) { 0 } else { -1 })
    }
}

/// The two integer laws that do not depend on the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The discrete Laplace variable.
    Discrete(Centre),
    /// The real Laplace variable, rounded to the nearest integer.
    Rounded,
}

/// How tier 1 makes integers of some scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloorTier {
    /// From one word.
    Plain,
    /// From a word and a half.
    Wide,
    /// Not at all: the integers of its scale are finer than what its bits tell apart.
    None,
}

impl FloorTier {
    fn for_scale(s: &Scale) -> FloorTier {
        if s.hi() <= PLAIN_LIMIT {
            FloorTier::Plain
        } else if s.exact <= Rational::pow2(62) {
            FloorTier::Wide
        } else {
            FloorTier::None
        }
    }
}

/// A source of integer noise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntegerNoise {
    pub(crate) s: Scale,
    pub(crate) shape: Shape,
    pub(crate) tier: FloorTier,
    tier1: WholeParams,
}

/// A smaller scale than this is as good as this one for tier 1: the integer is 0 as long as `s·(E + ln 2) < 1` and `s·E < ½`, and where a bit of `U`
/// is known to be one, `E < 45`.
fn kernel_scale(s: &Rational) -> Rational {
    s.clone().max(Rational::pow2(-10))
}

impl IntegerNoise {
    pub(crate) fn discrete(s: Rational) -> IntegerNoise {
        let shape = Shape::Discrete(Centre::new(&s));
        let of_kernel = kernel_scale(&s);
        let skew = Centre::new(&of_kernel).skew();
        IntegerNoise::new(Scale::new(s), shape, of_kernel, skew)
    }

    pub(crate) fn rounded(s: Scale) -> IntegerNoise {
        let of_kernel = kernel_scale(&s.exact);
        IntegerNoise::new(s, Shape::Rounded, of_kernel, 0.0)
    }

    /// `skew = c - ½`: then `α_σ = ½ + σ·(c - ½)`.
    fn new(s: Scale, shape: Shape, of_kernel: Rational, skew: f64) -> IntegerNoise {
        let of_kernel = Scale::new(of_kernel);
        let tier1 = WholeParams { s_hi: of_kernel.hi(), s_lo: of_kernel.lo(), skew };
        IntegerNoise { tier: FloorTier::for_scale(&s), s, shape, tier1 }
    }

    /// What [`Whole`] wants to know, for scales that are wide, or for sums on a grid.
    pub(crate) fn tier1(&self) -> WholeParams {
        self.tier1
    }

    pub(crate) fn law(&self) -> FloorLaw<'_> {
        let offset = match &self.shape {
            Shape::Discrete(centre) => Offset::Centre(centre),
            Shape::Rounded => Offset::Half,
        };
        FloorLaw { s: &self.s, offset }
    }

    /// Draws the words that tier 1 wants.
    #[inline(always)]
    pub(crate) fn draw<S: BitSource, const N: usize>(
        &self,
        words: &mut Words<S::Word, N>,
        source: &mut S,
        cursor: &mut Cursor,
    ) {
        match self.tier {
            FloorTier::Plain => words.draw(source, cursor),
            FloorTier::Wide | FloorTier::None => words.draw_wide(source, cursor),
        }
    }

    /// The noise of `n` values from one word each, through `finish`; true if some output is not finite. Only for [`FloorTier::Plain`].
    #[inline]
    pub(crate) fn plain<W: Word, const N: usize>(
        &self,
        words: &[W; N],
        n: usize,
        out: &mut [f64; N],
        finish: impl Fn(usize, f64) -> f64,
    ) -> bool {
        let skew = self.tier1.skew;
        let offset = move |_, word| 0.5 + with_sign(skew, word);
        Path::detect().run(Floor { s: self.tier1.s_hi, words, out, n, offset, finish })
    }

    /// The noise of values from a word and a half each, as sums `hi + lo` of two integers; `hi` is NaN where undecided, and then the result is true.
    #[inline]
    pub(crate) fn wide<W: Word, const N: usize>(
        &self,
        words: &Words<W, N>,
        noise: &mut Exponentials<N>,
    ) -> bool {
        if self.tier == FloorTier::None {
            noise.hi.fill(f64::NAN);
            return true;
        }
        let (words, lows) = (words.words(), words.lows());
        Path::detect().run(Whole { params: self.tier1, words, lows, e: noise })
    }

    pub(crate) fn overflow<T: Integer>(&self, values: &[T]) -> Overflow {
        overflow(values, self.s.floor_log2() + 1)
    }

    /// Adds noise in place; fails with the least index of a sum that overflows.
    #[inline]
    pub(crate) fn chunk<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        let Scratch { words, e: noise, .. } = scratch;
        self.draw(words, source, cursor);
        if self.tier == FloorTier::Plain {
            let noise = &mut noise.hi;
            let undecided = self.plain(words.words(), N, noise, |_, z| z);
            let settled = if undecided { self.settle(source, words, values, noise) } else { Ok(()) };
            least(settled, add_all(values, noise, to_integer))
        } else {
            let undecided = self.wide(words, noise);
            let Exponentials { hi: above, lo: below, .. } = noise;
            let settled = if undecided {
                let left = above.map(f64::is_nan);
                left.iter()
                    .zip(&mut *below)
                    .for_each(|(left, below)| *below = if *left { 0.0 } else { *below });
                self.settle(source, words, values, above)
            } else {
                Ok(())
            };
            least(settled, add_all_wide(values, above, below))
        }
    }

    /// Adds the noise that tier 1 has left, and makes it 0.
    ///
    /// A sum that overflows here is not yet the first: one before it may do so among those that tier 1 has decided. Which
    /// values it decides is not for anyone to know, so the least index of all is to be told.
    fn settle<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        words: &Words<S::Word, N>,
        values: &mut [T; N],
        noise: &mut [f64; N],
    ) -> Result<(), usize> {
        let mut settled = Ok(());
        for_each_undecided(noise, |i, z| {
            match add_big(values[i], words.resolve(i, &self.law(), source)) {
                Some(sum) => values[i] = sum,
                None => settled = settled.and(Err(i)),
            }
            *z = 0.0;
            Ok(())
        })?;
        settled
    }
}

/// Whether sums with noise of a scale below 2 to this power can overflow: not if `|x|` and the noise are both below a quarter of the range.
pub(crate) fn overflow<T: Integer>(values: &[T], scale_exponent: i64) -> Overflow {
    let room = T::BITS - 2;
    Overflow::unless(
        scale_exponent + NOISE_EXPONENT <= room && run_loop(values.len(), AllFit { values, room }),
    )
}

/// The least index of two failures.
pub(crate) fn least(a: Result<(), usize>, b: Result<(), usize>) -> Result<(), usize> {
    match (a, b) {
        (Err(a), Err(b)) => Err(a.min(b)),
        (a, b) => a.and(b),
    }
}

/// `x + z`, if it fits.
pub(crate) fn add_big<T: Integer>(x: T, z: IBig) -> Option<T> {
    let x: IBig = x.into();
    T::try_from(x + z).ok()
}

/// Adds integers up to 2⁶², made of noise of any type; fails with the least index of a sum that overflows. No branch on a
/// value or its noise unless it fails.
#[inline]
pub(crate) fn add_all<T: Integer, Z: Copy, F: Fn(Z) -> i64>(
    values: &mut [T],
    noise: &[Z],
    integer: F,
) -> Result<(), usize> {
    if run_loop(values.len(), AddAll { values, noise, integer: &integer }) {
        return Ok(());
    }
    // The sums are lost, but taking the noise off again overflows where, and only where, adding it did.
    let undone = |(x, z): (&T, &Z)| x.wrapping_sum(-integer(*z)).1 < 0;
    Err(values.iter().zip(noise).position(undone).unwrap_or(0))
}

struct AddAll<'a, T, Z, F> {
    values: &'a mut [T],
    noise: &'a [Z],
    integer: &'a F,
}

/// An integer below 2⁵¹: the low bits of `z + 1.5·2⁵²` are those of `z`. A conversion that AVX2 has no instruction for.
#[inline(always)]
fn to_integer(z: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    ((z + SHIFT).to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64)
}

impl<T: Integer, Z: Copy, F: Fn(Z) -> i64> Kernel for AddAll<'_, T, Z, F> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let mut overflow = 0;
        for (x, z) in self.values.iter_mut().zip(self.noise) {
            let (sum, wrapped) = x.wrapping_sum((self.integer)(*z));
            *x = sum;
            overflow |= wrapped;
        }
        overflow >= 0
    }
}

/// `above + below = top·2³² + bottom`, for integers below 2⁸⁰ and 2⁴⁰.
#[inline(always)]
pub(crate) fn limbs(above: f64, below: f64) -> (i64, i64) {
    const UNIT: f64 = (1u64 << 32) as f64;
    let top = Portable::floor(above * (1.0 / UNIT));
    (to_integer(top), to_integer((above - top * UNIT) + below))
}

/// Adds integers that are sums of two doubles; fails with the least index of a sum that overflows.
#[inline]
pub(crate) fn add_all_wide<T: Integer, const N: usize>(
    values: &mut [T; N],
    above: &[f64; N],
    below: &[f64; N],
) -> Result<(), usize> {
    let mut sums = *values;
    if run_loop(N, AddAllWide { values: &mut sums, above, below }) {
        *values = sums;
        return Ok(());
    }
    let overflows = |i: &usize| {
        let (top, bottom) = limbs(above[*i], below[*i]);
        values[*i].wrapping_sum_of_limbs(top, bottom).1 < 0
    };
    Err((0..N).find(overflows).unwrap_or(0))
}

struct AddAllWide<'a, T, const N: usize> {
    values: &'a mut [T; N],
    above: &'a [f64; N],
    below: &'a [f64; N],
}

impl<T: Integer, const N: usize> Kernel for AddAllWide<'_, T, N> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let mut overflow = 0;
        for i in 0..N {
            let (top, bottom) = limbs(self.above[i], self.below[i]);
            let (sum, wrapped) = self.values[i].wrapping_sum_of_limbs(top, bottom);
            self.values[i] = sum;
            overflow |= wrapped;
        }
        overflow >= 0
    }
}

/// Whether all values are in `-2^room..2^room`.
struct AllFit<'a, T> {
    values: &'a [T],
    room: i64,
}

impl<T: Integer> Kernel for AllFit<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        // Shifted up by 2^room, those that fit, and no others, have no bit above room. No early exit: vectorised.
        let shifted = |x: &T| Into::<i64>::into(*x).wrapping_add(1 << self.room) as u64;
        self.values.iter().fold(0, |any, x| any | shifted(x)) >> (self.room + 1) == 0
    }
}
