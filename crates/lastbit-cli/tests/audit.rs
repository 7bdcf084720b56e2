//! `lastbit audit` and `lastbit conformance`, from the outside.

use crate::common::{code, folder, output, put, run, stderr, stdout};
#[cfg(unix)]
use crate::common::{interrupted, lastbit};
use serde_json::Value;

/// Runs it and reads its JSON. The exit code is that of its verdict.
#[track_caller]
fn audit(arguments: &str) -> Value {
    let output = run(&format!("audit {arguments} --json"));
    let told: Value = serde_json::from_str(stdout(&output))
        .unwrap_or_else(|error| panic!("{arguments}: {error}: {}", stderr(&output)));
    let expected = match told["verdict"].as_str() {
        None | Some("holds") => 0,
        Some("violated") => 1,
        Some("undecided") => 3,
        other => panic!("{arguments}: {other:?}"),
    };
    assert_eq!(code(&output), expected, "{arguments}: {}", stderr(&output));
    told
}

/// The digits of a number or a loss; `inf` for one that is infinite.
#[track_caller]
fn digits<'a>(value: &'a Value, name: &str) -> &'a str {
    let number = &value[name];
    if number["kind"] == "infinite" { "inf" } else { text(number, "decimal") }
}

/// A number that is exact.
#[track_caller]
fn exact(value: &Value, name: &str) -> lastbit::Rational {
    text(&value[name], "exact").parse().expect("a rational number")
}

#[track_caller]
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is {}", value[name]))
}

const PUBLIC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/public.json");

/// Every floating-point case of the public file through the options of the command: the same loss, witness and masses.
#[test]
fn public_cases_through_options() {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(PUBLIC).unwrap()).unwrap();
    let mut tried = 0;
    for case in file["cases"].as_array().unwrap() {
        let p = &case["params"];
        if case["kind"] != "snap_float" || case["outputs_listed"] != "all" {
            continue;
        }
        let id = text(case, "id");
        let mut options = format!(
            "snapping --epsilon {} --bound {} --inputs {} {} --grid {} --tie {}",
            text(p, "eps"),
            text(p, "B"),
            text(p, "f"),
            text(p, "f2"),
            text(p, "Lam"),
            text(p, "tie"),
        );
        if p["sampler"] == "grid53" {
            options += " --sampler grid53";
        }
        if p["op"] == "mul" {
            options += &format!(" --op mul --scale {}", text(p, "lam"));
        }
        if p["clamp_input"] == false {
            options += " --no-clamp";
        }
        match p["ln_shift"].as_i64().unwrap() {
            0 => {}
            1 => options += " --ln +1ulp",
            _ => options += " --ln -1ulp",
        }
        let found = audit(&options);
        let same = |ours: &str, theirs: &str| {
            ours == theirs
                || matches!((ours.parse::<lastbit::Rational>(), theirs.parse()), (Ok(a), Ok(b)) if a == b)
        };
        assert!(same(digits(&found, "loss"), text(case, "loss")), "{id}: {}", found["loss"]);
        assert!(same(text(&found, "excess_eta"), text(case, "excess_eta")), "{id}: {}", found["excess_eta"]);
        assert_eq!(found["witness"]["output"], case["argmax"], "{id}");
        assert_eq!(text(&found, "n_outputs"), case["n_reachable"].to_string(), "{id}");
        let total = if p["sampler"] == "grid53" { 53 } else { 1074 };
        let total = (lastbit::Rational::pow2(total) - lastbit::Rational::ONE) * lastbit::Rational::from(2);
        let only = exact(&found, "only_first") * total;
        assert_eq!(only.to_string(), text(case, "only_f"), "{id}");
        let deltas = case["delta_at_eps"].as_array().unwrap();
        assert!(same(digits(&found["delta"], "first"), deltas[0].as_str().unwrap()), "{id}");
        assert!(same(digits(&found["delta"], "second"), deltas[1].as_str().unwrap()), "{id}");
        for (ours, theirs) in
            found["outputs"].as_array().unwrap().iter().zip(case["outputs"].as_array().unwrap())
        {
            assert_eq!(ours["output"], theirs["x"], "{id}");
            let interval = &theirs["plus_f"];
            let expected =
                if interval[0] == interval[1] { Value::Array(vec![]) } else { serde_json::json!([interval]) };
            assert_eq!(ours["u"]["plus_first"], expected, "{id}");
        }
        tried += 1;
    }
    assert!(tried >= 20, "only {tried}");
}

