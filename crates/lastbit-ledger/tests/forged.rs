//! Files that were changed behind the ledger's back.

use std::path::{Path, PathBuf};

use lastbit_ledger::{Error, Fault, Ledger, Limit, Options, Request};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::common::{self, pure, rational, request};

/// Entries: 1 ledger, 2 dataset, 3 limit, then charge and result of a (4, 5), b (6, 7) and c (8, 9), of which c is in a file, and charge d (10).
fn ten_entries() -> (TempDir, PathBuf) {
    let (directory, path, mut ledger) = common::ledger(Limit::pure(rational("1")).unwrap());
    ledger.set_limit("trips", Some("ann"), &Limit::pure(rational("1/2")).unwrap()).unwrap();
    for id in ["a", "b", "c"] {
        let asked = Request { analyst: Some("ann".into()), ..request(id, pure("1/10")) };
        let result = if id == "c" { vec![7; 100_000] } else { id.as_bytes().to_vec() };
        ledger.release(&asked, || Ok(result)).unwrap();
    }
    ledger.reserve(&request("d", pure("1/5"))).unwrap();
    assert_eq!(ledger.verify().unwrap().head.entry, 10);
    (directory, path)
}

/// The triggers stop whoever does not mean to forge; whoever does drops them and puts them back.
fn forge(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    let error = connection.execute_batch("UPDATE entry SET amount = '1/1000' WHERE id = 'a'").unwrap_err();
    assert!(error.to_string().contains("append-only"), "{error}");
    let error = connection.execute_batch("DELETE FROM entry WHERE seq = 10").unwrap_err();
    assert!(error.to_string().contains("append-only"), "{error}");
    // To replace is to delete, but no trigger for that is called: neither an entry's number nor anything else that is there once may come again.
    connection.execute_batch("CREATE TEMP TABLE other AS SELECT * FROM entry").unwrap();
    for (change, from) in [
        ("amount = '1/1000'", "id = 'a' AND kind = 'charge'"),
        ("seq = 3", "seq = 10"),
        ("seq = 11", "seq = 10"),
        ("seq = 11, kind = 'charge'", "id = 'a' AND kind = 'charge'"),
        ("seq = 11, hash = 'x'", "id = 'a' AND kind = 'charge'"),
        ("seq = 11, hash = 'x', kind = 'failure'", "id = 'a' AND kind = 'result'"),
        ("seq = 11, hash = 'x'", "kind = 'dataset'"),
        ("seq = NULL, hash = 'x', id = 'z'", "id = 'a' AND kind = 'charge'"),
    ] {
        let sql = format!(
            "SAVEPOINT before; DELETE FROM other WHERE NOT ({from}); UPDATE other SET {change}; REPLACE INTO entry SELECT * FROM other"
        );
        let error = connection.execute_batch(&sql).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{change}: {error}");
        connection.execute_batch("ROLLBACK TO before; RELEASE before").unwrap();
    }
    connection.execute_batch("DROP TABLE other").unwrap();
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let triggers: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(triggers.len(), 3);
    connection
        .execute_batch("DROP TRIGGER no_update; DROP TRIGGER no_delete; DROP TRIGGER no_replace")
        .unwrap();
    connection.execute_batch(sql).unwrap();
    connection.execute_batch(&triggers.join(";")).unwrap();
}

/// The chain once more, as docs/ledger.md describes it. Makes all hashes right again.
fn rehash(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare("SELECT * FROM entry ORDER BY seq").unwrap();
    let mut rows = statement.query([]).unwrap();
    let (mut before, mut sql) = (vec![0u8; 32], String::new());
    while let Some(row) = rows.next().unwrap() {
        let mut hasher = Sha256::new();
        hasher.update(&before);
        for column in 0..18 {
            let (kind, content) = match row.get_ref(column).unwrap() {
                ValueRef::Null => {
                    hasher.update([5]);
                    continue;
                }
                ValueRef::Integer(number) => (1, number.to_be_bytes().to_vec()),
                ValueRef::Text(text) => (3, text.to_vec()),
                ValueRef::Blob(blob) => (4, blob.to_vec()),
                ValueRef::Real(_) => unreachable!(),
            };
            hasher.update([kind]);
            hasher.update((content.len() as u64).to_be_bytes());
            hasher.update(content);
        }
        before = hasher.finalize().to_vec();
        let hash: String = before.iter().map(|byte| format!("{byte:02x}")).collect();
        sql += &format!("UPDATE entry SET hash = '{hash}' WHERE seq = {};", row.get::<_, i64>(0).unwrap());
    }
    forge(path, &sql);
}

