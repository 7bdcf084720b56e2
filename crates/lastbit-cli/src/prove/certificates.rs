//! Where certificates go.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lastbit_lang::StraightLine;
use lastbit_prove::analysis::Analysis;
use lastbit_prove::certificate;

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

    /// Writes the certificate of one program.
    pub(crate) fn write(&mut self, program: &StraightLine, analysis: &Analysis) -> Result<(), Error> {
        let path =
            if self.is_directory { self.path.join(file_name(&program.name)) } else { self.path.clone() };
        // One certificate must not take the place of another.
        if !self.written.insert(path.clone()) {
            return Err(match self.is_directory {
                true => Error::usage(
                    format!("two certificates would be {}", path.display()),
                    "choose one with --program, or give the programs different names",
                ),
                false => Error::usage(
                    format!(
                        "{} has one certificate, there is none left for {}",
                        path.display(),
                        quoted(program.name.as_bytes())
                    ),
                    "choose one program with --program, or give a directory that exists",
                ),
            });
        }
        write_whole(&path, &format!("{}\n", certificate::to_json(program, analysis)))
    }
}

/// A file name made of a program's name.
fn file_name(name: &str) -> String {
    const MOST: usize = 100;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = name.trim_start_matches('.').chars().take(MOST).map(safe).collect();
    format!("{}.json", if stem.is_empty() { "program" } else { &stem })
}
