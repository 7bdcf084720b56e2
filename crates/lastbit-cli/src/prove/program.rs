//! One program: its bound, how it is shown, its certificate.

use std::path::Path;
use std::time::Instant;

use lastbit::{Rational, Rounding};
use lastbit_lang::{Diagnostic, NodeId, StraightLine, render};
use lastbit_prove::boxes::whole_box;
use lastbit_prove::certificate;
use lastbit_prove::derivation::{self, Derivation};
use lastbit_prove::search::{Analysis, Goal, NoBound, analyse_goal};
use lastbit_real::Dyadic;
use serde_json::{Value, json};

use super::args::{Prove, RuleSet, Show};
use super::progress::Boxes;
use crate::error::Error;

/// Where a program comes from.
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        render(self.name, self.text, diagnostics)
    }
}

/// What came of a program.
pub(crate) struct Report {
    pub(crate) text: String,
    pub(crate) json: Value,
    pub(crate) outcome: Outcome,
}

/// How it ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Proved,
    /// A claim is neither proved nor refuted.
    Undecided,
    /// A claim is false.
    Refuted,
    /// Bad input, or no bound.
    Bad,
}

/// A program that was not read.
pub(crate) fn unreadable(name: &str, source: &Source<'_>, diagnostics: &[Diagnostic]) -> Report {
    let message = diagnostics.first().map_or("it can not be read", |diagnostic| diagnostic.message.as_str());
    let mut value = json!({ "name": name, "error": message });
    if let Some(diagnostic) = diagnostics.first() {
        let (line, column) = place(source.text, diagnostic.span.start);
        (value["line"], value["column"]) = (line.into(), column.into());
    }
    let text = format!("{name}: no bound\n{}", source.render(diagnostics));
    Report { text, json: value, outcome: Outcome::Bad }
}

/// Line and column, both from 1.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    (line, before.chars().rev().take_while(|&c| c != '\n').count() + 1)
}

/// Proves a bound on the error of a program, and a claimed one if there is one.
pub(crate) fn prove(
    program: &StraightLine,
    claim: Option<NodeId>,
    source: &Source<'_>,
    args: &Prove,
) -> Result<Report, Error> {
    if args.fpcore {
        return Ok(as_fpcore(program, source));
    }
    if args.rules == RuleSet::Paper {
        return super::paper::report(program, args);
    }
    let start = Instant::now();
    let boxes = Boxes::new(&program.name, args.effort.0);
    let outcome = analyse_goal(Goal { program, claim }, args.effort.0, |progress| boxes.show(progress));
    drop(boxes);
    let seconds = start.elapsed().as_secs_f64();
    let analysis = match outcome {
        Ok(analysis) => analysis,
        Err(no_bound) => return Ok(refused(program, &no_bound, source, seconds)),
    };
    if let Some(path) = &args.certificate {
        write_certificate(program, &analysis, path)?;
    }
    let mut report = bounded(program, &analysis, claim.is_some(), seconds);
    if args.show.is_asked() {
        show(program, &args.show, program.result, &mut report)?;
    }
    Ok(report)
}

fn as_fpcore(program: &StraightLine, source: &Source<'_>) -> Report {
    match lastbit_lang::fpcore::write(program) {
        Ok(text) => {
            Report { json: json!({ "name": program.name, "fpcore": text }), text, outcome: Outcome::Proved }
        }
        Err(error) => {
            let diagnostic = Diagnostic::new(Default::default(), error.to_string());
            unreadable(&program.name, source, &[diagnostic])
        }
    }
}

/// Digits of bounds.
const DIGITS: usize = 10;

/// A number for JSON: the decimal of [`DIGITS`] digits next in the direction.
pub(crate) fn json_number(x: &Dyadic, rounding: Rounding) -> Value {
    let exact = Rational::from(x);
    let text = exact.to_decimal(DIGITS, rounding);
    // What is read back is that decimal's double, which is on the safe side too, but for the least subnormal numbers.
    let mut value: f64 = text.parse().unwrap_or_else(|_| exact.to_f64(rounding));
    let back = Rational::try_from(value).unwrap_or_else(|_| exact.clone());
    match rounding {
        Rounding::Up if back < exact => value = value.next_up(),
        Rounding::Down if back > exact => value = value.next_down(),
        _ => {}
    }
    json!(value)
}

