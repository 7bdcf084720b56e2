//! Files: read whole, written whole or not at all. That a file cannot be read is the user's matter, exit code 2: 1 means that a
//! claim is false.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use lastbit_lang::{Diagnostic, Span, render};
use serde::Serialize;

use crate::error::Error;
use crate::output::print_now;

/// What messages call a path by.
pub(crate) fn name_of(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let name = name_of(path);
    let failed =
        |e: io::Error| Error::usage(format!("cannot read {name}: {e}"), "check the path and the permissions");
    let bytes = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    String::from_utf8(bytes.map_err(failed)?).map_err(|e| not_utf8(&name, &e))
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Error {
    let at = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(at).copied().unwrap_or_default();
    let text = String::from_utf8_lossy(error.as_bytes());
    // Up to there both texts are the same.
    let diagnostic = Diagnostic::new(Span::new(at, at + 1), format!("the byte 0x{byte:02x} is not UTF-8"))
        .with_hint("save the file as UTF-8");
    Error::Rendered(render(name, &text, &[diagnostic]))
}

/// Writes a file, by way of another one beside it: whoever looks finds the old contents or the new ones.
pub(crate) fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Error> {
    let contents = contents.as_ref();
    let failed = |e: io::Error| {
        Error::usage(
            format!("cannot write {}: {e}", path.display()),
            "check the path, the permissions and the free disk space",
        )
    };
    // Devices and pipes hold nothing that could be half there, and must not be replaced by files.
    if fs::metadata(path).is_ok_and(|old| !old.is_file()) {
        return fs::write(path, contents).map_err(failed);
    }
    // A link stays one: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(&target);
    let written = write_beside(&target, &beside, contents);
    written.map_err(|e| {
        let _ = fs::remove_file(&beside); // nothing else can be done about it
        failed(e)
    })
}

fn beside(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

fn write_beside(target: &Path, beside: &Path, contents: &[u8]) -> io::Result<()> {
    let old = fs::metadata(target).ok();
    let mut file = fs::File::create_new(beside)?;
    file.write_all(contents)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    fs::rename(beside, target)
}

/// An answer as JSON, to standard output.
pub(crate) fn print_json(answer: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(answer).map_err(|e| Error::io("write JSON", e.into()))?;
    print(&(text + "\n"))
}

/// To standard output.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    print_now(text).map_err(|error| match error {
        Error::Io { action, source } => Error::usage(
            format!("cannot {action}: {source}"),
            "the output is incomplete: fix the cause and run again",
        ),
        // 1 would be a verdict.
        Error::BrokenPipe { .. } => Error::BrokenPipe { exit_code: 2 },
        other => other,
    })
}
