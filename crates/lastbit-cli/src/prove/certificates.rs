//! The files that certificates are written to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lastbit_engine::prove::NamedCertificate;

use super::files::write_whole;
use crate::error::{Error, quoted};

/// The place for certificates, and what is there already.
pub(crate) struct Certificates {
    path: PathBuf,
    is_directory: bool,
    written: BTreeSet<PathBuf>,
}

impl Certificates {
    pub(crate) fn new(path: PathBuf) -> Certificates {
        Certificates { is_directory: path.is_dir(), path, written: BTreeSet::new() }
    }

    /// Refuses before anything is written if there is no room for so many.
    fn expect(&self, name: &str, count: usize) -> Result<(), Error> {
        match count > 1 && !self.is_directory {
            true => Err(self.full(name)),
            false => Ok(()),
        }
    }

    fn full(&self, name: &str) -> Error {
        let path = self.path.display();
        Error::usage(
            format!("{path} has one certificate, there is none left for {}", quoted(name.as_bytes())),
            "choose one program with --program, or give a directory that exists: a program with several proofs has several",
        )
    }

    /// Writes all certificates of a program.
    pub(crate) fn write_all(&mut self, name: &str, certificates: &[NamedCertificate]) -> Result<(), Error> {
        self.expect(name, certificates.len())?;
        certificates.iter().try_for_each(|certificate| self.write(&certificate.name, &certificate.text))
    }

    /// Writes a certificate of this name.
    fn write(&mut self, name: &str, certificate: &str) -> Result<(), Error> {
        let path = if self.is_directory { self.path.join(file_name(name)) } else { self.path.clone() };
        // One certificate must not take the place of another.
        if !self.written.insert(path.clone()) {
            return Err(match self.is_directory {
                true => Error::usage(
                    format!("two certificates would be {}", path.display()),
                    "choose one with --program, or give the programs different names",
                ),
                false => self.full(name),
            });
        }
        write_whole(&path, format!("{certificate}\n"))
    }
}

/// A file name made of a program's name.
fn file_name(name: &str) -> String {
    const MOST: usize = 100;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = name.trim_start_matches('.').chars().take(MOST).map(safe).collect();
    format!("{}.json", if stem.is_empty() { "program" } else { &stem })
}
