//! `lastbit.attack`.

use lastbit::Rational;
use lastbit_engine::attack::{Layout, Question};
use lastbit_engine::{Progress, Watcher};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use super::interrupt::Interrupt;
use super::refused;
use crate::number;

/// Columns of the text, as in most notebooks.
const WIDTH: usize = 100;

/// The event that tells two arrays of samples apart best: the answer as JSON, as text, and as HTML.
#[pyfunction]
#[pyo3(signature = (first, second, *, epsilon, delta, confidence, inputs))]
pub(crate) fn _attack<'py>(
    py: Python<'py>,
    first: PyReadonlyArray1<'py, f64>,
    second: PyReadonlyArray1<'py, f64>,
    epsilon: Option<&Bound<'py, PyAny>>,
    delta: &Bound<'py, PyAny>,
    confidence: &Bound<'py, PyAny>,
    inputs: Option<[f64; 2]>,
) -> PyResult<(String, String, String)> {
    let epsilon: Option<Rational> = epsilon.map(|epsilon| number::exact("epsilon", epsilon)).transpose()?;
    let question = Question {
        epsilon,
        delta: number::exact("delta", delta)?,
        confidence: number::exact("confidence", confidence)?,
        inputs,
        ..Question::default()
    };
    let samples = [first.as_slice()?, second.as_slice()?];
    let answer = py.detach(|| {
        let interrupt = Interrupt::new();
        let progress = |_: Progress<'_>| interrupt.look();
        let answer = question.answer(samples, &Watcher { cancel: interrupt.flag(), progress: &progress });
        interrupt.raised().map(|()| answer)
    })?;
    let answer = answer.map_err(refused::exception)?;
    let layout = Layout { width: WIDTH, details: false, histogram: false };
    Ok((answer.json().to_string(), answer.text(layout), answer.html()))
}
