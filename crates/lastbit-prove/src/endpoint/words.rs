//! Answers in words: the verdict first, then why.

use std::fmt::Write;

use lastbit_audit::ExactLoss;
use lastbit_lang::values::Claimed;
use lastbit_real::{Float, Rational, Rounding};

use super::answer::{Conclusion, FloatAnswer};
use super::neighbours::Point;
use super::refute::{Event, Refutation};
use super::{EndpointReport, Total};

/// Digits of losses.
const DIGITS: usize = 20;

impl FloatAnswer<'_> {
    /// The answer for people. Places are those of `text`, the text that was asked about.
    pub fn in_words(&self, text: &str) -> String {
        let name = &self.statement.declaration.name.text;
        let mut out = format!("{name}: {}{}\n", self.verdict(), self.scope());
        if let Some(refutation) = &self.refutation {
            self.write_refutation(&mut out, refutation);
        }
        match &self.bound {
            Ok((_, report)) => {
                let _ = write!(out, "{name}: {report}");
                if let Some(why) = self.not_enough() {
                    let _ = writeln!(out, "note: {why}");
                }
            }
            Err(reason) => {
                let (line, column) = reason.span.line_column(text);
                let _ = writeln!(
                    out,
                    "  no bound for all inputs: line {line}, column {column}: {}",
                    reason.message
                );
                if let Some(hint) = &reason.hint {
                    let _ = writeln!(out, "  hint: {hint}");
                }
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        out
    }

    /// The verdict, and by what.
    fn verdict(&self) -> String {
        let up = |x: &Rational| x.to_decimal(DIGITS, Rounding::Up);
        let certified = "    ENDPT, the certified bound of the error semantics";
        match (self.conclusion, &self.bound) {
            (Conclusion::Proved, Ok((_, report))) => match &report.certified.total {
                Total::Pure { loss } => format!("PROVED (pure, cost <= {}){certified}", up(loss)),
                Total::Approximate { loss, delta } => {
                    let delta = delta.to_decimal(3, Rounding::Up);
                    format!("PROVED (cost <= {}, delta <= {delta}){certified}", up(loss))
                }
            },
            (Conclusion::Refuted, _) => format!("{}            audit exact", self.refuted()),
            _ => "UNDECIDED".into(),
        }
    }

    /// For which neighbours, if not for those of the text.
    fn scope(&self) -> String {
        let given = self.statement.given.distance.as_ref();
        given.map_or(String::new(), |distance| format!(", for inputs at most {distance} apart, as given"))
    }

    /// The refuted claim, in words.
    fn refuted(&self) -> String {
        let Claimed { epsilon, delta } = &self.statement.claim;
        let Some(Refutation { loss, event, .. }) = &self.refutation else { return "REFUTED".into() };
        match (epsilon, loss) {
            _ if !delta.is_zero() => {
                let epsilon = epsilon.as_ref().map_or_else(|| "eps".into(), ToString::to_string);
                format!("NOT ({epsilon}, {delta})-DP")
            }
            (_, ExactLoss::Infinite) if matches!(event, Event::Output(_)) => "NOT eps-DP for any eps".into(),
            (Some(epsilon), _) => format!("NOT eps-DP with eps = {epsilon}"),
            (None, _) => "NOT eps-DP for any eps".into(),
        }
    }

    fn write_refutation(&self, out: &mut String, refutation: &Refutation) {
        let Refutation { inputs, event, probabilities, loss } = refutation;
        let parameters = self.statement.parameters();
        let parameters: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
        let mut row = |name: &str, text: String| {
            let _ = writeln!(out, "  {name:15} {text}");
        };
        if !parameters.is_empty() {
            row("parameters", parameters.join(" "));
        }
        let side = |point: &Point, side: usize| {
            let values: Vec<String> =
                point.iter().map(|(name, value)| format!("{name}<{side}>={}", shown(value))).collect();
            values.join(" ")
        };
        row("inputs", format!("{} {}", side(&inputs[0], 1), side(&inputs[1], 2)));
        row(
            "",
            match &self.statement.given.distance {
                None => "neighbours: they satisfy the ranges, the assumptions and the adjacency of the text"
                    .into(),
                Some(distance) => {
                    format!(
                        "they satisfy the ranges and the assumptions of the text, and are at most {distance} apart, as given"
                    )
                }
            },
        );
        row("event", event.in_words());
        for (name, probability) in ["Pr1", "Pr2"].iter().zip(probabilities) {
            row(name, format!("= {}", exactly(probability)));
        }
        if let ExactLoss::Finite(loss) = loss
            && matches!(event, Event::Output(_))
        {
            row("loss", format!(">= {}", Rational::from(loss.lo()).to_decimal(DIGITS, Rounding::Down)));
        }
    }

    /// The reason why the claim is not proved, although there is a bound.
    pub fn not_enough(&self) -> Option<String> {
        not_enough(&self.bound.as_ref().ok()?.1, &self.statement.claim)
    }
}

impl Event {
    /// The answer as text.
    pub fn in_words(&self) -> String {
        match self {
            Event::Output(output) => format!("r = {}", shown_float(*output)),
            Event::Favoured { epsilon, example } => format!(
                "r is an output that one input gives more than e^{epsilon} times as often, such as {}",
                shown_float(*example)
            ),
        }
    }
}

/// Why a claim is not proved, though there is a bound.
fn not_enough(report: &EndpointReport, claim: &Claimed) -> Option<String> {
    let epsilon = claim.epsilon.as_ref().filter(|_| !report.is_within(claim))?;
    let certified = match &report.certified.total {
        Total::Pure { loss } => format!("a loss of {}", loss.to_decimal(DIGITS, Rounding::Up)),
        Total::Approximate { loss, delta } => format!(
            "a loss of {} except with probability {}",
            loss.to_decimal(DIGITS, Rounding::Up),
            delta.to_decimal(3, Rounding::Up)
        ),
    };
    let delta = if claim.delta.is_zero() { String::new() } else { format!(" and delta = {}", claim.delta) };
    Some(format!("the claim is epsilon = {epsilon}{delta}, but the certified bound is {certified}"))
}

/// A number as it is, or as a float in hexadecimal if that is shorter.
fn shown(value: &Rational) -> String {
    let exact = value.to_string();
    let float = value.to_f64(Rounding::Nearest);
    match exact.len() > 20 && Rational::try_from(float).as_ref() == Ok(value) {
        true => short_hex(float),
        false => exact,
    }
}

/// `-1000`, `-0x1p-53`.
fn shown_float(x: f64) -> String {
    const SHORT: f64 = 1e9;
    if x.fract() == 0.0 && x.abs() < SHORT { format!("{x}") } else { short_hex(x) }
}

/// `-0x1p-53`, without zeros that say nothing.
fn short_hex(x: f64) -> String {
    let hex = x.to_hex();
    match hex.split_once('p') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}p{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => hex,
    }
}

/// A probability, exactly, with the power of two below it.
fn exactly(x: &Rational) -> String {
    let below = x.floor_log2().map_or(String::new(), |exponent| match *x == Rational::pow2(exponent) {
        true => format!(", 2^{exponent}"),
        false => format!(" > 2^{exponent}"),
    });
    let exact = x.to_string();
    let exact = if exact.len() <= 48 { exact } else { x.to_decimal(6, Rounding::Down) };
    format!("{exact}{below}")
}
