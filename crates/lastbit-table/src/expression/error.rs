//! What is wrong with an expression, and where.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

/// Signs before and below a fault that a message shows at most.
const LONGEST_LINE: usize = 150;

/// A fault of an expression, its place and the text that it is in.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct ExpressionError {
    /// What is wrong.
    pub fault: ExpressionFault,
    /// The bytes of the text that are to blame.
    pub at: Range<usize>,
    /// The whole expression.
    pub text: String,
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExpressionFault {
    /// A sign that no expression has.
    #[error("{found:?} has no meaning here")]
    Sign {
        /// The sign.
        found: char,
    },
    /// A quoted name or text without its end.
    #[error("the closing {quote} is missing")]
    Unclosed {
        /// The quotation mark.
        quote: char,
    },
    /// Something else than the grammar allows.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A literal that is no number.
    #[error("this is no number such as 12, 0.5 or 1e-3")]
    Number,
    /// A function that does not exist.
    #[error("there is no function {name}; there are {known}{}", suggestion.as_ref().map(|word| format!(" - did you mean {word}?")).unwrap_or_default())]
    Function {
        /// The name.
        name: String,
        /// All functions.
        known: &'static str,
        /// The function that is meant, as far as its name tells.
        suggestion: Option<&'static str>,
    },
    /// A function with too many or too few arguments.
    #[error("{name} takes {expected} arguments, not {found}")]
    Arguments {
        /// The function.
        name: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A part of another type than is needed.
    #[error("this is {found}, where {expected} is needed")]
    Type {
        /// The type that is needed.
        expected: &'static str,
        /// The type that the part has.
        found: &'static str,
    },
    /// A column whose type its use leaves open.
    #[error(
        "nothing says whether this is a number, text or a date: write number(...), text(...) or date(...) around it; text stands in single quotes"
    )]
    Open,
    /// Rounding to a grid that is not a positive number.
    #[error("the grid must be a positive number, written out")]
    Grid,
    /// A clamp whose lower end is above its upper end.
    #[error("the lower end of the clamp is above its upper end")]
    Clamp,
    /// A division by the literal 0.
    #[error("this divides by zero, so it is always null")]
    ZeroDivisor,
    /// A literal that is no day.
    #[error("this is no day such as '2024-02-29'")]
    Day,
    /// An expression of more parts than a row should pay for.
    #[error("the expression has more than {most} parts; split it into derived columns")]
    TooLong {
        /// How many parts there may be.
        most: usize,
    },
    /// Parentheses, signs or functions too deep within each other.
    #[error(
        "more than {most} parentheses or signs lie within each other; split the expression into derived columns"
    )]
    TooDeep {
        /// How many there may be.
        most: usize,
    },
    /// A derived column that needs itself.
    #[error("the derived column {name:?} needs itself")]
    Circle {
        /// The column.
        name: String,
    },
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.fault)?;
        // One line, so that the carets stand below what they mean; and only what is near, if it is long.
        let before = self.text.get(..self.at.start).map_or(0, |text| text.chars().count());
        let width =
            self.text.get(self.at.clone()).map_or(1, |text| text.chars().count()).clamp(1, LONGEST_LINE);
        let skipped = if before + width > LONGEST_LINE { before.saturating_sub(LONGEST_LINE / 2) } else { 0 };
        let shown = self.text.chars().skip(skipped).take(2 * LONGEST_LINE);
        let line: String = shown.map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
        write!(f, "    {line}\n    {}{}", " ".repeat(before - skipped), "^".repeat(width))
    }
}
