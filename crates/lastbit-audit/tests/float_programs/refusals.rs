//! What is refused, and how it is said.

use lastbit_audit::program::{Library, Options, ProgramError, Reason};
use lastbit_real::Rational;

use super::support::audited;

/// The refusal of a program with the argument `x` and this body.
fn refused(body: &str) -> ProgramError {
    let source = format!("mechanism m(x: f64) -> f64\n  libm exp = ulp(3/2)\n{{ {body} }}");
    audited(&source, "", ["x=0", "x=1"], &Options::default()).expect_err(body)
}

#[test]
fn samples_that_are_not_understood() {
    let error = refused("u <$ unif(0,1); v <$ unif(0,1); return x + u - v");
    assert_eq!(
        error.to_string(),
        "the program draws `u` and `v` from `unif`; only one such sample can be audited"
    );
    let error = refused("u <$ unif(0,1); b <$ bernoulli(1/2); return if b { x } else { u }");
    assert_eq!(error.to_string(), "`b` has no value and is not a sample of `unif` or `sign`");
    let signs: String = (0..5).map(|i| format!("s{i} <$ sign; ")).collect();
    let error = refused(&format!("{signs} return x + s0 + s1 + s2 + s3 + s4"));
    assert_eq!(error, ProgramError::Signs { count: 5, most: 4 });
    let ProgramError::Language(messages) = refused("z <$ lap(1); return x + z") else {
        panic!("no straight-line reading")
    };
    assert!(messages[0].message.contains("no straight-line float reading"));
}

#[test]
fn inputs_that_are_not_floats() {
    let source = "mechanism m(x: f32) -> f32 { u <$ unif(0,1); return x + u }";
    let error = audited(source, "", ["x=0", "x=0.1"], &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "x = 1/10 is not a number of binary32; round it first");
    // A double need not be a single.
    let error = audited(source, "", ["x=0x1.0000001p0", "x=0"], &Options::default()).unwrap_err();
    assert!(matches!(error, ProgramError::NotAFloat { .. }));
    let error = audited(source, "", ["x=0", "y=0"], &Options::default()).unwrap_err();
    assert!(matches!(error, ProgramError::Language(_)));
    let source = "mechanism m(x: f64 in [0, 1]) -> f64 { u <$ unif(0,1); return x + u }";
    let error = audited(source, "", ["x=0", ""], &Options::default()).unwrap_err();
    assert_eq!(error, ProgramError::Open { name: "x".to_owned() });
}

/// A parameter is rounded as the language rounds numbers, and the report says so.
#[test]
fn parameters_are_rounded() {
    let source = "mechanism m(x: f64) -> grid param eps: f64 > 0 { u <$ unif(0,1); return round(x + ln(u) / eps, 8, up) }";
    let report = audited(source, "eps=1/10", ["x=0", "x=1"], &Options::default()).expect("an audit");
    assert_eq!(report.notes, ["eps = 1/10 is read as 0x1.999999999999ap-4"]);
}

#[test]
fn not_monotone() {
    for (body, expression, reason) in [
        ("u <$ unif(0,1); return x + u * (1 - u)", "u * (1 - u)", Reason::Opposite),
        ("u <$ unif(0,1); return u - ln(u)", "u - ln(u)", Reason::Opposite),
        ("u <$ unif(0,1); return x / (u - 1/2)", "x / (u - 1 / 2)", Reason::MixedSign),
        ("u <$ unif(0,1); return |u - 1/2|", "|u - 1 / 2|", Reason::MixedSign),
        (
            "u <$ unif(0,1); return if u = 1/2 { 1 } else { 0 }",
            "if u = 1 / 2 { 1 } else { 0 }",
            Reason::Condition,
        ),
        (
            "u <$ unif(0,1); return if u < 1/2 { u } else { u - 1 }",
            "if u < 1 / 2 { u } else { u - 1 }",
            Reason::Jump,
        ),
    ] {
        let ProgramError::NotMonotone { run, expression: found, reason: why } = refused(body) else {
            panic!("{body}")
        };
        assert_eq!((run.input, found.text.as_str(), why), (0, expression, reason), "{body}");
        let span = found.span.expect("it is written somewhere");
        let source = format!("mechanism m(x: f64) -> f64\n  libm exp = ulp(3/2)\n{{ {body} }}");
        assert_eq!(source[span.start..span.end].replace(' ', ""), expression.replace(' ', ""));
    }
}

#[test]
fn programs_without_a_value() {
    let error = refused("u <$ unif(0,1); s <$ sign; return x + s * ln(u - 1/2)");
    let text = "on the first input with sign +1, u = 0x0.0000000000001p-1022: `ln(u - 1 / 2)`: ";
    assert!(error.to_string().starts_with(text), "{error}");
}

#[test]
fn an_accuracy_is_not_a_function() {
    let body = "u <$ unif(0,1); return round(x + exp(u), 1, up)";
    let error = refused(body);
    assert!(
        matches!(&error, ProgramError::OnlyAccuracy { function: "exp", ulps } if *ulps == "3/2".parse().unwrap())
    );
    assert!(error.to_string().contains("choose a library"));
    let source = format!("mechanism m(x: f64) -> grid\n  libm exp = ulp(3/2)\n{{ {body} }}");
    for library in [Library::Nearest, Library::Shifted(1), Library::Std] {
        let options = Options { library: Some(library), ..Options::default() };
        let report = audited(&source, "", ["x=0", "x=1"], &options).expect("an audit");
        assert_eq!((report.library, report.comparison.outputs()), (library, 4));
    }
}

#[test]
fn results_and_losses() {
    let source = "mechanism m(x: f64) -> [f64] { u <$ unif(0,1); return [x, u] }";
    let error = audited(source, "", ["x=0", "x=1"], &Options::default()).unwrap_err();
    assert_eq!(error, ProgramError::Results { count: 2 });
    let options = Options { epsilon: Some(Rational::pow2(61)), ..Options::default() };
    let error = audited(source, "", ["x=0", "x=1"], &options).unwrap_err();
    assert_eq!(error, ProgramError::Epsilon { epsilon: Rational::pow2(61) });
}
