//! `lastbit audit` and `lastbit conformance`.
//!
//! | module | what it knows |
//! |---|---|
//! | `args`, `choices`, `value` | the arguments, what they can be, and numbers that become floats |
//! | `snapping`, `ideal`, `worst` | the snapping mechanism: two inputs, over the reals, the worst inputs |
//! | `parameters`, `report`, `verdicts` | its parameters, what is said of it, what papers claim of it |
//! | `program`, `discrete`, `textbook` | programs of the language: in floats, discrete, the textbook's |
//! | `inputs`, `shown` | how the inputs of programs are written, and their reports |
//! | `sampler` | the samplers of `lastbit noise` |
//! | `interrupt` | Ctrl-C |
//! | `summary`, `map` | what is said of two distributions, and the drawing |
//! | `conformance` | files of exact values |

pub(crate) mod args;
mod choices;
pub(crate) mod conformance;
mod discrete;
mod ideal;
mod inputs;
pub(crate) mod interrupt;
mod map;
mod parameters;
mod program;
mod report;
mod sampler;
mod shown;
mod snapping;
mod summary;
mod textbook;
pub(crate) mod value;
mod verdicts;
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
        (Some(Mechanism::TextbookLaplace(args)), _) => textbook::run(args),
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
    Error::usage(format!("{name} = {} is out of range", cut(value)), *reason)
}

/// Losses beyond this have no use, and their exponentials no room.
const MOST_DELTA_AT: i64 = 1 << 20;

/// The `ε` of delta: as asked for, or that of the mechanism.
fn delta_at(given: &Option<Rational>, epsilon: &Rational) -> Result<Rational, Error> {
    match given {
        Some(given) => check_delta_at(given).map(|()| given.clone()),
        None => Ok(epsilon.clone().min(MOST_DELTA_AT.into())),
    }
}

fn check_delta_at(epsilon: &Rational) -> Result<(), Error> {
    if epsilon.abs() > Rational::from(MOST_DELTA_AT) {
        return Err(Error::usage(
            format!("delta at ε = {} is out of range", cut(&epsilon.to_string())),
            "give --delta-at a number between -2^20 and 2^20",
        ));
    }
    Ok(())
}

pub(crate) fn print_json(value: &Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::io("write JSON", e.into()))?;
    print(&(text + "\n"))
}
