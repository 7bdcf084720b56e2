//! `lastbit explain`.

use lastbit_engine::rules::{RULES, meaning};

use super::args::ExplainRule;
use super::files::print;
use crate::error::{Error, quoted};
use crate::style;

pub(crate) fn run(args: &ExplainRule) -> Result<(), Error> {
    let line = |(rule, words): (&str, &str)| style::wrapped(&format!("{rule}: {words}"), 2) + "\n";
    let Some(name) = &args.rule else {
        return print(&RULES.map(line).concat());
    };
    match meaning(name) {
        Some(rule) => print(&line(rule)),
        None => Err(Error::usage(
            format!("there is no rule {}", quoted(name.as_bytes())),
            "lastbit explain lists all of them; those of errors (ADD, MUL, …) are in docs/semantics.md",
        )),
    }
}
