//! The command `lastbit`, which is all in the library `lastbit_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lastbit_cli::run(std::env::args_os()))
}
