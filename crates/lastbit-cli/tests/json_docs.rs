//! The examples of docs/json.md are what the command prints.
//!
//! An example is a block ```json after a line `<!-- lastbit … -->` with the command, run in the root of the project. Of what the command prints,
//! the first element of an array is compared, without what changes from run to run; what the page leaves out is written `"…"`, as a
//! value, or as the last element of a list.

use std::fs;
use std::path::Path;

use crate::common::{self, lastbit, output, stderr, stdout};
use serde_json::Value;

/// Members that change from run to run.
const VOLATILE: [&str; 3] = ["seconds", "search_seconds", "check_seconds"];

/// The examples: the command, and what it prints.
fn examples(page: &str) -> Vec<(String, Value)> {
    let mut examples = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("<!-- lastbit ").and_then(|rest| rest.strip_suffix(" -->"))
        else {
            continue;
        };
        assert_eq!(lines.find(|line| !line.is_empty()), Some("```json"), "after {command}");
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let value =
            serde_json::from_str(&block.join("\n")).unwrap_or_else(|error| panic!("{command}: {error}"));
        examples.push((command.to_owned(), value));
    }
    examples
}

/// The words of a command; what is between apostrophes is one word.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn is_left_out(value: &Value) -> bool {
    value == "…"
}

/// Where what is printed is not what the page says.
fn difference(said: &Value, printed: &Value, place: &str) -> Option<String> {
    match (said, printed) {
        (said, _) if is_left_out(said) => None,
        (Value::Object(said), Value::Object(printed)) => {
            let names = |object: &serde_json::Map<String, Value>| -> Vec<String> {
                object.keys().filter(|name| !VOLATILE.contains(&name.as_str())).cloned().collect()
            };
            if names(said) != names(printed) {
                return Some(format!("{place}: {:?} on the page, {:?} printed", names(said), names(printed)));
            }
            names(said)
                .iter()
                .find_map(|name| difference(&said[name], &printed[name], &format!("{place}.{name}")))
        }
        (Value::Array(said), Value::Array(printed)) => {
            let (told, is_whole) = match said.split_last() {
                Some((last, rest)) if is_left_out(last) => (rest, false),
                _ => (said.as_slice(), true),
            };
            if told.len() > printed.len() || (is_whole && told.len() != printed.len()) {
                return Some(format!("{place}: {} on the page, {} printed", said.len(), printed.len()));
            }
            let mut pairs = told.iter().zip(printed).enumerate();
            pairs.find_map(|(i, (said, printed))| difference(said, printed, &format!("{place}[{i}]")))
        }
        (said, printed) if said == printed => None,
        (said, printed) => Some(format!("{place}: {said} on the page, {printed} printed")),
    }
}

#[test]
fn the_examples_are_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/json.md")).expect("the page");
    let examples = examples(&page);
    assert!(!examples.is_empty());
    for (command, said) in examples {
        let folder = common::folder();
        let certificate = folder.path().join("certificate.json");
        let certificate = certificate.to_str().expect("UTF-8");
        // `prove … && check …`: the last one is what is printed.
        let mut printed = None;
        for part in command.split(" && lastbit ") {
            let words: Vec<String> =
                words(part).into_iter().map(|word| word.replace("CERT", certificate)).collect();
            printed = Some(output(lastbit("").args(&words).current_dir(&root)));
        }
        let printed = printed.expect("a command");
        let value: Value = serde_json::from_str(stdout(&printed))
            .unwrap_or_else(|error| panic!("{command}: {error}: {}{}", stdout(&printed), stderr(&printed)));
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(&value).clone();
        if let Some(difference) = difference(&said, &value, "") {
            let value = serde_json::to_string_pretty(&value).expect("JSON");
            panic!("lastbit {command}: {difference}\nprinted:\n{value}");
        }
    }
}