/// Decimals are rounded to the nearest double, which is shown; hexadecimal numbers are taken as they are.
#[test]
fn numbers_become_doubles() {
    let decimal = audit("snapping --epsilon 0.1 --bound 100 --inputs 0.3 -0.7");
    let tenth = lastbit::Rational::try_from(0.1).unwrap();
    assert_eq!(exact(&decimal["parameters"], "epsilon"), tenth);
    assert_eq!(decimal["inputs"][1], "-0x1.6666666666666p-1");
    let hexadecimal = audit(
        "snapping --epsilon 0x1.999999999999ap-4 --bound 0x1.9p6 --inputs 0x1.3333333333333p-2 -0x1.6666666666666p-1",
    );
    assert_eq!(decimal, hexadecimal);
    let human = run("audit snapping --epsilon 0.1 --bound 100 --inputs 0.3 -0.7");
    assert!(stdout(&human).contains("0x1.3333333333333p-2"), "{}", stdout(&human));
}

/// What is printed can be made again from what is printed.
#[test]
fn reports_are_reproducible() {
    let first = audit("snapping --epsilon 0.7 --bound 9 --inputs -3 -2 --op mul --tie even --sampler grid53");
    let again = format!(
        "snapping --epsilon {} --bound {} --inputs {} {} --op {} --tie {} --sampler {} --grid {}",
        exact(&first["parameters"], "epsilon"),
        exact(&first["parameters"], "bound"),
        first["inputs"][0].as_str().unwrap(),
        first["inputs"][1].as_str().unwrap(),
        text(&first["parameters"], "op"),
        text(&first["parameters"], "tie"),
        text(&first["parameters"], "sampler"),
        exact(&first["parameters"], "grid"),
    );
    assert_eq!(first, audit(&again));
}

/// Fractions are over one total, and add up to it.
#[test]
fn fractions_are_exact() {
    let found = audit("snapping --epsilon 1 --bound 3 --inputs 0 1");
    for side in ["p_first", "p_second"] {
        let outputs = found["outputs"].as_array().unwrap();
        let sum: lastbit::Rational = outputs.iter().map(|output| exact(output, side)).sum();
        assert_eq!(sum, lastbit::Rational::ONE);
    }
    let witness =
        found["outputs"].as_array().unwrap().iter().find(|row| row["output"] == found["witness"]["output"]);
    assert_eq!(found["witness"]["p_first"], witness.expect("it is listed")["p_first"]);
}

#[test]
fn more_digits_extend_the_loss() {
    let to_digits = |n: usize| {
        let found = audit(&format!("snapping --epsilon 1 --bound 3 --inputs 0 1 --digits {n}"));
        digits(&found, "loss").to_owned()
    };
    let (some, many) = (to_digits(20), to_digits(200));
    assert_eq!(many.len(), 201); // and the point
    assert_eq!(some[..19], many[..19]);
    let ideal = audit("snapping --epsilon 1 --bound 3 --inputs 0 1 --form exact --digits 60");
    assert_eq!(digits(&ideal, "loss").parse::<lastbit::Rational>().unwrap(), lastbit::Rational::ONE);
    assert_eq!(text(&ideal, "verdict"), "holds");
}

#[test]
fn the_textbook_is_refuted() {
    let double = audit("textbook-laplace --epsilon 1 --inputs 0 1");
    assert_eq!(digits(&double, "loss"), "inf");
    assert_eq!(text(&double, "verdict"), "violated");
    assert!(exact(&double["witness"], "p_second").is_zero());
}

