//! How fast the noise is, measured against the textbook's inexact sampler in the same run.
//!
//! See `README.md` beside this crate for what each command shows and which bars it holds.
#![forbid(unsafe_code)]

mod cases;
mod leave;
mod magnitudes;
mod scales;
mod sources;
mod spread;
mod table;
mod textbook;
mod threads;
mod timing;
mod trace;
mod two_classes;
mod values;
mod work;

use std::process::ExitCode;

const USAGE: &str = "\
Usage:
  lastbit-bench [--json] [CASE...]   time per value, and its ratio to the textbook
  lastbit-bench once CASE N          one case on N values in batches of 102400: for instruction counts
  lastbit-bench trace CASE           one release of what standard input says: for benches/traces
  lastbit-bench magnitudes           time of a value against the magnitude of its noise
  lastbit-bench values               time of a release against the values
  lastbit-bench two-classes          whether times differ at all, by values or by noise: Welch's t-test
  lastbit-bench scales               time of integers and grids at scales from 2^-60 to 2^62
  lastbit-bench leave [LOG2]         the share of 2^LOG2 values (26) that leave the straight line of tier 1
  lastbit-bench threads              10^8 values on one thread and on two (0.8 GB)
The exit code is 1 if a bar is missed, 2 if the arguments are wrong.";

/// Batches of one size, so that two runs of different lengths differ in nothing but noise.
const ONCE_BATCH: usize = 102_400;

/// What the arguments ask for; true if no bar is missed.
fn run(args: &[&str]) -> Result<bool, String> {
    match args {
        ["once", case, n] => {
            let n: usize = n.parse().map_err(|_| format!("{n} is not a number of values"))?;
            let batch = n.clamp(1, ONCE_BATCH);
            let mut work = cases::find(case)?.work(batch);
            (0..n / batch).for_each(|_| work.run());
            Ok(true)
        }
        ["trace", case] => trace::run(case).map(|()| true),
        ["magnitudes"] => Ok(magnitudes::report()),
        ["values"] => Ok(values::report()),
        ["two-classes"] => Ok(two_classes::report()),
        ["scales"] => Ok(scales::report()),
        ["leave"] => Ok(leave::report(26)),
        ["leave", log2] => match log2.parse() {
            Ok(log2 @ 16..=40) => Ok(leave::report(log2)),
            _ => Err(format!("{log2} is not between 16 and 40")),
        },
        ["threads"] => Ok(threads::report()),
        ["--json", names @ ..] => table::report(names, table::Format::Json),
        names => table::report(names, table::Format::Text),
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
