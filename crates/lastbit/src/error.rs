//! What can be refused, and why.

use lastbit_real::{Rational, Rounding};

use crate::{Metric, ValueType};

/// The reason why a mechanism could not be built or a release not be made. On an error nothing is written.
///
/// Most refusals depend on public parameters. Four depend on data: [`Error::NotFinite`], [`Error::NotMultiple`] and [`Error::BeyondRange`] break the promise
/// that the values lie in the declared domain, and tell that they do not; [`Error::Overflow`] is a function of the
/// noisy result, so that it costs no privacy beyond the release. None of them says what the value is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that must be positive is not.
    #[error("{name} must be positive, but is {}", brief(.value))]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// The value that was given.
        value: Rational,
    },
    /// A parameter that must not be negative is.
    #[error("{name} must not be negative, but is {}", brief(.value))]
    Negative {
        /// The parameter.
        name: &'static str,
        /// The value that was given.
        value: Rational,
    },
    /// A parameter is positive but unusable.
    #[error("{name} = {value} is out of range: {reason}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The value that was given, as text: exact numbers may be long.
        value: String,
        /// The values that it may have, and what to do.
        reason: String,
    },
    /// The loss needs the number of values, and it is not known.
    #[error("{0}")]
    UnknownSize(&'static str),
    /// A value is NaN or infinite.
    #[error("value {index} is not a finite number; the privacy claim covers finite values only")]
    NotFinite {
        /// Its position, from 0.
        index: usize,
    },
    /// A value is not a multiple of the power of two that was declared.
    #[error("value {index} is not a multiple of 2^{exponent}, as all values were declared to be")]
    NotMultiple {
        /// Its position, from 0.
        index: usize,
        /// The exponent.
        exponent: i32,
    },
    /// A real number is beyond the largest float of the type that results have.
    #[error("value {index} is beyond the largest {type_name}; the privacy claim covers values up to that")]
    BeyondRange {
        /// Its position, from 0.
        index: usize,
        /// The type.
        type_name: &'static str,
    },
    /// A noisy result does not fit its type.
    #[error("the noisy result {index} overflows its type; clamp the values or use a wider type")]
    Overflow {
        /// Its position, from 0; the first of several.
        index: usize,
    },
    /// The number of values is not that of the results asked for, or of the domain.
    #[error("there are {values} values where {out} were expected")]
    LengthMismatch {
        /// The number of values.
        values: usize,
        /// The expected number.
        out: usize,
    },
    /// There are no candidates to choose from.
    #[error("there is nothing to choose from: a choice needs at least one candidate")]
    NoCandidates,
    /// A weight of a candidate is not a positive number.
    #[error("weight {index} is not a positive number; leave out candidates that must not be chosen")]
    BadWeight {
        /// Its position, from 0.
        index: usize,
    },
    /// The loss of a choice between scores that are measured so is not known.
    #[error(
        "{mechanism} claims nothing about scores at {metric} distance; measure it as L-infinity, range or L1"
    )]
    UnsupportedMetric {
        /// The mechanism.
        mechanism: &'static str,
        /// The metric of the distance.
        metric: Metric,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes: {reason}")]
    NoEntropy {
        /// Its words.
        reason: String,
    },
    /// A result that may overflow is made beside the values, and there is no room for it.
    #[error("not enough memory for a copy of {values} values")]
    OutOfMemory {
        /// The number of values.
        values: usize,
    },
    /// Another library changed how this thread rounds.
    #[error(
        "the floating-point environment is not the default (a library built with -ffast-math changes it): \
         rounding to nearest and gradual underflow are needed"
    )]
    FloatEnvironment,
    /// A release would cost more than is left of the budget.
    #[error(
        "the release costs {}, but only {} of the budget is left",
        brief_to(.asked, Rounding::Up),
        brief_to(.remaining, Rounding::Down)
    )]
    BudgetExceeded {
        /// The loss of the release, in the budget's measure.
        asked: Rational,
        /// The budget that is left.
        remaining: Rational,
    },
    /// A zero-concentrated loss where a pure one is needed.
    #[error(
        "{mechanism} claims a zero-concentrated loss, and no pure loss follows from that; \
         use a zero-concentrated budget"
    )]
    NoPureLoss {
        /// The mechanism that was asked for its loss.
        mechanism: &'static str,
    },
    /// A mechanism for which the least noise at an `ε` and a `δ` is not known.
    #[error(
        "{mechanism} has no calibration to an epsilon and a delta: give the loss that it claims, or use gaussian, which has one"
    )]
    NoEpsilonDelta {
        /// The mechanism.
        mechanism: &'static str,
    },
    /// A composition of nothing, which has no measure, no domain and no neighbours.
    #[error("there is nothing to compose: a composition needs at least one part")]
    EmptyComposition,
    /// Claims that are not about the same inputs, so that their sum would be about none.
    #[error(
        "claims about different inputs do not add: {first}; and {other}. Give all of them the same type, length, distance and \
         max_changed; or declare in each of them, or in the budget, the same unit, such as \"person\": then each distance is how far one \
         person can move that column"
    )]
    DifferentNeighbours {
        /// The subject of the first.
        first: String,
        /// The inputs that the other claim is about.
        other: String,
    },
    /// A mechanism does not take values of this type.
    #[error(
        "{mechanism} takes {}, and these values are {values}; convert them first",
        .taken.iter().map(|taken| taken.name()).collect::<Vec<_>>().join(", ")
    )]
    UnsupportedType {
        /// The mechanism.
        mechanism: &'static str,
        /// The type of the values.
        values: ValueType,
        /// The types that it takes.
        taken: &'static [ValueType],
    },
    /// A text that is not the claim of a mechanism of this crate.
    #[error("this is not a claim of lastbit: {reason}")]
    NotAClaim {
        /// The mistake in it.
        reason: String,
    },
    /// Two parts of a composition take different inputs.
    #[error("part {part} of the composition has another input domain than part 0")]
    DomainMismatch {
        /// The first part that differs, from 0.
        part: usize,
    },
    /// A cipher of the random generator gave a wrong answer to a known question.
    #[error(
        "the random generator is broken: {cipher} fails its known-answer test, so nothing was released; \
         the processor, its emulation or this build is faulty"
    )]
    SelfTestFailed {
        /// The cipher that failed.
        cipher: &'static str,
    },
    /// The operating system gave bytes for a key that cannot be random.
    #[error(
        "the operating system's random generator seems stuck, so nothing was released: {reason}; \
         check the machine's random device"
    )]
    SeedRefused {
        /// The mistake in them.
        reason: &'static str,
    },
    /// There is not enough memory for the keys of the random generator.
    #[error("not enough memory for the keys of the random generator: {reason}")]
    NoKeyMemory {
        /// The operating system's words.
        reason: String,
    },
}

