//! `lastbit certify`: certificates for other judges.

pub(crate) mod args;
mod coqc;

use std::path::Path;

use lastbit_prove::coq;
use lastbit_prove::endpoint::certificate as loss;
use lastbit_prove::gappa::{self, GappaError};
use lastbit_prove::logic::{self, certificate as privacy};
use serde_json::json;

use crate::error::{Error, tell};
use crate::prove::files::{is_stdin, name_of, print, read_text, write_whole};
use args::Certify;
use coqc::Verdict;

pub(crate) fn run(args: &Certify) -> Result<(), Error> {
    if args.coq.is_none() && args.gappa.is_none() && !args.run {
        return Err(Error::usage(
            "nothing to do with the certificate",
            "--coq OUT.v writes it for Coq, --run lets Coq check it, --gappa OUT.g writes it for Gappa",
        ));
    }
    outputs_are_apart(args)?;
    let name = name_of(&args.file);
    let text = read_text(&args.file)?;
    // Both are made before either is written.
    let script = args.gappa.is_some().then(|| gappa_script(&name, &text)).transpose()?;
    let wants_coq = args.coq.is_some() || args.run;
    let file = wants_coq.then(|| coq_file(&name, &text)).transpose()?;
    if let (Some(path), Some(script)) = (&args.gappa, &script) {
        put(path, script)?;
    }
    if let (Some(path), Some(file)) = (&args.coq, &file) {
        put(path, file)?;
    }
    let verdict = match &file {
        Some(file) if args.run => Some(coqc::check(file, args.coq.as_deref(), args.library.as_deref())?),
        _ => None,
    };
    report(args, &name, verdict.as_ref())
}

/// Refuses what would overwrite one thing with another.
fn outputs_are_apart(args: &Certify) -> Result<(), Error> {
    let outputs: Vec<&Path> = args.coq.iter().chain(&args.gappa).map(|path| path.as_path()).collect();
    let to_stdout = outputs.iter().filter(|path| is_stdin(path)).count() + usize::from(args.json);
    if to_stdout > 1 {
        return Err(Error::usage(
            "two things would go to standard output",
            "name files, or leave out --json",
        ));
    }
    let place = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_same = |a: &Path, b: &Path| !is_stdin(a) && place(a) == place(b);
    let is_input = outputs.iter().any(|path| is_same(path, &args.file));
    if is_input || matches!(outputs.as_slice(), [a, b] if is_same(a, b)) {
        return Err(Error::usage("one file would overwrite another", "give every output a name of its own"));
    }
    Ok(())
}

/// Writes to a file, or to standard output.
fn put(path: &Path, text: &str) -> Result<(), Error> {
    if is_stdin(path) { print(text) } else { write_whole(path, text) }
}

fn refused(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::usage(
        format!("{name} is not a certificate: {error}"),
        "lastbit prove FILE --certificate PATH writes one",
    )
}

/// The Coq file of a certificate of any kind.
fn coq_file(name: &str, text: &str) -> Result<String, Error> {
    match privacy::read(text) {
        Ok(certificate) => {
            return logic::coq::privacy_to_coq(&certificate).map_err(|error| {
                Error::usage(
                    format!("{name} can not be written for Coq: {error}"),
                    "mechanisms whose samples have finitely many values can, and the ideal snapping mechanism by events; \
                     lastbit check goes through all certificates",
                )
            });
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Err(refused(name, &error)),
    }
    match loss::read(text) {
        Ok(certificate) => {
            return coq::loss_bound(&certificate).map_err(|error| {
                Error::usage(
                    format!("{name} can not be written for Coq: {error}"),
                    "lastbit check computes it again",
                )
            });
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Err(refused(name, &error)),
    }
    coq::error_bound(text).map_err(|error| refused(name, &error))
}

fn gappa_script(name: &str, text: &str) -> Result<String, Error> {
    gappa::script(text).map_err(|error| match error {
        GappaError::Certificate(error) if error.is_of_another_kind() => Error::usage(
            format!("{name} is not an error certificate: {error}"),
            "Gappa proves error bounds only: lastbit prove FILE --of NAME --certificate PATH writes one",
        ),
        GappaError::Certificate(error) => refused(name, &error),
        GappaError::Boxes { .. } => {
            Error::usage(error.to_string(), "lastbit prove --effort 1 writes a certificate of one box")
        }
        GappaError::Operation { .. } => Error::usage(error.to_string(), "--coq has all operations"),
    })
}

fn report(args: &Certify, name: &str, verdict: Option<&Verdict>) -> Result<(), Error> {
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    if args.json {
        let value = json!({
            "file": name,
            "coq": path(&args.coq),
            "gappa": path(&args.gappa),
            "accepted": verdict.and_then(Verdict::accepted),
            "reason": verdict.and_then(Verdict::reason),
        });
        print(&format!("{value:#}\n"))?;
    } else {
        for written in [path(&args.gappa), path(&args.coq)].into_iter().flatten().filter(|path| path != "-") {
            tell(&format!("wrote {written}"));
        }
        match verdict {
            Some(Verdict::Accepted) => print(&format!("{name}: ACCEPTED by Coq\n"))?,
            Some(Verdict::Rejected(reason)) => {
                print(&format!("{name}: REJECTED by Coq:\n{reason}\n"))?;
                tell(&format!("hint: lastbit check {name} says what is wrong in its own words"));
            }
            Some(Verdict::NotChecked { reason, hint }) => {
                tell(&format!("{name}: NOT CHECKED: {reason}"));
                tell(&format!("hint: {hint}"));
            }
            None => {}
        }
    }
    match verdict {
        None | Some(Verdict::Accepted) => Ok(()),
        Some(Verdict::Rejected(_)) => Err(Error::Told(1)),
        Some(Verdict::NotChecked { .. }) => Err(Error::Told(3)),
    }
}
