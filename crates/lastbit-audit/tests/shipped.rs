//! The shipped function on the cases of the public file that it computes: at both ends of every cell, through replayed bits where the
//! constructor accepts the parameters. `tests/program.rs` does the same with the mechanism as text.

use lastbit_audit::Sampler;
use lastbit_audit::snapping::{FloatSnap, Noise, PairCell, SnappingReplay, Variant};
use lastbit_lang::Tie;
use lastbit_real::{Float, Rational};
use serde_json::Value;

const PUBLIC: &str = include_str!("../../../tests/golden/public.json");

fn double(value: &Value) -> f64 {
    f64::parse_hex(value.as_str().unwrap()).unwrap()
}

#[test]
fn the_shipped_function_has_the_golden_cells() {
    let file: Value = serde_json::from_str(PUBLIC).unwrap();
    let is_shipped = |p: &Value| {
        p["op"] == "div"
            && p["sampler"] == "mironov"
            && p["tie"] == "up"
            && p["clamp_input"] == true
            && p["ln_shift"] == 0
    };
    let (mut cases, mut cells, mut replays) = (0, 0, 0);
    for case in file["cases"].as_array().unwrap() {
        let p = &case["params"];
        if case["kind"] != "snap_float" || !is_shipped(p) {
            continue;
        }
        let [epsilon, grid] = ["eps", "Lam"].map(|name| Rational::try_from(double(&p[name])).unwrap());
        let noise = Noise::Divided { epsilon };
        let mechanism =
            FloatSnap::new(noise, double(&p["B"]), grid.floor_log2(), Tie::Up, Sampler::Ulp).unwrap();
        let variant = Variant::of(mechanism);
        let inputs = ["f", "f2"].map(|name| double(&p[name]));
        let mut shipped = SnappingReplay::of(&variant).expect("these are its parameters");
        let visit = |pair: &PairCell| {
            shipped.confirm(inputs, variant.mechanism.output(pair.number), pair).unwrap();
            cells += 1;
            true
        };
        variant.for_each_output(inputs, visit).unwrap();
        cases += 1;
        replays += shipped.replays();
    }
    assert!(cases >= 20 && cells > 3000 && replays > 1000, "{cases} cases, {cells} cells, {replays} replays");
}
