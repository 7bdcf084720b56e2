//! The least noise that is enough for many releases.

use lastbit_account::{Noise, calibrate};
use lastbit_real::Rational;
use serde::Serialize;

use super::refused;
use crate::{Number, Progress, Refusal, Schema, Watcher};

/// Digits of the numbers of an answer.
const DIGITS: usize = 7;

/// Noise whose amount is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The noise.
    pub noise: Noise,
    /// How far neighbours are apart.
    pub sensitivity: Rational,
    /// The number of releases.
    pub times: u64,
    /// The `ε` of all together.
    pub epsilon: Rational,
    /// The `δ` of all together.
    pub delta: Rational,
}

/// The least noise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationAnswer {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "calibrate"`
    pub question: &'static str,
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// The scale of Laplace noise, the standard deviation of Gaussian noise.
    pub scale: Number,
    /// How far neighbours are apart.
    pub sensitivity: Number,
    /// The number of releases.
    pub times: u64,
    /// The `ε` of all together.
    pub epsilon: Number,
    /// The `δ` of all together that was asked for.
    pub delta: Number,
    /// The `δ` that they have with this noise.
    pub delta_found: Number,
    /// The releases as a term.
    pub term: String,
}

/// The name of noise on the command line.
pub(super) fn name(noise: Noise) -> &'static str {
    match noise {
        Noise::Laplace => "laplace",
        Noise::DiscreteLaplace => "discrete-laplace",
        Noise::Gaussian => "gaussian",
        _ => "discrete-gaussian",
    }
}

impl Calibration {
    /// The least noise, rounded up to seven digits.
    ///
    /// # Errors
    /// What makes no sense, and an interruption.
    pub fn answer(&self, watcher: &Watcher<'_>) -> Result<CalibrationAnswer, Refusal> {
        let goes_on = || {
            (watcher.progress)(Progress { doing: "calibrating", share: None, message: "" });
            !watcher.is_cancelled()
        };
        let found =
            calibrate(self.noise, &self.sensitivity, self.times, &self.epsilon, &self.delta, &goes_on)
                .map_err(|error| refused(&error))?;
        let upper = found.delta.upper.clone().unwrap_or(Rational::ONE);
        let term = format!(
            "{}:scale={},sensitivity={}*{}",
            name(self.noise),
            found.scale.to_short(),
            self.sensitivity.to_short(),
            self.times
        );
        Ok(CalibrationAnswer {
            schema: Schema,
            question: "calibrate",
            mechanism: name(self.noise),
            scale: Number::exact(&found.scale, DIGITS),
            sensitivity: Number::exact(&self.sensitivity, DIGITS),
            times: self.times,
            epsilon: Number::exact(&self.epsilon, DIGITS),
            delta: Number::exact(&self.delta, DIGITS),
            delta_found: Number::at_most(&upper, DIGITS),
            term,
        })
    }
}

impl CalibrationAnswer {
    /// The answer for people.
    pub fn text(&self) -> String {
        let releases = if self.times == 1 {
            "1 release is".into()
        } else {
            format!("{} releases together are", self.times)
        };
        format!(
            "scale {} is enough: {releases} ({}, {})-differentially private with {} noise\n  δ is at most {} at this scale; the term is {}\n",
            self.scale, self.epsilon, self.delta, self.mechanism, self.delta_found, self.term
        )
    }

    /// The answer as JSON, as docs/json.md describes it.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
