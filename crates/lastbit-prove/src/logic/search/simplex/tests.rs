//! Every answer is held against the rows themselves.

use super::{Farkas, Feasibility, Optimum, Relation, Row};
use lastbit_lang::watch::{Limits, Watch};
use lastbit_real::Rational;
use proptest::prelude::*;

use Relation::{NonNegative, Positive, Zero};

fn row(coefficients: &[i64], constant: i64, relation: Relation) -> Row {
    let coefficients = coefficients.iter().map(|&a| Rational::from(a)).enumerate();
    let coefficients = coefficients.filter(|(_, a)| !a.is_zero()).collect();
    Row { coefficients, constant: constant.into(), relation }
}

fn feasible(variables: usize, rows: &[Row]) -> Feasibility {
    super::feasible(variables, rows, &Watch::default()).expect("there are no limits")
}

fn minimise(variables: usize, rows: &[Row], objective: &[(usize, Rational)]) -> Optimum {
    super::minimise(variables, rows, objective, &Watch::default()).expect("there are no limits")
}

fn value(row: &Row, point: &[Rational]) -> Rational {
    row.coefficients.iter().map(|(j, a)| a * &point[*j]).sum::<Rational>() + &row.constant
}

fn holds(row: &Row, point: &[Rational]) -> bool {
    let value = value(row, point);
    match row.relation {
        NonNegative => !value.is_negative(),
        Positive => value.is_positive(),
        Zero => value.is_zero(),
    }
}

/// The definition of a certificate.
fn refutes(farkas: &Farkas, variables: usize, rows: &[Row]) -> bool {
    let mut sum = vec![Rational::ZERO; variables];
    let mut constant = Rational::ZERO;
    let mut strict = false;
    for (i, multiplier) in &farkas.multipliers {
        if multiplier.is_zero() || multiplier.is_negative() && rows[*i].relation != Zero {
            return false;
        }
        strict |= rows[*i].relation == Positive;
        for (j, a) in &rows[*i].coefficients {
            sum[*j] = &sum[*j] + multiplier * a;
        }
        constant = constant + multiplier * &rows[*i].constant;
    }
    sum.iter().all(Rational::is_zero) && (constant.is_negative() || constant.is_zero() && strict)
}

/// Checks whichever answer comes, and says whether it was a point.
fn decide(variables: usize, rows: &[Row]) -> bool {
    match feasible(variables, rows) {
        Feasibility::Feasible(point) => {
            assert!(rows.iter().all(|row| holds(row, &point)), "{point:?} in {rows:?}");
            true
        }
        Feasibility::Infeasible(farkas) => {
            assert!(refutes(&farkas, variables, rows), "{farkas:?} of {rows:?}");
            for left_out in &farkas.multipliers {
                let kept = farkas.multipliers.iter().filter(|kept| *kept != left_out);
                let kept: Vec<Row> = kept.map(|(i, _)| rows[*i].clone()).collect();
                assert!(
                    matches!(feasible(variables, &kept), Feasibility::Feasible(_)),
                    "{farkas:?} of {rows:?}"
                );
            }
            false
        }
    }
}

#[test]
fn three_rows_that_add_up_to_a_negative_number() {
    // x >= 1, y >= x, 1/2 - y > 0 has no solution: the three rows add up to -1/2.
    let rows = [row(&[1, 0], -1, NonNegative), row(&[-1, 1], 0, NonNegative), {
        Row { constant: "1/2".parse().expect("a number"), ..row(&[0, -1], 0, Positive) }
    }];
    let Feasibility::Infeasible(farkas) = feasible(2, &rows) else { panic!("no point satisfies the rows") };
    let one = Rational::ONE;
    assert_eq!(farkas.multipliers, [(0, one.clone()), (1, one.clone()), (2, one)]);
    assert_eq!(feasible(2, &rows[..2]), Feasibility::Feasible(vec![Rational::ONE, Rational::ONE]));
}

#[test]
fn strictness_matters_at_the_boundary() {
    let x = |a, relation| row(&[a], 0, relation);
    assert!(!decide(1, &[x(1, NonNegative), x(-1, Positive)]));
    assert!(!decide(1, &[x(1, Positive), x(-1, NonNegative)]));
    assert!(!decide(1, &[x(1, Positive), x(1, Zero)]));
    assert!(decide(1, &[x(1, NonNegative), x(-1, NonNegative)]));
    assert!(decide(1, &[x(1, Positive)]));
    assert!(decide(1, &[x(1, Positive), row(&[-1], 1, Positive)]));
}

