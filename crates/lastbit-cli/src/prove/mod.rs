//! `lastbit prove`, `lastbit check` and `lastbit fmt`.
//!
//! | module | what it knows |
//! |---|---|
//! | `args`, `conflicts` | the arguments, and which do not go together |
//! | `files`, `certificates` | what is read, and what is written |
//! | `program` | one straight-line program: its bound and its derivation |
//! | `mechanism`, `open` | declarations of *.lb files, with values and without |
//! | `privacy` | privacy claims over the reals |
//! | `cases` | the snapping mechanism case by case |
//! | `paper` | the papers' rules as printed |
//! | `limits` | time, memory, Ctrl-C |
//! | `report` | what is said of a program |
//! | `check`, `check_privacy`, `fmt` | the other two commands |

pub(crate) mod args;
mod cases;
mod certificates;
pub(crate) mod check;
mod check_loss;
pub(crate) mod check_privacy;
mod conflicts;

pub(crate) mod files;
pub(crate) mod fmt;
mod limits;
pub(crate) mod mechanism;
mod open;
mod paper;
mod privacy;
mod program;
mod progress;
pub(crate) mod report;

use std::path::Path;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::fpcore::{self, FpcoreError};
use lastbit_lang::{Diagnostic, InputKind, StraightLine, parse};
use serde_json::Value;

use crate::error::{Error, quoted};
use args::Prove;
use certificates::Certificates;
use files::{name_of, print, read_text};
use report::{Outcome, Source, unreadable};

/// A file, read.
struct Input {
    name: String,
    text: String,
    parsed: Parsed,
}

pub(crate) enum Parsed {
    Programs(Vec<Result<StraightLine, FpcoreError>>),
    Declarations(File),
    /// Nothing can be said of any part of it.
    Bad(Vec<Diagnostic>),
}

/// One thing to prove.
enum Task<'a> {
    Program(StraightLine),
    Declaration(&'a File, &'a Declaration),
    Bad(&'a str, &'a [Diagnostic]),
}

/// What all tasks share.
pub(crate) struct Session<'a> {
    args: &'a Prove,
    certificates: Option<Certificates>,
}

/// Proves everything in the files.
pub(crate) fn run(args: &Prove) -> Result<(), Error> {
    conflicts::of_options(args)?;
    let inputs = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut tasks = Vec::new();
    for input in &inputs {
        tasks.extend(tasks_of(input, args)?);
    }
    if tasks.is_empty() {
        let wanted = args.program.as_deref().unwrap_or_default();
        return Err(Error::usage(
            format!("there is no program {}", quoted(wanted.as_bytes())),
            "leave out --program to see all of them",
        ));
    }
    conflicts::of_many(args, tasks.len())?;

    let mut session = Session { args, certificates: args.certificate.clone().map(Certificates::new) };
    let mut worst = Outcome::Proved;
    let mut values: Vec<Value> = Vec::new();
    for (source, task) in tasks {
        let report = match task {
            Task::Program(program) => program::prove(&program, None, &source, &mut session)?,
            Task::Declaration(file, declaration) => {
                mechanism::report(file, declaration, &source, &mut session)?
            }
            Task::Bad(name, diagnostics) => unreadable(name, &source, diagnostics),
        };
        worst = worst.max(report.outcome);
        if args.json {
            values.push(report.json);
        } else {
            report.print()?;
        }
    }
    if args.json {
        print(
            &(serde_json::to_string_pretty(&values).map_err(|e| Error::io("write JSON", e.into()))? + "\n"),
        )?;
    }
    match worst {
        Outcome::Proved => Ok(()),
        Outcome::Refuted => Err(Error::Told(1)),
        Outcome::Bad => Err(Error::Told(2)),
        Outcome::Undecided => Err(Error::Told(3)),
    }
}

fn read(path: &Path) -> Result<Input, Error> {
    let text = read_text(path)?;
    let parsed =
        if is_fpcore(path, &text) { Parsed::Programs(fpcore::read(&text)) } else { declarations(&text) };
    Ok(Input { name: name_of(path), text, parsed })
}

/// By the file's name, or else by whether it begins as an s-expression does.
pub(crate) fn is_fpcore(path: &Path, text: &str) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("fpcore") => true,
        Some("lb") => false,
        _ => {
            let code = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(';'));
            code.is_some_and(|line| line.starts_with('('))
        }
    }
}

pub(crate) fn declarations(text: &str) -> Parsed {
    let (file, mut diagnostics) = parse(text);
    if diagnostics.is_empty() {
        diagnostics = lastbit_lang::check(&file);
    }
    if diagnostics.is_empty() && file.declarations.is_empty() {
        let nothing = Diagnostic::new(Default::default(), "the file declares nothing");
        diagnostics
            .push(nothing.with_hint("for example: function half(x: f64 in [1, 2]) -> f64 { return x / 2 }"));
    }
    if diagnostics.is_empty() { Parsed::Declarations(file) } else { Parsed::Bad(diagnostics) }
}

/// What is to be proved of a file.
fn tasks_of<'a>(input: &'a Input, args: &Prove) -> Result<Vec<(Source<'a>, Task<'a>)>, Error> {
    let is_wanted = |name: &str| args.program.as_deref().is_none_or(|wanted| wanted == name);
    let tasks: Vec<Task<'a>> = match &input.parsed {
        Parsed::Bad(diagnostics) => vec![Task::Bad(&input.name, diagnostics)],
        Parsed::Declarations(file) => {
            conflicts::of_declarations(args, &input.name)?;
            let wanted = file.declarations.iter().filter(|declaration| is_wanted(&declaration.name.text));
            wanted.map(|declaration| Task::Declaration(file, declaration)).collect()
        }
        Parsed::Programs(programs) => {
            conflicts::of_fpcore(args, &input.name)?;
            let task = |program: &'a Result<StraightLine, FpcoreError>| match program {
                Ok(program) => is_wanted(&program.name).then(|| Task::Program(as_asked(program, args))),
                Err(FpcoreError { program: Some(name), diagnostics }) => {
                    is_wanted(name).then_some(Task::Bad(name, diagnostics))
                }
                Err(error) => Some(Task::Bad(&input.name, &error.diagnostics)),
            };
            programs.iter().filter_map(task).collect()
        }
    };
    let source = Source { name: &input.name, text: &input.text };
    Ok(tasks.into_iter().map(|task| (source, task)).collect())
}

/// The program with the library and the kind of arguments that the command line asks for.
fn as_asked(program: &StraightLine, args: &Prove) -> StraightLine {
    let mut program = program.clone();
    args.values.set_library(&mut program);
    if args.real_inputs {
        program.inputs.iter_mut().for_each(|input| input.kind = InputKind::Real);
    }
    program
}
