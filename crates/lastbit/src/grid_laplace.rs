//! The Laplace mechanism on a grid of floats.

use std::marker::PhantomData;

use lastbit_real::{Float, Rational};

use crate::bits::BitSource;
use crate::claim::Preparation;
use crate::discrete_laplace::check_scale;
use crate::error::{out_of_range, positive};
use crate::grid::{check_k, grid_distance};
use crate::sampler::arith::{Path, Portable};
use crate::sampler::batch::{Chunked, Cursor, NOISE_EXPONENT, Overflow, Scratch, round_chunk};
use crate::sampler::integers::IntegerNoise;
use crate::sampler::law::{FINE_GRID, GridLaw};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::plain::PLAIN_LIMIT;
use crate::sampler::tier1::round::{RoundParams, Rounded, take};
use crate::sampler::tier1::whole::{Grid, cell_of, pow2};
use crate::{Contract, Error, HalfWidth, Neighbours, ValueType, accuracy, validate};

/// `RN((⌊x⌉ + Z)·2^k)`: `x` rounded half up to the grid `Z·2^k`, plus the discrete Laplace variable on that grid, exactly; the
/// sum is exact, or correctly rounded where the type has not enough digits for it.
///
/// `Z` has scale `b/2^k` in units of the grid. This is `make_vector_float_laplace_cks20` of OpenDP as a fast mechanism.
///
/// # Loss
///
/// Rounding moves inputs apart by a little, see [`grid_distance`]; the loss is that distance over `b`.
/// It needs to know how many values may differ, [`Neighbours::differing_in`].
///
/// ```
/// use lastbit::{Contract, GridLaplace, Mechanism, Neighbours, Rational, SecureSource};
/// let one = Rational::ONE;
/// let noise = GridLaplace::<f64>::new(one.clone(), Some(-20))?;
/// // One value changes, by at most 1: rounding does not make that more than 2^20 cells.
/// let loss = noise.loss(&Neighbours::at(one.clone()).differing_in(1)?)?;
/// assert_eq!(loss, one);
/// let noisy = noise.release(&mut SecureSource::new()?, 0.3)?;
/// assert_eq!(noisy * 1048576.0, (noisy * 1048576.0).trunc());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GridLaplace<T> {
    b: Scale,
    noise: IntegerNoise,
    tier: GridTier,
    k: i32,
    float: PhantomData<T>,
}

/// How tier 1 makes sums on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GridTier {
    /// Noise from one word, for coarse grids.
    Plain,
    /// Noise from a word and a half.
    Wide,
    /// The real variable, rounded.
    Fine,
    /// Not at all: the scale is out of its range.
    None,
}

impl GridTier {
    fn for_scale(b: &Scale, s: &Scale) -> GridTier {
        if !b.fits(-900, 901) {
            GridTier::None
        } else if s.floor_log2() >= FINE_GRID {
            GridTier::Fine
        } else if s.hi() > PLAIN_LIMIT {
            GridTier::Wide
        } else {
            GridTier::Plain
        }
    }
}

impl<T: Float> GridLaplace<T> {
    /// The mechanism of scale `b` on the grid `Z·2^k`. Without `k`, the grid is about `2⁻⁴⁰` of the scale: too fine to
    /// matter for accuracy, coarse enough for speed and a small relaxation.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= b < 2¹⁰²⁴` and `k` is an exponent of the type.
    pub fn new(scale: Rational, k: Option<i32>) -> Result<GridLaplace<T>, Error> {
        check_scale(&scale)?;
        let b = Scale::new(scale);
        let default = (b.floor_log2() as i32 - 40).clamp(T::MIN_EXPONENT, T::MAX_EXPONENT);
        let k = check_k::<T>(k.unwrap_or(default))?;
        let s = &b.exact * Rational::pow2(-i64::from(k));
        let noise = IntegerNoise::discrete(s);
        Ok(GridLaplace { tier: GridTier::for_scale(&b, &noise.s), b, noise, k, float: PhantomData })
    }

    /// The mechanism with the least noise whose loss is `epsilon` between neighbours.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::UnknownSize`] and those of [`new`](Self::new).
    pub fn for_epsilon(
        epsilon: &Rational,
        neighbours: &Neighbours,
        k: Option<i32>,
    ) -> Result<GridLaplace<T>, Error> {
        let (sensitivity, inputs) = (neighbours.distance(), neighbours.inputs_or_refuse()?);
        let scale = positive("sensitivity", sensitivity)? / positive("epsilon", epsilon)?;
        let k = GridLaplace::<T>::new(scale, k)?.k;
        let distance =
            Rational::from(grid_distance::<T>(sensitivity, k, inputs)?) * Rational::pow2(i64::from(k));
        if distance.is_zero() {
            let reason = "no two inputs of this type are that close: a release without noise has no loss";
            return Err(out_of_range("sensitivity", sensitivity, reason));
        }
        GridLaplace::new(distance / epsilon, Some(k))
    }

