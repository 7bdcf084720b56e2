//! Expressions.

use std::collections::HashMap;

use super::{Lowerer, Value};
use crate::ast::{Arithmetic, CompareOp, ExprId, ExprKind, Function, Logic, UnaryOp};
use crate::constant::{constant, exact_log2, integer};
use crate::{Diagnostic, NodeId, Op, Span, Tie};
use lastbit_real::Rational;

impl Lowerer<'_> {
    /// The value of an expression here.
    pub(super) fn value(&mut self, root: ExprId) -> Result<Value, Diagnostic> {
        let mut values: HashMap<ExprId, Value> = HashMap::new();
        for id in self.file.post_order(root) {
            let value = self.one(id, &mut values)?;
            values.insert(id, value);
        }
        values.remove(&root).ok_or_else(|| Diagnostic::new(self.file.expr(root).span, "no value"))
    }

    /// A value as one number.
    pub(super) fn number(&mut self, value: Value, span: Span) -> Result<NodeId, Diagnostic> {
        match value {
            Value::Number(id) => Ok(id),
            Value::Condition(condition) => self.indicator(condition, span),
            Value::Opaque(diagnostic) => Err(*diagnostic),
            Value::Array(..) | Value::List(_) | Value::Data(_) => {
                Err(Diagnostic::new(span, "this is not one number").with_hint("select an element"))
            }
        }
    }

    /// A value as numbers, one for each element.
    pub(super) fn flatten(&mut self, value: Value, out: &mut Vec<NodeId>) -> Result<(), Diagnostic> {
        let span = self.declaration.header;
        match value {
            Value::Array(name, length) => {
                for index in 0..length {
                    let element = self.element(&name, index as i64, length, span)?;
                    out.push(self.number(element, span)?);
                }
            }
            Value::List(items) => {
                for item in items {
                    out.push(self.number(item, span)?);
                }
            }
            value => out.push(self.number(value, span)?),
        }
        Ok(())
    }

    /// The value of one expression whose operands have theirs. Every operand is used once, so it is taken.
    fn one(&mut self, id: ExprId, values: &mut HashMap<ExprId, Value>) -> Result<Value, Diagnostic> {
        let file = self.file;
        let expression = file.expr(id);
        let span = expression.span;
        let mut take = |id: &ExprId| {
            values.remove(id).ok_or_else(|| Diagnostic::new(span, "an operand is shared by two expressions"))
        };
        let op = match &expression.kind {
            ExprKind::Number { value, text } => {
                let id = self.push(Op::Const(value.clone()), span)?;
                if text.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.integers.insert(id);
                }
                return Ok(Value::Number(id));
            }
            ExprKind::Bool(value) => return Ok(Value::Condition(self.known_condition(*value))),
            ExprKind::Name(name) => return self.named(name, span),
            ExprKind::Copy(..) => return Err(Diagnostic::new(span, "a program has one run")),
            ExprKind::Index(base, index) => {
                let (base, at) = (take(base)?, take(index)?);
                let at = self.whole(at, file.expr(*index).span)?;
                return match base {
                    Value::Array(name, length) => self.element(&name, at, length, span),
                    _ => Err(Diagnostic::new(span, "only an array has elements")),
                };
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.truth_of(take(a)?, span)?;
                return Ok(Value::Condition(self.not(a)));
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let a = self.number(take(a)?, span)?;
                let negated = self.small_integer(a).map(|value| -value);
                match negated.filter(|value| *value != 0 || self.integers.contains(&a)) {
                    Some(value) => return self.computed(value, &[a], span),
                    // Of the float +0 it is -0.
                    None => Op::Neg(a),
                }
            }
            ExprKind::Arithmetic(op, a, b) => {
                let (a, b) = (self.number(take(a)?, span)?, self.number(take(b)?, span)?);
                if let Some(value) = self.of_integers(*op, a, b) {
                    return self.computed(value, &[a, b], span);
                }
                match op {
                    Arithmetic::Add => Op::Add(a, b),
                    Arithmetic::Sub => Op::Sub(a, b),
                    Arithmetic::Mul => Op::Mul(a, b),
                    Arithmetic::Div => Op::Div(a, b),
                }
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (take(a)?, take(b)?);
                return self.comparison(*op, a, b, span);
            }
            ExprKind::Logic(op, a, b) => {
                let (a, b) = (self.truth_of(take(a)?, span)?, self.truth_of(take(b)?, span)?);
                return Ok(Value::Condition(match op {
                    Logic::And => self.and(a, b),
                    Logic::Or => self.or(a, b),
                }));
            }
            ExprKind::Call(function, list) => {
                let mut arguments = Vec::new();
                for item in list {
                    arguments.push(self.number(take(item)?, span)?);
                }
                call(*function, &arguments)
                    .ok_or_else(|| Diagnostic::new(span, "wrong number of arguments"))?
            }
            ExprKind::Query(name, list) => {
                let mut arguments = Vec::new();
                for item in list {
                    arguments.push(take(item)?);
                }
                return self.query(&name.text, &arguments, span);
            }
            ExprKind::Round(a, grid, tie) => {
                let a = self.number(take(a)?, span)?;
                self.round(a, *grid, *tie)?
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.truth_of(take(condition)?, span)?;
                let (then, otherwise) = (take(then)?, take(otherwise)?);
                return self.chosen(condition, then, otherwise, span);
            }
            ExprKind::List(list) => return Ok(Value::List(list.iter().map(take).collect::<Result<_, _>>()?)),
        };
        Ok(Value::Number(self.push(op, span)?))
    }

    /// Whole numbers are computed here, so that they can be indices; both readings agree on them.
    ///
    /// Not so where floats give `-0`, which is no constant: sums and differences that vanish are `+0`, but not products of 0 and a
    /// negative float.
    fn of_integers(&self, op: Arithmetic, a: NodeId, b: NodeId) -> Option<i64> {
        let (x, y) = (self.small_integer(a)?, self.small_integer(b)?);
        let value = match op {
            Arithmetic::Add => x + y,
            Arithmetic::Sub => x - y,
            Arithmetic::Mul => x * y,
            Arithmetic::Div => return None,
        };
        let is_minus_zero = op == Arithmetic::Mul && value == 0 && (x < 0 || y < 0);
        let are_integers = || [a, b].iter().all(|node| self.integers.contains(node));
        (value.unsigned_abs() <= 1 << 24 && (!is_minus_zero || are_integers())).then_some(value)
    }

    /// A whole number that was computed from these: an integer if they are.
    fn computed(&mut self, value: i64, from: &[NodeId], span: Span) -> Result<Value, Diagnostic> {
        let id = self.push(Op::Const(Rational::from(value)), span)?;
        if from.iter().all(|node| self.integers.contains(node)) {
            self.integers.insert(id);
        }
        Ok(Value::Number(id))
    }

    fn comparison(&mut self, op: CompareOp, a: Value, b: Value, span: Span) -> Result<Value, Diagnostic> {
        if let (Value::Condition(a), Value::Condition(b)) = (&a, &b) {
            let not = self.not(*b);
            let equal = self.choose(*a, *b, not);
            return Ok(Value::Condition(if op == CompareOp::NotEqual { self.not(equal) } else { equal }));
        }
        let (a, b) = (self.number(a, span)?, self.number(b, span)?);
        Ok(Value::Condition(self.compare(op, a, b)))
    }

    pub(super) fn truth_of(&mut self, value: Value, span: Span) -> Result<super::ConditionId, Diagnostic> {
        match value {
            Value::Condition(condition) => Ok(condition),
            Value::Opaque(diagnostic) => Err(*diagnostic),
            _ => Err(Diagnostic::new(span, "expected a condition")),
        }
    }

    /// `then` where the condition holds, else `otherwise`.
    pub(super) fn chosen(
        &mut self,
        condition: super::ConditionId,
        then: Value,
        otherwise: Value,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        Ok(match (then, otherwise) {
            (Value::Opaque(diagnostic), _) | (_, Value::Opaque(diagnostic)) => Value::Opaque(diagnostic),
            (Value::Condition(a), Value::Condition(b)) => Value::Condition(self.choose(condition, a, b)),
            // The elements have been chosen one by one.
            (Value::Array(name, length), Value::Array(_, other)) if length == other => {
                Value::Array(name, length)
            }
            (Value::Array(name, _), Value::Array(..)) => {
                let message = format!("`{name}` has different lengths on the paths to here");
                Value::Opaque(Box::new(Diagnostic::new(span, message)))
            }
            (a, b) => {
                let (a, b) = (self.number(a, span)?, self.number(b, span)?);
                Value::Number(self.select(condition, a, b, span)?)
            }
        })
    }

    fn round(&mut self, arg: NodeId, grid: ExprId, tie: Tie) -> Result<Op, Diagnostic> {
        let span = self.file.expr(grid).span;
        let text = crate::expression_text(self.file, grid, crate::Reading::Real);
        let value = constant(self.file, grid, |name| self.known(name)).map_err(|_| {
            Diagnostic::new(span, format!("the grid of `round` must be known, `{text}` is not"))
                .with_hint(format!("give the value of every parameter in it, as in --param {text}=1"))
        })?;
        let exponent = exact_log2(&value).ok_or_else(|| {
            Diagnostic::new(span, format!("the grid of `round` must be a power of two, `{text}` is {value}"))
                .with_hint("rounding to another grid is not exact in floats")
        })?;
        Ok(Op::Round { arg, exponent, tie })
    }

    /// A whole number that is known: an index, the end of a loop.
    pub(super) fn whole(&mut self, value: Value, span: Span) -> Result<i64, Diagnostic> {
        let node = self.number(value, span)?;
        match &self.program.nodes[node].op {
            Op::Const(value) => integer(value),
            _ => None,
        }
        .ok_or_else(|| {
            Diagnostic::new(span, "this must be a whole number that is known")
                .with_hint("made of numbers, parameters with a value and variables of loops")
        })
    }
}

fn call(function: Function, arguments: &[NodeId]) -> Option<Op> {
    Some(match (function, arguments) {
        (Function::Ln, [a]) => Op::Ln(*a),
        (Function::Exp, [a]) => Op::Exp(*a),
        (Function::Sqrt, [a]) => Op::Sqrt(*a),
        (Function::Abs, [a]) => Op::Abs(*a),
        (Function::Min, [a, b]) => Op::Min(*a, *b),
        (Function::Max, [a, b]) => Op::Max(*a, *b),
        (Function::Fma, [a, b, c]) => Op::Fma(*a, *b, *c),
        (Function::Clamp, [arg, bound]) => Op::Clamp { arg: *arg, bound: *bound },
        _ => return None,
    })
}
