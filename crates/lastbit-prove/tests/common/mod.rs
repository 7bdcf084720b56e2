//! Coq, if it is here.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, process};

/// The compiled library: what `LASTBIT_COQ` names, or `coq/`.
fn library() -> Option<PathBuf> {
    let given = env::var_os("LASTBIT_COQ").map(PathBuf::from);
    let path = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../coq"));
    let is_compiled = path.join("ErrorCertificate.vo").exists() && path.join("EventTactics.vo").exists();
    let has_coqc = Command::new("coqc").arg("--version").output().is_ok_and(|output| output.status.success());
    (is_compiled && has_coqc).then_some(path)
}

/// Whether coqc accepts a file, or what it says; `None` if it cannot be asked.
pub(crate) fn coqc(what: &str, file: &str) -> Option<Result<(), String>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let Some(library) = library() else {
        // Not `println!`, which the test harness keeps to itself.
        let reason = "there is no coqc, or coq/ is not compiled (coq/check)";
        let _ = writeln!(io::stderr(), "SKIPPED: {what} was not given to Coq: {reason}");
        return None;
    };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("lastbit-coq-{}-{number}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("Certificate.v");
    fs::write(&path, file).expect("a file");
    let output =
        Command::new("coqc").arg("-Q").arg(library).arg("Lastbit").arg(&path).output().expect("it runs");
    fs::remove_dir_all(&folder).expect("it goes away");
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(()) } else { Err(said()) })
}
