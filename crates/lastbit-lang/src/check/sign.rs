//! Which signs an expression can have: enough to tell a scale, a weight or a claim that makes no sense whatever the parameters are.

use std::collections::HashMap;

use crate::ast::{
    Arithmetic, Binder, CompareOp, Constraint, Declaration, ExprId, ExprKind, File, Function, UnaryOp,
};
use crate::constant::constant;
use lastbit_real::Rational;

/// A set of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs {
    negative: bool,
    zero: bool,
    positive: bool,
}

impl Signs {
    const ANY: Signs = Signs { negative: true, zero: true, positive: true };
    const NONE: Signs = Signs { negative: false, zero: false, positive: false };

    fn of(value: &Rational) -> Signs {
        Signs { negative: value.is_negative(), zero: value.is_zero(), positive: value.is_positive() }
    }

    /// Whether it is negative or 0 wherever it has a value.
    pub(super) fn never_positive(self) -> bool {
        !self.positive
    }

    /// Whether it is negative wherever it has a value.
    pub(super) fn always_negative(self) -> bool {
        !self.zero && !self.positive
    }

    fn negated(self) -> Signs {
        Signs { negative: self.positive, zero: self.zero, positive: self.negative }
    }

    fn without_negative(self) -> Signs {
        Signs { negative: false, ..self }
    }

    fn or(self, other: Signs) -> Signs {
        Signs {
            negative: self.negative || other.negative,
            zero: self.zero || other.zero,
            positive: self.positive || other.positive,
        }
    }

    fn plus(self, other: Signs) -> Signs {
        let opposite = self.negative && other.positive || self.positive && other.negative;
        Signs {
            negative: self.negative || other.negative,
            zero: self.zero && other.zero || opposite,
            positive: self.positive || other.positive,
        }
    }

    fn times(self, other: Signs) -> Signs {
        Signs {
            negative: self.negative && other.positive || self.positive && other.negative,
            zero: self.zero || other.zero,
            positive: self.positive && other.positive || self.negative && other.negative,
        }
    }

    fn min(self, other: Signs) -> Signs {
        Signs {
            negative: self.negative || other.negative,
            zero: self.zero && (other.zero || other.positive) || other.zero && self.positive,
            positive: self.positive && other.positive,
        }
    }
}

/// The signs of an expression, as far as numbers and the declared ranges of parameters and arguments tell.
pub(super) fn signs(file: &File, declaration: &Declaration, root: ExprId) -> Signs {
    let mut known: HashMap<ExprId, Signs> = HashMap::new();
    for id in file.post_order(root) {
        let get = |id: &ExprId| known.get(id).copied().unwrap_or(Signs::ANY);
        let signs = match &file.expr(id).kind {
            ExprKind::Number { value, .. } => Signs::of(value),
            ExprKind::Name(name) => of_name(file, declaration, name),
            ExprKind::Copy(a, _) | ExprKind::Index(a, _) => get(a),
            ExprKind::Unary(UnaryOp::Neg, a) => get(a).negated(),
            ExprKind::Arithmetic(Arithmetic::Add, a, b) => get(a).plus(get(b)),
            ExprKind::Arithmetic(Arithmetic::Sub, a, b) => get(a).plus(get(b).negated()),
            ExprKind::Arithmetic(Arithmetic::Mul, a, b) => get(a).times(get(b)),
            // Where it is divided by 0 there is no value.
            ExprKind::Arithmetic(Arithmetic::Div, a, b) => get(a).times(Signs { zero: false, ..get(b) }),
            ExprKind::Call(Function::Exp, _) => Signs { positive: true, ..Signs::NONE },
            ExprKind::Call(Function::Sqrt, list) => get(&list[0]).without_negative(),
            ExprKind::Call(Function::Abs, list) => {
                get(&list[0]).or(get(&list[0]).negated()).without_negative()
            }
            ExprKind::Call(Function::Min, list) => get(&list[0]).min(get(&list[1])),
            ExprKind::Call(Function::Max, list) => {
                get(&list[0]).negated().min(get(&list[1]).negated()).negated()
            }
            ExprKind::If(_, a, b) => get(a).or(get(b)),
            _ => Signs::ANY,
        };
        known.insert(id, signs);
    }
    known.get(&root).copied().unwrap_or(Signs::ANY)
}

fn of_name(file: &File, declaration: &Declaration, name: &str) -> Signs {
    let mut binders = declaration.parameters().chain(&declaration.arguments);
    let binder: Option<&Binder> = binders.find(|binder| binder.name.text == name);
    let end = |id: ExprId| constant(file, id, |_| None).ok();
    match binder.and_then(|binder| binder.constraint) {
        None => Signs::ANY,
        Some(Constraint::Compare(op, value)) => end(value).map_or(Signs::ANY, |value| compared(op, &value)),
        Some(Constraint::In(interval)) => {
            let at_least = if interval.lo_closed { CompareOp::GreaterOrEqual } else { CompareOp::Greater };
            let at_most = if interval.hi_closed { CompareOp::LessOrEqual } else { CompareOp::Less };
            let lo = end(interval.lo).map_or(Signs::ANY, |value| compared(at_least, &value));
            let hi = end(interval.hi).map_or(Signs::ANY, |value| compared(at_most, &value));
            Signs {
                negative: lo.negative && hi.negative,
                zero: lo.zero && hi.zero,
                positive: lo.positive && hi.positive,
            }
        }
    }
}

/// The signs of what compares so with a number.
fn compared(op: CompareOp, bound: &Rational) -> Signs {
    match op {
        CompareOp::Equal => Signs::of(bound),
        CompareOp::NotEqual => Signs { zero: !bound.is_zero(), ..Signs::ANY },
        CompareOp::Greater | CompareOp::GreaterOrEqual => Signs {
            negative: bound.is_negative(),
            zero: bound.is_negative() || bound.is_zero() && op == CompareOp::GreaterOrEqual,
            positive: true,
        },
        CompareOp::Less | CompareOp::LessOrEqual => {
            let mirrored = if op == CompareOp::Less { CompareOp::Greater } else { CompareOp::GreaterOrEqual };
            compared(mirrored, &-bound).negated()
        }
    }
}
