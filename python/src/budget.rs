//! Budgets and compositions, which live in the crate `lastbit`.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lastbit::Measure;
use pyo3::prelude::*;

use crate::choosing::{Given, Selection};
use crate::claim::Claim;
use crate::engines::refused;
use crate::errors::{ParameterError, python};
use crate::mechanism::{Mechanism, Object};
use crate::noise::threads_of;
use crate::payment::Payment;
use crate::{number, values};

/// The total loss that is allowed, in exact arithmetic; what would exceed it is refused, and no noise is drawn for it.
///
/// Losses add, also if later releases are chosen after earlier ones are seen. Threads may share a budget.
///
/// >>> import lastbit
/// >>> budget = lastbit.Budget(epsilon=1)
/// >>> noisy = lastbit.laplace(54_321.5, epsilon="0.7", sensitivity=1, budget=budget)
/// >>> budget.remaining
/// Fraction(3, 10)
/// >>> lastbit.laplace(54_321.5, epsilon="0.7", sensitivity=1, budget=budget)
/// Traceback (most recent call last):
/// lastbit.errors.BudgetExceeded: the release costs 7/10, but only 3/10 of the budget is left
///
/// epsilon: a budget of pure differential privacy; rho: of zero-concentrated differential privacy, from which pure claims are paid, too.
/// epsilon with delta: a budget of the largest ρ with which everything that is paid from it is (ε, δ)-differentially private together.
///
/// >>> lastbit.Budget(epsilon=1, delta="1e-6")
/// <Budget rho=0.02435597035: 0.02435597035 left>
///
/// unit: whose data neighbours differ in, such as "person". Then columns of different types and sensitivities are paid from one budget, and
/// each sensitivity is how far one person can move that column. Without it all releases must be about the same type, distance and metric,
/// or ClaimMismatch is raised.
///
/// >>> budget = lastbit.Budget(epsilon=1, unit="person")
/// >>> income = lastbit.laplace(54_321.5, epsilon=0.5, sensitivity=100_000, budget=budget)
/// >>> visits = lastbit.discrete_laplace(12, epsilon=0.5, sensitivity=3, budget=budget)
/// >>> budget
/// <Budget epsilon=1: 0 left, unit='person'>
///
/// A release that fails because of its values stays paid: that it failed may tell something about the data. A budget lives in one process: after
/// a fork each process has a copy of its own.
#[pyclass(frozen, module = "lastbit")]
pub(crate) struct Budget(Mutex<lastbit::Budget>);

impl Budget {
    // A panic cannot leave it half-written: spending is one assignment and one push.
    fn lock(&self) -> MutexGuard<'_, lastbit::Budget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pays for a claim.
    pub(crate) fn pay(&self, claim: lastbit::Claim) -> PyResult<()> {
        self.lock().spend(claim).map_err(python)
    }
}

#[pymethods]
impl Budget {
    #[new]
    #[pyo3(signature = (*, epsilon=None, rho=None, delta=None, unit=None))]
    fn new(
        epsilon: Object<'_, '_>,
        rho: Object<'_, '_>,
        delta: Object<'_, '_>,
        unit: Option<&str>,
    ) -> PyResult<Budget> {
        let budget = match (epsilon, rho, delta) {
            (Some(epsilon), None, None) => {
                lastbit::Budget::pure(number::exact("epsilon", epsilon)?).map_err(python)?
            }
            (None, Some(rho), None) => {
                lastbit::Budget::zero_concentrated(number::exact("rho", rho)?).map_err(python)?
            }
            (Some(epsilon), None, Some(delta)) => {
                let [epsilon, delta] = [number::exact("epsilon", epsilon)?, number::exact("delta", delta)?];
                lastbit_engine::account::filter(&epsilon, &delta).map_err(refused::exception)?
            }
            _ => {
                return Err(ParameterError::new_err(
                    "give epsilon, or rho, one of the two; or epsilon with delta",
                ));
            }
        };
        let budget = match unit {
            Some(unit) => budget.for_unit(unit).map_err(python)?,
            None => budget,
        };
        Ok(Budget(Mutex::new(budget)))
    }

