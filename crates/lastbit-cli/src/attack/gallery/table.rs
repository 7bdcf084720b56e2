//! The results, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use lastbit::Rational;
use lastbit_audit::columns;
use lastbit_engine::Schema;
use lastbit_engine::attack::{AttackAnswer, Verdict, percent, plain};
use serde::Serialize;

use super::{FalseAlarms, Gallery, Mechanism, Row};
use crate::attack::report::painted;
use crate::style;

const HEADS: [&str; 8] =
    ["mechanism", "version", "claim", "verdict", "event", "loss at least", "samples", "seconds"];

/// Event sets can be long; the table has room for this much.
const LONGEST_EVENT: usize = 60;

/// The text above the table in Markdown.
const HEADER: &str = "# The gallery of noise

The noise of several libraries at the inputs 0 and 1, for a sensitivity of 1, attacked from the outside: [attack.md](attack.md) says how, and what a verdict means.
Each *leaks* holds with the confidence given below the table; *not seen to leak* proves nothing.
Gaussian noise is compared with its `ε` and `δ`; that of opendp and lastbit has σ = 5, whose `ρ = 1/50` implies `ε = ρ + 2√(ρ·ln(1/δ)) < 1`.
Bounded mechanisms have the bounds ±10.
`numpy rng.laplace` is `x + rng.laplace(0, 1)`; `numpy rng.normal` is `x + rng.normal(0, σ)` with the textbook's `σ = √(2·ln(1.25/δ))`.
Seconds are for both inputs, including the start of Python.

This command writes the file:

";

/// The gallery for programs.
#[derive(Serialize)]
pub(super) struct GalleryData<'a> {
    schema: Schema,
    confidence: String,
    samples: usize,
    mechanisms: Vec<RowData<'a>>,
    false_alarms: Vec<AlarmsData<'a>>,
}

#[derive(Serialize)]
struct RowData<'a> {
    mechanism: &'static str,
    version: &'a str,
    not_run: Option<&'a String>,
    answer: Option<&'a AttackAnswer>,
    seconds: f64,
}

#[derive(Serialize)]
struct AlarmsData<'a> {
    mechanism: &'static str,
    runs: usize,
    alarms: Option<&'a usize>,
    not_run: Option<&'a String>,
}

impl Row {
    fn verdict_in_words(&self) -> String {
        match (&self.answer, self.verdict()) {
            (Ok(_), Some(verdict)) => verdict.word().to_lowercase(),
            (Err(why), _) => format!("not run: {why}"),
            _ => "not run".into(),
        }
    }

    fn cells(&self, samples: usize) -> [String; 8] {
        let answer = self.answer.as_ref().ok();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        [
            self.mechanism.name.into(),
            self.version.clone(),
            self.mechanism.claim(),
            self.verdict_in_words(),
            or_dash(answer.map(|answer| short(&answer.event, LONGEST_EVENT))),
            or_dash(answer.map(|answer| answer.loss_lower_bound.to_string())),
            or_dash(answer.map(|_| format!("2 × {samples}"))),
            or_dash(answer.map(|_| format!("{:.1}", self.seconds))),
        ]
    }

    /// What fits one line of a terminal: the verdict, the loss, the mechanism, and the event or why there is none.
    fn line(&self) -> [String; 4] {
        let name = self.mechanism.name.into();
        match &self.answer {
            Ok(answer) => {
                let loss = answer.loss_lower_bound.to_string();
                [answer.verdict.word().into(), loss, name, answer.event.clone()]
            }
            Err(why) => ["NOT RUN".into(), "-".into(), name, why.clone()],
        }
    }

    fn data(&self) -> RowData<'_> {
        RowData {
            mechanism: self.mechanism.name,
            version: &self.version,
            not_run: self.answer.as_ref().err(),
            answer: self.answer.as_ref().ok(),
            seconds: self.seconds,
        }
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

