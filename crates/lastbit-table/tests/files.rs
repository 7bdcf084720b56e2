//! Tables in files: every way to store the same rows gives the same digest, and messages never have what is in a cell.

use std::io::Write;

use lastbit_table::{Batch, Column, Options, TableError, aggregate, open};

use super::{Folder, integers};

fn spec(path: &str, extra: &str) -> String {
    format!(
        r#"
        [table]
        path = {path}
        unit = "rider"
        {extra}
        [bounds]
        groups = 2
        rows = 2
        [by]
        columns = "city"
        keys = ["Bern", "Biel", "Genève", "\"Old\" Town, West"]
        [privacy]
        epsilon = 1
        [[query]]
        name = "trips"
        kind = "count"
        [[query]]
        name = "fares"
        kind = "sum"
        column = "fare"
        bounds = [0, 100]
        grid = 0.1
        "#
    )
}

/// Rider, city and fare.
type Trip = (u32, &'static str, String);

fn rows() -> Vec<Trip> {
    let cities = ["Bern", "Biel", "Genève", "\"Old\" Town, West", "elsewhere", ""];
    (0..3000u32)
        .map(|index| {
            (
                index % 701,
                cities[(index * index % 97 % 6) as usize],
                format!("{}.{}5", index % 120, index % 10),
            )
        })
        .collect()
}

fn csv(rows: &[Trip], delimiter: char, end: &str) -> String {
    let quoted = |city: &str| {
        if city.contains('"') { format!("\"{}\"", city.replace('"', "\"\"")) } else { city.to_owned() }
    };
    let line =
        |(rider, city, fare): &Trip| format!("{rider}{delimiter}{}{delimiter}{fare}{end}", quoted(city));
    format!("rider{delimiter}city{delimiter}fare{end}{}", rows.iter().map(line).collect::<String>())
}

fn gz(text: &str) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn the_same_rows_have_the_same_digest() {
    let folder = Folder::new();
    let rows = rows();
    let text = csv(&rows, ',', "\n");
    folder.write("plain.csv", &text);
    let digest = |path: &str, extra: &str| folder.answer(&spec(path, extra)).unwrap().digest();
    let expected = digest("\"plain.csv\"", "");

    folder.write("dos.csv", format!("\u{feff}{}", csv(&rows, ',', "\r\n")));
    assert_eq!(digest("\"dos.csv\"", ""), expected);
    folder.write("unended.csv", text.trim_end());
    assert_eq!(digest("\"unended.csv\"", ""), expected);
    folder.write("semicolon.csv", csv(&rows, ';', "\n"));
    assert_eq!(digest("\"semicolon.csv\"", "delimiter = \";\""), expected);
    folder.write("tab.txt", csv(&rows, '\t', "\n"));
    assert_eq!(digest("\"tab.txt\"", "delimiter = \"tab\""), expected);
    folder.write("packed.csv.gz", gz(&text));
    assert_eq!(digest("\"packed.csv.gz\"", ""), expected);
    // The name does not matter, and files may consist of several compressed parts.
    folder.write("packed", [gz(&text[..1000]), gz(&text[1000..])].concat());
    assert_eq!(digest("\"packed\"", ""), expected);
    folder.write("packed.csv.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    assert_eq!(digest("\"packed.csv.zst\"", ""), expected);

    let mut shuffled = rows.clone();
    shuffled.sort_by_key(|row| (row.2.len(), row.0 % 7, row.2.clone()));
    folder.write("part-1.csv", csv(&shuffled[..1000], ',', "\n"));
    folder.write("part-2.csv", csv(&shuffled[1000..], ',', "\r\n"));
    assert_eq!(digest("\"part-*.csv\"", ""), expected);
    assert_eq!(digest("[\"part-2.csv\", \"part-1.csv\"]", ""), expected);
    shuffled.truncate(2000);
    folder.write("less.csv", csv(&shuffled, ',', "\n"));
    assert_ne!(digest("\"less.csv\"", ""), expected);
}

