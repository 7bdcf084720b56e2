//! From text to straight-line expressions.

use lastbit_lang::eval::{RealValue, eval_real_nodes};
use lastbit_lang::{
    Accuracy, Bindings, Diagnostic, Format, InputKind, Lowered, NodeId, Op, Tie, lower, parse, render,
};
use lastbit_real::Rational;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn bindings(values: &[(&str, &str)], ranges: &[(&str, &str, &str)]) -> Bindings {
    Bindings {
        values: values.iter().map(|(name, value)| (name.to_string(), number(value))).collect(),
        ranges: ranges.iter().map(|(name, lo, hi)| (name.to_string(), (number(lo), number(hi)))).collect(),
        ..Bindings::default()
    }
}

fn try_lower(source: &str, bindings: &Bindings, target: Option<&str>) -> Result<Lowered, Vec<Diagnostic>> {
    let (file, messages) = parse(source);
    assert!(messages.is_empty(), "{}", render("test.lb", source, &messages));
    lower(&file, None, bindings, target)
}

#[track_caller]
fn lowered(source: &str, bindings: &Bindings, target: Option<&str>) -> Lowered {
    let result = try_lower(source, bindings, target);
    result.unwrap_or_else(|messages| panic!("{}", render("test.lb", source, &messages)))
}

#[track_caller]
fn refused(source: &str, bindings: &Bindings, message: &str, hint: &str) {
    let messages = try_lower(source, bindings, None).unwrap_err();
    let found = messages
        .iter()
        .any(|m| m.message.contains(message) && m.hint.as_deref().unwrap_or("").contains(hint));
    assert!(found, "{messages:#?}");
}

/// The value over the reals where all operations are rational; that is enough for control flow.
fn evaluate(lowered: &Lowered, inputs: &[(&str, i64)]) -> Vec<Rational> {
    let program = &lowered.program;
    let value = |name: &String| inputs.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
    let of = |name: &String| value(name).unwrap_or_else(|| panic!("no value for {name}"));
    let inputs: Vec<Rational> = program.inputs.iter().map(|input| Rational::from(of(&input.name))).collect();
    let nodes = eval_real_nodes(program, &inputs, 64).unwrap();
    let exact = |id: &NodeId| match &nodes[*id] {
        Ok(RealValue::Exact(value)) => value.clone(),
        other => panic!("{other:?} is not for this test"),
    };
    lowered.results.iter().map(exact).collect()
}

const SNAPPING: &str = include_str!("../../../mechanisms/snapping_f64.lb");

#[test]
fn snapping_in_doubles() {
    let source = SNAPPING.replace("B: f64 > 0", "B: f64 in (0, 340]");
    let given = bindings(&[("eps", "1/2"), ("L", "1")], &[("x", "-1024", "1024")]);
    let program = lowered(&source, &given, None).program;
    assert_eq!(program.format, Format::Binary64);
    assert_eq!(program.libm.ln, Accuracy::CorrectlyRounded);
    let inputs: Vec<(&str, InputKind)> =
        program.inputs.iter().map(|input| (input.name.as_str(), input.kind)).collect();
    assert_eq!(
        inputs,
        [("u", InputKind::Float), ("s", InputKind::Sign), ("x", InputKind::Float), ("B", InputKind::Float)]
    );
    assert_eq!(program.inputs[0].lo, Rational::pow2(-1074));
    assert_eq!(program.inputs[0].hi, Rational::ONE - Rational::pow2(-53));
    // (0, 340] in doubles.
    assert_eq!(program.inputs[3].lo, Rational::pow2(-1074));
    let round = program.nodes.iter().find_map(|node| match node.op {
        Op::Round { exponent, tie, .. } => Some((exponent, tie)),
        _ => None,
    });
    assert_eq!(round, Some((0, Tie::Up)));
    assert!(matches!(program.nodes[program.result].op, Op::Clamp { .. }));
    assert_eq!(program.nodes[program.result].name.as_deref(), Some("r"));
    let span = program.nodes[program.result].span.unwrap();
    assert_eq!(&source[span.start..span.end], "clamp(round(w, L, up), B)");
}

#[test]
fn a_target_needs_only_what_comes_before() {
    // The grid is not needed for w, and neither is anything else for y.
    let for_w = bindings(&[("eps", "1"), ("B", "1024")], &[("x", "-1024", "1024")]);
    let lowered_w = lowered(SNAPPING, &for_w, Some("w"));
    assert!(matches!(lowered_w.program.nodes[lowered_w.program.result].op, Op::Add(..)));
    let lowered_y = lowered(SNAPPING, &for_w, Some("y"));
    assert_eq!(lowered_y.program.inputs.len(), 1);
    let messages = try_lower(SNAPPING, &Bindings::default(), Some("ww")).unwrap_err();
    assert_eq!(messages[0].hint.as_deref(), Some("did you mean `w`?"));
}

