//! The command line of `account`.

use clap::{Args, Subcommand, ValueEnum};
use lastbit::Rational;

use crate::args::exact;

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "A term is NAME:key=value[,key=value…][*times], with the names and keys of `lastbit noise`:
  laplace: epsilon=E | scale=B [,sensitivity=D] [,rate=R]
  discrete-laplace: epsilon=E | scale=B [,sensitivity=D]
  grid-laplace: epsilon=E | scale=B [,sensitivity=D] [,k=K] [,max-changed=C]
  gaussian: sigma=S | variance=V | rho=R [,sensitivity=D] [,rate=R]
  discrete-gaussian: sigma=S | variance=V | rho=R [,sensitivity=D]
  snapping: epsilon=E | scale=B, bound=B [,sensitivity=D] [,form=exact|float]
  randomized-response, noisy-max, pure: epsilon=E
  approximate: epsilon=E, delta=D      anything that is (ε, δ)-differentially private
  zcdp: rho=R                          anything that is ρ-zero-concentrated
  threshold: epsilon=E | scale=B, threshold=T [,keys=L]

The sensitivity is 1 if it is not given; rate=R is the probability of taking a row, where noise is added to a sum over a random sample of rows.

Examples:
  lastbit account --epsilon 25 laplace:epsilon=0.1*1000
  lastbit account --delta 1e-6 laplace:epsilon=0.1*1000 discrete-gaussian:variance=2500*1000 --json
  lastbit account --delta 1e-6 plan.txt
  lastbit noise laplace --epsilon 1 --sensitivity 1 --json data.txt > release.json; lastbit account --delta 1e-6 release.json
  lastbit account dp-sgd --sigma 1.1 --sample-rate 1/256 --steps 10000 --delta 1e-5
  lastbit account calibrate gaussian --times 10 --epsilon 1 --delta 1e-6"
)]
pub(crate) struct Account {
    #[command(subcommand)]
    pub(crate) special: Option<Special>,
    /// What was released: terms, or files of terms, claims or an exact audit
    ///
    /// A file has terms, one a line, with # for comments; or the JSON that `lastbit noise --json` prints; or that of `lastbit audit --json`, if it
    /// lists all outputs with rational probabilities. `-` is standard input.
    #[arg(value_name = "TERM|FILE")]
    pub(crate) terms: Vec<String>,
    #[command(flatten)]
    pub(crate) asked: Asked,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Subcommand)]
pub(crate) enum Special {
    /// Training with differentially private gradient descent: Gaussian noise on sums over Poisson samples
    ///
    /// Each step takes every row with the same probability, clips its gradient to 1 and adds Gaussian noise to the sum. Neighbours have one row
    /// more or less.
    #[command(after_help = "Example:
  lastbit account dp-sgd --sigma 1.1 --sample-rate 1/256 --steps 10000 --delta 1e-5")]
    DpSgd(DpSgd),
    /// The least noise with which many releases stay within ε and δ
    #[command(after_help = "Example:
  lastbit account calibrate gaussian --times 10 --epsilon 1 --delta 1e-6")]
    Calibrate(Calibrate),
}

#[derive(Args)]
pub(crate) struct DpSgd {
    /// The standard deviation of the noise, in units of the clipping norm
    #[arg(long, value_name = "SIGMA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) sigma: Rational,
    /// The probability with which a step takes a row, such as 1/256
    #[arg(long, value_name = "RATE", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) sample_rate: Rational,
    /// The number of steps
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) steps: String,
    #[command(flatten)]
    pub(crate) asked: Asked,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct Calibrate {
    /// The noise
    #[arg(value_enum)]
    pub(crate) noise: Noise,
    /// How far apart neighbours are
    #[arg(long, value_name = "D", value_parser = exact, allow_hyphen_values = true, default_value = "1")]
    pub(crate) sensitivity: Rational,
    /// The number of releases
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) times: u64,
    /// The ε that all releases together must keep
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) epsilon: Rational,
    /// The δ that all releases together must keep
    #[arg(long, value_name = "DELTA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) delta: Rational,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Noise {
    Laplace,
    DiscreteLaplace,
    Gaussian,
    DiscreteGaussian,
}

/// What is asked.
#[derive(Args)]
pub(crate) struct Asked {
    /// Compute the least δ at this ε; may be given several times
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) epsilon: Vec<Rational>,
    /// Compute the least ε at this δ; may be given several times
    #[arg(long, value_name = "DELTA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) delta: Vec<Rational>,
    /// Neighbours differ in N units instead of one, such as a family
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) group: u64,
    /// Show what an attacker can do: how often a guess is right, and the trade-off of misses and false alarms
    #[arg(long)]
    pub(crate) attacker: bool,
    /// Compute N points of the curve δ(ε), with a few digits
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) curve: usize,
}

/// How it is shown.
#[derive(Args)]
pub(crate) struct Shown {
    /// The number of certified digits, as far as time and memory allow
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) digits: usize,
    /// Print the sums of losses, the terms and the exact fractions, too
    #[arg(long)]
    pub(crate) details: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
