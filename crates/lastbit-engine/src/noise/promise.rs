//! The promise that goes with noisy values: the claim, or a note that there is none.

use lastbit::{Claim, Rational, Rounding};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Plan;
use crate::{Number, Schema};

/// Digits of decimals for programs.
const DIGITS: usize = 17;
/// Digits of decimals for people.
const FEW_DIGITS: usize = 5;
/// Exact numbers of so many characters are shown as they are.
const MOST_CHARS: usize = 12;

/// An `ε` and a `δ` that a release has beside its zero-concentrated loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Approximate {
    /// `ε`.
    pub epsilon: Number,
    /// `δ`.
    pub delta: Number,
}

impl Approximate {
    pub(crate) fn new(epsilon: &Rational, delta: &Rational) -> Approximate {
        Approximate { epsilon: Number::at_most(epsilon, DIGITS), delta: Number::at_most(delta, DIGITS) }
    }

    /// `(ε, δ)-differentially private, with (ε, δ) = (2.9098, 1e-9)`: numbers are exact if that is short, else rounded up.
    pub fn in_words(&self) -> String {
        let shown = |number: &Number| match number.upper().to_short() {
            exact if exact.len() <= MOST_CHARS => exact,
            _ => number.upper().to_decimal(FEW_DIGITS, Rounding::Up),
        };
        let (epsilon, delta) = (shown(&self.epsilon), shown(&self.delta));
        format!("(ε, δ)-differentially private, with (ε, δ) = ({epsilon}, {delta})")
    }
}

/// The claim of a release; noise that anyone can recompute has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Promise {
    /// The version of this form.
    pub schema: Schema,
    /// Whether the noise comes from a seed.
    #[serde(skip_serializing_if = "is_false")]
    pub insecure: bool,
    /// The claim, or why it is withheld.
    pub claim: Promised,
    /// The (ε, δ) that holds beside the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<Approximate>,
}

/// A claim that a release makes, or one that it does not make.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Promised {
    /// The release makes this claim.
    Claimed(Box<Claim>),
    /// The release would make this claim without a seed. In JSON, the members about the loss are `null`.
    Withheld(Box<Claim>),
}

impl Serialize for Promised {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Promised::Claimed(claim) => claim.serialize(serializer),
            Promised::Withheld(claim) => {
                let mut claim = serde_json::to_value(claim).map_err(serde::ser::Error::custom)?;
                for name in ["loss", "loss_f64", "approximate", "statement"] {
                    claim[name] = Value::Null;
                }
                claim.serialize(serializer)
            }
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Promise {
    /// The promise of noise; noise from a seed promises nothing.
    pub fn new(claim: &Claim, approximate: Option<&Approximate>, insecure: bool) -> Promise {
        let claim = Box::new(claim.clone());
        Promise {
            schema: Schema,
            insecure,
            claim: if insecure { Promised::Withheld(claim) } else { Promised::Claimed(claim) },
            approximate: approximate.filter(|_| !insecure).cloned(),
        }
    }

    /// The promise as one or two lines of text.
    pub fn lines(&self) -> Vec<String> {
        let claim = match &self.claim {
            Promised::Claimed(claim) => format!("claim: {claim}"),
            Promised::Withheld(claim) => {
                format!("claim: none, the loss is infinite: {} with an insecure seed", claim.mechanism())
            }
        };
        let also = self.approximate.as_ref().map(|approximate| format!("also: {}", approximate.in_words()));
        std::iter::once(claim).chain(also).collect()
    }
}

impl Plan {
    /// The promise to print with the values; noise from a seed promises nothing.
    pub fn promise(&self, insecure: bool) -> Promise {
        Promise::new(&self.claim, self.approximate.as_ref(), insecure)
    }
}
