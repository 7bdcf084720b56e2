//! What is said of a program.

use lastbit_lang::{Diagnostic, render};
use serde_json::{Value, json};

use super::files::print;
use crate::error::{Error, tell};

/// Where a program comes from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        render(self.name, self.text, diagnostics)
    }
}

/// What came of a program.
pub(crate) struct Report {
    /// For standard output.
    pub(crate) text: String,
    /// For standard error.
    pub(crate) problem: String,
    pub(crate) json: Value,
    pub(crate) outcome: Outcome,
}

/// How it ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Proved,
    /// A claim is neither proved nor refuted.
    Undecided,
    /// A claim is false.
    Refuted,
    /// Bad input, or no bound.
    Bad,
}

impl Report {
    pub(crate) fn new(text: String, json: Value, outcome: Outcome) -> Report {
        Report { text, problem: String::new(), json, outcome }
    }

    /// A program about which there is only bad news.
    pub(crate) fn bad(name: &str, what: &str, problem: String, json: Value) -> Report {
        Report { text: format!("{name}: {what}\n"), problem, json, outcome: Outcome::Bad }
    }

    pub(crate) fn print(&self) -> Result<(), Error> {
        print(&printable(&self.text))?;
        if !self.problem.is_empty() {
            tell(printable(&self.problem).trim_end());
        }
        Ok(())
    }
}

/// Names come from files: what is in them must not move the cursor of a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// A program, or a whole file, that was not read.
pub(crate) fn unreadable(name: &str, source: &Source<'_>, diagnostics: &[Diagnostic]) -> Report {
    let mut diagnostics = diagnostics.to_vec();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let message = diagnostics.first().map_or("it cannot be read", |diagnostic| diagnostic.message.as_str());
    let mut value = json!({ "name": name, "error": message });
    if let Some(diagnostic) = diagnostics.first() {
        set_place(&mut value, diagnostic, source);
    }
    let mut report = Report::bad(name, "no bound", source.render(&diagnostics), value);
    // Of a file that is no program at all there is nothing to say but why.
    if name == source.name {
        report.text.clear();
    }
    report
}

/// Line, column and hint of a message.
pub(crate) fn set_place(value: &mut Value, diagnostic: &Diagnostic, source: &Source<'_>) {
    let (line, column) = diagnostic.span.line_column(source.text);
    (value["line"], value["column"]) = (line.into(), column.into());
    if let Some(hint) = &diagnostic.hint {
        value["hint"] = json!(hint);
    }
}
