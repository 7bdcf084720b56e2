//! Tables for people.

use std::fmt::Write;

/// Rows in columns, each as wide as its widest cell, indented by two spaces.
///
/// ```
/// let rows = [["output", "P"], ["-1", "0.25"]].map(|row| row.map(str::to_owned));
/// assert_eq!(lastbit_audit::columns(&rows), "  output  P\n  -1      0.25\n");
/// ```
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}
