//! What a text claims: the ε of the divergences, and the verdict.

use lastbit_audit::discrete::ClaimVerdict;
use lastbit_audit::program::{EpsilonOf, Limits, Neighbours, Options, ProgramReport};
use lastbit_real::Rational;

use super::support::{audited, listing};

/// Snapping with these clauses.
fn snapped(clauses: &str, inputs: [&str; 2], options: &Options<'_>) -> ProgramReport {
    let text = format!(
        "mechanism m(x: f64) -> grid
           param eps: f64 = 1, L: f64 = 1, B: f64 = 10
           adjacent |x<1> - x<2>| <= 1
           {clauses}
         {{ u <$ unif(0,1); s <$ sign; y := ln(u) / eps; return clamp(round(clamp(x, B) + s * y, L, up), B); }}"
    );
    audited(&text, "", inputs, options).expect("an audit")
}

fn verdict(clauses: &str, options: &Options<'_>) -> ClaimVerdict {
    snapped(clauses, ["x=0", "x=1"], options).claim.expect("a claim").verdict
}

#[test]
fn the_epsilon_of_divergences() {
    let at = |clauses: &str, asked: Option<i64>| {
        let options = Options { epsilon: asked.map(Rational::from), ..listing() };
        let report = snapped(clauses, ["x=0", "x=1"], &options);
        (report.epsilon.to_string(), report.epsilon_of)
    };
    assert_eq!(at("claim approx(2, 2^-30)", None), ("2".into(), EpsilonOf::Claim));
    assert_eq!(at("claim pure eps / 2", None), ("1/2".into(), EpsilonOf::Claim));
    assert_eq!(at("claim pure 2", Some(3)), ("3".into(), EpsilonOf::Request));
    assert_eq!(at("claim pure infer", None), ("1".into(), EpsilonOf::Parameter));
    assert_eq!(at("", None), ("1".into(), EpsilonOf::Parameter));
    assert_eq!(at("claim pure 2^40", None), ("1048576".into(), EpsilonOf::Claim));
    let text = "mechanism m(x: f64) -> f64 { u <$ unif(0,1); return clamp(x + u, 0) }";
    let report = audited(text, "", ["x=0", "x=1"], &listing()).expect("an audit");
    assert_eq!((report.epsilon, report.epsilon_of), (Rational::ZERO, EpsilonOf::Nothing));
}

/// The loss is 1 + 9e-16, and δ at 1 is 2.7e-17: claims just above and just below, with divergences at the claim or anywhere else.
#[test]
fn verdicts() {
    for options in [listing(), Options { epsilon: Some(Rational::ZERO), ..listing() }] {
        for (claim, expected) in [
            ("claim approx(1, 2^-30)", ClaimVerdict::Holds),
            ("claim approx(1, 2.667e-17)", ClaimVerdict::Violated),
            ("claim approx(1, 2.668e-17)", ClaimVerdict::Holds),
            ("claim approx(1, 0)", ClaimVerdict::Violated),
            ("claim approx(1/2, 1/10)", ClaimVerdict::Violated),
            ("claim pure 1", ClaimVerdict::Violated),
            ("claim pure 1 + 9.18e-16", ClaimVerdict::Violated),
            ("claim pure 1 + 9.19e-16", ClaimVerdict::Holds),
            ("claim pure 2^40", ClaimVerdict::Holds),
            ("claim pure 0", ClaimVerdict::Violated),
        ] {
            assert_eq!(verdict(claim, &options), expected, "{claim}");
        }
    }
    assert_eq!(snapped("claim pure infer", ["x=0", "x=1"], &listing()).claim, None);
}

/// What both inputs give in the same way loses nothing, exactly.
#[test]
fn nothing_is_lost_between_equal_inputs() {
    let report = snapped("claim pure 0", ["x=1", "x=1"], &listing());
    assert_eq!(report.claim.expect("a claim").verdict, ClaimVerdict::Holds);
}

