//! The two readings against what is known of them independently.

use lastbit_lang::eval::{
    EvalError, LibmModel, MachineFloat, RealValue, eval_float, eval_float_nodes, eval_real, eval_real_nodes,
    eval_real_value,
};
use lastbit_lang::{Accuracy, Comparison, Format, Input, InputKind, Op, Role, StraightLine, Tie, fpcore};
use lastbit_real::{Dyadic, Float, Rational, Rounding, exp, ln};
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn exact<F: Float>(value: F) -> Rational {
    Rational::from(value.to_dyadic().expect("finite"))
}

/// A program of three inputs `x y z` with wide ranges.
fn program(body: &str) -> StraightLine {
    let source =
        format!("(FPCore (x y z) :pre (and (<= -1e30 x 1e30) (<= -1e30 y 1e30) (<= -1e30 z 1e30)) {body})");
    fpcore::read(&source).remove(0).unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn real(body: &str, x: &str) -> Result<RealValue, EvalError> {
    eval_real_value(&program(body), &[rational(x), Rational::ONE, Rational::ONE], 64)
}

fn float(body: &str, x: f64) -> Result<f64, EvalError> {
    eval_float(&program(body), &[exact(x), Rational::ONE, Rational::ONE], LibmModel::Nearest)
}

#[test]
fn fractions_stay_exact() {
    let number = |text| Ok(RealValue::Exact(rational(text)));
    assert_eq!(real("(* 0.1 (* x 10))", "1"), number("1"));
    assert_eq!(real("(if (== (/ x 3) 1/3) 5 (log 0))", "1"), number("5"));
    assert_eq!(real("(sqrt (/ x 49))", "4"), number("2/7"));
    assert_eq!(real("(fma x x (- (* x x)))", "1/3"), number("0"));
    assert_eq!(real("(+ (log 1) (exp 0))", "1"), number("1"));
    assert_eq!(real("(fmax (fmin x 2) (fabs -1/3))", "1"), number("1"));
    // The float reading of the first is 1 by luck, of this one not.
    assert_eq!(float("(- (+ 0.1 0.2) 0.3)", 1.0), Ok(0.1 + 0.2 - 0.3));
    assert_eq!(real("(- (+ 0.1 0.2) 0.3)", "1"), number("0"));
}

#[test]
fn cancellation_is_seen_through() {
    // e^-700 is 2^-1010: the sum has to be known to a thousand bits.
    let difference = program("(- (+ 1 (exp (- x))) 1)");
    let inputs = [rational("700"), Rational::ONE, Rational::ONE];
    let enclosure = eval_real(&difference, &inputs, 100).expect("it is defined");
    let truth = exp(&Dyadic::from(-700), 100).expect("in range");
    assert!(enclosure.width() <= enclosure.lo().shl(-100));
    assert!(enclosure.lo() <= truth.hi() && truth.lo() <= enclosure.hi());
    // Zero, but no interval knows it: the width is absolute there.
    let zero = program("(- (log 6) (+ (log 2) (log 3)))");
    let enclosure = eval_real(&zero, &inputs, 64).expect("it is defined");
    assert!(enclosure.contains(&Rational::ZERO) && enclosure.width() <= Dyadic::pow2(-1074 - 64));
}

#[test]
fn errors_name_the_node() {
    let cases: [(&str, &str, EvalError); 6] = [
        ("(/ 1 (- x 1))", "1", EvalError::DivisionByZero { node: 6 }),
        ("(log (- x))", "1", EvalError::LnOfNonPositive { node: 4 }),
        ("(log (- x x))", "1", EvalError::LnOfNonPositive { node: 4 }),
        ("(sqrt (- x))", "1", EvalError::SqrtOfNegative { node: 4 }),
        ("(+ 1 (exp (* x 1e10)))", "1", EvalError::Overflow { node: 6 }),
        ("(exp (exp (exp (exp x))))", "9", EvalError::Overflow { node: 4 }),
    ];
    for (body, x, error) in cases {
        let inputs = [rational(x), Rational::ONE, Rational::ONE];
        let float = eval_float::<f64>(&program(body), &inputs, LibmModel::Nearest);
        assert_eq!(float.as_ref(), Err(&error), "{body}");
        // The real exponential goes further than the float one.
        let real = eval_real(&program(body), &inputs, 64).expect_err(body);
        assert_eq!(std::mem::discriminant(&real), std::mem::discriminant(&error), "{body}");
    }
    assert_eq!(eval_real(&program("x"), &[], 10), Err(EvalError::InputCount { expected: 3, found: 0 }));
    let inputs = [rational("0.1"), Rational::ONE, Rational::ONE];
    let error = EvalError::InputNotFloat { name: "x".to_owned() };
    assert_eq!(eval_float::<f64>(&program("x"), &inputs, LibmModel::Nearest), Err(error));
    // Equal to any precision: no interval decides.
    let undecided = real("(if (< (+ (log 2) (log 3)) (log 6)) 1 2)", "1");
    assert!(matches!(undecided, Err(EvalError::Undecided { node: _, bits: 8192 })), "{undecided:?}");
    assert_eq!(real("(let ([a (log 6)]) (if (<= a a) 1 2))", "1"), Ok(RealValue::Exact(Rational::ONE)));
    assert!(matches!(real("(/ 1 (- (log 6) (+ (log 2) (log 3))))", "1"), Err(EvalError::Undecided { .. })));
}

#[test]
fn the_branch_not_taken_does_not_matter() {
    let body = "(if (< 0 x) (log x) (sqrt (- x)))";
    assert_eq!(float(body, 1.0), Ok(0.0));
    assert_eq!(float(body, -4.0), Ok(2.0));
    assert_eq!(real(body, "-4"), Ok(RealValue::Exact(rational("2"))));
    let nodes = eval_real_nodes(&program(body), &[rational("-4"), Rational::ONE, Rational::ONE], 64)
        .expect("the inputs are in order");
    assert_eq!(nodes.iter().filter(|value| value.is_err()).count(), 1);
}

#[test]
fn extreme_exponents_cost_no_memory() {
    let tiny = "(exp (- (exp (* 20 x))))";
    assert_eq!(float(tiny, 1.0), Ok(0.0));
    let enclosure = real(tiny, "1").expect("it is defined").enclosure(64);
    assert!(!enclosure.lo().is_negative() && *enclosure.hi() < Dyadic::pow2(-100_000_000));
    assert!(real(&format!("(+ 1 (* {tiny} (sqrt {tiny})))"), "1").is_ok());
    let squares = format!("(let* ({}) a)", "[a (* a a)] ".repeat(60).replacen("(* a a)", tiny, 1));
    assert!(real(&squares, "1").is_ok());
    let large = format!("(let* ({}) a)", "[a (* a a)] ".repeat(60).replacen("(* a a)", "(exp x)", 1));
    assert!(matches!(real(&large, "2"), Err(EvalError::Overflow { .. })));
}

#[test]
fn rounding_clamping_and_choosing() {
    let mut program = StraightLine::new("snap", Format::Binary64);
    let x = program.input(
        Input {
            name: "x".to_owned(),
            role: Role::Argument,
            kind: InputKind::Real,
            lo: rational("-9"),
            hi: rational("9"),
        },
        None,
    );
    let bound = program.push(Op::Const(rational("2.5")), None);
    let clamped = program.push(Op::Clamp { arg: x, bound }, None);
    let rounded = program.push(Op::Round { arg: clamped, exponent: 1, tie: Tie::Away }, None);
    program.result = program.push(
        Op::Select { test: Comparison::LessOrEqual, lhs: rounded, rhs: x, then: x, otherwise: rounded },
        None,
    );
    let nodes = |x: &str| {
        let inputs = [rational(x)];
        let floats = eval_float_nodes::<f64>(&program, &inputs, LibmModel::Nearest).expect("one input");
        let reals = eval_real_nodes(&program, &inputs, 64).expect("one input");
        let floats: Vec<Rational> = floats.into_iter().map(|value| exact(value.expect("defined"))).collect();
        let reals: Vec<RealValue> = reals.into_iter().map(|value| value.expect("defined")).collect();
        (floats, reals)
    };
    for (x, expected) in [
        ("-3", ["-3", "2.5", "-2.5", "-2", "-2"]),
        ("-1", ["-1", "2.5", "-1", "-2", "-1"]),
        ("0.75", ["0.75", "2.5", "0.75", "0", "0.75"]),
        ("1", ["1", "2.5", "1", "2", "2"]),
        ("7", ["7", "2.5", "2.5", "2", "7"]),
    ] {
        let expected = expected.map(rational);
        let (floats, reals) = nodes(x);
        assert_eq!(floats, expected);
        assert_eq!(reals, expected.map(RealValue::Exact));
    }
    // A real input is rounded on entry, in the float reading only.
    let (floats, reals) = nodes("0.1");
    assert_eq!((&floats[0], &reals[0]), (&exact(0.1), &RealValue::Exact(rational("0.1"))));

    program.nodes[bound].op = Op::Const(rational("-1"));
    let error = Err(EvalError::NegativeBound { node: clamped });
    assert_eq!(eval_real(&program, &[Rational::ONE], 64).map(|_| ()), error);
    assert_eq!(eval_float::<f32>(&program, &[Rational::ONE], LibmModel::Nearest).map(|_| ()), error);
    for exponent in [i64::MIN, i64::MAX] {
        program.nodes[rounded].op = Op::Round { arg: x, exponent, tie: Tie::Up };
        let error = Err(EvalError::Grid { node: rounded });
        assert_eq!(eval_real(&program, &[Rational::ONE], 64).map(|_| ()), error);
        assert_eq!(eval_float::<f64>(&program, &[Rational::ONE], LibmModel::Nearest).map(|_| ()), error);
    }
}

/// The results of a library of `ulps` units at a point, for each model.
fn library<F: MachineFloat>(op: fn(usize) -> Op, x: F, ulps: &str, model: LibmModel) -> Result<F, EvalError> {
    let mut program = StraightLine::new("library", Format::Binary64);
    let input = Input {
        name: "x".to_owned(),
        role: Role::Argument,
        kind: InputKind::Float,
        lo: exact(x),
        hi: exact(x),
    };
    let x_node = program.input(input, None);
    program.libm.ln = Accuracy::Ulps(rational(ulps));
    program.libm.exp = Accuracy::Ulps(rational(ulps));
    program.result = program.push(op(x_node), None);
    eval_float(&program, &[exact(x)], model)
}

/// Whether the float is within `ulps` units of the true value, decided by an enclosure that is far narrower.
fn is_within<F: Float>(float: F, truth: &lastbit_real::Enclosure, ulps: &str) -> bool {
    let log2 = truth.abs().lo().floor_log2().expect("not 0");
    let unit = (log2 + 1 - i64::from(F::PRECISION)).max(i64::from(F::MIN_EXPONENT));
    let reach = rational(ulps) * Rational::pow2(unit);
    let [lo, hi] = [truth.lo(), truth.hi()].map(|end| (Rational::from(end) - exact(float)).abs() <= reach);
    assert_eq!(lo, hi, "the enclosure is narrow enough");
    lo
}

fn check_library<F: MachineFloat>(op: fn(usize) -> Op, x: F, truth: &lastbit_real::Enclosure) {
    for ulps in ["0.5", "0.75", "1", "7.25"] {
        let Ok(up) = library(op, x, ulps, LibmModel::Up) else { return };
        let down = library(op, x, ulps, LibmModel::Down).expect("less than the other one");
        assert!(is_within(up, truth, ulps) && !is_within(Float::next_up(up), truth, ulps));
        assert!(is_within(down, truth, ulps) && !is_within(Float::next_down(down), truth, ulps));
        for seed in 0..4 {
            let any = library(op, x, ulps, LibmModel::Seeded(seed)).expect("between the two");
            assert!(down <= any && any <= up);
        }
    }
    let nearest = library(op, x, "9", LibmModel::Nearest).expect("finite");
    assert!(is_within(nearest, truth, "0.5"), "{x} {nearest}");
}

#[test]
fn libraries_at_special_points() {
    // Zero has no unit: it is returned as such.
    assert_eq!(library(Op::Ln, 1.0, "3", LibmModel::Up), Ok(0.0));
    assert_eq!(library(Op::Exp, 0.0, "1", LibmModel::Up), Ok(1.0 + f64::EPSILON));
    assert_eq!(library(Op::Exp, 0.0f32, "1", LibmModel::Down), Ok(1.0 - f32::EPSILON));
    // No float within a tenth of a unit: the nearest one.
    assert_eq!(library(Op::Ln, 2.0, "0.1", LibmModel::Up), Ok(std::f64::consts::LN_2));
    let tiny = f64::from_bits(1);
    assert_eq!(library(Op::Exp, -1e300, "2", LibmModel::Up), Ok(2.0 * tiny));
    assert_eq!(library(Op::Exp, -1e300, "2", LibmModel::Down), Ok(-tiny));
    assert_eq!(library(Op::Exp, -1e300, "2", LibmModel::Nearest), Ok(0.0));
    let overflow = EvalError::Overflow { node: 1 };
    assert_eq!(library(Op::Exp, 1e300, "2", LibmModel::Down), Err(overflow.clone()));
    assert_eq!(library(Op::Exp, 89.0f32, "2", LibmModel::Down), Err(overflow));
}

fn finite64() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite())
}

