//! Straight-line expressions as FPCore.

use std::collections::HashSet;

use thiserror::Error;

use super::number;
use super::program::{EXP_ULPS, LOG_ULPS};
use super::sexp::{is_symbol_byte, looks_like_a_number};
use crate::{Accuracy, Comparison, Input, InputKind, NodeId, Op, StraightLine};

/// The reason why a program cannot be written as FPCore.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// Rounding to a power-of-two grid.
    #[error("node {node}, rounding to the grid 2^{exponent}, has no FPCore form")]
    Grid {
        /// The node.
        node: NodeId,
        /// `log2` of the grid's step.
        exponent: i64,
    },
    /// An input that is rounded on entry.
    #[error("the input {name} is a real number, and FPCore's arguments are floats")]
    RealInput {
        /// Its name.
        name: String,
    },
}

/// Writes a program as one FPCore form.
///
/// Ensures: [`read`](super::read) gives a program with the same two readings for each input. A clamp is written with `fmax` and
/// `fmin`; that an input is a sign or an integer is a part of `:pre` which [`read`](super::read) notes but does not keep; names
/// that are no FPCore symbols are changed into ones.
pub fn write(program: &StraightLine) -> Result<String, WriteError> {
    let mut names = Names::default();
    let inputs: Vec<String> = program.inputs.iter().map(|input| names.symbol(&input.name)).collect();
    let uses = uses(program);
    let mut bound: Vec<Option<String>> = vec![None; program.nodes.len()];
    let mut bindings = String::new();
    for (id, node) in program.nodes.iter().enumerate() {
        if let Op::Input(input) = node.op {
            bound[id] = Some(inputs[input].clone());
        } else if uses[id] > 1 || (uses[id] == 1 && node.name.is_some() && id != program.result) {
            let text = expression(program, id, &bound)?;
            let name = names.symbol(node.name.as_deref().unwrap_or("t"));
            let separator = if bindings.is_empty() { "" } else { "\n         " };
            bindings.push_str(&format!("{separator}[{name} {text}]"));
            bound[id] = Some(name);
        }
    }
    let body = match &bound[program.result] {
        Some(name) => name.clone(),
        None => expression(program, program.result, &bound)?,
    };
    let body = if bindings.is_empty() { body } else { format!("(let* ({bindings})\n    {body})") };

    let mut text = format!("(FPCore ({})\n  :name {}\n", inputs.join(" "), quote(&program.name));
    text.push_str(&format!("  :precision {}\n", program.format));
    for (key, accuracy) in [(LOG_ULPS, &program.libm.ln), (EXP_ULPS, &program.libm.exp)] {
        if let Accuracy::Ulps(ulps) = accuracy {
            text.push_str(&format!("  {key} {}\n", number::write(ulps)));
        }
    }
    let ranges: Result<Vec<String>, _> =
        program.inputs.iter().zip(&inputs).map(|(input, name)| range(input, name)).collect();
    match ranges?.as_slice() {
        [] => {}
        [range] => text.push_str(&format!("  :pre {range}\n")),
        ranges => text.push_str(&format!("  :pre (and {})\n", ranges.join("\n            "))),
    }
    text.push_str(&format!("  {body})\n"));
    Ok(text)
}

/// How often the text names each node; 0 for what the result does not depend on.
fn uses(program: &StraightLine) -> Vec<usize> {
    let mut uses = vec![0usize; program.nodes.len()];
    uses[program.result] = 1;
    for (id, node) in program.nodes.iter().enumerate().rev() {
        if uses[id] > 0 {
            node.op.operands().for_each(|operand| uses[operand] += 1);
            if let Op::Clamp { bound, .. } = node.op {
                uses[bound] += 1;
            }
        }
    }
    uses
}

