//! What papers claim of the snapping mechanism, at two inputs.

use lastbit_audit::LnRatio;
use lastbit_audit::snapping::{Case, Formula, PairCell, Scope, Variant};
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};
use serde::Serialize;

use super::given::exactly;
use super::snapping::eta;
use crate::Number;

/// Bits of the loss of an output, for a comparison with what is claimed: the last digit of an excess of 1e6 η is 2⁻⁸⁰ or so.
const LOSS_BITS: u32 = 128;
/// Digits of an excess.
pub(super) const DIGITS: usize = 20;

/// A paper's bound on the excess `loss - ε`, at inputs at most 1 apart, and the verdict on it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PaperVerdict {
    /// The paper.
    pub source: &'static str,
    /// The outputs that it is about.
    pub scope: String,
    /// The bound, as the paper has it.
    pub formula: &'static str,
    /// The value in units of `η = 2^-53`, where the excess is worst compared with it.
    pub claimed_eta: Number,
    /// `holds`, `violated`, `no such output` or `no violation found`.
    pub verdict: &'static str,
    /// The excess there, in `η`, or `inf`; nothing if no output was in the scope.
    pub excess_eta: Option<String>,
    /// The output that violates it, where the worst inputs were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The inputs that violate it, where the worst inputs were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<[String; 2]>,
}

/// A scope in words.
pub(super) fn scope(formula: &Formula) -> String {
    match formula.scope {
        Scope::EachOutput => "each output".to_owned(),
        Scope::AllOutputs => "all outputs".to_owned(),
        other => other.to_string(),
    }
}

/// A number in units of `η`.
pub(super) fn in_eta(value: &Rational) -> Number {
    Number::exact(&(value * Rational::pow2(53)), DIGITS)
}

/// What becomes of the papers' constants at two inputs.
pub(super) struct Papers<'a> {
    variant: &'a Variant,
    numbers: [i64; 2],
    found: Vec<Tested>,
}

struct Tested {
    formula: &'static Formula,
    /// The claim where the excess is worst compared with it.
    claimed: Rational,
    /// The excess there; `None` if it is infinite.
    excess: Option<Enclosure>,
    /// Whether some output was in the scope.
    occurs: bool,
    violated: bool,
}

impl<'a> Papers<'a> {
    /// None, where the papers claim nothing: inputs more than 1 apart, or another mechanism than theirs.
    pub(super) fn new(variant: &'a Variant, inputs: [f64; 2]) -> Papers<'a> {
        let mut starts = inputs.map(|f| variant.start(f));
        if starts[0] > starts[1] {
            starts.swap(0, 1);
        }
        let [x, x2] = starts.map(exactly);
        let tested = |formula: &'static Formula| Tested {
            claimed: formula.value(&variant.mechanism),
            formula,
            excess: Some(Enclosure::exact(Dyadic::ZERO)),
            occurs: false,
            violated: false,
        };
        let found = match x2 - x <= Rational::ONE {
            true => Formula::about(variant).iter().map(tested).collect(),
            false => Vec::new(),
        };
        Papers { variant, numbers: starts.map(|x| variant.mechanism.number_of(x)), found }
    }

    /// Looks at an output.
    pub(super) fn visit(&mut self, pair: &PairCell) {
        if self.found.is_empty() {
            return;
        }
        let mechanism = &self.variant.mechanism;
        let case = Case::of(pair.number, mechanism.top(), self.numbers);
        let excess = match pair.outcome().ln_ratio(LOSS_BITS) {
            LnRatio::Finite(ratio) => {
                Some(&ratio.abs() - &Enclosure::of_rational(mechanism.rate(), LOSS_BITS))
            }
            _ => None,
        };
        for tested in &mut self.found {
            if let Some(claimed) = tested.formula.value_at(mechanism, pair.number, case) {
                tested.add(claimed, excess.as_ref());
            }
        }
    }

    /// The verdict on each of the papers' constants.
    pub(super) fn verdicts(&self) -> Vec<PaperVerdict> {
        self.found.iter().map(Tested::verdict).collect()
    }
}

impl Tested {
    fn add(&mut self, claimed: Rational, excess: Option<&Enclosure>) {
        let over = |excess: &Enclosure, claimed: &Rational| Rational::from(excess.lo()) - claimed;
        let is_worse = match (excess, &self.excess) {
            _ if !self.occurs => true,
            (None, known) => known.is_some(),
            (Some(_), None) => false,
            (Some(excess), Some(known)) => over(excess, &claimed) > over(known, &self.claimed),
        };
        self.occurs = true;
        if is_worse {
            self.violated = excess.is_none_or(|excess| excess.lo().cmp_rational(&claimed).is_gt());
            self.claimed = claimed;
            self.excess = excess.cloned();
        }
    }

    fn verdict(&self) -> PaperVerdict {
        let excess = || match &self.excess {
            None => "inf".into(),
            Some(excess) => Rational::from(eta(excess).lo()).to_decimal(DIGITS, Rounding::Nearest),
        };
        PaperVerdict {
            source: self.formula.source,
            scope: scope(self.formula),
            formula: self.formula.text,
            claimed_eta: in_eta(&self.claimed),
            verdict: match (self.occurs, self.violated) {
                (false, _) => "no such output",
                (true, true) => "violated",
                (true, false) => "holds",
            },
            excess_eta: self.occurs.then(excess),
            output: None,
            inputs: None,
        }
    }
}
