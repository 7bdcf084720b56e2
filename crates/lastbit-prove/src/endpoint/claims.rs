//! The constants that the papers claim, case by case, and what becomes of them.

use std::cmp::Ordering;
use std::fmt;

use lastbit_real::Rational;

use super::cases::{Case, Reach};
use super::kappa::{Ingredients, excess};
use super::search::Witness;
use super::{Certified, EndpointError, FloatSnap, NoiseError, Total};

/// What became of a claim, for the mechanism at hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The certified bound is no more than what is claimed.
    Holds,
    /// The exact loss at an output is more than what is claimed.
    Violated(Box<Witness>),
    /// Neither was shown.
    NotDecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::NotDecided => "not decided",
        })
    }
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Outputs of a case.
    Case(Case),
    /// Outputs below `f` of this sign.
    Below(Ordering),
    /// Every output; the claim depends on its magnitude.
    EachOutput,
    /// Every output.
    AllOutputs,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Case(case) => case.fmt(f),
            Scope::Below(Ordering::Less) => f.pad("below f, x < 0"),
            Scope::Below(Ordering::Equal) => f.pad("below f, x = 0"),
            Scope::Below(Ordering::Greater) => f.pad("below f, x > 0"),
            Scope::EachOutput => f.pad("each x"),
            Scope::AllOutputs => f.pad("all x"),
        }
    }
}

/// A paper's bound on the excess `loss - ε`, for inputs at most 1 apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedBound {
    /// Where it is claimed.
    pub source: &'static str,
    /// Of what.
    pub scope: Scope,
    /// As the paper has it.
    pub formula: &'static str,
    /// Its value; at `x = 0` if it depends on the output.
    pub claimed: Rational,
    /// The certified bound on the same, or `None` if no such output exists or there is no bound.
    pub certified: Option<Rational>,
    /// What became of it.
    pub verdict: Verdict,
}

const VERIFYING: &str = "Verifying Snapping, Theorem 2";
const MIRONOV: &str = "Mironov 2012";

/// `(per_bound·B·ε + per_epsilon·ε + constant)·η`, the coefficients in tenths.
struct Formula {
    source: &'static str,
    scope: Scope,
    text: &'static str,
    per_bound: i64,
    per_epsilon: i64,
    constant: i64,
}

const fn formula(scope: Scope, text: &'static str, per_bound: i64, per_epsilon: i64) -> Formula {
    Formula { source: VERIFYING, scope, text, per_bound, per_epsilon, constant: 0 }
}

/// The cases "between" and "above" are left blank by the paper.
const FORMULAS: [Formula; 9] = [
    formula(Scope::Case(Case::LowerEnd), "10.1·B·ε·η + 2.1·ε·η", 101, 21),
    formula(Scope::Below(Ordering::Less), "23·B·ε·η", 230, 0),
    formula(Scope::Below(Ordering::Equal), "14·B·ε·η", 140, 0),
    formula(Scope::Below(Ordering::Greater), "12·B·ε·η", 120, 0),
    formula(Scope::Case(Case::AtF), "12·B·ε·η", 120, 0),
    formula(Scope::Case(Case::AtF2), "12·B·ε·η", 120, 0),
    formula(Scope::Case(Case::UpperEnd), "6·B·ε·η", 60, 0),
    Formula {
        source: VERIFYING,
        scope: Scope::EachOutput,
        text: "12·|x|·ε·η + 2·η",
        per_bound: 0,
        per_epsilon: 0,
        constant: 20,
    },
    Formula {
        source: MIRONOV,
        scope: Scope::AllOutputs,
        text: "12·B·ε·η + 2·η",
        per_bound: 120,
        per_epsilon: 0,
        constant: 20,
    },
];

fn eta_tenths(tenths: i64) -> Rational {
    Rational::new(tenths, 10).expect("10 is not 0") * Rational::pow2(-53)
}

impl Formula {
    fn value(&self, mechanism: &FloatSnap) -> Rational {
        let epsilon = mechanism.rate();
        eta_tenths(self.per_bound) * mechanism.exact_bound() * epsilon
            + eta_tenths(self.per_epsilon) * epsilon
            + eta_tenths(self.constant)
    }

    /// What is claimed of an output, if anything.
    fn value_at(&self, mechanism: &FloatSnap, witness: &Witness) -> Option<Rational> {
        let output = witness.weights.output;
        let value = || self.value(mechanism);
        match self.scope {
            Scope::Case(case) => (case == witness.case).then(value),
            Scope::Below(sign) => (witness.case == Case::Below && output.cmp(&0) == sign).then(value),
            Scope::AllOutputs => Some(value()),
            Scope::EachOutput => {
                let x = Rational::try_from(mechanism.output(output)).expect("outputs are finite");
                Some(value() + eta_tenths(120) * x.abs() * mechanism.rate())
            }
        }
    }
}

/// The claims, each compared with the certified bounds, if they are of pure differential privacy, and with the witnesses. The
/// claims are about inputs at most 1 apart.
pub(super) fn judge(
    mechanism: &FloatSnap,
    error: &NoiseError,
    certified: &Certified,
    witnesses: &[Witness],
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
            Verdict::Holds
        } else {
            let violates = |witness: &&Witness| {
                let Some(claimed) = formula.value_at(mechanism, witness) else { return false };
                let allowed = mechanism.rate() + claimed;
                witness.loss().is_none_or(|loss| loss.lo().cmp_rational(&allowed).is_gt())
            };
            let found = witnesses.iter().find(violates);
            found.map_or(Verdict::NotDecided, |witness| Verdict::Violated(Box::new(witness.clone())))
        };
        let Formula { source, scope, text, .. } = *formula;
        Ok(ClaimedBound { source, scope, formula: text, claimed, certified, verdict })
    };
    FORMULAS.iter().map(judge).collect()
}
