//! Files for others to conform to.

use lastbit_real::{Float, Rational, ln_f64};
use serde_json::{Value, json};

use super::fields::FieldError;
use super::recompute;
use crate::snapping::{IdealSnap, PairCell, Scaling, Variant};
use crate::{OutOfRange, Sampler};

/// The mechanism and inputs of a case to emit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Emitted {
    /// The mechanism in floating point, at two inputs.
    Float {
        /// The mechanism.
        variant: Variant,
        /// `ε` as a double: of what the loss is an excess.
        epsilon: f64,
        /// The inputs.
        inputs: [f64; 2],
    },
    /// The mechanism over the reals, at two inputs.
    Ideal {
        /// `ε`, `B` and `Λ`.
        parameters: [Rational; 3],
        /// The inputs.
        inputs: [Rational; 2],
    },
}

/// The reason why nothing is emitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// Parameters out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Parameters that a file cannot state.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// Outputs are all listed up to this many; of more, some.
const ALL_OUTPUTS: usize = 33;
/// How many are listed next to each place of interest.
const NEXT_TO: i64 = 2;

/// A whole file. For a mechanism in floating point it has four cases: the distribution, thresholds, logarithms, and the
/// textbook mechanism of the same scale; for one over the reals the distribution.
///
/// # Errors
/// [`EmitError`], if the parameters are out of range.
pub fn emit(emitted: &[Emitted]) -> Result<Value, EmitError> {
    let mut cases = Vec::new();
    for (i, request) in emitted.iter().enumerate() {
        match request {
            Emitted::Float { variant, epsilon, inputs } => {
                cases.extend(float_cases(i + 1, variant, *epsilon, *inputs)?);
            }
            Emitted::Ideal { parameters: [epsilon, bound, grid], inputs } => {
                IdealSnap::new(epsilon.clone(), bound.clone(), grid.clone())?;
                let [f, f2] = inputs;
                let names = [("eps", epsilon), ("B", bound), ("Lam", grid), ("f", f), ("f2", f2)];
                let params: Value = names
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), json!(value.to_string())))
                    .collect();
                cases.push(complete(json!({
                    "id": format!("ideal-{}", i + 1), "kind": "snap_ideal", "params": params,
                }))?);
            }
        }
    }
    Ok(json!({
        "title": "exact values of the snapping mechanism",
        "schema_version": super::SCHEMA_VERSION,
        "n_cases": cases.len(),
        "cases": cases,
    }))
}

/// The case with everything that is recomputed of it.
fn complete(mut case: Value) -> Result<Value, FieldError> {
    let recomputed = recompute(&case)?;
    if let (Value::Object(case), Value::Object(recomputed)) = (&mut case, recomputed) {
        case.extend(recomputed);
    }
    Ok(case)
}

fn float_cases(n: usize, variant: &Variant, epsilon: f64, inputs: [f64; 2]) -> Result<Vec<Value>, EmitError> {
    let mechanism = &variant.mechanism;
    let sampler = match mechanism.sampler() {
        Sampler::Ulp => "mironov",
        Sampler::Grid53 => "grid53",
        other => {
            let reason = "a file knows the samplers ulp and grid53";
            return Err(OutOfRange { name: "sampler", value: other.name().into(), reason }.into());
        }
    };
    let mut numbers = Vec::new();
    let mut cuts = Vec::new();
    variant.for_each_output(inputs, |pair: &PairCell| {
        numbers.push(pair.number);
        let ends = pair.cells.iter().flat_map(|cell| [cell.plus[1], cell.minus[1]]);
        cuts.extend(ends.filter(|u| *u > 0.0 && *u < 1.0));
        true
    })?;
    let listed = choose(variant, &numbers, inputs);
    let (op, lam) = match mechanism.scaling() {
        Scaling::Divide(_) => ("div", None),
        Scaling::Multiply(scale) => ("mul", Some(scale.to_hex())),
    };
    let [f, f2] = inputs.map(|f| f.to_hex());
    let grid = mechanism.grid().to_f64(lastbit_real::Rounding::Nearest);
    let mut params = json!({
        "eps": epsilon.to_hex(), "B": mechanism.bound().to_hex(), "Lam": grid.to_hex(), "op": op, "sampler": sampler,
        "tie": mechanism.tie().text(), "clamp_input": variant.clamp_input, "ln_shift": variant.ln_shift, "f": f, "f2": f2,
    });
    if let Some(lam) = &lam {
        params["lam"] = json!(lam);
    }
    let top = mechanism.top();
    let outputs: Vec<Value> = listed
        .iter()
        .map(|&number| match number {
            _ if number <= -top => json!({ "label": "-B" }),
            _ if number >= top => json!({ "label": "+B" }),
            _ => json!({ "label": "grid", "k": number }),
        })
        .collect();
    let rows: Vec<Value> = listed
        .iter()
        .filter(|number| **number > -top)
        .flat_map(|number| {
            let threshold = mechanism.threshold(*number).to_hex();
            inputs.into_iter().flat_map(move |f| {
                let (x, threshold) = (variant.start(f), threshold.clone());
                [1, -1].map(|s| json!({ "x": x.to_hex(), "T": threshold, "strict": false, "s": s }))
            })
        })
        .map(|mut row| {
            for name in ["eps", "op", "lam"] {
                if let Some(value) = params.get(name) {
                    row[name] = value.clone();
                }
            }
            row
        })
        .collect();
    let logarithms: Vec<Value> = cuts
        .iter()
        .take(2 * ALL_OUTPUTS)
        .map(|u| json!({ "u": u.to_hex(), "ln": ln_f64(*u).to_hex() }))
        .collect();
    let noise = variant.noise();
    let results: Vec<Value> = [0.5, 0.75, f64::EPSILON / 2.0]
        .into_iter()
        .flat_map(|u| [inputs[0] + noise.of(u), inputs[0] - noise.of(u)])
        .map(|w| json!({ "w": w.to_hex() }))
        .collect();
    let textbook = json!({ "eps": epsilon.to_hex(), "sampler": sampler, "f": f, "f2": f2 });
    Ok(vec![
        complete(
            json!({ "id": format!("snapping-{n}"), "kind": "snap_float", "params": params, "outputs": outputs }),
        )?,
        complete(json!({ "id": format!("threshold-{n}"), "kind": "threshold", "rows": rows }))?,
        complete(json!({ "id": format!("ln-{n}"), "kind": "ln", "rows": logarithms }))?,
        complete(
            json!({ "id": format!("naive-{n}"), "kind": "naive", "params": textbook, "outputs": results }),
        )?,
    ])
}

/// All numbers if they are few; else the ends, those next to the inputs and to zero, and some others.
fn choose(variant: &Variant, numbers: &[i64], inputs: [f64; 2]) -> Vec<i64> {
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else { return Vec::new() };
    if numbers.len() <= ALL_OUTPUTS {
        return numbers.to_vec();
    }
    let places = inputs.map(|f| variant.mechanism.number_of(variant.start(f)));
    let spread = (1..8).map(|i| first + i * ((last - first) / 8));
    let near = [first, last, 0].into_iter().chain(places).flat_map(|place| place - NEXT_TO..=place + NEXT_TO);
    let wanted: std::collections::BTreeSet<i64> = near.chain(spread).collect();
    numbers.iter().copied().filter(|number| wanted.contains(number)).collect()
}
