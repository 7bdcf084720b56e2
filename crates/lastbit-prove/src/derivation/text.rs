//! Expressions as people read them: over the reals, and with circled operators over floats.

use lastbit_lang::{NodeId, Op, StraightLine};
use lastbit_real::{Rational, Rounding};

use crate::certificate::comparison;

/// A reading of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `e_R`: `x + ln(u) / eps`.
    Real,
    /// `e_F`: `x ⊕ LN(u) ⊘ eps`.
    Float,
}

/// Operands deeper than this are shown by their numbers.
const DEPTH: usize = 3;

/// How tightly an expression binds: sums, products, everything else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// The expression of a node. Operands with a name stand by it, and what lies too deep by its number, `#7`.
pub fn expression(program: &StraightLine, id: NodeId, reading: Reading) -> String {
    show(program, id, reading, DEPTH, true).0
}

fn show(program: &StraightLine, id: NodeId, reading: Reading, depth: usize, root: bool) -> (String, Binding) {
    let node = &program.nodes[id];
    if !root && let Some(name) = &node.name {
        return (name.clone(), Binding::Atom);
    }
    match &node.op {
        Op::Input(i) => return (program.inputs[*i].name.clone(), Binding::Atom),
        Op::Const(value) => {
            let text = constant(value);
            let binding = match text.contains('/') {
                _ if value.is_negative() => Binding::Sum,
                true => Binding::Product,
                false => Binding::Atom,
            };
            return (text, binding);
        }
        _ if depth == 0 => return (format!("#{id}"), Binding::Atom),
        _ => {}
    }
    let of = |operand: NodeId| show(program, operand, reading, depth - 1, false);
    let plain = |operand: NodeId| of(operand).0;
    let float = reading == Reading::Float;
    let infix = |a: NodeId, real: &str, circled: &str, b: NodeId, binding: Binding| {
        let (left, right) = (of(a), of(b));
        // Operators associate to the left: what stands on the right needs parentheses also at the same level.
        let left = if left.1 < binding { format!("({})", left.0) } else { left.0 };
        let right = if right.1 <= binding { format!("({})", right.0) } else { right.0 };
        (format!("{left} {} {right}", if float { circled } else { real }), binding)
    };
    let call = |name: &str, operands: &[NodeId]| {
        let operands: Vec<String> = operands.iter().map(|&operand| plain(operand)).collect();
        (format!("{name}({})", operands.join(", ")), Binding::Atom)
    };
    let rounded = |real: &'static str, circled: &'static str| if float { circled } else { real };
    match node.op {
        Op::Input(_) | Op::Const(_) => unreachable!("shown above"),
        Op::Neg(a) => {
            let (text, binding) = of(a);
            (if binding < Binding::Atom { format!("-({text})") } else { format!("-{text}") }, Binding::Sum)
        }
        Op::Abs(a) => (format!("|{}|", plain(a)), Binding::Atom),
        Op::Add(a, b) => infix(a, "+", "⊕", b, Binding::Sum),
        Op::Sub(a, b) => infix(a, "-", "⊖", b, Binding::Sum),
        Op::Mul(a, b) => infix(a, "·", "⊗", b, Binding::Product),
        Op::Div(a, b) => infix(a, "/", "⊘", b, Binding::Product),
        Op::Fma(a, b, c) => call(rounded("fma", "FMA"), &[a, b, c]),
        Op::Sqrt(a) => call(rounded("sqrt", "SQRT"), &[a]),
        Op::Ln(a) => call(rounded("ln", "LN"), &[a]),
        Op::Exp(a) => call(rounded("exp", "EXP"), &[a]),
        Op::Min(a, b) => call("min", &[a, b]),
        Op::Max(a, b) => call("max", &[a, b]),
        Op::Clamp { arg, bound } => call("clamp", &[arg, bound]),
        Op::Round { arg, exponent, .. } => (format!("⌊{}⌉_2^{exponent}", plain(arg)), Binding::Atom),
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let test = comparison(test);
            let [lhs, rhs, then, otherwise] = [lhs, rhs, then, otherwise].map(plain);
            (format!("if {lhs} {test} {rhs} then {then} else {otherwise}"), Binding::Sum)
        }
    }
}

/// A constant in decimals if that is short and exact, else as a power of two or as a fraction.
fn constant(value: &Rational) -> String {
    if let Some(log2) = value.floor_log2()
        && log2.abs() > 16
        && *value == Rational::pow2(log2)
    {
        return format!("2^{log2}");
    }
    let decimal = value.to_decimal(12, Rounding::Nearest);
    if decimal.parse::<Rational>().as_ref() != Ok(value) {
        return value.to_string();
    }
    match decimal.split_once('e') {
        None if decimal.contains('.') => decimal.trim_end_matches('0').trim_end_matches('.').to_owned(),
        Some((digits, exponent)) if digits.contains('.') => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => decimal,
    }
}

/// The name of the rule of a node.
pub fn rule(op: &Op) -> &'static str {
    match op {
        Op::Input(_) => "VAR",
        Op::Const(_) => "CONST",
        Op::Neg(_) => "NEG",
        Op::Abs(_) => "ABS",
        Op::Add(..) => "ADD",
        Op::Sub(..) => "SUB",
        Op::Mul(..) => "MUL",
        Op::Div(..) => "DIV",
        Op::Fma(..) => "FMA",
        Op::Sqrt(_) => "SQRT",
        Op::Ln(_) => "LN",
        Op::Exp(_) => "EXP",
        Op::Min(..) => "MIN",
        Op::Max(..) => "MAX",
        Op::Clamp { .. } => "CLAMP",
        Op::Round { .. } => "ROUND",
        Op::Select { .. } => "IF",
    }
}
