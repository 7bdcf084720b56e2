//! The five kinds of cases, recomputed from their parameters.

use lastbit_lang::Tie;
use lastbit_real::{Float, IBig, Rational, ln_f64};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::fields::{FieldError, array, boolean, double, rational, small, text, word};
use crate::comparison::LnRatio;
use crate::decimal::{scientific, scientific_of};
use crate::snapping::{Cell, FloatNoise, FloatSnap, IdealSnap, Interval, Noise, PairCell, Scaling, Variant};
use crate::{Comparison, ExactLoss, OutOfRange, Outcome, Sampler, textbook};

const PROBABILITY_DIGITS: usize = 40;
const LOSS_DIGITS: usize = 30;
const EXCESS_DIGITS: usize = 20;
/// `η = 2^-ETA`.
const ETA: i64 = 53;
const SAMPLERS: [(&str, Sampler); 2] = [("mironov", Sampler::Ulp), ("grid53", Sampler::Grid53)];

/// Everything that can be recomputed of a case; of its outputs, those that it lists.
///
/// # Errors
/// [`FieldError`] if a parameter is missing or out of range.
pub fn recompute(case: &Value) -> Result<Value, FieldError> {
    let mut found = match text(case, "kind")? {
        "snap_float" => snap_float(case),
        "snap_ideal" => snap_ideal(case),
        "naive" => naive(case),
        "threshold" => rows(case, threshold),
        "ln" => rows(case, ln),
        _ => Err(FieldError::new(
            "kind",
            &case["kind"],
            "it must be one of snap_float, snap_ideal, naive, threshold, ln",
        )),
    }?;
    found.insert("kind".into(), case["kind"].clone());
    // Parameters are what the rest is computed from.
    if let Some(params) = case.get("params") {
        found.insert("params".into(), params.clone());
    }
    Ok(Value::Object(found))
}

/// The parameters, with `params` in front of the path of errors.
fn params<T>(case: &Value, read: impl FnOnce(&Value) -> Result<T, FieldError>) -> Result<T, FieldError> {
    read(&case["params"]).map_err(|error| error.within("params"))
}

fn out_of_range(error: OutOfRange) -> FieldError {
    FieldError { path: format!("params ({})", error.name), found: error.value, reason: error.reason.into() }
}

fn scaling(params: &Value) -> Result<Scaling, FieldError> {
    Ok(match word(params, "op", &[("div", true), ("mul", false)])? {
        true => Scaling::Divide(positive(params, "eps")?),
        false => Scaling::Multiply(positive(params, "lam")?),
    })
}

fn positive(params: &Value, name: &str) -> Result<f64, FieldError> {
    let value = double(params, name)?;
    if value > 0.0 { Ok(value) } else { Err(FieldError::new(name, &params[name], "it must be positive")) }
}

fn variant(params: &Value) -> Result<Variant, FieldError> {
    let exact = |x: f64| Rational::try_from(x).expect("fields are finite");
    let noise = match scaling(params)? {
        Scaling::Divide(epsilon) => Noise::Divided { epsilon: exact(epsilon) },
        Scaling::Multiply(scale) => Noise::Multiplied { scale: exact(scale) },
    };
    let grid = exact(positive(params, "Lam")?);
    let exponent = grid.floor_log2().filter(|exponent| Rational::pow2(*exponent) == grid);
    if exponent.is_none() {
        return Err(FieldError::new("Lam", &params["Lam"], "it must be a power of two"));
    }
    let tie = word(params, "tie", &Tie::ALL.map(|(tie, name)| (name, tie)))?;
    let sampler = word(params, "sampler", &SAMPLERS)?;
    let mechanism =
        FloatSnap::new(noise, positive(params, "B")?, exponent, tie, sampler).map_err(out_of_range)?;
    let ln_shift = small(params, "ln_shift", -64..=64)? as i32;
    Ok(Variant { mechanism, clamp_input: boolean(params, "clamp_input")?, ln_shift })
}

