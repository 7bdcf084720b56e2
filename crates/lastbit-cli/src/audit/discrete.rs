//! `lastbit audit FILE.lb` of a discrete program.

use std::fmt::Write;

use lastbit_audit::discrete::{self, DiscreteError, DiscreteReport};
use lastbit_lang::Diagnostic;
use serde_json::{Value, json};

use super::args::Logarithm;
use super::inputs::Words;
use super::program::Task;
use super::shown::table;
use super::summary::{Open, Style, Total};
use super::{check_delta_at, print_json};
use crate::error::Error;
use crate::prove::files::print;

impl Task<'_> {
    pub(crate) fn discrete(self, words: &Words) -> Result<(), Error> {
        if self.args.map || self.args.ln != Logarithm::Correct {
            return Err(Error::usage(
                "--map and --ln are for programs over floats, and this one is not",
                "leave them out",
            ));
        }
        if let Some(epsilon) = &self.args.show.delta_at {
            check_delta_at(epsilon)?;
        }
        let inputs = words.arguments(self.declaration)?;
        let digits = u32::from(self.args.show.digits);
        let options = discrete::Options {
            precision: discrete::Options::default().precision.max(4 * digits),
            epsilon: self.args.show.delta_at.clone(),
            ..discrete::Options::default()
        };
        let [first, second] = &inputs;
        let report =
            discrete::audit(self.file, self.declaration, &self.bindings.values, [first, second], &options);
        let report = report.map_err(|error| {
            let span = error.span().unwrap_or(self.declaration.header);
            let one = [Diagnostic::new(span, error.to_string())];
            let messages = match &error {
                DiscreteError::Language(messages) => messages.as_slice(),
                _ => &one,
            };
            Error::Rendered(self.source.render(messages))
        })?;
        let name = |output: &String| output.clone();
        let style = Style {
            digits: self.args.show.digits.into(),
            delta_at: report.epsilon.clone(),
            delta_why: match (&self.args.show.delta_at, &report.claim) {
                (None, None) => ": no ε is claimed",
                _ => "",
            },
            name: &name,
            id: &name,
            open: Open::Nothing,
            no_delta: false,
        };
        match self.args.show.json {
            true => print_json(&self.discrete_json(words, &report, &style)),
            false => print(&self.discrete_text(words, &report, &style)),
        }
    }

    fn discrete_json(&self, words: &Words, report: &DiscreteReport, style: &Style<'_, String>) -> Value {
        let mut fields = self.fields(words);
        fields.extend(style.json(&report.comparison));
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        add("method", json!("enumeration"));
        add("notes", json!(self.notes));
        let (outputs, total) = (report.outcomes.iter(), &Total::of(&report.comparison));
        add("outputs", outputs.map(|outcome| style.outcome_json(outcome, total)).collect());
        add("outputs_listed", json!("all"));
        let more = report.to_json();
        for field in ["claim", "unmet", "rest"] {
            add(field, more[field].clone());
        }
        Value::Object(fields)
    }

    fn discrete_text(&self, words: &Words, report: &DiscreteReport, style: &Style<'_, String>) -> String {
        let mut text = self.header(words);
        text.push('\n');
        text.push_str(&style.text(&report.comparison));
        if let Some(claim) = report.claim_in_words() {
            let _ = writeln!(text, "claim    {claim}");
        }
        for unmet in &report.unmet {
            let _ = writeln!(
                text,
                "note     the inputs are no neighbours: `{}` does not hold of them",
                unmet.clause
            );
        }
        for note in &self.notes {
            let _ = writeln!(text, "note     {note}");
        }
        text.push('\n');
        text.push_str(&table(style, &report.outcomes, &report.comparison, self.args.show.all));
        text
    }
}
