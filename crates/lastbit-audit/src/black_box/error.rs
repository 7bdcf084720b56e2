//! Why there is no attack.

use lastbit_real::Rational;

/// The reason why an attack cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttackError {
    /// A confidence that is no probability, or none that samples can give.
    #[error("confidence = {0}: it must be above 0 and below 1")]
    Confidence(Rational),
    /// A `δ` that allows nothing, or everything.
    #[error("delta = {0}: it must be at least 0 and below 1")]
    Delta(Rational),
    /// An input that is an infinity or no number.
    #[error("the input {0} is not a finite number")]
    Input(String),
    /// Too few samples to choose an event and to test it.
    #[error("{found} samples for the {} input: at least {least} are needed", super::ordinal(*input))]
    TooFewSamples {
        /// The input: 0 or 1.
        input: usize,
        /// The number of samples given.
        found: usize,
        /// The least number that is needed.
        least: usize,
    },
    /// Whoever waited for it has stopped it.
    #[error("cancelled")]
    Cancelled,
}
