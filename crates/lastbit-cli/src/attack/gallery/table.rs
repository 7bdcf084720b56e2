//! The results, for people and for programs.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::columns;
use serde_json::{Value, json};

use super::{FalseAlarms, Gallery, Mechanism, Row};
use crate::attack::report::{down, percent, plain};

const HEADS: [&str; 8] =
    ["mechanism", "version", "claim", "verdict", "event", "loss at least", "samples", "seconds"];

/// Event sets can be long; the table has room for this much.
const LONGEST_EVENT: usize = 60;

/// What is said above the table in Markdown.
const HEADER: &str = "# The gallery of noise

Noise of several libraries at the inputs 0 and 1, for a sensitivity of 1, attacked from the outside: [attack.md](attack.md) says how, and what a verdict means.
*Leaks* is certain with the confidence below, row by row; *not seen to leak* is no proof of anything. Gaussian noise is held against its `ε` and `δ`; that of opendp and
lastbit has σ = 5, whose `ρ = 1/50` of zero-concentrated privacy is `ε = ρ + 2√(ρ·ln(1/δ)) < 1`. Bounded mechanisms are bounded by ±10. `numpy rng.laplace` is
`x + rng.laplace(0, 1)`; `numpy rng.normal` is `x + rng.normal(0, σ)` with the textbook's `σ = √(2·ln(1.25/δ))`. Seconds are for both inputs, starting Python included.

This file is written by

";

impl Row {
    fn verdict(&self) -> String {
        match (self.leaks(), &self.finding) {
            (Some(true), _) => "leaks".into(),
            (_, Err(why)) => format!("not run: {why}"),
            _ => "not seen to leak".into(),
        }
    }

    fn cells(&self, samples: usize) -> [String; 8] {
        let finding = self.finding.as_ref().ok();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        [
            self.mechanism.name.into(),
            self.version.clone(),
            self.mechanism.claim(),
            self.verdict(),
            or_dash(finding.map(|finding| short(&finding.event.to_string()))),
            or_dash(finding.map(|finding| down(&finding.loss_lower_bound))),
            or_dash(finding.map(|_| format!("2 × {samples}"))),
            or_dash(finding.map(|_| format!("{:.1}", self.seconds))),
        ]
    }

    fn json(&self) -> Value {
        let finding = self.finding.as_ref().ok();
        json!({
            "mechanism": self.mechanism.name,
            "version": self.version,
            "epsilon": self.mechanism.epsilon().to_string(),
            "delta": self.mechanism.delta().to_string(),
            "leaks": self.leaks(),
            "not_run": self.finding.as_ref().err(),
            "event": finding.map(|finding| finding.event.to_string()),
            "loss_lower_bound": finding.map(|finding| finding.loss_lower_bound.to_f64(Rounding::Down)),
            "loss_lower_bound_exact": finding.map(|finding| finding.loss_lower_bound.to_string()),
            "tested": finding.map(|finding| finding.tested.map(|c| json!({ "hits": c.hits, "trials": c.trials }))),
            "explanation": finding.map(|finding| finding.explanation()),
            "seconds": self.seconds,
        })
    }
}

impl Mechanism {
    fn claim(&self) -> String {
        let epsilon = format!("ε = {}", self.epsilon);
        if self.delta().is_zero() { epsilon } else { format!("{epsilon}, δ = {}", self.delta) }
    }
}

impl FalseAlarms {
    fn text(&self) -> String {
        match &self.alarms {
            Ok(alarms) => format!("{}: {alarms} of {}", self.mechanism.name, self.runs),
            Err(why) => format!("{}: not run: {why}", self.mechanism.name),
        }
    }
}

impl Gallery<'_> {
    /// Whether everything was run.
    pub(super) fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.finding.is_ok())
            && self.false_alarms.iter().all(|alarms| alarms.alarms.is_ok())
    }

    fn summary(&self) -> String {
        let count = |verdict: Option<bool>| self.rows.iter().filter(|row| row.leaks() == verdict).count();
        let mut text = format!(
            "Confidence {}: {} leak, {} are not seen to leak, {} were not run.\n",
            percent(self.confidence),
            count(Some(true)),
            count(Some(false)),
            count(None),
        );
        if !self.false_alarms.is_empty() {
            let alarms: usize = self.false_alarms.iter().flat_map(|counted| counted.alarms.clone()).sum();
            let done = self.false_alarms.iter().filter(|counted| counted.alarms.is_ok());
            let runs: usize = done.map(|counted| counted.runs).sum();
            let expected = Rational::from(runs as u64) * (Rational::ONE - self.confidence);
            let each: Vec<String> = self.false_alarms.iter().map(FalseAlarms::text).collect();
            let _ = writeln!(
                text,
                "\nFalse alarms, where noise that is believed to be right is attacked again and again: {alarms} of {runs}, and at \
                 most {} are to be expected ({}).",
                plain(&expected),
                each.join("; "),
            );
        }
        text
    }

    pub(super) fn text(&self) -> String {
        let mut all = vec![HEADS.map(str::to_owned)];
        all.extend(self.rows.iter().map(|row| row.cells(self.samples)));
        format!("{}\n{}", columns(&all), self.summary())
    }

    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let escaped = |cells: [String; 8]| cells.map(|cell| cell.replace('|', "\\|"));
        let mut text = format!("{HEADER}    {}\n\n", self.command());
        text += &line(&HEADS.map(str::to_owned));
        text += &line(&HEADS.map(|_| "---".to_owned()));
        text.extend(self.rows.iter().map(|row| line(&escaped(row.cells(self.samples)))));
        format!("{text}\n{}", self.summary())
    }

    /// What to type for this gallery.
    fn command(&self) -> String {
        let mut text = format!("lastbit attack --gallery --samples {}", self.samples);
        if percent(self.confidence) != "99.9%" {
            let _ = write!(text, " --confidence {}", plain(self.confidence));
        }
        if let Some(alarms) = self.false_alarms.first() {
            let _ = write!(text, " --false-alarms {}", alarms.runs);
        }
        text + " --markdown docs/gallery.md"
    }

    pub(super) fn json(&self) -> Value {
        let alarms = self.false_alarms.iter().map(|counted| {
            json!({
                "mechanism": counted.mechanism.name, "runs": counted.runs,
                "alarms": counted.alarms.as_ref().ok(), "not_run": counted.alarms.as_ref().err(),
            })
        });
        json!({
            "confidence": self.confidence.to_string(),
            "samples": self.samples,
            "mechanisms": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
            "false_alarms": alarms.collect::<Vec<_>>(),
        })
    }
}

fn short(event: &str) -> String {
    match event.char_indices().nth(LONGEST_EVENT) {
        Some((end, _)) => format!("{}…", &event[..end]),
        None => event.to_owned(),
    }
}