    /// Pays for a claim, or raises BudgetExceeded and stays as it was.
    #[pyo3(signature = (claim, /))]
    pub(crate) fn spend(&self, claim: &Claim) -> PyResult<()> {
        self.pay(claim.0.clone())
    }

    /// Pays for a release of `x` by a mechanism, for inputs at distance `d_in`, and makes it; or for a choice by the scores `x`.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.DiscreteLaplace(scale=10)
    /// >>> budget = lastbit.Budget(epsilon="0.25")
    /// >>> noisy = [budget.release(m, 1234, d_in=1) for _ in range(2)]
    /// >>> budget.spent
    /// Fraction(1, 5)
    #[pyo3(signature = (mechanism, x, /, d_in=None, *, out=None, threads=None))]
    fn release<'py>(
        slf: &Bound<'py, Budget>,
        mechanism: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        d_in: Object<'_, 'py>,
        out: Object<'_, 'py>,
        #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(selection) = mechanism.cast::<Selection>() {
            if out.is_some() {
                return Err(ParameterError::new_err("out is for noisy arrays, and this is a choice"));
            }
            return selection.get().choose(x, &Given { d_in, budget: Some(slf), ..Given::default() });
        }
        let mechanism = mechanism.cast::<Mechanism>()?.get();
        let size = values::count(x)?;
        let neighbours = mechanism.neighbours(d_in, Some(size))?;
        let payment = Bound::new(x.py(), Payment::new(mechanism, neighbours, Some(slf.clone().unbind())))?;
        mechanism.release_counted(x, size, out, &payment, threads)
    }

    /// What a claim would cost here, a Fraction.
    #[pyo3(signature = (claim, /))]
    fn cost<'py>(&self, py: Python<'py>, claim: &Claim) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.lock().cost(&claim.0).map_err(python)?)
    }

    /// The total loss that is allowed, a Fraction.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, self.lock().total())
    }

    /// The loss that is spent, a Fraction.
    #[getter]
    fn spent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, self.lock().spent())
    }

    /// The loss that is left, a Fraction.
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.lock().remaining())
    }

    /// The unit in which neighbouring data differ, such as "person", or None.
    #[getter]
    fn unit(&self) -> Option<String> {
        self.lock().about().and_then(|about| about.unit().map(str::to_owned))
    }

    /// The measure of the losses, such as max-divergence.
    #[getter]
    fn measure(&self) -> String {
        self.lock().measure().to_string()
    }

    /// The claims that were charged, in order.
    #[getter]
    fn ledger(&self) -> Vec<Claim> {
        self.lock().ledger().iter().cloned().map(Claim).collect()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Budget>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "budget_html", (slf,))
    }

    fn __repr__(&self) -> String {
        let budget = self.lock();
        let name = match budget.measure() {
            Measure::MaxDivergence => "epsilon",
            Measure::ZeroConcentratedDivergence => "rho",
        };
        let unit = budget.about().and_then(|about| about.unit());
        let unit = unit.map_or(String::new(), |unit| format!(", unit='{unit}'"));
        format!("<Budget {name}={}: {} left{unit}>", budget.total().to_short(), budget.remaining().to_short())
    }
}

/// The claim of several releases together: their losses add.
///
/// >>> import lastbit
/// >>> one = lastbit.claim("laplace", epsilon="0.1", sensitivity=1)
/// >>> lastbit.compose_claims([one, one, one]).loss
/// Fraction(3, 10)
#[pyfunction]
#[pyo3(signature = (claims, /))]
pub(crate) fn compose_claims(claims: Vec<Claim>) -> PyResult<Claim> {
    let claims: Vec<lastbit::Claim> = claims.into_iter().map(|claim| claim.0).collect();
    lastbit::Claim::compose(&claims).map(Claim).map_err(python)
}
