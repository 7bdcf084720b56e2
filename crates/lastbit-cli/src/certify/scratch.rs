//! Directories that nobody else can look into.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::error::Error;

/// Makes a directory, for its owner alone.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A directory that goes away.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Scratch, Error> {
        let parent = env::temp_dir();
        for number in 0..1000 {
            let path = parent.join(format!("lastbit-{}-{number}", std::process::id()));
            match private_directory(&path) {
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
