//! Losses add, exactly, and a budget is never exceeded.

use std::cell::Cell;

use lastbit::{
    About, Budget, Claim, Contract, DiscreteGaussian, DiscreteLaplace, Error, Gaussian, GridLaplace,
    InsecureSeededSource, Laplace, Measure, Mechanism, Neighbours, Rational, ValueType,
};
use lastbit_real::{Enclosure, exp_rational};
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn one() -> Neighbours {
    Neighbours::at(Rational::ONE)
}

/// A claim of this loss between integers at distance 1 that one person can move so far.
fn claim(measure: Measure, loss: &Rational) -> Claim {
    let claim = match measure {
        Measure::MaxDivergence => {
            DiscreteLaplace::for_epsilon(loss, &Rational::ONE).unwrap().claim(ValueType::I64, &one())
        }
        Measure::ZeroConcentratedDivergence => {
            DiscreteGaussian::for_rho(loss, &Rational::ONE).unwrap().claim(ValueType::I64, &one())
        }
    };
    let claim = claim.unwrap().for_unit("person").unwrap();
    assert_eq!(claim.loss(), loss);
    claim
}

fn pure(loss: &str) -> Claim {
    claim(Measure::MaxDivergence, &rational(loss))
}

fn zero_concentrated(loss: &str) -> Claim {
    claim(Measure::ZeroConcentratedDivergence, &rational(loss))
}

#[test]
fn ten_tenths_are_one() {
    let mut budget = Budget::pure(Rational::ONE).unwrap();
    for _ in 0..10 {
        budget.spend(pure("0.1")).unwrap();
    }
    assert_eq!(budget.spent(), &Rational::ONE);
    assert!(budget.remaining().is_zero());
    let eleventh = pure("1e-30");
    let refusal = Error::BudgetExceeded { asked: eleventh.loss().clone(), remaining: Rational::ZERO };
    assert_eq!(budget.spend(eleventh), Err(refusal));
    assert_eq!(budget.ledger().len(), 10);
    assert_eq!(
        budget.to_string(),
        "budget of ε = 1: 1 spent, 0 left, for columns of int64 at L1 distance <= 1, as far as one person can move them"
    );
    // Doubles would get this wrong in both directions: ten tenths leave something, twenty twentieths cost too much.
    assert!((0..10).fold(0.0, |sum, _| sum + 0.1) < 1.0);
    assert!((0..20).fold(0.0, |sum, _| sum + 0.05) > 1.0);
}

#[test]
fn a_budget_of_nothing_admits_nothing() {
    let mut budget = Budget::pure(Rational::ZERO).unwrap();
    assert!(matches!(budget.spend(pure("1e-300")), Err(Error::BudgetExceeded { .. })));
}

#[test]
fn negative_numbers_are_refused() {
    let minus = || rational("-1/1000");
    assert!(matches!(Budget::pure(minus()), Err(Error::Negative { name: "epsilon", .. })));
    assert!(matches!(Budget::zero_concentrated(minus()), Err(Error::Negative { name: "rho", .. })));
}

#[test]
fn no_pure_loss_follows_from_a_zero_concentrated_one() {
    let mut budget = Budget::pure(Rational::from(1_000_000)).unwrap();
    assert_eq!(
        budget.spend(zero_concentrated("1e-9")),
        Err(Error::NoPureLoss { mechanism: "discrete-gaussian" })
    );
    assert_eq!(budget, Budget::pure(Rational::from(1_000_000)).unwrap());
}

/// Long numbers are shortened, but never so that what is refused seems to fit.
#[test]
fn the_refusal_shows_the_greater_number_as_greater() {
    let mut budget = Budget::pure(rational("0.1")).unwrap();
    let refusal = budget.spend(pure("0.1000000000000000000000000000001")).unwrap_err();
    assert_eq!(refusal.to_string(), "the release costs 0.100001, but only 1/10 of the budget is left");
}

