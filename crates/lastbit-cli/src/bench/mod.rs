//! `lastbit bench`: what this machine makes of programs with known answers.

mod logic;
mod table;

use clap::{Args, Subcommand};

use crate::error::Error;
use crate::prove::files::{print, print_json};

#[derive(Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The standard programs of the field: each is proved or refuted, as it is and written differently
    ///
    /// Every program is tried as it is, with other names, with its statements in another order, and with half of its noise, which
    /// must be refuted. Nothing can be recognised by its text.
    #[command(after_help = "Examples:
  lastbit bench logic
  lastbit bench logic --program svt_1
  lastbit bench logic --markdown > table.md

Exit codes: 0 all answers are right; 1 one is not.")]
    Logic(Logic),
}

#[derive(Args)]
pub(crate) struct Logic {
    /// Print JSON: an array with one object for each program and variant
    #[arg(long)]
    json: bool,
    /// Print a table in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Only the program of this name
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
}

/// Runs it.
pub(crate) fn run(args: &Bench) -> Result<(), Error> {
    let What::Logic(args) = &args.what;
    let rows = logic::rows(args.program.as_deref())?;
    match (args.json, args.markdown) {
        (true, _) => print_json(&rows),
        (_, true) => print(&table::markdown(&rows)),
        _ => print(&table::text(&rows)),
    }?;
    if rows.iter().all(|row| row.right) { Ok(()) } else { Err(Error::Told(1)) }
}
