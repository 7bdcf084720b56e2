//! Where a value of a row comes from.

use std::borrow::Cow;

use crate::batch::Cell;
use crate::expression::{Row, Type};
use crate::number::Number;

/// A column of the table or a derived one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Column(usize),
    Derived(usize, Type),
}

impl Source {
    /// The value as canonical text, `None` if it is null.
    #[inline]
    pub(crate) fn text<'a>(&self, row: &Row<'a>) -> Option<Cow<'a, str>> {
        match self {
            Source::Column(column) => row.cell(*column).text(),
            // A text that became empty is null, as an empty cell is.
            Source::Derived(index, _) => row.derived[*index].clone().text().filter(|text| !text.is_empty()),
        }
    }

    /// The cell, if the value is one that has not been read as any type yet.
    #[inline]
    pub(crate) fn cell<'a>(&self, row: &Row<'a>) -> Option<Cell<'a>> {
        match self {
            Source::Column(column) => Some(row.cell(*column)),
            Source::Derived(..) => None,
        }
    }

    pub(crate) fn number(&self, row: &Row<'_>) -> Option<Number> {
        match self {
            Source::Column(column) => row.cell(*column).number(),
            Source::Derived(index, _) => row.derived[*index].clone().number(),
        }
    }
}
