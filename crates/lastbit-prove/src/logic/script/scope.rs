//! What names mean in a proof.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Distribution, Side, Statement, StatementKind};
use lastbit_lang::symbolic::{Polynomial, Program, Scope, Symbol, Value};

/// The names of a step: variables of the two runs that are free unless they are set, and logical variables.
pub(super) struct Names<'n, 'a> {
    program: &'n Program<'a>,
    /// What is set, by name and run.
    pub(super) set: BTreeMap<(String, Side), Value>,
    /// Logical variables that are set.
    pub(super) logical: BTreeMap<String, Value>,
    /// Numbers for free variables, where a point is looked at.
    pub(super) values: BTreeMap<Symbol, Polynomial>,
}

impl<'n, 'a> Names<'n, 'a> {
    pub(super) fn new(program: &'n Program<'a>) -> Names<'n, 'a> {
        Names { program, set: BTreeMap::new(), logical: BTreeMap::new(), values: BTreeMap::new() }
    }
}

/// A variable of the body, free: a uniform sample by its logarithm, which is how it is used.
pub(super) fn free(program: &Program<'_>, name: &str, side: Side) -> Value {
    let number = side as usize + 1;
    match distribution(&program.declaration.body, name) {
        Some(Distribution::Unif { .. }) => Value::Exp(Polynomial::variable(format!("ln({name}<{number}>)"))),
        Some(Distribution::Bernoulli(_)) => Value::Flag(Polynomial::variable(format!("{name}<{number}>"))),
        _ => Value::Number(Polynomial::variable(format!("{name}<{number}>"))),
    }
}

/// What a variable is drawn from.
pub(super) fn distribution<'s>(statements: &'s [Statement], name: &str) -> Option<&'s Distribution> {
    statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Sample(place, distribution) if place.name.text == name => Some(distribution),
        StatementKind::If { then, otherwise, .. } => {
            distribution(&then.statements, name).or_else(|| distribution(&otherwise.statements, name))
        }
        StatementKind::For { body, .. } => distribution(&body.statements, name),
        _ => None,
    })
}

impl Names<'_, '_> {
    fn named(&self, name: &str, side: Option<Side>) -> Value {
        if let Some(value) = self.logical.get(name) {
            return value.clone();
        }
        let Some(side) = side else {
            let known = self.program.lookup(name, None);
            return known.unwrap_or_else(|| Value::Number(Polynomial::variable(name)));
        };
        let set = self.set.get(&(name.to_owned(), side)).cloned();
        let known = set.or_else(|| self.program.lookup(name, Some(side)));
        known.unwrap_or_else(|| free(self.program, name, side))
    }
}

impl Scope for Names<'_, '_> {
    fn lookup(&self, name: &str, side: Option<Side>) -> Option<Value> {
        let value = self.named(name, side);
        let at = |p: &Polynomial| p.substitute(&self.values).unwrap_or_else(|| p.clone());
        Some(match &value {
            _ if self.values.is_empty() => value,
            Value::Number(p) => Value::Number(at(p)),
            Value::Exp(p) => Value::Exp(at(p)),
            Value::Flag(p) => Value::Flag(at(p)),
            _ => value,
        })
    }
}
