//! Integer noise `floor(α_σ + σ·s·E)`, added to integers.

use lastbit_real::{IBig, Rational};

use super::arith::{Arith, Kernel, run_loop};
use super::batch::{Cursor, FloorTier, NOISE_EXPONENT, Overflow, Words, floor_tier1, for_each_undecided};
use super::law::{Centre, FloorLaw, Offset};
use super::scale::Scale;
use super::tier1::with_sign;
use crate::bits::{BitSource, Word};

/// The integers that noise can be added to.
pub trait Integer: Copy + Into<i64> + Into<IBig> + TryFrom<IBig> {
    #[doc(hidden)]
    const BITS: i64;

    /// `x + z` for `|z| < 2⁵²`, modulo the range; and something that is negative if the sum is not the true one.
    #[doc(hidden)]
    fn wrapping_sum(self, z: i64) -> (Self, i64);
}

impl Integer for i64 {
    const BITS: i64 = 64;

    #[inline(always)]
    fn wrapping_sum(self, z: i64) -> (i64, i64) {
        let sum = self.wrapping_add(z);
        (sum, (self ^ sum) & (z ^ sum)) // the sum has the sign of neither
    }
}

impl Integer for i32 {
    const BITS: i64 = 32;

    #[inline(always)]
    fn wrapping_sum(self, z: i64) -> (i32, i64) {
        let wide = i64::from(self) + z;
        let sum = wide as i32;
        (sum, if i64::from(sum) == wide { 0 } else { -1 })
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

/// A source of integer noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IntegerNoise {
    pub(crate) s: Scale,
    pub(crate) shape: Shape,
    pub(crate) tier: FloorTier,
}

impl IntegerNoise {
    pub(crate) fn discrete(s: Rational) -> IntegerNoise {
        let shape = Shape::Discrete(Centre::new(&s));
        let s = Scale::new(s);
        IntegerNoise { tier: FloorTier::for_scale(&s), s, shape }
    }

    pub(crate) fn rounded(s: Scale) -> IntegerNoise {
        IntegerNoise { tier: FloorTier::for_scale(&s), s, shape: Shape::Rounded }
    }

    /// `c - ½`: then `α_σ = ½ + σ·(c - ½)`.
    fn skew(&self) -> f64 {
        match &self.shape {
            Shape::Discrete(centre) => centre.skew(),
            Shape::Rounded => 0.0,
        }
    }

    pub(crate) fn law(&self) -> FloorLaw<'_> {
        let offset = match &self.shape {
            Shape::Discrete(centre) => Offset::Centre(centre),
            Shape::Rounded => Offset::Half,
        };
        FloorLaw { s: &self.s, offset }
    }

    /// The noise of `n` values by tier 1, through `finish`; true if some output is not finite.
    #[inline]
    pub(crate) fn tier1<W: Word, const N: usize>(
        &self,
        words: &[W; N],
        n: usize,
        out: &mut [f64; N],
        finish: impl Fn(usize, f64) -> f64,
    ) -> bool {
        let skew = self.skew();
        let offset = move |_, word| 0.5 + with_sign(skew, word);
        floor_tier1(words, n, &self.s, self.tier, out, offset, finish)
    }

    pub(crate) fn overflow<T: Integer>(&self, values: &[T]) -> Overflow {
        // |x| and the noise both below a quarter of the range.
        let room = T::BITS - 2;
        let noise_fits = self.s.floor_log2() + 1 + NOISE_EXPONENT <= room;
        Overflow::unless(noise_fits && run_loop(values.len(), AllFit { values, room }))
    }

    /// Adds noise in place; fails with the least index of a sum that overflows.
    #[inline]
    pub(crate) fn chunk<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        let words = Words::<S::Word, N>::draw(source, cursor);
        let mut noise = [0.0; N];
        if !self.tier1(words.words(), N, &mut noise, |_, z| z) {
            return add_all(values, &noise);
        }
        // A sum that overflows here is not yet the first: one before it may do so among those that tier 1 has decided. Which
        // values it decides is not for anyone to know, so the least index of all is told.
        let mut settled = Ok(());
        for_each_undecided(&mut noise, |i, z| {
            match add_big(values[i], words.resolve(i, &self.law(), source)) {
                Some(sum) => values[i] = sum,
                None => settled = settled.and(Err(i)),
            }
            *z = 0.0;
            Ok(())
        })?;
        least(settled, add_all(values, &noise))
    }
}

/// The least index of two failures.
fn least(a: Result<(), usize>, b: Result<(), usize>) -> Result<(), usize> {
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

/// Adds integers below 2⁵¹, given as doubles; fails with the least index of a sum that overflows.
#[inline]
pub(crate) fn add_all<T: Integer>(values: &mut [T], noise: &[f64]) -> Result<(), usize> {
    if run_loop(values.len(), AddAll { values, noise }) {
        return Ok(());
    }
    // The sums are lost, but taking the noise off again overflows where, and only where, adding it did.
    let undone = |(x, z): (&T, &f64)| x.wrapping_sum(-(*z as i64)).1 < 0;
    Err(values.iter().zip(noise).position(undone).unwrap_or(0))
}

struct AddAll<'a, T> {
    values: &'a mut [T],
    noise: &'a [f64],
}

impl<T: Integer> Kernel for AddAll<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        // The low bits of z + 1.5·2⁵² are those of z: a conversion that AVX2 has no instruction for.
        const SHIFT: f64 = 6_755_399_441_055_744.0;
        let mut overflow = 0;
        for (x, z) in self.values.iter_mut().zip(self.noise) {
            let z = ((z + SHIFT).to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64);
            let (sum, wrapped) = x.wrapping_sum(z);
            *x = sum;
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
