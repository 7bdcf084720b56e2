//! Doing what the command line asks for.

use clap::CommandFactory;

use crate::args::{Cli, Command, InputType, Io, Mechanism};
use crate::error::Error;
use crate::explain::explain;
use crate::input::{Checked, Format, Input, Numbers};
use crate::output::{Promise, Sink, print_now};
use crate::plan::{Noisy, Plan};
use crate::source::Source;

pub(crate) fn run(cli: &Cli) -> Result<(), Error> {
    match &cli.command {
        Command::Noise(noise) => match noise.mechanism.input_type() {
            InputType::F64 => release_or_explain::<f64>(&noise.mechanism),
            InputType::F32 => release_or_explain::<f32>(&noise.mechanism),
            InputType::I64 => release_or_explain::<i64>(&noise.mechanism),
        },
        Command::Audit(args) => crate::audit::run(args),
        Command::Attack(args) => crate::attack::run(args),
        Command::Conformance(args) => crate::audit::conformance::run(args),
        Command::Prove(args) => crate::prove::run(args),
        Command::Check(args) => crate::prove::check::run(args),
        Command::Certify(args) => crate::certify::run(args),
        Command::Fmt(args) => crate::prove::fmt::run(args),
        Command::Bench(args) => crate::bench::run(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "lastbit", &mut script);
            print_now(&String::from_utf8_lossy(&script))
        }
        Command::Man { dir: None } => {
            let mut page = Vec::new();
            let man = clap_mangen::Man::new(Cli::command());
            man.render(&mut page).map_err(|e| Error::io("make the manual page", e))?;
            print_now(&String::from_utf8_lossy(&page))
        }
        Command::Man { dir: Some(dir) } => {
            let failed = |e| Error::io(format!("write manual pages to {}", dir.display()), e);
            std::fs::create_dir_all(dir).map_err(failed)?;
            clap_mangen::generate_to(Cli::command(), dir).map_err(failed)
        }
    }
}

fn release_or_explain<T: Noisy>(mechanism: &Mechanism) -> Result<(), Error> {
    let io = mechanism.io();
    // Before anything is read, so that bad parameters are told at once; the size does not matter for that.
    let plan = T::plan(mechanism, 1)?;
    if !io.explain {
        return release(mechanism, plan, io);
    }
    if mechanism.lacks_max_changed() {
        return Err(Error::usage(
            format!("the loss of {} depends on how many values may change", mechanism.name()),
            "--explain reads no input to count them: give --max-changed C, 1 if neighbours differ in one value",
        ));
    }
    print_now(&explain(&plan, io.json)?)
}

/// Reads, adds noise, writes.
fn release<T: Noisy>(mechanism: &Mechanism, mut plan: Plan<T>, io: &Io) -> Result<(), Error> {
    if io.hex && mechanism.input_type() == InputType::I64 {
        return Err(Error::usage("--hex is for floats, and the values are integers", "leave out --hex"));
    }
    let format =
        Format { column: io.column.clone(), has_header: !io.no_header, granularity: mechanism.granularity() };
    let source = Source::new(io.insecure_seed)?;
    let mut input = Input::open(io.file.as_deref())?;
    let mut checked = None;
    if !input.is_pipe() {
        let first_pass = Checked::read::<T>(input.numbers("checking", &format)?)?;
        if first_pass.values == 0 {
            return Err(Error::Empty);
        }
        if mechanism.lacks_max_changed() {
            plan = T::plan(mechanism, first_pass.values)?;
        }
        checked = Some(first_pass);
    } else if mechanism.lacks_max_changed() {
        return Err(Error::usage(
            format!(
                "the loss of {} depends on how many values may change, and a pipe does not tell",
                mechanism.name()
            ),
            "give --max-changed C, 1 if neighbours differ in one value; or a file, whose values are counted",
        ));
    }
    let promise = Promise { claim: &plan.claim, is_insecure: io.insecure_seed.is_some() };
    let sink = Sink::new(io.json, io.hex);
    let mut release = Release { plan: &plan, promise, source, checked, sink, written: 0 };
    let numbers = input.numbers("adding noise", &format)?;
    match release.batches(numbers) {
        Ok(()) => release.sink.finish(&release.promise),
        Err(error) => Err(error.after(release.written)),
    }
}

/// The pass that adds noise.
struct Release<'a, T> {
    plan: &'a Plan<T>,
    promise: Promise<'a>,
    source: Source,
    /// What an earlier pass has seen.
    checked: Option<Checked>,
    sink: Sink,
    /// Values that are out.
    written: u64,
}

impl<T: Noisy> Release<'_, T> {
    fn batches(&mut self, mut numbers: Numbers<'_>) -> Result<(), Error> {
        let (mut batch, mut text) = (Vec::new(), String::new());
        let mut done = 0;
        for index in 0.. {
            let read = numbers.next_batch::<T>(&mut batch);
            if let Some(checked) = &self.checked {
                // No value gets noise that the first pass has not seen: the claim may rest on their number.
                if !matches!(read, Ok(()) | Err(Error::Io { .. })) || !checked.agrees(index, &batch) {
                    return Err(Error::Changed(numbers.name().to_owned()));
                }
            }
            read?;
            if batch.is_empty() {
                break;
            }
            (self.plan.add_noise)(&mut self.source, &mut batch).map_err(|error| counted_from(done, error))?;
            if index == 0 {
                // The claim comes before the first value, so that nobody has the one without the other.
                numbers.progress.aside(|| self.tell());
            }
            self.written += self.sink.write(&batch, &mut text)?;
            done += batch.len();
            numbers.progress.values(done as u64);
        }
        if done == 0 { Err(Error::Empty) } else { Ok(()) }
    }

    fn tell(&self) {
        if matches!(self.sink, Sink::Lines { .. }) || self.promise.is_insecure {
            self.promise.tell();
        }
    }
}

/// The error with its index in the whole input.
fn counted_from(done: usize, error: lastbit::Error) -> lastbit::Error {
    match error {
        lastbit::Error::Overflow { index } => lastbit::Error::Overflow { index: done + index },
        other => other,
    }
}
