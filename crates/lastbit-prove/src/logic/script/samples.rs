//! The samples of a program, as scripts name them, and what names mean where samples are mapped.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Distribution, Place, Side};
use lastbit_lang::symbolic::{
    FiniteLaw, Law, Path, Polynomial, Program, Sample, Scope, Symbol, Trace, Value, number,
};

use super::scope::distribution;

/// The samples of all paths.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) continuous: BTreeMap<Symbol, Sample>,
    pub(super) finite: BTreeMap<Symbol, FiniteLaw>,
}

impl Drawn {
    pub(super) fn of(paths: &[Path]) -> Drawn {
        let mut drawn = Drawn::default();
        for path in paths {
            for sample in &path.samples {
                drawn.continuous.insert(sample.name.clone(), sample.clone());
            }
            for choice in &path.choices {
                drawn.finite.insert(choice.name.clone(), choice.law.clone());
            }
        }
        drawn
    }

    /// The name of the sample at a place.
    pub(super) fn name(&self, program: &Program<'_>, place: &Place) -> Result<Symbol, Diagnostic> {
        let mut name = place.name.text.clone();
        if let Some(index) = place.index {
            let index = number(program.file, program, index, None, &mut Trace::default())?;
            name = format!("{name}[{index}]");
        }
        let name: Symbol = name.into();
        match self.continuous.contains_key(&name) || self.finite.contains_key(&name) {
            true => Ok(name),
            false => {
                Err(Diagnostic::new(place.name.span, format!("`{name}` is not a sample of the mechanism")))
            }
        }
    }
}

/// The value of a finite sample by its number, and the number by its value.
pub(super) fn finite_value(program: &Program<'_>, name: &str, number: usize) -> Value {
    match law_of(program, name) {
        Some(Distribution::Sign) => Value::Number(Polynomial::constant(1 - 2 * number as i64)),
        Some(Distribution::Bernoulli(_)) => Value::Bool(number == 0),
        _ => Value::Number(Polynomial::constant(number as i64)),
    }
}

fn law_of<'p>(program: &'p Program<'_>, name: &str) -> Option<&'p Distribution> {
    let base = name.split(['[', '#']).next().unwrap_or(name);
    distribution(&program.declaration.body, base)
}

/// Whether a sample is of the law that a shift names.
pub(super) fn law_text(law: &Law) -> &'static str {
    match law {
        Law::Uniform => "unif",
        Law::Laplace(_) => "lap",
        Law::Exponential(_) => "expo",
        Law::DiscreteLaplace(..) => "dlap",
    }
}

/// What names mean in a script: `let`s, samples of the first run, variables of both runs, inputs, parameters; some of them mirrored.
pub(super) struct ScriptScope<'s, 'a> {
    pub(super) program: &'s Program<'a>,
    pub(super) lets: BTreeMap<String, Value>,
    pub(super) samples: BTreeMap<String, Value>,
    pub(super) runs: Option<[&'s BTreeMap<String, Value>; 2]>,
    pub(super) mirrored: &'s BTreeSet<String>,
}

impl Scope for ScriptScope<'_, '_> {
    fn lookup(&self, name: &str, side: Option<Side>) -> Option<Value> {
        if let Some(value) = self.lets.get(name) {
            return Some(value.clone());
        }
        let value = match side {
            None => self.samples.get(name).cloned().or_else(|| self.program.lookup(name, None)),
            Some(side) => {
                let run = self.runs.and_then(|runs| runs[side as usize].get(name).cloned());
                run.or_else(|| self.program.lookup(name, Some(side)))
            }
        }?;
        Some(if self.mirrored.contains(name) { mirror(&value) } else { value })
    }
}

/// The negative.
pub(super) fn mirror(value: &Value) -> Value {
    match value {
        Value::Number(p) => Value::Number(-p),
        Value::Bool(value) => Value::Bool(!value),
        Value::Flag(p) => Value::Flag(&Polynomial::constant(1) - p),
        Value::List(items) => Value::List(items.iter().map(mirror).collect()),
        other => other.clone(),
    }
}
