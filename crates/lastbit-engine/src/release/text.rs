//! A released table in a terminal.

use std::fmt::Write;

use lastbit_real::{Rational, Rounding};

use super::table::numbers;
use super::{Accuracy, ReleaseAnswer, Value};

/// The most digits after the point in a terminal.
const MOST_PLACES: i64 = 12;

/// Groups that are shown, unless all are asked for.
const MOST_ROWS: usize = 40;

impl ReleaseAnswer {
    /// The table for people: a line a group, each value with half the width of its interval, or both ends where they are not symmetric.
    pub fn text(&self, all: bool) -> String {
        let mut head = self.by.clone();
        head.extend(self.queries.iter().flat_map(numbers));
        let shown = if all { self.rows.len() } else { self.rows.len().min(MOST_ROWS) };
        let mut lines = vec![head];
        for row in &self.rows[..shown] {
            let values = row.values.iter().flatten().map(cell);
            lines.push(row.key.iter().cloned().chain(values).collect());
        }
        let mut text = aligned(&lines, self.by.len());
        if shown < self.rows.len() {
            let _ = writeln!(text, "… and {} more groups", self.rows.len() - shown);
        }
        text
    }

    /// The claim and all that goes with it, a line each.
    pub fn claim_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.promise.lines();
        let percent = (&self.confidence * Rational::from(100)).to_short();
        lines.push(format!(
            "tables differ in {}; at most {} and {} a group of each count; ± is for {percent}%, over the noise alone",
            self.neighbours,
            count(self.groups, "group"),
            count(self.rows_a_group, "row"),
        ));
        lines.push(match &self.ledger {
            Some(entered) => entered.text(),
            None => {
                "no ledger: nobody remembers this release, and another one costs as much again (--ledger)"
                    .to_owned()
            }
        });
        lines.extend(self.warnings.iter().map(|warning| format!("warning: {warning}")));
        lines
    }
}

/// `1 group`, `2 groups`.
pub(super) fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `41 ± 11`, `41 (0 to 52)`, or `41 (rank ± 12)`: with as many digits after the point as it takes to show two of the width.
fn cell(value: &Value) -> String {
    let [low, high] = match &value.accuracy {
        Accuracy::Interval(ends) => ends,
        Accuracy::Rank(rows) => {
            let rows = Rational::from(rows.ceil());
            return format!("{} (rank ± {})", super::answer::digits(&value.value), rows.to_short());
        }
    };
    let [below, above] = [&value.value - low, high - &value.value];
    let width = below.clone().max(above.clone());
    let places = if width.is_positive() { (1 - log10(&width)).clamp(0, MOST_PLACES) } else { MOST_PLACES };
    let shown = |x: &Rational, rounding| fixed(x, places as u32, rounding);
    let number = shown(&value.value, Rounding::Nearest);
    match below == above {
        true => format!("{number} ± {}", shown(&above, Rounding::Up)),
        false => {
            format!("{number} ({} to {})", shown(low, Rounding::Down), shown(high, Rounding::Up))
        }
    }
}

/// The place of the first digit: 0 of 1 to 9. Requires: positive.
fn log10(x: &Rational) -> i64 {
    let (mut place, mut power, ten) = (0, Rational::ONE, Rational::from(10));
    while *x >= &power * &ten {
        (place, power) = (place + 1, power * &ten);
    }
    while *x < power {
        (place, power) = (place - 1, power / &ten);
    }
    place
}

/// With so many digits after the point, but without zeros at the end.
fn fixed(x: &Rational, places: u32, rounding: Rounding) -> String {
    let rounded = super::values::rounded(x, places, rounding);
    super::answer::digits(&rounded)
}

/// Columns of texts on the left, then numbers on the right.
pub(super) fn aligned(lines: &[Vec<String>], texts: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|i| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
            let padding = " ".repeat(width - cell.chars().count());
            if i < texts { format!("{cell}{padding}") } else { format!("{padding}{cell}") }
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}
