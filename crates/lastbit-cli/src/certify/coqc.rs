//! Coq's compiler as the judge.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::error::Error;

/// How many of the last lines that coqc prints are shown.
const LAST_LINES: usize = 12;

/// What Coq says.
pub(super) enum Verdict {
    Accepted,
    /// With what it prints.
    Rejected(String),
    /// There is no compiler, no library, or it was killed.
    NotChecked {
        reason: String,
        hint: String,
    },
}

impl Verdict {
    pub(super) fn accepted(&self) -> Option<bool> {
        match self {
            Verdict::Accepted => Some(true),
            Verdict::Rejected(_) => Some(false),
            Verdict::NotChecked { .. } => None,
        }
    }

    pub(super) fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Accepted => None,
            Verdict::Rejected(reason) | Verdict::NotChecked { reason, .. } => Some(reason),
        }
    }
}

/// Compiles the file, which is at `path` if it was written there.
pub(super) fn check(file: &str, path: Option<&Path>, library: Option<&Path>) -> Result<Verdict, Error> {
    let Some(library) = library.map(Path::to_owned).or_else(find_library) else {
        return Ok(not_checked("the library coq/ is not here, nor in a directory above"));
    };
    // What the files of the kinds of certificates stand on.
    let needed = ["ErrorCertificate.vo", "LossCertificate.vo", "FiniteTactics.vo", "EventTactics.vo"];
    if !needed.iter().all(|file| library.join(file).is_file()) {
        return Ok(not_checked(&format!("the library in {} is not compiled", library.display())));
    }
    // In a place of its own: coqc leaves files beside its source, and wants a name that is an identifier.
    let place = Scratch::new()?;
    let copy = place.0.join("Certificate.v");
    fs::write(&copy, file).map_err(|e| Error::io(format!("write {}", copy.display()), e))?;
    let library = fs::canonicalize(&library).unwrap_or(library);
    // Its tactics leave caches where it runs.
    let mut coqc = Command::new("coqc");
    let output = coqc.current_dir(&place.0).arg("-Q").arg(&library).arg("Lastbit").arg(&copy).output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(not_checked("coqc is not on the PATH"));
        }
        Err(error) => return Err(Error::io("run coqc", error)),
    };
    if output.status.success() {
        return Ok(Verdict::Accepted);
    }
    // Killed, for want of memory perhaps: Coq has not said anything of the certificate.
    if output.status.code().is_none() {
        return Ok(Verdict::NotChecked {
            reason: format!("coqc did not end by itself ({})", output.status),
            hint: "run again with more memory, or on a certificate of fewer boxes (lastbit prove --effort)"
                .into(),
        });
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // The copy is gone when anyone reads this.
    let shown = path.map_or_else(|| "Certificate.v".to_owned(), |path| path.display().to_string());
    let said = said.replace(&copy.display().to_string(), &shown);
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    let mut reason = lines[first..].join("\n");
    if reason.is_empty() {
        reason = format!("coqc ended with {}", output.status);
    }
    Ok(Verdict::Rejected(reason))
}

fn not_checked(reason: &str) -> Verdict {
    Verdict::NotChecked {
        reason: reason.to_owned(),
        hint: "coq/check --install, in a copy of the project, installs Coq and compiles the library; --library DIR says where it is".into(),
    }
}

/// The library that the environment names, or the nearest one above the working directory.
fn find_library() -> Option<PathBuf> {
    if let Some(named) = env::var_os("LASTBIT_COQ") {
        return Some(PathBuf::from(named));
    }
    let here = env::current_dir().ok()?;
    here.ancestors()
        .map(|folder| folder.join("coq"))
        .find(|folder| folder.join("ErrorCertificate.v").is_file())
}

/// A directory that goes away.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, Error> {
        let parent = env::temp_dir();
        for number in 0..1000 {
            let path = parent.join(format!("lastbit-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io(format!("make {}", path.display()), error)),
            }
        }
        Err(Error::usage(
            format!("no room for a directory in {}", parent.display()),
            "remove what is there, or set TMPDIR",
        ))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what stays behind does no harm
    }
}
