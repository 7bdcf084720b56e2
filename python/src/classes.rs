//! One class a mechanism.

use lastbit::{AnyMechanism, Family, Rational};
use pyo3::prelude::*;
use pyo3::{PyClass, PyClassInitializer};

use crate::build::{self, GaussianAmount, GridInputs, dtype_name, for_accuracy, grid_type};
use crate::errors::python;
use crate::mechanism::{Mechanism, Object, confidence};
use crate::number;
use crate::renamed::{Others, refuse, required};

/// A parameter of noise that was found, as an argument.
fn found(noise: &AnyMechanism) -> String {
    parameter(noise).to_string()
}

fn initializer<C: PyClass<BaseType = Mechanism>>(mechanism: Mechanism, class: C) -> PyClassInitializer<C> {
    PyClassInitializer::from(mechanism).add_subclass(class)
}

/// The real Laplace variable of a scale, added and correctly rounded: RN(x + b·L). Loss: d_in/b, exactly.
///
/// Python's numbers and lists are float64 unless dtype says otherwise; arrays have their own type. Integers get the integer nearest to
/// the real sum.
///
/// >>> import lastbit
/// >>> m = lastbit.Laplace(epsilon="0.1", sensitivity=1)
/// >>> m.loss(1), m.loss(2)
/// (Fraction(1, 10), Fraction(1, 5))
/// >>> type(m(31_000.0))
/// <class 'float'>
/// >>> round(m.accuracy(confidence="0.95"), 3)  # within this of the value, 19 times in 20
/// 29.957
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct Laplace;

#[pymethods]
impl Laplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, dtype=None))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<PyClassInitializer<Laplace>> {
        Ok(initializer(build::laplace(scale, epsilon, sensitivity, dtype.as_deref())?, Laplace))
    }

    /// The largest scale whose noise is at most `accuracy` with probability `confidence`.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Laplace.for_accuracy(30, confidence="0.95")
    /// >>> m.accuracy(confidence="0.95") <= 30
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, dtype=None, **others), text_signature = "(accuracy, *, confidence, dtype=None)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<Laplace>> {
        let (py, confidence) = (accuracy.py(), required("confidence", confidence, others)?);
        let is_integer = matches!(dtype.as_deref(), Some("int64" | "int32"));
        let noise: AnyMechanism = match is_integer {
            true => {
                let (width, confidence) =
                    (number::exact("accuracy", accuracy)?, self::confidence(confidence)?);
                lastbit::Laplace::for_integer_half_width(&width, &confidence).map_err(python)?.into()
            }
            false => for_accuracy(&Family::Laplace, accuracy, confidence)?,
        };
        let scale = found(&noise).into_pyobject(py)?;
        Py::new(py, initializer(build::laplace(Some(scale.as_any()), None, None, dtype.as_deref())?, Laplace))
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
/// granularity: all values are declared to be multiples of 2 to this power (0 for whole numbers); dtype: 'float64' or 'float32'.
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct GridLaplace;

#[pymethods]
impl GridLaplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, k=None, max_changed=None,
        granularity=None, dtype=None, **others),
        text_signature = "(scale=None, *, epsilon=None, sensitivity=None, k=None, max_changed=None, granularity=None, dtype=None)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        k: Option<i32>,
        max_changed: Option<u64>,
        granularity: Option<i32>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<PyClassInitializer<GridLaplace>> {
        refuse(others)?;
        let known = GridInputs { max_changed, granularity };
        let mechanism = build::grid_laplace(
            scale,
            epsilon,
            sensitivity,
            k,
            known,
            grid_type(dtype.as_deref().unwrap_or("float64"))?,
        )?;
        Ok(initializer(mechanism, GridLaplace))
    }

    /// The largest scale whose noise, with the rounding to the grid, is at most `accuracy` with probability `confidence`.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.GridLaplace.for_accuracy(30, confidence="0.95", k=-4, max_changed=1)
    /// >>> 29.9 < m.accuracy(confidence="0.95") <= 30
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, k=None, max_changed=None, granularity=None, dtype=None, **others),
        text_signature = "(accuracy, *, confidence, k=None, max_changed=None, granularity=None, dtype=None)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        k: Option<i32>,
        max_changed: Option<u64>,
        granularity: Option<i32>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<GridLaplace>> {
        let confidence = required("confidence", confidence, others)?;
        let (py, values) = (accuracy.py(), grid_type(dtype.as_deref().unwrap_or("float64"))?);
        let noise = for_accuracy(&Family::GridLaplace { values, k }, accuracy, confidence)?;
        let scale = found(&noise).into_pyobject(py)?;
        let known = GridInputs { max_changed, granularity };
        // On the grid that was looked at, which is not that of the scale if none was given.
        let mechanism =
            build::grid_laplace(Some(scale.as_any()), None, None, grid_of(&noise), known, values)?;
        Py::new(py, initializer(mechanism, GridLaplace))
    }

    /// The scale, a Fraction.
    #[getter]
    fn scale<'py>(slf: &Bound<'py, GridLaplace>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }

    /// The exponent of the grid.
    #[getter]
    fn k(slf: &Bound<'_, GridLaplace>) -> Option<i32> {
        grid_of(&slf.as_super().get().noise)
    }
}

