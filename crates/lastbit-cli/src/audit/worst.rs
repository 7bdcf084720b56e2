//! `lastbit audit snapping --worst`: the two inputs that lose most, and a bound on what any two lose.

use std::fmt::Write;
use std::time::Duration;

use lastbit::{Rational, Rounding};
use lastbit_audit::columns;
use lastbit_audit::snapping::{Budget, Case, Formula, Search, Variant, Worst, WorstPair};
use lastbit_lang::{Accuracy, lower};
use lastbit_prove::endpoint::{EndpointError, NoiseError, Total, certify, noise_error, recognise};
use lastbit_real::{Enclosure, Float};
use serde_json::{Map, Value, json};

use super::args::{Logarithm, Snapping};
use super::value::shown;
use super::{eta, interrupt, out_of_range};
use crate::error::Error;
use crate::progress::LateBar;

/// Bits of losses: differences of a few `η` are what counts.
const BITS: u32 = 160;
/// Digits of an excess for people, and in JSON.
const SHORT: usize = 6;
const LONG: usize = 20;
/// How long to look, if nothing else is said.
const DEFAULT_BUDGET: Duration = Duration::from_secs(60);

/// What a search found, and what is certified.
pub(crate) struct Found {
    pub(crate) inputs: [f64; 2],
    worst: Worst,
    sensitivity: Rational,
    certified: Certified,
    rate: Rational,
    bound: Rational,
}

/// A bound on the loss of all inputs.
enum Certified {
    /// Pure differential privacy.
    Pure(Rational),
    /// `(ε, δ)`, where there is no pure one.
    Approximate(Rational, Rational),
    /// None, and why.
    None(String),
}

/// Searches until the budget is spent, or Ctrl-C.
pub(crate) fn search(args: &Snapping, variant: &Variant) -> Result<Found, Error> {
    if args.ln == Logarithm::Std {
        return Err(Error::usage(
            "--worst inverts the logarithm in closed form, and this machine's has none",
            "give --ln correct, +1ulp or -1ulp, or two inputs",
        ));
    }
    let sensitivity = args.sensitivity.clone().unwrap_or(Rational::ONE);
    let budget = Budget::Time(args.budget.map_or(DEFAULT_BUDGET, |budget| budget.0));
    let search = Search { sensitivity: sensitivity.clone(), budget, ..Search::default() };
    let bar = LateBar::new("searching", "{prefix} {wide_bar} {percent}% of the time, {msg}", 1000);
    let rate = variant.mechanism.rate().clone();
    let allowed = &rate * &sensitivity;
    let worst = search.run(variant, interrupt::flag(), |progress| {
        let best = progress.worst.witness().map(|witness| excess_text(witness, &allowed, SHORT));
        let message = match best.as_deref() {
            None => "nothing yet".to_owned(),
            Some("inf") => "infinite loss".to_owned(),
            Some(excess) => format!("excess {excess} η"),
        };
        bar.show((progress.share * 1000.0) as u64, message);
    });
    drop(bar);
    let worst = worst.map_err(|error| out_of_range(&error))?;
    let Some(witness) = worst.witness() else {
        return Err(Error::usage(
            "no two inputs were looked at",
            "give a longer --budget, or a larger --sensitivity",
        ));
    };
    let certified = certified(variant, &sensitivity);
    let bound = variant.mechanism.exact_bound().clone();
    Ok(Found { inputs: witness.inputs, sensitivity, certified, rate, bound, worst })
}

/// From the error of the noise, which is read off the mechanism's text.
fn certified(variant: &Variant, sensitivity: &Rational) -> Certified {
    if !variant.clamp_input {
        return Certified::None("nothing is certified of inputs that are not clamped".into());
    }
    match error_of_noise(variant).and_then(|error| {
        certify(&variant.mechanism, &error, sensitivity).map_err(|error: EndpointError| error.to_string())
    }) {
        Ok(certified) => match certified.total {
            Total::Pure { loss } => Certified::Pure(loss),
            Total::Approximate { loss, delta } => Certified::Approximate(loss, delta),
        },
        Err(reason) => Certified::None(reason),
    }
}