    /// The scale `b`.
    pub fn scale(&self) -> &Rational {
        &self.b.exact
    }

    /// The exponent of the grid.
    pub fn k(&self) -> i32 {
        self.k
    }

    fn law(&self, x: T) -> GridLaw<'_, T> {
        GridLaw { noise: self.noise.law(), b: &self.b, x, k: self.k }
    }
}

impl<T: GridFloat> Contract for GridLaplace<T> {
    fn name(&self) -> &'static str {
        "grid-laplace"
    }

    fn formula(&self, values: ValueType) -> String {
        format!(
            "x -> the {values} nearest to (r + Z)·2^k, where r is x/2^k rounded half up and Z is an integer z with probability \
             proportional to exp(-|z|·2^k/b), b = scale"
        )
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.scale().to_short()), ("k", self.k.to_string())]
    }

    fn value_types(&self) -> &'static [ValueType] {
        T::TYPES
    }

    fn preparation(&self) -> Preparation {
        Preparation::Grid { k: self.k }
    }

    /// The distance after rounding, over `b`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        neighbours.checked_distance()?;
        let inputs = neighbours.inputs_or_refuse()?;
        Ok(Rational::from(grid_distance::<T>(neighbours.distance(), self.k, inputs)?) / &self.noise.s.exact)
    }

    fn half_width(&self, _: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::grid_laplace(self, confidence)
    }
}

/// The floats that grids are made of.
pub trait GridFloat: Float {
    #[doc(hidden)]
    const TYPES: &'static [ValueType];
}

impl GridFloat for f64 {
    const TYPES: &'static [ValueType] = &[ValueType::F64];
}

impl GridFloat for f32 {
    const TYPES: &'static [ValueType] = &[ValueType::F32];
}

impl<T: Rounded> Chunked<T> for GridLaplace<T> {
    fn validate(&self, values: &[T]) -> Result<Overflow, Error> {
        let room = i64::from(T::MAX_EXPONENT) - 2;
        let noise_fits = self.b.floor_log2() + 1 + NOISE_EXPONENT <= room && i64::from(self.k) <= room;
        Ok(Overflow::unless(validate::finite_and_below(values, room)? && noise_fits))
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        match self.tier {
            GridTier::Plain => self.plain_chunk(source, cursor, scratch, values)?,
            GridTier::Wide => self.wide_chunk(source, cursor, scratch, values)?,
            GridTier::Fine | GridTier::None => {
                // |Z·2^k - σ·b·E| < 2^k, and x moves by at most 2^(k-1) on its way to the grid.
                let slack = T::from_i128(1, self.k + 1).to_f64();
                let params = RoundParams { b_hi: self.b.hi(), b_lo: self.b.lo(), slack };
                let params = (self.tier == GridTier::Fine).then_some(params);
                round_chunk(params, source, cursor, scratch, values, |i| self.law(values[i]))?;
            }
        }
        take(&scratch.e.hi, values);
        Ok(())
    }
}

/// What each way of tier 1 makes of a chunk: results as doubles, in the place of `E`.
#[expect(private_bounds, reason = "which floats can be rounded is the sampler's to know")]
impl<T: Rounded> GridLaplace<T> {
    #[inline]
    fn plain_chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        x: &[T; N],
    ) -> Result<(), usize> {
        let Scratch { words, e, .. } = scratch;
        words.draw(source, cursor);
        let (cell, per_cell) = (pow2(self.k), pow2(-self.k));
        let undecided = self.noise.plain(words.words(), N, &mut e.hi, move |i, z| {
            T::round_sum(cell_of::<Portable>(x[i].to_f64(), cell, per_cell) * cell, z * cell).to_f64()
        });
        if undecided { words.resolve_all(&mut e.hi, |i| self.law(x[i]), source) } else { Ok(()) }
    }

    #[inline]
    fn wide_chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        x: &[T; N],
    ) -> Result<(), usize> {
        let Scratch { words, e, .. } = scratch;
        words.draw_wide(source, cursor);
        let (params, k) = (self.noise.tier1(), self.k);
        let undecided =
            Path::detect().run(Grid { params, k, words: words.words(), lows: words.lows(), e, x });
        if undecided { words.resolve_all(&mut e.hi, |i| self.law(x[i]), source) } else { Ok(()) }
    }
}
