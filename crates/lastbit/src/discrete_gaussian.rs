//! The discrete Gaussian mechanism on the integers.

use lastbit_real::{IBig, Rational, Rounding};

use crate::bits::BitSource;
use crate::error::{out_of_range, positive};
use crate::sampler::arith::Path;
use crate::sampler::batch::{CHUNK, Chunked, Cursor, Overflow, Scratch, Words};
use crate::sampler::integers::{FloorTier, Integer, IntegerNoise, add_big, limbs};
use crate::sampler::law::AcceptLaw;
use crate::sampler::tier1::plain::{Accept, AcceptParams};
use crate::sampler::tier1::wide::Exponentials;
use crate::{Contract, Error, HalfWidth, Measure, Metric, Neighbours, ValueType, accuracy};

/// `x + Z` on the integers, with `P(Z = z)` proportional to `e^(-z²/(2σ²))`, exactly, for any positive rational `σ²`.
///
/// Sampled by rejection (Canonne, Kamath and Steinke 2020): a discrete Laplace `Y` of scale `t = ⌊σ⌋ + 1` is accepted with
/// probability `e^-γ`, `γ = (|Y| - σ²/t)²/(2σ²)`. Both are decided by the tiers of this crate. The number of rejections does not
/// depend on what is accepted in the end, so that the time tells nothing about the noise.
///
/// # Loss
///
/// Zero-concentrated: `ρ = d_in²/(2σ²)` at L2 distance `d_in`. Not pure: the max divergence is infinite.
///
/// ```
/// use lastbit::{DiscreteGaussian, Mechanism, Rational, SecureSource};
/// let noise = DiscreteGaussian::for_rho(&"1/8".parse()?, &Rational::ONE)?;
/// assert_eq!(noise.variance(), &Rational::from(4));
/// let noisy: i64 = noise.release(&mut SecureSource::new()?, 100)?;
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DiscreteGaussian {
    variance: Rational,
    /// `σ²/t`, where the acceptance probability is 1.
    mode: Rational,
    /// The proposals, of scale `t`.
    proposal: IntegerNoise,
    tier1: AcceptParams,
}

/// `2^least <= σ² < 2^beyond`.
pub(crate) const VARIANCE_EXPONENTS: (i64, i64) = (-60, 2000);

impl DiscreteGaussian {
    /// The mechanism of standard deviation (about) `scale`: the parameter `σ`, exactly.
    ///
    /// # Errors
    /// As [`with_variance`](Self::with_variance).
    pub fn new(scale: &Rational) -> Result<DiscreteGaussian, Error> {
        DiscreteGaussian::with_variance(positive("scale", scale)?.pow(2))
    }

    /// The mechanism of parameter `σ²`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻⁶⁰ <= σ² < 2²⁰⁰⁰`.
    pub fn with_variance(variance: Rational) -> Result<DiscreteGaussian, Error> {
        positive("variance", &variance)?;
        let (least, beyond) = VARIANCE_EXPONENTS;
        if !variance.floor_log2().is_some_and(|log| (least..beyond).contains(&log)) {
            let reason = format!("it must lie between 2^{least} and 2^{beyond}");
            return Err(out_of_range("variance", &variance, reason));
        }
        let t = Rational::from(variance.floor_sqrt().expect("positive")) + Rational::ONE;
        let mode = &variance / &t;
        let tier1 = AcceptParams {
            mode: mode.to_f64(Rounding::Nearest),
            half_precision: (&variance * Rational::from(2))
                .recip()
                .expect("positive")
                .to_f64(Rounding::Nearest),
        };
        Ok(DiscreteGaussian { variance, mode, proposal: IntegerNoise::discrete(t), tier1 })
    }

    /// The mechanism with the least noise whose zero-concentrated loss is `rho` at L2 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`with_variance`](Self::with_variance).
    pub fn for_rho(rho: &Rational, sensitivity: &Rational) -> Result<DiscreteGaussian, Error> {
        let square = positive("sensitivity", sensitivity)?.pow(2);
        DiscreteGaussian::with_variance(square / (positive("rho", rho)? * Rational::from(2)))
    }

    /// `σ²`.
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// The noise alone, without a bound.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] from the source.
    pub fn sample<S: BitSource>(&self, source: &mut S) -> Result<IBig, Error> {
        let mut cursor = Cursor::open(source)?;
        loop {
            let mut noise = None;
            let proposed = self.propose::<S, 1>(source, &mut cursor, 1, |accepted| {
                noise = Some(accepted.into_big());
                Ok(())
            });
            if let (Ok(()), Some(noise)) = (proposed, noise) {
                return Ok(noise);
            }
        }
    }