/// `ln(P/P')` as text.
pub(super) fn ln_ratio<O: Clone>(outcome: &Outcome<O>) -> String {
    if outcome.weights[0] == outcome.weights[1] {
        return "0".into();
    }
    match outcome.ln_ratio(1) {
        LnRatio::OnlyFirst => "inf".into(),
        LnRatio::OnlySecond => "-inf".into(),
        LnRatio::Unknown => "unknown".into(),
        LnRatio::Finite(_) => scientific_of(LOSS_DIGITS, |bits| match outcome.ln_ratio(bits) {
            LnRatio::Finite(enclosure) => enclosure,
            _ => unreachable!("both weights are positive"),
        }),
    }
}

fn snap_float(case: &Value) -> Result<Map<String, Value>, FieldError> {
    let variant = params(case, variant)?;
    let epsilon = params(case, |p| positive(p, "eps"))?;
    let inputs = params(case, |p| Ok([double(p, "f")?, double(p, "f2")?]))?;
    let listed = each(case, "outputs", |output| number(&variant, output))?;
    let mut summary = Summary::new(&variant, listed);
    let epsilon = Rational::try_from(epsilon).expect("fields are finite");
    let comparison = variant
        .compare(inputs, &epsilon, |pair| {
            summary.visit(pair);
            true
        })
        .map_err(out_of_range)?;
    let [first, second] = inputs.map(|f| Rational::try_from(variant.start(f)).expect("fields are finite"));
    let mut found = losses(&comparison, &epsilon, &variant);
    found.insert("real_difference_at_most_1".into(), json!((first - second).abs() <= Rational::ONE));
    found.extend(summary.finish(comparison.outputs()));
    Ok(found)
}

/// The number of an output that a case lists.
fn number(variant: &Variant, output: &Value) -> Result<i64, FieldError> {
    let top = variant.mechanism.top();
    match word(output, "label", &[("-B", -1), ("grid", 0), ("+B", 1)])? {
        0 => small(output, "k", 1 - top..=top - 1),
        end => Ok(end * top),
    }
}

/// `label` and `k` of an output.
fn label(variant: &Variant, number: i64) -> (&'static str, Option<i64>) {
    let top = variant.mechanism.top();
    match number {
        _ if number <= -top => ("-B", None),
        _ if number >= top => ("+B", None),
        _ => ("grid", Some(number)),
    }
}

/// What is collected while outputs pass by.
struct Summary<'a> {
    variant: &'a Variant,
    /// The numbers of the outputs to list, in the order of the case.
    wanted: Vec<i64>,
    listed: Vec<(i64, Value)>,
    hash: Sha256,
}

impl Summary<'_> {
    fn new(variant: &Variant, wanted: Vec<i64>) -> Summary<'_> {
        Summary { variant, wanted, listed: Vec::new(), hash: Sha256::new() }
    }

    fn visit(&mut self, pair: &PairCell) {
        let (label, k) = label(self.variant, pair.number);
        let [first, second] = pair.cells.each_ref().map(|cell| &cell.weight);
        let k_text = k.map_or("-".to_owned(), |k| k.to_string());
        self.hash.update(format!("{label} {k_text} {first} {second}\n"));
        if self.wanted.contains(&pair.number) {
            self.listed.push((pair.number, output(self.variant, pair)));
        }
    }

    fn finish(self, reachable: u64) -> Map<String, Value> {
        let all = self.listed.len() as u64 == reachable && self.wanted.len() as u64 == reachable;
        let find = |number| self.listed.iter().find(|(listed, _)| listed == number);
        // An output that no input gives has no values.
        let outputs =
            self.wanted.iter().map(|number| find(number).map_or(Value::Null, |(_, value)| value.clone()));
        let hash: String = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Map::from_iter([
            ("outputs".to_owned(), outputs.collect()),
            ("outputs_listed".to_owned(), json!(if all { "all" } else { "selected" })),
            ("n_reachable".to_owned(), json!(reachable)),
            ("weights_sha256".to_owned(), json!(hash)),
        ])
    }
}

