//! What cannot be audited, and why.

use lastbit_audit::discrete::Fault;

use super::*;

#[test]
fn what_can_not_be_audited() {
    let refused = |text: &str, values: [Argument; 2]| {
        let [first, second] = values.map(|value| inputs([("x", value)]));
        try_audit(text, "", &[], [&first, &second]).unwrap_err()
    };
    let body = |body: &str| refused(&format!("mechanism m(x: int) -> real {{ {body} }}"), [0, 1].map(number));
    let fault = |text: &str| match body(text) {
        DiscreteError::Expression { fault, expression, .. } => (fault, expression),
        error => panic!("{error:?}"),
    };
    assert!(matches!(body("z <$ lap(1); return z"), DiscreteError::Continuous { law: "lap", .. }));
    assert_eq!(fault("return exp(1)"), (Fault::NotExact, "exp(1)".to_owned()));
    assert_eq!(fault("return round(ln(2) / ln(4), 1, up)").0, Fault::NotExact);
    assert_eq!(fault("if ln(2) / ln(2) > 1 { return 0 } return 1").0, Fault::NotExact);
    assert_eq!(fault("return 1 / x"), (Fault::DivisionByZero, "1 / x".to_owned()));
    assert_eq!(fault("s <$ sign; return sqrt(s)").0, Fault::SqrtOfNegative);
    assert_eq!(fault("b <$ bernoulli(2 + x); return 0").0, Fault::Probability);
    assert!(matches!(body("b <$ bernoulli(2); return 0"), DiscreteError::Language(_)));
    assert!(matches!(body("z <$ dlap(0, 0); return z"), DiscreteError::Language(_)));
    // What only floats can mean, among real numbers.
    assert!(matches!(body("return x ⊕ x"), DiscreteError::Language(_)));
    let library = "mechanism m(x: int) -> real libm ln = ulp(1) { return x }";
    assert!(matches!(refused(library, [0, 1].map(number)), DiscreteError::Language(_)));
    assert_eq!(fault("z <$ dlap(x, 0); return z").0, Fault::Scale);
    assert_eq!(fault("z <$ dlap(1, 100000); return z").0, Fault::Exponent);
    assert_eq!(fault("y := 3 + x; for i in 0..30 { y := y * y } return y").0, Fault::TooLarge);
    assert!(matches!(
        body("i <$ choose(0, 0); return i"),
        DiscreteError::Statement { fault: Fault::Weights, .. }
    ));
    assert!(matches!(
        body("for i in 0..1000000 { y := i } return x"),
        DiscreteError::Language(_) | DiscreteError::TooManyRounds { .. }
    ));
    let states = body("a <$ dlap(100000, 0); c <$ dlap(100000, 0); return if a > c { 1 } else { 0 }");
    assert!(matches!(states, DiscreteError::TooManyStates { .. }), "{states}");
    assert!(states.span().is_some());
    let far =
        refused("mechanism m(x: int) -> real { z <$ dlap(1, 0); return x + z }", [0, 1 << 40].map(number));
    assert!(matches!(far, DiscreteError::TooManyOutputs { .. }), "{far}");
    // Branches that are not taken, and operands that do not matter, may have no value.
    let text = "mechanism m(x: int) -> real { return if x > 5 & 1 / x > 0 { 1 / (x - x) } else { 2 } }";
    is_rational_loss(&of(text, "", &[], "x", [0, 1].map(number)), "0");

    let float = refused("mechanism m(x: f64) -> f64 { return x }", [0, 1].map(number));
    assert!(matches!(float, DiscreteError::Float { .. }));
    let text = "mechanism m(x: int in [0, 4]) -> int { return x }";
    assert!(matches!(refused(text, [0, 5].map(number)), DiscreteError::NotAllowed { .. }));
    let half = Argument::Number(rational("1/2"));
    assert!(matches!(refused(text, [half.clone(), half]), DiscreteError::NotAllowed { .. }));
    assert!(matches!(refused(text, [numbers(&[1]), numbers(&[1])]), DiscreteError::NotAllowed { .. }));
    let text = "mechanism m(y: int) -> int { return y }";
    assert_eq!(refused(text, [0, 1].map(number)), DiscreteError::Unknown("x".to_owned()));
    let text = "mechanism m(x: int) -> int param n: int > 3 { return x + n }";
    assert!(matches!(refused(text, [0, 1].map(number)), DiscreteError::Missing { .. }));
}