/// The whole distribution in single precision: two thirds of the mass at 0 cannot come from 1.
#[test]
fn the_textbook_in_single_precision() {
    let single = audit("textbook-laplace --type f32 --sampler grid24 --epsilon 1 --inputs 0 1");
    assert_eq!(exact(&single, "only_first"), "22445244/33554430".parse().unwrap());
    assert_eq!(digits(&single, "loss"), "inf");
}

#[test]
fn programs_of_the_language() {
    let mechanisms = concat!(env!("CARGO_MANIFEST_DIR"), "/../../mechanisms");
    let response = audit(&format!("{mechanisms}/randomized_response.lb --epsilon 1 --inputs true false"));
    assert!(digits(&response, "loss").starts_with("1.00000000"), "{response}");
    // The loss is the claim itself, which no enclosure can tell from a little more: the prover can.
    let claim = &response["claims"][0];
    assert_eq!(text(claim, "verdict"), "holds", "{response}");
    assert!(text(claim, "words").ends_with("the claim is proved for all neighbours"), "{response}");
    let [lo, hi] = [0, 1]
        .map(|end| claim["excess"]["between"][end].as_str().unwrap().parse::<lastbit::Rational>().unwrap());
    assert!(
        lo <= lastbit::Rational::ZERO && lastbit::Rational::ZERO <= hi && hi - lo < "1e-50".parse().unwrap()
    );
    assert_eq!(text(&response, "mechanism"), "randomized_response");
    assert_eq!(response["parameters"], serde_json::json!({ "eps": { "exact": "1", "decimal": "1" } }));
    // The same numbers from the text as from the closed form.
    let program = audit(&format!("{mechanisms}/snapping_f64.lb --epsilon 0.7 --bound 9 --inputs -3 -2.25"));
    let closed = audit("snapping --epsilon 0.7 --bound 9 --inputs -3 -2.25");
    for field in ["loss", "only_first", "n_outputs"] {
        assert_eq!(program[field], closed[field], "{field}");
    }
    let outputs = |value: &Value| value["outputs"].as_array().unwrap().clone();
    for (a, b) in outputs(&program).iter().zip(outputs(&closed)) {
        assert_eq!(a["p_first"], b["p_first"]);
        assert_eq!(
            a["u"]["minus_second"].as_array().unwrap().len(),
            b["u"]["minus_second"].as_array().unwrap().len()
        );
    }
    let textbook = audit(&format!("{mechanisms}/laplace_f64.lb --epsilon 1 --inputs 0 1"));
    assert_eq!(digits(&textbook, "loss"), "inf");
}