#[test]
fn columns_of_libraries_have_the_same_digest() {
    let folder = Folder::new();
    let rows = rows();
    folder.write("plain.csv", csv(&rows, ',', "\n"));
    let plan = folder.plan(&spec("\"plain.csv\"", ""));
    let expected = folder.answer(&spec("\"plain.csv\"", "")).unwrap().digest();
    let batches = |fare: &dyn Fn(&[Trip]) -> Column| {
        let batch = |rows: &[Trip]| {
            let mut batch = Batch::new(rows.len());
            batch.push(Column::Integer(rows.iter().map(|row| Some(row.0.into())).collect())).unwrap();
            batch.push_text(rows.iter().map(|row| Some(row.1.as_bytes()))).unwrap();
            batch.push(fare(rows)).unwrap();
            Ok(batch)
        };
        let mut batches = rows.chunks(100).map(batch).collect::<Vec<_>>().into_iter();
        aggregate(&plan, &mut batches, &Options::default()).unwrap().aggregates.digest()
    };
    assert_eq!(batches(&|rows| Column::Float(rows.iter().map(|row| row.2.parse().ok()).collect())), expected);
    let cents = |text: &String| text.replace('.', "").parse().ok();
    assert_eq!(
        batches(&|rows| Column::Decimal {
            mantissas: rows.iter().map(|row| cents(&row.2)).collect(),
            scale: 2
        }),
        expected
    );
    // Batches of another shape are refused.
    let mut batch = Batch::new(2);
    assert!(batch.push(Column::Integer(vec![None])).is_err());
    assert!(batch.push(Column::Decimal { mantissas: vec![None; 2], scale: 39 }).is_err());
    let result = aggregate(&plan, &mut [Ok(batch)].into_iter(), &Options::default());
    assert!(matches!(result, Err(TableError::Columns { found: 0, expected: 3 })));
}

