//! Coq as the judge of a certificate.

use std::fs;
use std::path::Path;
use std::process::Output;

use lastbit_prove::coq::theorems;

use super::assumptions::{self, Assumptions};
use super::coqc::{Coqc, NotChecked, last_lines};
use super::library::{self, Library};
use super::scratch::Scratch;
use crate::error::Error;

/// What Coq says, and of which library.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) library: Option<Library>,
}

pub(super) enum Verdict {
    Accepted(Assumptions),
    /// It does not compile, or assumes what it may not; with the reason.
    Rejected {
        reason: String,
        /// The assumptions, as far as they are known.
        assumptions: Option<Assumptions>,
    },
    NotChecked(NotChecked),
}

impl Verdict {
    pub(super) fn is_accepted(&self) -> Option<bool> {
        match self {
            Verdict::Accepted(_) => Some(true),
            Verdict::Rejected { .. } => Some(false),
            Verdict::NotChecked(_) => None,
        }
    }

    pub(super) fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Accepted(_) => None,
            Verdict::Rejected { reason, .. } | Verdict::NotChecked(NotChecked { reason, .. }) => Some(reason),
        }
    }

    pub(super) fn assumptions(&self) -> Option<&Assumptions> {
        match self {
            Verdict::Accepted(assumptions) => Some(assumptions),
            Verdict::Rejected { assumptions, .. } => assumptions.as_ref(),
            Verdict::NotChecked(_) => None,
        }
    }
}

/// The names of the directory that a file is compiled in, and of the file.
const PLACE: &str = "LastbitCertificate";
const NAME: &str = "Certificate";

/// Compiles the file, which is at `path` if it was written there, and asks what it assumes.
pub(super) fn judge(file: &str, path: Option<&Path>, named: Option<&Path>) -> Result<Judged, Error> {
    let not_checked = |reason| Ok(Judged { verdict: Verdict::NotChecked(reason), library: None });
    let given = library::named(named).map(|path| library::given(&path));
    if let Some(Err(reason)) = given {
        return not_checked(reason);
    }
    let coqc = match Coqc::find()? {
        Ok(coqc) => coqc,
        Err(reason) => return not_checked(reason),
    };
    match given.map_or_else(|| library::own(&coqc), Ok)? {
        Ok(library) => {
            let verdict = with_library(file, path, &library.path, &coqc)?;
            Ok(Judged { verdict, library: Some(library) })
        }
        Err(reason) => not_checked(reason),
    }
}

fn with_library(file: &str, path: Option<&Path>, library: &Path, coqc: &Coqc) -> Result<Verdict, Error> {
    let place = Scratch::new()?;
    let libraries = [(library, "Lastbit"), (&place.0, PLACE)];
    let run = |name: &str, text: &str| {
        let copy = place.0.join(format!("{name}.v"));
        fs::write(&copy, text).map_err(|e| Error::io(format!("write {}", copy.display()), e))?;
        coqc.run(&place.0, &libraries, &copy)
    };
    let output = run(NAME, file)?;
    if let Some(verdict) = failure(&output, |said| {
        // The copy is gone when anyone reads this.
        let shown = path.map_or_else(|| format!("{NAME}.v"), |path| path.display().to_string());
        said.replace(&place.0.join(format!("{NAME}.v")).display().to_string(), &shown)
    }) {
        return Ok(verdict);
    }
    let (stated, marker) = (theorems(file), assumptions::marker());
    if stated.is_empty() {
        return Ok(Verdict::Rejected { reason: "the file states no theorem".into(), assumptions: None });
    }
    let question = assumptions::question(&format!("{PLACE}.{NAME}"), &stated, &marker);
    let output = run("Assumptions", &question)?;
    if let Some(verdict) = failure(&output, |said| format!("what it assumes is not known: {said}")) {
        return Ok(verdict);
    }
    Ok(match assumptions::answer(&String::from_utf8_lossy(&output.stdout), &marker) {
        None => Verdict::Rejected {
            reason: "what it assumes is not known: Coq's answer cannot be read".into(),
            assumptions: None,
        },
        Some(assumptions) if assumptions.others.is_empty() => Verdict::Accepted(assumptions),
        Some(assumptions) => {
            let others: Vec<&str> = assumptions.others.iter().map(String::as_str).collect();
            Verdict::Rejected {
                reason: format!(
                    "it compiles, but only by assuming what may not be assumed: {}",
                    others.join(", ")
                ),
                assumptions: Some(assumptions),
            }
        }
    })
}

/// What to say if coqc does not end well.
fn failure(output: &Output, shown: impl Fn(String) -> String) -> Option<Verdict> {
    if output.status.success() {
        return None;
    }
    // Killed, for want of memory perhaps: Coq has not said anything of the certificate.
    if output.status.code().is_none() {
        return Some(Verdict::NotChecked(NotChecked {
            reason: format!("coqc did not end by itself ({})", output.status),
            hint: "run again with more memory, or on a certificate of fewer boxes (lastbit prove --effort)"
                .into(),
        }));
    }
    let said = last_lines(output).map(shown);
    // Of a library that was compiled with other versions of what it needs itself.
    if let Some(reason) =
        said.as_ref().filter(|said| said.contains("makes inconsistent assumptions over library"))
    {
        return Some(Verdict::NotChecked(NotChecked {
            reason: format!("the library was compiled with another Coq, Flocq or Interval:\n{reason}"),
            hint: "remove it, to have it compiled again".into(),
        }));
    }
    let reason = said.unwrap_or_else(|| format!("coqc ended with {}", output.status));
    Some(Verdict::Rejected { reason, assumptions: None })
}
