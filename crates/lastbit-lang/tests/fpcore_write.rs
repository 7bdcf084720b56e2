//! What is written is read again as the same program.

use lastbit_lang::fpcore::{WriteError, read, write};
use lastbit_lang::{Accuracy, Comparison, Format, Input, InputKind, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::Rational;
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn input(name: &str, kind: InputKind) -> Input {
    Input { name: name.to_owned(), role: Role::Argument, kind, lo: rational("-1"), hi: rational("1") }
}

fn again(program: &StraightLine) -> StraightLine {
    let text = write(program).expect("it has an FPCore form");
    let mut programs = read(&text);
    assert_eq!(programs.len(), 1, "{text}");
    programs.remove(0).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The operations that the result depends on, numbered in the order in which a reader of the expression meets them: equal
/// for programs that differ in the order of independent nodes only.
fn structure(program: &StraightLine) -> Vec<Op> {
    let mut places = vec![None; program.nodes.len()];
    let mut ops = Vec::new();
    let mut pending = vec![(program.result, false)];
    while let Some((id, operands_done)) = pending.pop() {
        if places[id].is_some() {
            continue;
        }
        let op = &program.nodes[id].op;
        if !operands_done {
            pending.push((id, true));
            let operands: Vec<NodeId> = op.operands().collect();
            pending.extend(operands.into_iter().rev().map(|operand| (operand, false)));
            continue;
        }
        places[id] = Some(ops.len());
        ops.push(renumbered(op, &|id: NodeId| places[id].expect("operands come first")));
    }
    ops
}

fn renumbered(op: &Op, at: &impl Fn(NodeId) -> NodeId) -> Op {
    match *op {
        Op::Input(i) => Op::Input(i),
        Op::Const(ref c) => Op::Const(c.clone()),
        Op::Neg(a) => Op::Neg(at(a)),
        Op::Abs(a) => Op::Abs(at(a)),
        Op::Sqrt(a) => Op::Sqrt(at(a)),
        Op::Ln(a) => Op::Ln(at(a)),
        Op::Exp(a) => Op::Exp(at(a)),
        Op::Add(a, b) => Op::Add(at(a), at(b)),
        Op::Sub(a, b) => Op::Sub(at(a), at(b)),
        Op::Mul(a, b) => Op::Mul(at(a), at(b)),
        Op::Div(a, b) => Op::Div(at(a), at(b)),
        Op::Min(a, b) => Op::Min(at(a), at(b)),
        Op::Max(a, b) => Op::Max(at(a), at(b)),
        Op::Fma(a, b, c) => Op::Fma(at(a), at(b), at(c)),
        Op::Clamp { arg, bound } => Op::Clamp { arg: at(arg), bound: at(bound) },
        Op::Round { arg, exponent, tie } => Op::Round { arg: at(arg), exponent, tie },
        Op::Select { test, lhs, rhs, then, otherwise } => {
            Op::Select { test, lhs: at(lhs), rhs: at(rhs), then: at(then), otherwise: at(otherwise) }
        }
    }
}

#[test]
fn the_text_of_a_program() {
    let mut program = StraightLine::new("loss \"A\"", Format::Binary32);
    program.libm.ln = Accuracy::Ulps(rational("1"));
    let x = program.input(Input { lo: rational("1/4"), ..input("x", InputKind::Float) }, None);
    let sign = program.input(input("s", InputKind::Sign), None);
    let count = program.input(input("n", InputKind::Integer), None);
    let ln = program.push(Op::Ln(x), None);
    let tenth = program.push(Op::Const(rational("0.1")), None);
    let shared = program.push(Op::Fma(ln, tenth, sign), None);
    let named = program.push(Op::Mul(shared, count), None);
    program.nodes[named].name = Some("λ E".to_owned());
    let third = program.push(Op::Const(rational("1/3")), None);
    let test = Comparison::LessOrEqual;
    program.result =
        program.push(Op::Select { test, lhs: shared, rhs: third, then: named, otherwise: x }, None);
    let expected = "(FPCore (x s n)
  :name \"loss \\\"A\\\"\"
  :precision binary32
  :lastbit-log-ulps 1
  :pre (and (<= 0.25 x 1)
            (and (<= -1 s 1) (or (== s -1) (== s 1)))
            (and (<= -1 n 1) (== n (trunc n))))
  (let* ([t (fma (log x) 0.1 s)]
         [__E (* t n)])
    (if (<= t 1/3) __E x)))
";
    assert_eq!(write(&program).expect("it has an FPCore form"), expected);
    let read = again(&program);
    assert_eq!(structure(&read), structure(&program));
    assert_eq!((read.name, read.format, read.libm), (program.name, program.format, program.libm));
    assert_eq!(read.notes.len(), 2);
}

#[test]
fn a_clamp_is_a_minimum_and_a_maximum() {
    let mut program = StraightLine::new("clamp", Format::Binary64);
    let x = program.input(input("x", InputKind::Float), None);
    let bound = program.push(Op::Const(rational("0.5")), None);
    program.result = program.push(Op::Clamp { arg: x, bound }, None);
    assert_eq!(
        structure(&again(&program)),
        [Op::Const(rational("0.5")), Op::Neg(0), Op::Input(0), Op::Min(2, 0), Op::Max(1, 3)]
    );
}

#[test]
fn what_has_no_form_is_refused() {
    let mut program = StraightLine::new("snap", Format::Binary64);
    let x = program.input(input("x", InputKind::Float), None);
    program.result = program.push(Op::Round { arg: x, exponent: -3, tie: Tie::Up }, None);
    assert_eq!(write(&program), Err(WriteError::Grid { node: 1, exponent: -3 }));
    // It does not matter where the result does not depend on it.
    program.result = x;
    assert!(write(&program).is_ok());
    program.inputs[0].kind = InputKind::Real;
    assert_eq!(write(&program), Err(WriteError::RealInput { name: "x".to_owned() }));
}

#[test]
fn names_become_symbols_of_their_own() {
    let mut program = StraightLine::new("", Format::Binary64);
    let names = ["x", "x", "", "E", "1x", ":x", "a b", "-", "+.5"];
    let ids: Vec<NodeId> =
        names.iter().map(|name| program.input(input(name, InputKind::Float), None)).collect();
    program.result = ids.into_iter().reduce(|a, b| program.push(Op::Add(a, b), None)).expect("some");
    let read = again(&program);
    assert_eq!(structure(&read), structure(&program));
    let symbols: Vec<&str> = read.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(symbols, ["x", "x1", "_", "_E", "_1x", "_:x", "a_b", "-", "_+.5"]);
}

#[test]
fn depth_costs_no_stack() {
    let mut program = StraightLine::new("deep", Format::Binary64);
    let x = program.input(input("x", InputKind::Float), None);
    program.result = (0..10_000).fold(x, |a, _| program.push(Op::Sub(x, a), None));
    assert_eq!(structure(&again(&program)), structure(&program));
}

/// A program from arbitrary numbers: each picks an operation and its operands among the nodes before.
fn from_choices(
    choices: &[(u8, u16, u16, u16, u16)],
    constants: &[Rational],
    format: Format,
) -> StraightLine {
    let mut program = StraightLine::new("random", format);
    program.input(input("x", InputKind::Float), None);
    program.input(input("y", InputKind::Float), None);
    for &(kind, a, b, c, d) in choices {
        let count = program.nodes.len();
        let [a, b, c, d] = [a, b, c, d].map(|choice| usize::from(choice) % count);
        let op = match kind % 15 {
            0 => Op::Const(constants[a % constants.len()].clone()),
            1 => Op::Neg(a),
            2 => Op::Abs(a),
            3 => Op::Sqrt(a),
            4 => Op::Ln(a),
            5 => Op::Exp(a),
            6 => Op::Add(a, b),
            7 => Op::Sub(a, b),
            8 => Op::Mul(a, b),
            9 => Op::Div(a, b),
            10 => Op::Min(a, b),
            11 => Op::Max(a, b),
            12 => Op::Fma(a, b, c),
            13 => Op::Select { test: Comparison::Less, lhs: a, rhs: b, then: c, otherwise: d },
            _ => Op::Select { test: Comparison::Equal, lhs: a, rhs: b, then: c, otherwise: d },
        };
        let id = program.push(op, None);
        if kind >= 200 {
            program.nodes[id].name = Some(format!("n{}", kind % 3));
        }
    }
    program.result = program.nodes.len() - 1;
    program
}

fn constant() -> impl Strategy<Value = Rational> {
    prop_oneof![
        any::<f64>().prop_filter_map("finite", |value| Rational::try_from(value).ok()),
        (any::<i64>(), 1..=u32::MAX).prop_filter_map("not 0", |(n, d)| Rational::new(n, d)),
        (-1000i64..1000, -30i32..30).prop_map(|(n, e)| rational(&format!("{n}e{e}"))),
    ]
}

proptest! {
    #[test]
    fn reading_inverts_writing(
        choices in prop::collection::vec(any::<(u8, u16, u16, u16, u16)>(), 0..60),
        constants in prop::collection::vec(constant(), 1..5),
        single in any::<bool>(),
    ) {
        let format = if single { Format::Binary32 } else { Format::Binary64 };
        let program = from_choices(&choices, &constants, format);
        let read = again(&program);
        prop_assert_eq!(structure(&read), structure(&program));
        prop_assert_eq!(&read.inputs, &program.inputs);
        prop_assert_eq!(read.format, format);
        prop_assert!(read.notes.is_empty());
        prop_assert_eq!(structure(&again(&read)), structure(&read));
    }
}
