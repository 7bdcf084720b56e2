//! Several processes that are killed at random times.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use lastbit_ledger::{Event, Ledger, Limit, Options, Reservation};

use crate::common::{self, NEIGHBOURS, pure, rational, request};
use crate::worker;

/// More ids than the limit admits.
const IDS: u32 = 130;

/// At a time.
const PROCESSES: usize = 3;

/// Four processes at a time that nothing happens to: each waits for the others, and all show the same.
#[test]
fn processes_wait_for_each_other() {
    let directory = common::directory();
    let path = directory.path().join("l.db");
    create(&path);
    let ids: Vec<u32> = (0..IDS).filter(|id| !worker::is_large(*id)).collect();
    let start =
        |first: usize| worker::command(&path, &[&ids[first..], &ids[..first]].concat()).spawn().unwrap();
    let processes: Vec<_> = [0, 10, 20, 60].map(start).into();
    let mut seen: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for process in processes {
        let output = process.wait_with_output().unwrap().stdout;
        let shown = worker::shown(&output);
        assert_eq!(shown.len(), ids.len(), "{}", String::from_utf8_lossy(&output));
        for (id, value) in shown {
            seen.entry(id).or_default().insert(value);
        }
    }
    check(&path, &seen);
    assert!(seen.values().all(|values| values.len() == 1), "{seen:?}");
    assert_eq!(seen.values().filter(|values| !values.contains("refused")).count(), 100);
}

#[test]
fn three_hundred_kills() {
    kill(300);
}

/// `cargo test -p lastbit-ledger --test all ten_thousand -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_kills() {
    for round in 0..50 {
        kill(200);
        println!("{} kills", (round + 1) * 200);
    }
}

fn create(path: &Path) {
    let mut ledger = Ledger::create(path, &Options::default()).unwrap();
    ledger.declare("trips", NEIGHBOURS, &Limit::pure(rational("1")).unwrap()).unwrap();
}

/// Three processes at a time, which would go on forever, until so many were killed. They share a ledger until it is full; then what they have shown
/// is compared with it, and the next ones get a new ledger: so however fast the disk is, kills hit processes that charge and store.
fn kill(kills: usize) {
    let (mut killed, mut interrupted) = (0, 0);
    while killed < kills {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("l.db");
        create(&path);
        let mut seen: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let mut is_full = false;
        while killed < kills && !is_full {
            round(&path, &mut seen);
            killed += PROCESSES;
            let budget = common::open(&path).budgets().unwrap().remove(0);
            interrupted += budget.unfinished;
            is_full = budget.spent == rational("1") && budget.unfinished == 0;
        }
        check(&path, &seen);
    }
    assert!(interrupted > 0, "no kill came between a charge and its result");
}

fn round(path: &Path, seen: &mut BTreeMap<u32, BTreeSet<String>>) {
    let processes: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let ids: Vec<u32> = (0..40).map(|_| below(IDS)).collect();
            let mut process = worker::command(path, &ids).env(worker::FOREVER, "").spawn().unwrap();
            // Read meanwhile, so that no pipe is full.
            let mut output = process.stdout.take().unwrap();
            let reader = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                output.read_to_end(&mut bytes).map(|_| bytes).unwrap()
            });
            (process, reader)
        })
        .collect();
    for (mut process, reader) in processes {
        std::thread::sleep(Duration::from_millis(u64::from(below(40))));
        assert!(process.try_wait().unwrap().is_none(), "a process ended by itself");
        process.kill().unwrap();
        process.wait().unwrap();
        for (id, value) in worker::shown(&reader.join().unwrap()) {
            seen.entry(id).or_default().insert(value);
        }
    }
}

/// Nothing was shown that the ledger does not have, no id has two results, and the sums are exact.
pub(crate) fn check(path: &Path, seen: &BTreeMap<u32, BTreeSet<String>>) {
    let mut ledger = common::open(path);
    let verified = ledger.verify().unwrap();
    let budget = ledger.budgets().unwrap().remove(0);
    assert_eq!(budget.charges, verified.charges);
    assert_eq!(budget.charges - budget.unfinished, verified.endings);
    assert_eq!(budget.spent, rational("1/100") * lastbit_ledger::Rational::from(budget.charges));
    assert!(budget.spent <= rational("1"));
    let mut charged = BTreeSet::new();
    for entry in ledger.history().unwrap() {
        if let Event::Charge(request) = entry.event {
            assert!(charged.insert(request.id.clone()), "{} was charged twice", request.id);
        }
    }
    assert_eq!(charged.len() as u64, budget.charges);
    for (id, values) in seen {
        let shown: Vec<&String> = values.iter().filter(|value| *value != "refused").collect();
        if shown.is_empty() {
            continue;
        }
        let stored = match ledger.reserve(&request(&id.to_string(), pure("1/100"))).unwrap().reservation {
            Reservation::Done(stored) => worker::value(&stored.bytes),
            other => panic!("{id} was shown, but the ledger says {other:?}"),
        };
        assert_eq!(shown, [&stored], "release {id}");
    }
}

fn below(limit: u32) -> u32 {
    getrandom::u32().unwrap() % limit
}
