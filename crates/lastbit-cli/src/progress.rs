//! Progress bars on standard error, where somebody looks at it and it takes long.

use std::io::{IsTerminal, Read, stderr, stdout};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A file of more bytes than this is long.
const LONG_FILE: u64 = 32 << 20;
/// A pipe with more values than this is long.
const LONG_PIPE: u64 = 1 << 20;

/// How far a pass over the input is.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// To show the bar once a pipe turns out to be long.
    shows_later: bool,
}

impl Progress {
    /// A pass over `bytes` of a file, or over a pipe of unknown length.
    pub(crate) fn new(doing: &'static str, bytes: Option<u64>) -> Progress {
        // Noisy values on the same terminal would run through the bar.
        let somebody_looks = stderr().is_terminal() && !stdout().is_terminal();
        let bar = match bytes {
            Some(bytes) if somebody_looks && bytes > LONG_FILE => {
                ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr())
            }
            _ => ProgressBar::hidden(),
        };
        let template = match bytes {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left",
            None => "{spinner} {msg}: {human_pos} values in {elapsed}",
        };
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(doing);
        Progress { bar, shows_later: bytes.is_none() && somebody_looks }
    }

    /// The reader, with the bytes that go through it counted.
    pub(crate) fn of_bytes<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    /// So many values of a pipe are done.
    pub(crate) fn values(&mut self, done: u64) {
        if self.shows_later && done > LONG_PIPE {
            self.shows_later = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.length().is_none() {
            self.bar.set_position(done);
        }
    }

    /// Does something that writes to standard error, out of the bar's way.
    pub(crate) fn aside<R>(&self, f: impl FnOnce() -> R) -> R {
        self.bar.suspend(f)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What takes longer than this shows a bar.
const LONG: Duration = Duration::from_millis(300);

/// A bar that shows itself once the work turns out to be long.
pub(crate) struct LateBar {
    bar: ProgressBar,
    start: Instant,
}

impl LateBar {
    pub(crate) fn new(doing: &str, template: &str, length: u64) -> LateBar {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(doing.to_owned());
        LateBar { bar, start: Instant::now() }
    }

    /// So much is done.
    pub(crate) fn show(&self, position: u64, message: impl Into<String>) {
        if self.bar.is_hidden() && self.start.elapsed() > LONG && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(position);
        self.bar.set_message(message.into());
    }
}

impl Drop for LateBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Does something in one go, with a sign of life if it takes long.
pub(crate) fn waiting<T: Send>(doing: &str, work: impl FnOnce() -> T + Send) -> T {
    let bar = LateBar::new(doing, "{spinner} {prefix}: {elapsed}", 0);
    thread::scope(|scope| {
        let worker = scope.spawn(work);
        let mut ticks = 0;
        while !worker.is_finished() {
            // Short at first, so that what is quick is not kept waiting.
            thread::sleep(Duration::from_millis(if ticks < 100 { 1 } else { 50 }));
            ticks += 1;
            bar.show(ticks, "");
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
