//! Variances, quantiles and numbers of values: what is printed, written and stored of them, and what is refused.

use serde_json::Value;

use super::{HEADER, Place};
use crate::common::{code, stderr, stdout};

const ASKED: &str = "release trips.csv --unit rider --by city --keys Bern,Biel --variance fare=0..100 --std fare=0..100 --median age=0,18,40,65 \
                     --quantile high:fare@0.9=0,10,50,100 --distinct paid=yes,no,later --max-groups 1 --max-rows 1";

/// A thousand units in Bern, of ages from 10 to 89 and with fares of 0 to 99; nobody in Biel.
fn place() -> Place {
    let place = Place::new();
    let row = |i: usize| format!("p{i},Bern,{},{},{}\n", i % 100, ["yes", "no"][i % 2], 10 + i % 80);
    place.put("trips.csv", format!("{HEADER}{}", (0..1000).map(row).collect::<String>()));
    place
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn large_groups_are_answered_well_and_empty_ones_with_what_is_known() {
    for privacy in ["--epsilon 50", "--rho 100", "--epsilon 50 --delta 1e-6"] {
        let answer = place().json(&format!("{ASKED} {privacy}"));
        let rows = &answer["rows"];
        let bern = &rows[0];
        for (name, exact) in [("variance_fare", 833.25), ("std_fare", 28.866)] {
            let ends = &bern[format!("{name}_interval")];
            assert!(number(&ends[0]) <= exact && exact <= number(&ends[1]), "{bern}");
            assert!((number(&bern[name]) - exact).abs() < 0.2 * exact, "{bern}");
        }
        assert_eq!((&bern["median_age"], &bern["median_age_interval"]), (&Value::from(40), &Value::Null));
        assert_eq!(bern["high"], 100);
        assert!(number(&bern["median_age_rank_error"]) < 20.0, "{bern}");
        assert!((number(&bern["distinct_paid"]) - 2.0).abs() <= 2.0, "{bern}");
        // Of no values, all candidates are the median.
        assert!([0, 18, 40, 65].map(Value::from).contains(&rows[1]["median_age"]), "{rows}");
        assert_eq!(rows[1]["variance_fare_interval"], serde_json::json!([0, 2500]));
        let query = &answer["queries"][3];
        assert_eq!((&query["kind"], &query["q"]), (&Value::from("quantile"), &Value::from("0.9")));
        assert_eq!(answer["queries"][4]["values"], 3);
        let mechanism = if privacy == "--epsilon 50" { "noisy-max" } else { "exponential" };
        assert_eq!(query["noise"][0]["mechanism"], mechanism);
    }
}

#[test]
fn all_forms_have_the_same_values() {
    let place = place();
    let output = place.run(&format!("{ASKED} --epsilon 50 --insecure-seed 1 --csv -"));
    let head = "city,variance_fare,variance_fare_low,variance_fare_high,std_fare,std_fare_low,std_fare_high,median_age,median_age_rank_error,high,\
                high_rank_error,distinct_paid,distinct_paid_low,distinct_paid_high";
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!((lines[0], lines.len()), (head, 3));
    let cells: Vec<&str> = lines[1].split(',').collect();
    let json = place.json(&format!("{ASKED} --epsilon 50 --insecure-seed 1"));
    let bern = &json["rows"][0];
    for (name, cell) in head.split(',').zip(&cells).filter(|(name, _)| bern.get(name).is_some()).skip(1) {
        let cell: f64 = cell.parse().expect("a number");
        assert_eq!(cell, number(&bern[name]), "{name}");
    }
    let text = place.run(&format!("{ASKED} --epsilon 50 --insecure-seed 1"));
    assert!(stdout(&text).contains(" (rank ± "), "{}", stdout(&text));
    let dry = place.run(&format!("{ASKED} --epsilon 50 --dry-run"));
    assert!(stdout(&dry).contains("noisy-max, scale"), "{}", stdout(&dry));
    assert!(stdout(&dry).contains(" ranks at 95%"), "{}", stdout(&dry));
    assert_eq!(code(&place.run(&format!("{ASKED} --epsilon 50 --insecure-seed 1 --parquet out.parquet"))), 0);
}

#[test]
fn a_ledger_keeps_choices_and_charges_them_for_each_group() {
    for (limit, privacy, loss) in [("--epsilon 3", "--epsilon 1", "1"), ("--rho 1", "--rho 1/8", "1/8")] {
        let place = place();
        let made = place.run(&format!("budget create kept.db --dataset d --unit rider {limit}"));
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        let asked = ASKED.replace("--max-groups 1", "--max-groups 2 --dataset d");
        let asked = format!("{asked} {privacy} --ledger kept.db --id first");
        let first = place.json(&asked);
        place.put("trips.csv", HEADER);
        let again = place.json(&asked);
        assert_eq!((&first["rows"], &again["ledger"]["again"]), (&again["rows"], &Value::Bool(true)));
        let parts = first["claim"]["parts"].as_array().expect("parts");
        let choices: Vec<&Value> = parts.iter().map(|part| &part["parameters"]["choices"]).collect();
        assert_eq!(choices.iter().filter(|choices| **choices == "2").count(), 2, "{parts:?}");
        assert_eq!(code(&place.run("budget verify kept.db")), 0);
        if privacy == "--epsilon 1" {
            assert_eq!(first["claim"]["loss"], loss);
        }
        // Other candidates are another plan.
        let other = place.run(&asked.replace("0,18,40,65", "0,18,40,66"));
        assert_eq!(code(&other), 2, "{}", stdout(&other));
        let other = place.run(&asked.replace("@0.9", "@0.8"));
        assert_eq!(code(&other), 2, "{}", stdout(&other));
    }
}

#[test]
fn what_must_be_public_is_asked_for() {
    let place = place();
    let spec = |query: &str| {
        format!(
            "[table]\npath = \"trips.csv\"\nunit = \"rider\"\n[bounds]\nrows = 1\n[privacy]\nepsilon = 1\n[[query]]\nname = \"q\"\n\
             column = \"fare\"\n{query}\n"
        )
    };
    for (query, words) in [
        ("kind = \"histogram\"", "edges that follow from the private rows would tell about them"),
        ("kind = \"median\"", "candidates that follow from the private rows would tell about them"),
        ("kind = \"distinct\"", "those that are taken from the data tell who is in it"),
        ("kind = \"variance\"", "without bounds on the values of a row"),
        ("kind = \"quantile\"\nedges = [0, 1]", "query q, q: is missing"),
        ("kind = \"quantile\"\nq = 1\nedges = [0, 1]", "must lie between 0 and 1"),
        ("kind = \"quantile\"\nq = 1e-10\nedges = [0, 1]", "a denominator of at most 1000000000"),
        ("kind = \"median\"\nq = 0.5\nedges = [0, 1]", "a median is the quantile at 1/2"),
        ("kind = \"median\"\nedges = [1]", "at least two edges"),
        ("kind = \"distinct\"\nvalues = [\"a\", \"a\"]", "key 2 is the same"),
        ("kind = \"distinct\"\nvalues = []", "nothing would be released"),
        ("kind = \"distinct\"\nvalues = \"trips.csv\"", "this is the table itself"),
        ("kind = \"sum\"\nbounds = [0, 1]\nvalues = [\"a\"]", "only the kind \"distinct\" has values"),
    ] {
        place.put("asked.toml", spec(query));
        let output = place.run("release asked.toml");
        assert_eq!(code(&output), 2, "{query}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{query}: {}", stderr(&output));
    }
    for asked in ["--median fare", "--quantile fare=0,1", "--quantile fare@x=0,1", "--std fare=1"] {
        let output = place.run(&format!("release trips.csv --unit row {asked} --epsilon 1"));
        assert_eq!(code(&output), 2, "{asked}");
        assert!(stderr(&output).contains("write it like --"), "{asked}: {}", stderr(&output));
    }
}
