//! What becomes of the papers' claims at two inputs.

use lastbit::{Rational, Rounding};
use lastbit_audit::columns;
use lastbit_audit::comparison::LnRatio;
use lastbit_audit::snapping::{Case, Formula, PairCell, Scope, Variant};
use lastbit_real::{Dyadic, Enclosure};
use serde_json::{Value, json};

use super::eta;

/// The first few digits of a decimal number.
pub(crate) fn short(decimal: &str) -> String {
    match decimal.parse::<Rational>() {
        Ok(value) => value.to_decimal(6, Rounding::Nearest),
        Err(_) => decimal.to_owned(),
    }
}

/// Bits of the loss of an output, for a comparison with what is claimed: the last digit of an excess of 1e6 η is 2⁻⁸⁰ or so.
const LOSS_BITS: u32 = 128;

/// What becomes of the papers' constants at these two inputs.
pub(crate) struct Verdicts<'a> {
    variant: &'a Variant,
    numbers: [i64; 2],
    found: Vec<Verdict>,
}

struct Verdict {
    formula: &'static Formula,
    /// What is claimed where the excess is worst compared with it.
    claimed: Rational,
    /// The excess there; `None` if it is infinite.
    excess: Option<Enclosure>,
    /// Whether some output was in the scope.
    occurs: bool,
    violated: bool,
}

impl<'a> Verdicts<'a> {
    /// None, where the papers claim nothing: inputs more than 1 apart, or another mechanism than theirs.
    pub(crate) fn new(variant: &'a Variant, inputs: [f64; 2]) -> Verdicts<'a> {
        let mut starts = inputs.map(|f| variant.start(f));
        if starts[0] > starts[1] {
            starts.swap(0, 1);
        }
        let [x, x2] = starts.map(|x| Rational::try_from(x).expect("inputs are finite"));
        let found = if x2 - x <= Rational::ONE {
            let verdict = |formula: &'static Formula| Verdict {
                claimed: formula.value(&variant.mechanism),
                formula,
                excess: Some(Enclosure::exact(Dyadic::ZERO)),
                occurs: false,
                violated: false,
            };
            Formula::about(variant).iter().map(verdict).collect()
        } else {
            Vec::new()
        };
        Verdicts { variant, numbers: starts.map(|x| variant.mechanism.number_of(x)), found }
    }

    pub(crate) fn visit(&mut self, pair: &PairCell) {
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
        for verdict in &mut self.found {
            if let Some(claimed) = verdict.formula.value_at(mechanism, pair.number, case) {
                verdict.add(claimed, excess.as_ref());
            }
        }
    }
}

impl Verdicts<'_> {
    /// A table, if the papers claim anything.
    pub(crate) fn text(&self) -> String {
        if self.found.is_empty() {
            return String::new();
        }
        let head = ["claimed in", "of outputs", "at most", "found", "verdict"].map(str::to_owned);
        let rows: Vec<[String; 5]> =
            std::iter::once(head).chain(self.found.iter().map(Verdict::row)).collect();
        format!("\nclaimed of the excess loss - ε, at inputs at most 1 apart\n{}", columns(&rows))
    }

    pub(crate) fn json(&self) -> Value {
        self.found.iter().map(Verdict::json).collect()
    }
}

impl Verdict {
    fn row(&self) -> [String; 5] {
        let found = match &self.excess {
            _ if !self.occurs => "-".to_owned(),
            Some(excess) if excess.lo().is_negative() => "none".to_owned(),
            _ => format!("{} η", short(&self.excess_eta())),
        };
        [
            self.formula.source.to_owned(),
            self.formula.scope.to_string(),
            format!("{} = {} η", self.formula.text, short(&self.claimed_eta())),
            found,
            self.word().to_owned(),
        ]
    }

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

    fn word(&self) -> &'static str {
        match (self.occurs, self.violated) {
            (false, _) => "no such output",
            (true, true) => "violated",
            (true, false) => "holds",
        }
    }

    fn claimed_eta(&self) -> String {
        (&self.claimed * Rational::pow2(53)).to_decimal(20, Rounding::Nearest)
    }

    fn excess_eta(&self) -> String {
        match &self.excess {
            None => "inf".into(),
            Some(excess) => Rational::from(eta(excess).lo()).to_decimal(20, Rounding::Nearest),
        }
    }

    fn json(&self) -> Value {
        let scope = match self.formula.scope {
            Scope::EachOutput => "each output".to_owned(),
            Scope::AllOutputs => "all outputs".to_owned(),
            other => other.to_string(),
        };
        json!({
            "source": self.formula.source,
            "scope": scope,
            "formula": self.formula.text,
            "claimed_eta": self.claimed_eta(),
            "excess_eta": self.occurs.then(|| self.excess_eta()),
            "verdict": self.word(),
        })
    }
}
