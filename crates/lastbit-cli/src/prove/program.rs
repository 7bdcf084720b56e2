//! One program: its bound, and how its derivation is shown.

use std::time::Instant;

use lastbit::{Rational, Rounding};
use lastbit_lang::fpcore::WriteError;
use lastbit_lang::{Diagnostic, NodeId, StraightLine};
use lastbit_prove::analysis::{Analysis, NoBound};
use lastbit_prove::boxes::whole_box;
use lastbit_prove::derivation::{self, Derivation};
use lastbit_prove::search::{Goal, analyse_while};
use lastbit_real::Dyadic;
use serde_json::{Value, json};

use super::args::{RuleSet, Show};
use super::progress::Boxes;
use super::report::{Outcome, Report, Source, set_place, unreadable};
use super::{Session, limits};
use crate::error::Error;

/// Proves a bound on the error of a program, and a claimed one if there is one.
pub(crate) fn prove(
    program: &StraightLine,
    claim: Option<NodeId>,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    if args.fpcore {
        return Ok(as_fpcore(program, source));
    }
    if args.rules == RuleSet::Paper {
        return super::paper::report(program, args);
    }
    let start = Instant::now();
    let boxes = Boxes::new(&program.name, args.effort.0);
    let (deadline, mut is_late) = (args.limits.time(), false);
    let outcome = analyse_while(Goal { program, claim }, args.effort.0, |progress| {
        boxes.show(progress);
        is_late = deadline.is_some_and(|deadline| start.elapsed() >= deadline);
        !is_late && !limits::is_interrupted()
    });
    drop(boxes);
    if limits::is_interrupted() {
        return Err(limits::interrupted(&program.name, "looking for a bound"));
    }
    let seconds = start.elapsed().as_secs_f64();
    let analysis = match outcome {
        Ok(analysis) => analysis,
        Err(no_bound) => return Ok(refused(program, &no_bound, source, seconds)),
    };
    if let Some(certificates) = &mut session.certificates {
        certificates.write(program, &analysis)?;
    }
    let mut report = bounded(program, &analysis, claim.is_some(), seconds);
    if is_late {
        let note = "the time limit was reached: this is the best bound so far, and it holds";
        report.text += &format!("  note: {note}\n");
        report.json["late"] = json!(note);
    }
    if args.show.is_asked() {
        show(program, &args.show, program.result, &mut report)?;
    }
    Ok(report)
}

fn as_fpcore(program: &StraightLine, source: &Source<'_>) -> Report {
    match lastbit_lang::fpcore::write(program) {
        Ok(text) => {
            let json = json!({ "name": program.name, "fpcore": text });
            Report::new(text, json, Outcome::Proved)
        }
        Err(error) => {
            let node = match error {
                WriteError::Grid { node, .. } => program.nodes.get(node),
                WriteError::RealInput { .. } => None,
            };
            let span = node.and_then(|node| node.span).unwrap_or_default();
            let diagnostic = Diagnostic::new(span, error.to_string())
                .with_hint("--of NAME prints what leads to a variable of a *.lb file");
            let mut report = unreadable(&program.name, source, &[diagnostic]);
            report.text = format!("{}: no FPCore form\n", program.name);
            report
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
    Report::new(text, value, if proved { Outcome::Proved } else { Outcome::Undecided })
}

pub(crate) fn exact(x: &Dyadic) -> String {
    Rational::from(x).to_string()
}

/// A program without a bound: the node, the interval, the reason.
fn refused(program: &StraightLine, no_bound: &NoBound, source: &Source<'_>, seconds: f64) -> Report {
    let node = no_bound.refusal.node;
    let message = derivation::no_bound(program, no_bound);
    let mut value =
        json!({ "name": program.name, "error": message, "seconds": seconds, "notes": program.notes });
    let problem = match program.nodes.get(node).and_then(|node| node.span) {
        Some(span) => {
            let diagnostic = Diagnostic::new(span, message).with_hint("narrow the ranges of the inputs");
            set_place(&mut value, &diagnostic, source);
            source.render(&[diagnostic])
        }
        None => format!("error: {message}\nhint: narrow the ranges of the inputs\n"),
    };
    Report::bad(&program.name, "no bound", problem, value)
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
        _ if show.figure => {
            let columns = terminal_width();
            derivation::figure(&derivation, root, columns).unwrap_or_else(|| {
                format!("(the figure is wider than {columns} columns; the same as a tree:)\n{}", tree())
            })
        }
        _ => tree(),
    };
    Ok(())
}

/// The width of the terminal, or a wide one if there is none.
fn terminal_width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(terminal).unwrap_or(160)
}
