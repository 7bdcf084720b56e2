//! `lastbit certify`: certificates for other judges.

pub(crate) mod args;
mod assumptions;
mod coqc;
mod judge;
mod library;
mod scratch;
mod sources;

use std::path::Path;

use lastbit_prove::coq;
use lastbit_prove::endpoint::certificate as loss;
use lastbit_prove::gappa::{self, GappaError};
use lastbit_prove::logic::refute::Neighbours;
use lastbit_prove::logic::{self, certificate as privacy};
use serde_json::{Value, json};

use crate::error::{Error, tell};
use crate::prove::check_privacy::vacuity;
use crate::prove::files::{is_stdin, name_of, print, read_text, write_whole};
use args::Certify;
use judge::{Judged, Verdict, judge};
use library::Library;

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
        put(path, &file.text)?;
    }
    let judged = match &file {
        Some(file) if args.run => Some(judge(&file.text, args.coq.as_deref(), args.library.as_deref())?),
        _ => None,
    };
    report(args, &name, file.as_ref().and_then(|file| file.neighbours.as_ref()), judged.as_ref())
}

/// A certificate for Coq.
struct CoqFile {
    text: String,
    /// What is known of the inputs that a privacy certificate is about.
    neighbours: Option<Neighbours>,
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
fn coq_file(name: &str, text: &str) -> Result<CoqFile, Error> {
    let unsupported = |error: &dyn std::fmt::Display, hint: &str| {
        Error::usage(format!("{name} cannot be written for Coq: {error}"), hint)
    };
    match privacy::read(text) {
        Ok(certificate) => {
            let text = logic::coq::privacy_to_coq(&certificate).map_err(|error| {
                unsupported(
                    &error,
                    "mechanisms whose samples have finitely many values can, and the ideal snapping mechanism by events; \
                     lastbit check goes through all certificates",
                )
            })?;
            let neighbours = certificate.neighbours().map_err(|error| refused(name, &error))?;
            return Ok(CoqFile { text, neighbours: Some(neighbours) });
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Err(refused(name, &error)),
    }
    match loss::read(text) {
        Ok(certificate) => {
            let text = coq::loss_bound(&certificate)
                .map_err(|error| unsupported(&error, "lastbit check computes it again"))?;
            return Ok(CoqFile { text, neighbours: None });
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Err(refused(name, &error)),
    }
    let text = coq::error_bound(text).map_err(|error| refused(name, &error))?;
    Ok(CoqFile { text, neighbours: None })
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

fn report(
    args: &Certify,
    name: &str,
    neighbours: Option<&Neighbours>,
    judged: Option<&Judged>,
) -> Result<(), Error> {
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let verdict = judged.map(|judged| &judged.verdict);
    let library = judged.and_then(|judged| judged.library.as_ref());
    let (is_vacuous, vacuous) = neighbours.map_or(("", json!(false)), vacuity);
    if args.json {
        let assumptions = verdict.and_then(Verdict::assumptions);
        let value = json!({
            "file": name,
            "coq": path(&args.coq),
            "gappa": path(&args.gappa),
            "vacuous": vacuous,
            "accepted": verdict.and_then(Verdict::is_accepted),
            "reason": verdict.and_then(Verdict::reason),
            "assumptions": assumptions.map(|found| json!({ "allowed": found.allowed, "others": found.others })),
            "library": library.map_or(Value::Null, |library| json!({
                "path": library.path.display().to_string(),
                "given": library.is_given,
                "our_sources": library.has_our_sources,
            })),
        });
        print(&format!("{value:#}\n"))?;
    } else {
        for written in [path(&args.gappa), path(&args.coq)].into_iter().flatten().filter(|path| path != "-") {
            tell(&format!("wrote {written}"));
        }
        if verdict.is_none() && !is_vacuous.is_empty() {
            tell(&format!("{name}: {}", is_vacuous.trim_start_matches(", ")));
        }
        match verdict {
            Some(Verdict::Accepted(assumptions)) => {
                print(&format!("{name}: ACCEPTED by Coq{is_vacuous}\n"))?;
                print(&format!("  it assumes {}\n", assumptions.in_words()))?;
            }
            Some(Verdict::Rejected { reason, .. }) => {
                print(&format!("{name}: REJECTED by Coq:\n{reason}\n"))?;
                tell(&format!("hint: lastbit check {name} says what is wrong in its own words"));
            }
            Some(Verdict::NotChecked(reason)) => {
                tell(&format!("{name}: NOT CHECKED: {}", reason.reason));
                tell(&format!("hint: {}", reason.hint));
            }
            None => {}
        }
        if let Some(library) = library {
            print(&format!("  {}\n", in_words(library)))?;
        }
    }
    match verdict {
        None | Some(Verdict::Accepted(_)) => Ok(()),
        Some(Verdict::Rejected { .. }) => Err(Error::Told(1)),
        Some(Verdict::NotChecked(_)) => Err(Error::Told(3)),
    }
}

/// What the verdict stands on.
fn in_words(library: &Library) -> String {
    let place = library.path.display();
    match (library.is_given, library.has_our_sources) {
        (false, _) => format!("library: lastbit's own, compiled in {place}"),
        (true, true) => {
            format!(
                "library: {place}, as you named it; it has the sources of this lastbit, and what is compiled is taken on trust"
            )
        }
        (true, false) => {
            format!(
                "library: {place}, as you named it; its sources are NOT those of this lastbit: read its definitions"
            )
        }
    }
}
