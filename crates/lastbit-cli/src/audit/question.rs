//! The question that the arguments are.

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use lastbit_audit::Sampler as Uniform;
use lastbit_engine::audit::inputs::Input;
use lastbit_engine::audit::snapping::Inputs;
use lastbit_engine::audit::{
    AuditAnswer, FloatType, Given, Wishes, exact, program, sampler, snapping, textbook, worst,
};
use lastbit_engine::{Refusal, Source, Watcher};
use lastbit_lang::ast;

use super::args::{Audit, Mechanism, Program, Sampler, SamplerName, Snapping, Textbook};
use super::choices::{Operation, Precision, TextbookUniform};
use crate::args::Form;
use crate::error::quoted;
use crate::prove::files::{name_of, read_text};

/// Asks it.
pub(super) fn ask(args: &Audit, wishes: &Wishes, watcher: &Watcher<'_>) -> Result<AuditAnswer, Refusal> {
    match (&args.mechanism, &args.program.file) {
        (Some(Mechanism::Snapping(args)), _) if args.form == Form::Exact => {
            exact::audit(&args.over_the_reals()?, wishes)
        }
        (Some(Mechanism::Snapping(args)), _) => snapping::audit(&args.in_doubles()?, wishes, watcher),
        (Some(Mechanism::TextbookLaplace(args)), _) => textbook::audit(&args.question()?, wishes, watcher),
        (Some(Mechanism::Sampler(args)), _) => sampler::audit(&args.question(), wishes, watcher),
        (None, Some(file)) => of_file(&args.program, file, wishes, watcher),
        (None, None) => Err(Refusal::usage(
            "there is nothing to audit",
            "give snapping, textbook-laplace, sampler, or a file of the language of mechanisms (*.lb)",
        )),
    }
}

fn of_file(
    args: &Program,
    path: &Path,
    wishes: &Wishes,
    watcher: &Watcher<'_>,
) -> Result<AuditAnswer, Refusal> {
    if !path.exists() && path.extension().is_none() && path.as_os_str() != "-" {
        return Err(no_mechanism(&path.display().to_string()));
    }
    let name = name_of(path);
    let text = read_text(path).map_err(|error| error.into_refusal())?;
    let named = [("epsilon", &args.epsilon), ("bound", &args.bound), ("grid", &args.grid)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let listed = args.param.iter().map(|given| (given.name.clone(), given.value.clone()));
    let inputs = match args.inputs.as_deref() {
        Some([first, second]) => Some([first, second].map(|text| Input::Written(text.clone()))),
        _ => None,
    };
    let question = program::Question {
        source: Source { name: &name, text: &text },
        program: args.program.as_deref(),
        values: named.chain(listed).collect(),
        inputs,
        ln: Some(args.ln.into()),
        map: args.map,
    };
    program::audit(&question, wishes, watcher)
}

/// A name that is neither a mechanism nor a file; samplers are one word away.
fn no_mechanism(name: &str) -> Refusal {
    let hint = match SamplerName::from_str(name, false) {
        Ok(_) => format!("lastbit audit sampler {name} audits the sampler of that name"),
        Err(_) => {
            "give snapping, textbook-laplace, sampler, or a file of the language of mechanisms (*.lb)".into()
        }
    };
    Refusal::usage(format!("there is no mechanism {}", quoted(name.as_bytes())), hint)
}

/// Two inputs.
pub(super) fn two(inputs: &[Given]) -> Result<[Given; 2], Refusal> {
    match inputs {
        [first, second] => Ok([first.clone(), second.clone()]),
        _ => Err(Refusal::usage("an audit compares two inputs", "give --inputs F F'")),
    }
}

impl Snapping {
    /// What only a search has.
    fn check_search_options(&self) -> Result<(), Refusal> {
        let given = [("--budget", self.budget.is_some()), ("--sensitivity", self.sensitivity.is_some())];
        match given.iter().find(|(_, given)| *given && !self.worst) {
            Some((option, _)) => Err(Refusal::usage(
                format!("{option} is for --worst, and there are two inputs"),
                format!("leave out {option}, or give --worst in place of --inputs"),
            )),
            None => Ok(()),
        }
    }

    fn in_doubles(&self) -> Result<snapping::Question, Refusal> {
        self.check_search_options()?;
        let inputs = match self.worst {
            false => Inputs::Two(two(self.inputs.as_deref().unwrap_or_default())?),
            true => {
                let usual = worst::Search::default();
                Inputs::Worst(worst::Search {
                    sensitivity: self.sensitivity.clone().unwrap_or(usual.sensitivity),
                    time: self.budget.map_or(usual.time, |budget| budget.0).max(Duration::from_millis(1)),
                })
            }
        };
        Ok(snapping::Question { mechanism: self.mechanism(), inputs, map: self.map })
    }

    fn mechanism(&self) -> snapping::Mechanism {
        snapping::Mechanism {
            grid: self.grid.given(),
            multiplies: self.op == Operation::Mul,
            scale: self.scale.clone(),
            sampler: self.sampler.into(),
            tie: self.tie.into(),
            clamp: !self.no_clamp,
            ln: self.ln.into(),
            ..snapping::Mechanism::new(self.epsilon.clone(), self.bound.clone())
        }
    }

    fn over_the_reals(&self) -> Result<exact::Question, Refusal> {
        only_floats(&self.mechanism(), &[("--map", self.map), ("--worst", self.worst)])?;
        self.check_search_options()?;
        let [first, second] = two(self.inputs.as_deref().unwrap_or_default())?;
        Ok(exact::Question {
            epsilon: self.epsilon.exact.clone(),
            bound: self.bound.exact.clone(),
            grid: self.grid.given(),
            inputs: [first.exact, second.exact],
        })
    }
}

/// What only the float form has: those of its parameters that are not as usual, and other options.
pub(super) fn only_floats(mechanism: &snapping::Mechanism, others: &[(&str, bool)]) -> Result<(), Refusal> {
    let given = [
        ("--sampler", mechanism.sampler != Uniform::Ulp),
        ("--op", mechanism.multiplies),
        ("--scale", mechanism.scale.is_some()),
        ("--tie", mechanism.tie != lastbit_lang::Tie::Up),
        ("--no-clamp", !mechanism.clamp),
        ("--ln", mechanism.ln != snapping::Logarithm::Correct),
    ];
    let given = [&given, others].concat();
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Refusal::usage(
            format!("{option} is about floating point, and the form is exact"),
            format!("leave out {option}, or give --form float"),
        )),
        None => Ok(()),
    }
}

impl Textbook {
    fn question(&self) -> Result<textbook::Question, Refusal> {
        let sampler = self.sampler.map(|sampler| match sampler {
            TextbookUniform::Ulp => ast::Sampler::Ulp,
            TextbookUniform::Grid53 => ast::Sampler::Grid53,
            TextbookUniform::Grid24 => ast::Sampler::Grid24,
        });
        let float_type = match self.float_type {
            Precision::F64 => FloatType::F64,
            Precision::F32 => FloatType::F32,
        };
        Ok(textbook::Question {
            float_type,
            sampler,
            ..textbook::Question::new(self.epsilon.clone(), two(&self.inputs)?)
        })
    }
}

impl Sampler {
    fn question(&self) -> sampler::Question {
        let inputs = match self.inputs.as_deref() {
            Some([first, second]) => Some([Given::of(first), Given::of(second)]),
            _ => None,
        };
        sampler::Question {
            sampler: self.sampler.into(),
            scale: self.scale.clone(),
            bound: self.bound.clone(),
            k: self.k,
            depth: self.depth,
            inputs,
        }
    }
}
