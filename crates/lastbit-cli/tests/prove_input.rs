//! `lastbit prove` and `lastbit check` on what nobody should give them.

use crate::common::{assert_refused, code, folder, lastbit, on_pipe, output, put, run, stderr, stdout};

const KERNELS: &str = "tests/programs/kernels.fpcore";
const AVERAGE: &str = "tests/programs/average.fpcore";
const SNAPPING: &str = "../../mechanisms/snapping_f64.lb";

/// Texts that are hard to read, for all three languages.
fn bad_texts() -> Vec<(&'static str, Vec<u8>)> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let noise: Vec<u8> = (0..1_000_000).map(|_| random()).collect();
    let ascii = noise.iter().map(|byte| 32 + byte % 95).collect();
    vec![
        ("nothing", vec![]),
        ("blank", b" \n\t\r\n".to_vec()),
        ("nul", vec![0; 100]),
        ("not UTF-8", b"(FPCore (x) :name \"\xff\" x)".to_vec()),
        ("noise", noise),
        ("printable noise", ascii),
        ("open brackets", b"([{".repeat(10_000)),
        ("closed brackets", b")]}".repeat(10_000)),
        ("a number", b"1e999999999".to_vec()),
        ("JSON", b"{\"lastbit\": \"error certificate\", \"version\": 1}".to_vec()),
    ]
}

#[test]
fn bad_texts_are_refused_in_every_language() {
    let folder = folder();
    for (what, text) in bad_texts() {
        for name in ["bad.lb", "bad.fpcore"] {
            let path = put(&folder, name, &text);
            let output = output(lastbit("prove").arg(&path));
            assert_refused(&output, &format!("{what} as {name}"));
            assert!(stderr(&output).contains(&format!("{name}:1:")), "{what}: {}", stderr(&output));
        }
        let path = put(&folder, "bad.json", &text);
        let output = output(lastbit("check").arg(&path));
        assert!([1, 2].contains(&code(&output)), "{what}: {}", stderr(&output));
        assert!(what == "JSON" || code(&output) == 2, "{what}");
        assert_refused(&on_pipe("prove -", &text), &format!("{what} on a pipe"));
    }
}

#[test]
fn bad_programs_are_refused_with_their_place() {
    let programs = [
        ("f(x: f64 in [1, 2]) -> f64 { return y }", "1:46", "unknown"),
        ("f(x: f64 in [1, 2]) -> f64 { return x & true }", "1:46", "type"),
        ("f(x: f64 in [-1, 1]) -> f64 { return 1 / x }", "1:47", "division"),
        ("f(x: f64 in [-2, -1]) -> f64 { return ln(x) }", "1:48", "ln"),
        ("f(x: f64 in [1, 1e300]) -> f64 { return x * x }", "1:50", "overflow"),
        ("f(x: f64 in [2, 1]) -> f64 { return x }", "1:12", "reversed"),
        ("f(x: f64 in [1, 1e999999999]) -> f64 { return x }", "1:26", "exponent"),
    ];
    let folder = folder();
    for (text, place, what) in programs {
        let path = put(&folder, "bad.lb", format!("function {text}\n"));
        let output = output(lastbit("prove --effort fast").arg(&path));
        assert_refused(&output, what);
        assert!(stderr(&output).contains(&format!("bad.lb:{place}\n")), "{what}: {}", stderr(&output));
    }
}

/// Long and deep programs, in both languages.
fn long_programs() -> Vec<(&'static str, String)> {
    const N: usize = 10_000;
    let around =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(N), close.repeat(N));
    let fpcore = |body: String| format!("(FPCore (x) :name \"long\" :pre (<= 1 x 2) {body})");
    let function =
        |body: String| format!("function long(x: f64 in [1, 2]) -> f64\n{{\n  return {body};\n}}\n");
    vec![
        ("left.fpcore", fpcore(around("(+ ", "x", " x)"))),
        ("right.fpcore", fpcore(around("(+ x ", "x", ")"))),
        ("flat.fpcore", fpcore(format!("(+{})", " x".repeat(N)))),
        ("let.fpcore", fpcore(around("(let ([x (+ x 1)]) ", "x", ")"))),
        ("left.lb", function(format!("x{}", " + x".repeat(N)))),
        ("right.lb", function(around("x + (", "x", ")"))),
        ("parentheses.lb", function(around("(", "x", ")"))),
        ("bars.lb", function(around("|", "x", "|"))),
    ]
}

