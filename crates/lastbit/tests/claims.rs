//! Claims say what they are about, never less than the loss, and are not believed when they are read back.

use lastbit::{
    AnyMechanism, Claim, Contract, DiscreteGaussian, Error, FloatSnapping, Gaussian, GridLaplace, Laplace,
    Neighbours, Rational, Snapping, ValueType,
};
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn at(distance: &str) -> Neighbours {
    Neighbours::at(rational(distance))
}

#[test]
fn what_people_read() {
    let laplace = Laplace::new(Rational::from(3)).unwrap();
    assert_eq!(
        laplace.claim(ValueType::F32, &at("1").of_length(5)).unwrap().to_string(),
        "laplace scale=3: ε = 1/3 <= 0.33333333333333334 (pure), max-divergence, for columns of float32 of length 5 at L1 distance <= 1; \
         values are read exactly"
    );
    let grid = GridLaplace::<f64>::new(Rational::ONE, Some(-10)).unwrap();
    let neighbours = at("0.5").differing_in(2).unwrap().with_granularity(-1).unwrap().one("person").unwrap();
    assert_eq!(
        grid.claim(ValueType::F64, &neighbours).unwrap().to_string(),
        "grid-laplace scale=1 k=-10: ε = 0.5 (pure), max-divergence, for columns of float64 at L1 distance <= 0.5 that differ in at most \
         2 values, all multiples of 2^-1, as far as one person can move them; values are rounded half up to multiples of 2^-10"
    );
    let gaussian = DiscreteGaussian::for_rho(&rational("1/8"), &Rational::ONE).unwrap();
    assert_eq!(
        gaussian.claim(ValueType::I64, &at("1")).unwrap().to_string(),
        "discrete-gaussian variance=4: ρ = 0.125, i.e. (ε, δ) = (2.7533, 1e-6), zero-concentrated-divergence, for columns of int64 at L2 \
         distance <= 1; values are read exactly"
    );
    let gaussian = Gaussian::for_rho(&rational("1/8"), &Rational::ONE).unwrap();
    assert_eq!(
        gaussian.claim(ValueType::Real, &at("1")).unwrap().to_string(),
        "gaussian variance=4: ρ = 0.125, i.e. (ε, δ) = (2.2541, 1e-6), zero-concentrated-divergence, for columns of real numbers at L2 \
         distance <= 1; values are read exactly"
    );
    let snapping = Snapping::new(rational("1/2"), Rational::from(100)).unwrap();
    assert_eq!(
        snapping.claim(ValueType::F64, &at("2")).unwrap().to_string(),
        "snapping form=exact epsilon=0.5 bound=100 grid=2: ε = 1 (pure), max-divergence, for columns of float64 at L1 distance <= 2; \
         values are clamped to [-100, 100]"
    );
    let float = FloatSnapping::new(0.1, 0.1).unwrap();
    let claim = float.claim(ValueType::F64, &at("1").differing_in(1).unwrap()).unwrap().to_string();
    assert!(claim.starts_with("snapping form=float epsilon=0x1.999999999999ap-4 bound=0x1."), "{claim}");
    assert!(claim.contains("ε <= 0.1000000000000"), "{claim}");
}

/// The loss of the double next to 1/10 is more than 1/10, and its shortest decimal is 0.1.
#[test]
fn a_decimal_is_never_below_the_loss() {
    let loss = Rational::try_from(0.1f64).unwrap();
    let claim = Laplace::for_epsilon(&loss, &Rational::ONE).unwrap().claim(ValueType::F64, &at("1")).unwrap();
    assert_eq!(claim.loss(), &loss);
    assert!(claim.loss_in_words().ends_with("<= 0.10000000000000001 (pure)"), "{}", claim.loss_in_words());
    assert!(claim.loss_f64() > 0.1);
}