    fn data(&self) -> AlarmsData<'_> {
        AlarmsData {
            mechanism: self.mechanism.name,
            runs: self.runs,
            alarms: self.alarms.as_ref().ok(),
            not_run: self.alarms.as_ref().err(),
        }
    }
}

impl Gallery<'_> {
    /// Whether everything was run.
    pub(super) fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.answer.is_ok())
            && self.false_alarms.iter().all(|alarms| alarms.alarms.is_ok())
    }

    fn summary(&self) -> String {
        let count =
            |verdict: Option<Verdict>| self.rows.iter().filter(|row| row.verdict() == verdict).count();
        let mut text = format!(
            "Confidence {}: {} leak, {} are not seen to leak, {} were not run.\n",
            percent(self.confidence),
            count(Some(Verdict::Leaks)),
            count(Some(Verdict::NotSeenToLeak)),
            count(None),
        );
        let too_few = count(Some(Verdict::TooFewSamples));
        if too_few > 0 {
            let _ = writeln!(text, "{too_few} had too few samples: give a larger --samples.");
        }
        if !self.false_alarms.is_empty() {
            let alarms: usize = self.false_alarms.iter().flat_map(|counted| counted.alarms.clone()).sum();
            let done = self.false_alarms.iter().filter(|counted| counted.alarms.is_ok());
            let runs: usize = done.map(|counted| counted.runs).sum();
            let expected = Rational::from(runs as u64) * (Rational::ONE - self.confidence);
            let each: Vec<String> = self.false_alarms.iter().map(FalseAlarms::text).collect();
            let _ = writeln!(
                text,
                "\nFalse alarms, from repeated attacks on noise that is believed to be right: {alarms} of {runs}; at most {} \
                 are expected ({}).",
                plain(&expected),
                each.join("; "),
            );
        }
        text
    }

    /// A line for each mechanism, no wider than the terminal.
    pub(super) fn text(&self) -> String {
        let mut all = vec![["verdict", "loss >=", "mechanism", "event"].map(str::to_owned)];
        all.extend(self.rows.iter().map(Row::line));
        let table = columns(&all);
        let mut text = String::new();
        for (i, line) in table.lines().enumerate() {
            let line = short(line.trim(), style::width());
            let verdict = i.checked_sub(1).and_then(|row| self.rows.get(row)?.verdict());
            // A terminal may be too narrow for the word itself.
            let split =
                verdict.and_then(|verdict| Some((verdict, line.split_at_checked(verdict.word().len())?)));
            let _ = match split {
                Some((verdict, (word, rest))) => writeln!(text, "{}{rest}", painted(verdict, word)),
                None => writeln!(text, "{line}"),
            };
        }
        let about = format!(
            "Claims: {}. Versions: {}. --markdown FILE has them row by row.\n\n{}",
            self.claims(),
            self.versions(),
            self.summary()
        );
        format!("{text}\n{}", style::wrap(&about, style::width(), 0))
    }

    /// What is claimed, and of how many mechanisms.
    fn claims(&self) -> String {
        let mut counts = BTreeMap::new();
        for row in &self.rows {
            *counts.entry(row.mechanism.claim()).or_insert(0) += 1;
        }
        counts.iter().map(|(claim, count)| format!("{claim} of {count}")).collect::<Vec<_>>().join("; ")
    }

    /// The packages that were attacked.
    fn versions(&self) -> String {
        let versions: BTreeMap<&str, &str> =
            self.rows.iter().map(|row| (row.mechanism.package(), row.version.as_str())).collect();
        versions
            .iter()
            .map(|(package, version)| format!("{package} {version}"))
            .collect::<Vec<_>>()
            .join(", ")
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

    pub(super) fn data(&self) -> GalleryData<'_> {
        GalleryData {
            schema: Schema,
            confidence: self.confidence.to_string(),
            samples: self.samples,
            mechanisms: self.rows.iter().map(Row::data).collect(),
            false_alarms: self.false_alarms.iter().map(FalseAlarms::data).collect(),
        }
    }
}

/// At most so many characters.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}
