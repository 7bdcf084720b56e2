//! What the user reads when something is wrong.

use lastbit_lang::{Diagnostic, Span, check, parse, render};

/// All messages about a text, parsed or checked, with their hints.
fn messages(source: &str) -> Vec<(String, String)> {
    let (file, mut messages) = parse(source);
    if messages.is_empty() {
        messages = check(&file);
    }
    messages.into_iter().map(|message| (message.message, message.hint.unwrap_or_default())).collect()
}

#[track_caller]
fn says(source: &str, message: &str, hint: &str) {
    let messages = messages(source);
    let found = messages.iter().any(|(m, h)| m.contains(message) && h.contains(hint));
    assert!(found, "{messages:#?}");
}

fn body(body: &str) -> String {
    format!("mechanism m(x: real, q: real[3]) -> real param eps: real > 0 {{ {body} }}")
}

#[test]
fn several_errors_at_once() {
    let source = "\
mechanism a(x: real) -> real
  param eps: reel > 0
  claim pur eps
{
  u <$ uniff(0,1];
  y := ln(u / eps;
  return x +;
}
mechanism b(x: real) -> real { return x ) }
";
    let (file, messages) = parse(source);
    assert_eq!(file.declarations.len(), 2);
    reads(
        &render("a.lb", source, &messages),
        "\
error: expected a type, found `reel`
 --> a.lb:2:14
  |
2 |   param eps: reel > 0
  |              ^^^^
  = hint: did you mean `real`?

error: expected `pure` or `approx`, found `pur`
 --> a.lb:3:9
  |
3 |   claim pur eps
  |         ^^^
  = hint: did you mean `pure`?

error: expected a distribution, found `uniff`
 --> a.lb:5:8
  |
5 |   u <$ uniff(0,1];
  |        ^^^^^
  = hint: did you mean `unif`?

error: expected an operator, `,` or `)`, found `;`
 --> a.lb:6:18
  |
6 |   y := ln(u / eps;
  |                  ^
  = hint: `ln` in line 6 is still open

error: expected an expression, found `;`
 --> a.lb:7:13
  |
7 |   return x +;
  |             ^

error: expected an operator or `;`, found `)`
 --> a.lb:9:41
  |
9 | mechanism b(x: real) -> real { return x ) }
  |                                         ^
",
    );
}

#[track_caller]
fn reads(found: &str, expected: &str) {
    assert_eq!(found, expected, "\n{found}");
}

#[test]
fn names() {
    says(&body("return 1 / epz"), "unknown name `epz`", "did you mean `eps`?");
    says(&body("y := x; y := y + 1; return lnn(y)"), "unknown function `lnn`", "did you mean `ln`?");
    says(&body("return f(x)"), "unknown function `f`", "query f: real");
    says(&body("x := 1; return x"), "`x` is an argument", "its own name");
    says(&body("for i in 0..3 { i := 1; } return x"), "variable of a loop", "");
    says(&body("u <$ unif(0,1]; u <$ unif(0,1]; return u"), "`u` is already defined", "every sample");
    says("function f(x: real, x: real) -> real { return x }", "`x` is already defined", "");
    says("function f() -> real { return 1 } function f() -> real { return 1 }", "`f` is declared twice", "");
    says(&body("if x > 0 { y := 1; } return y"), "unknown name `y`", "not set on every path");
    says(&body("z[0] := 1; return z[0]"), "unknown array `z`", "var z: real[3];");
    says("function in(x: real) -> real { return x }", "expected a name", "part of the language");
}

