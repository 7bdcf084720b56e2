//! A bar on standard error while boxes are cut, where somebody looks at it and it takes a while.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lastbit_prove::derivation;
use lastbit_prove::search::{Effort, Progress};

/// What takes longer than this shows a bar.
const LONG: Duration = Duration::from_millis(300);

pub(crate) struct Boxes {
    bar: ProgressBar,
    start: Instant,
}

impl Boxes {
    pub(crate) fn new(program: &str, effort: Effort) -> Boxes {
        let bar = ProgressBar::with_draw_target(Some(effort.boxes as u64), ProgressDrawTarget::hidden());
        let template = "{prefix}: {wide_bar} {pos}/{len} boxes, {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(program.to_owned());
        Boxes { bar, start: Instant::now() }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        if self.bar.is_hidden() && self.start.elapsed() > LONG && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(progress.boxes as u64);
        self.bar.set_message(match progress.error {
            Some(error) => format!("error <= {}", derivation::error(error)),
            None => "no bound yet".into(),
        });
    }
}

impl Drop for Boxes {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
