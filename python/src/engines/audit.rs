//! `lastbit.audit`: questions made of Python's values, answers as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use lastbit_audit::Sampler;
use lastbit_audit::discrete::Argument;
use lastbit_engine::audit::inputs::Input;
use lastbit_engine::audit::snapping::{Inputs, Logarithm, Mechanism};
use lastbit_engine::audit::{
    AuditAnswer, FloatType, Given, Wishes, exact, program, sampler, snapping, textbook, worst,
};
use lastbit_engine::{Refusal, Source, Watcher};
use lastbit_lang::{Tie, ast};
use lastbit_real::Rational;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use super::choice;
use super::interrupt::Interrupt;
use super::refused::exception;
use crate::errors::ParameterError;
use crate::number;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Asks without the interpreter's lock, until there is an answer or Ctrl-C.
fn ask(
    py: Python<'_>,
    question: impl FnOnce(&Watcher<'_>) -> Result<AuditAnswer, Refusal> + Send,
) -> PyResult<String> {
    let answer = py.detach(|| {
        let interrupt = Interrupt::new();
        let progress = |_: lastbit_engine::Progress<'_>| interrupt.look();
        let answer = question(&Watcher { cancel: interrupt.flag(), progress: &progress });
        interrupt.raised().map(|()| answer)
    })?;
    let answer = answer.map_err(exception)?;
    serde_json::to_string(&answer).map_err(|error| ParameterError::new_err(error.to_string()))
}

/// What is wished of any audit.
fn wishes(delta_at: Optional<'_, '_>, fail_above: Optional<'_, '_>) -> PyResult<Wishes> {
    let number = |name: &str, given: Optional<'_, '_>| given.map(|x| number::exact(name, x)).transpose();
    Ok(Wishes {
        delta_at: number("delta_at", delta_at)?,
        fail_above: number("fail_above", fail_above)?,
        ..Wishes::default()
    })
}

fn given(name: &str, x: Object<'_, '_>) -> PyResult<Given> {
    Ok(Given::of(&number::exact(name, x)?))
}

fn two(inputs: Option<[Bound<'_, PyAny>; 2]>) -> PyResult<Option<[Given; 2]>> {
    let Some([first, second]) = inputs else { return Ok(None) };
    Ok(Some([given("input", &first)?, given("input", &second)?]))
}

/// The snapping mechanism in floating point.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, bound, sampler, op, scale, grid, tie, clamp, ln, worst, sensitivity, budget, delta_at, fail_above))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn _audit_snapping<'py>(
    py: Python<'py>,
    inputs: Option<[Bound<'py, PyAny>; 2]>,
    epsilon: Object<'_, 'py>,
    bound: Object<'_, 'py>,
    sampler: &str,
    op: &str,
    scale: Optional<'_, 'py>,
    grid: Optional<'_, 'py>,
    tie: &str,
    clamp: bool,
    ln: &str,
    worst: bool,
    sensitivity: Optional<'_, 'py>,
    budget: f64,
    delta_at: Optional<'_, 'py>,
    fail_above: Optional<'_, 'py>,
) -> PyResult<String> {
    let logarithms = Logarithm::ALL.map(|ln| (ln.name(), ln));
    let mechanism = Mechanism {
        multiplies: choice("op", op, &[("div", false), ("mul", true)])?,
        scale: scale.map(|scale| given("scale", scale)).transpose()?,
        tie: choice("tie", tie, &[("up", Tie::Up), ("even", Tie::Even), ("away", Tie::Away)])?,
        sampler: choice("sampler", sampler, &[("ulp", Sampler::Ulp), ("grid53", Sampler::Grid53)])?,
        ln: choice("ln", ln, &logarithms)?,
        grid: grid.map(|grid| number::exact("grid", grid)).transpose()?,
        clamp,
        ..Mechanism::new(given("epsilon", epsilon)?, given("bound", bound)?)
    };
    let inputs = match (two(inputs)?, worst) {
        (Some(inputs), false) => Inputs::Two(inputs),
        (None, true) => {
            let time = Duration::try_from_secs_f64(budget)
                .map_err(|_| ParameterError::new_err("budget must be a number of seconds"))?;
            let sensitivity = sensitivity.map(|d| number::exact("sensitivity", d)).transpose()?;
            Inputs::Worst(worst::Search { sensitivity: sensitivity.unwrap_or(Rational::ONE), time })
        }
        _ => return Err(ParameterError::new_err("give two inputs, or worst=True to look for them")),
    };
    let wishes = wishes(delta_at, fail_above)?;
    let question = snapping::Question { mechanism, inputs, map: false };
    ask(py, |watcher| snapping::audit(&question, &wishes, watcher))
}

/// The snapping mechanism over the reals.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, bound, grid, delta_at, fail_above))]
pub(crate) fn _audit_exact<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    epsilon: Object<'_, 'py>,
    bound: Object<'_, 'py>,
    grid: Optional<'_, 'py>,
    delta_at: Optional<'_, 'py>,
    fail_above: Optional<'_, 'py>,
) -> PyResult<String> {
    let [first, second] = &inputs;
    let question = exact::Question {
        epsilon: number::exact("epsilon", epsilon)?,
        bound: number::exact("bound", bound)?,
        grid: grid.map(|grid| number::exact("grid", grid)).transpose()?,
        inputs: [number::value("input", first)?, number::value("input", second)?],
    };
    let wishes = wishes(delta_at, fail_above)?;
    ask(py, |_| exact::audit(&question, &wishes))
}

/// The Laplace mechanism as textbooks have it.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, dtype, sampler, delta_at, fail_above))]
pub(crate) fn _audit_textbook<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    epsilon: Object<'_, 'py>,
    dtype: &str,
    sampler: Option<&str>,
    delta_at: Optional<'_, 'py>,
    fail_above: Optional<'_, 'py>,
) -> PyResult<String> {
    let samplers =
        [("grid53", ast::Sampler::Grid53), ("grid24", ast::Sampler::Grid24), ("ulp", ast::Sampler::Ulp)];
    let [first, second] = &inputs;
    let question = textbook::Question {
        float_type: choice("dtype", dtype, &[("float64", FloatType::F64), ("float32", FloatType::F32)])?,
        sampler: sampler.map(|word| choice("sampler", word, &samplers)).transpose()?,
        ..textbook::Question::new(
            given("epsilon", epsilon)?,
            [given("input", first)?, given("input", second)?],
        )
    };
    let wishes = wishes(delta_at, fail_above)?;
    ask(py, |watcher| textbook::audit(&question, &wishes, watcher))
}

