//! What is found goes through the kernel's check; what has a solution must not be refuted.

use crate::logic::kernel::{Lemma, Refutation, event};
use lastbit_lang::symbolic::{Constraint, Polynomial};
use lastbit_lang::watch::{Limits, Watch};
use lastbit_real::Rational;
use proptest::prelude::*;

fn refute(constraints: &[Constraint], degree: u32) -> Option<Refutation> {
    super::refute(constraints, degree, &Watch::default())
}

#[test]
fn a_product_of_two_constraints_is_found() {
    // eps > 0 and d <= 1 leave no room for eps·d > eps: eps·(1 - d) + (eps·d - eps) = 0.
    let (eps, d, one) = (v("eps"), v("d"), Polynomial::constant(1));
    let constraints = [
        Constraint::positive(eps.clone()),
        Constraint::non_negative(&one - &d),
        Constraint::positive(&(&eps * &d) - &eps),
    ];
    let refutation = refute(&constraints, 2).expect("a product of two suffices");
    assert_eq!(refutation.products, [(Rational::ONE, vec![2]), (Rational::ONE, vec![0, 1])]);
}

#[test]
fn when_the_watch_is_over_nothing_is_found() {
    let constraints = [Constraint::positive(v("x")), Constraint::positive(-&v("x"))];
    let over = Watch::start(&Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() });
    assert_eq!(super::refute(&constraints, 1, &over), None);
    assert!(refute(&constraints, 1).is_some());
}

fn v(name: &str) -> Polynomial {
    Polynomial::variable(name)
}

fn one() -> Polynomial {
    Polynomial::constant(1)
}

/// A refutation that the kernel accepts.
fn refuted(constraints: &[Constraint], degree: u32) -> Option<Refutation> {
    let refutation = refute(constraints, degree)?;
    let lemma = Lemma { constraints: constraints.to_vec(), refutation };
    assert_eq!(lemma.check(), Ok(()), "{:?}", lemma.refutation);
    Some(lemma.refutation)
}

/// `goal >= 0` follows.
fn follows(hypotheses: &[Constraint], goal: &Polynomial, degree: u32) -> Option<Refutation> {
    let negation = Constraint::positive(-goal);
    refuted(&hypotheses.iter().cloned().chain([negation]).collect::<Vec<_>>(), degree)
}

#[test]
fn all_cases_of_the_event_rule_are_proved() {
    let cases = event::cases();
    assert!(cases.len() >= 24);
    for (name, constraints) in cases {
        let refutation = refuted(&constraints, 3).unwrap_or_else(|| panic!("{name}"));
        assert!(refutation.products.len() <= 26, "{name}");
    }
}

/// The same with the inverses multiplied out, so that all powers are positive.
#[test]
fn the_event_rule_is_proved_without_negative_powers() {
    let scale = &(&v("A") * &v("b")) * &v("k");
    for (name, mut constraints) in event::cases() {
        let exceeds = constraints.pop().expect("the negated goal");
        constraints.retain(|sign| !sign.polynomial.to_string().starts_with("1/"));
        constraints.push(Constraint::positive(&exceeds.polynomial * &scale));
        assert!(refuted(&constraints, 3).is_some(), "{name}");
    }
}

/// With half of `E` the rule is false, in every case that a point of a small grid shows.
#[test]
fn a_false_event_rule_is_not_proved() {
    let part = Polynomial::constant(Rational::pow2(-1));
    let mut shown = 0;
    for (name, mut constraints) in event::cases() {
        let exceeds = constraints.last_mut().expect("the negated goal");
        let cheaper = [("E".into(), &part * &v("E"))].into();
        exceeds.polynomial = exceeds.polynomial.substitute(&cheaper).expect("a single term");
        let holds_at = |point: usize| {
            let number = |j: u32| Rational::pow2((point / 3usize.pow(j) % 3) as i64 - 1);
            let names = ["A", "b", "k", "E"].into_iter().zip(0..);
            let values = names.map(|(name, j)| (name.into(), Polynomial::constant(number(j))));
            let values = values.collect();
            constraints.iter().all(|constraint| {
                let value = constraint.polynomial.substitute(&values).and_then(|p| p.as_constant());
                value.is_some_and(|value| constraint.relation.holds(&value))
            })
        };
        if (0..81).any(holds_at) {
            shown += 1;
            assert_eq!(refute(&constraints, 2), None, "{name}");
        }
    }
    assert!(shown >= 10, "{shown}");
}

#[test]
fn linear_contradictions_take_one_factor_each() {
    let (x, y) = (v("x"), v("y"));
    let constraints = [
        Constraint::zero(&(&x + &y) - &one()),
        Constraint::non_negative(&x - &one()),
        Constraint::positive(y.clone()),
        Constraint::non_negative(&one() + &x),
    ];
    let refutation = refuted(&constraints, 1).expect("x + y > 1");
    assert_eq!(refutation.products, [(1.into(), vec![1]), (1.into(), vec![2])]);
    assert_eq!(refutation.multiples, [(-&one(), 0)]);
    assert_eq!(refute(&constraints[1..], 3), None);
}

