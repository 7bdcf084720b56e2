//! `lastbit prove` and `lastbit check`: JSON, exit codes, certificates.

use std::fs;

use crate::common::{
    assert_refused, code, folder, json, lastbit, names_in, output, put, run, stderr, stdout,
};
use serde_json::Value;

const KERNELS: &str = "tests/programs/kernels.fpcore";
const AVERAGE: &str = "tests/programs/average.fpcore";
const SNAPPING: &str = "../../mechanisms/snapping_f64.lb";

/// The decimal of a number.
fn decimal(number: &Value) -> f64 {
    number["decimal"].as_str().expect("a decimal").parse().expect("a number")
}

#[test]
fn json_has_an_object_for_each_program() {
    let output = run(&format!("prove {KERNELS} --json"));
    assert_eq!(code(&output), 2, "two have no bound");
    let programs = json(&output);
    let names: Vec<&str> = programs.iter().filter_map(|program| program["name"].as_str()).collect();
    assert_eq!(names, ["doppler", "root", "reciprocal", "wave"]);
    for program in &programs[..2] {
        let error = decimal(&program["abs_error"]);
        assert!(error > 0.0 && error < 1e-6);
        let range: Vec<f64> = program["range"].as_array().expect("a pair").iter().map(decimal).collect();
        assert!(range.len() == 2 && range[0] <= range[1]);
        assert!(program["method"].is_string() && program["seconds"].as_f64().is_some_and(|s| s < 10.0));
    }
    assert_eq!(programs[0]["notes"][0], "precondition left out: (< u v)");
    assert_eq!(programs[1]["precision"], "binary32");
    for (program, part) in programs[2..].iter().zip(["division by an interval containing 0", "`sin`"]) {
        assert!(program["error"].as_str().is_some_and(|error| error.contains(part)), "{program}");
        assert!(program["line"].is_u64() && program["column"].is_u64() && program["hint"].is_string());
        assert!(program.get("abs_error").is_none());
    }
}

#[test]
fn a_bound_is_rounded_up_and_close_to_what_is_known() {
    let program = &json(&run(&format!("prove {AVERAGE} --json")))[0];
    // x + y rounds by at most 2^-52, and the half of that is exact.
    assert_eq!(program["abs_error"]["exact"], "1/9007199254740992");
    let error = decimal(&program["abs_error"]);
    assert!((2f64.powi(-53)..2f64.powi(-53) * (1.0 + 1e-9)).contains(&error));
}

#[test]
fn real_inputs_are_rounded_on_entry() {
    // Half an ulp for each of x and y, 2^-53, halved in the mean of both, on top of what floats have.
    let program = &json(&run(&format!("prove {AVERAGE} --real-inputs --json")))[0];
    assert_eq!(program["abs_error"]["exact"], "1/4503599627370496");
    assert_refused(&run(&format!("prove {SNAPPING} --real-inputs")), "--real-inputs is for FPCore");
}

#[test]
fn efforts_are_tighter_in_order() {
    let error = |effort: &str| {
        let output = run(&format!("prove {KERNELS} --program doppler --json --effort {effort}"));
        decimal(&json(&output)[0]["abs_error"])
    };
    let [one, fast, normal] = ["1", "fast", "normal"].map(error);
    assert!(normal < fast && fast <= one && one < 1e-12);
}

