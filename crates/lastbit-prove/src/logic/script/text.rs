//! Assertions across assignments, as text.

use lastbit_lang::ast::{ExprId, ExprKind, File, Side};

/// An expression with `e<1>` in the place of `x<1>`, and `e<2>` in that of `x<2>`.
pub(super) fn replaced(
    file: &mut File,
    id: ExprId,
    name: &str,
    by: ExprId,
    is_parameter: &dyn Fn(&str) -> bool,
) -> ExprId {
    let expression = file.expr(id).clone();
    if let ExprKind::Copy(of, side) = expression.kind {
        let is_it = matches!(&file.expr(of).kind, ExprKind::Name(text) if text == name);
        return if is_it { copied(file, by, side, is_parameter) } else { id };
    }
    let kind = map_operands(expression.kind, |operand| replaced(file, operand, name, by, is_parameter));
    file.push_expr(kind, expression.span)
}

/// An expression in one of the runs: every variable but parameters with its mark.
fn copied(file: &mut File, id: ExprId, side: Side, is_parameter: &dyn Fn(&str) -> bool) -> ExprId {
    let expression = file.expr(id).clone();
    if let ExprKind::Name(name) = &expression.kind {
        if is_parameter(name) {
            return id;
        }
        return file.push_expr(ExprKind::Copy(id, side), expression.span);
    }
    let kind = map_operands(expression.kind, |operand| copied(file, operand, side, is_parameter));
    file.push_expr(kind, expression.span)
}

fn map_operands(kind: ExprKind, mut map: impl FnMut(ExprId) -> ExprId) -> ExprKind {
    match kind {
        ExprKind::Copy(a, side) => ExprKind::Copy(map(a), side),
        ExprKind::Unary(op, a) => ExprKind::Unary(op, map(a)),
        ExprKind::Index(a, b) => ExprKind::Index(map(a), b),
        ExprKind::Arithmetic(op, a, b) => ExprKind::Arithmetic(op, map(a), map(b)),
        ExprKind::Compare(op, a, b) => ExprKind::Compare(op, map(a), map(b)),
        ExprKind::Logic(op, a, b) => ExprKind::Logic(op, map(a), map(b)),
        ExprKind::Round(a, b, tie) => ExprKind::Round(map(a), b, tie),
        ExprKind::If(a, b, c) => ExprKind::If(map(a), map(b), map(c)),
        ExprKind::Call(function, list) => ExprKind::Call(function, list.into_iter().map(map).collect()),
        ExprKind::Query(name, list) => ExprKind::Query(name, list.into_iter().map(map).collect()),
        ExprKind::List(list) => ExprKind::List(list.into_iter().map(map).collect()),
        leaf @ (ExprKind::Number { .. } | ExprKind::Bool(_) | ExprKind::Name(_)) => leaf,
    }
}
