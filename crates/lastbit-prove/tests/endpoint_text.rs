//! From the text of a mechanism to its certified loss, by the derivation of that very text: against exact losses computed elsewhere, and
//! against Theorem A.

use lastbit_lang::{Accuracy, Bindings, Lowered, lower, parse};
use lastbit_prove::endpoint::{FloatSnap, NoiseError, Total, certify, noise_error, recognise, theorem_a};
use lastbit_real::{Float, Rational, Rounding};
use serde_json::Value;

const DIVIDED: &str = include_str!("../../../mechanisms/snapping_f64.lb");
const MULTIPLIED: &str = include_str!("../../../mechanisms/snapping_f64_mul.lb");

/// The program with these parameters: `eps` or `lambda`, `B` and `L`.
fn program(text: &str, parameter: &str, value: &Rational, bound: &Rational, grid: &Rational) -> Lowered {
    let (file, messages) = parse(text);
    assert_eq!(messages, []);
    let mut bindings = Bindings::default();
    for (name, value) in [(parameter, value), ("B", bound), ("L", grid)] {
        bindings.values.insert(name.into(), value.clone());
    }
    let most = Rational::pow2(1000);
    bindings.ranges.insert("x".into(), (-&most, most));
    lower(&file, None, &bindings, None).expect("the text is complete")
}

fn mechanism(lowered: &Lowered) -> (FloatSnap, NoiseError) {
    let shape = recognise(&lowered.program).expect("the snapping mechanism");
    let error = noise_error(&lowered.program, &shape).expect("a relative error");
    (shape.mechanism(&lowered.program).expect("in range"), error)
}

fn nearest_double(x: &Rational) -> Rational {
    Rational::try_from(x.to_f64(Rounding::Nearest)).expect("finite")
}

#[test]
fn certified_losses_of_the_texts_are_above_the_exact_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/public.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut seen = 0;
    for case in file["cases"].as_array().unwrap() {
        let p = &case["params"];
        let is_ours = case["kind"] == "snap_float"
            && p["clamp_input"] == true
            && p["sampler"] == "mironov"
            && p["tie"] == "up"
            && p["ln_shift"] == 0;
        if !is_ours {
            continue;
        }
        let number = |name: &str| {
            let double = f64::parse_hex(p[name].as_str().unwrap()).unwrap();
            Rational::try_from(double).unwrap()
        };
        let lowered = match p["op"].as_str() {
            Some("div") => program(DIVIDED, "eps", &number("eps"), &number("B"), &number("Lam")),
            _ => program(MULTIPLIED, "lambda", &number("lam"), &number("B"), &number("Lam")),
        };
        let (mechanism, error) = mechanism(&lowered);
        let bound = number("B");
        let [f, f2] = ["f", "f2"].map(|name| number(name).max(-&bound).min(bound.clone()));
        let sensitivity = (f - f2).abs();
        let Total::Pure { loss } = certify(&mechanism, &error, &sensitivity).unwrap().total else { continue };
        let exact: Rational = case["loss"].as_str().unwrap().parse().unwrap();
        assert!(exact <= loss, "{}", case["id"]);
        assert!(loss <= theorem_a(&mechanism, &sensitivity).unwrap(), "{}", case["id"]);
        seen += 1;
    }
    assert!(seen >= 20, "{seen} cases");
}

#[test]
fn never_above_theorem_a_and_worse_with_a_worse_logarithm() {
    for epsilon in ["0.01", "0.1", "1/3", "1", "2", "3.7", "10"] {
        for range in ["1", "3", "10", "50", "100", "200", "340"] {
            let epsilon: Rational = nearest_double(&epsilon.parse().unwrap());
            let range: Rational = range.parse().unwrap();
            let scale = epsilon.recip().unwrap();
            let bound = nearest_double(&(&range * &scale));
            let grid = Rational::pow2(-epsilon.floor_log2().unwrap());
            let sensitivity = Rational::ONE.min(scale);
            let mut lowered = program(DIVIDED, "eps", &epsilon, &bound, &grid);
            let (mechanism, error) = mechanism(&lowered);
            let loss = certify(&mechanism, &error, &sensitivity).unwrap().loss().clone();
            assert!(loss <= theorem_a(&mechanism, &sensitivity).unwrap());

            lowered.program.libm.ln = Accuracy::Ulps(Rational::ONE);
            let (_, worse) = self::mechanism(&lowered);
            assert!(certify(&mechanism, &worse, &sensitivity).unwrap().loss() > &loss);
        }
    }
}
