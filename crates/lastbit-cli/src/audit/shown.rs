//! A float program's report, as it is printed.

use std::cmp::Ordering;
use std::fmt::Write;

use lastbit_audit::program::{Claim, Method, Neighbours, Part, ProgramOutcome, ProgramReport};
use lastbit_audit::{Comparison, Outcome};
use lastbit_real::Float;
use serde_json::{Map, Value, json};

use super::args::Show;
use super::map::{self, Row, Samples};
use super::print_json;
use super::summary::{Open, Style, Total};
use super::value::shown;
use crate::error::Error;
use crate::prove::files::print;

/// Rows of the table, if not all are asked for.
const MOST_ROWS: usize = 24;

/// A float program's report, and how it is printed.
pub(crate) struct Shown<'a> {
    pub(crate) header: String,
    pub(crate) fields: Map<String, Value>,
    pub(crate) show: &'a Show,
    pub(crate) map: bool,
}

impl Shown<'_> {
    pub(crate) fn print(self, report: &ProgramReport) -> Result<(), Error> {
        let name = |output: &f64| shown(*output);
        let id = |output: &f64| output.to_hex();
        let style = Style {
            digits: self.show.digits.into(),
            delta_at: report.epsilon.clone(),
            delta_why: report.epsilon_of.text(),
            name: &name,
            id: &id,
            open: if report.method == Method::Witness { Open::Loss } else { Open::Nothing },
            no_delta: false,
        };
        let method = match report.method {
            Method::Monotone => "monotone in u: thresholds by bisection",
            Method::Exhaustive => "all values of u",
            Method::Witness => "some outputs of very many",
        };
        if self.show.json {
            let mut fields = self.fields;
            fields.extend(style.json(&report.comparison));
            let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
            add("sampler", json!(report.sampler.name()));
            add("method", json!(method));
            add("delta_at_from", json!(report.epsilon_of.name()));
            add("neighbours", json!(report.neighbours.name()));
            add("claim", report.claim.as_ref().map_or(Value::Null, claim_json));
            add("notes", json!(report.notes));
            let total = &Total::of(&report.comparison);
            let output = |outcome: &ProgramOutcome| {
                let mut value = style.outcome_json(&weighed(outcome), total);
                value["u"] = map::json_of(&samples(outcome));
                value
            };
            let outputs: Vec<Value> = report.outcomes.iter().map(output).collect();
            let is_all = outputs.len() as u64 == report.comparison.outputs() && style.open == Open::Nothing;
            add("outputs_listed", json!(if is_all { "all" } else { "selected" }));
            add("outputs", outputs.into());
            return print_json(&Value::Object(fields));
        }
        let mut text = self.header;
        let _ = writeln!(text, "  u: {}; {method}\n", report.sampler.describe());
        text.push_str(&style.text(&report.comparison));
        if let Some(claim) = report.claim_in_words() {
            let _ = writeln!(text, "claim    {claim}");
        }
        if report.neighbours == Neighbours::No {
            let _ = writeln!(
                text,
                "note     the inputs are no neighbours: they do not satisfy `adjacent` or `assume` of the text"
            );
        }
        for note in &report.notes {
            let _ = writeln!(text, "note     {note}");
        }
        if self.map {
            let row = |outcome: &ProgramOutcome| Row {
                name: format!("{}", outcome.output),
                samples: samples(outcome),
            };
            let rows: Vec<Row> = report.outcomes.iter().map(row).collect();
            text.push_str(&map::text(&rows, ["f", "f'"]));
        } else {
            text.push('\n');
            let outcomes: Vec<Outcome<f64>> = report.outcomes.iter().map(weighed).collect();
            text.push_str(&table(&style, &outcomes, &report.comparison, self.show.all));
        }
        print(&text)
    }
}

fn claim_json(claim: &Claim) -> Value {
    json!({
        "epsilon": claim.epsilon.to_string(),
        "delta": claim.delta.to_string(),
        "verdict": claim.verdict.text(),
    })
}

fn weighed(outcome: &ProgramOutcome) -> Outcome<f64> {
    Outcome::exact(outcome.output, outcome.weights.clone())
}

/// The samples by sign; a program without signs has all of them under `+`.
fn samples(outcome: &ProgramOutcome) -> [Samples; 2] {
    let of = |i: usize| {
        let with = |negative: bool| {
            let is_so = |part: &&Part| (part.signs.first() == Some(&-1)) == negative;
            outcome.parts[i].iter().filter(is_so).map(|part| [part.lo, part.hi]).collect()
        };
        Samples { plus: with(false), minus: with(true), weight: outcome.weights[i].clone() }
    };
    [of(0), of(1)]
}

/// The outputs, or those that lose most if they are many.
pub(crate) fn table<O: Clone>(
    style: &Style<'_, O>,
    outcomes: &[Outcome<O>],
    comparison: &Comparison<O>,
    all: bool,
) -> String {
    let rows: Vec<Outcome<O>> = if all || outcomes.len() <= MOST_ROWS {
        outcomes.to_vec()
    } else {
        let mut order: Vec<usize> = (0..outcomes.len()).collect();
        order.sort_by(|a, b| {
            match [(a, b), (b, a)].map(|(a, b)| outcomes[*a].loses_less_than(&outcomes[*b])) {
                [true, _] => Ordering::Greater,
                [_, true] => Ordering::Less,
                _ => Ordering::Equal,
            }
        });
        let mut worst: Vec<usize> = order.into_iter().take(MOST_ROWS / 2).collect();
        worst.sort_unstable();
        worst.into_iter().map(|i| outcomes[i].clone()).collect()
    };
    let mut text = style.table(&rows, comparison.total());
    let left_out = comparison.outputs().saturating_sub(rows.len() as u64);
    let knows_all = style.open == Open::Nothing && outcomes.len() as u64 == comparison.outputs();
    if left_out > 0 {
        let lose = if knows_all { ", which lose no more" } else { "" };
        let _ = writeln!(text, "  and {left_out} more{lose}{}", if all { "" } else { ": --all lists them" });
    }
    text
}