fn output(variant: &Variant, pair: &PairCell) -> Value {
    let (label, k) = label(variant, pair.number);
    let total: IBig = variant.mechanism.sampler().total() * 2;
    let probability = |cell: &Cell| {
        let exact = Rational::new(cell.weight.clone(), total.clone()).expect("a positive total");
        scientific(&exact, PROBABILITY_DIGITS)
    };
    let interval = |ends: Interval| ends.map(|end| end.to_hex());
    let [first, second] = &pair.cells;
    json!({
        "x": variant.mechanism.output(pair.number).to_hex(),
        "label": label,
        "k": k,
        "plus_f": interval(first.plus),
        "minus_f": interval(first.minus),
        "p_f": probability(first),
        "plus_f2": interval(second.plus),
        "minus_f2": interval(second.minus),
        "p_f2": probability(second),
        "ln_ratio": ln_ratio(&pair.outcome()),
    })
}

/// The loss and what belongs to it.
fn losses(comparison: &Comparison<i64>, epsilon: &Rational, variant: &Variant) -> Map<String, Value> {
    let finite = |bits| comparison.finite_loss(bits);
    let excess = |bits: u32| {
        let epsilon = lastbit_real::Enclosure::of_rational(epsilon, bits);
        (&comparison.finite_loss(bits) - &epsilon).shl(ETA)
    };
    let is_zero = finite(1).hi().is_zero();
    let loss_finite = if is_zero { "0".into() } else { scientific_of(LOSS_DIGITS, finite) };
    let excess_finite = scientific_of(EXCESS_DIGITS, excess);
    let infinite = comparison.loss(1) == ExactLoss::Infinite;
    let or_inf = |text: &str| if infinite { "inf".to_owned() } else { text.to_owned() };
    let hex = |outcome: Option<&Outcome<i64>>| {
        outcome.map(|outcome| variant.mechanism.output(outcome.output).to_hex())
    };
    let weight = |enclosure: &lastbit_real::Enclosure| enclosure.lo().floor().to_string();
    let total = lastbit_real::Enclosure::exact(comparison.total().clone().into());
    let delta = comparison.hockey_stick().each_ref().map(|sum| match sum.hi().is_zero() {
        true => "0".to_owned(),
        false => scientific_of(LOSS_DIGITS, |bits| sum.div(&total, bits).expect("a positive total")),
    });
    Map::from_iter([
        ("loss".to_owned(), json!(or_inf(&loss_finite))),
        ("excess_eta".to_owned(), json!(or_inf(&excess_finite))),
        ("loss_finite".to_owned(), json!(loss_finite)),
        ("excess_eta_finite".to_owned(), json!(excess_finite)),
        ("argmax".to_owned(), json!(hex(comparison.witness()))),
        ("argmax_finite".to_owned(), json!(hex(comparison.finite_witness()))),
        ("only_f".to_owned(), json!(weight(&comparison.only()[0]))),
        ("only_f2".to_owned(), json!(weight(&comparison.only()[1]))),
        ("delta_at_eps".to_owned(), json!(delta)),
    ])
}

/// Bits of the probabilities of the ideal mechanism: 40 digits of what is left after they cancel.
const IDEAL_BITS: u32 = 512;

