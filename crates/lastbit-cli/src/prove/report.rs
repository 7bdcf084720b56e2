//! What may be printed of a text.

/// Names come from files: what is in them must not move the cursor of a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