#[test]
fn noise_is_drawn_only_for_what_is_paid() {
    let mut budget = Budget::pure(Rational::ONE).unwrap();
    let calls = Cell::new(0);
    let release = |budget: &mut Budget, loss: &str, result: Result<i64, Error>| {
        budget.release(pure(loss), || {
            calls.set(calls.get() + 1);
            result
        })
    };
    assert_eq!(release(&mut budget, "1/2", Ok(7)), Ok(7));
    assert!(matches!(release(&mut budget, "2/3", Ok(7)), Err(Error::BudgetExceeded { .. })));
    assert_eq!((calls.get(), budget.spent()), (1, &rational("1/2")));
    // A failed release stays paid.
    let failure = Error::Overflow { index: 0 };
    assert_eq!(release(&mut budget, "1/4", Err(failure.clone())), Err(failure));
    assert_eq!((calls.get(), budget.spent()), (2, &rational("3/4")));
    assert_eq!(budget.ledger().len(), 2);
}

#[test]
fn mechanisms_share_a_budget() {
    let mut source = InsecureSeededSource::<u64>::from_seed(1);
    let laplace = DiscreteLaplace::for_epsilon(&rational("1/2"), &Rational::ONE).unwrap();
    let gaussian = DiscreteGaussian::for_rho(&rational("1/8"), &Rational::ONE).unwrap();
    let mut budget = Budget::zero_concentrated(rational("1/4")).unwrap();
    let [count, visits] = [laplace.claim(ValueType::I64, &one()), gaussian.claim(ValueType::I64, &one())]
        .map(|claim| claim.unwrap().for_unit("person").unwrap());
    let _: i64 = budget.release(count, || laplace.release(&mut source, 5)).unwrap();
    let _: i64 = budget.release(visits, || gaussian.release(&mut source, 5)).unwrap();
    assert!(budget.remaining().is_zero());
    let together = Claim::compose(budget.ledger()).unwrap();
    assert_eq!(
        together.to_string(),
        "composition of discrete-laplace(scale=2), discrete-gaussian(variance=4): ρ = 0.25, i.e. (ε, δ) = (3.9670, 1e-6), \
         zero-concentrated-divergence, for data that differ in one person"
    );
}

/// Real Gaussian noise on floats and integers, beside Laplace noise, in one budget of `ρ`.
#[test]
fn gaussian_noise_is_charged() {
    let mut source = InsecureSeededSource::<u64>::from_seed(1);
    let gaussian = Gaussian::for_rho(&rational("1/8"), &Rational::ONE).unwrap();
    let mut pure = Budget::pure(Rational::from(1000)).unwrap();
    let refused = pure.spend(gaussian.claim(ValueType::F64, &one()).unwrap());
    assert_eq!(refused, Err(Error::NoPureLoss { mechanism: "gaussian" }));
    let mut budget = Budget::zero_concentrated(rational("3/8")).unwrap().for_unit("person").unwrap();
    let claim = |values| gaussian.claim(values, &one()).unwrap();
    let _: f64 = budget.release(claim(ValueType::F64), || gaussian.release(&mut source, 0.5)).unwrap();
    let _: i64 = budget.release(claim(ValueType::I64), || gaussian.release(&mut source, 5)).unwrap();
    let together = Claim::compose(budget.ledger()).unwrap();
    assert_eq!(
        together.to_string(),
        "composition of gaussian(variance=4), gaussian(variance=4): ρ = 0.25, i.e. (ε, δ) = (3.3077, 1e-6), \
         zero-concentrated-divergence, for data that differ in one person"
    );
    let laplace = DiscreteLaplace::for_epsilon(&rational("1/2"), &Rational::ONE).unwrap();
    budget.spend(laplace.claim(ValueType::I64, &one()).unwrap()).unwrap();
    assert!(budget.remaining().is_zero());
    let more = budget.release(claim(ValueType::F32), || gaussian.release(&mut source, 0.5f32));
    assert!(matches!(more, Err(Error::BudgetExceeded { .. })));
}

