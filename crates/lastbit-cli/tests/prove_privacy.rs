//! `lastbit prove` of privacy claims over the reals: verdicts, exit codes, JSON, certificates, and messages.

use std::fs;

use crate::common::{code, json, run, stderr, stdout};
use serde_json::Value;
use tempfile::tempdir;

const HEADER: &str = "param eps: real > 0  adjacent |x<1> - x<2>| <= 1  claim pure eps";

/// `lastbit prove` on a text.
fn prove(text: &str, options: &str) -> std::process::Output {
    let directory = tempdir().expect("a directory");
    let path = directory.path().join("m.lb");
    fs::write(&path, text).expect("written");
    run(&format!("prove {} {options}", path.display()))
}

fn laplace(rest: &str) -> String {
    format!("mechanism m(x: real) -> real {HEADER} {{ z <$ lap(1 / eps);  r := x + z;  return r }} {rest}")
}

#[test]
fn proofs_of_the_file_are_checked() {
    let output = run("prove ../../mechanisms/snapping.lb --details");
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{text}");
    assert!(text.contains("snap: eps-DP PROVED (pure, cost eps)            proof by_events\n"), "{text}");
    assert!(text.contains("EVENT (u, s) [eps]   16 cases + 8 tails"), "{text}");
    assert!(text.contains("proof by_alignment\n"), "{text}");
}

#[test]
fn what_is_wrong_is_rejected_step_by_step() {
    let output = run("prove ../../mechanisms/figure2.lb --json");
    let found = &json(&output)[0];
    assert_eq!((code(&output), &found["verdict"]), (1, &Value::from("rejected")));
    // The claim is true all the same.
    assert_eq!(found["search"]["proved"], true);
    let printed = &found["proofs"][0];
    let step = |number: usize| &printed["steps"][number - 1];
    for number in [4, 6, 7, 8, 9] {
        assert_eq!(step(number)["status"], "rejected", "{number}");
        assert!(step(number)["counterexample"].is_object(), "{number}");
    }
    assert!(step(1)["warning"].as_str().is_some_and(|warning| warning.starts_with("vacuous")));
    // The counterexample of step 6 is one: x<1> + z<1> + k is not x<2> + z<2>.
    let value = |name: &str| -> f64 { step(6)["counterexample"][name].as_str().unwrap().parse().unwrap() };
    assert_eq!(value("x<1>"), value("x<2>") + 1.0);
    assert_ne!(value("x<1>") + value("z<1>") + value("k"), value("x<2>") + value("z<2>"));
}

#[test]
fn what_is_false_is_refuted_with_a_witness() {
    let output = prove(&laplace("").replace("1 / eps", "1 / (2 * eps)"), "--json");
    let found = &json(&output)[0];
    assert_eq!((code(&output), &found["verdict"]), (1, &Value::from("refuted")));
    let witness = &found["witness"];
    assert_eq!(
        (&witness["event"], &witness["claimed"]["exact"]),
        (&Value::from("r <= 0"), &Value::from("1"))
    );
    assert_eq!(witness["probabilities"][1]["formula"], "1/2·e^-2");
    let loss: f64 = witness["loss"]["decimal"].as_str().unwrap().parse().unwrap();
    assert!(1.999 < loss && loss <= 2.0);
}

#[test]
fn a_cost_that_is_not_claimed_is_found() {
    let output = prove(&laplace("").replace("claim pure eps", "claim pure infer"), "--json");
    let found = &json(&output)[0];
    assert_eq!((code(&output), &found["cost"], &found["claim"]), (0, &Value::from("eps"), &Value::Null));
    assert_eq!(found["assumptions"]["used"], serde_json::json!(["eps > 0", "|x<1> - x<2>| <= 1"]));
}

#[test]
fn what_is_neither_proved_nor_refuted_is_undecided() {
    let text = laplace("").replace("return r", "y <$ lap(1 / eps);  return r * (1 + y * y)");
    let output = prove(&text, "--details");
    assert_eq!(code(&output), 3);
    assert!(
        stdout(&output).starts_with("m: UNDECIDED: eps-DP (pure), for all eps > 0"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("    open  "), "{}", stdout(&output));
}

#[test]
fn budgets_that_do_not_add_up() {
    let script = "proof { step lapgen z cost 2 * eps: |x<1> - x<2>| <= 1 => x<1> + z<1> = x<2> + z<2>;
        step assn r: x<1> + z<1> = x<2> + z<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>; }";
    let output = prove(&laplace(script), "--details");
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("m: REJECTED at step 3 (COMP, DP)"), "{}", stdout(&output));
    assert!(stdout(&output).contains("the claim itself is true: found by "), "{}", stdout(&output));
}

