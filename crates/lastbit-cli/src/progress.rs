//! A progress bar on standard error, where somebody looks at it and the input is long.

use std::io::{IsTerminal, Read, stderr, stdout};

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
    pub(crate) fn aside(&self, f: impl FnOnce()) {
        self.bar.suspend(f);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
