//! A bar while boxes are cut.

use lastbit_prove::derivation;
use lastbit_prove::search::{Effort, Progress};

use crate::progress::LateBar;

pub(crate) struct Boxes(LateBar);

impl Boxes {
    pub(crate) fn new(program: &str, effort: Effort) -> Boxes {
        let template = "{prefix}: {wide_bar} {pos}/{len} boxes, {msg}";
        Boxes(LateBar::new(program, template, effort.boxes as u64))
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        let message = match progress.error {
            Some(error) => format!("error <= {}", derivation::error(error)),
            None => "no bound yet".into(),
        };
        self.0.show(progress.boxes as u64, message);
    }
}
