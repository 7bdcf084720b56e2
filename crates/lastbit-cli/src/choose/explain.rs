//! A choice in words: the loss, between whom, how good the choice is, what the loss means.

use lastbit::{Claim, Rational, Selection};

use crate::error::Error;
use crate::explain::{Meaning, json, wrapped};
use crate::output::Promise;
use crate::value::Value as _;

/// Numbers of candidates for which it is told how good the choice is, and how surely.
const CANDIDATES: [usize; 4] = [2, 10, 1000, 1_000_000];
const CONFIDENCE: &str = "95%";

/// The explanation as text, or as a JSON object.
pub(super) fn explain(mechanism: &impl Selection, claim: &Claim, as_json: bool) -> Result<String, Error> {
    let confidence: Rational = "0.95".parse().unwrap_or_default();
    let shortfall = |candidates| {
        let mut text = String::new();
        mechanism.shortfall(candidates, &confidence)?.print(&mut text);
        Ok((candidates, text))
    };
    let shortfalls: Vec<(usize, String)> =
        CANDIDATES.into_iter().map(shortfall).collect::<Result<_, lastbit::Error>>()?;
    let meaning = Meaning::of(claim)?;
    if as_json {
        let rows: Vec<String> = shortfalls
            .into_iter()
            .map(|(candidates, shortfall)| {
                let shortfall = if shortfall == "inf" { "null".to_owned() } else { shortfall };
                format!("{{\"candidates\": {candidates}, \"confidence\": 0.95, \"shortfall\": {shortfall}}}")
            })
            .collect();
        return Ok(format!(
            "{{{}, \"formula\": {}, \"shortfalls\": [{}], \"meaning\": {}}}\n",
            Promise { claim, approximate: None, is_insecure: false }.json_members(),
            json(mechanism.formula().to_owned()),
            rows.join(", "),
            json(meaning.in_words(claim)),
        ));
    }
    let mut text = format!("{}: {}\n\n", claim.mechanism(), claim.loss_in_words());
    text.push_str(&wrapped(mechanism.formula()));
    for (name, value) in claim.parameters() {
        text.push_str(&format!("  {name} = {value}\n"));
    }
    text.push_str(&format!("\nclaim\n\n{}", wrapped(&claim.to_string())));
    text.push_str("\nhow far below the best the score of the chosen one is\n\n");
    let column = shortfalls.iter().map(|(_, shortfall)| shortfall.len()).max().unwrap_or(0);
    for (candidates, shortfall) in shortfalls {
        text.push_str(&format!(
            "  at most {shortfall:<column$}  with probability {CONFIDENCE}, of {candidates} candidates\n"
        ));
    }
    text.push_str(&format!("\nwhat the loss means\n\n{}", wrapped(&meaning.in_words(claim))));
    Ok(text)
}
