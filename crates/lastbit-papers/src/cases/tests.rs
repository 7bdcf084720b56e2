use lastbit_audit::ExponentialSum;
use lastbit_audit::decimal::settled;
use lastbit_real::Rounding;
use proptest::prelude::*;

use super::*;

fn cases(epsilon: &str, grid: &str, bound: &str, inputs: [&str; 2]) -> CaseTable {
    let [epsilon, grid, bound, f, f2] =
        [epsilon, grid, bound, inputs[0], inputs[1]].map(|text| text.parse().unwrap());
    table(epsilon, grid, bound, [f, f2]).unwrap()
}

fn row(table: &CaseTable, case: Case) -> &CaseRow {
    table.rows.iter().find(|row| row.case == case).unwrap()
}

fn four_digits(enclose: impl FnMut(u32) -> lastbit_real::Enclosure) -> String {
    settled(enclose, |value| value.to_decimal(4, Rounding::Nearest))
}

/// An input beyond `b + Λ/2`: the papers have 0.824 for what is 0.697.
#[test]
fn inputs_that_round_to_the_end() {
    let table = cases("1", "1", "2", ["2", "1"]);
    let end = row(&table, Case::UpperEnd);
    let p = &end.values.as_ref().unwrap().probabilities[0];
    assert_eq!(four_digits(|bits| p.enclose_to(bits)), "0.6967");
    let note = end.note.as_ref().unwrap().to_string();
    assert_eq!(note, "the papers' formula gives P[f] = 0.824; it forgets that f > b+Λ/2");
    // The same at the other end, for both inputs.
    let mirrored = cases("1", "1", "2", ["-2", "-7/4"]);
    let end = row(&mirrored, Case::LowerEnd);
    assert_eq!(&end.values.as_ref().unwrap().probabilities[0], p);
    let note = end.note.as_ref().unwrap().to_string();
    let expected =
        "the papers' formula gives P[f] = 0.824, P[f'] = 0.642; it forgets that f < -b-Λ/2, f' < -b-Λ/2";
    assert_eq!(note, expected);
    for case in [Case::AtF, Case::AtF2] {
        assert_eq!(row(&mirrored, case).empty.as_deref(), Some("it is {-B}"));
    }
    // At a tie both formulas agree.
    assert_eq!(row(&cases("1", "1", "2", ["3/2", "0"]), Case::UpperEnd).note, None);
}

/// Both inputs in one cell: the papers have 0.970 for what is 1.051.
#[test]
fn inputs_in_one_cell() {
    for (inputs, truth, papers) in [(["0", "1"], "1.051", "0.9695"), (["1", "0"], "0.9516", "1.031")] {
        let table = cases("1/4", "4", "8", inputs);
        let cell = row(&table, Case::AtF);
        let values = cell.values.as_ref().unwrap();
        assert_eq!(four_digits(|bits| values.ratio(bits)), truth);
        assert_eq!(four_digits(|bits| cell.note.as_ref().unwrap().papers_ratio(bits).unwrap()), papers);
        assert_eq!(row(&table, Case::AtF2).empty, Some(format!("it is {}", cell.event)));
    }
    assert_eq!(row(&cases("1/4", "4", "8", ["1", "1"]), Case::AtF).note, None);
}

/// A paper has `(1/e, e)` for what is `e^-1.85`.
#[test]
fn between_the_cells_the_ratio_may_exceed_e() {
    let table = cases("3.7", "1/2", "8", ["-1/4", "3/4"]);
    let between = row(&table, Case::Between);
    assert_eq!(between.values.as_ref().unwrap().exact_ln_ratio, Some("-1.85".parse().unwrap()));
    assert_eq!(between.note, Some(Note::BeyondE));
    assert_eq!(between.formula.as_ref().unwrap().ratio.to_string(), "e^(ε(-t-t'))");
}

#[test]
fn many_outputs_are_no_more_work() {
    let table = cases("1/1000", "1/1000000", "1000", ["-1", "2"]);
    let below = row(&table, Case::Below).values.as_ref().unwrap();
    assert_eq!(below.count, IBig::from(998_999_999));
    assert_eq!(below.exact_ln_ratio, Rational::new(3, 1000));
    assert_sums(&table);
}

#[test]
fn parameters_are_checked() {
    let [zero, one] = [Rational::ZERO, Rational::ONE];
    let inputs = || [zero.clone(), one.clone()];
    assert_eq!(table(zero.clone(), one.clone(), one.clone(), inputs()).unwrap_err().name, "epsilon");
    assert_eq!(table(one.clone(), zero.clone(), one.clone(), inputs()).unwrap_err().name, "grid");
    assert_eq!(table(one.clone(), one.clone(), Rational::pow2(19), inputs()).unwrap_err().name, "bound");
}

#[test]
fn formulas_alone() {
    let table = symbolic();
    let ratios: Vec<String> =
        table.rows.iter().map(|row| row.formula.as_ref().unwrap().ratio.to_string()).collect();
    let expected = [
        "e^(ε(f'-f))",
        "e^(ε(f'-f))",
        "(2 - e^(ε(t-Λ/2)) - e^(ε(-t-Λ/2))) / (e^(ε(⌊f⌉+Λ/2-f')) - e^(ε(⌊f⌉-f'-Λ/2)))",
        "e^(ε(-t-t'))",
        "(e^(ε(f+Λ/2-⌊f'⌉)) - e^(ε(f-⌊f'⌉-Λ/2))) / (2 - e^(ε(t'-Λ/2)) - e^(ε(-t'-Λ/2)))",
        "e^(ε(f-f'))",
        "e^(ε(f-f'))",
        "(2 - e^(ε(t-Λ/2)) - e^(ε(-t-Λ/2))) / (2 - e^(ε(t'-Λ/2)) - e^(ε(-t'-Λ/2)))",
        "(2 - e^(ε(f+b+Λ/2))) / e^(ε(-f'-b-Λ/2))",
        "(2 - e^(ε(f+b+Λ/2))) / (2 - e^(ε(f'+b+Λ/2)))",
        "e^(ε(f-b-Λ/2)) / (2 - e^(ε(b+Λ/2-f')))",
        "(2 - e^(ε(b+Λ/2-f))) / (2 - e^(ε(b+Λ/2-f')))",
    ];
    assert_eq!(ratios, expected);
    assert!(table.rows.iter().all(|row| row.values.is_none() && row.note.is_none()));
}

