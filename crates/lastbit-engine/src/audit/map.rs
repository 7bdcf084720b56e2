//! The map from outputs to the `u` that give them, as intervals and as a drawing.
//!
//! The papers draw it: outputs on one line, `u` of (0, 1] on the other, for each sign. Here every output has a row.

use std::fmt::Write;

use lastbit_audit::columns;
use lastbit_real::Float;

use super::OutputRow;

/// Columns of one sign.
const WIDTH: usize = 32;
/// Rows of a drawing; of more outputs, those around the most likely one are drawn.
const MOST_ROWS: usize = 24;

/// The intervals of an output, by input and sign.
fn intervals(row: &OutputRow, input: usize) -> [&[[String; 2]]; 2] {
    match (&row.u, input) {
        (None, _) => [&[], &[]],
        (Some(u), 0) => [&u.plus_first, &u.minus_first],
        (Some(u), _) => [&u.plus_second, &u.minus_second],
    }
}

fn text_of(intervals: &[[String; 2]]) -> String {
    match intervals {
        [] => "-".into(),
        some => some.iter().map(|[lo, hi]| format!("[{lo}, {hi})")).collect::<Vec<_>>().join(" "),
    }
}

/// The intervals of all rows, then a drawing for each input. A lower end of 0 stands for the least `u`.
pub(super) fn text(rows: &[OutputRow], inputs: [&str; 2]) -> String {
    let mut text =
        "\nthe intervals [lo, hi) of u that give an output; lo = 0: from the least u on\n".to_owned();
    for (i, input) in inputs.iter().enumerate() {
        let _ = writeln!(text, "\nu for input {input}");
        let head = ["output", "s = +1", "s = -1"].map(str::to_owned);
        let line = |row: &OutputRow| {
            let [plus, minus] = intervals(row, i).map(text_of);
            [row.name.clone(), plus, minus]
        };
        let lines: Vec<[String; 3]> = std::iter::once(head).chain(rows.iter().map(line)).collect();
        text.push_str(&columns(&lines));
        text.push('\n');
        text.push_str(&drawing(rows, i));
    }
    text
}

fn drawing(rows: &[OutputRow], i: usize) -> String {
    let weight =
        |row: &OutputRow| if i == 0 { row.p_first.lower().clone() } else { row.p_second.lower().clone() };
    let likely = rows.iter().enumerate().max_by_key(|(_, row)| weight(row));
    let centre = likely.map_or(0, |(place, _)| place);
    let first = centre.saturating_sub(MOST_ROWS / 2).min(rows.len().saturating_sub(MOST_ROWS));
    let shown = &rows[first..rows.len().min(first + MOST_ROWS)];
    let width = shown.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(6);
    let axis = format!("0{}1", "─".repeat(WIDTH - 2));
    let mut text = format!("  {:<width$} │{:<WIDTH$}│{:<WIDTH$}│\n", "output", "u, s = +1", "u, s = -1");
    let _ = writeln!(text, "  {:<width$} │{axis}│{axis}│", "");
    let more = |count: usize| format!("  {:<width$} │ and {count} more\n", "…");
    if first > 0 {
        text.push_str(&more(first));
    }
    for row in shown {
        let [plus, minus] = intervals(row, i).map(|intervals| {
            let end = |text: &String| f64::parse_hex(text).unwrap_or(0.0);
            bar(&intervals.iter().map(|[lo, hi]| [end(lo), end(hi)]).collect::<Vec<_>>())
        });
        let _ = writeln!(text, "  {:<width$} │{plus}│{minus}│", row.name);
    }
    if first + shown.len() < rows.len() {
        text.push_str(&more(rows.len() - first - shown.len()));
    }
    text
}

/// What of (0, 1) intervals cover. One that is narrower than a column is a dot.
fn bar(intervals: &[[f64; 2]]) -> String {
    let column = |u: f64| (u * WIDTH as f64).round() as usize;
    let mut columns = [' '; WIDTH];
    for [lo, hi] in intervals {
        let (from, to) = (column(*lo), column(*hi));
        if from == to {
            let dot = &mut columns[from.min(WIDTH - 1)];
            *dot = if *dot == ' ' { '·' } else { *dot };
        }
        columns[from..to].fill('█');
    }
    columns.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(&[[0.0, 1.0]]), "█".repeat(WIDTH));
        assert_eq!(bar(&[]), " ".repeat(WIDTH));
        assert_eq!(bar(&[[0.5, 0.75]]).trim_end(), format!("{}{}", " ".repeat(16), "█".repeat(8)));
        assert_eq!(bar(&[[1e-9, 2e-9]]).trim_end(), "·");
        assert_eq!(bar(&[[0.0, 0.5], [0.9999, 1.0]]), format!("{}{}·", "█".repeat(16), " ".repeat(15)));
    }
}
