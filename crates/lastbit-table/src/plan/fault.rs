//! Why a spec is no plan.

use std::path::PathBuf;

use thiserror::Error;

use crate::error::TableError;
use crate::expression::ExpressionError;

/// Why a spec is no plan, and where in the spec. Nothing of the table has been read.
#[derive(Debug, Error)]
#[error("{}{key}: {fault}", line.map(|line| format!("line {line}, ")).unwrap_or_default())]
#[non_exhaustive]
pub struct PlanError {
    /// The key of the spec that is to blame.
    pub key: String,
    /// Its line, if the spec was read from a file.
    pub line: Option<usize>,
    /// What is wrong.
    pub fault: PlanFault,
}

/// What is wrong with a spec.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanFault {
    /// A key that must be there.
    #[error("is missing: {why}")]
    Missing {
        /// What it is needed for.
        why: &'static str,
    },
    /// A key that has no meaning here.
    #[error("has no meaning here: {why}")]
    Useless {
        /// The reason.
        why: &'static str,
    },
    /// A word that is not among those that may stand here.
    #[error("there is no {found:?}; there are {known}{}", suggestion.as_ref().map(|word| format!(" - did you mean {word:?}?")).unwrap_or_default())]
    Word {
        /// The word.
        found: String,
        /// The words that may stand here.
        known: String,
        /// The word that may be meant.
        suggestion: Option<String>,
    },
    /// An expression that cannot be used.
    #[error("{0}")]
    Expression(#[from] Box<ExpressionError>),
    /// A number that must be positive.
    #[error("must be positive")]
    NotPositive,
    /// A bound of 0, or beyond 2^63.
    #[error("must be an integer from 1 to 2^63 - 1")]
    Count,
    /// A lower bound that is not below the upper one.
    #[error("the lower bound {low} is not below the upper bound {high}")]
    Reversed {
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
    },
    /// Equal bounds: every row would give the same, and the noise would be 0.
    #[error("both bounds are {value}, so the rows make no difference: use kind = \"count\"")]
    Equal {
        /// The bound.
        value: String,
    },
    /// A grid that the bounds do not lie on.
    #[error("the grid {grid} does not divide the bound {bound}: bounds must be multiples of the grid")]
    OffGrid {
        /// The grid.
        grid: String,
        /// The bound.
        bound: String,
    },
    /// Bounds for which no power of ten is a grid.
    #[error("no power of ten divides both bounds: declare a grid that does")]
    NoGrid,
    /// Bounds of 10^18 grid steps or more.
    #[error("a bound is {steps} grid steps, and there may be fewer than 10^18: choose a coarser grid")]
    TooFine {
        /// The bound in grid steps.
        steps: String,
    },
    /// Totals that might not fit.
    #[error(
        "rows times the larger bound is {product} grid steps, and a total of 2^63 rows must fit in 127 bits, so at most 2^64 - 1 are allowed"
    )]
    Overflow {
        /// The product.
        product: String,
    },
    /// So many rows that squares would have next to no digits.
    #[error(
        "the squares of {rows} rows would have fewer than {fewest} steps, since a total of 2^63 rows must fit in 127 bits: lower bounds.rows"
    )]
    Squares {
        /// The rows of a unit that count in a group.
        rows: u64,
        /// The steps that squares have at least.
        fewest: u64,
    },
    /// A quantile at no part of the values.
    #[error("must lie between 0 and 1, with a denominator of at most {most}")]
    Quantile {
        /// The largest denominator.
        most: i64,
    },
    /// Edges that do not increase, or fewer than two.
    #[error("there must be at least two edges, each above the one before it")]
    Edges,
    /// Two things of one name.
    #[error("the name is used twice")]
    Twice,
    /// A name whose interval would have the name of another column of the result.
    #[error("its interval and {name:?} would have the same name in the result: rename one")]
    IntervalName {
        /// The other name.
        name: String,
    },
    /// A name that cannot be a column of the result.
    #[error("a name must not be empty")]
    Nameless,
    /// No group, or no value, at all.
    #[error("there is no key, so nothing would be released")]
    NoKeys,
    /// Keys from the table whose rows are private.
    #[error(
        "this is the table itself, and what is in it would tell who is in it: list the groups or values, or take a file from elsewhere"
    )]
    KeysOfTable,
    /// More groups than there should be in one release.
    #[error("there are more than 10^7 keys")]
    TooManyKeys,
    /// A key that is declared twice.
    #[error("key {position} is the same as an earlier one")]
    DuplicateKey {
        /// Its place in the list or file, from 1.
        position: usize,
    },
    /// A key with an empty or missing part, which no row has.
    #[error("key {position} has an empty part, and empty cells are null")]
    EmptyKey {
        /// Its place in the list or file, from 1.
        position: usize,
    },
    /// A key with another number of parts than there are columns.
    #[error("key {position} has {found} parts, and there are {expected} columns")]
    KeyWidth {
        /// Its place in the list or file, from 1.
        position: usize,
        /// Its parts.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A file of keys with something else than text in it.
    #[error("{path}: line {line} is not UTF-8", path = path.display())]
    KeyEncoding {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Keys that cannot be read.
    #[error("{0}")]
    Keys(#[from] Box<TableError>),
    /// More integers than there should be in one release.
    #[error("{keys} groups of {width} integers are more than 10^8: ask for fewer groups or bins")]
    TooManyCells {
        /// The groups.
        keys: usize,
        /// The integers of a group.
        width: usize,
    },
    /// Queries that together ask for more than the release may cost.
    #[error("the queries ask for {asked} together, and the whole release may cost {whole}")]
    OverBudget {
        /// What the queries ask for.
        asked: String,
        /// What the release may cost.
        whole: String,
    },
}

/// Why a table does not fit a plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// A column that the table does not have.
    #[error("there is no column {name:?}{}", suggestion.as_ref().map(|word| format!(" - did you mean {word:?}?")).unwrap_or_default())]
    Missing {
        /// The column.
        name: String,
        /// The column of the table that may be meant.
        suggestion: Option<String>,
    },
    /// A column of which there are two.
    #[error("there are two columns {name:?}: rename one")]
    Twice {
        /// The column.
        name: String,
    },
}
