//! What every mechanism can do that chooses one of several candidates.

use std::collections::BTreeMap;

use lastbit_real::{Rational, Rounding, ln_rational};

use crate::claim::{About, Claim, Measure, Preparation};
use crate::discrete_laplace::check_scale;
use crate::error::{out_of_range, positive};
use crate::{BitSource, Error, Exponential, Metric, Neighbours, NoisyMax, Score, ValueType};

/// Chooses one of several candidates by their scores: likely one with a high score, and the larger the scale `b`, the less likely.
///
/// The number of candidates is public, and so is what they are. Private are the scores, to the extent of the [claim](Self::claim).
///
/// ```
/// use lastbit::{Metric, Neighbours, NoisyMax, Rational, SecureSource, Selection, ValueType};
/// // Which of five diagnoses is the most frequent? A person adds 1 to one of the counts, or to several.
/// let mechanism = NoisyMax::for_epsilon(&"0.5".parse()?, &Rational::ONE, Metric::Range)?;
/// let counts = [311i64, 56, 290, 12, 0];
/// let chosen = mechanism.choose(&mut SecureSource::new()?, &counts)?;
/// assert!(chosen < 5);
/// let claim = mechanism.claim(ValueType::I64, Metric::Range, &Neighbours::at(Rational::ONE))?;
/// assert_eq!(
///     claim.to_string(),
///     "noisy-max scale=2: ε = 0.5 (pure), max-divergence, for columns of int64 at range distance <= 1; values are read exactly"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Loss
///
/// Let `δ_i = s'_i - s_i` be how far the score of candidate `i` moves from one input to a neighbouring one. The loss is at most `R/b`, where
/// `R = max δ - min δ` is the [range](Metric::Range) distance: how far two scores move apart. Each mechanism says why. What is known of
/// the scores bounds `R`:
///
/// | if neighbours' scores are | then `R` is at most | and the loss |
/// |---|---|---|
/// | at range distance `d` ([`Metric::Range`]) | `d` | `d/b` |
/// | moved by at most `d` each, all in the same direction: monotone, such as counts when a person is added | `d`, so declare `d` as [`Metric::Range`] | `d/b` |
/// | at L∞ distance `d` ([`Metric::LInfinity`]): moved by at most `d` each, up or down | `2d` | `2d/b` |
/// | at L1 distance `d` ([`Metric::L1`]) | `d`: what one moves up and another down is part of the sum | `d/b` |
///
/// Nothing is claimed for other metrics.
pub trait Selection {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it does, as a formula whose letters are its parameters.
    fn formula(&self) -> &'static str;

    /// The scale `b`.
    fn scale(&self) -> &Rational;

    /// The index of the chosen candidate.
    ///
    /// # Errors
    /// [`Error::NoCandidates`], [`Error::NotFinite`], [`Error::OutOfRange`] beyond 2³¹ candidates, [`Error::FloatEnvironment`],
    /// [`Error::NoEntropy`], [`Error::OutOfMemory`].
    fn choose<S: BitSource, T: Score>(&self, source: &mut S, scores: &[T]) -> Result<usize, Error>;

    /// The number of candidates, but for the best one, that the [shortfall](Self::shortfall) counts for each.
    #[doc(hidden)]
    fn odds(&self) -> Rational;

    /// The zero-concentrated loss of a choice with this pure loss.
    #[doc(hidden)]
    fn concentrated(&self, pure: &Rational) -> Rational;