#[test]
fn a_system_may_be_empty_or_constant() {
    assert_eq!(feasible(2, &[]), Feasibility::Feasible(vec![Rational::ZERO; 2]));
    assert!(decide(0, &[]));
    for (constant, relation, expected) in [
        (-1, NonNegative, false),
        (0, NonNegative, true),
        (0, Positive, false),
        (1, Positive, true),
        (1, Zero, false),
        (-1, Zero, false),
        (0, Zero, true),
    ] {
        assert_eq!(decide(1, &[row(&[0], constant, relation)]), expected);
        assert_eq!(decide(0, &[row(&[], constant, relation)]), expected);
    }
}

#[test]
fn equations_contradict_in_either_direction() {
    // x + y = 1, x - y = 3 give (2, -1); 2x = 5 does not fit.
    let rows = [row(&[1, 1], -1, Zero), row(&[1, -1], -3, Zero), row(&[2, 0], -5, Zero)];
    assert_eq!(feasible(2, &rows[..2]), Feasibility::Feasible(vec![2.into(), (-1).into()]));
    assert!(!decide(2, &rows));
    let rows = [row(&[1, 1], -1, Zero), row(&[1, 1], 1, Zero)];
    assert!(!decide(2, &rows));
    assert!(!decide(2, &[rows[1].clone(), rows[0].clone()]));
}

#[test]
fn points_are_simple() {
    // Where x and y are positive and x + y < 4, a person would say (1, 1).
    let rows = [row(&[1, 0], 0, Positive), row(&[0, 1], 0, Positive), row(&[-1, -1], 4, Positive)];
    assert_eq!(feasible(2, &rows), Feasibility::Feasible(vec![1.into(), 1.into()]));
}

/// Beale's example, on which the steepest rule cycles when ties go to the first row.
#[test]
fn beale_does_not_cycle() {
    let number = |text: &str| text.parse::<Rational>().expect("a number");
    let line = |texts: [&str; 4]| texts.iter().map(|text| number(text)).enumerate().collect::<Vec<_>>();
    let sign = |j| Row { coefficients: vec![(j, Rational::ONE)], constant: 0.into(), relation: NonNegative };
    let mut rows: Vec<Row> = (0..4).map(sign).collect();
    for (coefficients, constant) in
        [(["-1/4", "60", "1/25", "-9"], 0), (["-1/2", "90", "1/50", "-3"], 0), (["0", "0", "-1", "0"], 1)]
    {
        rows.push(Row { coefficients: line(coefficients), constant: constant.into(), relation: NonNegative });
    }
    let objective = line(["-3/4", "150", "-1/50", "6"]);
    let Optimum::At(point, least) = minimise(4, &rows, &objective) else { panic!("it has an optimum") };
    assert_eq!(least, number("-1/20"));
    assert_eq!(point, [number("1/25"), 0.into(), 1.into(), 0.into()]);
}

/// Klee and Minty's cube, `n` dimensions with `2^n` vertices: maximise `Σ 2^(n-j) x_j`; the optimum is `5^n`.
#[test]
fn klee_and_mintys_cube_is_climbed() {
    for n in 1..=8usize {
        let mut rows: Vec<Row> = Vec::new();
        for i in 0..n {
            let mut cut: Vec<i64> = (0..i).map(|j| -(1 << (i - j + 1))).collect();
            cut.push(-1);
            rows.push(row(&cut, 5i64.pow(i as u32 + 1), NonNegative));
            rows.push(Row { coefficients: vec![(i, 1.into())], constant: 0.into(), relation: NonNegative });
        }
        let objective: Vec<_> = (0..n).map(|j| (j, Rational::from(-(1i64 << (n - 1 - j))))).collect();
        let Optimum::At(point, least) = minimise(n, &rows, &objective) else { panic!("it has an optimum") };
        assert_eq!(least, Rational::from(-5i64.pow(n as u32)));
        assert!(rows.iter().all(|row| holds(row, &point)));
    }
}

#[test]
fn when_the_watch_is_over_there_is_no_answer() {
    let rows = cycle(30, -1);
    let over = Watch::start(&Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() });
    assert_eq!(super::feasible(30, &rows, &over), None);
    assert_eq!(super::minimise(30, &rows, &[(0, Rational::ONE)], &over), None);
    assert!(!decide(30, &rows));
}