fn bounded(program: &StraightLine, analysis: &Analysis, has_claim: bool, seconds: f64) -> Report {
    let range = &analysis.range;
    let [lo, hi] = derivation::ends(range.lo(), range.hi());
    let proved = analysis.meets_claim();
    let mut value = json!({
        "name": program.name,
        "abs_error": json_number(&analysis.error, Rounding::Up),
        "range": [json_number(range.lo(), Rounding::Down), json_number(range.hi(), Rounding::Up)],
        "method": analysis.method(),
        "seconds": seconds,
        "precision": program.format.to_string(),
        "exact": {
            "abs_error": exact(&analysis.error), "range": [exact(range.lo()), exact(range.hi())],
        },
        "notes": program.notes,
    });
    let mut text = format!(
        "{}: |float - real| <= {}  for values in [{lo}, {hi}]  ({}, {seconds:.3} s)\n",
        program.name,
        derivation::error(&analysis.error),
        analysis.method(),
    );
    if has_claim {
        value["claim"] = json!(if proved { "proved" } else { "not proved" });
        text += if proved {
            "  the claimed bound holds for all inputs: PROVED\n"
        } else {
            "  the claimed bound is NOT proved: on some box of inputs the bound found is larger (more --effort may help)\n"
        };
    }
    for note in &program.notes {
        text += &format!("  note: {note}\n");
    }
    Report { text, json: value, outcome: if proved { Outcome::Proved } else { Outcome::Undecided } }
}

pub(crate) fn exact(x: &Dyadic) -> String {
    Rational::from(x).to_string()
}

/// A program without a bound: the node, the interval, the reason.
fn refused(program: &StraightLine, no_bound: &NoBound, source: &Source<'_>, seconds: f64) -> Report {
    let node = no_bound.refusal.node;
    let expression = derivation::expression(program, node, derivation::Reading::Real);
    let mut message = format!("{} (node {node}: {expression})", no_bound.refusal);
    let on: Vec<String> = program
        .inputs
        .iter()
        .zip(&no_bound.inputs)
        .map(|(input, range)| {
            let [lo, hi] = derivation::ends(range.lo(), range.hi());
            format!("{} in [{lo}, {hi}]", input.name)
        })
        .take(8)
        .collect();
    if !on.is_empty() {
        message += &format!(", for {}", on.join(", "));
    }
    let mut value =
        json!({ "name": program.name, "error": message, "seconds": seconds, "notes": program.notes });
    let span = program.nodes.get(node).and_then(|node| node.span);
    let text = match span {
        Some(span) => {
            let (line, column) = place(source.text, span.start);
            (value["line"], value["column"]) = (line.into(), column.into());
            let diagnostic = Diagnostic::new(span, message).with_hint("narrow the ranges of the inputs");
            format!("{}: no bound\n{}", program.name, source.render(&[diagnostic]))
        }
        None => format!("{}: no bound: {message}\n", program.name),
    };
    Report { text, json: value, outcome: Outcome::Bad }
}

/// The derivation on the whole box, of `root` unless another node is asked for.
pub(crate) fn show(
    program: &StraightLine,
    show: &Show,
    root: NodeId,
    report: &mut Report,
) -> Result<(), Error> {
    let inputs =
        whole_box(program).map_err(|(_, reason)| Error::usage(reason.to_string(), "narrow the ranges"))?;
    let derivation = Derivation::new(program, inputs);
    let root = show.node.unwrap_or(root);
    if root >= program.nodes.len() {
        return Err(Error::usage(
            format!("there is no node {root} in {}", program.name),
            format!("nodes have the numbers 0 to {}", program.nodes.len() - 1),
        ));
    }
    report.json["derivation"] = derivation.to_json(root);
    if show.latex {
        report.text = derivation::latex(&derivation, root, show.depth);
        return Ok(());
    }
    let tree = || derivation::tree(&derivation, root, show.depth);
    report.text += &match show.node {
        Some(_) if !show.tree && !show.figure => derivation::detail(&derivation, root),
        _ if show.figure => derivation::figure(&derivation, root, terminal_width()).unwrap_or_else(tree),
        _ => tree(),
    };
    Ok(())
}

/// The width of the terminal, or a wide one if there is none.
fn terminal_width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(160)
}

fn write_certificate(program: &StraightLine, analysis: &Analysis, path: &Path) -> Result<(), Error> {
    let path = if path.is_dir() { path.join(file_name(&program.name)) } else { path.to_owned() };
    let certificate = certificate::to_json(program, analysis).to_string();
    std::fs::write(&path, certificate + "\n").map_err(|e| Error::io(format!("write {}", path.display()), e))
}

/// A file name made of a program's name.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{}.json", name.chars().map(safe).collect::<String>().trim_start_matches('.'))
}
