//! A verdict on a float mechanism is about the text that was given: its samples, neighbours, ranges and assumptions.

use std::fs;

use crate::common::{code, folder, json, output, put, stderr, stdout};
use serde_json::Value;

/// What stands in place of what.
type Changes<'a> = &'a [(&'a str, &'a str)];

/// The snapping mechanism, with a clause or a part of the body in place of another.
fn snapping(changes: Changes<'_>) -> String {
    let mut text = "\
mechanism m(x: f64, t: f64) -> grid
  param eps: f64 = 1, L: f64 = 1, B: f64 = 100
  adjacent |x<1> - x<2>| <= 1
  sampler unif = ulp(0,1)
  claim pure eps + 2^-40
{
  u <$ unif(0,1);
  s <$ sign;
  c := clamp(x, B);
  y := ln(u) / eps;
  w := c + s * y;
  r := clamp(round(w, L, up), B);
  return r;
}
"
    .to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    text
}

fn run(command: &str, text: &str, options: &str) -> std::process::Output {
    let folder = folder();
    let path = put(&folder, "m.lb", text);
    output(crate::common::lastbit(command).arg(&path).args(options.split_whitespace()))
}

#[test]
fn what_does_not_fit_the_theorem_is_not_proved_and_the_place_is_told() {
    let cases: [(Changes<'_>, &str, &str); 10] = [
        (&[("t: f64", "u: f64 in [2^-1074, 1]"), ("  u <$ unif(0,1);\n", "")], "1:21", "must be of a sample"),
        (&[("t: f64", "s: sign"), ("  s <$ sign;\n", "")], "1:21", "must be drawn"),
        (&[("|x<1> - x<2>|", "|t<1> - t<2>|")], "3:3", "how far apart `t` is"),
        (&[("clamp(x, B)", "clamp(t, B)")], "3:3", "what is clamped is `t`"),
        (&[("clamp(x, B)", "clamp(2 * x, B)")], "9:14", "an argument that is a float, as it is"),
        (&[("ln(u) / eps", "ln(u) / t")], "1:21", "a constant or a parameter"),
        (&[("clamp(x, B)", "clamp(x, t)")], "1:21", "a constant or a parameter"),
        (&[("-> grid", "-> [f64]"), ("return r;", "return [r, c];")], "1:1", "2 numbers are returned"),
        (&[("clamp(round(w, L, up), B)", "clamp(round(w, L, up), 7)")], "9:", "the same bound"),
        (&[("|x<1> - x<2>|", "|eps<1> - eps<2>|")], "3:3", "how far apart `eps` is"),
    ];
    for (changes, place, reason) in cases {
        let output = run("prove --json", &snapping(changes), "");
        let found = &json(&output)[0];
        assert_ne!(found["verdict"], "proved", "{changes:?}");
        assert!(code(&output) == 1 || code(&output) == 3, "{changes:?}");
        let told = &found["reason"];
        assert!(
            told["message"].as_str().is_some_and(|message| message.contains(reason)),
            "{changes:?}: {told}"
        );
        let at = format!("{}:{}", told["line"], told["column"]);
        assert!(at.starts_with(place), "{changes:?}: {at}");
    }
    assert_eq!(code(&run("prove", &snapping(&[]), "")), 0);
}

#[test]
fn private_arguments_get_no_values() {
    let text = snapping(&[("t: f64", "eps: f64"), ("eps: f64 = 1, ", "")]);
    let output = run("prove", &text, "--epsilon 1");
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("`eps` is private"), "{}", stderr(&output));
}

#[test]
fn witnesses_satisfy_what_the_text_says() {
    // Where the body is constant, whatever it does elsewhere.
    let text = "mechanism m(x: f64) -> f64  param eps: f64 > 0  assume x > 5  adjacent |x<1> - x<2>| <= 1  claim pure eps
        { return if x < 5 { x } else { 0 } }";
    assert_eq!(code(&run("prove", text, "")), 3);
    assert_eq!(code(&run("prove", &text.replace("x > 5", "x > 3"), "")), 1);
    // Beyond the noise's reach, but not from the declared range.
    let text = snapping(&[
        ("x: f64", "x: f64 in [0, 2^-20]"),
        ("B: f64 = 100", "B: f64 = 1000"),
        ("eps + 2^-40", "10"),
    ]);
    assert_eq!(code(&run("prove", &text, "")), 3);
    let wider = text.replace("in [0, 2^-20]", "in [-1000, 1000]");
    let output = run("prove --json", &wider, "");
    assert_eq!(code(&output), 1);
    let satisfies = serde_json::json!(["ranges", "assumptions", "adjacency"]);
    assert_eq!(json(&output)[0]["witness"]["satisfies"], satisfies);
    // Parameters that the text excludes.
    let output = run("prove", &snapping(&[("  adjacent", "  assume eps * B <= 10\n  adjacent")]), "");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("do not satisfy `assume eps * B <= 10`"), "{}", stderr(&output));
    // Nothing satisfies these.
    let text = snapping(&[("  adjacent", "  assume x > 5\n  assume x < 3\n  adjacent")]);
    assert!(stdout(&run("prove", &text, "")).contains("VACUOUS?"));
}

