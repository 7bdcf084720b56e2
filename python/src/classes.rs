//! One class a mechanism.

use lastbit::Rational;
use pyo3::prelude::*;
use pyo3::{PyClass, PyClassInitializer};

use crate::build::{self, GridInputs, GridType};
use crate::errors::python;
use crate::kind::Kind;
use crate::mechanism::{Argument, Mechanism, Object, confidence};
use crate::number;

fn initializer<C: PyClass<BaseType = Mechanism>>(mechanism: Mechanism, class: C) -> PyClassInitializer<C> {
    PyClassInitializer::from(mechanism).add_subclass(class)
}

/// The real Laplace variable of a scale, added and correctly rounded: RN(x + b·L). Loss: d_in/b, exactly.
///
/// Integers get the integer nearest to the real sum.
///
/// >>> import lastbit
/// >>> m = lastbit.Laplace(epsilon="0.1", sensitivity=1)
/// >>> m.loss(1), m.loss(2)
/// (Fraction(1, 10), Fraction(1, 5))
/// >>> type(m(31_000.0))
/// <class 'float'>
/// >>> round(m.accuracy(alpha="0.05"), 3)  # within this of the value, 19 times in 20
/// 29.957
///
/// hardened: the same noise in a time that tells less about the values.
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct Laplace;

#[pymethods]
impl Laplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, hardened=false))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        hardened: bool,
    ) -> PyResult<PyClassInitializer<Laplace>> {
        Ok(initializer(build::laplace(scale, epsilon, sensitivity, hardened)?, Laplace))
    }

    /// The largest scale whose noise is at most `accuracy` with probability `1 - alpha`.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Laplace.for_accuracy(30, alpha="0.05")
    /// >>> m.accuracy(alpha="0.05") <= 30
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, alpha))]
    fn for_accuracy(accuracy: &Bound<'_, PyAny>, alpha: &Bound<'_, PyAny>) -> PyResult<Py<Laplace>> {
        let accuracy_exact = number::exact("accuracy", accuracy)?;
        let found = lastbit::Laplace::for_half_width(&accuracy_exact, &confidence(alpha)?).map_err(python)?;
        let arguments = vec![("scale", Argument::Exact(found.scale().to_string()))];
        let mechanism =
            Mechanism { kind: Kind::Laplace(found).into(), sensitivity: None, inputs: None, arguments };
        Py::new(accuracy.py(), initializer(mechanism, Laplace))
    }

    /// The scale b, a Fraction.
    #[getter]
    fn scale<'py>(slf: &Bound<'py, Laplace>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }
}

/// The discrete Laplace variable on the grid Z·2^k, added to values that are rounded to it.
///
/// Rounding can move two vectors apart, so the loss depends on how many of their values may differ (`max_changed`). Without `k` the grid is
/// about 2^-40 of the scale.
///
/// >>> import lastbit
/// >>> m = lastbit.GridLaplace(epsilon=1, sensitivity=1, k=-20, max_changed=1)
/// >>> m.loss(1)
/// Fraction(1, 1)
/// >>> m(0.3) * 2**20 % 1
/// 0.0
///
/// multiples_of_pow2: all values are declared to be multiples of 2 to this power (0 for whole numbers); dtype: 'float64' or 'float32'.
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct GridLaplace;

#[pymethods]
impl GridLaplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, k=None, max_changed=None,
        multiples_of_pow2=None, dtype="float64"))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        k: Option<i32>,
        max_changed: Option<u64>,
        multiples_of_pow2: Option<i32>,
        dtype: &str,
    ) -> PyResult<PyClassInitializer<GridLaplace>> {
        let known = GridInputs { max_changed, multiples_of_pow2 };
        let dtype = GridType::named(dtype)?;
        let mechanism = build::grid_laplace(scale, epsilon, sensitivity, k, known, dtype)?;
        Ok(initializer(mechanism, GridLaplace))
    }

    /// The scale, a Fraction.
    #[getter]
    fn scale<'py>(slf: &Bound<'py, GridLaplace>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }

    /// The exponent of the grid.
    #[getter]
    fn k(slf: &Bound<'_, GridLaplace>) -> Option<i32> {
        match &*slf.as_super().get().kind {
            Kind::GridF64(m) => Some(m.k()),
            Kind::GridF32(m) => Some(m.k()),
            _ => None,
        }
    }
}

