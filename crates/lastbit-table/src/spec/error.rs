//! What is wrong with the text of a spec.

use lastbit_real::ParseNumberError;
use thiserror::Error;

/// What is wrong with the text of a spec. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is no TOML, or a value has the wrong type.
    #[error("line {line}, column {column}: {message}")]
    Toml {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A key that specs do not have.
    #[error("line {line}: there is no key `{key}` here; there are {known}{}", suggest(suggestion))]
    UnknownKey {
        /// The line.
        line: usize,
        /// The key.
        key: String,
        /// The keys that may be here.
        known: String,
        /// The key that may be meant.
        suggestion: Option<String>,
    },
    /// A filter that TOML puts into a section.
    #[error(
        "line {line}: `filter` belongs above the first [section] of the file: below a section's name, TOML takes it for a key of that section"
    )]
    MisplacedFilter {
        /// The line.
        line: usize,
    },
    /// A number that cannot be read exactly.
    #[error("line {line}, {key}: {reason}")]
    Number {
        /// The line.
        line: usize,
        /// The key.
        key: String,
        /// Why it cannot be read.
        reason: ParseNumberError,
    },
    /// A value that a key does not have.
    #[error("line {line}, {key}: expected {expected}")]
    Value {
        /// The line.
        line: usize,
        /// The key.
        key: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A neighbourhood of tables for which nothing is claimed.
    #[error(
        "line {line}, table.adjacency: only \"add-remove\" is offered: all sensitivities are for tables that differ in one unit more or less. Replacing \
         a unit is removing one and adding one, so a release protects against that at twice its loss"
    )]
    Adjacency {
        /// The line.
        line: usize,
    },
}

fn suggest(word: &Option<String>) -> String {
    word.as_ref().map(|word| format!(" - did you mean `{word}`?")).unwrap_or_default()
}
