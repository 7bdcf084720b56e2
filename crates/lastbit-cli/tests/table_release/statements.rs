//! What is claimed is what was asked, and the noise is what is claimed.

use serde_json::Value;

use super::{HEADER, Place, SPEC};
use crate::common::{code, stderr, stdout};

/// The loss of a claim, with what a dry run says and what the parts add to.
fn loss_of(place: &Place, spec: String) -> (Value, Value) {
    place.put("release.toml", spec);
    let planned = place.json("release release.toml --dry-run");
    let made = place.json("release release.toml");
    assert_eq!(planned["claim"], made["claim"]);
    (made["claim"]["loss"].clone(), made["claim"]["measure"].clone())
}

/// Fractions that no double is, shares of all kinds, means with two parts: the sum is what was asked, to the last digit.
#[test]
fn the_loss_is_the_one_that_was_asked_for() {
    let place = Place::new();
    for (asked, loss) in
        [("1", "1"), ("\"1/3\"", "1/3"), ("0.7", "7/10"), ("1e-9", "1/1000000000"), ("12", "12")]
    {
        for share in ["2", "\"1/7\"", "1000", "0.1"] {
            let spec = SPEC
                .replace("share = 2", &format!("share = {share}"))
                .replace("[0, 100]", "[0, 100]\ngrid = 0.01");
            for (name, measure) in [("epsilon", "max-divergence"), ("rho", "zero-concentrated-divergence")] {
                let found = loss_of(&place, spec.replace("epsilon = 1", &format!("{name} = {asked}")));
                assert_eq!(found, (loss.into(), measure.into()), "{name} = {asked}, share = {share}");
            }
        }
    }
    // What queries ask for themselves adds up, too.
    let each = SPEC
        .replace("[privacy]\nepsilon = 1\n", "")
        .replace("share = 2\n", "")
        .replace("[[query]]\n", "[[query]]\nepsilon = \"1/7\"\n");
    assert_eq!(loss_of(&place, each).0, "5/7");
}

/// Noise beyond 64 bits is made as any other, charged once, and shown again as it was.
#[test]
fn noise_beyond_64_bits() {
    let place = Place::with_ledger("--epsilon 3");
    place.put(
        "release.toml",
        SPEC.replace("epsilon = 1", "epsilon = 1e-9").replace("[0, 100]", "[0, 100]\ngrid = 1e-9"),
    );
    let [first, again] = [0, 1].map(|_| place.run("release release.toml --ledger ledger.db"));
    assert!(first.status.success(), "{}", stderr(&first));
    assert_eq!(stdout(&first), stdout(&again));
}

/// Losses about different units do not add, whatever their columns are called.
#[test]
fn units_have_names_of_their_own() {
    let place = Place::new();
    place.put("trips.csv", "row,and,a,b,a and b,city\n1,2,3,4,5,Bern\n");
    let name = |unit: &str| {
        let spec = format!(
            "[table]\npath = \"trips.csv\"\nunit = {unit}\n[bounds]\ngroups = 1\nrows = 1\n[privacy]\nepsilon = 1\n[[query]]\n\
             name = \"n\"\nkind = \"count\"\n"
        );
        place.put("release.toml", spec);
        place.json("release release.toml")["neighbours"].as_str().expect("a text").to_owned()
    };
    let names = ["\"row\"", "[\"row\"]", "[\"a\", \"b\"]", "\"a and b\"", "\"and\""].map(name);
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    assert_eq!(
        (names[0].as_str(), names[2].as_str()),
        ("one row added or removed", "one a and b added or removed")
    );
    let derived = |a: &str, b: &str| {
        let spec = format!(
            "[table]\npath = \"trips.csv\"\nunit = \"b\"\n[derive]\na = {a:?}\nb = {b:?}\n[bounds]\ngroups = 1\nrows = 1\n\
             [privacy]\nepsilon = 1\n[[query]]\nname = \"n\"\nkind = \"count\"\n"
        );
        place.put("release.toml", spec);
        place.json("release release.toml")["neighbours"].as_str().expect("a text").to_owned()
    };
    // What a unit is derived from may change, too.
    let names = [("lower(a)", "lower(a)"), ("lower(a)", "lower(b)"), ("lower(city)", "lower(a)")]
        .map(|(a, b)| derived(a, b));
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    assert!(!names.contains(&"one b added or removed".to_owned()));
}

/// The same plan is another release if the table comes from standard input: it is charged under a name only.
#[test]
fn standard_input_needs_an_id() {
    let place = Place::with_ledger("--epsilon 3");
    let head = place.head();
    let arguments = "release - --unit row --count n --epsilon 1 --dataset trips --ledger ledger.db";
    let output = place.run(arguments);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("give the release an id (--id)"), "{}", stderr(&output));
    assert_eq!(place.head(), head);
}

