//! The standard programs, as they are, with half of the noise, and with other names.

#[path = "../../lastbit-prove/tests/witnesses/mod.rs"]
mod witnesses;

use lastbit_audit::LnRatio;
use lastbit_papers::standard::{ALL, Expected, Standard, variants};

use witnesses::{not_refuted, refuted};

/// Floats are for another analysis.
fn over_the_reals(expected: Expected) -> impl Iterator<Item = &'static Standard> {
    ALL.iter()
        .filter(move |standard| standard.expected == expected && standard.name != "laplace_inversion_f64")
}

#[test]
fn false_claims_are_refuted() {
    for standard in over_the_reals(Expected::Refuted) {
        let witness = refuted(&standard.text().unwrap());
        let is_infinite = witness.ln_ratio == LnRatio::OnlyFirst;
        assert_eq!(is_infinite, standard.cost == "infinite", "{}: {witness}", standard.name);
    }
}

#[test]
fn half_of_the_noise_is_not_enough() {
    for standard in over_the_reals(Expected::Proved) {
        refuted(&variants::halved(standard.file, standard.name).unwrap());
    }
}

#[test]
fn true_claims_are_not_refuted() {
    for standard in over_the_reals(Expected::Proved) {
        let closest = not_refuted(&standard.text().unwrap(), 200).unwrap();
        assert!(closest.loss().is_some(), "{}: {closest}", standard.name);
    }
}

#[test]
fn what_false_claims_should_have_said_is_not_refuted() {
    let finite = over_the_reals(Expected::Refuted).filter(|standard| !standard.cost.contains(['i', 'l']));
    for standard in finite {
        let text = standard.text().unwrap();
        let honest = text.replace("claim pure eps", &format!("claim pure {}", standard.cost));
        assert_ne!(text, honest);
        not_refuted(&honest, 200);
    }
}

#[test]
fn names_and_order_do_not_matter() {
    for name in ["noisy_max_value_expo", "svt_3", "svt_5", "randomized_response_linear"] {
        let standard = Standard::named(name).unwrap();
        for variant in [variants::renamed, variants::reordered] {
            refuted(&variant(standard.file, name).unwrap());
        }
    }
}

#[test]
fn the_event_of_a_known_attack() {
    let witness = refuted(&Standard::named("noisy_max_value_expo").unwrap().text().unwrap());
    assert_eq!(
        witness.to_string(),
        "parameters    eps = 1\n\
         first input   q = [0, 0, 0, 0, 0]\n\
         second input  q = [1, 1, 1, 1, 1]\n\
         event         r <= 1\n\
         P(first)      9.430929e-3\n\
         P(second)     0.000000e0\n\
         loss          infinite, claimed 1"
    );
    // The fifth power of what one noise is at most 1 with.
    let expected = (1.0 - (-0.5f64).exp()).powi(5);
    assert!((witness.probabilities[0].approximate() - expected).abs() < 1e-12);
    assert_eq!(witness.probabilities[1].to_string(), "0");
}
