//! What is printed: values one a line, or everything as one JSON object.

use lastbit::{Claim, Rounding};
use serde_json::Value as Json;

use crate::error::{Error, tell, tell_or_fail};
use crate::plan::Approximate;
use crate::stdout;
use crate::value::Value;

/// The claim of a release; one with a seed has none.
pub(crate) struct Promise<'a> {
    pub(crate) claim: &'a Claim,
    /// What holds beside the claim.
    pub(crate) approximate: Option<&'a Approximate>,
    pub(crate) is_insecure: bool,
}

impl Promise<'_> {
    /// To standard error, in one line.
    pub(crate) fn tell(&self) -> Result<(), Error> {
        if self.is_insecure {
            tell(
                "warning: --insecure-seed makes noise that anyone can recompute; never publish these values",
            );
            tell_or_fail(&format!(
                "claim: none, the loss is infinite: {} with an insecure seed",
                self.claim.mechanism()
            ))
        } else {
            tell_or_fail(&format!("claim: {}", self.claim))?;
            self.approximate
                .map_or(Ok(()), |approximate| tell_or_fail(&format!("also: {}", approximate.in_words())))
        }
    }

    /// The members of a JSON object: the claim, without a loss if there is none.
    pub(crate) fn json_members(&self) -> String {
        if !self.is_insecure {
            let approximate = self.approximate.map_or_else(String::new, Approximate::json_member);
            return format!("\"claim\": {}{approximate}", self.claim.to_json());
        }
        let mut claim: Json = serde_json::from_str(&self.claim.to_json()).unwrap_or(Json::Null);
        for name in ["loss", "loss_f64", "approximate", "statement"] {
            claim[name] = Json::Null;
        }
        format!("\"insecure\": true, \"claim\": {claim}")
    }
}

impl Approximate {
    /// Both numbers: exact if that is short, else rounded up.
    fn shown(&self, digits: usize) -> [String; 2] {
        const MOST_CHARS: usize = 12;
        [&self.epsilon, &self.delta].map(|number| match number.to_short() {
            exact if exact.len() <= MOST_CHARS => exact,
            _ => number.to_decimal(digits, Rounding::Up),
        })
    }

    pub(crate) fn in_words(&self) -> String {
        let [epsilon, delta] = self.shown(5);
        format!("(ε, δ)-differentially private, with (ε, δ) = ({epsilon}, {delta})")
    }

    /// One more member of a JSON object.
    fn json_member(&self) -> String {
        let [epsilon, delta] = self.shown(17);
        format!(", \"approximate\": {{\"epsilon\": \"{epsilon}\", \"delta\": \"{delta}\"}}")
    }
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

    /// Prints what was kept.
    pub(crate) fn finish(self, promise: &Promise<'_>) -> Result<(), Error> {
        match self {
            Sink::Lines { .. } => Ok(()),
            Sink::Json { values, .. } => {
                print_now(&format!("{{{}, \"values\": [{values}]}}\n", promise.json_members()))
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