#[test]
fn types() {
    let mixed = "function f(x: f64, y: real) -> f64 { return x + y }";
    says(mixed, "`f64` and `real` do not mix", "same type");
    says("function f(x: f64, y: f32) -> f64 { return x * y }", "`f64` and `f32` do not mix", "");
    says(&body("if x { return 1 } return 2"), "expected a condition, but this is real", "x > 0");
    says(&body("return x > 0"), "the result is real, but this is bool", "");
    says(&body("return 1 + (x > 0)"), "expected a number, but this is bool", "if c { 1 } else { 0 }");
    says(&body("return q"), "the result is real, but this is real[3]", "");
    says(&body("return q[3]"), "index 3 is outside of an array of 3", "from 0 to 2");
    says(&body("s := 0; for i in 0..4 { s := s + q[i]; } return s"), "index 3 is outside", "");
    says(&body("return q[1/2]; "), "an index is an int, but this is a fraction", "");
    says(&body("return x[0]"), "only an array has elements", "");
    says(&body("return x<1>"), "two runs", "");
    says("mechanism m(x: real) -> grid { return x }", "the result is grid, but this is real", "round");
    says("function f(x: f64) -> real { return x }", "the result is real, but this is f64", "write `-> f64`");
}

#[test]
fn what_fits_together() {
    for source in [
        body("s <$ sign; return s * x + 1"),
        body("k := 0; k := k + x; return k"),
        body("b := true; if b = (x > 0) & q[0] <= 1 { return 0 } else { return 1 }"),
        body("var z: real[3]; for i in 0..2 { z[i + 1] := q[i]; } return z[1]"),
        "mechanism m(x: real) -> grid { return round(x, 2, even) + 1 }".to_owned(),
        "mechanism m(x: f64) -> grid { s <$ sign; return s * x * 2^-3 }".to_owned(),
        "mechanism m(x: real) -> bool { b <$ bernoulli(1/3); return b | x > 0 }".to_owned(),
    ] {
        assert_eq!(messages(&source), [], "{source}");
    }
}

#[test]
fn statements() {
    says(&body("y := 1;"), "`m` can end without `return`", "");
    says(&body("if x > 0 { return 1 }"), "can end without `return`", "");
    says(&body("return 1; y := 2"), "never reached", "");
    says(
        "function f(x: real) -> real { u <$ unif(0,1]; return u }",
        "a function does not sample",
        "mechanism",
    );
    says("function f(x: real) -> real claim pure 1 { return x }", "`claim` says nothing", "mechanism");
    says(&body("let y = 1; return y"), "expected a statement", "without `let`");
    says(&body("y = 1; return y"), "expected `:=` or `<$`", "computes");
    says(&body("retrun x"), "expected `:=` or `<$`", "did you mean `return`?");
    says(&body("u <$ unif[0,1); return u"), "expected `(`", "");
    says(&body("return 1 < x < 2"), "comparisons do not chain", "a <= b & b <= c");
    says(&body("return x^2"), "a power is a number", "x * x");
    says(&body("return round(x, 1)"), "`round` takes", "round(w, L, up)");
    says(&body("return min(x)"), "`min` takes 2 arguments, here are 1", "");
    says(&body("return 1e5000"), "beyond the limit", "");
    says(&body("return (if x > 0 { 1 })"), "expected `else`", "both branches");
}

#[test]
fn rendering_is_robust() {
    let at = |start, end| [Diagnostic::new(Span::new(start, end), "here").with_hint("look")];
    // Carriage returns and tabs, spans past the end, in the middle of a character, over several lines.
    let text = render("a", "x\r\n\ty := é;\r\nz", &at(4, 30));
    assert_eq!(text, "error: here\n --> a:2:2\n  |\n2 |  y := é;\n  |  ^^^^^^^\n  = hint: look\n");
    for start in 0..20 {
        for end in 0..20 {
            render("a", "é\r\n\u{1b}[31m∀ε\n", &at(start, end));
            render("a", "", &at(start, end));
        }
    }
    let long = format!("{}y{}", "x ".repeat(100_000), " z".repeat(100_000));
    let text = render("a", &long, &at(200_000, 200_001));
    assert!(text.lines().all(|line| line.chars().count() < 120));
    let lines: Vec<&str> = text.lines().collect();
    let mark = lines[4].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[3].chars().nth(mark), Some('y'), "{text}");
}
