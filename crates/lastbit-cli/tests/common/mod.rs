//! Running the command.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command with arguments, split at spaces.
pub(crate) fn lastbit(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastbit"));
    command.args(arguments.split_whitespace());
    command
}

/// Runs it on a file.
pub(crate) fn on_file(arguments: &str, file: &Path) -> Output {
    lastbit(arguments).arg(file).output().expect("the command runs")
}

/// Runs it on a pipe.
pub(crate) fn on_pipe(arguments: &str, text: &[u8]) -> Output {
    let mut child = lastbit(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&text); // the command may stop reading
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    output
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

/// The arguments of a release that the tests use where any will do.
pub(crate) const LAPLACE: &str = "noise laplace --epsilon 1 --sensitivity 1";

/// The numbers that batches hold.
pub(crate) const BATCH: usize = 65_536;

/// Runs it with nothing but arguments.
pub(crate) fn run(arguments: &str) -> Output {
    output(&mut lastbit(arguments))
}

pub(crate) fn output(command: &mut Command) -> Output {
    command.output().expect("the command runs")
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal ends the command")
}

pub(crate) fn json(output: &Output) -> Vec<serde_json::Value> {
    serde_json::from_str(stdout(output)).expect("an array of JSON")
}

/// A place of its own for a test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

pub(crate) fn put(folder: &tempfile::TempDir, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, contents).expect("the file is written");
    path
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Refused with a message, a hint, and exit code 2.
pub(crate) fn assert_refused(output: &Output, what: &str) {
    assert_eq!(code(output), 2, "{what}: {}", stderr(output));
    assert!(stderr(output).starts_with("error: "), "{what}: {}", stderr(output));
    assert!(!stderr(output).contains("panicked"), "{what}");
}

/// Sends Ctrl-C to a command once it runs. One that was not ready for it is given more time.
#[cfg(unix)]
pub(crate) fn interrupted(command: impl Fn() -> Command) -> Output {
    for seconds in [1, 4, 16] {
        let child =
            command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "it ended by itself");
        let output = child.wait_with_output().expect("the command ends");
        if output.status.code().is_some() {
            return output;
        }
    }
    panic!("Ctrl-C ended it")
}