/// The discrete Laplace variable, added to integers. Loss: d_in/scale, exactly.
///
/// >>> import lastbit
/// >>> m = lastbit.DiscreteLaplace(scale=10)
/// >>> m.loss(1)
/// Fraction(1, 10)
/// >>> m.accuracy(confidence="0.95")
/// 30
///
/// constant_time: the same noise from comparisons of integers alone, as many for every value; several times slower, for scales up to 2**56.
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct DiscreteLaplace;

#[pymethods]
impl DiscreteLaplace {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, dtype=None, constant_time=false))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        constant_time: bool,
    ) -> PyResult<PyClassInitializer<DiscreteLaplace>> {
        let mechanism =
            build::discrete_laplace(scale, epsilon, sensitivity, dtype.as_deref(), constant_time)?;
        Ok(initializer(mechanism, DiscreteLaplace))
    }

    /// The largest scale whose noise is at most `accuracy` with probability `confidence`.
    ///
    /// >>> import lastbit
    /// >>> lastbit.DiscreteLaplace.for_accuracy(30, confidence="0.95").accuracy(confidence="0.95")
    /// 30
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, dtype=None, constant_time=false, **others),
        text_signature = "(accuracy, *, confidence, dtype=None, constant_time=False)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        constant_time: bool,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<DiscreteLaplace>> {
        let (py, confidence) = (accuracy.py(), required("confidence", confidence, others)?);
        let scale =
            found(&for_accuracy(&Family::DiscreteLaplace, accuracy, confidence)?).into_pyobject(py)?;
        let mechanism =
            build::discrete_laplace(Some(scale.as_any()), None, None, dtype.as_deref(), constant_time)?;
        Py::new(py, initializer(mechanism, DiscreteLaplace))
    }

    /// The scale, a Fraction.
    #[getter]
    fn scale<'py>(slf: &Bound<'py, DiscreteLaplace>) -> PyResult<Bound<'py, PyAny>> {
        scale(slf.as_super())
    }
}

/// The real Gaussian variable of standard deviation `scale`, added and correctly rounded: RN(x + σ·G). Loss: ρ = d_in²/(2σ²),
/// zero-concentrated, exactly; d_in is an L2 distance.
///
/// How much noise: scale; variance; rho and sensitivity; or epsilon, delta and sensitivity, for the least σ that is (ε, δ)-private. Python's
/// numbers and lists are float64 unless dtype says otherwise; arrays have their own type. Integers get the integer nearest to the real sum.
///
/// >>> import lastbit
/// >>> m = lastbit.Gaussian(rho="1/8", sensitivity=1)
/// >>> m.variance, m.loss(1)
/// (Fraction(4, 1), Fraction(1, 8))
/// >>> type(m(31_000.0))
/// <class 'float'>
/// >>> round(m.accuracy(confidence="0.95"), 3)  # within this of the value, 19 times in 20
/// 3.92
/// >>> m = lastbit.Gaussian(epsilon=1, delta="1e-5", sensitivity=1)
/// >>> round(float(m.variance) ** 0.5, 4)
/// 3.7306
#[pyclass(frozen, extends = Mechanism, module = "lastbit")]
pub(crate) struct Gaussian;

