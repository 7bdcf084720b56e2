//! `lastbit audit snapping` in floating point: every output and its loss, and what the papers claim of it.

use std::collections::BTreeSet;
use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::comparison::LnRatio;
use lastbit_audit::decimal::settled;
use lastbit_audit::snapping::{
    Case, FloatSnap, Formula, Noise, PairCell, Scaling, Scope, Shipped, Variant,
};
use lastbit_audit::{Comparison, Loss, Outcome, Sampler};
use lastbit_audit::program::Library;
use lastbit_lang::{Bindings, Tie};
use lastbit_prove::endpoint::theorem_a;
use lastbit_real::{Dyadic, Enclosure, Float};
use serde_json::{Map, Value, json};

use super::args::{FloatType, Lambda, Logarithm, Operation, Snapping, Ties, Uniform};
use super::map::{self, Row, Samples};
use super::program;
use super::summary::{Style, columns};
use super::value::{Given, shown};
use super::worst::{self, Found};
use super::{eta, out_of_range, print_json};
use crate::error::Error;
use crate::prove::files::print;

/// Outputs are all kept, and listed in JSON, up to this many.
const KEPT: i64 = 4096;
/// Rows of the table, if not all are asked for.
const MOST_ROWS: usize = 24;
/// How many outputs are listed next to each place of interest.
const NEXT_TO: i64 = 2;

/// Parameters that describe a mechanism in floating point.
pub(crate) struct Parameters<'a> {
    pub(crate) epsilon: &'a Given,
    pub(crate) bound: &'a Given,
    pub(crate) lambda: &'a Lambda,
    pub(crate) op: Operation,
    pub(crate) sampler: Uniform,
    pub(crate) tie: Ties,
    pub(crate) clamp: bool,
    pub(crate) ln: Logarithm,
}

impl Parameters<'_> {
    /// `ε` as a double.
    pub(crate) fn epsilon(&self) -> Result<f64, Error> {
        self.epsilon.to_float("epsilon", FloatType::F64)
    }

    pub(crate) fn tie(&self) -> Tie {
        match self.tie {
            Ties::Up => Tie::Up,
            Ties::Even => Tie::Even,
            Ties::Away => Tie::Away,
        }
    }

    /// The mechanism. A logarithm that is not monotone is not taken.
    pub(crate) fn variant(&self) -> Result<Variant, Error> {
        let epsilon = self.epsilon()?;
        if epsilon <= 0.0 {
            return Err(Error::usage(
                format!("epsilon must be positive, but is {epsilon}"),
                "give a number such as 0.1 or 1",
            ));
        }
        let bound = self.bound.to_float("bound", FloatType::F64)?;
        let exact = |x: f64| Rational::try_from(x).expect("finite");
        let noise = match self.op {
            Operation::Div => Noise::Divided { epsilon: exact(epsilon) },
            // 1/ε overflows only for an ε that is out of range anyhow.
            Operation::Mul => match 1.0 / epsilon {
                lambda if lambda.is_finite() => Noise::Multiplied { scale: exact(lambda) },
                _ => Noise::Divided { epsilon: exact(epsilon) },
            },
        };
        let exponent = match self.lambda {
            Lambda::Auto => None,
            Lambda::Given(value) => value.floor_log2(),
        };
        let sampler = match self.sampler {
            Uniform::Ulp => Sampler::Ulp,
            Uniform::Grid53 => Sampler::Grid53,
        };
        let mechanism =
            FloatSnap::new(noise, bound, exponent, self.tie(), sampler).map_err(|error| out_of_range(&error))?;
        let ln_shift = match self.ln {
            Logarithm::Correct | Logarithm::Std => 0,
            Logarithm::Above => 1,
            Logarithm::Below => -1,
        };
        Ok(Variant { mechanism, clamp_input: self.clamp, ln_shift })
    }
}

impl Snapping {
    pub(crate) fn parameters(&self) -> Parameters<'_> {
        Parameters {
            epsilon: &self.epsilon,
            bound: &self.bound,
            lambda: &self.lambda,
            op: self.op,
            sampler: self.sampler,
            tie: self.tie,
            clamp: !self.no_clamp,
            ln: self.ln,
        }
    }
}

