//! What the text claims, held against two runs; and the ε at which their divergences are taken.

use lastbit_lang::ast::Declaration;
use lastbit_lang::values::{self, claimed};
use lastbit_lang::{Bindings, File};
use lastbit_real::{Dyadic, Rational, Rounding};

use super::neighbours::Neighbours;
use super::options::most_epsilon;
use crate::Comparison;
use crate::discrete::ClaimVerdict;

/// The origin of the ε of the divergences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpsilonOf {
    /// The question.
    Request,
    /// The text claims it.
    Claim,
    /// The text claims none, and has a parameter `eps`.
    Parameter,
    /// The text claims none: it is 0.
    Nothing,
}

impl EpsilonOf {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            EpsilonOf::Request => "request",
            EpsilonOf::Claim => "claim",
            EpsilonOf::Parameter => "parameter eps",
            EpsilonOf::Nothing => "nothing",
        }
    }
}

/// A claim in numbers, and whether two inputs keep to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// `ε`.
    pub epsilon: Rational,
    /// `δ`: 0 if the claim is pure.
    pub delta: Rational,
    /// Whether `Σ max(0, P - e^ε·P')` is at most `δ`, both ways. It is more than 0 where the loss is more than `ε`.
    pub verdict: ClaimVerdict,
    /// The larger of these sums, from below; rounded to a few digits.
    found: Rational,
}

impl Claim {
    /// It and its verdict on inputs that may be neighbours.
    pub(crate) fn in_words(&self, neighbours: Neighbours) -> String {
        let Claim { epsilon, delta, verdict, found } = self;
        let delta = match delta.is_zero() {
            true => String::new(),
            false => format!(", δ = {delta}"),
        };
        let why = match (verdict, delta.is_empty()) {
            (ClaimVerdict::Undecided, _) => ", as not all outputs are known",
            (ClaimVerdict::Violated, false) => {
                &format!(", δ is at least {}", found.to_decimal(6, Rounding::Down))
            }
            _ => "",
        };
        let verdict = match (verdict, neighbours) {
            (ClaimVerdict::Violated, Neighbours::No) => "exceeded, by inputs that are not neighbours".into(),
            (verdict, _) => format!("{} at these inputs", verdict.text()),
        };
        format!("ε = {epsilon}{delta}: {verdict}{why}")
    }
}

/// What is to be computed of the divergences.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The ε of the divergences that are reported.
    pub(crate) epsilon: Rational,
    pub(crate) of: EpsilonOf,
    /// `ε` and `δ`.
    claim: Option<(Rational, Rational)>,
    /// Why the claim is not in numbers.
    pub(crate) note: Option<String>,
}

impl Target {
    /// What is asked for, or claimed, or the parameter `eps`, or 0.
    pub(crate) fn new(
        file: &File,
        declaration: &Declaration,
        bindings: &Bindings,
        asked: Option<&Rational>,
    ) -> Target {
        let (claim, note) = match claimed(file, declaration, bindings) {
            Ok(claim) => (claim, None),
            Err(error) => {
                (None, Some(format!("the claim is not compared with what is found: {}", error.message)))
            }
        };
        let claim = claim.and_then(|claim| Some((claim.epsilon?, claim.delta)));
        let parameter = || values::parameter(file, declaration, bindings, "eps");
        let (epsilon, of) = match (asked, &claim) {
            (Some(asked), _) => (asked.clone(), EpsilonOf::Request),
            (None, Some((epsilon, _))) => (within(epsilon), EpsilonOf::Claim),
            (None, None) => match parameter() {
                Some(epsilon) => (within(&epsilon), EpsilonOf::Parameter),
                None => (Rational::ZERO, EpsilonOf::Nothing),
            },
        };
        Target { epsilon, of, claim, note }
    }

    /// Divergences at this ε, of a program that claims nothing.
    #[cfg(test)]
    pub(crate) fn at(epsilon: Rational) -> Target {
        Target { epsilon, of: EpsilonOf::Request, claim: None, note: None }
    }

    /// The ε of the claim, if divergences are to be computed there as well.
    pub(crate) fn also_at(&self) -> Option<Rational> {
        self.claim.as_ref().map(|(epsilon, _)| within(epsilon)).filter(|epsilon| *epsilon != self.epsilon)
    }

    /// The claim against a comparison at its ε, which has all outputs if it is complete.
    pub(crate) fn claim<O: Clone>(&self, comparison: &Comparison<O>, is_complete: bool) -> Option<Claim> {
        let (epsilon, delta) = self.claim.as_ref()?;
        let total = Rational::from(comparison.total().clone());
        let largest = |ends: [&Dyadic; 2]| ends.map(|end| Rational::from(end) / &total).into_iter().max();
        let [first, second] = comparison.hockey_stick();
        let [only_first, only_second] = comparison.only();
        let computed_at = within(epsilon);
        // Divergences fall as ε grows, down to the mass that one input alone can produce.
        let least = match computed_at < *epsilon {
            true => largest([only_first.lo(), only_second.lo()]),
            false => largest([first.lo(), second.lo()]),
        };
        let most =
            (is_complete && computed_at <= *epsilon).then(|| largest([first.hi(), second.hi()])).flatten();
        let found = least.unwrap_or_default();
        let verdict = match most {
            _ if found > *delta => ClaimVerdict::Violated,
            Some(most) if most <= *delta => ClaimVerdict::Holds,
            _ => ClaimVerdict::Undecided,
        };
        Some(Claim { epsilon: epsilon.clone(), delta: delta.clone(), verdict, found })
    }
}

/// The nearest ε at which divergences are computed.
fn within(epsilon: &Rational) -> Rational {
    let most = most_epsilon();
    epsilon.clone().max(-&most).min(most)
}
