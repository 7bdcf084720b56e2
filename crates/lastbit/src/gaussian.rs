//! The real Gaussian mechanism, correctly rounded.

use lastbit_real::{Dyadic, Enclosure, Float, Rational};

use crate::bits::BitSource;
use crate::error::{non_negative, out_of_range, positive};
use crate::normal_tail::{Excess, least, quantile};
use crate::sampler::batch::{Chunked, ChunkedReals, Cursor, NOISE_EXPONENT, Overflow, Scratch, room};
use crate::sampler::law::{FloorLaw, Offset, RealLaw, RoundLaw};
use crate::sampler::scale::Deviation;
use crate::sampler::tier1::round::{RoundParams, Rounded, take};
use crate::sampler::tier1::whole::WholeParams;
use crate::sampler::{integers, normal};
use crate::{Contract, Error, HalfWidth, Measure, Metric, Neighbours, Real, ValueType, accuracy, validate};

/// `RN(x + σ·G)`: the **real** Gaussian variable of standard deviation `σ`, added to `x`, rounded once to the type of `x`.
///
/// `G` has density `e^(-g²/2)/√(2π)`. There is no grid and no bound, and nothing of the noise is approximate: the output is the
/// float (or integer) nearest to the exact real sum. The parameter is the variance `σ²`, an exact rational; `σ` may be irrational.
///
/// # Loss
///
/// Zero-concentrated: `ρ = d_in²/(2σ²)` at L2 distance `d_in`, exactly: rounding is post-processing of the real mechanism. Not pure: the
/// max divergence is infinite. [`delta`](Self::delta) gives the `(ε, δ)` of this mechanism, which are better than those that
/// follow from `ρ`.
///
/// ```
/// use lastbit::{Contract, Gaussian, Mechanism, Neighbours, Rational, SecureSource};
/// let gaussian = Gaussian::for_rho(&"1/8".parse()?, &Rational::ONE)?;
/// assert_eq!(gaussian.variance(), &Rational::from(4));
/// assert_eq!(gaussian.loss(&Neighbours::at(Rational::ONE))?, "1/8".parse()?);
/// let noisy: f64 = gaussian.release(&mut SecureSource::new()?, 42.0)?;
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaussian {
    sigma: Deviation,
}

/// Its name in claims.
pub(crate) const GAUSSIAN: &str = "gaussian";

/// `2^least <= σ < 2^beyond`, as doubles.
const SIGMA_EXPONENTS: (i64, i64) = (-1074, 1024);

/// Bits of [`Gaussian::for_epsilon_delta`]'s `σ` after the first.
const CALIBRATED_BITS: u32 = 40;

impl Gaussian {
    /// The mechanism of standard deviation `scale`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= σ < 2¹⁰²⁴`.
    pub fn new(scale: &Rational) -> Result<Gaussian, Error> {
        Gaussian::with_variance(positive("scale", scale)?.pow(2))
    }

    /// The mechanism of variance `σ²`, whose root need not be rational.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻²¹⁴⁸ <= σ² < 2²⁰⁴⁸`.
    pub fn with_variance(variance: Rational) -> Result<Gaussian, Error> {
        positive("variance", &variance)?;
        let (least, beyond) = SIGMA_EXPONENTS;
        if !variance.floor_log2().is_some_and(|log| (2 * least..2 * beyond).contains(&log)) {
            let reason =
                format!("it must lie between 2^{} and 2^{}, the squares of doubles", 2 * least, 2 * beyond);
            return Err(out_of_range("variance", &variance, reason));
        }
        Ok(Gaussian { sigma: Deviation::new(variance) })
    }

    /// The mechanism with the least noise whose zero-concentrated loss is `rho` at L2 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`with_variance`](Self::with_variance).
    pub fn for_rho(rho: &Rational, sensitivity: &Rational) -> Result<Gaussian, Error> {
        let square = positive("sensitivity", sensitivity)?.pow(2);
        Gaussian::with_variance(square / (positive("rho", rho)? * Rational::from(2)))
    }