/// With this machine's logarithm: the bands around thresholds are enumerated.
#[test]
fn the_library_of_this_machine() {
    let found = audit("snapping --epsilon 1 --bound 8 --inputs 7 8 --ln std");
    assert!(digits(&found, "loss").starts_with("1.0000000"), "{}", found["loss"]);
    assert!(
        found["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("platform"))
    );
}

#[test]
fn the_worst_inputs_are_found() {
    let infinite = audit("snapping --epsilon 1 --bound 372.00000000000017 --worst --budget 300ms");
    assert_eq!(digits(&infinite, "loss"), "inf");
    assert_eq!(text(&infinite, "verdict"), "violated");
    assert_eq!(infinite["inputs"].as_array().unwrap().len(), 2);
    assert_eq!(infinite["worst"]["certified"]["kind"], "approximate");
    let finite = audit("snapping --epsilon 0.9 --bound 20 --worst --budget 300ms");
    let loss = digits(&finite, "loss").parse::<lastbit::Rational>().unwrap();
    let certified = exact(&finite["worst"]["certified"], "loss");
    assert!(loss > "0.9".parse().unwrap() && loss <= certified, "{finite}");
    assert_eq!(text(&finite, "verdict"), "holds");
}

/// The verdict is on what is claimed, or on the limit that is given; the exit code says which.
#[test]
fn verdicts_and_limits() {
    let mechanisms = concat!(env!("CARGO_MANIFEST_DIR"), "/../../mechanisms");
    let folder = folder();
    let liar = put(
        &folder,
        "liar.lb",
        "mechanism rr(x: bool) -> bool\n  claim pure 1\n{ lie <$ bernoulli(1/4);  return if lie { !x } else { x } }\n",
    );
    let snap = put(
        &folder,
        "snap.lb",
        "mechanism m(x: f64) -> grid\n  param eps: f64 = 1\n  adjacent |x<1> - x<2>| <= 1\n  claim pure eps\n\
         { u <$ unif(0,1);  s <$ sign;  return clamp(round(clamp(x, 10) + s * (ln(u) / eps), 1, up), 10) }\n",
    );
    let (liar, snap) = (liar.display(), snap.display());
    for (arguments, expected) in [
        (format!("{liar} --inputs true false"), 1),
        (format!("{liar} --inputs true false --fail-above 1.0986"), 1),
        (format!("{liar} --inputs true false --fail-above 1.0987"), 0),
        (format!("{snap} --inputs 0 1"), 1),
        (format!("{snap} --inputs 0 1 --fail-above 1.000001"), 0),
        // These are not neighbours: that they lose more refutes nothing.
        (format!("{snap} --inputs 0 2"), 3),
        ("snapping --epsilon 1 --bound 4 --inputs 0 1".into(), 0),
        ("snapping --epsilon 1 --bound 4 --inputs 0 1 --fail-above 1".into(), 1),
        ("snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact --fail-above 1".into(), 0),
        ("snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact --fail-above 0.99".into(), 1),
        ("textbook-laplace --epsilon 1 --inputs 0 1".into(), 1),
        (format!("{mechanisms}/laplace.lb --epsilon 1 --inputs 0 1"), 0),
        (format!("{mechanisms}/laplace.lb --epsilon 1 --inputs 0 1 --fail-above 0.999"), 1),
        (format!("{mechanisms}/laplace.lb --epsilon 1 --inputs 0 2"), 3),
        ("snapping --epsilon 1 --bound 4 --inputs 0 1 --fail-above -1".into(), 2),
    ] {
        let output = run(&format!("audit {arguments}"));
        assert_eq!(code(&output), expected, "{arguments}: {}{}", stdout(&output), stderr(&output));
        let first = stdout(&output).lines().next().unwrap_or_default();
        let word = match expected {
            0 => "HOLDS",
            1 => "VIOLATED",
            3 => "UNDECIDED",
            _ => "",
        };
        assert!(first.starts_with(word), "{arguments}: {first}");
    }
}

/// Real-valued noise by exact integrals: the loss of a Laplace mechanism is its claim, by an event and by a proof.
#[test]
fn real_valued_noise() {
    let folder = folder();
    let put = |name: &str, text: &str| put(&folder, name, text).display().to_string();
    let good = put(
        "good.lb",
        "mechanism m(x: real) -> real\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 1/2\n{ z <$ lap(2);  return x + z }\n",
    );
    let found = audit(&format!("{good} --inputs 3 4"));
    assert_eq!(text(&found, "form"), "continuous");
    assert_eq!(exact(&found, "loss"), "1/2".parse().unwrap());
    let bad = put(
        "bad.lb",
        "mechanism m(x: real) -> real\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 1/4\n{ z <$ lap(2);  return x + z }\n",
    );
    assert_eq!(text(&audit(&format!("{bad} --inputs 3 4")), "verdict"), "violated");
    let one_sided = put("one.lb", "mechanism m(x: real) -> real\n{ z <$ expo(2);  return x + z }\n");
    assert_eq!(digits(&audit(&format!("{one_sided} --inputs 0 1")), "loss"), "inf");
}

#[test]
fn samplers() {
    let found = audit("sampler discrete-laplace --scale 2 --inputs 0 1 --depth 24");
    assert_eq!(found["sampler"]["refuted"], false, "{found}");
    assert_eq!(found["sampler"]["interrupted"], false);
    let again = format!(
        "sampler {} --scale {} --inputs {} {} --depth {}",
        text(&found, "mechanism"),
        exact(&found["parameters"], "scale"),
        found["inputs"][0].as_str().unwrap(),
        found["inputs"][1].as_str().unwrap(),
        found["sampler"]["depth_bits"],
    );
    assert_eq!(found, audit(&again));
}

/// A sampler audit knows the loss from below only, so a limit holds no further than the bits that were tried.
#[test]
fn a_limit_for_a_sampler_holds_as_far_as_bits_decide() {
    for (depth, limit, exit, says) in [
        (4, "0.5", 0, "HOLDS as far as 8 bits decide: the loss is at least 0"),
        (4, "0.3", 3, "UNDECIDED: the loss is at least 0"),
        (16, "0.3", 1, "VIOLATED: the loss is at least 0.3"),
    ] {
        let output = run(&format!(
            "audit sampler discrete-laplace --scale 5/2 --inputs 0 1 --depth {depth} --fail-above {limit}"
        ));
        assert_eq!(code(&output), exit, "{limit}: {}", stderr(&output));
        assert!(stdout(&output).starts_with(says), "{limit}: {}", stdout(&output));
        assert!(!stdout(&output).contains("claimed by the library: holds"), "{}", stdout(&output));
    }
}

/// What was found by then is reported.
#[cfg(unix)]
#[test]
fn ctrl_c_reports_what_is_known() {
    for (arguments, part) in [
        ("snapping --epsilon 1 --bound 100 --worst --json", "worst"),
        ("sampler discrete-gaussian --scale 20 --depth 60 --json", "sampler"),
    ] {
        let output = interrupted(|| lastbit(&format!("audit {arguments}")));
        assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
        let report: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        assert_eq!(report[part]["interrupted"], true, "{arguments}");
    }
}

#[test]
fn bad_input_exits_with_2() {
    for (arguments, says) in [
        ("audit snapping --epsilon -1 --bound 4 --inputs 0 1", "epsilon must be positive"),
        ("audit snapping --epsilon nan --bound 4 --inputs 0 1", "not a finite number"),
        ("audit snapping --epsilon 1 --bound 0 --inputs 0 1", "bound = 0"),
        ("audit snapping --epsilon 1 --bound -4 --inputs 0 1", "bound = -4"),
        ("audit snapping --epsilon 1 --bound inf --inputs 0 1", "not a finite number"),
        ("audit snapping --epsilon 1 --bound 1e400 --inputs 0 1", "too large for a double"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 x", "'x'"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0", "--inputs"),
        ("audit snapping --epsilon 1 --bound 4", "missing --inputs"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 0x1.00000000000001p0", "is not a double"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --grid -2", "power of two"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --scale 2", "--op mul"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --op mul --scale 0", "scale = 0"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --tie down", "down"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --digits 0", "digits"),
        (
            "audit snapping --epsilon 1 --bound 4 --inputs 0 1 --form exact --op mul",
            "--op is about floating point",
        ),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --worst", "--worst"),
        ("audit snapping --epsilon 1 --bound 4 --worst --budget never", "budget"),
        ("audit snapping --epsilon 1 --bound 4 --worst --sensitivity 0", "sensitivity"),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --delta-at 1e300", "delta"),
        ("audit gaussian --epsilon 1 --inputs 0 1", "no mechanism \"gaussian\""),
        ("audit snapping --epsilon 1 --bound 4 --inputs 0 1 --sensitivity 2", "--sensitivity is for --worst"),
        ("audit sampler discrete-laplace --scale 1e30", "overflows"),
        ("audit missing.lb --inputs 0 1", "cannot read missing.lb"),
        ("audit textbook-laplace --epsilon 0 --inputs 0 1", "epsilon must be positive"),
        (
            "audit textbook-laplace --epsilon 1 --inputs 0 1 --type f32 --sampler grid53",
            "no single-precision",
        ),
        ("audit sampler laplace --scale 0 --inputs 0 1", "scale"),
        ("audit sampler noise --scale 1", "noise"),
        ("conformance missing.json", "cannot read missing.json"),
        ("conformance --emit --epsilon 1", "missing"),
        (
            "conformance --emit --epsilon 1 --bound 4 --inputs 0 1 --form exact --op mul",
            "--op is about floating point",
        ),
        ("conformance --emit --epsilon 0 --bound 1 --inputs 0 1", "epsilon must be positive"),
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2, "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{arguments}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{arguments}");
    }
}