#[test]
fn what_can_not_be_looked_at_is_bad_input() {
    let array = "mechanism m(q: real[n]) -> real  param eps: real > 0, n: int > 0
        adjacent forall i: |q<1>[i] - q<2>[i]| <= 1  claim pure eps
        { z <$ lap(1 / eps);  return q[0] + z }";
    let long = laplace("").replace("z <$", "y := x;  for i in 0..1000000000 { y := y + 1; }  z <$");
    let cases = [
        (laplace("proof { step magic z: true => z<1> = z<2>; }"), "", "there is no rule `magic`"),
        (
            laplace("proof { step lapnull z: true => z<1> = z<2>; }"),
            "",
            "no step treats the statement that sets `r`",
        ),
        (laplace("proof { let eps = 3; have r<1> = r<2>; }"), "", "`eps` has a meaning already"),
        (array.to_owned(), "", "--param n=5"),
        (long, "", "the loop is too long to unroll"),
        (laplace(""), "--epsilon -1", "`eps` is declared so that it cannot be -1"),
        (laplace("").replace("claim", "assume eps < 5  claim"), "--epsilon 7", "exclude these values"),
        (laplace(""), "--bound 3", "there is no parameter `B`"),
    ];
    for (text, options, message) in cases {
        let output = prove(&text, options);
        assert_eq!(code(&output), 2, "{text} {options}: {}", stdout(&output));
        assert!(stderr(&output).contains(message), "{message}: {}", stderr(&output));
    }
}

#[test]
fn certificates_are_accepted() {
    let directory = tempdir().expect("a directory");
    let place = directory.path().display();
    assert_eq!(code(&run(&format!("prove ../../mechanisms/snapping.lb --certificate {place}"))), 0);
    for name in ["snap.by_events.json", "snap.by_alignment.json"] {
        let checked = run(&format!("check {place}/{name} --program ../../mechanisms/snapping.lb"));
        assert_eq!(code(&checked), 0, "{name}: {}", stderr(&checked));
    }
    // Two proofs are two certificates.
    let one = run(&format!("prove ../../mechanisms/snapping.lb --certificate {place}/one.json"));
    assert_eq!(code(&one), 2, "{}", stdout(&one));
}

#[test]
fn floats_are_audited_where_the_proof_says_so() {
    let output = run("prove ../../mechanisms/laplace_f64.lb --json");
    let found = &json(&output)[0];
    assert_eq!((code(&output), &found["verdict"]), (1, &Value::from("refuted")));
    assert_eq!(found["witness"]["event"], "r = -0x1p-53");
    let exact = |index: usize| &found["witness"]["probabilities"][index]["exact"];
    assert_eq!((exact(0), exact(1)), (&Value::from("1/18014398509481982"), &Value::from("0")));
}

#[test]
fn the_table_of_cases() {
    let numbers = "--cases --epsilon 1 --grid 1 --bound 4 --inputs 0 1 --json";
    let output = run(&format!("prove ../../mechanisms/snapping.lb {numbers}"));
    let cases = json(&output)[0]["cases"].as_array().unwrap().clone();
    assert_eq!((code(&output), cases.len()), (0, 7));
    assert!(cases.iter().all(|case| case["empty"].is_string() || case["values"]["within"] == true));
    assert_eq!(code(&run("prove ../../mechanisms/snapping.lb --cases")), 0);
    let some = run("prove ../../mechanisms/snapping.lb --cases --epsilon 1");
    assert_eq!(code(&some), 2);
    assert!(stderr(&some).contains("give also --grid Λ, --bound B, --inputs F F'"), "{}", stderr(&some));
    assert_eq!(code(&run("prove ../../mechanisms/laplace.lb --cases")), 2);
}

#[test]
fn bench_has_the_right_answers() {
    let output = run("bench logic --program partial_sum --json");
    let rows = json(&output);
    assert_eq!((code(&output), rows.len()), (0, 4));
    assert_eq!((&rows[0]["found"], &rows[3]["found"]), (&Value::from("proved"), &Value::from("refuted")));
    assert_eq!(code(&run("bench logic --program nothing")), 2);
}

