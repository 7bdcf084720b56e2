//! What is said of a finding.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::black_box::Finding;
use serde_json::{Value, json};

use lastbit_engine::audit::short as number;

use crate::audit::print_json;
use crate::error::Error;
use crate::explain::wrapped;
use crate::prove::files::print;

/// Digits of numbers for people.
const DIGITS: usize = 6;

/// A finding, and what it is about.
pub(super) struct Report<'a> {
    pub(super) finding: &'a Finding,
    /// What is claimed.
    pub(super) epsilon: Option<&'a Rational>,
    /// What the samples are called.
    pub(super) names: [String; 2],
    pub(super) inputs: Option<[f64; 2]>,
    pub(super) samples: [usize; 2],
}

impl Report<'_> {
    /// Says it. The exit code is 1 if it leaks.
    pub(super) fn print(&self, as_json: bool) -> Result<(), Error> {
        let printed = if as_json { print_json(&self.json()) } else { print(&self.text()) };
        match (printed, self.leaks()) {
            // The verdict stands, also if nobody reads it.
            (Ok(()) | Err(Error::BrokenPipe { .. }), Some(true)) => Err(Error::Told(1)),
            (printed, _) => printed,
        }
    }

    fn leaks(&self) -> Option<bool> {
        self.epsilon.map(|epsilon| self.finding.exceeds(epsilon))
    }

    fn text(&self) -> String {
        let finding = self.finding;
        let loss = down(&finding.loss_lower_bound);
        let claim = |epsilon: &Rational| match finding.delta.is_zero() {
            true => format!("the claim is {}", plain(epsilon)),
            false => format!("the claim is {} with δ = {}", plain(epsilon), plain(&finding.delta)),
        };
        let sure = format!("with confidence {}", percent(&finding.confidence));
        let mut text = match self.epsilon {
            Some(epsilon) if finding.exceeds(epsilon) => {
                format!("LEAKS: the privacy loss is at least {loss} {sure}, and {}\n", claim(epsilon))
            }
            Some(epsilon) => {
                format!("not seen to leak: the loss is at least {loss} {sure}, and {}\n", claim(epsilon))
            }
            None => format!("the privacy loss is at least {loss} {sure}\n"),
        };
        let (more, less) = (finding.favoured, 1 - finding.favoured);
        let count = |i: usize| {
            format!("{} of {} for {}", finding.tested[i].hits, finding.tested[i].trials, self.names[i])
        };
        let _ = writeln!(text, "\nevent    {}", finding.event);
        let _ = writeln!(text, "counts   {}; {}", count(more), count(less));
        let _ = writeln!(
            text,
            "bounds   P >= {} for {}; P' <= {} for {}",
            down(&finding.probabilities[more]),
            self.names[more],
            up(&finding.probabilities[less]),
            self.names[less],
        );
        let ratio = if finding.delta.is_zero() { "P/P'" } else { "(P - δ)/P'" };
        let _ = match finding.loss_lower_bound.is_zero() {
            true => writeln!(text, "loss     none is certain: {ratio} may be 1 or less"),
            false => writeln!(text, "loss     >= ln({ratio}) >= {loss}"),
        };
        let _ = writeln!(
            text,
            "chosen   on the other half of {} and {} samples, out of {} events",
            self.samples[0], self.samples[1], finding.events_tried,
        );
        let _ = write!(text, "\n{}", wrapped(&finding.explanation()));
        if self.leaks() == Some(false) {
            text.push_str(&wrapped("That no leak is seen does not mean that there is none."));
        }
        text
    }

    fn json(&self) -> Value {
        let finding = self.finding;
        let counts = |counts: &[lastbit_audit::black_box::Count; 2]| {
            counts.map(|count| json!({ "hits": count.hits, "trials": count.trials }))
        };
        let rounding = |i: usize| if i == finding.favoured { Rounding::Down } else { Rounding::Up };
        let probability = |i: usize| {
            let (value, is_from) =
                (&finding.probabilities[i], if i == finding.favoured { "below" } else { "above" });
            json!({ "bound_from": is_from, "value": value.to_f64(rounding(i)), "exact": value.to_string() })
        };
        json!({
            "leaks": self.leaks(),
            "epsilon": self.epsilon.map(Rational::to_string),
            "delta": finding.delta.to_string(),
            "confidence": finding.confidence.to_f64(Rounding::Nearest),
            "confidence_exact": finding.confidence.to_string(),
            "event": finding.event.to_string(),
            "favoured": finding.favoured,
            "names": self.names,
            "inputs": self.inputs,
            "samples": self.samples,
            "counts": { "chosen": counts(&finding.chosen), "tested": counts(&finding.tested) },
            "probabilities": [probability(0), probability(1)],
            "loss_lower_bound": finding.loss_lower_bound.to_f64(Rounding::Down),
            "loss_lower_bound_exact": finding.loss_lower_bound.to_string(),
            "events_tried": finding.events_tried,
            "explanation": finding.explanation(),
        })
    }
}

/// A number from below, in few digits.
pub(super) fn down(value: &Rational) -> String {
    value.to_decimal(DIGITS, Rounding::Down)
}

/// A number from above, in few digits.
fn up(value: &Rational) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    value.to_decimal(DIGITS, Rounding::Up)
}

/// A probability as per cent.
pub(super) fn percent(value: &Rational) -> String {
    format!("{}%", plain(&(value * Rational::from(100))))
}

/// A number exactly: as a decimal, if it is a short one.
pub(super) fn plain(value: &Rational) -> String {
    let decimals = (1..=DIGITS).map(|digits| value.to_decimal(digits, Rounding::Nearest));
    let exact = |text: &String| text.parse::<Rational>().as_ref() == Ok(value);
    decimals.into_iter().find(exact).unwrap_or_else(|| number(value))
}
