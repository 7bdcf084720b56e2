//! Messages as a person reads them: file, line, column, the line itself with a mark under it, the hint.

use std::fmt::Write;

use crate::{Diagnostic, Span};

/// How many characters of a line are shown, and how many of them before the mark.
const WIDTH: usize = 100;
const BEFORE: usize = 40;

/// The messages with the lines they are about.
///
/// Columns count characters from 1. A long line is clipped around the mark; a tab is shown as one space.
///
/// ```
/// use lastbit_lang::{parse, render};
///
/// let source = "function half(x: f64) -> f64 { return x / }";
/// let (_, messages) = parse(source);
/// let text = render("half.lb", source, &messages);
/// assert_eq!(text, "\
/// error: expected an expression, found `}`
///  --> half.lb:1:43
///   |
/// 1 | function half(x: f64) -> f64 { return x / }
///   |                                           ^
/// ");
/// ```
pub fn render(source_name: &str, source: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        one(&mut out, source_name, source, diagnostic);
    }
    out
}

fn one(out: &mut String, source_name: &str, source: &str, diagnostic: &Diagnostic) {
    let start = boundary(source, diagnostic.span.start);
    let end = boundary(source, diagnostic.span.end).max(start);
    let (number, column) = diagnostic.span.line_column(source);
    let column = column - 1;
    let line_start = line_start(source, start);
    let line = source[line_start..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let line_end = line_start + line.len();

    // What goes on in the next line is marked up to the end of this one; there is always a mark.
    let marked = source[start..end.min(line_end).max(start)].chars().count().max(1);
    let skipped = if column + marked <= WIDTH { 0 } else { column.saturating_sub(BEFORE) };
    let mut shown: String = line.chars().skip(skipped).take(WIDTH).map(printable).collect();
    let mut mark_at = column - skipped;
    let mut mark_width = marked.min(WIDTH - mark_at.min(WIDTH - 1));
    if skipped > 0 {
        shown.insert(0, '…');
        mark_at += 1;
    }
    if line.chars().count() > skipped + WIDTH {
        shown.push('…');
    }
    mark_width = mark_width.max(1);

    let gutter = number.to_string().len();
    // Writing to a string does not fail.
    let _ = writeln!(out, "error: {}", diagnostic.message);
    let _ = writeln!(out, "{:gutter$}--> {source_name}:{number}:{}", "", column + 1);
    let _ = writeln!(out, "{:gutter$} |", "");
    let _ = writeln!(out, "{}", format!("{number} | {shown}").trim_end());
    let _ = writeln!(out, "{:gutter$} | {:mark_at$}{}", "", "", "^".repeat(mark_width));
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "{:gutter$} = hint: {hint}", "");
    }
}

fn line_start(source: &str, offset: usize) -> usize {
    source[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The nearest start of a character at or before the offset.
fn boundary(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Control characters would move the mark, or the terminal's cursor.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

impl Span {
    /// Line and column of the start, both from 1; the column counts characters.
    pub fn line_column(self, source: &str) -> (usize, usize) {
        let start = boundary(source, self.start);
        let line_start = line_start(source, start);
        (source[..line_start].matches('\n').count() + 1, source[line_start..start].chars().count() + 1)
    }
}