#[test]
fn what_is_missing_is_named() {
    let source = "mechanism m(x: real) -> grid param eps: real > 0, L: real > 0 \
                  { u <$ unif(0,1]; return round(x + ln(u) / eps, L, even) }";
    let messages = try_lower(source, &Bindings::default(), None).unwrap_err();
    let hints: Vec<&str> = messages.iter().filter_map(|message| message.hint.as_deref()).collect();
    assert!(hints.contains(&"give it: --range x=lo,hi"), "{hints:?}");
    assert!(hints.contains(&"give it: --param eps=… or --range eps=lo,hi"), "{hints:?}");
    assert!(hints.contains(&"give it: --param L=… or --range L=lo,hi"), "{hints:?}");

    let given = |l| bindings(&[("eps", "1"), ("L", l)], &[("x", "-1", "1")]);
    refused(source, &given("3"), "must be a power of two, `L` is 3", "not exact");
    refused(source, &given("-2"), "-2 is not a value of `L`", "");
    refused(
        source,
        &bindings(&[("eps", "1")], &[("x", "-1", "1"), ("L", "1", "2")]),
        "must be known",
        "--param L=1",
    );
    refused(
        source,
        &bindings(&[("epz", "1")], &[]),
        "no argument, parameter or query `epz`",
        "did you mean `eps`?",
    );
    refused(source, &bindings(&[], &[("x", "2", "1")]), "empty", "");
    let good = lowered(source, &given("1/8"), None).program;
    assert!(matches!(good.nodes[good.result].op, Op::Round { exponent: -3, tie: Tie::Even, .. }));
    // A program over the reals, read in a format of choice.
    assert_eq!(good.inputs.iter().find(|input| input.name == "x").unwrap().kind, InputKind::Real);
    let single = Bindings { real_format: Format::Binary32, ..given("1") };
    let program = lowered(source, &single, None).program;
    assert_eq!(program.format, Format::Binary32);
    assert_eq!(program.inputs.iter().find(|input| input.name == "u").unwrap().lo, Rational::pow2(-149));
}

#[test]
fn samplers() {
    let source = |clause: &str| format!("mechanism m(x: f64) -> f64 {clause} {{ u <$ unif(0,1]; return u }}");
    for (clause, exponent) in
        [("", -1074), ("sampler unif = grid53(0,1)", -53), ("sampler unif = grid24(0,1)", -24)]
    {
        let program = lowered(&source(clause), &Bindings::default(), None).program;
        assert_eq!(program.inputs[0].lo, Rational::pow2(exponent));
        assert_eq!(program.inputs[0].hi, Rational::ONE - Rational::pow2(exponent.max(-53)));
    }
    let single = source("sampler unif = grid53(0,1)").replace("f64", "f32");
    refused(&single, &Bindings::default(), "binary32", "");
    for law in ["lap(1)", "expo(1)", "dlap(1, -3)", "choose(1, 2)"] {
        let source = format!("mechanism m(x: real) -> real {{ z <$ {law}; return z }}");
        refused(&source, &Bindings::default(), "no straight-line float reading", "unif");
        // Nobody uses it.
        lowered(
            &format!("mechanism m(x: real) -> real {{ z <$ {law}; return 1 }}"),
            &Bindings::default(),
            None,
        );
    }
    let response = include_str!("../../../mechanisms/randomized_response.lb");
    let program = lowered(response, &Bindings::default(), None);
    for (lie, answer, result) in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        assert_eq!(evaluate(&program, &[("lie", lie), ("answer", answer)]), [Rational::from(result)]);
    }
}

#[test]
fn loops_and_arrays() {
    let source = "function f(q: f64[3] in [-8, 8]) -> int {
        best := 0;
        top := q[0];
        for i in 1..3 { if q[i] > top { best := i; top := q[i]; } }
        return best;
    }";
    let program = lowered(source, &Bindings::default(), None);
    for (q, best) in [([1, 2, 3], 2), ([3, 2, 1], 0), ([1, 3, 2], 1), ([2, 2, 2], 0)] {
        let inputs = [("q[0]", q[0]), ("q[1]", q[1]), ("q[2]", q[2])];
        let used: Vec<(&str, i64)> = inputs
            .into_iter()
            .filter(|(name, _)| program.program.inputs.iter().any(|i| i.name == *name))
            .collect();
        assert_eq!(evaluate(&program, &used), [Rational::from(best)], "{q:?}");
    }
    let top = lowered(source, &Bindings::default(), Some("top"));
    assert_eq!(top.program.nodes[top.program.result].name.as_deref(), Some("top"));
    assert_eq!(evaluate(&top, &[("q[0]", 4), ("q[1]", 7), ("q[2]", 5)]), [Rational::from(7)]);
}

