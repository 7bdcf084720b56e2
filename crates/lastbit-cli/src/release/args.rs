//! The command line of `release`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lastbit::Rational;

use crate::args::exact;
use crate::prove::limits::Size;

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  lastbit release init trips.csv > release.toml
  lastbit release release.toml --dry-run
  lastbit budget create budget.db --dataset trips-2026 --epsilon 3
  lastbit release release.toml --ledger budget.db
  lastbit release trips.csv --unit rider --by city --keys cities.txt --count trips --sum fare=0..100 \\
      --epsilon 1 --max-groups 3 --max-rows 5"
)]
pub(crate) struct Release {
    #[command(subcommand)]
    pub(crate) init: Option<Special>,
    /// A spec (*.toml), or the table itself with the options below
    #[arg(value_name = "SPEC|DATA", required = true)]
    pub(crate) from: Vec<String>,
    #[command(flatten)]
    pub(crate) book: Book,
    /// Show what the release would cost, how far off it would be and what the ledger would have left, without reading the table or charging anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) processing: Processing,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) asked: Box<Asked>,
}

#[derive(Subcommand)]
pub(crate) enum Special {
    /// Write a commented spec for a table: based on the names and types of its columns, never on its values
    Init {
        /// The table
        data: PathBuf,
    },
}

/// The ledger.
#[derive(Args)]
#[command(next_help_heading = "Ledger")]
pub(crate) struct Book {
    /// Charge the release to this ledger, once
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// The name of the release: asked again under the same name, the stored result is shown at no charge [default: derived from the plan]
    #[arg(long, requires = "ledger")]
    pub(crate) id: Option<String>,
    /// Who asks, if the ledger has budgets by analyst
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub(crate) analyst: Option<String>,
    /// Accept a ledger on a network file system; only one machine may use it
    #[arg(long, requires = "ledger")]
    pub(crate) force_network: bool,
}

/// Where the result goes.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Print the claim, the table and what the ledger says as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the table as CSV (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the table as Parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) parquet: Option<PathBuf>,
    /// Write a page for the person who signs, in plain words: text, or HTML if the name ends in .html (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) statement: Option<PathBuf>,
    /// Print all groups, not only the first 40
    #[arg(long)]
    pub(crate) all: bool,
    /// For auditors who have the table: the hash of the exact aggregates and counts of rows, to standard error. These are NOT private
    #[arg(long)]
    pub(crate) digest: bool,
}

/// What is done to noisy values; none of it costs anything.
#[derive(Args)]
#[command(next_help_heading = "Values")]
pub(crate) struct Processing {
    /// The probability that an interval contains the value without noise
    #[arg(long, value_name = "P", value_parser = exact, allow_hyphen_values = true, default_value = "0.95")]
    pub(crate) confidence: Rational,
    /// Show negative counts and sums as 0; adding them up then gives too much on average
    #[arg(long)]
    pub(crate) non_negative: bool,
    /// Round values to integers
    #[arg(long, conflicts_with = "digits")]
    pub(crate) integers: bool,
    /// Round values to N digits after the decimal point
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub(crate) digits: Option<u32>,
}

/// How to compute; no result depends on it.
#[derive(Args)]
#[command(next_help_heading = "Computing")]
pub(crate) struct Limits {
    /// How many bytes of rows to keep in memory, such as 500MB; the rest goes to a temporary file
    #[arg(long, value_name = "SIZE", default_value = "256MB")]
    pub(crate) memory: Size,
    /// The number of threads [default: one for every core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZero<usize>>,
    /// For tests only: noise that anyone can recompute from the seed N
    ///
    /// WARNING: a result with a seed has NO privacy, and claims none.
    #[arg(long, value_name = "N", hide_short_help = true, conflicts_with = "ledger")]
    pub(crate) insecure_seed: Option<u64>,
}

