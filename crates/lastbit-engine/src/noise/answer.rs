//! A mechanism in words: the loss, between whom, how far off results are, what the loss means.

use std::collections::BTreeMap;

use lastbit::{Claim, Contract, ValueType};
use serde::Serialize;

use super::half_width::{CONFIDENCES, part};
use super::words::{self, wrapped};
use super::{Approximate, HalfWidthAt, Odds, Plan, Question};
use crate::{Refusal, Schema};

/// A description of noise: what it does, and what it promises.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NoisePlan {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "noise"`
    pub question: &'static str,
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// The parameters, exact, as text.
    pub parameters: BTreeMap<&'static str, String>,
    /// The formula of what it does to a value.
    pub formula: String,
    /// The claim of a release.
    pub claim: Claim,
    /// An `(ε, δ)` that it has beside its claim, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<Approximate>,
    /// Bounds on the noise, at several confidences.
    pub half_widths: Vec<HalfWidthAt>,
    /// The rounding error that comes on top, if any.
    pub rounding: Option<String>,
    /// The most by which the output can change anyone's odds.
    pub odds: Odds,
    /// The same in words.
    pub meaning: String,
}

impl Question {
    /// An account of what the noise does and promises.
    ///
    /// # Errors
    /// Those of [`Question::plan`].
    pub fn answer(&self) -> Result<NoisePlan, Refusal> {
        self.plan()?.answer()
    }
}

impl Plan {
    /// The plan as data, with how far off results are and what the loss means.
    ///
    /// # Errors
    /// What the mechanism refuses.
    pub fn answer(&self) -> Result<NoisePlan, Refusal> {
        let Plan { mechanism, claim, approximate, result } = self;
        let half_widths =
            CONFIDENCES.into_iter().map(|percent| HalfWidthAt::of(mechanism, *result, &part(percent)));
        let odds = Odds::of(claim)?;
        Ok(NoisePlan {
            schema: Schema,
            question: "noise",
            mechanism: claim.mechanism(),
            parameters: claim.parameters().iter().cloned().collect(),
            formula: mechanism.formula(*result),
            claim: claim.clone(),
            approximate: approximate.clone(),
            half_widths: half_widths.collect::<Result<_, lastbit::Error>>()?,
            rounding: rounding(mechanism.name(), *result),
            meaning: odds.in_words(claim),
            odds,
        })
    }
}

/// What rounding adds to the noise of mechanisms that compute a real sum.
fn rounding(mechanism: &str, result: ValueType) -> Option<String> {
    let float = match result {
        _ if !matches!(mechanism, "laplace" | "grid-laplace" | "gaussian") => return None,
        ValueType::F32 => "f32",
        other if other.is_integer() => return None,
        _ => "f64",
    };
    Some(format!("Rounding the sum to {float} comes on top: half a unit in its last place."))
}

impl NoisePlan {
    /// The text for people.
    pub fn text(&self) -> String {
        let mut text = words::head(&self.formula, &self.claim);
        if let Some(approximate) = &self.approximate {
            text += &wrapped(&format!("It is also {}.", approximate.in_words()));
        }
        text += "\nhow far off a noisy value is\n\n";
        let column = self.half_widths.iter().map(|row| row.decimal().len()).max().unwrap_or(0);
        for row in &self.half_widths {
            text += &format!("  at most {:<column$}  with probability {}\n", row.decimal(), row.percentage());
        }
        text += &self.rounding.as_deref().map_or(String::new(), wrapped);
        text + &words::meaning(&self.meaning)
    }
}
