//! Values of symbolic runs.

use super::{Constraint, Polynomial, Trace};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(Polynomial),
    /// `e^p`: a number that is known by its logarithm. Products of such numbers, their logarithms and comparisons are linear in `p`.
    Exp(Polynomial),
    /// A condition that is decided.
    Bool(bool),
    /// A condition that is a variable: 1 for true, 0 for false.
    Flag(Polynomial),
    /// An array or a list.
    List(Vec<Value>),
    /// An element that is not set.
    Unset,
}

impl Value {
    /// The number.
    pub fn number(&self, trace: &mut Trace) -> Option<Polynomial> {
        match self {
            Value::Number(p) => Some(p.clone()),
            Value::Exp(p) if p.is_zero() => Some(Polynomial::constant(1)),
            Value::Exp(p) => Some(trace.apply("exp", vec![p.clone()], "")),
            _ => None,
        }
    }

    /// The logarithm, of a number that is known by it.
    pub fn log(&self) -> Option<Polynomial> {
        match self {
            Value::Exp(p) => Some(p.clone()),
            Value::Number(p) if *p == Polynomial::constant(1) => Some(Polynomial::zero()),
            _ => None,
        }
    }

    /// The truth value; that of a variable is decided both ways.
    pub(crate) fn truth(&self, trace: &mut Trace) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Flag(p) => {
                let is_one = Constraint::zero(p - &Polynomial::constant(1));
                let is_zero = Constraint::zero(p.clone());
                Some(trace.one_of(&[is_one, is_zero]) == 0)
            }
            _ => None,
        }
    }

    /// All single values, in order; conditions are decided.
    pub fn flatten(&self, trace: &mut Trace) -> Vec<Value> {
        match self {
            Value::List(items) => items.iter().flat_map(|item| item.flatten(trace)).collect(),
            Value::Flag(_) => self.truth(trace).map(Value::Bool).into_iter().collect(),
            Value::Exp(_) => self.number(trace).map(Value::Number).into_iter().collect(),
            other => vec![other.clone()],
        }
    }
}