fn verdict(path: &Path) -> (Option<u64>, Fault) {
    match common::open(path).verify() {
        Err(Error::Broken { entry, fault }) => (entry, fault),
        other => panic!("{other:?}"),
    }
}

fn swap(first: u64, second: u64) -> String {
    format!(
        "UPDATE entry SET seq = 99 WHERE seq = {first}; UPDATE entry SET seq = {first} WHERE seq = {second};
         UPDATE entry SET seq = {second} WHERE seq = 99; UPDATE sqlite_sequence SET seq = 10"
    )
}

/// The first entry that is wrong is named, whatever was changed.
#[test]
fn changes_are_noticed_where_they_are() {
    let cases: [(&str, String, Option<u64>, Fault); 21] = [
        (
            "an amount",
            "UPDATE entry SET amount = '1/1000' WHERE id = 'a' AND kind = 'charge'".into(),
            Some(4),
            Fault::Hash,
        ),
        ("a dataset", "UPDATE entry SET dataset = 'bikes' WHERE seq = 6".into(), Some(6), Fault::Hash),
        ("a limit", "UPDATE entry SET amount = '100' WHERE seq = 2".into(), Some(2), Fault::Hash),
        ("a time", "UPDATE entry SET time = time + 1 WHERE seq = 8".into(), Some(8), Fault::Hash),
        ("an inline result", "UPDATE entry SET result = x'62' WHERE seq = 5".into(), Some(5), Fault::Hash),
        (
            "a null for an empty text",
            "UPDATE entry SET fingerprint = '' WHERE seq = 8".into(),
            Some(8),
            Fault::Hash,
        ),
        ("a claim", "UPDATE entry SET claim = '{}' WHERE seq = 10".into(), Some(10), Fault::Hash),
        (
            "the last hash",
            format!("UPDATE entry SET hash = '{}' WHERE seq = 10", "0".repeat(64)),
            Some(10),
            Fault::Hash,
        ),
        (
            "a first hash",
            format!("UPDATE entry SET hash = '{}' WHERE seq = 1", "0".repeat(64)),
            Some(1),
            Fault::Hash,
        ),
        (
            "an unusual text of a number",
            "UPDATE entry SET amount = '2/20' WHERE seq = 6".into(),
            Some(6),
            Fault::Malformed,
        ),
        (
            "a negative amount",
            "UPDATE entry SET amount = '-1/10' WHERE seq = 6".into(),
            Some(6),
            Fault::Malformed,
        ),
        (
            "a result of a charge",
            "UPDATE entry SET result = x'00' WHERE seq = 6".into(),
            Some(6),
            Fault::Malformed,
        ),
        (
            "a missing entry",
            "DELETE FROM entry WHERE seq = 6".into(),
            Some(6),
            Fault::Sequence { expected: 6 },
        ),
        (
            "the first entry",
            "DELETE FROM entry WHERE seq = 1".into(),
            Some(1),
            Fault::Sequence { expected: 1 },
        ),
        ("all entries", "DELETE FROM entry".into(), None, Fault::NoEntries),
        ("the last entry", "DELETE FROM entry WHERE seq = 10".into(), None, Fault::Truncated { last: 10 }),
        (
            "the number of entries",
            "DELETE FROM sqlite_sequence".into(),
            None,
            Fault::Schema { name: "sqlite_sequence".into() },
        ),
        ("the order", swap(4, 6), Some(4), Fault::Hash),
        ("the order of the last", swap(9, 10), Some(9), Fault::Hash),
        (
            "another trigger",
            "CREATE TRIGGER evil AFTER INSERT ON entry BEGIN SELECT 1; END".into(),
            None,
            Fault::Schema { name: "evil".into() },
        ),
        (
            "another index",
            "DROP INDEX charged_once".into(),
            None,
            Fault::Schema { name: "charged_once".into() },
        ),
    ];
    for (what, sql, entry, expected) in cases {
        let (_directory, path) = ten_entries();
        forge(&path, &sql);
        assert_eq!(verdict(&path), (entry, expected), "{what}");
    }
}

#[test]
fn missing_triggers_are_noticed() {
    let (_directory, path) = ten_entries();
    Connection::open(&path).unwrap().execute_batch("DROP TRIGGER no_delete").unwrap();
    assert_eq!(verdict(&path), (None, Fault::Schema { name: "no_delete".into() }));
}

