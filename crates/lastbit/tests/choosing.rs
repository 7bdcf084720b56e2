//! What choices claim: which distance of scores, which loss, and what is refused.

use lastbit::{
    Budget, Claim, Contract, Error, Exponential, Laplace, Measure, Metric, Neighbours, NoisyMax, Rational,
    Selection, ValueType,
};
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn at(distance: &str) -> Neighbours {
    Neighbours::at(rational(distance))
}

#[test]
fn constants() {
    let (one, two) = (Rational::ONE, Rational::from(2));
    for (metric, scale) in [(Metric::LInfinity, &two), (Metric::Range, &one), (Metric::L1, &one)] {
        let noisy_max = NoisyMax::for_epsilon(&one, &one, metric).unwrap();
        let exponential = Exponential::for_epsilon(&one, &one, metric).unwrap();
        assert_eq!((noisy_max.scale(), exponential.scale()), (scale, scale), "{metric}");
        assert_eq!(noisy_max.loss(metric, &at("3")).unwrap(), Rational::from(3));
        assert_eq!(exponential.loss(metric, &at("3")).unwrap(), Rational::from(3));
    }
    let unsupported = Err(Error::UnsupportedMetric { mechanism: "noisy-max", metric: Metric::L2 });
    assert_eq!(NoisyMax::for_epsilon(&one, &one, Metric::L2), unsupported);
    let noisy_max = NoisyMax::new(one.clone()).unwrap();
    assert!(noisy_max.claim(ValueType::F64, Metric::L2, &at("1")).is_err());
    assert!(matches!(noisy_max.loss(Metric::Range, &at("-1")), Err(Error::Negative { .. })));
    for bad in ["0", "-1"] {
        assert!(NoisyMax::for_epsilon(&rational(bad), &one, Metric::Range).is_err());
        assert!(Exponential::for_epsilon(&one, &rational(bad), Metric::Range).is_err());
    }
}

#[test]
fn what_people_read() {
    let noisy_max = NoisyMax::for_epsilon(&rational("1/2"), &Rational::ONE, Metric::LInfinity).unwrap();
    let neighbours = at("1").one("person").unwrap();
    assert_eq!(
        noisy_max.claim(ValueType::Real, Metric::LInfinity, &neighbours).unwrap().to_string(),
        "noisy-max scale=4: ε = 0.5 (pure), max-divergence, for columns of real numbers at L-infinity distance <= 1, as far as one person \
         can move them; values are read exactly"
    );
}

