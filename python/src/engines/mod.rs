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
//! | `refused` | what is refused, as exceptions |
//! | `interrupt` | Ctrl-C while an engine runs |

pub(crate) mod account;
pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod check;
mod interrupt;
pub(crate) mod prove;
pub(crate) mod refused;

use pyo3::prelude::*;

use crate::errors::ParameterError;

/// One of several words.
fn choice<T: Copy>(name: &str, word: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let all: Vec<String> = words.iter().map(|(known, _)| format!("{known:?}")).collect();
        ParameterError::new_err(format!("{name} must be {}, but is {word:?}", all.join(" or ")))
    })
}