const SNAPPING: &str = include_str!("../../../mechanisms/snapping_f64.lb");
const TEXTBOOK: &str = include_str!("../../../mechanisms/laplace_f64.lb");
const ADJACENT: &str = "adjacent |x<1> - x<2>| <= 1";

/// The text with one clause in place of another.
fn with_clause(text: &str, clause: &str, other: &str) -> String {
    assert_eq!(text.matches(clause).count(), 1);
    text.replace(clause, other)
}

#[test]
fn no_distance_of_neighbours_is_made_up() {
    for (text, options) in [(SNAPPING, "--epsilon 1 --bound 100"), (SNAPPING, ""), (TEXTBOOK, "")] {
        let output = prove(&with_clause(text, ADJACENT, ""), options);
        assert_eq!(code(&output), 2, "{options}: {}", stdout(&output));
        assert!(stderr(&output).contains("neighbours"), "{}", stderr(&output));
    }
    // These bring inputs no nearer to each other than any two are.
    for adjacent in ["adjacent x<1> - x<2> <= 3", "adjacent |x<1> - x<2>| <= 3 | x<1> <= x<2>"] {
        let output = prove(&with_clause(SNAPPING, ADJACENT, adjacent), "--epsilon 1 --bound 100");
        assert_eq!(code(&output), 3, "{adjacent}: {}", stdout(&output));
        assert!(
            stdout(&output).contains("the distance of neighbours cannot be read off this"),
            "{}",
            stdout(&output)
        );
    }
    let far = with_clause(SNAPPING, ADJACENT, "adjacent |x<1> - x<2>| <= B");
    let output = prove(&far, "--epsilon 1 --bound 8 --json");
    assert!(
        json(&output)[0]["loss"]["decimal"].as_str().unwrap().starts_with("8.0000"),
        "{}",
        stdout(&output)
    );
    // 0 and 1 are not neighbours here.
    let near = with_clause(TEXTBOOK, ADJACENT, "adjacent |x<1> - x<2>| <= 1/1024");
    for options in ["", "--inputs 0 1/1024", "--inputs 0 1"] {
        let output = prove(&near, options);
        assert_eq!(code(&output), 1, "{options}");
        assert!(stdout(&output).contains("1/1024"), "{}", stdout(&output));
    }
}

#[test]
fn proved_is_what_is_claimed() {
    let options = "--epsilon 1 --bound 100";
    for (claim, verdict, expected) in [
        ("pure infer", "PROVED", 0),
        ("pure 2 * eps", "PROVED", 0),
        ("approx(2 * eps, 1/10)", "PROVED", 0),
        // More than what is certified is proved, less than what is lost is refuted; between the two nothing is known.
        ("pure eps + 2^-45", "UNDECIDED", 3),
        ("pure eps", "REFUTED: not eps-DP (pure) with eps = 1:", 1),
        ("pure eps / 2", "REFUTED: not eps-DP (pure) with eps = 1/2:", 1),
        ("pure 0", "REFUTED: not eps-DP (pure) with eps = 0:", 1),
        ("approx(eps / 2, 1/1000)", "REFUTED: not (1/2, 1/1000)-DP", 1),
    ] {
        let output = prove(&with_clause(SNAPPING, "claim pure infer", &format!("claim {claim}")), options);
        assert!(stdout(&output).starts_with(&format!("snap_f64: {verdict}")), "{claim}: {}", stdout(&output));
        assert_eq!(code(&output), expected, "{claim}");
    }
}

/// An event of probability 0 for one input, and too improbable for the other to matter.
#[test]
fn an_improbable_event_is_no_witness_against_delta() {
    for (claim, verdict) in [("approx(2 * eps, 1/10)", "PROVED"), ("pure 2 * eps", "REFUTED: not eps-DP")] {
        let text = with_clause(SNAPPING, "claim pure infer", &format!("claim {claim}"));
        let output = prove(&text, "--epsilon 1 --bound 1000");
        assert!(stdout(&output).starts_with(&format!("snap_f64: {verdict}")), "{claim}: {}", stdout(&output));
    }
    let output = prove(&with_clause(TEXTBOOK, "claim pure infer", "claim approx(eps, 1/10)"), "");
    assert!(stdout(&output).starts_with("laplace_f64: UNDECIDED"), "{}", stdout(&output));
}
