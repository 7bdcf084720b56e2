//! The Laplace mechanism as textbooks have it, `x ⊕ s ⊗ (LN(u) ⊘ ε)`: its loss is infinite.

use lastbit_audit::program as programs;
use lastbit_lang::{Format, ast};
use lastbit_real::Float;

use super::given::exactly;
use super::judge::judge;
use super::{AuditAnswer, ClaimSource, FloatType, Given, JudgedClaim, Parameter, Wishes, program};
use crate::{Refusal, Watcher};

/// The question of an audit of the textbook's mechanism.
#[derive(Clone, Debug)]
pub struct Question {
    /// `ε`
    pub epsilon: Given,
    /// The inputs.
    pub inputs: [Given; 2],
    /// The type of all numbers.
    pub float_type: FloatType,
    /// The sampler of `u`; by default the multiples of 2^-53, or of 2^-24 in single precision.
    pub sampler: Option<ast::Sampler>,
}

impl Question {
    /// A question in doubles, with the usual sampler.
    pub fn new(epsilon: Given, inputs: [Given; 2]) -> Question {
        Question { epsilon, inputs, float_type: FloatType::F64, sampler: None }
    }
}

/// Audits two inputs.
///
/// # Errors
/// If a parameter is out of range, or the watcher stops it.
pub fn audit(question: &Question, wishes: &Wishes, watcher: &Watcher<'_>) -> Result<AuditAnswer, Refusal> {
    wishes.check()?;
    let float_type = question.float_type;
    let epsilon = question.epsilon.to_positive("epsilon", float_type)?;
    let [f, f2] = &question.inputs;
    let inputs = [f.to_float("input", float_type)?, f2.to_float("input", float_type)?];
    let (format, usual) = match float_type {
        FloatType::F64 => (Format::Binary64, ast::Sampler::Grid53),
        FloatType::F32 => (Format::Binary32, ast::Sampler::Grid24),
    };
    let sampler = match (question.sampler, float_type) {
        (Some(ast::Sampler::Grid53), FloatType::F32) => {
            return Err(Refusal::usage(
                "the sampler must be grid24 or ulp: multiples of 2^-53 are no single-precision floats",
                "choose the sampler grid24 or ulp, or the type f64",
            ));
        }
        (given, _) => given.unwrap_or(usual),
    };
    let rate = exactly(epsilon);
    let delta_at = wishes.delta_at(&rate);
    let exact_inputs = inputs.map(exactly);
    let report = program::watched(wishes, watcher, Some(&delta_at), None, |options| {
        programs::textbook_laplace(format, sampler, &rate, exact_inputs.each_ref(), options)
    })
    .map_err(|error| program::without_place(&error))?;
    let [x, x2] = &exact_inputs;
    let claimed = &rate * (x - x2).abs();
    let is_open = report.method == programs::Method::Witness;
    let claim = JudgedClaim::pure(ClaimSource::Reals, &claimed, judge(&report.comparison, &claimed, is_open));
    let parameters = [
        ("epsilon", Parameter::double(epsilon)),
        ("type", Parameter::word(float_type.name())),
        ("sampler", Parameter::word(report.sampler.name())),
    ];
    Ok(AuditAnswer {
        mechanism: "textbook-laplace".into(),
        parameters: parameters.map(|(name, value)| (name.to_owned(), value)).into(),
        inputs: inputs.map(|f| f.to_hex()),
        title: format!("textbook Laplace in {format}: f ⊕ s ⊗ (LN(u) ⊘ ε)"),
        ..program::told(&report, vec![claim], wishes)
    })
}
