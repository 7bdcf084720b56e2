//! Build a mechanism and call it, in one.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use lastbit::ValueType;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};

use crate::budget::Budget;
use crate::build::{self, GaussianAmount, GridInputs, dtype_name, grid_type};
use crate::claim::Release;
use crate::mechanism::{Mechanism, Object};
use crate::noise::threads_of;
use crate::payment::Payment;
use crate::renamed::{Others, refuse};
use crate::values;

/// What every function takes beside the values and the parameters of its mechanism.
struct Extras<'a, 'py> {
    out: Object<'a, 'py>,
    budget: Option<&'a Bound<'py, Budget>>,
    claim: bool,
    threads: Option<NonZeroUsize>,
}

impl<'py> Extras<'_, 'py> {
    /// Pays, releases, and hands out the claim, as far as each is asked for.
    fn release(&self, mechanism: &Mechanism, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.budget.is_none() && !self.claim {
            return mechanism.release(x, self.out, None, self.threads);
        }
        let size = values::count(x)?;
        let neighbours = mechanism.neighbours(None, Some(size))?;
        let payment = Payment::new(mechanism, neighbours, self.budget.map(|budget| budget.clone().unbind()));
        let payment = Bound::new(x.py(), payment)?;
        let noisy = mechanism.release_counted(x, size, self.out, &payment, self.threads)?;
        match payment.get().claim().filter(|_| self.claim) {
            Some(claim) => Release::of(noisy, claim),
            None => Ok(noisy),
        }
    }
}

/// The most arguments that are numbers.
const MOST_NUMBERS: usize = 6;

/// The arguments of a call: those that may be numbers, a flag, and the type of values.
struct Call<'a, 'py> {
    function: &'static str,
    numbers: [Object<'a, 'py>; MOST_NUMBERS],
    flag: bool,
    dtype: Option<&'a str>,
}

/// A call and the mechanism it asked for.
struct Recent {
    function: &'static str,
    numbers: [Option<Py<PyAny>>; MOST_NUMBERS],
    flag: bool,
    dtype: Option<String>,
    mechanism: Rc<Mechanism>,
}

thread_local! {
    /// Building a mechanism takes longer than adding noise to one number, and programs call with the same arguments again and again.
    static RECENT: RefCell<Option<Recent>> = const { RefCell::new(None) };
}

impl Recent {
    /// Whether the arguments are the very same objects.
    fn is(&self, call: &Call<'_, '_>) -> bool {
        let same = |(old, new): (&Option<Py<PyAny>>, &Object<'_, '_>)| match (old, new) {
            (Some(old), Some(new)) => old.is(new),
            (None, None) => true,
            _ => false,
        };
        self.function == call.function
            && self.flag == call.flag
            && self.dtype.as_deref() == call.dtype
            && self.numbers.iter().zip(&call.numbers).all(same)
    }
}

impl Call<'_, '_> {
    /// The mechanism of the call before this one if it had the same arguments, else a new one.
    fn mechanism(&self, build: impl FnOnce() -> PyResult<Mechanism>) -> PyResult<Rc<Mechanism>> {
        let recent = RECENT.with_borrow(|recent| {
            recent.as_ref().filter(|recent| recent.is(self)).map(|recent| Rc::clone(&recent.mechanism))
        });
        if let Some(mechanism) = recent {
            return Ok(mechanism);
        }
        let mechanism = Rc::new(build()?);
        // Objects that cannot change.
        let fixed = |x: &Bound<'_, PyAny>| {
            x.is_exact_instance_of::<PyFloat>()
                || x.is_exact_instance_of::<PyInt>()
                || x.is_exact_instance_of::<PyString>()
        };
        if self.numbers.iter().flatten().all(|x| fixed(x)) {
            let numbers = self.numbers.map(|x| x.map(|x| x.clone().unbind()));
            let recent = Recent {
                function: self.function,
                numbers,
                flag: self.flag,
                dtype: self.dtype.map(str::to_owned),
                mechanism: Rc::clone(&mechanism),
            };
            drop(RECENT.replace(Some(recent)));
        }
        Ok(mechanism)
    }
}

