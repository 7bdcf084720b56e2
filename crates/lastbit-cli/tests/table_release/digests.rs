//! The same rows give the same exact aggregates, however they are stored and computed.

use std::collections::BTreeSet;
use std::io::Write;

use lastbit_table::{Out, parquet_bytes};

use super::{HEADER, Place};
use crate::common::{code, output, stderr, stdout};

/// A name and what is in it.
type File = (&'static str, Vec<u8>);

type Trip = (String, &'static str, i64, &'static str, i64);

fn trips(rows: i64) -> Vec<Trip> {
    let cities = ["Bern", "Biel", "Thun", "Genf"];
    (0..rows)
        .map(|i| {
            let rider = format!("rider {}", i * i % 1009);
            (
                rider,
                cities[(i * 7 % 13 % 4) as usize],
                i * 31 % 140,
                ["yes", "no"][usize::from(i % 11 == 0)],
                i % 99,
            )
        })
        .collect()
}

fn csv(trips: &[Trip]) -> String {
    let line = |(rider, city, fare, paid, age): &Trip| format!("{rider},{city},{fare},{paid},{age}\n");
    format!("{HEADER}{}", trips.iter().map(line).collect::<String>())
}

fn parquet(trips: &[Trip]) -> Vec<u8> {
    let text = |get: &dyn Fn(&Trip) -> String| Out::Text(trips.iter().map(get).collect());
    let integer = |get: &dyn Fn(&Trip) -> i64| Out::Integer(trips.iter().map(get).collect());
    let columns = [
        ("age", integer(&|trip| trip.4)),
        ("rider", text(&|trip| trip.0.clone())),
        ("city", text(&|trip| trip.1.to_owned())),
        ("paid", text(&|trip| trip.3.to_owned())),
        ("fare", integer(&|trip| trip.2)),
    ];
    let columns: Vec<_> = columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
    parquet_bytes(&columns).expect("Parquet")
}

/// The digest that the owner may see.
fn digest(place: &Place, arguments: &str) -> String {
    let output = place.run(&format!("release release.toml --digest {arguments}"));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let line = stderr(&output).lines().find_map(|line| line.strip_prefix("for the owner only: aggregates "));
    line.expect("a digest").to_owned()
}

#[test]
fn the_same_rows_have_the_same_digest() {
    let place = Place::new();
    let trips = trips(5000);
    let mut shuffled = trips.clone();
    shuffled.sort_by_key(|trip| (trip.2 * 7919 % 101, trip.4));
    let gz = |text: &str| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).expect("it compresses");
        writer.finish().expect("it compresses")
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).expect("it compresses");
    let files: [(&str, &[File]); 7] = [
        ("trips.csv", &[("trips.csv", csv(&trips).into_bytes())]),
        ("trips.csv", &[("trips.csv", csv(&shuffled).into_bytes())]),
        ("trips.csv.gz", &[("trips.csv.gz", gz(&csv(&trips)))]),
        ("trips.csv.zst", &[("trips.csv.zst", zstd(&csv(&shuffled)))]),
        ("trips.parquet", &[("trips.parquet", parquet(&trips))]),
        (
            "part-*",
            &[
                ("part-1.csv", csv(&shuffled[..100]).into_bytes()),
                ("part-2.csv.gz", gz(&csv(&shuffled[100..2000]))),
                ("part-3.csv", csv(&shuffled[2000..]).into_bytes()),
            ],
        ),
        (
            "half-*.parquet",
            &[("half-1.parquet", parquet(&shuffled[..2500])), ("half-2.parquet", parquet(&shuffled[2500..]))],
        ),
    ];
    let mut digests = BTreeSet::new();
    for (path, contents) in files {
        for (name, bytes) in contents {
            place.put(name, bytes);
        }
        place.put("release.toml", super::SPEC.replace("trips.csv", path));
        for how in ["--threads 1", "--threads 2"] {
            digests.insert(digest(&place, how));
        }
    }
    assert_eq!(digests.len(), 1, "{digests:?}");

    // And another row gives another one.
    place.put("trips.csv", csv(&trips) + "one more,Bern,1,yes,1\n");
    place.put("release.toml", super::SPEC);
    digests.insert(digest(&place, ""));
    assert_eq!(digests.len(), 2);
}

/// Rows beyond the memory limit go to a temporary file, and give the same.
#[test]
fn rows_that_spill_have_the_same_digest() {
    let place = Place::new();
    place.put("trips.csv", csv(&trips(150_000)));
    assert_eq!(digest(&place, "--memory 1MB"), digest(&place, "--memory 1GB"));
    // They did go there: without a place for it the release fails, and shows nothing.
    let mut nowhere = place.command("release release.toml --memory 1MB");
    let failed = output(nowhere.env("TMPDIR", place.path().join("nowhere")));
    assert_ne!(code(&failed), 0);
    assert_eq!(stdout(&failed), "");
    assert!(stderr(&failed).contains("temporary file"), "{}", stderr(&failed));
}
