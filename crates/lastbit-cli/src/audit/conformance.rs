//! `lastbit conformance`.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};

use indicatif::ProgressBar;
use lastbit_audit::conformance::{CheckedCase, EmitError, Emitted, Mismatch, check, emit};
use lastbit_engine::audit::snapping::{Logarithm, Mechanism};
use lastbit_engine::audit::{FloatType, Given, exact};
use lastbit_engine::{Refusal, Schema};
use serde::Serialize;

use super::args::{Conformance, EmitParameters, Operation};
use super::question::{only_floats, two};
use crate::args::Form;
use crate::error::{Error, of_engine};
use crate::prove::files::{name_of, print, print_json, read_text};

/// Differences of a case that are printed.
const MOST_SHOWN: usize = 8;

pub(crate) fn run(args: &Conformance) -> Result<(), Error> {
    match &args.file {
        Some(path) => {
            let (name, text) = (name_of(path), read_text(path)?);
            recompute(&name, &text, args.json)
        }
        None if args.emit => write(&args.parameters),
        None => Err(Error::usage("missing <FILE>", "give a file of exact values, or --emit to write one")),
    }
}

/// What became of a file.
#[derive(Serialize)]
struct Recomputed<'a> {
    schema: Schema,
    conforms: bool,
    cases: &'a [CheckedCase],
}

fn recompute(name: &str, text: &str, as_json: bool) -> Result<(), Error> {
    let bar = if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let checked = check(text, |_, all| {
        bar.set_length(all as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    let checked = checked.map_err(|error| {
        Error::usage(format!("{name}: {error}"), "docs/conformance.md describes such files")
    })?;
    if checked.is_empty() {
        return Err(Error::usage(format!("{name} has no cases"), "there is nothing to recompute in it"));
    }
    let bad = checked.iter().filter(|case| !case.mismatches.is_empty()).count();
    if as_json {
        print_json(&Recomputed { schema: Schema, conforms: bad == 0, cases: &checked })?;
    } else {
        let mut text: String = checked.iter().map(mismatches).collect();
        let values: usize = checked.iter().map(|case| case.values).sum();
        let differ: usize = checked.iter().map(|case| case.mismatches.len()).sum();
        text += &match bad {
            0 => format!("{name}: all {values} values of {} cases hold\n", checked.len()),
            _ => format!("{name}: {differ} differences, in {bad} of {} cases\n", checked.len()),
        };
        print(&text)?;
    }
    if bad == 0 { Ok(()) } else { Err(Error::Told(1)) }
}

fn shown(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("nothing")
}

/// The first differences of a case. A wrong parameter changes nearly everything, and the first few tell as much as all.
fn mismatches(case: &CheckedCase) -> String {
    let all = &case.mismatches;
    if all.is_empty() {
        return String::new();
    }
    let mut text =
        format!("{} ({}): {} differences, {} values compared\n", case.id, case.kind, all.len(), case.values);
    for Mismatch { path, file, recomputed } in all.iter().take(MOST_SHOWN) {
        let (file, recomputed) = (shown(file), shown(recomputed));
        let _ = writeln!(text, "  {path}\n    file        {file}\n    recomputed  {recomputed}");
    }
    if all.len() > MOST_SHOWN {
        let _ = writeln!(text, "  and {} more: --json lists them", all.len() - MOST_SHOWN);
    }
    text.push('\n');
    text
}

fn write(parameters: &EmitParameters) -> Result<(), Error> {
    let (Some(epsilon), Some(bound)) = (&parameters.epsilon, &parameters.bound) else {
        return Err(Error::usage("--emit needs --epsilon, --bound and --inputs", "see --help"));
    };
    let mechanism = Mechanism {
        grid: parameters.grid.given(),
        multiplies: parameters.op == Operation::Mul,
        sampler: parameters.sampler.into(),
        tie: parameters.tie.into(),
        clamp: !parameters.no_clamp,
        ln: parameters.ln.into(),
        ..Mechanism::new(epsilon.clone(), bound.clone())
    };
    let emitted = parameters.inputs.chunks(2).map(|pair| match parameters.form {
        Form::Float => float(&mechanism, pair),
        Form::Exact => over_the_reals(&mechanism, pair),
    });
    let emitted = emitted.collect::<Result<Vec<_>, _>>().map_err(of_engine)?;
    let file = emit(&emitted).map_err(|error| match error {
        EmitError::OutOfRange(error) => of_engine(Refusal::out_of_range(&error)),
        EmitError::Field(error) => Error::usage(error.to_string(), "choose other parameters"),
    })?;
    print_json(&file)
}

fn float(mechanism: &Mechanism, pair: &[Given]) -> Result<Emitted, Refusal> {
    if mechanism.ln == Logarithm::Platform {
        return Err(Refusal::usage(
            "a conformance file cannot depend on this machine's logarithm",
            "give --ln correct, +1ulp or -1ulp",
        ));
    }
    let [f, f2] = two(pair)?;
    let double = |given: &Given| given.to_float("input", FloatType::F64);
    Ok(Emitted::Float {
        variant: mechanism.variant()?,
        epsilon: mechanism.epsilon()?,
        inputs: [double(&f)?, double(&f2)?],
    })
}

fn over_the_reals(mechanism: &Mechanism, pair: &[Given]) -> Result<Emitted, Refusal> {
    only_floats(mechanism, &[])?;
    let inputs = two(pair)?.map(|given| given.exact);
    let question = exact::Question {
        epsilon: mechanism.epsilon.exact.clone(),
        bound: mechanism.bound.exact.clone(),
        grid: mechanism.grid.clone(),
        inputs,
    };
    question.mechanism()?;
    let grid = question.grid();
    Ok(Emitted::Ideal { parameters: [question.epsilon, question.bound, grid], inputs: question.inputs })
}
