//! `lastbit attack`: other people's noise, tested from the outside.
//!
//! | module | what it knows |
//! |---|---|
//! | `args` | the arguments |
//! | `samples`, `process` | numbers from text, and from a program that prints them |
//! | `report` | what is printed of an answer |
//! | `gallery` | the noise of some libraries |

pub(crate) mod args;
mod gallery;
mod process;
mod report;
mod samples;

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use lastbit_engine::Watcher;
use lastbit_engine::attack::Question;
use lastbit_real::Float;

use crate::error::{Error, of_engine};
use crate::interrupt;
use crate::progress::{LateBar, waiting};
use crate::prove::files::{is_stdin, name_of};
use args::Attack;
use lastbit_engine::audit::{FloatType, Given};
use process::Process;

/// Samples for each input, if it is not said how many.
const SAMPLES: usize = 20_000;
/// Samples between two looks at the clock.
const BATCH: usize = 1000;
/// The place of the input in a command, and of the number of samples.
const INPUT: &str = "{input}";
const COUNT: &str = "{samples}";

/// Attacks what is asked for.
pub(crate) fn run(args: &Attack) -> Result<(), Error> {
    interrupt::stop_at_once("stopped: nothing was decided");
    if args.gallery {
        return gallery::run(args);
    }
    if let Some(option) = args.gallery_options.given() {
        return Err(Error::usage(
            format!("{option} is for the gallery"),
            format!("leave out {option}, or give --gallery"),
        ));
    }
    let inputs = inputs(args)?;
    let question = Question {
        epsilon: args.epsilon.clone(),
        delta: args.delta.clone(),
        confidence: args.confidence.clone(),
        inputs,
        ..Question::default()
    };
    // Before any samples are taken, so that bad parameters are told at once.
    question.check().map_err(of_engine)?;
    let (names, samples) = match (&args.command, &args.first, &args.second) {
        (Some(command), ..) => from_command(command, inputs.unwrap_or_default(), args)?,
        (None, Some(a), Some(b)) if is_stdin(a) && is_stdin(b) => {
            return Err(Error::usage(
                "standard input cannot be both files",
                "give at least one of them a name",
            ));
        }
        (None, Some(a), Some(b)) => {
            let read = || Ok::<_, Error>([samples::of_file(a)?, samples::of_file(b)?]);
            ([name_of(a), name_of(b)], waiting("reading samples", read)?)
        }
        (None, Some(_), None) => {
            return Err(Error::usage(
                "samples for one input tell nothing",
                "give two files, one for each of two inputs",
            ));
        }
        (None, None, _) => {
            return Err(Error::usage(
                "there is nothing to attack",
                "give two files of samples, --command, or --gallery",
            ));
        }
    };
    let question = Question { names, ..question };
    let attack = || question.answer([&samples[0], &samples[1]], &Watcher::nobody());
    let answer = waiting("attacking", attack).map_err(of_engine)?;
    report::print_answer(&answer, args)
}

fn inputs(args: &Attack) -> Result<Option<[f64; 2]>, Error> {
    match args.inputs.as_deref() {
        Some([x, y]) => {
            let double = |given: &Given| given.to_float("input", FloatType::F64).map_err(of_engine);
            Ok(Some([double(x)?, double(y)?]))
        }
        _ => Ok(None),
    }
}

/// What the samples are called, and the samples.
type Samples = ([String; 2], [Vec<f64>; 2]);

/// Runs a command for both inputs at the same time.
fn from_command(command: &str, inputs: [f64; 2], args: &Attack) -> Result<Samples, Error> {
    if !command.contains(INPUT) {
        return Err(Error::usage(
            format!("the command does not say where the input goes: there is no {INPUT} in it"),
            "write it like --command 'python3 noise.py {input} {samples}'",
        ));
    }
    let count = args.samples.unwrap_or(SAMPLES);
    // Only digits, signs, points and e: nothing that a shell could take for something else.
    let texts = inputs.map(|x| x.to_short());
    let bar = LateBar::new(
        "sampling",
        "{prefix} {wide_bar} {pos}/{len}, {eta} left",
        (count as u64).saturating_mul(2),
    );
    let done = AtomicU64::new(0);
    let [first, second] = both(texts.each_ref(), |text| {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command.replace(INPUT, text).replace(COUNT, &count.to_string()));
        let mut process = Process::start(shell, format!("the command for input {text}"), count)?;
        let mut samples = Vec::new();
        while samples.len() < count {
            let batch = process.take(BATCH.min(count - samples.len()))?;
            bar.show(done.fetch_add(batch.len() as u64, Ordering::Relaxed), "");
            samples.extend(batch);
        }
        process.finish().map(|()| samples)
    });
    Ok((texts.map(|text| format!("input {text}")), [first?, second?]))
}

/// Does something for both inputs at once.
fn both<T: Send, R: Send>(of: [T; 2], does: impl Fn(T) -> R + Sync) -> [R; 2] {
    let [first, second] = of;
    thread::scope(|scope| {
        let other = scope.spawn(|| does(second));
        let first = does(first);
        [first, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))]
    })
}