/// Whoever can write the file can compute hashes. Sums and rules are then still checked.
#[test]
fn right_hashes_do_not_hide_broken_rules() {
    let columns =
        "seq, time, kind, dataset, analyst, id, spec, neighbours, measure, amount, delta, claim, hash";
    let copied = |changes: &str| {
        let from = changes.split_once(" FROM ").unwrap();
        format!("INSERT INTO entry ({columns}) SELECT {} FROM entry WHERE seq = {}", from.0, from.1)
    };
    let cases = [
        (
            "a charge over the limit",
            "UPDATE entry SET amount = '9/10' WHERE seq = 10".into(),
            Some(10),
            "only 0.7 is left",
        ),
        (
            "a lower limit",
            "UPDATE entry SET amount = '1/4' WHERE seq = 2".into(),
            Some(8),
            "only 0.05 is left",
        ),
        (
            "an analyst's limit",
            "UPDATE entry SET amount = '1/4' WHERE seq = 3".into(),
            Some(8),
            "analyst ann",
        ),
        (
            "a measure",
            "UPDATE entry SET measure = 'rho' WHERE seq = 6".into(),
            Some(6),
            "no pure loss follows",
        ),
        (
            "neighbours",
            "UPDATE entry SET neighbours = 'row' WHERE seq = 8".into(),
            Some(8),
            "neighbours are not those",
        ),
        (
            "another release's result",
            "UPDATE entry SET id = 'x' WHERE seq = 7".into(),
            Some(7),
            "not charged",
        ),
        ("a dataset", "UPDATE entry SET dataset = 'x' WHERE seq = 2".into(), Some(3), "not declared"),
        (
            "a result",
            "UPDATE entry SET result = x'00' WHERE seq = 5".into(),
            Some(5),
            "not the one that was stored",
        ),
        (
            "a second first entry",
            copied("11, time, kind, NULL, NULL, id, NULL, NULL, NULL, NULL, NULL, NULL, 'x' FROM 1"),
            Some(11),
            "and no other",
        ),
        (
            "a charge made twice",
            "DROP INDEX charged_once;".to_owned()
                + &copied(
                    "11, time, kind, dataset, analyst, id, spec, neighbours, measure, amount, delta, claim, 'x' FROM 4",
                ),
            Some(11),
            "charged before",
        ),
        (
            "a declaration made twice",
            "DROP INDEX declared_once;".to_owned()
                + &copied(
                    "11, time, kind, dataset, NULL, NULL, NULL, neighbours, measure, amount, delta, NULL, 'x' FROM 2",
                ),
            Some(11),
            "declared before",
        ),
    ];
    for (what, sql, entry, fault) in cases {
        let (_directory, path) = ten_entries();
        forge(&path, &sql);
        rehash(&path);
        let (found, reason) = verdict(&path);
        assert_eq!(found, entry, "{what}: {reason}");
        assert!(reason.to_string().contains(fault), "{what}: {reason}");
    }
    // Nothing was changed: the hashes were right.
    let (_directory, path) = ten_entries();
    let before = common::open(&path).head();
    rehash(&path);
    assert_eq!(common::open(&path).head(), before);
    common::open(&path).verify().unwrap();
}

#[test]
fn files_of_results_are_checked() {
    let (directory, path) = ten_entries();
    let files = directory.path().join("l.db-results");
    let file = std::fs::read_dir(&files).unwrap().next().unwrap().unwrap().path();
    let asked = Request { analyst: Some("ann".into()), ..request("c", pure("1/10")) };
    std::fs::write(&file, vec![8; 100_000]).unwrap();
    assert!(matches!(verdict(&path), (Some(9), Fault::ResultLost(_))));
    let lost = common::open(&path).reserve(&asked);
    assert!(matches!(lost, Err(Error::ResultLost { problem: "was changed", .. })), "{lost:?}");
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(verdict(&path), (Some(9), Fault::ResultLost(_))));
    assert!(matches!(common::open(&path).reserve(&asked), Err(Error::ResultLost { .. })));
}

/// Any byte of the file: either it is noticed, or it is one that says nothing.
#[test]
fn flipped_bytes_are_noticed_or_say_nothing() {
    let (directory, path) = ten_entries();
    let (whole, entries) = (std::fs::read(&path).unwrap(), common::open(&path).export().unwrap());
    let copy = directory.path().join("copy.db");
    std::os::unix::fs::symlink(
        directory.path().join("l.db-results"),
        directory.path().join("copy.db-results"),
    )
    .unwrap();
    let mut noticed = 0;
    for at in (0..whole.len()).step_by(61) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&copy, bytes).unwrap();
        let exported = Ledger::open(&copy, &Options::default()).and_then(|ledger| ledger.export());
        match exported {
            Ok(exported) => assert_eq!(exported, entries, "byte {at}"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 50, "{noticed}");
}
