//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use lastbit::Rational;

use crate::account::args::Account;
use crate::attack::args::Attack;
use crate::audit::args::{Audit, Conformance};
use crate::bench::Bench;
use crate::budget::args::Budget;
use crate::certify::args::Certify;
use crate::choose::args::Choose;
use crate::prove::args::{Check, Fmt, Prove};
use crate::release::args::Release;
use crate::version;

/// Differential privacy that holds down to the last bit: released tables, noise, proofs and audits
///
/// Releases tables by group, adds noise to results, and says, as an exact fraction, how much privacy that costs. Noise is sampled exactly
/// and rounded once, so that the claim holds for the bits that are printed, not only for real numbers.
#[derive(Parser)]
#[command(name = "lastbit", version, long_version = version::LONG, max_term_width = 100)]
#[command(after_help = "Examples:
  lastbit release init trips.csv > release.toml
  lastbit release release.toml --ledger budget.db
  lastbit noise laplace --epsilon 1 --sensitivity 1 data.txt > noisy.txt
  lastbit noise laplace --epsilon 1 --sensitivity 1 --explain
  lastbit choose noisy-max --epsilon 1 --sensitivity 1 scores.txt
  lastbit prove mechanisms/snapping.lb
  lastbit prove mechanisms/snapping_f64.lb --epsilon 1 --bound 100
  lastbit audit snapping --epsilon 1 --bound 372 --inputs 371 372
  lastbit attack at-0.txt at-1.txt --epsilon 1
  lastbit noise --help")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Release counts, sums, means and histograms of a table by group
    ///
    /// Takes a table (CSV, plain or compressed, or Parquet) and a spec, or options, which say whose privacy is protected, which groups there are,
    /// what to compute and what it may cost. The released table goes to standard output, the claim to standard error. Every declared group is in the
    /// result; values have intervals, and negative ones are not raised to 0 unless you ask for it.
    ///
    /// With --ledger the release is charged to a budget before anything is computed, exactly once for each id; asked again, it shows the stored result.
    ///
    /// Exit codes: 0 the table is written; 1 the system failed; 2 the spec, the table or the ledger refuses, and nothing of the table is shown;
    /// 130 stopped by Ctrl-C.
    Release(Box<Release>),
    /// Budgets that outlive the process: make, show, limit and verify a ledger
    Budget(Box<Budget>),
    /// Add noise to numbers, one a line or a column of a CSV file
    ///
    /// Numbers come from FILE or standard input; noisy numbers go to standard output, one a line, and the claim to standard error: the
    /// mechanism, its parameters, and the privacy loss as an exact fraction.
    ///
    /// A file is read twice: first to check every line, so that nothing is written if one is bad; then to add the noise.
    /// A pipe can be read only once: it is processed in batches of 65,536 values, and batches before a bad line are written. Memory
    /// does not grow with the input, except with --json.
    ///
    /// The claim protects the values, but not how many there are.
    ///
    /// Noise is for results, not for rows. --sensitivity is over the whole column: if each line is a person, then adding noise to every line
    /// at sensitivity 1 protects nobody, since one person changes a line by more, or adds or removes it. Add up first (counts, sums per
    /// group), then add noise to the results, with the distance by which one person can change all of them together.
    ///
    /// Exit codes: 0 success; 2 a bad line, parameter or path; 1 any other failure, such as an output that is closed before all values are
    /// written; 130 stopped by Ctrl-C. The output then ends with a whole line, and a message says how many values were written; with --json
    /// nothing is written.
    Noise(Box<Noise>),
    /// Choose one of several candidates by their scores
    ///
    /// Scores come from FILE or standard input, one for each candidate. The number of the chosen candidate, from 1, or its label goes
    /// to standard output, and the claim to standard error: the mechanism, its parameters, and the privacy loss as an exact fraction.
    ///
    /// The claim protects the scores, but not the candidates nor how many there are.
    ///
    /// Exit codes: as for noise.
    Choose(Box<Choose>),
    /// Prove or refute privacy, and bound the floating-point error of programs
    ///
    /// For a mechanism over the reals in a *.lb file: whether its privacy claim is true. Its own proofs are checked step by step,
    /// otherwise one is searched for. A proved claim has a certificate; a false one has two inputs and an event that show it.
    ///
    /// For a program in FPCore, or a function of a *.lb file: a bound on the distance between its result in floating point and
    /// its result over the reals, for all inputs in the declared ranges, with the derivation and a certificate.
    ///
    /// For the floating-point snapping mechanism in a *.lb file: a bound on its privacy loss, case by case, from the error of
    /// its own noise.
    Prove(Box<Prove>),
    /// Check certificates of `lastbit prove`, without any search
    Check(Check),
    /// Write certificates of `lastbit prove` for other checkers: Coq, which can be run at once, and Gappa
    ///
    /// These may be certificates of an error bound, of the loss of the floating-point snapping mechanism, or of the privacy of
    /// mechanisms with finitely many samples and of the ideal snapping mechanism. The file for Coq starts with what it states, and ends
    /// with a proof that Coq checks on its own: you need not trust this program.
    Certify(Certify),
    /// Format files of the language of mechanisms
    Fmt(Fmt),
    /// Compute the true privacy loss of noise as it runs, exactly, with the output that shows it
    ///
    /// For two inputs it gives the exact probability of every output, the loss, the output that reaches it, and the outputs that only
    /// one input can produce. It audits the snapping mechanism, the samplers of `lastbit noise`, the textbook's Laplace mechanism, and
    /// programs in the language of mechanisms.
    Audit(Box<Audit>),
    /// Test any noise from the outside: what do the bits of its outputs give away?
    ///
    /// From samples for two inputs it finds an event in the bits of the outputs that tells the inputs apart, and a lower bound on the
    /// privacy loss with an exact confidence. The noise leaks if that bound exceeds the claim. The event is chosen on one half of the
    /// samples and tested on the other.
    Attack(Box<Attack>),
    /// Say what many releases cost together: δ at an ε, ε at a δ, from both sides
    ///
    /// The bounds are theorems: losses lie on an exact lattice, probabilities are integers, and only masses are rounded, up for the upper bound
    /// and down for the lower one. The parameters of all releases must be fixed before the first of them; if later ones are chosen after the outputs of
    /// earlier ones are seen, only the sums of pure and of zero-concentrated losses hold, within a limit fixed before. docs/accounting.md has the proofs.
    ///
    /// Exit codes: 0 answered; 2 no such term or question; 130 stopped by Ctrl-C.
    Account(Box<Account>),
    /// Recompute a file of exact values, or write one
    ///
    /// Such a file has parameters and the exact values that follow from them, so that implementations which share no code can be
    /// compared. docs/conformance.md describes it.
    Conformance(Box<Conformance>),
    /// Try programs with known answers, and time each of them
    Bench(Bench),
    /// Say what a word means: a rule, a lemma, a verdict, a mechanism, or a word of the glossary
    ///
    /// Without a word, all of them are listed. Exit codes: 0 explained; 2 no such word.
    #[command(after_help = "Examples:
  lastbit explain LAP-GEN
  lastbit explain UNDECIDED
  lastbit explain sensitivity --json")]
    Explain {
        /// The word, in capitals or not
        word: Vec<String>,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a script that completes this command in a shell
    #[command(after_help = "Examples:
  lastbit completions bash > ~/.local/share/bash-completion/completions/lastbit
  lastbit completions zsh > ~/.zfunc/_lastbit
  lastbit completions fish > ~/.config/fish/completions/lastbit.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands
    #[command(after_help = "Examples:
  lastbit man | man -l -
  lastbit man --dir ~/.local/share/man/man1")]
    Man {
        /// Write one page for each command into this directory, which is made if needed
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

#[derive(Args)]
#[command(after_help = "Which one?
  laplace            floats or integers, pure ε-differential privacy: the one to start with
  grid-laplace       floats on a grid of your choice, as OpenDP does it; costs a little more privacy
  discrete-laplace   integers (counts), pure ε-differential privacy
  gaussian           floats or integers, zero-concentrated (ρ-zCDP) and (ε, δ)-privacy
  discrete-gaussian  integers, zero-concentrated privacy (ρ-zCDP)
  snapping           Mironov's mechanism, outputs within a bound

Examples:
  lastbit noise laplace --epsilon 1 --sensitivity 1 data.txt
  cut -f2 data.tsv | lastbit noise discrete-laplace --epsilon 1/2 --sensitivity 1
  lastbit noise laplace --epsilon 1 --sensitivity 100 --column income people.csv --json")]
pub(crate) struct Noise {
    #[command(subcommand)]
    pub(crate) mechanism: Mechanism,
}

#[derive(Subcommand)]
pub(crate) enum Mechanism {
    /// The real Laplace mechanism, correctly rounded
    ///
    /// Prints the float (or, with --input i64, the integer) nearest to the exact real number x + b·L, where L has
    /// density exp(-|l|)/2. The loss is sensitivity/b, exactly.
    #[command(after_help = "Examples:
  lastbit noise laplace --epsilon 0.1 --sensitivity 1 data.txt
  lastbit noise laplace --scale 10 --sensitivity 1 --column age people.csv
  seq 10 | lastbit noise laplace --epsilon 1 --sensitivity 1 --input i64
  lastbit noise laplace --epsilon 0.1 --sensitivity 1 --explain")]
    Laplace(Laplace),
    /// The discrete Laplace mechanism on a grid of floats
    ///
    /// Rounds x to a multiple of 2^K and adds discrete Laplace noise on that grid. Rounding moves neighbouring inputs apart a
    /// little, for each value that differs: the loss depends on how many may, see --max-changed.
    #[command(after_help = "Examples:
  lastbit noise grid-laplace --epsilon 1 --sensitivity 1 --max-changed 1 data.txt
  lastbit noise grid-laplace --epsilon 1 --sensitivity 1 --k -10 data.txt
  seq 10 | lastbit noise grid-laplace --scale 1 --sensitivity 1 --k 0 --granularity 0 --max-changed 1")]
    GridLaplace(GridLaplace),
    /// The discrete Laplace (two-sided geometric) mechanism on integers
    ///
    /// Prints x + Z, where Z is z with probability proportional to exp(-|z|/b). The loss is sensitivity/b, exactly.
    #[command(after_help = "Examples:
  lastbit noise discrete-laplace --epsilon 1/2 --sensitivity 1 counts.txt
  lastbit noise discrete-laplace --scale 10 --sensitivity 1 --column visits people.csv --json")]
    DiscreteLaplace(DiscreteLaplace),
    /// The real Gaussian mechanism, correctly rounded
    ///
    /// Prints the float (or, with --input i64, the integer) nearest to the exact real number x + σ·G, where G has
    /// density exp(-g²/2)/√(2π). The loss is zero-concentrated: ρ = sensitivity²/(2σ²), exactly.
    ///
    /// With --epsilon and --delta, σ is the least one that is (ε, δ)-differentially private (Balle and Wang 2018), to 41 bits.
    #[command(after_help = "Examples:
  lastbit noise gaussian --rho 1/8 --sensitivity 1 data.txt
  lastbit noise gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 --column age people.csv
  lastbit noise gaussian --scale 20 --delta 1e-9 --sensitivity 2 --explain
  lastbit noise gaussian --accuracy 50 --confidence 0.95 --sensitivity 1 --input i64 counts.txt")]
    Gaussian(Gaussian),
    /// The discrete Gaussian mechanism on integers
    ///
    /// Prints x + Z, where Z is z with probability proportional to exp(-z²/(2σ²)). The loss is zero-concentrated:
    /// ρ = sensitivity²/(2σ²), exactly.
    #[command(after_help = "Examples:
  lastbit noise discrete-gaussian --rho 1/8 --sensitivity 1 counts.txt
  lastbit noise discrete-gaussian --scale 20 --sensitivity 2 --explain")]
    DiscreteGaussian(DiscreteGaussian),
    /// Mironov's snapping mechanism: outputs within a bound, on a grid
    ///
    /// Clamps x to [-B, B], adds real Laplace noise of scale b = sensitivity/epsilon, rounds to a multiple of Λ (the
    /// smallest power of two that is at least b) and clamps again.
    #[command(after_help = "Examples:
  lastbit noise snapping --epsilon 1 --sensitivity 1 --bound 1000 data.txt
  lastbit noise snapping --epsilon 1 --sensitivity 1 --bound 100 --form float --max-changed 1 data.txt")]
    Snapping(Snapping),
}

#[derive(Args)]
pub(crate) struct Laplace {
    #[command(flatten)]
    pub(crate) noise: EpsilonOrScale,
    #[command(flatten)]
    pub(crate) sensitivity: L1,
    #[command(flatten)]
    pub(crate) io: Io,
}

#[derive(Args)]
pub(crate) struct GridLaplace {
    #[command(flatten)]
    pub(crate) noise: EpsilonOrScale,
    #[command(flatten)]
    pub(crate) sensitivity: L1,
    /// The grid is the multiples of 2^K [default: about 2^-40 of the scale]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub(crate) k: Option<i32>,
    /// Neighbouring inputs differ in at most C values [default: all, counted in a file]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(crate) max_changed: Option<u64>,
    /// All values are multiples of 2^J (0 for whole numbers); checked. Can lower the loss
    #[arg(long, value_name = "J", allow_hyphen_values = true)]
    pub(crate) granularity: Option<i32>,
    #[command(flatten)]
    pub(crate) io: Io,
}

#[derive(Args)]
pub(crate) struct DiscreteLaplace {
    #[command(flatten)]
    pub(crate) noise: EpsilonOrScale,
    #[command(flatten)]
    pub(crate) sensitivity: L1,
    /// Use only integer comparisons, the same number for every value; slower. Same claim
    #[arg(long)]
    pub(crate) constant_time: bool,
    #[command(flatten)]
    pub(crate) io: Io,
}

#[derive(Args)]
pub(crate) struct Gaussian {
    #[command(flatten)]
    pub(crate) noise: GaussianNoise,
    #[command(flatten)]
    pub(crate) sensitivity: L2,
    #[command(flatten)]
    pub(crate) io: Io,
}

#[derive(Args)]
pub(crate) struct DiscreteGaussian {
    #[command(flatten)]
    pub(crate) noise: RhoOrScale,
    #[command(flatten)]
    pub(crate) sensitivity: L2,
    #[command(flatten)]
    pub(crate) io: Io,
}

#[derive(Args)]
pub(crate) struct Snapping {
    #[command(flatten)]
    pub(crate) noise: EpsilonOrScale,
    #[command(flatten)]
    pub(crate) sensitivity: L1,
    /// Inputs and outputs are clamped to [-B, B]; a double
    #[arg(long, value_name = "B", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) bound: Rational,
    /// Over the real numbers, or in double arithmetic as others ship it
    ///
    /// The float form loses a little more than its epsilon per unit, for each value that differs: that is taken off first, and
    /// the claim shows the double that is used.
    #[arg(long, value_enum, default_value_t = Form::Exact)]
    pub(crate) form: Form,
    /// For the float form: neighbouring inputs differ in at most C values [default: all, counted in a file]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(crate) max_changed: Option<u64>,
    #[command(flatten)]
    pub(crate) io: Io,
}

/// How much noise, for the mechanisms of pure privacy.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct EpsilonOrScale {
    /// The loss to allow: ε of pure differential privacy. Exact: 0.1 is 1/10, and 1/3 or 0x1p-3 will do
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Rational>,
    /// The scale b of the noise, instead of --epsilon: the loss is sensitivity/b
    #[arg(long, value_name = "B", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) scale: Option<Rational>,
}

/// How much noise, for the discrete Gaussian.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct RhoOrScale {
    /// The loss to allow: ρ of zero-concentrated differential privacy. Exact: 0.1 is 1/10
    #[arg(long, value_name = "RHO", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) rho: Option<Rational>,
    /// The scale σ of the noise, instead of --rho: the loss is sensitivity²/(2σ²)
    #[arg(long, value_name = "SIGMA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) scale: Option<Rational>,
}

