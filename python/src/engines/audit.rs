//! `lastbit.audit` of the textbook's mechanism and of the samplers; what all audits share.

use lastbit::{Amount, Family, IBig, Measure, Rational, Rounding, ValueType};
use lastbit_audit::bit_tree::{
    BitTreeError, EventRow, SamplerReport, SamplerRequest, ShippedSampler, sampler_audit,
};
use lastbit_audit::{Comparison, OutOfRange, Outcome, program};
use lastbit_lang::{Format, ast};
use lastbit_real::{Enclosure, Float};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::audit_text::{ProgramAudit, refused};
use super::compared::{Compared, Open};
use super::interrupt::Interrupt;
use super::{Fields, choice};
use crate::errors::{ParameterError, python};
use crate::number;

/// Outputs are all listed up to this many.
pub(super) const LISTED: usize = 4096;
/// Losses beyond this have no use, and their exponentials no room.
const MOST_DELTA_AT: i64 = 1 << 20;

pub(super) type Object<'a, 'py> = &'a Bound<'py, PyAny>;
pub(super) type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

pub(super) fn out_of_range(error: OutOfRange) -> PyErr {
    let name = match error.name {
        "B" => "bound",
        "Λ" => "grid",
        other => other,
    };
    ParameterError::new_err(OutOfRange { name, ..error }.to_string())
}

/// The `ε` of delta, if it is asked for.
pub(super) fn divergence_at(given: Optional<'_, '_>) -> PyResult<Option<Rational>> {
    let Some(given) = given else { return Ok(None) };
    let epsilon = number::exact("delta_at", given)?;
    match epsilon.abs() <= Rational::from(MOST_DELTA_AT) {
        true => Ok(Some(epsilon)),
        false => Err(ParameterError::new_err("delta_at must be between -2^20 and 2^20")),
    }
}

/// The double nearest to a number.
pub(super) fn double(name: &str, x: Object<'_, '_>) -> PyResult<f64> {
    finite(name, number::exact(name, x)?.to_f64(Rounding::Nearest))
}

fn finite(name: &str, x: f64) -> PyResult<f64> {
    match x.is_finite() {
        true => Ok(x + 0.0), // no negative zero
        false => Err(ParameterError::new_err(format!("{name} is too large for its type"))),
    }
}

/// What a finite double is.
pub(super) fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("finite")
}

/// The intervals of `u` for both signs, without empty ones.
pub(super) fn samples(
    plus: impl IntoIterator<Item = [f64; 2]>,
    minus: impl IntoIterator<Item = [f64; 2]>,
) -> [Vec<(f64, f64)>; 2] {
    fn of(intervals: impl IntoIterator<Item = [f64; 2]>) -> Vec<(f64, f64)> {
        intervals.into_iter().filter(|[lo, hi]| lo < hi).map(|[lo, hi]| (lo, hi)).collect()
    }
    [of(plus), of(minus)]
}

/// The Laplace mechanism as textbooks have it.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, dtype, sampler, delta_at))]
pub(crate) fn _audit_textbook<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    epsilon: Object<'_, 'py>,
    dtype: &str,
    sampler: Option<&str>,
    delta_at: Optional<'_, 'py>,
) -> Fields<'py> {
    let format = choice("dtype", dtype, &[("float64", Format::Binary64), ("float32", Format::Binary32)])?;
    let float = |name: &str, x: Object<'_, '_>| {
        let exact = number::exact(name, x)?;
        let nearest = match format {
            Format::Binary64 => exact.to_f64(Rounding::Nearest),
            Format::Binary32 => f32::from_rational(&exact, Rounding::Nearest).into(),
        };
        finite(name, nearest)
    };
    let epsilon = float("epsilon", epsilon)?;
    if epsilon <= 0.0 {
        return Err(ParameterError::new_err(format!("epsilon must be positive, but is {epsilon}")));
    }
    let inputs = [float("input", &inputs[0])?, float("input", &inputs[1])?];
    let grid24 = ("grid24", ast::Sampler::Grid24);
    let ulp = ("ulp", ast::Sampler::Ulp);
    let sampler = match (sampler, format) {
        (None, Format::Binary64) => ast::Sampler::Grid53,
        (None, Format::Binary32) => ast::Sampler::Grid24,
        (Some(word), Format::Binary64) => {
            choice("sampler", word, &[("grid53", ast::Sampler::Grid53), grid24, ulp])?
        }
        (Some(word), Format::Binary32) => choice("sampler", word, &[grid24, ulp])?,
    };
    let at = divergence_at(delta_at)?;
    let (rate, exact_inputs) = (exact(epsilon), inputs.map(exact));
    let audit = ProgramAudit { delta_at: at, library: None };
    let report = py.detach(|| {
        audit.run(|options| {
            program::textbook_laplace(format, sampler, &rate, exact_inputs.each_ref(), options)
        })
    })?;
    let report = report.map_err(|error| refused(&error))?;
    let fields = audit.fields(py, &report)?;
    let [f, f2] = &exact_inputs;
    fields.set_item("claimed", number::fraction(py, &(rate * (f - f2).abs()))?)?;
    let parameters = PyDict::new(py);
    parameters.set_item("epsilon", epsilon)?;
    parameters.set_item("dtype", dtype)?;
    parameters.set_item("sampler", report.sampler.name())?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("inputs", (inputs[0], inputs[1]))?;
    Ok(fields)
}

