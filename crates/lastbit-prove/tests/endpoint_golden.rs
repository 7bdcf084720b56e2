//! Certified losses, enclosures of thresholds and exact weights against exact values computed elsewhere.

use std::sync::atomic::AtomicBool;

use lastbit_lang::Tie;
use lastbit_prove::endpoint::{
    EndpointError, FloatSnap, Noise, NoiseError, Sampler, Search, Total, UThreshold, Variant, WorstPair,
    certify, pair_outputs, theorem_a,
};
use lastbit_real::{Float, Rational, Rounding};
use serde_json::Value;

fn double(value: &Value) -> f64 {
    f64::parse_hex(value.as_str().unwrap()).unwrap()
}

fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// A case of the file.
struct Golden {
    id: String,
    mechanism: FloatSnap,
    /// In order, clamped.
    inputs: [f64; 2],
    swapped: bool,
    ln_shift: i32,
    /// `None` if infinite.
    loss: Option<Rational>,
    outputs: Vec<Value>,
}

impl Golden {
    fn error(&self) -> NoiseError {
        // Two roundings; a logarithm off by one more ulp costs 2η, and their product.
        let eta = Rational::pow2(-53);
        let two = Rational::from(2) * &eta;
        let shifted = (Rational::ONE + Rational::from(3) * &eta) * (Rational::ONE + eta) - Rational::ONE;
        NoiseError { relative: if self.ln_shift == 0 { two } else { shifted } }
    }

    fn sensitivity(&self) -> Rational {
        rational(self.inputs[1]) - rational(self.inputs[0])
    }

    fn variant(&self) -> Variant {
        Variant { ln_shift: self.ln_shift, ..Variant::of(self.mechanism.clone()) }
    }
}

fn read(case: &Value) -> Option<Golden> {
    let p = &case["params"];
    if case["kind"] != "snap_float" || p["clamp_input"] != true {
        return None;
    }
    let noise = match p["op"].as_str() {
        Some("div") => Noise::Divided { epsilon: rational(double(&p["eps"])) },
        _ => Noise::Multiplied { scale: rational(double(&p["lam"])) },
    };
    let tie = match p["tie"].as_str() {
        Some("up") => Tie::Up,
        Some("even") => Tie::Even,
        _ => Tie::Away,
    };
    let sampler = if p["sampler"] == "mironov" { Sampler::Ulp } else { Sampler::Grid53 };
    let exponent = rational(double(&p["Lam"])).floor_log2();
    let mechanism = FloatSnap::new(noise, double(&p["B"]), exponent, tie, sampler).unwrap();
    let bound = mechanism.bound();
    let [f, f2] = ["f", "f2"].map(|name| double(&p[name]).clamp(-bound, bound));
    let loss = case["loss"].as_str().unwrap();
    Some(Golden {
        id: case["id"].as_str().unwrap().to_owned(),
        mechanism,
        inputs: if f <= f2 { [f, f2] } else { [f2, f] },
        swapped: f > f2,
        ln_shift: p["ln_shift"].as_i64().unwrap() as i32,
        loss: (loss != "inf").then(|| loss.parse().unwrap()),
        outputs: case["outputs"].as_array().unwrap().clone(),
    })
}

fn golden() -> Vec<Golden> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/public.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().iter().filter_map(read).collect()
}

#[test]
fn no_exact_loss_is_above_what_is_certified() {
    let mut pure = 0;
    for golden in golden() {
        let (mechanism, id) = (&golden.mechanism, &golden.id);
        let sensitivity = golden.sensitivity();
        let certified = match certify(mechanism, &golden.error(), &sensitivity) {
            Ok(certified) => certified,
            Err(error) => {
                assert!(matches!(error, EndpointError::Diverges), "{id}: {error}");
                assert_eq!(mechanism.sampler(), Sampler::Grid53, "{id}");
                continue;
            }
        };
        let Total::Pure { loss } = certified.total else {
            // Each of them goes beyond what is claimed, or has an infinite loss.
            assert!(mechanism.exponent_range() > Rational::from(700), "{id}");
            let found = Search::default().run(&golden.variant(), &AtomicBool::new(false), |_| ()).unwrap();
            let is_infinite = found.witness().is_some_and(WorstPair::is_infinite);
            assert!(golden.loss.is_some() || is_infinite, "{id}");
            continue;
        };
        pure += 1;
        let exact = golden.loss.as_ref().expect("a pure claim of a finite loss");
        assert!(
            *exact <= loss,
            "{id}: {} > {}",
            exact.to_decimal(20, Rounding::Down),
            loss.to_decimal(20, Rounding::Up)
        );
        if golden.ln_shift == 0 && mechanism.sampler() == Sampler::Ulp {
            let closed_form = theorem_a(mechanism, &sensitivity).unwrap();
            assert!(loss <= closed_form, "{id}");
        }
    }
    assert!(pure >= 30, "only {pure}");
}

