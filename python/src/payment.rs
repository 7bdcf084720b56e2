//! What is due before noise is drawn.

use std::sync::OnceLock;

use lastbit::{Contract, Neighbours, ValueType};
use pyo3::prelude::*;

use crate::budget::Budget;
use crate::claim::Claim;
use crate::errors::python;
use crate::mechanism::Mechanism;

/// The claim of a release that is about to be made, and who pays for it. The claim is known when the type of the values is, and then it is
/// paid: after all that can be refused without looking at values, and before noise is drawn.
#[pyclass(frozen, module = "lastbit")]
pub(crate) struct Payment {
    mechanism: Mechanism,
    neighbours: Neighbours,
    budget: Option<Py<Budget>>,
    claim: OnceLock<lastbit::Claim>,
}

impl Payment {
    pub(crate) fn new(mechanism: &Mechanism, neighbours: Neighbours, budget: Option<Py<Budget>>) -> Payment {
        Payment { mechanism: mechanism.clone(), neighbours, budget, claim: OnceLock::new() }
    }

    /// Makes the claim for values of this type, and pays.
    pub(crate) fn begin(&self, values: ValueType) -> PyResult<()> {
        let claim = self.mechanism.noise.claim(values, &self.neighbours).map_err(python)?;
        claim.check_charged().map_err(python)?;
        if let Some(budget) = &self.budget {
            budget.get().pay(claim.clone())?;
        }
        // A release has one type.
        let _ = self.claim.set(claim);
        Ok(())
    }

    /// The claim that was made.
    pub(crate) fn claim(&self) -> Option<Claim> {
        self.claim.get().cloned().map(Claim)
    }
}
