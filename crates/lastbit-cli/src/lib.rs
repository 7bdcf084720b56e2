//! The command `lastbit`: differential-privacy noise for columns of numbers, exact down to the last bit.
//!
//! It is a library only so that the Python package can ship the same command; the libraries to build on are `lastbit`, `lastbit-engine`,
//! `lastbit-audit` and `lastbit-prove`.
//!
//! | module | what it knows |
//! |---|---|
//! | `args` | the command line, and nothing about what is done with it |
//! | `plan` | which mechanism the arguments mean |
//! | `cells`, `input`, `entry`, `value` | text, and the numbers in it |
//! | `run` | the passes over the input |
//! | `stdout`, `interrupt` | how to make sure that output is complete, or that an error says it is not |
//! | `attack` | the command `attack` |
//! | `choose` | the command `choose` |
//! | `release`, `budget` | the commands `release` and `budget` |
//! | `account` | the command `account` |
//! | `audit` | the commands `audit` and `conformance` |
//! | `prove` | the commands `prove`, `check` and `fmt` |
//! | `certify` | the command `certify` |
//! | `bench` | the command `bench` |
//! | `explain_word` | the command `explain` |
//! | `output`, `explain`, `error`, `style` | what the user reads |

// `stdout::start` needs `unsafe`, with its reasons.
#![deny(unsafe_code)]

mod account;
mod args;
mod attack;
mod audit;
mod bench;
mod budget;
mod cells;
mod certify;
mod charged;
mod choose;
mod entry;
mod error;
mod explain_word;
mod input;
mod interrupt;
mod output;
mod plan;
mod progress;
mod prove;
mod release;
mod run;
mod source;
mod stdout;
mod style;
mod value;
mod version;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;
use clap::error::ErrorKind;

/// Runs the command with arguments, the first of which is its name, and gives its exit code.
///
/// It is a program as a function: it reads standard input, writes to standard output and standard error, and Ctrl-C ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let code = match answer(arguments) {
        Ok(code) => code,
        Err(error) => {
            error.print();
            error.exit_code()
        }
    };
    // At the end of a Rust program that is done by itself, but not of a Python program. All that must not be lost is out already.
    let _ = std::io::stdout().flush();
    code
}

fn answer(arguments: impl IntoIterator<Item = OsString>) -> Result<u8, error::Error> {
    match args::Cli::try_parse_from(arguments) {
        Ok(cli) => run::run(&cli).map(|()| 0),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                // That the reader has seen enough is fine: there is no verdict in it.
                match stdout::check().and_then(|()| error.print()) {
                    Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                        Err(error::Error::io("write to standard output", e))
                    }
                    _ => Ok(error.exit_code() as u8),
                }
            }
            _ => Err(error::of_clap(&error)),
        },
    }
}
