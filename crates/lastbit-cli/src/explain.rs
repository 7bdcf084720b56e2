//! A mechanism in words: the loss, between whom, how far off results are, what the loss means.

use lastbit::{Claim, Contract, HalfWidth, Measure, Rational, Rounding, ValueType};
use lastbit_real::exp_rational;

use crate::error::Error;
use crate::output::Promise;
use crate::plan::Plan;
use crate::value::Value as _;

const CONFIDENCES: [&str; 5] = ["50%", "90%", "95%", "99%", "99.9%"];

/// Bits of the enclosures; results are shown with [`DIGITS`] digits.
const BITS: u32 = 64;
const DIGITS: usize = 6;

/// The explanation as text, or as a JSON object.
pub(crate) fn explain(plan: &Plan, as_json: bool) -> Result<String, Error> {
    let widths = CONFIDENCES
        .into_iter()
        .map(|confidence| Ok((confidence, plan.mechanism.half_width(plan.result, &part(confidence))?)));
    let widths: Vec<(&str, HalfWidth)> = widths.collect::<Result<_, lastbit::Error>>()?;
    let meaning = Meaning::of(&plan.claim)?;
    Ok(if as_json { json_text(plan, &widths, &meaning) } else { plain_text(plan, &widths, &meaning) })
}

/// A percentage as a part of 1.
fn part(percentage: &str) -> Rational {
    let number: Rational = percentage.trim_end_matches('%').parse().unwrap_or_default();
    number / Rational::from(100)
}

/// A half-width as a decimal number.
fn shown(width: &HalfWidth) -> String {
    const MOST_DIGITS: usize = 20;
    match width {
        HalfWidth::Float(width) => {
            let mut text = String::new();
            width.print(&mut text);
            text
        }
        HalfWidth::Integer(width) => {
            let text = width.to_string();
            let rounded = || Rational::from(width.clone()).to_decimal(DIGITS, Rounding::Up);
            if text.len() <= MOST_DIGITS { text } else { rounded() }
        }
    }
}

fn plain_text(plan: &Plan, widths: &[(&str, HalfWidth)], meaning: &Meaning) -> String {
    let mut text = format!("{}: {}\n\n", plan.claim.mechanism(), plan.claim.loss_in_words());
    text.push_str(&wrapped(&plan.mechanism.formula(plan.result)));
    for (name, value) in plan.claim.parameters() {
        text.push_str(&format!("  {name} = {value}\n"));
    }
    text.push_str(&format!("\nclaim\n\n{}", wrapped(&plan.claim.to_string())));
    if let Some(approximate) = &plan.approximate {
        text.push_str(&wrapped(&format!("It is also {}.", approximate.in_words())));
    }
    text.push_str("\nhow far off a noisy value is\n\n");
    let widths: Vec<(&str, String)> =
        widths.iter().map(|(confidence, width)| (*confidence, shown(width))).collect();
    let column = widths.iter().map(|(_, width)| width.len()).max().unwrap_or(0);
    for (confidence, width) in widths {
        text.push_str(&format!("  at most {width:<column$}  with probability {confidence}\n"));
    }
    if matches!(plan.mechanism.name(), "laplace" | "grid-laplace" | "gaussian") && !plan.result.is_integer() {
        text.push_str(&wrapped(&format!(
            "Rounding the sum to {} comes on top: half a unit in its last place.",
            float_name(plan.result)
        )));
    }
    text.push_str(&format!("\nwhat the loss means\n\n{}", wrapped(&meaning.in_words(&plan.claim))));
    text
}

fn float_name(values: ValueType) -> &'static str {
    if values == ValueType::F32 { "f32" } else { "f64" }
}

/// The text in lines that are easy to read, indented; words longer than a line stay whole.
pub(crate) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 96;
    let (mut out, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > WIDTH {
            out.push('\n');
            used = 0;
        }
        out.push_str(if used == 0 { "  " } else { " " });
        out.push_str(word);
        used += 1 + length;
    }
    out.push('\n');
    out
}

fn json_text(plan: &Plan, widths: &[(&str, HalfWidth)], meaning: &Meaning) -> String {
    let number = |text: String| if text == "inf" { "null".to_owned() } else { text };
    let widths: Vec<String> = widths
        .iter()
        .map(|(confidence, width)| {
            let confidence = part(confidence).to_short();
            format!("{{\"confidence\": {confidence}, \"half_width\": {}}}", number(shown(width)))
        })
        .collect();
    let factor = meaning.factor.as_ref().map_or("null".into(), |f| f.to_decimal(DIGITS, Rounding::Up));
    let except = if meaning.is_pure { "0" } else { EXCEPT };
    format!(
        "{{{}, \"formula\": {}, \"half_widths\": [{}], \"odds\": {{\"factor\": {factor}, \"except_with_probability\": \
         {except}}}, \"meaning\": {}}}\n",
        Promise { claim: &plan.claim, approximate: plan.approximate.as_ref(), is_insecure: false }
            .json_members(),
        json(plan.mechanism.formula(plan.result)),
        widths.join(", "),
        json(meaning.in_words(&plan.claim)),
    )
}

/// A JSON string.
pub(crate) fn json(text: String) -> String {
    serde_json::Value::from(text).to_string()
}

/// The probability with which a zero-concentrated loss may be worse than explained.
const EXCEPT: &str = "1e-6";

/// The loss as a change of odds.
pub(crate) struct Meaning {
    /// The exponent of the factor.
    log_factor: Rational,
    /// By how much the odds between two neighbouring inputs change at most; a little above the true number. `None` if that
    /// number is beyond words.
    factor: Option<Rational>,
    /// Whether it is so with certainty, or only but for a probability of [`EXCEPT`].
    is_pure: bool,
}

impl Meaning {
    pub(crate) fn of(claim: &Claim) -> Result<Meaning, Error> {
        let is_pure = claim.measure() == Measure::MaxDivergence;
        let log_factor = claim.log_odds(&EXCEPT.parse().unwrap_or_default())?;
        // Beyond this the number of digits is all one could say.
        let largest = Rational::from(1000);
        let factor =
            Some(&log_factor).filter(|log| **log <= largest).and_then(|log| exp_rational(log, BITS).ok());
        let factor = factor.map(|enclosure| Rational::from(enclosure.hi()));
        Ok(Meaning { log_factor, factor, is_pure })
    }

    pub(crate) fn in_words(&self, claim: &Claim) -> String {
        let log = if self.is_pure {
            claim.loss().to_short()
        } else {
            self.log_factor.to_decimal(DIGITS, Rounding::Up)
        };
        // Long fractions are in the claim.
        let log = if log.len() > 20 { "loss".to_owned() } else { log };
        let seldom = if self.is_pure {
            String::new()
        } else {
            format!(", but for an event of the noise that has probability {EXCEPT} or less")
        };
        let adjacency = claim.about();
        match &self.factor {
            Some(factor) => {
                let surest = Rational::from(100) * factor / (factor + Rational::ONE);
                format!(
                    "Take any two neighbouring inputs ({adjacency}). Anyone who sees the output may find one of them more plausible \
                     than before, but the odds between them change by a factor of at most {} (e^{}, rounded up){seldom}. Someone \
                     who thought both equally likely is at most {}% sure of either afterwards.",
                    factor.to_decimal(DIGITS, Rounding::Up),
                    if log.contains('/') { format!("({log})") } else { log },
                    surest.to_decimal(4, Rounding::Up),
                )
            }
            None => format!(
                "The loss is so large that it protects nothing: anyone who sees the output can become certain which of two neighbouring \
                 inputs ({adjacency}) it came from."
            ),
        }
    }
}
