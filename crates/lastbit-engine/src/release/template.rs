//! A commented spec for a table, from the names and types of its columns.

use std::fmt::Write;
use std::path::Path;

use lastbit_table::{ColumnType, columns_of, delimiter_of};

use super::refused;
use crate::Refusal;

/// What stands in place of the groups until somebody lists them.
pub(super) const PLACEHOLDER: &str = "…";

/// A spec for the table at a path, with every key explained. No value of the table is in it.
///
/// # Errors
/// A file that is no table.
pub fn template(path: &Path) -> Result<String, Refusal> {
    let columns = columns_of(path).map_err(|error| refused(&error))?;
    let delimiter = match delimiter_of(path).map_err(|error| refused(&error))? {
        b',' => String::new(),
        b'\t' => "delimiter = \"tab\"\n".to_owned(),
        sign => format!("delimiter = {}\n", quoted(&char::from(sign).to_string())),
    };
    let mut text = String::new();
    text.push_str("# What is released, and of which table. `lastbit release THIS_FILE --dry-run` says what it would cost.\n");
    text.push_str("# Columns of the table:\n");
    for (name, found) in &columns {
        // A line break in a name would end the comment.
        let name: String = name.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
        let _ = writeln!(text, "#   {name} ({})", found.name());
    }
    let unit = columns.first().map_or("person", |(name, _)| name);
    // Groups by the unit would tell who is in the table.
    let group = columns.iter().find(|(name, found)| *found == ColumnType::Text && name != unit);
    let group = group.map_or("city", |(name, _)| name);
    let number = columns.iter().find(|(name, found)| *found == ColumnType::Number && name != unit);
    let _ = write!(
        text,
        "
[table]
path = {}           # or a list, or a pattern such as \"trips-*.csv.gz\"
{delimiter}# dataset = \"…\"         # the name under which a ledger keeps its budget
unit = {}           # CHECK: whose privacy is protected: the column that tells people apart, several columns, or \"row\"

[bounds]               # how much of the result one unit can change; more than that of a unit does not count
groups = 1             # CHECK: groups that a unit counts in
rows = 1               # CHECK: rows of a unit that count in one group

[by]
columns = [{}]
keys = [\"{PLACEHOLDER}\"]           # CHECK: all groups, from elsewhere than this table; or a file, or a public table

[privacy]
epsilon = 1            # of all queries together; or rho = …, or epsilon with delta

# filter = \"…\"          # above [table]: rows that count, such as \"fare > 0 and not (city is null)\"

[[query]]
name = \"rows\"
kind = \"count\"         # also: count-units, sum, mean, variance, std, median, quantile, distinct, histogram
# share = 2            # twice as much of the budget as the others get
",
        quoted(&path.display().to_string()),
        quoted(unit),
        quoted(group),
    );
    if let Some((name, _)) = number {
        let _ = write!(
            text,
            "
# [[query]]
# name = {0}
# kind = \"sum\"
# column = {0}
# bounds = [0, 100]    # of one row, from what the column means: values beyond are moved there
#                      # a histogram, median or quantile has edges = [0, 10, 20, 50] instead, a quantile also q = 0.9
",
            quoted(name)
        );
    }
    Ok(text)
}

/// A text as TOML has it: Rust's own marks for signs that are not printed are others.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' | '\\' => quoted.extend(['\\', sign]),
            sign if sign.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(sign))),
            sign => quoted.push(sign),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_name_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a \"table\".csv");
        for name in [
            "prenom",
            "pre\u{301}nom",
            "zero\u{200b}width",
            "back\\slash",
            "it's",
            "\u{1f469}\u{200d}\u{1f680}",
        ] {
            std::fs::write(&path, format!("{name},town\na,b\n")).expect("a file");
            let text = super::template(&path).expect("a template");
            let spec =
                lastbit_table::Spec::parse(&text, &path).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(spec.table.unit, Some(lastbit_table::spec::Unit::Columns(vec![name.to_owned()])));
            assert_eq!(spec.table.paths, [path.display().to_string()]);
        }
        assert_eq!(super::quoted("a\tb\u{7f}\"\\"), r#""a\u0009b\u007F\"\\""#);
    }
}
