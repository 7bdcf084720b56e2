//! Errors as Python exceptions; the classes are in `lastbit/errors.py`.

use lastbit::Error;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

pyo3::import_exception!(lastbit.errors, ParameterError);
pyo3::import_exception!(lastbit.errors, UnsupportedType);
pyo3::import_exception!(lastbit.errors, DomainError);
pyo3::import_exception!(lastbit.errors, NoiseOverflow);
pyo3::import_exception!(lastbit.errors, BudgetExceeded);
pyo3::import_exception!(lastbit.errors, ClaimMismatch);
pyo3::import_exception!(lastbit.errors, SystemFailure);
pyo3::import_exception!(lastbit.errors, ProgramError);
pyo3::import_exception!(lastbit.errors, CertificateError);

/// The exception with the error's own words.
pub(crate) fn python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NotFinite { index } | Error::NotMultiple { index, .. } | Error::BeyondRange { index, .. } => {
            DomainError::new_err((message, index))
        }
        Error::LengthMismatch { .. } => DomainError::new_err(message),
        Error::Overflow { index } => NoiseOverflow::new_err((message, index)),
        Error::BudgetExceeded { .. } => BudgetExceeded::new_err(message),
        Error::OutOfMemory { .. } | Error::NoKeyMemory { .. } => PyMemoryError::new_err(message),
        Error::NoEntropy { .. }
        | Error::FloatEnvironment
        | Error::SelfTestFailed { .. }
        | Error::SeedRefused { .. } => SystemFailure::new_err(message),
        Error::UnsupportedType { .. } => UnsupportedType::new_err(message),
        Error::DifferentNeighbours { .. } => ClaimMismatch::new_err(message),
        _ => ParameterError::new_err(message),
    }
}
