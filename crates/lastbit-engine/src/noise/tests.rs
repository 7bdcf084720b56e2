//! Plans that the command does not ask for, and what is refused.

use lastbit::{Contract, Exponential, Family, Metric, Neighbours, NoisyMax, Rational, Selection, ValueType};
use serde_json::json;

use super::*;
use crate::Refusal;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn grid() -> Question {
    let noise =
        Noise::new(Family::GridLaplace { values: ValueType::F64, k: Some(-1) }, Amount::Scale(Rational::ONE));
    Question::new(noise, Rational::ONE)
}

#[test]
fn a_loss_that_depends_on_the_number_of_values_is_not_guessed() {
    let question = grid();
    assert!(question.depends_on_length());
    assert_eq!(question.check().expect("good parameters"), None);
    assert!(matches!(question.plan(), Err(Refusal::Usage { .. })));
    let counted = Question { length: Some(3), ..question.clone() };
    let told = Question { max_changed: Some(3), ..question };
    assert!(!told.depends_on_length());
    let losses = [counted, told].map(|question| question.plan().expect("a plan").claim.loss().clone());
    assert_eq!(losses, [Rational::from(2), rational("2")]);
}

/// What is known of the inputs is not in the claim where it does not matter.
#[test]
fn the_number_of_values_is_told_where_it_matters() {
    let noise = Noise::new(Family::Laplace, Amount::Scale(Rational::ONE));
    let question = Question { length: Some(3), max_changed: Some(1), ..Question::new(noise, Rational::ONE) };
    let plan = question.plan().expect("a plan");
    assert_eq!(plan.claim.about().to_string(), "columns of float64 at L1 distance <= 1");
}

#[test]
fn amounts() {
    let mechanism = |family: Family, amount: Amount, result| {
        Noise { result, ..Noise::new(family, amount) }.mechanism(Some(&Neighbours::at(Rational::ONE)))
    };
    let variance = |family| mechanism(family, Amount::Variance(rational("4")), ValueType::I64);
    for family in [Family::Gaussian, Family::DiscreteGaussian] {
        assert_eq!(variance(family).expect("noise").parameters(), [("variance", "4".to_owned())]);
    }
    assert!(matches!(variance(Family::Laplace), Err(Refusal::Usage { .. })));
    // Integers are off by their rounding, too.
    let width = || Amount::HalfWidth { half_width: rational("30"), confidence: rational("0.95") };
    for family in [Family::Laplace, Family::Gaussian] {
        let [float, integer] = [ValueType::F64, ValueType::I64]
            .map(|result| mechanism(family.clone(), width(), result).expect("noise"));
        assert_ne!(float, integer);
    }
    let loss = Noise::new(Family::Laplace, Amount::Loss(Rational::ONE));
    assert!(matches!(loss.mechanism(None), Err(Refusal::Usage { .. })));
    let constant_time = Noise { constant_time: true, ..loss };
    let neighbours = Neighbours::at(Rational::ONE);
    assert!(matches!(constant_time.mechanism(Some(&neighbours)), Err(Refusal::Usage { .. })));
    let no_distance = Question::new(Noise { constant_time: false, ..constant_time }, Rational::ZERO);
    assert!(matches!(no_distance.plan(), Err(Refusal::Noise(lastbit::Error::NotPositive { .. }))));
}

#[test]
fn a_promise_of_noise_from_a_seed() {
    let amount = Amount::EpsilonDelta { epsilon: Rational::ONE, delta: rational("1e-6") };
    let plan = Question::new(Noise::new(Family::Gaussian, amount), Rational::ONE).plan().expect("a plan");
    let [secure, insecure] = [false, true].map(|insecure| plan.promise(insecure));
    assert_eq!(secure.lines()[1], "also: (ε, δ)-differentially private, with (ε, δ) = (1, 1e-6)");
    let json = serde_json::to_value(&secure).expect("JSON");
    assert_eq!(json["approximate"]["delta"], json!({"exact": "1/1000000", "decimal": "1e-6"}));
    assert_eq!(
        json["claim"],
        serde_json::from_str::<serde_json::Value>(&plan.claim.to_json()).expect("JSON")
    );
    assert_eq!(insecure.lines(), ["claim: none, the loss is infinite: gaussian with an insecure seed"]);
    let json = serde_json::to_value(&insecure).expect("JSON");
    assert_eq!(
        (&json["insecure"], &json["claim"]["loss"], json.get("approximate")),
        (&json!(true), &json!(null), None)
    );
}

/// From the claim alone; choices and compositions have no half-width.
#[test]
fn the_half_width_of_a_claim() {
    let confidence = rational("0.95");
    for family in [
        Family::Laplace,
        Family::GridLaplace { values: ValueType::F32, k: None },
        Family::DiscreteLaplace,
        Family::Gaussian,
        Family::DiscreteGaussian,
        Family::Snapping { bound: rational("100"), clamp_infinite: false },
        Family::FloatSnapping { bound: rational("100") },
    ] {
        let noise = Noise::new(family, Amount::Loss(rational("1/3")));
        let question = Question { max_changed: Some(1), ..Question::new(noise, Rational::ONE) };
        let plan = question.plan().expect("a plan");
        let answer = plan.answer().expect("an answer");
        assert_eq!(half_width_of(&plan.claim, &confidence).as_ref(), answer.half_widths.get(2));
    }
    let neighbours = Neighbours::at(Rational::ONE);
    let choice = NoisyMax::new(Rational::ONE).expect("a mechanism");
    let choice = choice.claim(ValueType::Real, Metric::LInfinity, &neighbours).expect("a claim");
    assert_eq!(half_width_of(&choice, &confidence), None);
    let claim = grid().noise.mechanism(None).expect("noise");
    let claim = claim.claim(ValueType::F64, &neighbours.of_length(1)).expect("a claim");
    let twice = lastbit::Claim::compose(&[claim.clone(), claim]).expect("a claim");
    assert_eq!(half_width_of(&twice, &confidence), None);
}

#[test]
fn a_choice() {
    let mechanism = Exponential::new(rational("3")).expect("a mechanism");
    let neighbours = Neighbours::at(rational("1/2"));
    let claim = mechanism.claim(ValueType::Real, Metric::Range, &neighbours).expect("a claim");
    let json = serde_json::to_value(ChoicePlan::of(&mechanism, &claim).expect("a plan")).expect("JSON");
    assert_eq!((&json["schema"], &json["question"]), (&json!(1), &json!("choose")));
    assert_eq!(json["shortfalls"][0]["shortfall"]["decimal"], "8.987196820661973");
    assert_eq!(json["odds"]["log_factor"]["exact"], "1/6");
}

#[test]
fn a_loss_beyond_words() {
    let noise = Noise::new(Family::Laplace, Amount::Loss(rational("1001")));
    let answer = Question::new(noise, Rational::ONE).answer().expect("an answer");
    assert_eq!(answer.odds.factor, None);
    assert!(answer.meaning.starts_with("The loss is so large that it protects nothing"));
}