    /// The law that accepts a proposal: `E > γ`.
    fn acceptance(&self, y: &IBig) -> AcceptLaw {
        let magnitude = Rational::from(y.clone()).abs();
        AcceptLaw::new((magnitude - &self.mode).pow(2) / (&self.variance * Rational::from(2)))
    }

    /// Makes `n <= N` proposals, from two words each, and calls `accepted` with those that are accepted, in order.
    #[inline]
    fn propose<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        n: usize,
        mut accepted: impl FnMut(Noise) -> Result<(), usize>,
    ) -> Result<(), usize> {
        let wide = self.proposal.tier != FloorTier::Plain;
        let (for_y, for_acceptance) = Words::<S::Word, N>::draw_pairs(source, cursor, n, wide);
        let mut proposals = Exponentials::new();
        if wide {
            self.proposal.wide(&for_y, &mut proposals);
        } else {
            self.proposal.plain(for_y.words(), n, &mut proposals.hi, |_, y| y);
        }
        let Exponentials { hi: y, lo: below, .. } = &proposals;
        let mut accept = [0.0; N];
        // The double next to the proposal is good enough to accept it.
        let nearest: [f64; N] = std::array::from_fn(|i| y[i] + below[i]);
        let words = for_acceptance.words();
        Path::detect().run(Accept { params: self.tier1, words, y: &nearest, out: &mut accept, n });
        for i in 0..n {
            if accept[i] == 1.0 {
                accepted(Noise::Small(limbs(y[i], below[i])))?;
            } else if accept[i].is_nan() {
                // Undecided, or the proposal itself is.
                let y = if y[i].is_nan() {
                    for_y.resolve(i, &self.proposal.law(), source)
                } else {
                    let (top, bottom) = limbs(y[i], below[i]);
                    (IBig::from(top) << 32) + IBig::from(bottom)
                };
                if for_acceptance.resolve(i, &self.acceptance(&y), source) {
                    accepted(Noise::Big(y))?;
                }
            }
        }
        Ok(())
    }

    fn fill<S: BitSource, T: Integer, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        values: &mut [T],
    ) -> Result<(), usize> {
        let mut done = 0;
        while done < values.len() {
            // Never more proposals than there are values to fill: none is ever thrown away.
            let n = N.min(values.len() - done);
            self.propose::<S, N>(source, cursor, n, |noise| {
                values[done] = noise.add_to(values[done]).ok_or(done)?;
                done += 1;
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl Contract for DiscreteGaussian {
    fn name(&self) -> &'static str {
        "discrete-gaussian"
    }

    fn formula(&self, _: ValueType) -> String {
        "x -> x + Z, where Z is an integer z with probability proportional to exp(-z²/(2·variance))".into()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("variance", self.variance.to_short())]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::I64, ValueType::I32]
    }

    fn metric(&self) -> Metric {
        Metric::L2
    }

    fn measure(&self) -> Measure {
        Measure::ZeroConcentratedDivergence
    }

    /// `d_in²/(2σ²)`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        Ok(neighbours.checked_distance()?.pow(2) / (&self.variance * Rational::from(2)))
    }

    fn half_width(&self, _: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::discrete_gaussian(self, confidence)
    }
}

/// An accepted proposal.
enum Noise {
    /// `top·2³² + bottom`.
    Small((i64, i64)),
    Big(IBig),
}

impl Noise {
    fn into_big(self) -> IBig {
        match self {
            Noise::Small((top, bottom)) => (IBig::from(top) << 32) + IBig::from(bottom),
            Noise::Big(z) => z,
        }
    }

    fn add_to<T: Integer>(self, x: T) -> Option<T> {
        match self {
            Noise::Small((top, bottom)) => {
                let (sum, overflow) = x.wrapping_sum_of_limbs(top, bottom);
                (overflow >= 0).then_some(sum)
            }
            Noise::Big(z) => add_big(x, z),
        }
    }
}

impl<T: Integer> Chunked<T> for DiscreteGaussian {
    fn validate(&self, values: &[T]) -> Result<Overflow, Error> {
        Ok(self.proposal.overflow(values))
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        _: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize> {
        if N == 1 {
            self.fill::<S, T, 1>(source, cursor, values)
        } else {
            self.fill::<S, T, CHUNK>(source, cursor, values)
        }
    }
}
