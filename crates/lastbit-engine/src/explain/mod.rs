//! What words mean: rules, lemmas, mechanisms, verdicts, and the words that all pages share.
//!
//! One table, from which `lastbit explain`, `lastbit.explain` in Python and `docs/glossary.md` are made.
//!
//! ```
//! use lastbit_engine::explain::{find, nearest};
//! assert_eq!(find("lap-gen").unwrap().word, "LAP-GEN");
//! assert_eq!(find("Λ").unwrap().word, "grid");
//! assert_eq!(find("λ").unwrap().word, "scale");
//! assert_eq!(nearest("laplce")[0], "laplace");
//! ```

mod logic;
mod mechanisms;
mod semantics;
mod verdicts;
mod words;

use std::fmt::Write;

use serde::Serialize;

use crate::Schema;

/// What a word belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Group {
    /// Words that all pages share.
    Words,
    /// What a command says of a claim, and its exit code.
    Verdicts,
    /// Noise and choices.
    Mechanisms,
    /// Rules of the relational logic.
    Logic,
    /// What shows that constraints cannot hold together.
    Lemmas,
    /// Rules of the floating-point error semantics.
    Semantics,
}

impl Group {
    /// All of them, in the order of lists.
    pub const ALL: [Group; 6] =
        [Group::Words, Group::Verdicts, Group::Mechanisms, Group::Logic, Group::Lemmas, Group::Semantics];

    /// As it is spelled in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Group::Words => "words",
            Group::Verdicts => "verdicts",
            Group::Mechanisms => "mechanisms",
            Group::Logic => "logic",
            Group::Lemmas => "lemmas",
            Group::Semantics => "semantics",
        }
    }

    /// The heading of a list.
    pub fn title(self) -> &'static str {
        match self {
            Group::Words => "words",
            Group::Verdicts => "verdicts",
            Group::Mechanisms => "mechanisms",
            Group::Logic => "rules of the logic",
            Group::Lemmas => "lemmas",
            Group::Semantics => "rules of the error semantics",
        }
    }
}

/// A word and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The group that it belongs to.
    pub group: Group,
    /// The word.
    pub word: &'static str,
    /// What else it is called: symbols, options, names in texts.
    pub aliases: &'static [&'static str],
    /// What it says or is.
    pub statement: &'static str,
    /// Why it holds, or why there is such a thing.
    pub reason: &'static str,
    /// One case of it.
    pub example: &'static str,
    /// The page that says more.
    pub see: &'static str,
}

impl Entry {
    /// The entry for people.
    pub fn in_words(&self) -> String {
        let mut text = self.word.to_owned();
        if !self.aliases.is_empty() {
            let _ = write!(text, " (also {})", self.aliases.join(", "));
        }
        let _ = write!(text, "\n\n  {}\n\n", self.statement);
        let _ = writeln!(text, "why      {}", self.reason);
        let _ = writeln!(text, "example  {}", self.example);
        let _ = writeln!(text, "see      {}", self.see);
        text
    }
}

/// What a word means, as an answer.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The version of this JSON.
    pub schema: Schema,
    /// The entry, whose members stand beside it.
    #[serde(flatten)]
    pub entry: &'static Entry,
}

impl Explanation {
    /// That of an entry.
    pub fn of(entry: &'static Entry) -> Explanation {
        Explanation { schema: Schema, entry }
    }
}

/// All words, as an answer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Words {
    /// The version of this JSON.
    pub schema: Schema,
    /// The entries, group by group.
    pub words: Vec<&'static Entry>,
}

impl Words {
    /// All that there are.
    pub fn all() -> Words {
        Words { schema: Schema, words: entries().collect() }
    }
}

/// All entries, group by group.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let groups: [&'static [Entry]; 6] = [
        &words::WORDS,
        &verdicts::VERDICTS,
        &mechanisms::MECHANISMS,
        &logic::RULES,
        &logic::LEMMAS,
        &semantics::RULES,
    ];
    groups.into_iter().flatten()
}

/// The entry of a word or one of its aliases, whatever the case. Where the case matters, as in `Λ` and `λ`, the same case goes first.
pub fn find(word: &str) -> Option<&'static Entry> {
    let word = word.trim();
    let names = |entry: &Entry| std::iter::once(entry.word).chain(entry.aliases.iter().copied());
    let plain = folded(word);
    entries()
        .find(|entry| entry.word == word)
        .or_else(|| entries().find(|entry| names(entry).any(|name| name == word)))
        .or_else(|| entries().find(|entry| folded(entry.word) == plain))
        .or_else(|| entries().find(|entry| names(entry).any(|name| folded(name) == plain)))
}

/// Small letters, and one kind of dash.
fn folded(word: &str) -> String {
    word.to_lowercase().replace(['_', ' '], "-")
}

/// At most this many suggestions.
const SUGGESTIONS: usize = 3;

/// The words that are nearest to one that there is not.
pub fn nearest(word: &str) -> Vec<&'static str> {
    let word = folded(word);
    let mut ranked: Vec<(usize, &'static str)> = entries()
        .map(|entry| {
            let names = std::iter::once(entry.word).chain(entry.aliases.iter().copied());
            let least = names.map(|name| distance(&word, &folded(name))).min();
            (least.unwrap_or(usize::MAX), entry.word)
        })
        .collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, word)| word).take(SUGGESTIONS).collect()
}

/// How many letters must be changed, left out or put in (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The words by group, for people.
pub fn list() -> String {
    let mut text = String::new();
    for group in Group::ALL {
        let words: Vec<&str> =
            entries().filter(|entry| entry.group == group).map(|entry| entry.word).collect();
        let _ = writeln!(text, "{}\n  {}\n", group.title(), words.join(", "));
    }
    text
}

/// `docs/glossary.md`.
pub fn glossary() -> String {
    let mut text = "\
# Glossary

One word for each thing, the same in the command, in Python, in Rust and on these pages.
`lastbit explain WORD` says the same, and explains verdicts, mechanisms and the names of rules; this page is made from its words.

In the language of mechanisms the symbols of the papers stay: `eps`, `B` and `L` are what `--epsilon`, `--bound` and `--grid` bind, and `lambda` is the scale λ.
In the files of [conformance.md](conformance.md) Λ is `Lam` and λ is `lam`.

| word | also | meaning |
|---|---|---|
"
    .to_owned();
    for entry in &words::WORDS {
        let code = |name: &str| format!("`{name}`");
        let aliases: Vec<String> = entry.aliases.iter().map(|alias| code(alias)).collect();
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| **{}** | {} | {} {} Example: {} See [{page}]({page}). |",
            entry.word,
            aliases.join(", "),
            cell(entry.statement),
            cell(entry.reason),
            cell(entry.example),
            page = entry.see.trim_start_matches("docs/"),
        );
    }
    for (group, title) in [(Group::Verdicts, "Verdicts"), (Group::Mechanisms, "Mechanisms")] {
        let _ = write!(text, "\n## {title}\n\n");
        for entry in entries().filter(|entry| entry.group == group) {
            let _ = writeln!(text, "- **{}**: {}\n  {}", entry.word, entry.statement, entry.reason);
        }
    }
    text
}

#[cfg(test)]
mod tests;
