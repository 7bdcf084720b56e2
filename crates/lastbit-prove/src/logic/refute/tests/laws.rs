//! Probabilities are a law: they add up to 1, and are those of closed forms.

use lastbit_lang::symbolic::Program;
use lastbit_real::Rational;

use super::super::model::Model;
use super::super::neighbours::Space;
use super::{not_refuted, only, refuted};
use crate::logic::standard::ALL;
use crate::soundness::xorshift::Xorshift;

#[test]
fn all_outputs_together_have_probability_one() {
    let mut rng = Xorshift::new(3);
    for standard in ALL.iter().filter(|standard| standard.name != "laplace_inversion_f64") {
        let file = only(&standard.text().unwrap());
        let declaration = &file.declarations[0];
        let mut parameters = std::collections::BTreeMap::from([("eps".to_owned(), "1/2".parse().unwrap())]);
        if standard.name == "discrete_laplace" {
            parameters.insert("k".to_owned(), Rational::ZERO);
        }
        let program = Program::new(&file, declaration, &parameters).unwrap();
        let model = Model::new(&program).unwrap();
        if model.has_discrete_noise() {
            continue;
        }
        let space = Space::new(&program, &Rational::ONE);
        for _ in 0..2 {
            // Truth values are 0 and 1.
            let range = if standard.name.starts_with("randomized") { (0, 1) } else { (-3, 3) };
            let values: Vec<Rational> =
                (0..space.len()).map(|_| Rational::from(rng.between(range.0, range.1))).collect();
            let total = model.total(&space.point(&values)).unwrap();
            assert!(total.minus(&Rational::ONE.into()).is_zero(), "{}: {total}", standard.name);
        }
    }
}

#[test]
fn noise_by_inversion() {
    let text = |factor: &str| {
        format!(
            "mechanism inversion(x: real) -> real
               param eps: real > 0
               adjacent |x<1> - x<2>| <= 1
               claim pure eps
             {{ u <$ unif(0,1);  s <$ sign;  return x + s * ln(u) / ({factor} * eps) }}"
        )
    };
    let witness = refuted(&text("2"));
    assert_eq!(witness.probabilities[0].to_string(), "1/2");
    assert_eq!(witness.probabilities[1].to_string(), "1/2·e^-2");
    not_refuted(&text("1"), 500);
}

#[test]
fn the_delta_of_a_claim_counts() {
    let text = |delta: &str| {
        format!(
            "mechanism laplace(x: real) -> real
               adjacent |x<1> - x<2>| <= 1
               claim approx(1, {delta})
             {{ z <$ lap(1 / 2);  return x + z }}"
        )
    };
    // The event r <= 0 exceeds the claim of 1 by (1 - e^-1)/2 = 0.316; nothing does by more than 1 - e^(-1/2) = 0.393.
    refuted(&text("3/10"));
    not_refuted(&text("4/10"), 500);
}

#[test]
fn bounded_inputs_stay_within_bounds() {
    let witness = refuted(
        "mechanism bounded(x: real in [3, 7/2]) -> real
           param eps: real > 0
           adjacent |x<1> - x<2>| <= 1
           claim pure eps
         { z <$ lap(1 / (4 * eps));  return x + z }",
    );
    assert_eq!(witness.probabilities[1].to_string(), "1/2·e^-2");
}

#[test]
fn queries_of_data() {
    let witness = refuted(
        "mechanism count(a: data) -> real
           param eps: real > 0
           query f: real
           adjacent |f(a<1>) - f(a<2>)| <= 1
           claim pure eps
         { z <$ lap(1 / (2 * eps));  return f(a) + z }",
    );
    assert!(witness.inputs[0].contains_key("f(a)"));
}