/// What is asked, without a spec.
#[derive(Args)]
#[command(next_help_heading = "Without a spec")]
pub(crate) struct Asked {
    /// Whose privacy is protected: a column, several columns separated by commas, or `row` if every row belongs to somebody else
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) unit: Vec<String>,
    /// The name of the data in the ledger
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// The columns to group by
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// All groups: a file with one group a line, a public table with these columns, or values separated by commas
    #[arg(long, value_name = "FILE|VALUES")]
    pub(crate) keys: Option<String>,
    /// Count rows, under this name
    #[arg(long, value_name = "NAME")]
    pub(crate) count: Vec<String>,
    /// Count units, under this name
    #[arg(long, value_name = "NAME")]
    pub(crate) count_units: Vec<String>,
    /// Sum a column after clamping each value to these bounds: fare=0..100, or total:fare=0..100 for another name
    #[arg(long, value_name = "COLUMN=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) sum: Vec<String>,
    /// The mean of a column, clamped in the same way
    #[arg(long, value_name = "COLUMN=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) mean: Vec<String>,
    /// The variance of such a column: of the values that there are, not of those that they are a sample of
    #[arg(long, value_name = "COLUMN=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) variance: Vec<String>,
    /// The standard deviation of such a column, which is the root of its variance
    #[arg(long, value_name = "COLUMN=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) std: Vec<String>,
    /// The median of a column, which is one of these candidates: fare=0,5,10,20,50
    #[arg(long, value_name = "COLUMN=EDGES", allow_hyphen_values = true)]
    pub(crate) median: Vec<String>,
    /// The quantile of a column below which this part of the values lies, which is one of these candidates: fare@0.9=0,5,10,20,50
    #[arg(long, value_name = "COLUMN@Q=EDGES", allow_hyphen_values = true)]
    pub(crate) quantile: Vec<String>,
    /// How many of these values of a column occur: city=Bern,Biel, or city=FILE with one a line
    #[arg(long, value_name = "COLUMN=VALUES|FILE")]
    pub(crate) distinct: Vec<String>,
    /// Count rows in bins of a column, with these edges: age=0,18,65,120
    #[arg(long, value_name = "COLUMN=EDGES", allow_hyphen_values = true)]
    pub(crate) histogram: Vec<String>,
    /// How far off a query may be, instead of what it costs: trips=20, or trips=20@0.99 with another probability than 0.95
    #[arg(long, value_name = "NAME=WIDTH")]
    pub(crate) within: Vec<String>,
    /// Count only rows for which this is true, such as 'fare > 0 and not (city is null)'
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(crate) filter: Option<String>,
    /// The most groups that one unit counts in
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_groups: Option<u64>,
    /// The most rows of one unit that count in one group
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_rows: Option<u64>,
    /// ε of the whole release
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Rational>,
    /// ρ of the whole release, for zero-concentrated privacy with Gaussian noise
    #[arg(long, value_name = "RHO", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) rho: Option<Rational>,
    /// δ of the whole release, together with --epsilon, for Gaussian noise
    #[arg(long, value_name = "DELTA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) delta: Option<Rational>,
    /// The character that separates the cells of a CSV file
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<char>,
}

impl Asked {
    /// The first option that a spec has instead.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--unit", !self.unit.is_empty()),
            ("--dataset", self.dataset.is_some()),
            ("--by", !self.by.is_empty()),
            ("--keys", self.keys.is_some()),
            ("--count", !self.count.is_empty()),
            ("--count-units", !self.count_units.is_empty()),
            ("--sum", !self.sum.is_empty()),
            ("--mean", !self.mean.is_empty()),
            ("--variance", !self.variance.is_empty()),
            ("--std", !self.std.is_empty()),
            ("--median", !self.median.is_empty()),
            ("--quantile", !self.quantile.is_empty()),
            ("--distinct", !self.distinct.is_empty()),
            ("--histogram", !self.histogram.is_empty()),
            ("--within", !self.within.is_empty()),
            ("--filter", self.filter.is_some()),
            ("--max-groups", self.max_groups.is_some()),
            ("--max-rows", self.max_rows.is_some()),
            ("--epsilon", self.epsilon.is_some()),
            ("--rho", self.rho.is_some()),
            ("--delta", self.delta.is_some()),
            ("--delimiter", self.delimiter.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}
