//! Expressions of one row: filters and derived columns.
//!
//! ```text
//! fare + tip / 2          clamp(fare, 0, 100)      city = 'Bern' and fare >= 2.50
//! round(fare, 0.05)       lower(city)              not (fare is null) or year(day) = 2024
//! ```
//!
//! Numbers are exact. A cell that is not what the expression reads it as is null, and so are quotients by zero and results beyond 4096 bits:
//! no row can make an expression fail, because a failure would tell something about that row. Nulls follow SQL: `null and false` is false,
//! `null or true` is true, everything else that meets a null is null, and a filter keeps the rows where it is true.
//!
//! Names with other signs than letters, digits, `_` and `.` go into backticks or double quotes, text into single quotes. A column has no type of
//! its own: it is read as what it is used for, and where that is open (`a = b`), `number(a)`, `text(a)` or `date(a)` say it.

mod check;
mod error;
mod evaluate;
mod parse;
mod token;

pub use error::{ExpressionError, ExpressionFault};

pub(crate) use check::{Scope, Type, check};
pub(crate) use evaluate::{Expression, Row};
pub(crate) use parse::parse;
