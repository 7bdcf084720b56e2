//! `lastbit certify`: certificates for other judges.

pub(crate) mod args;
mod assumptions;
mod coqc;
mod judge;
mod library;
mod scratch;
mod sources;

use std::path::Path;

use lastbit_engine::certify::{Assumed, CertifyAnswer, Export, LibraryUsed};
use lastbit_engine::{Judgement, Source};

use crate::error::{Error, tell};
use crate::prove::files::{is_stdin, name_of, print, print_json, read_text, write_whole};
use crate::prove::refused;
use crate::style;
use args::Certify;
use judge::{Verdict, judge};

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
    let export =
        Export::of(Source { name: &name, text: &text }).map_err(|refusal| refused(&name, refusal))?;
    // Both are made before either is written.
    let script = args.gappa.is_some().then(|| export.to_gappa()).transpose();
    let script = script.map_err(|refusal| refused(&name, refusal))?;
    let wants_coq = args.coq.is_some() || args.run;
    let file = wants_coq.then(|| export.to_coq()).transpose().map_err(|refusal| refused(&name, refusal))?;
    let vacuous =
        if wants_coq { export.vacuous().map_err(|refusal| refused(&name, refusal))? } else { Some(false) };
    if let (Some(path), Some(script)) = (&args.gappa, &script) {
        put(path, script)?;
    }
    if let (Some(path), Some(file)) = (&args.coq, &file) {
        put(path, file)?;
    }
    let judged = match &file {
        Some(file) if args.run => Some(judge(file, args.coq.as_deref(), args.library.as_deref())?),
        _ => None,
    };
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let verdict = judged.as_ref().map(|judged| &judged.verdict);
    let mut answer = CertifyAnswer::of(&name);
    answer.coq = path(&args.coq);
    answer.gappa = path(&args.gappa);
    answer.statement = file.is_some().then(|| export.statement()).flatten();
    answer.vacuous = vacuous;
    answer.accepted = verdict.and_then(Verdict::is_accepted);
    answer.reason = verdict.and_then(Verdict::reason).map(str::to_owned);
    answer.assumptions = verdict
        .and_then(Verdict::assumptions)
        .map(|found| Assumed { allowed: found.allowed.clone(), others: found.others.clone() });
    answer.library = judged.as_ref().and_then(|judged| judged.library.as_ref()).map(|library| LibraryUsed {
        path: library.path.display().to_string(),
        given: library.is_given,
        our_sources: library.has_our_sources,
    });
    report(args, &answer, verdict)
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

fn report(args: &Certify, answer: &CertifyAnswer, verdict: Option<&Verdict>) -> Result<(), Error> {
    let name = &answer.file;
    if args.json {
        print_json(answer)?;
    } else {
        let written = [&answer.gappa, &answer.coq].into_iter().flatten();
        for written in written.filter(|path| *path != "-") {
            tell(&format!("wrote {written}"));
        }
        let is_vacuous = answer.vacuity().map_or(String::new(), |vacuous| format!(", {vacuous}"));
        if let (None, Some(vacuous)) = (verdict, answer.vacuity()) {
            tell(&format!("{name}: {vacuous}"));
        }
        match verdict {
            Some(Verdict::Accepted(assumptions)) => {
                print(&format!(
                    "{name}: {} by Coq{is_vacuous}\n",
                    style::verdict(Judgement::Holds, "ACCEPTED")
                ))?;
                print(&format!("  it assumes {}\n", assumptions.in_words()))?;
                if let Some(statement) = &answer.statement {
                    print(&format!("  the theorem states {statement}\n"))?;
                }
            }
            Some(Verdict::Rejected { reason, .. }) => {
                let word = style::verdict(Judgement::Violated, "REJECTED");
                print(&format!("{name}: {word} by Coq:\n{reason}\n"))?;
                tell(&format!("hint: lastbit check {name} says what is wrong in its own words"));
            }
            Some(Verdict::NotChecked(reason)) => {
                tell(&format!("{name}: NOT CHECKED: {}", reason.reason));
                tell(&format!("hint: {}", reason.hint));
            }
            None => {}
        }
        if let Some(library) = &answer.library {
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
fn in_words(library: &LibraryUsed) -> String {
    let place = &library.path;
    match (library.given, library.our_sources) {
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