#[test]
fn neighbours_that_agree_are_named_once() {
    assert_eq!(Claim::compose(&[]), Err(Error::EmptyComposition));
    let laplace = Laplace::new(Rational::from(10)).unwrap().claim(ValueType::F64, &one()).unwrap();
    let twice = Claim::compose(&[laplace.clone(), laplace.clone()]).unwrap();
    assert_eq!(twice.about(), laplace.about());
    assert_eq!(twice.measure(), Measure::MaxDivergence);
    assert_eq!(twice.loss(), &rational("1/5"));
}

/// Types, distances, metrics, lengths, what is known of the values, units: whatever differs, the losses do not add.
#[test]
fn claims_about_different_inputs_do_not_add() {
    let laplace = Laplace::new(Rational::from(10)).unwrap();
    let discrete = DiscreteLaplace::new(Rational::from(10)).unwrap();
    let gaussian = DiscreteGaussian::new(&Rational::from(10)).unwrap();
    let first = laplace.claim(ValueType::I64, &one()).unwrap();
    let others = [
        laplace.claim(ValueType::F64, &one()),
        laplace.claim(ValueType::I32, &one()),
        laplace.claim(ValueType::I64, &Neighbours::at(Rational::from(2))),
        laplace.claim(ValueType::I64, &one().of_length(3)),
        laplace.claim(ValueType::I64, &one().differing_in(1).unwrap()),
        laplace.claim(ValueType::I64, &one().one("person").unwrap()),
        gaussian.claim(ValueType::I64, &one()),
    ]
    .map(Result::unwrap);
    for other in others {
        for claims in [[first.clone(), other.clone()], [other.clone(), first.clone()]] {
            assert!(
                matches!(Claim::compose(&claims), Err(Error::DifferentNeighbours { .. })),
                "{} and {}",
                claims[0],
                claims[1]
            );
        }
        let mut budget = Budget::zero_concentrated(Rational::ONE).unwrap();
        budget.spend(first.clone()).unwrap();
        let spent = budget.spent().clone();
        assert!(matches!(budget.spend(other.clone()), Err(Error::DifferentNeighbours { .. })));
        assert_eq!((budget.spent(), budget.ledger().len()), (&spent, 1));
        // A unit is a common statement.
        let stated = [first.clone(), other.clone()].map(|claim| claim.for_unit("person").unwrap());
        assert_eq!(Claim::compose(&stated).unwrap().about().unit(), Some("person"));
        let mut budget = Budget::zero_concentrated(Rational::ONE).unwrap().for_unit("person").unwrap();
        budget.spend(first.clone()).unwrap();
        budget.spend(other).unwrap();
        assert_eq!(budget.about(), Some(&About::Unit("person".into())));
    }
    // Another mechanism on the same columns is fine, and another unit is not.
    Claim::compose(&[first.clone(), discrete.claim(ValueType::I64, &one()).unwrap()]).unwrap();
    let household = first.clone().for_unit("household").unwrap();
    assert!(household.clone().for_unit("person").is_err());
    let mut budget = Budget::pure(Rational::ONE).unwrap().for_unit("person").unwrap();
    assert!(matches!(budget.spend(household), Err(Error::DifferentNeighbours { .. })));
    for bad in
        ["", "  ", "a\nb", &"x".repeat(65), "person; values are read exactly", "x\u{200b}", "a\u{202e}b"]
    {
        assert!(
            matches!(first.clone().for_unit(bad), Err(Error::OutOfRange { name: "unit", .. })),
            "{bad:?}"
        );
    }
}

