//! The exponential mechanism.

use lastbit_real::Rational;

use crate::bits::BitSource;
use crate::sampler::contest::{Contest, Noise};
use crate::sampler::scale::Scale;
use crate::selection::{checked_scale, scale_for};
use crate::{Error, Metric, Score, Selection};

/// Candidate `i` with probability proportional to `w_i·e^(s_i/b)`, where `s_i` is its score and `w_i` a public weight (1 if there are
/// none); exactly.
///
/// It is the candidate with the largest `s_i/b + ln w_i - ln E_i`, where the `E_i` are independent exponential variables and `-ln E_i`
/// are Gumbel variables. For `E_i/λ_i` with `λ_i = w_i·e^(s_i/b)` is exponential of rate `λ_i`, and the least of them is the `i`-th with
/// probability `λ_i/Σ λ_j`. (McSherry and Talwar 2007.)
///
/// # Loss
///
/// At most `R/b` for scores `s` and `s'` at [range](Metric::Range) distance `R = max δ - min δ`, `δ = s' - s`, and the same weights;
/// [`Selection`] has the table of what follows.
///
/// Proof. `P'(i)/P(i) = e^(δ_i/b)/Σ_j P(j)·e^(δ_j/b)`. The sum is an average of numbers between `e^(min δ/b)` and `e^(max δ/b)`, and so
/// is between them, as `e^(δ_i/b)` is. ∎
///
/// The zero-concentrated loss is at most `ρ = (R/b)²/8` (Cesar and Rogers 2021), a quarter of what follows from the pure loss.
///
/// Proof. Let `Z = ln(P'/P)`, which is `δ_i/b` less a number that is the same for all `i`: it ranges over an interval of length `R/b`. Let
/// `K(α) = ln E_P[e^(αZ)]`. Its second derivative is the variance of `Z` under some distribution, and so at most `(R/b)²/4`. Hence
/// `h(α) = α·(α - 1)·(R/b)²/8 - K(α)` is convex, and `h(0) = h(1) = 0` as `K(0) = K(1) = 0`; so `h(α) >= 0` for `α > 1`. The Rényi
/// divergence is `K(α)/(α - 1) <= α·(R/b)²/8`. ∎
///
/// No smaller bound holds for all scores: where all but one have small probabilities, the average is next to one of its ends.
///
/// ```
/// use lastbit::{Exponential, Metric, Rational, SecureSource, Selection};
/// let mechanism = Exponential::for_epsilon(&Rational::ONE, &Rational::ONE, Metric::LInfinity)?;
/// let mut source = SecureSource::new()?;
/// let chosen = mechanism.choose(&mut source, &[311i64, 56, 290])?;
/// // Three intervals, the last as long as the others together.
/// let interval = mechanism.choose_weighted(&mut source, &[311i64, 56, 290], &[1i64, 3, 4])?;
/// assert!(chosen < 3 && interval < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponential {
    scale: Scale,
}

impl Exponential {
    pub(crate) const NAME: &str = "exponential";

    /// The mechanism of scale `b`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] unless `2⁻¹⁰⁷⁴ <= b < 2¹⁰²⁴`.
    pub fn new(scale: Rational) -> Result<Exponential, Error> {
        Ok(Exponential { scale: Scale::new(checked_scale(scale)?) })
    }

    /// The mechanism with the least noise whose loss is `epsilon` for scores at this distance, measured so.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::UnsupportedMetric`] and those of [`new`](Self::new).
    pub fn for_epsilon(
        epsilon: &Rational,
        sensitivity: &Rational,
        metric: Metric,
    ) -> Result<Exponential, Error> {
        Exponential::new(scale_for(Exponential::NAME, epsilon, sensitivity, metric)?)
    }

    /// The index of the chosen candidate, each with a positive weight: exact numbers as scores are. The weights must be public: a claim
    /// is about inputs that have the same ones.
    ///
    /// # Errors
    /// As [`choose`](Selection::choose), and [`Error::LengthMismatch`], [`Error::BadWeight`].
    pub fn choose_weighted<S: BitSource, T: Score, W: Score>(
        &self,
        source: &mut S,
        scores: &[T],
        weights: &[W],
    ) -> Result<usize, Error> {
        Contest::new(Noise::Gumbel, &self.scale, scores, Some(weights))?.run(source)
    }
}

impl Selection for Exponential {
    fn name(&self) -> &'static str {
        Exponential::NAME
    }

    fn formula(&self) -> &'static str {
        "scores s -> the candidate i with probability proportional to w_i·exp(s_i/b), where the w_i are public weights, 1 if none are \
         given, and b = scale"
    }

    fn scale(&self) -> &Rational {
        &self.scale.exact
    }

    fn choose<S: BitSource, T: Score>(&self, source: &mut S, scores: &[T]) -> Result<usize, Error> {
        Contest::<T, T>::new(Noise::Gumbel, &self.scale, scores, None)?.run(source)
    }

    /// An eighth of the square: see [`Exponential`].
    fn concentrated(&self, pure: &Rational) -> Rational {
        pure.clone().min(pure.pow(2) / Rational::from(8))
    }

    /// A candidate `t` below the best has a probability of at most `e^(-t/b)`.
    fn odds(&self) -> Rational {
        Rational::ONE
    }
}
