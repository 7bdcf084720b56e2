//! Neighbouring tables: what a plan claims is what its integers do, and broken kernels are caught.

use std::collections::BTreeSet;
use std::num::NonZero;

use lastbit_real::Rational;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::bound::Bounding;
use super::{Options, run};
use crate::code::Code;
use crate::{Aggregates, Batch, Component, Plan, Sensitivity, Spec};

/// A kernel that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutant {
    /// One group more than may count.
    OneGroupMore,
    /// Counts and sums as they are.
    NoClip,
    /// Distances from 0, and not from the centre.
    NotCentred,
    /// Groups are chosen among those of all units of a partition.
    AcrossUnits,
    /// All units keep the same groups.
    HashWithoutUnit,
    /// Units keep the groups that come first.
    FirstCome,
}

/// A unit, a group and a value, as bytes of cells.
type Row = (Vec<u8>, Vec<u8>, Vec<u8>);

/// A spec and a table.
#[derive(Debug, Clone)]
struct Case {
    spec: String,
    rows: Vec<Row>,
}

const GROUPS: [&str; 8] = ["g0", "g1", "g2", "g3", "g4", "g5", "elsewhere", ""];
const VALUES: [&str; 18] = [
    "0",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "",
    "1e300",
    "-1e300",
    "0.125",
    "-0.125",
    "3.3",
    "-7.7",
    "12",
    "12.25",
    "abc",
    "1e-300",
    "99999999999999999999",
    "0.49999999999999994",
];

/// Names of units: some look alike, some are null or no text, and some share a partition.
fn units() -> Vec<Vec<u8>> {
    let odd = [
        "a",
        "a ",
        "A",
        "7",
        "007",
        "",
        "é",
        "123456789",
        "0123456789",
        "a name of more than seven bytes",
        "a name of more than seven byteZ",
    ];
    let mut units: Vec<Vec<u8>> = odd.iter().map(|unit| unit.as_bytes().to_vec()).collect();
    units.push(b"\xff".to_vec());
    let together =
        (0..).map(|index| format!("u{index}").into_bytes()).filter(|unit| Code::of(unit).partition() == 0);
    units.extend(together.take(3));
    units
}

fn cases() -> impl Strategy<Value = Case> {
    let unit = prop_oneof![4 => proptest::sample::select(units()[12..].to_vec()), 1 => proptest::sample::select(units())];
    let row = (unit, proptest::sample::select(GROUPS.to_vec()), proptest::sample::select(VALUES.to_vec()));
    let row =
        row.prop_map(|(unit, group, value)| (unit, group.as_bytes().to_vec(), value.as_bytes().to_vec()));
    let rows = proptest::collection::vec(row, 1..40);
    (rows, 1u64..4, 1u64..4, -40i64..40, 1i64..60, any::<bool>()).prop_map(
        |(rows, groups, most, low, width, by_row)| {
            let (unit, bounds) = match by_row {
                true => ("row", String::new()),
                false => ("unit", format!("groups = {groups}\nrows = {most}")),
            };
            let (low, high) = (low as f64 / 4.0, (low + width) as f64 / 4.0);
            let spec = format!(
                r#"
            [table]
            path = "-"
            unit = "{unit}"
            [bounds]
            {bounds}
            [by]
            columns = "group"
            keys = ["g0", "g1", "g2", "g3", "g4", "g5"]
            [privacy]
            epsilon = 1
            [[query]]
            name = "rows"
            kind = "count"
            [[query]]
            name = "units"
            kind = "count-units"
            [[query]]
            name = "sum"
            kind = "sum"
            column = "value"
            bounds = [{low:?}, {high:?}]
            grid = 0.25
            [[query]]
            name = "mean"
            kind = "mean"
            column = "value"
            bounds = [{low:?}, {high:?}]
            grid = 0.25
            [[query]]
            name = "variance"
            kind = "variance"
            column = "value"
            bounds = [{low:?}, {high:?}]
            grid = 0.25
            [[query]]
            name = "deviation"
            kind = "std"
            column = "value"
            bounds = [{low:?}, {high:?}]
            [[query]]
            name = "distinct"
            kind = "distinct"
            column = "value"
            values = ["0", "12", "3.3", "abc", "elsewhere"]
            [[query]]
            name = "median"
            kind = "median"
            column = "value"
            edges = [-10, 0, "1/3", 12]
            [[query]]
            name = "lower"
            kind = "quantile"
            q = 0.125
            column = "value"
            edges = [0, 3.3]
            [[query]]
            name = "upper"
            kind = "quantile"
            q = 0.9
            column = "value"
            edges = [-7.7, -0.125, 0, 0.125, 12]
            [[query]]
            name = "bins"
            kind = "histogram"
            column = "value"
            edges = [-10, 0, "1/3", 12, 12.25]
            "#
            );
            Case { spec, rows }
        },
    )
}

