//! Where the library is that certificates stand on.
//!
//! Statements are made of its definitions, and tactics of it write the proofs: whoever says where it is, says what is proved. So the sources are part of this
//! program, compiled once into a directory of the user's own, and a `coq/` that happens to lie near the working directory is not looked at.
//! Another library is used if the user names it, and the verdict says so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::{env, fs, io, thread};

use super::coqc::{self, Coqc, NotChecked};
use super::scratch::private_directory;
use super::sources::{self, MODULES, Module, ROOTS};
use crate::error::{Error, tell};
use crate::progress::LateBar;

/// A compiled library.
pub(super) struct Library {
    pub(super) path: PathBuf,
    /// Whether the user has named it; otherwise it is our own.
    pub(super) is_given: bool,
    /// Whether its sources are those of this program.
    pub(super) has_our_sources: bool,
}

/// Either a library or why there is none.
type Found = Result<Result<Library, NotChecked>, Error>;

/// The directory that the user names, as an argument or in the environment.
pub(super) fn named(argument: Option<&Path>) -> Option<PathBuf> {
    let in_environment = || env::var_os("LASTBIT_COQ").filter(|name| !name.is_empty()).map(PathBuf::from);
    argument.map(Path::to_owned).or_else(in_environment)
}

/// The library in a directory that is named.
pub(super) fn given(path: &Path) -> Result<Library, NotChecked> {
    if !ROOTS.iter().all(|root| path.join(format!("{root}.vo")).is_file()) {
        return Err(NotChecked {
            reason: format!("the library in {} is not compiled", path.display()),
            hint: "coq/check compiles it, in a copy of the project; without --library and $LASTBIT_COQ lastbit compiles its own".into(),
        });
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(Library { has_our_sources: sources::are_in(&path), path, is_given: true })
}

/// The user's directory for what can be made again.
fn cache() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))
}

/// Our own library, which is compiled if need be.
pub(super) fn own(coqc: &Coqc) -> Found {
    let Some(cache) = cache() else {
        return Ok(Err(NotChecked {
            reason: "there is no place for the compiled library".into(),
            hint: "set XDG_CACHE_HOME, or HOME, to a directory".into(),
        }));
    };
    let shelf = cache.join("lastbit");
    let made = fs::create_dir_all(&cache).and_then(|()| match private_directory(&shelf) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    });
    made.map_err(|e| Error::io(format!("make {}", shelf.display()), e))?;
    let path = shelf.join(format!("coq-{:016x}", sources::fingerprint(coqc.version())));
    if !path.is_dir()
        && let Err(reason) = compile_into(&path, coqc)?
    {
        return Ok(Err(reason));
    }
    if !is_private(&shelf) || !is_private(&path) || !sources::are_in(&path) {
        return Ok(Err(NotChecked {
            reason: format!("others can write to {}, or have changed it", path.display()),
            hint: "remove it, or set XDG_CACHE_HOME to a directory of your own".into(),
        }));
    }
    Ok(Ok(Library { path, is_given: false, has_our_sources: true }))
}

/// Whether it is a directory, and only its owner can write to it.
#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir() && about.mode() & OTHERS_WRITE == 0)
}

#[cfg(not(unix))]
fn is_private(path: &Path) -> bool {
    path.is_dir()
}

/// Compiles the library beside its place, and moves it there when it is complete.
fn compile_into(path: &Path, coqc: &Coqc) -> Result<Result<(), NotChecked>, Error> {
    let beside = path.with_extension(format!("{}.partial", std::process::id()));
    let _ = fs::remove_dir_all(&beside); // of a process that had the same number and was killed
    private_directory(&beside).map_err(|e| Error::io(format!("make {}", beside.display()), e))?;
    tell(&format!(
        "compiling lastbit's Coq library, {} files, once: about a minute, into {}",
        MODULES.len(),
        path.display()
    ));
    let compiled = compile(&beside, coqc);
    let moved = match compiled {
        // Another process may have been faster, with the same result.
        Ok(Ok(())) => fs::rename(&beside, path)
            .or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
            .map_err(|e| Error::io(format!("make {}", path.display()), e))
            .map(Ok),
        other => other,
    };
    let _ = fs::remove_dir_all(&beside); // gone, if all went well
    moved
}

/// How far the compilation is.
#[derive(Default)]
struct Work {
    begun: BTreeSet<&'static str>,
    done: BTreeSet<&'static str>,
    /// The first thing that went wrong.
    stopped: Option<Result<NotChecked, Error>>,
}

impl Work {
    /// Something to do whose requirements are done; nothing if none is, or all are.
    fn next(&mut self) -> Option<&'static Module> {
        let is_ready = |module: &&Module| {
            !self.begun.contains(module.name) && module.requires().all(|needed| self.done.contains(needed))
        };
        let found = MODULES.iter().find(is_ready)?;
        self.begun.insert(found.name);
        Some(found)
    }

    fn is_over(&self) -> bool {
        self.stopped.is_some() || self.begun.len() == MODULES.len()
    }
}

fn compile(directory: &Path, coqc: &Coqc) -> Result<Result<(), NotChecked>, Error> {
    for module in MODULES {
        let path = directory.join(module.source());
        fs::write(&path, module.text).map_err(|e| Error::io(format!("write {}", path.display()), e))?;
    }
    let (work, changed) = (Mutex::new(Work::default()), Condvar::new());
    let bar = LateBar::new("Coq", "{prefix} {wide_bar} {pos}/{len} files, {msg}", MODULES.len() as u64);
    let lock = || work.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let mut state = lock();
                    let module = loop {
                        if state.is_over() {
                            return;
                        }
                        match state.next() {
                            Some(module) => break module,
                            None => {
                                state = changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner)
                            }
                        }
                    };
                    bar.show(state.done.len() as u64, module.name);
                    drop(state);
                    let outcome = compile_module(module, directory, coqc);
                    let mut state = lock();
                    match outcome {
                        Ok(Ok(())) => drop(state.done.insert(module.name)),
                        Ok(Err(reason)) => state.stopped = Some(Ok(reason)),
                        Err(error) => state.stopped = Some(Err(error)),
                    }
                    changed.notify_all();
                }
            });
        }
    });
    match work.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).stopped {
        None => Ok(Ok(())),
        Some(Ok(reason)) => Ok(Err(reason)),
        Some(Err(error)) => Err(error),
    }
}

fn compile_module(module: &Module, directory: &Path, coqc: &Coqc) -> Result<Result<(), NotChecked>, Error> {
    let output = coqc.run(directory, &[(directory, "Lastbit")], &directory.join(module.source()))?;
    let is_there = directory.join(module.compiled()).is_file();
    Ok(if output.status.success() && is_there {
        Ok(())
    } else {
        Err(NotChecked {
            reason: format!(
                "the library does not compile: {}: {}",
                module.source(),
                coqc::last_lines(&output).unwrap_or_else(|| output.status.to_string())
            ),
            hint: "it is for Coq 8.16 with Flocq 4.1 and Interval 4.6 (Debian: coq, libcoq-flocq, libcoq-interval), where coqc finds them by itself: COQPATH is not used".into(),
        })
    })
}
