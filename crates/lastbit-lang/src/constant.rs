//! Constants: exact values of expressions without variables other than known ones.

use std::collections::HashMap;

use lastbit_real::Rational;

use crate::ast::{Arithmetic, ExprId, ExprKind, File, Function, UnaryOp};
use crate::{Diagnostic, Span};

/// Largest numerator or denominator, in bits, of a constant.
const MAX_BITS: u64 = 1 << 16;

/// The exact value of `root`; `known` gives the values of names.
pub(crate) fn constant(
    file: &File,
    root: ExprId,
    known: impl Fn(&str) -> Option<Rational>,
) -> Result<Rational, Diagnostic> {
    let mut values: HashMap<ExprId, Rational> = HashMap::new();
    for id in file.post_order(root) {
        let expression = file.expr(id);
        let get = |id: &ExprId| values.get(id).cloned().unwrap_or_default();
        let value = match &expression.kind {
            ExprKind::Number { value, .. } => value.clone(),
            ExprKind::Name(name) => known(name).ok_or_else(|| {
                Diagnostic::new(expression.span, format!("the value of `{name}` is not known here"))
                    .with_hint("a constant is made of numbers and parameters with a value")
            })?,
            ExprKind::Unary(UnaryOp::Neg, a) => -get(a),
            ExprKind::Arithmetic(op, a, b) => arithmetic(*op, &get(a), &get(b), expression.span)?,
            ExprKind::Call(Function::Abs, list) => get(&list[0]).abs(),
            ExprKind::Call(Function::Min, list) => get(&list[0]).min(get(&list[1])),
            ExprKind::Call(Function::Max, list) => get(&list[0]).max(get(&list[1])),
            _ => {
                return Err(Diagnostic::new(expression.span, "not a constant").with_hint(
                    "a constant is made of numbers, parameters with a value, + - * / min max and bars",
                ));
            }
        };
        values.insert(id, value);
    }
    Ok(values.remove(&root).unwrap_or_default())
}

fn arithmetic(op: Arithmetic, a: &Rational, b: &Rational, span: Span) -> Result<Rational, Diagnostic> {
    let value = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a.checked_div(b).ok_or_else(|| Diagnostic::new(span, "division by zero"))?,
    };
    if bits(&value) > MAX_BITS {
        return Err(Diagnostic::new(span, "this constant is too large"));
    }
    Ok(value)
}

/// At least the bits of the numerator, and at least those of the denominator; at most about their sum.
pub(crate) fn bits(value: &Rational) -> u64 {
    let log = |number: &Rational| number.floor_log2().map_or(0, i64::unsigned_abs) + 1;
    let denominator = Rational::new(value.denominator(), 1).unwrap_or_default();
    log(value) + log(&denominator)
}

/// `log2` of a power of two.
pub(crate) fn exact_log2(value: &Rational) -> Option<i64> {
    let log = value.floor_log2()?;
    (value.is_positive() && *value == Rational::pow2(log)).then_some(log)
}

/// An integer that fits.
pub(crate) fn integer(value: &Rational) -> Option<i64> {
    if !value.is_integer() {
        return None;
    }
    i64::try_from(value.numerator()).ok()
}