/// Adds the real Laplace variable and rounds correctly: RN(x + b·L). The loss between inputs at L1 distance d is d/b, exactly.
///
/// x: a number, a list, a numpy array of any shape and stride, an Arrow array (nulls stay), a series of pandas or polars. The result has
/// the same form. Numbers and lists are float64 unless dtype says otherwise ("float32", "int64", "int32"), whatever their values are;
/// arrays have their own type, and another than dtype says is refused. Integers get the integer nearest to the real sum; those of other
/// widths than 32 and 64 bits come back as int64, since noise can make them negative.
///
/// scale, or epsilon and sensitivity: float, int, str ("1/3"), Fraction, Decimal. A float is the decimal that Python prints for it: 0.1 is
/// 1/10, exactly. The sensitivity is how far one person can move the whole of x (the sum over all its values): noise is for results, such as
/// counts and sums, and not for the rows of people.
///
/// out: a numpy array for the result; out=x works in place. budget: a Budget that pays first, or refuses. claim=True: a Release that
/// carries its claim. threads: how many work on a large array; one for each
/// core if it is not given.
///
/// >>> import lastbit
/// >>> noisy = lastbit.laplace([31_000.0, 54_321.5], epsilon="0.1", sensitivity=1)
/// >>> len(noisy)
/// 2
/// >>> lastbit.laplace(float("nan"), scale=1)
/// Traceback (most recent call last):
/// lastbit.errors.DomainError: value 0 is not a finite number; the privacy claim covers finite values only
#[pyfunction]
#[pyo3(signature = (x, /, scale=None, *, epsilon=None, sensitivity=None, dtype=None, out=None, budget=None,
    claim=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn laplace<'py>(
    x: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = [scale, epsilon, sensitivity, None, None, None];
    let call = Call { function: "laplace", numbers, flag: false, dtype: dtype.as_deref() };
    let mechanism = call.mechanism(|| build::laplace(scale, epsilon, sensitivity, dtype.as_deref()))?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}

/// Rounds values to the grid Z·2^k and adds the discrete Laplace variable on it.
///
/// max_changed: how many values of x may differ between neighbours (all of them, if it is not given); granularity: all values are
/// declared to be multiples of 2 to this power. Without k the grid is about 2^-40 of the scale. The rest is as for `laplace`.
///
/// >>> import lastbit
/// >>> lastbit.grid_laplace(0.3, epsilon=1, sensitivity=1, k=-2) * 4 % 1
/// 0.0
#[pyfunction]
#[pyo3(signature = (x, /, scale=None, *, epsilon=None, sensitivity=None, k=None, max_changed=None,
    granularity=None, dtype=None, out=None, budget=None, claim=false, threads=None, **others),
    text_signature = "(x, /, scale=None, *, epsilon=None, sensitivity=None, k=None, max_changed=None, granularity=None, dtype=None, \
                      out=None, budget=None, claim=False, threads=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn grid_laplace<'py>(
    x: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    k: Option<i32>,
    max_changed: Option<u64>,
    granularity: Option<i32>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
    others: Option<Others<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    refuse(others)?;
    let max_changed = match max_changed {
        Some(max_changed) => max_changed,
        None => (values::count(x)? as u64).max(1),
    };
    let known = GridInputs { max_changed: Some(max_changed), granularity };
    let values = match dtype.as_deref() {
        Some(name) => grid_type(name)?,
        None if values::is_single(x)? => ValueType::F32,
        None => ValueType::F64,
    };
    let mechanism = build::grid_laplace(scale, epsilon, sensitivity, k, known, values)?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}

/// Adds the discrete Laplace variable to integers. The loss between inputs at L1 distance d is d/scale, exactly.
///
/// Takes ints, lists of ints, arrays of integers; numbers and lists are int64 unless dtype says "int32". The rest is as for `laplace`.
/// constant_time: the same noise from comparisons of integers alone, several times slower.
///
/// >>> import lastbit
/// >>> type(lastbit.discrete_laplace(1234, epsilon="1/2", sensitivity=1))
/// <class 'int'>
#[pyfunction]
#[pyo3(signature = (x, /, scale=None, *, epsilon=None, sensitivity=None, dtype=None, constant_time=false, out=None, budget=None,
    claim=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn discrete_laplace<'py>(
    x: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    constant_time: bool,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = [scale, epsilon, sensitivity, None, None, None];
    let call = Call { function: "discrete_laplace", numbers, flag: constant_time, dtype: dtype.as_deref() };
    let mechanism = call.mechanism(|| {
        build::discrete_laplace(scale, epsilon, sensitivity, dtype.as_deref(), constant_time)
    })?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}

