//! Coq's compiler.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

use crate::error::Error;

/// How many of the last lines that coqc prints are shown.
const LAST_LINES: usize = 12;

/// By these, files of other places would be found before ours, or options be given that we do not know of.
const IGNORED: [&str; 9] = [
    "COQPATH",
    "COQLIB",
    "COQCORELIB",
    "COQBIN",
    "COQTOP",
    "COQFLAGS",
    "COQEXTRAFLAGS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
];

/// Why Coq has said nothing.
pub(super) struct NotChecked {
    pub(super) reason: String,
    pub(super) hint: String,
}

/// The compiler on the path.
pub(super) struct Coqc {
    version: String,
}

impl Coqc {
    /// Finds it.
    pub(super) fn find() -> Result<Result<Coqc, NotChecked>, Error> {
        match Command::new("coqc").arg("--version").output() {
            Ok(output) if output.status.success() => {
                Ok(Ok(Coqc { version: String::from_utf8_lossy(&output.stdout).into_owned() }))
            }
            Ok(output) => Ok(Err(NotChecked {
                reason: format!("coqc --version ended with {}", output.status),
                hint: INSTALL.into(),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Err(NotChecked { reason: "coqc is not on the PATH".into(), hint: INSTALL.into() }))
            }
            Err(error) => Err(Error::io("run coqc", error)),
        }
    }

    /// What it says of itself.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Compiles a file. It runs in a directory of ours, since its tactics leave caches where it runs; of what the environment says, nothing
    /// changes what the names of libraries mean.
    pub(super) fn run(
        &self,
        directory: &Path,
        libraries: &[(&Path, &str)],
        file: &Path,
    ) -> Result<Output, Error> {
        let mut command = Command::new("coqc");
        command.current_dir(directory).arg("-q");
        for name in IGNORED {
            command.env_remove(name);
        }
        for (path, name) in libraries {
            command.arg("-Q").arg(path).arg(name);
        }
        command.arg(file).output().map_err(|error| Error::io("run coqc", error))
    }
}

const INSTALL: &str = "coq/check --install, in a copy of the project, installs Coq (Debian: coq, libcoq-flocq, libcoq-interval)";

/// The end of what it says is wrong.
pub(super) fn last_lines(output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    Some(lines[first..].join("\n")).filter(|text| !text.is_empty())
}
