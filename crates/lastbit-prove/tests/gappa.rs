//! Gappa, where it is installed, proves what the certificates claim and does not prove less than that.

use std::io::Write;
use std::process::{Command, Stdio};

use lastbit_lang::fpcore;
use lastbit_prove::analysis::{Effort, analyse};
use lastbit_prove::certificate::to_json;
use lastbit_prove::gappa::{GappaError, script};

const PROGRAMS: &str = "
(FPCore (x u) :name \"snapping-core\" :pre (and (<= -1024 x 1024) (<= 0x1p-1074 u 1)) (+ x (* 10 (log u))))
(FPCore (a b c) :name \"sum\" :pre (and (<= 0 a 100) (<= 0.1 b 100) (<= 0 c 1/3)) (+ (+ a b) c))
(FPCore (x y) :name \"products\" :pre (and (<= 1 x 2) (<= 3 y 5)) (/ (* x (- 7.3 y)) (sqrt (+ x y))))
(FPCore (x) :name \"single\" :precision binary32 :pre (<= -30 x 30) (fma x x (fabs (- x))))";

/// The certificate on one box, and with its bound halved.
fn certificates() -> Vec<[String; 2]> {
    let programs = fpcore::read(PROGRAMS).into_iter().map(|program| program.unwrap());
    programs
        .map(|program| {
            let analysis = analyse(&program, Effort { boxes: 1, ..Effort::FAST }, |_| {}).unwrap();
            let mut halved = analysis.clone();
            halved.error = halved.error.shl(-1);
            [&analysis, &halved].map(|analysis| to_json(&program, analysis).to_string())
        })
        .collect()
}

/// Whether Gappa proves it; `None` if there is no Gappa.
fn gappa(script: &str) -> Option<bool> {
    let piped =
        Command::new("gappa").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match piped {
        Ok(child) => child,
        Err(_) => {
            // Not `println!`, which the test harness keeps to itself.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: no script was given to Gappa, which is not on the PATH"
            );
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("syntax error"), "{script}\n{said}");
    Some(output.status.success())
}

#[test]
fn gappa_agrees() {
    for [true_one, false_one] in certificates() {
        let script = script(&true_one).unwrap();
        match gappa(&script) {
            None => return,
            Some(proved) => assert!(proved, "{script}"),
        }
        assert_eq!(gappa(&lastbit_prove::gappa::script(&false_one).unwrap()), Some(false));
    }
}

#[test]
fn what_gappa_has_no_words_for_is_named() {
    let text = "(FPCore (x) :name \"choice\" :pre (<= 0 x 1) (if (< x 1/2) x (exp x)))";
    let program = fpcore::read(text).remove(0).unwrap();
    let analysis = analyse(&program, Effort { boxes: 1, ..Effort::FAST }, |_| {}).unwrap();
    let error = script(&to_json(&program, &analysis).to_string()).unwrap_err();
    assert!(matches!(error, GappaError::Operation { operation: "if", .. }), "{error}");
}
