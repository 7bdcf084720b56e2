//! Which variables are still needed. Of the others the values are forgotten, so that states that differ only there become one.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{Block, Distribution, ExprId, ExprKind, Name, Place, Statement, StatementKind};

use super::expression::Scope;
use super::number::Number;
use super::state::{State, Value};

/// Most rounds of a loop.
pub(super) const MAX_ROUNDS: usize = 10_000;

/// What is needed of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    All,
    Elements(BTreeSet<usize>),
}

/// The variables that are needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Live(BTreeMap<usize, Part>);

impl Live {
    fn add(&mut self, variable: usize, part: Part) {
        let known = self.0.entry(variable).or_insert_with(|| Part::Elements(BTreeSet::new()));
        match (&mut *known, part) {
            (Part::Elements(known), Part::Elements(more)) => known.extend(more),
            (known, _) => *known = Part::All,
        }
    }

    fn union(mut self, other: Live) -> Live {
        other.0.into_iter().for_each(|(variable, part)| self.add(variable, part));
        self
    }

    /// After this the variable, or the element, has a new value. Of an element that is not known nothing is said.
    fn set(&mut self, variable: usize, element: Option<Option<usize>>) {
        match (element, self.0.get_mut(&variable)) {
            (None, _) => {
                self.0.remove(&variable);
            }
            (Some(Some(element)), Some(Part::Elements(elements))) => {
                elements.remove(&element);
            }
            _ => {}
        }
    }

    /// Forgets all other values. Of an array its length is kept.
    pub(super) fn restrict(&self, state: &mut State) {
        for (variable, value) in state.values.iter_mut().enumerate() {
            let part = self.0.get(&variable);
            match value {
                Value::List(items) => {
                    let is_needed = |index: usize| match part {
                        None => false,
                        Some(Part::All) => true,
                        Some(Part::Elements(elements)) => elements.contains(&index),
                    };
                    let forgotten = items.iter_mut().enumerate().filter(|(index, _)| !is_needed(*index));
                    forgotten.for_each(|(_, item)| *item = Value::Unset);
                }
                value if part.is_none() => *value = Value::Unset,
                _ => {}
            }
        }
    }
}

impl<'a> Scope<'a> {
    /// The place of a variable, where its name does not stand for a constant.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        let is_constant = self.constants.contains_key(name);
        self.variables.get(name).filter(|_| !is_constant).copied()
    }

    /// Marks the variables that an expression reads.
    fn reads(&self, root: ExprId, live: &mut Live) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let kind = &self.file.expr(id).kind;
            match kind {
                ExprKind::Name(name) => {
                    if let Some(variable) = self.variable(name) {
                        live.add(variable, Part::All);
                    }
                }
                ExprKind::Index(base, index) => {
                    let variable = match &self.file.expr(*base).kind {
                        ExprKind::Name(name) => self.variable(name),
                        _ => None,
                    };
                    match (variable, self.constant_index(*index)) {
                        (Some(variable), Some(element)) => {
                            live.add(variable, Part::Elements([element].into()));
                        }
                        _ => stack.push(*base),
                    }
                    stack.push(*index);
                }
                _ => kind.for_each_operand(|operand| stack.push(operand)),
            }
        }
    }

    fn before_setting(&self, place: &Place, reads: &[ExprId], mut live: Live) -> Live {
        if let Some(variable) = self.variable(&place.name.text) {
            live.set(variable, place.index.map(|index| self.constant_index(index)));
        }
        reads.iter().chain(&place.index).for_each(|id| self.reads(*id, &mut live));
        live
    }

    /// What is needed after each of the statements, if `after` is after all of them; then what is needed before.
    pub(super) fn live_after_each(&mut self, statements: &'a [Statement], after: &Live) -> (Vec<Live>, Live) {
        let mut each = Vec::with_capacity(statements.len());
        let mut live = after.clone();
        for statement in statements.iter().rev() {
            each.push(live.clone());
            live = self.live_before(statement, live);
        }
        each.reverse();
        (each, live)
    }

    fn live_before_block(&mut self, block: &'a Block, after: &Live) -> Live {
        self.live_after_each(&block.statements, after).1
    }

    fn live_before(&mut self, statement: &'a Statement, after: Live) -> Live {
        match &statement.kind {
            StatementKind::Declare(name, _) => {
                let mut live = after;
                if let Some(variable) = self.variable(&name.text) {
                    live.set(variable, None);
                }
                live
            }
            StatementKind::Assign(place, value) => self.before_setting(place, &[*value], after),
            StatementKind::Sample(place, law) => self.before_setting(place, &parameters(law), after),
            StatementKind::If { condition, then, otherwise } => {
                let then = self.live_before_block(then, &after);
                let mut live = then.union(self.live_before_block(otherwise, &after));
                self.reads(*condition, &mut live);
                live
            }
            StatementKind::For { variable, from, to, body } => {
                let mut live = match (self.constant_index(*from), self.constant_index(*to)) {
                    (Some(from), Some(to)) if to <= from.saturating_add(MAX_ROUNDS) => {
                        self.live_in_loop(variable, from as i64..to as i64, body, &after).1
                    }
                    // As often as it may run, what it sets may also stay as it was.
                    _ => {
                        let mut live = after;
                        loop {
                            let more = self.live_before_block(body, &live).union(live.clone());
                            if more == live {
                                break live;
                            }
                            live = more;
                        }
                    }
                };
                self.reads(*from, &mut live);
                self.reads(*to, &mut live);
                live
            }
            StatementKind::Return(value) => {
                let mut live = Live::default();
                self.reads(*value, &mut live);
                live
            }
        }
    }

    /// What is needed after each round of a loop, the last round first; then what is needed before.
    pub(super) fn live_in_loop(
        &mut self,
        variable: &'a Name,
        range: std::ops::Range<i64>,
        body: &'a Block,
        after: &Live,
    ) -> (Vec<Live>, Live) {
        let mut live = after.clone();
        let mut rounds = Vec::new();
        for index in range.rev() {
            rounds.push(live.clone());
            self.set_constant(variable, index);
            live = self.live_before_block(body, &live);
        }
        self.constants.remove(variable.text.as_str());
        (rounds, live)
    }

    /// The variable of a loop.
    pub(super) fn set_constant(&mut self, variable: &'a Name, index: i64) {
        self.constants.insert(&variable.text, Value::Number(Number::Exact(index.into())));
    }
}

/// The expressions of a distribution.
pub(super) fn parameters(law: &Distribution) -> Vec<ExprId> {
    match law {
        Distribution::Unif { .. } | Distribution::Sign => Vec::new(),
        Distribution::Bernoulli(p) => vec![*p],
        Distribution::Lap(scale) | Distribution::Expo(scale) => vec![*scale],
        Distribution::Dlap(scale, exponent) => vec![*scale, *exponent],
        Distribution::Choose(weights) => weights.clone(),
    }
}
