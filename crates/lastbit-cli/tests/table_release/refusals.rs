//! Bad input: told with its place and the rule, and nothing is released or charged.

use std::io::Write;

use lastbit_table::{Out, parquet_bytes};

use super::{HEADER, Place, ROWS, SPEC};
use crate::common::{assert_refused, code, stderr, stdout};

/// What is wrong with the refusal of a command: it must have all these words, and make no entry.
fn problem(place: &Place, arguments: &str, words: &[&str]) -> Option<String> {
    let before = place.head();
    let output = place.run(arguments);
    if code(&output) != 2 || !stdout(&output).is_empty() || place.head() != before {
        return Some(format!("{arguments} is not refused: {}", stderr(&output)));
    }
    let missing: Vec<&&str> =
        words.iter().chain(&["hint: "]).filter(|word| !stderr(&output).contains(**word)).collect();
    (!missing.is_empty())
        .then(|| format!("{missing:?} is not in the message of {arguments}:\n{}", stderr(&output)))
}

fn none(problems: Vec<String>) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Specs that are refused: what is replaced by what, and words of the message.
const SPECS: &[(&str, &str, &[&str])] = &[
    // Keys of the spec.
    ("unit = \"rider\"", "", &["release.toml", "unit"]),
    ("unit = \"rider\"", "unit = \"\"", &["unit"]),
    ("unit = \"rider\"", "unit = [\"rider\", \"rider\"]", &["line 3, table.unit", "twice"]),
    (
        "unit = \"rider\"",
        "unti = \"rider\"",
        &["release.toml, line 6", "no key `unti`", "did you mean `unit`"],
    ),
    ("groups = 2", "groups = 2\ngroup = 3", &["line 10", "no key `group`", "groups"]),
    ("[bounds]\n", "[bound]\n", &["line 8", "no key `bound`"]),
    ("groups = 2\n", "", &["bounds.groups", "missing"]),
    ("groups = 2", "groups = 0", &["line 8, bounds.groups", "integer from 1"]),
    ("rows = 3", "rows = -1", &["line 10"]),
    ("rows = 3", "rows = 9223372036854775808", &["line 8, bounds.rows"]),
    ("unit = \"rider\"", "unit = \"rider\"\nadjacency = \"change-one\"", &["line 7", "add-remove"]),
    // Groups that are not declared, or not properly.
    ("keys = [\"Thun\", \"Bern\", \"Biel\"]", "", &["keys"]),
    ("\"Biel\"]", "\"Bern\"]", &["key 3", "same as an earlier one"]),
    ("\"Biel\"]", "\"\"]", &["key 3", "empty"]),
    ("keys = [\"Thun\", \"Bern\", \"Biel\"]", "keys = []", &["no key"]),
    ("keys = [\"Thun\", \"Bern\", \"Biel\"]", "keys = \"cities.txt\"", &["cities.txt"]),
    // Losses.
    ("epsilon = 1", "epsilon = 0", &["line 16, privacy.epsilon", "must be positive"]),
    ("epsilon = 1", "epsilon = -1", &["line 16, privacy.epsilon", "must be positive"]),
    ("epsilon = 1", "epsilon = nan", &["line 17"]),
    ("epsilon = 1", "epsilon = inf", &["line 17"]),
    ("epsilon = 1", "epsilon = \"one\"", &["line 17"]),
    ("epsilon = 1\n", "", &["privacy"]),
    ("epsilon = 1\n", "epsilon = 1\nrho = 1\n", &["privacy"]),
    ("epsilon = 1\n", "epsilon = 1\ndelta = 0\n", &["delta"]),
    ("epsilon = 1\n", "epsilon = 1\ndelta = 2\n", &["delta"]),
    ("share = 2", "share = 0", &["line 23, query riders, share", "must be positive"]),
    // Bounds and zero sensitivity.
    ("bounds = [0, 100]", "", &["bounds", "missing"]),
    ("bounds = [0, 100]", "bounds = [5, 5]", &["line 28, query fares, bounds", "both bounds are 5"]),
    ("bounds = [0, 100]", "bounds = [100, 0]", &["line 28, query fares, bounds", "100 is not below"]),
    ("bounds = [0, 100]", "bounds = [0, nan]", &["line 32"]),
    (
        "bounds = [0, 100]",
        "bounds = [0, 100]\ngrid = 7",
        &["line 28, query fares", "the grid 7 does not divide"],
    ),
    ("bounds = [0, 100]", "bounds = [0, 100]\ngrid = 1e-17", &["10^18"]),
    ("edges = [0, 18, 65, 120]", "edges = [0]", &["edges"]),
    ("edges = [0, 18, 65, 120]", "edges = [0, 18, 18]", &["edges"]),
    // Queries.
    ("kind = \"count\"", "kind = \"mode\"", &["no \"mode\"", "count"]),
    ("kind = \"sum\"\ncolumn = \"fare\"", "kind = \"sum\"", &["column", "missing"]),
    ("name = \"riders\"", "name = \"trips\"", &["used twice"]),
    ("name = \"riders\"", "name = \"\"", &["name"]),
    ("paid = 'yes'", "paid = ", &["line 1"]),
    ("paid = 'yes'", "paid + 1 and 2", &["line 1"]),
    ("paid = 'yes'", "median(fare) > 1", &["line 1", "median"]),
    // Files and columns.
    ("column = \"fare\"", "column = \"fair\"", &["trips.csv", "no column \"fair\"", "did you mean \"fare\""]),
    ("unit = \"rider\"", "unit = \"person\"", &["trips.csv", "no column \"person\""]),
    ("columns = \"city\"", "columns = \"town\"", &["no column \"town\""]),
    ("path = \"trips.csv\"", "path = \"trip.csv\"", &["trip.csv"]),
    ("path = \"trips.csv\"", "path = \"*.tsv\"", &["*.tsv", "no such file"]),
    ("path = \"trips.csv\"", "path = [\"trips.csv\", \"trips.csv\"]", &["trips.csv", "twice"]),
    (
        "path = \"trips.csv\"",
        "path = \"trips.csv\"\ndelimiter = \";\"",
        &["trips.csv", "is that the delimiter"],
    ),
    // The ledger.
    ("dataset = \"trips\"", "", &["dataset"]),
    ("dataset = \"trips\"", "dataset = \"trops\"", &["trops"]),
    ("dataset = \"trips\"", "dataset = \"tr ips\"", &["name of a dataset"]),
    ("unit = \"rider\"", "unit = \"city\"", &["one rider added or removed", "one city added or removed"]),
    ("epsilon = 1\n", "epsilon = 3.01\n", &["3.01", "only 3 is left"]),
    ("epsilon = 1\n", "rho = 1\n", &["dataset trips"]),
];