/// A unit that claims brought along is not one that the budget was given: it says nothing about claims without one.
#[test]
fn a_budget_does_not_adopt_a_unit() {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let at = |distance: i64, unit: Option<&str>| {
        let neighbours = Neighbours::at(Rational::from(distance));
        let neighbours = unit.map_or(neighbours.clone(), |unit| neighbours.one(unit).unwrap());
        laplace.claim(ValueType::F64, &neighbours).unwrap()
    };
    let mut budget = Budget::pure(Rational::from(100)).unwrap();
    budget.spend(at(1, Some("person"))).unwrap();
    budget.spend(at(2, Some("person"))).unwrap();
    assert_eq!(budget.about(), Some(&About::Unit("person".into())));
    for distance in [1, 2, 3] {
        assert!(matches!(budget.spend(at(distance, None)), Err(Error::DifferentNeighbours { .. })));
    }
}

/// A running total is as flat as a sum.
#[test]
fn compositions_do_not_nest() {
    let one = pure("1/1000");
    let total = (0..300).fold(one.clone(), |total, _| Claim::compose(&[total, one.clone()]).unwrap());
    assert_eq!((total.parts().len(), total.loss()), (301, &rational("301/1000")));
    assert_eq!(Claim::from_json(&total.to_json()).unwrap(), total);
}

/// Equal inputs are told apart by nothing: a release that says that its neighbours are equal would be free.
#[test]
fn a_distance_of_nothing_is_not_charged() {
    let laplace = Laplace::new(rational("1e-6")).unwrap();
    let free = laplace.claim(ValueType::F64, &Neighbours::at(Rational::ZERO)).unwrap();
    assert!(free.loss().is_zero());
    let together = Claim::compose(&[free.clone(), free.clone()]).unwrap();
    // Closer than two values can be: no neighbours are there but equal ones.
    let grid = GridLaplace::<f64>::new(rational("1e-9"), Some(-30)).unwrap();
    let coarse = one().differing_in(1).unwrap().with_granularity(10).unwrap();
    let tiny = Neighbours::at(rational("1e-400")).differing_in(1).unwrap();
    let [coarse, tiny] = [coarse, tiny].map(|near| grid.claim(ValueType::F64, &near).unwrap());
    assert!(coarse.loss().is_zero() && tiny.loss().is_zero());
    let read = Claim::from_json(&coarse.to_json()).unwrap();
    for claim in [free, together, coarse, tiny, read] {
        let mut budget = Budget::pure(Rational::ONE).unwrap();
        let refused = budget.spend(claim);
        assert!(
            matches!(
                refused,
                Err(Error::NotPositive { name: "d_in", .. } | Error::OutOfRange { name: "d_in", .. })
            ),
            "{refused:?}"
        );
        assert_eq!(budget, Budget::pure(Rational::ONE).unwrap());
    }
}

const BITS: u32 = 120;

/// The Rényi divergence of order `alpha` between the two answers of randomized response with odds `e^ε : 1`,
/// `ln((e^(αε) + e^((1-α)ε))/(1 + e^ε))/(α - 1)`, over `alpha`: the zero-concentrated loss is the largest of these.
fn randomized_response(epsilon: &Rational, alpha: &Rational) -> Enclosure {
    let exp = |x: Rational| exp_rational(&x, BITS).unwrap();
    let above = alpha - Rational::ONE;
    let numerator = &exp(alpha * epsilon) + &exp(-(&above * epsilon));
    let denominator = &exp(Rational::ZERO) + &exp(epsilon.clone());
    let ratio = numerator.div(&denominator, BITS).unwrap();
    let log = ratio.ln(BITS).unwrap();
    log.div(&Enclosure::of_rational(&(above * alpha), BITS), BITS).unwrap()
}

/// What a pure loss costs in zero-concentrated terms.
fn price(epsilon: &Rational) -> Rational {
    claim(Measure::MaxDivergence, epsilon).loss_in(Measure::ZeroConcentratedDivergence).unwrap()
}

