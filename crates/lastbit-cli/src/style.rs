//! What a terminal gets more than a file: colours for verdicts, and lines of its width.
//!
//! Colours are for people who look: not in a pipe, not with `NO_COLOR` set, not on a dumb terminal. A text never needs its colour.

use std::io::{IsTerminal, stdout};

use lastbit_engine::Judgement;

/// The width of text where no terminal says otherwise.
const USUAL_WIDTH: usize = 100;
/// Lines of prose that are wider are hard to read.
const WIDEST: usize = 120;
/// In narrower ones nothing can be read.
const NARROWEST: usize = 40;

/// The columns of the terminal, as far as text fits them.
pub(crate) fn width() -> usize {
    terminal_width().unwrap_or(USUAL_WIDTH).clamp(NARROWEST, WIDEST)
}

/// Text of words for standard output: in lines of the terminal, or as it is where no terminal reads it.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    if stdout().is_terminal() { wrap(text, width(), indent) } else { text.to_owned() }
}

/// The columns of the terminal, if there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
}

/// Whether standard output shows colours.
pub(crate) fn has_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stdout().is_terminal()
        && !is_set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A verdict in its colour: green if all is well, red if not, yellow if that is not known.
pub(crate) fn verdict(judgement: Judgement, text: &str) -> String {
    let colour = match judgement {
        Judgement::Holds => "32",
        Judgement::Violated => "31",
        _ => "33",
    };
    if has_colours() { format!("\x1b[1;{colour}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A first line whose verdict, all before the colon, is coloured.
pub(crate) fn headline(judgement: Judgement, line: &str) -> String {
    match line.split_once(':') {
        Some((word, rest)) => format!("{}:{rest}", verdict(judgement, word)),
        None => verdict(judgement, line),
    }
}

/// Text of words, broken into lines of so many columns. Lines after the first are indented by `indent`; words are never broken.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let start: String = line.chars().take_while(|c| *c == ' ').collect();
        let mut current = start.clone();
        let mut is_empty = true;
        for word in line.split_whitespace() {
            let length = current.chars().count() + usize::from(!is_empty) + shown_length(word);
            if !is_empty && length > columns {
                lines.push(std::mem::replace(&mut current, " ".repeat(start.len() + indent)));
                is_empty = true;
            }
            if !is_empty {
                current.push(' ');
            }
            current.push_str(word);
            is_empty = false;
        }
        lines.push(current.trim_end().to_owned());
    }
    let mut wrapped = lines.join("\n");
    if text.ends_with('\n') {
        wrapped.push('\n');
    }
    wrapped
}

/// The columns of a word, colours aside.
fn shown_length(word: &str) -> usize {
    let mut inside = false;
    word.chars()
        .filter(|c| {
            let shown = !inside && *c != '\x1b';
            inside = if inside { *c != 'm' } else { *c == '\x1b' };
            shown
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three four", 9, 2), "one two\n  three\n  four");
        assert_eq!(wrap("  indented words here\n", 12, 0), "  indented\n  words here\n");
        assert_eq!(wrap("averyveryverylongword x", 5, 0), "averyveryverylongword\nx");
        assert_eq!(wrap("a\n\nb", 10, 0), "a\n\nb");
    }

    #[test]
    fn colours_take_no_columns() {
        assert_eq!(shown_length("\x1b[1;32mHOLDS\x1b[0m:"), 6);
    }
}
