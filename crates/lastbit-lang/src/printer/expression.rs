//! Expressions as text, with the fewest parentheses that keep the tree.

use crate::ast::{Arithmetic, ExprId, ExprKind, Expression, File, Function, Logic, Side, UnaryOp};

/// The reading to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text: `x + s * ln(u)`.
    Real,
    /// The operations that round, as the papers write them: `x ⊕ (s ⊗ LN(u))`. All parentheses are shown, because the order
    /// of roundings is the point.
    Float,
}

/// How tightly an expression binds.
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const PREFIX: u8 = 6;
const PRIMARY: u8 = 7;

enum Work<'a> {
    Text(&'a str),
    /// An expression, in parentheses if it binds less tightly than this.
    Expr(ExprId, u8),
    /// An index: whole numbers do not round.
    Index(ExprId),
    /// From here on this reading is shown.
    Reading(Reading),
}

/// An expression as text.
///
/// ```
/// use lastbit_lang::{Reading, ast::StatementKind, expression_text, parse};
///
/// let (file, _) = parse("function f(x: f64, y: f64) -> f64 { return (x * y) + ln(y) / x }");
/// let StatementKind::Return(value) = file.declarations[0].body[0].kind else { unreachable!() };
/// assert_eq!(expression_text(&file, value, Reading::Real), "x * y + ln(y) / x");
/// assert_eq!(expression_text(&file, value, Reading::Float), "(x ⊗ y) ⊕ (LN(y) ⊘ x)");
/// ```
pub fn expression_text(file: &File, root: ExprId, reading: Reading) -> String {
    let mut out = String::new();
    let mut stack = vec![Work::Expr(root, 0)];
    let mut parts = Vec::new();
    let mut reading = reading;
    while let Some(work) = stack.pop() {
        match work {
            Work::Text(text) => out.push_str(text),
            Work::Index(id) => {
                stack.extend([Work::Reading(reading), Work::Expr(id, 0), Work::Reading(Reading::Real)]);
            }
            Work::Reading(next) => reading = next,
            Work::Expr(id, needed) => {
                let kind = &file.expr(id).kind;
                let parenthesised = binding(kind, reading) < needed;
                if parenthesised {
                    parts.push(Work::Text("("));
                }
                pieces(file.expr(id), reading, &mut parts);
                if parenthesised {
                    parts.push(Work::Text(")"));
                }
                stack.extend(parts.drain(..).rev());
            }
        }
    }
    out
}

fn binding(kind: &ExprKind, reading: Reading) -> u8 {
    match kind {
        ExprKind::Logic(Logic::Or, ..) => OR,
        ExprKind::Logic(Logic::And, ..) => AND,
        ExprKind::Compare(..) => COMPARE,
        ExprKind::Arithmetic(..) if reading == Reading::Float => SUM,
        ExprKind::Arithmetic(Arithmetic::Add | Arithmetic::Sub, ..) => SUM,
        ExprKind::Arithmetic(Arithmetic::Mul | Arithmetic::Div, ..) => PRODUCT,
        ExprKind::Unary(..) => PREFIX,
        _ => PRIMARY,
    }
}

fn pieces<'a>(expression: &'a Expression, reading: Reading, parts: &mut Vec<Work<'a>>) {
    use Work::{Expr, Text};
    let Expression { kind, rounds, .. } = expression;
    let level = binding(kind, reading);
    match kind {
        ExprKind::Number { text, .. } => parts.push(Text(text)),
        ExprKind::Bool(value) => parts.push(Text(if *value { "true" } else { "false" })),
        ExprKind::Name(name) => parts.push(Text(name)),
        ExprKind::Copy(of, side) => {
            parts.extend([Expr(*of, PRIMARY), Text(if *side == Side::One { "<1>" } else { "<2>" })]);
        }
        ExprKind::Index(base, index) => {
            parts.extend([Expr(*base, PRIMARY), Text("["), Work::Index(*index), Text("]")]);
        }
        ExprKind::Unary(op, a) => {
            parts.extend([Text(if *op == UnaryOp::Neg { "-" } else { "!" }), Expr(*a, PREFIX)]);
        }
        ExprKind::Arithmetic(op, a, b) => {
            let (text, left) = match reading {
                // As it was typed.
                Reading::Real if *rounds => (op.circled(), level),
                Reading::Real => (op.text(), level),
                Reading::Float => (op.circled(), level + 1),
            };
            parts.extend([Expr(*a, left), Text(" "), Text(text), Text(" "), Expr(*b, level + 1)]);
        }
        ExprKind::Compare(op, a, b) => {
            parts.extend([Expr(*a, level + 1), Text(" "), Text(op.text()), Text(" "), Expr(*b, level + 1)]);
        }
        ExprKind::Logic(op, a, b) => {
            let text = if *op == Logic::And { " & " } else { " | " };
            parts.extend([Expr(*a, level), Text(text), Expr(*b, level + 1)]);
        }
        // Between bars a `|` would close them.
        ExprKind::Call(Function::Abs, list) if list.len() == 1 => {
            parts.extend([Text("|"), Expr(list[0], AND), Text("|")]);
        }
        ExprKind::Call(function, list) => {
            let reading = if *rounds { Reading::Float } else { reading };
            call(function_text(*function, reading), list, parts);
        }
        ExprKind::Query(name, list) => call(&name.text, list, parts),
        ExprKind::Round(a, grid, tie) => parts.extend([
            Text("round("),
            Expr(*a, 0),
            Text(", "),
            Expr(*grid, 0),
            Text(", "),
            Text(tie.text()),
            Text(")"),
        ]),
        ExprKind::If(condition, then, otherwise) => parts.extend([
            Text("if "),
            Expr(*condition, 0),
            Text(" { "),
            Expr(*then, 0),
            Text(" } else { "),
            Expr(*otherwise, 0),
            Text(" }"),
        ]),
        ExprKind::List(list) => {
            parts.push(Text("["));
            separated(list, parts);
            parts.push(Text("]"));
        }
    }
}

fn function_text(function: Function, reading: Reading) -> &'static str {
    match (function, reading) {
        (Function::Ln, Reading::Float) => "LN",
        (Function::Exp, Reading::Float) => "EXP",
        (Function::Sqrt, Reading::Float) => "SQRT",
        (Function::Fma, Reading::Float) => "FMA",
        _ => function.text(),
    }
}

fn call<'a>(name: &'a str, list: &[ExprId], parts: &mut Vec<Work<'a>>) {
    parts.extend([Work::Text(name), Work::Text("(")]);
    separated(list, parts);
    parts.push(Work::Text(")"));
}

fn separated(list: &[ExprId], parts: &mut Vec<Work<'_>>) {
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            parts.push(Work::Text(", "));
        }
        parts.push(Work::Expr(*item, 0));
    }
}
