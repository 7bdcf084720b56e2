//! `lastbit conformance`.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};

use indicatif::ProgressBar;
use lastbit::Rational;
use lastbit_audit::conformance::{CheckedCase, EmitError, Emitted, Mismatch, check, emit};
use serde_json::{Value, json};

use super::args::{Conformance, EmitParameters, Logarithm};
use super::ideal;
use super::parameters::{Parameters, doubles};
use super::value::Given;
use super::{out_of_range, print_json};
use crate::args::Form;
use crate::error::Error;
use crate::prove::files::{name_of, print, read_text};

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

fn recompute(name: &str, text: &str, as_json: bool) -> Result<(), Error> {
    let bar = if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let checked = check(text, |_, all| {
        bar.set_length(all as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    let checked = checked.map_err(|error| {
        Error::usage(format!("{name}: {error}"), "docs/conformance.md says what such a file is made of")
    })?;
    if checked.is_empty() {
        return Err(Error::usage(format!("{name} has no cases"), "there is nothing to recompute in it"));
    }
    let bad = checked.iter().filter(|case| !case.mismatches.is_empty()).count();
    if as_json {
        let cases: Vec<Value> = checked.iter().map(case_json).collect();
        print_json(&json!({ "conforms": bad == 0, "cases": cases }))?;
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

fn case_json(case: &CheckedCase) -> Value {
    let mismatches: Vec<Value> = case
        .mismatches
        .iter()
        .map(|Mismatch { path, file, recomputed }| {
            json!({ "path": path, "file": file, "recomputed": recomputed })
        })
        .collect();
    json!({ "id": case.id, "kind": case.kind, "values": case.values, "mismatches": mismatches })
}

fn write(parameters: &EmitParameters) -> Result<(), Error> {
    let (Some(epsilon), Some(bound)) = (&parameters.epsilon, &parameters.bound) else {
        return Err(Error::usage("--emit needs --epsilon, --bound and --inputs", "see --help"));
    };
    let pairs: Vec<&[Given]> = parameters.inputs.chunks(2).collect();
    let emitted = pairs.iter().map(|pair| match parameters.form {
        Form::Float => float(parameters, epsilon, bound, pair),
        Form::Exact => exact(parameters, epsilon, bound, pair),
    });
    let emitted = emitted.collect::<Result<Vec<_>, _>>()?;
    let file = emit(&emitted).map_err(|error| match error {
        EmitError::OutOfRange(error) => out_of_range(&error),
        EmitError::Field(error) => Error::usage(error.to_string(), "choose other parameters"),
    })?;
    print_json(&file)
}

fn float(
    parameters: &EmitParameters,
    epsilon: &Given,
    bound: &Given,
    pair: &[Given],
) -> Result<Emitted, Error> {
    if parameters.ln == Logarithm::Std {
        return Err(Error::usage(
            "what this machine's logarithm gives is nothing for others to conform to",
            "give --ln correct, +1ulp or -1ulp",
        ));
    }
    let described = described(parameters, epsilon, bound);
    Ok(Emitted::Float {
        variant: described.variant()?,
        epsilon: described.epsilon()?,
        inputs: doubles(pair)?,
    })
}

fn described<'a>(parameters: &'a EmitParameters, epsilon: &'a Given, bound: &'a Given) -> Parameters<'a> {
    Parameters {
        epsilon,
        scale: None,
        bound,
        grid: &parameters.grid,
        op: parameters.op,
        sampler: parameters.sampler,
        tie: parameters.tie,
        clamp: !parameters.no_clamp,
        ln: parameters.ln,
    }
}

fn exact(
    parameters: &EmitParameters,
    epsilon: &Given,
    bound: &Given,
    pair: &[Given],
) -> Result<Emitted, Error> {
    let [f, f2] = pair else {
        return Err(Error::usage("an audit compares two inputs", "give --inputs F F'"));
    };
    ideal::check_options(&described(parameters, epsilon, bound), &[])?;
    ideal::mechanism(&epsilon.exact, &bound.exact, &parameters.grid)?;
    let grid = ideal::grid(&epsilon.exact, &parameters.grid);
    let all: [Rational; 3] = [epsilon.exact.clone(), bound.exact.clone(), grid];
    Ok(Emitted::Ideal { parameters: all, inputs: [f.exact.clone(), f2.exact.clone()] })
}
