//! Error certificates: what the search found, as data that [`crate::check`] goes through again. The format is in `docs/semantics.md`.

use lastbit_lang::{Accuracy, Comparison, Input, InputKind, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure};
use serde_json::{Value, json};

use crate::analysis::{Analysis, Leaf, Method, Tree};
use crate::linear::linear_form;
use crate::rules::{Judgement, Rules};

/// The certificate of an analysis.
pub fn to_json(program: &StraightLine, analysis: &Analysis) -> Value {
    let tree: Vec<Value> = analysis.tree.iter().map(|entry| tree_entry(program, entry)).collect();
    json!({
        "lastbit": "error certificate",
        "version": 2,
        "program": program_to_json(program),
        "claim": {
            "program": fingerprint(program),
            "error": dyadic(&analysis.error),
            "range": interval(&analysis.range),
            "at_most": analysis.claim.filter(|_| analysis.meets_claim()),
        },
        "tree": tree,
    })
}

/// `17p-43` for `17·2^-43`.
fn dyadic(x: &Dyadic) -> String {
    if x.is_zero() { "0".into() } else { format!("{}p{}", x.mantissa(), x.exponent()) }
}

fn interval(x: &Enclosure) -> Value {
    json!([dyadic(x.lo()), dyadic(x.hi())])
}

/// A short name for a program, made of all that the program section of a certificate says. It tells a file that was changed from one
/// that was written; it is no protection against someone who wants two programs to have the same.
pub fn fingerprint(program: &StraightLine) -> String {
    // FNV-1a, 64 bits.
    let text = program_to_json(program).to_string();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The program section of a certificate.
pub(crate) fn program_to_json(program: &StraightLine) -> Value {
    let nodes: Vec<Value> = program.nodes.iter().map(|node| operation(&node.op)).collect();
    json!({
        "name": program.name,
        "format": program.format.to_string(),
        "libm": { "ln": accuracy(&program.libm.ln), "exp": accuracy(&program.libm.exp) },
        "inputs": program.inputs.iter().map(input).collect::<Vec<_>>(),
        "nodes": nodes,
        "result": program.result,
    })
}

/// An accuracy as it is written.
pub(crate) fn accuracy(accuracy: &Accuracy) -> String {
    match accuracy {
        Accuracy::CorrectlyRounded => "correctly_rounded".into(),
        Accuracy::Ulps(k) => format!("{k} ulp"),
    }
}

fn input(input: &Input) -> Value {
    let kind = match input.kind {
        InputKind::Float => "float",
        InputKind::Real => "real",
        InputKind::Sign => "sign",
        InputKind::Integer => "integer",
    };
    let (role, lo, hi) = (input.role.name(), input.lo.to_string(), input.hi.to_string());
    json!({ "name": input.name, "role": role, "kind": kind, "lo": lo, "hi": hi })
}

/// A comparison as it is written.
pub(crate) fn comparison(test: Comparison) -> &'static str {
    match test {
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Equal => "==",
    }
}

/// A tie rule as it is written.
pub(crate) fn tie_name(tie: Tie) -> &'static str {
    match tie {
        Tie::Up => "up",
        Tie::Even => "even",
        Tie::Away => "away",
    }
}

fn operation(op: &Op) -> Value {
    match op {
        Op::Input(i) => json!(["input", i]),
        Op::Const(value) => json!(["const", value.to_string()]),
        Op::Neg(a) => json!(["neg", a]),
        Op::Abs(a) => json!(["abs", a]),
        Op::Add(a, b) => json!(["add", a, b]),
        Op::Sub(a, b) => json!(["sub", a, b]),
        Op::Mul(a, b) => json!(["mul", a, b]),
        Op::Div(a, b) => json!(["div", a, b]),
        Op::Fma(a, b, c) => json!(["fma", a, b, c]),
        Op::Sqrt(a) => json!(["sqrt", a]),
        Op::Ln(a) => json!(["ln", a]),
        Op::Exp(a) => json!(["exp", a]),
        Op::Min(a, b) => json!(["min", a, b]),
        Op::Max(a, b) => json!(["max", a, b]),
        Op::Clamp { arg, bound } => json!(["clamp", arg, bound]),
        Op::Round { arg, exponent, tie } => json!(["round", arg, exponent, tie_name(*tie)]),
        Op::Select { test, lhs, rhs, then, otherwise } => {
            json!(["if", comparison(*test), lhs, rhs, then, otherwise])
        }
    }
}

fn tree_entry(program: &StraightLine, entry: &Tree) -> Value {
    match entry {
        Tree::Cut { cut, parts } => json!({
            "cut": cut.input, "left": dyadic(&cut.left), "right": dyadic(&cut.right), "parts": parts,
        }),
        Tree::Leaf(leaf) => json!({ "leaf": leaf_to_json(program, leaf) }),
    }
}

fn leaf_to_json(program: &StraightLine, leaf: &Leaf) -> Value {
    let judgements = Rules::new(program).derive(&leaf.inputs);
    let mut value = json!({
        "box": leaf.inputs.iter().map(interval).collect::<Vec<_>>(),
        "method": match leaf.method { Method::Interval => "interval", Method::Linear => "linear" },
        "error": dyadic(&leaf.error),
        "judgements": judgements.iter().map(|j| j.as_ref().map_or(Value::Null, judgement)).collect::<Vec<_>>(),
    });
    if leaf.method == Method::Linear {
        let form = linear_form(program, &judgements).expect("the leaf was bounded by it");
        value["coefficients"] = form.coefficients.iter().map(interval).collect();
    }
    value
}

/// The numbers of a judgement.
fn judgement(j: &Judgement) -> Value {
    json!([
        dyadic(j.range.lo()),
        dyadic(j.range.hi()),
        dyadic(j.float.lo()),
        dyadic(j.float.hi()),
        dyadic(&j.propagated),
        dyadic(&j.rounding),
        j.relative.as_ref().map(dyadic),
        dyadic(&j.error),
    ])
}
