//! Files that are no certificates: messages say where, and nothing panics.

use lastbit_prove::logic::certificate::{Certificate, read, to_json};
use serde_json::{Value, json};

use super::proved::{Random, certificate};

fn written(certificate: &Certificate) -> Value {
    to_json(&certificate.text, &certificate.declaration, &certificate.values, &certificate.proof)
}

fn message(value: &Value) -> String {
    read(&value.to_string()).expect_err("it is broken").to_string()
}

#[test]
fn messages_name_the_place() {
    let good = written(certificate("laplace"));
    let cases: [(&str, Value, &str); 12] = [
        ("/lastbit", json!("error certificate"), "lastbit: expected \"privacy certificate\""),
        ("/version", json!(2), "version: expected 1"),
        ("/cost/0/0", json!("2/4"), "cost[0][0]: expected a fraction"),
        ("/cost/0/1", json!({ "eps": 0 }), "cost[0][1].eps: expected a power"),
        ("/cost/0/1", json!({ "eps": 2_000_000_000 }), "cost[0][1].eps: expected a power"),
        ("/constraints/0/1", json!("<"), "constraints[0][1]: expected one of >=, >, ="),
        ("/lemmas/0/products/0/0", json!("9".repeat(2000)), "lemmas[0].products[0][0]: expected a fraction"),
        (
            "/lemmas/0/products/0/1/0",
            json!(100_000),
            "lemmas[0].products[0][1][0]: expected an integer of 0..",
        ),
        ("/leaves/0/rule", json!("magic"), "leaves[0].rule: expected one of"),
        ("/leaves/0/pieces/0/more", Value::Null, "leaves[0].pieces[0]: expected no fields but"),
        ("/leaves/0/pieces/0/maps/z/shift", json!(7), "leaves[0].pieces[0].maps.z.shift: expected an array"),
        ("/text", json!("x".repeat(1_000_001)), "text: expected at most 1000000 bytes"),
    ];
    for (pointer, value, wanted) in cases {
        let mut broken = good.clone();
        match broken.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => {
                let (parent, name) = pointer.rsplit_once('/').expect("it begins with one");
                broken.pointer_mut(parent).expect("its parent is there")[name] = value;
            }
        }
        let found = message(&broken);
        assert!(found.starts_with(wanted), "{pointer}: {found}");
    }
}

#[test]
fn a_field_is_not_given_twice() {
    let good = written(certificate("laplace")).to_string();
    for (name, other) in [("\"cost\":", "\"cost\":[],"), ("\"text\":", "\"text\":\"\",")] {
        let twice = good.replacen(name, &format!("{other}{name}"), 1);
        let found = read(&twice).expect_err("it is broken").to_string();
        assert!(found.contains("a field that has not been given"), "{found}");
    }
}

#[test]
fn cases_are_not_nested_without_end() {
    let nested = |depth: usize| {
        let mut value = written(certificate("laplace"));
        let leaf = value["leaves"][0].take();
        value["leaves"][0] =
            (0..depth).fold(leaf, |leaf, _| json!({ "rule": "case", "on": 0, "leaves": [leaf] }));
        value
    };
    assert!(read(&nested(64).to_string()).is_ok());
    assert!(message(&nested(65)).contains("at most 64 cases in each other"));
    let brackets = "[".repeat(1_000_000);
    assert!(read(&brackets).is_err());
    assert!(read(&format!("{{\"lastbit\":{brackets}")).is_err());
}

#[test]
fn broken_bytes_never_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for name in ["laplace", "randomized_response", "snap"] {
        let good = written(certificate(name)).to_string();
        for _ in 0..500 {
            let mut bytes = good.clone().into_bytes();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] = b"0123456789-\"[]{},:<>ex"[random.below(22)],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"0123456789-\"[]{},:<>ex"[random.below(22)]),
                }
            }
            let Ok(text) = String::from_utf8(bytes) else { continue };
            if let Ok(certificate) = read(&text) {
                let _ = certificate.check();
            }
        }
    }
}
