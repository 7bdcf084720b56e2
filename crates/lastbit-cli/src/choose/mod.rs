//! The command `choose`: one of several candidates, by their scores.

pub(crate) mod args;

use lastbit::{Exponential, Metric, Neighbours, NoisyMax, Real, Selection, ValueType};
use lastbit_engine::noise::{ChoicePlan, Promise};
use serde::Serialize;

use crate::choose::args::{Choose, Common, Mechanism};
use crate::entry::{Entry, Label};
use crate::error::{Error, of_engine};
use crate::input::{Format, Input};
use crate::output::{print_now, tell_promise, to_json};
use crate::source::Source;
use crate::{interrupt, stdout};

type Result<T, E = Error> = std::result::Result<T, E>;

pub(crate) fn run(args: &Choose) -> Result<()> {
    match &args.mechanism {
        Mechanism::NoisyMax(args) => {
            let common = &args.common;
            let mechanism = match (&common.noise.epsilon, &common.noise.scale) {
                (Some(epsilon), _) => NoisyMax::for_epsilon(epsilon, &common.sensitivity, common.metric()),
                (None, scale) => NoisyMax::new(scale.clone().unwrap_or_default()),
            }?;
            choose_or_explain(&mechanism, common, None, |source, table| {
                mechanism.choose(source, &table.scores)
            })
        }
        Mechanism::Exponential(args) => {
            let common = &args.common;
            let mechanism = match (&common.noise.epsilon, &common.noise.scale) {
                (Some(epsilon), _) => Exponential::for_epsilon(epsilon, &common.sensitivity, common.metric()),
                (None, scale) => Exponential::new(scale.clone().unwrap_or_default()),
            }?;
            choose_or_explain(&mechanism, common, args.weights.as_ref(), |source, table| {
                match &table.weights {
                    Some(weights) => mechanism.choose_weighted(source, &table.scores, weights),
                    None => mechanism.choose(source, &table.scores),
                }
            })
        }
    }
}

impl Common {
    fn metric(&self) -> Metric {
        if self.monotone { Metric::Range } else { Metric::LInfinity }
    }

    /// How a column is written.
    fn format(&self, column: Option<&String>) -> Format {
        Format {
            column: column.cloned(),
            has_header: !self.io.no_header,
            granularity: None,
            shows_values: self.io.show_values,
        }
    }
}

/// What is known of each candidate.
struct Table {
    scores: Vec<Real>,
    labels: Option<Vec<Label>>,
    weights: Option<Vec<Real>>,
}

fn choose_or_explain(
    mechanism: &impl Selection,
    args: &Common,
    weights: Option<&String>,
    choose: impl FnOnce(&mut Source, &Table) -> Result<usize, lastbit::Error>,
) -> Result<()> {
    let mut neighbours = Neighbours::at(args.sensitivity.clone());
    if let Some(unit) = &args.io.unit {
        neighbours = neighbours.one(unit)?;
    }
    let claim = mechanism.claim(ValueType::Real, args.metric(), &neighbours)?;
    claim.check_charged()?;
    if args.io.explain {
        let answer = ChoicePlan::of(mechanism, &claim).map_err(of_engine)?;
        return print_now(&if args.io.json { to_json(&answer)? + "\n" } else { answer.text() });
    }
    stdout::check().map_err(|e| Error::io("write to standard output", e))?;
    interrupt::stop_between_lines();
    let mut source = Source::new(args.io.insecure_seed)?;
    let table = read(args, weights)?;
    let chosen = choose(&mut source, &table)?;
    let promise = Promise::new(&claim, None, args.io.insecure_seed.is_some());
    let label = table.labels.as_ref().map(|labels| labels[chosen].0.as_str());
    // People count from 1, as lines are counted.
    let number = chosen + 1;
    // The claim comes before the choice, so that nobody has the one without the other.
    if !args.io.json || promise.insecure {
        tell_promise(&promise)?;
    }
    if args.io.json {
        return print_now(&(to_json(&Chosen { promise: &promise, chosen: number, label })? + "\n"));
    }
    match label {
        Some(label) => print_now(&format!("{label}\n")),
        None => print_now(&format!("{number}\n")),
    }
}

/// A choice and its claim, for programs.
#[derive(Serialize)]
struct Chosen<'a> {
    #[serde(flatten)]
    promise: &'a Promise,
    chosen: usize,
    label: Option<&'a str>,
}

/// Reads all columns that were asked for.
fn read(args: &Common, weights: Option<&String>) -> Result<Table> {
    let mut input = Input::open(args.file.as_deref())?.into_memory()?;
    let scores: Vec<Real> =
        column::<Real, f64>(&mut input, "reading scores", &args.format(args.io.column.as_ref()))?;
    if scores.is_empty() {
        return Err(Error::Empty);
    }
    let labels = args
        .labels
        .as_ref()
        .map(|name| column::<Label, Label>(&mut input, "reading labels", &args.format(Some(name))))
        .transpose()?;
    let weights = weights
        .map(|name| column::<Real, f64>(&mut input, "reading weights", &args.format(Some(name))))
        .transpose()?;
    Ok(Table { scores, labels, weights })
}

fn column<X: Entry<T>, T>(input: &mut Input, doing: &'static str, format: &Format) -> Result<Vec<X>> {
    let mut numbers = input.numbers(doing, format)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        numbers.next_batch::<X, T>(&mut batch)?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.append(&mut batch);
    }
}
