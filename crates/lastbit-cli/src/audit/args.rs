//! The arguments of `audit` and `conformance`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lastbit::Rational;
use lastbit_engine::audit::Given;

pub(crate) use super::choices::{
    Budget, Grid, Logarithm, Operation, Precision, SamplerName, TextbookUniform, Ties, Uniform, given,
};
use crate::args::Form;
use crate::prove::args::{Assignment, number};

/// What follows the options of `audit`, with -h and with --help.
macro_rules! examples {
    () => {
        "Examples:
  lastbit audit snapping --epsilon 1 --bound 372 --inputs 371 372
  lastbit audit snapping --epsilon 1 --bound 4 --inputs 0 1 --map
  lastbit audit snapping --epsilon 1 --bound 372 --worst --budget 10s
  lastbit audit textbook-laplace --epsilon 1 --inputs 0 1
  lastbit audit sampler discrete-laplace --scale 5/2 --inputs 0 1
  lastbit audit mechanisms/randomized_response.lb --epsilon 1 --inputs true false

Exit codes: 0 the claim holds at these inputs, or nothing is claimed; 1 it is violated; 2 bad input; 3 undecided;
130 stopped with nothing to show."
    };
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true)]
#[command(after_help = examples!())]
#[command(after_long_help = concat!("Reading a report:
  P, P'    the probabilities of an output under the inputs f and f'
  loss     max |ln(P/P')| over all outputs: what ε-differential privacy bounds; inf if an output
           is possible under one input only
  at       the output that has this loss
  only f   the probability under f of outputs that f' cannot produce
  delta    Σ max(0, P - e^ε·P'): the δ that (ε, δ)-differential privacy needs for these inputs
  excess   loss - ε, in units of η = 2^-53
  ⊕ ⊗ ⊘    floating-point operations, rounded to nearest

", examples!()))]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) mechanism: Option<Mechanism>,
    #[command(flatten)]
    pub(crate) program: Program,
}

impl Audit {
    /// The options for showing results.
    pub(crate) fn show(&self) -> &Show {
        match &self.mechanism {
            Some(Mechanism::Snapping(args)) => &args.show,
            Some(Mechanism::TextbookLaplace(args)) => &args.show,
            Some(Mechanism::Sampler(args)) => &args.show,
            None => &self.program.show,
        }
    }

    /// Whether the `u` of each output are asked for.
    pub(crate) fn map(&self) -> bool {
        match &self.mechanism {
            Some(Mechanism::Snapping(args)) => args.map,
            Some(_) => false,
            None => self.program.map,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Mechanism {
    /// The snapping mechanism, in floating point or over the reals: every output, exactly
    ///
    /// clamp(⌊clamp(f) ⊕ s ⊗ (LN(u) ⊘ ε)⌉), with u a double of (0, 1) and s a sign. Every output comes from intervals of u; these are
    /// found exactly, and so are the probabilities and the loss.
    #[command(after_help = "Examples:
  lastbit audit snapping --epsilon 1 --bound 372 --inputs 371 372
  lastbit audit snapping --epsilon 0.1 --bound 100 --inputs -3 -2 --sampler grid53 --json
  lastbit audit snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact --digits 50
  lastbit audit snapping --epsilon 1 --bound 4 --inputs 0 1 --map
  lastbit audit snapping --epsilon 1 --bound 372 --worst --budget 10s")]
    Snapping(Box<Snapping>),
    /// The Laplace mechanism as textbooks have it, x ⊕ s ⊗ (LN(u) ⊘ ε): refuted
    ///
    /// In single precision with --sampler grid24 the whole distribution is computed; in double precision the audit looks for outputs that
    /// one input can produce and the other cannot.
    #[command(after_help = "Examples:
  lastbit audit textbook-laplace --epsilon 1 --inputs 0 1
  lastbit audit textbook-laplace --type f32 --sampler grid24 --epsilon 1 --inputs 0 1 --json")]
    TextbookLaplace(Textbook),
    /// The samplers of `lastbit noise`, run on every sequence of random bits
    ///
    /// Every sequence of bits that decides an output adds its weight to it; what is undecided at --depth bits is reported, and may be
    /// any output. So each probability has exact bounds, which are compared with the law that the sampler claims, and the loss with the
    /// claimed loss. Ctrl-C reports what is known by then.
    #[command(after_help = "Examples:
  lastbit audit sampler discrete-laplace --scale 5/2 --inputs 0 1
  lastbit audit sampler laplace --scale 1 --inputs 0 1 --depth 40 --json")]
    Sampler(Sampler),
}

#[derive(Args)]
pub(crate) struct Snapping {
    /// ε. In the float form a decimal is rounded to the nearest double; hexadecimal numbers (0x1.8p-1) are exact
    #[arg(long, value_name = "E", value_parser = given, allow_hyphen_values = true)]
    pub(crate) epsilon: Given,
    /// Inputs and outputs are clamped to [-B, B]
    #[arg(long, value_name = "B", value_parser = given, allow_hyphen_values = true)]
    pub(crate) bound: Given,
    /// The two inputs to tell apart; --worst looks for them
    #[arg(long, num_args = 2, value_names = ["F", "F'"], value_parser = given, allow_hyphen_values = true)]
    #[arg(required_unless_present = "worst")]
    pub(crate) inputs: Option<Vec<Given>>,
    /// In double arithmetic, or over the real numbers
    #[arg(long, value_enum, default_value_t = Form::Float)]
    pub(crate) form: Form,
    /// What u can be: every double by its ulp, or multiples of 2^-53
    #[arg(long, value_enum, default_value_t = Uniform::Ulp)]
    pub(crate) sampler: Uniform,
    /// LN(u) ⊘ ε, or λ ⊗ LN(u) with λ the double nearest to 1/ε
    #[arg(long, value_enum, default_value_t = Operation::Div)]
    pub(crate) op: Operation,
    /// With --op mul: λ itself, instead of the double nearest to 1/ε
    #[arg(long, value_name = "S", value_parser = given, allow_hyphen_values = true)]
    pub(crate) scale: Option<Given>,
    /// Λ, the grid of the outputs: a power of two such as 2^-3, or auto, the least that is at least 1/ε (or λ)
    #[arg(long, value_name = "auto|2^k", default_value = "auto", allow_hyphen_values = true)]
    pub(crate) grid: Grid,
    /// Where ties of the rounding to Λ go
    #[arg(long, value_enum, default_value_t = Ties::Up)]
    pub(crate) tie: Ties,
    /// Do not clamp the input first, as the papers' definitions have it
    #[arg(long)]
    pub(crate) no_clamp: bool,
    /// The logarithm: correctly rounded, one ulp above or below that, or the one of this machine's library
    #[arg(long, value_enum, default_value_t = Logarithm::Correct, allow_hyphen_values = true)]
    pub(crate) ln: Logarithm,
    /// Print the interval of u of every output, for both signs, and draw them
    #[arg(long, conflicts_with = "worst")]
    pub(crate) map: bool,
    /// In place of --inputs: look for the two inputs with the largest loss, and bound it from above; Ctrl-C prints the best so far
    #[arg(long, conflicts_with = "inputs")]
    pub(crate) worst: bool,
    /// With --worst: how long to look, such as 500ms, 10s or 2m [default: 60s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) budget: Option<Budget>,
    /// With --worst: how far apart the inputs may be [default: 1]
    #[arg(long, value_name = "D", value_parser = number, allow_hyphen_values = true)]
    pub(crate) sensitivity: Option<Rational>,
    #[command(flatten)]
    pub(crate) show: Show,
}

#[derive(Args)]
pub(crate) struct Textbook {
    /// ε; a decimal is rounded to the nearest float
    #[arg(long, value_name = "E", value_parser = given, allow_hyphen_values = true)]
    pub(crate) epsilon: Given,
    /// The two inputs to tell apart
    #[arg(long, num_args = 2, value_names = ["F", "F'"], value_parser = given, allow_hyphen_values = true, required = true)]
    pub(crate) inputs: Vec<Given>,
    /// The type of all numbers
    #[arg(long = "type", value_enum, default_value_t = Precision::F64)]
    pub(crate) float_type: Precision,
    /// What u can be [default: multiples of 2^-53, or of 2^-24 for f32]
    #[arg(long, value_enum)]
    pub(crate) sampler: Option<TextbookUniform>,
    #[command(flatten)]
    pub(crate) show: Show,
}

#[derive(Args)]
pub(crate) struct Sampler {
    /// Which sampler
    #[arg(value_enum)]
    pub(crate) sampler: SamplerName,
    /// The scale of the noise (σ for the Gaussian ones, 1/ε for the snapping mechanisms)
    #[arg(long, value_name = "S", value_parser = number, allow_hyphen_values = true)]
    pub(crate) scale: Rational,
    /// How many random bits to follow, 1 to 320, 56 for gaussian; what is not decided then is reported [default: 64; 32 for discrete-gaussian, 20 for gaussian]
    #[arg(long, value_name = "BITS", allow_hyphen_values = true)]
    pub(crate) depth: Option<u32>,
    /// The two inputs to tell apart, integers for the discrete samplers [default: 0 1]
    #[arg(long, num_args = 2, value_names = ["F", "F'"], value_parser = number, allow_hyphen_values = true)]
    pub(crate) inputs: Option<Vec<Rational>>,
    /// The clamping bound of the snapping mechanisms, which need it
    #[arg(long, value_name = "B", value_parser = number, allow_hyphen_values = true)]
    pub(crate) bound: Option<Rational>,
    /// The grid of grid-laplace is the multiples of 2^K [default: about 2^-40 of the scale]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub(crate) k: Option<i32>,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// A file of the language of mechanisms.
#[derive(Args)]
#[command(next_help_heading = "Options for a FILE")]
pub(crate) struct Program {
    /// A file of the language of mechanisms (*.lb); - for standard input
    #[arg(value_name = "FILE", help_heading = None::<&str>)]
    pub(crate) file: Option<PathBuf>,
    /// The two inputs: a value of the argument, a list of them for an array (1,2,3), or NAME=VALUE;NAME=VALUE for several arguments
    #[arg(long, num_args = 2, value_names = ["F", "F'"], allow_hyphen_values = true)]
    pub(crate) inputs: Option<Vec<String>>,
    /// The declaration to audit, where the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    /// ε: the same as --param eps=E
    #[arg(long, value_name = "E", value_parser = number, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Rational>,
    /// The clamping bound: the same as --param B=B
    #[arg(long, value_name = "B", value_parser = number, allow_hyphen_values = true)]
    pub(crate) bound: Option<Rational>,
    /// Λ, the rounding grid: the same as --param L=Λ [default: the least power of two that is at least 1/ε]
    #[arg(long, value_name = "Λ", value_parser = number, allow_hyphen_values = true)]
    pub(crate) grid: Option<Rational>,
    /// The value of a parameter, such as --param k=-2; may be given several times
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) param: Vec<Assignment>,
    /// The logarithm that a float program is run with
    #[arg(long, value_enum, default_value_t = Logarithm::Correct, allow_hyphen_values = true)]
    pub(crate) ln: Logarithm,
    /// Print the interval of u of every output, for both signs, and draw them
    #[arg(long)]
    pub(crate) map: bool,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// The options for showing results.
#[derive(Args)]
pub(crate) struct Show {
    /// Significant digits of the loss [default: as many as matter; 30 in JSON]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4000), allow_hyphen_values = true)]
    pub(crate) digits: Option<u16>,
    /// Compare the loss with this ε, not with the claim: exit code 1 if it is more
    #[arg(long, value_name = "E", value_parser = number, allow_hyphen_values = true)]
    pub(crate) fail_above: Option<Rational>,
    /// Also print tables: outputs, the papers' claims, what was tried
    #[arg(long)]
    pub(crate) details: bool,
    /// The ε at which delta, the hockey-stick divergence, is computed [default: ε, or the claimed one]
    #[arg(long, value_name = "E", value_parser = number, allow_hyphen_values = true)]
    pub(crate) delta_at: Option<Rational>,
    /// List all outputs, however many
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, with exact fractions
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit conformance tests/golden/public.json
  lastbit conformance --emit --epsilon 1 --bound 8 --inputs 0 1 > values.json
  lastbit conformance values.json

Exit codes: 0 all values hold; 1 some do not; 2 not such a file, or bad input.")]
pub(crate) struct Conformance {
    /// A file in the schema of docs/conformance.md, to be recomputed; - for standard input
    #[arg(value_name = "FILE", conflicts_with = "emit")]
    pub(crate) file: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "emit")]
    pub(crate) json: bool,
    /// Write such a file to standard output, for the snapping mechanism with the parameters below
    #[arg(long, requires_all = ["epsilon", "bound", "inputs"])]
    pub(crate) emit: bool,
    #[command(flatten)]
    pub(crate) parameters: EmitParameters,
}

/// What a file is emitted for.
#[derive(Args)]
#[command(next_help_heading = "With --emit")]
pub(crate) struct EmitParameters {
    /// ε. In the float form a decimal is rounded to the nearest double; hexadecimal numbers are exact
    #[arg(long, value_name = "E", requires = "emit", value_parser = given, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Given>,
    /// Inputs and outputs are clamped to [-B, B]
    #[arg(long, value_name = "B", requires = "emit", value_parser = given, allow_hyphen_values = true)]
    pub(crate) bound: Option<Given>,
    /// Two inputs; may be given several times, and every pair is a case
    #[arg(long, num_args = 2, value_names = ["F", "F'"], requires = "emit", value_parser = given, allow_hyphen_values = true)]
    pub(crate) inputs: Vec<Given>,
    /// In double arithmetic, or over the real numbers
    #[arg(long, value_enum, default_value_t = Form::Float, requires = "emit")]
    pub(crate) form: Form,
    /// What u can be: every double by its ulp, or multiples of 2^-53
    #[arg(long, value_enum, default_value_t = Uniform::Ulp, requires = "emit")]
    pub(crate) sampler: Uniform,
    /// LN(u) ⊘ ε, or λ ⊗ LN(u) with λ the double nearest to 1/ε
    #[arg(long, value_enum, default_value_t = Operation::Div, requires = "emit")]
    pub(crate) op: Operation,
    /// Λ, the grid of the outputs: a power of two such as 2^-3, or auto, the least that is at least 1/ε (or λ)
    #[arg(
        long,
        value_name = "auto|2^k",
        default_value = "auto",
        requires = "emit",
        allow_hyphen_values = true
    )]
    pub(crate) grid: Grid,
    /// Where ties of the rounding to Λ go
    #[arg(long, value_enum, default_value_t = Ties::Up, requires = "emit")]
    pub(crate) tie: Ties,
    /// Do not clamp the input first, as the papers' definitions have it
    #[arg(long, requires = "emit")]
    pub(crate) no_clamp: bool,
    /// The logarithm: correctly rounded, or one ulp above or below that
    #[arg(long, value_enum, default_value_t = Logarithm::Correct, requires = "emit", allow_hyphen_values = true)]
    pub(crate) ln: Logarithm,
}
