//! What docs/cli.md says a command prints is what it prints. `LASTBIT_BLESS=1 cargo test -p lastbit-cli docs` writes the examples anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::{folder, lastbit, output, stderr, stdout};

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
        // Of a long page only the first difference.
        let different = written.lines().zip(text.lines()).find(|(now, on_page)| now != on_page);
        assert_eq!(different, None, "{}: LASTBIT_BLESS=1 writes it anew", page.display());
        assert!(written == text, "{}: LASTBIT_BLESS=1 writes it anew", page.display());
    }
}

/// A folder that has what a checkout has, where examples may write.
fn checkout() -> TempDir {
    let folder = folder();
    for name in ["crates", "examples", "mechanisms", "tests"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).expect("a link");
    }
    folder
}

/// A block with what its commands, the lines that begin with `$`, print. The shell runs them, one after the other in one folder.
fn run_again(block: &str) -> String {
    let folder = checkout();
    let here = Path::new(env!("CARGO_BIN_EXE_lastbit")).parent().expect("a folder");
    let path = format!("{}:{}", here.display(), std::env::var("PATH").expect("UTF-8"));
    let mut written = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &line[2..]]).current_dir(folder.path()).env("COLUMNS", "100").env("PATH", &path);
        let output = output(&mut shell);
        written.push_str(&format!("{line}\n{}{}", stdout(&output), stderr(&output)));
    }
    written
}

#[test]
fn text_is_what_is_printed() {
    each_example(&root().join("docs/cli.md"), "<!-- test -->", "```console\n", |_, block| run_again(block));
}

/// The names of all commands, from the help.
fn commands() -> Vec<String> {
    let help = output(&mut lastbit("help"));
    let list = stdout(&help).split("Commands:\n").nth(1).expect("commands");
    let list = list.split("\n\n").next().expect("their end").lines();
    // What goes on in the next line is indented further.
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().expect("a name").to_owned()).collect()
}

#[test]
fn every_command_is_on_the_page_with_its_exit_codes() {
    let page = fs::read_to_string(root().join("docs/cli.md")).expect("the page");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let commands = commands();
    assert!(commands.iter().any(|name| name == "noise"), "{commands:?}");
    for name in commands.iter().filter(|name| *name != "help") {
        assert!(rows.iter().any(|row| row.contains(&format!("`{name}`"))), "{name}: no exit codes");
        assert!(page.contains(&format!("lastbit {name}")), "{name}: no example");
    }
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
