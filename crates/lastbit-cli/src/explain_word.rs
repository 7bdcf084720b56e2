//! `lastbit explain`.

use lastbit_engine::explain::{Explanation, Words, find, list, nearest};

use crate::error::{Error, quoted};
use crate::prove::files::{print, print_json};
use crate::style;

pub(crate) fn run(word: &str, as_json: bool) -> Result<(), Error> {
    if word.is_empty() {
        return match as_json {
            true => print_json(&Words::all()),
            false => {
                print(&wrapped(&format!("{}lastbit explain WORD says what one of them means\n", list())))
            }
        };
    }
    let entry = find(word).ok_or_else(|| {
        let near = nearest(word).join(", ");
        Error::usage(
            format!("there is no word {}", quoted(word.as_bytes())),
            format!("the nearest are {near}; lastbit explain lists all"),
        )
    })?;
    match as_json {
        true => print_json(&Explanation::of(entry)),
        false => print(&wrapped(&entry.in_words())),
    }
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