/// The discrete Laplace variable, added to integers. Loss: d_in/scale, exactly.
///
/// >>> import lastbit
/// >>> m = lastbit.DiscreteLaplace(scale=10)
/// >>> m.loss(1)
/// Fraction(1, 10)
/// >>> m.accuracy(alpha="0.05")
/// 30
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct DiscreteLaplace;

#[pymethods]
impl DiscreteLaplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, hardened=false))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        hardened: bool,
    ) -> PyResult<PyClassInitializer<DiscreteLaplace>> {
        Ok(initializer(build::discrete_laplace(scale, epsilon, sensitivity, hardened)?, DiscreteLaplace))
    }

    /// The scale, a Fraction.
    #[getter]
    fn scale<'py>(slf: &Bound<'py, DiscreteLaplace>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }
}

/// The discrete Gaussian variable, added to integers. Loss: ρ = d_in²/(2σ²), zero-concentrated; d_in is an L2 distance.
///
/// Its `accuracy` comes from bounds on the tail, and may be a little more than the least.
///
/// >>> import lastbit
/// >>> m = lastbit.DiscreteGaussian(rho="1/8", sensitivity=1)
/// >>> m.variance, m.loss(1)
/// (Fraction(4, 1), Fraction(1, 8))
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct DiscreteGaussian;

#[pymethods]
impl DiscreteGaussian {
    #[new]
    #[pyo3(signature = (sigma=None, *, variance=None, rho=None, sensitivity=None))]
    fn new(
        sigma: Object<'_, '_>,
        variance: Object<'_, '_>,
        rho: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
    ) -> PyResult<PyClassInitializer<DiscreteGaussian>> {
        Ok(initializer(build::discrete_gaussian(sigma, variance, rho, sensitivity)?, DiscreteGaussian))
    }

    /// σ², a Fraction.
    #[getter]
    fn variance<'py>(slf: &Bound<'py, DiscreteGaussian>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }
}

/// The snapping mechanism, sampled exactly: clamp, add the real Laplace variable, round to a power of two, clamp. Loss: ε·d_in.
///
/// >>> import lastbit
/// >>> m = lastbit.Snapping(epsilon=1, bound=100, sensitivity=1)
/// >>> m.lambda_, m.loss(1)
/// (1.0, Fraction(1, 1))
/// >>> -100 <= m(1e9) <= 100
/// True
///
/// clamp_infinite: infinite values are clamped, too, and not refused.
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct Snapping;

#[pymethods]
impl Snapping {
    #[new]
    #[pyo3(signature = (*, epsilon=None, bound=None, sensitivity=None, clamp_infinite=false))]
    fn new(
        epsilon: Object<'_, '_>,
        bound: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        clamp_infinite: bool,
    ) -> PyResult<PyClassInitializer<Snapping>> {
        Ok(initializer(build::snapping(epsilon, bound, sensitivity, clamp_infinite)?, Snapping))
    }

    /// Λ, the power of two whose multiples are the outputs.
    #[getter]
    fn lambda_(slf: &Bound<'_, Snapping>) -> Option<f64> {
        match &*slf.as_super().get().kind {
            Kind::Snapping(m) => Some(m.lambda()),
            _ => None,
        }
    }
}

/// The parameter of the noise itself.
fn scale<'py>(mechanism: &Bound<'py, Mechanism>) -> PyResult<Bound<'py, PyAny>> {
    let scale: &Rational = match &*mechanism.get().kind {
        Kind::Laplace(m) => m.scale(),
        Kind::GridF64(m) => m.scale(),
        Kind::GridF32(m) => m.scale(),
        Kind::DiscreteLaplace(m) => m.scale(),
        Kind::DiscreteGaussian(m) => m.variance(),
        Kind::Snapping(m) => m.epsilon(),
    };
    number::fraction(mechanism.py(), scale)
}
