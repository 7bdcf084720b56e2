//! What is wrong with the text of a spec, and where.

use lastbit_table::Spec;

const SOUND: &str = r#"filter = "fare > 0"

[table]
path = "trips.csv"
unit = "rider"

[bounds]
groups = 3
rows = 5

[by]
columns = "city"
keys = ["Bern", "Biel"]

[privacy]
epsilon = 1

[[query]]
name = "fares"
kind = "sum"
column = "fare"
bounds = [0, 1_000.50]
"#;

/// The first message about a spec, of its text or of its plan.
fn message(text: &str) -> String {
    match Spec::parse(text, "spec.toml".as_ref()) {
        Err(error) => error.to_string(),
        Ok(spec) => spec.plan().err().map(|error| error.to_string()).unwrap_or_default(),
    }
}

fn changed(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    message(&SOUND.replace(from, to))
}

#[test]
fn numbers_are_read_as_written() {
    let bounds = |to: &str| {
        Spec::parse(&SOUND.replace("[0, 1_000.50]", to), "".as_ref()).unwrap().queries[0]
            .bounds
            .clone()
            .unwrap()
    };
    assert_eq!(bounds("[0, 1_000.50]")[1].to_string(), "2001/2");
    assert_eq!(bounds("[0.1, \"1/3\"]").each_ref().map(ToString::to_string), ["1/10", "1/3"]);
    assert_eq!(
        bounds("[-1e-3, 12345678901234567890.25]").each_ref().map(ToString::to_string),
        ["-1/1000", "49382715604938271561/4"]
    );
}

#[test]
fn faults_of_the_text_have_their_lines() {
    let golden = [
        (
            "colunm = 1",
            "columns = \"city\"",
            "line 12: there is no key `colunm` here; there are columns, keys - did you mean `columns`?",
        ),
        ("kind = sum", "kind = \"sum\"", "line 20, column 8: "),
        (
            "filter = \"x > 0\"\npath = \"trips.csv\"",
            "path = \"trips.csv\"",
            "line 4: `filter` belongs above the first [section]",
        ),
        ("bounds = [0, nan]", "bounds = [0, 1_000.50]", "line 22, query fares, bounds: not a finite number"),
        ("bounds = [0]", "bounds = [0, 1_000.50]", "line 22, query fares, bounds: expected two numbers"),
        (
            "bounds = [0, true]",
            "bounds = [0, 1_000.50]",
            "line 22, query fares, bounds: expected a number such as 1, 0.5 or \"1/3\"",
        ),
        ("unit = 7", "unit = \"rider\"", "line 5, table.unit: expected a text or a list of texts"),
        ("keys = [1.5]", "keys = [\"Bern\", \"Biel\"]", "line 13, by.keys: expected a list of keys"),
        (
            "unit = \"rider\"\nadjacency = \"change-one\"",
            "unit = \"rider\"",
            "line 6, table.adjacency: only \"add-remove\" is offered",
        ),
        (
            "unit = \"rider\"\ndelimiter = \"||\"",
            "unit = \"rider\"",
            "line 6, table.delimiter: expected one ASCII sign",
        ),
        ("groups = -3", "groups = 3", "line 8, column 10: "),
    ];
    for (to, from, start) in golden {
        let found = changed(from, to);
        assert!(found.starts_with(start), "{found}");
    }
    assert_eq!(message(SOUND), "");
}

#[test]
fn faults_of_the_plan_have_their_lines() {
    let golden = [
        (
            "kind = \"sum\"",
            "kind = \"sun\"",
            "line 18, query fares, kind: there is no \"sun\"; there are count, count-units, sum, mean, variance, std, median, quantile, distinct, histogram - did you mean \"sum\"?",
        ),
        ("epsilon = 1", "epsilon = 0", "line 15, privacy.epsilon: must be positive"),
        ("groups = 3\n", "", "line 7, bounds.groups: is missing: how many groups a unit can change"),
        (
            "filter = \"fare > 0\"",
            "filter = \"fare > 'x' + 1\"",
            "line 1, filter: this is text, where a number is needed\n    fare > 'x' + 1\n           ^^^",
        ),
    ];
    for (from, to, expected) in golden {
        assert_eq!(changed(from, to).trim_end(), expected);
    }
}

/// Looking for the line of each number from the start of the text would take minutes.
#[test]
fn long_specs_take_no_longer_than_they_are() {
    let edges: Vec<String> = (0..100_000).map(|edge| edge.to_string()).collect();
    let histogram = format!(
        "{SOUND}\n[[query]]\nname = \"h\"\nkind = \"histogram\"\ncolumn = \"fare\"\nedges = [{}]\n",
        edges.join(",\n")
    );
    let plan = Spec::parse(&histogram, "spec.toml".as_ref()).unwrap().plan().unwrap();
    assert_eq!(plan.queries()[1].components[0].cells, 99_999);
    let late = histogram.replace("99998,\n", "x,\n");
    assert!(message(&late).starts_with("line "), "{}", message(&late));
}