/// Writes the rows as Parquet, with doubles for fares, in row groups of 700.
#[cfg(feature = "parquet")]
fn parquet(folder: &Folder, name: &str, rows: &[Trip]) {
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    let schema = "message trips { required double fare; optional binary note (utf8); optional binary city (utf8); required int32 rider; }";
    let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let properties =
        std::sync::Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let file = std::fs::File::create(folder.0.path().join(name)).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for rows in rows.chunks(700) {
        let mut group = writer.next_row_group().unwrap();
        let fares: Vec<f64> = rows.iter().map(|row| row.2.parse().unwrap()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&fares, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&[], Some(&vec![0; rows.len()]), None).unwrap();
        column.close().unwrap();
        let levels: Vec<i16> = rows.iter().map(|row| i16::from(!row.1.is_empty())).collect();
        let cities: Vec<ByteArray> =
            rows.iter().filter(|row| !row.1.is_empty()).map(|row| row.1.into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&cities, Some(&levels), None).unwrap();
        column.close().unwrap();
        let riders: Vec<i32> = rows.iter().map(|row| row.0 as i32).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&riders, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_same_digest() {
    let folder = Folder::new();
    let rows = rows();
    folder.write("plain.csv", csv(&rows, ',', "\n"));
    parquet(&folder, "trips.parquet", &rows);
    let digest = |path: &str| folder.answer(&spec(path, "")).map(|aggregates| aggregates.digest());
    assert_eq!(digest("\"trips.parquet\"").unwrap(), digest("\"plain.csv\"").unwrap());

    // Row groups are read by several threads at once.
    for _ in 0..50 {
        assert_eq!(digest("\"trips.parquet\"").unwrap(), digest("\"plain.csv\"").unwrap());
    }

    let whole = std::fs::read(folder.0.path().join("trips.parquet")).unwrap();
    folder.write("short.parquet", &whole[..whole.len() - 20]);
    assert!(matches!(digest("\"short.parquet\""), Err(TableError::Parquet { row_group: None, .. })));
    let mut damaged = whole.clone();
    damaged[4..2000].fill(0xa5);
    folder.write("damaged.parquet", damaged);
    assert!(matches!(digest("\"damaged.parquet\""), Err(TableError::Parquet { row_group: Some(0), .. })));
}

#[test]
fn malformed_files_are_refused_with_their_place() {
    let folder = Folder::new();
    let message = |text: &[u8]| {
        folder.write("t.csv", text);
        let error = folder
            .answer(&spec("\"t.csv\"", ""))
            .map(|aggregates| aggregates.digest())
            .unwrap_err()
            .to_string();
        error.replace(&format!("{}/", folder.0.path().display()), "")
    };
    let no_header = "t.csv: the first line must be a header of column names in UTF-8, and lines must end with a line feed";
    for text in
        [b"".as_slice(), b"\xEF\xBB\xBF", b"\n\r\n", b"rider,\xff,fare\n", b"rider,city,fare\r1,Bern,2\r"]
    {
        assert_eq!(message(text), no_header);
    }
    assert_eq!(message(format!("rider,city,fare{}\n", ",x".repeat(1_000_000)).as_bytes()), no_header);
    assert_eq!(
        message(b"\n\r\nrider,city,fare\n1,2\n"),
        "t.csv, line 4: the row has 2 cells, and the header has 3; check delimiter and quotes"
    );
    assert_eq!(message(b"rider,City,fare\n"), "t.csv: there is no column \"city\" - did you mean \"City\"?");
    assert_eq!(message(b"rider,city,city,fare\n"), "t.csv: there are two columns \"city\": rename one");
    let ragged = "the row has 2 cells, and the header has 3; check delimiter and quotes";
    assert_eq!(message(b"rider,city,fare\n1,\"a\n\nb\",3\n\n1,2\n"), format!("t.csv, line 6: {ragged}"));
    assert_eq!(message(b"rider,city,fare\n1,\"a\"\"\nb\",3\n1,2\n"), format!("t.csv, line 4: {ragged}"));
    assert_eq!(
        message(b"rider,city,fare\n1,2,3\n1,\"2,3\n"),
        "t.csv, line 3: a quote that opens in this row is never closed"
    );
    // Far behind the first block, and the first of two, whichever thread finds one first.
    let long = "1,2,3\n".repeat(400_000);
    assert_eq!(
        message(format!("rider,city,fare\n{long}1,2\n{long}1,2\n").as_bytes()),
        format!("t.csv, line 400002: {ragged}")
    );
    folder.write("cut.csv.gz", &gz(&csv(&rows(), ',', "\n"))[..500]);
    assert!(matches!(folder.answer(&spec("\"cut.csv.gz\"", "")), Err(TableError::Read { .. })));
    assert!(matches!(folder.answer(&spec("\"none-*.csv\"", "")), Err(TableError::NoFile { .. })));
    assert!(matches!(folder.answer(&spec("[\"t.csv\", \"t.csv\"]", "")), Err(TableError::FileTwice { .. })));
    assert!(matches!(folder.answer(&spec("\"a[.csv\"", "")), Err(TableError::Pattern { .. })));
}

/// A pipe would be empty, or short of its first bytes, when it is read after it was looked into.
#[cfg(unix)]
#[test]
fn what_can_be_read_only_once_is_refused() {
    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["pipe", "pip*", ".", "/dev/zero"] {
        let outcome = folder.answer(&spec(&format!("{path:?}"), ""));
        assert!(matches!(outcome, Err(TableError::NotAFile { .. })), "{path}");
    }
    assert!(matches!(lastbit_table::columns_of(&pipe), Err(TableError::NotAFile { .. })));
}

#[test]
fn bad_cells_are_null() {
    let folder = Folder::new();
    folder.write("t.csv", b"rider,city,fare\n1,Bern,7\n2,Bern,x\n3,Bern,\n4,\xff,1\n\xff,Bern,1\n,Bern,1\n5,\"Bern\",\"1\"\n6,Bern, 2 \n");
    let spec = spec("\"t.csv\"", "");
    assert_eq!(integers(&folder.plan(&spec), &folder.answer(&spec).unwrap())[2..4], [5, 100]);
}

#[test]
fn no_message_has_what_is_in_a_cell() {
    const CANARY: &str = "7391804652";
    let folder = Folder::new();
    let header = "rider,city,fare\n";
    let bodies = [
        format!("{CANARY},{CANARY}\n"),
        format!("{CANARY},{CANARY},\"{CANARY}\n"),
        format!("{CANARY},\"{CANARY}\"x,{CANARY},{CANARY}\n"),
        format!("{CANARY},{CANARY},{CANARY}\n"),
        format!("{CANARY},Bern,{CANARY}\n"),
    ];
    let texts = bodies.map(|body| format!("{header}{body}")).into_iter().chain([
        // The last name and the first cell are one, where lines end with carriage returns or a quote is open: it looks like the name that is asked for.
        "rider,city,fare7\r391804652,Bern,1\r".to_owned(),
        "rider,city,\"fare\n7\",391804652\n".to_owned(),
    ]);
    for text in texts {
        folder.write("t.csv", text);
        let shown = match folder.answer(&spec("\"t.csv\"", "")) {
            Err(error) => format!("{error} {error:?}"),
            Ok(aggregates) => format!("{aggregates:?}"),
        };
        assert!(
            !shown.contains(CANARY)
                && !shown.contains("739180")
                && !shown.contains("fare7")
                && !shown.contains("\\n7"),
            "{shown}"
        );
    }
    folder.write("t.csv", "rider,\"fare\n7391804652\"\n");
    assert!(matches!(
        lastbit_table::columns_of(&folder.0.path().join("t.csv")),
        Err(TableError::NoHeader { .. })
    ));
    let mut batch = Batch::new(1);
    batch.push_text([Some(CANARY.as_bytes())]).unwrap();
    batch.push(Column::Integer(vec![CANARY.parse().ok()])).unwrap();
    assert_eq!(format!("{batch:?}"), "Batch { 1 rows of [1 text cells, 1 integer cells] }");
    #[cfg(feature = "parquet")]
    {
        let rows: Vec<_> = (0..50).map(|_| (739_180_465, CANARY, "1.0".to_owned())).collect();
        parquet(&folder, "t.parquet", &rows);
        let whole = std::fs::read(folder.0.path().join("t.parquet")).unwrap();
        for at in (4..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x5a;
            folder.write("t.parquet", damaged);
            if let Err(error) = folder.answer(&spec("\"t.parquet\"", "")) {
                let shown = format!("{error} {error:?}");
                assert!(!shown.contains("739180"), "{shown}");
            }
        }
    }
}

#[test]
fn progress_can_stop_the_work() {
    use std::ops::ControlFlow;
    use std::sync::Mutex;
    let folder = Folder::new();
    folder.write("t.csv", csv(&rows(), ',', "\n"));
    let plan = folder.plan(&spec("\"t.csv\"", ""));
    let seen = Mutex::new(Vec::new());
    let note = |progress: lastbit_table::Progress| {
        seen.lock().unwrap().push(progress.rows);
        ControlFlow::Continue(())
    };
    let mut options = Options::default();
    options.progress = Some(&note);
    let outcome = aggregate(&plan, &mut *open(&plan).unwrap(), &options).unwrap();
    assert_eq!(*seen.lock().unwrap(), [3000]);
    let curator = outcome.curator;
    assert_eq!(curator.rows, 3000);
    assert!(curator.without_key > 0 && curator.units_cut > 0 && curator.spilled == 0);
    let stop = |_| ControlFlow::Break(());
    options.progress = Some(&stop);
    assert!(matches!(aggregate(&plan, &mut *open(&plan).unwrap(), &options), Err(TableError::Stopped)));
}

#[test]
fn rows_beyond_the_memory_limit_go_to_a_file() {
    let folder = Folder::new();
    folder.write("t.csv", csv(&rows(), ',', "\n"));
    let plan = folder.plan(&spec("\"t.csv\"", ""));
    let run = |memory| {
        let mut options = Options::default();
        options.memory = memory;
        aggregate(&plan, &mut *open(&plan).unwrap(), &options).unwrap()
    };
    let (held, spilled) = (run(1 << 30), run(1000));
    assert!(held.curator.spilled == 0 && spilled.curator.spilled > 10_000, "{}", spilled.curator.spilled);
    assert_eq!(held.aggregates.digest(), spilled.aggregates.digest());
}

/// Whatever path leads to it: the rows would count twice, and a row that is a unit would be two.
#[test]
fn a_file_counts_once() {
    let folder = Folder::new();
    folder.write("trips.csv", "rider,city,fare\n7,Bern,1\n");
    folder.write("more.csv", "rider,city,fare\n8,Bern,1\n");
    assert!(folder.answer(&spec(r#"["trips.csv", "more.csv"]"#, "")).is_ok());
    for again in ["trips.csv", "./trips.csv", "tri*.csv"] {
        let outcome = folder.answer(&spec(&format!(r#"["trips.csv", "{again}"]"#), ""));
        assert!(matches!(outcome, Err(TableError::FileTwice { .. })), "{again}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("trips.csv", folder.0.path().join("link.csv")).unwrap();
        let outcome = folder.answer(&spec(r#"["trips.csv", "link.csv"]"#, ""));
        assert!(matches!(outcome, Err(TableError::FileTwice { .. })));
    }
}

/// A quadratic search for its end would take minutes.
#[test]
fn an_open_quote_in_the_header_is_found_at_once() {
    let folder = Folder::new();
    folder.write("open.csv", format!("rider,\"city,fare\n{}", "7,Bern,1\n".repeat(600_000)));
    assert!(matches!(folder.answer(&spec("\"open.csv\"", "")), Err(TableError::OpenQuote { line: 1, .. })));
}

#[test]
fn another_delimiter_is_named() {
    let folder = Folder::new();
    folder.write("semicolons.csv", "rider;city;fare\n7;Bern;1,5\n");
    let outcome = folder.answer(&spec("\"semicolons.csv\"", ""));
    assert!(matches!(outcome, Err(TableError::Delimiter { found: ';', .. })));
    assert!(folder.answer(&spec("\"semicolons.csv\"", "delimiter = \";\"")).is_ok());
    assert_eq!(lastbit_table::delimiter_of(&folder.0.path().join("semicolons.csv")).unwrap(), b';');
    assert_eq!(lastbit_table::columns_of(&folder.0.path().join("semicolons.csv")).unwrap().len(), 3);
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let folder = Folder::new();
    folder.write("plain.csv", csv(&rows(), ',', "\n"));
    let plan = folder.plan(&spec("\"plain.csv\"", ""));
    let digest = |threads: usize| {
        let mut options = Options::default();
        options.threads = std::num::NonZero::new(threads);
        aggregate(&plan, &mut *open(&plan).unwrap(), &options).unwrap().aggregates.digest()
    };
    assert_eq!(digest(usize::MAX), digest(1));
    assert_eq!(digest(3), digest(1));
}
