//! `--rules paper`: the rules as printed, at a point where they fail, or at one that the user names.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_lang::StraightLine;
use lastbit_papers::rules::{NoPaperRule, PaperJudgement, counterexample, derive};
use lastbit_prove::derivation::{Reading, expression};
use lastbit_real::Enclosure;
use serde_json::{Value, json};

use super::args::Prove;
use super::program::exact;
use super::report::{Outcome, Report};
use crate::error::Error;

/// Points that are tried, fewer if the program is long.
const POINTS: usize = 2000;
const NODES: usize = 50_000;

const DIGITS: usize = 17;

pub(crate) fn report(program: &StraightLine, args: &Prove) -> Result<Report, Error> {
    let name = &program.name;
    let points = (NODES / program.nodes.len()).clamp(1, POINTS);
    let found = if args.at.is_empty() {
        counterexample(program, points).map(|found| found.map(|(inputs, _)| inputs))
    } else {
        point(program, args).map(|inputs| Ok(Some(inputs)))?
    };
    let inputs = match found {
        Ok(Some(inputs)) => inputs,
        Ok(None) => {
            return Ok(Report::new(
                format!("{name}: the papers' rules held at {points} points; that is no proof\n"),
                json!({ "name": name, "rules": "paper", "failure": null, "points": points }),
                Outcome::Proved,
            ));
        }
        Err(error) => return Ok(no_rule(program, &error)),
    };
    let judgements = match derive(program, &inputs) {
        Ok(judgements) => judgements,
        Err(error) => return Ok(no_rule(program, &error)),
    };
    let failure = judgements.iter().position(|judgement| !judgement.holds());
    Ok(Report::new(
        text(program, &inputs, &judgements, failure),
        to_json(program, &inputs, &judgements, failure),
        if failure.is_some() { Outcome::Refuted } else { Outcome::Proved },
    ))
}

fn no_rule(program: &StraightLine, error: &NoPaperRule) -> Report {
    let json = json!({ "name": program.name, "rules": "paper", "error": error.to_string() });
    let hint = "another point with --at, or a variable of a *.lb file with --of, may have a derivation";
    let problem = format!("error: {error}\nhint: {hint}");
    Report::bad(&program.name, "no derivation by the papers' rules", problem, json)
}

/// The point of `--at`.
fn point(program: &StraightLine, args: &Prove) -> Result<Vec<Rational>, Error> {
    let names = || program.inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>().join(", ");
    for assignment in &args.at {
        if !program.inputs.iter().any(|input| input.name == assignment.name) {
            return Err(Error::usage(
                format!("{} has no input {}", program.name, assignment.name),
                format!("its inputs are: {}", names()),
            ));
        }
    }
    let value = |input: &lastbit_lang::Input| {
        let assignment = args.at.iter().find(|assignment| assignment.name == input.name);
        let value = assignment.map(|assignment| assignment.value.clone());
        let Some(value) = value else {
            return Err(Error::usage(format!("--at says nothing of {}", input.name), "name all inputs"));
        };
        if value < input.lo || input.hi < value {
            return Err(Error::usage(
                format!("{} = {} is out of its range", input.name, decimal(&value)),
                format!("it lies in [{}, {}]", decimal(&input.lo), decimal(&input.hi)),
            ));
        }
        Ok(value)
    };
    program.inputs.iter().map(value).collect()
}

/// In decimals, without zeros at the end where it is exact.
fn decimal(x: &Rational) -> String {
    let text = x.to_decimal(DIGITS, Rounding::Nearest);
    let is_exact = text.parse::<Rational>().is_ok_and(|back| back == *x);
    if is_exact && text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

fn middle(x: &Enclosure) -> String {
    decimal(&Rational::from(x.lo()))
}

fn text(
    program: &StraightLine,
    inputs: &[Rational],
    judgements: &[PaperJudgement],
    failure: Option<usize>,
) -> String {
    let mut out = format!("{}: the papers' rules", program.name);
    let values: Vec<String> = program
        .inputs
        .iter()
        .zip(inputs)
        .map(|(input, value)| format!("{} = {}", input.name, decimal(value)))
        .collect();
    if !values.is_empty() {
        let _ = write!(out, " at {}", values.join(", "));
    }
    out.push('\n');
    let shown = failure.map_or(judgements.len(), |node| node + 1);
    for (id, judgement) in judgements.iter().enumerate().take(shown) {
        let [lo, hi] = judgement.err.each_ref().map(middle);
        let float = decimal(&Rational::from(&judgement.float));
        let _ = writeln!(
            out,
            "  {id} {:<5} {} ⇓ {}\n      real  {}\n      float {float}\n      err   ({lo}, {hi})",
            judgement.rule,
            expression(program, id, Reading::Real),
            expression(program, id, Reading::Float),
            middle(&judgement.real),
        );
    }
    out += &match failure {
        Some(node) => {
            let [lo, hi] = &judgements[node].err;
            let why = if lo.lo() > hi.hi() {
                "err is empty, its ends are exchanged"
            } else {
                "the float is not in err"
            };
            format!("  FAILS at node {node}: {why}, against the papers' soundness theorem\n")
        }
        None => "  every float lies in its err here; that is no proof for other points\n".to_owned(),
    };
    out
}

fn to_json(
    program: &StraightLine,
    inputs: &[Rational],
    judgements: &[PaperJudgement],
    failure: Option<usize>,
) -> Value {
    let inputs: serde_json::Map<String, Value> = program
        .inputs
        .iter()
        .zip(inputs)
        .map(|(input, value)| (input.name.clone(), json!(value.to_string())))
        .collect();
    let nodes: Vec<Value> = judgements
        .iter()
        .enumerate()
        .map(|(id, judgement)| {
            json!({
                "node": id,
                "rule": judgement.rule,
                "real": middle(&judgement.real),
                "float": exact(&judgement.float),
                "err": judgement.err.each_ref().map(middle),
                "holds": judgement.holds(),
            })
        })
        .collect();
    json!({ "name": program.name, "rules": "paper", "inputs": inputs, "failure": failure, "nodes": nodes })
}
