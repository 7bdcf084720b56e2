//! The arguments of `attack`.

use std::path::PathBuf;

use clap::Args;
use lastbit::Rational;

use crate::audit::args::given;
use crate::prove::args::number;
use lastbit_engine::audit::Given;

/// What follows the options, with -h and with --help.
macro_rules! examples {
    () => {
        "Examples:
  lastbit attack at-0.txt at-1.txt --epsilon 1 --inputs 0 1
  lastbit attack at-0.txt at-1.txt --epsilon 1 --delta 1e-5 --json
  lastbit attack at-0.txt at-1.txt --epsilon 1 --html report.html
  lastbit attack --command 'python3 noise.py {input} {samples}' --inputs 0 1 --epsilon 1
  lastbit attack --gallery --markdown gallery.md

Exit codes: 0 not seen to leak, or no --epsilon; 1 leaks; 2 bad input, or no samples; 3 too few samples; 130 stopped by Ctrl-C."
    };
}

#[derive(Args)]
#[command(after_help = examples!())]
#[command(after_long_help = concat!("Reading a report:
  event    what to look for in an output y. It was chosen on one half of the samples, and is
           tested on the other
  counts   how often it happens in the samples that test it
  bounds   on its probabilities, by Clopper and Pearson: each is wrong with probability (1 - C)/2
           at most
  samples  how many samples of each input it takes to show a loss above the claim: at least, with an
           event that tells the inputs apart every time; and with one as frequent as this one
  loss     at least ln((P - δ)/P'), rounded down: what (ε, δ)-differential privacy bounds by ε

Not seeing a leak does not mean that there is none. docs/attack.md has the rest.

", examples!()))]
pub(crate) struct Attack {
    /// Samples for the first input: a file with one number a line; - for standard input
    ///
    /// Numbers are decimal (1.5, -2e-3) or hexadecimal (0x1.8p3, as Python's float.hex() prints them), or nan, inf, -inf. Hexadecimal
    /// ones show every bit, and so do decimals with 17 digits. Blank lines are skipped.
    #[arg(value_name = "A", conflicts_with_all = ["command", "gallery"])]
    pub(super) first: Option<PathBuf>,
    /// Samples for the second input, in the same way
    #[arg(value_name = "B")]
    pub(super) second: Option<PathBuf>,
    /// The claimed loss: ε, exact. The noise leaks if its loss certainly exceeds it
    #[arg(long, value_name = "E", value_parser = number, conflicts_with = "gallery", allow_hyphen_values = true)]
    pub(super) epsilon: Option<Rational>,
    /// The claimed δ
    #[arg(long, value_name = "D", default_value = "0", value_parser = number, conflicts_with = "gallery")]
    #[arg(allow_hyphen_values = true)]
    pub(super) delta: Rational,
    /// The confidence in a leak: noise that keeps its claim is called leaky with probability at most 1 - C
    #[arg(long, value_name = "C", default_value = "0.999", value_parser = number, allow_hyphen_values = true)]
    pub(super) confidence: Rational,
    /// The two inputs of the mechanism, if they are known: then more events can be tried
    #[arg(long, num_args = 2, value_names = ["X", "Y"], value_parser = given, conflicts_with = "gallery", allow_hyphen_values = true)]
    pub(super) inputs: Option<Vec<Given>>,
    /// Draw the outputs of both inputs, with the event marked
    #[arg(long, conflicts_with_all = ["json", "gallery"])]
    pub(super) histogram: bool,
    /// Print how the loss follows and how the event was chosen, too, and the histograms
    #[arg(long, conflicts_with_all = ["json", "gallery"])]
    pub(super) details: bool,
    /// Print JSON, with exact fractions
    #[arg(long)]
    pub(super) json: bool,
    /// Write a report with drawings to this file, a self-contained page
    #[arg(long, value_name = "FILE", conflicts_with = "gallery")]
    pub(super) html: Option<PathBuf>,
    /// Take samples from this command, which sh runs once for each of --inputs
    ///
    /// {input} is replaced by the input and {samples} by their number. It prints one number a line.
    #[arg(long, value_name = "COMMAND", requires = "inputs", conflicts_with = "gallery")]
    pub(super) command: Option<String>,
    /// With --command or --gallery: samples for each input [default: 20000]
    #[arg(long, value_name = "N", conflicts_with = "first", allow_hyphen_values = true)]
    pub(super) samples: Option<usize>,
    /// Attack the noise of numpy, diffprivlib, opendp, python-dp and lastbit, and print a table
    ///
    /// Makes a virtual environment of Python, and installs missing packages there, which needs the network once. A
    /// mechanism that cannot be run has a row that says why, and the exit code is 2; otherwise it is 0, whatever is found.
    #[arg(long)]
    pub(super) gallery: bool,
    #[command(flatten)]
    pub(super) gallery_options: GalleryOptions,
}

#[derive(Args)]
#[command(next_help_heading = "With --gallery")]
pub(super) struct GalleryOptions {
    /// The virtual environment; used as it is if it has the packages [default: in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub(super) venv: Option<PathBuf>,
    /// The Python that makes it [default: python3]
    #[arg(long, value_name = "PYTHON")]
    pub(super) python: Option<PathBuf>,
    /// Write the table to this file, too
    #[arg(long, value_name = "FILE")]
    pub(super) markdown: Option<PathBuf>,
    /// Attack noise that is believed to be right this many times, and count the false alarms
    #[arg(long, value_name = "RUNS", allow_hyphen_values = true)]
    pub(super) false_alarms: Option<usize>,
}

impl GalleryOptions {
    /// The first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--venv", self.venv.is_some()),
            ("--python", self.python.is_some()),
            ("--markdown", self.markdown.is_some()),
            ("--false-alarms", self.false_alarms.is_some()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}
