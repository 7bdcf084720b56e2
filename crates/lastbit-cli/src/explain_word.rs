//! `lastbit explain`.

use lastbit_engine::Schema;
use lastbit_engine::explain::{Entry, entries, find, list, nearest};
use serde_json::{Value, json};

use crate::error::{Error, quoted};
use crate::prove::files::print;
use crate::style;

pub(crate) fn run(word: &str, as_json: bool) -> Result<(), Error> {
    if word.is_empty() {
        let words: Vec<Value> = entries().map(|entry| json!(entry)).collect();
        return match as_json {
            true => print_json(&json!({ "schema": Schema::VERSION, "words": words })),
            false => {
                print(&wrapped(&format!("{}lastbit explain WORD says what one of them means\n", list())))
            }
        };
    }
    let entry: &Entry = find(word).ok_or_else(|| {
        let near = nearest(word).join(", ");
        Error::usage(
            format!("there is no word {}", quoted(word.as_bytes())),
            format!("the nearest are {near}; lastbit explain lists all"),
        )
    })?;
    if !as_json {
        return print(&wrapped(&entry.in_words()));
    }
    let mut value = json!(entry);
    value["schema"] = json!(Schema::VERSION);
    print_json(&value)
}

/// Lines as wide as the terminal. Indented text stays so, and what follows a label lines up with it.
fn wrapped(text: &str) -> String {
    const LABEL: usize = "example  ".len();
    let width = style::width();
    let wrap = |line: &str| match line.split_once("  ") {
        Some((label, rest)) if !label.is_empty() => {
            let rest = style::wrap(rest.trim_start(), width - LABEL, 0);
            format!("{label:<LABEL$}{}\n", rest.replace('\n', &format!("\n{:LABEL$}", "")))
        }
        _ => style::wrap(line, width, 0) + "\n",
    };
    text.lines().map(wrap).collect()
}

fn print_json(value: &Value) -> Result<(), Error> {
    print(&format!("{value:#}\n"))
}
