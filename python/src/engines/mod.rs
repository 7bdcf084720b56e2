//! Calls of the engines: audits, proofs, attacks, accounts. Results cross as dictionaries of plain values and Fractions, of which
//! `lastbit/_audit.py`, `_prove.py` and `_attack.py` make dataclasses.
//!
//! | module | what it asks |
//! |---|---|
//! | `audit` | `lastbit_engine::audit`; the answer crosses as JSON |
//! | `account` | `lastbit_engine::account`; the answer crosses as JSON |
//! | `attack` | `lastbit_engine::attack`; the answer crosses as JSON |
//! | `prove` | `lastbit_engine::prove` |
//! | `check` | `lastbit_engine::check` and `certify` |
//! | `release` | `lastbit_engine::release`; the answer crosses as JSON |
//! | `rows`, `objects` | rows of tables that Python has |
//! | `ledger` | `lastbit_engine::budget`; answers cross as JSON |
//! | `refused` | what is refused, as exceptions |
//! | `interrupt` | Ctrl-C while an engine runs |

pub(crate) mod account;
pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod check;
mod interrupt;
pub(crate) mod ledger;
mod objects;
pub(crate) mod prove;
pub(crate) mod refused;
pub(crate) mod release;
mod rows;

use lastbit_engine::{Progress, Refusal, Watcher};
use pyo3::prelude::*;

use crate::errors::ParameterError;
use interrupt::Interrupt;

/// One of several words.
fn choice<T: Copy>(name: &str, word: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let all: Vec<String> = words.iter().map(|(known, _)| format!("{known:?}")).collect();
        ParameterError::new_err(format!("{name} must be {}, but is {word:?}", all.join(" or ")))
    })
}

/// An answer of the engine, without the interpreter's lock, which Ctrl-C stops.
fn watched<T: Send>(
    py: Python<'_>,
    ask: impl FnOnce(&Watcher<'_>) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    let answer = py.detach(|| {
        let interrupt = Interrupt::new();
        let progress = |_: Progress<'_>| interrupt.look();
        let answer = ask(&Watcher { cancel: interrupt.flag(), progress: &progress });
        interrupt.raised().map(|()| answer)
    })?;
    answer.map_err(refused::exception)
}