#[test]
fn text_is_on_standard_output_and_messages_on_standard_error() {
    let output = run(&format!("prove {KERNELS} --effort fast"));
    assert_eq!(code(&output), 2);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert!(lines[0].starts_with("doppler: |float - real| <= "));
    assert_eq!(lines[3..5], ["reciprocal: no bound", "wave: no bound"]);
    // One line for each at the end.
    let table: Vec<&str> = lines[6..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(table, ["doppler", "root", "reciprocal", "wave"]);
    assert!(stderr(&output).contains("--> tests/programs/kernels.fpcore:13:3"), "{}", stderr(&output));
}

#[test]
fn derivations_are_in_the_json_too() {
    let output = run(&format!("prove {AVERAGE} --json --tree"));
    let derivation = &json(&output)[0]["derivation"];
    let rules: Vec<&str> = derivation["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["rule"].as_str())
        .collect();
    assert_eq!(rules, ["VAR", "VAR", "ADD", "CONST", "DIV"]);
    assert_eq!(derivation["root"], 4);
}

#[test]
fn derivations_are_documents_too() {
    let output = run(&format!("prove {KERNELS} --program doppler --effort fast --latex"));
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    assert!(text.starts_with("% Compile with pdflatex.\n") && text.ends_with("\\end{document}\n"));
    assert_eq!(text.matches("\\textsc{div}").count(), 1);
    let folder = folder();
    put(&folder, "doppler.tex", text);
    let mut pdflatex = std::process::Command::new("pdflatex");
    pdflatex.args(["-interaction=nonstopmode", "-halt-on-error", "doppler"]).current_dir(folder.path());
    // Not every machine has it.
    if let Ok(compiled) = pdflatex.output() {
        assert!(compiled.status.success(), "{}", stdout(&compiled));
    }
}

#[test]
fn what_the_papers_rules_miss() {
    let at = |point: &str| {
        let output =
            run(&format!("prove tests/programs/difference.fpcore --rules paper --json --at {point}"));
        (code(&output), json(&output)[0]["failure"].as_u64())
    };
    assert_eq!(at("x=1.5,y=1.5"), (0, None));
    assert_eq!(at("x=1.25,y=1.5"), (1, Some(4)));
    let searched = run("prove tests/programs/difference.fpcore --rules paper --json");
    assert_eq!(code(&searched), 1);
}

#[test]
fn claims_are_proved_or_not_and_the_exit_code_says_so() {
    for kernel in ["exponential", "wide", "normal"] {
        let proved = run(&format!("prove ../../mechanisms/kernels/{kernel}.lb --json"));
        assert_eq!(code(&proved), 0);
        assert!(json(&proved).iter().all(|function| function["claim"] == "proved"));
    }
    let undecided = run("prove tests/programs/logistic.lb --program too_good --json");
    assert_eq!((code(&undecided), &json(&undecided)[0]["claim"]), (3, &Value::from("not proved")));
    assert_eq!(code(&run("prove tests/programs/logistic.lb --program logistic")), 0);
}

#[test]
fn privacy_of_the_snapping_mechanism() {
    let loss = |options: &str| {
        let output = run(&format!("prove {SNAPPING} --json {options}"));
        let loss = &json(&output)[0]["loss"];
        let is_infinite = loss["kind"] == "infinite";
        (code(&output), Some(if is_infinite { f64::INFINITY } else { decimal(loss) }))
    };
    let (zero, excess) = loss("--epsilon 1 --bound 100");
    assert_eq!(zero, 0);
    assert!(excess.is_some_and(|loss| loss > 1.0 && loss < 1.0 + 1e-12));
    // A worse library, and inputs with signs.
    let (zero, worse) = loss("--epsilon 1 --bound 100 --libm ln=1ulp --sensitivity 1 --inputs -3 -2");
    assert_eq!(zero, 0);
    assert!(worse > excess);
    assert_eq!(loss("--epsilon 1 --bound 1000"), (1, Some(f64::INFINITY)));
}

#[test]
fn without_values_there_is_a_theorem() {
    let output = run(&format!("prove {SNAPPING} --json"));
    assert_eq!(code(&output), 0);
    assert_eq!((&json(&output)[0]["agrees"], &json(&output)[0]["applies"]), (&true.into(), &true.into()));
    // A logarithm of 1 ulp and a division are three roundings, and the theorem is about two.
    let coarse = run(&format!("prove {SNAPPING} --json --libm ln=1ulp"));
    assert_eq!((code(&coarse), &json(&coarse)[0]["applies"]), (3, &false.into()));
    // One value of two is not enough, and that is said.
    let half = run(&format!("prove {SNAPPING} --epsilon 1"));
    assert!(stdout(&half).contains("note: for a bound with numbers give the values of all parameters"));
}

#[test]
fn certificates_are_accepted_and_refused_after_any_change() {
    let folder = folder();
    let path = folder.path().join("root.json");
    let prove = format!("prove {KERNELS} --program root --effort fast --certificate {}", path.display());
    assert_eq!(code(&run(&prove)), 0);
    let check = |more: &str| run(&format!("check {} {more}", path.display()));
    assert_eq!(code(&check("")), 0, "{}", stdout(&check("")));
    assert_eq!(code(&check(&format!("--program {KERNELS}"))), 0);
    assert_eq!(code(&check(&format!("--program {AVERAGE}"))), 1);

    let good = fs::read_to_string(&path).expect("the certificate");
    let value: Value = serde_json::from_str(&good).expect("JSON");
    let error = value["claim"]["error"].as_str().expect("an error");
    let (digits, exponent) = error.split_once('p').expect("a dyadic number");
    let less = format!("{}p{exponent}", digits.parse::<u64>().expect("an integer") - 2);
    let changes = [
        (format!("\"error\":\"{error}\""), format!("\"error\":\"{less}\"")),
        ("binary32".into(), "binary64".into()),
        ("[\"sqrt\",".into(), "[\"neg\",".into()),
        ("\"hi\":\"1\"".into(), "\"hi\":\"2\"".into()),
    ];
    for (from, to) in changes {
        assert!(good.contains(&from), "{from} is in the certificate");
        fs::write(&path, good.replace(&from, &to)).expect("the file is written");
        let output = check("");
        assert_eq!(code(&output), 1, "{from} -> {to}");
        assert!(stdout(&output).contains("REFUSED"), "{from} -> {to}");
    }
    fs::write(&path, &good[..good.len() / 2]).expect("the file is written");
    assert_refused(&check(""), "half a certificate");
}

#[test]
fn certificates_of_functions_are_compared_with_their_text() {
    let folder = folder();
    let path = folder.path().join("c.json");
    let prove = "prove tests/programs/logistic.lb --program logistic --effort fast --certificate";
    assert_eq!(code(&output(lastbit(prove).arg(&path))), 0);
    let check = lastbit("check --program tests/programs/logistic.lb --json").arg(&path).output();
    let check = check.expect("the command runs");
    assert_eq!(code(&check), 0, "{}", stdout(&check));
    assert_eq!(json(&check)[0]["name"], "logistic");
    assert_eq!(code(&output(lastbit(&format!("check --program {SNAPPING}")).arg(&path))), 2);
}

#[test]
fn a_folder_takes_many_certificates_and_nothing_is_half_written() {
    let folder = folder();
    let prove = format!("prove {KERNELS} --effort fast --certificate {}", folder.path().display());
    assert_eq!(code(&run(&prove)), 2, "two programs have no bound");
    assert_eq!(names_in(folder.path()), ["doppler.json", "root.json"]);
    let all = lastbit("check").args(names_in(folder.path())).current_dir(folder.path()).output();
    assert_eq!(code(&all.expect("the command runs")), 0);
    // Again: the old ones are replaced.
    assert_eq!(code(&run(&prove)), 2);
    assert_eq!(names_in(folder.path()).len(), 2);
    // Names that would be the same file.
    let twins = "(FPCore (x) :name \"a b\" :pre (<= 1 x 2) x)(FPCore (x) :name \"a/b\" :pre (<= 1 x 2) x)";
    let twins = put(&folder, "twins.fpcore", twins);
    let output = output(lastbit("prove --certificate").arg(folder.path()).arg(&twins));
    assert_refused(&output, "twins");
    assert_eq!(names_in(folder.path()), ["a_b.json", "doppler.json", "root.json", "twins.fpcore"]);
}

#[test]
fn a_certificate_that_can_not_be_written_leaves_nothing() {
    let folder = folder();
    let path = folder.path().join("no/such/folder.json");
    assert_refused(&output(lastbit(&format!("prove {AVERAGE} --certificate")).arg(&path)), "no such folder");
    assert!(names_in(folder.path()).is_empty());
}