fn claims() -> Vec<Claim> {
    let noisy_max = NoisyMax::new(rational("4/3")).unwrap();
    let exponential = Exponential::new(rational("1/7")).unwrap();
    let neighbours = [at("2"), at("1/3").of_length(9).one("household").unwrap()];
    [Metric::LInfinity, Metric::Range, Metric::L1]
        .into_iter()
        .flat_map(|metric| {
            let of = |n: &Neighbours| {
                [noisy_max.claim(ValueType::I64, metric, n), exponential.claim(ValueType::F64, metric, n)]
            };
            neighbours.iter().flat_map(of).map(Result::unwrap).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn claims_read_back() {
    for claim in claims() {
        assert_eq!(Claim::from_json(&claim.to_json()), Ok(claim.clone()));
        assert_eq!(claim.measure(), Measure::MaxDivergence);
    }
    let both = Claim::compose(&[claims()[0].clone(), claims()[0].clone()]).unwrap();
    assert_eq!(Claim::from_json(&both.to_json()), Ok(both));
}

/// A text that says less loss, another metric, another rule or another distance is refused.
#[test]
fn forged_claims_are_refused() {
    let noisy_max = NoisyMax::for_epsilon(&Rational::ONE, &Rational::ONE, Metric::LInfinity).unwrap();
    let json = noisy_max.claim(ValueType::F64, Metric::LInfinity, &at("1")).unwrap().to_json();
    assert!(Claim::from_json(&json).is_ok());
    for (from, to) in [
        (r#""loss":"1""#, r#""loss":"1/2""#),
        (r#""metric":"L-infinity""#, r#""metric":"range""#),
        (r#""metric":"L-infinity""#, r#""metric":"L1""#),
        (r#""metric":"L-infinity""#, r#""metric":"L2""#),
        (r#""metric":"L-infinity""#, r#""metric":"Linf""#),
        (r#""mechanism":"noisy-max""#, r#""mechanism":"exponential""#),
        (r#""mechanism":"noisy-max""#, r#""mechanism":"laplace""#),
        (r#""mechanism":"noisy-max""#, r#""mechanism":"noisy-min""#),
        (r#""distance":"1""#, r#""distance":"1/2""#),
        (r#""scale":"2""#, r#""scale":"4""#),
        (r#""scale":"2""#, r#""scale":"0""#),
        (r#""scale":"2""#, r#""size":"2""#),
        (r#""scale":"2""#, r#""scale":"2","more":"1""#),
        ("float64", "int64"),
    ] {
        assert!(json.contains(from), "{from}");
        assert!(Claim::from_json(&json.replacen(from, to, 1)).is_err(), "{from} -> {to}");
    }
    // A mechanism that adds noise has one metric.
    let laplace = Laplace::new(Rational::ONE).unwrap().claim(ValueType::F64, &at("1")).unwrap().to_json();
    for metric in ["L2", "L-infinity", "range"] {
        let forged = laplace.replace(r#""metric":"L1""#, &format!(r#""metric":"{metric}""#));
        assert!(matches!(Claim::from_json(&forged), Err(Error::NotAClaim { .. })), "{metric}");
    }
}

#[test]
fn budgets() {
    let half = rational("1/2");
    let noisy_max = NoisyMax::for_epsilon(&half, &Rational::ONE, Metric::LInfinity).unwrap();
    let laplace = Laplace::for_epsilon(&half, &Rational::ONE).unwrap();
    let choice = noisy_max.claim(ValueType::F64, Metric::LInfinity, &at("1")).unwrap();
    let noise = laplace.claim(ValueType::F64, &at("1")).unwrap();

    let mut budget = Budget::pure(Rational::ONE).unwrap();
    budget.spend(choice.clone()).unwrap();
    assert!(matches!(budget.spend(noise.clone()), Err(Error::DifferentNeighbours { .. })));
    budget.spend(choice.clone()).unwrap();
    assert!(matches!(budget.spend(choice.clone()), Err(Error::BudgetExceeded { .. })));

    let mut person = Budget::pure(Rational::ONE).unwrap().for_unit("person").unwrap();
    person.spend(choice.clone()).unwrap();
    person.spend(noise.clone()).unwrap();
    assert!(person.remaining().is_zero());

    // The same column at the same L1 distance: the largest of the counts, and all of them.
    let mut column = Budget::pure(Rational::ONE).unwrap();
    let largest = NoisyMax::for_epsilon(&half, &Rational::ONE, Metric::L1).unwrap();
    column.spend(largest.claim(ValueType::F64, Metric::L1, &at("1")).unwrap()).unwrap();
    column.spend(noise).unwrap();

    // Scores that do not move would make every choice free.
    let free = noisy_max.claim(ValueType::F64, Metric::Range, &at("0")).unwrap();
    assert!(Budget::pure(Rational::ONE).unwrap().spend(free).is_err());
    assert_eq!(choice.loss_in(Measure::ZeroConcentratedDivergence).unwrap(), rational("1/8"));
}

#[test]
fn shortfalls() {
    let noisy_max = NoisyMax::new(Rational::from(10)).unwrap();
    let exponential = Exponential::new(Rational::from(10)).unwrap();
    let sure = rational("0.9");
    assert_eq!(noisy_max.shortfall(1, &sure).unwrap(), 0.0);
    assert_eq!(noisy_max.shortfall(0, &sure).unwrap(), 0.0);
    // 10·ln(5) and 10·ln(10)
    assert!((noisy_max.shortfall(2, &sure).unwrap() - 16.094379124341003).abs() < 1e-12);
    assert!((exponential.shortfall(2, &sure).unwrap() - 23.02585092994046).abs() < 1e-12);
    for bad in ["0", "1", "-1", "2"] {
        assert!(noisy_max.shortfall(10, &rational(bad)).is_err());
    }
}

proptest! {
    /// The range distance, on which all losses rest, is never above what the other metrics say of it; and no smaller factor would do.
    #[test]
    fn range_is_bounded_by_the_other_metrics(moves in prop::collection::vec(-50i64..=50, 1..6)) {
        let (most, least) = (moves.iter().max().unwrap(), moves.iter().min().unwrap());
        let range = most - least;
        let largest = moves.iter().map(|by| by.abs()).max().unwrap();
        prop_assert!(range <= 2 * largest);
        prop_assert!(moves.len() == 1 || range <= moves.iter().map(|by| by.abs()).sum());
        if *least >= 0 || *most <= 0 {
            prop_assert!(range <= largest);
        }
        let unit = NoisyMax::new(Rational::ONE).unwrap();
        let loss = |metric, distance: i64| unit.loss(metric, &Neighbours::at(Rational::from(distance))).unwrap();
        prop_assert!(loss(Metric::Range, range) <= loss(Metric::LInfinity, largest));
        prop_assert_eq!(loss(Metric::Range, range), Rational::from(range));
    }
}
