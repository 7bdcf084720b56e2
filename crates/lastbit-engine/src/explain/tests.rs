use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lastbit_prove::logic::script::RULES;

use super::*;
use crate::Judgement;
use crate::attack::Verdict;
use crate::check::CheckVerdict;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `docs/glossary.md` is made from the table: `LASTBIT_WRITE=1 cargo test -p lastbit-engine glossary` writes it.
#[test]
fn the_glossary_is_made_from_the_table() {
    let path = repository().join("docs/glossary.md");
    if std::env::var_os("LASTBIT_WRITE").is_some() {
        fs::write(&path, glossary()).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), glossary());
}

#[test]
fn every_word_finds_its_own_entry_and_a_page_that_is_there() {
    for entry in entries() {
        assert_eq!(find(entry.word), Some(entry));
        assert!(repository().join(entry.see).is_file(), "{}", entry.see);
        for text in [entry.statement, entry.reason, entry.example] {
            assert!(text.ends_with('.') && !text.contains('\n'), "{}: {text}", entry.word);
        }
    }
    let words: BTreeSet<&str> = entries().map(|entry| entry.word).collect();
    assert_eq!(words.len(), entries().count());
}

#[test]
fn unknown_words_have_neighbours() {
    assert_eq!(find("no-such-word"), None);
    assert_eq!(nearest("refutet")[0], "REFUTED");
    assert_eq!(nearest("sensitivty")[0], "sensitivity");
}

/// Files of Rust code below a directory, but for tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "coq" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.contains("tests") {
            found.push(path);
        }
    }
}

/// Texts in capitals in a file, such as `"LAP-GEN"`.
fn capitals(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_name = |text: &&str| {
        text.len() > 1
            && text.starts_with(char::is_alphabetic)
            && text.chars().all(|c| c.is_ascii_uppercase() || c == '-')
    };
    code.split('"').filter(is_name).map(str::to_owned).collect()
}

/// Capitals that are no rules: environment variables and marks of tables.
const NO_RULES: [&str; 3] = ["PATH", "NO", "STEP"];

#[test]
fn every_rule_is_explained() {
    let prove = repository().join("crates/lastbit-prove/src");
    let mut files =
        vec![prove.join("derivation/text.rs"), repository().join("crates/lastbit-papers/src/rules.rs")];
    sources(&prove.join("logic"), &mut files);
    sources(&prove.join("endpoint"), &mut files);
    let printed: BTreeSet<String> = files.iter().flat_map(|path| capitals(path)).collect();
    assert!(printed.len() > 30, "{printed:?}");
    for name in printed.iter().filter(|name| !NO_RULES.contains(&name.as_str())) {
        assert!(find(name).is_some(), "{name} is printed, and not explained");
    }
    for (name, rule) in RULES {
        assert!(find(name).is_some() && find(rule.text()).is_some(), "{name}");
    }
}

#[test]
fn every_verdict_is_explained() {
    for judgement in [Judgement::Holds, Judgement::Undecided, Judgement::Violated] {
        let entry = find(&judgement.to_string()).unwrap();
        assert_eq!(entry.group, Group::Verdicts);
        assert!(entry.statement.contains(&format!("Exit code {}", judgement.exit_code())), "{}", entry.word);
    }
    // What reports begin with.
    let attacks = [Verdict::Leaks, Verdict::NotSeenToLeak, Verdict::TooFewSamples, Verdict::NoClaim];
    let checks = [
        CheckVerdict::Accepted,
        CheckVerdict::Refused,
        CheckVerdict::NotChecked,
        CheckVerdict::NotACertificate,
    ];
    let others = [
        "PROVED",
        "REFUTED",
        "REJECTED",
        "VACUOUS",
        "POSSIBLY VACUOUS",
        "LOSS",
        "BROKEN",
        "MISSING",
        "DIFFERENT",
    ];
    let words = attacks.map(Verdict::word).into_iter().chain(checks.map(CheckVerdict::word)).chain(others);
    for word in words {
        assert_eq!(find(word).unwrap_or_else(|| panic!("{word}")).group, Group::Verdicts);
    }
}

#[test]
fn every_mechanism_is_explained() {
    // What is added as noise, chosen by, audited, or accounted for.
    let noise = ["laplace", "gaussian", "grid-laplace", "discrete-laplace", "discrete-gaussian", "snapping"];
    let others = ["float-snapping", "noisy-max", "exponential", "textbook-laplace", "randomized-response"];
    let terms = ["pure", "approximate", "zcdp", "threshold"];
    for word in noise.iter().chain(&others).chain(&terms) {
        assert!(find(word).is_some(), "{word}");
    }
}

#[test]
fn no_two_entries_share_a_name() {
    let mut names = BTreeSet::new();
    for entry in entries() {
        for name in std::iter::once(&entry.word).chain(entry.aliases) {
            assert!(names.insert(*name), "{name}");
        }
    }
}
