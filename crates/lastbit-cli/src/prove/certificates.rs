//! Where certificates go.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lastbit_lang::StraightLine;
use lastbit_prove::analysis::Analysis;
use lastbit_prove::certificate;
use serde_json::Value;

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
    pub(crate) fn expect(&self, name: &str, count: usize) -> Result<(), Error> {
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

    /// Writes the certificate of one program's error.
    pub(crate) fn write(&mut self, program: &StraightLine, analysis: &Analysis) -> Result<(), Error> {
        self.write_value(&program.name, &certificate::to_json(program, analysis))
    }

    /// Writes a certificate of this name.
    pub(crate) fn write_value(&mut self, name: &str, certificate: &Value) -> Result<(), Error> {
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
        write_whole(&path, &format!("{certificate}\n"))
    }
}

/// A file name made of a program's name.
fn file_name(name: &str) -> String {
    const MOST: usize = 100;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = name.trim_start_matches('.').chars().take(MOST).map(safe).collect();
    format!("{}.json", if stem.is_empty() { "program" } else { &stem })
}
