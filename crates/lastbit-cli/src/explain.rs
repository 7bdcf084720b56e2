//! A mechanism in words: formula, claim, how far off results are, what the loss means.

use lastbit::{Claim, Measure, Rational, Rounding};
use lastbit_real::{exp_rational, ln_rational};

use crate::error::Error;
use crate::output::{Promise, json};
use crate::plan::{Plan, decimal};

const CONFIDENCES: [&str; 5] = ["50%", "90%", "95%", "99%", "99.9%"];

/// Bits of the enclosures; results are shown with [`DIGITS`] digits.
const BITS: u32 = 64;
const DIGITS: usize = 6;

/// The explanation as text, or as a JSON object.
pub(crate) fn explain<X, T>(plan: &Plan<X, T>, as_json: bool) -> Result<String, Error> {
    let widths =
        CONFIDENCES.into_iter().map(|confidence| Ok((confidence, (plan.half_width)(&part(confidence))?)));
    let widths: Vec<(&str, String)> = widths.collect::<Result<_, lastbit::Error>>()?;
    let meaning = Meaning::of(&plan.claim);
    Ok(if as_json { json_text(plan, &widths, &meaning) } else { plain_text(plan, &widths, &meaning) })
}

/// A percentage as a part of 1.
fn part(percentage: &str) -> Rational {
    let number: Rational = percentage.trim_end_matches('%').parse().unwrap_or_default();
    number / Rational::from(100)
}

fn plain_text<X, T>(plan: &Plan<X, T>, widths: &[(&str, String)], meaning: &Meaning) -> String {
    let mut text = format!("{}\n\n", plan.claim.mechanism);
    text.push_str(&wrapped(&plan.formula));
    for (name, value) in &plan.claim.parameters {
        text.push_str(&format!("  {name} = {value}\n"));
    }
    text.push_str(&format!("\nclaim\n\n{}", wrapped(&plan.claim.to_string())));
    text.push_str("\nhow far off a noisy value is\n\n");
    let column = widths.iter().map(|(_, width)| width.len()).max().unwrap_or(0);
    for (confidence, width) in widths {
        text.push_str(&format!("  at most {width:<column$}  with probability {confidence}\n"));
    }
    if let Some(name) = plan.rounded_to {
        text.push_str(&wrapped(&format!(
            "Rounding the sum to {name} comes on top: half a unit in its last place."
        )));
    }
    text.push_str(&format!("\nwhat the loss means\n\n{}", wrapped(&meaning.in_words(&plan.claim))));
    text
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

fn json_text<X, T>(plan: &Plan<X, T>, widths: &[(&str, String)], meaning: &Meaning) -> String {
    let number = |text: &str| if text == "inf" { "null".to_owned() } else { text.to_owned() };
    let widths: Vec<String> = widths
        .iter()
        .map(|(confidence, width)| {
            let confidence = decimal(part(confidence).to_f64(Rounding::Nearest));
            format!("{{\"confidence\": {confidence}, \"half_width\": {}}}", number(width))
        })
        .collect();
    let promise = Promise { claim: &plan.claim, is_insecure: false };
    let factor =
        meaning.factor.as_ref().map_or("null".to_owned(), |factor| factor.to_decimal(DIGITS, Rounding::Up));
    let except = if meaning.is_pure { "0" } else { EXCEPT };
    format!(
        "{{{}, \"formula\": {}, \"half_widths\": [{}], \"odds\": {{\"factor\": {factor}, \"except_with_probability\": \
         {except}}}, \"meaning\": {}}}\n",
        promise.json_members(),
        json(&plan.formula),
        widths.join(", "),
        json(&meaning.in_words(&plan.claim)),
    )
}

/// The probability with which a zero-concentrated loss may be worse than explained.
const EXCEPT: &str = "1e-6";

/// The loss as a change of odds.
struct Meaning {
    /// The exponent of the factor.
    log_factor: Rational,
    /// By how much the odds between two neighbouring inputs change at most; a little above the true number. `None` if that
    /// number is beyond words.
    factor: Option<Rational>,
    /// Whether it is so with certainty, or only but for a probability of [`EXCEPT`].
    is_pure: bool,
}

impl Meaning {
    fn of(claim: &Claim) -> Meaning {
        let is_pure = claim.measure == Measure::MaxDivergence;
        let log_factor = if is_pure { claim.loss.clone() } else { log_factor_except(&claim.loss) };
        // Beyond this the number of digits is all one could say.
        let largest = Rational::from(1000);
        let factor =
            Some(&log_factor).filter(|log| **log <= largest).and_then(|log| exp_rational(log, BITS).ok());
        let factor = factor.map(|enclosure| Rational::from(enclosure.hi()));
        Meaning { log_factor, factor, is_pure }
    }

    fn in_words(&self, claim: &Claim) -> String {
        let log = if self.is_pure {
            claim.loss.to_string()
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
        match &self.factor {
            Some(factor) => {
                let surest = Rational::from(100) * factor / (factor + Rational::ONE);
                format!(
                    "Take any two neighbouring inputs ({}). Anyone who sees the output may find one of them more plausible \
                     than before, but the odds between them change by a factor of at most {} (e^{}, rounded up){seldom}. Someone \
                     who thought both equally likely is at most {}% sure of either afterwards.",
                    claim.adjacency,
                    factor.to_decimal(DIGITS, Rounding::Up),
                    if log.contains('/') { format!("({log})") } else { log },
                    surest.to_decimal(4, Rounding::Up),
                )
            }
            None => format!(
                "The loss is so large that it protects nothing: anyone who sees the output can become certain which of two neighbouring \
                 inputs ({}) it came from.",
                claim.adjacency
            ),
        }
    }
}

/// `ρ + 2·√(ρ·ln(1/δ))`, from above, `δ` being [`EXCEPT`]: more than this is lost with probability `δ` at most
/// (Bun and Steinke 2016, proposition 1.3 and its proof).
fn log_factor_except(rho: &Rational) -> Rational {
    let delta: Rational = EXCEPT.parse().unwrap_or_default();
    let Some(log) = delta.recip().and_then(|inverse| ln_rational(&inverse, BITS).ok()) else {
        return Rational::pow2(BITS.into()); // not reached
    };
    let under_root = rho * Rational::from(log.hi());
    // As many bits behind the point as it takes to have BITS significant ones.
    let shift = i64::from(BITS) + under_root.floor_log2().map_or(0, |log| -log.min(0));
    let root =
        (&under_root * Rational::pow2(2 * shift)).floor_sqrt().unwrap_or_default() + lastbit::IBig::ONE;
    rho + Rational::from(2) * Rational::from(root) * Rational::pow2(-shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_from_above_and_close() {
        for rho in ["1/8", "1e-30", "123456", "1"] {
            let rho: Rational = rho.parse().unwrap();
            let found = log_factor_except(&rho).to_f64(Rounding::Nearest);
            let rho = rho.to_f64(Rounding::Nearest);
            let expected = rho + 2.0 * (rho * 1e6f64.ln()).sqrt();
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }
}
