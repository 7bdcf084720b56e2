//! What docs/cli.md says a command prints is what it prints. `LASTBIT_BLESS=1 cargo test -p lastbit-cli docs` writes the examples anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{lastbit, output, stderr, stdout};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every block that follows a line of comment, as `example(comment, block)` makes it. The page is written anew if that is asked for.
fn each_example(page: &Path, start: &str, fence: &str, example: impl Fn(&str, &str) -> String) {
    let text = fs::read_to_string(page).expect("the page");
    let (mut written, mut rest, mut examples) = (String::new(), text.as_str(), 0);
    while let Some(at) = rest.find(start) {
        let (before, from) = rest.split_at(at);
        let (comment, after) = from.split_once('\n').expect("a line after the comment");
        let after = after.strip_prefix(fence).unwrap_or_else(|| panic!("{comment}: an example follows"));
        let (block, tail) = after.split_once("```\n").expect("the end of the example");
        written.push_str(&format!("{before}{comment}\n{fence}{}```\n", example(comment, block)));
        rest = tail;
        examples += 1;
    }
    assert!(examples > 0, "the page has no example");
    written.push_str(rest);
    if std::env::var_os("LASTBIT_BLESS").is_some() {
        fs::write(page, written).expect("written");
    } else {
        assert_eq!(written, text, "{}: LASTBIT_BLESS=1 writes it anew", page.display());
    }
}

#[test]
fn text_is_what_is_printed() {
    each_example(&root().join("docs/cli.md"), "<!-- test -->", "```console\n", |_, block| {
        let line = block.lines().next().expect("a command");
        let command = line.strip_prefix("$ lastbit ").unwrap_or_else(|| panic!("{line}: no command"));
        let output = output(lastbit(command).current_dir(root()).env("COLUMNS", "100"));
        format!("{line}\n{}{}", stdout(&output), stderr(&output))
    });
}

/// The README shows the first line of what a command prints. What an attack prints depends on samples.
#[test]
fn the_readme_shows_first_lines() {
    let text = fs::read_to_string(root().join("README.md")).expect("the page");
    let mut lines = text.lines().peekable();
    let mut shown = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ lastbit ").filter(|command| !command.starts_with("attack"))
        else {
            continue;
        };
        let output = output(lastbit(command).current_dir(root()).env("COLUMNS", "100"));
        assert_eq!(stdout(&output).lines().next(), lines.peek().copied(), "{command}");
        shown += 1;
    }
    assert!(shown >= 3, "only {shown}");
}
