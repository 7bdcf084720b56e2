//! The deterministic core of `Snap_F` against exact values computed elsewhere: for each output and sign, the half-open interval
//! of doubles `u` that give it.

use lastbit::{SnapParams, snap_f};
use lastbit_real::Float;
use serde_json::Value;

fn double(value: &Value) -> f64 {
    f64::parse_hex(value.as_str().unwrap()).unwrap()
}

/// Checks that `u` of `[lo, hi)`, and no double next to it, gives `x`. `lo = 0` stands for the least double, `hi = 1` for all.
fn check(params: &SnapParams, f: f64, s: f64, x: f64, interval: &Value) -> usize {
    let (lo, hi) = (double(&interval[0]), double(&interval[1]));
    let gives = |u: f64| snap_f(params, f, u, s) == x;
    let first = if lo == 0.0 { f64::from_bits(1) } else { lo };
    if first >= hi {
        return 0; // no double gives x
    }
    assert!(gives(first) && gives(hi.next_down()), "{params:?} f={f} s={s} x={x}: inside [{lo:e}, {hi:e})");
    assert!(lo == 0.0 || !gives(lo.next_down()), "{params:?} f={f} s={s} x={x}: below {lo:e}");
    assert!(hi == 1.0 || !gives(hi), "{params:?} f={f} s={s} x={x}: at {hi:e}");
    1
}

#[test]
fn intervals_of_u() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/public.json");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut checked = 0;
    for case in golden["cases"].as_array().unwrap() {
        let p = &case["params"];
        // The forms that snap_f has: the others belong to audits of other implementations.
        let ours = case["kind"] == "snap_float"
            && p["op"] == "div"
            && p["tie"] == "up"
            && p["clamp_input"] == true
            && p["ln_shift"] == 0;
        if !ours {
            continue;
        }
        let params =
            SnapParams { epsilon: double(&p["eps"]), bound: double(&p["B"]), grid: double(&p["Lam"]) };
        for output in case["outputs"].as_array().unwrap() {
            let x = double(&output["x"]);
            for (f, plus, minus) in [("f", "plus_f", "minus_f"), ("f2", "plus_f2", "minus_f2")] {
                checked += check(&params, double(&p[f]), 1.0, x, &output[plus]);
                checked += check(&params, double(&p[f]), -1.0, x, &output[minus]);
            }
        }
    }
    assert!(checked > 500, "only {checked} intervals");
}