/// A sampler that ships, on every sequence of random bits.
#[pyfunction]
#[pyo3(signature = (inputs, *, mechanism, scale, bound, k, depth, delta_at, fail_above))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn _audit_sampler<'py>(
    py: Python<'py>,
    inputs: Option<[Bound<'py, PyAny>; 2]>,
    mechanism: &str,
    scale: Object<'_, 'py>,
    bound: Optional<'_, 'py>,
    k: Option<i32>,
    depth: Option<u32>,
    delta_at: Optional<'_, 'py>,
    fail_above: Optional<'_, 'py>,
) -> PyResult<String> {
    let question = sampler::Question {
        sampler: sampler::Sampler::named(mechanism).map_err(exception)?,
        scale: number::exact("scale", scale)?,
        bound: bound.map(|bound| number::exact("bound", bound)).transpose()?,
        k,
        depth,
        inputs: two(inputs)?,
    };
    let wishes = wishes(delta_at, fail_above)?;
    ask(py, |watcher| sampler::audit(&question, &wishes, watcher))
}

/// A mechanism of the language.
#[pyfunction]
#[pyo3(signature = (text, inputs, *, name, program, parameters, ln, delta_at, fail_above))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn _audit_text<'py>(
    py: Python<'py>,
    text: &str,
    inputs: [Bound<'py, PyAny>; 2],
    name: &str,
    program: Option<&str>,
    parameters: &Bound<'py, PyDict>,
    ln: Option<&str>,
    delta_at: Optional<'_, 'py>,
    fail_above: Optional<'_, 'py>,
) -> PyResult<String> {
    let mut values = Vec::new();
    for (name, value) in parameters {
        let name: String = name.extract()?;
        let value = number::exact(&name, &value)?;
        values.push((name, value));
    }
    let logarithms = Logarithm::ALL.map(|ln| (ln.name(), ln));
    let [first, second] = &inputs;
    let question = program::Question {
        source: Source { name, text },
        program,
        values,
        inputs: Some([input(first)?, input(second)?]),
        ln: ln.map(|word| choice("ln", word, &logarithms)).transpose()?,
        map: false,
    };
    let wishes = wishes(delta_at, fail_above)?;
    ask(py, |watcher| program::audit(&question, &wishes, watcher))
}

/// An input: a value or a list for the only argument, or a dictionary.
fn input(input: Object<'_, '_>) -> PyResult<Input> {
    let Ok(named) = input.cast::<PyDict>() else { return argument("input", input).map(Input::Only) };
    let mut values = BTreeMap::new();
    for (name, value) in named {
        let name: String = name.extract()?;
        let value = argument(&name, &value)?;
        values.insert(name, value);
    }
    Ok(Input::Named(values))
}

fn argument(name: &str, value: Object<'_, '_>) -> PyResult<Argument> {
    let is_list = !value.is_instance_of::<PyString>() && value.hasattr("__len__")?;
    if !is_list {
        return match value.cast::<PyBool>() {
            Ok(truth) => Ok(Argument::Bool(truth.is_true())),
            Err(_) => number::value(name, value).map(Argument::Number),
        };
    }
    let items: Vec<Bound<'_, PyAny>> = value.try_iter()?.collect::<PyResult<_>>()?;
    match !items.is_empty() && items.iter().all(|item| item.is_instance_of::<PyBool>()) {
        true => items.iter().map(|item| item.extract()).collect::<PyResult<_>>().map(Argument::Bools),
        false => {
            items.iter().map(|item| number::value(name, item)).collect::<PyResult<_>>().map(Argument::Numbers)
        }
    }
}
