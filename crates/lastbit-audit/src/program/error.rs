//! Why a program is not audited.

use std::fmt;

use lastbit_lang::eval::EvalError;
use lastbit_lang::{Diagnostic, Format, Span};
use lastbit_real::{Float, Rational};

use super::rules::Reason;

/// A part of a program, where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expression {
    /// The part as the language prints it; a description, if it has no text of its own.
    pub text: String,
    /// The place in the source, if there is one.
    pub span: Option<Span>,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.text)
    }
}

/// A run of the program: the input, first or second, and the signs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// 0 for the first input, 1 for the second.
    pub input: usize,
    /// The samples of `sign`, in the order in which they are drawn.
    pub signs: Vec<i8>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.input == 0 { "on the first input" } else { "on the second input" })?;
        if !self.signs.is_empty() {
            let signs: Vec<String> = self.signs.iter().map(|sign| format!("{sign:+}")).collect();
            write!(f, " with sign {}", signs.join(", "))?;
        }
        Ok(())
    }
}

fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// The reason why the distribution of a program is not computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program is not a straight-line float program with these values.
    #[error("{}", messages(.0))]
    Language(Vec<Diagnostic>),
    /// It returns a list.
    #[error("the program returns {count} numbers; only one can be audited")]
    Results {
        /// The number of results.
        count: usize,
    },
    /// Neither a value nor a sample that is understood.
    #[error("`{name}` has no value and is not a sample of `unif` or `sign`")]
    Open {
        /// Its name.
        name: String,
    },
    /// More samples of `unif` than one.
    #[error("the program draws `{first}` and `{second}` from `unif`; only one such sample can be audited")]
    Uniforms {
        /// The first one.
        first: String,
        /// The second one.
        second: String,
    },
    /// More samples of `sign` than are gone through.
    #[error("the program draws {count} signs; at most {most} can be audited")]
    Signs {
        /// The number of signs.
        count: usize,
        /// The most there may be.
        most: usize,
    },
    /// The value of a float argument is not a float.
    #[error("{name} = {value} is not a number of {format}; round it first")]
    NotAFloat {
        /// The argument.
        name: String,
        /// Its value.
        value: Rational,
        /// The format of the program.
        format: Format,
    },
    /// Only an accuracy is declared, which does not say what the function returns.
    #[error(
        "the program declares that `{function}` is within {ulps} units in the last place, which does not say what it returns; \
         choose a library: the correctly rounded one, one that is off by a fixed number of floats, or this platform's"
    )]
    OnlyAccuracy {
        /// `ln` or `exp`.
        function: &'static str,
        /// The declared accuracy.
        ulps: Rational,
    },
    /// The program has no value for some sample.
    #[error("{run}, u = {}: {expression}: {error}", .u.to_hex())]
    NoValue {
        /// The run.
        run: Run,
        /// The sample.
        u: f64,
        /// The expression without a value.
        expression: Expression,
        /// The reason why it has none.
        error: EvalError,
    },
    /// The program is not known to be monotone, and there are too many samples to try them all.
    #[error("{run}, {expression} is not known to be monotone in u: {reason}")]
    NotMonotone {
        /// The run.
        run: Run,
        /// The expression to which no rule applies.
        expression: Expression,
        /// The reason why none applies.
        reason: Reason,
    },
    /// Too many samples would have to be tried one by one, where the platform's functions decide the output.
    #[error(
        "the platform's library leaves more than {limit} samples undecided; they would have to be tried one by one"
    )]
    Band {
        /// The largest number that is allowed.
        limit: u64,
    },
    /// The platform's function is worse than it is taken to be.
    #[error("{run}, u = {}: this platform's library is off by more than {floats} floats", .u.to_hex())]
    Library {
        /// The run.
        run: Run,
        /// The sample.
        u: f64,
        /// The most that it is taken to be off.
        floats: i32,
    },
    /// The loss of the hockey-stick divergence is too large to exponentiate.
    #[error("epsilon = {epsilon} is not between -2^20 and 2^20")]
    Epsilon {
        /// The loss.
        epsilon: Rational,
    },
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
}
