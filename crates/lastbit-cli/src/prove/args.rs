//! The arguments of `prove`, `check` and `fmt`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use lastbit::Rational;
pub(crate) use lastbit_engine::number::parse as number;
use lastbit_engine::prove::DIGITS;
use lastbit_prove::analysis;

use super::limits::Limits;

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit prove kernel.fpcore
  lastbit prove kernel.fpcore --json --effort high
  lastbit prove kernel.fpcore --program doppler1 --tree
  lastbit prove mechanisms/standard/*.lb
  lastbit prove mechanisms/snapping.lb --details
  lastbit prove mechanisms/standard/sparse_vector.lb --program svt_1 --tree --certificate svt_1.json
  lastbit prove mechanisms/snapping.lb --cases --epsilon 1 --grid 1 --bound 4 --inputs 0 1
  lastbit prove mechanisms/snapping_f64.lb --epsilon 1 --bound 100
  lastbit prove mechanisms/snapping_f64.lb --epsilon 1 --bound 100 --of w --figure
  lastbit prove kernel.fpcore --rules paper --program doppler1
  lastbit prove mechanisms/standard/noisy_max.lb --timeout 10m --memory 8GB

Exit codes: 0 proved; 1 refuted, or a proof is rejected; 2 bad input, or a program without a bound; 3 undecided, also where
a limit was reached; 130 interrupted.")]
pub(crate) struct Prove {
    /// Programs in FPCore 2.0 (*.fpcore) or in the language of mechanisms (*.lb); - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON: an array with one object for each program
    #[arg(long)]
    pub(crate) json: bool,
    /// How hard to look for a tight bound: fast (milliseconds), normal (a second or two), high, or a number of boxes
    #[arg(long, value_name = "EFFORT", default_value = "normal", allow_hyphen_values = true)]
    pub(crate) effort: Effort,
    /// The rules of the error semantics: corrected, or as the papers print them, to see where they fail
    #[arg(long, value_enum, default_value_t = RuleSet::Corrected)]
    pub(crate) rules: RuleSet,
    /// With --rules paper: the point to look at, instead of searching for a failure
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) at: Vec<Assignment>,
    /// Only the program or declaration of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    /// The error of this variable of a *.lb file, instead of what is returned
    #[arg(long, value_name = "NAME")]
    pub(crate) of: Option<String>,
    /// Write the certificate to this file, or one for each program into this directory; `lastbit check` reads it
    #[arg(long, value_name = "PATH")]
    pub(crate) certificate: Option<PathBuf>,
    /// Take the arguments of FPCore programs for real numbers that are rounded on entry, instead of floats
    #[arg(long)]
    pub(crate) real_inputs: bool,
    /// The ideal snapping mechanism case by case: formulas, or numbers with --epsilon, --grid, --bound and --inputs
    #[arg(long)]
    pub(crate) cases: bool,
    /// Ask z3, if it is installed, where no proof of a premise is found; what rests on it is not certified
    #[arg(long)]
    pub(crate) oracle: bool,
    /// Print the program as FPCore, for other tools, and stop
    #[arg(long)]
    pub(crate) fpcore: bool,
    // Groups come last: their headings stand over everything that follows.
    #[command(flatten)]
    pub(crate) values: Values,
    #[command(flatten)]
    pub(crate) show: Show,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// What a *.lb file leaves open.
#[derive(Args)]
#[command(next_help_heading = "Values for *.lb files")]
pub(crate) struct Values {
    /// ε: the same as --param eps=E
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = number)]
    pub(crate) epsilon: Option<Rational>,
    /// The clamping bound: the same as --param B=B
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = number)]
    pub(crate) bound: Option<Rational>,
    /// Λ, the rounding grid, a power of two such as 2^-3: the same as --param L=Λ [default: the least that is at least 1/ε]
    #[arg(long, value_name = "Λ", allow_hyphen_values = true, value_parser = number)]
    pub(crate) grid: Option<Rational>,
    /// How far apart neighbouring inputs are [default: what the file says after `adjacent`]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = number)]
    pub(crate) sensitivity: Option<Rational>,
    /// The value of a parameter or argument
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) param: Vec<Assignment>,
    /// The range of a parameter or argument
    #[arg(long, value_name = "NAME=LO,HI", allow_hyphen_values = true)]
    pub(crate) range: Vec<Range>,
    /// The accuracy of a library function: ln=correctly_rounded, ln=1ulp, exp=0.84ulp
    #[arg(long, value_name = "FUNCTION=ACCURACY", allow_hyphen_values = true)]
    pub(crate) libm: Vec<Accuracy>,
    /// Two inputs whose thresholds L, R, L', R' are printed [default: B - D and B]
    #[arg(long, num_args = 2, value_names = ["F", "F'"], allow_hyphen_values = true, value_parser = number)]
    pub(crate) inputs: Option<Vec<Rational>>,
}

/// The options for how much is shown.
#[derive(Args)]
#[command(next_help_heading = "What is shown (derivations are of the whole box of inputs)")]
pub(crate) struct Show {
    /// Print tables, assumptions and all that the verdict rests on
    #[arg(long)]
    pub(crate) details: bool,
    /// Significant digits of bounds, which are rounded to the safe side
    #[arg(long, value_name = "N", default_value_t = DIGITS, value_parser = digits)]
    pub(crate) digits: usize,
    /// Print the derivation as a tree
    #[arg(long)]
    pub(crate) tree: bool,
    /// Print the derivation as the papers draw it, or as a tree where that is too wide
    #[arg(long)]
    pub(crate) figure: bool,
    /// Print the derivation as a LaTeX document (package bussproofs)
    #[arg(long)]
    pub(crate) latex: bool,
    /// Show this node of the derivation, with all its numbers
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) node: Option<usize>,
    /// Fold what lies deeper
    #[arg(long, value_name = "STEPS", default_value_t = 6, allow_hyphen_values = true)]
    pub(crate) depth: usize,
}

impl Show {
    pub(crate) fn is_asked(&self) -> bool {
        self.tree || self.figure || self.latex || self.node.is_some()
    }
}

/// A number of digits.
fn digits(text: &str) -> Result<usize, String> {
    const MOST: usize = 100;
    let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
    count.ok_or_else(|| format!("give a number of digits from 1 to {MOST}"))
}

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit prove kernel.fpcore --program doppler1 --certificate doppler1.json
  lastbit check doppler1.json
  lastbit check doppler1.json --program kernel.fpcore
  lastbit check laplace.json --program mechanisms/laplace.lb

A certificate is of an error bound or of privacy. The second kind holds the whole text of the mechanism, its samples, neighbours,
assumptions and claim; with --program, the mechanism of the same name in FILE must be the same but for layout, comments and proofs.

Exit codes: 0 accepted; 1 refused; 2 not a certificate; 3 not checked to the end, because a limit was reached; 130 interrupted.")]
pub(crate) struct Check {
    /// Certificates that `lastbit prove --certificate` wrote
    #[arg(required = true, value_name = "CERT")]
    pub(crate) files: Vec<PathBuf>,
    /// Also check that the certificate is about a program of this file: *.fpcore, or *.lb (for errors, if it leaves no values open)
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    /// Print JSON: an array with one object for each certificate
    #[arg(long)]
    pub(crate) json: bool,
    /// Say of each of many certificates what the verdict rests on, as for a single one
    #[arg(long)]
    pub(crate) details: bool,
    /// Significant digits of bounds, which are rounded up
    #[arg(long, value_name = "N", default_value_t = DIGITS, value_parser = digits)]
    pub(crate) digits: usize,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit fmt mechanisms/*.lb
  lastbit fmt --check mechanisms/*.lb
  lastbit fmt - < draft.lb

Exit codes: 0 all is well; 1 with --check, if a file would change; 2 a file that cannot be read.")]
pub(crate) struct Fmt {
    /// Files of the language of mechanisms (*.lb), changed in place; - from standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, say which files would change
    #[arg(long)]
    pub(crate) check: bool,
}

/// The set of rules to judge by.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleSet {
    /// Those of docs/semantics.md
    Corrected,
    /// As the papers print them
    Paper,
}

/// The effort of the search.
#[derive(Clone, Copy)]
pub(crate) struct Effort(pub(crate) analysis::Effort);

impl FromStr for Effort {
    type Err = String;
    fn from_str(text: &str) -> Result<Effort, String> {
        Ok(Effort(match text {
            "fast" => analysis::Effort::FAST,
            "normal" => analysis::Effort::NORMAL,
            "high" => analysis::Effort::HIGH,
            number => {
                let boxes = number.parse().ok().filter(|boxes| (1..=1 << 20).contains(boxes));
                let boxes = boxes.ok_or("give fast, normal, high, or a number of boxes from 1 to 1048576")?;
                analysis::Effort::of_boxes(boxes)
            }
        }))
    }
}

/// `NAME=VALUE`
#[derive(Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Rational,
}

fn split(text: &str) -> Result<(&str, &str), String> {
    let (name, value) = text.split_once('=').ok_or("there is no =")?;
    match (name.trim(), value.trim()) {
        ("", _) => Err("there is no name before =".into()),
        (_, "") => Err("there is nothing after =".into()),
        both => Ok(both),
    }
}

impl FromStr for Assignment {
    type Err = String;
    fn from_str(text: &str) -> Result<Assignment, String> {
        let (name, value) = split(text)?;
        Ok(Assignment { name: name.to_owned(), value: number(value)? })
    }
}

/// `NAME=LO,HI`
#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) name: String,
    pub(crate) lo: Rational,
    pub(crate) hi: Rational,
}

impl FromStr for Range {
    type Err = String;
    fn from_str(text: &str) -> Result<Range, String> {
        let (name, range) = split(text)?;
        let (lo, hi) = range.split_once(',').ok_or("a range has two ends")?;
        let (lo, hi) = (number(lo)?, number(hi)?);
        if lo > hi {
            return Err(format!("the range of {name} is empty: {lo} is more than {hi}"));
        }
        Ok(Range { name: name.to_owned(), lo, hi })
    }
}

/// `ln=1ulp`
#[derive(Clone)]
pub(crate) struct Accuracy {
    pub(crate) is_exp: bool,
    pub(crate) accuracy: lastbit_lang::Accuracy,
}

impl FromStr for Accuracy {
    type Err = String;
    fn from_str(text: &str) -> Result<Accuracy, String> {
        let (function, accuracy) = split(text)?;
        let is_exp = match function {
            "ln" => false,
            "exp" => true,
            other => return Err(format!("`{other}` is not a library function; there are ln and exp")),
        };
        let accuracy = match accuracy {
            "correctly_rounded" => lastbit_lang::Accuracy::CorrectlyRounded,
            other => {
                let ulps = other.trim_end_matches("ulp").trim();
                let ulps = ulps.strip_prefix("ulp(").and_then(|k| k.strip_suffix(')')).unwrap_or(ulps);
                let ulps = number(ulps)?;
                if ulps < Rational::new(1, 2).expect("2 is not 0") {
                    return Err("no library is better than half an ulp".into());
                }
                lastbit_lang::Accuracy::Ulps(ulps)
            }
        };
        Ok(Accuracy { is_exp, accuracy })
    }
}
