//! The constants that the papers claim, case by case, and what becomes of them.

use std::cmp::Ordering;
use std::fmt;

use lastbit_audit::snapping::{Formula, Variant};
use lastbit_real::Rational;

use super::cases::Reach;
use super::kappa::{BITS, Ingredients, excess};
use super::{Certified, EndpointError, FloatSnap, NoiseError, Scope, Total, Worst, WorstPair};

/// The verdict on a paper's claim, for a given mechanism.
#[derive(Clone, Debug, PartialEq)]
pub enum PaperVerdict {
    /// The certified bound is no more than what is claimed.
    Holds,
    /// The exact loss at an output is more than what is claimed, by most among those found.
    Violated(Box<WorstPair>),
    /// Neither was shown.
    NotDecided,
}

impl fmt::Display for PaperVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PaperVerdict::Holds => "holds",
            PaperVerdict::Violated(_) => "violated",
            PaperVerdict::NotDecided => "not decided",
        })
    }
}

/// A paper's bound on the excess `loss - ε`, for inputs at most 1 apart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClaimedBound {
    /// The paper that claims it, and the place there.
    pub source: &'static str,
    /// The outputs that the bound is about.
    pub scope: Scope,
    /// The formula, as the paper prints it.
    pub formula: &'static str,
    /// The claimed value; at `x = 0` if it depends on the output.
    pub claimed: Rational,
    /// The certified bound on the same, or `None` if no such output exists or there is no bound.
    pub certified: Option<Rational>,
    /// The verdict on the bound.
    pub verdict: PaperVerdict,
}

/// The claims, each compared with the certified bounds, if they are of pure differential privacy, and with the worst that was
/// found. The claims are about inputs at most 1 apart.
pub(super) fn judge(
    mechanism: &FloatSnap,
    error: &NoiseError,
    certified: &Certified,
    worst: &Worst,
) -> Result<Vec<ClaimedBound>, EndpointError> {
    let (ingredients, reach) = (Ingredients::of(mechanism, error)?, Reach::of(mechanism));
    let (cases, pure) = (&certified.cases, matches!(certified.total, Total::Pure { .. }));
    let below_bound = |k: i64| Rational::from(mechanism.midpoint(k)) < *mechanism.exact_bound();
    // A cell below f whose lower threshold has number k or more.
    let below = |k: i64| {
        let farthest = mechanism.exact_bound() - Rational::from(mechanism.midpoint(k));
        let cell = ingredients.one_sided(&farthest.min(reach.down.clone()))?;
        excess(&cell, &cell)
    };
    let bound_of = |scope: Scope| -> Result<Option<Rational>, EndpointError> {
        let top = mechanism.top();
        Ok(match scope {
            Scope::Case(case) => {
                cases.iter().find(|bound| bound.case == case).map(|bound| bound.excess.clone())
            }
            Scope::Below(Ordering::Less) => {
                (top > 1 && reach.has_below).then(|| below(1 - top)).transpose()?
            }
            Scope::Below(Ordering::Equal) => below_bound(1).then(|| below(0)).transpose()?,
            Scope::Below(Ordering::Greater) => (top > 1 && below_bound(2)).then(|| below(1)).transpose()?,
            Scope::EachOutput | Scope::AllOutputs => cases.iter().map(|bound| bound.excess.clone()).max(),
        })
    };
    let judge = |formula: &Formula| {
        let certified = if pure { bound_of(formula.scope)? } else { None };
        let claimed = formula.value(mechanism);
        let verdict = if pure && certified.as_ref().is_none_or(|bound| *bound <= claimed) {
            PaperVerdict::Holds
        } else {
            // By how much: an infinite loss by more than any other.
            let violation = |witness: &WorstPair| {
                let claimed = formula.value_at(mechanism, witness.outcome.output, witness.case)?;
                match witness.excess(&(mechanism.rate() + claimed), BITS) {
                    None => Some((true, Rational::ZERO)),
                    Some(over) => (over.lo().signum() > 0).then(|| (false, Rational::from(over.lo()))),
                }
            };
            let violations = worst.witnesses().filter_map(|witness| Some((violation(witness)?, witness)));
            let most = violations.max_by(|(over, _), (over2, _)| over.cmp(over2));
            most.map_or(PaperVerdict::NotDecided, |(_, witness)| {
                PaperVerdict::Violated(Box::new(witness.clone()))
            })
        };
        let Formula { source, scope, text, .. } = *formula;
        Ok(ClaimedBound { source, scope, formula: text, claimed, certified, verdict })
    };
    Formula::about(&Variant::of(mechanism.clone())).iter().map(judge).collect()
}
