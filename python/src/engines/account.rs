//! `lastbit.account` and `lastbit.calibrate`.

use lastbit::{Claim, Rational};
use lastbit_account as account;
use lastbit_engine::account::{Calibration, Question, Term, terms_of, terms_of_claims};
use pyo3::prelude::*;

use super::{choice, refused, watched};
use crate::errors::{ParameterError, python};
use crate::number;

/// What was released: `("term", text)`, `("claim", JSON)` or `("file", name, text)`, each so many times.
type Given = (String, String, String, u64);

/// What releases cost together: the answer as JSON.
#[pyfunction]
#[pyo3(signature = (releases, *, epsilons, deltas, group, digits, attacker, curve))]
#[expect(clippy::too_many_arguments, reason = "the members of a question")]
pub(crate) fn _account<'py>(
    py: Python<'py>,
    releases: Vec<Given>,
    epsilons: Vec<Bound<'py, PyAny>>,
    deltas: Vec<Bound<'py, PyAny>>,
    group: u64,
    digits: usize,
    attacker: bool,
    curve: usize,
) -> PyResult<String> {
    let numbers = |name: &str, given: Vec<Bound<'py, PyAny>>| -> PyResult<Vec<Rational>> {
        given.iter().map(|x| number::exact(name, x)).collect()
    };
    let at_epsilons = numbers("epsilon", epsilons)?.into_iter();
    let at_deltas = numbers("delta", deltas)?.into_iter();
    let asked = at_epsilons
        .map(|epsilon| account::Question::Delta { epsilon })
        .chain(at_deltas.map(|delta| account::Question::Epsilon { delta }))
        .collect();
    let question = Question { terms: terms(releases)?, asked, group, digits, attacker, curve };
    let answer = watched(py, |watcher| question.answer(watcher))?;
    Ok(answer.json().to_string())
}

/// The least noise for many releases: the answer as JSON.
#[pyfunction]
#[pyo3(signature = (noise, *, sensitivity, times, epsilon, delta))]
pub(crate) fn _calibrate<'py>(
    py: Python<'py>,
    noise: &str,
    sensitivity: &Bound<'py, PyAny>,
    times: u64,
    epsilon: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
) -> PyResult<String> {
    let known = [
        ("laplace", account::Noise::Laplace),
        ("discrete_laplace", account::Noise::DiscreteLaplace),
        ("gaussian", account::Noise::Gaussian),
        ("discrete_gaussian", account::Noise::DiscreteGaussian),
    ];
    let question = Calibration {
        noise: choice("mechanism", noise, &known)?,
        sensitivity: number::exact("sensitivity", sensitivity)?,
        times,
        epsilon: number::exact("epsilon", epsilon)?,
        delta: number::exact("delta", delta)?,
    };
    let answer = watched(py, |watcher| question.answer(watcher))?;
    Ok(answer.json().to_string())
}

fn terms(releases: Vec<Given>) -> PyResult<Vec<Term>> {
    let (mut terms, mut claims) = (Vec::new(), Vec::new());
    for (kind, name, text, times) in releases {
        let read = match kind.as_str() {
            "claim" => {
                let claim = Claim::from_json(&text).map_err(python)?;
                let read = terms_of_claims(std::slice::from_ref(&claim));
                claims.push(claim);
                read
            }
            "file" => terms_of(&name, &text),
            _ => Term::parse(&text).map(|term| vec![term]),
        };
        for term in read.map_err(refused::exception)? {
            let times =
                term.times.checked_mul(times).ok_or_else(|| ParameterError::new_err("too many releases"))?;
            terms.push(term.repeated(times));
        }
    }
    // Whether they are about the same inputs.
    if claims.len() > 1 {
        terms_of_claims(&claims).map_err(refused::exception)?;
    }
    Ok(terms)
}
