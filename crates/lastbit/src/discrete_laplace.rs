//! The discrete Laplace mechanism on the integers.

use lastbit_real::{IBig, Rational};

use crate::bits::BitSource;
use crate::error::{out_of_range, positive};
use crate::sampler::batch::{Chunked, Cursor, Overflow, Scratch};
use crate::sampler::digits::Digits;
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
///
/// [`constant_time`](Self::constant_time) makes the same noise from integer comparisons alone.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscreteLaplace {
    pub(crate) noise: IntegerNoise,
    /// In place of `noise`, if it is to take constant time.
    pub(crate) digits: Option<Digits>,
}

impl DiscreteLaplace {
    /// The mechanism of scale `s`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= s < 2¹⁰²⁴`.
    pub fn new(scale: Rational) -> Result<DiscreteLaplace, Error> {
        check_scale(&scale)?;
        Ok(DiscreteLaplace { noise: IntegerNoise::discrete(scale), digits: None })
    }

    /// The mechanism with the least noise whose loss is `epsilon` at L1 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`new`](Self::new).
    pub fn for_epsilon(epsilon: &Rational, sensitivity: &Rational) -> Result<DiscreteLaplace, Error> {
        DiscreteLaplace::new(positive("sensitivity", sensitivity)? / positive("epsilon", epsilon)?)
    }

    /// The same mechanism, with the same law and the same claim, whose noise is made digit by digit: each binary digit of it is one comparison of a
    /// random word with a constant.
    ///
    /// What that buys: a value takes integer comparisons, shifts and sums alone, as many for every value and every noise, whether sums overflow
    /// or not. There is no floating-point arithmetic, whose divisions and square roots take some processors longer for some operands; no
    /// division; no table. Exceptions are values with a word that is equal to its threshold. Those take longer, by some microseconds, and
    /// are at most a share of `(D + 2)·2⁻⁶⁴` of all, so that nobody will see one; they are exact like all others.
    ///
    /// What it costs: `D + 2` words of the source, where `D` is the least integer with `2^D > 45·s`, and not below 0: 11 words at `s = 10`, and 48 at `s = 2⁴⁰`.
    /// Without it a value takes a word or a word and a half. The words are others, so seeded sources give other noise. A mechanism with it is not equal (`==`) to the one without.
    ///
    /// [`sample`](Self::sample) makes a big integer of the noise, which takes its time.
    ///
    /// ```
    /// use lastbit::{DiscreteLaplace, Mechanism, Rational, SecureSource};
    /// let noise = DiscreteLaplace::new(Rational::from(10))?.constant_time()?;
    /// let mut counts = [1234, 0, 17];
    /// noise.release_in_place(&mut SecureSource::new()?, &mut counts)?;
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `s <= 2⁵⁶`.
    pub fn constant_time(mut self) -> Result<DiscreteLaplace, Error> {
        let too_large = || {
            let reason = format!("constant time needs at most 2^{}", Digits::MOST_LOG2_SCALE);
            out_of_range("scale", self.scale(), reason)
        };
        self.digits = Some(Digits::new(self.scale()).ok_or_else(too_large)?);
        Ok(self)
    }

    /// Whether it is made by [`constant_time`](Self::constant_time).
    pub fn is_constant_time(&self) -> bool {
        self.digits.is_some()
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
        if let Some(digits) = &self.digits {
            return Ok(digits.sample(source, &mut cursor, &mut words));
        }
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
        // That is about noise below s·2^38 or 2^room. In constant time |Z| <= 2^D·(R + 1), where 2^D·R <= s·E < s·2^38·ln 2 + 45·s and 2^D is at
        // most 90·s or 1: below 2^room too, since s·2^38 is, and room >= 30.
        Ok(self.noise.overflow(values))
    }

    fn most_words(&self) -> u64 {
        self.digits.as_ref().map_or(2, |digits| digits.rows() as u64)
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        match &self.digits {
            Some(digits) => digits.chunk(source, cursor, &mut scratch.words, values),
            None => self.noise.chunk(source, cursor, scratch, values),
        }
    }
}
