//! `-0` and `+0` are two outputs.

use lastbit_audit::ExactLoss;
use lastbit_audit::program::{Library, Limits, Method, Options};
use lastbit_real::Float;

use super::support::{audited, listing};

/// The outputs of an expression as text, with what each is worth under both inputs in percent.
fn outputs(expression: &str, inputs: [&str; 2], options: &Options<'_>) -> (Method, Vec<(String, [u32; 2])>) {
    let text = format!(
        "mechanism m(x: f32) -> f32 sampler unif = grid24(0,1) {{ u <$ unif(0,1); s <$ sign; return {expression}; }}"
    );
    let report = audited(&text, "", inputs, options).expect("an audit");
    let total = report.comparison.total();
    let percent = |weight| u32::try_from((weight * 200 / total + 1) / 2).expect("a percentage");
    let found = report.outcomes.iter();
    let found = found.map(|o| (o.output.to_short(), o.weights.clone().map(percent))).collect();
    (report.method, found)
}

/// By bisection, and some of them by running all samples, too; all of them if the environment variable `LASTBIT_MORE` is set.
#[test]
fn ways_to_the_same_zeros() {
    let everything = Options { library: Some(Library::Std), ..listing() };
    let programs = [
        ("0 * x", ["x=-1", "x=1"], vec![("-0", [100, 0]), ("0", [0, 100])]),
        ("0 * x", ["x=0", "x=1"], vec![("0", [100, 100])]),
        ("1e-30 * x * (1e-30 * u)", ["x=-1", "x=1"], vec![("-0", [100, 0]), ("0", [0, 100])]),
        ("s * (x * 0)", ["x=-1", "x=1"], vec![("-0", [50, 50]), ("0", [50, 50])]),
        ("x * 0 + (x - x)", ["x=-1", "x=1"], vec![("0", [100, 100])]),
        ("round(x / 4, 1, even)", ["x=-1", "x=1"], vec![("0", [100, 100])]),
        ("-round(x * u / 4, 1, even)", ["x=-1", "x=1"], vec![("-0", [100, 100])]),
        ("clamp(u - 0.75, 0)", ["x=0", "x=1"], vec![("-0", [75, 75]), ("0", [25, 25])]),
        ("min(x * 0, 0)", ["x=-1", "x=1"], vec![("-0", [100, 0]), ("0", [0, 100])]),
        ("if x * 0 = 0 { x * 0 } else { u }", ["x=-1", "x=1"], vec![("-0", [100, 0]), ("0", [0, 100])]),
        // A jump from one zero to the other.
        ("if u < 0.25 { -(x - x) } else { 0 }", ["x=0", "x=1"], vec![("-0", [25, 25]), ("0", [75, 75])]),
    ];
    let step = if std::env::var_os("LASTBIT_MORE").is_some() { 1 } else { 3 };
    for (i, (expression, inputs, expected)) in programs.into_iter().enumerate() {
        let expected: Vec<(String, [u32; 2])> =
            expected.into_iter().map(|(output, shares)| (output.to_owned(), shares)).collect();
        let by_bisection = outputs(expression, inputs, &listing());
        assert_eq!(by_bisection, (Method::Monotone, expected.clone()), "{expression}");
        if i % step == 0 {
            let one_by_one = outputs(expression, inputs, &everything);
            assert_eq!(one_by_one, (Method::Exhaustive, expected), "{expression}");
        }
    }
}

/// A product with -0 falls where one with +0 grows; a factor that is now one and now the other is neither.
#[test]
fn a_factor_of_minus_zero() {
    let falls = outputs("-(x - x) * (u - 0.25)", ["x=0", "x=1"], &listing());
    let expected = [("-0", [75, 75]), ("0", [25, 25])].map(|(output, shares)| (output.to_owned(), shares));
    assert_eq!(falls, (Method::Monotone, expected.to_vec()));
    // (u - 1/4)·0 changes its sign, so that its product with u - 1/2 goes up and down: all samples are run.
    let (method, both) = outputs("(u - 0.25) * 0 * (u - 0.5)", ["x=0", "x=1"], &listing());
    assert_eq!((method, both), (Method::Exhaustive, vec![("-0".into(), [25, 25]), ("0".into(), [75, 75])]));
}

/// Where there are too many outputs the zeros are weighed apart, too.
#[test]
fn witnesses() {
    let text = "mechanism m(x: f64) -> f64 { u <$ unif(0,1); return if u < 0.5 { x * 0 } else { u } }";
    let limits = Limits { outputs: 1, ..Limits::default() };
    let report = audited(text, "", ["x=-1", "x=1"], &Options { limits, ..listing() }).expect("an audit");
    assert_eq!((report.method, report.loss(64)), (Method::Witness, ExactLoss::Infinite));
    let zeros: Vec<_> = report.outcomes.iter().filter(|outcome| outcome.output == 0.0).collect();
    assert_eq!(zeros.len(), 2);
    for zero in zeros {
        let input = usize::from(zero.output.is_sign_positive());
        assert!(zero.weights[1 - input].is_zero() && !zero.weights[input].is_zero());
    }
}