#[pymethods]
impl Gaussian {
    #[new]
    #[pyo3(signature = (scale=None, *, variance=None, rho=None, epsilon=None, delta=None, sensitivity=None, dtype=None))]
    fn new(
        scale: Object<'_, '_>,
        variance: Object<'_, '_>,
        rho: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        delta: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<PyClassInitializer<Gaussian>> {
        let amount = GaussianAmount { scale, variance, rho, epsilon, delta, sensitivity };
        Ok(initializer(build::gaussian(amount, dtype.as_deref())?, Gaussian))
    }

    /// The least noise whose zero-concentrated loss is `rho` at L2 distance `sensitivity`: the same as Gaussian(rho=…, sensitivity=…).
    ///
    /// >>> import lastbit
    /// >>> lastbit.Gaussian.for_rho("1/8", 1).variance
    /// Fraction(4, 1)
    #[staticmethod]
    #[pyo3(signature = (rho, sensitivity, *, dtype=None))]
    fn for_rho(
        rho: &Bound<'_, PyAny>,
        sensitivity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<Py<Gaussian>> {
        let amount =
            GaussianAmount { rho: Some(rho), sensitivity: Some(sensitivity), ..GaussianAmount::default() };
        Py::new(rho.py(), initializer(build::gaussian(amount, dtype.as_deref())?, Gaussian))
    }

    /// The least noise that is (epsilon, delta)-differentially private at L2 distance `sensitivity` (Balle and Wang 2018), to 41 bits of σ: the
    /// same as Gaussian(epsilon=…, delta=…, sensitivity=…).
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Gaussian.for_epsilon_delta(1, "1e-5", 1)
    /// >>> m.delta(1) <= lastbit.Gaussian.for_epsilon_delta(1, "2e-5", 1).delta(1)
    /// True
    #[staticmethod]
    #[pyo3(signature = (epsilon, delta, sensitivity, *, dtype=None))]
    fn for_epsilon_delta(
        epsilon: &Bound<'_, PyAny>,
        delta: &Bound<'_, PyAny>,
        sensitivity: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<Py<Gaussian>> {
        let amount = GaussianAmount {
            epsilon: Some(epsilon),
            delta: Some(delta),
            sensitivity: Some(sensitivity),
            ..GaussianAmount::default()
        };
        Py::new(epsilon.py(), initializer(build::gaussian(amount, dtype.as_deref())?, Gaussian))
    }

    /// The largest σ, nearly, whose noise is at most `accuracy` with probability `confidence`.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Gaussian.for_accuracy(30, confidence="0.95")
    /// >>> 29.9 < m.accuracy(confidence="0.95") <= 30
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, dtype=None, **others), text_signature = "(accuracy, *, confidence, dtype=None)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<Gaussian>> {
        let (py, confidence) = (accuracy.py(), required("confidence", confidence, others)?);
        let noise: AnyMechanism = match dtype.as_deref() {
            Some("int64" | "int32") => {
                let (width, confidence) =
                    (number::exact("accuracy", accuracy)?, self::confidence(confidence)?);
                lastbit::Gaussian::for_integer_half_width(&width, &confidence).map_err(python)?.into()
            }
            _ => for_accuracy(&Family::Gaussian, accuracy, confidence)?,
        };
        let variance = found(&noise).into_pyobject(py)?;
        let amount = GaussianAmount { variance: Some(variance.as_any()), ..GaussianAmount::default() };
        Py::new(py, initializer(build::gaussian(amount, dtype.as_deref())?, Gaussian))
    }

    /// The least δ, a Fraction, such that the mechanism is (epsilon, δ)-differentially private for inputs at L2 distance `d_in` (the
    /// sensitivity, if it is not given); rounded up by less than 2^-40 of itself.
    ///
    /// `claim(…).approximate(delta=…)` is the way back.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Gaussian(scale=4)
    /// >>> f"{float(m.delta(1, 1)):.4e}"
    /// '2.9243e-06'
    /// >>> m = lastbit.Gaussian(epsilon=1, delta="1e-5", sensitivity=1)
    /// >>> 0.999e-5 < m.delta(1) <= 1e-5
    /// True
    #[pyo3(signature = (epsilon, d_in=None))]
    fn delta<'py>(
        slf: &Bound<'py, Gaussian>,
        epsilon: &Bound<'py, PyAny>,
        d_in: Object<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mechanism = slf.as_super().get();
        let (epsilon, distance) = (number::exact("epsilon", epsilon)?, mechanism.distance(d_in)?);
        match &*mechanism.noise {
            AnyMechanism::Gaussian(m) => {
                number::fraction(slf.py(), &m.delta(&epsilon, &distance).map_err(python)?)
            }
            // Never: this class is built from no other noise.
            _ => number::fraction(slf.py(), &Rational::ONE),
        }
    }

