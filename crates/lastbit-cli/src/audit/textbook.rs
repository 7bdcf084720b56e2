//! `lastbit audit textbook-laplace`: the Laplace mechanism without any repair.

use lastbit::Rational;
use lastbit_audit::program::{self, ProgramError};
use lastbit_lang::{Format, ast};
use lastbit_real::Float;
use serde_json::json;

use super::args::{FloatType, Textbook, TextbookUniform};
use super::delta_at;
use super::program::{stopped, watched};
use super::shown::Shown;
use super::value::used;
use crate::error::Error;

/// Audits it.
pub(crate) fn run(args: &Textbook) -> Result<(), Error> {
    let epsilon = args.epsilon.to_float("epsilon", args.float_type)?;
    if epsilon <= 0.0 {
        return Err(Error::usage(
            format!("epsilon must be positive, but is {epsilon}"),
            "give a number such as 0.1 or 1",
        ));
    }
    let [f, f2] = args.inputs.as_slice() else {
        return Err(Error::usage("an audit compares two inputs", "give --inputs F F'"));
    };
    let inputs = [f.to_float("input", args.float_type)?, f2.to_float("input", args.float_type)?];
    let format = match args.float_type {
        FloatType::F64 => Format::Binary64,
        FloatType::F32 => Format::Binary32,
    };
    let sampler = match (args.sampler, args.float_type) {
        (Some(TextbookUniform::Ulp), _) => ast::Sampler::Ulp,
        (Some(TextbookUniform::Grid53), FloatType::F32) => {
            return Err(Error::usage(
                "multiples of 2^-53 are no single-precision floats",
                "give --sampler grid24 or ulp, or --type f64",
            ));
        }
        (Some(TextbookUniform::Grid24), _) | (None, FloatType::F32) => ast::Sampler::Grid24,
        (Some(TextbookUniform::Grid53), _) | (None, FloatType::F64) => ast::Sampler::Grid53,
    };
    let exact = |x: f64| Rational::try_from(x).expect("finite");
    let delta_at = delta_at(&args.show.delta_at, &exact(epsilon))?;
    let exact_inputs = inputs.map(exact);
    let report = watched("textbook-laplace", Some(&delta_at), None, &args.show, false, |options| {
        program::textbook_laplace(format, sampler, &exact(epsilon), exact_inputs.each_ref(), options)
    });
    let report = report.map_err(|error| match error {
        ProgramError::Cancelled => stopped(),
        other => Error::usage(other.to_string(), "give an epsilon and inputs of a usual size"),
    })?;
    let [f, f2] = inputs.map(used);
    let header = format!(
        "textbook Laplace in {format}: f ⊕ s ⊗ (LN(u) ⊘ ε)\n  ε = {}\n  f = {f}, f' = {f2}\n",
        used(epsilon)
    );
    let fields = [
        ("mechanism", json!("textbook-laplace")),
        ("type", json!(if args.float_type == FloatType::F32 { "f32" } else { "f64" })),
        ("epsilon", json!(epsilon.to_hex())),
        ("inputs", json!(inputs.map(|f| f.to_hex()))),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Shown { header, fields, show: &args.show, map: false }.print(&report)
}