/// An (ε, δ) is what was asked for, and the ρ of the claim is within it.
#[test]
fn epsilon_and_delta() {
    let place = Place::new();
    place.put("release.toml", SPEC.replace("epsilon = 1", "epsilon = 1\ndelta = 1e-6"));
    let answer = place.json("release release.toml");
    assert_eq!(answer["approximate"]["epsilon"]["exact"], "1");
    assert_eq!(answer["approximate"]["delta"]["exact"], "1/1000000");
    let place_of_claim = place.put("claim.json", answer.to_string());
    let account = place.json(&format!("account {} --epsilon 1", place_of_claim.display()));
    let delta = account["results"][0]["delta"]["exact"]["upper"].as_str().expect("a bound");
    let delta: lastbit_real::Rational = delta.parse().expect("a number");
    assert!(delta <= "1e-6".parse().expect("a number"), "{delta}");
}

/// The accountant reads what a release prints.
#[test]
fn the_accountant_takes_releases() {
    let place = Place::new();
    for (privacy, name, sum) in
        [("epsilon = 0.7", "pure", "7/10"), ("rho = \"1/8\"", "zero_concentrated", "1/8")]
    {
        place.put("release.toml", SPEC.replace("epsilon = 1", privacy));
        let output = place.run("release release.toml --json");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        place.put("released.json", stdout(&output));
        let account = place.json("account released.json --delta 1e-6");
        assert_eq!(account[name]["exact"], sum, "{account}");
        assert!(account["results"][0]["epsilon"]["exact"]["upper"].is_string(), "{account}");
    }
}

/// Noise from a seed claims nothing, and says so.
#[test]
fn a_seed_has_no_claim() {
    let place = Place::new();
    let answer = place.json("release release.toml --insecure-seed 1");
    assert_eq!((&answer["insecure"], &answer["claim"]["loss"]), (&true.into(), &Value::Null));
    let output = place.run("release release.toml --insecure-seed 1");
    assert!(stderr(&output).starts_with("warning: --insecure-seed"), "{}", stderr(&output));
    assert!(stderr(&output).contains("claim: none, the loss is infinite"));
}

const GROUPS: usize = 5000;