#[test]
fn certificates_hold_the_text() {
    let folder = folder();
    let text =
        snapping(&[("eps: f64 = 1, L: f64 = 1, B: f64 = 100", "eps: f64 > 0, L: f64 > 0, B: f64 > 0")]);
    let path = put(&folder, "m.lb", &text);
    let certificate = folder.path().join("m.json");
    let prove = crate::common::lastbit("prove --epsilon 1 --bound 100 --certificate")
        .arg(&certificate)
        .arg(&path)
        .output();
    assert_eq!(code(&prove.unwrap()), 0);
    let check = |program: &str| {
        let program = put(&folder, "other.lb", program);
        output(crate::common::lastbit("check").arg(&certificate).arg("--program").arg(&program))
    };
    assert_eq!(code(&check(&text)), 0, "{}", stdout(&check(&text)));
    assert_eq!(code(&check(&text.replace("return r;", "return r; // r"))), 0);
    for (from, to) in [
        ("<= 1\n", "<= 20\n"),
        ("eps + 2^-40", "eps"),
        ("ulp(0,1)", "grid53(0,1)"),
        ("x: f64", "x: f64 in [0, 1]"),
        ("  adjacent", "  assume x > 0\n  adjacent"),
        ("param eps: f64 > 0", "param eps: f64 = 1"),
        ("s <$ sign;", "s := 1;"),
        ("clamp(x, B)", "clamp(t, B)"),
    ] {
        let output = check(&text.replace(from, to));
        assert_eq!(code(&output), 1, "{from} -> {to}: {}", stdout(&output));
        assert!(stdout(&output).contains("REFUSED"), "{from} -> {to}");
    }
    // What stands beside the text must be what the text says.
    let written = fs::read_to_string(&certificate).unwrap();
    let value: Value = serde_json::from_str(&written).unwrap();
    let samples: Vec<&str> = value["statement"]["program"]["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["role"].as_str().unwrap())
        .collect();
    assert_eq!(samples, ["sample of unif by ulp", "sample of sign", "argument"]);
    for (from, to) in [
        ("\"role\":\"sample of sign\"", "\"role\":\"argument\""),
        ("\"neighbours\":\"1\"", "\"neighbours\":\"2\""),
        ("\"argument\":\"x\"", "\"argument\":\"t\""),
        ("\"epsilon\":\"1099511627777/1099511627776\"", "\"epsilon\":\"2\""),
        ("s <$ sign;", "s := 1;"),
        ("\"B\":\"100\"", "\"B\":\"200\""),
    ] {
        assert_eq!(written.matches(from).count(), 1, "{from}");
        fs::write(&certificate, written.replace(from, to)).unwrap();
        let output = output(crate::common::lastbit("check").arg(&certificate));
        assert_eq!(code(&output), 1, "{from} -> {to}: {}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn theorems_are_in_the_names_of_the_text() {
    let open = [
        ("eps: f64 = 1, L: f64 = 1, B: f64 = 100", "eps: f64 > 0, L: f64 > 0, B: f64 > 0"),
        ("pure eps + 2^-40", "pure infer"),
    ];
    let theorem = |more: &[(&str, &str)]| {
        let text = snapping(&open.iter().chain(more).copied().collect::<Vec<_>>());
        run("prove", &text, "")
    };
    let own = theorem(&[]);
    assert!(stdout(&own).starts_with("m: PROVED: by ENDPT, for all parameters "), "{}", stdout(&own));
    assert!(stdout(&own).contains("loss <= eps·Δ + "), "{}", stdout(&own));
    let constant = theorem(&[("ln(u) / eps", "128 * ln(u)")]);
    assert!(stdout(&constant).starts_with("m: PROVED: by ENDPT, for all L, B "), "{}", stdout(&constant));
    assert!(stdout(&constant).contains("loss <= (1/128)·Δ + "), "{}", stdout(&constant));
    assert!(stdout(&constant).contains("does not use eps"), "{}", stdout(&constant));
    // What happens at some values only.
    let branch = theorem(&[("y := ln(u) / eps;", "y := if eps > 50 { ln(u) / 1000 } else { ln(u) / eps };")]);
    assert_ne!(code(&branch), 0, "{}", stdout(&branch));
    let doubled = theorem(&[("clamp(x, B)", "clamp(x + 0, B)")]);
    assert_ne!(code(&doubled), 0, "{}", stdout(&doubled));
}
