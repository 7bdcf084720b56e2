//! Long, deep and random texts: linear time, no overflow of the stack, no panic.

use std::time::{Duration, Instant};

use lastbit_lang::{Bindings, check, float_reading, format, lower, parse, render};
use proptest::prelude::*;

/// Everything that a text goes through.
fn all_passes(source: &str) {
    let (file, messages) = parse(source);
    assert!(messages.len() <= 20);
    render("random.lb", source, &messages);
    for message in &messages {
        assert!(message.span.start <= message.span.end && message.span.end <= source.len());
        assert!(source.is_char_boundary(message.span.start) && source.is_char_boundary(message.span.end));
    }
    assert!(check(&file).len() <= 20);
    format(&file);
    // Each one takes as long as the file.
    for declaration in file.declarations.iter().take(3) {
        let _ = lower(&file, Some(&declaration.name.text), &Bindings::default(), None);
        float_reading(&file, declaration);
    }
}

fn function(expression: &str) -> String {
    format!("function f(x: f64 in [1, 2]) -> f64 {{ return {expression} }}")
}

fn lowers(expression: &str) {
    let source = function(expression);
    let (file, messages) = parse(&source);
    assert_eq!(messages, []);
    lower(&file, None, &Bindings::default(), None).unwrap();
    let printed = format(&file);
    assert_eq!(format(&parse(&printed).0), printed);
}

/// On a thread with little stack: nothing may recurse on the depth of an expression.
fn small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 * 1024).spawn(test).unwrap().join().unwrap();
}

const N: usize = 10_000;

#[test]
fn long_sums() {
    small_stack(|| {
        lowers(&vec!["x"; N].join(" + "));
        lowers(&vec!["x"; N].join(" / "));
    });
}

#[test]
fn deep_nesting() {
    small_stack(|| {
        lowers(&format!("{}x{}", "(".repeat(N), ")".repeat(N)));
        lowers(&format!("{}x{}", "x + (".repeat(N), ")".repeat(N)));
        lowers(&format!("{}x{}", "ln(2 + ".repeat(N), ")".repeat(N)));
        lowers(&format!("{}x", "-".repeat(N)));
        lowers(&format!("{}x{}", "|".repeat(N), "|".repeat(N)));
        lowers(&format!("{}x{}", "if x < 1 { 1 } else { ".repeat(N), " }".repeat(N)));
        let condition = vec!["x < 2"; N].join(" & ");
        lowers(&format!("if {condition} {{ 1 }} else {{ x }}"));
        lowers(&format!("if {}x < 1{} {{ 1 }} else {{ x }}", "!(x > 1 | ".repeat(N), ")".repeat(N)));
    });
}

#[test]
fn unfinished_nesting() {
    small_stack(|| {
        for open in ["(", "[", "|", "-", "x[", "min(", "if ", "if x { ", "x + (", "{"] {
            all_passes(&function(&open.repeat(100_000)));
        }
        all_passes(&"mechanism m(".repeat(50_000));
        all_passes(&"}".repeat(500_000));
        all_passes(&"proof { case x { ".repeat(50_000));
    });
}

#[test]
fn blocks_have_a_limit() {
    small_stack(|| {
        for (open, close) in
            [("if x < 1 { ", "}"), ("for i in 0..1 { ", "}"), ("if x < 1 { y := 1; } else ", "{ }")]
        {
            let source = format!(
                "function f(x: f64) -> f64 {{ {} {} return x }}",
                open.repeat(5000),
                close.repeat(5000)
            );
            all_passes(&source);
            let (_, messages) = parse(&source);
            assert!(messages.iter().any(|message| message.message.contains("64 blocks")), "{open}");
        }
    });
}

