//! What the papers print: their rules, at a point where they fail or at one that is named, and their table of cases.

use std::collections::BTreeMap;
use std::fmt::Write;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::Program;
use lastbit_lang::{Diagnostic, Input, StraightLine};
use lastbit_papers::cases::{applies, symbolic, table};
use lastbit_papers::rules::{NoPaperRule, PaperJudgement, counterexample, derive};
use lastbit_prove::derivation::{Reading, expression};
use lastbit_real::{Enclosure, Rational, Rounding};
use serde::Serialize;

use super::Session;
use super::answer::{Found, ProofAnswer, Verdict, texts};
use super::cases::Cases;
use crate::{Number, Refusal, number};

/// Points that are tried, fewer if the program is long.
const POINTS: usize = 2000;
const NODES: usize = 50_000;
const DIGITS: usize = 17;

/// The papers' rules at a point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PaperRules {
    /// `paper`.
    pub rules: &'static str,
    /// The point; nothing if the rules held at all points that were tried.
    pub inputs: Option<BTreeMap<String, String>>,
    /// The number of points that were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
    /// The node where they fail.
    pub failure: Option<usize>,
    /// The nodes of the program.
    pub nodes: Vec<PaperNode>,
}

/// A node, as the papers judge it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PaperNode {
    /// The number.
    pub node: usize,
    /// The rule.
    pub rule: &'static str,
    /// The real value.
    pub real: Number,
    /// The float.
    pub float: Number,
    /// The interval in which the float is to lie.
    pub err: [Number; 2],
    /// Whether the judgement holds.
    pub holds: bool,
}

/// The papers' rules at this point, or at one where they fail.
pub(super) fn rules(program: &StraightLine, at: &BTreeMap<String, Rational>) -> Result<ProofAnswer, Refusal> {
    let name = &program.name;
    let points = (NODES / program.nodes.len()).clamp(1, POINTS);
    let found = match at.is_empty() {
        true => counterexample(program, points).map(|found| found.map(|(inputs, _)| inputs)),
        false => Ok(Some(point(program, at)?)),
    };
    let inputs = match found {
        Ok(Some(inputs)) => inputs,
        Ok(None) => {
            let rules = PaperRules {
                rules: "paper",
                inputs: None,
                points: Some(points),
                failure: None,
                nodes: vec![],
            };
            let statement = format!("the papers' rules held at {points} points; that is no proof");
            return Ok(ProofAnswer::new(name, Verdict::Shown, statement, Found::Paper(Box::new(rules))));
        }
        Err(error) => return Ok(no_rule(program, &error)),
    };
    let judgements = match derive(program, &inputs) {
        Ok(judgements) => judgements,
        Err(error) => return Ok(no_rule(program, &error)),
    };
    let failure = judgements.iter().position(|judgement| !judgement.holds());
    let values = program.inputs.iter().zip(&inputs);
    let rules = PaperRules {
        rules: "paper",
        inputs: Some(texts(values.clone().map(|(input, value)| (&input.name, value)))),
        points: None,
        failure,
        nodes: judgements.iter().enumerate().map(node).collect(),
    };
    let point: Vec<String> =
        values.map(|(input, value)| format!("{} = {}", input.name, decimal(value))).collect();
    let point = if point.is_empty() { String::new() } else { format!(" at {}", point.join(", ")) };
    let statement = format!("the papers' rules{point}");
    let verdict = if failure.is_some() { Verdict::Refuted } else { Verdict::Shown };
    let mut answer = ProofAnswer::new(name, verdict, statement, Found::Paper(Box::new(rules)));
    answer.details = text(program, &judgements, failure);
    Ok(answer)
}

fn no_rule(program: &StraightLine, error: &NoPaperRule) -> ProofAnswer {
    let hint = "another point with --at, or a variable of a *.lb file with --of, may have a derivation";
    ProofAnswer::refused(
        &program.name,
        "derivation by the papers' rules",
        Refusal::usage(error.to_string(), hint),
    )
}

