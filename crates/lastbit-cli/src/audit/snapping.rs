//! `lastbit audit snapping` in floating point: every output and its loss, and what the papers claim of it.

use lastbit::{Rational, Rounding};
use lastbit_audit::decimal::settled;
use lastbit_audit::program::Library;
use lastbit_audit::snapping::{SnappingReplay, Variant};
use lastbit_audit::{Comparison, ExactLoss};
use lastbit_real::{Enclosure, Float};
use serde_json::json;

use super::args::{Logarithm, Snapping};
use super::parameters::{doubles, header, parameters_json};
use super::report::{KEPT, Report};
use super::shown;
use super::summary::{Open, Style};
use super::value::{shown as double, used};
use super::verdicts::Verdicts;
use super::{delta_at, eta, out_of_range, print_json, program, worst};
use crate::error::Error;
use crate::progress::LateBar;
use crate::prove::files::print;

/// Audits two inputs.
pub(crate) fn run(args: &Snapping) -> Result<(), Error> {
    args.check_search_options()?;
    let variant = args.parameters().variant()?;
    let epsilon = args.parameters().epsilon()?;
    let found = if args.worst { Some(worst::search(args, &variant)?) } else { None };
    let inputs = match &found {
        Some(found) => found.inputs,
        None => doubles(args.inputs.as_deref().unwrap_or_default())?,
    };
    let exact_epsilon = Rational::try_from(epsilon).expect("finite");
    let delta_at = delta_at(&args.show.delta_at, &exact_epsilon)?;
    if args.ln == Logarithm::Std {
        return with_this_library(args, &variant, epsilon, inputs, delta_at);
    }

    let mut shipped = SnappingReplay::of(&variant);
    let mut disagreement = None;
    let mut verdicts = Verdicts::new(&variant, inputs);
    let (first, last) = variant.numbers(inputs).into_inner();
    let keeps_all = args.show.all || args.map || last - first < KEPT;
    let mut kept = Vec::new();
    let bar = LateBar::new(
        "weighing",
        "{prefix} {wide_bar} {pos}/{len} outputs, {eta} left {msg}",
        last.abs_diff(first),
    );
    let comparison = variant
        .compare(inputs, &delta_at, |pair| {
            let output = variant.mechanism.output(pair.number);
            if let Some(function) = &mut shipped {
                disagreement = function.confirm(inputs, output, pair).err();
            }
            verdicts.visit(pair);
            bar.show(pair.number.abs_diff(first), "");
            if keeps_all {
                kept.push(pair.clone());
            }
            disagreement.is_none()
        })
        .map_err(|error| out_of_range(&error))?;
    drop(bar);
    if let Some(disagreement) = disagreement {
        let message = format!("{disagreement}: this is a bug, of the audit or of the function");
        return Err(Error::usage(message, "please report it with the parameters"));
    }
    let name = |number: &i64| double(variant.mechanism.output(*number));
    let id = |number: &i64| variant.mechanism.output(*number).to_hex();
    let style = Style {
        digits: args.show.digits.into(),
        delta_at,
        delta_why: "",
        name: &name,
        id: &id,
        open: Open::Nothing,
        no_delta: false,
    };
    let excess = excess(&comparison, &exact_epsilon);
    let report = Report {
        args,
        variant: &variant,
        epsilon,
        inputs,
        comparison,
        style,
        excess,
        shipped,
        verdicts,
        kept,
        found,
    };
    if args.show.json { print_json(&report.json()) } else { print(&report.text()) }
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
    let report = program::of_snapping(
        variant.program(),
        inputs.map(exact),
        Library::Std,
        &delta_at,
        &args.show,
        args.map,
    )?;
    let mut fields = parameters_json(variant, epsilon);
    fields.insert("ln".into(), json!("std"));
    fields.remove("ln_shift");
    fields.insert("inputs".into(), json!(inputs.map(|f| f.to_hex())));
    fields.insert("excess_eta".into(), json!(excess(&report.comparison, &exact(epsilon))));
    let [f, f2] = inputs.map(used);
    let header = format!("{}  f = {f}, f' = {f2}\n  LN: this machine's\n", header(variant, epsilon));
    shown::Shown { header, fields, show: &args.show, map: args.map }.print(&report)
}

/// `(loss - ε)/η`, or `inf`.
fn excess<O: Clone>(comparison: &Comparison<O>, epsilon: &Rational) -> String {
    if comparison.loss(64) == ExactLoss::Infinite {
        return "inf".into();
    }
    let enclose = |bits| eta(&(&comparison.finite_loss(bits) - &Enclosure::of_rational(epsilon, bits)));
    settled(enclose, |value| value.to_decimal(20, Rounding::Nearest))
}