#[test]
fn a_small_text_is_not_a_large_program() {
    let nested = "for i in 0..1000 { ".repeat(20);
    let source = format!(
        "function f(x: f64 in [0, 1]) -> f64 {{ y := x; {nested} y := y + 1; {} return y }}",
        "}".repeat(20)
    );
    let source =
        (0..20).fold(source, |source, depth| source.replacen("for i in", &format!("for i{depth} in"), 1));
    let (file, messages) = parse(&source);
    assert_eq!(messages, []);
    let messages = lower(&file, None, &Bindings::default(), None).unwrap_err();
    assert!(messages[0].message.contains("unrolled"), "{messages:?}");

    // A condition that doubles with every line.
    let doubling = "b := (b & !c) | (c & b); c := !b | c;".repeat(60);
    let source = format!(
        "function f(x: f64 in [0, 1]) -> f64 {{ b := x < 1/2; c := x < 1/4; {doubling} return if b {{ x }} else {{ 1 }} }}"
    );
    let (file, _) = parse(&source);
    assert!(lower(&file, None, &Bindings::default(), None).is_err());
}

#[test]
fn a_megabyte_takes_about_as_long_as_its_length() {
    // Pseudo-random bytes from a fixed seed.
    let mut state = 1u64;
    let mut byte = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    let bytes: Vec<u8> = (0..1 << 20).map(|_| byte()).collect();
    let many_names: String = (0..60_000).map(|i| format!("v{i} := w{i};")).collect();
    let long = vec!["x"; 1 << 19].join("+");
    let texts = [
        String::from_utf8_lossy(&bytes).into_owned(),
        bytes.iter().map(|byte| char::from(byte & 0x7f)).collect(),
        function(&long),
        format!("function f(x: f64) -> f64 {{ {many_names} return x }}"),
        "function f(x: f64) -> f64 { x := ; return x }\n".repeat(20_000),
        function(&"1e1200 + ".repeat(100_000)),
        "(;".repeat(500_000),
    ];
    for text in &texts {
        let start = Instant::now();
        all_passes(text);
        // Quadratic time would be minutes.
        let head: String = text.chars().take(40).collect();
        assert!(start.elapsed() < Duration::from_secs(20), "{head}: {:?}", start.elapsed());
    }
}

/// Pieces of the language in any order get further into the parser than random bytes.
fn token_soup() -> impl Strategy<Value = String> {
    let words = [
        "mechanism",
        "function",
        "m",
        "x",
        "y",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        "real",
        "f64",
        "int",
        "bool",
        "->",
        "param",
        "eps",
        "claim",
        "pure",
        "infer",
        "adjacent",
        "forall",
        "at most one i:",
        ";",
        ",",
        ":=",
        "<$",
        "unif(0,1]",
        "sign",
        "lap",
        "+",
        "-",
        "*",
        "/",
        "=",
        "<",
        "<=",
        "<1>",
        "x<1>",
        "x<2>",
        "|",
        "&",
        "!",
        "1",
        "0.5",
        "2^-53",
        "0x1p-3",
        "0..3",
        "if",
        "else",
        "for i in",
        "return",
        "round(x, 1, up)",
        "clamp",
        "ln(",
        "proof",
        "case",
        "have",
        "align",
        "=>",
        "let",
        "var",
        "query",
        "sampler unif = ulp(0,1)",
        "libm ln =",
        "ensures error <=",
        "// c\n",
        "# c\n",
        "\n\n",
        "⊕",
        "ε",
        "é",
        "\u{0}",
        "\t",
        "\r\n",
        "x[0]",
        "step",
        "by mirror",
    ];
    let word = proptest::sample::select(words.to_vec());
    proptest::collection::vec(word, 0..80).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_text(source in ".{0,300}") {
        all_passes(&source);
    }

    #[test]
    fn random_tokens(soup in token_soup(), inside in any::<bool>()) {
        let source = if inside { format!("mechanism m(x: real) -> real {{ {soup}") } else { soup };
        all_passes(&source);
    }

    /// A good file with a piece cut out: the errors have sensible places.
    #[test]
    fn damaged_files(start in 0usize..700, length in 0usize..60) {
        let source = include_str!("../../../mechanisms/snapping.lb");
        let boundary = |at: usize| (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap();
        let damaged = format!("{}{}", &source[..boundary(start)], &source[boundary(start + length)..]);
        all_passes(&damaged);
    }
}
