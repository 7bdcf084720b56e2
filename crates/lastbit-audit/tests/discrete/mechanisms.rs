//! Known mechanisms, and their broken variants.

use lastbit_real::{exp_rational, ln_rational};

use super::*;

#[test]
fn randomized_response_loses_exactly_eps() {
    for eps in ["1/10", "1", "3"] {
        let report = of(RESPONSE, "", &[("eps", eps)], "answer", [true, false].map(Argument::Bool));
        is_rational_loss(&report, eps);
        // Equal up to all digits that are known.
        assert_eq!(verdict(&report), ClaimVerdict::Undecided);
        assert!(report.excess().unwrap().hi().abs() < Dyadic::pow2(-100));
        assert!(*report.delta().hi() < Dyadic::pow2(-100));
        assert_eq!(report.comparison.outputs(), 2);
    }
}

#[test]
fn wrong_randomized_response() {
    let report = of(RESPONSES, "too_honest", &[("eps", "1/2")], "answer", [true, false].map(Argument::Bool));
    is_rational_loss(&report, "1");
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    let report = of(RESPONSES, "two_coins", &[], "answer", [true, false].map(Argument::Bool));
    is_loss(&report, &ln_rational(&Rational::from(3), 100).unwrap());
    // Everything is rational, so the probabilities are points: 3/4 and 1/4.
    let weights = &report.comparison.witness().unwrap().weights;
    assert!(weights.iter().all(|weight| weight.lo() == weight.hi()));
}

#[test]
fn exponential_mechanism() {
    let scores = || [numbers(&[0, 0, 0]), numbers(&[1, 0, 0])];
    // P(0) is 1/3, and e^½/(e^½ + 2).
    let report = of(EXPONENTIAL, "exponential", &[("eps", "1")], "score", scores());
    let root = exp_rational(&rational("1/2"), 100).unwrap();
    let ratio =
        (&root * &Enclosure::exact(3.into())).div(&(&root + &Enclosure::exact(2.into())), 100).unwrap();
    is_loss(&report, &ratio.ln(100).unwrap());
    assert_eq!(verdict(&report), ClaimVerdict::Holds);
    // The worst case: one score rises, the others fall. The whole of ε is lost in the limit of large scores.
    let scores = || [numbers(&[30, 60, 60]), numbers(&[31, 59, 59])];
    let report = of(EXPONENTIAL, "exponential", &[("eps", "1")], "score", scores());
    assert_eq!(verdict(&report), ClaimVerdict::Holds);
    assert!(finite(&report).lo().cmp_rational(&rational("0.999999")).is_gt());
    let report = of(EXPONENTIAL, "not_halved", &[("eps", "1")], "score", scores());
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    assert_eq!(report.comparison.witness().unwrap().output, "0");
}

/// With its tails, the geometric mechanism loses exactly ε·d, on any grid.
#[test]
fn geometric_mechanism() {
    for (eps, k, [x, y], loss) in [
        ("1", "0", ["0", "1"], "1"),
        ("1/10", "0", ["5", "6"], "1/10"),
        ("1/3", "0", ["0", "7"], "7/3"),
        ("2", "-3", ["1/8", "1"], "7/4"),
        ("1", "2", ["0", "4"], "4"),
    ] {
        let values = [x, y].map(|value| Argument::Number(rational(value)));
        let report = of(GEOMETRIC, "geometric", &[("eps", eps), ("k", k)], "x", values);
        is_rational_loss(&report, loss);
        assert!(report.rest.iter().all(|rest| rest.hi().is_zero()));
        assert_eq!(report.unmet.is_empty(), (rational(x) - rational(y)).abs() <= Rational::ONE);
    }
    // On the grid of sixteenths, as the repository's own mechanism is written.
    let values = ["1/16", "1"].map(|value| Argument::Number(rational(value)));
    let report = of(GRID_LAPLACE, "", &[("eps", "1"), ("k", "-4")], "x", values);
    is_rational_loss(&report, "15/16");
    assert_eq!(verdict(&report), ClaimVerdict::Holds);
    let report = of(GEOMETRIC, "halved", &[("eps", "1/2")], "x", [3, 4].map(number));
    is_rational_loss(&report, "1");
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    // Inputs that do not lie on a common grid have no output in common.
    let values = ["0", "1/2"].map(|value| Argument::Number(rational(value)));
    let report = of(GEOMETRIC, "geometric", &[("eps", "1"), ("k", "0")], "x", values);
    assert_eq!(report.loss(), ExactLoss::Infinite);
    assert!(report.comparison.only()[0].contains(&Rational::ONE));
}