#[test]
fn specs() {
    let place = Place::with_ledger("--epsilon 3");
    let mut problems = Vec::new();
    for (old, new, words) in SPECS {
        assert!(SPEC.contains(old), "{old}");
        place.put("release.toml", SPEC.replacen(old, new, 1));
        let found = problem(&place, "release release.toml --ledger ledger.db", words);
        problems.extend(found.map(|found| format!("{old} -> {new}: {found}")));
    }
    none(problems);
    place.put("release.toml", SPEC);
    assert_eq!(code(&place.run("release release.toml --ledger ledger.db")), 0);
}

#[test]
fn ledgers_and_options() {
    let place = Place::with_ledger("--epsilon 1.5");
    let mut problems = Vec::new();
    for (arguments, words) in [
        ("release release.toml --ledger other.db", ["other.db", "budget create"]),
        ("release release.toml --ledger trips.csv", ["trips.csv", "SQLite"]),
        ("release release.toml --ledger ledger.db --insecure-seed 1", ["--insecure-seed", "--ledger"]),
        ("release release.toml --id x", ["--ledger", "missing"]),
        ("release release.toml --epsilon 2", ["--epsilon", "without a spec"]),
        ("release release.toml --confidence 1 --ledger ledger.db", ["confidence", "between 0 and 1"]),
        ("release release.toml --confidence 0 --ledger ledger.db", ["confidence", "between 0 and 1"]),
        ("release trips.csv --by city --count n --epsilon 1", ["--keys", "declared"]),
        ("release trips.csv --count n --epsilon 1 --max-groups 1 --max-rows 1", ["unit", "missing"]),
        (
            "release trips.csv --unit rider --sum fare=1..1 --epsilon 1 --max-groups 1 --max-rows 1",
            ["both bounds", "1"],
        ),
        (
            "release trips.csv --unit rider --sum fare --epsilon 1 --max-groups 1 --max-rows 1",
            ["--sum", "fare=0..100"],
        ),
        (
            "release trips.csv --unit rider --count n --epsilon 0 --max-groups 1 --max-rows 1",
            ["epsilon", "positive"],
        ),
    ] {
        problems.extend(problem(&place, arguments, &words));
    }
    none(problems);
    // A release that fits, and then one that does not, though each alone would.
    assert_eq!(code(&place.run("release release.toml --ledger ledger.db --id one")), 0);
    assert_eq!(
        problem(&place, "release release.toml --ledger ledger.db --id two", &["only 0.5 is left"]),
        None
    );
    // The same id for another plan.
    place.put("release.toml", SPEC.replace("epsilon = 1", "epsilon = 0.5"));
    assert_eq!(problem(&place, "release release.toml --ledger ledger.db --id one", &["one", "differ"]), None);
    // Ten times a tenth is one, and a millionth is too much.
    let place = Place::with_ledger("--epsilon 1");
    place.put("release.toml", SPEC.replace("epsilon = 1", "epsilon = 0.1"));
    for id in 0..10 {
        assert_eq!(code(&place.run(&format!("release release.toml --ledger ledger.db --id r{id}"))), 0);
    }
    place.put("release.toml", SPEC.replace("epsilon = 1", "epsilon = 1e-6"));
    assert_eq!(
        problem(&place, "release release.toml --ledger ledger.db --id more", &["only 0 is left"]),
        None
    );
}

