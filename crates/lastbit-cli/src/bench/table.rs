//! Rows for people and for programs.

use lastbit_audit::columns;
use lastbit_engine::Loss;

use super::logic::Row;

const HEADS: [&str; 9] =
    ["program", "variant", "expected", "found", "cost", "search", "check", "evaluations", "loss >="];

fn cells(row: &Row) -> [String; 9] {
    let found = &row.found;
    let seconds = |seconds: f64| format!("{seconds:.3} s");
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    let mark = if row.right { "" } else { "  WRONG" };
    [
        row.program.into(),
        row.variant.into(),
        row.expected.into(),
        format!("{}{mark}", found.verdict),
        or_dash(&found.cost),
        seconds(found.search),
        found.check.map_or("-".into(), seconds),
        found.evaluations.to_string(),
        match &found.loss {
            Some(Loss::Finite(loss) | Loss::AtLeast(loss)) => loss.to_string(),
            Some(_) => "infinite".into(),
            None => "-".into(),
        },
    ]
}

fn summary(rows: &[Row]) -> String {
    let right = rows.iter().filter(|row| row.right).count();
    let count = |verdict: &str| rows.iter().filter(|row| row.found.verdict == verdict).count();
    let search: f64 = rows.iter().map(|row| row.found.search).sum();
    let check: f64 = rows.iter().filter_map(|row| row.found.check).sum();
    format!(
        "{right} of {} answers as expected: {} proved, {} refuted; search {search:.1} s, check {check:.2} s",
        rows.len(),
        count("proved"),
        count("refuted"),
    )
}

pub(super) fn text(rows: &[Row]) -> String {
    let mut all = vec![HEADS.map(str::to_owned)];
    all.extend(rows.iter().map(cells));
    format!("{}\n{}\n", columns(&all), summary(rows))
}

pub(super) fn markdown(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&HEADS.map(str::to_owned));
    text += &line(&HEADS.map(|_| "---".to_owned()));
    text.extend(rows.iter().map(|row| line(&cells(row))));
    format!("{text}\n{}\n", summary(rows))
}
