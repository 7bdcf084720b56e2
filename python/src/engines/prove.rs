//! `lastbit.prove`: a question for the engine, and its answer as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lastbit::Rational;
use lastbit_engine::prove::{DIGITS, DerivationWish, Form, Found, Given, Plan, ProofAnswer, Question};
use lastbit_engine::{Progress, Refusal, Source, Watcher};
use lastbit_lang::watch::Limits;
use lastbit_prove::analysis::Effort;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use super::interrupt::Interrupt;
use super::refused::program_error;
use crate::errors::ParameterError;
use crate::number;

/// Nothing deeper in a derivation is shown.
const DEPTH: usize = 6;
/// More boxes take too long.
const MOST_BOXES: usize = 1 << 20;

/// Everything in a text, or one program of it: a list of objects with the `report` that the command prints, what people read of it
/// (`headline`, `summary`, `details`, `notes`, `tried`, `advice`) in the words of Python, and the `certificates`.
#[pyfunction]
#[pyo3(signature = (text, *, name, program, effort, timeout, memory, of, sensitivity, inputs, ranges, parameters))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn _prove(
    py: Python<'_>,
    text: &str,
    name: &str,
    program: Option<&str>,
    effort: &Bound<'_, PyAny>,
    timeout: Option<f64>,
    memory: Option<u64>,
    of: Option<String>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    inputs: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    ranges: BTreeMap<String, (Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    parameters: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let exact = |name: &str, (lo, hi): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok::<_, PyErr>((number::exact(name, &lo)?, number::exact(name, &hi)?))
    };
    let given = Given {
        values: values(parameters)?,
        ranges: ranges
            .into_iter()
            .map(|(name, range)| Ok((name.clone(), exact(&name, range)?)))
            .collect::<PyResult<_>>()?,
        sensitivity: sensitivity.map(|value| number::exact("sensitivity", value)).transpose()?,
        inputs: inputs.map(|pair| exact("inputs", pair)).transpose()?.map(|(f, f2)| [f, f2]),
        ..Given::default()
    };
    let source = Source { name, text };
    let question = Question {
        program,
        given,
        of,
        effort: self::effort(effort)?,
        certificates: true,
        details: true,
        derivation: Some(DerivationWish { form: Form::Tree, node: None, depth: DEPTH, all: false }),
        ..Question::of(source)
    };
    let plan = Plan::of(&question).map_err(|refusal| refused(source, None, &refusal))?;
    check_names(&plan, &question)?;
    let interrupt = Arc::new(Interrupt::new());
    let asked = interrupt.clone();
    let limits = limits(timeout, memory, move || !asked.is_set())?;
    let mut answers = Vec::new();
    for index in 0..plan.len() {
        let answer = py.detach(|| {
            let progress = |_: Progress<'_>| interrupt.look();
            plan.answer(index, &limits, Watcher { cancel: interrupt.flag(), progress: &progress })
        });
        interrupt.raised()?;
        let answer = answer.map_err(|refusal| refused(source, None, &refusal))?;
        if let Found::Refused(found) = &answer.found {
            return Err(refused(source, Some(&answer), &found.refusal));
        }
        let list = |lines: &[String]| lines.iter().map(|line| spelled(line)).collect::<Vec<_>>();
        answers.push(json!({
            "report": answer,
            "headline": spelled(&answer.headline(DIGITS).to_string()),
            "summary": answer.summary(DIGITS).iter().map(|line| spelled(without_options(line))).collect::<Vec<_>>(),
            "details": spelled(&answer.details),
            "notes": list(&answer.notes),
            "tried": list(&answer.tried),
            "advice": list(&answer.next),
            "certificates": answer.certificates.iter().map(|certificate| certificate.text.as_str()).collect::<Vec<_>>(),
        }));
    }
    match (program, answers.is_empty()) {
        (Some(program), true) => Err(ParameterError::new_err(format!("there is no program {program:?}"))),
        _ => Ok(serde_json::Value::from(answers).to_string()),
    }
}

/// A line of the summary without the options that show more, which Python has as attributes.
fn without_options(line: &str) -> &str {
    line.split_once("; --").map_or(line, |(line, _)| line)
}