/// A sampler that ships, on every sequence of random bits.
#[pyfunction]
#[pyo3(signature = (inputs, *, mechanism, scale, bound, k, depth, delta_at))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn _audit_sampler<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    mechanism: &str,
    scale: Object<'_, 'py>,
    bound: Optional<'_, 'py>,
    k: Option<i32>,
    depth: Option<u32>,
    delta_at: Optional<'_, 'py>,
) -> Fields<'py> {
    let scale = number::exact("scale", scale)?;
    let bound = bound.map(|bound| number::exact("bound", bound)).transpose()?;
    let inputs = [double("input", &inputs[0])?, double("input", &inputs[1])?];
    let mut request = SamplerRequest::new(shipped(mechanism, &scale, bound.as_ref(), k)?, inputs);
    request.depth_bits = depth.unwrap_or(request.depth_bits);
    let report = py.detach(|| {
        let interrupt = Interrupt::new();
        let report = sampler_audit(&request, interrupt.flag(), &mut |_| interrupt.look());
        interrupt.raised().map(|()| report)
    })?;
    let report = report.map_err(|error| match error {
        BitTreeError::OutOfRange(error) => out_of_range(error),
        BitTreeError::Sampler(error) => python(error),
        error => ParameterError::new_err(format!("{error}: give a smaller depth, or a smaller scale")),
    })?;
    let fields = sampled(py, &report, divergence_at(delta_at)?)?;
    let parameters = PyDict::new(py);
    parameters.set_item("mechanism", mechanism)?;
    parameters.set_item("scale", number::fraction(py, &scale)?)?;
    if let Some(bound) = &bound {
        parameters.set_item("bound", number::fraction(py, bound)?)?;
    }
    if let Some(k) = k {
        parameters.set_item("k", k)?;
    }
    parameters.set_item("depth", report.depth_bits)?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("inputs", (inputs[0], inputs[1]))?;
    Ok(fields)
}

fn shipped(
    name: &str,
    scale: &Rational,
    bound: Option<&Rational>,
    k: Option<i32>,
) -> PyResult<ShippedSampler> {
    let snaps = matches!(name, "snapping" | "float_snapping");
    if bound.is_some() != snaps {
        return Err(ParameterError::new_err("bound is for snapping and float_snapping, which need it"));
    }
    if k.is_some() && name != "grid_laplace" {
        return Err(ParameterError::new_err("k is for grid_laplace"));
    }
    let bound = bound.cloned().unwrap_or(Rational::ONE);
    let family = match name {
        "laplace" => Family::Laplace,
        "gaussian" => Family::Gaussian,
        "discrete_laplace" => Family::DiscreteLaplace,
        "discrete_gaussian" => Family::DiscreteGaussian,
        "grid_laplace" => Family::GridLaplace { values: ValueType::F64, k },
        "snapping" => Family::Snapping { bound, clamp_infinite: false },
        "float_snapping" => Family::FloatSnapping { bound },
        other => return Err(ParameterError::new_err(format!("there is no sampler {other:?}"))),
    };
    Ok(ShippedSampler::of(family.with(&Amount::Scale(scale.clone())).map_err(python)?))
}

/// The fields of a report on a sampler: its events are the outputs.
fn sampled<'py>(py: Python<'py>, report: &SamplerReport, delta_at: Option<Rational>) -> Fields<'py> {
    let claim = &report.loss.claim;
    let delta_at = delta_at.unwrap_or_else(|| claim.loss().clone());
    let depth = i64::from(report.depth_bits);
    let outcome = |row: &EventRow| {
        let weight = |[least, most]: &[Rational; 2]| {
            let [lo, hi] = [least, most].map(|end| end * Rational::pow2(depth));
            Enclosure::new(lo.floor().into(), hi.ceil().into()).expect("in order")
        };
        Outcome { output: row.label.clone(), weights: row.bounds.each_ref().map(weight) }
    };
    let outcomes: Vec<Outcome<String>> = report.events.iter().map(outcome).collect();
    let mut comparison = Comparison::new(IBig::ONE << report.depth_bits as usize, &delta_at);
    outcomes.iter().for_each(|outcome| comparison.push(outcome.clone()));
    let compared = Compared {
        comparison: &comparison,
        outcomes: &outcomes,
        count: None,
        // An event may be several outputs, and one of them may lose more than all together.
        open: Open::Loss,
        delta_at: Some(&delta_at),
    };
    let fields = compared.fields(py, |label| Ok(label.clone()))?;
    let is_pure = claim.measure() == Measure::MaxDivergence;
    fields.set_item("claimed", is_pure.then(|| number::fraction(py, claim.loss())).transpose()?)?;
    fields.set_item("map", py.None())?;
    let remainder = report.sides.iter().map(|side| &side.remainder).max().cloned().unwrap_or(Rational::ZERO);
    let mut notes = vec![
        format!(
            "{}: the law of the sampler, words of the width that ships next to thresholds, and the claim: {claim}",
            if report.is_refuted() { "REFUTED" } else { "nothing is refuted" },
        ),
        format!(
            "after {depth} bits a probability of at most {} is undecided",
            remainder.to_decimal(3, Rounding::Up)
        ),
        "an output may stand for an interval of outputs; the loss is that of these".to_owned(),
    ];
    if report.starts_over() {
        // Of one proposal it would be less than of what is released.
        fields.set_item("delta", py.None())?;
        notes.push("probabilities are those of one proposal; if it is rejected, all begins anew".to_owned());
    }
    fields.set_item("notes", notes)?;
    Ok(fields)
}
