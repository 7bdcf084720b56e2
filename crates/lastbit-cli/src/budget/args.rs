//! The command line of `budget`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lastbit::Rational;

use crate::args::exact;

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit budget create budget.db --dataset trips-2026 --unit rider --epsilon 3
  lastbit budget create budget.db --dataset visits --epsilon 1 --delta 1e-6
  lastbit budget show budget.db
  lastbit budget limit budget.db --dataset trips-2026 --analyst ann --epsilon 1
  lastbit budget verify budget.db --head 17:…")]
pub(crate) struct Budget {
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Subcommand)]
pub(crate) enum Action {
    /// Declare a dataset and the most that all releases from it may cost; creates the ledger if there is none
    Create(Create),
    /// Show what was spent of each budget, and what is left
    Show(Shown),
    /// Set another limit for a dataset, or for one analyst's releases from it
    ///
    /// What was spent stays spent, and may be more than a lower limit. The change is an entry of its own.
    Limit(Limit),
    /// List all entries in order
    History(Shown),
    /// Check all hashes, sums and rules of the ledger, and whether it has the entry that a claim names
    ///
    /// Exit codes: 0 all holds; 1 something is broken, or the entry is missing: the ledger is an older copy, or another one.
    Verify(Verify),
    /// Verify the ledger, then print all of it as JSON
    Export(Export),
}

#[derive(Args)]
pub(crate) struct File {
    /// The ledger
    #[arg(value_name = "LEDGER")]
    pub(crate) path: PathBuf,
    /// Accept a ledger on a network file system; only one machine may use it
    #[arg(long)]
    pub(crate) force_network: bool,
}

#[derive(Args)]
pub(crate) struct Create {
    #[command(flatten)]
    pub(crate) file: File,
    /// The name of the data
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: String,
    /// Whose privacy is protected, such as rider: the unit of all releases [default: that of the first release]
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: Option<String>,
    #[command(flatten)]
    pub(crate) amount: Amount,
}

#[derive(Args)]
pub(crate) struct Limit {
    #[command(flatten)]
    pub(crate) file: File,
    /// The name of the data
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: String,
    /// Limit the releases of this person
    #[arg(long, value_name = "NAME")]
    pub(crate) analyst: Option<String>,
    #[command(flatten)]
    pub(crate) amount: Amount,
}

/// The most that releases may cost together.
#[derive(Args)]
pub(crate) struct Amount {
    /// The most that pure losses may add up to; with --delta, all releases together are (ε, δ)-differentially private
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true, required_unless_present = "rho", conflicts_with = "rho")]
    pub(crate) epsilon: Option<Rational>,
    /// The most that zero-concentrated losses may add up to; pure losses are converted
    #[arg(long, value_name = "RHO", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) rho: Option<Rational>,
    /// The δ that goes with --epsilon
    #[arg(long, value_name = "DELTA", value_parser = exact, allow_hyphen_values = true, requires = "epsilon", conflicts_with = "rho")]
    pub(crate) delta: Option<Rational>,
}

#[derive(Args)]
pub(crate) struct Shown {
    #[command(flatten)]
    pub(crate) file: File,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) file: File,
    /// The entry that a claim names, such as 17:3f…
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) file: File,
}