/// What a release is made from stays as it is, whatever path leads to it; and two results do not share a place.
#[test]
fn results_take_the_place_of_nothing_that_is_needed() {
    let place = Place::with_ledger("--epsilon 3");
    place.put("cities.txt", "Bern\nBiel\n");
    let keys = r#"keys = ["Thun", "Bern", "Biel"]"#;
    place.put("release.toml", SPEC.replace("trips.csv", "tri*.csv").replace(keys, "keys = \"cities.txt\""));
    let before: Vec<_> =
        ["trips.csv", "cities.txt", "release.toml", "ledger.db"].map(|name| (name, place.read(name))).into();
    let mut problems = Vec::new();
    for (name, _) in &before {
        for output in ["--csv", "--parquet"] {
            let arguments = format!("release release.toml --ledger ledger.db {output} ./{name}");
            problems.extend(problem(&place, &arguments, &[name, "overwritten"]));
        }
    }
    for (outputs, word) in [
        ("--csv - --json", "standard output"),
        ("--csv out --parquet ./out", "overwrite"),
        ("--parquet -", "standard output"),
    ] {
        place.put("out", "");
        problems.extend(problem(
            &place,
            &format!("release release.toml --ledger ledger.db {outputs}"),
            &[word],
        ));
    }
    none(problems);
    before.into_iter().for_each(|(name, bytes)| assert!(place.read(name) == bytes, "{name}"));
}

/// A pipe is written to, and stays a pipe.
#[cfg(unix)]
#[test]
fn results_go_through_pipes() {
    let place = Place::new();
    let pipe = place.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe)
    });
    assert_eq!(code(&place.run("release release.toml --csv pipe")), 0);
    let read = reader.join().expect("no panic").expect("text");
    assert!(read.starts_with("city,trips,") && read.lines().count() == 4, "{read}");
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&pipe.metadata().expect("it is there").file_type()));
}