#[test]
fn long_programs_are_no_problem() {
    let folder = folder();
    let start = std::time::Instant::now();
    for (name, text) in long_programs() {
        let path = put(&folder, name, text);
        for options in ["--tree", "--latex", "--json --figure"] {
            let output = output(lastbit(&format!("prove --effort 1 {options}")).arg(&path));
            assert_eq!(code(&output), 0, "{name} {options}: {}", stderr(&output));
            assert!(options.contains("json") || stdout(&output).len() < 20_000, "{name}: long trees fold");
        }
        if name.ends_with(".lb") {
            assert_eq!(code(&output(lastbit("fmt").arg(&path))), 0, "{name}");
        }
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn long_certificates_are_checked_in_time() {
    let folder = folder();
    let (name, text) = long_programs().swap_remove(0);
    let program = put(&folder, name, text);
    let certificate = folder.path().join("long.json");
    let prove = output(lastbit("prove --effort 1 --certificate").arg(&certificate).arg(&program));
    assert_eq!(code(&prove), 0);
    let start = std::time::Instant::now();
    let check = output(lastbit("check --program").arg(&program).arg(&certificate));
    assert_eq!(code(&check), 0, "{}", stdout(&check));
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn names_in_files_can_not_command_the_terminal() {
    let folder = folder();
    let path = put(&folder, "a.fpcore", "(FPCore (x) :name \"\u{1b}[31mred\u{7}\" :pre (<= 1 x 2) (+ x 1))");
    let output = output(lastbit("prove --effort fast").arg(&path));
    assert_eq!(code(&output), 0);
    assert!(!stdout(&output).contains(['\u{1b}', '\u{7}']));
}

#[test]
fn huge_options_are_refused_or_harmless() {
    let harmless = ["--tree --depth 18446744073709551615", "--tree --depth 0", "--effort 1048576"];
    for options in harmless {
        assert_eq!(code(&run(&format!("prove {AVERAGE} {options}"))), 0, "{options}");
    }
    let refused = [
        "--depth 18446744073709551616",
        "--node 18446744073709551615",
        "--effort 1048577",
        "--effort -1",
        "--epsilon 1",
        "--program nope",
    ];
    for options in refused {
        assert_refused(&run(&format!("prove {AVERAGE} {options}")), options);
    }
    let refused = [
        "--epsilon 1e999999999 --bound 1",
        "--epsilon -1 --bound 1",
        "--epsilon 1 --bound -1",
        "--epsilon 1 --bound 1 --grid -2",
        "--epsilon 1 --bound 1 --grid 2^99999999999999999999",
        "--epsilon 1 --bound 1 --inputs -1e400 1",
        "--epsilon 1 --bound 1 --libm ln=-1ulp",
        "--epsilon 1 --bound 1 --param eps=1",
        "--epsilon 1 --bound 1 --of nope",
        "--epsilon 1 --bound 1 --param nope=1",
    ];
    for options in refused {
        let output = run(&format!("prove {SNAPPING} {options}"));
        assert_refused(&output, options);
        assert!(stderr(&output).lines().all(|line| line.chars().count() < 300), "{options}");
    }
}

/// Nobody has seen the verdict: neither 0, which would be success, nor 1, which would be another verdict.
#[test]
fn a_reader_that_leaves_is_no_success() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = lastbit(&format!("prove {KERNELS} --effort fast")).stdout(writer).output();
    let output = output.expect("the command ends");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("error: the output was closed before all of it was written\n"));
}
