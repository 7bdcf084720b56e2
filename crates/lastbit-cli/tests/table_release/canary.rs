//! Private cells stay private, whatever is done with them; and neighbouring tables look the same from the outside.

use super::{HEADER, Place, ROWS, SPEC, has};
use crate::common::{code, stderr, stdout};

/// Texts and numbers that stand in private cells alone.
const CANARIES: [&str; 2] = ["KANARI", "770077077"];

/// Tables with canaries in cells of the unit, the group, the values and the filter; and files that are no tables, or only to some row.
fn tables() -> Vec<(&'static str, Vec<u8>)> {
    let row = "KANARI,KANARI,770077077,KANARI,770077077\n";
    let table = |rows: &str| format!("{HEADER}{ROWS}{rows}").into_bytes();
    let mut bytes = table("");
    bytes.extend(b"KANARI\xff,KANARI\xfe,770077077\xff,KANARI\xff,1\n");
    let mut late = table(&row.repeat(2000));
    late.extend_from_slice(b"KANARI,770077077\n");
    vec![
        ("good", table(row)),
        ("many", table(&row.repeat(2000))),
        ("no UTF-8", bytes),
        ("no bytes", table("KANARI\0,KANARI\0,770077077\0,yes,1\n")),
        ("few cells", table("KANARI,770077077\n")),
        ("few cells after many rows", late),
        ("many cells", table("KANARI,KANARI,770077077,yes,1,770077077\n")),
        ("an open quote", table("KANARI,\"KANARI,770077077,yes,1\n")),
        ("text after a quote", table("\"KANARI\"KANARI,Bern,770077077,yes,1\n")),
        ("no header", row.repeat(3).into_bytes()),
        ("a header that is data", b"rider1,city1,770077077,KANARI,1\nKANARI,KANARI,1,1,1\n".to_vec()),
        ("another header", b"ridr,citi,far,payd,KANARI\nKANARI,KANARI,770077077,yes,1\n".to_vec()),
        (
            "a header without UTF-8",
            b"rider,city,fare,paid,age,KANARI\xff\nKANARI,KANARI,770077077,yes,1,1\n".to_vec(),
        ),
        ("almost Parquet", b"PAR1KANARI770077077PAR1".to_vec()),
        ("almost compressed", b"\x1f\x8b\x08\0\0\0\0\0KANARI770077077".to_vec()),
        ("almost zstd", b"\x28\xb5\x2f\xfdKANARI770077077".to_vec()),
        ("nothing", Vec::new()),
    ]
}

const COMMANDS: [&str; 11] = [
    "release release.toml",
    "release release.toml --json --digest",
    "release release.toml --insecure-seed 1 --all --digest",
    "release release.toml --csv - --threads 1 --memory 1MB",
    "release release.toml --csv out.csv --parquet out.parquet --statement out.html --non-negative --digits 2",
    "release release.toml --dry-run",
    "release release.toml --ledger ledger.db --id first --json",
    "release release.toml --ledger ledger.db --id first --statement -",
    "release trips.csv --unit rider --by city --keys Bern,Biel --count trips --sum fare=0..100 --epsilon 1 --max-groups 1 --max-rows 1",
    "release trips.csv --unit rider --by city --keys Bern,Biel --std fare=0..100 --median age=0,18,65 --quantile fare@0.9=0,10,50 \
     --distinct paid=yes,no --rho 1 --max-groups 1 --max-rows 2 --all",
    "release trips.csv --unit rider --by town --keys Bern,Biel --mean cost=0..100 --epsilon 1 --max-groups 1 --max-rows 1",
];

#[test]
fn private_cells_stay_private() {
    for (name, table) in tables() {
        let place = Place::with_ledger("--epsilon 3");
        place.put("trips.csv", &table);
        let mut codes = Vec::new();
        for arguments in COMMANDS {
            let output = place.run(arguments);
            codes.push(code(&output));
            assert!(matches!(code(&output), 0 | 2), "{name}: {arguments}: {}", stderr(&output));
            assert!(!stderr(&output).contains("panicked"), "{name}: {arguments}");
            // What is refused prints nothing but why.
            assert!(code(&output) == 0 || stdout(&output).is_empty(), "{name}: {arguments}");
            for canary in CANARIES {
                for said in [&output.stdout, &output.stderr] {
                    assert!(
                        !has(said, canary),
                        "{name}: {arguments}: {}{}",
                        stdout(&output),
                        stderr(&output)
                    );
                }
            }
        }
        let left = place.left_behind(&["release.toml", "trips.csv"]);
        for canary in CANARIES {
            assert!(!has(&left, canary), "{name}: in a file");
        }
        let is_table = ["good", "many", "no UTF-8", "no bytes", "text after a quote"].contains(&name);
        assert_eq!(codes[0] == 0, is_table, "{name}");
        assert_eq!(code(&place.run("budget verify ledger.db")), 0);
    }
}

/// A row without an end is not read into memory whole, and not told.
#[test]
fn a_row_without_an_end() {
    let place = Place::with_ledger("--epsilon 3");
    let path = place.put("trips.csv", format!("{HEADER}{ROWS}KANARI,\"KANARI770077077"));
    // A hole in the file takes no time to write.
    let file = std::fs::OpenOptions::new().write(true).open(path).expect("it is there");
    file.set_len(150 << 20).expect("it can be longer");
    let output = place.run("release release.toml --ledger ledger.db");
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    assert!(stderr(&output).contains("trips.csv, line 7: the row is longer than"), "{}", stderr(&output));
    assert!(!CANARIES.iter().any(|canary| has(&output.stderr, canary)), "{}", stderr(&output));
}