/// Clamping and rounding lose no more, and what is lost is still exact.
#[test]
fn geometric_mechanism_and_what_comes_after_it() {
    let report = of(GEOMETRIC, "clamped", &[("eps", "1"), ("B", "1000")], "x", [0, 1].map(number));
    is_rational_loss(&report, "1");
    assert_eq!(report.comparison.outputs(), 2001);
    for name in ["rounded", "rounded_to_even", "rounded_away"] {
        for grid in ["1", "2", "4", "1/2", "3/2"] {
            let given = [("eps", "1"), ("L", grid)];
            let report = of(GEOMETRIC, name, &given, "x", [0, 1].map(number));
            is_rational_loss(&report, "1");
            assert!(report.rest.iter().all(|rest| rest.hi().is_zero()), "{name} {grid}");
        }
    }
}

#[test]
fn histogram_and_its_broken_variant() {
    let counts = |left, right| inputs([("left", number(left)), ("right", number(right))]);
    let given = [("eps", "1/4")];
    let (base, neighbour, other) = (counts(3, 5), counts(3, 6), counts(4, 6));
    let report = try_audit(GEOMETRIC, "histogram", &given, [&base, &neighbour]).unwrap();
    sums_to_one(&report);
    is_rational_loss(&report, "1/4");
    assert_eq!(report.unmet, []);
    let report = try_audit(GEOMETRIC, "histogram", &given, [&base, &other]).unwrap();
    is_rational_loss(&report, "1/2");
    assert_eq!(
        report.unmet[0].clause,
        "adjacent |left(a<1>) - left(a<2>)| + |right(a<1>) - right(a<2>)| <= 1"
    );

    let report = of(GEOMETRIC, "same_noise", &given, "x", [numbers(&[3, 5]), numbers(&[3, 6])]);
    // Which outputs both inputs share is not known in the tails that were cut off.
    assert!(report.loss().exceeds(&rational("40")));
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
}

/// A scale need not be rational, as long as it is one number for both inputs.
#[test]
fn scales_that_are_not_rational() {
    let text = "mechanism thirds(x: int) -> grid claim pure ln(3) { z <$ dlap(1 / ln(3), 0); return x + z }";
    let report = of(text, "", &[], "x", [0, 1].map(number));
    is_loss(&report, &ln_rational(&Rational::from(3), 100).unwrap());
    // P(z) is 1/2·3^-|z|.
    let weight = &report.outcomes.iter().find(|outcome| outcome.output == "0").unwrap().weights[0];
    assert!(weight.contains(&rational("1/2")) && weight.width() < Dyadic::pow2(-100));
    // Here it is another one for every input; that √4 is rational and √5 is not changes nothing.
    let text = "mechanism roots(x: int) -> grid { z <$ dlap(sqrt(x), 0); return z }";
    for values in [[2, 3], [4, 5], [2, 2]] {
        let report = of(text, "", &[], "x", values.map(number));
        assert!(matches!(report.loss(), ExactLoss::AtLeast(_)), "{report:?}");
    }
}

/// A tail that was cut off and is clamped afterwards is known again.
#[test]
fn tails_that_are_clamped() {
    let text = "mechanism m(x: int) -> [grid] {
        a <$ dlap(1, 0);  b <$ dlap(1, 0);
        v := x + a;  c := if v > b { 1 } else { 0 };
        return [clamp(v, 3), c] }";
    let report = of(text, "", &[], "x", [0, 1].map(number));
    assert!(report.rest.iter().all(|rest| rest.hi().is_zero()));
    // The second element is made of the first and of noise: it tells nothing more.
    assert!(finite(&report).hi().cmp_rational(&rational("1.000001")).is_lt());
}

/// Where ratios go on changing in the tails, the loss is known from below, and what was cut off is said.
#[test]
fn tails_that_do_not_end() {
    let report = of(GEOMETRIC, "scaled", &[], "x", [1, 2].map(number));
    let ExactLoss::AtLeast(least) = report.loss() else { panic!("{report:?}") };
    assert!(least > Dyadic::from(10));
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    assert!(report.rest.iter().all(|rest| rest.hi().signum() > 0 && *rest.hi() < Dyadic::pow2(-60)));
}

