//! The file: how it is made, and which files are refused.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lastbit_ledger::{Error, Ledger, Limit, Options, Reservation};
use rusqlite::Connection;

use crate::common::{self, directory, ledger, pure, rational, request};

fn one() -> Limit {
    Limit::pure(rational("1")).unwrap()
}

fn refusal(path: &Path) -> Error {
    Ledger::open(path, &Options::default()).unwrap_err()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_ledger_is_private_and_never_overwritten() {
    let (directory, path, mut ledger) = ledger(one());
    assert_eq!(mode(&path), 0o600);
    let head = ledger.head().unwrap();
    assert_eq!(Ledger::create(&path, &Options::default()).unwrap_err(), Error::Exists { path: path.clone() });
    assert_eq!(ledger.head(), Ok(head));
    let other = directory.path().join("notes.txt");
    std::fs::write(&other, "notes").unwrap();
    assert!(matches!(Ledger::create(&other, &Options::default()), Err(Error::Exists { .. })));
    assert_eq!(std::fs::read(&other).unwrap(), b"notes");
    ledger.release(&request("a", pure("1/2")), || Ok(vec![1; 100_000])).unwrap();
    let results = directory.path().join("l.db-results");
    assert_eq!(mode(&results), 0o700);
    let files: Vec<_> = std::fs::read_dir(&results).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!((files.len(), mode(&files[0])), (1, 0o600));
    assert!(files[0].extension().is_none(), "{files:?}");
    let nowhere = Ledger::create(directory.path().join("no/l.db"), &Options::default());
    assert!(matches!(nowhere, Err(Error::Io { .. })), "{nowhere:?}");
}

#[test]
fn other_files_are_refused() {
    let directory = directory();
    let path = |name: &str| directory.path().join(name);
    assert_eq!(refusal(&path("none.db")), Error::Missing { path: path("none.db") });
    assert!(!path("none.db").exists());
    assert!(matches!(refusal(directory.path()), Error::NotALedger { .. }));
    std::fs::write(path("text"), "not a database, but long enough to be looked at ".repeat(100)).unwrap();
    assert!(matches!(refusal(&path("text")), Error::NotALedger { .. }));
    std::fs::write(path("empty"), "").unwrap();
    assert!(refusal(&path("empty")).to_string().contains("remove it and create it again"));
    Connection::open(path("other.db")).unwrap().execute_batch("CREATE TABLE entry (seq)").unwrap();
    assert!(refusal(&path("other.db")).to_string().contains("another program's"));
}

#[test]
fn wal_and_later_formats_are_refused() {
    let (_directory, path, ledger) = ledger(one());
    let head = ledger.head().unwrap();
    drop(ledger);
    Connection::open(&path).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
    let error = refusal(&path);
    assert_eq!(error, Error::WriteAheadLog { path: path.clone() });
    assert!(error.to_string().contains("PRAGMA journal_mode=DELETE"));
    Connection::open(&path).unwrap().execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    assert_eq!(common::open(&path).head(), Ok(head));
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 2").unwrap();
    assert_eq!(refusal(&path), Error::Version { path: path.clone(), found: 2, known: 1 });
}

/// SQLite's journal goes by the name of the file: a second hard link would have another. A symbolic link is followed.
#[test]
fn links() {
    let (directory, path, mut ledger) = ledger(one());
    let link = directory.path().join("link.db");
    symlink(&path, &link).unwrap();
    let large = vec![1; 100_000];
    ledger.release(&request("a", pure("1/2")), || Ok(large.clone())).unwrap();
    let mut same = common::open(&link);
    let again = same.release(&request("a", pure("1/2")), || unreachable!()).unwrap();
    assert_eq!(again.bytes, large);
    std::fs::hard_link(&path, directory.path().join("hard.db")).unwrap();
    assert_eq!(refusal(&path), Error::HardLink { path });
}

#[test]
fn a_locked_ledger_is_waited_for() {
    let (_directory, path, mut ledger) = ledger(one());
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let impatient = Ledger::open(&path, &Options::default().waiting(Duration::from_millis(20)));
    assert_eq!(impatient.unwrap_err(), Error::Busy { path: path.clone(), seconds: 0 });
    let waiting =
        std::thread::spawn(move || ledger.reserve(&request("a", pure("1/2"))).map(|found| found.reservation));
    std::thread::sleep(Duration::from_millis(50));
    assert!(!waiting.is_finished());
    connection.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.join().unwrap(), Ok(Reservation::New));
}

/// A crash between the commit and the rename, and one before the commit.
#[test]
fn files_of_interrupted_processes() {
    let (directory, path, mut ledger) = ledger(one());
    let large = vec![1; 100_000];
    ledger.release(&request("a", pure("1/2")), || Ok(large.clone())).unwrap();
    let results = directory.path().join("l.db-results");
    let file = std::fs::read_dir(&results).unwrap().next().unwrap().unwrap().path();
    let part = file.with_extension("part");
    std::fs::rename(&file, &part).unwrap();
    // Another process may be just before the rename: the part is read.
    assert_eq!(ledger.release(&request("a", pure("1/2")), || unreachable!()).unwrap().bytes, large);
    let orphan = results.join("0".repeat(64)).with_extension("part");
    std::fs::write(&orphan, "half a resu").unwrap();
    let notes = results.join("notes.part");
    std::fs::write(&notes, "not ours").unwrap();
    let mut reopened = common::open(&path);
    let mut left: Vec<_> = std::fs::read_dir(&results).unwrap().map(|file| file.unwrap().path()).collect();
    left.sort();
    assert_eq!(left, [file, notes]);
    assert_eq!(reopened.release(&request("a", pure("1/2")), || unreachable!()).unwrap().bytes, large);
    reopened.verify().unwrap();
}

/// The commands in the documentation: SQLite's own client, and a few lines of Python that share nothing with this crate.
#[test]
fn other_programs_can_read_it() {
    let (_directory, path, mut ledger) = ledger(one());
    ledger.release(&request("a", pure("1/3")), || Ok(b"1041".to_vec())).unwrap();
    let head = ledger.head().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger.md");
    let Ok(page) = std::fs::read_to_string(page) else {
        return eprintln!("skipped: needs the documentation of the repository");
    };
    let part = |from: &str, to: &str| page.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap();
    match Command::new("python3").args(["-c", part("```python\n", "```")]).arg(&path).output() {
        Ok(output) => {
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed.trim(), head.to_string(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        Err(_) => eprintln!("skipped: needs python3"),
    }
    match Command::new("sqlite3").arg(&path).arg(part("sqlite3 L.db \"", "\"\n")).output() {
        Ok(output) => {
            let printed = String::from_utf8(output.stdout).unwrap();
            let kinds: Vec<&str> = printed.lines().map(|line| line.split('|').nth(2).unwrap()).collect();
            assert_eq!(kinds, ["ledger", "dataset", "charge", "result"]);
            assert!(printed.contains("|charge|a|epsilon|1/3"), "{printed}");
        }
        Err(_) => eprintln!("skipped: needs sqlite3"),
    }
}