/// Two doubles.
pub(crate) fn doubles(inputs: &[Given]) -> Result<[f64; 2], Error> {
    match inputs {
        [f, f2] => Ok([f.to_float("input", FloatType::F64)?, f2.to_float("input", FloatType::F64)?]),
        _ => Err(Error::usage("an audit compares two inputs", "give --inputs F F'")),
    }
}

/// What the mechanism is, in a few lines.
pub(crate) fn header(variant: &Variant, epsilon: f64) -> String {
    let mechanism = &variant.mechanism;
    let noise = match (mechanism.scaling(), variant.ln_shift) {
        (Scaling::Divide(_), 0) => "LN(u) ⊘ ε".to_owned(),
        (Scaling::Divide(_), shift) => format!("(LN(u) {shift:+} ulp) ⊘ ε"),
        (Scaling::Multiply(_), 0) => "λ ⊗ LN(u)".to_owned(),
        (Scaling::Multiply(_), shift) => format!("λ ⊗ (LN(u) {shift:+} ulp)"),
    };
    let sampler = mechanism.sampler().describe();
    let mut text = format!("snapping in binary64: y = {noise}; u: {sampler}; ties {}", mechanism.tie().text());
    text.push_str(if variant.clamp_input { "\n" } else { "; the input is not clamped\n" });
    let lambda = mechanism.lambda().to_f64(Rounding::Nearest);
    let _ = writeln!(text, "  ε = {}, B = {}", shown(epsilon), shown(mechanism.bound()));
    if let Scaling::Multiply(lambda) = mechanism.scaling() {
        let _ = writeln!(text, "  λ = {}", shown(lambda));
    }
    let _ = writeln!(text, "  Λ = {}", shown(lambda));
    text
}

