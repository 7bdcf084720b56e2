//! What a release would cost, and how far off it would be: from the plan alone.

use std::fmt::Write;

use lastbit_real::{Rational, Rounding};
use lastbit_table::{Description, Measure, Plan, Released};
use serde::Serialize;

use super::Processing;
use super::answer::{QueryAnswer, queries};
use super::noise::{ReleaseNoise, neighbours};
use super::text::{aligned, count};
use crate::ledger::Outlook;
use crate::noise::{Promise, Promised};
use crate::{Number, Refusal};

/// Digits of errors.
const DIGITS: usize = 6;

/// Digits of the cost of one query.
const FEW_DIGITS: usize = 4;

/// What is off: the value, or the rank of a value that is chosen.
const VALUE: &str = "value";
const RANK: &str = "rank";

/// What a release would cost and how far off its values would be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DryRun {
    /// What the release would claim.
    #[serde(flatten)]
    pub promise: Promise,
    /// `"question": "release"`
    pub question: &'static str,
    /// True: nothing was read, and nothing was charged.
    pub dry_run: bool,
    /// What neighbouring tables differ in.
    pub neighbours: String,
    /// The plan.
    pub plan: Description,
    /// The questions, and the noise of each.
    pub queries: Vec<QueryAnswer>,
    /// How far off each value would be.
    pub errors: Vec<ExpectedError>,
    /// What the ledger leaves.
    pub ledger: Option<Outlook>,
}

/// How far off a value would be, by noise alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExpectedError {
    /// The name of the query.
    pub query: String,
    /// What is off: the value, a part of it, or the rank of a value that is chosen, in rows.
    pub of: &'static str,
    /// At most this far,
    pub at_most: Number,
    /// with this probability.
    pub confidence: Number,
}

impl DryRun {
    pub(super) fn new(
        plan: &Plan,
        noise: &ReleaseNoise,
        processing: &Processing,
        ledger: Option<Outlook>,
    ) -> Result<DryRun, Refusal> {
        let mut errors = Vec::new();
        for (query, noises) in plan.queries().iter().zip(&noise.queries) {
            for (component, part) in query.components.iter().zip(noises) {
                let width = Rational::from(part.half_width(&processing.confidence)?) * &component.step;
                errors.push(ExpectedError {
                    query: query.name.clone(),
                    of: match component.released {
                        Released::Chosen => RANK,
                        Released::Noisy if query.components.len() > 1 => component.role,
                        Released::Noisy => VALUE,
                    },
                    at_most: Number::at_most(&width, DIGITS),
                    confidence: Number::exact(&processing.confidence, DIGITS),
                });
            }
        }
        Ok(DryRun {
            promise: Promise::new(&noise.claim, noise.approximate.as_ref(), false),
            question: "release",
            dry_run: true,
            neighbours: neighbours(plan),
            plan: plan.describe(),
            queries: queries(plan, noise),
            errors,
            ledger,
        })
    }

    /// The plan as a drawing, what it would claim, and what it would cost.
    pub fn text(&self) -> String {
        let mut text = self.drawing();
        let mut lines =
            vec![["query", "kind", "costs", "noise", "off by at most"].map(str::to_owned).to_vec()];
        let mut errors = self.errors.iter();
        let symbol = if self.plan.measure == Measure::Zcdp { "ρ" } else { "ε" };
        for (query, planned) in self.queries.iter().zip(&self.plan.queries) {
            // What a query costs stands beside its first part.
            let mut costs = match planned.loss.parse::<Rational>() {
                Ok(loss) => format!("{symbol} = {}", crate::number::decimal(&loss, FEW_DIGITS, Rounding::Up)),
                Err(_) => String::new(),
            };
            for part in &query.noise {
                let Some(error) = errors.next() else { continue };
                let percent = (error.confidence.upper() * Rational::from(100)).to_short();
                let name = match error.of {
                    VALUE | RANK => query.name.clone(),
                    part => format!("{}, {part}", query.name),
                };
                let unit = if error.of == RANK { " ranks" } else { "" };
                lines.push(vec![
                    name,
                    query.kind.to_owned(),
                    std::mem::take(&mut costs),
                    format!("{}, scale {}", part.mechanism, part.scale),
                    format!("{}{unit} at {percent}%", error.at_most),
                ]);
            }
        }
        let _ = write!(text, "\n{}", aligned(&lines, 5));
        if let Promised::Claimed(claim) = &self.promise.claim {
            let symbol = if claim.measure() == lastbit::Measure::MaxDivergence { "ε" } else { "ρ" };
            let loss = crate::number::decimal(claim.loss(), DIGITS, Rounding::Up);
            let _ = writeln!(
                text,
                "\nIt would cost {symbol} = {loss}, between tables that differ in {}.",
                self.neighbours
            );
        }
        match &self.ledger {
            Some(outlook) => {
                let _ = writeln!(text, "The ledger says: it {}.", outlook.text());
            }
            None => text.push_str("There is no ledger to say what is left (--ledger).\n"),
        }
        text.push_str("Nothing was read and nothing was charged.\n");
        text
    }

    /// From the table to the result, a step a line.
    fn drawing(&self) -> String {
        let plan = &self.plan;
        let mut steps = vec![("table", plan.paths.join(", "))];
        if let Some(filter) = &plan.filter {
            steps.push(("filter", filter.clone()));
        }
        let unit = match plan.unit.is_empty() {
            true => "every row is a unit".to_owned(),
            false => format!("{}; rows without it do not count", plan.unit.join(", ")),
        };
        steps.push(("unit", unit));
        let (most_groups, most_rows) = (count(plan.groups, "group"), count(plan.rows, "row"));
        let bounds = format!("at most {most_groups} a unit, {most_rows} a unit and group");
        let groups = plan.keys as u64;
        steps.push(("bounds", bounds));
        let keys = match plan.by.is_empty() {
            true => "all rows together".to_owned(),
            false => format!("{}: {}", plan.by.join(", "), count(groups, "declared group")),
        };
        steps.push(("groups", keys));
        let asked: Vec<String> =
            self.queries.iter().map(|query| format!("{} ({})", query.name, query.kind)).collect();
        steps.push(("queries", asked.join(", ")));
        let all = if groups == 1 { "" } else { ", every one of them, sorted" };
        steps.push(("result", format!("{}{all}", count(groups, "group"))));
        let mut text = String::new();
        for (i, (name, said)) in steps.iter().enumerate() {
            let _ = writeln!(text, "{}{name:<8} {said}", if i == 0 { "   " } else { "-> " });
        }
        text
    }
}
