//! What is printed: values one a line, or everything as one JSON object.

use lastbit::Claim;

use crate::error::{Error, tell};
use crate::stdout;
use crate::value::Value;

/// The claim of a release; one with a seed has none.
pub(crate) struct Promise<'a> {
    pub(crate) claim: &'a Claim,
    pub(crate) is_insecure: bool,
}

impl Promise<'_> {
    /// To standard error, in one line.
    pub(crate) fn tell(&self) {
        if self.is_insecure {
            tell(
                "warning: --insecure-seed makes noise that anyone can recompute; never publish these values",
            );
            tell(&format!(
                "claim: none, the loss is infinite: {} with an insecure seed",
                self.claim.mechanism
            ));
        } else {
            tell(&format!("claim: {}", self.claim));
        }
    }

    /// The members of a JSON object.
    pub(crate) fn json_members(&self) -> String {
        let Claim { mechanism, parameters, adjacency, measure, loss } = self.claim;
        let parameters: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{}: {}", json(name), json(value))).collect();
        let (loss, loss_f64) = if self.is_insecure {
            ("null".to_owned(), "null".to_owned())
        } else {
            (json(&loss.to_string()), json_number(self.claim.loss_f64()))
        };
        format!(
            "{}\"claim\": {{\"mechanism\": {}, \"parameters\": {{{}}}, \"loss\": {loss}, \"loss_f64\": {loss_f64}, \
             \"measure\": {}, \"adjacency\": {}}}",
            if self.is_insecure { "\"insecure\": true, " } else { "" },
            json(mechanism),
            parameters.join(", "),
            json(&measure.to_string()),
            json(adjacency),
        )
    }
}

/// A JSON string.
pub(crate) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A JSON number, or `null` for what has none.
fn json_number(value: f64) -> String {
    let mut text = String::new();
    value.print(&mut text);
    if value.is_finite() { text } else { "null".into() }
}

/// Where noisy values go.
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
