//! `lastbit attack --gallery`: the noise of some libraries at inputs 0 and 1.
//!
//! | module | what it knows |
//! |---|---|
//! | `python` | the virtual environment, and `gallery.py` that runs in it |
//! | `native` | the noise of lastbit |
//! | `table` | the results, as text, Markdown and JSON |

mod native;
mod python;
mod table;

use std::time::Instant;

use lastbit::Rational;
use lastbit_engine::Watcher;
use lastbit_engine::attack::{AttackAnswer, Question, Verdict};

use super::args::Attack;
use super::process::Process;
use super::{SAMPLES, both};
use crate::error::{Error, of_engine};
use crate::progress::LateBar;
use crate::prove::files::{print, print_json, write_whole};
use native::Native;
use python::Python;

/// What is given to every mechanism; their sensitivity is 1.
const INPUTS: [f64; 2] = [0.0, 1.0];

/// A mechanism and its claim.
struct Mechanism {
    /// The package, and what it calls the mechanism.
    name: &'static str,
    epsilon: &'static str,
    delta: &'static str,
}

const fn pure(name: &'static str) -> Mechanism {
    Mechanism { name, epsilon: "1", delta: "0" }
}

const fn approximate(name: &'static str) -> Mechanism {
    Mechanism { name, epsilon: "1", delta: "1e-5" }
}

/// All of them. Those of other packages are made by `gallery.py`, under the same names.
const MECHANISMS: [Mechanism; 27] = [
    pure("numpy rng.laplace"),
    approximate("numpy rng.normal"),
    pure("diffprivlib Laplace"),
    pure("diffprivlib LaplaceTruncated"),
    pure("diffprivlib LaplaceBoundedDomain"),
    approximate("diffprivlib LaplaceBoundedNoise"),
    pure("diffprivlib Staircase"),
    pure("diffprivlib Snapping"),
    pure("diffprivlib Geometric"),
    approximate("diffprivlib Gaussian"),
    approximate("diffprivlib GaussianAnalytic"),
    approximate("diffprivlib GaussianDiscrete"),
    Mechanism { name: "diffprivlib Uniform", epsilon: "0", delta: "1/4" },
    pure("opendp make_laplace(float)"),
    pure("opendp make_laplace(int)"),
    approximate("opendp make_gaussian(float)"),
    approximate("opendp make_gaussian(int)"),
    pure("python-dp LaplaceMechanism(float)"),
    pure("python-dp LaplaceMechanism(int)"),
    approximate("python-dp GaussianMechanism(float)"),
    approximate("python-dp GaussianMechanism(int)"),
    pure("lastbit Laplace"),
    pure("lastbit GridLaplace"),
    pure("lastbit DiscreteLaplace"),
    pure("lastbit Snapping"),
    approximate("lastbit Gaussian"),
    approximate("lastbit DiscreteGaussian"),
];

/// Noise that is believed to be right, for counting false alarms.
const BELIEVED: [&str; 3] = ["opendp make_laplace(float)", "lastbit Laplace", "diffprivlib Snapping"];

impl Mechanism {
    fn package(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or_default()
    }

    fn epsilon(&self) -> Rational {
        self.epsilon.parse().expect("a number")
    }

    fn delta(&self) -> Rational {
        self.delta.parse().expect("a number")
    }

    fn question(&self, confidence: &Rational) -> Question {
        Question {
            epsilon: Some(self.epsilon()),
            delta: self.delta(),
            confidence: confidence.clone(),
            inputs: Some(INPUTS),
            names: INPUTS.map(|x| format!("input {x}")),
        }
    }
}

/// Samples of one mechanism at one input, as they are asked for.
enum Stream {
    Native(Box<Native>),
    Python(Process),
}

impl Stream {
    fn take(&mut self, count: usize) -> Result<Vec<f64>, Error> {
        match self {
            Stream::Native(noise) => noise.take(count),
            Stream::Python(process) => process.take(count),
        }
    }
}

/// A mechanism, and what came of it.
struct Row {
    mechanism: &'static Mechanism,
    version: String,
    /// The answer, or the reason that nothing was run.
    answer: Result<AttackAnswer, String>,
    seconds: f64,
}

impl Row {
    fn verdict(&self) -> Option<Verdict> {
        self.answer.as_ref().ok().map(|answer| answer.verdict)
    }
}

/// Attacks on one mechanism that is believed to be right.
struct FalseAlarms {
    mechanism: &'static Mechanism,
    runs: usize,
    /// The number of them that saw a leak, or the reason that nothing was run.
    alarms: Result<usize, String>,
}

/// All results.
struct Gallery<'a> {
    samples: usize,
    confidence: &'a Rational,
    rows: Vec<Row>,
    false_alarms: Vec<FalseAlarms>,
}