/// What `init` writes has names and types of columns, and nothing else of a table.
#[test]
fn specs_that_are_written_have_no_values() {
    let place = Place::new();
    for (name, table) in tables() {
        if name == "another header" {
            continue; // Here the canary is the name of a column.
        }
        place.put("trips.csv", &table);
        let output = place.run("release init trips.csv");
        let said = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(!CANARIES.iter().any(|canary| has(&said, canary)), "{name}: {}", stdout(&output));
        assert!(matches!(code(&output), 0 | 2), "{name}");
    }
}

#[test]
fn a_spec_that_was_written_works_once_it_is_filled_in() {
    let place = Place::new();
    let output = place.run("release init trips.csv");
    let spec = stdout(&output).to_owned();
    assert!(spec.contains("#   fare (number)") && spec.contains("#   city (text)"), "{spec}");
    place.put("new.toml", &spec);
    let unfinished = place.run("release new.toml --dry-run");
    assert_eq!(code(&unfinished), 0, "{}", stderr(&unfinished));
    let filled = spec
        .replace("keys = [\"…\"]", "keys = [\"Bern\", \"Biel\"]")
        .replace("groups = 1 ", "groups = 2 ")
        .replace("# dataset = \"…\"", "dataset = \"trips\"")
        .replace("# [[query]]", "[[query]]")
        .replace("# name = \"fare\"", "name = \"fares\"")
        .replace("# kind = \"sum\"", "kind = \"sum\"")
        .replace("# column = \"fare\"", "column = \"fare\"")
        .replace("# bounds = [0, 100]", "bounds = [0, 100]");
    place.put("new.toml", &filled);
    let answer = place.json("release new.toml");
    assert_eq!((&answer["claim"]["loss"], &answer["dataset"]), (&"1".into(), &"trips".into()), "{filled}");
    let rows = answer["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["rows"].is_number() && row["fares"].is_number()), "{rows:?}");
}

/// Cells that are hard to read, of all kinds of columns.
const ODD: [&str; 20] = [
    "",
    "NaN",
    "inf",
    "-inf",
    "-0.0",
    "1e999",
    "-1e-999",
    "007",
    " Bern",
    "Bern ",
    "\"Bern\"",
    "\"a,b\"",
    "\"a\nb\"",
    "\"\"\"\"",
    "9223372036854775808",
    "99999999999999999999999999999999999999",
    "2024-02-30",
    "null",
    "é",
    "yes",
];

/// A table of so many rows with odd cells; each third row is of one unit, `r0`.
fn table(mut seed: u64, rows: usize, without: Option<&str>) -> Vec<u8> {
    let mut pick = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut text = HEADER.as_bytes().to_vec();
    for row in 0..rows {
        let unit =
            if row % 3 == 0 { "r0".to_owned() } else { [ODD[pick(20)], "r1", "r2"][pick(3)].to_owned() };
        let cells: Vec<&str> = (0..4).map(|_| [ODD[pick(20)], "Bern", "5", "yes"][pick(4)]).collect();
        let bad: &[u8] = [b"".as_slice(), b"\xff"][usize::from(pick(9) == 0)];
        if without != Some(unit.as_str()) {
            text.extend([unit.as_bytes(), b",", cells.join(",").as_bytes(), bad, b"\n"].concat());
        }
    }
    text
}

/// Whatever the cells are, tables that differ in a unit give the same messages and the same exit code.
#[test]
fn neighbours_look_the_same() {
    let place = Place::new();
    let seen = |contents: Vec<u8>, arguments: &str| {
        place.put("trips.csv", contents);
        let output = place.run(arguments);
        (code(&output), stderr(&output).to_owned())
    };
    let commands = [
        "release release.toml",
        "release release.toml --csv - --memory 1MB --threads 2",
        "release release.toml --json",
    ];
    for (index, arguments) in commands.into_iter().enumerate() {
        let expected = seen(HEADER.into(), arguments);
        assert_eq!(expected.0, 0, "{}", expected.1);
        for seed in 0..12 {
            let seed = seed + 100 * index as u64;
            for without in [None, Some("r0"), Some("r1")] {
                assert_eq!(
                    seen(table(seed, 40, without), arguments),
                    expected,
                    "{arguments}, table {seed} without {without:?}"
                );
            }
        }
    }
}

/// A key file is public, and messages about it may say what is in it; but not what is in the table.
#[test]
fn a_unit_with_too_much_is_not_told() {
    let place = Place::new();
    place.put("release.toml", SPEC.replace("groups = 2", "groups = 1").replace("rows = 3", "rows = 1"));
    let few = place.run("release release.toml");
    place.put("trips.csv", format!("{HEADER}{}", "r1,Bern,1e30,yes,1\nr1,Biel,-1e30,yes,1\n".repeat(500)));
    let many = place.run("release release.toml");
    assert_eq!((code(&few), stderr(&few)), (code(&many), stderr(&many)));
}