impl Case {
    fn plan(&self) -> Plan {
        Spec::parse(&self.spec, "spec.toml".as_ref()).unwrap().plan().unwrap()
    }
}

fn batch(plan: &Plan, rows: &[Row]) -> Batch {
    let mut batch = Batch::new(rows.len());
    for name in plan.columns() {
        let cell = |row: &'_ Row| match name.as_str() {
            "unit" => row.0.clone(),
            "group" => row.1.clone(),
            _ => row.2.clone(),
        };
        let cells: Vec<Vec<u8>> = rows.iter().map(cell).collect();
        batch.push_text(cells.iter().map(|cell| Some(cell.as_slice()))).unwrap();
    }
    batch
}

fn aggregates(plan: &Plan, rows: &[Row], mutant: Option<Mutant>) -> Aggregates {
    let mut bounding = Bounding::of(plan);
    bounding.mutant = mutant;
    let options = Options { threads: NonZero::new(1), ..Options::default() };
    let mut source = [Ok(batch(plan, rows))].into_iter();
    run(plan, &mut source, &options, bounding).unwrap().aggregates
}

/// How far the integers of a component move: the sums of absolute values and of squares, the largest of them, and in how many groups.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moved {
    l1: Rational,
    l2_squared: Rational,
    largest: Rational,
    groups: u64,
}

impl Moved {
    fn claimed(component: &Component) -> Moved {
        let Sensitivity { l1, l2_squared, largest, groups } = component.sensitivity.clone();
        Moved { l1, l2_squared, largest, groups }
    }

    fn is_within(&self, other: &Moved) -> bool {
        self.l1 <= other.l1
            && self.l2_squared <= other.l2_squared
            && self.largest <= other.largest
            && self.groups <= other.groups
    }
}

fn distance(plan: &Plan, query: usize, component: usize, one: &Aggregates, other: &Aggregates) -> Moved {
    let component = &plan.queries()[query].components[component];
    let mut moved =
        Moved { l1: Rational::ZERO, l2_squared: Rational::ZERO, largest: Rational::ZERO, groups: 0 };
    for key in 0..plan.keys().len() {
        let (one, other) = (one.integers(component, key), other.integers(component, key));
        moved.groups += u64::from(one != other);
        for (a, b) in one.iter().zip(other) {
            let difference = Rational::from(a - b).abs();
            moved.l2_squared = moved.l2_squared + &difference * &difference;
            moved.l1 = moved.l1 + &difference;
            moved.largest = moved.largest.max(difference);
        }
    }
    moved
}

/// The queries whose claims do not hold between this table and its neighbours.
fn violations(case: &Case, mutant: Option<Mutant>) -> Vec<String> {
    let plan = case.plan();
    let whole = aggregates(&plan, &case.rows, mutant);
    let neighbours: Vec<Vec<Row>> = if plan.unit_is_row() {
        (0..case.rows.len())
            .map(|left_out| [&case.rows[..left_out], &case.rows[left_out + 1..]].concat())
            .collect()
    } else {
        let mut units: Vec<&Vec<u8>> = case.rows.iter().map(|row| &row.0).collect();
        units.sort();
        units.dedup();
        let without = |unit: &Vec<u8>| case.rows.iter().filter(|row| row.0 != *unit).cloned().collect();
        units.into_iter().map(without).collect()
    };
    let mut found = Vec::new();
    for rows in neighbours {
        let other = aggregates(&plan, &rows, mutant);
        for (index, query) in plan.queries().iter().enumerate() {
            for (part, component) in query.components.iter().enumerate() {
                let moved = distance(&plan, index, part, &whole, &other);
                if !moved.is_within(&Moved::claimed(component)) {
                    found.push(format!("{} {}", query.name, component.role));
                }
            }
        }
    }
    found
}

