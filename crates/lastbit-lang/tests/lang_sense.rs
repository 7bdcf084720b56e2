//! Numbers that make no sense, words of floats among real numbers, and near misses of both that are right.

use lastbit_lang::symbolic::{Fresh, Program, paths};
use lastbit_lang::{Bindings, Diagnostic, check, format, lower, over_the_reals, parse};

fn parsed(text: &str) -> lastbit_lang::File {
    let (file, messages) = parse(text);
    assert_eq!(messages, [], "{text}");
    file
}

/// The first message of a check, with the text that it points at.
fn told(text: &str) -> Option<(String, String, String)> {
    let file = parsed(text);
    let Diagnostic { span, message, hint } = check(&file).into_iter().next()?;
    Some((message, text[span.start..span.end].to_owned(), hint.unwrap_or_default()))
}

fn mechanism(clauses: &str, body: &str) -> String {
    format!(
        "mechanism m(x: real in [1, 2], b: bool) -> real param eps: real > 0, t: real, n: int = 3 {clauses} {{ {body} return x }}"
    )
}

#[track_caller]
fn refused(clauses: &str, body: &str, place: &str, message: &str) {
    let text = mechanism(clauses, body);
    let (found, at, hint) = told(&text).unwrap_or_else(|| panic!("{text} passes"));
    assert!(found.contains(message), "{text}: {found}");
    assert_eq!(at, place, "{text}: {found}");
    assert!(!hint.is_empty(), "{found} has no hint");
}

#[track_caller]
fn passes(clauses: &str, body: &str) {
    let text = mechanism(clauses, body);
    assert_eq!(told(&text), None, "{text}");
}

#[test]
fn scales_are_positive() {
    for law in ["lap", "expo"] {
        let sample = |scale: &str| format!("z <$ {law}({scale});");
        for scale in [
            "0",
            "-1",
            "0 - 1",
            "-1 / eps",
            "0 - 1 / eps",
            "0 * eps",
            "-x",
            "n - 3",
            "-exp(t)",
            "min(-eps, t)",
            "-|t|",
        ] {
            refused("", &sample(scale), scale, &format!("the scale of `{law}` must be positive"));
        }
        for scale in
            ["1 / eps", "eps", "x", "t", "-t", "n - 2", "x - eps", "exp(t)", "|t|", "max(-eps, t)", "1e-300"]
        {
            passes("", &sample(scale));
        }
    }
    refused("", "z <$ dlap(0, 1);", "0", "the scale of `dlap` must be positive");
    refused("", "z <$ dlap(-1/eps, n);", "-1/eps", "the scale of `dlap` must be positive");
    passes("", "z <$ dlap(1/eps, -3);");
}

#[test]
fn probabilities_and_weights() {
    for p in ["3/2", "-1/2", "0 - 1/2", "n", "-exp(t)"] {
        refused("", &format!("c <$ bernoulli({p});"), p, "a probability must lie in [0, 1]");
    }
    for p in ["0", "1", "1/2", "t", "n / 3", "1 / (exp(eps) + 1)"] {
        passes("", &format!("c <$ bernoulli({p});"));
    }
    refused("", "c <$ choose(1, -2, 1);", "-2", "a weight must not be negative");
    refused("", "c <$ choose(1, -eps);", "-eps", "a weight must not be negative");
    passes("", "c <$ choose(1, 0, exp(t));");
    // It may be 0.
    passes("", "c <$ choose(1, -|t|);");
}

#[test]
fn claims_and_accuracies() {
    for epsilon in ["0-1", "-eps", "-1", "n - 4"] {
        refused(&format!("claim pure {epsilon}"), "", epsilon, "a privacy loss must not be negative");
        refused(&format!("claim approx({epsilon}, 1/2)"), "", epsilon, "a privacy loss must not be negative");
    }
    refused("claim approx(eps, 0-1/10)", "", "0-1/10", "δ must not be negative");
    for claim in ["pure 0", "pure -|t|", "pure eps", "pure t", "pure infer", "approx(eps, 0)", "approx(0, 2)"]
    {
        passes(&format!("claim {claim}"), "");
    }
    for ulps in ["0", "1/4", "0.4999", "-1", "n - 3"] {
        refused(&format!("libm ln = ulp({ulps})"), "", ulps, "no library is as good as");
    }
    for ulps in ["1/2", "0.5", "1", "n"] {
        passes(&format!("libm exp = ulp({ulps})"), "");
    }
}

#[test]
fn what_counts_once_is_said_once() {
    for (first, second) in [
        ("claim pure eps", "claim pure 2 * eps"),
        ("claim pure infer", "claim pure eps"),
        ("claim pure eps", "claim approx(eps, 0)"),
        ("sampler unif = ulp(0,1)", "sampler unif = grid53(0,1)"),
        ("libm ln = ulp(1)", "libm ln = ulp(1)"),
        ("ensures error <= 1", "ensures error <= 2"),
    ] {
        refused(&format!("{first} {second}"), "", second, "a second");
    }
    passes("libm ln = ulp(1) libm exp = ulp(2) claim pure eps", "");
}

