//! An evaluator of its own for assertions, so that counterexamples are verified by something else than what found them.

use std::collections::BTreeMap;

use lastbit_lang::ast::{
    Arithmetic, CompareOp, ExprId, ExprKind, File, Function, Logic, ProofStepKind, Side, StatementKind,
    UnaryOp,
};
use lastbit_real::Rational;

use super::super::Counterexample;

/// A value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(Rational),
    Truth(bool),
}

/// Values of variables, by name with the run.
pub(super) struct Point<'p> {
    pub(super) file: &'p File,
    pub(super) values: BTreeMap<String, Rational>,
}

impl Point<'_> {
    pub(super) fn number(&self, id: ExprId, side: Option<Side>) -> Rational {
        match self.value(id, side) {
            Value::Number(number) => number,
            other => panic!("{other:?} is no number"),
        }
    }

    pub(super) fn holds(&self, id: ExprId) -> bool {
        match self.value(id, None) {
            Value::Truth(truth) => truth,
            other => panic!("{other:?} is no condition"),
        }
    }

    fn named(&self, name: &str, side: Option<Side>) -> Rational {
        let marked = side.map(|side| format!("{name}<{}>", side as usize + 1));
        let known = marked.and_then(|marked| self.values.get(&marked)).or_else(|| self.values.get(name));
        // What a counterexample does not name may be anything that is allowed.
        known.cloned().unwrap_or(Rational::ONE)
    }

    fn value(&self, id: ExprId, side: Option<Side>) -> Value {
        let number = |id: &ExprId| self.number(*id, side);
        let truth = |id: &ExprId| self.value(*id, side) == Value::Truth(true);
        match &self.file.expr(id).kind {
            ExprKind::Number { value, .. } => Value::Number(value.clone()),
            ExprKind::Bool(value) => Value::Truth(*value),
            ExprKind::Name(name) => Value::Number(self.named(name, side)),
            ExprKind::Copy(of, side) => self.value(*of, Some(*side)),
            ExprKind::Query(name, arguments) => {
                let (mut inner, mut of) = (arguments[0], side);
                while let ExprKind::Copy(id, copy) = self.file.expr(inner).kind {
                    (inner, of) = (id, Some(copy));
                }
                let ExprKind::Name(argument) = &self.file.expr(inner).kind else { panic!("a query of data") };
                Value::Number(self.named(&format!("{}({argument})", name.text), of))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => Value::Number(-number(a)),
            ExprKind::Unary(UnaryOp::Not, a) => Value::Truth(!truth(a)),
            ExprKind::Arithmetic(op, a, b) => {
                let (a, b) = (number(a), number(b));
                Value::Number(match op {
                    Arithmetic::Add => a + b,
                    Arithmetic::Sub => a - b,
                    Arithmetic::Mul => a * b,
                    Arithmetic::Div => a.checked_div(&b).expect("a divisor that is not zero"),
                })
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (number(a), number(b));
                Value::Truth(match op {
                    CompareOp::Less => a < b,
                    CompareOp::LessOrEqual => a <= b,
                    CompareOp::Greater => a > b,
                    CompareOp::GreaterOrEqual => a >= b,
                    CompareOp::Equal => a == b,
                    CompareOp::NotEqual => a != b,
                })
            }
            ExprKind::Logic(Logic::And, a, b) => Value::Truth(truth(a) && truth(b)),
            ExprKind::Logic(Logic::Or, a, b) => Value::Truth(truth(a) || truth(b)),
            ExprKind::Round(a, step, _) => {
                // Ties go up.
                let (w, step) = (number(a), number(step));
                let steps = (w.checked_div(&step).unwrap() + Rational::new(1, 2).unwrap()).floor();
                Value::Number(step * Rational::from(i64::try_from(steps).unwrap()))
            }
            ExprKind::Call(Function::Abs, list) => Value::Number(number(&list[0]).abs()),
            ExprKind::Call(Function::Clamp, list) => {
                let (w, bound) = (number(&list[0]), number(&list[1]));
                Value::Number(if w > bound {
                    bound
                } else if w < -&bound {
                    -bound
                } else {
                    w
                })
            }
            other => panic!("{other:?} in an assertion"),
        }
    }
}

/// That the first assertion of a step holds at the values, and after its assignment the second does not. Of `exists k`, the only
/// value of k that its equation allows is taken: `of` gives it.
pub(super) fn verify(
    file: &File,
    (proof, number): (usize, usize),
    counterexample: &Counterexample,
    of: Option<&dyn Fn(&Point<'_>) -> Rational>,
) {
    let declaration = &file.declarations[0];
    let ProofStepKind::Rule { place, pre, post, .. } = &declaration.proofs[proof].steps[number - 1].kind
    else {
        panic!("a step")
    };
    let mut point = Point { file, values: counterexample.values.clone() };
    assert!(point.holds(pre.condition), "step {number}: the first assertion fails at {counterexample}");
    let name = place.as_ref().map(|place| place.name.text.as_str());
    let assigned = declaration.body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Assign(place, value) if Some(place.name.text.as_str()) == name => Some(*value),
        _ => None,
    });
    if let (Some(name), Some(value)) = (name, assigned) {
        let sides = [Side::One, Side::Two].map(|side| point.number(value, Some(side)));
        for (side, value) in sides.into_iter().enumerate() {
            point.values.insert(format!("{name}<{}>", side + 1), value);
        }
    }
    if let Some(of) = of {
        let k = of(&point);
        point.values.insert("k".into(), k);
    }
    assert!(!point.holds(post.condition), "step {number}: the second assertion holds at {counterexample}");
}