/// Without the error of the noise, the bound is below exact losses.
#[test]
fn the_error_of_the_noise_can_not_be_left_out() {
    let exceeds = |golden: &Golden| {
        let certified =
            certify(&golden.mechanism, &NoiseError { relative: Rational::ZERO }, &golden.sensitivity());
        match (certified.map(|certified| certified.total), &golden.loss) {
            (Ok(Total::Pure { loss }), Some(exact)) => *exact > loss,
            _ => false,
        }
    };
    assert!(golden().iter().filter(|golden| exceeds(golden)).count() >= 5);
}

/// A logarithm that is one ulp off costs more.
#[test]
fn a_worse_logarithm_costs_more() {
    for golden in golden() {
        let bound = |eta: i64| {
            let error = NoiseError { relative: Rational::from(eta) * Rational::pow2(-53) };
            certify(&golden.mechanism, &error, &golden.sensitivity())
                .map(|certified| certified.loss().clone())
        };
        if let (Ok(two), Ok(three)) = (bound(2), bound(3)) {
            assert!(two < three, "{}", golden.id);
        }
    }
}

/// The number of a listed output.
fn number(mechanism: &FloatSnap, output: &Value) -> i64 {
    match output["label"].as_str() {
        Some("-B") => -mechanism.top(),
        Some("+B") => mechanism.top(),
        _ => output["k"].as_i64().unwrap(),
    }
}

#[test]
fn weights_are_exact() {
    let mut checked = 0;
    for golden in golden() {
        let mechanism = &golden.mechanism;
        let numbers: Vec<i64> = golden.outputs.iter().map(|output| number(mechanism, output)).collect();
        let outcomes = golden.variant().weigh(golden.inputs, numbers);
        let total = Rational::from(mechanism.sampler().total() * 2);
        for (outcome, output) in outcomes.iter().zip(&golden.outputs) {
            let (f, f2) = if golden.swapped { ("p_f2", "p_f") } else { ("p_f", "p_f2") };
            for (weight, name) in outcome.weights.iter().zip([f, f2]) {
                let expected: Rational = output[name].as_str().unwrap().parse().unwrap();
                let probability = Rational::from(weight.lo()) / &total;
                let off = (&probability - &expected).abs();
                assert!(
                    off <= expected * Rational::new(1, 10u64.pow(18)).unwrap().pow(2),
                    "{} {name}",
                    golden.id
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "only {checked}");
}

#[test]
fn thresholds_lie_in_their_enclosures() {
    let mut checked = 0;
    for golden in golden() {
        let mechanism = &golden.mechanism;
        let numbers: Vec<i64> = golden.outputs.iter().map(|output| number(mechanism, output)).collect();
        let outputs = pair_outputs(mechanism, &golden.error(), golden.inputs, numbers).unwrap();
        for (enclosed, output) in outputs.iter().zip(&golden.outputs) {
            let names = if golden.swapped { ["f2", "f"] } else { ["f", "f2"] };
            for (name, endpoints) in names.into_iter().zip(enclosed.endpoints) {
                let contains = |u: UThreshold, exact: f64| {
                    // On the grid of 53 bits, a threshold stands for all that have the same value above.
                    mechanism.sampler() == Sampler::Grid53 || (u.lo <= exact && exact <= u.hi)
                };
                for (sign, ends) in [("plus", endpoints.plus), ("minus", endpoints.minus)] {
                    let exact = &output[format!("{sign}_{name}")];
                    let [l, r] = [0, 1].map(|i| double(&exact[i]));
                    if l < r {
                        assert!(contains(ends[0], l), "{} {name} {sign} {ends:?} {l:e}", golden.id);
                        assert!(contains(ends[1], r), "{} {name} {sign} {ends:?} {r:e}", golden.id);
                        checked += 1;
                    }
                }
            }
            let exact = output["ln_ratio"].as_str().unwrap().parse::<Rational>();
            if let (Some(bound), Ok(exact)) = (enclosed.loss(), exact) {
                // The file has 30 digits, rounded to nearest.
                let least = exact.abs()
                    * (Rational::ONE - Rational::new(1, 10u64.pow(18)).unwrap() * Rational::pow2(-36));
                assert!(bound.hi().cmp_rational(&least).is_ge(), "{}", golden.id);
            }
        }
    }
    assert!(checked > 500, "only {checked}");
}