    /// Its parameters: texts that read back as the same exact numbers.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.scale().to_short())]
    }

    /// The loss between scores at such a distance, exact.
    ///
    /// # Errors
    /// [`Error::Negative`] if the distance is; [`Error::UnsupportedMetric`].
    fn loss(&self, metric: Metric, neighbours: &Neighbours) -> Result<Rational, Error> {
        let range = range_of(self.name(), metric, neighbours.checked_distance()?)?;
        Ok(range / self.scale())
    }

    /// What a choice by scores of this type promises, where the distance of neighbours' scores is measured in this metric.
    ///
    /// # Errors
    /// As [`loss`](Self::loss).
    fn claim(&self, values: ValueType, metric: Metric, neighbours: &Neighbours) -> Result<Claim, Error> {
        let about = About::Columns { values, metric, neighbours: neighbours.clone() };
        let loss = self.loss(metric, neighbours)?;
        Ok(Claim::of_mechanism(
            self.name(),
            self.parameters(),
            Preparation::Exact,
            about,
            Measure::MaxDivergence,
            loss,
        ))
    }

    /// What any number of choices promise together, each by scores of its own and with noise of its own, where at most `choices` of them have scores
    /// that neighbours tell apart, at such a distance each.
    ///
    /// The losses of that many choices add. A choice with the pure loss `ε` has the zero-concentrated loss `min(ε, ε²/2)`, and one of
    /// [`Exponential`] even `min(ε, ε²/8)`: see there.
    ///
    /// ```
    /// use lastbit::{Exponential, Measure, Metric, Neighbours, Rational, Selection, ValueType};
    /// // In each of many cities the most frequent of some diagnoses, where nobody is in more than three cities.
    /// let mechanism = Exponential::for_epsilon(&"1/2".parse()?, &Rational::ONE, Metric::Range)?;
    /// let one = Neighbours::at(Rational::ONE);
    /// let loss = |measure| mechanism.claim_together(ValueType::I64, Metric::Range, &one, 3, measure).map(|claim| claim.loss().clone());
    /// assert_eq!(loss(Measure::MaxDivergence)?, "3/2".parse()?);
    /// assert_eq!(loss(Measure::ZeroConcentratedDivergence)?, "3/32".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`loss`](Self::loss), and [`Error::NotPositive`] if there are no choices.
    fn claim_together(
        &self,
        values: ValueType,
        metric: Metric,
        neighbours: &Neighbours,
        choices: u64,
        measure: Measure,
    ) -> Result<Claim, Error> {
        let count = Rational::from(choices);
        positive("choices", &count)?;
        let about = About::Columns { values, metric, neighbours: neighbours.clone() };
        let pure = self.loss(metric, neighbours)?;
        let loss = match measure {
            Measure::MaxDivergence => pure,
            Measure::ZeroConcentratedDivergence => self.concentrated(&pure),
        };
        let mut parameters = self.parameters();
        if choices > 1 {
            parameters.push((CHOICES, choices.to_string()));
        }
        Ok(Claim::of_mechanism(self.name(), parameters, Preparation::Exact, about, measure, count * loss))
    }

    /// How far the score of the chosen candidate is below the best at most, with a probability of `confidence` or more, for so many
    /// candidates without weights. Rounded up; infinite beyond the largest double.
    ///
    /// ```
    /// use lastbit::{Exponential, NoisyMax, Rational, Selection};
    /// let confidence = "0.95".parse()?;
    /// let [noisy_max, exponential] = [
    ///     NoisyMax::new(Rational::from(2))?.shortfall(1000, &confidence)?,
    ///     Exponential::new(Rational::from(2))?.shortfall(1000, &confidence)?,
    /// ];
    /// assert_eq!((noisy_max * 100.0).ceil(), 1842.0); // 2·ln(999/(2·0.05))
    /// assert_eq!((exponential * 100.0).ceil(), 1981.0); // 2·ln(999/0.05)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    fn shortfall(&self, candidates: usize, confidence: &Rational) -> Result<f64, Error> {
        if positive("confidence", confidence)? >= &Rational::ONE {
            return Err(out_of_range("confidence", confidence, "it must be below 1"));
        }
        // P(shortfall >= t) <= n·odds·e^(-t/b), if n are not the best.
        let others = Rational::from(candidates.saturating_sub(1) as u64);
        let odds = others * self.odds() / (Rational::ONE - confidence);
        if odds <= Rational::ONE {
            return Ok(0.0);
        }
        let ln = ln_rational(&odds, 64).expect("above 1");
        Ok((Rational::from(ln.hi()) * self.scale()).to_f64(Rounding::Up))
    }
}

/// The largest range distance of scores at this distance.
fn range_of(mechanism: &'static str, metric: Metric, distance: &Rational) -> Result<Rational, Error> {
    match metric {
        Metric::Range | Metric::L1 => Ok(distance.clone()),
        Metric::LInfinity => Ok(distance * Rational::from(2)),
        Metric::L2 => Err(Error::UnsupportedMetric { mechanism, metric }),
    }
}

