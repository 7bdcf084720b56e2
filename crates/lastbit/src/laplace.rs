//! The real Laplace mechanism, correctly rounded.

use lastbit_real::{Float, Rational};

use crate::bits::BitSource;
use crate::discrete_laplace::check_scale;
use crate::error::positive;
use crate::sampler::batch::{
    Chunked, ChunkedReals, Cursor, NOISE_EXPONENT, Overflow, Scratch, room, round_chunk,
};
use crate::sampler::integers::IntegerNoise;
use crate::sampler::law::{RealLaw, RoundLaw};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::round::{RoundParams, Rounded, take};
use crate::{Contract, Error, HalfWidth, Neighbours, Real, ValueType, accuracy, validate};

/// `RN(x + b·L)`: the **real** Laplace variable of scale `b`, added to `x`, rounded once to the type of `x`.
///
/// `L` has density `e^(-|l|)/2`. There is no grid and no bound, and nothing of the noise is approximate: the
/// output is the float (or integer) nearest to the exact real sum. `x` may be a float, an integer, or any real number
/// ([`Real`], through [`RealMechanism`](crate::RealMechanism)).
///
/// # Loss
///
/// Values at L1 distance `d_in` are told apart with a loss of at most `d_in/b`, exactly: rounding is post-processing of the
/// real mechanism.
///
/// ```
/// use lastbit::{Contract, Laplace, Mechanism, Neighbours, Rational, SecureSource};
/// let epsilon: Rational = "0.1".parse()?; // the rational 1/10, not the double near it
/// let laplace = Laplace::for_epsilon(&epsilon, &Rational::ONE)?;
/// assert_eq!(laplace.loss(&Neighbours::at(Rational::ONE))?, epsilon);
///
/// let mut source = SecureSource::new()?;
/// let noisy: f64 = laplace.release(&mut source, 42.0)?;
/// let mut counts = [17i64, 4, 0];
/// laplace.release_in_place(&mut source, &mut counts)?;
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Laplace {
    /// For integers; its scale serves the floats too.
    noise: IntegerNoise,
}

impl Laplace {
    /// The mechanism of scale `b`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= b < 2¹⁰²⁴`.
    pub fn new(scale: Rational) -> Result<Laplace, Error> {
        check_scale(&scale)?;
        Ok(Laplace { noise: IntegerNoise::rounded(Scale::new(scale)) })
    }

    /// The mechanism with the least noise whose loss is `epsilon` at L1 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`new`](Self::new).
    pub fn for_epsilon(epsilon: &Rational, sensitivity: &Rational) -> Result<Laplace, Error> {
        Laplace::new(positive("sensitivity", sensitivity)? / positive("epsilon", epsilon)?)
    }

    /// The scale `b`.
    pub fn scale(&self) -> &Rational {
        &self.noise.s.exact
    }
}

impl Contract for Laplace {
    fn name(&self) -> &'static str {
        "laplace"
    }

    fn formula(&self, values: ValueType) -> String {
        let nearest = match values {
            ValueType::I64 | ValueType::I32 => "the integer",
            ValueType::F32 => "the float32",
            ValueType::F64 | ValueType::Real => "the float64",
        };
        format!("x -> {nearest} nearest to x + b·L, where L is real with density exp(-|l|)/2 and b = scale")
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.scale().to_short())]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::F64, ValueType::F32, ValueType::I64, ValueType::I32, ValueType::Real]
    }

    /// `d_in/b`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        Ok(neighbours.checked_distance()? / self.scale())
    }

    fn half_width(&self, values: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::laplace(self, values, confidence)
    }
}

/// Releases whose results are floats.
impl Laplace {
    /// Whether sums can overflow; `values_fit` if all are below [`room`].
    fn overflow<T: Float>(&self, values_fit: bool) -> Overflow {
        Overflow::unless(values_fit && self.noise.s.fits(-1074, room::<T>() - NOISE_EXPONENT))
    }

    /// What tier 1 wants to know, if the scale is in its range.
    #[inline]
    fn tier1(&self) -> Option<RoundParams> {
        let s = &self.noise.s;
        s.fits(-900, 901).then(|| RoundParams { b_hi: s.hi(), b_lo: s.lo(), slack: 0.0 })
    }
}

/// Floats: the nearest float to the real sum.
impl<T: Rounded> Chunked<T> for Laplace {
    fn validate(&self, values: &[T]) -> Result<Overflow, Error> {
        Ok(self.overflow::<T>(validate::finite_and_below(values, room::<T>())?))
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        let law = |i: usize| RoundLaw { x: values[i], b: &self.noise.s };
        round_chunk(self.tier1(), source, cursor, scratch, values, law)?;
        take(&scratch.e.hi, values);
        Ok(())
    }
}

/// Real numbers: the nearest float to the real sum.
impl<T: Rounded> ChunkedReals<T> for Laplace {
    fn validate_reals(&self, values: &[Real]) -> Result<Overflow, Error> {
        Ok(self.overflow::<T>(validate::within_and_below::<T>(values, room::<T>())?))
    }

    #[inline]
    fn chunk_of_reals<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &[Real; N],
        out: &mut [T; N],
    ) -> Result<(), usize> {
        let x = values.each_ref().map(Real::split);
        let law = |i: usize| RealLaw::<T>::new(&values[i], &self.noise.s);
        round_chunk(self.tier1(), source, cursor, scratch, &x, law)?;
        take(&scratch.e.hi, out);
        Ok(())
    }
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        /// The integer nearest to the real sum.
        impl Chunked<$t> for Laplace {
            fn validate(&self, values: &[$t]) -> Result<Overflow, Error> {
                Ok(self.noise.overflow(values))
            }

            #[inline]
            fn chunk<S: BitSource, const N: usize>(
                &self,
                source: &mut S,
                cursor: &mut Cursor,
                scratch: &mut Scratch<S::Word, N>,
                values: &mut [$t; N],
            ) -> Result<(), usize> {
                self.noise.chunk(source, cursor, scratch, values)
            }
        }
    )*};
}
integers!(i32, i64);
