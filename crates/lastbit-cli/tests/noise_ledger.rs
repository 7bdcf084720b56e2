//! Noise that is charged to a ledger: before it is drawn, once for an id, for the same unit as table releases.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{assert_refused, code, folder, lastbit, output, put, stderr, stdout};

const LAPLACE: &str = "noise laplace --epsilon 1 --sensitivity 1 --unit rider --ledger l.db --dataset trips";

fn place() -> TempDir {
    let folder = folder();
    put(&folder, "values.txt", "10\n20.5\n-3\n");
    put(&folder, "more.txt", "1\n");
    run(folder.path(), "budget create l.db --dataset trips --unit rider --epsilon 3");
    folder
}

fn run(place: &Path, arguments: &str) -> std::process::Output {
    output(lastbit(arguments).current_dir(place))
}

fn budget(place: &Path) -> Value {
    let shown = run(place, "budget show l.db --json");
    serde_json::from_str(stdout(&shown)).expect("JSON")
}

#[test]
fn an_id_is_charged_once_and_shows_the_same_values() {
    let folder = place();
    let place = folder.path();
    let first = run(place, &format!("{LAPLACE} --id a values.txt"));
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    assert_eq!(stdout(&first).lines().count(), 3);
    let lines: Vec<&str> = stderr(&first).lines().collect();
    assert!(
        lines[0].starts_with("claim: laplace scale=1")
            && lines[1].starts_with("ledger l.db: a charged, ε = 2 left"),
        "{lines:?}"
    );
    let before = budget(place);
    assert_eq!(
        (&before["budgets"][0]["charges"], &before["budgets"][0]["spent"]["exact"]),
        (&1.into(), &"1".into())
    );

    let again = run(place, &format!("{LAPLACE} --id a values.txt"));
    assert_eq!((code(&again), stdout(&again)), (0, stdout(&first)));
    assert!(stderr(&again).contains("a shown again at no charge"), "{}", stderr(&again));
    // Other values under the same name: what was released stays released.
    put(&folder, "values.txt", "1000\n2000\n3000\n");
    let other = run(place, &format!("{LAPLACE} --id a values.txt --json"));
    let told: Value = serde_json::from_str(stdout(&other)).expect("JSON");
    let values: Vec<String> =
        told["values"].as_array().expect("values").iter().map(ToString::to_string).collect();
    let numbers =
        |texts: Vec<String>| texts.iter().map(|text| text.parse().expect("a number")).collect::<Vec<f64>>();
    assert_eq!(numbers(values), numbers(stdout(&first).lines().map(str::to_owned).collect()));
    let head = format!("{}:{}", before["head"]["entry"], before["head"]["hash"].as_str().expect("a hash"));
    assert_eq!((&told["ledger"]["again"], &told["ledger"]["head"]), (&true.into(), &head.into()));
    assert_eq!(budget(place), before, "asked again, it costs nothing");
    // Under another name it is another release.
    let next = run(place, &format!("{LAPLACE} --id b values.txt"));
    assert_ne!(stdout(&next), stdout(&first));
    assert_eq!(budget(place)["budgets"][0]["left"]["exact"], "1");
    assert_eq!(code(&run(place, "budget verify l.db")), 0);
}

/// All types of results come back as they were, to the bit.
#[test]
fn values_of_all_types() {
    let folder = place();
    let place = folder.path();
    put(&folder, "i.txt", "9007199254740993\n-5\n");
    let common = "--unit rider --ledger l.db --dataset trips --sensitivity 1";
    for (id, arguments) in [
        ("a", "laplace --epsilon 1/100 values.txt --hex"),
        ("b", "laplace --epsilon 1/100 values.txt --hex --input f32"),
        ("c", "laplace --epsilon 1/100 i.txt --input i64"),
        ("d", "discrete-laplace --epsilon 1/100 i.txt"),
        ("e", "grid-laplace --epsilon 1/100 --k=-3 --max-changed 1 values.txt"),
        ("f", "snapping --epsilon 1/100 --bound 1000 values.txt --hex"),
    ] {
        let arguments = format!("noise {arguments} {common} --id {id}");
        let (first, again) = (run(place, &arguments), run(place, &arguments));
        assert_eq!(code(&first), 0, "{arguments}: {}", stderr(&first));
        assert!(stdout(&first).lines().count() > 1);
        assert_eq!(stdout(&first), stdout(&again), "{arguments}");
    }
    // Zero-concentrated losses do not fit into a limit in ε.
    let gaussian = run(place, &format!("noise gaussian --rho 1/8 values.txt {common} --id g"));
    assert_refused(&gaussian, "gaussian");
    run(place, "budget create l.db --dataset zero --rho 1");
    let gaussian = format!("noise gaussian --rho 1/8 values.txt {} --id g", common.replace("trips", "zero"));
    assert_eq!(code(&run(place, &gaussian)), 0);
}