/// The cases of both inputs have probability 1 together.
fn assert_sums(table: &CaseTable) {
    for i in 0..2 {
        let values = table.rows.iter().filter_map(|row| row.values.as_ref());
        let sum: ExponentialSum = values.map(|values| &values.probabilities[i]).sum();
        assert_eq!(sum, ExponentialSum::from(Rational::ONE));
    }
}

/// A number of `from..to` in steps of `1/steps`.
fn fraction(from: i64, to: i64, steps: i64) -> impl Strategy<Value = Rational> {
    (from * steps..to * steps).prop_map(move |n| Rational::new(n, steps).unwrap())
}

fn parameters() -> impl Strategy<Value = CaseTable> {
    let steps = || prop_oneof![fraction(-6, 6, 1), fraction(-6, 6, 2), fraction(-6, 6, 7)];
    let positive = |from, steps| fraction(0, from, steps).prop_map(|x| x + Rational::new(1, 6).unwrap());
    (positive(4, 5), positive(4, 6), positive(5, 6), steps(), steps())
        .prop_map(|(epsilon, grid, bound, f, f2)| table(epsilon, grid, bound, [f, f2]).unwrap())
}

proptest! {
    /// The cases are a partition, their formulas are worth what the mechanism gives, and the loss is what is claimed.
    #[test]
    fn formulas_have_their_values(table in parameters()) {
        assert_sums(&table);
        let pair = table.pair.as_ref().unwrap();
        let (epsilon, symbols) = (pair.mechanism.epsilon(), pair.symbols());
        for row in &table.rows {
            prop_assert_eq!(row.empty.is_some(), row.formula.is_none());
            let (Some(formula), Some(values)) = (&row.formula, &row.values) else { continue };
            for (formula, exact) in formula.probabilities.iter().zip(&values.probabilities) {
                prop_assert_eq!(&formula.value(epsilon, &symbols), exact);
            }
            prop_assert!(formula.ratio_defect(&values.probabilities, epsilon, &symbols).is_zero());
            prop_assert!(values.within, "{} of {table:?}", row.event);
            let [lo, hi] = [-pair.claimed(), pair.claimed()];
            let ln = values.ln_ratio(100);
            prop_assert!(ln.hi().cmp_rational(&lo).is_ge() && ln.lo().cmp_rational(&hi).is_le());
        }
    }

    /// The blanks: `P[f]·(1 + e^(εΛ/2)) = 2e^(ε|f-f'|)·P[f']`, and the same with `f` and `f'` exchanged.
    #[test]
    fn blanks_are_filled(
        epsilon in fraction(0, 4, 5), grid in fraction(0, 4, 6), cells in (-5i64..5, -5i64..5), off in fraction(-1, 1, 7),
    ) {
        let (epsilon, grid) = (epsilon + Rational::pow2(-3), grid + Rational::pow2(-3));
        let half = Rational::pow2(-1);
        prop_assume!(cells.0 != cells.1);
        // The first input lies on the grid, the second anywhere in its cell.
        let f = Rational::from(cells.0) * &grid;
        let f2 = (Rational::from(cells.1) + off * &half) * &grid;
        let distance = &epsilon * (&f - &f2).abs();
        let bound = &grid * Rational::from(9);
        let closed = &ExponentialSum::from(Rational::ONE)
            + &ExponentialSum::term(Rational::ONE, &epsilon * &grid * &half);
        for own in [0, 1] {
            let inputs = if own == 0 { [f.clone(), f2.clone()] } else { [f2.clone(), f.clone()] };
            let table = table(epsilon.clone(), grid.clone(), bound.clone(), inputs).unwrap();
            let event = ["{⌊f⌉}", "{⌊f'⌉}"][own];
            let row = table.rows.iter().find(|row| row.event == event).unwrap();
            prop_assert_eq!(&row.note, &Some(Note::LeftBlank(own)));
            let p = &row.values.as_ref().unwrap().probabilities;
            let right = ExponentialSum::term(Rational::from(2), distance.clone());
            prop_assert_eq!(&p[own] * &closed, &p[1 - own] * &right);
        }
    }

    /// A smaller claim is refused: the loss is `ε|f - f'|` at an end that lies on one side of both inputs.
    #[test]
    fn a_smaller_claim_is_noticed(table in parameters()) {
        let pair = table.pair.as_ref().unwrap();
        let tight = table.rows.iter().filter_map(|row| row.values.as_ref())
            .filter(|values| values.exact_ln_ratio.as_ref().is_some_and(|ln| ln.abs() == pair.claimed()));
        for values in tight.filter(|_| pair.claimed().is_positive()) {
            let less = pair.claimed() - Rational::pow2(-300);
            let again = Values::new(values.outputs.clone(), values.count.clone(), values.probabilities.clone(), &less);
            prop_assert!(!again.within);
        }
    }
}
