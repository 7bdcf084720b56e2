//! This program once more, as a process that makes releases and may be killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use lastbit_ledger::{Error, Ledger, Options};

use crate::common::{pure, request};

const JOB: &str = "LASTBIT_LEDGER_JOB";

/// Makes the process wait for a line.
const WAITS: &str = "LASTBIT_LEDGER_WAITS";

/// Makes the process ask for its releases again and again.
pub(crate) const FOREVER: &str = "LASTBIT_LEDGER_FOREVER";

/// The name of the test below, which does nothing unless it is asked to.
const NAME: &str = "worker::works_if_asked_to";

/// A process that asks for these releases of 1/100 each, and prints what may be shown.
pub(crate) fn command(path: &Path, ids: &[u32]) -> Command {
    let ids = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", NAME, "--nocapture", "--test-threads=1"])
        .env(JOB, format!("{ids} {}", path.display()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The output of such a process, whose thread that makes the releases is traced by strace with these options.
pub(crate) fn traced(options: &[String], path: &Path, ids: &[u32]) -> Vec<u8> {
    let mut process = command(path, ids).stdin(Stdio::piped()).env(WAITS, "").spawn().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let thread = loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "the process has ended");
        if let Some(thread) = line.strip_prefix("thread ") {
            break thread.trim().to_owned();
        }
    };
    let mut strace = Command::new("strace");
    strace
        .args(["-p", &thread])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut strace = strace.spawn().unwrap();
    let mut messages = BufReader::new(strace.stderr.take().unwrap());
    let mut message = String::new();
    messages.read_line(&mut message).unwrap();
    assert!(message.contains("attached"), "{message}");
    process.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).unwrap();
    process.wait().unwrap();
    messages.read_to_string(&mut message).unwrap();
    strace.wait().unwrap();
    bytes
}

/// What a process has shown: releases with their values, or refused.
pub(crate) fn shown(output: &[u8]) -> Vec<(u32, String)> {
    let text = String::from_utf8_lossy(output);
    text.lines()
        .filter_map(|line| line.strip_prefix("show ")?.strip_suffix('.')?.split_once(' '))
        .map(|(id, value)| (id.parse().unwrap(), value.to_owned()))
        .collect()
}

/// Some results are large, so that they are in files.
pub(crate) fn is_large(id: u32) -> bool {
    id.is_multiple_of(8)
}

/// What is shown of stored bytes.
pub(crate) fn value(bytes: &[u8]) -> String {
    bytes[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn works_if_asked_to() {
    let Ok(job) = std::env::var(JOB) else { return };
    let (ids, path) = job.split_once(' ').unwrap();
    // The harness has begun a line.
    println!();
    if std::env::var_os(WAITS).is_some() {
        let thread = std::fs::read_link("/proc/thread-self").unwrap();
        println!("thread {}", thread.file_name().unwrap().display());
        std::io::stdin().read_line(&mut String::new()).unwrap();
    }
    // A failed system call is reported and nothing else: the parent looks at what was shown.
    if let Err(error) = work(Path::new(path), ids) {
        println!("error {error}");
    }
}

fn work(path: &Path, ids: &str) -> Result<(), Error> {
    let mut ledger = Ledger::open(path, &Options::default())?;
    let times = if std::env::var_os(FOREVER).is_some() { usize::MAX } else { 1 };
    let all = (0..times).flat_map(|_| ids.split(','));
    for id in all {
        let number: u32 = id.parse().unwrap();
        let stored = ledger.release(&request(id, pure("1/100")), || {
            let mut bytes = vec![0; if is_large(number) { 100_000 } else { 8 }];
            getrandom::fill(&mut bytes[..8]).map_err(|error| error.to_string())?;
            Ok(bytes)
        });
        let line = match stored {
            Ok(stored) => format!("show {id} {}.\n", value(&stored.bytes)),
            Err(Error::Exceeded { .. }) => format!("show {id} refused.\n"),
            Err(error) => return Err(error),
        };
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }
    Ok(())
}
