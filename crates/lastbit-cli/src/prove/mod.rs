//! `lastbit prove`, `check` and `fmt`: they parse a question, ask the engine, and print the answer.
//!
//! | module | what it knows |
//! |---|---|
//! | `args`, `conflicts` | the arguments, and which do not go together |
//! | `files`, `certificates` | what is read, and what is written |
//! | `show` | what is printed of an answer |
//! | `limits` | time, memory, Ctrl-C |
//! | `check`, `fmt` | the other commands |
//! | `report` | what may be printed of a text |

pub(crate) mod args;
mod certificates;
pub(crate) mod check;
mod conflicts;
pub(crate) mod files;
pub(crate) mod fmt;
pub(crate) mod limits;
pub(crate) mod report;
mod show;

use lastbit_engine::prove::{DerivationWish, Form, Found, Given, Plan, ProofAnswer, Question, Task};
use lastbit_engine::{Refusal, Source, Watcher};

use crate::error::{Error, quoted, tell};
use crate::progress::LateBar;
use crate::style;
use args::{Prove, RuleSet};
use certificates::Certificates;
use files::{name_of, print, print_json, read_text};
use limits::INTERRUPTED;
use show::{Manner, Table};

/// Proves everything in the files.
pub(crate) fn run(args: &Prove) -> Result<(), Error> {
    conflicts::of_options(args)?;
    let texts = args.files.iter().map(|path| Ok((name_of(path), read_text(path)?)));
    let texts: Vec<(String, String)> = texts.collect::<Result<_, Error>>()?;
    let questions: Vec<Question<'_>> =
        texts.iter().map(|(name, text)| question(args, Source { name, text })).collect();
    let plans: Vec<Result<Plan<'_>, Refusal>> = questions.iter().map(Plan::of).collect();
    for (plan, (name, _)) in plans.iter().zip(&texts) {
        match plan {
            Ok(plan) if plan.is_fpcore() => conflicts::of_fpcore(args, name)?,
            Ok(_) => conflicts::of_declarations(args, name)?,
            Err(_) => {}
        }
    }
    let count = plans.iter().map(|plan| plan.as_ref().map_or(1, Plan::len)).sum();
    if count == 0 {
        let wanted = args.program.as_deref().unwrap_or_default();
        return Err(Error::usage(
            format!("there is no program {}", quoted(wanted.as_bytes())),
            "leave out --program to see all of them",
        ));
    }
    conflicts::of_many(args, count)?;

    let names = plans.iter().flatten().flat_map(|plan| (0..plan.len()).map(|index| plan.name(index)));
    let table = Table::of(names);
    let manner = Manner { args, count, table: &table };
    let mut output =
        Output { manner, certificates: args.certificate.clone().map(Certificates::new), answers: vec![] };
    for (plan, question) in plans.into_iter().zip(&questions) {
        match plan {
            Ok(plan) => {
                for index in 0..plan.len() {
                    output.take(answer(&plan, index, args)?)?;
                }
            }
            Err(refusal) => output.take(ProofAnswer::unreadable(question.source, refusal))?,
        }
    }
    output.finish()
}

/// What the command line asks of a text.
fn question<'a>(args: &'a Prove, source: Source<'a>) -> Question<'a> {
    let show = &args.show;
    let form = match () {
        () if show.latex => Some(Form::Latex),
        () if show.figure => Some(Form::Figure { columns: style::terminal_width().unwrap_or(160) }),
        () if show.tree => Some(Form::Tree),
        () => show.node.map(|_| Form::Node),
    };
    let derivation =
        form.map(|form| DerivationWish { form, node: show.node, depth: show.depth, all: show.tree });
    let task = match args {
        Prove { cases: true, .. } => Task::Cases,
        Prove { fpcore: true, .. } => Task::Fpcore,
        Prove { rules: RuleSet::Paper, at, .. } => {
            Task::Paper(at.iter().map(|given| (given.name.clone(), given.value.clone())).collect())
        }
        _ => Task::Prove,
    };
    Question {
        program: args.program.as_deref(),
        task,
        given: given(args),
        of: args.of.clone(),
        effort: args.effort.0,
        time_for_errors: args.limits.time(),
        real_inputs: args.real_inputs,
        oracle: args.oracle,
        certificates: args.certificate.is_some(),
        details: show.details,
        derivation,
        ..Question::of(source)
    }
}

