//! What is refused, and why.

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that must be positive is not.
    #[error("{name} must be positive, but it is {value}")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// One release alone gives everything away.
    #[error("one release alone may lose more than {most}, which is no privacy; give more noise")]
    NoPrivacy {
        /// The largest loss that is taken.
        most: u64,
    },
    /// A loss that is too small to be computed with.
    #[error(
        "one release loses only {loss}, too little to compute with; account for it as {least}, which is no less"
    )]
    TooLittle {
        /// The loss, or twice a zero-concentrated one.
        loss: String,
        /// The least that is taken.
        least: &'static str,
    },
    /// δ is not a probability below 1.
    #[error("delta must be between 0 and 1, but it is {value}; give a small number such as 1e-6")]
    NoProbability {
        /// The δ.
        value: String,
    },
    /// A share above 1.
    #[error("{name} must be at most 1, but it is {value}")]
    AboveOne {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// Probabilities that are no two distributions.
    #[error("these are no two distributions: {reason}")]
    NoDistribution {
        /// What is wrong with them.
        reason: String,
    },
    /// A release of which only a zero-concentrated loss is known.
    #[error("of one of the releases only a zero-concentrated loss is known, and no distribution of losses")]
    Unknown,
    /// A share of false alarms that is none.
    #[error("a share of false alarms must be between 0 and 1, but it is {value}")]
    NoShare {
        /// The share.
        value: String,
    },
    /// A mechanism of which is not known what groups lose.
    #[error(
        "it is not known what a group loses by {mechanism}; account for single units, or give the pure loss of the group"
    )]
    NoGroup {
        /// The mechanism.
        mechanism: &'static str,
    },
    /// A sensitivity of discrete noise that is no whole number.
    #[error("the sensitivity of discrete noise must be a whole number, but it is {value}")]
    NotWhole {
        /// The sensitivity.
        value: String,
    },
    /// No noise is enough, or none is needed.
    #[error("no amount of noise is known with which this holds: {reason}")]
    NoNoise {
        /// What is in the way.
        reason: &'static str,
    },
    /// An ε beyond all use.
    #[error("epsilon must be at most {most}, but it is {value}")]
    TooLarge {
        /// The ε.
        value: String,
        /// The largest.
        most: u64,
    },
    /// A negative ε.
    #[error("epsilon must not be negative, but it is {value}")]
    Negative {
        /// The ε.
        value: String,
    },
    /// Nothing was released.
    #[error("there is no release to account for")]
    Empty,
    /// More releases than can be composed.
    #[error("{times} releases are too many; at most {most} are possible")]
    TooMany {
        /// How many of one mechanism.
        times: u64,
        /// The most.
        most: u64,
    },
    /// The losses have no common lattice that fits into memory.
    #[error(
        "the losses need too fine a lattice; give parameters with a larger common divisor, or fewer of them"
    )]
    TooFine,
    /// It was stopped.
    #[error("stopped before there was an answer")]
    Cancelled,
}