/// P(i) = Σ_v P(q_i + z_i = v)·Π_{j<i} P(q_j + z_j < v)·Π_{j>i} P(q_j + z_j <= v), in floats.
fn noisy_max_by_formula(q: &[i64], eps: f64) -> Vec<f64> {
    let ratio = (-eps / 2.0).exp();
    let at = |z: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(z.unsigned_abs() as i32);
    let at_most = |z: i64| match z {
        0.. => 1.0 - ratio.powi(z as i32 + 1) / (1.0 + ratio),
        _ => ratio.powi(-z as i32) / (1.0 + ratio),
    };
    let wins = |i: usize, v: i64| {
        let others = q.iter().enumerate().filter(|(j, _)| *j != i);
        let lose = others.map(|(j, answer)| at_most(v - answer - i64::from(j < i)));
        at(v - q[i]) * lose.product::<f64>()
    };
    (0..q.len()).map(|i| (-400..400).map(|v| wins(i, v)).sum()).collect()
}

#[test]
fn noisy_max() {
    for (eps, first, second) in [
        ("1", vec![0, 0, 0], vec![1, 0, 0]),
        ("1/2", vec![3, 1, 0], vec![2, 2, 1]),
        ("1", vec![0, 1, 0, 1, 0], vec![1, 0, 1, 0, 1]),
        ("1", vec![0, 5, 5, 5, 5], vec![1, 4, 4, 4, 4]),
    ] {
        let n = first.len().to_string();
        let given = [("eps", eps), ("n", n.as_str())];
        let report = of(NOISY_MAX, "noisy_max", &given, "q", [numbers(&first), numbers(&second)]);
        assert_eq!(verdict(&report), ClaimVerdict::Holds);
        assert!(finite(&report).width() < Dyadic::pow2(-40));
        for (run, q) in [first, second].iter().enumerate() {
            let expected = noisy_max_by_formula(q, rational(eps).to_f64(Rounding::Nearest));
            for (outcome, expected) in report.outcomes.iter().zip(expected) {
                let found = float(outcome.weights[run].lo());
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
    // The value may be anything, and two shifted maxima have other tails: from below only.
    let report = of(
        NOISY_MAX,
        "noisy_max_value",
        &[("eps", "1"), ("n", "2")],
        "q",
        [numbers(&[0, 0]), numbers(&[1, 1])],
    );
    assert!(matches!(report.loss(), ExactLoss::AtLeast(_)));
}

#[test]
fn above_threshold_and_its_broken_variants() {
    let given = [("eps", "1"), ("n", "6")];
    let of = |name: &str, first: [i64; 6], second: [i64; 6]| {
        let report = of(ABOVE_THRESHOLD, name, &given, "q", [numbers(&first), numbers(&second)]);
        assert_eq!(report.unmet, []);
        report
    };
    let rising = ([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0]);
    let high = ([20; 6], [21; 6]);
    let mixed = ([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]);

    let report = of("above_threshold", rising.0, rising.1);
    assert_eq!(verdict(&report), ClaimVerdict::Holds);
    assert!(finite(&report).lo().cmp_rational(&rational("0.92")).is_gt());
    assert_eq!(verdict(&of("above_threshold", high.0, high.1)), ClaimVerdict::Holds);

    let report = of("no_query_noise", rising.0, rising.1);
    assert_eq!((report.loss(), verdict(&report)), (ExactLoss::Infinite, ClaimVerdict::Violated));
    assert_eq!(report.comparison.witness().unwrap().output, "5");

    // Six times ε/4: no answer is above.
    let report = of("no_threshold_noise", high.0, high.1);
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    is_rational_loss(&report, "3/2");
    assert_eq!(report.comparison.witness().unwrap().output, "6");

    let report = of("noisy_value", rising.0, rising.1);
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    assert!(report.loss().exceeds(&rational("1.49")));
    assert!(report.comparison.witness().unwrap().output.starts_with("[5, "));

    let report = of("all_answers", mixed.0, mixed.1);
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    assert_eq!(report.comparison.outputs(), 64);
}