/// How much noise, for the real Gaussian.
#[derive(Args)]
pub(crate) struct GaussianNoise {
    #[command(flatten)]
    pub(crate) amount: GaussianAmount,
    /// The δ of --epsilon; without --epsilon, also print the least ε at this δ
    #[arg(long, value_name = "DELTA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) delta: Option<Rational>,
    /// How likely a noisy value is to lie within --accuracy, such as 0.95
    #[arg(long, value_name = "P", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) confidence: Option<Rational>,
}

/// Exactly one of these.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct GaussianAmount {
    /// The loss to allow: ρ of zero-concentrated differential privacy. Exact: 0.1 is 1/10
    #[arg(long, value_name = "RHO", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) rho: Option<Rational>,
    /// The scale σ of the noise, instead of --rho: the loss is sensitivity²/(2σ²)
    #[arg(long, value_name = "SIGMA", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) scale: Option<Rational>,
    /// The least noise that is (ε, δ)-differentially private, instead of --rho; give --delta with it
    #[arg(long, value_name = "E", value_parser = exact, allow_hyphen_values = true, requires = "delta")]
    pub(crate) epsilon: Option<Rational>,
    /// The most noise that is within H of the value, instead of --rho; give --confidence with it
    #[arg(long, value_name = "H", value_parser = exact, allow_hyphen_values = true, requires = "confidence")]
    pub(crate) accuracy: Option<Rational>,
}

