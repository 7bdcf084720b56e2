//! Filters and derived columns.

use lastbit_table::Spec;

use super::{Folder, integers};

/// The sum over the rows of `a,b,day,city` in hundredths of an expression that is a number.
fn sum(expression: &str, rows: &str) -> i128 {
    let folder = Folder::new();
    folder.write("t.csv", format!("a,b,day,\"odd name\",city\n{rows}"));
    let spec = spec(&format!("[derive]\nx = {expression:?}"), "");
    integers(&folder.plan(&spec), &folder.answer(&spec).unwrap())[0]
}

/// The number of rows for which an expression is true.
fn kept(expression: &str, rows: &str) -> i128 {
    let folder = Folder::new();
    folder.write("t.csv", format!("a,b,day,\"odd name\",city\n{rows}"));
    let spec = spec("[derive]\nx = \"1.00\"", &format!("filter = {expression:?}"));
    integers(&folder.plan(&spec), &folder.answer(&spec).unwrap())[0] / 100
}

fn spec(derive: &str, filter: &str) -> String {
    format!(
        r#"{filter}
        {derive}
        [table]
        path = "t.csv"
        unit = "row"
        [privacy]
        epsilon = 1
        [[query]]
        name = "q"
        kind = "sum"
        column = "x"
        bounds = [-1e6, 1e6]
        grid = 0.01
        "#
    )
}

fn fault(expression: &str) -> String {
    let spec = Spec::parse(&spec(&format!("[derive]\nx = {expression:?}"), ""), "".as_ref()).unwrap();
    spec.plan().unwrap_err().to_string().trim_end().to_owned()
}

#[test]
fn arithmetic_is_exact() {
    let row = "0.1,0.2,2024-02-29,7,Bern\n";
    let golden = [
        ("a + b", 30),
        ("a - b * 10", -190),
        ("-a", -10),
        ("- -a", 10),
        ("(a + b) * (a + b)", 9),
        ("a / b", 50),
        ("1 / 3 * 3", 100),
        ("`odd name` * 2", 1400),
        ("\"odd name\" - 1", 600),
        ("clamp(a, 0.15, b)", 15),
        ("clamp(a, -5, -1)", -100),
        ("round(`odd name`, 5)", 500),
        ("round(-2.5, 5)", 0),
        ("round(a, 0.2)", 20),
        ("year(day) - month(day)", 202_200),
        ("year('2023-12-31T23:00')", 202_300),
        ("number(text(a)) + 1e2", 10_010),
        ("12345678901234567890.1 * 1e-20 * 10000000000000000000000 / 1e19", 12_346),
    ];
    for (expression, expected) in golden {
        assert_eq!(sum(expression, row), expected, "{expression}");
    }
}

#[test]
fn what_has_no_value_is_null() {
    let rows = ",x,2023-02-29,0,\nnan,inf,,,\n1e999,-inf,day,,\n";
    for expression in [
        "a + 1",
        "b * 0",
        "1 / `odd name`",
        "year(day)",
        "clamp(1, 2, number(city))",
        "clamp(1, 2, `odd name`)",
        "number(lower(city))",
    ] {
        assert_eq!(sum(expression, rows), 0, "{expression}");
    }
    assert_eq!(kept("number(b) is null", rows), 3);
    assert_eq!(kept("b is null", rows), 0);
    assert_eq!(kept("a is not null", rows), 2);
}

#[test]
fn logic_has_three_values() {
    // b is null in the second row, and no number in the third.
    let rows = "1,1,,,Bern\n1,,,,BERN\n1,x,,,Biel\n";
    let golden = [
        ("a = 1", 3),
        ("b = 1", 1),
        ("b != 1", 0),
        ("not b = 1", 0),
        ("b = 1 or a = 1", 3),
        ("a = 1 or b = 1", 3),
        ("b = 1 and a = 2", 0),
        ("not (b = 1 and a = 2)", 3),
        ("not (b = 1 and a = 1)", 0),
        ("lower(city) = 'bern'", 2),
        ("city = 'Bern'", 1),
        ("city < 'Bf'", 2),
        ("city >= 'Biel'", 1),
        ("b is null", 1),
        ("not b is null and city <> 'Biel'", 1),
        ("true", 3),
        ("false or not true", 0),
        ("number(a) = b", 1),
        ("text(a) = b", 1),
        ("a == 1.0 AND a <= 1 And a >= 1", 3),
        ("day is null", 3),
        ("city = 'it''s'", 0),
    ];
    for (expression, expected) in golden {
        assert_eq!(kept(expression, rows), expected, "{expression}");
    }
}

