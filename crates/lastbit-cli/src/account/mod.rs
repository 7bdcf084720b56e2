//! The command `account`: what many releases cost together.

pub(crate) mod args;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use lastbit_account as account;
use lastbit_engine::account::{Calibration, Question, Term, terms_of};
use lastbit_engine::{Progress, Watcher};

use crate::account::args::{Account, Asked, Calibrate, DpSgd, Noise, Shown, Special};
use crate::error::{Error, of_engine};
use crate::interrupt;
use crate::output::{print_now, to_json};
use crate::progress::{LateBar, waiting};

/// The steps of a bar.
const STEPS: f64 = 1000.0;

/// The longest file of terms or claims.
const MOST_TEXT: u64 = 16 << 20;

pub(crate) fn run(args: &Account) -> Result<(), Error> {
    interrupt::stop_at_once("stopped: nothing was decided");
    match &args.special {
        Some(Special::DpSgd(args)) => dp_sgd(args),
        Some(Special::Calibrate(args)) => calibrate(args),
        None => {
            let mut terms = Vec::new();
            for given in &args.terms {
                terms.extend(read(given)?);
            }
            answer(terms, &args.asked, &args.shown)
        }
    }
}

/// All of a file of terms, which is not longer than people or programs make them.
fn text_of(name: &str, file: impl Read) -> Result<String, Error> {
    let mut text = String::new();
    file.take(MOST_TEXT + 1).read_to_string(&mut text).map_err(|e| Error::io(format!("read {name}"), e))?;
    match text.len() as u64 > MOST_TEXT {
        true => Err(Error::usage(
            format!("{name} is longer than {} MB", MOST_TEXT >> 20),
            "give releases of one kind as one term, such as laplace:epsilon=0.1*1000",
        )),
        false => Ok(text),
    }
}

/// A term, or those of a file.
fn read(given: &str) -> Result<Vec<Term>, Error> {
    if given == "-" {
        return text_of("standard input", io::stdin())
            .and_then(|text| terms_of("standard input", &text).map_err(of_engine));
    }
    // A term has a colon behind its name; a file that is there is a file.
    if Path::new(given).is_file() {
        let file = fs::File::open(given).map_err(|e| Error::io(format!("read {given}"), e))?;
        return text_of(given, file).and_then(|text| terms_of(given, &text).map_err(of_engine));
    }
    if !given.contains(':') && (given.contains('.') || given.contains('/')) {
        return Err(Error::usage(
            format!("there is no file {given}"),
            "give a file of terms or claims, or a term such as laplace:epsilon=0.1*1000",
        ));
    }
    Ok(vec![Term::parse(given).map_err(of_engine)?])
}

fn answer(terms: Vec<Term>, asked: &Asked, shown: &Shown) -> Result<(), Error> {
    let deltas = asked.epsilon.iter().map(|epsilon| account::Question::Delta { epsilon: epsilon.clone() });
    let epsilons = asked.delta.iter().map(|delta| account::Question::Epsilon { delta: delta.clone() });
    let question = Question {
        terms,
        asked: deltas.chain(epsilons).collect(),
        group: asked.group,
        digits: shown.digits,
        attacker: asked.attacker,
        curve: asked.curve,
    };
    let bar = LateBar::new("composing", "{prefix} {wide_bar} {elapsed}", STEPS as u64);
    let told = |progress: Progress<'_>| {
        bar.show((progress.share.unwrap_or_default() * STEPS) as u64, progress.doing)
    };
    let watcher = Watcher { progress: &told, ..Watcher::nobody() };
    let answer = question.answer(&watcher).map_err(of_engine)?;
    drop(bar);
    print_now(&if shown.json { to_json(&answer)? + "\n" } else { answer.text(shown.details) })
}

fn dp_sgd(args: &DpSgd) -> Result<(), Error> {
    let term = format!(
        "gaussian:sigma={},rate={}*{}",
        args.sigma.to_short(),
        args.sample_rate.to_short(),
        args.steps
    );
    answer(vec![Term::parse(&term).map_err(of_engine)?], &args.asked, &args.shown)
}

fn calibrate(args: &Calibrate) -> Result<(), Error> {
    let question = Calibration {
        noise: match args.noise {
            Noise::Laplace => account::Noise::Laplace,
            Noise::DiscreteLaplace => account::Noise::DiscreteLaplace,
            Noise::Gaussian => account::Noise::Gaussian,
            Noise::DiscreteGaussian => account::Noise::DiscreteGaussian,
        },
        sensitivity: args.sensitivity.clone(),
        times: args.times,
        epsilon: args.epsilon.clone(),
        delta: args.delta.clone(),
    };
    let answer = waiting("calibrating", || question.answer(&Watcher::nobody())).map_err(of_engine)?;
    print_now(&if args.json { to_json(&answer)? + "\n" } else { answer.text() })
}