#[test]
fn a_pure_loss_bounds_all_renyi_divergences() {
    for epsilon in ["1/1000", "1/10", "1/2", "1", "2", "5/2", "10", "50"].map(rational) {
        let cost = price(&epsilon);
        for alpha in ["10001/10000", "11/10", "3/2", "2", "3", "10", "1000"].map(rational) {
            let divergence = randomized_response(&epsilon, &alpha);
            assert!(Rational::from(divergence.hi()) <= cost, "ε = {epsilon}, α = {alpha}");
        }
    }
}

/// A price that is a thousandth lower is refuted by the same mechanism, for small losses and for large ones.
#[test]
fn a_lower_price_would_be_wrong() {
    for epsilon in ["1/1000", "1/50", "10", "50"].map(rational) {
        let cost = price(&epsilon);
        let divergence = randomized_response(&epsilon, &rational("10001/10000"));
        assert!(Rational::from(divergence.lo()) > cost * rational("0.999"), "ε = {epsilon}");
    }
}

fn claims() -> impl Strategy<Value = Vec<Claim>> {
    let one = (any::<bool>(), 1u64..60, 1u64..40).prop_map(|(is_pure, numerator, denominator)| {
        let measure = if is_pure { Measure::MaxDivergence } else { Measure::ZeroConcentratedDivergence };
        claim(measure, &(Rational::from(numerator) / Rational::from(denominator)))
    });
    prop::collection::vec(one, 1..20)
}

proptest! {
    #[test]
    fn a_budget_is_kept(claims in claims(), total in 0u64..40, is_pure: bool) {
        let total = Rational::from(total) / Rational::from(3);
        let open = if is_pure { Budget::pure } else { Budget::zero_concentrated };
        let mut budget = open(total.clone()).unwrap();
        let mut admitted = Vec::new();
        let mut spent = Rational::ZERO;
        for claim in claims {
            let cost = budget.cost(&claim);
            let fits = matches!(&cost, Ok(cost) if &spent + cost <= total);
            prop_assert_eq!(budget.spend(claim.clone()).is_ok(), fits);
            if fits {
                spent = spent + cost.unwrap();
                admitted.push(claim);
            }
            // After a refusal, all is as it was.
            prop_assert_eq!(budget.ledger(), &admitted);
            prop_assert_eq!(budget.spent(), &spent);
            prop_assert_eq!(budget.spent() + budget.remaining(), total.clone());
            prop_assert!(budget.spent() <= budget.total() && budget.total() == &total);
        }
    }

    /// The order does not matter. Composing in two steps costs no less: pure parts are then converted together, not one by one.
    #[test]
    fn composition_is_a_sum(
        claims in claims().prop_map(|mut claims| {
            claims.push(pure("1/7"));
            claims
        }),
        at: prop::sample::Index,
    ) {
        let together = Claim::compose(&claims).unwrap();
        let expected: Rational = claims.iter().map(|claim| claim.loss_in(together.measure()).unwrap()).sum();
        prop_assert_eq!(together.loss(), &expected);

        let mut rotated = claims.clone();
        rotated.rotate_left(at.index(claims.len()));
        rotated.reverse();
        let other = Claim::compose(&rotated).unwrap();
        prop_assert_eq!((other.loss(), other.measure()), (together.loss(), together.measure()));

        let mut budget = Budget::zero_concentrated(Rational::from(10_000)).unwrap();
        for claim in &rotated {
            budget.spend(claim.clone()).unwrap();
        }
        let all_at_once = budget.cost(&together).unwrap();
        // Converting the parts is never worse than converting the sum.
        prop_assert!(budget.spent() <= &all_at_once);

        let (left, right) = claims.split_at(at.index(claims.len()));
        if !left.is_empty() {
            let halves = [Claim::compose(left).unwrap(), Claim::compose(right).unwrap()];
            let nested = Claim::compose(&halves).unwrap();
            prop_assert_eq!(nested.measure(), together.measure());
            prop_assert!(nested.loss() >= together.loss());
        }
    }
}
