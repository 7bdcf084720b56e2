//! Noise for values of one type, by a mechanism that is known when the program runs.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use lastbit::{AnyMechanism, Contract, Error, Inputs, Mechanism as _, SecureSource, Threads, ValueType};
use numpy::Element;
use pyo3::prelude::*;

use crate::errors::{ParameterError, UnsupportedType, python};

thread_local! {
    /// Each thread draws from a source of its own; after a fork it takes new keys by itself.
    static SOURCE: RefCell<Option<SecureSource>> = const { RefCell::new(None) };
}

/// Calls `f` with this thread's source.
pub(crate) fn with_source<R>(f: impl FnOnce(&mut SecureSource) -> Result<R, Error>) -> Result<R, Error> {
    SOURCE.with_borrow_mut(|source| match source {
        Some(source) => f(source),
        None => f(source.insert(SecureSource::new()?)),
    })
}

/// A type of values.
pub(crate) trait Number: Element + Copy + Default {
    /// Its name in claims.
    const TYPE: ValueType;

    /// The noisy value.
    fn release(self, noise: &AnyMechanism) -> Result<Self, Error>;

    /// Noisy values in place of values.
    fn release_in_place(noise: &AnyMechanism, values: &mut [Self], threads: Threads) -> Result<(), Error>;

    /// Noisy copies of values.
    fn release_to(
        noise: &AnyMechanism,
        values: &[Self],
        out: &mut [Self],
        threads: Threads,
    ) -> Result<(), Error>;

    /// Refuses values that are not what was declared of them.
    fn check(inputs: Inputs, values: &[Self]) -> Result<(), Error>;
}

macro_rules! number {
    ($($type:ty, $name:ident, $check:expr;)*) => {$(
        impl Number for $type {
            const TYPE: ValueType = ValueType::$name;

            #[inline]
            fn release(self, noise: &AnyMechanism) -> Result<Self, Error> {
                with_source(|source| noise.release(source, self))
            }

            fn release_in_place(
                noise: &AnyMechanism,
                values: &mut [Self],
                threads: Threads,
            ) -> Result<(), Error> {
                with_source(|source| noise.release_in_place_with(source, values, threads))
            }

            fn release_to(
                noise: &AnyMechanism,
                values: &[Self],
                out: &mut [Self],
                threads: Threads,
            ) -> Result<(), Error> {
                with_source(|source| noise.release_to_with(source, values, out, threads))
            }

            fn check(inputs: Inputs, values: &[Self]) -> Result<(), Error> {
                $check(inputs, values)
            }
        }
    )*};
}
number! {
    f64, F64, |inputs: Inputs, values| inputs.check_values(values);
    f32, F32, |inputs: Inputs, values| inputs.check_values(values);
    // Of integers nothing is declared: grids are of floats.
    i64, I64, |_, _| Ok(());
    i32, I32, |_, _| Ok(());
}

/// Why a release ended early.
pub(crate) enum Stopped {
    /// The mechanism refuses a value, or a result overflows.
    Refused(Error),
    /// Ctrl-C.
    Interrupted(PyErr),
}

impl From<Stopped> for PyErr {
    fn from(stopped: Stopped) -> PyErr {
        match stopped {
            Stopped::Refused(error) => python(error),
            Stopped::Interrupted(error) => error,
        }
    }
}

/// Values of each thread between two looks at whether somebody pressed Ctrl-C: some hundredths of a second.
const PIECE: usize = 1 << 22;

/// How many values are made noisy between two looks. Few values need no look at the number of cores.
fn piece_of(values: usize, threads: Threads) -> usize {
    if values <= PIECE { PIECE } else { PIECE * threads.count() }
}

/// A number of threads; without one it is that of the cores.
pub(crate) fn threads_of(x: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroUsize>> {
    if x.is_none() {
        return Ok(None);
    }
    let wrong = |_| {
        ParameterError::new_err(
            "threads must be a number of threads, from 1 on, or None for one for each core",
        )
    };
    x.extract().map(Some).map_err(wrong)
}

/// Noisy copies of values in memory that nobody sees unless all of it is written. Ctrl-C is heard.
pub(crate) fn release_to<T: Number>(
    py: Python<'_>,
    noise: &AnyMechanism,
    values: &[T],
    out: &mut [T],
    threads: Threads,
) -> Result<(), Stopped> {
    let size = piece_of(values.len(), threads);
    for (i, (values, out)) in values.chunks(size).zip(out.chunks_mut(size)).enumerate() {
        piece(py, i * size, || T::release_to(noise, values, out, threads))?;
    }
    Ok(())
}

/// The same in place.
pub(crate) fn release_in_place<T: Number>(
    py: Python<'_>,
    noise: &AnyMechanism,
    values: &mut [T],
    threads: Threads,
) -> Result<(), Stopped> {
    let size = piece_of(values.len(), threads);
    for (i, values) in values.chunks_mut(size).enumerate() {
        piece(py, i * size, || T::release_in_place(noise, values, threads))?;
    }
    Ok(())
}

fn piece(
    py: Python<'_>,
    first: usize,
    release: impl Send + FnOnce() -> Result<(), Error>,
) -> Result<(), Stopped> {
    py.detach(release).map_err(|error| Stopped::Refused(moved(error, |index| first + index)))?;
    py.check_signals().map_err(Stopped::Interrupted)
}

/// The error with the position of its value in the whole.
pub(crate) fn moved(error: Error, position: impl FnOnce(usize) -> usize) -> Error {
    match error {
        Error::NotFinite { index } => Error::NotFinite { index: position(index) },
        Error::Overflow { index } => Error::Overflow { index: position(index) },
        Error::NotMultiple { index, exponent } => Error::NotMultiple { index: position(index), exponent },
        other => other,
    }
}

/// The types of values that it takes from Python, as numpy calls them.
pub(crate) fn dtypes(noise: &AnyMechanism) -> Vec<&'static str> {
    let types = noise.value_types().iter().filter(|values| **values != ValueType::Real);
    types.map(|values| values.name()).collect()
}

/// The class in Python.
pub(crate) fn class(noise: &AnyMechanism) -> &'static str {
    match noise {
        AnyMechanism::Laplace(_) => "Laplace",
        AnyMechanism::GridF64(_) | AnyMechanism::GridF32(_) => "GridLaplace",
        AnyMechanism::DiscreteLaplace(_) => "DiscreteLaplace",
        AnyMechanism::Gaussian(_) => "Gaussian",
        AnyMechanism::DiscreteGaussian(_) => "DiscreteGaussian",
        AnyMechanism::Snapping(_) => "Snapping",
        AnyMechanism::FloatSnapping(_) => "FloatSnapping",
    }
}

/// That values of this type are refused, and how to make them a type that is taken: by which method.
pub(crate) fn refused(noise: &AnyMechanism, what: &str, method: &str) -> PyErr {
    let taken = dtypes(noise);
    // The least that loses nothing, where there is one.
    let wanted = match what {
        "bool" => "int64",
        "float16" => "float32",
        _ => taken[0],
    };
    let wanted = if taken.contains(&wanted) { wanted } else { taken[0] };
    UnsupportedType::new_err(format!(
        "{} takes {}, and these values are {what}; convert them first, as in x.{method}({wanted:?})",
        class(noise),
        taken.join(", "),
    ))
}