fn error_of_noise(variant: &Variant) -> Result<NoiseError, String> {
    let (file, mut bindings) = variant.program();
    let most = Rational::pow2(1000);
    bindings.ranges.insert("x".into(), (-&most, most));
    let first = |messages: Vec<lastbit_lang::Diagnostic>| {
        messages.first().map_or_else(String::new, |message| message.message.clone())
    };
    let mut program = lower(&file, None, &bindings, None).map_err(first)?.program;
    if variant.ln_shift != 0 {
        // Half an ulp of rounding, and so many more.
        let ulps = Rational::from(variant.ln_shift.unsigned_abs()) + Rational::pow2(-1);
        program.libm.ln = Accuracy::Ulps(ulps);
    }
    let shape = recognise(&program).map_err(|error| error.to_string())?;
    noise_error(&program, &shape).map_err(|error| error.to_string())
}

/// The excess of a witness over what is allowed, in `η`.
fn excess_text(witness: &WorstPair, allowed: &Rational, digits: usize) -> String {
    match witness.excess(allowed, BITS) {
        None => "inf".into(),
        Some(excess) => Rational::from(eta(&excess).lo()).to_decimal(digits, Rounding::Nearest),
    }
}

/// What is claimed of the excess, in `η`: where it is violated, or in general.
fn claimed_text(
    variant: &Variant,
    formula: &Formula,
    violation: Option<&WorstPair>,
    digits: usize,
) -> String {
    let mechanism = &variant.mechanism;
    let there = violation.and_then(|w| formula.value_at(mechanism, w.outcome.output, w.case));
    let claimed = there.unwrap_or_else(|| formula.value(mechanism));
    (claimed * Rational::pow2(53)).to_decimal(digits, Rounding::Nearest)
}

impl Found {
    fn allowed(&self) -> Rational {
        &self.rate * &self.sensitivity
    }

    /// The best of each case.
    fn cases(&self) -> impl Iterator<Item = (Case, &WorstPair)> {
        Case::ALL.into_iter().filter_map(|case| Some((case, self.worst.of_case(case)?)))
    }

    /// A witness that violates a paper's claim, which is about inputs at most 1 apart.
    fn violation(&self, variant: &Variant, formula: &Formula) -> Option<&WorstPair> {
        let violates = |witness: &&WorstPair| {
            let claimed = formula.value_at(&variant.mechanism, witness.outcome.output, witness.case);
            claimed.is_some_and(|claimed| {
                let excess = witness.excess(&self.rate, BITS);
                excess.is_none_or(|excess| excess.lo().cmp_rational(&claimed).is_gt())
            })
        };
        self.worst.witnesses().find(violates)
    }

    /// `excess/(B·ε·η)`: the papers' constants are in these units.
    fn in_papers_units(&self, witness: &WorstPair) -> Option<String> {
        let excess = Rational::from(eta(&witness.excess(&self.allowed(), BITS)?).lo());
        Some((excess / (&self.bound * &self.rate)).to_decimal(4, Rounding::Down))
    }

