//! The commands `release` and `budget` as a whole: what they say of private cells, of neighbours and of bad input, and what a ledger keeps.

mod canary;
mod digests;
#[cfg(unix)]
mod kills;
mod kinds;
mod refusals;
mod statements;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{self, code, folder, lastbit, stderr, stdout};

/// A spec that asks for each kind of query, of `trips.csv`.
pub(crate) const SPEC: &str = r#"filter = "paid = 'yes' or paid is null"

[table]
path = "trips.csv"
dataset = "trips"
unit = "rider"

[bounds]
groups = 2
rows = 3

[by]
columns = "city"
keys = ["Thun", "Bern", "Biel"]

[privacy]
epsilon = 1

[[query]]
name = "trips"
kind = "count"

[[query]]
name = "riders"
kind = "count-units"
share = 2

[[query]]
name = "fares"
kind = "sum"
column = "fare"
bounds = [0, 100]

[[query]]
name = "fare"
kind = "mean"
column = "fare"
bounds = [0, 100]

[[query]]
name = "ages"
kind = "histogram"
column = "age"
edges = [0, 18, 65, 120]
"#;

/// The header of such tables.
const HEADER: &str = "rider,city,fare,paid,age\n";

/// Some rows.
const ROWS: &str =
    "r1,Bern,12.50,yes,31\nr1,Bern,3,yes,31\nr2,Biel,99.95,yes,17\nr3,Bern,0,no,70\nr3,Genf,7,yes,70\n";

/// A folder with a spec and a table.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: folder() };
        place.put("release.toml", SPEC);
        place.put("trips.csv", format!("{HEADER}{ROWS}"));
        place
    }

    fn with_ledger(limit: &str) -> Place {
        let place = Place::new();
        let made = place.run(&format!("budget create ledger.db --dataset trips --unit rider {limit}"));
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn put(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        common::put(&self.folder, name, contents)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).expect("a file")
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = lastbit(arguments);
        command.current_dir(self.path());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        common::output(&mut self.command(arguments))
    }

    /// The JSON of a command that succeeds.
    fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
        serde_json::from_str(stdout(&output)).expect("JSON")
    }

    /// The last entry of the ledger.
    fn head(&self) -> String {
        head_of(&self.json("budget show ledger.db")["head"])
    }

    /// All that files of this folder have in their names or in them, but for those that the test wrote.
    fn left_behind(&self, written: &[&str]) -> Vec<u8> {
        let mut all = Vec::new();
        for name in common::names_in(self.path()) {
            if written.contains(&name.as_str()) {
                continue;
            }
            all.extend_from_slice(name.as_bytes());
            let path = self.path().join(&name);
            match path.is_dir() {
                true => {
                    for inner in common::names_in(&path) {
                        all.extend_from_slice(inner.as_bytes());
                        all.extend(fs::read(path.join(inner)).expect("a file"));
                    }
                }
                false => all.extend(fs::read(path).expect("a file")),
            }
        }
        all
    }
}

/// A head as claims have it.
fn head_of(told: &Value) -> String {
    format!("{}:{}", told["entry"], told["hash"].as_str().expect("a hash"))
}

fn has(text: &[u8], part: &str) -> bool {
    text.windows(part.len()).any(|window| window == part.as_bytes())
}
