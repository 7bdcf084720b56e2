//! `lastbit.audit` of the snapping mechanism, in floating point and over the reals.

use lastbit::Rational;
use lastbit_audit::snapping::{
    Cell, FloatSnap, IdealOutcome, IdealSnap, Noise, PairCell, Scaling, SnappingReplay, Variant,
    outputs_of_interest,
};
use lastbit_audit::{Comparison, ExactLoss, Outcome, Sampler};
use lastbit_lang::Tie;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::audit::{LISTED, Object, Optional, divergence_at, double, exact, out_of_range, samples};
use super::compared::{Compared, Open};
use super::interrupt::Interrupt;
use super::{Fields, choice};
use crate::errors::{ParameterError, SystemFailure};
use crate::number;

/// Bits of a probability over the reals, to begin with and at most.
const IDEAL_BITS: [u32; 2] = [512, 1 << 14];

/// The snapping mechanism in floating point.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, bound, sampler, op, scale, grid, tie, clamp, ln, delta_at))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn _audit_snapping<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    epsilon: Object<'_, 'py>,
    bound: Object<'_, 'py>,
    sampler: &str,
    op: &str,
    scale: Optional<'_, 'py>,
    grid: Optional<'_, 'py>,
    tie: &str,
    clamp: bool,
    ln: &str,
    delta_at: Optional<'_, 'py>,
) -> Fields<'py> {
    let epsilon = double("epsilon", epsilon)?;
    if epsilon <= 0.0 {
        return Err(ParameterError::new_err(format!("epsilon must be positive, but is {epsilon}")));
    }
    let noise = match (choice("op", op, &[("div", false), ("mul", true)])?, scale) {
        (false, None) => Noise::Divided { epsilon: exact(epsilon) },
        (false, Some(_)) => return Err(ParameterError::new_err("scale is for op=\"mul\"")),
        (true, Some(scale)) => Noise::Multiplied { scale: exact(double("scale", scale)?) },
        (true, None) if (1.0 / epsilon).is_finite() => Noise::Multiplied { scale: exact(1.0 / epsilon) },
        (true, None) => return Err(ParameterError::new_err(format!("1/epsilon is infinite for {epsilon}"))),
    };
    let tie = choice("tie", tie, &[("up", Tie::Up), ("even", Tie::Even), ("away", Tie::Away)])?;
    let sampler = choice("sampler", sampler, &[("ulp", Sampler::Ulp), ("grid53", Sampler::Grid53)])?;
    let ln_shift = choice("ln", ln, &[("correct", 0), ("+1ulp", 1), ("-1ulp", -1)])?;
    let exponent = grid.map(power_of_two).transpose()?;
    let mechanism =
        FloatSnap::new(noise, double("bound", bound)?, exponent, tie, sampler).map_err(out_of_range)?;
    let variant = Variant { mechanism, clamp_input: clamp, ln_shift };
    let inputs = [double("input", &inputs[0])?, double("input", &inputs[1])?];
    let at = divergence_at(delta_at)?;

    let Weighed { comparison, listed, shipped } = py.detach(|| weigh(&variant, inputs, at.as_ref()))?;
    let outcomes: Vec<Outcome<i64>> = listed.iter().map(PairCell::outcome).collect();
    let compared = Compared {
        comparison: &comparison,
        outcomes: &outcomes,
        count: None,
        open: Open::Nothing,
        delta_at: at.as_ref(),
    };
    let fields = compared.fields(py, |number| Ok(variant.mechanism.output(*number)))?;
    let cell = |pair: &PairCell| {
        let of = |cell: &Cell| samples([cell.plus], [cell.minus]);
        (variant.mechanism.output(pair.number), of(&pair.cells[0]), of(&pair.cells[1]))
    };
    fields.set_item("map", PyList::new(py, listed.iter().map(cell))?)?;
    let distance = inputs.map(|f| exact(variant.start(f)));
    let claimed = (&distance[0] - &distance[1]).abs() * variant.mechanism.rate();
    fields.set_item("claimed", number::fraction(py, &claimed)?)?;
    let parameters = PyDict::new(py);
    parameters.set_item("form", "float")?;
    parameters.set_item("epsilon", epsilon)?;
    parameters.set_item("bound", variant.mechanism.bound())?;
    parameters.set_item("grid", number::fraction(py, &variant.mechanism.grid())?)?;
    parameters.set_item("sampler", sampler.name())?;
    parameters.set_item("op", op)?;
    if let Scaling::Multiply(scale) = variant.mechanism.scaling() {
        parameters.set_item("scale", scale)?;
    }
    parameters.set_item("tie", tie.text())?;
    parameters.set_item("clamp", clamp)?;
    parameters.set_item("ln", ln)?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("inputs", (inputs[0], inputs[1]))?;
    let note = shipped.map(|shipped| match shipped.replays() {
        0 => format!(
            "the shipped function agrees at the ends of every cell, {} values of u",
            shipped.evaluations()
        ),
        replays => format!("the shipped mechanism agrees at the ends of every cell, {replays} values of u"),
    });
    fields.set_item("notes", note.into_iter().collect::<Vec<_>>())?;
    Ok(fields)
}

/// All outputs compared, and those that are listed.
struct Weighed {
    comparison: Comparison<i64>,
    listed: Vec<PairCell>,
    /// The function that ships, if it computes the same.
    shipped: Option<SnappingReplay>,
}

