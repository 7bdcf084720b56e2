//! The table of all cases, in one run.

use std::process::Command;

use serde_json::{Value, json};

use crate::cases::{Bar, CASES, Case, find};
use crate::textbook::Textbook;
use crate::timing::{interleave, median, median_ratio};

/// Values of a batch.
const N: usize = 1 << 20;

/// Odd, so that the median is one of them.
const ROUNDS: usize = 21;

/// Makes the library leave AVX2 and FMA alone. It is read once in a process.
const PORTABLE: &str = "LASTBIT_PORTABLE";

/// The format of the printed table.
pub(crate) enum Format {
    Text,
    Json,
}

/// A case that was timed.
struct Row {
    case: &'static Case,
    portable: bool,
    ns: f64,
    ratio: f64,
}

impl Row {
    fn measure(case: &'static Case, portable: bool) -> Row {
        let mut ours = case.work(N);
        let times = interleave(&mut [&mut *ours, &mut Textbook::new(N)], ROUNDS);
        let ratio = median_ratio(&times[0], &times[1]);
        Row { case, portable, ns: median(times[0].clone()), ratio }
    }

    /// The bars are for the path that this processor takes by itself.
    fn bar(&self) -> Option<Bar> {
        self.case.bar.filter(|_| !self.portable)
    }

    fn ok(&self) -> Option<bool> {
        self.bar().map(|bar| match bar {
            Bar::Ratio(most) => self.ratio <= most,
            Bar::Nanoseconds(most) => self.ns <= most,
        })
    }

    fn text(&self) -> String {
        let bar = match self.bar() {
            Some(Bar::Ratio(most)) => format!("<= {most:.1}"),
            Some(Bar::Nanoseconds(most)) => format!("<= {most} ns"),
            None => String::new(),
        };
        let verdict = match self.ok() {
            Some(true) => "ok",
            Some(false) => "MISSED",
            None => "",
        };
        let path = if self.portable { " (portable)" } else { "" };
        let title = format!("{}{path}", self.case.title);
        format!("{title:38} {:8.2} {:7.2}  {bar:8} {verdict}", self.ns, self.ratio).trim_end().to_string()
    }

    fn json(&self) -> Value {
        let bar = match self.bar() {
            Some(Bar::Ratio(most)) => json!({ "ratio": most }),
            Some(Bar::Nanoseconds(most)) => json!({ "ns": most }),
            None => Value::Null,
        };
        json!({
            "case": self.case.name,
            "portable": self.portable,
            "ns": self.ns,
            "ratio": self.ratio,
            "bar": bar,
            "ok": self.ok(),
        })
    }

    fn from_json(row: &Value) -> Option<Row> {
        let case = find(row["case"].as_str()?).ok()?;
        Some(Row {
            case,
            portable: row["portable"].as_bool()?,
            ns: row["ns"].as_f64()?,
            ratio: row["ratio"].as_f64()?,
        })
    }
}

/// Times the cases of these names, or all, with the portable path too, and prints them. True if no bar is missed.
pub(crate) fn report(names: &[&str], format: Format) -> Result<bool, String> {
    let cases: Vec<&'static Case> = if names.is_empty() {
        CASES.iter().collect()
    } else {
        names.iter().map(|name| find(name)).collect::<Result<_, _>>()?
    };
    if let Format::Text = format {
        println!("{:38} {:>8} {:>7}  bar", "", "ns/value", "ratio");
    }
    let portable = std::env::var_os(PORTABLE).is_some();
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        if let Format::Text = format {
            println!("{}", row.text());
        }
        rows.push(row);
    };
    cases.into_iter().for_each(|case| add(Row::measure(case, portable)));
    if names.is_empty() && !portable {
        portable_rows()?.into_iter().for_each(add);
    }
    if let Format::Json = format {
        println!("{:#}", rows.iter().map(Row::json).collect::<Value>());
    }
    Ok(rows.iter().all(|row| row.ok() != Some(false)))
}

/// The rows of this program run without AVX2.
fn portable_rows() -> Result<Vec<Row>, String> {
    let names = CASES.iter().filter(|case| case.portable_too).map(|case| case.name);
    let this = std::env::current_exe().map_err(|e| format!("where is this program? {e}"))?;
    let output = Command::new(this).arg("--json").args(names).env(PORTABLE, "1").output();
    let output = output.map_err(|e| format!("cannot run this program again: {e}"))?;
    let rows: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("the portable run went wrong: {e}"))?;
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| Row::from_json(row).ok_or_else(|| format!("not a row: {row}"))).collect()
}
