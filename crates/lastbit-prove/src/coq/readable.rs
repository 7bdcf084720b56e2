//! Both readings of a program as formulas, for people, with lemmas that they are what the program computes.

use lastbit_lang::{Format, InputKind, Op, StraightLine};
use lastbit_real::IBig;

use super::error::{comparison_name, nearest, tie_name};
use super::text::{dyadic, fraction, integer, name, variables, wrapped};
use crate::derivation::Reading;

/// Formulas are compared with programs by unfolding: beyond this many operations, counted with repetitions, there are none.
const MOST: u64 = 400;

/// The definitions and lemmas, or nothing if the formula would be too large.
pub(super) fn readable(program: &StraightLine) -> String {
    if program.inputs.is_empty() || unfolded(program) > MOST {
        return String::new();
    }
    let name = name(&program.name);
    let variables = variables(program.inputs.iter().map(|input| input.name.as_str()));
    let arguments = variables.join(" ");
    let list = variables.join("; ");
    let size = program.format.precision();
    let (real, float) =
        (formula(program, &variables, Reading::Real), formula(program, &variables, Reading::Float));
    let result = program.result + 1;
    format!(
        "(* What it computes over the reals, and in floating point. *)\nDefinition {name}_real ({arguments} : R) : R :=\n{real}.\n\nDefinition {name}_float (lib : libm {size} {emax}) ({arguments} : float{bits}) : float{bits} :=\n{float}.\n\nLemma real_reading {arguments} : real_value prog {result} [{list}] = {name}_real {arguments}.\nProof. reading. Qed.\n\nLemma float_reading lib {arguments} : float_value lib prog {result} [{list}] = {name}_float lib {arguments}.\nProof. reading. Qed.\n\n",
        emax = program.format.max_exponent() + 1,
        bits = if size == 53 { 64 } else { 32 },
    )
}

/// The bound in terms of the formulas: where they are written, and all inputs are floats.
pub(super) fn corollary(program: &StraightLine, library: &str, [lo, hi, d]: &[String; 3]) -> String {
    let all_floats = program.inputs.iter().all(|input| input.kind == InputKind::Float);
    if program.inputs.is_empty() || unfolded(program) > MOST || !all_floats {
        return String::new();
    }
    let (name, size) = (name(&program.name), program.format.precision());
    let (bits, emax) = (if size == 53 { 64 } else { 32 }, program.format.max_exponent() + 1);
    let variables = variables(program.inputs.iter().map(|input| input.name.as_str()));
    let arguments = variables.join(" ");
    let values: Vec<String> = variables.iter().map(|variable| format!("(B2R {variable})")).collect();
    let ranges = variables.iter().zip(&program.inputs).map(|(variable, input)| {
        format!("float_in {variable} {} {} ->", fraction(&input.lo), fraction(&input.hi))
    });
    let (ranges, values) = (wrapped(ranges, "", "  "), values.join(" "));
    format!(
        "\n(* The same, with the formulas. *)\nCorollary {name}_bound (lib : libm {size} {emax}) ({arguments} : float{bits}) : {library} ->\n  {ranges}\n  let float := {name}_float lib {arguments} in\n  let real := {name}_real {values} in\n  is_finite float = true /\\ dyadic {lo} <= real <= dyadic {hi} /\\\n  Rabs (B2R float - real) <= dyadic {d}.\nProof. intros. unfold float, real. rewrite <- float_reading, <- real_reading. by_readings {name}. Qed.\n"
    )
}

/// The number of operations of the result as a tree.
fn unfolded(program: &StraightLine) -> u64 {
    let mut sizes: Vec<u64> = Vec::new();
    for node in &program.nodes {
        let operands = node.op.operands();
        sizes.push(operands.fold(1, |sum: u64, operand| sum.saturating_add(sizes[operand])));
    }
    sizes.get(program.result).copied().unwrap_or(0)
}

/// One `let` for each operation that the result needs and that is no variable or constant.
fn formula(program: &StraightLine, variables: &[String], reading: Reading) -> String {
    let operation = |op: &Op, value: &dyn Fn(usize) -> String| operation(program.format, reading, op, value);
    let mut needed = vec![false; program.nodes.len()];
    needed[program.result] = true;
    for id in (0..program.nodes.len()).rev().filter(|&id| id <= program.result) {
        if needed[id] {
            program.nodes[id].op.operands().for_each(|operand| needed[operand] = true);
        }
    }
    let value = |id: usize| match &program.nodes[id].op {
        Op::Input(i) => variables[*i].clone(),
        _ => format!("op{}", id + 1),
    };
    let lets = program
        .nodes
        .iter()
        .enumerate()
        .filter(|(id, node)| needed[*id] && *id != program.result && !matches!(node.op, Op::Input(_)));
    let lines: Vec<String> = lets
        .map(|(id, node)| format!("  let {} := {} in", value(id), operation(&node.op, &value)))
        .chain([match program.nodes[program.result].op {
            Op::Input(_) => format!("  {}", value(program.result)),
            ref op => format!("  {}", operation(op, &value)),
        }])
        .collect();
    lines.join("\n")
}

/// An operation on values that stand by their names.
fn operation(format: Format, reading: Reading, op: &Op, value: &dyn Fn(usize) -> String) -> String {
    let is_real = reading == Reading::Real;
    let call = |real: &str, float: &str, operands: &[usize]| {
        let name = if is_real { real } else { float };
        operands.iter().fold(name.to_owned(), |text, &operand| format!("{text} {}", value(operand)))
    };
    let infix = |a: usize, real: &str, float: &str, b: usize| match is_real {
        true => format!("{} {real} {}", value(a), value(b)),
        false => call("", &format!("{float} mode_NE"), &[a, b]),
    };
    match *op {
        Op::Input(_) => unreachable!("a variable is its own value"),
        Op::Const(ref q) if is_real => format!("Q2R {}", fraction(q)),
        Op::Const(ref q) => format!("of_dyadic {}", dyadic(&nearest(format, q))),
        Op::Neg(a) => call("-", "Bopp", &[a]),
        Op::Abs(a) => call("Rabs", "Babs", &[a]),
        Op::Add(a, b) => infix(a, "+", "Bplus", b),
        Op::Sub(a, b) => infix(a, "-", "Bminus", b),
        Op::Mul(a, b) => infix(a, "*", "Bmult", b),
        Op::Div(a, b) => infix(a, "/", "Bdiv", b),
        Op::Fma(a, b, c) if is_real => format!("{} * {} + {}", value(a), value(b), value(c)),
        Op::Fma(a, b, c) => call("", "Bfma mode_NE", &[a, b, c]),
        Op::Sqrt(a) => call("sqrt", "Bsqrt mode_NE", &[a]),
        Op::Ln(a) => call("ln", "flln lib", &[a]),
        Op::Exp(a) => call("exp", "flexp lib", &[a]),
        Op::Min(a, b) => call("Rmin", "minF", &[a, b]),
        Op::Max(a, b) => call("Rmax", "maxF", &[a, b]),
        Op::Clamp { arg, bound } => call("clampR", "clampF", &[arg, bound]),
        Op::Round { arg, exponent, tie } => {
            let grid = format!("{} {}", integer(&IBig::from(exponent)), tie_name(tie));
            call(&format!("to_grid {grid}"), &format!("flgrid lib {grid}"), &[arg])
        }
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let test = comparison_name(test);
            let holds = call(&format!("holdsR {test}"), &format!("holdsF {test}"), &[lhs, rhs]);
            format!("if {holds} then {} else {}", value(then), value(otherwise))
        }
    }
}