#[test]
fn what_is_set_on_one_path_only() {
    for set in
        ["var z: f64[1]; if x > 0 { z[0] := 1; } return z[0]", "var y: f64; if x > 0 { y := 1; } return y"]
    {
        let source = format!("function f(x: f64 in [-1, 1]) -> f64 {{ {set} }}");
        refused(&source, &Bindings::default(), "is not set on every path", "");
    }
    refused(
        "function f() -> f64 { var z: f64[1]; return z[0] }",
        &Bindings::default(),
        "has not been set",
        "",
    );
}

#[test]
fn samples_in_a_loop_are_different_inputs() {
    let source = "mechanism m(x: f64 in [0, 1]) -> f64
        { var z: f64[2]; sum := x; for i in 0..2 { u <$ unif(0,1); z[i] <$ sign; sum := sum + u * z[i]; } return sum }";
    let sum = lowered(source, &Bindings::default(), None);
    let names: Vec<&str> = sum.program.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["x", "u", "z[0]", "u_2", "z[1]"]);
    let element = lowered(source, &Bindings::default(), Some("z[1]"));
    assert_eq!(element.program.inputs.len(), 1);
}

#[test]
fn early_returns() {
    let source = "function first(q: f64[4] in [-8, 8], T: f64 in [-8, 8]) -> int {
        for i in 0..4 { if q[i] >= T { return i; } }
        return 4;
    }";
    let program = lowered(source, &Bindings::default(), None);
    for bits in 0..16 {
        let q = |i: i64| (bits >> i) & 1;
        let expected = (0..4).find(|i| q(*i) == 1).unwrap_or(4);
        let inputs = [("q[0]", q(0)), ("q[1]", q(1)), ("q[2]", q(2)), ("q[3]", q(3)), ("T", 1)];
        assert_eq!(evaluate(&program, &inputs), [Rational::from(expected)], "{bits:04b}");
    }
}

#[test]
fn conditions() {
    let condition = "(a < 1 & !(b = 1)) | (a >= b & b != 2) | c";
    let source = format!(
        "function f(a: int in [0, 3], b: int in [0, 3], c: bool) -> int {{
           t := {condition};
           if t {{ r := 1; }} else {{ if a > 2 {{ r := 2; }} else {{ r := 3; }} }}
           v := if t = c {{ 10 }} else {{ 20 }};
           return r + v;
         }}"
    );
    let program = lowered(&source, &Bindings::default(), None);
    for a in 0..4i64 {
        for b in 0..4i64 {
            for c in [false, true] {
                let t = (a < 1 && b != 1) || (a >= b && b != 2) || c;
                let r = if t { 1 } else { 3 - i64::from(a > 2) };
                let v = if t == c { 10 } else { 20 };
                let inputs = [("a", a), ("b", b), ("c", i64::from(c))];
                assert_eq!(evaluate(&program, &inputs), [Rational::from(r + v)], "{a} {b} {c}");
            }
        }
    }
}

#[test]
fn lists_queries_and_claims() {
    let source = "mechanism m(a: data) -> [f64] query f: f64 in [-4, 4] { return [f(a) + 1, f(a) * 2] }";
    let program = lowered(source, &Bindings::default(), None);
    assert_eq!(program.program.inputs.len(), 1);
    assert_eq!(evaluate(&program, &[("f(a)", 3)]), [Rational::from(4), Rational::from(6)]);

    let source = include_str!("programs/sums.lb");
    let (file, _) = parse(source);
    let horner = lower(&file, Some("horner"), &Bindings::default(), None).unwrap();
    let claim = horner.error_claim.unwrap();
    assert!(matches!(horner.program.nodes[claim].op, Op::Mul(..)));
    let span = horner.program.nodes[claim].span.unwrap();
    assert_eq!(&source[span.start..span.end], "2^-52 * (1 + |result|)");
    assert_eq!(horner.results, [horner.program.result]);
    let messages = lower(&file, Some("hornet"), &Bindings::default(), None).unwrap_err();
    assert_eq!(messages[0].hint.as_deref(), Some("did you mean `horner`?"));
    let messages = lower(&file, None, &Bindings::default(), None).unwrap_err();
    assert!(messages[0].hint.as_deref().unwrap().contains("horner"));
}

#[test]
fn constants_are_exact_and_divisions_stay() {
    let source =
        "function f(x: f64 in [-2^-3, 1/3]) -> f64 libm exp = ulp(3/2) { return 0.1 * exp(x) + 1 / 3 }";
    let program = lowered(source, &Bindings::default(), None).program;
    assert_eq!(program.inputs[0].lo, number("-1/8"));
    assert_eq!(program.inputs[0].hi, number("1/3"));
    assert_eq!(program.libm.exp, Accuracy::Ulps(number("3/2")));
    assert!(program.nodes.iter().any(|node| node.op == Op::Const(number("1/10"))));
    assert!(program.nodes.iter().any(|node| matches!(node.op, Op::Div(..))));
}
