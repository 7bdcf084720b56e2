//! A program that prints samples.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::samples::{EXPECTED, of_line};
use crate::error::{Error, cut};

/// The number of its last lines on standard error that are shown when it fails.
const LAST_LINES: usize = 5;
/// How long these are waited for: what it started may live on, and keep standard error open.
const PATIENCE: Duration = Duration::from_millis(500);

/// A running program, which ends with this value at the latest.
pub(super) struct Process {
    /// For messages.
    name: String,
    child: Child,
    output: BufReader<ChildStdout>,
    lines: u64,
    /// Samples so far, and how many it is to print.
    taken: usize,
    wanted: usize,
    said: Arc<Mutex<VecDeque<String>>>,
    listener: JoinHandle<()>,
}

impl Process {
    /// Starts it; it is to print `wanted` samples.
    pub(super) fn start(mut command: Command, name: String, wanted: usize) -> Result<Process, Error> {
        let failed = |e: io::Error| Error::usage(format!("cannot run {name}: {e}"), "check the command");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let heard = Arc::clone(&said);
        let listener = thread::spawn(move || listen(errors, &heard));
        Ok(Process {
            name,
            child,
            output: BufReader::new(output),
            lines: 0,
            taken: 0,
            wanted,
            said,
            listener,
        })
    }

    /// The next samples, so many.
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<f64>, Error> {
        let mut samples = Vec::with_capacity(count.min(1 << 20));
        while samples.len() < count {
            match self.next()? {
                Some(sample) => samples.push(sample),
                None => return Err(self.too_few()),
            }
            self.taken += 1;
        }
        Ok(samples)
    }

    /// After all samples: whether it ended well. One that has more to say is not waited for.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        match self.next()? {
            Some(_) => Ok(()),
            None => match self.status() {
                Ok(status) if status.success() => Ok(()),
                status => Err(self.failed(status)),
            },
        }
    }

    fn next(&mut self) -> Result<Option<f64>, Error> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self.output.read_until(b'\n', &mut line);
            if read.map_err(|e| Error::io(format!("read from {}", self.name), e))? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            match of_line(&String::from_utf8_lossy(&line)) {
                Ok(Some(sample)) => return Ok(Some(sample)),
                Ok(None) => {}
                Err(problem) => {
                    let message = format!("line {} of the output of {} {problem}", self.lines, self.name);
                    return Err(self.error(message, EXPECTED));
                }
            }
        }
    }

    fn status(&mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    /// Its output has ended too early.
    fn too_few(&mut self) -> Error {
        match self.status() {
            Ok(status) if status.success() => self.error(
                format!("{} printed {} samples, and {} are needed", self.name, self.taken, self.wanted),
                "let it print more, or give a smaller --samples",
            ),
            status => self.failed(status),
        }
    }

    fn failed(&self, status: io::Result<ExitStatus>) -> Error {
        let how = status.map_or_else(|e| e.to_string(), |status| status.to_string());
        self.error(format!("{} failed ({how})", self.name), "run it by hand, to see why")
    }

    /// The message, with the last words on standard error.
    fn error(&self, message: String, hint: &str) -> Error {
        let start = Instant::now();
        while !self.listener.is_finished() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let last: String = said.iter().map(|line| format!("\n  {line}")).collect();
        let last = if last.is_empty() { last } else { format!("; its last words:{last}") };
        Error::usage(message + &last, hint)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Either can fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps the last lines.
fn listen(errors: impl Read, said: &Mutex<VecDeque<String>>) {
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() == LAST_LINES {
            said.pop_front();
        }
        said.push_back(cut(line));
    }
}
