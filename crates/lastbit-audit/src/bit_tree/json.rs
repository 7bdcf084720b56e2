//! A report for programs: exact numbers as texts.

use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};
use serde_json::{Value, json};

use super::events::number;
use super::report::{EventRow, SamplerReport, Side};
use crate::ExactLoss;

/// Digits of decimals that stand for a dyadic number with very many.
const DIGITS: usize = 40;

/// An end of an enclosure, rounded outward.
fn decimal(end: &Dyadic, rounding: Rounding) -> Value {
    Rational::from(end).to_decimal(DIGITS, rounding).into()
}

fn enclosed(number: &Enclosure) -> Value {
    json!([decimal(number.lo(), Rounding::Down), decimal(number.hi(), Rounding::Up)])
}

fn exact(pair: &[Rational; 2]) -> Value {
    json!(pair.each_ref().map(Rational::to_string))
}

fn loss(loss: &ExactLoss) -> Value {
    match loss {
        ExactLoss::Finite(loss) => json!({ "between": enclosed(loss) }),
        ExactLoss::Infinite => json!("infinite"),
        ExactLoss::AtLeast(least) => json!({ "at_least": decimal(least, Rounding::Down) }),
    }
}

impl SamplerReport {
    /// The report as JSON: rationals are texts `n/d`, enclosures pairs of decimals that are rounded outward.
    pub fn to_json(&self) -> Value {
        let claim = &self.loss.claim;
        json!({
            "mechanism": self.mechanism,
            "claim": claim.to_string(),
            "parameters": claim.parameters().iter().map(|(name, value)| (name.to_string(), json!(value)))
                .collect::<serde_json::Map<_, _>>(),
            "inputs": self.inputs.map(number),
            "word_bits": self.word_bits,
            "depth_bits": self.depth_bits,
            "enumeration": self.enumeration.name(),
            "sides": self.sides.each_ref().map(|side| self.side(side)),
            "events": self.events.iter().map(row).collect::<Vec<_>>(),
            "loss": {
                "measure": claim.measure().to_string(),
                "claimed": claim.loss().to_string(),
                "true": loss(&self.loss.loss),
                "witness": self.loss.witness.map(|event| &self.events[event].label),
                "delta": self.loss.delta.each_ref().map(enclosed),
                "refuted": self.loss.refuted,
            },
            "refuted": self.is_refuted(),
            "interrupted": self.interrupted,
        })
    }

    fn side(&self, side: &Side) -> Value {
        let tiers = |tiers: &super::Tiers| {
            tiers
                .iter()
                .map(|(tier, leaves)| (tier.name().to_string(), json!(leaves)))
                .collect::<serde_json::Map<_, _>>()
        };
        let refuted_by = side.divergence.refuted_by.as_ref().map(|found| {
            json!({
                "event": self.events[found.event].label,
                "bounds": exact(&found.bounds),
                "law": enclosed(&found.law),
            })
        });
        let wrong = side.production.wrong.as_ref().map(|wrong| {
            json!({
                "words": wrong.words.iter().map(|word| format!("{word:#018x}")).collect::<Vec<_>>(),
                "further_bits": if wrong.ones { "ones" } else { "zeros" },
                "event": self.events[wrong.event].label,
                "expected": self.events[wrong.expected].label,
            })
        });
        json!({
            "input": number(side.input),
            "remainder": side.remainder.to_string(),
            "replays": side.replays,
            "leaves": side.tiers.as_ref().map(tiers),
            "law_refuted_by": refuted_by,
            "total_variation": exact(&side.divergence.total_variation),
            "production": {
                "thresholds": side.production.thresholds,
                "replays": side.production.replays,
                "undecided": side.production.undecided,
                "tiers": side.tiers.as_ref().map(|_| tiers(&side.production.tiers)),
                "wrong": wrong,
            },
        })
    }
}

fn row(row: &EventRow) -> Value {
    json!({
        "output": row.label,
        "bounds": row.bounds.each_ref().map(exact),
        "law": row.law.each_ref().map(enclosed),
    })
}