/// The noise of so many empty groups.
fn noise(privacy: &str) -> (Vec<i64>, Value) {
    let place = Place::new();
    place.put("trips.csv", HEADER);
    place.put("cities.txt", (0..GROUPS).map(|i| format!("city {i:04}\n")).collect::<String>());
    place.put(
        "release.toml",
        format!(
            "[table]\npath = \"trips.csv\"\nunit = \"rider\"\n[bounds]\ngroups = 2\nrows = 3\n[by]\ncolumns = \"city\"\n\
             keys = \"cities.txt\"\n[privacy]\n{privacy}\n[[query]]\nname = \"n\"\nkind = \"count\"\n"
        ),
    );
    let answer = place.json("release release.toml --insecure-seed 7");
    let rows = answer["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), GROUPS);
    (
        rows.iter().map(|row| row["n"].as_i64().expect("an integer")).collect(),
        answer["queries"][0]["noise"][0].clone(),
    )
}

/// A unit counts three times in each of two groups: 6 in all. At ε = 2 the scale is 3.
#[test]
fn counts_have_the_noise_that_the_claim_says() {
    let (values, told) = noise("epsilon = 2");
    assert_eq!((&told["mechanism"], &told["scale"]["exact"]), (&"discrete-laplace".into(), &"3".into()));
    assert_eq!(&values[..12], GOLDEN_LAPLACE, "the noise of seed 7");
    let q = (-1.0f64 / 3.0).exp();
    let share =
        |distance: i64| values.iter().filter(|value| value.abs() == distance).count() as f64 / GROUPS as f64;
    // P(Z = z) = (1 - q)/(1 + q)·q^|z|; the standard deviation of a share is below 0.007.
    for distance in 0..8 {
        let expected = (1.0 - q) / (1.0 + q) * q.powi(distance) * if distance == 0 { 1.0 } else { 2.0 };
        assert!(
            (share(distance.into()) - expected).abs() < 0.025,
            "{distance}: {} for {expected}",
            share(distance.into())
        );
    }
    let mean = values.iter().sum::<i64>() as f64 / GROUPS as f64;
    assert!(mean.abs() < 0.25, "{mean}");
}

/// √2 groups times 3: the distance is √18, and at ρ = 1/4 the variance is 18/(2ρ) = 36.
#[test]
fn and_gaussian_noise_too() {
    let (values, told) = noise("rho = 0.25");
    assert_eq!(told["mechanism"], "discrete-gaussian");
    assert_eq!(&values[..12], GOLDEN_GAUSSIAN, "the noise of seed 7");
    let variance = values.iter().map(|value| (value * value) as f64).sum::<f64>() / GROUPS as f64;
    assert!((variance - 36.0).abs() < 3.0, "{variance}");
    let beyond = values.iter().filter(|value| value.abs() > 12).count() as f64 / GROUPS as f64;
    assert!((beyond - 0.0371).abs() < 0.012, "{beyond}");
}

const GOLDEN_LAPLACE: &[i64] = &[2, 0, 0, -3, 1, -1, -1, 3, 0, 3, 13, -8];
const GOLDEN_GAUSSIAN: &[i64] = &[0, 3, -1, 0, 1, 4, 2, 16, 1, 1, 7, -1];

/// The page for the person who signs has the numbers of the plan and of the ledger, and its command verifies the ledger.
#[test]
fn a_page_for_the_person_who_signs() {
    let place = Place::with_ledger("--epsilon 3");
    place.put("release.toml", SPEC);
    let output = place.run("release release.toml --ledger ledger.db --id first --statement -");
    let page = stdout(&output);
    for said in [
        "A table with 3 groups, by city.",
        "fares   the sum of fare; values below 0 count as 0, and values above 100 as 100",
        "ages    the number of rows by age, in bins between 0, 18, 65, 120",
        "paid = 'yes' or paid is null",
        "at most 2 groups, with at most 3 rows in each",
        // Two groups, three rows of at most 100 each; the distances of a mean are half as long.
        "  fares                            at most 600\n",
        "  fare, distances from the centre  at most 300\n",
        "guess right at most\n73.11% of the time",
        "so far cost ε = 1 together; ε = 2 is left",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // To exchange a unit's rows is to take it out and to put another one in: twice the loss.
    assert!(
        page.replace('\n', " ")
            .contains("which of two things its rows say. Then they guess right at most 88.08% of the time"),
        "{page}"
    );
    let command = page.lines().find_map(|line| line.strip_prefix("  lastbit ")).expect("a command");
    assert_eq!(code(&place.run(command)), 0, "{command}");
    assert_eq!(code(&place.run(&command.replace("--head 4", "--head 3"))), 1);
    // Asked again, it is the same page, and nothing is charged; as HTML it says the same.
    let again = place.run("release release.toml --ledger ledger.db --id first --statement -");
    assert_eq!(stdout(&again), page);
    assert_eq!(
        code(&place.run("release release.toml --ledger ledger.db --id first --statement page.html")),
        0
    );
    let html = std::fs::read_to_string(place.path().join("page.html")).expect("a page");
    for said in ["<!DOCTYPE html>", "right at most 73.11% of the time", "paid = 'yes' or paid is null"] {
        assert!(html.contains(said), "{said}: {html}");
    }
    // A second release adds up; noise that anyone can take away claims nothing.
    let second = place.run("release release.toml --ledger ledger.db --id second --statement -");
    assert!(stdout(&second).contains("cost ε = 2 together") && stdout(&second).contains("88.08%"));
    let insecure = place.run("release release.toml --insecure-seed 1 --statement -");
    assert!(stdout(&insecure).replace('\n', " ").contains("this table must not be published"));
    // What an analyst's releases cost is told apart from those of others, and what is left is left for all.
    let ann = "release release.toml --ledger ledger.db --id second --analyst ann --statement -";
    assert_eq!(code(&place.run(ann)), 2, "the same id for another analyst");
    let third = place.run(&ann.replace("second", "third"));
    let (page, said) =
        (stdout(&third).replace('\n', " "), "from trips so far for ann cost ε = 1 together; ε = 0 is left");
    assert!(page.contains(said), "{page}{}", stderr(&third));
    // It replaces no file that the release needs.
    let refused = place.run("release release.toml --ledger ledger.db --id fourth --statement ledger.db");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("would be overwritten"));
}

/// What a query may be off settles what it costs, from a spec and from options, and the release is as close as that.
#[test]
fn accuracy_comes_first() {
    let place = Place::new();
    let options = "release trips.csv --unit rider --by city --keys Bern,Biel --count trips --sum fare=0..100 --max-groups 2 --max-rows 3";
    let planned = place.json(&format!("{options} --within trips=20 --within fare=900@0.5 --dry-run"));
    let most: Vec<f64> = planned["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["at_most"]["decimal"].as_str().expect("a number").parse().expect("a number"))
        .collect();
    assert!(most[0] <= 20.0 && most[0] > 18.0, "{planned}");
    let loss = |i: usize| {
        planned["plan"]["queries"][i]["loss"].as_str().expect("a loss").parse::<f64>().expect("a number")
    };
    assert_eq!(
        planned["claim"]["loss_f64"].as_f64().map(|all| (all - loss(0) - loss(1)).abs() < 1e-9),
        Some(true)
    );
    // Six rows; 95% of the noise within 20 takes a scale of 7, 50% within 900 for sums of up to 600 one of 1300.
    assert!(loss(0) > 0.8 && loss(0) < 1.0 && loss(1) > 0.4 && loss(1) < 0.5, "{planned}");
    let spec = SPEC.replace("kind = \"count\"\n", "kind = \"count\"\nwithin = 100\nconfidence = 0.9\n");
    place.put("release.toml", spec);
    let made = place.json("release release.toml --confidence 0.9");
    assert_eq!(made["claim"]["loss"], "1");
    let ends = &made["rows"][0]["trips_interval"];
    let width = ends[1].as_i64().expect("an end") - ends[0].as_i64().expect("an end");
    assert!(width <= 200 && width > 190, "{ends}");
    for refused in
        ["--within trips", "--within trip=20", "--within trips=20 --within trips=30", "--within trips=20@1"]
    {
        let output = place.run(&format!("{options} --epsilon 1 {refused} --dry-run"));
        assert_eq!(code(&output), 2, "{refused}");
        assert!(stderr(&output).contains("within"), "{}", stderr(&output));
    }
}