#[test]
fn derived_columns_may_need_each_other_and_hide_columns() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,2\n");
    let spec = spec("[derive]\nx = \"z + a\"\nz = \"y * 2\"\ny = \"a + 1\"\na = \"a * 100\"", "");
    assert_eq!(integers(&folder.plan(&spec), &folder.answer(&spec).unwrap()), [30_200]);
}

/// Half an hour is the same group whether it was written, divided or rounded, and so is a person.
#[test]
fn derived_numbers_are_the_groups_and_units_of_their_value() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n2.4,5\n2.50,5.0\n0.4,1\n");
    for derived in ["round(a, 0.5)", "b / 2", "2.50 * b / 5.00", "clamp(b / 2, 0.5, a + 10)"] {
        let spec = format!(
            "[table]\npath = \"t.csv\"\nunit = \"x\"\n[derive]\nx = {derived:?}\n[bounds]\ngroups = 1\nrows = 9\n[by]\ncolumns = \"x\"\nkeys = [\"0.5\", \"2.5\"]\n\
             [privacy]\nepsilon = 1\n[[query]]\nname = \"rows\"\nkind = \"count\"\n[[query]]\nname = \"units\"\nkind = \"count-units\"\n"
        );
        assert_eq!(integers(&folder.plan(&spec), &folder.answer(&spec).unwrap()), [1, 1, 2, 1], "{derived}");
    }
}

#[test]
fn faults_show_their_place() {
    let golden = [
        ("a + ", "expected a column, a number or a text, found the end\n    a + \n        ^"),
        ("a + )", "expected a column, a number or a text, found `)`\n    a + )\n        ^"),
        ("(a + b", "expected an operator or ), found the end\n    (a + b\n          ^"),
        ("a b", "expected an operator or the end, found `b`\n    a b\n      ^"),
        ("a + 'é' + 1", "this is text, where a number is needed\n    a + 'é' + 1\n        ^^^"),
        ("a § b", "'§' has no meaning here\n    a § b\n      ^"),
        ("'abc", "the closing ' is missing\n    'abc\n    ^^^^"),
        ("1.2.3", "this is no number such as 12, 0.5 or 1e-3\n    1.2.3\n    ^^^^^"),
        (
            "clmap(a, 0, 1)",
            "there is no function clmap; there are clamp, round, lower, year, month, number, text and date - did you mean clamp?\n    clmap(a, 0, 1)\n    ^^^^^",
        ),
        ("clamp(a, 0)", "clamp takes 3 arguments, not 2\n    clamp(a, 0)\n    ^^^^^^^^^^^"),
        (
            "clamp(a, 1, 0)",
            "the lower end of the clamp is above its upper end\n    clamp(a, 1, 0)\n             ^",
        ),
        ("round(a, b)", "the grid must be a positive number, written out\n    round(a, b)\n             ^"),
        (
            "round(a, -1)",
            "the grid must be a positive number, written out\n    round(a, -1)\n             ^^",
        ),
        ("a / 0.0", "this divides by zero, so it is always null\n    a / 0.0\n        ^^^"),
        ("year('soon')", "this is no day such as '2024-02-29'\n    year('soon')\n         ^^^^^^"),
        (
            "a and b = 'x' and 3",
            "this is a number, where a truth value is needed\n    a and b = 'x' and 3\n                      ^",
        ),
        (
            "a",
            "nothing says whether this is a number, text or a date: write number(...), text(...) or date(...) around it; text stands in single quotes\n    a\n    ^",
        ),
    ];
    for (expression, expected) in golden {
        let expected = format!("line 3, derive.x: {expected}");
        assert_eq!(fault(expression), expected.trim_end());
    }
    assert!(fault(&"1 + ".repeat(1000)).contains("more than 1000 parts"));
    assert!(fault(&"(".repeat(5000)).contains("more than 1000 parts"));
    for deep in ["(", "-", "not ", "lower("] {
        assert!(fault(&deep.repeat(101)).contains("more than 100 parentheses or signs"), "{deep}");
    }
    assert!(fault("lower(a)").contains("this is text, where a number is needed"));
    // Of a long text what is near.
    let long = fault(&"1 + ".repeat(1_000_000));
    assert!(
        long.len() < 1000
            && long.ends_with(
                "\n                                                                               ^"
            ),
        "{long}"
    );
}

#[test]
fn deep_expressions_need_little_stack() {
    let deep = format!("{}a{}", "-(".repeat(50), ")".repeat(50));
    assert_eq!(sum(&deep, "2,,,,\n"), 200);
    assert_eq!(sum(&format!("a{}", " + 1".repeat(400)), "2,,,,\n"), 40_200);
}
