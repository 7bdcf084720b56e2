//! Other packages, in a virtual environment of Python.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::native;
use crate::attack::args::GalleryOptions;
use crate::attack::process::Process;
use crate::error::{Error, cut, tell};

/// Makes samples, and says which packages there are.
pub(super) const SCRIPT: &str = include_str!("../gallery.py");

/// The packages, and what pip is asked for. The newest scikit-learn lacks a function that diffprivlib imports.
const PACKAGES: [(&str, &[&str]); 4] = [
    ("numpy", &["numpy"]),
    ("diffprivlib", &["diffprivlib", "scikit-learn<1.8"]),
    ("opendp", &["opendp"]),
    ("python-dp", &["python-dp"]),
];

/// A virtual environment with packages.
pub(super) struct Python {
    interpreter: PathBuf,
    versions: BTreeMap<String, String>,
    /// The reason that a package is not there.
    missing: BTreeMap<&'static str, String>,
}

impl Python {
    /// Makes the environment if it is not there, and installs what is missing. What cannot be installed is kept with the
    /// reason: the rest of the gallery goes on.
    pub(super) fn prepare(options: &GalleryOptions) -> Result<Python, Error> {
        let folder = options.venv.clone().or_else(cache).ok_or_else(|| {
            Error::usage("there is no cache folder for the packages", "say where they go with --venv DIR")
        })?;
        let interpreter = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let made = if interpreter.exists() {
            Ok(())
        } else {
            make(options.python.as_deref().unwrap_or(Path::new("python3")), &folder)
        };
        let mut python = Python { interpreter, versions: BTreeMap::new(), missing: BTreeMap::new() };
        if let Err(why) = made {
            python.missing.extend(PACKAGES.map(|(package, _)| (package, why.clone())));
            return Ok(python);
        }
        python.versions = python.installed();
        for (package, wanted) in PACKAGES {
            if python.versions.contains_key(package) {
                continue;
            }
            tell(&format!("installing {package} into {}", folder.display()));
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            if let Err(why) = run(&python.interpreter, pip.iter().chain(wanted)) {
                python.missing.insert(package, format!("pip failed: {why}"));
            }
        }
        python.versions = python.installed();
        Ok(python)
    }

    /// The packages that are there.
    fn installed(&self) -> BTreeMap<String, String> {
        let lines = run(&self.interpreter, ["-I", "-c", SCRIPT, "versions"]).unwrap_or_default();
        let pairs = lines.lines().filter_map(|line| line.split_once(' '));
        pairs.map(|(package, version)| (package.to_owned(), version.to_owned())).collect()
    }

    /// The version of a package, or a dash.
    pub(super) fn version(&self, package: &str) -> String {
        match package {
            native::PACKAGE => env!("CARGO_PKG_VERSION").into(),
            _ => self.versions.get(package).cloned().unwrap_or_else(|| "-".into()),
        }
    }

    /// Starts a process that prints so many samples.
    pub(super) fn samples(&self, package: &str, name: &str, x: f64, count: usize) -> Result<Process, Error> {
        if let Some(why) = self.missing.get(package) {
            return Err(Error::usage(why.clone(), "see that it can be installed"));
        }
        let mut command = Command::new(&self.interpreter);
        command.args(["-I", "-c", SCRIPT, name, &x.to_string(), &count.to_string()]);
        Process::start(command, "Python".into(), count)
    }
}

/// Where the packages are kept from one run to the next.
fn cache() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("lastbit").join("gallery"))
}

fn make(python: &Path, folder: &Path) -> Result<(), String> {
    tell(&format!("making a virtual environment in {}", folder.display()));
    run(python, [OsStr::new("-m"), OsStr::new("venv"), folder.as_os_str()])
        .map(drop)
        .map_err(|why| format!("no virtual environment: {why}"))
}

/// What a program prints, or its last line on standard error.
fn run<S: AsRef<OsStr>>(program: &Path, arguments: impl IntoIterator<Item = S>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|e| format!("cannot run {}: {e}", program.display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().rfind(|line| !line.trim().is_empty()).map_or(output.status.to_string(), cut))
}
