//! `lastbit.attack`.

use lastbit::{Rational, Rounding};
use lastbit_audit::black_box::{Attack, AttackError, Count};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::Fields;
use crate::errors::ParameterError;
use crate::number;

fn refused(error: AttackError) -> PyErr {
    ParameterError::new_err(error.to_string())
}

/// The event that tells two arrays of samples apart best, with its bounds.
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
) -> Fields<'py> {
    let epsilon = epsilon.map(|epsilon| number::exact("epsilon", epsilon)).transpose()?;
    if epsilon.as_ref().is_some_and(Rational::is_negative) {
        return Err(ParameterError::new_err("epsilon must not be negative"));
    }
    let attack = Attack::new(number::exact("confidence", confidence)?).map_err(refused)?;
    let mut attack = attack.with_delta(number::exact("delta", delta)?).map_err(refused)?;
    if let Some(inputs) = inputs {
        attack = attack.with_inputs(inputs).map_err(refused)?;
    }
    let samples = [first.as_slice()?, second.as_slice()?];
    let finding = py.detach(|| attack.run(samples)).map_err(refused)?;

    let counts = |counts: [Count; 2]| counts.map(|count| (count.hits, count.trials));
    let [p, p2] = &finding.probabilities;
    let fields = PyDict::new(py);
    fields.set_item("leaks", epsilon.as_ref().map(|epsilon| finding.exceeds(epsilon)))?;
    fields.set_item("event", finding.event.to_string())?;
    fields.set_item("favoured", finding.favoured)?;
    fields.set_item("loss_lower_bound", finding.loss_lower_bound.to_f64(Rounding::Down))?;
    fields.set_item("loss_exact", number::fraction(py, &finding.loss_lower_bound)?)?;
    fields.set_item("probabilities", (number::fraction(py, p)?, number::fraction(py, p2)?))?;
    fields.set_item("counts", PyTuple::new(py, counts(finding.tested))?)?;
    fields.set_item("chosen_counts", PyTuple::new(py, counts(finding.chosen))?)?;
    fields.set_item("events_tried", finding.events_tried)?;
    let epsilon = epsilon.map(|epsilon| number::fraction(py, &epsilon)).transpose()?;
    fields.set_item("epsilon", epsilon)?;
    fields.set_item("delta", number::fraction(py, &finding.delta)?)?;
    fields.set_item("confidence", number::fraction(py, &finding.confidence)?)?;
    fields.set_item("explanation", finding.explanation())?;
    Ok(fields)
}
