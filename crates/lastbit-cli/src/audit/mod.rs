//! `lastbit audit` and `lastbit conformance`.
//!
//! | module | what it knows |
//! |---|---|
//! | `args`, `value` | the arguments, and numbers that become floats |
//! | `snapping`, `ideal`, `worst` | the snapping mechanism: two inputs, over the reals, the worst inputs |
//! | `program`, `inputs` | programs of the language, and the textbook; how their inputs are written |
//! | `sampler` | the samplers of `lastbit noise` |
//! | `interrupt` | Ctrl-C |
//! | `summary`, `map` | what is said of two distributions, and the drawing |
//! | `conformance` | files of exact values |

pub(crate) mod args;
pub(crate) mod conformance;
mod ideal;
mod inputs;
mod interrupt;
mod map;
mod program;
mod sampler;
mod snapping;
mod summary;
mod value;
mod worst;

use lastbit::{Rational, Rounding};
use lastbit_audit::OutOfRange;
use lastbit_real::Enclosure;
use serde_json::Value;

use crate::args::Form;
use crate::error::{Error, cut};
use crate::prove::files::print;
use args::{Audit, Mechanism};

/// Audits what is asked for.
pub(crate) fn run(args: &Audit) -> Result<(), Error> {
    match (&args.mechanism, &args.program.file) {
        (Some(Mechanism::Snapping(args)), _) if args.form == Form::Exact => ideal::run(args),
        (Some(Mechanism::Snapping(args)), _) => snapping::run(args),
        (Some(Mechanism::TextbookLaplace(args)), _) => program::textbook(args),
        (Some(Mechanism::Sampler(args)), _) => sampler::run(args),
        (None, Some(file)) => program::run(&args.program, file),
        (None, None) => Err(Error::usage(
            "there is nothing to audit",
            "give snapping, textbook-laplace, sampler, or a file of the language of mechanisms (*.lb)",
        )),
    }
}

/// A number for people: exact if that is short.
pub(crate) fn number(value: &Rational) -> String {
    const MOST: usize = 24;
    let exact = value.to_string();
    if exact.len() <= MOST { exact } else { value.to_decimal(17, Rounding::Nearest) }
}

/// In units of `η = 2⁻⁵³`.
fn eta(value: &Enclosure) -> Enclosure {
    value.shl(53)
}

fn out_of_range(error: &OutOfRange) -> Error {
    let OutOfRange { name, value, reason } = error;
    let name = match *name {
        "B" => "bound",
        "Λ" => "lambda",
        other => other,
    };
    Error::usage(format!("{name} = {} is out of range", cut(value)), *reason)
}

/// Losses beyond this have no use, and their exponentials no room.
fn check_delta_at(epsilon: &Rational) -> Result<(), Error> {
    const MOST: i64 = 1 << 20;
    if epsilon.abs() > Rational::from(MOST) {
        return Err(Error::usage(
            format!("delta at ε = {} is out of range", cut(&epsilon.to_string())),
            "give --delta-at a number between -2^20 and 2^20",
        ));
    }
    Ok(())
}

fn print_json(value: &Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::io("write JSON", e.into()))?;
    print(&(text + "\n"))
}