/// A file that breaks off is found out while it is read: the charge stays, and asked again the answer is the same.
#[test]
fn files_that_break_off() {
    let text = |cells: &[&str]| Out::Text(cells.iter().map(|cell| (*cell).to_owned()).collect());
    let columns =
        ["rider", "city", "fare", "paid", "age"].map(|name| (name.to_owned(), text(&["1", "2", "3"])));
    let parquet = parquet_bytes(&columns).expect("Parquet");
    let place = Place::with_ledger("--epsilon 3");
    for (name, contents, words) in [
        ("a.csv", format!("{HEADER}{ROWS}r1,Bern\n").into_bytes(), ["a.csv, line 7", "2 cells", "5"]),
        (
            "b.csv",
            format!("{HEADER}{ROWS}r1,\"Bern,1,yes,1\n").into_bytes(),
            ["b.csv, line 7", "quote", "never closed"],
        ),
        ("c.csv.gz", cut_in_half(), ["c.csv.gz", "cannot be read", "stays charged"]),
    ] {
        place.put(name, contents);
        place.put("release.toml", SPEC.replace("trips.csv", name));
        let arguments = format!("release release.toml --ledger ledger.db --id {name}");
        let output = place.run(&arguments);
        assert_refused(&output, name);
        assert_eq!(stdout(&output), "");
        words
            .iter()
            .for_each(|word| assert!(stderr(&output).contains(word), "{name}: {word}: {}", stderr(&output)));
        let budgets = place.json("budget show ledger.db");
        let again = place.run(&arguments);
        assert_refused(&again, name);
        assert!(stderr(&again).contains("failed before, and stays charged"), "{}", stderr(&again));
        assert_eq!(place.json("budget show ledger.db"), budgets, "asked again, it costs nothing");
    }
    assert_eq!(place.json("budget show ledger.db")["budgets"][0]["charges"], 3);
    // The end of a Parquet file is read first, so nothing is charged.
    for length in [0, 3, 4, 12, parquet.len() / 2, parquet.len() - 1] {
        let place = Place::with_ledger("--epsilon 3");
        place.put("release.toml", SPEC.replace("trips.csv", "trips.parquet"));
        place.put("trips.parquet", &parquet[..length]);
        let output = place.run("release release.toml --ledger ledger.db");
        assert_refused(&output, "a truncated file");
        assert!(stderr(&output).contains("trips.parquet"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert_eq!(place.json("budget show ledger.db")["budgets"][0]["charges"], 0);
    }
}

/// A compressed table of which the second half is missing.
fn cut_in_half() -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let rows = (0..200_000u64)
        .map(|i| format!("r{},Bern,{},yes,1\n", i.wrapping_mul(2_654_435_761) % 99_991, i % 101));
    writer.write_all(format!("{HEADER}{}", rows.collect::<String>()).as_bytes()).expect("it compresses");
    let mut bytes = writer.finish().expect("it compresses");
    bytes.truncate(bytes.len() / 2);
    bytes
}

/// Numbers are text, dates are text: what is no number is null, and no reason to fail.
#[test]
fn cells_that_are_no_numbers() {
    let place = Place::new();
    place.put("trips.csv", format!("{HEADER}r1,Bern,twelve,yes,old\nr2,Bern,NaN,yes,-\n"));
    assert_eq!(code(&place.run("release release.toml")), 0);
}

#[test]
fn budgets() {
    let place = Place::with_ledger("--epsilon 3");
    let mut problems = Vec::new();
    for (arguments, words) in [
        ("budget create ledger.db --dataset trips --epsilon 1", ["trips", "declared"]),
        ("budget create ledger.db --dataset more --epsilon -1", ["negative", "-1"]),
        ("budget create ledger.db --dataset more --epsilon nan", ["--epsilon", "nan"]),
        ("budget create ledger.db --dataset more --epsilon 1 --delta 1", ["delta", "1"]),
        ("budget create ledger.db --dataset more --rho 1 --delta 1e-6", ["--delta", "--rho"]),
        ("budget create ledger.db --dataset more", ["--epsilon", "missing"]),
        ("budget create trips.csv --dataset more --epsilon 1", ["trips.csv", "SQLite"]),
        ("budget limit ledger.db --dataset other --epsilon 1", ["other", "declare"]),
        ("budget show other.db", ["other.db", "budget create"]),
        ("budget verify ledger.db --head 17", ["head", "17:"]),
    ] {
        problems.extend(problem(&place, arguments, &words));
    }
    none(problems);
    // A limit of 0 is one: nothing may be released.
    assert_eq!(code(&place.run("budget create ledger.db --dataset frozen --epsilon 0")), 0);
    place.put("release.toml", SPEC.replace("dataset = \"trips\"", "dataset = \"frozen\""));
    assert_eq!(problem(&place, "release release.toml --ledger ledger.db", &["only 0 is left"]), None);
    assert!(!place.path().join("other.db").exists(), "a ledger that is only looked at is not made");
}
