//! Report noisy max with exponential noise, which is permute-and-flip.

use lastbit_real::Rational;

use crate::bits::BitSource;
use crate::sampler::contest::{Contest, Noise};
use crate::sampler::scale::Scale;
use crate::selection::{checked_scale, scale_for};
use crate::{Error, Metric, Score, Selection};

/// The candidate with the largest `s_i + b·E_i`, where `s_i` is its score and the `E_i` are independent exponential variables; exactly.
///
/// That is the permute-and-flip mechanism (McKenna and Sheldon 2020), as Ding, Kifer, Sayed Saghaian, Steinke, Wang, Xiao and Zhang
/// (2021) have shown: go through the candidates in random order, and take each with probability `e^((s_i - max s)/b)`. At the same loss
/// its score is never worse on average than that of [`Exponential`](crate::Exponential), and up to twice as good.
///
/// # Loss
///
/// At most `R/b` for scores `s` and `s'` at [range](Metric::Range) distance `R = max δ - min δ`, `δ = s' - s`; [`Selection`] has the
/// table of what follows.
///
/// Proof. Who wins does not change if one number is added to all scores, so let `min δ = 0` and `max δ = R`. Fix the noise of all
/// candidates but `i`. Then `i` wins if `b·E_i > t`, where `t = max_{j≠i} (s_j + b·E_j) - s_i`: with probability `g(t) = min(1,
/// e^(-t/b))`. Under `s'` it wins with probability `g(t')`, where `t' = max_{j≠i} (s_j + δ_j + b·E_j) - s_i - δ_i`. As all `δ` lie in
/// `[0, R]`, `t'` is at least `t - δ_i >= t - R` and at most `t + R - δ_i <= t + R`. And `g` changes by at most a factor of `e^(R/b)`
/// over a distance of `R`. So the two probabilities differ by at most that factor, for every noise of the others, and hence on average. ∎
///
/// No smaller bound holds for all scores: of two candidates far apart, the probability of the lower one is `e^((s_2 - s_1)/b)/2`.
///
/// ```
/// use lastbit::{Metric, Neighbours, NoisyMax, Rational, SecureSource, Selection};
/// let mechanism = NoisyMax::for_epsilon(&Rational::ONE, &Rational::ONE, Metric::LInfinity)?;
/// assert_eq!(mechanism.scale(), &Rational::from(2));
/// assert_eq!(mechanism.loss(Metric::Range, &Neighbours::at(Rational::ONE))?, "1/2".parse()?);
/// let chosen = mechanism.choose(&mut SecureSource::new()?, &[0.5, 17.25, 16.0])?;
/// assert!(chosen < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoisyMax {
    scale: Scale,
}

impl NoisyMax {
    pub(crate) const NAME: &str = "noisy-max";

    /// The mechanism of scale `b`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= b < 2¹⁰²⁴`.
    pub fn new(scale: Rational) -> Result<NoisyMax, Error> {
        Ok(NoisyMax { scale: Scale::new(checked_scale(scale)?) })
    }

    /// The mechanism with the least noise whose loss is `epsilon` for scores at this distance, measured so.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::UnsupportedMetric`] and those of [`new`](Self::new).
    pub fn for_epsilon(
        epsilon: &Rational,
        sensitivity: &Rational,
        metric: Metric,
    ) -> Result<NoisyMax, Error> {
        NoisyMax::new(scale_for(NoisyMax::NAME, epsilon, sensitivity, metric)?)
    }
}

impl Selection for NoisyMax {
    fn name(&self) -> &'static str {
        NoisyMax::NAME
    }

    fn formula(&self) -> &'static str {
        "scores s -> the candidate i with the largest s_i + b·E_i, where the E_i are real with density exp(-e), e > 0, and b = scale"
    }

    fn scale(&self) -> &Rational {
        &self.scale.exact
    }

    fn choose<S: BitSource, T: Score>(&self, source: &mut S, scores: &[T]) -> Result<usize, Error> {
        Contest::<T, T>::new(Noise::Exponential, &self.scale, scores, None)?.run(source)
    }

    /// That of any release with a pure loss. If two equal scores move apart by `R`, small against the scale, it costs as much; so it is no eighth of the
    /// square, as for `Exponential`.
    fn concentrated(&self, pure: &Rational) -> Rational {
        pure.clone().min(pure.pow(2) / Rational::from(2))
    }

    /// A candidate `t` below the best wins only if its `E` exceeds that of the best by `t/b`: with probability `e^(-t/b)/2`.
    fn odds(&self) -> Rational {
        Rational::pow2(-1)
    }
}