    pub(crate) fn text(&self, variant: &Variant, loss: &Enclosure, is_infinite: bool) -> String {
        let mut text = String::new();
        let looked = format!("{} pairs of inputs, {} outputs", self.worst.pairs, self.worst.outputs);
        let stopped = if self.worst.interrupted { "; interrupted" } else { "" };
        let _ = writeln!(text, "searched {looked}{stopped}");
        let _ = match &self.certified {
            Certified::Pure(bound) => {
                let gap = (bound - Rational::from(loss.lo())) * Rational::pow2(53);
                let gap = gap.to_decimal(6, Rounding::Up);
                writeln!(
                    text,
                    "certified {} for all inputs at most {} apart: witness loss <= certified bound, {gap} η between them",
                    bound.to_decimal(24, Rounding::Up),
                    super::number(&self.sensitivity),
                )
            }
            Certified::Approximate(loss, delta) => writeln!(
                text,
                "certified no pure bound{}; ({}, {})-differential privacy",
                if is_infinite { ", and there is none" } else { "" },
                loss.to_decimal(20, Rounding::Up),
                delta.to_decimal(6, Rounding::Up),
            ),
            Certified::None(reason) => writeln!(text, "certified nothing: {reason}"),
        };
        let head = ["case", "output", "f", "f'", "excess in η", "in B·ε·η"].map(str::to_owned);
        let row = |(case, witness): (Case, &WorstPair)| {
            let [f, f2] = witness.inputs.map(|f| f.to_hex());
            let output = shown(variant.mechanism.output(witness.outcome.output));
            let units = self.in_papers_units(witness).unwrap_or_else(|| "inf".into());
            [case.to_string(), output, f, f2, excess_text(witness, &self.allowed(), SHORT), units]
        };
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(self.cases().map(row)).collect();
        text.push_str("\nthe worst of each case, its excess over ε·Δ\n");
        text.push_str(&columns(&rows));
        if self.sensitivity <= Rational::ONE && !Formula::about(variant).is_empty() {
            text.push_str("\nclaimed of the excess loss - ε, at inputs at most 1 apart\n");
            let head = ["claimed in", "of outputs", "at most", "verdict"].map(str::to_owned);
            let row = |formula: &Formula| {
                let violation = self.violation(variant, formula);
                let claimed = claimed_text(variant, formula, violation, SHORT);
                let verdict = match violation {
                    Some(witness) => format!("violated: {} η", excess_text(witness, &self.rate, SHORT)),
                    None => "no violation found".into(),
                };
                [
                    formula.source.into(),
                    formula.scope.to_string(),
                    format!("{} = {claimed} η", formula.text),
                    verdict,
                ]
            };
            let rows: Vec<[String; 4]> =
                std::iter::once(head).chain(Formula::about(variant).iter().map(row)).collect();
            text.push_str(&columns(&rows));
        }
        text
    }

    pub(crate) fn json(&self, variant: &Variant) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        let (certified, exact, approximate) = match &self.certified {
            Certified::Pure(bound) => (bound.to_decimal(30, Rounding::Up), Some(bound.to_string()), None),
            Certified::Approximate(loss, delta) => {
                let pair = json!({ "loss": loss.to_string(), "delta": delta.to_string() });
                ("inf".to_owned(), None, Some(pair))
            }
            Certified::None(_) => ("inf".to_owned(), None, None),
        };
        add("certified", json!(certified));
        add("certified_exact", json!(exact));
        add("certified_approximate", approximate.unwrap_or(Value::Null));
        if let Certified::None(reason) = &self.certified {
            add("certified_reason", json!(reason));
        }
        add("sensitivity", json!(self.sensitivity.to_string()));
        add("interrupted", json!(self.worst.interrupted));
        add("pairs", json!(self.worst.pairs));
        add("outputs_weighed", json!(self.worst.outputs));
        let case = |(case, witness): (Case, &WorstPair)| {
            json!({
                "case": case.to_string(),
                "output": variant.mechanism.output(witness.outcome.output).to_hex(),
                "inputs": witness.inputs.map(|f| f.to_hex()),
                "excess_eta": excess_text(witness, &self.allowed(), LONG),
                "excess_in_b_epsilon_eta": self.in_papers_units(witness).unwrap_or_else(|| "inf".into()),
            })
        };
        add("cases", self.cases().map(case).collect());
        if self.sensitivity <= Rational::ONE && !Formula::about(variant).is_empty() {
            let bound = |formula: &Formula| {
                let violation = self.violation(variant, formula);
                json!({
                    "source": formula.source,
                    "scope": formula.scope.to_string(),
                    "formula": formula.text,
                    "claimed_eta": claimed_text(variant, formula, violation, LONG),
                    "verdict": if violation.is_some() { "violated" } else { "no violation found" },
                    "excess_eta": violation.map(|witness| excess_text(witness, &self.rate, LONG)),
                    "output": violation.map(|witness| variant.mechanism.output(witness.outcome.output).to_hex()),
                    "inputs": violation.map(|witness| witness.inputs.map(|f| f.to_hex())),
                })
            };
            add("bounds", Formula::about(variant).iter().map(bound).collect());
        }
        fields
    }
}
