//! The discrete Laplace mechanism on the integers.

use lastbit_real::{IBig, Rational};

use crate::bits::BitSource;
use crate::error::{out_of_range, positive};
use crate::sampler::batch::{Chunked, Cursor, Overflow, Scratch};
use crate::sampler::integers::{FloorTier, Integer, IntegerNoise, limbs};
use crate::{Contract, Error, HalfWidth, Neighbours, ValueType, accuracy};

/// `x + Z` on the integers, with `P(Z = z) = (1 - q)/(1 + q)·q^|z|` and `q = e^(-1/s)`: the discrete Laplace
/// (two-sided geometric) variable of scale `s`, exactly, for any positive rational `s`.
///
/// # Loss
///
/// `d_in/s` at L1 distance `d_in`.
///
/// ```
/// use lastbit::{Contract, DiscreteLaplace, Mechanism, Neighbours, Rational, SecureSource};
/// let noise = DiscreteLaplace::new(Rational::from(10))?;
/// assert_eq!(noise.loss(&Neighbours::at(Rational::ONE))?.to_string(), "1/10");
/// let noisy: i64 = noise.release(&mut SecureSource::new()?, 1234)?;
/// # let _ = noisy;
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DiscreteLaplace {
    pub(crate) noise: IntegerNoise,
}

impl DiscreteLaplace {
    /// The mechanism of scale `s`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= s < 2¹⁰²⁴`.
    pub fn new(scale: Rational) -> Result<DiscreteLaplace, Error> {
        check_scale(&scale)?;
        Ok(DiscreteLaplace { noise: IntegerNoise::discrete(scale) })
    }

    /// The mechanism with the least noise whose loss is `epsilon` at L1 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`new`](Self::new).
    pub fn for_epsilon(epsilon: &Rational, sensitivity: &Rational) -> Result<DiscreteLaplace, Error> {
        DiscreteLaplace::new(positive("sensitivity", sensitivity)? / positive("epsilon", epsilon)?)
    }

    /// The scale `s`.
    pub fn scale(&self) -> &Rational {
        &self.noise.s.exact
    }

    /// The noise alone, without a bound.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] from the source.
    pub fn sample<S: BitSource>(&self, source: &mut S) -> Result<IBig, Error> {
        let mut cursor = Cursor::open(source)?;
        let Scratch { mut words, e: mut noise, .. } = Scratch::<S::Word, 1>::new();
        self.noise.draw(&mut words, source, &mut cursor);
        let undecided = if self.noise.tier == FloorTier::Plain {
            self.noise.plain(words.words(), 1, &mut noise.hi, |_, z| z)
        } else {
            self.noise.wide(&words, &mut noise)
        };
        Ok(if undecided {
            words.resolve(0, &self.noise.law(), source)
        } else {
            let (top, bottom) = limbs(noise.hi[0], noise.lo[0]);
            (IBig::from(top) << 32) + IBig::from(bottom)
        })
    }
}

impl Contract for DiscreteLaplace {
    fn name(&self) -> &'static str {
        "discrete-laplace"
    }

    fn formula(&self, _: ValueType) -> String {
        "x -> x + Z, where Z is an integer z with probability proportional to exp(-|z|/b) and b = scale"
            .into()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.scale().to_short())]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::I64, ValueType::I32]
    }

    /// `d_in/s`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        Ok(neighbours.checked_distance()? / self.scale())
    }

    fn half_width(&self, _: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::discrete_laplace(self, confidence)
    }
}

/// A scale that tier 2 and 3 can work with.
pub(crate) fn check_scale(scale: &Rational) -> Result<(), Error> {
    positive("scale", scale)?;
    match scale.floor_log2() {
        Some(-1074..=1023) => Ok(()),
        _ => Err(out_of_range("scale", scale, "it must lie between 2^-1074 and 2^1024, as doubles do")),
    }
}

impl<T: Integer> Chunked<T> for DiscreteLaplace {
    fn validate(&self, values: &[T]) -> Result<Overflow, Error> {
        Ok(self.noise.overflow(values))
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        self.noise.chunk(source, cursor, scratch, values)
    }
}