#[derive(Args)]
pub(crate) struct L2 {
    /// The L2 distance between the columns of two neighbouring inputs
    ///
    /// The square root of the sum of squares of how much each value can differ, over the whole column, if one person's data
    /// is added, removed or changed. It follows from what the column means and cannot be read off the data.
    #[arg(id = "sensitivity", long, value_name = "D", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) value: Rational,
}

#[derive(Args)]
pub(crate) struct L1 {
    /// The L1 distance between the columns of two neighbouring inputs
    ///
    /// The sum of how much each value can differ, over the whole column, if one person's data is added, removed or changed.
    /// It follows from what the column means and cannot be read off the data.
    #[arg(id = "sensitivity", long, value_name = "D", value_parser = exact, allow_hyphen_values = true)]
    pub(crate) value: Rational,
}

#[derive(Args)]
pub(crate) struct Io {
    /// Numbers, one a line; `-` or nothing is standard input
    ///
    /// Lines may end in LF or CRLF; spaces and tabs around a number are ignored. Floats may be decimal (1.5, -2e-3) or
    /// hexadecimal (0x1.8p3). NaN, infinities and blank lines (but one at the end) are bad lines.
    ///
    /// A number is exactly what the text says. laplace, gaussian, and snapping in its exact form, add noise to any decimal; the others
    /// take only numbers of their own type, which 0.1 is not.
    pub(crate) file: Option<PathBuf>,
    /// The type of the numbers [default: f64; i64 for the discrete mechanisms]
    #[arg(long, value_enum, value_name = "TYPE")]
    pub(crate) input: Option<InputType>,
    /// Print C99 hexadecimal floats (0x1.8p+0), which show every bit
    ///
    /// Without it, floats have the fewest digits that read back as the same float: plain if 1e-5 <= |x| < 1e16 or x = 0, with
    /// an exponent (1.5e300) otherwise.
    #[arg(long)]
    pub(crate) hex: bool,
    #[command(flatten)]
    pub(crate) shared: SharedIo,
    #[command(flatten)]
    pub(crate) book: crate::charged::NoiseBook,
}

