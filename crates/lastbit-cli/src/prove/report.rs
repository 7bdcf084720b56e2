//! Where a program comes from, and what may be printed of it.

use lastbit_lang::{Diagnostic, render};

/// Where a program comes from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        render(self.name, self.text, diagnostics)
    }
}

/// Names come from files: what is in them must not move the cursor of a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