#[test]
fn what_is_refused_is_not_charged() {
    let folder = place();
    let place = folder.path();
    assert_eq!(code(&run(place, &format!("{LAPLACE} --id a values.txt"))), 0);
    put(&folder, "bad.txt", "1\nx\n");
    put(&folder, "none.txt", "");
    put(&folder, "many.txt", "1\n".repeat((1 << 20) + 1));
    let before = budget(place);
    let other_unit = LAPLACE.replace("--unit rider", "--unit city");
    let no_unit = LAPLACE.replace("--unit rider", "");
    for (arguments, words) in [
        (format!("{LAPLACE} values.txt"), "--id"),
        (format!("{} --id x values.txt", LAPLACE.replace("--dataset trips", "")), "--dataset"),
        (format!("{no_unit} --id x values.txt"), "--unit NAME"),
        (format!("{other_unit} --id x values.txt"), "one city added or removed"),
        (format!("{} --id x values.txt", LAPLACE.replace("trips", "trops")), "trops"),
        (format!("{} --id x values.txt", LAPLACE.replace("l.db", "m.db")), "m.db"),
        (format!("{} --id x values.txt", LAPLACE.replace("--epsilon 1", "--epsilon 2.5")), "only 2 is left"),
        (format!("{LAPLACE} --id x --insecure-seed 1 values.txt"), "--insecure-seed"),
        (format!("{LAPLACE} --id x --explain"), "--explain"),
        ("noise laplace --epsilon 1 --sensitivity 1 --id x values.txt".to_owned(), "--ledger"),
        (format!("{LAPLACE} --id x bad.txt"), "line 2 of bad.txt"),
        (format!("{LAPLACE} --id x none.txt"), "no numbers"),
        (format!("{LAPLACE} --id x many.txt"), "more values than a ledger keeps of one release, 1048576"),
        // The id is taken by another release.
        (format!("{LAPLACE} --id a more.txt"), "id a was used"),
        (format!("{LAPLACE} --id a --column 1 --no-header values.txt"), "id a was used"),
        (format!("{LAPLACE} --id a --input f32 values.txt"), "id a was used"),
        (
            format!("{} --id a values.txt", LAPLACE.replace("--sensitivity 1", "--sensitivity 2")),
            "id a was used",
        ),
        (format!("{} --id a values.txt", LAPLACE.replace("--epsilon 1", "--epsilon 1/2")), "id a was used"),
        (format!("{LAPLACE} --id a --analyst ann values.txt"), "id a was used"),
    ] {
        let refused = run(place, &arguments);
        assert_refused(&refused, &arguments);
        assert_eq!(stdout(&refused), "", "{arguments}");
        assert!(stderr(&refused).contains(words), "{arguments}: {}", stderr(&refused));
        assert_eq!(budget(place), before, "{arguments}");
    }
    assert!(!place.join("m.db").exists());
}

/// Noise that does not fit its type is told; the charge stays, and asked again the answer is the same.
#[test]
fn noise_that_overflows_stays_charged() {
    let folder = place();
    let place = folder.path();
    put(&folder, "large.txt", "9223372036854775807\n".repeat(64));
    let arguments = "noise discrete-laplace --epsilon 1 --sensitivity 1 --unit rider --ledger l.db --dataset trips --id o large.txt";
    let first = run(place, arguments);
    assert_refused(&first, "overflow");
    assert_eq!(stdout(&first), "");
    assert_eq!(budget(place)["budgets"][0]["left"]["exact"], "2");
    let again = run(place, arguments);
    assert_refused(&again, "overflow");
    assert!(stderr(&again).contains("failed before, and stays charged"), "{}", stderr(&again));
    assert_eq!(budget(place)["budgets"][0]["left"]["exact"], "2");
}

/// Losses of noise and of a table add where both are about the same unit.
#[test]
fn noise_and_tables_add() {
    let folder = place();
    let place = folder.path();
    put(&folder, "trips.csv", "rider,city\nr1,Bern\nr2,Biel\n");
    let table = |id: &str| {
        format!(
            "release trips.csv --unit rider --dataset trips --count n --epsilon 3/2 --max-groups 1 --max-rows 1 --ledger l.db --id {id}"
        )
    };
    assert_eq!(code(&run(place, &format!("{LAPLACE} --id a values.txt"))), 0);
    let released = run(place, &table("t"));
    assert_eq!(code(&released), 0, "{}", stderr(&released));
    assert_eq!(budget(place)["budgets"][0]["spent"]["exact"], "5/2");
    assert_refused(&run(place, &table("u")), "too much");
    assert_refused(&run(place, &format!("{LAPLACE} --id t values.txt")), "an id of a table");
}

#[test]
fn from_a_pipe() {
    let folder = place();
    let place = folder.path();
    let file = std::fs::File::open(place.join("values.txt")).expect("a file");
    let arguments = format!("{LAPLACE} --id p");
    let first = lastbit(&arguments).current_dir(place).stdin(file).output().expect("it runs");
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let again = std::process::Command::new("sh")
        .args(["-c", &format!("cat values.txt | {} {arguments}", env!("CARGO_BIN_EXE_lastbit"))])
        .current_dir(place)
        .output()
        .expect("it runs");
    assert_eq!(stdout(&again), stdout(&first));
}
