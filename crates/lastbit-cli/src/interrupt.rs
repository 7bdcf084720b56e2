//! Ctrl-C: the output ends with a whole line, and a message says what was written.

use std::io::{IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::error::tell;
use crate::stdout;

/// As for a program that the signal ends.
pub(crate) const EXIT_CODE: u8 = 130;

/// How long a piece that is being written may take. Who reads a pipe may not read at all.
const PATIENCE: Duration = Duration::from_secs(1);

/// From now on Ctrl-C stops the program between two lines.
///
/// By a thread of its own, since the program may wait for input that never comes. What is one thing, a JSON object, is written to its end
/// once that has begun; another Ctrl-C, later, ends it all the same.
pub(crate) fn stop_between_lines() {
    let first = Mutex::new(None);
    // Without a handler Ctrl-C ends the program, and at worst cuts a line.
    let _ = ctrlc::set_handler(move || {
        let mut first = first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_repeated = first.get_or_insert_with(Instant::now).elapsed() > PATIENCE;
        if !stdout::is_writing_a_whole() || is_repeated {
            stop();
        }
    });
}

/// From now on Ctrl-C ends the program at once, with these words on a line of their own.
///
/// For what has written nothing until it is done. Programs that it started end with their pipes.
pub(crate) fn stop_at_once(words: &'static str) {
    let _ = ctrlc::set_handler(move || {
        if stdout::is_writing_a_whole() {
            return;
        }
        // A bar that was being drawn is no part of the line.
        if stderr().is_terminal() {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
        tell(words);
        std::process::exit(EXIT_CODE.into());
    });
}

fn stop() -> ! {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if stdout::between_lines(|| end()).is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    // Nobody reads. A pipe takes a piece whole or not at all, so that no line is cut here either.
    end()
}

fn end() -> ! {
    tell(&message(stdout::lines_written()));
    std::process::exit(EXIT_CODE.into())
}

fn message(written: u64) -> String {
    match written {
        0 => "stopped: no noisy value was written".into(),
        1 => "stopped: 1 noisy value was written, and the claim holds for it".into(),
        _ => format!("stopped: {written} noisy values were written, and the claim holds for them"),
    }
}
