//! What somebody asks of a table, as they write it in a file.
//!
//! ```toml
//! filter = "fare is not null"
//!
//! [table]
//! path = "trips-*.csv.gz"      # or a list; "-" is standard input
//! dataset = "city bikes 2024"  # the name under which a ledger keeps its budget
//! unit = "rider"               # whose privacy it is: a column, several columns, or "row"
//!
//! [derive]
//! day = "date(started)"
//!
//! [bounds]
//! groups = 3                   # groups that a unit can change
//! rows = 5                     # rows of a unit that count in a group
//!
//! [by]
//! columns = "city"
//! keys = ["Bern", "Genève"]    # or a file, or a public table
//!
//! [privacy]
//! measure = "pure"             # or "zcdp", "approx"
//! epsilon = 1
//!
//! [[query]]
//! name = "trips"
//! kind = "count"
//!
//! [[query]]
//! name = "fares"
//! kind = "sum"
//! column = "fare"
//! bounds = [0, 100]
//! ```
//!
//! Numbers are read as written: `0.1` is one tenth, and `"1/3"` is a third.

mod error;
mod toml_text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lastbit_real::Rational;

use crate::read;
pub use error::SpecError;

/// A request for a release. [`Spec::parse`] reads one from TOML; front ends with options fill one in.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Spec {
    /// The table.
    pub table: TableSpec,
    /// Derived columns: names and expressions. The table's own column is meant where a column's name is in its own expression.
    pub derive: BTreeMap<String, String>,
    /// The rows that count: those where this expression is true.
    pub filter: Option<String>,
    /// How much of the result one unit can change.
    pub bounds: BoundsSpec,
    /// The groups; `None` is one group of all rows.
    pub by: Option<BySpec>,
    /// The questions.
    pub queries: Vec<QuerySpec>,
    /// What the release may cost.
    pub privacy: PrivacySpec,
    /// The folder that relative paths begin at.
    pub base: PathBuf,
    /// Lines of keys in the file, for messages.
    pub(crate) lines: BTreeMap<String, usize>,
}

/// The table and how to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSpec {
    /// Files, patterns such as `trips-*.csv`, or `-` for standard input.
    pub paths: Vec<String>,
    /// The name of the data for the ledger.
    pub dataset: Option<String>,
    /// Whose privacy it is; must be given.
    pub unit: Option<Unit>,
    /// The format of the files; `None` tells it from their names.
    pub format: Option<Format>,
    /// The sign between the cells of a CSV file.
    pub delimiter: u8,
    /// The sign around cells of a CSV file that have a delimiter or a line break inside.
    pub quote: u8,
}

impl Default for TableSpec {
    fn default() -> Self {
        TableSpec { paths: Vec::new(), dataset: None, unit: None, format: None, delimiter: b',', quote: b'"' }
    }
}

/// Whose privacy it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Every row is somebody else.
    Row,
    /// Rows with the same values in these columns are one unit.
    Columns(Vec<String>),
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values, or another separator.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// How much of the result one unit can change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundsSpec {
    /// Groups that a unit counts in at most.
    pub groups: Option<u64>,
    /// Rows of a unit that count in one group at most.
    pub rows: Option<u64>,
    /// A text that settles which groups are kept of a unit that has too many. It is no secret.
    pub salt: Option<String>,
}

/// The groups.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BySpec {
    /// The columns whose values make a group.
    pub columns: Vec<String>,
    /// All groups.
    pub keys: KeysSpec,
}

impl BySpec {
    /// Groups by these columns.
    pub fn new(columns: Vec<String>, keys: KeysSpec) -> BySpec {
        BySpec { columns, keys }
    }
}

/// All groups, declared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeysSpec {
    /// One text a column for every group.
    List(Vec<Vec<String>>),
    /// All combinations of these values of the columns.
    Product(BTreeMap<String, Vec<String>>),
    /// A file with a group a line, or a public table that has the columns.
    File(String),
}

/// A question.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct QuerySpec {
    /// The name of the answer.
    pub name: String,
    /// One of `count`, `count-units`, `sum`, `mean`, `variance`, `std`, `median`, `quantile`, `distinct` and `histogram`.
    pub kind: String,
    /// The column that is asked about.
    pub column: Option<String>,
    /// The least and the largest value of a row; others are moved there.
    pub bounds: Option<[Rational; 2]>,
    /// The step to which values are rounded.
    pub grid: Option<Rational>,
    /// The edges of the bins of a histogram, or the candidates of a quantile.
    pub edges: Option<Vec<Rational>>,
    /// The part of the values that is to lie below a quantile.
    pub q: Option<Rational>,
    /// The values that may occur, of which those are counted that do: a list of one text each, or a file.
    pub values: Option<KeysSpec>,
    /// What this question may cost, in ε.
    pub epsilon: Option<Rational>,
    /// What this question may cost, in ρ.
    pub rho: Option<Rational>,
    /// How far off the answer may be; noise is not known here, so a front end turns it into an ε or ρ before there is a plan.
    pub within: Option<Accuracy>,
    /// The part of the common budget for this question, relative to the others; 1 if it is not given.
    pub share: Option<Rational>,
}

/// How far off an answer may be, by noise alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accuracy {
    /// At most this far,
    pub half_width: Rational,
    /// with this probability.
    pub confidence: Rational,
}

impl Accuracy {
    /// At most so far, with this probability; 0.95 if none is given.
    pub fn new(half_width: Rational, confidence: Option<Rational>) -> Accuracy {
        let usual = || Rational::new(19, 20).expect("20 is not 0");
        Accuracy { half_width, confidence: confidence.unwrap_or_else(usual) }
    }
}

/// What the release may cost. The plan divides it among the questions; it spends nothing.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct PrivacySpec {
    /// `pure`, `zcdp` or `approx`; told from the numbers if it is not given.
    pub measure: Option<String>,
    /// ε of the whole release.
    pub epsilon: Option<Rational>,
    /// ρ of the whole release.
    pub rho: Option<Rational>,
    /// δ of the whole release.
    pub delta: Option<Rational>,
    /// `laplace` or `gaussian`; the usual one of the measure if it is not given.
    pub noise: Option<String>,
}

impl Spec {
    /// The request that a TOML text makes. Relative paths in it begin at the folder of `path`.
    ///
    /// # Errors
    ///
    /// If the text is no TOML, or has keys or values that a spec does not have: with the line, and the word that may be meant.
    pub fn parse(text: &str, path: &Path) -> Result<Spec, SpecError> {
        let mut spec = toml_text::parse(text)?;
        spec.base = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(spec)
    }

    /// Whether a file is the table's, also by a pattern, or the one with the keys: such files must not be written to.
    pub fn reads(&self, path: &Path) -> bool {
        let keys = match &self.by {
            Some(BySpec { keys: KeysSpec::File(keys), .. }) => Some(keys),
            _ => None,
        };
        let true_path = |path: &Path| path.canonicalize().ok();
        let are_keys = keys.is_some_and(|keys| {
            true_path(&self.base.join(keys)).is_some_and(|keys| true_path(path) == Some(keys))
        });
        are_keys || read::is_among(path, &self.base, &self.table.paths)
    }
}