#[test]
fn an_optimum_may_be_at_infinity() {
    let rows = [row(&[1, 0], 0, NonNegative)];
    let least = |objective: &[(usize, Rational)]| minimise(2, &rows, objective);
    assert_eq!(least(&[(0, 1.into())]), Optimum::At(vec![0.into(), 0.into()], 0.into()));
    assert_eq!(least(&[(0, (-1).into())]), Optimum::Unbounded);
    assert_eq!(least(&[(1, 1.into())]), Optimum::Unbounded);
    let rows = [row(&[1], 0, NonNegative), row(&[-1], -1, NonNegative)];
    assert!(matches!(minimise(1, &rows, &[]), Optimum::Infeasible(farkas) if refutes(&farkas, 1, &rows)));
}

#[test]
fn entries_may_outgrow_words() {
    // x_0 = 2^40, x_{j+1} = 2^40 x_j: the last one is 2^400, and 2^400 - 1 >= x_9 is absurd.
    let big = Rational::pow2(40);
    let mut rows = vec![row(&[1], 0, Zero)];
    rows[0].constant = -&big;
    for j in 0..9 {
        let coefficients = vec![(j + 1, Rational::ONE), (j, -&big)];
        rows.push(Row { coefficients, constant: 0.into(), relation: Zero });
    }
    let Feasibility::Feasible(point) = feasible(10, &rows) else { panic!("a chain of equations") };
    assert_eq!(point[9], Rational::pow2(400));
    let constant = Rational::pow2(400) - Rational::ONE;
    rows.push(Row { coefficients: vec![(9, -Rational::ONE)], constant, relation: NonNegative });
    assert!(!decide(10, &rows));
}

/// A walk around `n` places, each step at least 1 and the whole at most `slack` more than 0.
fn cycle(n: usize, slack: i64) -> Vec<Row> {
    let step = |j: usize| vec![((j + 1) % n, Rational::ONE), (j, -Rational::ONE)];
    let climb = |j: usize| Row { coefficients: step(j), constant: (-1).into(), relation: NonNegative };
    let mut rows: Vec<Row> = (0..n).map(climb).collect();
    rows[n - 1].constant = (n as i64 - 1 + slack).into();
    rows
}

#[test]
fn large_sparse_systems_are_quick() {
    assert!(decide(300, &cycle(300, 0)));
    let Feasibility::Infeasible(farkas) = feasible(300, &cycle(300, -1)) else {
        panic!("it goes up for ever")
    };
    assert_eq!(farkas.multipliers.len(), 300);
    assert!(refutes(&farkas, 300, &cycle(300, -1)));
}

fn any_relation() -> impl Strategy<Value = Relation> {
    prop_oneof![4 => Just(NonNegative), 2 => Just(Positive), 1 => Just(Zero)]
}

fn any_system() -> impl Strategy<Value = (usize, Vec<Row>)> {
    (1usize..7).prop_flat_map(|variables| {
        let coefficients =
            prop::collection::vec(prop_oneof![2 => Just(0i64), 3 => -2i64..=2, 1 => -50i64..=50], variables);
        let row = (coefficients, -4i64..=4, any_relation()).prop_map(|(a, c, relation)| row(&a, c, relation));
        (Just(variables), prop::collection::vec(row, 0..14))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_answer_is_certified((variables, rows) in any_system()) {
        decide(variables, &rows);
    }

    /// An optimum is one: no row system with a better value is feasible, and its dual side is a certificate of that.
    #[test]
    fn nothing_is_better_than_the_optimum((variables, rows) in any_system(), costs in prop::collection::vec(-3i64..=3, 7)) {
        let rows: Vec<Row> = rows.into_iter().filter(|row| row.relation != Positive).collect();
        let objective: Vec<_> = (0..variables).map(|j| (j, Rational::from(costs[j]))).collect();
        let below = |bound: Rational| {
            let coefficients = objective.iter().map(|(j, a)| (*j, -a)).collect();
            let mut rows = rows.clone();
            rows.push(Row { coefficients, constant: bound, relation: Positive });
            rows
        };
        match minimise(variables, &rows, &objective) {
            Optimum::At(point, least) => {
                prop_assert!(rows.iter().all(|row| holds(row, &point)));
                let reached: Rational = objective.iter().map(|(j, a)| a * &point[*j]).sum();
                prop_assert_eq!(&reached, &least);
                prop_assert!(!decide(variables, &below(least)));
            }
            Optimum::Unbounded => prop_assert!(decide(variables, &below((-1_000_000).into()))),
            Optimum::Infeasible(farkas) => prop_assert!(refutes(&farkas, variables, &rows)),
        }
    }
}