    /// σ², a Fraction; σ itself may be irrational.
    #[getter]
    fn variance<'py>(slf: &Bound<'py, Gaussian>) -> PyResult<Bound<'py, PyAny>> {
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
    #[pyo3(signature = (scale=None, *, variance=None, rho=None, sensitivity=None, dtype=None, **others),
        text_signature = "(scale=None, *, variance=None, rho=None, sensitivity=None, dtype=None)")]
    fn new(
        scale: Object<'_, '_>,
        variance: Object<'_, '_>,
        rho: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<PyClassInitializer<DiscreteGaussian>> {
        refuse(others)?;
        let mechanism = build::discrete_gaussian(scale, variance, rho, sensitivity, dtype.as_deref())?;
        Ok(initializer(mechanism, DiscreteGaussian))
    }

    /// The largest variance whose noise is at most `accuracy` with probability `confidence`.
    ///
    /// >>> import lastbit
    /// >>> lastbit.DiscreteGaussian.for_accuracy(1_000_000, confidence="0.95").accuracy(confidence="0.95") <= 1_000_000
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, dtype=None, **others), text_signature = "(accuracy, *, confidence, dtype=None)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<DiscreteGaussian>> {
        let (py, confidence) = (accuracy.py(), required("confidence", confidence, others)?);
        let variance =
            found(&for_accuracy(&Family::DiscreteGaussian, accuracy, confidence)?).into_pyobject(py)?;
        let mechanism =
            build::discrete_gaussian(None, Some(variance.as_any()), None, None, dtype.as_deref())?;
        Py::new(py, initializer(mechanism, DiscreteGaussian))
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
/// >>> m.grid, m.loss(1)
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

    /// The least epsilon, at sensitivity 1, whose noise is at most `accuracy` with probability `confidence`, for values within the bound.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.Snapping.for_accuracy(30, confidence="0.95", bound=100)
    /// >>> 29.9 < m.accuracy(confidence="0.95") <= 30
    /// True
    #[staticmethod]
    #[pyo3(signature = (accuracy, *, confidence=None, bound, clamp_infinite=false, **others),
        text_signature = "(accuracy, *, confidence, bound, clamp_infinite=False)")]
    fn for_accuracy(
        accuracy: &Bound<'_, PyAny>,
        confidence: Object<'_, '_>,
        bound: &Bound<'_, PyAny>,
        clamp_infinite: bool,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<Py<Snapping>> {
        let (py, confidence) = (accuracy.py(), required("confidence", confidence, others)?);
        let family = Family::Snapping { bound: number::value("bound", bound)?, clamp_infinite };
        let epsilon = found(&for_accuracy(&family, accuracy, confidence)?).into_pyobject(py)?;
        let one = 1_i64.into_pyobject(py)?;
        let mechanism =
            build::snapping(Some(epsilon.as_any()), Some(bound), Some(one.as_any()), clamp_infinite)?;
        Py::new(py, initializer(mechanism, Snapping))
    }

    /// Λ, the power of two whose multiples are the outputs.
    #[getter]
    fn grid(slf: &Bound<'_, Snapping>) -> Option<f64> {
        match &*slf.as_super().get().noise {
            AnyMechanism::Snapping(m) => Some(m.grid()),
            _ => None,
        }
    }
}

/// The exponent of a grid.
fn grid_of(noise: &AnyMechanism) -> Option<i32> {
    match noise {
        AnyMechanism::GridF64(m) => Some(m.k()),
        AnyMechanism::GridF32(m) => Some(m.k()),
        _ => None,
    }
}

/// The parameter of the noise itself.
fn parameter(noise: &AnyMechanism) -> Rational {
    match noise {
        AnyMechanism::Laplace(m) => m.scale().clone(),
        AnyMechanism::GridF64(m) => m.scale().clone(),
        AnyMechanism::GridF32(m) => m.scale().clone(),
        AnyMechanism::DiscreteLaplace(m) => m.scale().clone(),
        AnyMechanism::Gaussian(m) => m.variance().clone(),
        AnyMechanism::DiscreteGaussian(m) => m.variance().clone(),
        AnyMechanism::Snapping(m) => m.epsilon().clone(),
        AnyMechanism::FloatSnapping(m) => Rational::try_from(m.params().epsilon).unwrap_or_default(),
    }
}

fn scale<'py>(mechanism: &Bound<'py, Mechanism>) -> PyResult<Bound<'py, PyAny>> {
    number::fraction(mechanism.py(), &parameter(&mechanism.get().noise))
}