#[test]
fn programs_that_can_not_be_audited_say_where() {
    let folder = folder();
    let audit = |text: &str, arguments: &str| {
        let path = put(&folder, "program.lb", text);
        output(crate::common::lastbit(&format!("audit {} {arguments}", path.display())).arg("--json"))
    };
    let not_monotone = audit(
        "mechanism m(x: f64) -> f64\n  sampler unif = ulp(0,1)\n{\n  u <$ unif(0,1);\n  return x + u * (1 - u);\n}\n",
        "--inputs 0 1",
    );
    assert_eq!(code(&not_monotone), 2);
    assert!(stderr(&not_monotone).contains("monotone"), "{}", stderr(&not_monotone));
    assert!(stderr(&not_monotone).contains("program.lb:5"), "{}", stderr(&not_monotone));
    let not_linear =
        audit("mechanism m(x: real) -> real\n{\n  z <$ lap(1);\n  return x + z * z;\n}\n", "--inputs 0 1");
    assert_eq!(code(&not_linear), 2);
    assert!(stderr(&not_linear).contains("lap"), "{}", stderr(&not_linear));
    let bad = audit("mechanism m(", "--inputs 0 1");
    assert_eq!(code(&bad), 2);
    let without_inputs = audit("mechanism m(x: f64) -> f64\n{\n  return x;\n}\n", "");
    assert!(stderr(&without_inputs).contains("--inputs 0 1"), "{}", stderr(&without_inputs));
}

