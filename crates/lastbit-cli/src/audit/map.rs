//! The map from outputs to the `u` that give them, as intervals and as a drawing.
//!
//! The papers draw it: outputs on one line, `u` of (0, 1] on the other, for each sign. Here every output has a row.

use std::fmt::Write;

use lastbit::IBig;
use lastbit_audit::snapping::{Cell, Interval};
use lastbit_audit::{Sampler, columns};
use lastbit_real::Float;
use serde_json::{Value, json};

/// The `u` that give an output, for one input.
pub(crate) struct Samples {
    pub(crate) plus: Vec<Interval>,
    pub(crate) minus: Vec<Interval>,
    /// How likely they are; to find the most likely output.
    pub(crate) weight: IBig,
}

impl Samples {
    /// Those of a cell; intervals without a value of the sampler are left out.
    pub(crate) fn of(cell: &Cell, sampler: Sampler) -> Samples {
        let number = |u: f64| if u > 0.0 { sampler.number_at_least(u) } else { 1 };
        let some = |[lo, hi]: Interval| {
            let (first, end) = (number(lo), number(hi));
            let lo = if first == 1 { 0.0 } else { lo };
            if first < end { vec![[lo, hi]] } else { Vec::new() }
        };
        Samples { plus: some(cell.plus), minus: some(cell.minus), weight: cell.weight.clone() }
    }
}

/// An output with its samples under both inputs.
pub(crate) struct Row {
    /// For people.
    pub(crate) name: String,
    /// Under the first and the second input.
    pub(crate) samples: [Samples; 2],
}

/// Columns of one sign.
const WIDTH: usize = 32;
/// Rows of a drawing; of more outputs, those around the most likely one are drawn.
const MOST_ROWS: usize = 24;

fn text_of(intervals: &[Interval]) -> String {
    match intervals {
        [] => "-".into(),
        some => some
            .iter()
            .map(|[lo, hi]| format!("[{}, {})", lo.to_hex(), hi.to_hex()))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The intervals in JSON.
pub(crate) fn json_of([first, second]: &[Samples; 2]) -> Value {
    let ends = |intervals: &[Interval]| {
        intervals.iter().map(|ends| ends.map(|end| end.to_hex())).collect::<Vec<_>>()
    };
    json!({
        "plus_first": ends(&first.plus),
        "minus_first": ends(&first.minus),
        "plus_second": ends(&second.plus),
        "minus_second": ends(&second.minus),
    })
}

/// The intervals of all rows, then a drawing for each input. A lower end of 0 stands for the least `u`.
pub(crate) fn text(rows: &[Row], inputs: [&str; 2]) -> String {
    let mut text =
        "\nthe intervals [lo, hi) of u that give an output; lo = 0: from the least u on\n".to_owned();
    for (i, input) in inputs.iter().enumerate() {
        let _ = writeln!(text, "\nu for input {input}");
        let head = ["output", "s = +1", "s = -1"].map(str::to_owned);
        let line = |row: &Row| {
            let samples = &row.samples[i];
            [row.name.clone(), text_of(&samples.plus), text_of(&samples.minus)]
        };
        let lines: Vec<[String; 3]> = std::iter::once(head).chain(rows.iter().map(line)).collect();
        text.push_str(&columns(&lines));
        text.push('\n');
        text.push_str(&drawing(rows, i));
    }
    text
}

fn drawing(rows: &[Row], i: usize) -> String {
    let likely = rows.iter().enumerate().max_by(|a, b| a.1.samples[i].weight.cmp(&b.1.samples[i].weight));
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
        let [plus, minus] = [&row.samples[i].plus, &row.samples[i].minus].map(|intervals| bar(intervals));
        let _ = writeln!(text, "  {:<width$} │{plus}│{minus}│", row.name);
    }
    if first + shown.len() < rows.len() {
        text.push_str(&more(rows.len() - first - shown.len()));
    }
    text
}

/// What of (0, 1) intervals cover. One that is narrower than a column is a dot.
fn bar(intervals: &[Interval]) -> String {
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