/// The scale at which the loss is `epsilon`, if it is one that noise can have.
pub(crate) fn scale_for(
    mechanism: &'static str,
    epsilon: &Rational,
    sensitivity: &Rational,
    metric: Metric,
) -> Result<Rational, Error> {
    let range = range_of(mechanism, metric, positive("sensitivity", sensitivity)?)?;
    Ok(range / positive("epsilon", epsilon)?)
}

/// The scale, if it is one that noise can have.
pub(crate) fn checked_scale(scale: Rational) -> Result<Rational, Error> {
    check_scale(&scale)?;
    Ok(scale)
}

/// The parameter that says how many choices may differ between neighbours, if it is more than one.
const CHOICES: &str = "choices";

/// The claim of the selection of this name with these parameters, in this measure; `None` if there is no such selection.
pub(crate) fn claim(
    name: &str,
    parameters: &BTreeMap<String, String>,
    values: ValueType,
    metric: Metric,
    neighbours: &Neighbours,
    measure: Measure,
) -> Option<Result<Claim, Error>> {
    let bad = |reason: String| Error::NotAClaim { reason };
    let scale = || {
        let text = parameters.get("scale").ok_or_else(|| bad("it has no parameter \"scale\"".into()))?;
        text.parse::<Rational>().map_err(|e| bad(format!("the parameter \"scale\": {e}")))
    };
    let choices = || match parameters.get(CHOICES) {
        None => Ok(1),
        Some(text) => text.parse().map_err(|e| bad(format!("the parameter \"{CHOICES}\": {e}"))),
    };
    Some(match name {
        NoisyMax::NAME => scale()
            .and_then(NoisyMax::new)
            .and_then(|m| m.claim_together(values, metric, neighbours, choices()?, measure)),
        Exponential::NAME => scale()
            .and_then(Exponential::new)
            .and_then(|m| m.claim_together(values, metric, neighbours, choices()?, measure)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims of several choices come back from JSON in either measure, and forged ones do not.
    #[test]
    fn several_choices_are_claimed_together() {
        let at = Neighbours::at(Rational::from(3)).one("person").unwrap();
        let [scale, two] = [Rational::from(12), Rational::from(2)];
        let [noisy_max, exponential] =
            [&NoisyMax::new(scale.clone()).unwrap() as &dyn Claims, &Exponential::new(scale).unwrap()];
        for (mechanism, eighth) in [(noisy_max, false), (exponential, true)] {
            for (choices, measure) in [
                (1, Measure::MaxDivergence),
                (4, Measure::MaxDivergence),
                (4, Measure::ZeroConcentratedDivergence),
            ] {
                let claim = mechanism.claim(&at, choices, measure);
                // Twice 3 over 12.
                let each = match (measure, eighth) {
                    (Measure::MaxDivergence, _) => Rational::pow2(-1),
                    (_, false) => Rational::pow2(-3),
                    (_, true) => Rational::pow2(-5),
                };
                assert_eq!((claim.loss(), claim.measure()), (&(each * Rational::from(choices)), measure));
                let json = claim.to_json();
                assert_eq!(Claim::from_json(&json), Ok(claim));
                let forged = json.replace("\"choices\":\"4\"", "\"choices\":\"2\"");
                assert!(choices == 1 || Claim::from_json(&forged).is_err());
            }
        }
        let none = Exponential::new(two).unwrap().claim_together(
            ValueType::I64,
            Metric::Range,
            &at,
            0,
            Measure::MaxDivergence,
        );
        assert!(matches!(none, Err(Error::NotPositive { .. })));
    }

    /// Claims of a selection, whichever it is.
    trait Claims {
        fn claim(&self, at: &Neighbours, choices: u64, measure: Measure) -> Claim;
    }

    impl<T: Selection> Claims for T {
        fn claim(&self, at: &Neighbours, choices: u64, measure: Measure) -> Claim {
            self.claim_together(ValueType::I64, Metric::LInfinity, at, choices, measure).unwrap()
        }
    }
}