/// Whether the order of the rows makes a difference.
fn depends_on_order(case: &Case, mutant: Option<Mutant>) -> bool {
    let plan = case.plan();
    let mut backwards = case.rows.clone();
    backwards.reverse();
    let mut turned = case.rows.clone();
    turned.rotate_left(case.rows.len() / 2);
    let digest = aggregates(&plan, &case.rows, mutant).digest();
    [backwards, turned].iter().any(|rows| aggregates(&plan, rows, mutant).digest() != digest)
}

/// In how many of some hundred cases something is true.
fn cases_where(mut holds: impl FnMut(&Case) -> bool) -> usize {
    let mut runner = TestRunner::deterministic();
    let strategy = cases();
    (0..300).filter(|_| holds(&strategy.new_tree(&mut runner).unwrap().current())).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn neighbours_move_integers_by_at_most_the_claim(case in cases()) {
        prop_assert_eq!(violations(&case, None), Vec::<String>::new());
        prop_assert!(!depends_on_order(&case, None));
    }

    #[test]
    fn threads_batches_and_memory_make_no_difference(case in cases(), threads in 1usize..5, size in 1usize..9, memory in 0usize..200) {
        let plan = case.plan();
        let expected = aggregates(&plan, &case.rows, None).digest();
        let options = Options { memory, threads: NonZero::new(threads), progress: None };
        let mut batches = case.rows.chunks(size).map(|rows| Ok(batch(&plan, rows)));
        let outcome = crate::aggregate(&plan, &mut batches, &options).unwrap();
        prop_assert_eq!(outcome.aggregates.digest(), expected);
    }
}

#[test]
fn broken_kernels_are_caught() {
    for mutant in [Mutant::OneGroupMore, Mutant::NoClip, Mutant::NotCentred, Mutant::AcrossUnits] {
        let mut by = BTreeSet::new();
        let caught = cases_where(|case| {
            let found = violations(case, Some(mutant));
            by.extend(found.iter().cloned());
            !found.is_empty()
        });
        assert!(caught > 20, "{mutant:?} was caught in {caught} of 300 tables");
        let plan = cases().new_tree(&mut TestRunner::deterministic()).unwrap().current().plan();
        for query in plan.queries() {
            // One row is one unit whatever is clipped, and only distances have a centre.
            let is_blind = match mutant {
                Mutant::NoClip => query.name == "units",
                Mutant::NotCentred => !query.components.iter().any(|part| part.role.contains("distances")),
                _ => false,
            };
            let is_caught = by.iter().any(|found| found.starts_with(&query.name));
            assert!(is_caught != is_blind, "{mutant:?} by {}: {by:?}", query.name);
        }
    }
    let caught = cases_where(|case| depends_on_order(case, Some(Mutant::FirstCome)));
    assert!(caught > 20, "FirstCome was caught in {caught} of 300 tables");
}

/// How many units keep each group, if all of them are in all groups and may keep one.
fn kept_by_group(mutant: Option<Mutant>) -> Vec<i128> {
    const UNITS: usize = 3000;
    let spec = r#"
        [table]
        path = "-"
        unit = "unit"
        [bounds]
        groups = 1
        [by]
        columns = "group"
        keys = ["g0", "g1", "g2", "g3", "g4", "g5"]
        [privacy]
        epsilon = 1
        [[query]]
        name = "units"
        kind = "count-units"
    "#;
    let rows = (0..6 * UNITS)
        .map(|index| (format!("{}", index / 6).into(), GROUPS[index % 6].into(), Vec::new()))
        .collect();
    let case = Case { spec: spec.to_owned(), rows };
    let plan = case.plan();
    let aggregates = aggregates(&plan, &case.rows, mutant);
    (0..6).map(|key| aggregates.integers(&plan.queries()[0].components[0], key)[0]).collect()
}

