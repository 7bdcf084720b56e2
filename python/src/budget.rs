//! Budgets and compositions, which live in the crate `lastbit`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lastbit::Measure;
use pyo3::prelude::*;

use crate::claim::Claim;
use crate::errors::{ParameterError, python};
use crate::mechanism::{Mechanism, Object};
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
/// A release that fails because of its values stays paid: that it failed may tell something about the data. A budget lives in one process: after
/// a fork each process has a copy of its own.
#[pyclass(frozen, module = "lastbit")]
pub(crate) struct Budget(Mutex<lastbit::Budget>);

impl Budget {
    // A panic can not leave it half-written: spending is one assignment and one push.
    fn lock(&self) -> MutexGuard<'_, lastbit::Budget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Budget {
    #[new]
    #[pyo3(signature = (*, epsilon=None, rho=None))]
    fn new(epsilon: Object<'_, '_>, rho: Object<'_, '_>) -> PyResult<Budget> {
        let budget = match (epsilon, rho) {
            (Some(epsilon), None) => lastbit::Budget::pure(number::exact("epsilon", epsilon)?),
            (None, Some(rho)) => lastbit::Budget::zero_concentrated(number::exact("rho", rho)?),
            _ => return Err(ParameterError::new_err("give epsilon or rho, one of the two")),
        };
        Ok(Budget(Mutex::new(budget.map_err(python)?)))
    }

    /// Pays for a claim, or raises BudgetExceeded and stays as it was.
    #[pyo3(signature = (claim, /))]
    pub(crate) fn spend(&self, claim: &Claim) -> PyResult<()> {
        self.lock().spend(claim.0.clone()).map_err(python)
    }

    /// Pays for a release of `x` by a mechanism, for inputs at distance `d_in`, and makes it.
    ///
    /// >>> import lastbit
    /// >>> m = lastbit.DiscreteLaplace(scale=10)
    /// >>> budget = lastbit.Budget(epsilon="0.25")
    /// >>> noisy = [budget.release(m, 1234, d_in=1) for _ in range(2)]
    /// >>> budget.spent
    /// Fraction(1, 5)
    #[pyo3(signature = (mechanism, x, /, d_in=None, *, out=None))]
    fn release<'py>(
        &self,
        mechanism: &Bound<'py, Mechanism>,
        x: &Bound<'py, PyAny>,
        d_in: Object<'_, 'py>,
        out: Object<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mechanism = mechanism.get();
        let size = values::count(x)?;
        let claim = mechanism.promise(d_in, Some(size))?;
        mechanism.release_counted(x, size, out, &|| self.spend(&claim))
    }

    /// What a claim would cost here, a Fraction.
    #[pyo3(signature = (claim, /))]
    fn cost<'py>(&self, py: Python<'py>, claim: &Claim) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.lock().cost(&claim.0).map_err(python)?)
    }

    /// What may be lost in all, a Fraction.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, self.lock().total())
    }

    /// What is spent, a Fraction.
    #[getter]
    fn spent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, self.lock().spent())
    }

    /// What is left, a Fraction.
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, &self.lock().remaining())
    }

    /// What the losses measure.
    #[getter]
    fn measure(&self) -> String {
        self.lock().measure().to_string()
    }

    /// The claims that were paid, in order.
    #[getter]
    fn ledger(&self) -> Vec<Claim> {
        self.lock().ledger().iter().cloned().map(Claim).collect()
    }

    fn __repr__(&self) -> String {
        let budget = self.lock();
        let name = match budget.measure() {
            Measure::MaxDivergence => "epsilon",
            Measure::ZeroConcentratedDivergence => "rho",
        };
        format!("<Budget {name}={}: {} left>", budget.total(), budget.remaining())
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
