//! A released table as CSV and Parquet.

use lastbit_real::{Rational, Rounding};
use lastbit_table::{Out, parquet_bytes};

use super::answer::digits;
use super::values::RANK_ERROR;
use super::{Accuracy, QueryAnswer, ReleaseAnswer, Row};
use crate::Refusal;

impl ReleaseAnswer {
    /// The names of the columns: those of the key, and for each query, or each bin of a histogram, the value and both ends of the interval, or by how many
    /// ranks it may be off.
    pub fn columns(&self) -> Vec<String> {
        let mut names = self.by.clone();
        for query in &self.queries {
            let is_choice = query.q.is_some();
            for name in numbers(query) {
                names.push(name.clone());
                match is_choice {
                    true => names.push(format!("{name}{RANK_ERROR}")),
                    false => names.extend(["_low", "_high"].map(|end| format!("{name}{end}"))),
                }
            }
        }
        names
    }

    /// The table as CSV with a header line, in UTF-8.
    pub fn csv(&self) -> String {
        let mut text = line(self.columns().iter().map(String::as_str));
        for row in &self.rows {
            let cells: Vec<String> = row.key.iter().cloned().chain(cells(row).map(digits)).collect();
            text.push_str(&line(cells.iter().map(String::as_str)));
        }
        text
    }

    /// The table as a Parquet file: text for the key, integers where all values of a column are, else doubles.
    ///
    /// # Errors
    /// A build without Parquet.
    pub fn parquet(&self) -> Result<Vec<u8>, Refusal> {
        let names = self.columns();
        let (keys, numbers) = names.split_at(self.by.len());
        let text = |i: usize| Out::Text(self.rows.iter().map(|row| row.key[i].clone()).collect());
        let rows: Vec<Vec<&Rational>> = self.rows.iter().map(|row| cells(row).collect()).collect();
        let column = |i: usize| out(&rows.iter().map(|row| row[i]).collect::<Vec<_>>());
        let keys = keys.iter().enumerate().map(|(i, name)| (name.clone(), text(i)));
        let numbers = numbers.iter().enumerate().map(|(i, name)| (name.clone(), column(i)));
        parquet_bytes(&keys.chain(numbers).collect::<Vec<_>>())
            .map_err(|error| Refusal::usage(error.to_string(), "write CSV or JSON instead"))
    }
}

/// The numbers of a row in the order of the columns.
fn cells(row: &Row) -> impl Iterator<Item = &Rational> {
    let values = row.values.iter().flatten();
    values.flat_map(|value| {
        let accuracy = match &value.accuracy {
            Accuracy::Interval(ends) => ends.as_slice(),
            Accuracy::Rank(rows) => std::slice::from_ref(rows),
        };
        std::iter::once(&value.value).chain(accuracy)
    })
}

/// Integers if all of them are, else doubles.
fn out(numbers: &[&Rational]) -> Out {
    let integer = |x: &&Rational| x.is_integer().then(|| i64::try_from(x.numerator()).ok()).flatten();
    match numbers.iter().map(integer).collect() {
        Some(integers) => Out::Integer(integers),
        None => Out::Float(numbers.iter().map(|x| x.to_f64(Rounding::Nearest)).collect()),
    }
}

/// The names of the numbers of a query: one, or one a bin.
pub(super) fn numbers(query: &QueryAnswer) -> Vec<String> {
    if query.kind != "histogram" {
        return vec![query.name.clone()];
    }
    let last = query.edges.len().saturating_sub(2);
    let bins = query.edges.windows(2).enumerate();
    bins.map(|(i, edges)| {
        let close = if i == last { ']' } else { ')' };
        format!("{}[{},{}{close}", query.name, edges[0], edges[1])
    })
    .collect()
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let quoted = |cell: &str| match cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