#[test]
fn no_group_is_kept_less_often_than_another() {
    // 500 of 3000 are expected; 100 off is five standard deviations.
    let fair = |kept: &[i128]| {
        kept.iter().all(|&units| (units - 500).abs() < 100) && kept.iter().sum::<i128>() == 3000
    };
    assert!(fair(&kept_by_group(None)));
    assert!(!fair(&kept_by_group(Some(Mutant::HashWithoutUnit))));
}

#[test]
fn claims_are_reached() {
    let mut bounded_units = 0;
    cases_where(|case| {
        let plan = case.plan();
        bounded_units += usize::from(!plan.unit_is_row());
        let empty = aggregates(&plan, &[], None);
        // One unit with all the rows that may count, in all the groups that it may count in: at one of the bounds, or all in one bin.
        let groups = plan.groups() as usize;
        let row = |index: usize, value: &str| (b"u".to_vec(), GROUPS[index % groups].into(), value.into());
        // Or each row with a value of its own.
        let table = |values: &[&str; 3]| {
            let rows = 0..groups * plan.rows() as usize;
            rows.map(|index| row(index, values[index / groups])).collect::<Vec<Row>>()
        };
        let tables = [["-1e300"; 3], ["1e300"; 3], ["0"; 3], ["0", "12", "abc"]].each_ref().map(table);
        for (index, query) in plan.queries().iter().enumerate() {
            for (part, component) in query.components.iter().enumerate() {
                let moved = tables
                    .iter()
                    .map(|rows| distance(&plan, index, part, &aggregates(&plan, rows, None), &empty))
                    .max();
                assert_eq!(moved, Some(Moved::claimed(component)), "{} {}", query.name, component.role);
            }
        }
        true
    });
    assert!(bounded_units > 50);
}

/// Choices lose by how far scores move apart: twice as far as one of them moves, where one rises as far as another one falls.
#[test]
fn scores_move_apart_as_far_as_is_claimed() {
    for (q, value) in [("0.25", "0.5"), ("0.5", "0.5"), ("0.5", "2.5"), ("0.9", "2.5")] {
        let spec = format!(
            "[table]\npath = \"-\"\nunit = \"unit\"\n[bounds]\nrows = 3\n[privacy]\nepsilon = 1\n[[query]]\nname = \"q\"\n\
             kind = \"quantile\"\nq = {q}\ncolumn = \"value\"\nedges = [0, 1, 2, 3]\n"
        );
        let case = Case { spec, rows: Vec::new() };
        let plan = case.plan();
        let row = |unit: usize, value: &str| (format!("u{unit}").into_bytes(), b"".to_vec(), value.into());
        // Many rows between the candidates 1 and 2, and one unit more below or above both.
        let mut rows: Vec<Row> = (0..100).map(|unit| row(unit, "1.5")).collect();
        let before = aggregates(&plan, &rows, None);
        rows.extend((0..5).map(|_| row(100, value)));
        let after = aggregates(&plan, &rows, None);
        let component = &plan.queries()[0].components[0];
        let moved = before.integers(component, 0).iter().zip(after.integers(component, 0));
        let moved: Vec<i128> = moved.map(|(before, after)| after - before).collect();
        let range = moved.iter().max().unwrap() - moved.iter().min().unwrap();
        assert_eq!(
            Rational::from(range),
            &component.sensitivity.largest * Rational::from(2),
            "{q}: {moved:?}"
        );
    }
}

#[test]
fn rows_without_a_unit_are_not_one_unit() {
    let mut case = cases().new_tree(&mut TestRunner::deterministic()).unwrap().current();
    case.spec = case.spec.replace(
        "unit = \"row\"\n            [bounds]",
        "unit = \"unit\"\n            [bounds]\n            groups = 2\n            rows = 2",
    );
    let plan = case.plan();
    let row = |unit: &[u8]| (unit.to_vec(), b"g0".to_vec(), b"1".to_vec());
    let none = aggregates(&plan, &[], None).digest();
    assert_eq!(aggregates(&plan, &[row(b""), row(b""), row(b"\xff")], None).digest(), none);
    assert_ne!(aggregates(&plan, &[row(b"a")], None).digest(), none);
}
