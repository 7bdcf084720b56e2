//! Tells the binary what it is built from, see `src/version.rs`.
//!
//! Works without git and without a repository: the commit is then that of the published crate, or "unknown".

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where this crate is in its repository. A repository around an unpacked crate is somebody else's.
const PATH_IN_REPOSITORY: &str = "crates/lastbit-cli";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let commit = commit_of_repository(&here).or_else(|| commit_of_package(&here));
    println!("cargo::rustc-env=LASTBIT_COMMIT={}", commit.unwrap_or_else(|| "unknown".into()));
    println!("cargo::rustc-env=LASTBIT_TARGET={}", env("TARGET"));
    let rustc = output(&here, &env("RUSTC"), &["--version"]);
    println!("cargo::rustc-env=LASTBIT_RUSTC={}", rustc.unwrap_or_else(|| "unknown".into()));
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| "unknown".into())
}

/// What a command prints, in one line; `None` if it fails or cannot be run.
fn output(directory: &Path, command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).current_dir(directory).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().replace('\n', " "))
}

/// The commit that is checked out, `-dirty` if a tracked file differs from it.
fn commit_of_repository(here: &Path) -> Option<String> {
    let git = |arguments: &[&str]| output(here, "git", arguments);
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if here.canonicalize().ok()? != top.join(PATH_IN_REPOSITORY) {
        return None;
    }
    // HEAD changes when another branch is checked out, its log when a commit is made, the index when files are added; the
    // rest is what the binary is made of.
    let watched = ["HEAD", "logs/HEAD", "index"].map(|name| git(&["rev-parse", "--git-path", name]));
    let watched = watched.into_iter().flatten().map(|path| here.join(path));
    for path in watched.chain(["crates", "Cargo.toml", "Cargo.lock"].map(|path| top.join(path))) {
        // A path that does not exist would run this at every build.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// The commit that `cargo package` notes down.
fn commit_of_package(here: &Path) -> Option<String> {
    let info = std::fs::read_to_string(here.join(".cargo_vcs_info.json")).ok()?;
    let commit = info.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    let dirty = if info.contains("\"dirty\": true") { "-dirty" } else { "" };
    Some(format!("{}{dirty}", commit.get(..12)?))
}