/// Attacks them all.
pub(super) fn run(args: &Attack) -> Result<(), Error> {
    let (samples, confidence) = (args.samples.unwrap_or(SAMPLES), &args.confidence);
    MECHANISMS[0].question(confidence).check().map_err(of_engine)?; // a bad confidence is told before anything is installed
    let python = Python::prepare(&args.gallery_options)?;
    let bar = LateBar::new("attacking", "{prefix} {wide_bar} {pos}/{len} {msg}", MECHANISMS.len() as u64);
    let mut rows = Vec::new();
    for mechanism in &MECHANISMS {
        bar.show(rows.len() as u64, mechanism.name);
        rows.push(row(mechanism, &python, confidence, samples));
    }
    drop(bar);
    let runs = args.gallery_options.false_alarms.unwrap_or(0);
    let false_alarms = if runs == 0 { Vec::new() } else { false_alarms(&python, confidence, samples, runs) };
    let gallery = Gallery { samples, confidence, rows, false_alarms };
    if let Some(path) = &args.gallery_options.markdown {
        write_whole(path, gallery.markdown())?;
    }
    if args.json { print_json(&gallery.data()) } else { print(&gallery.text()) }?;
    if gallery.is_complete() { Ok(()) } else { Err(Error::Told(2)) }
}

fn row(mechanism: &'static Mechanism, python: &Python, confidence: &Rational, samples: usize) -> Row {
    let start = Instant::now();
    let question = mechanism.question(confidence);
    let answer = open(mechanism, python, samples)
        .and_then(|mut streams| attack_once(&question, &mut streams, samples));
    Row {
        mechanism,
        version: python.version(mechanism.package()),
        answer: answer.map_err(|error| why(&error)),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// In one line: of what a program said, the last is the one that matters.
fn why(error: &Error) -> String {
    error.to_string().lines().last().unwrap_or_default().trim().to_owned()
}

/// Both inputs' samples, `total` each.
fn open(mechanism: &Mechanism, python: &Python, total: usize) -> Result<[Stream; 2], Error> {
    let stream = |x: f64| match mechanism.package() {
        native::PACKAGE => Native::new(mechanism.name, x).map(|noise| Stream::Native(Box::new(noise))),
        package => python.samples(package, mechanism.name, x, total).map(Stream::Python),
    };
    Ok([stream(INPUTS[0])?, stream(INPUTS[1])?])
}

fn attack_once(
    question: &Question,
    streams: &mut [Stream; 2],
    samples: usize,
) -> Result<AttackAnswer, Error> {
    let [first, second] = both(streams.each_mut(), |stream| stream.take(samples));
    question.answer([&first?, &second?], &Watcher::nobody()).map_err(of_engine)
}

/// Many attacks on each of [`BELIEVED`]. Samples of all runs come from one process for each input.
fn false_alarms(python: &Python, confidence: &Rational, samples: usize, runs: usize) -> Vec<FalseAlarms> {
    let template = "{prefix} {wide_bar} {pos}/{len} {msg}, {eta} left";
    let believed: Vec<_> = MECHANISMS.iter().filter(|m| BELIEVED.contains(&m.name)).collect();
    let bar = LateBar::new("false alarms", template, (believed.len() * runs) as u64);
    let mut done = 0;
    let mut count = |mechanism: &Mechanism| {
        let question = mechanism.question(confidence);
        let mut streams = open(mechanism, python, samples.saturating_mul(runs))?;
        let mut alarms = 0;
        for _ in 0..runs {
            bar.show(done, format!("{} ({alarms} so far)", mechanism.name));
            let answer = attack_once(&question, &mut streams, samples)?;
            alarms += usize::from(answer.verdict == Verdict::Leaks);
            done += 1;
        }
        Ok::<usize, Error>(alarms)
    };
    let counted = believed.into_iter().map(|mechanism| FalseAlarms {
        mechanism,
        runs,
        alarms: count(mechanism).map_err(|error| why(&error)),
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_know_the_same_mechanisms() {
        for mechanism in &MECHANISMS {
            let in_script = python::SCRIPT.contains(&format!("    \"{}\": ", mechanism.name));
            let here = Native::new(mechanism.name, 0.0).is_ok();
            assert!(in_script != here, "{}", mechanism.name);
            assert!(mechanism.question(&"0.999".parse().unwrap()).check().is_ok(), "{}", mechanism.name);
            assert!(!mechanism.epsilon().is_negative(), "{}", mechanism.name);
        }
        let in_script =
            python::SCRIPT.lines().filter(|line| line.starts_with("    \"") && line.contains("\": "));
        let native = MECHANISMS.iter().filter(|m| m.package() == native::PACKAGE).count();
        assert_eq!(in_script.count() + native, MECHANISMS.len());
        assert!(BELIEVED.iter().all(|name| MECHANISMS.iter().any(|mechanism| mechanism.name == *name)));
    }

    /// The part of the gallery that needs no Python, with few samples.
    #[test]
    fn our_own_noise_is_attacked() {
        let confidence = "0.999999".parse().unwrap();
        for mechanism in MECHANISMS.iter().filter(|m| m.package() == native::PACKAGE) {
            let mut streams =
                INPUTS.map(|x| Stream::Native(Box::new(Native::new(mechanism.name, x).unwrap())));
            let answer = attack_once(&mechanism.question(&confidence), &mut streams, 2000).unwrap();
            assert_eq!(answer.verdict, Verdict::NotSeenToLeak, "{}: {}", mechanism.name, answer.event);
        }
    }
}
