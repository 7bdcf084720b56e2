//! The tests of this crate, in one program.

mod expressions;
mod files;
mod neighbours;
mod plans;
mod specs;

use lastbit_table::{Aggregates, Options, Plan, Spec, TableError, aggregate, open};
use std::path::{Path, PathBuf};

/// A folder that is deleted with its files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn plan(&self, spec: &str) -> Plan {
        parse(spec, &self.0.path().join("spec.toml")).plan().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The aggregates of a spec over files in this folder.
    fn answer(&self, spec: &str) -> Result<Aggregates, TableError> {
        let plan = self.plan(spec);
        let mut source = open(&plan)?;
        Ok(aggregate(&plan, &mut *source, &Options::default())?.aggregates)
    }
}

fn parse(spec: &str, path: &Path) -> Spec {
    Spec::parse(spec, path).unwrap_or_else(|error| panic!("{error}"))
}

/// All integers of all groups.
fn integers(plan: &Plan, aggregates: &Aggregates) -> Vec<i128> {
    let components = || plan.queries().iter().flat_map(|query| &query.components);
    (0..plan.keys().len())
        .flat_map(|key| components().flat_map(move |part| aggregates.integers(part, key).to_vec()))
        .collect()
}
