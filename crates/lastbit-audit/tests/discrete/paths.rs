//! Audits against the enumeration of all paths.

use std::collections::BTreeMap;

use lastbit_lang::check;
use proptest::prelude::*;

use super::*;

/// The audit against the enumeration of all paths.
fn agrees_with_all_paths(text: &str, environments: [BTreeMap<String, naive::Value>; 2], given: [Inputs; 2]) {
    let (file, messages) = parse(text);
    assert_eq!((messages, check(&file)), (vec![], vec![]), "{text}");
    let declaration = &file.declarations[0];
    let [first, second] = &given;
    let report = audit(&file, declaration, &Parameters::new(), [first, second], &Options::default()).unwrap();
    sums_to_one(&report);
    for (run, environment) in environments.iter().enumerate() {
        let outputs = naive::outputs(&file, declaration, environment);
        let mut known = 0.0;
        for outcome in &report.outcomes {
            if outcome.output == "any other" {
                continue;
            }
            let matching = outputs.values().filter(|(value, _)| naive::is_in(value, &outcome.output));
            let expected: f64 = matching.map(|(_, probability)| probability).sum();
            known += expected;
            let weight = &outcome.weights[run];
            let (lo, hi) = (float(weight.lo()), float(weight.hi()));
            let what =
                || format!("{}: {expected} is not in [{lo}, {hi}]\n{text}\n{report:?}", outcome.output);
            assert!(lo - 1e-9 <= expected && expected <= hi + 1e-9, "{}", what());
            // And not because the audit knows nothing.
            assert!(hi - lo < 1e-9, "{}", what());
        }
        // Outputs that are no outcome come of what is cut off.
        let total: f64 = outputs.values().map(|(_, probability)| probability).sum();
        assert!(total - known < 1e-9, "{}\n{text}\n{report:?}", total - known);
    }
}

#[test]
fn all_paths_of_known_programs() {
    for text in [
        "mechanism max(q: int[3]) -> int {
           best := 0;  z0 <$ dlap(1, 0);  top := q[0] + z0;
           for i in 1..3 { z <$ dlap(1, 0);  v := q[i] + z;  if v > top { best := i;  top := v } }
           return best }",
        "mechanism above(q: int[3]) -> int {
           rho <$ dlap(1, 0);
           for i in 0..3 { nu <$ dlap(1, 0);  if q[i] + nu >= rho { return i } if i = 1 { return 7 } }
           return 3 }",
        "mechanism nested(q: int[3]) -> [int] {
           var count: int[2];  count := [0, 0];
           for i in 0..3 { for j in 0..2 { c <$ bernoulli(1 / (2 + i + j));
             if c & q[i] > j { count[j] := count[j] + 1 } } }
           k <$ choose(1, 1 + count[0]);
           return [count[k], k] }",
        "mechanism even(q: int[3]) -> [real] {
           y <$ dlap(1, 0);  z <$ dlap(1, 0);
           return [round(q[0] + y, 2, even), round(q[1] - z, 2, even)] }",
        "mechanism away(q: int[3]) -> [real] {
           y <$ dlap(1, 0);  z <$ dlap(1, 0);
           return [round(q[0] + y, 2, away), round(q[1] + 0.5 - z, 1, away)] }",
    ] {
        let values = [[0, 1, 2], [1, 1, 1]];
        let environments = values.map(|q| {
            let list = q.iter().map(|value| naive::Value::Number(*value as f64)).collect();
            BTreeMap::from([("q".to_owned(), naive::Value::List(list))])
        });
        agrees_with_all_paths(text, environments, values.map(|q| inputs([("q", numbers(&q))])));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn all_paths_of_random_programs(choices in prop::collection::vec(any::<u8>(), 0..120)) {
        let text = generate::program(&choices);
        let environment = |x: f64, b: bool| {
            BTreeMap::from([("x".to_owned(), naive::Value::Number(x)), ("b".to_owned(), naive::Value::Bool(b))])
        };
        let given = |x: &str, b: bool| inputs([("x", Argument::Number(rational(x))), ("b", Argument::Bool(b))]);
        agrees_with_all_paths(
            &text,
            [environment(0.5, true), environment(2.0, false)],
            [given("1/2", true), given("2", false)],
        );
    }
}
