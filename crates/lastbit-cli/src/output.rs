//! What is printed: values one a line, or everything as one JSON object.

use lastbit_engine::ledger::Entered;
use lastbit_engine::noise::Promise;
use serde::Serialize;

use crate::error::{Error, tell, tell_or_fail};
use crate::stdout;
use crate::value::Value;

/// What is promised, to standard error.
pub(crate) fn tell_promise(promise: &Promise) -> Result<(), Error> {
    if promise.insecure {
        tell("warning: --insecure-seed makes noise that anyone can recompute; never publish these values");
    }
    promise.lines().iter().try_for_each(|line| tell_or_fail(line))
}

/// An answer as JSON, in one line.
pub(crate) fn to_json(answer: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(answer).map_err(|e| Error::io("write JSON", e.into()))
}

/// The promise as JSON with more members, which are JSON already: values need not be kept twice.
fn promise_with(promise: &Promise, members: &str) -> Result<String, Error> {
    let promise = to_json(promise)?;
    let open = promise.strip_suffix('}').unwrap_or(&promise);
    Ok(format!("{open}, {members}}}\n"))
}

/// The destination of noisy values.
pub(crate) enum Sink {
    /// Out at once, one a line.
    Lines { hex: bool },
    /// Kept until all are there.
    Json { hex: bool, values: String },
}

impl Sink {
    pub(crate) fn new(json: bool, hex: bool) -> Sink {
        if json { Sink::Json { hex, values: String::new() } } else { Sink::Lines { hex } }
    }

    /// Writes, or keeps, the values.
    pub(crate) fn write<T: Value>(&mut self, values: &[T], buffer: &mut String) -> Result<(), Error> {
        match self {
            Sink::Lines { hex } => {
                buffer.clear();
                for value in values {
                    print(*value, *hex, "", buffer);
                    buffer.push('\n');
                }
                stdout::write_lines(buffer).map_err(unwritten)
            }
            Sink::Json { hex, values: text } => {
                for value in values {
                    if !text.is_empty() {
                        text.push(',');
                    }
                    print(*value, *hex, "\"", text);
                }
                Ok(())
            }
        }
    }

    /// Prints what was kept, with what a ledger says.
    pub(crate) fn finish(self, promise: &Promise, entered: Option<&Entered>) -> Result<(), Error> {
        match self {
            Sink::Lines { .. } => Ok(()),
            Sink::Json { values, .. } => {
                let ledger = match entered {
                    Some(entered) => format!("\"ledger\": {}, ", to_json(entered)?),
                    None => String::new(),
                };
                print_now(&promise_with(promise, &format!("{ledger}\"values\": [{values}]"))?)
            }
        }
    }
}

fn print<T: Value>(value: T, hex: bool, quote: &str, out: &mut String) {
    match value.to_hex().filter(|_| hex) {
        Some(text) => out.extend([quote, &text, quote]),
        None => value.print(out),
    }
}

/// To standard output.
pub(crate) fn print_now(text: &str) -> Result<(), Error> {
    stdout::write_whole(text).map_err(unwritten)
}

fn unwritten(error: std::io::Error) -> Error {
    Error::io("write to standard output", error)
}
