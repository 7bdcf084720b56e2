//! The command `lastbit`: differential-privacy noise for columns of numbers, exact down to the last bit.
//!
//! | module | what it knows |
//! |---|---|
//! | `args` | the command line, and nothing of what is done with it |
//! | `plan` | which mechanism the arguments mean |
//! | `cells`, `input`, `entry`, `value` | text, and the numbers in it |
//! | `run` | the passes over the input |
//! | `stdout`, `interrupt` | that what is written is all there, and is cut nowhere |
//! | `attack` | the command `attack` |
//! | `choose` | the command `choose` |
//! | `audit` | the commands `audit` and `conformance` |
//! | `prove` | the commands `prove`, `check` and `fmt` |
//! | `certify` | the command `certify` |
//! | `bench` | the command `bench` |
//! | `explain_word` | the command `explain` |
//! | `output`, `explain`, `error` | what the user reads |

// `stdout::start` needs `unsafe`, with its reasons.
#![deny(unsafe_code)]

mod args;
mod attack;
mod audit;
mod bench;
mod cells;
mod certify;
mod choose;
mod entry;
mod error;
mod explain;
mod explain_word;
mod input;
mod interrupt;
mod output;
mod plan;
mod progress;
mod prove;
mod run;
mod source;
mod stdout;
mod style;
mod value;
mod version;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

fn main() -> ExitCode {
    let result = match args::Cli::try_parse() {
        Ok(cli) => run::run(&cli),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                // That the reader has seen enough is fine: there is no verdict in it.
                match stdout::check().and_then(|()| error.print()) {
                    Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                        Err(error::Error::io("write to standard output", e))
                    }
                    _ => return ExitCode::from(error.exit_code() as u8),
                }
            }
            _ => Err(error::of_clap(&error)),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.print();
            ExitCode::from(error.exit_code())
        }
    }
}