impl Error {
    /// The same about a slice that starts so many values later.
    pub(crate) fn moved_by(mut self, values: usize) -> Error {
        if let Error::NotFinite { index }
        | Error::NotMultiple { index, .. }
        | Error::BeyondRange { index, .. }
        | Error::Overflow { index } = &mut self
        {
            *index += values;
        }
        self
    }
}

/// `value`, if it is positive.
pub(crate) fn positive<'a>(name: &'static str, value: &'a Rational) -> Result<&'a Rational, Error> {
    if value.is_positive() { Ok(value) } else { Err(Error::NotPositive { name, value: value.clone() }) }
}

/// `value`, if it is not negative.
pub(crate) fn non_negative<'a>(name: &'static str, value: &'a Rational) -> Result<&'a Rational, Error> {
    if value.is_negative() { Err(Error::Negative { name, value: value.clone() }) } else { Ok(value) }
}

/// An error about a number that may be too long to print whole.
pub(crate) fn out_of_range(name: &'static str, value: &Rational, reason: impl Into<String>) -> Error {
    Error::OutOfRange { name, value: brief(value), reason: reason.into() }
}

/// The number as it is, or to six digits if it is long.
fn brief(value: &Rational) -> String {
    brief_to(value, Rounding::Nearest)
}

/// As [`brief`], rounded as asked: two numbers that are compared must not look equal when they are not.
fn brief_to(value: &Rational, rounding: Rounding) -> String {
    let exact = value.to_string();
    if exact.len() <= 30 { exact } else { value.to_decimal(6, rounding) }
}
