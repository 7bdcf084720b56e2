//! Two distributions, as every audit has them.

use lastbit::{IBig, Rational};
use lastbit_audit::comparison::LnRatio;
use lastbit_audit::{Comparison, ExactLoss, Outcome};
use lastbit_real::Enclosure;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{Fields, between, dyadic, infinity};

/// Bits of a loss.
const BITS: u32 = 128;

/// What outputs that were not looked at leave open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// All were looked at.
    Nothing,
    /// Sums over all outputs, and not the loss.
    Sums,
    /// The loss, too.
    Loss,
}

/// A comparison, and the outputs that are listed.
pub(super) struct Compared<'a, O> {
    pub(super) comparison: &'a Comparison<O>,
    pub(super) outcomes: &'a [Outcome<O>],
    /// How many outputs there are in all, if that is more than what was looked at.
    pub(super) count: Option<&'a IBig>,
    pub(super) open: Open,
    /// The `ε` of the divergences, if they are asked for.
    pub(super) delta_at: Option<&'a Rational>,
}

impl<O: Clone> Compared<'_, O> {
    /// The fields that every audit has; an output becomes what `output` makes of it.
    pub(super) fn fields<'py, P: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        output: impl Fn(&O) -> PyResult<P>,
    ) -> Fields<'py> {
        let Compared { comparison, open, .. } = self;
        let total = comparison.total();
        let row = |outcome: &Outcome<O>| {
            let [p, p2] = &outcome.weights;
            let loss = of_outcome(py, outcome)?;
            let output = output(&outcome.output)?.into_bound_py_any(py)?;
            Ok::<_, PyErr>((output, (share(py, p, total)?, share(py, p2, total)?), loss))
        };
        let rows: Vec<_> = self.outcomes.iter().map(row).collect::<PyResult<_>>()?;
        let fields = PyDict::new(py);
        fields.set_item("loss", of_loss(py, &comparison.loss(BITS), *open == Open::Loss)?)?;
        fields.set_item("worst", comparison.witness().map(row).transpose()?)?;
        fields.set_item("outputs", PyList::new(py, rows)?)?;
        let is_all = self.outcomes.len() as u64 == comparison.outputs() && *open == Open::Nothing;
        fields.set_item("complete", is_all)?;
        match self.count {
            Some(count) => fields.set_item("count", crate::number::python_integer(py, count)?)?,
            None => fields.set_item("count", comparison.outputs())?,
        }
        let [only_first, only_second] = comparison.only();
        fields.set_item("only_first", self.sum(py, only_first)?)?;
        fields.set_item("only_second", self.sum(py, only_second)?)?;
        let delta = match self.delta_at {
            Some(_) => {
                let [first, second] = comparison.hockey_stick();
                Some((self.sum(py, first)?, self.sum(py, second)?))
            }
            None => None,
        };
        fields.set_item("delta", delta)?;
        fields.set_item("delta_at", self.delta_at.map(|e| crate::number::fraction(py, e)).transpose()?)?;
        Ok(fields)
    }

    /// A sum over outputs: at least that over those that were looked at, and at most 1.
    fn sum<'py>(&self, py: Python<'py>, weight: &Enclosure) -> PyResult<Bound<'py, PyAny>> {
        let total = self.comparison.total();
        match self.open {
            Open::Nothing => share(py, weight, total),
            Open::Sums | Open::Loss => between(py, &quotient(weight.lo().into(), total), &Rational::ONE),
        }
    }
}

fn quotient(weight: Rational, total: &IBig) -> Rational {
    weight / Rational::from(total.clone())
}

/// A weight over the total.
fn share<'py>(py: Python<'py>, weight: &Enclosure, total: &IBig) -> PyResult<Bound<'py, PyAny>> {
    let end = |end| quotient(Rational::from(end), total);
    between(py, &end(weight.lo()), &end(weight.hi()))
}

/// `inf`, or the pair of ends, of which the upper one may be infinite.
pub(super) fn of_loss<'py>(py: Python<'py>, loss: &ExactLoss, is_open: bool) -> PyResult<Bound<'py, PyAny>> {
    let (lo, hi) = match loss {
        ExactLoss::Infinite => return infinity(py),
        ExactLoss::AtLeast(least) => (least, None),
        ExactLoss::Finite(loss) => (loss.lo(), Some(loss.hi()).filter(|_| !is_open)),
    };
    let hi = hi.map_or_else(|| infinity(py), |hi| dyadic(py, hi))?;
    Ok((dyadic(py, lo)?, hi).into_pyobject(py)?.into_any())
}

/// `|ln(P/P')|` of an output; 0 where both weights are known and the same.
fn of_outcome<'py, O>(py: Python<'py>, outcome: &Outcome<O>) -> PyResult<Bound<'py, PyAny>> {
    let [p, p2] = &outcome.weights;
    let alike = p == p2 && p.lo() == p.hi();
    let loss = match outcome.ln_ratio(BITS) {
        _ if alike => ExactLoss::Finite(Enclosure::exact(0.into())),
        LnRatio::Finite(ratio) => ExactLoss::Finite(ratio.abs()),
        LnRatio::OnlyFirst | LnRatio::OnlySecond => ExactLoss::Infinite,
        LnRatio::Unknown => ExactLoss::AtLeast(0.into()),
    };
    of_loss(py, &loss, false)
}
