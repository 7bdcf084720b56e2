//! Coq and the checker of this crate accept and refuse the same error certificates.
//!
//! Where there is no coqc, or the library is not compiled (`coq/check`), what was skipped is said.

use crate::common::coqc;
use lastbit_lang::fpcore;
use lastbit_prove::analysis::{Effort, analyse};
use lastbit_prove::certificate::to_json;
use lastbit_prove::check::check;
use lastbit_prove::coq::error_bound;
use serde_json::{Value, json};

/// All operations, both formats, boxes and linear forms.
const PROGRAMS: &str = r#"
(FPCore (x u) :name "snapping-core" :pre (and (<= -1024 x 1024) (<= 0x1p-1074 u 1)) (+ x (* 10 (log u))))
(FPCore (x y) :name "quotient" :pre (and (<= 1.001 x 2) (<= 1.001 y 2))
  (let ([t (* x y)]) (/ (- t 1) (- (* t t) 1))))
(FPCore (f) :name "logistic" :pre (<= -20 f 20) (/ 1 (+ 1 (exp (- f)))))
(FPCore (x) :name "softplus-32" :precision binary32 :pre (<= -30 x 30)
  (if (< x 0) (log (+ 1 (exp x))) (+ x (log (+ 1 (exp (- x)))))))
(FPCore (x y) :name "roots" :pre (and (<= 0.3 x 7) (<= -3 y 2))
  (fmin (fmax (sqrt (fma x x (fabs y))) (* 1/8 y)) (/ (- x y) 4)))
"#;

fn certificates() -> Vec<Value> {
    let programs = fpcore::read(PROGRAMS).into_iter().map(|program| program.unwrap());
    let effort = Effort { boxes: 3, ..Effort::FAST };
    programs.map(|program| to_json(&program, &analyse(&program, effort, |_| {}).unwrap())).collect()
}

/// Where the scalars of a value stand.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| places(item, &format!("{path}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| places(item, &format!("{path}/{name}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

/// A value like it, and not the same.
fn changed(value: &Value, up: bool) -> Value {
    let step = if up { 1 } else { -1 };
    match value {
        Value::Number(number) => json!(number.as_i64().unwrap() + step),
        Value::Null => json!("1p0"),
        Value::String(text) => match text.split_once('p').and_then(|(m, e)| Some((m.parse().ok()?, e))) {
            // One unit of the last place but one: the mantissa stays odd.
            Some((mantissa, exponent)) => {
                let mantissa: i128 = mantissa;
                json!(format!("{}p{exponent}", mantissa + 2 * i128::from(step)))
            }
            None if text == "0" => json!(format!("{step}p-80")),
            None => match text.parse::<i64>() {
                Ok(integer) => json!((integer + step).to_string()),
                Err(_) => json!(format!("{text}'")),
            },
        },
        other => other.clone(),
    }
}

/// FNV-1a of the program section, as the claim has it.
fn fingerprint_of(program: &Value) -> String {
    let hash = program.to_string().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// A file with many certificates, each in a module, each to be accepted or refused as `check` says.
struct Many {
    text: String,
    accepted: usize,
    refused: usize,
}

impl Many {
    fn new() -> Many {
        let text = "From Lastbit Require Import ErrorCertificate.\n".into();
        Many { text, accepted: 0, refused: 0 }
    }

    fn add(&mut self, certificate: &Value) {
        let certificate = certificate.to_string();
        let is_accepted = check(&certificate).is_ok();
        let Ok(file) = error_bound(&certificate) else {
            assert!(!is_accepted, "accepted, and cannot be written: {certificate}");
            return;
        };
        let (statement, proof) = file.split_once("\nTheorem ").unwrap();
        // Of a theorem that is refused there is no corollary.
        let theorem = proof.split("\n(* The same").next().unwrap();
        let proof = if is_accepted { proof.to_owned() } else { theorem.replace("Qed.", "Fail Qed. Abort.") };
        let statement = statement.replace("From Lastbit Require Import ErrorCertificate.\n", "");
        let number = self.accepted + self.refused;
        self.text += &format!("Module M{number}.\n{statement}\nTheorem {proof}\nEnd M{number}.\n");
        if is_accepted { self.accepted += 1 } else { self.refused += 1 }
    }
}

fn agrees(what: &str, file: &str) {
    if let Some(Err(said)) = coqc(what, file) {
        panic!("{what}: {said}");
    }
}

#[test]
fn what_is_proved_is_accepted() {
    let mut many = Many::new();
    for certificate in certificates() {
        many.add(&certificate);
    }
    assert_eq!((many.accepted, many.refused), (5, 0));
    agrees("error certificates", &many.text);
}

#[test]
fn what_is_changed_is_refused() {
    let mut many = Many::new();
    for mut certificate in certificates() {
        let mut all = Vec::new();
        places(&certificate, "", &mut all);
        let step = all.len() / 40 + 1;
        for (i, place) in all.iter().step_by(step).enumerate() {
            let value = certificate.pointer(place).unwrap().clone();
            *certificate.pointer_mut(place).unwrap() = changed(&value, i % 2 == 0);
            // The claim says which program it is about: it goes along, or both would refuse every other program for that.
            let fingerprint = certificate["claim"]["program"].clone();
            if place.starts_with("/program") {
                certificate["claim"]["program"] = json!(fingerprint_of(&certificate["program"]));
            }
            many.add(&certificate);
            *certificate.pointer_mut(place).unwrap() = value;
            certificate["claim"]["program"] = fingerprint;
        }
    }
    // Names may change.
    assert!(many.refused > 60 && many.accepted < 10, "{} {}", many.refused, many.accepted);
    agrees("changed error certificates", &many.text);
}
