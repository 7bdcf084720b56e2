//! A long pipe takes no more memory than a short one.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use crate::common::{BATCH, LAPLACE, lastbit};

/// Lines that are written: 46 batches and a bit.
const LINES: usize = 3_000_000;

/// The most memory the process has used so far, in KiB.
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Streams the lines through the command; reads the peak while it waits for more.
fn peak_of_stream(arguments: &str, line: &'static str, header: &'static str) -> u64 {
    let mut child = lastbit(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let writer = std::thread::spawn(move || {
        let many = line.repeat(1000);
        stdin.write_all(header.as_bytes()).expect("it reads");
        for _ in 0..LINES / 1000 {
            stdin.write_all(many.as_bytes()).expect("it reads");
        }
        stdin
    });
    let whole_batches = LINES / BATCH * BATCH;
    let mut lines = stdout.split(b'\n');
    assert_eq!(lines.by_ref().take(whole_batches).count(), whole_batches);
    // All is read but the last batch, which is not whole: the command waits for the rest of it.
    let peak = peak_memory(&child);
    drop(writer.join().expect("all is written"));
    assert_eq!(lines.count(), LINES - whole_batches);
    assert!(child.wait().expect("it ends").success());
    peak
}

/// A batch takes half a MiB as doubles and about one as text, and the program itself, not optimised, less than 20; all values would take 23 more.
const MOST_KIB: u64 = 24 << 10;

#[test]
fn three_million_lines() {
    let peak = peak_of_stream(LAPLACE, "12345.678\n", "");
    assert!(peak < MOST_KIB, "{peak} KiB");
}

#[test]
fn three_million_records() {
    let peak = peak_of_stream(&format!("{LAPLACE} --column b"), "x,1234.5\n", "a,b\n");
    assert!(peak < MOST_KIB, "{peak} KiB");
}
