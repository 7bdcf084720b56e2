//! The snapping mechanism in floating point, as the arguments describe it.

use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::Sampler;
use lastbit_audit::snapping::{FloatSnap, Noise, Scaling, Variant};
use lastbit_lang::Tie;
use lastbit_real::Float;
use serde_json::{Map, Value, json};

use super::args::{FloatType, Grid, Logarithm, Operation, Snapping, Ties, Uniform};
use super::out_of_range;
use super::value::{Given, used};
use crate::error::Error;

/// Parameters that describe a mechanism in floating point.
pub(crate) struct Parameters<'a> {
    pub(crate) epsilon: &'a Given,
    /// `λ`, if it is not `1/ε`.
    pub(crate) scale: Option<&'a Given>,
    pub(crate) bound: &'a Given,
    pub(crate) grid: &'a Grid,
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
        if self.scale.is_some() && self.op == Operation::Div {
            return Err(Error::usage(
                "--scale is for --op mul, and the logarithm is divided",
                "give --op mul",
            ));
        }
        let bound = self.bound.to_float("bound", FloatType::F64)?;
        let exact = |x: f64| Rational::try_from(x).expect("finite");
        let noise = match self.op {
            Operation::Div => Noise::Divided { epsilon: exact(epsilon) },
            Operation::Mul => match self.scale.map(|scale| scale.to_float("scale", FloatType::F64)) {
                Some(scale) => Noise::Multiplied { scale: exact(scale?) },
                // 1/ε overflows only for an ε that is out of range anyhow.
                None if (1.0 / epsilon).is_finite() => Noise::Multiplied { scale: exact(1.0 / epsilon) },
                None => Noise::Divided { epsilon: exact(epsilon) },
            },
        };
        let exponent = match self.grid {
            Grid::Auto => None,
            Grid::Given(value) => value.floor_log2(),
        };
        let sampler = match self.sampler {
            Uniform::Ulp => Sampler::Ulp,
            Uniform::Grid53 => Sampler::Grid53,
        };
        let mechanism = FloatSnap::new(noise, bound, exponent, self.tie(), sampler)
            .map_err(|error| out_of_range(&error))?;
        let ln_shift = match self.ln {
            Logarithm::Correct | Logarithm::Std => 0,
            Logarithm::Above => 1,
            Logarithm::Below => -1,
        };
        Ok(Variant { mechanism, clamp_input: self.clamp, ln_shift })
    }
}

impl Snapping {
    /// What only a search has.
    pub(crate) fn check_search_options(&self) -> Result<(), Error> {
        let given = [("--budget", self.budget.is_some()), ("--sensitivity", self.sensitivity.is_some())];
        match given.iter().find(|(_, given)| *given && !self.worst) {
            Some((option, _)) => Err(Error::usage(
                format!("{option} is for --worst, and there are two inputs"),
                format!("leave out {option}, or give --worst in place of --inputs"),
            )),
            None => Ok(()),
        }
    }

    pub(crate) fn parameters(&self) -> Parameters<'_> {
        Parameters {
            epsilon: &self.epsilon,
            scale: self.scale.as_ref(),
            bound: &self.bound,
            grid: &self.grid,
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
    let mut text =
        format!("snapping in binary64: y = {noise}; u: {sampler}; ties {}", mechanism.tie().text());
    text.push_str(if variant.clamp_input { "\n" } else { "; the input is not clamped\n" });
    let grid = mechanism.grid().to_f64(Rounding::Nearest);
    let _ = writeln!(text, "  ε = {}, B = {}, Λ = {}", used(epsilon), used(mechanism.bound()), used(grid));
    if let Scaling::Multiply(scale) = mechanism.scaling() {
        let _ = writeln!(text, "  λ = {}", used(scale));
    }
    text
}

/// The parameters in JSON: with these, the report can be made again.
pub(crate) fn parameters_json(variant: &Variant, epsilon: f64) -> Map<String, Value> {
    let mechanism = &variant.mechanism;
    let (op, lam) = match mechanism.scaling() {
        Scaling::Divide(_) => ("div", None),
        Scaling::Multiply(scale) => ("mul", Some(scale.to_hex())),
    };
    let fields = json!({
        "mechanism": "snapping",
        "form": "float",
        "epsilon": epsilon.to_hex(),
        "bound": mechanism.bound().to_hex(),
        "grid": mechanism.grid().to_f64(Rounding::Nearest).to_hex(),
        "op": op,
        "scale": lam,
        "sampler": mechanism.sampler().name(),
        "tie": mechanism.tie().text(),
        "clamp": variant.clamp_input,
        "ln": match variant.ln_shift {
            0 => "correct",
            1 => "+1ulp",
            _ => "-1ulp",
        },
        "ln_shift": variant.ln_shift,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
