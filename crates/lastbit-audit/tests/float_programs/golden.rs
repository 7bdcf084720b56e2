//! The snapping mechanism as a text, and the golden values.

use lastbit_audit::decimal::{scientific, scientific_of};
use lastbit_audit::program::{Library, Method, Options, Part, ProgramReport};
use lastbit_audit::{ExactLoss, Sampler};
use lastbit_real::{Enclosure, Float, IBig, Rational, ln_rational};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::support::{audited, number};

const DIVIDED: &str = include_str!("../../../../mechanisms/snapping_f64.lb");
const MULTIPLIED: &str = include_str!("../../../../mechanisms/snapping_f64_mul.lb");
const GOLDEN: &str = include_str!("../../../../tests/golden/public.json");

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a string")
}

/// The mechanism of a case: the shipped text with what the case changes.
fn source(parameters: &Value) -> String {
    let source = if text(parameters, "op") == "mul" { MULTIPLIED } else { DIVIDED };
    let mut source = source.replace("round(w, L, up)", &format!("round(w, L, {})", text(parameters, "tie")));
    if text(parameters, "sampler") == "grid53" {
        source = source.replace("ulp(0,1)", "grid53(0,1)");
    }
    if parameters["clamp_input"] == false {
        source = source.replace("c := clamp(x, B)", "c := x");
    }
    source
}

fn report(parameters: &Value) -> ProgramReport {
    let [eps, bound, step] = ["eps", "B", "Lam"].map(|key| text(parameters, key));
    let rate = match parameters["lam"].as_str() {
        Some(lambda) => format!("lambda={lambda}"),
        None => format!("eps={eps}"),
    };
    let shift = parameters["ln_shift"].as_i64().expect("an integer");
    let options = Options {
        library: (shift != 0).then_some(Library::Shifted(shift as i32)),
        epsilon: Some(number(eps)),
        listed: usize::MAX,
        ..Options::default()
    };
    let inputs = ["f", "f2"].map(|key| format!("x={}", text(parameters, key)));
    let parameters_text = format!("{rate} B={bound} L={step}");
    audited(&source(parameters), &parameters_text, [&inputs[0], &inputs[1]], &options).expect("an audit")
}

/// The parts of a sign, as the golden file writes them.
fn interval(parts: &[Part], sign: i8) -> Option<[String; 2]> {
    let mut found = parts.iter().filter(|part| part.signs == [sign]);
    let part = found.next()?;
    assert_eq!(found.next(), None, "one interval");
    Some([part.lo, part.hi].map(Float::to_hex))
}

/// From 0 is from the least sample on, and every end is the least sample that is not less.
fn golden_interval(value: &Value, sampler: Sampler) -> Option<[String; 2]> {
    let [lo, hi] = [0, 1].map(|i| f64::parse_hex(value[i].as_str().expect("a double")).expect("a double"));
    let [lo, hi] = [lo.max(sampler.value(1)), hi].map(|end| sampler.value(sampler.number_at_least(end)));
    (lo < hi).then_some([lo, hi].map(Float::to_hex))
}

fn ratio(weight: &IBig, total: &IBig) -> Rational {
    Rational::new(weight.clone(), total.clone()).expect("there are samples")
}

fn ln_ratio([p, q]: &[IBig; 2]) -> String {
    match [p, q].map(IBig::is_zero) {
        [false, true] => "inf".to_owned(),
        [true, false] => "-inf".to_owned(),
        _ => scientific_of(30, |bits| ln_rational(&ratio(p, q), bits).expect("positive")),
    }
}

/// Every interval, weight, loss and divergence of every case, and the hash of all weights.
#[test]
fn every_case_of_the_snapping_mechanism() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("the golden values");
    let cases = golden["cases"].as_array().expect("cases");
    let cases: Vec<&Value> = cases.iter().filter(|case| case["kind"] == "snap_float").collect();
    assert!(cases.len() > 40);
    for case in cases {
        check_case(case);
    }
}

fn check_case(case: &Value) {
    let id = text(case, "id");
    let parameters = &case["params"];
    let report = report(parameters);
    assert_eq!(report.method, Method::Monotone, "{id}");
    assert_eq!(report.comparison.outputs(), case["n_reachable"].as_u64().expect("a count"), "{id}");
    assert_eq!(report.outcomes.len() as u64, report.comparison.outputs());

    let total = report.comparison.total();
    for expected in case["outputs"].as_array().expect("outputs") {
        let x = f64::parse_hex(text(expected, "x")).expect("a double");
        let Some(found) = report.outcomes.iter().find(|outcome| outcome.output == x) else {
            assert_eq!([&expected["p_f"], &expected["p_f2"]], ["0", "0"], "{id} {x}");
            continue;
        };
        for (input, name) in ["f", "f2"].into_iter().enumerate() {
            for (sign, side) in [(1, "plus"), (-1, "minus")] {
                let expected = golden_interval(&expected[format!("{side}_{name}")], report.sampler);
                assert_eq!(interval(&found.parts[input], sign), expected, "{id} {x} {side}");
            }
            let p = scientific(&ratio(&found.weights[input], total), 40);
            assert_eq!(p, text(expected, &format!("p_{name}")), "{id} {x}");
        }
        // Written as 0 where the 40 digits above do not tell the two apart.
        if text(expected, "ln_ratio") != "0" {
            assert_eq!(ln_ratio(&found.weights), text(expected, "ln_ratio"), "{id} {x}");
        }
    }

    let loss = match report.loss(100) {
        ExactLoss::Infinite => "inf".to_owned(),
        _ => scientific_of(30, |bits| report.comparison.finite_loss(bits)),
    };
    assert_eq!(loss, text(case, "loss"), "{id}");
    let finite = scientific_of(30, |bits| report.comparison.finite_loss(bits));
    assert_eq!(finite, text(case, "loss_finite"), "{id}");
    let witness = report.comparison.witness().expect("there are outputs").output;
    assert_eq!(witness, f64::parse_hex(text(case, "argmax")).expect("a double"), "{id}");
    for (only, key) in report.comparison.only().iter().zip(["only_f", "only_f2"]) {
        let expected: IBig = text(case, key).parse().expect("an integer");
        assert_eq!(*only, Enclosure::exact(expected.into()), "{id}");
    }
    for (delta, expected) in report.comparison.hockey_stick().iter().zip(0..) {
        let [lo, hi] =
            [delta.lo(), delta.hi()].map(|end| Rational::from(end) / Rational::from(total.clone()));
        let expected = case["delta_at_eps"][expected].as_str().expect("a number");
        assert_eq!([scientific(&lo, 30), scientific(&hi, 30)], [expected, expected], "{id}");
    }
    assert_eq!(sha256(&report, parameters), text(case, "weights_sha256"), "{id}");
}

/// Over all outputs, as the golden file describes.
fn sha256(report: &ProgramReport, parameters: &Value) -> String {
    let [bound, step] = ["B", "Lam"].map(|key| f64::parse_hex(text(parameters, key)).expect("a double"));
    let mut hash = Sha256::new();
    for outcome in &report.outcomes {
        let [f, f2] = &outcome.weights;
        let line = match outcome.output {
            x if x == -bound => format!("-B - {f} {f2}\n"),
            x if x == bound => format!("+B - {f} {f2}\n"),
            x => format!("grid {} {f} {f2}\n", x / step),
        };
        hash.update(line);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
