//! The command `release`: from a table to a released table.

pub(crate) mod args;
mod spec;

use std::path::{Path, PathBuf};

use lastbit_engine::ledger::Book;
use lastbit_engine::release::{ForTheOwner, Processing, Question, ReleaseAnswer};
use lastbit_engine::{Progress, Watcher};

use crate::error::{Error, of_engine, tell, tell_or_fail};
use crate::output::{print_now, to_json};
use crate::progress::LateBar;
use crate::prove::files::{is_stdin, write_whole};
use crate::source::Source;
use crate::{interrupt, stdout};
use args::{Release, Special};

pub(crate) fn run(args: &Release) -> Result<(), Error> {
    if let Some(Special::Init { data }) = &args.init {
        return print_now(&lastbit_engine::release::template(data).map_err(of_engine)?);
    }
    interrupt::stop_at_once("stopped: nothing of the table was shown");
    let question = question(args)?;
    if args.dry_run {
        let answer = question.dry_run().map_err(of_engine)?;
        return print_now(&if args.output.json { to_json(&answer)? + "\n" } else { answer.text() });
    }
    refuse_overwriting(args, &question)?;
    stdout::check().map_err(|e| Error::io("write to standard output", e))?;
    let mut source = Source::new(args.limits.insecure_seed)?;
    let bar = LateBar::new("reading", "{spinner} {prefix}: {msg}, {elapsed}", 0);
    let ticks = std::cell::Cell::new(0);
    let told = |progress: Progress<'_>| {
        ticks.set(ticks.get() + 1);
        bar.show(ticks.get(), progress.message);
    };
    let watcher = Watcher { progress: &told, ..Watcher::nobody() };
    let (answer, exact) = question.answer_for_the_owner(&mut source, &watcher).map_err(of_engine)?;
    drop(bar);
    show(args, &question, &answer, exact.as_ref())
}

fn question(args: &Release) -> Result<Question, Error> {
    let mut question = Question::new(spec::spec(args)?);
    question.book = args.book.ledger.as_ref().map(|path| {
        let mut book = Book::at(path);
        book.id = args.book.id.clone();
        book.analyst = args.book.analyst.clone();
        book.force_network = args.book.force_network;
        book
    });
    question.processing = Processing {
        confidence: args.processing.confidence.clone(),
        non_negative: args.processing.non_negative,
        places: if args.processing.integers { Some(0) } else { args.processing.digits },
    };
    question.memory = usize::try_from(args.limits.memory.0).unwrap_or(usize::MAX);
    question.threads = args.limits.threads;
    question.insecure = args.limits.insecure_seed.is_some();
    Ok(question)
}

/// Outputs replace the files of their names, which must not be what the release is made from, or its ledger, or one another.
fn refuse_overwriting(args: &Release, question: &Question) -> Result<(), Error> {
    let outputs = [&args.output.csv, &args.output.parquet, &args.output.statement];
    let outputs: Vec<&PathBuf> = outputs.into_iter().flatten().collect();
    let to_stdout = outputs.iter().filter(|path| is_stdin(path)).count() + usize::from(args.output.json);
    if to_stdout > 1 {
        return Err(Error::usage(
            "two things would go to standard output",
            "name files, or leave out --json",
        ));
    }
    if args.output.parquet.as_deref().is_some_and(is_stdin) {
        return Err(Error::usage("Parquet is no text for standard output", "name a file"));
    }
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut places: Vec<PathBuf> = outputs.iter().map(|path| place(path)).collect();
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::usage("one file would overwrite another", "give every output a name of its own"));
    }
    let needed = args.from.iter().map(PathBuf::from).chain(args.book.ledger.clone());
    let needed: Vec<PathBuf> = needed.filter_map(|path| path.canonicalize().ok()).collect();
    for output in outputs {
        let is_needed = output.canonicalize().is_ok_and(|output| needed.contains(&output));
        if is_needed || (output.is_file() && question.spec.reads(output)) {
            return Err(Error::usage(
                format!("{} would be overwritten, and the release needs it", output.display()),
                "give the result another name",
            ));
        }
    }
    Ok(())
}

/// The claim comes before the values, so that nobody has the one without the other.
fn show(
    args: &Release,
    question: &Question,
    answer: &ReleaseAnswer,
    exact: Option<&ForTheOwner>,
) -> Result<(), Error> {
    if answer.promise.insecure {
        tell("warning: --insecure-seed makes noise that anyone can recompute; never publish these values");
    }
    let output = &args.output;
    if !output.json {
        answer.claim_lines().iter().try_for_each(|line| tell_or_fail(line))?;
    }
    if let (true, Some(exact)) = (output.digest, exact) {
        tell(&format!("for the owner only: aggregates {}", exact.digest));
        let notes = &exact.notes;
        tell(&format!(
            "for the owner only: {} rows, of which {} were filtered out, {} had no unit and {} no declared group; {} units had too many groups, \
             {} units and groups too many rows",
            notes.rows,
            notes.filtered,
            notes.without_unit,
            notes.without_key,
            notes.units_cut,
            notes.pairs_clipped
        ));
    }
    if output.digest && exact.is_none() {
        tell(
            "note: --digest has nothing to say: the stored result is shown again, and the table was not read",
        );
    }
    let mut is_printed = false;
    if let Some(path) = &output.csv {
        match is_stdin(path) {
            true => print_now(&answer.csv())?,
            false => write_whole(path, answer.csv())?,
        }
        is_printed = true;
    }
    if let Some(path) = &output.parquet {
        write_whole(path, answer.parquet().map_err(of_engine)?)?;
        is_printed = true;
    }
    if let Some(path) = &output.statement {
        let statement = question.statement(answer).map_err(of_engine)?;
        let is_page = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
        let page = if is_page { statement.html() } else { statement.text() };
        match is_stdin(path) {
            true => print_now(&page)?,
            false => write_whole(path, page)?,
        }
        is_printed |= is_stdin(path);
    }
    if output.json {
        return print_now(&(to_json(answer)? + "\n"));
    }
    if is_printed { Ok(()) } else { print_now(&answer.text(output.all)) }
}
