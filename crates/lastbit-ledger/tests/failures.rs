//! A file system that fails at every system call: strace makes a process's n-th call of a kind fail, or kills the process there.
//!
//! This shows what a process does about failures. It is not a loss of power, after which the disk may have less than the kernel had: against
//! that stand the order of writes and syncs, SQLite's and ours of result files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lastbit_ledger::{Ledger, Limit, Options};

use crate::common::{NEIGHBOURS, directory, pure, rational, request};
use crate::{crashes, worker};

/// All calls that take a file's name or descriptor.
const CALLS: &str = "%file,%desc";

/// Releases that a process makes: 1 was made before, 3 was charged before, and 8 is large.
const IDS: [u32; 4] = [1, 8, 2, 3];

/// What happens at the n-th call.
const FAILURES: [fn(usize) -> String; 5] = [
    |call| format!("error=EIO:when={call}"),
    |call| format!("error=EIO:when={call}+"),
    |call| format!("error=ENOSPC:when={call}"),
    |call| format!("error=ENOSPC:when={call}+"),
    |call| format!("signal=KILL:when={call}"),
];

#[test]
fn failures_at_some_system_calls() {
    sweep(29);
}

/// `cargo test -p lastbit-ledger --test all every_system_call -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn failures_at_every_system_call() {
    sweep(1);
}

fn can_trace() -> bool {
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = probe.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: needs strace, and the permission to trace");
    }
    can
}

/// Fails at one of `step` calls.
fn sweep(step: usize) {
    if !can_trace() {
        return;
    }
    let calls = calls();
    let inject = |failure: fn(usize) -> String| {
        calls.iter().map(move |(name, number)| format!("inject={name}:{}", failure(*number)))
    };
    let cases: Vec<String> = FAILURES.into_iter().flat_map(inject).collect();
    let some: Vec<&String> = cases.iter().step_by(step).collect();
    let stopped = some.iter().filter(|failure| !survives(failure)).count();
    println!("{} of {} failures, {stopped} of them stopped the process", some.len(), cases.len());
    assert!(stopped * 2 > some.len(), "{stopped} of {}", some.len());
}

/// A ledger with one release that has ended and one that has not.
fn template(directory: &Path) -> PathBuf {
    let path = directory.join("l.db");
    let mut ledger = Ledger::create(&path, &Options::default()).unwrap();
    ledger.declare("trips", NEIGHBOURS, &Limit::pure(rational("1")).unwrap()).unwrap();
    ledger.release(&request("1", pure("1/100")), || Ok(vec![1; 8])).unwrap();
    ledger.reserve(&request("3", pure("1/100"))).unwrap();
    path
}

/// What strace says of a process that nothing happens to.
fn log(path: &Path, trace: &str) -> String {
    let log = path.with_file_name("log");
    let options = ["-y", "-s", "1000", "-e", trace, "-o", log.to_str().unwrap()].map(str::to_owned);
    assert_eq!(worker::shown(&worker::traced(&options, path, &IDS)).len(), IDS.len());
    std::fs::read_to_string(log).unwrap()
}

/// The calls of a process that nothing happens to: each by its name, and its number among those of that name.
fn calls() -> Vec<(String, usize)> {
    let directory = directory();
    let log = log(&template(directory.path()), &format!("trace={CALLS}"));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let Some((name, _)) = line.split_once('(').filter(|(name, _)| is_name(name)) else { continue };
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        calls.push((name.to_owned(), *count));
    }
    let needed = ["fcntl", "pread64", "pwrite64", "fsync", "unlink", "rename", "write"];
    assert!(needed.iter().all(|name| counts.contains_key(*name)), "{counts:?}");
    println!("{counts:?}");
    calls
}

