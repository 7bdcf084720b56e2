//! Conditions: kept apart from numbers, so that a choice compares what the text compares.

use lastbit_real::Rational;

use super::{Lowerer, MAX_NODES};
use crate::ast::CompareOp;
use crate::constant::integer;
use crate::{Comparison, Diagnostic, NodeId, Op, Span};

/// The place of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConditionId(usize);

impl ConditionId {
    /// The condition that never holds; it is always the first.
    pub(super) const FALSE: ConditionId = ConditionId(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Known(bool),
    Compare(Comparison, NodeId, NodeId),
    Not(ConditionId),
    And(ConditionId, ConditionId),
    Or(ConditionId, ConditionId),
}

/// A node, or the one that the task before will make.
#[derive(Clone, Copy)]
enum Slot {
    Node(NodeId),
    Last,
}

impl Lowerer<'_> {
    fn condition(&mut self, condition: Condition) -> ConditionId {
        self.conditions.push(condition);
        ConditionId(self.conditions.len() - 1)
    }

    pub(super) fn known_condition(&mut self, value: bool) -> ConditionId {
        if value { self.condition(Condition::Known(true)) } else { ConditionId::FALSE }
    }

    pub(super) fn truth(&self, id: ConditionId) -> Option<bool> {
        match self.conditions[id.0] {
            Condition::Known(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn not(&mut self, a: ConditionId) -> ConditionId {
        match self.conditions[a.0] {
            Condition::Known(value) => self.known_condition(!value),
            Condition::Not(inner) => inner,
            _ => self.condition(Condition::Not(a)),
        }
    }

    pub(super) fn and(&mut self, a: ConditionId, b: ConditionId) -> ConditionId {
        match (self.truth(a), self.truth(b)) {
            (Some(false), _) | (_, Some(true)) => a,
            (Some(true), _) | (_, Some(false)) => b,
            _ => self.condition(Condition::And(a, b)),
        }
    }

    pub(super) fn or(&mut self, a: ConditionId, b: ConditionId) -> ConditionId {
        match (self.truth(a), self.truth(b)) {
            (Some(true), _) | (_, Some(false)) => a,
            (Some(false), _) | (_, Some(true)) => b,
            _ => self.condition(Condition::Or(a, b)),
        }
    }

    /// `then` where `test` holds, else `otherwise`.
    pub(super) fn choose(
        &mut self,
        test: ConditionId,
        then: ConditionId,
        otherwise: ConditionId,
    ) -> ConditionId {
        if then == otherwise {
            return then;
        }
        let not = self.not(test);
        match (self.truth(test), self.truth(then), self.truth(otherwise)) {
            (Some(true), ..) => then,
            (Some(false), ..) => otherwise,
            (_, Some(true), _) => self.or(test, otherwise),
            (_, Some(false), _) => self.and(not, otherwise),
            (_, _, Some(true)) => self.or(not, then),
            (_, _, Some(false)) => self.and(test, then),
            _ => {
                let first = self.and(test, then);
                let second = self.and(not, otherwise);
                self.or(first, second)
            }
        }
    }

    pub(super) fn compare(&mut self, op: CompareOp, a: NodeId, b: NodeId) -> ConditionId {
        if let (Some(x), Some(y)) = (self.small_integer(a), self.small_integer(b)) {
            return self.known_condition(op.holds(x.cmp(&y)));
        }
        match op {
            CompareOp::Less => self.condition(Condition::Compare(Comparison::Less, a, b)),
            CompareOp::LessOrEqual => self.condition(Condition::Compare(Comparison::LessOrEqual, a, b)),
            CompareOp::Greater => self.condition(Condition::Compare(Comparison::Less, b, a)),
            CompareOp::GreaterOrEqual => self.condition(Condition::Compare(Comparison::LessOrEqual, b, a)),
            CompareOp::Equal => self.condition(Condition::Compare(Comparison::Equal, a, b)),
            CompareOp::NotEqual => {
                let equal = self.condition(Condition::Compare(Comparison::Equal, a, b));
                self.not(equal)
            }
        }
    }

    /// A constant that both readings hold exactly.
    pub(super) fn small_integer(&self, node: NodeId) -> Option<i64> {
        match &self.program.nodes[node].op {
            Op::Const(value) => integer(value).filter(|value| value.unsigned_abs() <= 1 << 24),
            _ => None,
        }
    }

    /// The number that is `then` where the condition holds and else `otherwise`.
    ///
    /// `a & b` is a choice inside the first branch of a choice, `a | b` one inside the second.
    pub(super) fn select(
        &mut self,
        condition: ConditionId,
        then: NodeId,
        otherwise: NodeId,
        span: Span,
    ) -> Result<NodeId, Diagnostic> {
        let mut last = then;
        let mut tasks = vec![(condition, Slot::Node(then), Slot::Node(otherwise))];
        while let Some((condition, then, otherwise)) = tasks.pop() {
            let resolve = |slot| match slot {
                Slot::Node(id) => id,
                Slot::Last => last,
            };
            let (then, otherwise) = (resolve(then), resolve(otherwise));
            match self.conditions[condition.0] {
                _ if then == otherwise => last = then,
                Condition::Known(value) => last = if value { then } else { otherwise },
                Condition::Compare(test, lhs, rhs) => {
                    last = self.push(Op::Select { test, lhs, rhs, then, otherwise }, span)?;
                }
                Condition::Not(inner) => tasks.push((inner, Slot::Node(otherwise), Slot::Node(then))),
                Condition::And(a, b) => {
                    tasks.push((a, Slot::Last, Slot::Node(otherwise)));
                    tasks.push((b, Slot::Node(then), Slot::Node(otherwise)));
                }
                Condition::Or(a, b) => {
                    tasks.push((a, Slot::Node(then), Slot::Last));
                    tasks.push((b, Slot::Node(then), Slot::Node(otherwise)));
                }
            }
        }
        Ok(last)
    }

    /// A condition as a number: 1 or 0.
    pub(super) fn indicator(&mut self, condition: ConditionId, span: Span) -> Result<NodeId, Diagnostic> {
        let one = self.push(Op::Const(Rational::ONE), span)?;
        let zero = self.push(Op::Const(Rational::ZERO), span)?;
        self.select(condition, one, zero, span)
    }

    pub(super) fn push(&mut self, op: Op, span: Span) -> Result<NodeId, Diagnostic> {
        if self.program.nodes.len() >= MAX_NODES {
            let message = format!("more than {MAX_NODES} operations when loops are unrolled");
            return Err(Diagnostic::new(span, message).with_hint("use shorter arrays"));
        }
        Ok(self.program.push(op, Some(span)))
    }
}