/// An output of one input alone exceeds every ε, but not every δ.
#[test]
fn infinite_losses() {
    let text = |claim: &str| {
        format!(
            "mechanism m(x: f64) -> f64 claim {claim} {{ u <$ unif(0,1); return if u < 1/4 {{ x }} else {{ 5 }} }}"
        )
    };
    for (claim, expected) in [
        ("pure 2^40", ClaimVerdict::Violated),
        ("approx(2^40, 1/5)", ClaimVerdict::Violated),
        ("approx(2^40, 1/4)", ClaimVerdict::Holds),
        ("approx(3, 1/4)", ClaimVerdict::Holds),
        ("approx(3, 1/5)", ClaimVerdict::Violated),
    ] {
        let report = audited(&text(claim), "", ["x=0", "x=1"], &listing()).expect("an audit");
        assert_eq!(report.claim.expect("a claim").verdict, expected, "{claim}");
    }
}

/// Of some outputs a claim can be refuted, and not confirmed.
#[test]
fn some_outputs_confirm_nothing() {
    let limits = Limits { outputs: 2, ..Limits::default() };
    let some = Options { limits, ..listing() };
    assert_eq!(verdict("claim pure 1/2", &some), ClaimVerdict::Violated);
    assert_eq!(verdict("claim pure 2", &some), ClaimVerdict::Undecided);
    assert_eq!(verdict("claim approx(1, 2^-30)", &some), ClaimVerdict::Undecided);
    let report = snapped("claim pure 2", ["x=0", "x=1"], &some);
    assert_eq!(
        report.claim_in_words().expect("a claim"),
        "ε = 2: undecided at these inputs, as not all outputs are known"
    );
}

#[test]
fn claims_in_words() {
    let words = |claim: &str, inputs| snapped(claim, inputs, &listing()).claim_in_words().expect("a claim");
    let near = ["x=0", "x=1"];
    assert_eq!(words("claim approx(1, 1/8)", near), "ε = 1, δ = 1/8: holds at these inputs");
    assert_eq!(
        words("claim approx(0, 1/8)", near),
        "ε = 0, δ = 1/8: violated at these inputs, δ is at least 0.393469"
    );
    assert_eq!(words("claim pure 1", near), "ε = 1: violated at these inputs");
    assert_eq!(words("claim pure 1", ["x=0", "x=2"]), "ε = 1: exceeded, by inputs that are not neighbours");
}

#[test]
fn neighbours() {
    let of = |inputs| snapped("", inputs, &listing()).neighbours;
    assert_eq!(of(["x=0", "x=1"]), Neighbours::Yes);
    assert_eq!(of(["x=0", "x=0x1.0000000000001p+0"]), Neighbours::No);
    let text = "mechanism m(x: f64) -> f64 adjacent x<1> < x<2> { u <$ unif(0,1); return clamp(x + u, 0) }";
    let report = audited(text, "", ["x=0", "x=1"], &listing()).expect("an audit");
    assert_eq!(report.neighbours, Neighbours::Yes);
    // Nothing is said, or something that cannot be told.
    for (clause, expected) in [
        ("", Neighbours::Undecided),
        ("adjacent exp(x<2>) = exp(x<2>)", Neighbours::Undecided),
        ("assume x > 0", Neighbours::No),
    ] {
        let text = text.replace("adjacent x<1> < x<2>", clause);
        let report = audited(&text, "", ["x=0", "x=1"], &listing()).expect("an audit");
        assert_eq!(report.neighbours, expected, "{clause}");
    }
}

/// A claim that is no number is left alone, and that is said.
#[test]
fn a_claim_that_is_not_read() {
    let report = snapped("claim pure ln(3)", ["x=0", "x=1"], &listing());
    assert_eq!((report.claim, report.epsilon_of), (None, EpsilonOf::Parameter));
    assert!(report.notes.iter().any(|note| note.contains("the claim is not compared")), "{:?}", report.notes);
}
