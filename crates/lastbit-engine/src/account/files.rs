//! Releases from a file: terms, claims, or an exact audit.

use lastbit::Claim;
use lastbit_account::Mechanism;
use lastbit_real::Rational;
use serde_json::Value;

use super::{Term, terms_of_claims};
use crate::Refusal;

/// What a file tells of releases. It may have
///
/// - terms, one a line; `#` begins a comment;
/// - claims as JSON, alone or in what `lastbit noise --json` and others print: one, several in an array, or one a line;
/// - the JSON of an audit whose outputs are all listed with rational probabilities.
///
/// ```
/// use lastbit_engine::account::terms_of;
/// let terms = terms_of("plan.txt", "# a year\nlaplace:epsilon=0.1*365\ngaussian:sigma=20\n")?;
/// assert_eq!((terms.len(), terms[0].times), (2, 365));
/// assert!(terms_of("plan.txt", "laplace:epsilon=0.1\nlaplace").unwrap_err().to_string().starts_with("plan.txt, line 2: "));
/// # Ok::<(), lastbit_engine::Refusal>(())
/// ```
///
/// # Errors
/// What is wrong, with the line.
pub fn terms_of(name: &str, text: &str) -> Result<Vec<Term>, Refusal> {
    let terms = match text.trim_start().starts_with(['{', '[']) {
        true => of_json(name, text)?,
        false => of_lines(name, text)?,
    };
    if terms.is_empty() {
        return Err(Refusal::usage(
            format!("{name}: there is no release in it"),
            "write one term a line, such as laplace:epsilon=0.1*1000",
        ));
    }
    Ok(terms)
}

fn of_lines(name: &str, text: &str) -> Result<Vec<Term>, Refusal> {
    let content = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let lines = text.lines().map(content).enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(i, line)| {
            Term::parse(&line).map_err(|refusal| at(&format!("{name}, line {}", i + 1), refusal))
        })
        .collect()
}

fn at(place: &str, refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Usage { message, hint } => Refusal::usage(format!("{place}: {message}"), hint),
        other => Refusal::usage(format!("{place}: {other}"), "lastbit account --help has examples"),
    }
}

fn of_json(name: &str, text: &str) -> Result<Vec<Term>, Refusal> {
    let (mut claims, mut terms) = (Vec::new(), Vec::new());
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| {
            Refusal::usage(
                format!("{name}: no JSON: {error}"),
                "give what lastbit printed with --json, as it is",
            )
        })?;
        collect(name, value, &mut claims, &mut terms)?;
    }
    terms.extend(terms_of_claims(&claims).map_err(|refusal| at(name, refusal))?);
    Ok(terms)
}

/// The claims in a value, and what is no claim but can be accounted for.
fn collect(name: &str, value: Value, claims: &mut Vec<Claim>, terms: &mut Vec<Term>) -> Result<(), Refusal> {
    match value {
        Value::Array(values) => values.into_iter().try_for_each(|value| collect(name, value, claims, terms)),
        Value::Object(object) if object.get("question").is_some_and(|question| question == "audit") => {
            terms.push(of_audit(name, &Value::Object(object))?);
            Ok(())
        }
        Value::Object(mut object) => {
            let claim = object.remove("claim").unwrap_or(Value::Object(object));
            let claim = Claim::from_json(&claim.to_string()).map_err(|error| at(name, error.into()))?;
            claims.push(claim);
            Ok(())
        }
        _ => Err(Refusal::usage(
            format!("{name}: a value of its JSON is no claim"),
            "give what lastbit noise printed with --json, as it is",
        )),
    }
}

/// The two distributions of an audit.
fn of_audit(name: &str, audit: &Value) -> Result<Term, Refusal> {
    let refused = |problem: &str| {
        Refusal::usage(
            format!("{name}: this audit cannot be accounted for: {problem}"),
            "take its loss instead: pure:epsilon=E",
        )
    };
    if audit["outputs_listed"] != "all" {
        return Err(refused("it does not list all outputs"));
    }
    let exact = |number: &Value| number["exact"].as_str().and_then(|text| text.parse::<Rational>().ok());
    let rows = audit["outputs"].as_array().ok_or_else(|| refused("it has no outputs"))?;
    let outputs = rows.iter().map(|row| Some((exact(&row["p_first"])?, exact(&row["p_second"])?)));
    let outputs: Option<Vec<(Rational, Rational)>> = outputs.collect();
    let outputs = outputs.ok_or_else(|| refused("a probability is not rational"))?;
    let term = Term {
        text: format!("{} as audited", audit["mechanism"].as_str().unwrap_or("mechanism")),
        mechanisms: vec![Mechanism::Finite { outputs }],
        times: 1,
    };
    term.add_to(&mut lastbit_account::Composition::new()).map_err(|refusal| at(name, refusal))?;
    Ok(term)
}
