//! Why a program cannot be audited, and where.

use lastbit_lang::{Diagnostic, Span};
use lastbit_real::Rational;
use thiserror::Error;

/// A reason why an operation has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A number that is known only within an interval, where the course of the program depends on it.
    #[error(
        "the value is not known exactly, only to so many bits; it can be a probability, a weight or a scale"
    )]
    NotExact,
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The logarithm of a number that is not positive.
    #[error("the logarithm of a number that is not positive")]
    LnOfNonPositive,
    /// The square root of a negative number.
    #[error("the square root of a negative number")]
    SqrtOfNegative,
    /// A clamp to the empty interval.
    #[error("the bound of `clamp` must not be negative")]
    NegativeBound,
    /// A grid that is not positive.
    #[error("the grid of `round` must be positive")]
    Grid,
    /// A number of more bits than are computed with.
    #[error("the number is too large, or has too many digits")]
    TooLarge,
    /// A value that has not been set.
    #[error("this has not been set")]
    NotSet,
    /// An index outside of its array.
    #[error("there is no element {0}")]
    NoElement(Rational),
    /// A value of another type.
    #[error("this is not {0}")]
    Expected(&'static str),
    /// A probability outside of [0, 1].
    #[error("a probability must lie in [0, 1]")]
    Probability,
    /// Weights that are negative, or all of them 0.
    #[error("weights must not be negative, and at least one must be positive")]
    Weights,
    /// A scale that is not positive.
    #[error("a scale must be positive")]
    Scale,
    /// An exponent of the grid beyond `±10000`.
    #[error("the grid must be 2^k for a whole k between -10000 and 10000")]
    Exponent,
}

/// The reason why a program cannot be audited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DiscreteError {
    /// The file has errors.
    #[error("{}", .0.first().map_or("the file has errors", |first| first.message.as_str()))]
    Language(Vec<Diagnostic>),
    /// A float, which rounds.
    #[error("floats round: this audit is for exact arithmetic, over real, grid, int, sign and bool")]
    Float {
        /// The type.
        span: Span,
    },
    /// A sample that is not discrete.
    #[error("a sample of `{law}` is not discrete; the discrete laws are sign, bernoulli, choose and dlap")]
    Continuous {
        /// The distribution.
        law: &'static str,
        /// The statement.
        span: Span,
    },
    /// An expression without a usable value.
    #[error("`{expression}`: {fault}")]
    Expression {
        /// As it is written.
        expression: String,
        /// The fault.
        fault: Fault,
        /// The place in the text.
        span: Span,
    },
    /// A statement that cannot be carried out.
    #[error("{fault}")]
    Statement {
        /// The fault.
        fault: Fault,
        /// The place in the text.
        span: Span,
    },
    /// A loop that is too long.
    #[error("a loop of {rounds} iterations; at most 10000 are allowed")]
    TooManyRounds {
        /// The number of rounds.
        rounds: i64,
        /// The loop.
        span: Span,
    },
    /// A parameter, an argument or a query without a value.
    #[error("`{name}` has no value")]
    Missing {
        /// Its name.
        name: String,
        /// The place of the declaration.
        span: Span,
    },
    /// A value for a name that is not declared.
    #[error("there is no argument, parameter or query `{0}`")]
    Unknown(String),
    /// A value that the declaration excludes.
    #[error("{value} is not a value of `{name}` as it is declared")]
    NotAllowed {
        /// The name.
        name: String,
        /// The value.
        value: String,
        /// The place of the declaration.
        span: Span,
    },
    /// More states than the budget allows.
    #[error(
        "{states} states, more than the {budget} allowed; use coarser grids, smaller scales or fewer bits"
    )]
    TooManyStates {
        /// The number of states reached.
        states: u64,
        /// The number that is allowed.
        budget: u64,
        /// The statement.
        span: Span,
    },
    /// More outputs than the budget allows.
    #[error("{outputs} outputs, more than the {budget} allowed; use coarser grids or closer inputs")]
    TooManyOutputs {
        /// The number of outputs reached.
        outputs: u64,
        /// The number that is allowed.
        budget: u64,
    },
    /// An ε at which `e^ε` is not computed.
    #[error("ε = {0} is out of range")]
    Epsilon(Rational),
}

impl DiscreteError {
    /// Whether the reason is a sample that is not discrete.
    pub fn is_continuous(&self) -> bool {
        matches!(self, DiscreteError::Continuous { .. })
    }

    /// The place of the error, if it is a single place of the text.
    pub fn span(&self) -> Option<Span> {
        match self {
            DiscreteError::Language(messages) => messages.first().map(|message| message.span),
            DiscreteError::Float { span }
            | DiscreteError::Continuous { span, .. }
            | DiscreteError::Expression { span, .. }
            | DiscreteError::Statement { span, .. }
            | DiscreteError::TooManyRounds { span, .. }
            | DiscreteError::Missing { span, .. }
            | DiscreteError::NotAllowed { span, .. }
            | DiscreteError::TooManyStates { span, .. } => Some(*span),
            DiscreteError::Unknown(_) | DiscreteError::TooManyOutputs { .. } | DiscreteError::Epsilon(_) => {
                None
            }
        }
    }
}

/// The reason why an evaluation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The value of a sample is needed.
    Force(super::state::SampleId),
    /// Whether a sample is at most this is needed.
    Split(super::state::SampleId, lastbit_real::IBig),
    /// The remainder of a sample, divided by this, is needed.
    Residues(super::state::SampleId, u64),
    /// A comparison of something in a tail that was cut off: it may go both ways.
    Undecided(lastbit_lang::ast::ExprId),
    /// The outputs of a tail that was cut off are not known.
    Lost,
    /// There is no value; the place is not known yet.
    Fault(Fault),
    /// There is no value.
    Error(Box<DiscreteError>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<DiscreteError> for Stop {
    fn from(error: DiscreteError) -> Stop {
        Stop::Error(Box::new(error))
    }
}
