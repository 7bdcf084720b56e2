//! The sign of a zero, operation by operation: what `docs/language.md` says, with the argument known when the text is read and not.

use lastbit_lang::eval::{LibmModel, eval_float};
use lastbit_lang::{Bindings, lower, parse};
use lastbit_real::Rational;

/// The value of an expression of `x`, an argument, and `n`, an integer; as text, as `-0` is not 0.
fn value(expression: &str, x: i64, is_known: bool) -> String {
    let text = format!(
        "function f(x: f64 in [-2, 2]) -> f64 param n: int = 0 {{ for i in 0..1 {{ y := {expression}; }} return y; }}"
    );
    let (file, messages) = parse(&text);
    assert_eq!(messages, [], "{text}");
    let mut bindings = Bindings::default();
    if is_known {
        bindings.values.insert("x".into(), Rational::from(x));
    }
    let program = lower(&file, None, &bindings, None).expect("a program").program;
    let inputs: Vec<Rational> = program.inputs.iter().map(|_| Rational::from(x)).collect();
    let double: f64 = eval_float(&program, &inputs, LibmModel::Nearest).expect("a value");
    let single: f32 = eval_float(&program, &inputs, LibmModel::Nearest).expect("a value");
    assert_eq!(format!("{double}"), format!("{single}"), "{expression}");
    format!("{double}")
}

#[test]
fn zeros_of_operations() {
    for (expression, x, expected) in [
        // IEEE arithmetic.
        ("0 * x", -1, "-0"),
        ("0 * x", 1, "0"),
        ("0 * x", 0, "0"),
        ("x * (0 * x)", -1, "0"),
        ("-x", 0, "-0"),
        ("-(-x)", 0, "0"),
        ("x - x", -1, "0"),
        ("x - x", 0, "0"),
        ("-x - x", 0, "-0"),
        ("-x + x", 0, "0"),
        ("0 - x", 0, "0"),
        ("x + 0", 0, "0"),
        ("-x + 0", 0, "0"),
        ("(0 * x) / 3", -1, "-0"),
        ("0 / x", -1, "-0"),
        ("fma(0, x, -(x - x))", -1, "-0"),
        ("fma(0, x, 0)", -1, "0"),
        ("fma(x, x, -1)", 1, "0"),
        ("sqrt(-x)", 0, "-0"),
        ("ln(x)", 1, "0"),
        ("exp(-1000 * x)", 1, "0"),
        ("x * 1e-200 * 1e-200", -1, "-0"),
        // The absolute value clears the sign; of two zeros the minimum is -0 and the maximum +0, in any order.
        ("abs(-x)", 0, "0"),
        ("min(x, -x)", 0, "-0"),
        ("min(-x, x)", 0, "-0"),
        ("max(x, -x)", 0, "0"),
        ("max(-x, x)", 0, "0"),
        // What is within the bounds stays as it is; a bound of 0 takes the sign.
        ("clamp(-x, 1)", 0, "-0"),
        ("clamp(x, 1)", 0, "0"),
        ("clamp(x, 0)", -1, "-0"),
        ("clamp(x, 0)", 1, "0"),
        ("clamp(x, -(x - x))", -1, "-0"),
        // A rounding that gives 0 gives +0.
        ("round(-x, 1, up)", 0, "0"),
        ("round(x / 4, 1, up)", -1, "0"),
        ("round(x / 4, 1, even)", -1, "0"),
        ("round(x / 2, 1, even)", -1, "0"),
        ("round(x / 4, 1, away)", -1, "0"),
        ("round(-x, 2^-1074, even)", 0, "0"),
        ("-round(x / 4, 1, even)", 1, "-0"),
        // The zeros are equal to a condition, and a choice leaves them as they are.
        ("if -x = x { -x } else { 1 }", 0, "-0"),
        ("if -x < x { 1 } else { -x }", 0, "-0"),
        ("if x <= -x { x } else { 1 }", 0, "0"),
        // Integers have one zero.
        ("-0", 1, "0"),
        ("0 * -1", 1, "0"),
        ("-n", 1, "0"),
        ("-i", 1, "0"),
        ("-(n * -1 + i)", 1, "0"),
        ("(-0) * x", 1, "0"),
        // With a point it is a float.
        ("-0.0", 1, "-0"),
        ("0.0 * -1", 1, "-0"),
        // A number that rounds to 0.
        ("1e-400", 1, "0"),
        ("-1e-400", 1, "-0"),
    ] {
        for is_known in [true, false] {
            assert_eq!(value(expression, x, is_known), expected, "{expression} at {x}, known: {is_known}");
        }
    }
}

/// Integers can still be indices, whatever they are computed from.
#[test]
fn indices() {
    let text = "function f(q: f64[2]) -> f64 { return q[-0] + q[0 * -1] + q[-(0 - 1)] }";
    let (file, _) = parse(text);
    let values = [("q[0]".to_owned(), Rational::from(2)), ("q[1]".to_owned(), Rational::from(3))].into();
    let lowered = lower(&file, None, &Bindings { values, ..Bindings::default() }, None).expect("a program");
    assert_eq!(eval_float::<f64>(&lowered.program, &[], LibmModel::Nearest), Ok(7.0));
}

/// Arguments and parameters are numbers: their zero is +0, whatever they are rounded from.
#[test]
fn arguments() {
    let (file, _) = parse("function f(x: real) -> real param c: real = -1e-400 { return c * x }");
    let given = |x: &str| {
        let values = [("x".to_owned(), x.parse::<Rational>().expect("a number"))].into();
        let lowered =
            lower(&file, None, &Bindings { values, ..Bindings::default() }, None).expect("a program");
        format!("{}", eval_float::<f64>(&lowered.program, &[], LibmModel::Nearest).expect("a value"))
    };
    assert_eq!([given("1"), given("-1"), given("-1e-400")], ["0", "-0", "0"]);
}