/// What noise and choices read and print alike.
#[derive(Args)]
pub(crate) struct SharedIo {
    /// Read this column of CSV with a header line: a name, or a number from 1
    ///
    /// No column that is not named is ever copied to the output.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(crate) column: Option<String>,
    /// The CSV has no header line: columns are numbers
    #[arg(long, requires = "column")]
    pub(crate) no_header: bool,
    /// Print the claim and the results as one JSON object
    ///
    /// All or nothing: the results are kept in memory until all of them are there, and then printed.
    #[arg(long)]
    pub(crate) json: bool,
    /// The unit in which neighbouring inputs differ, such as person; part of the claim
    ///
    /// Claims about different columns add only if they name the same unit.
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: Option<String>,
    /// Show the text of a bad line in the message about it
    ///
    /// Without it messages say where and what is wrong, not what is there: values are private, and messages end up in logs.
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Explain the mechanism, how far its results stray and what the loss means; reads no input
    #[arg(long)]
    pub(crate) explain: bool,
    /// For tests only: results that anyone can recompute from the seed N
    ///
    /// WARNING: a result with a seed has NO privacy, and claims none. The same seed gives the same noise, and who
    /// knows or guesses it can take the noise away.
    #[arg(
        long,
        value_name = "N",
        hide_short_help = true,
        conflicts_with = "explain",
        allow_hyphen_values = true
    )]
    pub(crate) insecure_seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputType {
    /// Doubles
    F64,
    /// Single-precision floats
    F32,
    /// Integers of 64 bits
    I64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Over the real numbers, sampled exactly: no excess loss
    Exact,
    /// Every operation in double arithmetic
    Float,
}

