//! The report for programs: exact numbers as fractions, with decimals rounded up beside them.

use lastbit_audit::ExactLoss;
use lastbit_real::{Float, Rational, Rounding};
use serde_json::{Value, json};

use super::kappa::BITS;
use super::report::in_eta;
use super::{
    CaseBound, ClaimedBound, EndpointReport, Endpoints, Noise, PairOutput, PaperVerdict, Total, UThreshold,
    WorstPair,
};

fn number(value: &Rational) -> Value {
    json!({ "exact": value.to_string(), "decimal": value.to_decimal(20, Rounding::Up) })
}

fn excess(value: &Rational) -> Value {
    json!({ "exact": value.to_string(), "eta": in_eta(value, Rounding::Up) })
}

fn ends(endpoints: &Endpoints) -> Value {
    let threshold = |u: UThreshold| json!([u.lo.to_hex(), u.hi.to_hex()]);
    let sign = |[l, r]: [UThreshold; 2]| json!({ "L": threshold(l), "R": threshold(r) });
    json!({ "plus": sign(endpoints.plus), "minus": sign(endpoints.minus) })
}

impl EndpointReport {
    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let mechanism = &self.mechanism;
        let (op, parameter) = match mechanism.noise() {
            Noise::Divided { epsilon } => ("div", epsilon),
            Noise::Multiplied { scale } => ("mul", scale),
        };
        let total = match &self.certified.total {
            Total::Pure { loss } => json!({ "kind": "pure", "loss": number(loss) }),
            Total::Approximate { loss, delta } => {
                json!({ "kind": "approximate", "loss": number(loss), "delta": number(delta) })
            }
        };
        json!({
            "mechanism": {
                "op": op,
                "parameter": number(parameter),
                "bound": mechanism.bound().to_hex(),
                "grid": mechanism.grid().to_string(),
                "tie": format!("{:?}", mechanism.tie()).to_lowercase(),
                "sampler": mechanism.sampler().name(),
                "m": number(&mechanism.exponent_range()),
            },
            "relative_error": excess(&self.error.relative),
            "sensitivity": number(&self.sensitivity),
            "cases": self.certified.cases.iter().map(case).collect::<Vec<_>>(),
            "total": total,
            "theorem_a": self.theorem_a.as_ref().map(number),
            "theorem_a_prime": self.theorem_a_prime.as_ref().map(|(loss, delta)| {
                json!({ "loss": number(loss), "delta": number(delta) })
            }),
            "infinite_loss": self.infinite_loss.as_ref().map(|found| self.witness(found)),
            "audit_holds": self.audit_holds(),
            "witnesses": self.witnesses.iter().map(|found| self.witness(found)).collect::<Vec<_>>(),
            "verdicts": self.verdicts.iter().map(|claim| self.verdict(claim)).collect::<Vec<_>>(),
            "endpoints": {
                "f": self.example[0].to_hex(),
                "f2": self.example[1].to_hex(),
                "outputs": self.endpoints.iter().map(|output| self.output(output)).collect::<Vec<_>>(),
            },
        })
    }

    fn witness(&self, witness: &WorstPair) -> Value {
        let [weight_f, weight_f2] = witness.weights().map(|weight| weight.to_string());
        let [f, f2] = witness.inputs.map(Float::to_hex);
        let end = |end: &lastbit_real::Dyadic, rounding| Rational::from(end).to_decimal(30, rounding);
        json!({
            "f": f,
            "f2": f2,
            "case": witness.case.to_string(),
            "x": self.mechanism.output(witness.outcome.output).to_hex(),
            "weight_f": weight_f,
            "weight_f2": weight_f2,
            "loss": match witness.loss(BITS) {
                ExactLoss::Finite(loss) => json!([end(loss.lo(), Rounding::Down), end(loss.hi(), Rounding::Up)]),
                ExactLoss::Infinite | ExactLoss::AtLeast(_) => json!("inf"),
            },
            "at_most_certified": self.audit(witness),
        })
    }

    fn verdict(&self, claim: &ClaimedBound) -> Value {
        json!({
            "source": claim.source,
            "scope": claim.scope.to_string(),
            "formula": claim.formula,
            "claimed": excess(&claim.claimed),
            "certified": claim.certified.as_ref().map(excess),
            "verdict": claim.verdict.to_string(),
            "witness": match &claim.verdict {
                PaperVerdict::Violated(witness) => self.witness(witness),
                PaperVerdict::Holds | PaperVerdict::NotDecided => Value::Null,
            },
        })
    }

    fn output(&self, output: &PairOutput) -> Value {
        let [f, f2] = &output.endpoints;
        json!({
            "case": output.case.to_string(),
            "x": self.mechanism.output(output.output).to_hex(),
            "f": ends(f),
            "f2": ends(f2),
            "loss": output.loss().map_or(json!("inf"), |loss| {
                json!(Rational::from(loss.hi()).to_decimal(20, Rounding::Up))
            }),
        })
    }
}

fn case(bound: &CaseBound) -> Value {
    json!({
        "case": bound.case.to_string(),
        "ideal": number(&bound.ideal),
        "excess": excess(&bound.excess),
        "loss": number(&bound.loss()),
        "farthest": number(&bound.farthest),
        "reason": bound.reason,
    })
}
