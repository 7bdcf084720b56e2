//! Privacy claims of mechanisms over the reals: proved, rejected, refuted or undecided, by the relational logic.

use std::collections::BTreeMap;

use lastbit::Rational;
use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Binder, Declaration, File};
use lastbit_lang::watch::{Reason, Stopped};
use lastbit_prove::logic::answer::{Answer, Shown, Task};
use lastbit_prove::logic::kernel::KernelError;
use lastbit_prove::logic::oracle::Z3;
use lastbit_prove::logic::prove::{Conclusion, Options};
use serde_json::json;

use super::Session;
use super::args::Prove;
use super::limits::interrupted;
use super::report::{Outcome, Report, Source, unreadable};
use crate::error::Error;

/// Proves or refutes the claim of a declaration.
pub(crate) fn report(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let name = &declaration.name.text;
    // Ignoring these would be to prove something else than what was asked for.
    if args.values.sensitivity.is_some() || !args.values.range.is_empty() {
        return Err(Error::usage(
            format!("{name} is over the reals: its neighbours and ranges are those of the file"),
            "change `adjacent` and the ranges there, and leave out --sensitivity and --range",
        ));
    }
    let answer = match answer(file, declaration, source, args) {
        Ok(answer) => answer,
        Err(error) => return Ok(bad(declaration, source, error)),
    };
    if let Some(Stopped { reason: Reason::Interrupted, doing }) = &answer.found.stopped {
        return Err(interrupted(name, doing));
    }
    if let Some(certificates) = &mut session.certificates {
        certificates.expect(name, answer.proofs.len())?;
        for (of, certificate) in answer.certificates() {
            certificates.write_value(&of, &certificate)?;
        }
    }
    let outcome = match answer.found.conclusion {
        Conclusion::Proved => Outcome::Proved,
        Conclusion::Rejected | Conclusion::Refuted => Outcome::Refuted,
        Conclusion::Undecided => Outcome::Undecided,
    };
    let shown = Shown { all: args.show.tree, depth: args.show.depth, ..Shown::default() };
    Ok(Report::new(answer.in_words(shown), answer.to_json(), outcome))
}

/// The values that the command line gives, and no others: without them the proof is for all of them.
fn given(args: &Prove) -> BTreeMap<String, Rational> {
    let values = &args.values;
    let named = [("eps", &values.epsilon), ("B", &values.bound), ("L", &values.grid)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let listed = values.param.iter().map(|assignment| (assignment.name.clone(), assignment.value.clone()));
    named.chain(listed).collect()
}

fn answer<'a>(
    file: &'a File,
    declaration: &'a Declaration,
    source: &Source<'a>,
    args: &Prove,
) -> Result<Answer<'a>, KernelError> {
    let oracle = if args.oracle { Z3::find() } else { None };
    let options = Options { oracle, limits: args.limits.of(&declaration.name.text), ..Options::default() };
    let task = Task { file, declaration, file_name: source.name, text: source.text };
    let mut answer = Answer::find(task, given(args), &options, &mut |_| {})?;
    answer.notes.extend(ignored(args));
    if args.oracle && options.oracle.is_none() {
        answer.notes.push("there is no z3 on this machine: no oracle was asked".into());
    }
    Ok(answer)
}

/// What was asked for and says nothing about a mechanism over the reals.
fn ignored(args: &Prove) -> Vec<String> {
    let values = &args.values;
    let options = [
        ("--libm", !values.libm.is_empty()),
        ("--inputs", values.inputs.is_some()),
        ("--figure", args.show.figure),
        ("--latex", args.show.latex),
        ("--node", args.show.node.is_some()),
    ];
    let given = options.iter().filter(|(_, given)| *given);
    given.map(|(option, _)| format!("{option} says nothing about a proof over the reals")).collect()
}

/// What the logic cannot look at.
fn bad(declaration: &Declaration, source: &Source<'_>, error: KernelError) -> Report {
    let name = &declaration.name.text;
    let mut report = match error {
        KernelError::Program(diagnostic) => unreadable(name, source, &[with_hint(declaration, diagnostic)]),
        other => {
            let problem = format!("error: {other}\n");
            Report::bad(name, "", problem, json!({ "name": name, "error": other.to_string() }))
        }
    };
    report.text = format!("{name}: no verdict\n");
    report
}

/// Messages about a value that is not known say how to give it.
fn with_hint(declaration: &Declaration, diagnostic: Diagnostic) -> Diagnostic {
    if !diagnostic.message.contains("is not known") {
        return diagnostic;
    }
    let is_named = |binder: &&Binder| diagnostic.message.contains(&format!("`{}`", binder.name.text));
    let named = declaration.parameters().find(is_named);
    match named.map(|binder| binder.name.text.clone()) {
        Some(name) => diagnostic.with_hint(format!("give it a value: --param {name}=5")),
        None => diagnostic,
    }
}
