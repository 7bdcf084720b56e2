//! Statements: both branches of an `if` are computed and the values they leave are chosen from.

use std::collections::BTreeMap;

use lastbit_real::Rational;

use super::{ConditionId, Lowerer, Value};
use crate::ast::{Block, Distribution, Name, Place, Sampler, Shape, Statement, StatementKind};
use crate::{Diagnostic, Format, InputKind, Law, Op, Span};

impl Lowerer<'_> {
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<(), Diagnostic> {
        for statement in statements {
            if self.truth(self.returned) == Some(true) {
                break;
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    /// The value of a variable after the last statement that sets it.
    pub(super) fn target(&mut self, target: &str) -> Result<Value, Diagnostic> {
        let (name, index) = match target.strip_suffix(']').and_then(|target| target.split_once('[')) {
            Some((name, index)) => (name, Some(index)),
            None => (target, None),
        };
        let body = &self.declaration.body;
        let mut names = Vec::new();
        let last = (0..body.len()).rev().find(|position| {
            let mut set = Vec::new();
            set_by(&body[*position], &mut set);
            let found = set.contains(&name);
            names.extend(set);
            found
        });
        let Some(last) = last else {
            let message = format!("`{}` sets no variable `{name}`", self.declaration.name.text);
            let mut diagnostic = Diagnostic::new(self.declaration.name.span, message);
            diagnostic.hint = crate::names::suggestion(name, names.into_iter());
            return Err(diagnostic);
        };
        self.block(&body[..=last])?;
        let span = body[last].span;
        match (self.variables.get(name).cloned(), index) {
            (Some(Value::Array(name, length)), Some(index)) => {
                let index = index.parse::<i64>().map_err(|_| {
                    Diagnostic::new(span, format!("`{index}` is not an index of `{name}`"))
                        .with_hint(format!("the elements are {name}[0] to {name}[{}]", length - 1))
                })?;
                self.element(&name, index, length, span)
            }
            (Some(value @ Value::Opaque(_)), _) | (Some(value), None) => Ok(value),
            (Some(_), Some(_)) => Err(Diagnostic::new(span, format!("`{name}` is not an array"))),
            (None, _) => Err(Diagnostic::new(span, format!("`{name}` is not set on every path"))),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Declare(name, ty) => {
                if let Shape::Array(length) = ty.shape {
                    let length = self.length(length)?;
                    self.variables.set(&name.text, Value::Array(name.text.clone(), length));
                }
                Ok(())
            }
            StatementKind::Sample(place, distribution) => {
                let key = self.key(place)?;
                let value = self.sample(&key, distribution, span);
                self.variables.set(&key, value);
                Ok(())
            }
            StatementKind::Assign(place, value) => {
                let value = self.value(*value)?;
                let key = self.key(place)?;
                self.assign(&key, value, span)
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.value(*condition)?;
                let condition = self.truth_of(condition, span)?;
                self.branches(condition, then, otherwise, span)
            }
            StatementKind::For { variable, from, to, body } => {
                let (first, last) = (self.value(*from)?, self.value(*to)?);
                let first = self.whole(first, self.file.expr(*from).span)?;
                let last = self.whole(last, self.file.expr(*to).span)?;
                self.repeat(variable, first..last, body)
            }
            StatementKind::Return(value) => {
                let value = self.value(*value)?;
                self.give_back(value, span)
            }
        }
    }

    /// The name under which a variable or an element is kept.
    fn key(&mut self, place: &Place) -> Result<String, Diagnostic> {
        let Some(index) = place.index else { return Ok(place.name.text.clone()) };
        let value = self.value(index)?;
        let span = self.file.expr(index).span;
        let index = self.whole(value, span)?;
        match self.variables.get(&place.name.text) {
            Some(Value::Array(_, length)) if index >= 0 && index < *length as i64 => {
                Ok(format!("{}[{index}]", place.name.text))
            }
            _ => Err(Diagnostic::new(span, format!("`{}` has no element {index}", place.name.text))),
        }
    }

    fn assign(&mut self, key: &str, value: Value, span: Span) -> Result<(), Diagnostic> {
        let items = match value {
            Value::List(items) => items,
            Value::Array(name, length) => (0..length)
                .map(|index| self.element(&name, index as i64, length, span))
                .collect::<Result<_, _>>()?,
            value => {
                self.give_name(key, &value);
                self.variables.set(key, value);
                return Ok(());
            }
        };
        // The length of a declared array may be a parameter, which the types do not know.
        if let Some(Value::Array(_, length)) = self.variables.get(key)
            && *length != items.len()
        {
            let message = format!("`{key}` has {length} elements, this has {}", items.len());
            return Err(Diagnostic::new(span, message));
        }
        self.variables.set(key, Value::Array(key.to_owned(), items.len()));
        for (index, item) in items.into_iter().enumerate() {
            let key = format!("{key}[{index}]");
            self.give_name(&key, &item);
            self.variables.set(&key, item);
        }
        Ok(())
    }

    /// The text's name for a node, unless it has one.
    fn give_name(&mut self, key: &str, value: &Value) {
        if let Value::Number(id) = value {
            let node = &mut self.program.nodes[*id];
            if node.name.is_none() {
                node.name = Some(key.to_owned());
            }
        }
    }

    fn repeat(
        &mut self,
        variable: &Name,
        range: std::ops::Range<i64>,
        body: &Block,
    ) -> Result<(), Diagnostic> {
        for index in range {
            let id = self.push(Op::Const(Rational::from(index)), variable.span)?;
            self.integers.insert(id);
            self.variables.set(&variable.text, Value::Number(id));
            self.block(&body.statements)?;
            if self.truth(self.returned) == Some(true) {
                break;
            }
        }
        self.variables.remove(&variable.text);
        Ok(())
    }

    fn branches(
        &mut self,
        condition: ConditionId,
        then: &Block,
        otherwise: &Block,
        span: Span,
    ) -> Result<(), Diagnostic> {
        match self.truth(condition) {
            Some(true) => return self.block(&then.statements),
            Some(false) => return self.block(&otherwise.statements),
            None => {}
        }
        let before = (self.returned, self.result.clone());
        let mark = self.variables.mark();
        self.block(&then.statements)?;
        let then_values = self.variables.roll_back(mark);
        let (then_returned, then_result) = (self.returned, self.result.take());
        (self.returned, self.result) = before;
        self.block(&otherwise.statements)?;
        let otherwise_values = self.variables.roll_back(mark);

        let then_done = self.truth(then_returned) == Some(true);
        let otherwise_done = self.truth(self.returned) == Some(true);
        if then_done {
            otherwise_values.into_iter().for_each(|(name, value)| self.variables.set(&name, value));
        } else if otherwise_done {
            then_values.into_iter().for_each(|(name, value)| self.variables.set(&name, value));
        } else {
            self.merge(condition, then_values, otherwise_values, span)?;
        }
        self.returned = self.choose(condition, then_returned, self.returned);
        self.result = match (then_result, self.result.take()) {
            (Some(then), Some(otherwise)) => Some(self.chosen_list(condition, then, otherwise, span)?),
            (then, otherwise) => then.or(otherwise),
        };
        Ok(())
    }

    fn merge(
        &mut self,
        condition: ConditionId,
        then: BTreeMap<String, Value>,
        mut otherwise: BTreeMap<String, Value>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let mut pairs = Vec::new();
        for (name, value) in then {
            let other = otherwise.remove(&name).or_else(|| self.variables.get(&name).cloned());
            pairs.push((name, Some(value), other));
        }
        for (name, value) in otherwise {
            let before = self.variables.get(&name).cloned();
            pairs.push((name, before, Some(value)));
        }
        for (name, then, otherwise) in pairs {
            let value = match (then, otherwise) {
                (Some(then), Some(otherwise)) => {
                    let value = self.chosen(condition, then, otherwise, span)?;
                    self.give_name(&name, &value);
                    value
                }
                (None, None) => continue,
                // Set on one path only: an error for whoever reads it.
                _ => {
                    let message = format!("`{name}` is not set on every path");
                    Value::Opaque(Box::new(Diagnostic::new(span, message)))
                }
            };
            self.variables.set(&name, value);
        }
        Ok(())
    }

    fn chosen_list(
        &mut self,
        condition: ConditionId,
        then: Vec<Value>,
        otherwise: Vec<Value>,
        span: Span,
    ) -> Result<Vec<Value>, Diagnostic> {
        if then.len() != otherwise.len() {
            let message = "the lists that are returned have different lengths";
            return Err(
                Diagnostic::new(span, message).with_hint("a straight-line reading has a fixed length")
            );
        }
        then.into_iter().zip(otherwise).map(|(a, b)| self.chosen(condition, a, b, span)).collect()
    }

    fn give_back(&mut self, value: Value, span: Span) -> Result<(), Diagnostic> {
        let values = match value {
            Value::List(items) => items,
            Value::Array(name, length) => (0..length)
                .map(|index| self.element(&name, index as i64, length, span))
                .collect::<Result<_, _>>()?,
            value => vec![value],
        };
        self.result = Some(match self.result.take() {
            Some(before) if self.truth(self.returned) != Some(false) => {
                self.chosen_list(self.returned, before, values, span)?
            }
            _ => values,
        });
        self.returned = self.known_condition(true);
        Ok(())
    }

    fn sample(&mut self, key: &str, distribution: &Distribution, span: Span) -> Value {
        match distribution {
            Distribution::Unif { .. } => match self.uniform_range() {
                Ok((lo, hi)) => {
                    let law = Law::Unif(self.sampler);
                    Value::Number(self.sampled(key, law, InputKind::Float, lo, hi, span))
                }
                Err(message) => Value::Opaque(Box::new(Diagnostic::new(span, message))),
            },
            Distribution::Sign => {
                let (lo, hi) = (Rational::from(-1), Rational::ONE);
                Value::Number(self.sampled(key, Law::Sign, InputKind::Sign, lo, hi, span))
            }
            Distribution::Bernoulli(_) => {
                let (lo, hi) = (Rational::ZERO, Rational::ONE);
                let id = self.sampled(key, Law::Bernoulli, InputKind::Integer, lo, hi, span);
                self.is_one(id, span)
            }
            other => {
                let law = other.text();
                let message = format!("a sample of `{law}` has no straight-line float reading");
                let hint = "write how floats compute it, as in `u <$ unif(0,1]; y := ln(u) / eps`";
                Value::Opaque(Box::new(Diagnostic::new(span, message).with_hint(hint)))
            }
        }
    }

    /// The least and the greatest value of the declared sampler.
    fn uniform_range(&self) -> Result<(Rational, Rational), &'static str> {
        let format = self.program.format;
        let (least, below_one) = match (self.sampler, format) {
            (Sampler::Ulp, _) => (format.min_exponent(), -format.precision()),
            (Sampler::Grid53, Format::Binary64) => (-53, -53),
            (Sampler::Grid53, Format::Binary32) => {
                return Err("`grid53` has values that binary32 does not; use `grid24` or `ulp`");
            }
            (Sampler::Grid24, _) => (-24, -24),
        };
        Ok((Rational::pow2(least), Rational::ONE - Rational::pow2(below_one)))
    }
}

/// The variables that a statement sets.
fn set_by<'a>(statement: &'a Statement, out: &mut Vec<&'a str>) {
    match &statement.kind {
        StatementKind::Sample(place, _) | StatementKind::Assign(place, _) => out.push(&place.name.text),
        StatementKind::If { then, otherwise, .. } => {
            then.statements.iter().chain(&otherwise.statements).for_each(|inner| set_by(inner, out));
        }
        StatementKind::For { body, .. } => body.statements.iter().for_each(|inner| set_by(inner, out)),
        StatementKind::Declare(..) | StatementKind::Return(_) => {}
    }
}