fn forged(json: &str, from: &str, to: &str) -> Result<Claim, Error> {
    let text = json.replacen(from, to, 1);
    assert_ne!(text, json, "{from} is not in {json}");
    Claim::from_json(&text)
}

/// Every member is held against what the mechanism claims with these parameters.
#[test]
fn forged_claims_are_refused() {
    let grid = GridLaplace::<f64>::new(Rational::from(2), Some(0)).unwrap();
    let claim =
        grid.claim(ValueType::F64, &at("3").differing_in(2).unwrap()).unwrap().for_unit("person").unwrap();
    let json = claim.to_json();
    assert_eq!(Claim::from_json(&json), Ok(claim.clone()));
    for (from, to) in [
        (r#""loss":"2""#, r#""loss":"1""#),
        (r#""loss_f64":2.0"#, r#""loss_f64":1.0"#),
        (r#""scale":"2""#, r#""scale":"3""#),
        (r#""scale":"2""#, r#""scale":"-2""#),
        (r#""scale":"2""#, r#""scale":"much""#),
        (r#""scale":"2""#, r#""size":"2""#),
        (r#""k":"0""#, r#""k":"1""#),
        (r#""grid-laplace""#, r#""laplace""#),
        (r#""grid-laplace""#, r#""noise""#),
        (r#""distance":"3""#, r#""distance":"1""#),
        (r#""distance":"3""#, r#""distance":"-3""#),
        (r#""max_changed":2"#, r#""max_changed":1"#),
        (r#""max_changed":2"#, r#""max_changed":0"#),
        (r#""max_changed":2"#, r#""max_changed":-2"#),
        (r#""granularity":null"#, r#""granularity":0"#),
        (r#""values":"float64""#, r#""values":"float32""#),
        (r#""values":"float64""#, r#""values":"int64""#),
        (r#""values":"float64""#, r#""values":"bool""#),
        (r#""length":null"#, r#""length":1"#),
        (r#""metric":"L1""#, r#""metric":"L2""#),
        (r#""measure":"max-divergence""#, r#""measure":"zero-concentrated-divergence""#),
        (r#""unit":"person""#, r#""unit":"household""#),
        (r#""unit":"person""#, r#""unit":null"#),
        ("multiples of 2^0\"", "multiples of 2^-9\""),
        ("at L1 distance <= 3", "at L1 distance <= 4"),
        (r#"{"mechanism""#, r#"{"seed":"7","mechanism""#),
        (r#""scale":"2""#, r#""scale":"1","scale":"2""#),
        (r#""unit":"person","#, ""),
        (r#""approximate":null,"#, ""),
        ("}", ""),
    ] {
        assert!(forged(&json, from, to).is_err(), "{from} -> {to}");
    }
    let twice = Claim::compose(&[claim.clone(), claim]).unwrap().to_json();
    assert!(Claim::from_json(&twice).is_ok());
    assert!(matches!(forged(&twice, r#""loss":"4""#, r#""loss":"3""#), Err(Error::NotAClaim { .. })));
    assert!(matches!(forged(&twice, r#""loss":"2""#, r#""loss":"1""#), Err(Error::NotAClaim { .. })));
    for text in ["", "{}", "[]", "null", "7", "{\"mechanism\": \"composition\"}"] {
        assert!(matches!(Claim::from_json(text), Err(Error::NotAClaim { .. })), "{text}");
    }
}

/// So is what Gaussian noise claims beside its loss: the least ε at a δ.
#[test]
fn forged_claims_of_gaussian_noise_are_refused() {
    let gaussian = Gaussian::with_variance(rational("3")).unwrap();
    let claim = gaussian.claim(ValueType::F32, &at("2")).unwrap();
    let json = claim.to_json();
    assert_eq!(Claim::from_json(&json), Ok(claim.clone()));
    for (from, to) in [
        (r#""mechanism":"gaussian""#, r#""mechanism":"discrete-gaussian""#),
        (r#""mechanism":"gaussian""#, r#""mechanism":"laplace""#),
        (r#""variance":"3""#, r#""variance":"4""#),
        (r#""variance":"3""#, r#""variance":"-3""#),
        (r#""variance":"3""#, r#""variance":"0""#),
        (r#""variance":"3""#, r#""variance":"1e9999""#),
        (r#""variance":"3""#, r#""scale":"3""#),
        (r#""variance":"3""#, r#""variance":"3","epsilon":"1""#),
        (r#""loss":"2/3""#, r#""loss":"1/3""#),
        (r#""loss":"2/3""#, r#""loss":"4/6""#),
        (r#""epsilon":"5.76"#, r#""epsilon":"5.75"#),
        (r#""delta":"1e-6""#, r#""delta":"1e-9""#),
        ("(ε, δ) = (5.7605, 1e-6)", "(ε, δ) = (5.7605, 1e-7)"),
        (r#""metric":"L2""#, r#""metric":"L1""#),
        (r#""distance":"2""#, r#""distance":"1""#),
        (r#""measure":"zero-concentrated-divergence""#, r#""measure":"max-divergence""#),
        (r#""values":"float32""#, r#""values":"float64""#),
        (r#""approximate":{"#, r#""approximate":null,"x":{"#),
    ] {
        assert!(forged(&json, from, to).is_err(), "{from} -> {to}");
    }
    let twice = Claim::compose(&[claim.clone(), claim]).unwrap();
    assert_eq!(Claim::from_json(&twice.to_json()), Ok(twice.clone()));
    // Two of them are as one with twice the ρ: less than what follows from ρ alone.
    let one = Gaussian::with_variance(rational("3/2")).unwrap().claim(ValueType::F32, &at("2")).unwrap();
    assert_eq!(twice.loss(), one.loss());
    let delta = rational("1e-6");
    assert_eq!(twice.approximate(&delta), one.approximate(&delta));
    assert!(twice.approximate(&delta).unwrap() < twice.log_odds(&delta).unwrap());
}

proptest! {
    /// Whatever a claim prints as a decimal number is at least the loss.
    #[test]
    fn printed_decimals_are_upper_bounds(n in 1u64.., d in 1u64.., shift in -400i64..400) {
        let loss = Rational::from(n) / Rational::from(d) * Rational::pow2(shift);
        let mechanism: AnyMechanism = Laplace::for_epsilon(&loss, &Rational::ONE).unwrap().into();
        let claim = mechanism.claim(ValueType::F64, &at("1")).unwrap();
        let words = claim.loss_in_words();
        let decimal = words.trim_end_matches(" (pure)").rsplit("= ").next().unwrap();
        prop_assert!(rational(decimal) >= loss, "{}", words);
        let double = claim.loss_f64();
        prop_assert!(Rational::try_from(double).unwrap() >= loss);
        let shown = format!("{double:e}");
        prop_assert!(rational(&shown) >= loss, "{}", shown);
        prop_assert_eq!(Claim::from_json(&claim.to_json()), Ok(claim));
    }

    /// The `ε` that a claim tells is one that the mechanism has.
    #[test]
    fn told_epsilons_hold(n in 1u64..1000, d in 1u64..1000, exponent in 1u32..40) {
        let (gaussian, one) = (Gaussian::new(&(Rational::from(n) / Rational::from(d))).unwrap(), Rational::ONE);
        let delta = Rational::pow2(-i64::from(exponent));
        let epsilon = gaussian.claim(ValueType::F64, &at("1")).unwrap().approximate(&delta).unwrap();
        // Rounded up by less than 2^-40 of itself.
        prop_assert!(gaussian.delta(&epsilon, &one).unwrap() <= &delta * (Rational::ONE + Rational::pow2(-39)));
        let less = &epsilon * rational("0.999999");
        prop_assert!(epsilon.is_zero() || gaussian.delta(&less, &one).unwrap() > delta);
    }
}