impl Mechanism {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Mechanism::Laplace(_) => "laplace",
            Mechanism::GridLaplace(_) => "grid-laplace",
            Mechanism::DiscreteLaplace(_) => "discrete-laplace",
            Mechanism::Gaussian(_) => "gaussian",
            Mechanism::DiscreteGaussian(_) => "discrete-gaussian",
            Mechanism::Snapping(_) => "snapping",
        }
    }

    pub(crate) fn io(&self) -> &Io {
        match self {
            Mechanism::Laplace(args) => &args.io,
            Mechanism::GridLaplace(args) => &args.io,
            Mechanism::DiscreteLaplace(args) => &args.io,
            Mechanism::Gaussian(args) => &args.io,
            Mechanism::DiscreteGaussian(args) => &args.io,
            Mechanism::Snapping(args) => &args.io,
        }
    }

    /// The type of the numbers: as asked for, or the natural one.
    pub(crate) fn input_type(&self) -> InputType {
        self.io().input.unwrap_or(match self {
            Mechanism::DiscreteLaplace(_) | Mechanism::DiscreteGaussian(_) => InputType::I64,
            _ => InputType::F64,
        })
    }

    /// The `2^J` of which all values are declared to be multiples.
    pub(crate) fn granularity(&self) -> Option<i32> {
        match self {
            Mechanism::GridLaplace(args) => args.granularity,
            _ => None,
        }
    }

    /// Whether noise is added to any real number, and not only to those of the type that results have.
    pub(crate) fn takes_any_decimal(&self) -> bool {
        match self {
            Mechanism::Laplace(_) | Mechanism::Gaussian(_) => true,
            Mechanism::Snapping(args) => args.form == Form::Exact,
            _ => false,
        }
    }

    /// How many values may differ between neighbours, if that was said.
    pub(crate) fn max_changed(&self) -> Option<u64> {
        match self {
            Mechanism::GridLaplace(args) => args.max_changed,
            Mechanism::Snapping(args) if args.form == Form::Float => args.max_changed,
            _ => None,
        }
    }

    /// How far apart neighbours are.
    pub(crate) fn sensitivity(&self) -> &Rational {
        match self {
            Mechanism::Laplace(args) => &args.sensitivity.value,
            Mechanism::GridLaplace(args) => &args.sensitivity.value,
            Mechanism::DiscreteLaplace(args) => &args.sensitivity.value,
            Mechanism::Gaussian(args) => &args.sensitivity.value,
            Mechanism::DiscreteGaussian(args) => &args.sensitivity.value,
            Mechanism::Snapping(args) => &args.sensitivity.value,
        }
    }
}

/// A parameter: what the text says, not the nearest double.
pub(crate) fn exact(text: &str) -> Result<Rational, String> {
    text.parse().map_err(|e: lastbit_real::ParseNumberError| e.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