fn finite32() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |value| value.is_finite())
}

/// Each operation is the exact one, rounded: computed with fractions.
fn check_operations<F: MachineFloat>(x: F, y: F, z: F) -> Result<(), TestCaseError> {
    let [rx, ry, rz] = [x, y, z].map(exact);
    let cases = [
        ("(+ x y)", Some(&rx + &ry)),
        ("(- x y)", Some(&rx - &ry)),
        ("(* x y)", Some(&rx * &ry)),
        ("(/ x y)", rx.checked_div(&ry)),
        ("(fma x y z)", Some(&rx * &ry + &rz)),
        ("(- x)", Some(-&rx)),
        ("(fabs x)", Some(rx.abs())),
        ("(fmin x (fmax y z))", Some(rx.clone().min(ry.clone().max(rz.clone())))),
        ("(if (<= x y) z x)", Some(if rx <= ry { rz.clone() } else { rx.clone() })),
    ];
    let inputs = [rx.clone(), ry.clone(), rz.clone()];
    for (body, value) in cases {
        let program = program(body);
        let float = eval_float::<F>(&program, &inputs, LibmModel::Nearest);
        let rounded = value.as_ref().map(|value| F::from_rational(value, Rounding::Nearest));
        match (float, rounded) {
            (Ok(float), Some(rounded)) => prop_assert!(float == rounded, "{body} at {x} {y} {z}"),
            (Err(EvalError::Overflow { .. }), Some(rounded)) => prop_assert!(!Float::is_finite(rounded)),
            (Err(EvalError::DivisionByZero { .. }), None) => {}
            (float, _) => prop_assert!(false, "{body} at {x} {y} {z}: {float:?}"),
        }
        if let Some(value) = value {
            let enclosure = eval_real(&program, &inputs, 60).expect("it is defined");
            prop_assert!(enclosure.contains(&value));
        }
    }
    // The float nearest to √x: its midpoints to the neighbours, squared, lie on both sides of x.
    if let Ok(root) = eval_float::<F>(&program("(sqrt x)"), &inputs, LibmModel::Nearest) {
        let [below, above] = [root.midpoint_below(), root.midpoint_above()].map(|end| end.expect("finite"));
        prop_assert!(below.is_negative() || (&below * &below).cmp_rational(&rx).is_le());
        prop_assert!((&above * &above).cmp_rational(&rx).is_ge());
    } else {
        prop_assert!(rx.is_negative());
    }
    Ok(())
}