/// Whether a process makes all its releases though this happens to it. Whatever it does, the ledger is whole and has all that was shown, and
/// another process can go on.
fn survives(failure: &str) -> bool {
    let directory = directory();
    let path = template(directory.path());
    let trace = format!("trace={CALLS}");
    let options = ["-e", &trace, "-e", failure, "-o", "/dev/null"].map(str::to_owned);
    let first = worker::shown(&worker::traced(&options, &path, &IDS));
    let second = worker::command(&path, &IDS).output().unwrap().stdout;
    let goes_on = worker::shown(&second);
    assert_eq!(goes_on.len(), IDS.len(), "{failure}: {}", String::from_utf8_lossy(&second));
    let is_whole = first.len() == IDS.len();
    let mut seen: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (id, value) in first.into_iter().chain(goes_on) {
        seen.entry(id).or_default().insert(value);
    }
    crashes::check(&path, &seen);
    is_whole
}

/// The kernel's answer is replaced by that of NFS.
#[test]
fn a_network_file_system_is_refused() {
    if !can_trace() {
        return;
    }
    let directory = directory();
    let path = template(directory.path());
    // The first bytes of the answer are the number of the kind, the lowest first.
    let inject = "inject=statfs:poke_exit=@arg2=6969000000000000";
    let options = ["-e", "trace=statfs", "-e", inject, "-o", "/dev/null"].map(str::to_owned);
    let output = worker::traced(&options, &path, &IDS);
    assert!(worker::shown(&output).is_empty());
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("error") && output.contains("network file system (NFS)"), "{output}");
}

/// Nothing is computed or shown while something that was written, created, renamed or removed is not synced; the journal is synced before the
/// ledger is written, and the ledger before the journal is removed. So a loss of power forgets nothing, on a disk that keeps what it confirms.
#[test]
fn all_is_on_the_disk_before_it_is_computed_and_before_it_is_shown() {
    if !can_trace() {
        return;
    }
    let directory = directory();
    let path = template(directory.path());
    let (ledger, here) = (path.display().to_string(), directory.path().display().to_string());
    let journal = format!("{ledger}-journal");
    let mut unsynced: BTreeSet<String> = BTreeSet::new();
    let (mut computed, mut shown, mut written) = (0, 0, 0);
    for line in
        log(&path, &format!("trace={CALLS},getrandom")).lines().filter(|line| !line.contains(" = -1 "))
    {
        let Some((call, rest)) = line.split_once('(') else { continue };
        // The file of a descriptor is written `3</path>`, a name `"/path"`.
        let file =
            rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(file, _)| file.to_owned());
        let name = rest.split('"').nth(1).unwrap_or_default().to_owned();
        let parent = Path::new(&name).parent().unwrap_or(Path::new("")).display().to_string();
        match call {
            "getrandom" => {
                computed += 1;
                assert!(unsynced.is_empty(), "{line}: {unsynced:?}");
            }
            "write" if line.contains("\"show ") => {
                shown += 1;
                assert!(unsynced.is_empty(), "{line}: {unsynced:?}");
            }
            "write" | "pwrite64" | "ftruncate" => {
                let file = file.unwrap();
                if file == ledger {
                    written += 1;
                    assert!(
                        !unsynced.contains(&journal) && !unsynced.contains(&here),
                        "{line}: {unsynced:?}"
                    );
                }
                unsynced.extend(file.starts_with(&here).then_some(file));
            }
            "fsync" | "fdatasync" => {
                unsynced.remove(&file.unwrap());
            }
            "openat" if line.contains("O_CREAT") && name.starts_with(&here) => {
                unsynced.insert(parent);
            }
            "unlink" => {
                assert!(name != journal || !unsynced.contains(&ledger), "{line}: {unsynced:?}");
                unsynced.remove(&name);
                unsynced.insert(parent);
            }
            "rename" | "mkdir" => {
                unsynced.insert(parent);
            }
            _ => {}
        }
    }
    assert!(computed >= 3 && shown == IDS.len() && written > 10, "{computed} {shown} {written}");
}