/// What parameters make of it is known only when they are given.
#[test]
fn values_that_are_given_later() {
    let file = parsed("function f(x: f64 in [1, 2]) -> f64 param k: f64 libm ln = ulp(k) { return ln(x) }");
    let with = |k: &str| {
        let values = [("k".to_owned(), k.parse().expect("a number"))].into();
        lower(&file, None, &Bindings { values, ..Bindings::default() }, None)
    };
    let messages = with("1/4").unwrap_err();
    assert_eq!(messages[0].message, "no library is as good as 1/4 ulp");
    assert!(messages[0].hint.as_ref().is_some_and(|hint| hint.contains("correctly_rounded")));
    assert!(with("1/2").is_ok());

    for (body, good, bad, message) in [
        ("z <$ lap(k - 1); return x + z", 2, 1, "a scale must be positive, but this one is 0"),
        ("c <$ bernoulli(k / 2); return x", 1, 3, "a probability must lie in [0, 1], but this one is 3/2"),
        ("c <$ choose(1, k); return x", 1, -1, "a weight must not be negative, but this one is -1"),
    ] {
        let file = parsed(&format!("mechanism m(x: real) -> real param k: real {{ {body} }}"));
        let with = |k: i64| {
            let values = [("k".to_owned(), k.into())].into();
            let program = Program::new(&file, &file.declarations[0], &values).expect("a program");
            paths(&program, lastbit_lang::ast::Side::One, &Fresh).map(|paths| paths.len())
        };
        assert!(with(good).is_ok(), "{body}");
        assert_eq!(with(bad).unwrap_err().message, message);
    }
}

fn real(clauses: &str, value: &str) -> String {
    format!(
        "mechanism m(x: real) -> real param eps: real > 0 {clauses} {{ u <$ unif(0,1); s <$ sign; w := {value}; return w }}"
    )
}

#[test]
fn words_of_floats_over_the_reals_are_refused() {
    let refused = |text: &str, place: &str, message: &str| {
        let file = parsed(text);
        assert_eq!(check(&file), [], "the text itself is right: its float reading has a meaning");
        for error in [
            over_the_reals(&file, &file.declarations[0]).unwrap_err(),
            Program::new(&file, &file.declarations[0], &Default::default()).unwrap_err(),
        ] {
            assert_eq!(error.message, format!("{message}, and `m` is over the reals"));
            assert_eq!(&text[error.span.start..error.span.end], place);
            assert!(error.hint.is_some_and(|hint| hint.contains("f64")));
        }
    };
    refused(&real("", "x ⊕ s * ln(u) / eps"), "x ⊕ s * ln(u) / eps", "`⊕` rounds");
    refused(&real("", "x + (s ⊗ ln(u)) / eps"), "(s ⊗ ln(u))", "`⊗` rounds");
    refused(&real("", "x - ln(u) ⊘ eps"), "ln(u) ⊘ eps", "`⊘` rounds");
    refused(&real("", "x ⊖ s * ln(u)"), "x ⊖ s * ln(u)", "`⊖` rounds");
    refused(&real("", "x + s * LN(u) / eps"), "LN(u)", "`LN` rounds");
    refused(&real("adjacent |x<1> ⊖ x<2>| <= 1", "x"), "x<1> ⊖ x<2>", "`⊖` rounds");
    let libm = "libm ln = ulp(3)";
    refused(&real(libm, "x"), libm, "`libm` says how accurate a library of floats is");
    for sampler in ["ulp", "grid53", "grid24"] {
        let clause = format!("sampler unif = {sampler}(0,1)");
        refused(&real(&clause, "x"), &clause, "`sampler` says which floats `unif` draws");
    }
}

#[test]
fn other_words_are_not() {
    for value in [
        "x + s * ln(u) / eps",
        "x − s × ln(u) ÷ eps",
        "x + s · ln(u)",
        "round(x, 1, up) + ABS(u)",
        "MAX(x, u)",
    ] {
        let file = parsed(&real("", value));
        assert_eq!(over_the_reals(&file, &file.declarations[0]), Ok(()), "{value}");
    }
    // A float program may say it, and a program over the reals has its float reading.
    let file = parsed(&real("libm ln = ulp(1)", "x ⊕ s ⊗ ln(u) ⊘ eps").replace("real", "f64"));
    assert_eq!(check(&file), []);
    let reading = parsed("function f(x: real in [1, 2]) -> real libm ln = ulp(1) { return LN(x) ⊗ x }");
    assert!(lower(&reading, None, &Bindings::default(), None).is_ok());
}

#[test]
fn what_was_typed_is_printed() {
    for value in
        ["x ⊕ s ⊗ LN(u) ⊘ eps", "(x ⊖ s) * ln(u)", "x - (s ⊖ u)", "EXP(x) + exp(x)", "x ⊕ SQRT(u) / 2"]
    {
        let text = real("", value);
        let formatted = format(&parsed(&text));
        assert!(formatted.contains(&format!("w := {value};")), "{formatted}");
        assert_eq!(format(&parsed(&formatted)), formatted);
    }
    // Circles change neither what binds tighter nor what is computed.
    let [plain, circled] = ["a + b * c - d / a", "a ⊕ b ⊗ c ⊖ d ⊘ a"].map(|value| {
        let text = format!("function f(a: f64, b: f64, c: f64, d: f64) -> f64 {{ return {value} }}");
        lastbit_lang::float_reading(&parsed(&text), &parsed(&text).declarations[0])
    });
    assert_eq!(plain, circled);
}

#[test]
fn a_circle_stands_between_two_numbers() {
    for value in ["⊖x", "x + ⊖x", "⊕x"] {
        let (_, messages) = parse(&real("", value));
        assert!(messages[0].message.ends_with("stands between two numbers"), "{messages:?}");
    }
}