proptest! {
    #[test]
    fn operations_are_rounded_once(x in finite64(), y in finite64(), z in finite64(), a in finite32(), b in finite32(), c in finite32()) {
        check_operations(x, y, z)?;
        check_operations(a, b, c)?;
        // Close to each other: cancellation and ties.
        check_operations(x, x.next_up().min(f64::MAX), -x)?;
        check_operations(a, -a.next_down().max(-f32::MAX), a)?;
    }

    #[test]
    fn libraries_are_as_bad_as_they_may(x in finite64(), a in finite32(), t in -800.0..800.0f64, s in -110.0..95.0f32) {
        let truth = |x: Rational, f: fn(&Dyadic, u32) -> Result<lastbit_real::Enclosure, lastbit_real::DomainError>| {
            f(&Dyadic::try_from(&x).expect("a float"), 300).expect("in the domain")
        };
        if x != 0.0 {
            check_library(Op::Ln, x.abs(), &truth(exact(x.abs()), ln));
        }
        if a != 0.0 {
            check_library(Op::Ln, a.abs(), &truth(exact(a.abs()), ln));
        }
        if t < 709.0 {
            check_library(Op::Exp, t, &truth(exact(t), exp));
        }
        if s < 88.0 {
            check_library(Op::Exp, s, &truth(exact(s), exp));
        }
    }
}