/// Adds the real Gaussian variable and rounds correctly: RN(x + σ·G). The loss between inputs at L2 distance d is ρ = d²/(2σ²),
/// zero-concentrated, exactly.
///
/// scale (σ); or variance; or rho and sensitivity; or epsilon, delta and sensitivity, for the least σ that is (ε, δ)-private. The rest is as
/// for `laplace`; the sensitivity is an L2 distance here.
///
/// >>> import lastbit
/// >>> noisy = lastbit.gaussian([31_000.0, 54_321.5], epsilon=1, delta="1e-6", sensitivity=1)
/// >>> len(noisy)
/// 2
/// >>> release = lastbit.gaussian(31_000.0, rho="1/8", sensitivity=1, claim=True)
/// >>> release.loss, round(float(release.claim.approximate(delta="1e-6")), 4)
/// (Fraction(1, 8), 2.2541)
/// >>> lastbit.gaussian(0.0, epsilon=1, sensitivity=1)
/// Traceback (most recent call last):
/// lastbit.errors.ParameterError: epsilon needs delta: Gaussian noise has no finite pure loss; give delta, such as "1e-6", or rho, or use laplace
#[pyfunction]
#[pyo3(signature = (x, /, scale=None, *, variance=None, rho=None, epsilon=None, delta=None, sensitivity=None, dtype=None,
    out=None, budget=None, claim=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn gaussian<'py>(
    x: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    variance: Object<'_, 'py>,
    rho: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    delta: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = [scale, variance, rho, epsilon, delta, sensitivity];
    let call = Call { function: "gaussian", numbers, flag: false, dtype: dtype.as_deref() };
    let amount = GaussianAmount { scale, variance, rho, epsilon, delta, sensitivity };
    let mechanism = call.mechanism(|| build::gaussian(amount, dtype.as_deref()))?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}

/// Adds the discrete Gaussian variable to integers. The loss between inputs at L2 distance d is ρ = d²/(2σ²), zero-concentrated.
///
/// scale (σ), or variance, or rho and sensitivity; the rest is as for `discrete_laplace`.
///
/// >>> import lastbit
/// >>> lastbit.discrete_gaussian(1234, rho="1/8", sensitivity=1, claim=True).loss
/// Fraction(1, 8)
#[pyfunction]
#[pyo3(signature = (x, /, scale=None, *, variance=None, rho=None, sensitivity=None, dtype=None, out=None, budget=None,
    claim=false, threads=None, **others),
    text_signature = "(x, /, scale=None, *, variance=None, rho=None, sensitivity=None, dtype=None, out=None, budget=None, \
                      claim=False, threads=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn discrete_gaussian<'py>(
    x: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    variance: Object<'_, 'py>,
    rho: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
    others: Option<Others<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    refuse(others)?;
    let numbers = [scale, variance, rho, sensitivity, None, None];
    let call = Call { function: "discrete_gaussian", numbers, flag: false, dtype: dtype.as_deref() };
    let mechanism =
        call.mechanism(|| build::discrete_gaussian(scale, variance, rho, sensitivity, dtype.as_deref()))?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}

/// The snapping mechanism, sampled exactly: clamps to ±bound, adds the real Laplace variable, rounds to multiples of a power of two,
/// clamps. The loss between inputs at L1 distance d is epsilon·d/sensitivity.
///
/// Takes floats, lists, arrays of float64; infinite values only with clamp_infinite. The rest is as for `laplace`.
///
/// >>> import lastbit
/// >>> -100 <= lastbit.snapping(31_000.0, epsilon=1, sensitivity=1, bound=100) <= 100
/// True
#[pyfunction]
#[pyo3(signature = (x, /, *, epsilon=None, sensitivity=None, bound=None, clamp_infinite=false, out=None, budget=None,
    claim=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn snapping<'py>(
    x: &Bound<'py, PyAny>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    bound: Object<'_, 'py>,
    clamp_infinite: bool,
    out: Object<'_, 'py>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = [epsilon, bound, sensitivity, None, None, None];
    let call = Call { function: "snapping", numbers, flag: clamp_infinite, dtype: None };
    let mechanism = call.mechanism(|| build::snapping(epsilon, bound, sensitivity, clamp_infinite))?;
    Extras { out, budget, claim, threads }.release(&mechanism, x)
}
