//! What is said of the snapping mechanism in floating point.

use std::collections::BTreeSet;
use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::snapping::{PairCell, SnappingReplay, Variant};
use lastbit_audit::{Comparison, ExactLoss, Outcome};
use lastbit_prove::endpoint::theorem_a;
use lastbit_real::Float;
use serde_json::{Value, json};

use super::args::Snapping;
use super::map::{self, Row, Samples};
use super::parameters::{header, parameters_json};
use super::summary::{Style, Total};
use super::value::used;
use super::verdicts::{Verdicts, short};
use super::worst::Found;

/// Outputs are all kept, and listed in JSON, up to this many.
pub(crate) const KEPT: i64 = 4096;
/// Rows of the table, if not all are asked for.
const MOST_ROWS: usize = 24;
/// How many outputs are listed next to each place of interest.
const NEXT_TO: i64 = 2;

/// An audit of two inputs.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a Snapping,
    pub(crate) variant: &'a Variant,
    pub(crate) epsilon: f64,
    pub(crate) inputs: [f64; 2],
    pub(crate) comparison: Comparison<i64>,
    pub(crate) style: Style<'a, i64>,
    pub(crate) excess: String,
    pub(crate) shipped: Option<SnappingReplay>,
    pub(crate) verdicts: Verdicts<'a>,
    /// All outputs, or none if they are many.
    pub(crate) kept: Vec<PairCell>,
    /// What the search for the worst inputs found.
    pub(crate) found: Option<Found>,
}

impl Report<'_> {
    /// Theorem A at the distance of the inputs, if it says something.
    fn theorem_a(&self) -> Option<Rational> {
        let [x, x2] = self.inputs.map(|f| Rational::try_from(self.variant.start(f)).expect("finite"));
        let is_covered = self.variant.clamp_input && self.variant.ln_shift == 0;
        theorem_a(&self.variant.mechanism, &(x - x2).abs()).ok().filter(|_| is_covered)
    }

    /// The ends, and what is next to the inputs and to the worst outputs.
    fn of_interest(&self) -> Vec<PairCell> {
        let (first, last) = self.variant.numbers(self.inputs).into_inner();
        let worst = [self.comparison.witness(), self.comparison.finite_witness()];
        let worst = worst.into_iter().flatten().map(|outcome| outcome.output);
        let places = self.inputs.map(|f| self.variant.mechanism.number_of(self.variant.start(f)));
        let near = |place: i64| place - NEXT_TO..=place + NEXT_TO;
        let numbers: BTreeSet<i64> =
            [first, last].into_iter().chain(places).chain(worst).flat_map(near).collect();
        let numbers = numbers.into_iter().filter(|number| (first..=last).contains(number));
        numbers
            .map(|number| self.variant.pair_cell(self.inputs, number))
            .filter(PairCell::is_reached)
            .collect()
    }

    /// The outputs to list, if at most so many are listed without asking for all.
    fn listed(&self, most: usize) -> Vec<PairCell> {
        let is_all = !self.kept.is_empty() && (self.args.show.all || self.kept.len() <= most);
        if is_all { self.kept.clone() } else { self.of_interest() }
    }

    fn samples(&self, pair: &PairCell) -> [Samples; 2] {
        let sampler = self.variant.mechanism.sampler();
        pair.cells.each_ref().map(|cell| Samples::of(cell, sampler))
    }

    pub(crate) fn text(&self) -> String {
        let mut text = header(self.variant, self.epsilon);
        let [f, f2] = self.inputs.map(used);
        let _ = writeln!(text, "  f = {f}, f' = {f2}\n");
        text.push_str(&self.style.text(&self.comparison));
        let _ = match self.excess.starts_with('-') {
            true => writeln!(text, "excess   none: the loss is below ε"),
            false => writeln!(text, "excess   {} η over ε, η = 2^-53", short(&self.excess)),
        };
        if let Some(shipped) = &self.shipped {
            let _ = match shipped.replays() {
                0 => writeln!(
                    text,
                    "shipped  snap_f agrees at the ends of every cell, {} values of u; it never gives -0",
                    shipped.evaluations()
                ),
                replays => writeln!(
                    text,
                    "shipped  FloatSnapping agrees at the ends of every cell, {replays} values of u from replayed bits; it never gives -0"
                ),
            };
        }
        match &self.found {
            Some(found) => {
                let is_infinite = self.comparison.loss(64) == ExactLoss::Infinite;
                text.push_str(&found.text(self.variant, &self.comparison.finite_loss(160), is_infinite));
            }
            None => {
                if let Some(bound) = self.theorem_a() {
                    let verdict =
                        if self.comparison.loss(128).exceeds(&bound) { "violated" } else { "holds" };
                    let bound = bound.to_decimal(20, Rounding::Up);
                    let _ =
                        writeln!(text, "bound    loss <= {bound} by Theorem A of docs/errata.md: {verdict}");
                }
                text.push_str(&self.verdicts.text());
            }
        }
        if self.args.map {
            let row = |pair: &PairCell| Row {
                name: format!("{}", self.variant.mechanism.output(pair.number)),
                samples: self.samples(pair),
            };
            let rows: Vec<Row> = self.kept.iter().map(row).collect();
            text.push_str(&map::text(&rows, [&f, &f2]));
        } else {
            let outcomes: Vec<Outcome<i64>> = self.listed(MOST_ROWS).iter().map(PairCell::outcome).collect();
            let left_out = self.comparison.outputs() - outcomes.len() as u64;
            text.push('\n');
            text.push_str(&self.style.table(&outcomes, self.comparison.total()));
            if left_out > 0 {
                let _ = writeln!(text, "  and {left_out} more: --all lists them");
            }
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let mut fields = parameters_json(self.variant, self.epsilon);
        fields.insert("inputs".into(), json!(self.inputs.map(|f| f.to_hex())));
        fields.extend(self.style.json(&self.comparison));
        fields.insert("excess_eta".into(), json!(self.excess));
        fields.insert("bounds".into(), self.verdicts.json());
        let theorem_a = self.theorem_a().map(|bound| {
            let holds = !self.comparison.loss(128).exceeds(&bound);
            json!({ "bound": bound.to_decimal(30, Rounding::Up), "exact": bound.to_string(), "holds": holds })
        });
        fields.insert("theorem_a".into(), theorem_a.unwrap_or(Value::Null));
        let shipped = self.shipped.as_ref().map(|shipped| {
            json!({
                "agrees": true,
                "evaluations": shipped.evaluations(),
                "replays": shipped.replays(),
                // Compared by their bits with outputs of which none is -0.
                "minus_zero": false,
            })
        });
        fields.insert("shipped".into(), shipped.unwrap_or(Value::Null));
        if let Some(found) = &self.found {
            fields["witness"]["inputs"] = json!(self.inputs.map(|f| f.to_hex()));
            fields.extend(found.json(self.variant));
        }
        let total = &Total::of(&self.comparison);
        let output = |pair: &PairCell| {
            let mut value = self.style.outcome_json(&pair.outcome(), total);
            value["u"] = map::json_of(&self.samples(pair));
            value
        };
        let outputs: Vec<Value> = self.listed(KEPT as usize).iter().map(output).collect();
        let listed = if outputs.len() as u64 == self.comparison.outputs() { "all" } else { "selected" };
        fields.insert("outputs_listed".into(), json!(listed));
        fields.insert("outputs".into(), outputs.into());
        Value::Object(fields)
    }
}
