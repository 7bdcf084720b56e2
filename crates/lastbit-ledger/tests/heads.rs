//! Copies, old copies, and what others can tell from a head.

use std::path::Path;

use lastbit_ledger::{Error, Head, Ledger, Limit, Options, Standing};
use rusqlite::Connection;

use crate::common::{self, ledger, pure, rational, request};
use crate::worker;

fn one() -> Limit {
    Limit::pure(rational("1")).unwrap()
}

#[test]
fn a_restored_copy_is_noticed_from_a_later_head() {
    let (directory, path, mut ledger) = ledger(one());
    ledger.release(&request("a", pure("1/2")), || Ok(b"1".to_vec())).unwrap();
    let backup = directory.path().join("backup.db");
    std::fs::copy(&path, &backup).unwrap();
    let shown = ledger.release(&request("b", pure("1/2")), || Ok(b"2".to_vec())).unwrap().head;
    let text = shown.to_string();
    drop(ledger);

    std::fs::copy(&backup, &path).unwrap();
    let mut restored = common::open(&path);
    let last = restored.verify().unwrap().head;
    let shown: Head = text.parse().unwrap();
    assert_eq!(restored.contains_head(&shown), Ok(Standing::Missing { last }));
    // Used on, it has another entry of that number.
    restored.release(&request("c", pure("1/2")), || Ok(b"3".to_vec())).unwrap();
    assert_eq!(restored.contains_head(&shown), Ok(Standing::Different));
    assert_eq!(restored.contains_head(&last), Ok(Standing::Contained));
}

/// Without its last entries and without a trace of them, the ledger is whole: only a head from elsewhere tells.
#[test]
fn a_careful_truncation_is_noticed_from_a_head_only() {
    let (_directory, path, mut ledger) = ledger(one());
    let shown = ledger.reserve(&request("a", pure("1/2"))).unwrap().charged;
    drop(ledger);
    let triggers: String = Connection::open(&path)
        .unwrap()
        .query_one("SELECT sql FROM sqlite_schema WHERE name = 'no_delete'", [], |row| row.get(0))
        .unwrap();
    let sql = format!(
        "DROP TRIGGER no_delete; DELETE FROM entry WHERE seq = 3; UPDATE sqlite_sequence SET seq = 2; {triggers}"
    );
    Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    let ledger = common::open(&path);
    let last = ledger.verify().unwrap().head;
    assert_eq!(ledger.contains_head(&shown), Ok(Standing::Missing { last }));
}

#[test]
fn two_ledgers_have_no_common_heads() {
    let (_first_directory, _, first) = ledger(one());
    let (_second_directory, _, second) = ledger(one());
    for entry in first.history().unwrap() {
        let line = serde_json::to_value(&entry).unwrap();
        let head: Head = format!("{}:{}", line["entry"], line["hash"].as_str().unwrap()).parse().unwrap();
        assert_eq!(first.contains_head(&head), Ok(Standing::Contained));
        assert_eq!(second.contains_head(&head), Ok(Standing::Different));
    }
    let far = format!("{}:{}", u64::MAX, first.head().unwrap().hash).parse().unwrap();
    assert!(matches!(first.contains_head(&far), Ok(Standing::Missing { .. })));
}

/// A copy that is made while another process writes is whole up to some entry, or it is refused: it never has other entries.
#[test]
fn copies_made_during_writing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("l.db");
    let mut ledger = Ledger::create(&path, &Options::default()).unwrap();
    ledger.declare("trips", common::NEIGHBOURS, &one()).unwrap();
    drop(ledger);
    let ids: Vec<u32> = (0..100).filter(|id| !worker::is_large(*id)).collect();
    let mut process = worker::command(&path, &ids).spawn().unwrap();
    let mut copies = Vec::new();
    while process.try_wait().unwrap().is_none() {
        let copy = directory.path().join(format!("copy{}.db", copies.len()));
        std::fs::copy(&path, &copy).unwrap();
        copies.push(copy);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(copies.len() > 10, "{}", copies.len());
    let whole = common::open(&path);
    assert_eq!(whole.verify().unwrap().charges, ids.len() as u64);
    let heads: Vec<Option<Head>> = copies.iter().map(|copy| head_of_copy(copy)).collect();
    let different: std::collections::BTreeSet<u64> = heads.iter().flatten().map(|head| head.entry).collect();
    assert!(different.len() > 5, "{different:?}");
    for head in heads.into_iter().flatten() {
        assert_eq!(whole.contains_head(&head), Ok(Standing::Contained));
    }
}

fn head_of_copy(copy: &Path) -> Option<Head> {
    match Ledger::open(copy, &Options::default()).and_then(|ledger| ledger.verify()) {
        Ok(verified) => Some(verified.head),
        Err(Error::Broken { .. } | Error::Database { .. } | Error::NotALedger { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}
