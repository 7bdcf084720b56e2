//! A closed plan: everything that a release will do, settled before any row is read.

mod build;
mod describe;
mod fault;
mod grid;
mod keys;
mod privacy;
mod query;
mod source;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use describe::{ComponentDescription, Description, QueryDescription};
pub use fault::{HeaderError, PlanError, PlanFault};
pub use privacy::{Measure, Noise, Privacy};
pub use query::{Component, Query, QueryKind, Released, Spread};

pub(crate) use grid::Grid;
pub(crate) use keys::{Keys, put_key_part};
pub(crate) use query::{Reading, Slot, Tally};
pub(crate) use source::Source;

use crate::expression::Expression;
use crate::spec::{Spec, TableSpec};
use crate::suggest::closest;

/// A release, settled but for the rows: which columns, groups and bounds, what each query costs and how far one unit moves it.
///
/// [`Spec::plan`] makes one, and [`aggregate`](crate::aggregate) answers it.
#[derive(Debug)]
pub struct Plan {
    pub(crate) table: TableSpec,
    pub(crate) base: PathBuf,
    /// The columns of the table that are needed.
    pub(crate) columns: Vec<String>,
    /// Derived columns, each after those that it needs.
    pub(crate) derived: Vec<Derived>,
    pub(crate) filter: Option<Filter>,
    /// The columns of the unit, `None` if it is the row.
    pub(crate) unit: Option<Vec<Source>>,
    pub(crate) unit_names: Vec<String>,
    pub(crate) by: Vec<Source>,
    pub(crate) by_names: Vec<String>,
    pub(crate) keys: Arc<Keys>,
    /// Groups in which a unit counts at most; never more than there are.
    pub(crate) groups: u64,
    /// Rows of a unit that count in a group.
    pub(crate) rows: u64,
    pub(crate) salt: String,
    pub(crate) slots: Vec<Slot>,
    pub(crate) queries: Vec<Query>,
    /// The integers of a group, over all components of all queries.
    pub(crate) width: usize,
    /// The integers that are added up for a group, from which those follow.
    pub(crate) tallied: usize,
    pub(crate) privacy: Privacy,
}

#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) expression: Expression,
}

#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) text: String,
    pub(crate) expression: Expression,
}

impl Spec {
    /// The plan for this request. Reads the files of public keys, and nothing of the table.
    ///
    /// # Errors
    ///
    /// If something is missing, contradicts itself, or would make a claim wrong: with the key of the spec and what to do.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        build::plan(self).map_err(|(key, fault)| {
            // The most precise line that is known: `query fares, bounds` is on that of `query fares`.
            let places =
                [key.as_str(), key.split(", ").next().unwrap_or(&key), key.split('.').next().unwrap_or(&key)];
            let line = places.iter().find_map(|place| self.lines.get(*place)).copied();
            PlanError { key, line, fault }
        })
    }
}

impl Plan {
    /// The name of the data for the ledger.
    pub fn dataset(&self) -> Option<&str> {
        self.table.dataset.as_deref()
    }

    /// The columns of the table that are needed, in the order in which batches have them.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Checks that a table with these columns has all that are needed, each once; the place of each needed one.
    ///
    /// # Errors
    ///
    /// The first column that is missing, with the name that may be meant, or that is there twice.
    pub fn check_header<S: AsRef<str>>(&self, header: &[S]) -> Result<Vec<usize>, HeaderError> {
        places(&self.columns, header)
    }

    /// The questions.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// What the release may cost.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// The columns whose values make a group.
    pub fn by(&self) -> &[String] {
        &self.by_names
    }

    /// All groups, sorted: for each of them one text a column.
    pub fn keys(&self) -> &[Vec<String>] {
        self.keys.sorted()
    }

    /// Whether every row is a unit of its own.
    pub fn unit_is_row(&self) -> bool {
        self.unit.is_none()
    }

    /// The expressions that make the unit, by name: of its columns that are derived, and of all that these mention. A derived unit is another unit
    /// than a column of that name.
    pub fn unit_derivations(&self) -> Vec<(&str, &str)> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        // Each is after those that it needs; a name that only looks like one does no harm.
        for Derived { name, text, .. } in self.derived.iter().rev() {
            let is_mentioned = found.iter().any(|(_, text)| text.contains(name.as_str()));
            if is_mentioned || self.unit_names.contains(name) {
                found.push((name, text));
            }
        }
        found
    }

    /// Groups in which a unit counts at most: the declared bound, or the number of groups if there are fewer.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// Rows of a unit that count in one group at most.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// The place in a header of each needed column.
///
/// # Errors
///
/// The first column that is missing, with the name that may be meant, or that is there twice.
pub fn places<S: AsRef<str>>(needed: &[String], header: &[S]) -> Result<Vec<usize>, HeaderError> {
    let mut known: HashMap<&str, (usize, bool)> = HashMap::with_capacity(header.len());
    for (place, column) in header.iter().enumerate() {
        known.entry(column.as_ref()).and_modify(|known| known.1 = true).or_insert((place, false));
    }
    // Without any of the names, the first line may be one of persons: then it must not be in a message.
    let is_header = needed.iter().any(|name| known.contains_key(name.as_str()));
    let place = |name: &String| match known.get(name.as_str()) {
        Some((place, false)) => Ok(*place),
        Some((_, true)) => Err(HeaderError::Twice { name: name.clone() }),
        None => {
            // What no name looks like may be cells, where line ends or quotes are not those of the file.
            let is_name =
                |column: &&str| is_header && column.len() <= 200 && !column.contains(char::is_control);
            let suggestion = closest(name, header.iter().map(AsRef::as_ref).filter(is_name));
            let suggestion = suggestion.map(str::to_owned);
            Err(HeaderError::Missing { name: name.clone(), suggestion })
        }
    };
    needed.iter().map(place).collect()
}
