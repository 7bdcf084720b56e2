//! The public file, files with one digit changed, and files that are emitted.

use lastbit_audit::conformance::{Emitted, check, emit};
use lastbit_audit::snapping::{FloatSnap, Noise, Variant};
use lastbit_audit::{Sampler, conformance};
use lastbit_lang::Tie;
use lastbit_real::Rational;
use serde_json::{Value, json};

const PUBLIC: &str = include_str!("../../../tests/golden/public.json");

#[test]
fn every_value_of_the_public_file() {
    let mut seen = 0;
    let checked = check(PUBLIC, |_, all| {
        seen += 1;
        assert_eq!(all, 60);
    })
    .unwrap();
    assert_eq!([checked.len(), seen], [60, 60]);
    for case in &checked {
        assert_eq!(case.mismatches, [], "{}", case.id);
        assert!(case.values >= 8, "{}: {}", case.id, case.values);
    }
}

/// A file with this case alone.
fn file_of(case: Value) -> String {
    json!({ "schema_version": 1, "cases": [case] }).to_string()
}

fn mismatches(case: Value) -> Result<usize, conformance::ConformanceError> {
    let checked = check(&file_of(case), |_, _| {})?;
    Ok(checked.iter().map(|case| case.mismatches.len()).sum())
}

/// All paths to strings, numbers and booleans.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            if !["id", "note", "approx", "reached_from_f_by"].contains(&name.as_str()) {
                leaves(value, &format!("{path}/{name}"), found);
            }
        }),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| leaves(value, &format!("{path}/{i}"), found));
        }
        Value::Null => {}
        _ => found.push(path.to_owned()),
    }
}

/// The last digit of a number one up or down, another word for a word.
fn mutated(value: &Value) -> Value {
    match value {
        Value::Bool(b) => json!(!b),
        Value::Number(n) => json!(n.as_i64().unwrap() + 1),
        Value::String(text) => {
            // Before the exponent, if there is one.
            let end = text.find(['e', 'p']).filter(|_| text.contains(['.', 'x'])).unwrap_or(text.len());
            let (mantissa, exponent) = text.split_at(end);
            let last = mantissa.chars().last().unwrap_or('x');
            let other = if last == '1' { '2' } else { '1' };
            let kept: String = mantissa.chars().take(mantissa.chars().count() - 1).collect();
            json!(format!("{kept}{other}{exponent}"))
        }
        other => other.clone(),
    }
}

/// Every value of a case of each kind, changed, is noticed: as a mismatch, or as a field that cannot be.
#[test]
fn no_digit_can_be_changed() {
    let file: Value = serde_json::from_str(PUBLIC).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let mut tried = 0;
    for id in ["mir-e0-0", "grid53-0", "noclamp-1", "ideal-003", "naive-1", "threshold-1", "ln-1"] {
        let case = cases.iter().find(|case| case["id"] == id).unwrap();
        let mut paths = Vec::new();
        leaves(case, "", &mut paths);
        // Parameters and arguments are what the values are computed from; they are not compared.
        let is_given = |path: &str| {
            let given = ["/eps", "/lam", "/x", "/T", "/op", "/s", "/strict"];
            path.starts_with("/params")
                || path.ends_with("/w")
                || path.ends_with("/u")
                || (id == "threshold-1" && given.iter().any(|name| path.ends_with(name)))
        };
        paths.retain(|path| !is_given(path));
        let step = paths.len().div_ceil(60);
        for path in paths.iter().step_by(step) {
            let mut changed = case.clone();
            let value = changed.pointer_mut(path).unwrap();
            *value = mutated(value);
            let noticed = mismatches(changed).map_or(true, |count| count > 0);
            assert!(noticed, "{id} {path}");
            tried += 1;
        }
    }
    assert!(tried > 200, "only {tried}");
}

#[test]
fn what_is_missing_or_unknown_is_noticed() {
    let file: Value = serde_json::from_str(PUBLIC).unwrap();
    let case = &file["cases"][8];
    assert_eq!(mismatches(case.clone()).unwrap(), 0);
    let mut without = case.clone();
    without.as_object_mut().unwrap().remove("loss");
    assert_eq!(mismatches(without).unwrap(), 1);
    let mut with = case.clone();
    with["gain"] = json!("1");
    assert_eq!(mismatches(with).unwrap(), 1);
    let mut shorter = case.clone();
    shorter["outputs"].as_array_mut().unwrap().pop();
    assert!(mismatches(shorter).unwrap() > 0);
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    let refusal = |text: &str| check(text, |_, _| {}).unwrap_err().to_string();
    assert!(refusal("{").contains("line 1"));
    assert!(refusal("{}").contains("schema_version"));
    assert!(refusal(r#"{"schema_version": 1}"#).contains("cases"));
    assert!(refusal(r#"{"schema_version": 1, "cases": [], "n_cases": 3}"#).contains("n_cases"));
    let file: Value = serde_json::from_str(PUBLIC).unwrap();
    let case = file["cases"].as_array().unwrap().iter().find(|case| case["id"] == "mir-e0-0").unwrap();
    for (path, value, place) in [
        ("/kind", json!("snap"), "mir-e0-0.kind"),
        ("/params/eps", json!("0.1"), "mir-e0-0.params.eps"),
        ("/params/eps", json!("nan"), "mir-e0-0.params.eps"),
        ("/params/eps", json!("-0x1p+0"), "mir-e0-0.params.eps"),
        ("/params/B", json!("0x0.0p+0"), "mir-e0-0.params.B"),
        ("/params/Lam", json!("0x1.8000000000000p+7"), "mir-e0-0.params.Lam"),
        ("/params/tie", json!("down"), "mir-e0-0.params.tie"),
        ("/params/f", json!(3), "mir-e0-0.params.f"),
        ("/outputs", json!({}), "mir-e0-0.outputs"),
        ("/outputs/0/label", json!("B"), "mir-e0-0.outputs[0].label"),
    ] {
        let mut changed = case.clone();
        *changed.pointer_mut(path).unwrap() = value;
        let message = refusal(&file_of(changed));
        assert!(message.contains(place), "{path}: {message}");
    }
}

/// An emitted file has all kinds, and conforms to itself.
#[test]
fn emitted_files_conform() {
    let noise = Noise::Multiplied { scale: "3/4".parse().unwrap() };
    let mechanism = FloatSnap::new(noise, 40.5, None, Tie::Even, Sampler::Grid53).unwrap();
    let variant = Variant { mechanism, clamp_input: false, ln_shift: -1 };
    let [epsilon, bound, grid, f, f2] =
        ["1/2", "9", "2", "1/3", "4/3"].map(|text| text.parse::<Rational>().unwrap());
    let file = emit(&[
        Emitted::Float { variant, epsilon: 4.0 / 3.0, inputs: [0.25, -7.0] },
        Emitted::Ideal { parameters: [epsilon, bound, grid], inputs: [f, f2] },
    ])
    .unwrap();
    let checked = check(&file.to_string(), |_, _| {}).unwrap();
    let kinds: Vec<&str> = checked.iter().map(|case| case.kind.as_str()).collect();
    assert_eq!(kinds, ["snap_float", "threshold", "ln", "naive", "snap_ideal"]);
    for case in &checked {
        assert_eq!(case.mismatches, [], "{}", case.id);
        assert!(case.values > 10);
    }
    assert_eq!(file["cases"][0]["outputs_listed"], "selected");
}
