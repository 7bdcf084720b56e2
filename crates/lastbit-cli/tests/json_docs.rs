//! The examples of docs/json.md are what the commands print. `LASTBIT_BLESS=1 cargo test json_docs` writes them anew.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{lastbit, output, stderr, stdout};

/// Members that are others each time.
const VOLATILE: [&str; 1] = ["seconds"];

/// The JSON without what changes from run to run.
fn steady(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            VOLATILE.iter().for_each(|name| drop(members.remove(*name)));
            members.values_mut().for_each(|member| *member = steady(member.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = steady(value.take())),
        _ => {}
    }
    value
}

#[test]
fn examples_are_what_is_printed() {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = root.join("docs/json.md");
    let text = fs::read_to_string(&page).expect("the page");
    let blesses = std::env::var_os("LASTBIT_BLESS").is_some();
    let mut written = String::new();
    let mut rest = text.as_str();
    let mut examples = 0;
    while let Some(at) = rest.find("<!-- lastbit ") {
        let (before, from) = rest.split_at(at);
        let (comment, after) = from.split_once('\n').expect("a line after the comment");
        let command = comment.trim_start_matches("<!-- lastbit ").trim_end_matches(" -->");
        let after =
            after.strip_prefix("```json\n").unwrap_or_else(|| panic!("{command}: an example follows"));
        let (example, tail) = after.split_once("```\n").expect("the end of the example");
        let output = output(lastbit(command).current_dir(&root));
        let found: Value = serde_json::from_str(stdout(&output))
            .unwrap_or_else(|error| panic!("{command}: {error}: {}", stderr(&output)));
        let found = steady(found);
        if !blesses {
            let expected: Value =
                serde_json::from_str(example).unwrap_or_else(|error| panic!("{command}: {error}"));
            assert_eq!(found, expected, "{command}");
        }
        let pretty = serde_json::to_string_pretty(&found).expect("JSON");
        written.push_str(&format!("{before}{comment}\n```json\n{pretty}\n```\n"));
        rest = tail;
        examples += 1;
    }
    assert!(examples > 0, "the page has no example");
    if blesses {
        fs::write(&page, written + rest).expect("written");
    }
}
