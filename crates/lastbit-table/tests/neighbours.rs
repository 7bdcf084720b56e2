//! Neighbouring tables where units and groups are derived, of several columns, and of other types than text: no unit moves more than is claimed.

use lastbit_real::Rational;
use lastbit_table::{Aggregates, Batch, Column, Options, Plan, aggregate};
use proptest::prelude::*;

use super::parse;

const SPEC: &str = r#"
filter = "x is null or not (x = 4) or name = 'ANN'"
[table]
path = "-"
unit = ["who", "house"]
[derive]
who = "lower(name)"
year = "year(day)"
small = "x / 8 - 3"
[bounds]
groups = 2
rows = 2
[by]
columns = ["year", "kind"]
keys = [["1970", "-1"], ["1970", "0"], ["1971", "0"], ["1971", "0.5"]]
[privacy]
rho = 1
[[query]]
name = "rows"
kind = "count"
[[query]]
name = "units"
kind = "count-units"
[[query]]
name = "above"
kind = "sum"
column = "x"
bounds = [3, 7.5]
grid = "1/6"
[[query]]
name = "below"
kind = "sum"
column = "small"
bounds = [-9, -2]
grid = "1/7"
[[query]]
name = "mean"
kind = "mean"
column = "x"
bounds = [-3, 4]
grid = 1
[[query]]
name = "variance"
kind = "variance"
column = "small"
bounds = [-4, 1]
grid = "1/7"
[[query]]
name = "std"
kind = "std"
column = "x"
bounds = [-3, 4]
[[query]]
name = "median"
kind = "median"
column = "x"
edges = [-3, 0.1, 4, 7.5]
[[query]]
name = "high"
kind = "quantile"
q = "2/3"
column = "small"
edges = [-4, "-37/16", 0]
[[query]]
name = "years"
kind = "distinct"
column = "year"
values = [1969, 1970, 1971]
[[query]]
name = "numbers"
kind = "distinct"
column = "x"
values = ["4", "7.5", "0.1", "-3"]
[[query]]
name = "bins"
kind = "histogram"
column = "x"
edges = [-3, 4, 7.5]
"#;

const NAMES: [Option<&str>; 6] = [Some("Ann"), Some("ANN"), Some("ann"), Some("ann "), Some("bob"), None];
const HOUSES: [Option<f64>; 6] = [Some(0.0), Some(-0.0), Some(1.0), Some(1e22), Some(f64::NAN), None];
const DAYS: [Option<i32>; 4] = [Some(0), Some(364), Some(365), None];
const KINDS: [Option<f64>; 5] = [Some(-1.0), Some(-0.0), Some(0.5), Some(0.25), None];
const NUMBERS: [Option<f64>; 11] = [
    Some(-1e300),
    Some(-3.0),
    Some(-2.5),
    Some(0.1),
    Some(3.4),
    Some(4.0),
    Some(7.5),
    Some(7.6),
    Some(1e300),
    Some(f64::INFINITY),
    None,
];

/// The places of a row's cells in the lists above.
type Row = (usize, usize, usize, usize, usize);

fn table(plan: &Plan, rows: &[Row]) -> Aggregates {
    let mut batch = Batch::new(rows.len());
    for name in plan.columns() {
        let pushed = match name.as_str() {
            "name" => batch.push_text(rows.iter().map(|row| NAMES[row.0].map(str::as_bytes))),
            "house" => batch.push(Column::Float(rows.iter().map(|row| HOUSES[row.1]).collect())),
            "day" => batch.push(Column::Date(rows.iter().map(|row| DAYS[row.2]).collect())),
            "kind" => batch.push(Column::Float(rows.iter().map(|row| KINDS[row.3]).collect())),
            _ => batch.push(Column::Float(rows.iter().map(|row| NUMBERS[row.4]).collect())),
        };
        pushed.unwrap();
    }
    aggregate(plan, &mut [Ok(batch)].into_iter(), &Options::default()).unwrap().aggregates
}

/// The unit of a row as a person would tell it, and not as the kernel does.
fn unit(row: &Row) -> Option<(String, u64)> {
    let house = HOUSES[row.1].filter(|house| house.is_finite())? + 0.0;
    Some((NAMES[row.0]?.to_lowercase(), house.to_bits()))
}

proptest! {
    #[test]
    fn no_unit_moves_more_than_is_claimed(
        rows in proptest::collection::vec((0..NAMES.len(), 0..HOUSES.len(), 0..DAYS.len(), 0..KINDS.len(), 0..NUMBERS.len()), 1..60)
    ) {
        let plan = parse(SPEC, "spec.toml".as_ref()).plan().unwrap();
        let whole = table(&plan, &rows);
        let mut units: Vec<_> = rows.iter().map(unit).collect();
        units.sort();
        units.dedup();
        for left_out in units {
            let others: Vec<Row> = rows.iter().filter(|row| unit(row) != left_out).copied().collect();
            let others = table(&plan, &others);
            for component in plan.queries().iter().flat_map(|query| &query.components) {
                let (mut l1, mut l2_squared, mut groups) = (Rational::ZERO, Rational::ZERO, 0);
                for key in 0..plan.keys().len() {
                    groups += u64::from(whole.integers(component, key) != others.integers(component, key));
                    for (one, other) in whole.integers(component, key).iter().zip(others.integers(component, key)) {
                        let moved = Rational::from(one - other).abs();
                        l2_squared = l2_squared + moved.pow(2);
                        prop_assert!(moved <= component.sensitivity.largest, "{}", component.role);
                        l1 = l1 + moved;
                    }
                }
                prop_assert!(l1 <= component.sensitivity.l1 && l2_squared <= component.sensitivity.l2_squared, "{}", component.role);
                prop_assert!(groups <= component.sensitivity.groups, "{}", component.role);
                // Rows without a unit do not count at all.
                prop_assert!(left_out.is_some() || l1.is_zero());
            }
        }
    }
}
