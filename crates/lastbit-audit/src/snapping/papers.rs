//! The constants that the papers claim, case by case.

use std::cmp::Ordering;
use std::fmt;

use lastbit_real::Rational;

use super::{Case, FloatSnap, Variant};
use crate::Sampler;

/// The outputs that a claim is about.
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

const VERIFYING: &str = "Verifying Snapping, Theorem 2";
const MIRONOV: &str = "Mironov 2012";

/// A paper's bound on the excess `loss - ε`, for inputs at most 1 apart: `(per_bound·B·ε + per_epsilon·ε + constant)·η`, the
/// coefficients in tenths.
pub struct Formula {
    /// The paper that claims it, and the place there.
    pub source: &'static str,
    /// The outputs that the bound is about.
    pub scope: Scope,
    /// The formula, as the paper prints it.
    pub text: &'static str,
    per_bound: i64,
    per_epsilon: i64,
    constant: i64,
}

const fn formula(scope: Scope, text: &'static str, per_bound: i64, per_epsilon: i64) -> Formula {
    Formula { source: VERIFYING, scope, text, per_bound, per_epsilon, constant: 0 }
}

/// The cases "between" and "above" are left blank by the paper.
static FORMULAS: [Formula; 9] = [
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
    /// Those that are about this mechanism: none unless inputs are clamped, the logarithm is correctly rounded, every double can
    /// be drawn, and `Λ` is the smallest power of two that is at least `1/ε`; nor where `B >= 2⁴²/ε`.
    pub fn about(variant: &Variant) -> &'static [Formula] {
        let mechanism = &variant.mechanism;
        let rate = mechanism.rate();
        let is_theirs = variant.clamp_input
            && variant.ln_shift == 0
            && mechanism.sampler() == Sampler::Ulp
            && Some(mechanism.grid()) == mechanism.noise().default_grid()
            && mechanism.exact_bound() * rate < Rational::pow2(42);
        if is_theirs { &FORMULAS } else { &[] }
    }

    /// The claimed excess; at `x = 0` if it depends on the output.
    pub fn value(&self, mechanism: &FloatSnap) -> Rational {
        let epsilon = mechanism.rate();
        eta_tenths(self.per_bound) * mechanism.exact_bound() * epsilon
            + eta_tenths(self.per_epsilon) * epsilon
            + eta_tenths(self.constant)
    }

    /// The claimed excess for an output and its case, if there is a claim.
    pub fn value_at(&self, mechanism: &FloatSnap, output: i64, case: Case) -> Option<Rational> {
        let value = || self.value(mechanism);
        match self.scope {
            Scope::Case(claimed) => (claimed == case).then(value),
            Scope::Below(sign) => (case == Case::Below && output.cmp(&0) == sign).then(value),
            Scope::AllOutputs => Some(value()),
            Scope::EachOutput => {
                let x = Rational::try_from(mechanism.output(output)).expect("outputs are finite");
                Some(value() + eta_tenths(120) * x.abs() * mechanism.rate())
            }
        }
    }
}