fn weigh(variant: &Variant, inputs: [f64; 2], delta_at: Option<&Rational>) -> PyResult<Weighed> {
    let mut shipped = SnappingReplay::of(variant);
    let mut disagreement = None;
    let mut listed = Vec::new();
    let numbers = variant.numbers(inputs);
    let lists_all = numbers.end() - numbers.start() < LISTED as i64;
    let interrupt = Interrupt::new();
    let comparison = variant.compare(inputs, delta_at.unwrap_or(&Rational::ZERO), |pair| {
        if let Some(function) = &mut shipped {
            disagreement = function.confirm(inputs, variant.mechanism.output(pair.number), pair).err();
        }
        if lists_all {
            listed.push(pair.clone());
        }
        disagreement.is_none() && !interrupt.is_set()
    });
    let comparison = comparison.map_err(out_of_range)?;
    interrupt.raised()?;
    if let Some(disagreement) = disagreement {
        return Err(SystemFailure::new_err(format!(
            "{disagreement}: this is a bug, of the audit or of the function"
        )));
    }
    if !lists_all {
        let mut numbers = outputs_of_interest(variant, inputs, 0);
        numbers.extend(comparison.witness().map(|outcome| outcome.output));
        numbers.sort_unstable();
        numbers.dedup();
        listed.extend(numbers.into_iter().map(|number| variant.pair_cell(inputs, number)));
    }
    listed.retain(PairCell::is_reached);
    Ok(Weighed { comparison, listed, shipped })
}

/// `k` of a grid `2^k`.
fn power_of_two(grid: Object<'_, '_>) -> PyResult<i64> {
    let grid = number::exact("grid", grid)?;
    let exponent = grid.floor_log2().filter(|k| grid == Rational::pow2(*k));
    exponent.ok_or_else(|| ParameterError::new_err(format!("grid must be a power of two, but is {grid}")))
}

/// The snapping mechanism over the reals.
#[pyfunction]
#[pyo3(signature = (inputs, *, epsilon, bound, grid, delta_at))]
pub(crate) fn _audit_ideal<'py>(
    py: Python<'py>,
    inputs: [Bound<'py, PyAny>; 2],
    epsilon: Object<'_, 'py>,
    bound: Object<'_, 'py>,
    grid: Optional<'_, 'py>,
    delta_at: Optional<'_, 'py>,
) -> Fields<'py> {
    let epsilon = number::exact("epsilon", epsilon)?;
    let grid = match grid {
        Some(grid) => number::exact("grid", grid)?,
        // An ε that is not positive is refused for what it is, whatever the grid is.
        None => IdealSnap::default_grid(&epsilon).unwrap_or(Rational::ONE),
    };
    let mechanism = IdealSnap::new(epsilon, number::exact("bound", bound)?, grid).map_err(out_of_range)?;
    let inputs = [number::value("input", &inputs[0])?, number::value("input", &inputs[1])?];
    let at = divergence_at(delta_at)?;
    let claimed = mechanism.claimed(&inputs);
    let (ideal, is_all) = mechanism.outcomes(&inputs);
    let (comparison, bits) =
        py.detach(|| settled(&mechanism, &ideal, at.as_ref().unwrap_or(&Rational::ZERO)));
    let outcomes: Vec<Outcome<Rational>> = ideal.iter().map(|outcome| outcome.outcome(bits)).collect();
    let count = mechanism.outputs();
    let compared = Compared {
        comparison: &comparison,
        outcomes: &outcomes,
        count: Some(&count),
        open: if is_all { Open::Nothing } else { Open::Sums },
        delta_at: at.as_ref(),
    };
    let fields = compared.fields(py, |output| number::fraction(py, output))?;
    let zero = number::fraction(py, &Rational::ZERO)?;
    if ideal.iter().all(IdealOutcome::is_alike) {
        fields.set_item("loss", (&zero, &zero))?;
    }
    // By the theorem of the mechanism.
    if at.is_some_and(|at| at >= claimed) {
        fields.set_item("delta", (&zero, &zero))?;
    }
    fields.set_item("only_first", &zero)?;
    fields.set_item("only_second", &zero)?;
    fields.set_item("map", py.None())?;
    fields.set_item("claimed", number::fraction(py, &claimed)?)?;
    let parameters = PyDict::new(py);
    parameters.set_item("form", "exact")?;
    parameters.set_item("epsilon", number::fraction(py, mechanism.epsilon())?)?;
    parameters.set_item("bound", number::fraction(py, mechanism.bound())?)?;
    parameters.set_item("grid", number::fraction(py, mechanism.grid())?)?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("inputs", (number::fraction(py, &inputs[0])?, number::fraction(py, &inputs[1])?))?;
    fields.set_item("notes", PyList::empty(py))?;
    Ok(fields)
}

/// A comparison with as many bits as it takes: where probabilities are nearly the same, most of their bits are.
fn settled(
    mechanism: &IdealSnap,
    outcomes: &[IdealOutcome],
    delta_at: &Rational,
) -> (Comparison<Rational>, u32) {
    let [mut bits, most] = IDEAL_BITS;
    let is_zero = outcomes.iter().all(IdealOutcome::is_alike);
    loop {
        let comparison = mechanism.compare(outcomes, delta_at, bits);
        let is_tight = match comparison.loss(128) {
            ExactLoss::Finite(loss) => loss.width() <= loss.hi().shl(-100),
            ExactLoss::Infinite => true,
            ExactLoss::AtLeast(_) => false,
        };
        if is_zero || is_tight || bits >= most {
            return (comparison, bits);
        }
        bits *= 2;
    }
}
