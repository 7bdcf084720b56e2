//! Probabilities are those of closed forms.

use crate::witnesses::{not_refuted, refuted};

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