/// The text of a node, down to what has a name.
fn expression(program: &StraightLine, root: NodeId, bound: &[Option<String>]) -> Result<String, WriteError> {
    enum Part {
        Node(NodeId),
        Text(&'static str),
    }
    use Part::{Node, Text};

    let mut text = String::new();
    let mut parts = vec![Node(root)];
    while let Some(part) = parts.pop() {
        let node = match part {
            Text(part) => {
                text.push_str(part);
                continue;
            }
            Node(node) => node,
        };
        if let Some(name) = &bound[node] {
            text.push_str(name);
            continue;
        }
        let (head, operands): (&str, Vec<NodeId>) = match program.nodes[node].op {
            Op::Input(_) => unreachable!("inputs have names"),
            Op::Const(ref value) => {
                text.push_str(&number::write(value));
                continue;
            }
            Op::Round { exponent, .. } => return Err(WriteError::Grid { node, exponent }),
            Op::Clamp { arg, bound } => {
                text.push_str("(fmax (- ");
                let rest = [Node(bound), Text(") (fmin "), Node(arg), Text(" "), Node(bound), Text("))")];
                parts.extend(rest.into_iter().rev());
                continue;
            }
            Op::Select { test, lhs, rhs, then, otherwise } => {
                text.push_str(match test {
                    Comparison::Less => "(if (< ",
                    Comparison::LessOrEqual => "(if (<= ",
                    Comparison::Equal => "(if (== ",
                });
                let condition = [Node(lhs), Text(" "), Node(rhs), Text(") ")];
                let branches = [Node(then), Text(" "), Node(otherwise), Text(")")];
                parts.extend(branches.into_iter().rev());
                parts.extend(condition.into_iter().rev());
                continue;
            }
            Op::Neg(a) => ("(-", vec![a]),
            Op::Abs(a) => ("(fabs", vec![a]),
            Op::Sqrt(a) => ("(sqrt", vec![a]),
            Op::Ln(a) => ("(log", vec![a]),
            Op::Exp(a) => ("(exp", vec![a]),
            Op::Add(a, b) => ("(+", vec![a, b]),
            Op::Sub(a, b) => ("(-", vec![a, b]),
            Op::Mul(a, b) => ("(*", vec![a, b]),
            Op::Div(a, b) => ("(/", vec![a, b]),
            Op::Min(a, b) => ("(fmin", vec![a, b]),
            Op::Max(a, b) => ("(fmax", vec![a, b]),
            Op::Fma(a, b, c) => ("(fma", vec![a, b, c]),
        };
        text.push_str(head);
        parts.push(Text(")"));
        parts.extend(operands.into_iter().rev().flat_map(|operand| [Node(operand), Text(" ")]));
    }
    Ok(text)
}

fn range(input: &Input, name: &str) -> Result<String, WriteError> {
    let range = format!("(<= {} {name} {})", number::write(&input.lo), number::write(&input.hi));
    match input.kind {
        InputKind::Float => Ok(range),
        InputKind::Real => Err(WriteError::RealInput { name: input.name.clone() }),
        InputKind::Sign => Ok(format!("{range} (or (== {name} -1) (== {name} 1))")),
        InputKind::Integer => Ok(format!("{range} (== {name} (trunc {name}))")),
    }
    .map(|text| if input.kind == InputKind::Float { text } else { format!("(and {text})") })
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The names in use.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The next number to try behind a name that is taken.
    next: usize,
}

impl Names {
    /// A symbol of FPCore that is not in use, as close to the name as that allows.
    fn symbol(&mut self, wanted: &str) -> String {
        let allowed = |c: char| u8::try_from(c).is_ok_and(is_symbol_byte);
        let mut symbol: String = wanted.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
        let clashes = symbol.is_empty()
            || symbol.starts_with(':')
            || looks_like_a_number(&symbol)
            || number::is_reserved(&symbol);
        if clashes {
            symbol.insert(0, '_');
        }
        let stem = symbol.clone();
        while !self.taken.insert(symbol.clone()) {
            self.next += 1;
            symbol = format!("{stem}{}", self.next);
        }
        symbol
    }
}