/// Values by the names of the language.
fn values(parameters: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, Rational>> {
    let mut values = BTreeMap::new();
    for (name, value) in parameters {
        let name: String = name.extract()?;
        let exact = number::exact(&name, &value)?;
        let known = match name.as_str() {
            "epsilon" => "eps",
            "bound" => "B",
            "grid" => "L",
            other => other,
        };
        if values.insert(known.to_owned(), exact).is_some() {
            return Err(ParameterError::new_err(format!("{known} is given twice")));
        }
    }
    Ok(values)
}

/// A misspelled name is no reason to prove something else.
fn check_names(plan: &Plan<'_>, question: &Question<'_>) -> PyResult<()> {
    let given = &question.given;
    if plan.is_fpcore() {
        return match given.values.is_empty() && given.ranges.is_empty() {
            true => Ok(()),
            false => Err(ParameterError::new_err("FPCore has no parameters: ranges are in its :pre")),
        };
    }
    let is_wanted = |name: &str| question.program.is_none_or(|wanted| wanted == name);
    for declaration in plan.declarations().iter().filter(|declaration| is_wanted(&declaration.name.text)) {
        let binders = || declaration.parameters().chain(&declaration.arguments);
        let is_unknown = |name: &&String| !binders().any(|binder| binder.name.text == **name);
        if let Some(unknown) = given.values.keys().find(is_unknown) {
            let names: Vec<&str> = declaration.parameters().map(|binder| binder.name.text.as_str()).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let of = &declaration.name.text;
            return Err(ParameterError::new_err(format!(
                "{of} has no parameter {unknown}: there are {names}"
            )));
        }
    }
    Ok(())
}

/// What a question may cost; `goes_on` is asked now and then.
pub(super) fn limits(
    timeout: Option<f64>,
    memory: Option<u64>,
    goes_on: impl Fn() -> bool + Send + Sync + 'static,
) -> PyResult<Limits> {
    Ok(Limits {
        time: timeout.map(seconds).transpose()?,
        memory,
        pulse: Some(Arc::new(move |_, _| goes_on())),
    })
}

fn seconds(timeout: f64) -> PyResult<Duration> {
    let wrong =
        |_| ParameterError::new_err("timeout must be a number of seconds that is not negative, or None");
    Duration::try_from_secs_f64(timeout).map_err(wrong)
}

fn effort(effort: &Bound<'_, PyAny>) -> PyResult<Effort> {
    let word: Option<String> = effort.extract().ok();
    match word.as_deref() {
        Some("fast") => return Ok(Effort::FAST),
        Some("normal") => return Ok(Effort::NORMAL),
        Some("high") => return Ok(Effort::HIGH),
        _ => {}
    }
    let boxes = effort.extract().ok().filter(|boxes| (1..=MOST_BOXES).contains(boxes));
    boxes.map(Effort::of_boxes).ok_or_else(|| {
        ParameterError::new_err(
            "effort must be \"fast\", \"normal\", \"high\", or a number of boxes up to 2^20",
        )
    })
}

/// Advice of the engine, in the words of Python: `B=100` for `--param B=100`.
pub(super) fn spelled(text: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("--param ", ""),
        ("--range x=lo,hi", "ranges={'x': (lo, hi)}"),
        ("--timeout 10m", "timeout=600"),
        ("--memory 8GB", "memory=8_000_000_000"),
        ("--effort high", "effort='high'"),
        ("--sensitivity", "sensitivity"),
        ("--range", "ranges"),
        ("--of NAME", "of=NAME"),
        ("the file declares nothing", "the text declares nothing"),
    ];
    WORDS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// What the engine refuses, as an exception: a mistake in the text with its place, or one in the arguments.
pub(super) fn refused(source: Source<'_>, answer: Option<&ProofAnswer>, refusal: &Refusal) -> PyErr {
    let of = answer.filter(|answer| answer.name != source.name);
    match refusal {
        Refusal::Text { diagnostics, .. } => {
            let mut diagnostics = diagnostics.clone();
            for diagnostic in &mut diagnostics {
                diagnostic.message = spelled(&diagnostic.message);
                diagnostic.hint = diagnostic.hint.as_deref().map(spelled);
            }
            if let (Some(answer), Some(first)) = (of, diagnostics.first_mut()) {
                first.message = format!("{}: {}: {}", answer.name, answer.statement, first.message);
            }
            program_error(source.name, source.text, &diagnostics)
        }
        other => {
            let of = of.map_or(String::new(), |answer| format!("{}: ", answer.name));
            ParameterError::new_err(spelled(&format!("{of}{other}")))
        }
    }
}
