//! Which mechanism works on which type.

use std::cell::RefCell;

use lastbit::{Error, IBig, Inputs, Mechanism, Rational, SecureSource};
use numpy::Element;
use pyo3::prelude::*;

use crate::errors::{ParameterError, UnsupportedType, python};

/// A mechanism with its parameters.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Laplace(lastbit::Laplace),
    GridF64(lastbit::GridLaplace<f64>),
    GridF32(lastbit::GridLaplace<f32>),
    DiscreteLaplace(lastbit::DiscreteLaplace),
    DiscreteGaussian(lastbit::DiscreteGaussian),
    Snapping(lastbit::Snapping),
}

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
    /// Its name in numpy.
    const DTYPE: &'static str;

    /// The noisy value, by a mechanism that [takes](Kind::dtypes) this type.
    fn release(self, kind: &Kind) -> Result<Self, Error>;

    /// Noisy values in place of values.
    fn release_in_place(kind: &Kind, values: &mut [Self]) -> Result<(), Error>;

    /// Noisy copies of values.
    fn release_to(kind: &Kind, values: &[Self], out: &mut [Self]) -> Result<(), Error>;
}

macro_rules! number {
    ($type:ty, $dtype:literal: $($kind:ident)*) => {
        impl Number for $type {
            const DTYPE: &'static str = $dtype;

            #[inline]
            fn release(self, kind: &Kind) -> Result<Self, Error> {
                match kind {
                    $(Kind::$kind(m) => with_source(|source| m.release(source, self)),)*
                    _ => unreachable!("the type is looked at before: {}", kind.class()),
                }
            }

            fn release_in_place(kind: &Kind, values: &mut [Self]) -> Result<(), Error> {
                match kind {
                    $(Kind::$kind(m) => with_source(|source| m.release_in_place(source, values)),)*
                    _ => unreachable!("the type is looked at before: {}", kind.class()),
                }
            }

            fn release_to(kind: &Kind, values: &[Self], out: &mut [Self]) -> Result<(), Error> {
                match kind {
                    $(Kind::$kind(m) => with_source(|source| m.release_to(source, values, out)),)*
                    _ => unreachable!("the type is looked at before: {}", kind.class()),
                }
            }
        }
    };
}
number!(f64, "float64": Laplace GridF64 Snapping);
number!(f32, "float32": Laplace GridF32);
number!(i64, "int64": Laplace DiscreteLaplace DiscreteGaussian);
number!(i32, "int32": Laplace DiscreteLaplace DiscreteGaussian);

impl Kind {
    /// The types of values that it takes, as numpy calls them.
    pub(crate) fn dtypes(&self) -> &'static [&'static str] {
        match self {
            Kind::Laplace(_) => &["float64", "float32", "int64", "int32"],
            Kind::GridF64(_) | Kind::Snapping(_) => &["float64"],
            Kind::GridF32(_) => &["float32"],
            Kind::DiscreteLaplace(_) | Kind::DiscreteGaussian(_) => &["int64", "int32"],
        }
    }

    /// Whether Python's integers stay integers.
    pub(crate) fn takes_integers(&self) -> bool {
        self.dtypes().contains(&"int64")
    }

    /// The class in Python.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Kind::Laplace(_) => "Laplace",
            Kind::GridF64(_) | Kind::GridF32(_) => "GridLaplace",
            Kind::DiscreteLaplace(_) => "DiscreteLaplace",
            Kind::DiscreteGaussian(_) => "DiscreteGaussian",
            Kind::Snapping(_) => "Snapping",
        }
    }

    /// Refuses a type that it does not take.
    pub(crate) fn check<T: Number>(&self) -> PyResult<()> {
        if self.dtypes().contains(&T::DTYPE) { Ok(()) } else { Err(self.refused(T::DTYPE)) }
    }

    /// That values of this type are refused.
    pub(crate) fn refused(&self, what: &str) -> PyErr {
        let class = self.class();
        let taken = self.dtypes().join(", ");
        UnsupportedType::new_err(format!(
            "{class} takes {taken}, and these values are {what}; convert them first"
        ))
    }

    /// What a release promises for inputs at distance `d_in`.
    pub(crate) fn claim(&self, d_in: &Rational, inputs: Option<Inputs>) -> PyResult<lastbit::Claim> {
        let inputs = || {
            inputs.ok_or_else(|| {
                let class = self.class();
                ParameterError::new_err(format!(
                    "the loss of {class} depends on how many values of a vector may differ: give max_changed (1 if \
                     neighbours differ in one value, the length of the vector if nothing better is known)"
                ))
            })
        };
        match self {
            Kind::Laplace(m) => m.claim(d_in),
            Kind::GridF64(m) => m.claim(d_in, inputs()?),
            Kind::GridF32(m) => m.claim(d_in, inputs()?),
            Kind::DiscreteLaplace(m) => m.claim(d_in),
            Kind::DiscreteGaussian(m) => m.claim(d_in),
            Kind::Snapping(m) => m.claim(d_in),
        }
        .map_err(python)
    }

    /// The half-width of the noise at a confidence.
    pub(crate) fn half_width(&self, confidence: &Rational) -> Result<HalfWidth, Error> {
        match self {
            Kind::Laplace(m) => m.half_width(confidence).map(HalfWidth::Float),
            Kind::GridF64(m) => m.half_width(confidence).map(HalfWidth::Float),
            Kind::GridF32(m) => m.half_width(confidence).map(HalfWidth::Float),
            Kind::DiscreteLaplace(m) => m.half_width(confidence).map(HalfWidth::Integer),
            Kind::DiscreteGaussian(m) => m.half_width(confidence).map(HalfWidth::Integer),
            Kind::Snapping(m) => m.half_width(confidence).map(HalfWidth::Float),
        }
    }
}

/// Half of a confidence interval.
pub(crate) enum HalfWidth {
    /// Rounded up.
    Float(f64),
    Integer(IBig),
}