/// What the command line gives beside a text.
fn given(args: &Prove) -> Given {
    let values = &args.values;
    let named = [("eps", &values.epsilon), ("B", &values.bound), ("L", &values.grid)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let listed = values.param.iter().map(|given| (given.name.clone(), given.value.clone()));
    let library = |is_exp: bool| {
        let found = values.libm.iter().find(|given| given.is_exp == is_exp);
        found.map(|given| given.accuracy.clone())
    };
    let ranges = values.range.iter().map(|range| (range.name.clone(), (range.lo.clone(), range.hi.clone())));
    Given {
        values: named.chain(listed).collect(),
        ranges: ranges.collect(),
        ln: library(false),
        exp: library(true),
        sensitivity: values.sensitivity.clone(),
        inputs: match values.inputs.as_deref() {
            Some([f, f2]) => Some([f.clone(), f2.clone()]),
            _ => None,
        },
    }
}

/// One answer, with a bar while it takes long.
fn answer(plan: &Plan<'_>, index: usize, args: &Prove) -> Result<ProofAnswer, Error> {
    let name = plan.name(index);
    let bar = LateBar::new(&report::printable(name), "{prefix}: {msg} {wide_bar} {percent} %", 100);
    let progress = |progress: lastbit_engine::Progress<'_>| {
        let share = progress.share.unwrap_or(0.0);
        let message = match progress.message {
            "" => progress.doing.to_owned(),
            message => format!("{}, {message}", progress.doing),
        };
        bar.show((share * 100.0) as u64, message);
    };
    let limits = args.limits.of(name);
    let watcher = Watcher { cancel: limits::flag(), progress: &progress };
    let answer = plan.answer(index, &limits, watcher);
    drop(limits);
    drop(bar);
    answer.map_err(|refusal| refused(name, refusal))
}

/// What the engine refuses, as an error of the command.
pub(crate) fn refused(name: &str, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Usage { message, hint } => Error::usage(message, hint),
        Refusal::Noise(error) => Error::Library(error),
        Refusal::Interrupted { .. } => {
            tell(&format!("{name}: {refusal}"));
            Error::Told(INTERRUPTED)
        }
        other => Error::Rendered(other.to_string()),
    }
}

/// The destination of answers.
struct Output<'a> {
    manner: Manner<'a>,
    certificates: Option<Certificates>,
    answers: Vec<ProofAnswer>,
}

impl Output<'_> {
    /// Writes its certificates, and prints it unless all are printed as JSON at the end.
    fn take(&mut self, answer: ProofAnswer) -> Result<(), Error> {
        if let Some(certificates) = &mut self.certificates {
            let is_of_privacy = matches!(answer.found, Found::Loss(_) | Found::Theorem(_));
            if answer.certificates.is_empty() && is_of_privacy {
                return Err(Error::usage(
                    format!("there are no certificates for the kind of answer that {} has", answer.name),
                    "with numbers for all parameters (--epsilon, --bound) the loss of a snapping mechanism is certified; --of NAME certifies the error of a variable",
                ));
            }
            certificates.write_all(&answer.name, &answer.certificates)?;
        }
        if !self.manner.args.json {
            self.manner.print(&answer)?;
        }
        self.answers.push(answer);
        Ok(())
    }

    /// The table or the JSON, and the exit code: bad input before a false claim before what is undecided.
    fn finish(self) -> Result<(), Error> {
        if self.manner.args.json {
            print_json(&self.answers)?;
        } else {
            print(&self.manner.end(&self.answers))?;
        }
        let codes = self.answers.iter().map(|answer| answer.verdict.exit_code());
        let rank = |code: &u8| [0, 3, 1, 2].iter().position(|known| known == code);
        match codes.max_by_key(rank) {
            None | Some(0) => Ok(()),
            Some(code) => Err(Error::Told(code)),
        }
    }
}
