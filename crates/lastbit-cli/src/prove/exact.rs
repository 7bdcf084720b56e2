//! Proofs that end in `audit exact`: a float mechanism's exact distributions on two neighbouring inputs.

use std::collections::BTreeMap;
use std::fmt::Write;

use lastbit::{Rational, Rounding};
use lastbit_audit::comparison::Loss;
use lastbit_audit::program::{self, Method, OneSided, Options, ProgramReport};
use lastbit_lang::ast::{Declaration, File, ProofStepKind};
use lastbit_lang::values::{claimed, is_open};
use lastbit_lang::{Bindings, Diagnostic};
use lastbit_real::Float;
use serde_json::{Map, Value, json};

use super::args::Prove;
use super::mechanism::sensitivity;
use super::report::{Outcome, Report, Source, unreadable};

/// Whether a proof of the declaration has such a step.
pub(super) fn has_step(declaration: &Declaration, wanted: fn(&ProofStepKind) -> bool) -> bool {
    declaration.proofs.iter().flat_map(|proof| &proof.steps).any(|step| wanted(&step.kind))
}

/// Outputs among which a witness is chosen.
const LISTED: usize = 4096;
/// Bits of a loss.
const BITS: u32 = 128;

/// Audits a declaration, at ε = 1 and inputs 0 and 1 unless others are given.
pub(super) fn report(
    file: &File,
    declaration: &Declaration,
    mut bindings: Bindings,
    source: &Source<'_>,
    args: &Prove,
) -> Report {
    let name = &declaration.name.text;
    if is_open(declaration, &bindings, "eps") {
        bindings.values.insert("eps".into(), Rational::ONE);
    }
    bindings.ranges.clear();
    let refuse = |message: String, hint: &str| {
        let diagnostic = Diagnostic::new(declaration.name.span, message).with_hint(hint);
        let mut report = unreadable(name, source, &[diagnostic]);
        report.text = format!("{name}: no verdict\n");
        report
    };
    if let Some(open) = declaration.parameters().find(|p| is_open(declaration, &bindings, &p.name.text)) {
        let message = format!("an exact audit is of numbers, and `{}` has no value", open.name.text);
        return refuse(message, "give it: --epsilon E, --bound B, or --param NAME=VALUE");
    }
    let [argument] = declaration.arguments.as_slice() else {
        return refuse("an exact audit from here is of one argument".into(), "lastbit audit takes more");
    };
    let inputs = match args.values.inputs.as_deref() {
        Some([f, f2]) => [f.clone(), f2.clone()],
        _ => [Rational::ZERO, Rational::ONE],
    };
    let claim = claimed(file, declaration, &bindings);
    let most = sensitivity(file, declaration, &bindings, args);
    let (most, claim) = match most.and_then(|most| Ok((most, claim?))) {
        Ok(known) => known,
        Err(diagnostic) => return unreadable(name, source, &[diagnostic]),
    };
    let delta = claim.unwrap_or_default().delta;
    let distance = (&inputs[0] - &inputs[1]).abs();
    if distance > most {
        let message = format!("the inputs are {distance} apart, and neighbours at most {most}");
        return refuse(message, "give neighbours: --inputs F F'");
    }
    let named: [BTreeMap<String, Rational>; 2] =
        inputs.clone().map(|x| [(argument.name.text.clone(), x)].into());
    let [first, second] = &named;
    let options = Options { listed: LISTED, ..Options::default() };
    match program::audit(file, Some(name), &bindings, [first, second], &options) {
        Ok(audit) => told(&Audited { name, argument: &argument.name.text, inputs, bindings, delta, audit }),
        Err(program::ProgramError::Language(diagnostics)) => {
            let mut report = unreadable(name, source, &diagnostics);
            report.text = format!("{name}: no verdict\n");
            report
        }
        Err(error) => refuse(error.to_string(), "see docs/audit.md for the programs that can be audited"),
    }
}

struct Audited<'a> {
    name: &'a str,
    argument: &'a str,
    inputs: [Rational; 2],
    bindings: Bindings,
    /// What the claim allows.
    delta: Rational,
    audit: ProgramReport,
}

/// The verdict on two inputs. A finite loss of these two says nothing of the others.
fn told(audited: &Audited<'_>) -> Report {
    let Audited { name, argument, inputs, bindings, delta, audit } = audited;
    let values: Vec<String> = bindings.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let parameters: Map<String, Value> =
        bindings.values.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect();
    let mut value = json!({
        "name": name, "kind": "privacy", "rule": "AUDIT", "parameters": parameters,
        "inputs": inputs.each_ref().map(ToString::to_string), "notes": audit.notes,
    });
    let loss = audit.loss(BITS);
    if loss == Loss::Infinite {
        let Some(OneSided { output, input: first, probability }) = audit.one_sided(delta) else {
            let allowed = if delta.is_zero() { "" } else { ", by events that the claim's delta allows" };
            return undecided(audited, &format!("infinite{allowed}"), value);
        };
        // The run that can return it is the first.
        let event = short_hex(output);
        let [x, y] = [&inputs[first], &inputs[1 - first]];
        let text = format!(
            "{name}: NOT eps-DP for any eps            audit exact\n  parameters      {}\n  inputs          \
             {argument}<1>={x} {argument}<2>={y}\n  event           r = {event}\n  Pr1             = {}\n  Pr2             = 0\n",
            values.join(" "),
            exactly(&probability),
        );
        value["conclusion"] = json!("refuted");
        value["loss"] = json!("inf");
        value["witness"] = json!({
            "inputs": [x.to_string(), y.to_string()], "event": format!("r = {event}"),
            "probabilities": [probability.to_string(), "0"], "loss_lower_bound": "inf",
        });
        return Report::new(text, value, Outcome::Refuted);
    }
    let loss = match loss {
        Loss::Finite(loss) => Rational::from(loss.hi()).to_decimal(20, Rounding::Up),
        Loss::AtLeast(least) => format!("at least {}", Rational::from(&least).to_decimal(6, Rounding::Down)),
        Loss::Infinite => "infinite".into(),
    };
    undecided(audited, &loss, value)
}

fn undecided(audited: &Audited<'_>, loss: &str, mut value: Value) -> Report {
    let Audited { name, argument, inputs, audit, .. } = audited;
    let mut text = format!(
        "{name}: UNDECIDED            audit exact\n  the loss of {argument}<1>={} {argument}<2>={} is {}{loss}; other inputs \
         were not looked at\n",
        inputs[0],
        inputs[1],
        if audit.method == Method::Witness { "not known: " } else { "<= " },
    );
    for note in &audit.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    value["conclusion"] = json!("undecided");
    value["loss_of_these_inputs"] = json!(loss);
    Report::new(text, value, Outcome::Undecided)
}

/// `-0x1p-53`, without zeros that say nothing.
fn short_hex(x: f64) -> String {
    let hex = x.to_hex();
    match hex.split_once('p') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}p{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => hex,
    }
}

/// A probability, exactly, with the power of two below it.
fn exactly(x: &Rational) -> String {
    let below = x.floor_log2().map_or(String::new(), |exponent| match *x == Rational::pow2(exponent) {
        true => format!(", 2^{exponent}"),
        false => format!(" > 2^{exponent}"),
    });
    let exact = x.to_string();
    let exact = if exact.len() <= 48 { exact } else { x.to_decimal(6, Rounding::Down) };
    format!("{exact}{below}")
}