/// The parameters in JSON: with these, the report can be made again.
pub(crate) fn parameters_json(variant: &Variant, epsilon: f64) -> Map<String, Value> {
    let mechanism = &variant.mechanism;
    let (op, lam) = match mechanism.scaling() {
        Scaling::Divide(_) => ("div", None),
        Scaling::Multiply(lambda) => ("mul", Some(lambda.to_hex())),
    };
    let fields = json!({
        "mechanism": "snapping",
        "form": "float",
        "epsilon": epsilon.to_hex(),
        "bound": mechanism.bound().to_hex(),
        "lambda": mechanism.lambda().to_f64(Rounding::Nearest).to_hex(),
        "op": op,
        "scale": lam,
        "sampler": mechanism.sampler().name(),
        "tie": mechanism.tie().text(),
        "clamp": variant.clamp_input,
        "ln_shift": variant.ln_shift,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Audits two inputs.
pub(crate) fn run(args: &Snapping) -> Result<(), Error> {
    let variant = args.parameters().variant()?;
    let epsilon = args.parameters().epsilon()?;
    let found = if args.worst { Some(worst::search(args, &variant)?) } else { None };
    let inputs = match &found {
        Some(found) => found.inputs,
        None => doubles(args.inputs.as_deref().unwrap_or_default())?,
    };
    let exact_epsilon = Rational::try_from(epsilon).expect("finite");
    let delta_at = args.show.delta_at.clone().unwrap_or_else(|| exact_epsilon.clone());
    super::check_delta_at(&delta_at)?;
    if args.ln == Logarithm::Std {
        return with_this_library(args, &variant, epsilon, inputs, delta_at);
    }

    let mut shipped = Shipped::of(&variant);
    let mut disagreement = None;
    let mut verdicts = Verdicts::new(&variant, inputs);
    let (first, last) = variant.numbers(inputs).into_inner();
    let keeps_all = args.show.all || args.map || last - first < KEPT;
    let mut kept = Vec::new();
    let comparison = variant
        .compare(inputs, &delta_at, |pair| {
            let output = variant.mechanism.output(pair.number);
            if let Some(function) = &mut shipped {
                disagreement = function.confirm(inputs, output, pair).err();
            }
            verdicts.visit(pair);
            if keeps_all {
                kept.push(pair.clone());
            }
            disagreement.is_none()
        })
        .map_err(|error| out_of_range(&error))?;
    if let Some(disagreement) = disagreement {
        let message = format!("{disagreement}: this is a bug, of the audit or of the function");
        return Err(Error::usage(message, "please report it with the parameters"));
    }
    let name = |number: &i64| shown(variant.mechanism.output(*number));
    let id = |number: &i64| variant.mechanism.output(*number).to_hex();
    let style = Style { digits: args.show.digits.into(), delta_at, name: &name, id: &id, is_partial: false };
    let excess = excess(&comparison, &exact_epsilon);
    let report =
        Report { args, variant: &variant, epsilon, inputs, comparison, style, excess, shipped, verdicts, kept, found };
    if args.show.json { print_json(&report.json()) } else { print(&report.text()) }
}

/// The mechanism as a program of the language.
pub(crate) fn text_of(variant: &Variant) -> String {
    let mechanism = &variant.mechanism;
    let (noise, parameter) = match mechanism.scaling() {
        Scaling::Divide(_) => ("ln(u) / eps", "eps"),
        Scaling::Multiply(_) => ("lambda * ln(u)", "lambda"),
    };
    let start = if variant.clamp_input { "clamp(x, B)" } else { "x" };
    format!(
        "mechanism snapping(x: f64) -> grid
           param {parameter}: f64 > 0, L: f64 > 0, B: f64 > 0
           sampler unif = {}(0,1)
         {{ u <$ unif(0,1);  s <$ sign;  y := {noise};  w := {start} + s * y;  return clamp(round(w, L, {}), B) }}",
        mechanism.sampler().name(),
        mechanism.tie().text(),
    )
}

/// The values of its parameters.
pub(crate) fn text_values(variant: &Variant) -> Bindings {
    let mechanism = &variant.mechanism;
    let exact = |x: f64| Rational::try_from(x).expect("finite");
    let (name, value) = match mechanism.scaling() {
        Scaling::Divide(epsilon) => ("eps", epsilon),
        Scaling::Multiply(lambda) => ("lambda", lambda),
    };
    let values = [
        (name.to_owned(), exact(value)),
        ("L".to_owned(), mechanism.lambda()),
        ("B".to_owned(), exact(mechanism.bound())),
    ];
    Bindings { values: values.into(), ..Bindings::default() }
}

/// The logarithm of this machine's library is not known to be monotone, so that no closed form is: the mechanism as a program,
/// which is enumerated where the library decides.
fn with_this_library(
    args: &Snapping,
    variant: &Variant,
    epsilon: f64,
    inputs: [f64; 2],
    delta_at: Rational,
) -> Result<(), Error> {
    let exact = |x: f64| Rational::try_from(x).expect("finite");
    let (text, bindings) = (text_of(variant), text_values(variant));
    let report = program::of_text(&text, &bindings, inputs.map(exact), Library::Std, &delta_at, &args.show, args.map)?;
    let mut fields = parameters_json(variant, epsilon);
    fields.insert("ln".into(), json!("std"));
    fields.insert("inputs".into(), json!(inputs.map(|f| f.to_hex())));
    fields.insert("excess_eta".into(), json!(excess(&report.comparison, &exact(epsilon))));
    let [f, f2] = inputs.map(shown);
    let header = format!("{}  f = {f}, f' = {f2}\n  LN: this machine's\n", header(variant, epsilon));
    program::Shown { header, fields, delta_at, show: &args.show, map: args.map }.print(&report)
}

/// `(loss - ε)/η`, or `inf`.
fn excess<O: Clone>(comparison: &Comparison<O>, epsilon: &Rational) -> String {
    if comparison.loss(64) == Loss::Infinite {
        return "inf".into();
    }
    let enclose = |bits| eta(&(&comparison.finite_loss(bits) - &Enclosure::of_rational(epsilon, bits)));
    settled(enclose, |value| value.to_decimal(20, Rounding::Nearest))
}

struct Report<'a> {
    args: &'a Snapping,
    variant: &'a Variant,
    epsilon: f64,
    inputs: [f64; 2],
    comparison: Comparison<i64>,
    style: Style<'a, i64>,
    excess: String,
    shipped: Option<Shipped>,
    verdicts: Verdicts<'a>,
    /// All outputs, or none if they are many.
    kept: Vec<PairCell>,
    /// What the search for the worst inputs found.
    found: Option<Found>,
}

impl Report<'_> {
    /// Theorem A at the distance of the inputs, if it says something.
    fn theorem_a(&self) -> Option<Rational> {
        let [x, x2] = self.inputs.map(|f| Rational::try_from(self.variant.start(f)).expect("finite"));
        let is_covered = self.variant.clamp_input && self.variant.ln_shift == 0;
        theorem_a(&self.variant.mechanism, &(x - x2).abs()).ok().filter(|_| is_covered)
    }

    /// The ends, and what is next to the inputs and to the worst outputs.
    fn of_interest(&self) -> Vec<PairCell> {
        let (first, last) = self.variant.numbers(self.inputs).into_inner();
        let worst = [self.comparison.witness(), self.comparison.finite_witness()];
        let worst = worst.into_iter().flatten().map(|outcome| outcome.output);
        let places = self.inputs.map(|f| self.variant.mechanism.number_of(self.variant.start(f)));
        let near = |place: i64| place - NEXT_TO..=place + NEXT_TO;
        let numbers: BTreeSet<i64> = [first, last].into_iter().chain(places).chain(worst).flat_map(near).collect();
        let numbers = numbers.into_iter().filter(|number| (first..=last).contains(number));
        numbers.map(|number| self.variant.pair_cell(self.inputs, number)).filter(PairCell::is_reached).collect()
    }

    /// The outputs to list, if at most so many are listed without asking for all.
    fn listed(&self, most: usize) -> Vec<PairCell> {
        let is_all = !self.kept.is_empty() && (self.args.show.all || self.kept.len() <= most);
        if is_all { self.kept.clone() } else { self.of_interest() }
    }

    fn text(&self) -> String {
        let mut text = header(self.variant, self.epsilon);
        let [f, f2] = self.inputs.map(shown);
        let _ = writeln!(text, "  f = {f}, f' = {f2}\n");
        text.push_str(&self.style.text(&self.comparison));
        let _ = writeln!(text, "excess   {} η over ε, η = 2^-53", short(&self.excess));
        if let Some(shipped) = &self.shipped {
            let _ = match shipped.replays() {
                0 => writeln!(text, "shipped  snap_f agrees at the ends of every cell, {} values of u", shipped.evaluations()),
                replays => writeln!(
                    text,
                    "shipped  FloatSnapping agrees at the ends of every cell, {replays} values of u from replayed bits"
                ),
            };
        }
        match &self.found {
            Some(found) => {
                let is_infinite = self.comparison.loss(64) == Loss::Infinite;
                text.push_str(&found.text(self.variant, &self.comparison.finite_loss(160), is_infinite));
            }
            None => text.push_str(&self.bounds_text()),
        }
        if self.args.map {
            let row = |pair: &PairCell| Row {
                name: format!("{}", self.variant.mechanism.output(pair.number)),
                samples: pair.cells.each_ref().map(Samples::from),
            };
            let rows: Vec<Row> = self.kept.iter().map(row).collect();
            text.push_str(&map::text(&rows, [&f, &f2]));
        } else {
            let outcomes: Vec<Outcome<i64>> = self.listed(MOST_ROWS).iter().map(PairCell::outcome).collect();
            let left_out = self.comparison.outputs() - outcomes.len() as u64;
            text.push('\n');
            text.push_str(&self.style.table(&outcomes, self.comparison.total()));
            if left_out > 0 {
                let _ = writeln!(text, "  and {left_out} more: --all lists them");
            }
        }
        text
    }

    fn bounds_text(&self) -> String {
        let mut rows: Vec<[String; 5]> = Vec::new();
        rows.extend(self.verdicts.found.iter().map(|verdict| {
            let found = match &verdict.excess {
                _ if !verdict.occurs => "-".to_owned(),
                Some(excess) if excess.lo().is_negative() => "none".to_owned(),
                _ => format!("{} η", short(&verdict.excess_eta())),
            };
            [
                verdict.formula.source.to_owned(),
                verdict.formula.scope.to_string(),
                format!("{} = {} η", verdict.formula.text, short(&verdict.claimed_eta())),
                found,
                verdict.word().to_owned(),
            ]
        }));
        let mut text = String::new();
        if !rows.is_empty() {
            text.push_str("\nclaimed of the excess, at inputs at most 1 apart, and found here\n");
            text.push_str(&columns(&rows));
        }
        if let Some(bound) = self.theorem_a() {
            let holds = if self.comparison.loss(128).exceeds(&bound) { "violated" } else { "holds" };
            let _ = writeln!(text, "Theorem A: loss <= {}: {holds}", bound.to_decimal(20, Rounding::Up));
        }
        text
    }

    fn json(&self) -> Value {
        let mut fields = parameters_json(self.variant, self.epsilon);
        fields.insert("inputs".into(), json!(self.inputs.map(|f| f.to_hex())));
        fields.extend(self.style.json(&self.comparison));
        fields.insert("excess_eta".into(), json!(self.excess));
        let bounds: Vec<Value> = self.verdicts.found.iter().map(Verdict::json).collect();
        fields.insert("bounds".into(), bounds.into());
        let theorem_a = self.theorem_a().map(|bound| {
            let holds = !self.comparison.loss(128).exceeds(&bound);
            json!({ "bound": bound.to_decimal(30, Rounding::Up), "exact": bound.to_string(), "holds": holds })
        });
        fields.insert("theorem_a".into(), theorem_a.unwrap_or(Value::Null));
        let shipped = self.shipped.as_ref().map(|shipped| {
            json!({ "agrees": true, "evaluations": shipped.evaluations(), "replays": shipped.replays() })
        });
        fields.insert("shipped".into(), shipped.unwrap_or(Value::Null));
        if let Some(found) = &self.found {
            fields["witness"]["inputs"] = json!(self.inputs.map(|f| f.to_hex()));
            fields.extend(found.json(self.variant));
        }
        let total = self.comparison.total();
        let output = |pair: &PairCell| {
            let mut value = self.style.outcome_json(&pair.outcome(), total);
            value["u"] = map::json_of(&pair.cells.each_ref().map(Samples::from));
            value
        };
        let outputs: Vec<Value> = self.listed(KEPT as usize).iter().map(output).collect();
        let listed = if outputs.len() as u64 == self.comparison.outputs() { "all" } else { "selected" };
        fields.insert("outputs_listed".into(), json!(listed));
        fields.insert("outputs".into(), outputs.into());
        Value::Object(fields)
    }
}

/// The first few digits of a decimal number.
fn short(decimal: &str) -> String {
    match decimal.parse::<Rational>() {
        Ok(value) => value.to_decimal(6, Rounding::Nearest),
        Err(_) => decimal.to_owned(),
    }
}

/// Bits of the loss of an output, for a comparison with what is claimed: the last digit of an excess of 1e6 η is 2⁻⁸⁰ or so.
const LOSS_BITS: u32 = 128;

/// What becomes of the papers' constants at these two inputs.
struct Verdicts<'a> {
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
    fn new(variant: &'a Variant, inputs: [f64; 2]) -> Verdicts<'a> {
        let mut starts = inputs.map(|f| variant.start(f));
        if starts[0] > starts[1] {
            starts.swap(0, 1);
        }
        let [x, x2] = starts.map(|x| Rational::try_from(x).expect("inputs are finite"));
        let found = if variant.clamp_input && x2 - x <= Rational::ONE {
            let verdict = |formula: &'static Formula| Verdict {
                claimed: formula.value(&variant.mechanism),
                formula,
                excess: Some(Enclosure::exact(Dyadic::ZERO)),
                occurs: false,
                violated: false,
            };
            Formula::all().iter().map(verdict).collect()
        } else {
            Vec::new()
        };
        Verdicts { variant, numbers: starts.map(|x| variant.mechanism.number_of(x)), found }
    }

    fn visit(&mut self, pair: &PairCell) {
        if self.found.is_empty() {
            return;
        }
        let mechanism = &self.variant.mechanism;
        let case = Case::of(pair.number, mechanism.top(), self.numbers);
        let excess = match pair.outcome().ln_ratio(LOSS_BITS) {
            LnRatio::Finite(ratio) => Some(&ratio.abs() - &Enclosure::of_rational(mechanism.rate(), LOSS_BITS)),
            _ => None,
        };
        for verdict in &mut self.found {
            if let Some(claimed) = verdict.formula.value_at(mechanism, pair.number, case) {
                verdict.add(claimed, excess.as_ref());
            }
        }
    }
}

impl Verdict {
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