fn snap_ideal(case: &Value) -> Result<Map<String, Value>, FieldError> {
    let mechanism = params(case, |p| {
        let [epsilon, bound, grid] = [rational(p, "eps")?, rational(p, "B")?, rational(p, "Lam")?];
        IdealSnap::new(epsilon, bound, grid).map_err(|error| FieldError {
            path: error.name.into(),
            found: error.value,
            reason: error.reason.into(),
        })
    })?;
    let inputs = params(case, |p| Ok([rational(p, "f")?, rational(p, "f2")?]))?;
    let (outcomes, all) = mechanism.outcomes(&inputs);
    if !all {
        return Err(FieldError::new("params.B", &case["params"]["B"], "there are too many outputs to list"));
    }
    let top = mechanism.top();
    let output = |outcome: &crate::snapping::IdealOutcome| {
        let (label, k) = match &outcome.number {
            number if *number <= -top => ("-B", Value::Null),
            number if number >= top => ("+B", Value::Null),
            number => ("grid", json!(i64::try_from(number.clone()).expect("few outputs"))),
        };
        let [p_f, p_f2] = outcome.probabilities.each_ref().map(|p| {
            let decimal = scientific_of(PROBABILITY_DIGITS, |bits| p.enclose(bits));
            json!(decimal)
        });
        let ratio = match outcome.is_alike() {
            true => "0".to_owned(),
            false => ln_ratio(&outcome.outcome(IDEAL_BITS)),
        };
        json!({ "x": outcome.output.to_string(), "label": label, "k": k, "p_f": p_f, "p_f2": p_f2, "ln_ratio": ratio })
    };
    let loss = match outcomes.iter().all(|outcome| outcome.is_alike()) {
        true => "0".to_owned(),
        false => scientific_of(LOSS_DIGITS, |bits| {
            let compared = mechanism.compare(&outcomes, &Rational::ZERO, bits);
            match compared.loss(bits) {
                ExactLoss::Finite(loss) => loss,
                _ => compared.finite_loss(bits),
            }
        }),
    };
    Ok(Map::from_iter([
        ("bound".to_owned(), json!(scientific(&mechanism.claimed(&inputs), LOSS_DIGITS))),
        ("loss".to_owned(), json!(loss)),
        ("outputs".to_owned(), outcomes.iter().map(output).collect()),
    ]))
}

fn naive(case: &Value) -> Result<Map<String, Value>, FieldError> {
    let (noise, sampler, inputs) = params(case, |p| {
        let noise = FloatNoise { scaling: Scaling::Divide(positive(p, "eps")?), ln_shift: 0 };
        Ok((noise, word(p, "sampler", &SAMPLERS)?, [double(p, "f")?, double(p, "f2")?]))
    })?;
    let output = |listed: &Value| {
        let w = double(listed, "w")?;
        let outcome = textbook::outcome(&noise, sampler, inputs, w);
        let [first, second]: [IBig; 2] = outcome.weights.each_ref().map(|weight| weight.lo().floor());
        let ratio = match first.is_zero() && second.is_zero() {
            true => Value::Null,
            false => json!(ln_ratio(&outcome)),
        };
        Ok(json!({
            "w": w.to_hex(),
            "weight_f": first.to_string(),
            "weight_f2": second.to_string(),
            "ln_ratio": ratio,
        }))
    };
    Ok(Map::from_iter([("outputs".to_owned(), Value::Array(each(case, "outputs", output)?))]))
}

/// Reads every element of a list, with its place in errors.
fn each<T>(
    object: &Value,
    name: &str,
    read: impl Fn(&Value) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let elements = array(object, name)?.iter().enumerate();
    elements
        .map(|(i, element)| read(element).map_err(|error| error.within(&format!("{name}[{i}]"))))
        .collect()
}

fn rows(
    case: &Value,
    recompute: impl Fn(&Value) -> Result<Value, FieldError>,
) -> Result<Map<String, Value>, FieldError> {
    Ok(Map::from_iter([("rows".to_owned(), Value::Array(each(case, "rows", recompute)?))]))
}

fn threshold(row: &Value) -> Result<Value, FieldError> {
    let noise = FloatNoise { scaling: scaling(row)?, ln_shift: 0 };
    let x = double(row, "x")?;
    let t = double(row, "T")?;
    // More than T is at least the next double, and at most T is less than it.
    let t = if boolean(row, "strict")? { Float::next_up(t) } else { t };
    let v = match small(row, "s", -1..=1)? {
        1 => noise.least_u_plus(x, t),
        -1 => noise.least_u_minus(x, t),
        _ => return Err(FieldError::new("s", &row["s"], "it must be 1 or -1")),
    };
    let mut found = row.clone();
    found["v"] = json!(v.to_hex());
    Ok(found)
}

fn ln(row: &Value) -> Result<Value, FieldError> {
    let u = positive(row, "u")?;
    let mut found = row.clone();
    found["ln"] = json!(ln_f64(u).to_hex());
    Ok(found)
}