#[test]
fn conformance_files() {
    let public = run(&format!("conformance {PUBLIC}"));
    assert_eq!(code(&public), 0, "{}", stdout(&public));
    assert!(stdout(&public).contains("of 60 cases hold"), "{}", stdout(&public));
    let folder = folder();
    let emitted = run("conformance --emit --epsilon 0.3 --bound 5 --inputs -1 0 --inputs 4 5 --tie away");
    assert_eq!(code(&emitted), 0);
    let path = put(&folder, "values.json", stdout(&emitted));
    let again = run(&format!("conformance {} --json", path.display()));
    assert_eq!(code(&again), 0, "{}", stdout(&again));
    // One digit of one value.
    let changed = stdout(&emitted).replacen("\"argmax\": \"0x1.4", "\"argmax\": \"0x1.5", 1);
    assert!(changed != stdout(&emitted));
    let path = put(&folder, "changed.json", changed);
    let refused = run(&format!("conformance {}", path.display()));
    assert_eq!(code(&refused), 1);
    assert!(
        stdout(&refused).contains("argmax") && stdout(&refused).contains("recomputed"),
        "{}",
        stdout(&refused)
    );
    let path = put(&folder, "empty.json", "{\"schema_version\": 1, \"cases\": []}");
    assert_eq!(code(&run(&format!("conformance {}", path.display()))), 2);
    let path = put(
        &folder,
        "malformed.json",
        "{\"schema_version\": 1, \"cases\": [{\"kind\": \"ln\", \"rows\": [{}]}]}",
    );
    let malformed = run(&format!("conformance {}", path.display()));
    assert_eq!(code(&malformed), 2);
    assert!(stderr(&malformed).contains("cases[0].rows[0].u"), "{}", stderr(&malformed));
}
