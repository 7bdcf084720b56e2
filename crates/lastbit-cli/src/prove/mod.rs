//! `lastbit prove`, `lastbit check` and `lastbit fmt`.
//!
//! | module | what it knows |
//! |---|---|
//! | `args` | the arguments |
//! | `program` | one straight-line program: its bound, its derivation, its certificate |
//! | `mechanism` | declarations of *.lb files |
//! | `paper` | the papers' rules as printed |
//! | `check`, `fmt` | the other two commands |

pub(crate) mod args;
pub(crate) mod check;
pub(crate) mod fmt;
mod mechanism;
mod paper;
mod program;
mod progress;

use std::io::Read;
use std::path::Path;

use lastbit_lang::{fpcore, parse};
use serde_json::Value;

use crate::error::Error;
use crate::output::print_now;
use args::Prove;
use program::{Outcome, Report, Source, unreadable};

/// Proves everything in the files.
pub(crate) fn run(args: &Prove) -> Result<(), Error> {
    let mut reports = Vec::new();
    for path in &args.files {
        let (name, text) = read_text(path)?;
        let source = Source { name: &name, text: &text };
        reports.extend(if is_fpcore(path, &text) {
            of_fpcore(&source, args)?
        } else {
            of_file(&source, args)?
        });
    }
    if reports.is_empty() {
        let wanted = args.program.as_deref().unwrap_or_default();
        return Err(Error::usage(
            format!("there is no program {}", crate::error::quoted(wanted.as_bytes())),
            "leave out --program to see all of them",
        ));
    }
    let worst = reports.iter().map(|report| report.outcome).max().unwrap_or(Outcome::Proved);
    let text: String = if args.json {
        let values: Vec<&Value> = reports.iter().map(|report| &report.json).collect();
        serde_json::to_string_pretty(&values).map_err(|e| Error::io("write JSON", e.into()))? + "\n"
    } else {
        reports.iter().map(|report| report.text.as_str()).collect()
    };
    print_now(&text)?;
    match worst {
        Outcome::Proved => Ok(()),
        Outcome::Refuted => Err(Error::Told(1)),
        Outcome::Bad => Err(Error::Told(2)),
        Outcome::Undecided => Err(Error::Told(3)),
    }
}

/// A text, with the name that messages call it by. Bytes that are no UTF-8 are replaced: the parser says where.
fn read_text(path: &Path) -> Result<(String, String), Error> {
    let (name, bytes) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io("read standard input", e))?;
        ("standard input".to_owned(), bytes)
    } else {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| Error::io(format!("read {name}"), e))?;
        (name, bytes)
    };
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}

/// By the file's name, or else by whether it begins as an s-expression does.
fn is_fpcore(path: &Path, text: &str) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("fpcore") => true,
        Some("lb") => false,
        _ => {
            let code = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(';'));
            code.is_some_and(|line| line.starts_with('('))
        }
    }
}

fn is_wanted(name: &str, args: &Prove) -> bool {
    args.program.as_deref().is_none_or(|wanted| wanted == name)
}

fn of_fpcore(source: &Source<'_>, args: &Prove) -> Result<Vec<Report>, Error> {
    let mut reports = Vec::new();
    for program in fpcore::read(source.text) {
        match program {
            Ok(mut program) if is_wanted(&program.name, args) => {
                for given in &args.values.libm {
                    let libm = &mut program.libm;
                    *(if given.is_exp { &mut libm.exp } else { &mut libm.ln }) = given.accuracy.clone();
                }
                reports.push(program::prove(&program, None, source, args)?);
            }
            Ok(_) => {}
            Err(error) => {
                let name = error.program.as_deref().unwrap_or(source.name);
                if error.program.is_none() || is_wanted(name, args) {
                    reports.push(unreadable(name, source, &error.diagnostics));
                }
            }
        }
    }
    Ok(reports)
}

fn of_file(source: &Source<'_>, args: &Prove) -> Result<Vec<Report>, Error> {
    let (file, mut diagnostics) = parse(source.text);
    if diagnostics.is_empty() {
        diagnostics = lastbit_lang::check(&file);
    }
    if diagnostics.is_empty() && file.declarations.is_empty() {
        let nothing = lastbit_lang::Diagnostic::new(Default::default(), "the file declares nothing");
        diagnostics
            .push(nothing.with_hint("for example: function half(x: f64 in [1, 2]) -> f64 { return x / 2 }"));
    }
    if !diagnostics.is_empty() {
        return Ok(vec![unreadable(source.name, source, &diagnostics)]);
    }
    let wanted = file.declarations.iter().filter(|declaration| is_wanted(&declaration.name.text, args));
    wanted.map(|declaration| mechanism::report(&file, declaration, source, args)).collect()
}