    /// The mechanism with the least noise that is `(epsilon, delta)`-private at L2 distance `sensitivity`: the least `σ` whose exact
    /// [`delta`](Self::delta) is at most `delta` (Balle and Wang 2018), rounded up to 41 significant bits.
    ///
    /// ```
    /// use lastbit::{Gaussian, Rational, Rounding};
    /// let gaussian = Gaussian::for_epsilon_delta(&Rational::ONE, &"1e-5".parse()?, &Rational::ONE)?;
    /// let sigma = gaussian.variance().to_f64(Rounding::Nearest).sqrt(); // for show
    /// assert!((sigma - 3.73063163481594).abs() < 1e-11);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Negative`] for `epsilon`, which may be 0; [`Error::NotPositive`]; [`Error::OutOfRange`] unless `delta < 1`, and if it takes a
    /// `σ` above 2¹⁰²³.
    pub fn for_epsilon_delta(
        epsilon: &Rational,
        delta: &Rational,
        sensitivity: &Rational,
    ) -> Result<Gaussian, Error> {
        non_negative("epsilon", epsilon)?;
        positive("sensitivity", sensitivity)?;
        if positive("delta", delta)? >= &Rational::ONE {
            return Err(out_of_range("delta", delta, "it must be below 1"));
        }
        let holds = |sigma: &Dyadic| {
            let variance = Rational::from(sigma * sigma);
            Excess::new(epsilon, sensitivity, &variance).is_at_most(delta)
        };
        let (smallest, largest) = (SIGMA_EXPONENTS.0, SIGMA_EXPONENTS.1 - 1);
        let sigma = if holds(&Dyadic::pow2(smallest)) {
            Dyadic::pow2(smallest)
        } else if holds(&Dyadic::pow2(largest)) {
            least(smallest, largest, CALIBRATED_BITS, holds)
        } else {
            let reason = "with this sensitivity it takes more noise than a standard deviation of 2^1023";
            return Err(out_of_range("delta", delta, reason));
        };
        Gaussian::with_variance(Rational::from(&sigma * &sigma))
    }

    /// `σ²`.
    pub fn variance(&self) -> &Rational {
        &self.sigma.variance
    }

    /// The least `δ` such that the mechanism is `(epsilon, δ)`-private at L2 distance `distance`: `Φ(d/2σ - εσ/d) - e^ε·Φ(-d/2σ - εσ/d)`,
    /// rounded up by less than 2⁻⁴⁰ of itself. Anything below 2⁻²⁰⁰⁰ is given as 2⁻²⁰⁰⁰.
    ///
    /// ```
    /// use lastbit::{Gaussian, Rational, Rounding};
    /// let gaussian = Gaussian::new(&Rational::from(4))?;
    /// let delta = gaussian.delta(&Rational::ONE, &Rational::ONE)?;
    /// assert_eq!(delta.to_decimal(5, Rounding::Nearest), "2.9243e-6");
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Negative`].
    pub fn delta(&self, epsilon: &Rational, distance: &Rational) -> Result<Rational, Error> {
        non_negative("epsilon", epsilon)?;
        if non_negative("distance", distance)?.is_zero() {
            return Ok(Rational::ZERO);
        }
        Ok(Excess::new(epsilon, distance, self.variance()).above())
    }

    /// The mechanism with the largest `σ`, to 60 bits, whose noise has this half-width.
    ///
    /// ```
    /// use lastbit::{Contract, Gaussian, Rational, Rounding, ValueType};
    /// let gaussian = Gaussian::new(&Rational::from(10))?;
    /// let width = gaussian.half_width(ValueType::F64, &"0.95".parse()?)?.to_rational().unwrap();
    /// assert_eq!(width.to_decimal(5, Rounding::Up), "19.600"); // 1.96·σ
    /// let back = Gaussian::for_half_width(&width, &"0.95".parse()?)?;
    /// assert!((back.variance().to_f64(Rounding::Nearest) - 100.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPositive`], those of [`with_variance`](Self::with_variance), and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: &Rational, confidence: &Rational) -> Result<Gaussian, Error> {
        // h = √2·σ·z.
        let z = Rational::from(quantile(&accuracy::tail(confidence)?));
        Gaussian::with_variance((positive("half_width", half_width)? / z).pow(2) / Rational::from(2))
    }

    /// The same for results that are integers: the largest `σ`, nearly, whose noise has this half-width after rounding.
    ///
    /// # Errors
    /// [`Error::Negative`], those of [`with_variance`](Self::with_variance), and unless `0 < confidence < 1`.
    pub fn for_integer_half_width(half_width: &Rational, confidence: &Rational) -> Result<Gaussian, Error> {
        Gaussian::for_half_width(&accuracy::below_next_integer(half_width)?, confidence)
    }

    /// `√2·σ·z`, rounded up.
    fn real_half_width(&self, confidence: &Rational) -> Result<Rational, Error> {
        let z = quantile(&accuracy::tail(confidence)?);
        let doubled = Enclosure::of_rational(&(self.variance() * Rational::from(2)), HALF_WIDTH_BITS);
        let root = doubled.sqrt(HALF_WIDTH_BITS).expect("positive");
        Ok(Rational::from(root.hi() * &z))
    }
}

