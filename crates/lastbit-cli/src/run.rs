//! Doing what the command line asks for.

use std::io::{self, IsTerminal};

use clap::CommandFactory;
use lastbit::Real;
use lastbit_engine::noise::{Plan, Promise, Question};

use crate::args::{Cli, Command, InputType, Io, Mechanism};
use crate::error::{Error, of_engine, tell};
use crate::input::{Checked, Format, Input, Numbers};
use crate::output::{Sink, print_now, tell_promise, to_json};
use crate::plan::{Noisy, question};
use crate::source::Source;
use crate::value::Value;
use crate::{charged, interrupt, stdout};

pub(crate) fn run(cli: &Cli) -> Result<(), Error> {
    if let Command::Conformance(_) | Command::Certify(_) | Command::Bench(_) = cli.command {
        interrupt::stop_at_once("stopped before it was done");
    }
    match &cli.command {
        Command::Noise(noise) => {
            let mechanism = &noise.mechanism;
            match (mechanism.input_type(), mechanism.takes_any_decimal()) {
                (InputType::F64, true) => release_or_explain::<Real, f64>(mechanism),
                (InputType::F64, false) => release_or_explain::<f64, f64>(mechanism),
                (InputType::F32, true) => release_or_explain::<Real, f32>(mechanism),
                (InputType::F32, false) => release_or_explain::<f32, f32>(mechanism),
                (InputType::I64, _) => release_or_explain::<i64, i64>(mechanism),
            }
        }
        Command::Choose(args) => crate::choose::run(args),
        Command::Release(args) => crate::release::run(args),
        Command::Budget(args) => crate::budget::run(args),
        Command::Account(args) => crate::account::run(args),
        Command::Audit(args) => crate::audit::run(args),
        Command::Attack(args) => crate::attack::run(args),
        Command::Conformance(args) => crate::audit::conformance::run(args),
        Command::Prove(args) => crate::prove::run(args),
        Command::Check(args) => crate::prove::check::run(args),
        Command::Certify(args) => crate::certify::run(args),
        Command::Fmt(args) => crate::prove::fmt::run(args),
        Command::Bench(args) => crate::bench::run(args),
        Command::Explain { word, json } => crate::explain_word::run(&word.join(" "), *json),
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

fn release_or_explain<X: Noisy<T>, T: Value>(mechanism: &Mechanism) -> Result<(), Error> {
    let io = mechanism.io();
    let question = question::<X, T>(mechanism)?;
    // Before anything is read, so that bad parameters are told at once.
    let plan = question.check().map_err(of_engine)?;
    if !io.shared.explain {
        return release::<X, T>(mechanism, question, plan, io);
    }
    let Some(plan) = plan else {
        return Err(Error::usage(
            format!("the loss of {} depends on how many values may change", mechanism.name()),
            "--explain reads no input to count them: give --max-changed C, 1 if neighbours differ in one value",
        ));
    };
    let answer = plan.answer().map_err(of_engine)?;
    print_now(&if io.shared.json { to_json(&answer)? + "\n" } else { answer.text() })
}

/// Reads, adds noise, writes. There is no plan if it takes the number of values.
fn release<X: Noisy<T>, T: Value>(
    mechanism: &Mechanism,
    question: Question,
    plan: Option<Plan>,
    io: &Io,
) -> Result<(), Error> {
    stdout::check().map_err(|e| Error::io("write to standard output", e))?;
    interrupt::stop_between_lines();
    if io.hex && mechanism.input_type() == InputType::I64 {
        return Err(Error::usage("--hex is for floats, and the values are integers", "leave out --hex"));
    }
    let format = Format {
        column: io.shared.column.clone(),
        has_header: !io.shared.no_header,
        granularity: mechanism.granularity(),
        shows_values: io.shared.show_values,
    };
    let book = io.book.book();
    if book.is_some() {
        question.check_unit().map_err(of_engine)?;
    }
    let mut source = Source::new(io.shared.insecure_seed)?;
    let mut input = Input::open(io.file.as_deref())?;
    if let Some(book) = book {
        let values = charged::read_all::<X, T>(input.numbers("reading", &format)?)?;
        let plan = plan_for(plan, question, values.len() as u64)?;
        return charged::release(&plan, &book, io, &values, &mut source, &plan.promise(false));
    }
    let mut checked = None;
    if !input.is_pipe() {
        let first_pass = Checked::read::<X, T>(input.numbers("checking", &format)?)?;
        if first_pass.values == 0 {
            return Err(Error::Empty);
        }
        checked = Some(first_pass);
    }
    let plan = match (plan, &checked) {
        (Some(plan), _) => plan,
        (None, Some(first_pass)) => plan_for(None, question, first_pass.values)?,
        (None, None) => {
            return Err(Error::usage(
                format!(
                    "the loss of {} depends on how many values may change, and a pipe does not tell",
                    mechanism.name()
                ),
                "give --max-changed C, 1 if neighbours differ in one value; or a file, whose values are counted",
            ));
        }
    };
    let promise = plan.promise(io.shared.insecure_seed.is_some());
    let sink = Sink::new(io.shared.json, io.hex);
    let mut release = Release { plan: &plan, promise, source, checked, sink };
    let numbers = input.numbers("adding noise", &format)?;
    match release.batches::<X, T>(numbers) {
        Ok(()) => release.sink.finish(&release.promise, None),
        Err(error) => Err(error.after(stdout::lines_written())),
    }
}

/// The plan, now that the number of values is known.
fn plan_for(plan: Option<Plan>, question: Question, values: u64) -> Result<Plan, Error> {
    match plan {
        Some(plan) => Ok(plan),
        None => Question { length: Some(values), ..question }.plan().map_err(of_engine),
    }
}

/// The pass that adds noise.
struct Release<'a> {
    plan: &'a Plan,
    promise: Promise,
    source: Source,
    /// The findings of an earlier pass.
    checked: Option<Checked>,
    sink: Sink,
}

/// The note for users who seem to add noise to rows rather than to results.
const ROWS: &str = "note: --sensitivity is over all values together; noise on rows of people at sensitivity 1 protects nobody: add up first \
                    (counts, sums per group), then add noise to the results, with the distance by which one person can change all of them";

/// The note on rows, for people and for columns.
fn note_on_rows(values: usize, is_terminal: bool) -> Option<&'static str> {
    (values > 1 && is_terminal).then_some(ROWS)
}