/// The point that is named.
fn point(program: &StraightLine, at: &BTreeMap<String, Rational>) -> Result<Vec<Rational>, Refusal> {
    let names = || program.inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(name) = at.keys().find(|name| !program.inputs.iter().any(|input| input.name == **name)) {
        let message = format!("{} has no input {name}", program.name);
        return Err(Refusal::usage(message, format!("its inputs are: {}", names())));
    }
    let value = |input: &Input| {
        let Some(value) = at.get(&input.name) else {
            return Err(Refusal::usage(format!("--at gives no value for {}", input.name), "name all inputs"));
        };
        if *value < input.lo || input.hi < *value {
            return Err(Refusal::usage(
                format!("{} = {} is out of its range", input.name, decimal(value)),
                format!("it lies in [{}, {}]", decimal(&input.lo), decimal(&input.hi)),
            ));
        }
        Ok(value.clone())
    };
    program.inputs.iter().map(value).collect()
}

fn decimal(x: &Rational) -> String {
    number::decimal(x, DIGITS, Rounding::Nearest)
}

fn middle(x: &Enclosure) -> String {
    decimal(&Rational::from(x.lo()))
}

fn node((node, judgement): (usize, &PaperJudgement)) -> PaperNode {
    let enclosed = |x: &Enclosure| Number::enclosed(x, DIGITS);
    PaperNode {
        node,
        rule: judgement.rule,
        real: enclosed(&judgement.real),
        float: Number::exact(&Rational::from(&judgement.float), DIGITS),
        err: judgement.err.each_ref().map(enclosed),
        holds: judgement.holds(),
    }
}

fn text(program: &StraightLine, judgements: &[PaperJudgement], failure: Option<usize>) -> String {
    let mut out = String::new();
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

/// The ideal snapping mechanism case by case: with numbers if all are given, else formulas.
pub(super) fn cases(session: &Session<'_>, file: &File, declaration: &Declaration) -> ProofAnswer {
    let name = &declaration.name.text;
    let refuse = |message: String, hint: String| {
        let diagnostic = Diagnostic::new(declaration.name.span, message).with_hint(hint);
        session.unreadable(name, "table of cases", &[diagnostic])
    };
    let program = Program::new(file, declaration, &Default::default());
    if !program.is_ok_and(|program| applies(&program)) {
        return refuse(
            format!("there is no table of cases for `{name}`"),
            "it is for clamp(round(w, L), B) with w = x + s * ln(u) / eps, over the reals".into(),
        );
    }
    let given = &session.question.given;
    let [epsilon, grid, bound] = ["eps", "L", "B"].map(|name| given.values.get(name));
    let known = [
        ("--epsilon E", epsilon.is_some()),
        ("--grid Λ", grid.is_some()),
        ("--bound B", bound.is_some()),
        ("--inputs F F'", given.inputs.is_some()),
    ];
    let missing: Vec<&str> = known.iter().filter(|(_, known)| !known).map(|(option, _)| *option).collect();
    if let (Some(bound), Some(inputs)) = (bound, &given.inputs)
        && let Some(outside) = inputs.iter().find(|input| input.abs() > *bound)
    {
        let message = format!("the cases are about inputs in [-B, B], and {outside} is not");
        return refuse(message, "a larger --bound, or other --inputs".into());
    }
    let found = match (epsilon, grid, bound, &given.inputs) {
        (Some(epsilon), Some(grid), Some(bound), Some(inputs)) => {
            let [epsilon, grid, bound] = [epsilon, grid, bound].map(Clone::clone);
            table(epsilon, grid, bound, inputs.clone())
        }
        _ if missing.len() == known.len() => Ok(symbolic()),
        _ => {
            let message = "a table with numbers needs all of them".to_owned();
            return refuse(message, format!("give also {}; or none, for formulas", missing.join(", ")));
        }
    };
    match found {
        Ok(table) => {
            let statement = "the ideal snapping mechanism case by case".to_owned();
            let cases = Cases::of(&table);
            let details = cases.text();
            let found = Found::Cases(Box::new(cases));
            ProofAnswer { details, ..ProofAnswer::new(name, Verdict::Shown, statement, found) }
        }
        Err(error) => refuse(error.to_string(), "change --epsilon, --grid or --bound".into()),
    }
}