/// Significant bits of half-widths, which end up as doubles.
const HALF_WIDTH_BITS: u32 = 80;

impl Contract for Gaussian {
    fn name(&self) -> &'static str {
        GAUSSIAN
    }

    fn formula(&self, values: ValueType) -> String {
        let nearest = match values {
            ValueType::I64 | ValueType::I32 => "the integer",
            ValueType::F32 => "the float32",
            ValueType::F64 | ValueType::Real => "the float64",
        };
        format!(
            "x -> {nearest} nearest to x + σ·G, where G is real with density exp(-g²/2)/√(2π) and σ² = variance"
        )
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("variance", self.variance().to_short())]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::F64, ValueType::F32, ValueType::I64, ValueType::I32, ValueType::Real]
    }

    fn metric(&self) -> Metric {
        Metric::L2
    }

    fn measure(&self) -> Measure {
        Measure::ZeroConcentratedDivergence
    }

    /// `d_in²/(2σ²)`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        Ok(neighbours.checked_distance()?.pow(2) / (self.variance() * Rational::from(2)))
    }

    fn half_width(&self, values: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        let real = self.real_half_width(confidence)?;
        Ok(accuracy::of_rounded_sum(&real, values))
    }
}

/// Releases whose results are floats.
impl Gaussian {
    /// Whether sums can overflow; `values_fit` if all are below [`room`]. The noise is below `σ·√(2E) < σ·E + σ`.
    fn overflow<T: Float>(&self, values_fit: bool) -> Overflow {
        Overflow::unless(values_fit && self.sigma.fits(-1074, room::<T>() - NOISE_EXPONENT))
    }

    /// What tier 1 wants to know, if `σ` is in its range.
    #[inline]
    fn rounding(&self) -> Option<RoundParams> {
        let sigma = &self.sigma;
        sigma.fits(-900, 901).then(|| RoundParams { b_hi: sigma.hi(), b_lo: sigma.lo(), slack: 0.0 })
    }

    /// The same for integers. A `σ` below `2⁻¹⁰` is as good as that one: the integer is 0 as long as `σ·|G| < ½`, and where a bit of `U` is
    /// known to be one, `|G| < 10`.
    #[inline]
    fn whole(&self) -> Option<WholeParams> {
        let sigma = &self.sigma;
        let (s_hi, s_lo) = if sigma.floor_log2() < -10 {
            (1.0 / 1024.0, 0.0)
        } else if sigma.floor_log2() < 60 {
            (sigma.hi(), sigma.lo())
        } else {
            return None;
        };
        Some(WholeParams { s_hi, s_lo, skew: 0.0 })
    }
}

/// Floats: the nearest float to the real sum.
impl<T: Rounded> Chunked<T> for Gaussian {
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
        let law = |i: usize| RoundLaw { x: values[i], b: &self.sigma };
        normal::round_chunk(self.rounding(), source, cursor, scratch, values, law)?;
        take(&scratch.g.hi, values);
        Ok(())
    }
}

/// Real numbers: the nearest float to the real sum.
impl<T: Rounded> ChunkedReals<T> for Gaussian {
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
        let law = |i: usize| RealLaw::<T, _>::new(&values[i], &self.sigma);
        normal::round_chunk(self.rounding(), source, cursor, scratch, &x, law)?;
        take(&scratch.g.hi, out);
        Ok(())
    }
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        /// The integer nearest to the real sum.
        impl Chunked<$t> for Gaussian {
            fn validate(&self, values: &[$t]) -> Result<Overflow, Error> {
                Ok(integers::overflow(values, self.sigma.floor_log2() + 1))
            }

            #[inline]
            fn chunk<S: BitSource, const N: usize>(
                &self,
                source: &mut S,
                cursor: &mut Cursor,
                scratch: &mut Scratch<S::Word, N>,
                values: &mut [$t; N],
            ) -> Result<(), usize> {
                let law = |_| FloorLaw { s: &self.sigma, offset: Offset::Half };
                normal::whole_chunk(self.whole(), source, cursor, scratch, law, values)
            }
        }
    )*};
}
integers!(i32, i64);

#[cfg(test)]
mod tests;
