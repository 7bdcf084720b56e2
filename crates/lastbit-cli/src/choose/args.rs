//! The command line of `choose`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lastbit::Rational;

use crate::args::exact;

#[derive(Args)]
#[command(after_help = "Which one?
  noisy-max    the one to start with: never worse on average at the same loss, and up to twice as good
  exponential  where the probabilities matter, proportional to exp(score/b); takes weights

Examples:
  lastbit choose noisy-max --epsilon 1 --sensitivity 1 --monotone scores.txt
  lastbit choose noisy-max --epsilon 1 --sensitivity 1 --column votes --labels name candidates.csv
  lastbit choose exponential --epsilon 1/2 --sensitivity 1 --column score --weights length intervals.csv --json")]
pub(crate) struct Choose {
    #[command(subcommand)]
    pub(crate) mechanism: Mechanism,
}

#[derive(Subcommand)]
pub(crate) enum Mechanism {
    /// The largest score plus exponential noise, which is permute-and-flip
    ///
    /// Chooses the candidate with the largest score + b·E, where each E is real with density exp(-e), e > 0.
    #[command(after_help = "Examples:
  lastbit choose noisy-max --epsilon 1 --sensitivity 1 scores.txt
  printf '311\\n56\\n290\\n' | lastbit choose noisy-max --epsilon 1 --sensitivity 1 --monotone
  lastbit choose noisy-max --epsilon 1 --sensitivity 1 --explain")]
    NoisyMax(NoisyMax),
    /// The exponential mechanism: probabilities proportional to weight·exp(score/b)
    #[command(after_help = "Examples:
  lastbit choose exponential --epsilon 1 --sensitivity 1 scores.txt
  lastbit choose exponential --scale 2 --sensitivity 1 --column score --weights length intervals.csv")]
    Exponential(Exponential),
}

#[derive(Args)]
pub(crate) struct NoisyMax {
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Exponential {
    #[command(flatten)]
    pub(crate) common: Common,
    /// A column of positive weights, which must be public: a name, or a number from 1
    #[arg(long, value_name = "NAME|INDEX", requires = "column")]
    pub(crate) weights: Option<String>,
}

/// The amount of noise, as ε or as a scale.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct EpsilonOrScale {
    /// The loss to allow: ε of pure differential privacy. Exact: 0.1 is 1/10, and 1/3 or 0x1p-3 will do
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Rational>,
    /// The scale b of the noise, instead of --epsilon
    #[arg(long, value_name = "B", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) scale: Option<Rational>,
}

#[derive(Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) noise: EpsilonOrScale,
    /// How far one person can move a single score, up or down (L-infinity distance)
    ///
    /// The most that the score of any candidate can differ, if one person's data is added, removed or changed. It follows from what the
    /// scores mean and cannot be read off the data. The loss is 2·sensitivity/b; with --monotone, sensitivity/b.
    #[arg(long, value_name = "D", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) sensitivity: Rational,
    /// One person moves all scores in the same direction, as counts do when a person is added: halves the noise
    ///
    /// More generally: --sensitivity is how far any two scores can move apart (range distance).
    #[arg(long)]
    pub(crate) monotone: bool,
    /// Scores, one a line; `-` or nothing is standard input
    ///
    /// A number is exactly what the text says, and may be decimal (1.5, -2e-3) or hexadecimal (0x1.8p3). There is one line for each
    /// candidate, and how many there are is public. All scores are kept in memory.
    pub(crate) file: Option<PathBuf>,
    /// Read this column of CSV with a header line: a name, or a number from 1
    #[arg(long, value_name = "NAME|INDEX")]
    pub(crate) column: Option<String>,
    /// A column of labels, which must be public: prints that of the chosen candidate
    #[arg(long, value_name = "NAME|INDEX", requires = "column")]
    pub(crate) labels: Option<String>,
    /// The CSV has no header line: columns are numbers
    #[arg(long, requires = "column")]
    pub(crate) no_header: bool,
    /// Print the claim and the choice as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The unit in which neighbouring inputs differ, such as person; part of the claim
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: Option<String>,
    /// Show the text of a bad line in the message about it
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Explain the mechanism, how good its choice is and what the loss means; reads no input
    #[arg(long)]
    pub(crate) explain: bool,
    /// For tests only: a choice that anyone can recompute from the seed N
    ///
    /// WARNING: a choice with a seed has NO privacy, and claims none.
    #[arg(
        long,
        value_name = "N",
        hide_short_help = true,
        conflicts_with = "explain",
        allow_hyphen_values = true
    )]
    pub(crate) insecure_seed: Option<u64>,
}