#[test]
fn products_with_the_privacy_parameter_are_found() {
    // eps > 0, |d| <= 1, and the cost eps·d/2 + eps·d/2 of two samples is above eps.
    let (eps, d) = (v("eps"), v("d"));
    let hypotheses = [
        Constraint::positive(eps.clone()),
        Constraint::non_negative(&one() - &d),
        Constraint::non_negative(&one() + &d),
    ];
    assert!(follows(&hypotheses, &(&eps - &(&eps * &d)), 2).is_some());
    assert!(follows(&hypotheses, &(&eps + &(&eps * &d)), 2).is_some());
    assert!(follows(&hypotheses, &(&(&eps * &d) - &eps), 3).is_none());
    // (1 - d)(1 + d) >= 0, a product of two without a sign.
    assert!(follows(&hypotheses, &(&one() - &(&d * &d)), 2).is_some());
    assert!(follows(&hypotheses, &(&eps - &(&eps * &(&d * &d))), 2).is_some());
}

#[test]
fn equations_may_be_multiplied() {
    // x·y = 1, x >= 2: then 2y <= 1.
    let (x, y) = (v("x"), v("y"));
    let two = Polynomial::constant(2);
    let constraints = [
        Constraint::zero(&(&x * &y) - &one()),
        Constraint::non_negative(&x - &two),
        Constraint::positive(y.clone()),
        Constraint::non_negative(&(&y + &y) - &two),
    ];
    assert!(refuted(&constraints, 2).is_some());
    assert_eq!(refute(&constraints[..3], 3), None);
    // y = x², z = x·y: z = x³, so z - x·y·1 cannot be 1.
    let z = v("z");
    let constraints = [
        Constraint::zero(&y - &(&x * &x)),
        Constraint::zero(&z - &(&x * &y)),
        Constraint::positive(&z - &(&x * &(&x * &x))),
    ];
    let refutation = refuted(&constraints, 1).expect("x times the first equation");
    assert_eq!(refutation.multiples.len(), 2);
}

#[test]
fn many_constraints_are_no_obstacle() {
    // Chain 0 <= x_1 <= ... <= x_20 <= 1 and eps·x_20 < eps·x_1, and one that is not absurd.
    let x: Vec<Polynomial> = (0..20).map(|i| v(&format!("x{i}"))).collect();
    let eps = v("eps");
    let mut constraints = vec![Constraint::positive(eps.clone()), Constraint::non_negative(x[0].clone())];
    constraints.extend(x.windows(2).map(|pair| Constraint::non_negative(&pair[1] - &pair[0])));
    constraints.push(Constraint::non_negative(&one() - &x[19]));
    assert!(follows(&constraints, &(&eps * &(&x[19] - &x[0])), 2).is_some());
    assert!(follows(&constraints, &(&eps * &(&x[0] - &x[19])), 3).is_none());
    assert!(follows(&constraints, &(&(&eps * &x[19]) * &(&x[0] - &one())), 3).is_none());
}

fn any_polynomial() -> impl Strategy<Value = Polynomial> {
    let term = (-3i64..=3, prop::collection::vec(0usize..4, 0..3));
    prop::collection::vec(term, 1..4).prop_map(|terms| {
        terms.iter().fold(Polynomial::zero(), |sum, (coefficient, variables)| {
            let constant = Polynomial::constant(*coefficient);
            &sum + &variables.iter().fold(constant, |product, j| &product * &v(["a", "b", "c", "d"][*j]))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Constraints that hold at a point are not refuted; what is refuted without that is checked by the kernel.
    #[test]
    fn what_has_a_solution_is_not_refuted(
        polynomials in prop::collection::vec(any_polynomial(), 1..6),
        point in prop::collection::vec(-3i64..=3, 4),
    ) {
        let values = ["a", "b", "c", "d"].map(Into::into).into_iter().zip(point.into_iter().map(Polynomial::constant)).collect();
        let constraint = |p: &Polynomial| {
            let value = p.substitute(&values)?.as_constant()?;
            Some(match value.is_zero() {
                true => Constraint::zero(p.clone()),
                false if value.is_negative() => Constraint::positive(-p),
                false => Constraint::positive(p.clone()),
            })
        };
        let true_there: Vec<Constraint> = polynomials.iter().filter_map(constraint).collect();
        prop_assert_eq!(refute(&true_there, 2), None);
        let arbitrary: Vec<Constraint> = polynomials.into_iter().map(Constraint::positive).collect();
        refuted(&arbitrary, 2);
    }
}
