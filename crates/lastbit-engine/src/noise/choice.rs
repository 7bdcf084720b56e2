//! A choice in words: the loss, between whom, how good the choice is, what the loss means.

use std::collections::BTreeMap;

use lastbit::{Claim, Selection};
use serde::Serialize;

use super::Odds;
use super::half_width::{double, part};
use super::words;
use crate::{Number, Refusal, Schema};

/// The numbers of candidates for which the quality of the choice is shown, and its probability.
const CANDIDATES: [usize; 4] = [2, 10, 1000, 1_000_000];
const PERCENT: &str = "95";

/// A bound on how far the score of the chosen candidate is below the best, with its probability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Shortfall {
    /// The number of candidates.
    pub candidates: usize,
    /// The probability.
    pub confidence: Number,
    /// The bound; `None` beyond the largest double.
    pub shortfall: Option<Number>,
}

impl Shortfall {
    fn decimal(&self) -> &str {
        self.shortfall.as_ref().map_or("inf", Number::decimal)
    }
}

/// A description of a choice: what it does, and what it promises.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChoicePlan {
    /// The version of this form.
    pub schema: Schema,
    /// `"question": "choose"`
    pub question: &'static str,
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// The parameters, exact, as text.
    pub parameters: BTreeMap<&'static str, String>,
    /// The formula of what it does to scores.
    pub formula: &'static str,
    /// The claim of a choice.
    pub claim: Claim,
    /// Bounds on how far the choice is below the best, for several numbers of candidates.
    pub shortfalls: Vec<Shortfall>,
    /// The most by which the output can change anyone's odds.
    pub odds: Odds,
    /// The same in words.
    pub meaning: String,
}

impl ChoicePlan {
    /// The plan of a mechanism with its claim.
    ///
    /// # Errors
    /// What the mechanism refuses.
    pub fn of(mechanism: &impl Selection, claim: &Claim) -> Result<ChoicePlan, Refusal> {
        let confidence = part(PERCENT);
        let shortfall = |candidates| {
            let shortfall = double(mechanism.shortfall(candidates, &confidence)?);
            Ok(Shortfall { candidates, confidence: Number::exact(&confidence, 6), shortfall })
        };
        let odds = Odds::of(claim)?;
        Ok(ChoicePlan {
            schema: Schema,
            question: "choose",
            mechanism: claim.mechanism(),
            parameters: claim.parameters().iter().cloned().collect(),
            formula: mechanism.formula(),
            claim: claim.clone(),
            shortfalls: CANDIDATES.into_iter().map(shortfall).collect::<Result<_, lastbit::Error>>()?,
            meaning: odds.in_words(claim),
            odds,
        })
    }

    /// The text for people.
    pub fn text(&self) -> String {
        let mut text = words::head(self.formula, &self.claim);
        text += "\nhow far below the best the score of the chosen one is\n\n";
        let column = self.shortfalls.iter().map(|row| row.decimal().len()).max().unwrap_or(0);
        for row in &self.shortfalls {
            let (shortfall, candidates) = (row.decimal(), row.candidates);
            text += &format!(
                "  at most {shortfall:<column$}  with probability {PERCENT}%, of {candidates} candidates\n"
            );
        }
        text + &words::meaning(&self.meaning)
    }
}