impl Release<'_> {
    fn batches<X: Noisy<T>, T: Value>(&mut self, mut numbers: Numbers<'_>) -> Result<(), Error> {
        let (mut batch, mut noisy, mut text) = (Vec::new(), Vec::new(), String::new());
        let mut done = 0;
        for index in 0.. {
            let read = numbers.next_batch::<X, T>(&mut batch);
            if let Some(checked) = &self.checked {
                // No value gets noise that the first pass has not seen: the claim may rest on their number.
                if !matches!(read, Ok(()) | Err(Error::Io { .. }))
                    || !checked.agrees(index, &numbers, batch.is_empty())
                {
                    return Err(Error::Changed(numbers.name().to_owned()));
                }
            }
            read?;
            if batch.is_empty() {
                break;
            }
            X::add_noise(&self.plan.mechanism, &mut self.source, &batch, &mut noisy)
                .map_err(|error| counted_from(done, error))?;
            if index == 0 {
                // The claim comes before the first value, so that nobody has the one without the other.
                numbers.progress.aside(|| self.tell(batch.len()))?;
            }
            self.sink.write(&noisy, &mut text)?;
            done += batch.len();
            numbers.progress.values(done as u64);
        }
        if done == 0 { Err(Error::Empty) } else { Ok(()) }
    }

    /// Before the first of so many values.
    fn tell(&self, values: usize) -> Result<(), Error> {
        if matches!(self.sink, Sink::Lines { .. }) || self.promise.insecure {
            tell_promise(&self.promise)?;
        }
        if let Some(note) = note_on_rows(values, io::stderr().is_terminal()) {
            tell(note);
        }
        Ok(())
    }
}

/// The error with its index in the whole input.
fn counted_from(done: usize, error: lastbit::Error) -> lastbit::Error {
    match error {
        lastbit::Error::Overflow { index } => lastbit::Error::Overflow { index: done + index },
        lastbit::Error::BeyondRange { index, type_name } => {
            lastbit::Error::BeyondRange { index: done + index, type_name }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::note_on_rows;

    #[test]
    fn the_note_is_for_people_and_columns() {
        assert!(note_on_rows(2, true).is_some_and(|note| note.lines().count() == 1));
        assert_eq!(note_on_rows(1, true), None);
        assert_eq!(note_on_rows(1000, false), None);
    }
}
