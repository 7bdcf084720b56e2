//! The compiled half of the Python package `lastbit`: what crosses between Python and the Rust crates.
//!
//! | module | what crosses |
//! |---|---|
//! | `number` | exact numbers: str, int, float, Fraction and Decimal in, Fraction out |
//! | `errors` | errors, as the exceptions of `lastbit.errors` |
//! | `noise` | noise for values of one type |
//! | `payment` | what is due before noise is drawn: the claim, and its price |
//! | `values`, `arrays` | values in, noisy values out: numbers and lists, numpy arrays |
//! | `arrow` | the same for Arrow arrays |
//! | `mechanism`, `classes` | what all mechanisms can do, and one class for each |
//! | `build` | mechanisms from arguments, for classes and functions alike |
//! | `functions` | build and call in one |
//! | `choosing` | mechanisms that choose one of several candidates |
//! | `claim`, `budget` | what a release promises, and what may be lost in all |
//! | `measurement` | the same mechanisms with domain, metric, measure and map |
//! | `engines` | audits, proofs and attacks |
//! | `command` | the command `lastbit`, which is the same as in Rust |
//!
//! What needs no speed (results of audits and proofs, tables of other libraries) is Python, in `lastbit/`.

// Allowed in one place, `arrow::c_data`.
#![deny(unsafe_code)]

mod arrays;
mod arrow;
mod budget;
mod build;
mod choosing;
mod claim;
mod classes;
mod command;
mod engines;
mod errors;
mod explain;
mod functions;
mod measurement;
mod mechanism;
mod noise;
mod number;
mod payment;
mod renamed;
mod values;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// What a notebook shows, by a function of `lastbit._noise_html`.
fn html<'py>(py: Python<'py>, function: &str, of: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("lastbit._noise_html")?.getattr(function)?.call1(of)
}

/// The compiled half of `lastbit`; its names are those of the package.
#[pyo3::pymodule]
mod _lastbit {
    #[pymodule_export]
    use crate::classes::{DiscreteGaussian, DiscreteLaplace, Gaussian, GridLaplace, Laplace, Snapping};
    #[pymodule_export]
    use crate::functions::{discrete_gaussian, discrete_laplace, gaussian, grid_laplace, laplace, snapping};
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::arrays::release_numpy;
    #[pymodule_export]
    use crate::arrow::{ArrowArray, release_arrow};
    #[pymodule_export]
    use crate::budget::{Budget, compose_claims};
    #[pymodule_export]
    use crate::choosing::{ExponentialClass, NoisyMaxClass, Selection, exponential, noisy_max};
    #[pymodule_export]
    use crate::claim::{Claim, Release};
    #[pymodule_export]
    use crate::command::_command;
    #[pymodule_export]
    use crate::engines::{
        account::{_account, _calibrate},
        attack::_attack,
        audit::{_audit_exact, _audit_sampler, _audit_snapping, _audit_text, _audit_textbook},
        check::{_certify, _check},
        ledger::{
            _ledger_declare, _ledger_export, _ledger_history, _ledger_limit, _ledger_show, _ledger_verify,
        },
        prove::_prove,
        release::{_Released, _digest, _exact, _release},
    };
    #[pymodule_export]
    use crate::explain::_explain;
    #[pymodule_export]
    use crate::measurement::{Measurement, compose, make_vector_float_laplace_cks20};
    #[pymodule_export]
    use crate::mechanism::Mechanism;
}
