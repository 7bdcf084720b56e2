//! The operations, comparisons and connectives, by their names.

use crate::{Comparison, NodeId, Op};

/// What the reader understands, for its hints.
pub(super) const SUPPORTED: &str = "supported are numbers, E LN2 LN10 SQRT2 SQRT1_2, + - * / sqrt log exp fabs fma fmin fmax, let, let*, \
                         and if with < <= > >= == != and or not TRUE FALSE";

/// What is applied to numbers; addition and multiplication take any number of them, subtraction one or two.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Unary(fn(NodeId) -> Op),
    Binary(fn(NodeId, NodeId) -> Op),
    Fma,
}

#[derive(Clone, Copy)]
pub(super) enum Relation {
    Holds(Comparison),
    /// `>` and `>=`: the comparison of the operands in the other order.
    Reversed(Comparison),
    Differs,
}

#[derive(Clone, Copy)]
pub(super) enum Connective {
    Not,
    And,
    Or,
}

/// The operation of that name for that many operands.
pub(super) fn operation(name: &str, operands: usize) -> Option<Operation> {
    Some(match (name, operands) {
        ("+", 1..) => Operation::Add,
        ("*", 1..) => Operation::Multiply,
        ("-", 1 | 2) => Operation::Subtract,
        ("/", 2) => Operation::Binary(Op::Div),
        ("fmin", 2) => Operation::Binary(Op::Min),
        ("fmax", 2) => Operation::Binary(Op::Max),
        ("sqrt", 1) => Operation::Unary(Op::Sqrt),
        ("log", 1) => Operation::Unary(Op::Ln),
        ("exp", 1) => Operation::Unary(Op::Exp),
        ("fabs", 1) => Operation::Unary(Op::Abs),
        ("fma", 3) => Operation::Fma,
        _ => return None,
    })
}

pub(super) fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        "<" => Relation::Holds(Comparison::Less),
        "<=" => Relation::Holds(Comparison::LessOrEqual),
        "==" => Relation::Holds(Comparison::Equal),
        ">" => Relation::Reversed(Comparison::Less),
        ">=" => Relation::Reversed(Comparison::LessOrEqual),
        "!=" => Relation::Differs,
        _ => return None,
    })
}

pub(super) fn connective(name: &str) -> Option<Connective> {
    Some(match name {
        "not" => Connective::Not,
        "and" => Connective::And,
        "or" => Connective::Or,
        _ => return None,
    })
}

/// A text that fits into a message.
pub(super) fn shorten(text: &str) -> String {
    const LENGTH: usize = 120;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
